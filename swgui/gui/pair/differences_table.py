"""The differences of two aligned sequences as a table on columns; any number of rows, without Qt."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from swgui.core import words
from swgui.core.pair.view import DELETION, INSERTION, KINDS, SUBSTITUTION, Differences
from swgui.gui.kit.tables.column_table import ColumnSource, TableColumn

RESIDUES_SHOWN = 12  # of a gap; the rest is counted
KIND_TITLES = {"all": "All", "substitution": "Substitutions", "insertion": "Insertions", "deletion": "Deletions"}
KIND_WORDS = tuple(name.capitalize() for name in KINDS)


def query_positions(found: Differences, query_length: int, *, backwards: bool) -> NDArray[np.int64]:
    """Return the residue number (from 1) of the query as it was written, for every row.

    For an insertion it is the first residue concerned, for a deletion the one before which residues of the subject are
    missing, both as the query is read.
    """
    if not backwards:
        return found.query + 1
    shift = np.where(found.kind == DELETION, 1, np.where(found.kind == INSERTION, 1 - found.length, 0))
    return query_length - found.query + shift


def differences_source(found: Differences, query_length: int, *, backwards: bool) -> ColumnSource:
    """Return the table of differences: what stands in the subject, what stands in the query.

    Parameters
    ----------
    backwards : bool
        Whether the minus strand of the query is aligned; positions are those of the query as it was written, residues
        those of the strand that is aligned.
    """
    query, subject = query_positions(found, query_length, backwards=backwards), found.subject + 1

    strand = "; residues of the query are those of its minus strand" if backwards else ""

    def change(row: int) -> str:
        of_subject, of_query = found.letters(row)
        match int(found.kind[row]):
            case kind if kind == SUBSTITUTION:
                return f"{of_subject} → {of_query}"
            case kind if kind == INSERTION:
                return f"+ {_short(of_query)}"
        return f"\N{MINUS SIGN} {_short(of_subject)}"

    def whole_change(row: int) -> str:
        of_subject, of_query = found.letters(row)
        return f"{of_subject or '-'} → {of_query or '-'}"

    columns = (
        TableColumn(
            "number", "#", "Place in the alignment", lambda row: f"{row + 1:,}", np.arange(1, len(found) + 1)
        ),
        TableColumn(
            "subject", "Subject", "Residue number in the subject; for residues that only the query has, the one behind",
            lambda row: f"{subject[row]:,}", subject,
        ),
        TableColumn(
            "query", "Query", "Residue number in the query; for residues that only the subject has, the one behind",
            lambda row: f"{query[row]:,}", query,
        ),
        TableColumn(
            "change", "Change",
            "From subject to query: + only in the query, \N{MINUS SIGN} only in the subject" + strand,
            change, full=whole_change, order=change_order(found),
        ),
        TableColumn("length", "Length", "Residues concerned", lambda row: f"{found.length[row]:,}", found.length),
        TableColumn(
            "kind", "Kind", "What is different", lambda row: KIND_WORDS[found.kind[row]], order=found.kind
        ),
    )  # fmt: skip
    return ColumnSource(columns, len(found))


def stretches(
    found: Differences, query_length: int, *, backwards: bool
) -> tuple[tuple[NDArray[np.int64], NDArray[np.int64]], tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """Return where residues differ: starts (from 0, as written) and lengths in the query and in the subject."""
    in_query, in_subject = found.kind != DELETION, found.kind != INSERTION
    starts = query_positions(found, query_length, backwards=backwards) - 1
    return (starts[in_query], found.length[in_query]), (found.subject[in_subject], found.length[in_subject])


def change_order(found: Differences) -> NDArray[np.int64]:
    """Return numbers that sort changes: substitutions by their residues, then insertions and deletions by length."""
    letters = np.frombuffer(found.alphabet_letters.encode("ascii"), dtype=np.uint8).astype(np.int64)
    substituted = found.kind == SUBSTITUTION
    order = found.kind.astype(np.int64) << 40
    order += np.where(substituted, 0, found.length)
    pair = letters[found.subject_codes[found.subject[substituted]]] * 256
    order[substituted] += pair + letters[found.query_codes[found.query[substituted]]]
    return order


def mask_of(found: Differences, kind: str, shortest: int = 1) -> NDArray[np.bool_] | None:
    """Return which rows are of a kind and a length; None for all.

    Parameters
    ----------
    kind : str
        ``"all"`` or one of `swgui.core.pair.view.KINDS`.
    """
    mask = None if kind == "all" else found.kind == KINDS.index(kind)
    if shortest > 1:
        long = found.length >= shortest
        mask = long if mask is None else mask & long
    return mask


def summary(found: Differences) -> str:
    """Count the differences in words."""
    numbers = np.bincount(found.kind, minlength=len(KINDS))
    parts = [words.count(int(number), name) for number, name in zip(numbers, KINDS, strict=True)]
    return ", ".join(parts)


def _short(letters: str) -> str:
    rest = len(letters) - RESIDUES_SHOWN
    return letters if rest <= 0 else f"{letters[:RESIDUES_SHOWN]}… {rest:,} more"
