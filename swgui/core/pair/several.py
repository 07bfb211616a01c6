"""Pairs of the sequences of two files, if the files have several."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Final, Literal

from swgui.core.errors import InvalidParameter
from swgui.core.records import SequenceRecord
from swgui.core.words import count

Pairing = Literal["each", "all"]
PAIRINGS: Final[tuple[Pairing, ...]] = ("each", "all")
MAX_PAIRS: Final = 10_000
Pairs = list[tuple[SequenceRecord, SequenceRecord]]


def paired(queries: Sequence[SequenceRecord], subjects: Sequence[SequenceRecord], how: Pairing) -> Pairs:
    """Return the pairs of queries and subjects.

    Parameters
    ----------
    how : {"each", "all"}
        The first with the first, the second with the second and so on; or every query with every subject, all
        subjects of the first query first.

    Raises
    ------
    InvalidParameter
        If there are not as many queries as subjects, or too many pairs.
    """
    if how == "each" and len(queries) != len(subjects):
        message = f"{count(len(queries), 'query', 'queries')} and {count(len(subjects), 'subject')} do not pair off."
        raise InvalidParameter("pairs", how, message, hint="Take as many of one as of the other, or all with all.")
    number = len(queries) if how == "each" else len(queries) * len(subjects)
    if number > MAX_PAIRS:
        message = f"These are {number:,} pairs; {MAX_PAIRS:,} are aligned at a time."
        raise InvalidParameter("pairs", how, message, hint="To find the similar ones, search.")
    return list(zip(queries, subjects, strict=True) if how == "each" else product(queries, subjects))


def listed(text: str, queries: Sequence[SequenceRecord], subjects: Sequence[SequenceRecord], name: str) -> Pairs:
    """Return the pairs that a list names: identifiers of a query and a subject on each line; ``#`` begins a comment.

    Parameters
    ----------
    name : str
        Name of the list, for sentences about it.

    Raises
    ------
    InvalidParameter
        If a line has not two names, or one that no sequence or several have.
    """
    pairs: Pairs = []
    records_of = tuple(_by_id(records) for records in (queries, subjects))
    for number, line in enumerate(text.splitlines(), 1):
        words = line.split("#", 1)[0].split()
        if not words:
            continue
        if len(words) != 2:
            message = f"{name}, line {number}: a pair is two identifiers, not {len(words)}."
            raise InvalidParameter("pairs", name, message)
        for role, word, of in zip(("query", "subject"), words, records_of, strict=True):
            if len(of.get(word, ())) != 1:
                there = "several" if word in of else "none"
                raise InvalidParameter(
                    "pairs", name, f"{name}, line {number}: of the {role} '{word[:80]}' there are {there}."
                )
        pairs.append((records_of[0][words[0]][0], records_of[1][words[1]][0]))
    if not pairs:
        raise InvalidParameter("pairs", name, f"{name} names no pair.")
    return pairs


def _by_id(records: Sequence[SequenceRecord]) -> dict[str, list[SequenceRecord]]:
    table: dict[str, list[SequenceRecord]] = {}
    for record in records:
        table.setdefault(record.id, []).append(record)
    return table
