"""Recent use: recent queries and results, the last result after a restart, and a result's search again."""

from pathlib import Path

import pytest
from PySide6.QtWidgets import QMenu

from swgui import settings as store
from swgui.core.plain import replace
from swgui.core.query_range import QueryRange
from swgui.gui.window.opening import run_labels
from swgui.io.saved.search import save_search
from swgui.runs import RunRecord
from tests.gui.inputs.test_drop import drop, mime

NETWORK = Path(__file__).parents[2] / "data" / "saved_by_0_2" / "many.swnet"
QUERY = ">q of the first\nMKVLWAALLVTFLAGCQAKVEQAVETEPEPELRQQTEW\n"


def entries(window):
    menu = next(m for m in window.actions_table["forget-recent"].associatedObjects() if isinstance(m, QMenu))
    menu.aboutToShow.emit()
    return {action.text(): action for action in menu.actions() if action.text()}


@pytest.fixture
def searched(make_window, database_file, tmp_path, qtbot):
    """A window that has searched a query file in a database file."""
    query = tmp_path / "my query & more.fasta"
    query.write_text(QUERY)
    window = make_window()
    window.opening.use_query_file(query)
    window.opening.use_database_file(database_file)
    qtbot.waitUntil(lambda: window.search_page.ready)
    with qtbot.waitSignal(window.controller.result_ready):
        window.run_search()
    qtbot.waitUntil(lambda: len(window.runs_page.records) == 1)
    return window


def test_queries_runs_and_files_are_offered_again(searched, tmp_path, qtbot):
    window = searched
    saved = tmp_path / "saved.swgui"
    save_search(window.results_page.result, saved)
    with qtbot.waitSignal(window.runs_page.file_opened):
        drop(window, mime([saved]), "Open the result")
    qtbot.waitUntil(lambda: window.results_page.result.run_id == "")
    name = window.runs_page.records[0].name
    assert name == "q of the first"
    assert window.windowTitle().startswith("q of the first (38 aa) in ")
    assert window.windowTitle().endswith(", BLOSUM62 11/1 – swgui")
    offered = entries(window)
    assert [text for text, action in offered.items() if not action.isEnabled()] == ["Queries", "Results"]
    run = next(text for text in offered if text.startswith(name))
    assert list(offered)[1:] == ["my query && more.fasta", "Results", run, "saved.swgui", "&Clear this list"]
    offered[run].trigger()
    qtbot.waitUntil(lambda: window.results_page.result.run_id != "")
    window.opening.new_search()
    offered["my query && more.fasta"].trigger()
    qtbot.waitUntil(lambda: len(window.search_page.query.records) == 1)
    assert window.page == "search"
    assert window.windowTitle() == "swgui"
    entries(window)["&Clear this list"].trigger()
    assert "saved.swgui" not in entries(window)
    assert run in entries(window), "runs stay"


def test_a_saved_network_opens_on_its_page(make_window, qtbot):
    window = make_window()
    with qtbot.waitSignal(window.runs_page.file_opened):
        drop(window, mime([NETWORK]), "Open the result")
    qtbot.waitUntil(lambda: window.page == "network" and window.pages["network"].network.shown.whole is not None)
    assert len(window.pages["network"].network.shown.whole.network.ids) == 620


def test_the_last_result_and_query_are_back_after_a_restart(searched, make_window, qtbot):
    run_id, source = searched.results_page.result.run_id, searched.search_page.query.source
    searched.close()
    assert store.load().recent.run == run_id
    again = make_window(store.load())
    again.begin()
    qtbot.waitUntil(lambda: again.search_page.query.source == source)
    assert again.page == "search"
    again.show_page("results")
    qtbot.waitUntil(lambda: again.results_page.result is not None)
    assert again.results_page.result.run_id == run_id
    qtbot.waitUntil(lambda: again.tasks.idle)


@pytest.mark.parametrize(("text", "kept"), [(">pasted\nMKVLWAALLV\n", True), (">long\n" + "MKVLWAALLV" * 3000, False)])
def test_a_pasted_query_is_back_after_a_restart(make_window, qtbot, text, kept):
    window = make_window()
    window.search_page.query.set_text(text)
    qtbot.waitUntil(lambda: not window.search_page.query.busy)
    window.close()
    again = make_window(store.load())
    again.begin()
    qtbot.waitUntil(lambda: again.search_page.ready)
    assert (again.search_page.query.box.toPlainText() == text) == kept


