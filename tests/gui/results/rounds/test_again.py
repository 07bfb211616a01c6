"""Searching again with the hits of a result: from the button to the result of the rounds."""

import threading
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QMenu, QPushButton, QWidget

from swgui.core.engines import EngineOptions
from swgui.core.errors import InvalidParameter
from swgui.core.plain import replace
from swgui.core.profiles.iteration import IterationSettings
from swgui.gui.hits.columns import BY_KEY
from swgui.gui.kit.tables.row_table import Role
from swgui.gui.kit.theme import colours
from swgui.gui.live.run_state import RunState
from swgui.gui.results.output import most_likely
from swgui.gui.results.rounds.again import NO_MEMBERS, AgainDialog
from swgui.io.database.build import save_database
from swgui.io.saved.search import load_search, save_search
from swgui.jobs.events import Finished
from swgui.jobs.iterate.again import search_again, suggested, why_not
from swgui.jobs.iterate.run import iteration_steps
from swgui.jobs.search.events import RoundStarted
from tests.asking import answer, search_request
from tests.jobs.iterate.family import family_records, family_request


@pytest.fixture(scope="module")
def first():
    """Return the plain search of one of a family."""
    return answer(family_request(family_records()))


def start(page, rounds=2, subjects=None):
    """Search again from the dialog; with these subjects ticked, or those that are proposed."""
    dialog = page.again.ask()
    if subjects is not None:
        dialog.table.choose(frozenset(subjects))
    (dialog.start if rounds == dialog.number else dialog.until).click()


def test_whom_the_profile_is_made_of_is_ticked_before_it_runs(page, first, qtbot):
    page.show_result(first)
    offered = suggested(first, 0)
    assert offered
    page.header.again_button.click()
    dialog = page.window().findChild(AgainDialog)
    assert dialog.table.chosen == offered
    assert dialog.start.text() == f"Search again with {len(offered)} hits"
    assert (dialog.evalue.text(), dialog.start.toolTip()) == ("0.03", "Search once more (round 2)")
    with qtbot.waitSignal(page.again.wanted) as wanted:
        dialog.start.click()
    assert wanted.args == [0, frozenset(), IterationSettings(2)]


def test_one_inclusion_e_decides_and_doubts_are_said_in_a_sentence(page, first, qtbot):
    page.show_result(first)
    dialog = page.again.ask()
    dialog.evalue.setText("5")
    dialog.evalue.textEdited.emit("5")
    settings = IterationSettings(2, inclusion_evalue=5.0)
    assert dialog.table.chosen == suggested(first, 0, settings) > suggested(first, 0)
    assert "not significant alone" in dialog.doubt.text()
    with qtbot.waitSignal(page.again.wanted) as wanted:
        dialog.until.click()
    assert wanted.args == [0, frozenset(), replace(settings, rounds=6)]
    request = search_again(first, *wanted.args, "cpu", EngineOptions())
    assert (request.search.iteration.inclusion_evalue, request.search.iteration.include_ids) == (5.0, ())


def test_ticks_are_the_included_set(page, first, qtbot):
    page.show_result(first)
    offered = suggested(first, 0)
    left_out = min(offered)
    added = next(at for at in first.queries[0].hits.db_index.tolist()[::-1] if at not in offered)
    dialog = page.again.ask()
    for row in range(dialog.table.row_count()):
        if page.hits.data.subject(row) in (left_out, added):
            index = dialog.table.index(row, 0)
            ticked = dialog.table.data(index, Role.CheckStateRole) == Qt.CheckState.Checked
            dialog.table.setData(
                index, Qt.CheckState.Unchecked if ticked else Qt.CheckState.Checked, Role.CheckStateRole
            )
    with qtbot.waitSignal(page.again.wanted) as wanted:
        dialog.start.click()
    request = search_again(first, *wanted.args, "cpu", EngineOptions())
    ids = first.database.ids
    assert request.search.iteration.include_ids == (ids[added],)
    assert request.search.iteration.exclude_ids == (ids[left_out],)
    result = answer(request)
    included = result.queries[0].rounds.rounds[0].included
    assert added in included
    assert left_out not in included


def test_what_is_new_has_a_colour_and_a_word(page, first):
    second = answer(again(first, 2))
    page.show_result(second)
    dialog = page.again.ask()
    before = set(second.queries[0].rounds.last.included.tolist())
    rows = {page.hits.data.subject(row): row for row in range(dialog.table.row_count())}
    new = min(set(rows) - before)
    dialog.table.choose(frozenset(before | {new}))
    told = {at: dialog.table.data(dialog.table.index(row, 4)) for at, row in rows.items()}
    assert {at for at, word in told.items() if word == "new"} == {new}
    colour = dialog.table.data(dialog.table.index(rows[new], 0), Role.ForegroundRole)
    assert colour == QColor(colours(dialog).success)


def test_the_next_round_goes_on_from_the_last(first):
    second = answer(again(first, 2))
    third = again(second, 3)
    assert third.scheme.matrix.name == "BLOSUM62"
    assert third.queries[0].profile is None
    rounds = answer(third).queries[0].rounds
    assert len(rounds) == 3
    assert np.array_equal(rounds.rounds[1].included, second.queries[0].rounds.last.included)


