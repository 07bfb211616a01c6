"""Boxes of many strands at once: the same as of one after the other."""

from __future__ import annotations

import numpy as np

from swgui.core.hits.scores import WindowScores
from swgui.jobs.search.shifts.finding import KnownBoxes

WIDTH = 8  # columns that share a peak


def within(places, part, least):
    """Return which of some ranges with scores meet a part and have a score."""
    starts, stops, scores = places
    return places[:, (stops > part[0]) & (starts < part[1]) & (scores >= least)]


def around_best(windows, box):
    part = int(windows.starts[box]), int(windows.stops[box])
    begins, ends = (within(places, part, int(windows.scores[box])) for places in (windows.begins, windows.ends))
    return int(begins[0, 0]), int(ends[1, 0])


def left_of(windows, start, stop, least):
    begins, ends = (within(places, (start, stop), least) for places in (windows.begins, windows.ends))
    if not begins.size or not ends.size:
        return start, start
    return max(start, int(begins[0, 0])), min(stop, int(ends[1].max()))


def made(rng, least):
    """Return boxes, each with its best alignment and some others, ranges of which may be cut off."""
    at, boxes, begins, ends = int(rng.integers(50)), [], [], []
    for _ in range(int(rng.integers(0, 7))):
        size, best = int(rng.integers(3 * WIDTH, 9 * WIDTH)), int(rng.integers(least, 90))
        for kind in (begins, ends):
            starts = np.sort(rng.choice(size - 1, int(rng.integers(1, 5)), replace=False))
            scores = rng.integers(least - 5, best + 1, len(starts))
            scores[rng.integers(len(starts))] = best
            stops = np.minimum(starts + np.where(rng.random(len(starts)) < 0.2, 1, WIDTH), size)
            kind.append(np.stack([at + starts, at + stops, scores]))
        boxes.append((at, at + size + 2, best))
        at += size + 1 + int(rng.integers(30))
    nothing = np.zeros((3, 0), dtype=np.int64)
    starts, stops, scores = np.array(boxes, dtype=np.int64).reshape(-1, 3).T
    ends, begins = (np.concatenate([nothing, *kind], axis=1) for kind in (ends, begins))
    return WindowScores(0, starts, stops, scores.astype(np.int32), least, ends, begins)


def test_many_at_once_are_one_after_the_other(rng):
    for _ in range(40):
        least = rng.integers(20, 40, 6)
        windows = [None if rng.random() < 0.2 else made(rng, int(low)) for low in least]
        asked = least + rng.integers(0, 8, 6)
        boxes = KnownBoxes(windows, asked)
        expected = [
            (item, *around_best(one, box), int(one.starts[box]), int(one.stops[box]))
            for item, one in enumerate(windows)
            if one is not None
            for box in np.flatnonzero(one.scores >= asked[item]).tolist()
        ]
        assert list(zip(*(column.tolist() for column in boxes.around_best()), strict=True)) == expected
        assert boxes.has_boxes.tolist() == [one is not None for one in windows]
        item = np.sort(rng.integers(0, 6, 30))
        starts = rng.integers(0, 400, 30)
        stops = starts + rng.integers(0, 200, 30)
        left = []
        for of, start, stop in zip(item.tolist(), starts.tolist(), stops.tolist(), strict=True):
            one = windows[of]
            low, high = (start, stop) if one is None else left_of(one, start, stop, int(asked[of]))
            left += [(of, low, high - low)] if high > low else []
        assert list(zip(*(column.tolist() for column in boxes.left_of(item, starts, stops)), strict=True)) == left


def test_windows_that_hold_too_little_are_not_known():
    one = WindowScores(0, np.array([0]), np.array([50]), np.array([80], dtype=np.int32))
    boxes = KnownBoxes([one, None], np.array([20, 20]))
    assert not boxes.has_boxes.any()
    left = boxes.left_of(np.array([0, 1]), np.array([3, 9]), np.array([7, 9]))
    assert [column.tolist() for column in left] == [[0], [3], [4]]
