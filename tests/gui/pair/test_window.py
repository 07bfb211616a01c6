import threading
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QUrl
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QDialog, QLabel

from swgui.cli import main
from swgui.core.alignment import rescore
from swgui.core.alphabet import NUCLEOTIDE, PROTEIN
from swgui.core.database import encode_database
from swgui.core.pair.problem import PairEnd, PairProgress
from swgui.core.plain import replace
from swgui.core.records import SequenceRecord
from swgui.core.scoring import ScoringScheme
from swgui.gui.inputs.drop import dropped
from swgui.gui.pair.entry import COMMANDS
from swgui.io.matrices import load_matrix
from swgui.jobs.events import Finished, run_to_end
from swgui.jobs.pair.events import PairProgressed, PairStarted
from swgui.jobs.pair.request import PairRequest
from swgui.jobs.pair.run import align_pair
from swgui.jobs.search.run import search_steps
from swgui.settings import Settings
from tests.asking import search_request
from tests.gui.named import named

PAIR = (
    SequenceRecord("left", "", b"ACGTTGCATGCCATGACGATCAGCATCAGACTACGACTACAGCATCA"),
    SequenceRecord("right", "", b"ACGTTGCATGCAATGACGATCAGCATAGACTACGACTACAGCATCA"),
)


@pytest.fixture(scope="module")
def found():
    scheme = ScoringScheme.from_blast(load_matrix("+2/-3", NUCLEOTIDE), 5, 2)
    events = align_pair(PairRequest(*PAIR, scheme, method="cpu"), threading.Event())
    return next(event for event in events if isinstance(event, Finished)).outcome


@pytest.fixture
def window(make_window, qtbot, found):
    """A window on the Pair page, ready to align, with a result."""
    window = make_window()
    window.show_page("pair")
    window.pages["pair"].setup.set_pair(*PAIR, "nucleotide")
    qtbot.waitUntil(lambda: window.pages["pair"].ready)
    window.pages["pair"].show_result(found)
    qtbot.waitUntil(lambda: window.pages["pair"].tasks.idle)
    return window


def test_every_command_of_the_page_does_something(window, qtbot, monkeypatch):
    monkeypatch.setattr("PySide6.QtWidgets.QFileDialog.getOpenFileName", lambda *args: ("", ""))
    monkeypatch.setattr("PySide6.QtWidgets.QFileDialog.getSaveFileName", lambda *args: ("", ""))
    page = window.pages["pair"]
    window.update_states()
    for command in COMMANDS:
        action = window.findChild(QAction, command.id)
        assert action.isEnabled() == (command.id != "pair-stop"), command.id
        action.trigger()
        for dialog in window.findChildren(QDialog):
            dialog.close()
        qtbot.waitUntil(lambda: page.control.phase == "idle" and page.tasks.idle and page.ready)
    assert [message for message in window.notifications.messages if message.level == "danger"] == []


def test_the_run_command_means_the_page_that_is_shown(window, qtbot):
    run = window.actions_table["run"]
    assert run.text() == "&Align"
    assert "Ctrl+Return" in run.toolTip()
    assert {"pair-ready", "pair-alignment"} <= window.states
    assert run.isEnabled()
    with qtbot.waitSignal(window.pages["pair"].finished):
        run.trigger()
    window.show_page("search")
    assert run.text() == "&Search"
    assert "pair-ready" not in window.states
    assert not run.isEnabled()  # there is no database


def test_a_hit_is_taken_as_a_pair(make_window, qtbot):
    window = make_window()
    records = [
        SequenceRecord("one", "", b"MKVLWAALLVTFLAGCQAKVEQAVETEPEPELRQQTEW"),
        SequenceRecord("two", "", b"G" * 20),
    ]
    scheme = ScoringScheme.from_blast(load_matrix("BLOSUM62", PROTEIN), 11, 1)
    request = search_request(
        queries=(records[0],), database=encode_database(records, PROTEIN, "small"), scheme=scheme, engine="reference"
    )
    window.show_result(run_to_end(search_steps(request, threading.Event())))
    hits = window.results_page.hits
    menu = window.results_page.menus.hit_menu(hits.data, 0, hits.table.hits.columns[2])
    action = next(each for each in menu.actions() if each.objectName() == "menu-align-pair")
    action.trigger()
    menu.deleteLater()
    assert window.page == "pair"
    page = window.pages["pair"]
    assert (page.setup.query.record, page.setup.subject.record) == (records[0], records[0])
    qtbot.waitUntil(lambda: page.ready)
    assert page.setup.scoring.scheme.alphabet is PROTEIN


