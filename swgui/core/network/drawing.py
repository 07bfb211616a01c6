"""Large networks as pictures: edges as a density, sequences as discs, all in arrays."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from swgui.core.ranges import places_within

SAMPLES: Final = 4_000_000  # points on edges that are counted, at most
FULL: Final = 6.0  # edges through a pixel from which on it is as dark as it becomes
_NONE: Final = np.zeros(0, dtype=np.int64)


def edge_density(
    starts: NDArray[np.floating], ends: NDArray[np.floating], width: int, height: int
) -> NDArray[np.float32]:
    """Return the darkness of each pixel by edges, 0 to 1, shape (height, width).

    Parameters
    ----------
    starts, ends : ndarray, shape=(n, 2)
        In pixels; may lie outside.
    """
    picture = np.zeros(width * height, dtype=np.float64)
    low, high = np.minimum(starts, ends), np.maximum(starts, ends)
    seen = (high[:, 0] >= 0) & (high[:, 1] >= 0) & (low[:, 0] < width) & (low[:, 1] < height)
    starts, ends = starts[seen], ends[seen]
    lengths = np.ceil(np.abs(ends - starts).max(axis=1, initial=0)).astype(np.int64) + 1 if len(starts) else _NONE
    total = int(lengths.sum())
    part = max(total / SAMPLES, 1.0)
    counts = np.maximum((lengths / part).astype(np.int64), 1)
    for chosen in np.array_split(np.arange(len(starts)), max(int(counts.sum()) >> 20, 1)):
        many = counts[chosen]
        of = np.repeat(chosen, many)
        along = (places_within(many) + 0.5) / np.repeat(many, many)
        points = np.floor(starts[of] + along[:, None] * (ends[of] - starts[of])).astype(np.int64)
        inside = (points >= 0).all(axis=1) & (points[:, 0] < width) & (points[:, 1] < height)
        weight = (lengths[of] / counts[of])[inside]
        picture += np.bincount(points[inside, 1] * width + points[inside, 0], weight, len(picture))
    dark = np.minimum(np.log1p(picture) / np.log1p(FULL), 1.0)
    return np.asarray(dark, dtype=np.float32).reshape(height, width)


def put_discs(
    picture: NDArray[np.uint8], points: NDArray[np.floating], colours: NDArray[np.uint8], radius: int
) -> None:
    """Draw discs into a picture; the later ones lie above.

    Parameters
    ----------
    picture : ndarray, shape=(height, width, 4)
        Changed.
    points : ndarray, shape=(n, 2)
        Centres in pixels; may lie outside.
    colours : ndarray, shape=(n, 4), dtype=uint8
    """
    height, width = picture.shape[:2]
    middle = np.floor(points).astype(np.int64)
    seen = (middle >= -radius).all(axis=1) & (middle[:, 0] < width + radius) & (middle[:, 1] < height + radius)
    middle, colours = middle[seen], colours[seen]
    for x in range(-radius, radius + 1):
        for y in range(-radius, radius + 1):
            if x * x + y * y > (radius + 0.3) ** 2:
                continue
            place = middle + np.array([x, y])
            inside = (place >= 0).all(axis=1) & (place[:, 0] < width) & (place[:, 1] < height)
            picture[place[inside, 1], place[inside, 0]] = colours[inside]
