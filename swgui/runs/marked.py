"""Stars and notes on the hits of a search, which are kept by the identifiers of subjects."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from swgui.core.hits.marks import Marks
from swgui.core.hits.results import SearchResult
from swgui.io.marks import Mark, MarkBook, MarkFinder


def subjects_of(result: SearchResult) -> np.ndarray:
    """Return the subjects (source indices) of all hits, each once, shape (k,), dtype int64."""
    lists = [query.hits.db_index for query in result.queries if len(query.hits)]
    return np.unique(np.concatenate(lists)) if lists else np.zeros(0, np.int64)


def names_of(result: SearchResult, subjects: Iterable[int]) -> dict[int, str]:
    """Return the identifiers of subjects."""
    index = np.array(sorted(subjects), dtype=np.int64)
    return dict(zip(index.tolist(), result.database.ids.decoded(index), strict=True))


def give_marks(marks: Marks, result: SearchResult, book: MarkBook) -> None:
    """Give the hits of a search the stars and notes that their subjects have."""
    finder = MarkFinder(book.records)
    if not finder:
        return
    names = names_of(result, subjects_of(result).tolist())
    found = {subject: hit[1] for subject, name in names.items() if (hit := finder.find(name)) is not None}
    if found:
        put_marks(marks, result, found)


def put_marks(marks: Marks, result: SearchResult, given: dict[int, Mark]) -> None:
    """Put stars and notes on the hits of all queries with some subjects."""
    wanted = np.array(sorted(given), dtype=np.int64)
    for number, query in enumerate(result.queries):
        here = query.hits.db_index[np.isin(query.hits.db_index, wanted)].tolist()
        for subject in here:
            mark = given[subject]
            marks.change("starred", number, [subject], mark.star)
            marks.set_note(number, subject, mark.note)


def marks_in(marks: Marks, result: SearchResult) -> dict[str, Mark]:
    """Return the stars and notes on hits by the identifiers of their subjects."""
    some: dict[int, Mark] = {}
    for number in range(len(result.queries)):
        starred = marks.subjects("starred", number)
        for subject in starred | marks.noted_subjects(number):
            before = some.get(subject, Mark())
            note = before.note or marks.note(number, subject)
            some[subject] = Mark(before.star or subject in starred, note)
    names = names_of(result, some)
    return {names[subject]: mark for subject, mark in some.items()}
