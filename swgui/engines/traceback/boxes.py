"""Places of alignments with a score in a long subject: boxes, so that the rest is never computed again.

A window that overlaps the next one by the longest possible alignment holds any alignment wholly, or misses it. So every
alignment with at least some score lies in a window that scores as much, and windows that overlap make one box: two
alignments in two boxes share nothing.
"""

from __future__ import annotations

from typing import Final

import msgspec
import numpy as np
from numpy.typing import NDArray

from swgui.core.control import Check
from swgui.core.database import Residues
from swgui.core.scoring import EncodedQuery, ScoringScheme, TwoTrackMatrix
from swgui.engines import native
from swgui.engines.windows import cut, longest_span, window_step

LONG: Final = 8  # times the longest alignment: a shorter subject is one box
GROUP: Final = 64  # wide windows from which on these are scored first: as many as a vector has lanes
NARROW: Final = 2048  # residues between the starts of two narrow windows, at least

_Ranges = list[tuple[int, int]]


class Box(msgspec.Struct, frozen=True):
    """Part of a subject."""

    # start, stop: half-open range of residues
    start: int
    stop: int
    bound: int | None = None  # no alignment in it scores more; None if that is not known


def boxes(
    query: EncodedQuery,
    subject: Residues,
    scheme: ScoringScheme,
    least: int,
    *,
    check: Check = lambda: None,
) -> list[Box]:
    """Return the parts of a subject that hold all alignments with a score of `least` or more.

    Parameters
    ----------
    subject : ndarray or Residues, shape=(n,), dtype=uint8
    """
    profile = query.scores(scheme)
    costs = scheme.gap_first, scheme.gap_extend
    span = longest_span(query, scheme)
    if span is None or len(subject) <= LONG * span:
        return [Box(0, len(subject))]

    def score(windows: _Ranges) -> NDArray[np.int64]:
        return native.scores(profile, _windows_of(subject, windows), *costs, gaps=query.gaps, check=check)

    narrow = cut(len(subject), span, max(span, NARROW))
    wide = cut(len(subject), span, window_step(span))
    if len(wide) >= GROUP:
        narrow = []
        for (start, stop), enough in zip(wide, score(wide) >= least, strict=True):
            narrow += [(start + a, start + b) for a, b in cut(stop - start, span, max(span, NARROW)) if enough]
    return _joined(narrow, score(narrow), least)


def query_boxes(
    query: EncodedQuery,
    subject: Residues,
    scheme: ScoringScheme,
    least: int,
    *,
    check: Check = lambda: None,
) -> list[Box] | None:
    """Return parts of a query that is long relative to the subject, as `boxes` does of subjects.

    Returns
    -------
    list of Box, or None
        None of a query that is not so long, or scores by position.
    """
    plain = query.profile is None and query.gaps is None and not isinstance(scheme.matrix, TwoTrackMatrix)
    if not plain or len(query) <= LONG * len(subject):
        return None
    codes = subject[0 : len(subject)]
    turned = EncodedQuery("", codes, np.ascontiguousarray(scheme.matrix.scores.T[codes], dtype=np.int16))
    return boxes(turned, query.codes, scheme, least, check=check)


def _windows_of(subject: Residues, windows: _Ranges) -> native.Subjects:
    """Return windows, ascending, as subjects; without copies of arrays in memory, or repeated translation of others."""
    starts, stops = np.array(windows, dtype=np.int64).reshape(-1, 2).T
    if isinstance(subject, np.ndarray):
        return native.Subjects(np.ascontiguousarray(subject), np.ascontiguousarray(starts), stops - starts)
    apart = np.append(True, starts[1:] > stops[:-1])[: len(starts)]
    first = np.flatnonzero(apart)
    last = np.append(first[1:], len(starts)) - 1
    runs = [subject[start:stop] for start, stop in zip(starts[first].tolist(), stops[last].tolist(), strict=True)]
    before = np.cumsum([0, *map(len, runs)])[:-1] - starts[first]
    moved = starts + before[np.cumsum(apart) - 1]
    return native.Subjects(np.concatenate([np.zeros(0, np.uint8), *runs]), moved, stops - starts)


def _joined(windows: _Ranges, scores: NDArray[np.int64], least: int) -> list[Box]:
    """Join windows that score enough and overlap."""
    joined: list[Box] = []
    for (start, stop), score in zip(windows, scores.tolist(), strict=True):
        if score < least:
            continue
        if joined and start < joined[-1].stop:
            last = joined.pop()
            joined.append(Box(last.start, max(last.stop, stop), max(last.bound or 0, score)))
        else:
            joined.append(Box(start, stop, score))
    return joined
