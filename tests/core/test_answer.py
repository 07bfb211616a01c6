"""Answers: sentence, lines and numbers that choose rows."""

import numpy as np

from swgui.core.answer import Answer, Count, Line, Where, chosen_rows
from swgui.core.plain import from_plain, plain

COLUMNS = {"query": np.array([0, 0, 1, 1, 1]), "identity": np.array([100.0, 40.0, 35.0, 90.0, 90.0])}


def test_a_number_chooses_the_rows_that_it_counts():
    assert chosen_rows((), COLUMNS, 5).tolist() == [0, 1, 2, 3, 4]
    assert chosen_rows((Where.equal("query", 1), Where("identity", 90)), COLUMNS, 5).tolist() == [3, 4]
    assert chosen_rows((Where("identity", most=40),), COLUMNS, 5).tolist() == [1, 2]


def test_texts_say_how_many_lines_are_missing():
    answer = Answer.of(["Two of three.", "a", "b", "c"])
    assert answer.texts() == ["Two of three.", "a", "b", "c"]
    assert answer.texts(1) == ["Two of three.", "a", "… and 2 more lines."]
    assert Line("q", "none").text == "q: none"


def test_headings_of_numbers_and_files():
    lines = Line("q", "x", (Count("0", 2), Count("1", 0))), Line("r", "y", (Count("1", 3), Count("2", 1)))
    answer = Answer("s", lines)
    assert answer.heads == ["0", "1", "2"]
    assert from_plain(Answer, plain(answer)) == answer