def test_the_profile_of_a_round_is_compared_with_a_known_database_of_profiles(page, first, qtbot, monkeypatch):
    page.show_result(first)
    assert not page.again.ask().profiles.isEnabled()  # it has no profile yet
    page.show_result(answer(again(first, 2)))
    dialog = page.again.ask()
    known = [SimpleNamespace(name=name, path=Path(f"/{name}.swdb"), sequences=3, profiles=name == "two") for name in
             ("one", "two")]  # fmt: skip
    monkeypatch.setattr("swgui.gui.results.rounds.again.user_databases", lambda: known)
    dialog.profiles.click()
    menu = dialog.findChild(QMenu, "againProfilesMenu")
    assert [action.text() for action in menu.actions()] == ["two, 3 profiles", "Other file…"]
    with qtbot.waitSignal(page.again.profiles_wanted) as wanted:
        menu.actions()[0].trigger()
    assert wanted.args == [0, Path("/two.swdb")]


def test_the_strip_offers_one_more_round_as_long_as_there_may_be_one(page, first, qtbot):
    second = answer(again(first, 2))
    page.show_result(second)
    assert page.rounds.next_button.isVisible()
    page.rounds.next_button.click()
    dialog = page.window().findChild(AgainDialog)
    with qtbot.waitSignal(page.again.wanted) as wanted:
        dialog.start.click()
    assert wanted.args == [0, frozenset(), IterationSettings(3)]
    of_query = second.queries[0]
    ended = replace(of_query, rounds=replace(of_query.rounds, ended="same"))
    page.show_result(replace(second, queries=(ended,)))
    assert page.rounds.next_button.isHidden()


def test_nucleotides_can_be_searched_again_and_other_letters_are_refused_in_a_sentence(page, minus_hit):
    result = replace(minus_hit[0], statistics="published")
    assert not why_not(result)
    page.show_result(result)
    assert page.header.again_button.isEnabled()
    dialog = page.again.ask()
    assert not dialog.profiles.isEnabled()  # of proteins only, as Look deeper
    assert not dialog.findChild(QPushButton, "againDeeper").isEnabled()
    dialog.reject()
    assert page.again.look_deeper() is None
    letters = replace(result.database, alphabet=replace(result.database.alphabet, name="3di"))
    assert "Only proteins and nucleotides" in why_not(replace(result, database=letters))


def test_a_run_says_which_round_it_is_in(first):
    state, names = RunState(), []
    for event in iteration_steps(again(first, 2), threading.Event()):
        state.feed(event)
        names.append(state.stage_name)
    assert "Round 1 of 2: Scoring" in names
    assert "Round 2 of 2: Scoring" in names


def test_the_window_searches_again_and_keeps_the_run(make_window, first, qtbot):
    window = make_window()
    window.show_result(first)
    page = window.results_page
    ticked = set(suggested(first, 0))
    with qtbot.waitSignal(window.controller.result_ready):
        start(page, subjects=ticked - {min(ticked)})
    rounds = page.result.queries[0].rounds
    assert len(rounds) == 2
    assert not page.marks.marks  # who is in the profile is no tick of the user's
    assert rounds.exclude_ids == (first.database.ids[min(ticked)],)
    assert window.history.record(page.result.run_id).state == "done"
    assert len(window.history.open(page.result.run_id).result.queries[0].rounds) == 2


def test_members_by_hand_are_proposed_again_and_are_no_ticked_hits(page, first, qtbot):
    offered = suggested(first, 0)
    added = next(at for at in first.queries[0].hits.db_index.tolist()[::-1] if at not in offered)
    members = (offered - {min(offered)}) | {added}
    second = answer(search_again(first, 0, members, IterationSettings(2), "cpu", EngineOptions()))
    page.show_result(second)
    rounds, data = second.queries[0].rounds, page.hits.data
    assert {added} <= set(rounds.last.included.tolist())
    assert page.again.ask().table.chosen == set(rounds.last.included.tolist())
    in_profile = [data.text(row, BY_KEY["round_status"]) for row in range(len(data))]
    assert {data.subject(row) for row, word in enumerate(in_profile) if word in ("new", "kept")} == set(
        rounds.last.included.tolist()
    ) & {data.subject(row) for row in range(len(data))}
    assert {choice.key: len(choice) for choice in page.output.choices(second)}["ticked"] == 0
    assert most_likely(page.output.choices(second)) == "significant"
    page.hits.table.select_row(1)
    page.hits.table.toggle("ticked")
    mine = {data.subject(1)}
    (of_ticked,) = [choice.parts for choice in page.output.choices(second) if choice.key == "ticked"]
    assert [row for _, rows in of_ticked for row in rows] == [1]
    dialog = page.again.ask()
    assert dialog.table.chosen == set(rounds.last.included.tolist())  # the tick changes nothing
    dialog.findChild(QPushButton, "againTicked").click()
    assert dialog.table.chosen == mine
    assert page.marks.marks.subjects("ticked", 0) == mine
    for left in page.window().findChildren(AgainDialog):
        left.close()


