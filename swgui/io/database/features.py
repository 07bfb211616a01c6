"""Features and coordinates of subjects as sections of a database file: optional, and passed over by older programs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from numpy.typing import NDArray

from swgui.core.index_check import are_offsets
from swgui.core.texts import TextColumn

# Name and dtype: texts (`swgui.core.entries.features`) in source order, and where each begins.
SECTIONS: Final = {"features": "<u1", "feature_offsets": "<i8", "places": "<u1", "place_offsets": "<i8"}


def features_of(arrays: Mapping[str, NDArray[Any]], subjects: int) -> TextColumn | None:
    """Return the texts of a file; None if it has none.

    Raises
    ------
    ValueError
        If they lead nowhere; its text names the section.
    """
    return _column("features", "feature_offsets", arrays, subjects)


def places_of(arrays: Mapping[str, NDArray[Any]], subjects: int) -> TextColumn | None:
    """Return the coordinates of a file, as `features_of` returns features."""
    return _column("places", "place_offsets", arrays, subjects)


def _column(name: str, index: str, arrays: Mapping[str, NDArray[Any]], subjects: int) -> TextColumn | None:
    if name not in arrays and index not in arrays:
        return None
    if missing := next((section for section in (name, index) if section not in arrays), None):
        raise ValueError(missing)
    data, offsets = arrays[name], arrays[index]
    if len(offsets) != subjects + 1 or not are_offsets(offsets, len(data)):
        raise ValueError(index)
    return TextColumn(data, offsets)
