"""The panel of all scores: histogram, any subject, limits that move."""

import numpy as np
import pytest

from swgui.core.alphabet import PROTEIN
from swgui.core.database import encode_database
from swgui.core.plain import replace
from swgui.core.records import SequenceRecord
from swgui.gui.results.scores import ScoresPanel
from tests.asking import BLOSUM62, answer, search_request


@pytest.fixture(scope="module")
def result():
    codes = np.random.default_rng(3).integers(0, 20, size=(620, 90)).astype(np.uint8)
    subjects = [
        SequenceRecord(f"sp|P{i:05d}|PROT{i}_TEST", f"Thing number {i}", PROTEIN.decode(row))
        for i, row in enumerate(codes)
    ]
    request = search_request(
        queries=(subjects[5], subjects[9]),
        database=encode_database(subjects, PROTEIN, "random"),
        scheme=BLOSUM62,
        top=20,
        engine="cpu",
    )
    return answer(request)


@pytest.fixture
def make_panel(qtbot, theme, tasks):
    """Return a function, not the panel: pytest would keep that alive beyond the check for leaks."""
    faults = []

    def make():
        panel = ScoresPanel(tasks)
        qtbot.addWidget(panel)
        panel.failed.connect(faults.append)
        return panel

    yield make
    assert not faults


def test_the_histogram_counts_every_sequence_and_marks_limit_and_hit(make_panel, qtbot, result):
    panel = make_panel()
    panel.show_query(result, 0)
    qtbot.waitUntil(lambda: "620 subjects" in panel.plot.legend.text())
    assert "Fitted to" in panel.fit.text()
    assert f"hits from score {result.queries[0].hits.scores[-1]}" in panel.plot.legend.text()
    panel.plot.mark(123)
    assert "current hit: score 123" in panel.plot.legend.text()
    assert "123" in panel.plot.accessibleDescription()


def test_any_subject_is_found_located_and_aligned(make_panel, qtbot, result):
    panel = make_panel()
    panel.show_query(result, 0)
    qtbot.keyClicks(panel.wanted, "prot600")
    qtbot.waitUntil(lambda: panel.matches.count() == 1)
    qtbot.waitUntil(lambda: "rank" in panel.answer.text())
    score = int(result.queries[0].scores[600])
    assert f"Score {score}, E = " in panel.answer.text()
    assert " by score, behind those listed." in panel.answer.text()
    assert "of 620" in panel.answer.text()
    assert "Not listed" in panel.answer.text()
    with qtbot.waitSignal(panel.subject_wanted) as wanted:
        panel.align.click()
    hit = wanted.args[0]
    assert hit.subject.id == "sp|P00600|PROT600_TEST"
    assert hit.alignment.score == hit.score == score


def test_a_listed_subject_is_called_listed(make_panel, qtbot, result):
    panel = make_panel()
    panel.show_query(result, 1)
    qtbot.keyClicks(panel.wanted, "P00009")
    qtbot.waitUntil(lambda: "It is in the list." in panel.answer.text())
    assert "rank 1 of" in panel.answer.text()


def test_a_text_that_nothing_has_is_answered(make_panel, qtbot, result):
    panel = make_panel()
    panel.show_query(result, 0)
    qtbot.keyClicks(panel.wanted, "nowhere")
    qtbot.waitUntil(lambda: panel.answer.text() != "")
    assert "No sequence" in panel.answer.text()
    assert panel.align.isHidden()


def test_limits_move_without_a_search(make_panel, qtbot, result):
    panel = make_panel()
    panel.show_query(result, 0)
    panel.evalue.setText("1e-5")
    panel.top.setText("3")
    panel.residues.setText("1000000000")
    with qtbot.waitSignal(panel.reranked) as moved:
        panel.apply_button.click()
    again = moved.args[0]
    assert (again.search.limits.max_evalue, again.search.limits.top, again.search.limits.effective_residues) == (
        1e-5,
        3,
        10**9,
    )
    assert len(again.queries[0].hits) == 1


def test_limits_that_make_no_sense_are_refused_in_words(qtbot, theme, result, tasks):
    panel = ScoresPanel(tasks)
    qtbot.addWidget(panel)
    panel.show_query(result, 0)
    panel.top.setText("")
    with qtbot.waitSignal(panel.failed) as failed:
        panel.apply()
    assert "list of 0 hits" in str(failed.args[0])


def test_without_scores_the_panel_says_so(make_panel, qtbot, result):
    panel = make_panel()
    bare = replace(result, queries=tuple(replace(query, scores=None) for query in result.queries))
    panel.show_query(bare, 0)
    assert "not kept" in panel.fit.text()
    assert not panel.wanted.isEnabled()
    panel.clear()
    assert "after a search" in panel.fit.text()
