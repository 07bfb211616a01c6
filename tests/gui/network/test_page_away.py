"""Runs of the Network page on another computer: the same results, Stop and Resume, a lost connection."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtGui import QGuiApplication

from swgui.core.control import RunControl
from swgui.core.engines import EngineOptions
from swgui.gui.inputs.another_computer import AnotherComputer
from swgui.gui.inputs.computer_box import HERE
from swgui.gui.network.page import NetworkPage
from swgui.io.network.file import save_network
from swgui.io.table_files import write_table
from swgui.jobs.events import Finished
from swgui.jobs.kind import kinds
from swgui.jobs.network import edges as pairs
from swgui.runs import Runs
from swgui.runs.remote.away import LOST
from swgui.serve.remote import process
from swgui.serve.remote.folder import runs_of
from swgui.serve.remote.turn import TurnControl
from tests.gui.named import named
from tests.gui.network.test_sets import answered, files, page
from tests.other_computer import OtherComputer
from tests.runs.life import stop_after

pytestmark = pytest.mark.gui
_USED = (files, page)  # fixtures


@pytest.fixture
def other(monkeypatch, user_folders) -> OtherComputer:
    return OtherComputer(monkeypatch)


def network_of(page: NetworkPage, fasta: Path, place: Path, qtbot) -> bytes:
    """Compare a file, and return the bytes of the saved network."""
    shown = page.network.shown
    before = shown.whole
    page.use_file(fasta)
    qtbot.waitUntil(lambda: shown.whole is not before and not page.running, timeout=20_000)
    save_network(shown.whole.network, place)
    return place.read_bytes()


def test_the_page_offers_other_computers_for_the_kinds_that_travel(page: NetworkPage, other, qtbot) -> None:
    own = {control.kind for control in page.runners}
    assert own == {kind for kind in kinds() if Runs().of(kind).travels and kinds()[kind].page == "network"}
    box = named(page, "networkComputer")
    assert box.isVisible()
    assert box.currentText() == HERE
    box.setCurrentIndex(box.count() - 1)
    box.activated.emit(box.count() - 1)
    assert box.currentText() == HERE  # until one was chosen
    dialog = page.window().findChild(AnotherComputer)
    named(dialog, "computerAddress").setEditText("gpu1")
    named(dialog, "computerConnect").click()
    choose = named(dialog, "computerChoose")
    qtbot.waitUntil(choose.isEnabled)
    assert "answers" in named(dialog, "computerSaid").text()
    choose.click()
    assert box.currentText() == page.computer.address == "gpu1"
    assert page.computer.choice() == ("auto", EngineOptions(on="gpu1"))
    box.setCurrentIndex(0)
    box.activated.emit(0)
    assert page.computer.choice()[0] == "cpu"


def test_a_network_of_another_computer_is_the_same_file(page, fasta, other, tmp_path, qtbot) -> None:
    here = network_of(page, fasta, tmp_path / "here.swnet", qtbot)
    page.computer.use("gpu1")
    assert network_of(page, fasta, tmp_path / "away.swnet", qtbot) == here
    assert len(other.threads) == 1
    assert runs_of("local") == []


@pytest.mark.parametrize("kind", [kind.name for kind in kinds().values() if kind.page == "network"][1:])
@pytest.mark.sampled(2)
def test_an_answer_of_another_computer_is_the_same_table(kind, page, files, other, tmp_path, qtbot) -> None:
    tables = []
    for address in ("", "gpu1"):
        page.computer.use(address)
        write_table(tmp_path / "rows.tsv", answered(page, kind, files, qtbot).table, "tsv", ())
        tables.append((tmp_path / "rows.tsv").read_bytes())
    assert tables[0] == tables[1]
    assert len(other.threads) == 1
    page.copy_command()
    assert "--on gpu1" in QGuiApplication.clipboard().text()


def test_stop_there_keeps_the_finished_part_and_resume_compares_the_rest(
    page, fasta, other, tmp_path, monkeypatch, qtbot
) -> None:
    here = network_of(page, fasta, tmp_path / "here.swnet", qtbot)
    page.computer.use("gpu1")
    monkeypatch.setattr(pairs, "BLOCK", 3)
    there = []

    class Control(TurnControl):
        """Lets the test see that Stop has arrived."""

        def __init__(self, *more) -> None:
            super().__init__(*more)
            there.append(self)

    monkeypatch.setattr(process, "TurnControl", Control)
    task = page.network.comparison.controls["network"].task
    with monkeypatch.context() as patch:
        stop_after(patch, lambda: (task.stop(), there[0].wait(60)), 3)  # the first entry is of the log here
        network_of(page, fasta, tmp_path / "part.swnet", qtbot)
    before = page.network.shown.whole
    assert 0 < before.network.compared < 1
    page.resume()
    qtbot.waitUntil(lambda: page.network.shown.whole is not before and not page.running, timeout=20_000)
    save_network(page.network.shown.whole.network, tmp_path / "whole.swnet")
    assert (tmp_path / "whole.swnet").read_bytes() == here
    assert len(there) == 2


def test_a_lost_connection_is_said_and_the_run_continues(page, fasta, other, tmp_path, qtbot) -> None:
    said = []
    page.network.comparison.controls["network"].state_changed.connect(lambda state: said.append(state.said))
    page.computer.use("gpu1")
    other.asked, other.cut = 0, set(range(6, 12))  # for longer than it takes to draw
    network_of(page, fasta, tmp_path / "away.swnet", qtbot)
    assert len(other.threads) == 1
    assert LOST.format(name="gpu1") in said


@pytest.mark.parametrize("kind", ["network", "cluster"])
def test_stop_without_a_connection_says_that_the_run_continues(kind, page, fasta, files, other, qtbot) -> None:
    page.computer.use("gpu1")
    other.asked, other.cut = 0, range(6, 1 << 40)
    tab = page.network.comparison if kind == "network" else page.sets.asking
    control = tab.controls[kind]
    control.state_changed.connect(lambda state: state.said == LOST.format(name="gpu1") and tab.stop())
    if kind == "network":
        page.use_file(fasta)
    else:
        page.ask(kind)
        page.sets.form.use(**files[kind])
        page.start()
    note = named(page, f"{'network' if kind == 'network' else 'sets'}Note")
    qtbot.waitUntil(lambda: "The run on 'gpu1' continues" in note.text(), timeout=20_000)
    other.cut = set()
    (record,) = Runs().list()
    assert (record.state, record.on) == ("interrupted", "gpu1")
    outcomes = [
        one.outcome for one in Runs().run(kind, Runs().resume(record.id), RunControl()) if isinstance(one, Finished)
    ]
    assert len(outcomes) == len(other.threads) == 1
