"""The Scores dock in the window: it follows query and hit, finds subjects, moves limits."""

import pytest
from PySide6.QtWidgets import QTextBrowser

from swgui.core.devices import DeviceChoice
from swgui.engines import registry
from swgui.gui.results.compare.audit import AuditDialog
from swgui.gui.results.compare.runs import CompareDialog
from swgui.gui.results.shuffles import ShuffleDialog
from swgui.gui.window.help import TextDialog


@pytest.fixture
def searched(make_window, qtbot):
    """Return a function that makes a window in which the sample has been searched."""

    def make():
        window = make_window()
        window.search_page.engine.choose(DeviceChoice("cpu"))
        window.begin()
        qtbot.waitUntil(lambda: window.search_page.ready)
        window.run_search()
        qtbot.waitUntil(lambda: window.results_page.alignment.hit is not None)
        return window

    return make


@pytest.mark.slow
def test_the_dock_follows_query_and_hit_and_finds_any_subject(searched, theme, qtbot):
    window = searched()
    theme.use("light", 200)
    window.resize(1440, 900)
    window.actions_table["find-target"].trigger()
    assert not window.scores_dock.isHidden()
    plot = window.scores_panel.plot
    qtbot.waitUntil(lambda: "5,000 subjects" in plot.legend.text())
    assert "current hit" in plot.legend.text()
    qtbot.waitUntil(lambda: plot.legend.geometry().top() > plot.plot.geometry().bottom())
    window.scores_panel.wanted.setText("SIMULATED_04900")
    qtbot.waitUntil(lambda: "rank" in window.scores_panel.answer.text())
    window.scores_panel.align.click()
    qtbot.waitUntil(lambda: "04900" in window.results_page.alignment.hit.subject.id)

    before = len(window.results_page.result.queries[0].hits)
    window.scores_panel.evalue.setText("1e-20")
    window.scores_panel.apply_button.click()
    qtbot.waitUntil(lambda: len(window.results_page.result.queries[0].hits) < before)
    assert (window.results_page.result.queries[0].hits.log10_evalues <= -20).all()


@pytest.mark.slow
def test_a_hit_explains_its_numbers(searched, qtbot):
    window = searched()
    hit = window.results_page.alignment.hit
    window.actions_table["explain-hit"].trigger()
    qtbot.waitUntil(lambda: window.findChild(TextDialog) is not None)
    dialog = window.findChild(TextDialog)
    text = dialog.findChild(QTextBrowser).toPlainText()
    assert f"= {hit.score}." in text
    assert f"= {hit.bit_score:.2f}" in text
    assert "Fit to the scores of this search" in text
    dialog.close()


@pytest.mark.slow
def test_selected_hits_can_be_shuffled_and_the_device_is_verified(searched, qtbot):
    window = searched()
    window.devices.show_engines(registry.probe_engines())  # the real ones: the search has checked one of them
    window.results_page.hits.table.selectAll()
    window.actions_table["shuffle-hits"].trigger()
    dialog = window.findChild(ShuffleDialog)
    assert dialog.status.text() == f"{len(window.results_page.hits.data)} hits are chosen."
    dialog.close()
    qtbot.waitUntil(lambda: "equalled the stored exact ones" in window.device_page.verified.text())


@pytest.mark.slow
def test_a_table_of_another_program_is_audited_against_the_run(searched, qtbot, tmp_path):
    window = searched()
    result = window.results_page.result
    query, hits = result.queries[0].query, result.queries[0].hits
    best, worst = result.database.ids[int(hits.db_index[0])], "sim|S00009|SIMULATED_00009"
    table = tmp_path / "blast.tsv"
    row = "{}\t{}\t90.0\t100\t10\t0\t1\t100\t1\t100\t1e-20\t200\n"
    table.write_text(row.format(query.id, best) + row.format(query.id, worst))
    window.tools.audit(table)
    dialog = window.findChild(AuditDialog)
    qtbot.waitUntil(lambda: "1 only in the table" in dialog.headline.text())
    dialog.close()


@pytest.mark.slow
def test_two_runs_can_be_compared(searched, qtbot):
    window = searched()
    window.actions_table["compare-runs"].trigger()
    assert "one run so far" in window.statusBar().currentMessage()
    first = window.results_page.result
    window.run_search()
    qtbot.waitUntil(lambda: window.results_page.result not in (None, first))
    window.actions_table["compare-runs"].trigger()
    dialog = window.findChild(CompareDialog)
    assert dialog.isVisible()
    dialog.close()
