"""The organisms of the subjects among the hits in a saved search, with the tree above them."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from swgui.core.organisms.subjects import UNKNOWN, SubjectOrganisms
from swgui.io.database.organisms import SECTIONS, organisms_of, sections_of
from swgui.io.saved.pack import PackReader, PackWriter, damaged

_FIRST: Final = next(iter(SECTIONS))


def write_organisms(pack: PackWriter, stored: SubjectOrganisms | None, index: NDArray[np.int64]) -> None:
    """Write what a database stores of organisms, as far as some subjects need it; nothing if it stores nothing."""
    if stored is not None:
        for name, array in sections_of(stored.take(index).condensed()).items():
            pack.array(f"subjects/{name}.npy", array)


def read_organisms(pack: PackReader, count: int, index: NDArray[np.int64]) -> SubjectOrganisms | None:
    """Return what `write_organisms` wrote, for a database of `count` subjects; None if it wrote nothing.

    Raises
    ------
    SavedSearchError
        If it is damaged.
    """
    if f"subjects/{_FIRST}.npy" not in pack:
        return None
    parts = {name: f"subjects/{name}.npy" for name in SECTIONS}
    arrays = {name: pack.array(part, np.dtype(SECTIONS[name]).str, (pack.count(part),)) for name, part in parts.items()}
    try:
        found = organisms_of(arrays, len(index))
    except ValueError as fault:
        raise damaged(pack.path, f"the part 'subjects/{fault}.npy' leads nowhere") from None
    if found is None:
        return None
    of = np.full(count, UNKNOWN, dtype=np.int32)
    of[index] = found.of
    return replace(found, of=of)
