"""The features of subjects as sections of a database file: optional, and passed over by older programs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from numpy.typing import NDArray

from swgui.core.index_check import are_offsets
from swgui.core.texts import TextColumn

# Name and dtype: texts (`swgui.core.entries.features`) in source order, and where each begins.
SECTIONS: Final = {"features": "<u1", "feature_offsets": "<i8"}


def features_of(arrays: Mapping[str, NDArray[Any]], subjects: int) -> TextColumn | None:
    """Return the texts of a file; None if it has none.

    Raises
    ------
    ValueError
        If they lead nowhere; its text names the section.
    """
    if not any(name in arrays for name in SECTIONS):
        return None
    missing = [name for name in SECTIONS if name not in arrays]
    if missing:
        raise ValueError(missing[0])
    data, offsets = arrays["features"], arrays["feature_offsets"]
    if len(offsets) != subjects + 1 or not are_offsets(offsets, len(data)):
        raise ValueError("feature_offsets")
    return TextColumn(data, offsets)
