"""Notes of users on hits: kept by subject, read back from files with care."""

import numpy as np
import pytest

from swgui.core.hits.marks import LONGEST_NOTE, Marks


def test_marks_are_set_and_taken_away():
    marks = Marks()
    assert not marks
    assert marks.change("starred", 2, [5, 7], True) == {5, 7}
    assert marks.change("starred", 2, [7, 9], True) == {9}  # only what changed, so that it can be undone
    assert marks.change("starred", 2, [5, 100], False) == {5}
    assert marks.has("starred", 2, 7)
    assert not marks.has("starred", 1, 7)
    assert not marks.has("ticked", 2, 7)
    assert marks.count("starred") == marks.count("starred", 2) == 2
    assert marks.queries("starred") == [2]
    assert marks
    marks.change("starred", 2, [7, 9], False)
    assert not marks
    assert marks.queries("starred") == []


def test_marks_follow_the_subject_not_the_rank():
    marks = Marks()
    marks.change("hidden", 0, [30, 10], True)
    assert marks.mask("hidden", 0, np.array([10, 20, 30])).tolist() == [True, False, True]
    assert marks.rows("hidden", 0, np.array([99, 30, 5, 10])) == [1, 3]
    assert marks.rows("hidden", 1, np.array([10])) == []
    assert marks.mask("hidden", 0, np.zeros(0, np.int64)).shape == (0,)


def test_notes():
    marks = Marks()
    marks.set_note(0, 4, "the one")
    assert marks.note(0, 4) == "the one"
    assert marks.noted == 1
    marks.set_note(0, 4, "")
    assert marks.note(0, 4) == ""
    assert not marks
    marks.set_note(0, 4, "x" * (LONGEST_NOTE + 5))
    assert len(marks.note(0, 4)) == LONGEST_NOTE


def test_a_round_through_a_file():
    marks = Marks()
    marks.change("ticked", 0, [3, 1], True)
    marks.change("hidden", 1, [2], True)
    marks.set_note(1, 2, "Größe = 1")
    facts = marks.facts()
    assert facts == {"ticked": {"0": [1, 3]}, "hidden": {"1": [2]}, "notes": {"1": {"2": "Größe = 1"}}}
    assert Marks.from_facts(facts, queries=2, subjects=4).facts() == facts
    assert Marks().facts() == {}


@pytest.mark.parametrize(
    "facts",
    [
        None, 7, [], "x", {"ticked": 3}, {"ticked": {"0": 5}}, {"ticked": {"x": [1]}}, {"ticked": {"-1": [1]}},
        {"ticked": {"9": [1]}}, {"ticked": {"0": [-1, 4, "1", None, True, 1.0]}}, {"notes": {"0": [1]}},
        {"notes": {"0": {"9": "far"}}}, {"notes": {"0": {"1": 5}}}, {"notes": {"0": {"²": "x"}}}, {"other": {"0": [1]}},
    ],
)  # fmt: skip
def test_what_is_no_mark_of_the_run_is_left_out(facts):
    assert not Marks.from_facts(facts, queries=2, subjects=4)


def test_what_is_fine_beside_damage_is_kept():
    marks = Marks.from_facts({"ticked": {"0": [1, "x"], "5": [1]}, "more": 1}, queries=2, subjects=4)
    assert marks.facts() == {"ticked": {"0": [1]}}
