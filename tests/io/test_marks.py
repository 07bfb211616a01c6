"""Stars and notes in their file: two programs keep each other's, and nothing that is damaged is replaced."""

from __future__ import annotations

import threading
from functools import partial

import pytest

from swgui.io.marks import (
    LONGEST_NOTE,
    Mark,
    MarkBook,
    MarkFinder,
    MarksError,
    add_marks,
    give_stars,
    read_marks,
    write_note,
)
from swgui.io.metadata import marks_metadata


def test_stars_and_notes_are_given_and_taken_away(tmp_path):
    path = tmp_path / "marks.json"
    assert read_marks(path) == MarkBook()
    give_stars(path, ["b", "a"], on=True)
    write_note(path, "a", "  two\nlines ☺ ")
    write_note(path, "20260101-000000-00000000", "x" * (LONGEST_NOTE + 5), "runs")
    book = read_marks(path)
    assert book.records == {"b": Mark(True), "a": Mark(True, "two\nlines ☺")}
    assert len(book.of_run("20260101-000000-00000000").note) == LONGEST_NOTE
    assert give_stars(path, ["a", "b", "c"], on=False).records == {"a": Mark(False, "two\nlines ☺")}
    assert write_note(path, "a", " ").records == {}


def test_marks_of_two_files_are_joined(tmp_path):
    path = tmp_path / "marks.json"
    write_note(path, "a", "mine")
    book = add_marks(path, {"a": Mark(True, "theirs"), "b": Mark(True)})
    assert book.records == {"a": Mark(True, "mine\ntheirs"), "b": Mark(True)}
    assert add_marks(path, {"a": Mark(False, "mine")}) == book


def test_programs_that_write_at_the_same_time_lose_nothing(tmp_path):
    path = tmp_path / "marks.json"
    some = [threading.Thread(target=partial(give_stars, path, [f"s{number}"], True)) for number in range(12)]
    for thread in some:
        thread.start()
    for thread in some:
        thread.join()
    assert set(read_marks(path).records) == {f"s{number}" for number in range(12)}


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"format": "marks 9"}', b'{"records": {"a": {"star": 1}}}'])
def test_a_damaged_file_is_named_and_stays(tmp_path, content):
    path = tmp_path / "marks.json"
    path.write_bytes(content)
    with pytest.raises(MarksError, match="damaged"):
        give_stars(path, ["a"], on=True)
    assert path.read_bytes() == content


def test_marks_are_found_by_a_part_of_the_identifier():
    own = marks_metadata({"MYG_HUMAN": Mark(True), "P69905": Mark(note="alpha")}, "globins")
    assert [own.row(name) for name in ("sp|P02144|MYG_HUMAN", "sp|P69905|HBA_HUMAN", "other")] == [0, 1, None]
    marks = {"MYG_HUMAN": Mark(True), "sp|P69905|HBA_HUMAN": Mark(note="alpha")}
    found = [MarkFinder(marks).find(name) for name in ("sp|P02144|MYG_HUMAN", "P69905", "tr|X|HBA_HUMAN", "other")]
    assert found == [("MYG_HUMAN", Mark(True)), ("sp|P69905|HBA_HUMAN", Mark(note="alpha")), None, None]