@pytest.mark.parametrize("rounds", [1, 2])
def test_return_searches_wherever_the_cursor_is(page, first, qtbot, rounds):
    page.show_result(first if rounds == 1 else answer(again(first, 2)))
    for name in ("againEvalue", "againTable"):
        dialog = page.again.ask()
        qtbot.waitExposed(dialog)
        part = dialog.findChild(QWidget, name)
        part.setFocus()
        with qtbot.waitSignal(page.again.wanted) as wanted:
            qtbot.keyClick(part, Qt.Key.Key_Return)
        assert wanted.args[2] == IterationSettings(rounds + 1)


def again(result, rounds):
    return search_again(result, 0, frozenset(), IterationSettings(rounds), "cpu", EngineOptions())


def test_the_strip_and_the_columns_tell_what_the_rounds_did(page, first):
    page.show_result(first)
    assert page.rounds.isHidden()
    assert "first_round" not in page.hits.table.shown_keys()
    result = answer(again(first, 6))
    page.show_result(result)
    rounds = result.queries[0].rounds
    assert page.rounds.isVisible()
    told = [chip.toolTip() for chip in page.rounds.chips]
    first_of_all = rounds.rounds[0]
    assert len(told) == len(rounds)
    assert told[0].startswith(f"Round 1: {len(first_of_all.included)} included")
    assert f"effective number {first_of_all.effective_sequences:.1f}" in told[0]
    assert f"{len(rounds.new(2))} new" in told[1]
    assert f"{len(rounds.new(2))} new" in page.rounds.chips[1].text()
    assert page.rounds.ending.whole_text() == "Converged, no new sequences."
    late = int(rounds.new(2)[0])
    row = result.queries[0].hits.db_index.tolist().index(late)
    assert {"round_status", "round_evalues"} <= set(page.hits.table.shown_keys())
    assert page.hits.data.text(row, BY_KEY["first_round"]) == "2"
    assert page.hits.data.text(row, BY_KEY["round_evalues"]).count("  ") + 1 == len(rounds)
    page.show_result(first)
    assert page.rounds.isHidden()


def test_stop_keeps_the_rounds_before(make_window, first, qtbot):
    def stopped_in_the_second(request, cancel):
        def finished():
            yield Finished((yield from iteration_steps(request, cancel)))

        for event in finished():
            yield event
            if isinstance(event, RoundStarted) and event.number == 2:
                cancel.set()

    window = make_window(search=stopped_in_the_second)
    window.show_result(first)
    page = window.results_page
    with qtbot.waitSignal(window.controller.result_ready):
        start(page, rounds=6)
    assert page.result.state == "stopped"
    assert len(page.result.queries[0].rounds) == 1
    assert page.header.note_text.text() == "Not all rounds were done: stopped; the last whole round is shown."
    assert page.header.resume_button.isHidden()
    assert "after 1 round" in window.notifications.messages[-1].title


def test_resume_does_the_rounds_that_are_missing(make_window, first, qtbot, tmp_path):
    save_database(first.database, tmp_path / "family.swdb")
    request = search_request(
        queries=(first.queries[0].query,), database=tmp_path / "family.swdb", scheme=first.scheme, engine="cpu"
    )
    on_disk = answer(request)
    begun = []

    def stopped_in_the_second(request, cancel):
        for event in window.history.run("search", request, cancel):
            yield event
            if isinstance(event, RoundStarted):
                begun.append(event.number)
                if begun == [1, 2]:
                    cancel.set()

    window = make_window(search=stopped_in_the_second)
    window.show_result(on_disk)
    page = window.results_page
    with qtbot.waitSignal(window.controller.result_ready):
        start(page, rounds=6)
    rounds = page.result.queries[0].rounds
    assert len(rounds) == 1
    assert not page.header.resume_button.isHidden()
    with qtbot.waitSignal(window.controller.result_ready):
        page.header.resume_button.click()
    assert page.result.state == "complete"
    assert begun[2:] == list(range(2, len(page.result.queries[0].rounds) + 1))
    assert page.header.resume_button.isHidden()


def test_nobody_to_search_with_is_said(page, first):
    hits = first.queries[0].hits
    alone = replace(first, queries=(replace(first.queries[0], hits=hits.take(hits.log10_evalues > 0.5)),))
    page.show_result(alone)
    dialog = page.again.ask()
    assert not dialog.start.isEnabled()
    assert dialog.said.text() == NO_MEMBERS
    with pytest.raises(InvalidParameter, match="good enough"):
        again(alone, 2)


def test_hits_without_their_database_are_refused(page, first, tmp_path):
    save_search(first, tmp_path / "saved.swgui")
    loaded = load_search(tmp_path / "saved.swgui").result
    page.show_result(loaded)
    assert not page.header.again_button.isEnabled()
    assert "was not found" in page.header.again_button.toolTip()
