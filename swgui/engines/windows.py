"""Cutting one very long subject into overlapping windows without losing an alignment."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from swgui.core.scoring import EncodedQuery, ScoringScheme, bounds

WINDOW: Final = 1 << 14  # residues between the starts of two windows, at least
SPANS: Final = 16  # smallest length in units of the longest alignment: overlaps are scored twice
PART: Final = 1 << 11  # the same of windows that are scored side by side
PART_SPANS: Final = 4
LONG_SUBJECT: Final = 1 << 16  # residues of a subject that a GPU still scores as a whole
SHARES: Final = 1 << 10  # subjects that a GPU scores at a time, about: none of them is to have more than its share


def longest_span(query: EncodedQuery, scheme: ScoringScheme) -> int | None:
    """Return the most subject residues that an alignment with a score above 0 can cover.

    Its aligned pairs add up to at most the bound T of the query, and there are at most m of them. The d residues that
    it skips in the subject cost at least as much as one gap of that length, and that must stay below T: ``gap_first +
    (d - 1) * gap_extend < T``. For costs by position those of the cheapest insertion count.

    Returns
    -------
    int or None
        None if there is no limit (longer gaps cost nothing).
    """
    bound, costs = query.bound(scheme), (scheme.gap_first, scheme.gap_extend)
    gap_first, gap_extend = costs if query.gaps is None else query.gaps.cheapest_insertion
    if bound <= gap_first:
        return len(query)
    if gap_extend == 0:
        return None
    return len(query) + (bound - gap_first - 1) // gap_extend + 1


def longest_spans(queries: Sequence[EncodedQuery], scheme: ScoringScheme) -> NDArray[np.int64]:
    """Return `longest_span` of each of some queries, shape (k,); -1 where there is no limit."""
    if any(query.gaps is not None for query in queries):
        found = [longest_span(query, scheme) for query in queries]
        return np.array([-1 if span is None else span for span in found], dtype=np.int64)
    return spans_within(np.array([*map(len, queries)], dtype=np.int64), bounds(queries, scheme), scheme)


def spans_within(lengths: NDArray[np.int64], highest: NDArray[np.int64], scheme: ScoringScheme) -> NDArray[np.int64]:
    """Return `longest_spans` of queries of these lengths that score at most `highest`, shape (k,)."""
    gap_first, gap_extend = scheme.gap_first, scheme.gap_extend
    skipped = (highest - gap_first - 1) // gap_extend + 1 if gap_extend else -1 - lengths
    return np.asarray(lengths + np.where(highest > gap_first, skipped, 0))


def cut(length: int, span: int | None, step: int) -> list[tuple[int, int]]:
    """Return half-open windows of which every stretch of `span` residues lies wholly inside one.

    Parameters
    ----------
    span : int or None
        From `longest_span`; None leaves the subject whole.
    step : int
        How far apart windows should start; more if they would overlap by more than half otherwise.
    """
    if span is None or length <= max(step, span) + span:
        return [(0, length)]
    step = max(step, span)
    starts = range(0, length - span, step)
    return [(start, min(start + step + span, length)) for start in starts]


def wants_parts(offsets: NDArray[np.int64]) -> bool:
    """Return True if a GPU would wait for the longest subject of a database, which comes first.

    Parameters
    ----------
    offsets : ndarray, shape=(N + 1,), dtype=int64
    """
    longest = int(offsets[1]) if len(offsets) > 1 else 0
    return longest > max(LONG_SUBJECT, int(offsets[-1]) // SHARES)


def window_step(span: int | None) -> int:
    """Return the distance of the starts of windows of a long subject that locates its alignments."""
    return max(WINDOW, SPANS * (span or 0))


def part_step(span: int | None) -> int:
    """Return the same for windows as subjects of their own: enough of them to be scored side by side."""
    return max(PART, PART_SPANS * (span or 0))
