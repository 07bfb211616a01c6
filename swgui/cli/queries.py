"""Reading the queries of a command."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from swgui.cli.remarks import tell_remarks
from swgui.core.alphabet import ALPHABETS, Alphabet
from swgui.core.errors import InvalidParameter, SequenceError
from swgui.core.records import SequenceRecord, with_letters
from swgui.io.alphabets import alphabet_called
from swgui.io.sequences.reader import ReadReport, read_sequences
from swgui.io.sequences.sources import STANDARD


def read_queries(
    files: Sequence[str], kind: str, expected: Alphabet | None = None
) -> tuple[tuple[SequenceRecord, ...], Alphabet]:
    """Read the queries of all files, in their order; what the reader changed or left out goes to the standard error.

    Parameters
    ----------
    files : sequence of str
        `STANDARD` is the standard input.
    kind : str
        Name of an alphabet, or ``auto``.
    expected : Alphabet, optional
        For ``auto``, where the letters allow more than one kind.

    Raises
    ------
    SwguiError
        If a file cannot be read, holds nothing, or holds sequences of another kind than the one before.
    """
    if list(files).count(STANDARD) > 1:
        raise InvalidParameter("query", STANDARD, "The standard input can be read once.", hint="Name it once.")
    alphabet = None if kind == "auto" else ALPHABETS[kind]
    queries: list[SequenceRecord] = []
    for name in files:
        records, alphabet = _read(name, alphabet, expected)
        queries += records
    assert alphabet is not None  # there is a file
    return tuple(queries), alphabet


def read_letters(path: str, queries: Sequence[SequenceRecord], kind: str) -> tuple[SequenceRecord, ...]:
    """Return queries with their letters, which another file holds under the same identifiers.

    Parameters
    ----------
    kind : str
        Name of the alphabet of the letters.

    Raises
    ------
    SwguiError
        If the file cannot be read, a query has no letters in it, or not as many as residues.
    """
    return with_letters(queries, _read(path, alphabet_called(kind))[0], kind, Path(path).name)


def _read(
    name: str, given: Alphabet | None, expected: Alphabet | None = None
) -> tuple[tuple[SequenceRecord, ...], Alphabet | None]:
    reading = ReadReport()
    records = tuple(read_sequences(name, given, reading, expected=expected))
    tell_remarks(reading, Path(name).name)
    if not records:
        raise SequenceError(f"{name} holds no sequence to search with.", path=name)
    return records, reading.alphabet