def test_hits_become_a_network_and_two_of_them_an_alignment(make_window, qtbot):
    window = make_window()
    text = b"MKVLWAALLVTFLAGCQAKVEQAVETEPEPELRQQTEWQSGQRWELALGRFWDYLRWVQTLSEQ"
    records = [
        SequenceRecord("one", "", text),
        SequenceRecord("two", "", text[4:]),
        SequenceRecord("far", "", b"G" * 20),
    ]
    scheme = ScoringScheme.from_blast(load_matrix("BLOSUM62", PROTEIN), 11, 1)
    database = encode_database(records, PROTEIN, "small")
    query = SequenceRecord("asked", "", text[:50])
    request = search_request(queries=(query,), database=database, scheme=scheme, engine="reference")
    window.show_result(run_to_end(search_steps(request, threading.Event())))
    window.actions_table["hits-network"].trigger()
    assert window.page == "network"
    network = window.pages["network"].network
    qtbot.waitUntil(lambda: network.shown.cut is not None and not network.shown.cutting.busy)
    assert {"asked", "one", "two"} <= set(network.shown.loaded.network.ids)
    assert not window.notifications.messages
    window.show_page("results")
    network.use_sequences(lambda: database, "small")
    qtbot.waitUntil(lambda: bool(window.notifications.messages))
    assert window.notifications.messages[0].title == "The network is done: small."
    assert {"one", "two"} <= set(network.shown.loaded.network.ids)
    network.view.pair_opened.emit(0, 1)
    qtbot.waitUntil(lambda: window.page == "pair" and window.pages["pair"].result is not None)
    shown = window.pages["pair"].result
    assert [shown.query.id, shown.subject.id] == list(network.shown.loaded.network.ids[:2])
    assert shown.score > 100


@pytest.mark.parametrize(("compared", "strand"), [("both", "minus"), ("plus", "plus")])
def test_an_edge_of_a_saved_network_is_aligned_as_it_was_scored(compared, strand, make_window, qtbot, tmp_path):
    sequences, saved = tmp_path / "two.fa", tmp_path / "two.swnet"
    text = PAIR[0].residues
    minus = NUCLEOTIDE.decode(NUCLEOTIDE.reverse_complement(NUCLEOTIDE.encode(text)))  # would score more
    sequences.write_text(f">one\n{(text[:30] + minus).decode()}\n>two\n{text.decode()}\n")
    scoring = ["--match", "1", "--gap-open", "2", "--strand", compared]
    assert main(["network", str(sequences), "-o", str(saved), *scoring, "--engine", "cpu"]) == 0
    settings = Settings()
    settings.pair.mode = "global"
    settings.pair.nucleotide.search = {"strand": "both"}
    window = make_window(settings)
    window.show_page("network")
    network = window.pages["network"].network
    network.use_file(saved)
    qtbot.waitUntil(lambda: network.shown.cut is not None and not network.shown.cutting.busy)
    network.view.pair_opened.emit(0, 1)
    qtbot.waitUntil(lambda: window.page == "pair" and window.pages["pair"].result is not None)
    shown, made = window.pages["pair"].result, network.shown.loaded.network
    assert (shown.scheme, shown.score, shown.mode) == (made.scheme, int(made.edges.scores[0]), "local")
    assert shown.scheme.describe() == "+1/-3, gap 2/2 (BLAST rule)"
    alignment = shown.alignments[0].alignment
    assert shown.alignments[0].strand == strand
    assert rescore(alignment, shown.encoded_query(strand), shown.subject_codes, shown.scheme) == shown.score


def test_stop_ends_a_comparison_of_sequences(make_window, qtbot):
    window, begun = make_window(), threading.Event()
    stop, network = window.actions_table["stop"], window.pages["network"].network

    def give():
        begun.wait()
        return encode_database(PAIR, PROTEIN, "two")

    assert not stop.isEnabled()
    network.use_sequences(give, "two")
    assert not stop.isEnabled()  # the Search page is shown
    window.show_page("network")
    assert stop.isEnabled()
    window.status.stop.click()  # of the search that it is compared with
    assert not network.comparison.preparing.stopping
    stop.trigger()
    assert network.comparison.preparing.stopping
    begun.set()
    qtbot.waitUntil(lambda: not network.running)
    assert named(network, "networkNote").text().startswith("Stopped before")
    assert not stop.isEnabled()


