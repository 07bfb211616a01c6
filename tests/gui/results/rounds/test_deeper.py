"""Looking deeper from the Results page: asked with its cost, run like any search, kept with its columns."""

import pytest

from swgui.core.engines import EngineOptions
from swgui.core.profiles.iteration import EvidenceOptions, IterationSettings
from swgui.gui.results.rounds.again import NO_PYHMMER
from swgui.jobs.iterate.again import search_again
from tests.asking import answer
from tests.jobs.iterate.family import family_request
from tests.jobs.iterate.two_domains import with_two_domains


@pytest.fixture(scope="module")
def first():
    return answer(family_request(with_two_domains()))


@pytest.fixture(scope="module")
def second(first):
    return answer(search_again(first, 0, frozenset(), IterationSettings(2), "cpu", EngineOptions()))


def dialog_of(page):
    return page.again.look_deeper()


def test_what_it_costs_is_said_first(page, second, qtbot):
    page.show_result(second)
    dialog = dialog_of(page)
    assert dialog.best.value() == 100
    dialog.best.setValue(7)
    assert "two searches of the database for each of 7 hits" in dialog.cost.text()
    dialog.profiles.setChecked(False)
    dialog.neighbours.setChecked(False)
    assert not dialog.start.isEnabled()
    dialog.forward.setEnabled(True)
    dialog.forward.setChecked(True)
    assert dialog.cost.text() == "Needs no further search."
    assert not dialog.best.isEnabled()
    with qtbot.waitSignal(page.again.wanted) as wanted:
        dialog.start.click()
    assert wanted.args[2].evidence == EvidenceOptions(forward=True, best=7)


def test_without_pyhmmer_it_is_said_how_to_get_it(page, first, qtbot, monkeypatch):
    monkeypatch.setattr("swgui.jobs.iterate.forward.is_installed", lambda: False)
    page.show_result(first)
    dialog = dialog_of(page)
    assert not dialog.forward.isEnabled()
    said = [label.text() for label in dialog.findChildren(type(dialog.cost))]
    assert NO_PYHMMER in said
    assert any("up to 6 rounds are done first" in text for text in said)
    dialog.reject()


def test_the_window_looks_deeper_and_keeps_what_it_found(make_window, second, qtbot):
    window = make_window()
    window.show_result(second)
    page = window.results_page
    assert "path" not in page.hits.table.shown_keys()
    dialog = dialog_of(page)
    dialog.best.setValue(20)
    with qtbot.waitSignal(window.controller.result_ready):
        dialog.start.click()
    result = page.result
    assert len(result.queries[0].rounds) == len(second.queries[0].rounds)  # not done again
    assert {"profile_evalue", "path"} <= set(page.hits.table.shown_keys())
    kept = window.history.open(result.run_id).result.queries[0].rounds
    assert str(kept.evidence) == str(dict(sorted(result.queries[0].rounds.evidence.items())))
    asked = window.history.open(result.run_id).result.asked.iteration
    assert asked.evidence == EvidenceOptions(profiles=True, neighbours=True, best=20)
    beyond = [result.database.ids[at] for at in result.queries[0].hits.db_index.tolist()].index("beyond")
    assert page.hits.data.text(beyond, page.hits.table.hits.columns[page.hits.table.hits.column_index("path")]) == (
        "both > beyond (another domain)"
    )
