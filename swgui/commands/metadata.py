"""A table of the user's own, added to the rows of a command's table."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any, Final, TypeVar

from swgui.core.table import Table

if TYPE_CHECKING:
    from swgui.io.metadata import Metadata

S = TypeVar("S")
_WRITTEN: Final = ("out", "export", "save", "certificate")


def metadata_of(arguments: argparse.Namespace) -> Metadata | None:
    """Return the table of the user's own, read once; None if none is named, errors as of `read_metadata`."""
    given: Metadata | str | None = getattr(arguments, "metadata", None)
    if isinstance(given, str):
        from swgui.io.metadata import read_metadata  # here: few tables have one

        arguments.metadata = own = read_metadata(given, arguments.metadata_id)
        return own
    return given


def with_metadata(table: Table[S], arguments: argparse.Namespace) -> Table[S]:
    """Return a table with the columns of the user's own, if one is named; errors as of `Metadata.join`."""
    metadata = metadata_of(arguments)
    return table if metadata is None else metadata.join(table, arguments.metadata_for)


def check(arguments: argparse.Namespace) -> None:
    """Read the table of the user's own before the work begins; errors as of `metadata_of` and `check_outputs`."""
    if path := getattr(arguments, "metadata", None):
        from swgui.io.outputs import check_outputs

        outputs: dict[str, Any] = {name: getattr(arguments, name, None) for name in _WRITTEN}
        check_outputs(outputs, [("metadata", path)])
        metadata_of(arguments)


def summary(arguments: argparse.Namespace) -> str:
    """Return a sentence on the names that were looked up; empty without a table of the user's own."""
    metadata = metadata_of(arguments)
    return "" if metadata is None else metadata.summary()
