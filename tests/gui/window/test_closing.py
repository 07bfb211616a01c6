"""Closing the window ends whatever is under way, and waits for none of it."""

import itertools
import os
import subprocess
import sys
import threading

import pytest
from PySide6.QtWidgets import QPushButton

from swgui.core.alphabet import NUCLEOTIDE
from swgui.core.errors import Stopped
from swgui.core.plain import replace
from swgui.core.records import SequenceRecord
from swgui.core.scoring import ScoringScheme
from swgui.gui.hits.arrange import Sorting
from swgui.gui.kit.tasks import task
from swgui.gui.results.compare.audit import AuditDialog
from swgui.io.matrices import load_matrix
from swgui.jobs.pair.request import PairRequest
from tests.gui.made_results import make_result
from tests.gui.pair.conftest import plan, related


class Endless:
    """Work that runs until it gets the signal to stop."""

    def __init__(self):
        self.begun = threading.Event()

    def until(self, told):
        """Continue until `told()` is true, or raises."""
        self.begun.set()
        while not told():
            threading.Event().wait(0.005)
        raise Stopped

    def describe(self, _listed, _rows, *, align=True, check):
        """Align one hit for ever, as a chromosome would."""
        self.until(check)
        yield


@pytest.fixture
def endless():
    return Endless()


@pytest.fixture
def window(make_window, endless):
    window = make_window()
    window.show_result(make_result()[0])
    return window


def next_best(window, endless, monkeypatch, _tmp_path):
    monkeypatch.setattr("swgui.gui.viewer.pane.next_hit", lambda *given: endless.until(given[-1].is_set))
    page = window.results_page
    hit = next(iter(make_result_hits(page)))
    page.show_hit(hit)
    page.alignment.alignments.find_weaker()


def make_result_hits(page):
    return page.describe(page.hits.data.listed, [0])


def large_query(window, endless, monkeypatch, tmp_path):
    def records(*_given):
        endless.begun.set()
        return (SequenceRecord(f"s{at}", "", b"MKTAYIAKQR") for at in itertools.count())

    monkeypatch.setattr("swgui.gui.inputs.detection.SequenceReader", records)
    path = tmp_path / "large.fa"
    path.write_text(">x\n" + "MKTAYIAKQR" * 30_000)
    window.search_page.query.open_file(path)


def sort_by_identity(window, endless, _monkeypatch, _tmp_path):
    page = window.results_page
    page.filler.describe = endless.describe
    page.hits.data.aligned[:] = False
    page.hits.sort_by(Sorting("pident", descending=True))


def pair(window, endless, _monkeypatch, _tmp_path):
    def align(_request, cancel, _plan=None):
        endless.until(cancel.is_set)
        yield

    scheme = ScoringScheme.from_blast(load_matrix("+2/-3", NUCLEOTIDE), 5, 2)
    request = PairRequest(*related(), scheme, method="cpu")
    page = window.pages["pair"]
    page.control.align = align
    page.control.start(replace(request, plan=plan(request)))


def export(window, endless, _monkeypatch, tmp_path):
    page = window.results_page
    page.describe = endless.describe
    dialog = page.output.export()
    dialog.choose("sam")
    dialog.save_to(tmp_path / "hits.sam")


def audit(window, endless, monkeypatch, tmp_path):
    def read(_path, tell):
        for done in itertools.count():
            tell(done, 0)
            endless.begun.set()

    monkeypatch.setattr("swgui.gui.results.compare.audit.read_hit_table", read)
    window.tools.audit()
    dialog = window.findChild(AuditDialog)
    dialog.open_file(tmp_path / "table.tsv")
    assert dialog.progress.isVisible()
    assert dialog.findChild(QPushButton, "auditStop").isVisible()


@pytest.mark.parametrize("begin", [next_best, large_query, sort_by_identity, pair, export, audit])
@pytest.mark.sampled(3)
def test_closing_ends_the_work_at_once(window, endless, qtbot, monkeypatch, tmp_path, begin):
    begin(window, endless, monkeypatch, tmp_path)
    qtbot.waitUntil(endless.begun.is_set)
    assert window.close()
    assert not window.isVisible()
    assert task.join(60_000), "work in the background did not stop"


@pytest.mark.nightly
def test_the_program_ends_beside_work_that_does_not_stop(tmp_path):
    code = (
        "import threading\n"
        "from swgui import app\n"
        "from swgui.gui.window.main_window import MainWindow\n"
        "usual = MainWindow.begin\n"
        "def begin(window, query=None):\n"
        "    usual(window, query)\n"
        "    window.tasks.submit('deaf', threading.Event().wait, print)\n"
        "MainWindow.begin = begin\n"
        "app.run([])\n"
        "print('never reached')\n"
    )
    folders = {f"SWGUI_{name}_DIR": str(tmp_path / name.lower()) for name in ("CONFIG", "CACHE", "DATA")}
    environment = os.environ | folders | {"QT_QPA_PLATFORM": "offscreen", "SWGUI_QUIT_AFTER": "1"}
    ended = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, timeout=110, check=False
    )
    assert ended.returncode == 0, ended.stderr
    assert "never reached" not in ended.stdout
    assert (tmp_path / "config" / "settings.json").exists()  # no input of the user is lost