def test_a_run_that_was_deleted_is_not_missed(searched, make_window, qtbot):
    searched.close()
    settings = store.load()
    searched.history.delete(settings.recent.run)
    again = make_window(settings)
    again.show_page("results")
    qtbot.waitUntil(lambda: again.tasks.idle)
    assert again.results_page.result is None
    assert not again.notifications.messages


def test_a_result_is_put_back_on_the_search_page(searched, qtbot):
    window, result = searched, searched.results_page.result
    page, values = window.search_page, window.search_page.scoring.values
    before = page.request()
    values.matrix, values.gap_open, values.search = "BLOSUM45", 14, {"limits": {"top": 3}}
    page.scoring.fill()
    page.query.set_text(">other\nPEPTIDEPEPTIDE\n")
    window.actions_table["edit-search"].trigger()
    assert window.page == "search"
    qtbot.waitUntil(lambda: page.ready)
    after = page.request()
    assert [record.residues for record in after.queries] == [record.residues for record in before.queries]
    assert after.scheme.describe() == before.scheme.describe()
    assert (after.search.limits, after.search.max_hsps) == (before.search.limits, before.search.max_hsps)
    assert page.scoring.values.preset == "protein"
    assert page.database.path is not None
    assert [message.level for message in window.notifications.messages] == []
    assert result.database.checksum == page.database.database.checksum


def test_part_of_the_query_and_limits_come_back_too(searched, qtbot):
    window, page = searched, searched.search_page
    page.scoring.values.search = {"limits": {"minimums": {"identity": 20.0}}, "composition": "none"}
    page.scoring.fill()
    page.query.part.choose(QueryRange(2, 20))
    qtbot.waitUntil(lambda: page.ready)
    with qtbot.waitSignal(window.controller.result_ready):
        window.run_search()
    page.query.part.choose(None)
    page.scoring.values.search = {}
    window.opening.edit_search()
    qtbot.waitUntil(lambda: page.ready)
    request = page.request()
    assert (request.search.query_range, request.search.limits.minimums.identity, request.search.composition) == (
        QueryRange(2, 20),
        20.0,
        "none",
    )


def test_several_query_files_are_read_as_one(make_window, tmp_path, qtbot):
    files = [tmp_path / name for name in ("a.fasta", "b.fasta", "c.gb")]
    files[0].write_text(">a\nMKVLWAALLVTFLAGCQAK\n")
    files[1].write_text(">b\nPEPTIDEPEPTIDEPEPTIDE\n>c\nMKVLWAALLVTFLAGCQAK\n")
    window = make_window()
    drop(window, mime(files[:2]), "Use as query")
    query = window.search_page.query
    qtbot.waitUntil(lambda: len(query.records) == 3)
    assert [record.id for record in query.records] == ["a", "b", "c"]
    assert ">a" in query.box.toPlainText()
    files[2].write_text(">dna\n" + "ACGTTGCATGCCATGACGATCAG" * 3)
    drop(window, mime([files[0], files[2]]), "Use as query")
    qtbot.waitUntil(lambda: not query.busy and query.problem.startswith("The file c.gb"))


def test_runs_of_one_name_are_told_apart():
    blosum = RunRecord(
        "1", "my DHFR", "done", database="Swiss-Prot", started="2026-01-02T03:04:05", about="BLOSUM62 11/1"
    )
    rounds = replace(blosum, id="2", about="up to 3 rounds, BLOSUM62 11/1")
    assert run_labels([blosum]) == ["my DHFR in Swiss-Prot"]
    labels = ["my DHFR in Swiss-Prot, BLOSUM62 11/1", "my DHFR in Swiss-Prot, up to 3 rounds, BLOSUM62 11/1"]
    assert run_labels([blosum, rounds]) == labels
    later = replace(blosum, id="3", started="2026-01-02T05:06:07")
    assert run_labels([later, blosum])[0] == "my DHFR in Swiss-Prot, BLOSUM62 11/1, 2026-01-02 05:06"
