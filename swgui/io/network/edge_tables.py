"""Columns of edges: those of a network, the nearest of each sequence, and those that clusters part or join wrongly."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from swgui.core.network.edges import STRAND_NAMES, Edges, lengths_of
from swgui.core.network.measures import COVERAGES, IDENTITIES, Measure, alignment_scores
from swgui.core.table import Column, Table, Values, listed

PART: Final = 1 << 16  # rows that are read together


class EdgeRows(NamedTuple):
    """Pairs of sequences with what their alignments consist of.

    Parameters
    ----------
    names, lengths : (sequence of str, sequence of str), (ndarray, ndarray)
        Of all sequences that the first of each pair may be, and of those that the second may be.
    bits : ndarray, shape=(n,)
        Bit scores; NaN where not known.
    strands : {"", "both", "plus"}
        The strands that nucleotides were compared on; empty of proteins.
    """

    edges: Edges
    names: tuple[Sequence[str], Sequence[str]]
    lengths: tuple[NDArray[np.integer], NDArray[np.integer]]
    bits: NDArray[np.float64]
    strands: str

    @property
    def pair_lengths(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Residues of both sequences of each pair, shape=(n,) each."""
        return lengths_of(self.edges, *self.lengths)

    def take(self, rows: NDArray[np.integer] | slice) -> EdgeRows:
        """Return some of them."""
        return self._replace(edges=self.edges.take(rows), bits=self.bits[rows])  # type: ignore[arg-type]  # any index

    def parts(self) -> Iterator[EdgeRows]:
        """Yield them, some at a time."""
        for begin in range(0, len(self.edges), PART):
            yield self.take(slice(begin, begin + PART))


def _name(side: int) -> Callable[[EdgeRows], Values]:
    def read(rows: EdgeRows) -> Values:
        ends = (rows.edges.first, rows.edges.second)[side]
        return [rows.names[side][index] for index in ends.tolist()]

    return read


def _back(rows: EdgeRows) -> NDArray[np.int32]:
    assert rows.edges.back_scores is not None  # the column is there with these alone
    return rows.edges.back_scores


def _share(key: str, title: str, measure: Measure) -> Column[EdgeRows]:
    """Return the column of a measure, in percent."""
    said = f"{measure.meaning[:1].upper()}{measure.meaning[1:]}, in percent."
    return Column(key, title, said, "real", unit="%", decimals=2,
                  read=lambda rows: 100 * measure.of(rows.edges, rows.pair_lengths))  # fmt: skip


# Both ends are called as in networks, and as in tables of hits.
SOURCE: Final = Column[EdgeRows]("source", "Source", "The first sequence of the pair.", "text", read=_name(0))
TARGET: Final = Column[EdgeRows]("target", "Target", "The second sequence.", "text", read=_name(1))
QSEQID: Final = Column[EdgeRows]("qseqid", "Query", "The first sequence of the pair.", "text", read=_name(0))
SSEQID: Final = Column[EdgeRows]("sseqid", "Subject", "The second sequence.", "text", read=_name(1))
SCORE: Final = Column[EdgeRows](
    "score", "Score", "Smith-Waterman score.", "integer", read=lambda rows: rows.edges.scores
)
BACK_SCORE: Final = Column[EdgeRows](
    "back_score", "Other direction", "Score of the shorter sequence's profile; score is that of the longer one's.",
    "integer",
    read=lambda rows: [score if score >= 0 else None for score in _back(rows).tolist()],
)  # fmt: skip
BITSCORE: Final = Column[EdgeRows](
    "bitscore", "Bit score", "Bit score.", "real", decimals=1, unit="bits", read=lambda rows: rows.bits
)
EVALUE: Final = Column[EdgeRows](
    "evalue", "E-value", "E-value, not corrected for composition.", "evalue",
    read=lambda rows: rows.edges.log10_evalues,
)  # fmt: skip
LOG10_EVALUE: Final = Column[EdgeRows](
    "log10_evalue", "Logarithm of E", "Decadic logarithm of E; it never underflows.", "real", decimals=4,
    read=lambda rows: rows.edges.log10_evalues,
)  # fmt: skip
ALIGNMENT_SCORE: Final = Column[EdgeRows](
    "alignment_score", "Alignment score", "That of the Enzyme Function Initiative.", "integer",
    read=lambda rows: alignment_scores(rows.edges, rows.pair_lengths, rows.bits),
)  # fmt: skip
LENGTH: Final = Column[EdgeRows](
    "length", "Columns", "Columns of the alignment.", "integer", read=lambda rows: rows.edges.columns
)
PIDENT: Final = _share("pident", "Identity", IDENTITIES["columns"])
IDENTITY_SHORTER: Final = _share("identity_shorter", "Identity over the shorter", IDENTITIES["shorter"])
IDENTITY_LONGER: Final = _share("identity_longer", "Identity over the longer", IDENTITIES["longer"])
IDENTITY_QUERY: Final = _share("identity_query", "Identity over the query", IDENTITIES["query"])
COVERAGE: Final = _share("coverage", "Coverage", COVERAGES["shorter"])
COVERAGE_LONGER: Final = _share("coverage_longer", "Coverage of the longer", COVERAGES["longer"])
COVERAGE_BOTH: Final = _share("coverage_both", "Coverage of both", COVERAGES["both"])
COVERAGE_QUERY: Final = _share("coverage_query", "Coverage of the query", COVERAGES["query"])
SSTRAND: Final = Column[EdgeRows](
    "sstrand", "Strand", "Plus, or minus where the reverse complement of one of the two scores more.", "word",
    read=lambda rows: [STRAND_NAMES[strand] for strand in rows.edges.strands.tolist()],
)  # fmt: skip
STRANDS: Final = Column[EdgeRows](
    "strands", "Strands", "The strands that were compared.", "word", read=lambda rows: [rows.strands] * len(rows.edges)
)
OF_STRANDS: Final = (SSTRAND, STRANDS)  # of nucleotides alone
NETWORK_COLUMNS: Final = (
    *(SOURCE, TARGET, SCORE, BITSCORE, EVALUE, LOG10_EVALUE, ALIGNMENT_SCORE, PIDENT, IDENTITY_SHORTER),
    *(COVERAGE, COVERAGE_BOTH, LENGTH),
)


