"""Reading the queries of a command."""

from __future__ import annotations

import sys
from pathlib import Path

from swgui.core.alphabet import ALPHABETS, Alphabet, guess_alphabet
from swgui.core.errors import SequenceError
from swgui.core.records import SequenceRecord
from swgui.io.sequences.reader import ReadReport, read_sequences


def read_queries(path: Path, kind: str) -> tuple[tuple[SequenceRecord, ...], Alphabet]:
    """Read the queries; what the reader changed or left out goes to the standard error."""
    given = None if kind == "auto" else ALPHABETS[kind]
    notes = ReadReport()
    records = tuple(read_sequences(path, given, notes))
    for text in notes.brief():
        print(f"swgui: {path.name}: {text}", file=sys.stderr)
    if not records:
        raise SequenceError(f"{path} holds no sequence to search with.", path=str(path))
    return records, given or guess_alphabet(b"".join(record.residues for record in records))
