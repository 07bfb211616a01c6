"""Formats of sequences that installed packages read, through the entry points ``swgui.readers``."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType
from typing import Final, TextIO

from swgui.core.errors import SequenceError, SwguiError, said_by
from swgui.io.plugins import add_installed
from swgui.io.sequences.parsers import PARSERS, RawRecord
from swgui.io.sequences.report import ReadReport
from swgui.io.sequences.sources import TextSource

GROUP: Final = "swgui.readers"


@dataclass(frozen=True, slots=True)
class SequenceFormat:
    """A format that a package reads.

    Parameters
    ----------
    name : str
        As people call it.
    found : callable
        Takes the first bytes of a text, unpacked and in UTF-8, and says whether it is in this format. It is asked where
        the program itself does not know the first line.
    read : callable
        Takes the open text and yields identifier, description and residues of each record. What it raises becomes
        an error with the name of the file.
    """

    name: str
    found: Callable[[bytes], bool]
    read: Callable[[TextIO], Iterable[tuple[str, str, str]]]

    def parse(self, source: TextSource, report: ReadReport) -> Iterator[RawRecord]:
        """Yield the records of a source, as the parsers of the program do."""
        try:
            for number, (identifier, description, residues) in enumerate(self.read(source.text()), start=1):
                yield RawRecord(number, 0, identifier, description, residues.encode())
        except SwguiError:
            raise
        except Exception as fault:  # whatever a package of somebody else does
            raise source.error(f"{source.name} could not be read as {self.name}: {said_by(fault)}") from fault


@cache
def installed_formats() -> Mapping[str, SequenceFormat]:
    """Return the formats of installed packages by name; those of the program are never replaced."""
    found: dict[str, SequenceFormat] = {}
    add_installed(found, GROUP, SequenceFormat, lambda form: form.name)
    return MappingProxyType({name: form for name, form in found.items() if name not in PARSERS})


def installed_format(head: bytes) -> str:
    """Return the name of the first of these formats that a text is in; empty if it is in none."""
    for form in installed_formats().values():
        try:
            if form.found(head):
                return form.name
        except Exception as fault:  # as above
            raise SequenceError(
                f"The reader '{form.name}' of an installed package fails: {said_by(fault)}",
                hint="Remove the package, or ask its authors.",
            ) from fault
    return ""