def edge_table(rows: EdgeRows) -> Table[EdgeRows]:
    """Return the edges of a network."""
    return Table([*NETWORK_COLUMNS, *_more(rows)], rows.parts)


def _more(rows: EdgeRows) -> Sequence[Column[EdgeRows]]:
    """Return the columns that nucleotides have alone, or pairs with two scores."""
    return OF_STRANDS if rows.strands else (BACK_SCORE,) if rows.edges.back_scores is not None else ()


# --- the nearest of each sequence -------------------------------------------------------------------------------------


class NearestRows(NamedTuple):
    """Sequences with their nearest ones.

    Parameters
    ----------
    names : sequence of str
    found : ndarray, shape=(n,), dtype=bool
        Which of them have a nearest one.
    rows : EdgeRows
        The pairs of these.
    """

    names: Sequence[str]
    found: NDArray[np.bool_]
    rows: EdgeRows


def _of_found(column: Column[EdgeRows]) -> Column[NearestRows]:
    """Return a column of pairs as one of sequences, empty where there is none."""

    def read(of: NearestRows) -> Values:
        values = iter(listed(column.read_all(of.rows)))
        return [next(values) if found else None for found in of.found.tolist()]

    return column.read_by(read)


NEAREST_COLUMNS: Final[tuple[Column[NearestRows], ...]] = (
    Column("qseqid", "Test", "Test sequence.", "text", read=lambda of: of.names),
    *map(
        _of_found,
        (
            Column[EdgeRows]("sseqid", "Nearest", "The nearest training sequence.", "text", read=_name(1)),
            *(PIDENT, IDENTITY_SHORTER, COVERAGE, EVALUE, IDENTITY_LONGER, IDENTITY_QUERY, LENGTH, SCORE),
            *(COVERAGE_LONGER, COVERAGE_BOTH, COVERAGE_QUERY),
        ),
    ),
)
_NEAREST_STRANDS: Final[tuple[Column[NearestRows], ...]] = (
    _of_found(SSTRAND),
    STRANDS.read_by(lambda of: [of.rows.strands] * len(of.names)),
)


def nearest_table(of: NearestRows) -> Table[NearestRows]:
    """Return sequences with their nearest ones."""
    more = (_of_found(BACK_SCORE),) if of.rows.edges.back_scores is not None else ()
    return Table([*NEAREST_COLUMNS, *(_NEAREST_STRANDS if of.rows.strands else more)], lambda: (of,))


# --- pairs that clusters part or join wrongly -------------------------------------------------------------------------


class JudgedRows(NamedTuple):
    """Pairs, and what is wrong with each: parted or joined."""

    kinds: Sequence[str]
    rows: EdgeRows


def _judged(column: Column[EdgeRows]) -> Column[JudgedRows]:
    return column.read_by(lambda judged: column.read_all(judged.rows))


JUDGED_COLUMNS: Final[tuple[Column[JudgedRows], ...]] = (
    Column("kind", "Kind", "parted: similar, in two clusters; joined: in one cluster, not similar.", "word",
           read=lambda judged: judged.kinds),
    *map(_judged, (QSEQID, SSEQID, PIDENT, IDENTITY_SHORTER, IDENTITY_LONGER, COVERAGE, COVERAGE_BOTH)),
)  # fmt: skip


def judged_table(judged: JudgedRows) -> Table[JudgedRows]:
    """Return pairs that clusters part or join wrongly."""
    more = map(_judged, OF_STRANDS) if judged.rows.strands else ()
    return Table([*JUDGED_COLUMNS, *more], lambda: (judged,))