def test_what_is_dropped_on_the_page_belongs_to_it(window, qtbot, tmp_path):
    files = []
    for record in PAIR:
        files.append(tmp_path / f"{record.id}.fa")
        files[-1].write_text(f">{record.id}_file\n{record.residues.decode()}\n")
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(file)) for file in files])

    def offered(what):
        return {target.title: target for target in named(window, "dropLayer").targets if target.accepts(what)}

    both = offered(dropped(data))
    assert list(both) == ["Query and subject"]
    both["Query and subject"].use(dropped(data))
    page = window.pages["pair"]
    qtbot.waitUntil(lambda: page.ready and page.setup.query.record.id == "left_file")
    assert page.setup.subject.record.id == "right_file"
    data.setUrls([QUrl.fromLocalFile(str(files[0]))])
    one = offered(dropped(data))
    assert list(one) == ["Query of the pair", "Subject of the pair"]
    one["Subject of the pair"].use(dropped(data))
    qtbot.waitUntil(
        lambda: page.setup.subject.record is not None and page.setup.subject.record.id == "left_file", timeout=30_000
    )
    text = QMimeData()
    text.setText("ACGTACGTACGATCAGCATCAGCAC")
    offered(dropped(text))["Query of the pair"].use(dropped(text))
    qtbot.waitUntil(lambda: page.ready and len(page.setup.query.record.residues) == 25)
    result = tmp_path / "pair.json"
    result.write_text("{}")
    data.setUrls([QUrl.fromLocalFile(str(result))])
    assert list(offered(dropped(data))) == ["Open the result"]
    window.show_page("search")
    assert "Use as query" in offered(dropped(text))
    assert "Query of the pair" not in offered(dropped(text))


def test_the_window_says_what_the_page_does_meanwhile(window, qtbot):
    window.show_page("search")
    said = window.findChild(QLabel, "statusPair")
    seen = []
    window.pages["pair"].control.phase_changed.connect(lambda _phase: seen.append((said.isHidden(), said.text())))
    with qtbot.waitSignal(window.pages["pair"].finished):
        window.pages["pair"].align()
    assert seen[0] == (False, "Pair")
    assert said.isHidden()
    assert window.notifications.messages[-1].title.startswith("The pair left and right is done: score ")
    assert window.page == "search"  # the user is not interrupted


def test_file_names_are_remembered(window, tmp_path, monkeypatch, qtbot):
    file = tmp_path / "Größe 1.fa"
    file.write_text(">x\nACGTACGATCAGCATCAGCATCAGCAC\n")
    monkeypatch.setattr("swgui.gui.pair.setup.QFileDialog.getOpenFileName", lambda *args: (str(file), ""))
    window.actions_table["pair-subject"].trigger()
    qtbot.waitUntil(lambda: window.pages["pair"].setup.subject.record is not None)
    assert Path(window.settings.recent.folder) == tmp_path
    assert window.pages["pair"].setup.subject.source == file


@pytest.fixture
def whole(make_window, qtbot):
    """A window with Pair and Runs page, a pair ready to be aligned."""
    window = make_window()
    window.show_page("pair")
    window.pages["pair"].setup.set_pair(*PAIR, "nucleotide")
    qtbot.waitUntil(lambda: window.pages["pair"].ready)
    return window


def rows(window):
    return [(row.kind, row.state, row.name) for row in window.runs_page.model.rows]


def choose_row(window, number=0):
    window.runs_page.table.clearSelection()
    window.runs_page.table.selectRow(number)
    return window.runs_page


