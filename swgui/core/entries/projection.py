"""Features carried over to other coordinates: columns of an alignment, or the query that a subject is aligned with."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from swgui.core.alignment import spell_out
from swgui.core.circular import folded
from swgui.core.features import Feature
from swgui.core.hits.table import Hit
from swgui.core.plain import replace


@dataclass(frozen=True, slots=True)
class Carried:
    """A feature where it is drawn."""

    drawn: Feature  # with its spans in the other coordinates
    feature: Feature  # as its entry has it


def carry(features: Iterable[Feature], numbers: NDArray[np.int64]) -> list[Carried]:
    """Return the parts of some features that lie in a row of residues.

    Parameters
    ----------
    numbers : ndarray, shape=(k,), dtype=int64
        Residue number (from 1) in each place of the row, 0 for none; ascending or descending, and once more where the
        row crosses the origin of a circular record.

    Returns
    -------
    list of Carried
        Spans are half-open ranges of places; a span none of whose residues is in the row is left out.
    """
    present = np.flatnonzero(numbers > 0)
    steps = np.diff(numbers[present])
    breaks = np.flatnonzero(steps < 0 if 2 * (steps > 0).sum() >= len(steps) else steps > 0) + 1
    spans: dict[int, list[tuple[int, int]]] = {}
    listed = list(features)
    for part in np.split(present, breaks):
        for number, found in _spans_in(listed, numbers, part):
            spans.setdefault(number, []).extend(found)
    return [Carried(replace(listed[n], spans=tuple(sorted(spans[n]))), listed[n]) for n in sorted(spans)]


def _spans_in(
    features: Sequence[Feature], numbers: NDArray[np.int64], present: NDArray[np.int64]
) -> Iterator[tuple[int, list[tuple[int, int]]]]:
    """Yield which features are seen in places whose numbers ascend or descend, and their spans there."""
    if not len(present):
        return
    shown = numbers[present]
    if len(shown) > 1 and shown[0] > shown[-1]:  # a subject that is read backwards
        shown, present = shown[::-1], present[::-1]
    for number, feature in enumerate(features):
        if feature.end < shown[0] or feature.start >= shown[-1]:
            continue
        spans = []
        for start, end in feature.spans:
            first, behind = np.searchsorted(shown, [start + 1, end + 1])
            if first < behind:
                places = sorted((int(present[first]), int(present[behind - 1])))
                spans.append((places[0], places[1] + 1))
        if spans:
            yield number, spans


def along_query(hit: Hit) -> list[Carried]:
    """Return the subject's features on the query, as the alignment lays them there; none without an alignment.

    Spans are positions of the query as the user wrote it, from 0.
    """
    if hit.alignment is None or not hit.subject.features:
        return []
    columns = spell_out(hit.alignment)
    paired = (columns.query >= 0) & (columns.subject >= 0)
    start, end = hit.alignment.query_start, hit.alignment.query_end
    numbers = np.zeros(end - start, dtype=np.int64)
    numbers[columns.query[paired] - start] = folded(columns.subject[paired] + 1, len(hit.subject.residues))
    if hit.strand < 0:
        numbers, start = numbers[::-1], len(hit.query) - end
    moved = []
    for carried in carry(hit.subject.features, numbers):
        spans = tuple((first + start, last + start) for first, last in carried.drawn.spans)
        moved.append(replace(carried, drawn=replace(carried.drawn, spans=spans)))
    return moved
