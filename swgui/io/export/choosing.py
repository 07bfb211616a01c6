"""Which columns a file has: those asked for by name, by BLAST's or MMseqs2's name for them, in groups, or the usual."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from swgui.core.errors import InvalidParameter
from swgui.core.hits.results import SearchResult
from swgui.core.hits.table import HitTable
from swgui.core.translation.programs import shifting
from swgui.io.export import getters as get
from swgui.io.export.columns import (
    DEFAULT_COLUMNS,
    FRAME_COLUMNS,
    HIT_COLUMNS,
    HSP_COLUMNS,
    ROUND_COLUMNS,
    SHIFT_COLUMNS,
    Column,
    evidence_columns,
)

BLAST_COLUMNS: Final = (
    "qseqid", "sseqid", "pident", "length", "mismatch", "gapopen",
    "qstart", "qend", "sstart", "send", "evalue", "bitscore",
)  # fmt: skip
GROUPS: Final = {"std": BLAST_COLUMNS}
ADDED: Final = "+"  # before a name: the usual columns, and this one

_BLAST: Final = {
    "qaccver": "qseqid", "qacc": "qseqid", "saccver": "sseqid", "sacc": "sseqid", "sallseqid": "sseqid",
    "sallacc": "sseqid", "salltitles": "stitle", "staxid": "taxid", "staxids": "taxid", "ssciname": "organism",
    "sscinames": "organism",
}  # fmt: skip
_MMSEQS: Final = {
    "query": "qseqid", "target": "sseqid", "alnlen": "length", "tstart": "sstart", "tend": "send", "bits": "bitscore",
    "raw": "score", "tlen": "slen", "qaln": "qseq", "taln": "sseq", "taxname": "organism",
}  # fmt: skip
OTHER_NAMES: Final = {**_BLAST, **_MMSEQS}  # for the same values


def _part_of(key: str, name: str) -> Column:
    """Return a column of percentages as the fractions that MMseqs2 writes, by its name for them."""
    column = HIT_COLUMNS[key]

    def read(table: HitTable) -> get.Values:
        return [None if value is None else float(value) / 100.0 for value in column.values(table)]

    return replace(column, read=read, unit="", decimals=3, asked=name)


def _header(identifiers: get.Read, titles: get.Read, key: str, name: str) -> Column:
    """Return a column of whole headers, by MMseqs2's name for it."""

    def read(table: HitTable) -> get.Values:
        both = zip(identifiers(table), titles(table), strict=True)
        return [f"{first} {rest or ''}".rstrip() for first, rest in both]

    return replace(HIT_COLUMNS[key], read=read, asked=name)


# What MMseqs2 has and nobody else: values that are written in another way.
_REWRITTEN: Final = {
    column.asked: column
    for column in (
        _part_of("pident", "fident"),
        _part_of("qcovhsp", "qcov"),
        _part_of("scovhsp", "tcov"),
        _header(get.query_ids, get.query_titles, "qtitle", "qheader"),
        _header(get.subject_ids, get.subject_titles, "stitle", "theader"),
    )
}


def columns_of(result: SearchResult, keys: Sequence[str] | None) -> tuple[Column, ...]:
    """Return columns by key; for None the default ones, and those of alignments, rounds or frames where any are.

    Raises
    ------
    InvalidParameter
        If there is no such column.
    """
    of_hsps = HSP_COLUMNS if result.search.max_hsps > 1 else ()
    of_rounds = ROUND_COLUMNS if any(query.rounds for query in result.queries) else ()
    of_frames = FRAME_COLUMNS if result.translation is not None else ()
    of_shifts = SHIFT_COLUMNS if shifting(result.translation) else ()
    of_evidence = evidence_columns(result)
    return choose_columns(keys, (*DEFAULT_COLUMNS, *of_hsps, *of_rounds, *of_evidence, *of_frames, *of_shifts))


def choose_columns(keys: Sequence[str] | None, usual: Sequence[str] = DEFAULT_COLUMNS) -> tuple[Column, ...]:
    """Return columns by key, each once; the usual ones for None, and before a first key that begins with `ADDED`.

    Raises
    ------
    InvalidParameter
        If there is no such column.
    """
    if keys is None:
        return tuple(HIT_COLUMNS[key] for key in usual)
    chosen: dict[str, Column] = {}
    for key in _ungrouped(keys, usual):
        column = _named(key)
        chosen.setdefault(column.name, column)
    return tuple(chosen.values())


def has_usual(keys: Sequence[str] | None) -> bool:
    """Return whether the usual columns are among those that are asked for."""
    return keys is None or (bool(keys) and keys[0].startswith(ADDED))


def columns_need_alignment(keys: Sequence[str] | None) -> bool:
    """Return whether any of the columns can only be filled from an alignment."""
    return any(column.needs_alignment for column in choose_columns(keys))


def columns_need_fit(keys: Sequence[str] | None) -> bool:
    """Return whether any of the columns comes from the fit to all scores of the search; of the usual ones if None."""
    chosen = choose_columns(keys) if keys is not None else [one for one in HIT_COLUMNS.values() if not one.on_request]
    return any(column.source == "fit" for column in chosen)


def _ungrouped(keys: Sequence[str], usual: Sequence[str]) -> Iterator[str]:
    if keys and has_usual(keys):
        yield from usual
    for key in keys:
        name = key.removeprefix(ADDED)
        yield from GROUPS.get(name, (name,))


def _named(key: str) -> Column:
    if key in HIT_COLUMNS:
        return HIT_COLUMNS[key]
    if key in OTHER_NAMES:
        return replace(HIT_COLUMNS[OTHER_NAMES[key]], asked=key)
    if key in _REWRITTEN:
        return _REWRITTEN[key]
    choices = ", ".join((*GROUPS, *HIT_COLUMNS))
    raise InvalidParameter("columns", key, f"There is no column '{key}'.", hint=f"Columns are {choices}.")
