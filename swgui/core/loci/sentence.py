"""Where a place lies among the features of its sequence, in words: ``in lacZ, exon 2``, ``35 bp before lacZ``."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from swgui.core.features import KINDS
from swgui.core.loci.table import GENES, FeatureTable, Neighbours

_Ints = NDArray[np.int64]
BASES, RESIDUES = "bp", "aa"
INTRON: Final = 10  # bases between two parts of a gene from which on they are two exons; below, the reading shifts
MAX_NAMED: Final = 3  # genes that are named one by one
_OTHERS: Final = 2  # other features that are named next to the genes
_CODING: Final = ("CDS", "mat_peptide", "sig_peptide")  # kinds whose parts are exons without their untranslated bases


class Locus(NamedTuple):
    """Where a place lies."""

    sentence: str
    genes: str  # names of the genes that it lies in, or of other features where there are no genes; may be empty
    distance: int | None  # bases to the nearest of these, 0 inside, 1 next to it; None where there are none


def locate(
    table: FeatureTable,
    starts: _Ints,
    ends: _Ints,
    strands: NDArray[np.integer] | None = None,
    unit: str = BASES,
) -> list[Locus]:
    """Loci of places: where they lie among features.

    Genes and RNAs are named first, other features behind them; on a sequence without any gene all features count alike.
    ``before`` is in front of the beginning of a gene in the direction in which it is read, ``after`` behind its end.
    The base next to a gene is 1 bp away. Exons are counted in that direction; among several transcripts the longest one
    with the place in an exon counts.

    Parameters
    ----------
    starts, ends : ndarray, shape=(k,), dtype=int64
        Half-open ranges from 0 on the plus strand; across the origin of a circle the end is behind its length.
    strands : ndarray, shape=(k,), optional
        Strand of the place where that matters: below 0 for minus.
    unit : str
        Of distances.
    """
    pairs, around = table.overlapping(starts, ends), table.neighbours(starts, ends)
    edges = np.searchsorted(pairs.place, np.arange(len(starts) + 1)).tolist()
    rows, shifts, primary = pairs.row.tolist(), pairs.shift.tolist(), table.primary
    reader, found = _Reader(table, unit), []
    for number, (first, last) in enumerate(pairwise(edges)):
        low, high = int(starts[number]), int(ends[number])
        own = [(row, shift) for row, shift in zip(rows[first:last], shifts[first:last], strict=True) if primary[row]]
        others = [row for row in rows[first:last] if not primary[row]]
        if own:
            strand = 0 if strands is None else int(np.sign(strands[number]))
            locus = reader.inside(own, low, high, strand)
        else:
            locus = reader.between(around, number)
        found.append(reader.with_others(locus, others))
    return found


class _Group(NamedTuple):
    """Rows of one gene, the widest first, and what brings the place to their positions."""

    name: str
    rows: list[int]
    shift: int


class _Reader:
    """Makes the sentences on the places of one sequence."""

    def __init__(self, table: FeatureTable, unit: str) -> None:
        self._table, self._unit = table, unit

    def label(self, row: int) -> str:
        """Name of a gene; of another feature its kind and name."""
        table = self._table
        kind, name = KINDS[table.kind(row)], table.name(row)
        if kind.group in GENES and name:
            return name
        return f"{kind.title} {name}" if name else f"{kind.title} at {int(table.starts[row]) + 1:,}"

    def inside(self, rows: Sequence[tuple[int, int]], low: int, high: int, strand: int) -> Locus:
        """Locus of a place that overlaps genes."""
        groups = self._groups(rows)
        names = list(dict.fromkeys(group.name for group in groups))
        if len(groups) > MAX_NAMED:
            noun = "genes" if self._table.has_genes else "features"
            return Locus(f"over {len(groups):,} {noun}, {groups[0].name} to {groups[-1].name}", _listed(names), 0)
        parts = [self._in(group, low + group.shift, high + group.shift, strand) for group in groups]
        return Locus("; ".join(parts), _listed(names), 0)

    def _groups(self, rows: Sequence[tuple[int, int]]) -> list[_Group]:
        """Rows by gene, in the order of the sequence: those of one name that overlap are one gene."""
        table, groups = self._table, list[_Group]()
        widest = sorted(rows, key=lambda pair: int(table.starts[pair[0]] - table.ends[pair[0]]))
        by_name: dict[str, list[_Group]] = {}
        for row, shift in widest:
            name = self.label(row)
            for group in by_name.get(name, ()) if table.name(row) else ():
                outer = group.rows[0]
                if table.starts[row] < table.ends[outer] and table.starts[outer] < table.ends[row]:
                    group.rows.append(row)
                    break
            else:
                groups.append(_Group(name, [row], shift))
                by_name.setdefault(name, []).append(groups[-1])
        return sorted(groups, key=lambda group: int(table.starts[group.rows[0]]) - group.shift)

    def _in(self, group: _Group, low: int, high: int, strand: int) -> str:
        table, outer = self._table, group.rows[0]
        start, end, plus = int(table.starts[outer]), int(table.ends[outer]), table.strands[outer] > 0
        if low <= start and high >= end:
            said = f"all of {group.name}"
        elif low < start or high > end:
            said = f"across the {'start' if (low < start) == plus else 'end'} of {group.name}"
        else:
            said = f"in {group.name}{self._part(group, low, high)}"
        return f"{said}, other strand" if strand and (strand > 0) != plus else said

    def _part(self, group: _Group, low: int, high: int) -> str:
        """Exon or intron that a place inside a gene lies in; empty for a gene in one part."""
        best: tuple[tuple[bool, bool, int], int, list[tuple[int, int]], list[int]] | None = None
        for row in group.rows:
            parts = merged(self._table.spans(row))
            if len(parts) < 2 or not (parts[0][0] <= low and high <= parts[-1][1]):
                continue
            touched = [number for number, (start, end) in enumerate(parts) if start < high and low < end]
            rank = bool(touched), self._table.kind(row) not in _CODING, sum(end - start for start, end in parts)
            if best is None or rank > best[0]:
                best = rank, row, parts, touched
        if best is None:
            return ""
        _, row, parts, touched = best
        plus, noun = self._table.strands[row] > 0, "coding exon" if self._table.kind(row) in _CODING else "exon"
        numbers = [number + 1 if plus else len(parts) - number for number in touched]
        if not touched:
            before = next(number for number, (start, _) in enumerate(parts) if start >= high)
            return f", intron {before if plus else len(parts) - before}"
        if len(touched) > 1:
            return f", {noun}s {min(numbers)} to {max(numbers)}"
        start, end = parts[touched[0]]
        border = "" if start <= low and high <= end else "across the border of "
        return f", {border}{noun} {numbers[0]}"

    def between(self, around: Neighbours, number: int) -> Locus:
        """Locus of a place in no gene."""
        sides = [
            (int(gap[number]) + 1, int(row[number]), behind)
            for gap, row, behind in (
                (around.left_gap, around.left, True),
                (around.right_gap, around.right, False),
            )
            if row[number] >= 0
        ]
        if not sides:
            return Locus("", "", None)
        distance, row, behind = min(sides, key=lambda side: side[0])
        plus = self._table.strands[row] > 0
        near = f"{distance:,} {self._unit} {'after' if behind == plus else 'before'} {self.label(row)}"
        names = [self.label(side[1]) for side in sides]
        if len(set(names)) < 2:
            return Locus(near, "", distance)
        return Locus(f"between {names[0]} and {names[1]}, {near}", "", distance)

    def with_others(self, locus: Locus, rows: Sequence[int]) -> Locus:
        """Locus with the features behind it that are no genes."""
        if not rows:
            return locus
        said = [f"in {name}" for name in dict.fromkeys(map(self.label, rows))]
        more = [f"in {len(said) - _OTHERS:,} more features"] if len(said) > _OTHERS + 1 else []
        said = said[:_OTHERS] if more else said
        return locus._replace(sentence="; ".join(filter(None, [locus.sentence, *said, *more])))


def merged(spans: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Parts of a gene as exons: those less than `INTRON` bases apart, or overlapping, are one."""
    parts: list[tuple[int, int]] = []
    for start, end in spans:
        if parts and start - parts[-1][1] < INTRON:
            parts[-1] = parts[-1][0], max(end, parts[-1][1])
        else:
            parts.append((start, end))
    return parts


def _listed(names: Sequence[str]) -> str:
    if len(names) <= MAX_NAMED:
        return ", ".join(names)
    return f"{', '.join(names[:MAX_NAMED])} and {len(names) - MAX_NAMED:,} more"