def test_a_pair_is_a_run_like_any_other(whole, qtbot, tmp_path, monkeypatch):
    window = whole
    with qtbot.waitSignal(window.pages["pair"].finished):
        window.actions_table["run"].trigger()
    result = window.pages["pair"].result
    qtbot.waitUntil(lambda: rows(window) == [("pair", "done", "left × right")])
    page = choose_row(window)
    assert {name for name, button in page.buttons.items() if button.isEnabled()} == {
        "open", "again", "rename", "save", "delete",
    }  # fmt: skip
    page.rename_run(result.run_id, "Mine")
    qtbot.waitUntil(lambda: rows(window) == [("pair", "done", "Mine")])
    out = tmp_path / "mine.json"
    monkeypatch.setattr("PySide6.QtWidgets.QFileDialog.getSaveFileName", lambda *args: (str(out), ""))
    page.buttons["save"].click()
    qtbot.waitUntil(lambda: window.tasks.idle)
    window.pages["pair"].show_part("setup")
    window.show_page("runs")
    page.buttons["open"].click()
    qtbot.waitUntil(lambda: window.page == "pair" and window.pages["pair"].result is not result)
    assert window.pages["pair"].result.score == result.score
    assert window.pages["pair"].result.run_id == result.run_id
    page.open_file(out)
    qtbot.waitUntil(lambda: window.pages["pair"].result.run_id == "")
    assert window.pages["pair"].result.alignments[0].alignment == result.alignments[0].alignment
    choose_row(window).buttons["again"].click()
    qtbot.waitUntil(lambda: [row[1] for row in rows(window)] == ["done", "done"])
    assert window.pages["pair"].result.run_id not in ("", result.run_id)
    page.delete_runs([row.key[1] for row in page.model.rows])
    qtbot.waitUntil(lambda: rows(window) == [])


def test_pairs_are_there_after_a_restart(whole, make_window, qtbot):
    window = whole
    with qtbot.waitSignal(window.pages["pair"].finished):
        window.actions_table["run"].trigger()
    score = window.pages["pair"].result.score
    window.close()
    again = make_window()
    qtbot.waitUntil(lambda: rows(again) == [("pair", "done", "left × right")])
    choose_row(again).open_selected()
    qtbot.waitUntil(lambda: again.page == "pair" and again.pages["pair"].result is not None)
    assert again.pages["pair"].result.score == score
    assert again.pages["pair"].result.has_residues


def test_a_pair_that_is_aligned_is_listed_stopped_and_resumed(whole, qtbot):
    window = whole
    going, history = threading.Event(), window.history

    def slow(request, cancel, plan):
        """Continue until it is stopped, with a state kept; the second time to the end."""
        if request.checkpoint.exists():
            request.checkpoint.unlink()
            yield from align_pair(replace(request, checkpoint=None), cancel, plan)
            return
        yield PairStarted(plan, request.strands)
        request.checkpoint.write_bytes(b"state")
        for step in range(10**6):
            if cancel.paused:
                cancel.wait_while_paused()
            if cancel.wait(0.01):
                break
            now = PairProgress("Scoring", min(step, 900), 1000, 0, PairEnd(7, 3, 3))
            yield PairProgressed(
                done=now.cells_passed,
                total=now.cells_total,
                seconds=step * 0.01,
                strand="plus",
                index=1,
                step=now,
                left=9.0,
            )
            going.set()
        whole = next(event for event in align_pair(replace(request, checkpoint=None), threading.Event(), plan)
                     if isinstance(event, Finished)).outcome  # fmt: skip
        partial = replace(whole, state="stopped", reason="Stopped by you.", alignments=())
        yield Finished(partial)

    history.of("pair").work = slow
    window.pages["pair"].align()
    qtbot.waitUntil(going.is_set)
    page = window.runs_page
    qtbot.waitUntil(lambda: [row[:2] for row in rows(window)] == [("pair", "running")])
    page = choose_row(window)
    assert {name for name, button in page.buttons.items() if button.isEnabled()} == {"stop", "pause"}
    page.buttons["pause"].click()
    qtbot.waitUntil(lambda: [row[1] for row in rows(window)] == ["paused"])
    assert page.buttons["pause"].text() == "Resume run"
    page.buttons["pause"].click()
    qtbot.waitUntil(lambda: [row[1] for row in rows(window)] == ["running"])
    page.buttons["stop"].click()
    qtbot.waitUntil(lambda: rows(window) == [("pair", "partial", "left × right")])
    page = choose_row(window)
    assert page.buttons["resume"].isEnabled()
    page.buttons["resume"].click()
    qtbot.waitUntil(lambda: [row[:2] for row in rows(window)] == [("pair", "done")])
    assert window.pages["pair"].result.state == "finished"
