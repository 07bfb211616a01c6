"""The user's notes about hits: ticks, stars, hits put aside, and words.

A hit is named by its query (position in the run) and its subject (source index in the database), not by its rank:
marks stay where they are when limits move after the run.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import NDArray

Kind = Literal["ticked", "starred", "hidden"]
KINDS: Final[tuple[Kind, ...]] = ("ticked", "starred", "hidden")
LONGEST_NOTE: Final = 10_000  # characters


class Marks:
    """The marks of one run."""

    def __init__(self) -> None:
        self._sets: dict[Kind, dict[int, set[int]]] = {kind: {} for kind in KINDS}
        self._notes: dict[int, dict[int, str]] = {}

    def __bool__(self) -> bool:
        return any(self._notes.values()) or any(any(of_kind.values()) for of_kind in self._sets.values())

    def has(self, kind: Kind, query: int, subject: int) -> bool:
        """Whether a hit has a mark."""
        return subject in self._sets[kind].get(query, ())

    def change(self, kind: Kind, query: int, subjects: Iterable[int], on: bool) -> set[int]:
        """Mark some hits of one query or take their mark away; return those that were changed."""
        mine = self._sets[kind].setdefault(query, set())
        wanted = set(subjects)
        changed = wanted - mine if on else wanted & mine
        if on:
            mine |= changed
        else:
            mine -= changed
        return changed

    def subjects(self, kind: Kind, query: int) -> set[int]:
        """Return the subjects (source indices) of a query that have a mark."""
        return set(self._sets[kind].get(query, ()))

    def note(self, query: int, subject: int) -> str:
        """Return the user's text about a hit."""
        return self._notes.get(query, {}).get(subject, "")

    def set_note(self, query: int, subject: int, text: str) -> None:
        """Write something about a hit; an empty text takes it away."""
        mine = self._notes.setdefault(query, {})
        if text:
            mine[subject] = text[:LONGEST_NOTE]
        else:
            mine.pop(subject, None)

    def without_stars(self) -> Marks:
        """Return the ticks and hidden hits alone."""
        facts = {name: values for name, values in self.facts().items() if name not in ("starred", "notes")}
        bare = Marks()
        for kind in KINDS:
            for query, subjects in facts.get(kind, {}).items():
                bare.change(kind, int(query), subjects, True)
        return bare

    def noted_subjects(self, query: int) -> set[int]:
        """Return the subjects (source indices) of a query that have a note."""
        return {subject for subject, text in self._notes.get(query, {}).items() if text}

    def count(self, kind: Kind, query: int | None = None) -> int:
        """Return the number of hits that have a mark, of one query or of all."""
        of_kind = self._sets[kind]
        return sum(map(len, of_kind.values())) if query is None else len(of_kind.get(query, ()))

    def queries(self, kind: Kind) -> list[int]:
        """Return the queries that have marked hits, in order."""
        return sorted(query for query, subjects in self._sets[kind].items() if subjects)

    @property
    def noted(self) -> int:
        """Number of hits that have a note."""
        return sum(map(len, self._notes.values()))

    def mask(self, kind: Kind, query: int, db_index: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Return a mask of the hits of a list that have a mark.

        Parameters
        ----------
        db_index : ndarray, shape=(k,), dtype=int64
            Subjects of the list.

        Returns
        -------
        ndarray, shape=(k,), dtype=bool
        """
        mine = np.array(list(self._sets[kind].get(query, ())), dtype=np.int64)
        return np.isin(db_index, mine) if len(mine) else np.zeros(len(db_index), dtype=bool)

    def rows(self, kind: Kind, query: int, db_index: NDArray[np.int64]) -> list[int]:
        """Return the places of the marked hits in a list."""
        return np.flatnonzero(self.mask(kind, query, db_index)).tolist()

    # In files

    def facts(self) -> dict[str, Any]:
        """Return everything as JSON values; empty if there is nothing."""
        facts: dict[str, Any] = {
            kind: {str(query): sorted(subjects) for query, subjects in sorted(of_kind.items()) if subjects}
            for kind, of_kind in self._sets.items()
        }
        facts["notes"] = {
            str(query): {str(subject): text for subject, text in sorted(texts.items())}
            for query, texts in sorted(self._notes.items())
            if texts
        }
        return {name: values for name, values in facts.items() if values}

    @classmethod
    def from_facts(cls, facts: object, queries: int, subjects: int) -> Marks:
        """Read the result of `facts`; entries that are no mark of this run are left out.

        Parameters
        ----------
        queries, subjects : int
            Size of the run: marks beyond it are not of this run.
        """
        marks = cls()
        if not isinstance(facts, Mapping):
            return marks
        for kind in KINDS:
            for query, marked in _of_queries(facts.get(kind), queries):
                if isinstance(marked, list):
                    marks.change(kind, query, {t for t in marked if type(t) is int and 0 <= t < subjects}, True)
        for query, texts in _of_queries(facts.get("notes"), queries):
            for key, text in texts.items() if isinstance(texts, Mapping) else ():
                if isinstance(text, str) and _whole(key) in range(subjects):
                    marks.set_note(query, _whole(key), text)
        return marks


def _of_queries(values: object, queries: int) -> Iterator[tuple[int, Any]]:
    if isinstance(values, Mapping):
        for query, mine in values.items():
            if _whole(query) in range(queries):
                yield _whole(query), mine


def _whole(text: object) -> int:
    """Return a whole number from a JSON key, -1 for anything else."""
    return int(text) if isinstance(text, str) and text.isascii() and text.isdecimal() and len(text) < 16 else -1
