"""Alignments for structure prediction: rows of several databases, filters, and chains of complexes side by side."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from swgui.core.organisms.subjects import organism_of
from swgui.core.plain import replace
from swgui.core.profiles.alignment import DELETION, AlignedRow, MasterAlignment, RowTable
from swgui.core.profiles.log_odds import plain_letters

Purge = Callable[[NDArray[np.uint8], int, float], NDArray[np.int64]]


@dataclass(frozen=True, slots=True)
class RowLimits:
    """Limits that decide which rows of an alignment are kept, the query aside."""

    rows: int = 10_000  # at most, best E first
    coverage: float = 0.0  # part of the query's residues that a row has residues for at least, 0 to 1
    identity: float = 0.0  # part of a row's residues in columns that are those of the query at least, 0 to 1
    similar: float = 1.01  # rows this identical to a better one are left out, 0 to 1; above 1 all are kept


def together(alignments: Sequence[MasterAlignment]) -> MasterAlignment:
    """Return the rows of alignments of one query, best E first; a row that is in two of them is there once."""
    if len(alignments) == 1 and isinstance(table := alignments[0].rows, RowTable) and _are_in_order(table):
        return alignments[0].take(np.array([0, *_distinct(table)]))
    seen: set[bytes] = set()
    rows = []
    for row in sorted((row for master in alignments for row in master.rows[1:]), key=lambda row: row.log10_evalue):
        if (text := _text(row)) not in seen:
            seen.add(text)
            rows.append(row)
    return alignments[0].with_rows(rows)


def _are_in_order(table: RowTable) -> bool:
    """Whether the rows behind the query have a known E each, the best first."""
    log10_evalues = table.log10_evalues[1:]
    return not np.isnan(log10_evalues).any() and bool((np.diff(log10_evalues) >= 0).all())


def _distinct(table: RowTable) -> Iterator[int]:
    """Yield the rows behind the query without repeated ones, by their places; only rows alike become objects."""
    seen: set[bytes] = set()
    whole = np.ascontiguousarray(table.codes).view(np.dtype((np.void, table.codes.shape[1]))).ravel()
    _, group, size = np.unique(whole[1:], return_inverse=True, return_counts=True)
    alike = size[group.ravel()] > 1
    for place, repeated in enumerate(alike.tolist(), start=1):
        if repeated:
            text = _text(table[place])
            if text in seen:
                continue
            seen.add(text)
        yield place


def _text(row: AlignedRow) -> bytes:
    """Return all residues of a row and where they stand."""
    return row.codes.tobytes() + b"|".join(b"%d" % site + row.insertions[site] for site in sorted(row.insertions))


def filtered(alignment: MasterAlignment, limits: RowLimits, purge: Purge) -> MasterAlignment:
    """Return the rows within limits.

    Parameters
    ----------
    purge : callable
        Takes codes, shape (n, m), the number of letters and the highest identity; returns the rows that are left
        without near copies (`swgui.engines.native.rows.purge`).
    """
    if len(alignment) == 1:
        return alignment
    codes = alignment.codes
    residues = (codes < DELETION).sum(axis=1)
    same = alignment.alphabet.alike_codes[codes] == alignment.alphabet.alike_codes[codes[0]]
    identical = (same & (codes < DELETION)).sum(axis=1)
    kept = residues >= limits.coverage * alignment.columns
    kept &= identical >= limits.identity * residues
    kept[0] = True
    rows = np.flatnonzero(kept)
    if limits.similar <= 1:
        rows = rows[purge(codes[rows], plain_letters(alignment.alphabet), limits.similar)]
    return alignment.take(rows[: limits.rows + 1])


@dataclass(frozen=True, slots=True, eq=False)
class Complex:
    """The alignments of several chains, row by row."""

    chains: tuple[MasterAlignment, ...]  # the rest of each without the rows of `pairs`
    # For each organism that two chains or more have a row of: the best row of each chain, None where it has none.
    pairs: tuple[tuple[AlignedRow | None, ...], ...] = field(repr=False)
    organisms: tuple[str, ...] = field(repr=False)


def paired(chains: Sequence[MasterAlignment], organism: Callable[[AlignedRow], str] | None = None) -> Complex:
    """Put rows of one organism side by side, one of each chain; those of all chains come first.

    Among the rows of an organism the one with the most residues of its query counts (as in AlphaFold-Multimer: Evans et
    al. 2021, bioRxiv 2021.10.04.463034), and no sequence counts for two chains. The header of a row names its organism,
    by its taxid if there is one; the organism of the queries has its row in them.

    Parameters
    ----------
    organism : callable, optional
        Names that of a row, empty if it is not known, in place of its header.
    """
    organism = organism or _organism
    own = {organism(chain.query) for chain in chains}
    by_organism: dict[str, list[tuple[float, int, AlignedRow]]] = {}
    for index, chain in enumerate(chains):
        same = (chain.codes == chain.query.codes).mean(axis=1).tolist()
        for row, identical in zip(chain.rows[1:], same[1:], strict=True):
            name = organism(row)
            if name and name not in own:
                by_organism.setdefault(name, []).append((identical, index, row))
    pairs = {name: _assigned(candidates, len(chains)) for name, candidates in by_organism.items()}
    pairs = {name: rows for name, rows in pairs.items() if sum(row is not None for row in rows) > 1}
    order = sorted(pairs, key=lambda name: _order(pairs[name]))
    used = {id(row) for rows in pairs.values() for row in rows}
    left = [chain.with_rows([row for row in chain.rows[1:] if id(row) not in used]) for chain in chains]
    return Complex(tuple(left), tuple(tuple(pairs[name]) for name in order), tuple(order))


def _organism(row: AlignedRow) -> str:
    organism = organism_of(row.id, row.description)
    return str(organism.taxid or organism.name)


def _assigned(candidates: list[tuple[float, int, AlignedRow]], chains: int) -> list[AlignedRow | None]:
    """Return the row of each chain, the most identical first, no sequence twice."""
    rows: list[AlignedRow | None] = [None] * chains
    taken: set[str] = set()
    for _, index, row in sorted(candidates, key=lambda candidate: -candidate[0]):
        if rows[index] is None and row.id not in taken:
            rows[index] = row
            taken.add(row.id)
    return rows


def _order(rows: Sequence[AlignedRow | None]) -> tuple[int, float]:
    present = [row for row in rows if row is not None]
    return -len(present), float(sum(np.nan_to_num(row.log10_evalue) for row in present))


def gap_row(columns: int) -> AlignedRow:
    """Return a row without residues, which keeps rows of chains side by side."""
    return AlignedRow("gap", "", np.full(columns, DELETION, dtype=np.uint8))


def in_step(pairing: Complex) -> list[MasterAlignment]:
    """Return an alignment for each chain of which row i of one belongs to row i of the others.

    First the pairs, then the other rows of the first chain, with gaps for the others, and so on.
    """
    before = 0
    made = []
    for index, chain in enumerate(pairing.chains):
        gap = gap_row(chain.columns)
        rows = [rows[index] or gap for rows in pairing.pairs] + [gap] * before + list(chain.rows[1:])
        before += len(chain) - 1
        made.append(MasterAlignment(chain.alphabet, (chain.query, *(replace(row) for row in rows))))
    return made
