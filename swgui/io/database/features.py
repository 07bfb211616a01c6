"""Texts of subjects as sections of a database file; features and coordinates are passed over by older programs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from numpy.typing import NDArray

from swgui.core.database import EncodedDatabase
from swgui.core.index_check import are_offsets
from swgui.core.texts import TextColumn

# Name and dtype: texts (`swgui.core.features`) in source order, and where each begins.
SECTIONS: Final = {"features": "<u1", "feature_offsets": "<i8", "places": "<u1", "place_offsets": "<i8"}


def text_columns(database: EncodedDatabase) -> Iterator[tuple[str, str, TextColumn]]:
    """Yield the texts that a database has of its subjects, with the names of their sections and of their offsets."""
    for name, offsets, column in (
        ("ids", "id_offsets", database.ids),
        ("descriptions", "description_offsets", database.descriptions),
        ("features", "feature_offsets", database.feature_texts),
        ("places", "place_offsets", database.places),
    ):
        if column is not None:
            yield name, offsets, column


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
