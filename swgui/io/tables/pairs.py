"""The alignments of a pair as a table, with the columns of hits."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Final, NamedTuple

from swgui.core.pair.result import PairAlignment, PairResult
from swgui.core.table import Column, Table, Value, Values
from swgui.io.export.columns import HIT_COLUMNS

Read = Callable[[PairResult, PairAlignment], Value]
# By key of a column of hits: its value for an alignment. Positions count from 1 on the sequences as they were given; on
# the other strand a query begins at its higher position, as BLAST has it.
_READ: Final[Mapping[str, Read]] = MappingProxyType(
    {
        "qseqid": lambda of, hsp: of.query.id,
        "sseqid": lambda of, hsp: of.subject.id,
        "pident": lambda of, hsp: hsp.counts.pident,
        "length": lambda of, hsp: hsp.counts.length,
        "mismatch": lambda of, hsp: hsp.counts.mismatch,
        "gapopen": lambda of, hsp: hsp.counts.gapopen,
        "qstart": lambda of, hsp: _query_ends(of, hsp)[0],
        "qend": lambda of, hsp: _query_ends(of, hsp)[1],
        "sstart": lambda of, hsp: hsp.alignment.subject_start + 1,
        "send": lambda of, hsp: hsp.alignment.subject_end,
        "evalue": lambda of, hsp: _known(hsp.log10_evalue),
        "bitscore": lambda of, hsp: _known(hsp.bit_score),
        "score": lambda of, hsp: hsp.score,
        "nident": lambda of, hsp: hsp.counts.nident,
        "positive": lambda of, hsp: hsp.counts.positive,
        "gaps": lambda of, hsp: hsp.counts.gaps,
        "sstrand": lambda of, hsp: hsp.strand,
        "qlen": lambda of, hsp: of.query_length,
        "slen": lambda of, hsp: of.subject_length,
    }
)


class _Rows(NamedTuple):
    result: PairResult
    alignments: Sequence[PairAlignment]


def pair_table(result: PairResult) -> Table[_Rows]:
    """Return a pair as a table: one row for each alignment, best first; none where only the score is known."""
    rows = _Rows(result, result.alignments)
    return Table([_column(key, read) for key, read in _READ.items()], lambda: (rows,))


def _column(key: str, read: Read) -> Column[_Rows]:
    def values(rows: _Rows) -> Values:
        return [read(rows.result, hsp) for hsp in rows.alignments]

    return HIT_COLUMNS[key].read_by(values)


def _query_ends(of: PairResult, hsp: PairAlignment) -> tuple[int, int]:
    start, end = hsp.query_range(of.query_length)
    return (start + 1, end) if hsp.strand == "plus" else (end, start + 1)


def _known(value: float) -> float | None:
    return None if value != value else value
