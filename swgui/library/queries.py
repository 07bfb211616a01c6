"""Sequences in any form that users have, as records.

The rule for texts: one with a line end, or that begins with ``>``, is the content of a file of sequences. Any other
is the name of a file, unless it consists of nothing but the symbols of residues, and there is no such file: then it is
a sequence itself. A `pathlib.Path` is always a file.

Objects of Biopython, biotite and scikit-bio are known by what they have; these packages are not imported.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sized
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TypeAlias

from swgui.core.alphabet import ALPHABETS, Alphabet, guess_alphabet
from swgui.core.errors import InvalidParameter
from swgui.core.records import SequenceRecord
from swgui.core.scoring import check_same_alphabet
from swgui.io.sequences.reader import ReadReport, read_sequences, read_text

Sequences: TypeAlias = Any  # what `read_given` takes
_BARE: Final = re.compile(r"[A-Za-z*\s]*")
_SYMBOLS: Final = re.compile(r"[A-Za-z*.\-]*")


@dataclass(frozen=True, slots=True)
class ReadSequences:
    """The sequences of a call.

    Parameters
    ----------
    records : tuple of SequenceRecord
        Cleaned.
    alphabet : Alphabet
        Of all of them.
    remarks : tuple of str
        Changes and omissions in reading them.
    files : tuple of Path
        Files that were read.
    """

    records: tuple[SequenceRecord, ...]
    alphabet: Alphabet
    remarks: tuple[str, ...] = ()
    files: tuple[Path, ...] = ()


def read_given(
    given: Sequences,
    kind: str = "auto",
    role: str = "queries",
    unnamed: str = "query",
    expected: Alphabet | None = None,
) -> ReadSequences:
    """Return sequences of any kind as records.

    Parameters
    ----------
    given : str, Path, sequence object, mapping of str to any of them, or iterable of them
        As the module says. A mapping names its sequences.
    kind : {"auto", "protein", "nucleotide"}
    role : str
        Name of the parameter, for errors.
    unnamed : str
        Name of a sequence without one; with ``_1``, ``_2`` and so on where there are several.
    expected : Alphabet, optional
        For ``auto``, where the letters allow more than one kind.

    Raises
    ------
    SequenceError, AlphabetMismatch
        If they cannot be read, or are of different kinds.
    InvalidParameter
        If an object is no sequence, or there is none.
    """
    reading = _RecordReader(None if kind == "auto" else ALPHABETS[kind], role, expected)
    several = not _is_one(given)
    for number, (name, item) in enumerate(_each(given), start=1):
        reading.take(item, name or (f"{unnamed}_{number}" if several else unnamed))
    return reading.end()


class _RecordReader:
    """Reads inputs one after the other; sequences that are no files are collected, and read together."""

    def __init__(self, alphabet: Alphabet | None, role: str, expected: Alphabet | None) -> None:
        self.alphabet, self.role, self.expected = alphabet, role, expected
        self.records: list[SequenceRecord] = []
        self.remarks: list[str] = []
        self.files: list[Path] = []
        self.kinds: list[Alphabet] = []
        self._texts: list[str] = []

    def take(self, item: object, name: str) -> None:
        """Take a file, a text or an object, or a sequence that may be without a name."""
        if isinstance(item, SequenceRecord):
            self._flush()
            self.records.append(item)
        elif (path := _file(item)) is not None:
            self._flush()
            self.files.append(path)
            self._read(lambda report: read_sequences(path, self.alphabet, report, expected=self.expected), path.name)
        elif isinstance(item, str) and not _BARE.fullmatch(item):
            self._flush()
            self._read_text(item)
        else:
            self._texts.append(_as_text(item, name, self.role))

    def end(self) -> ReadSequences:
        """Return the records that were read."""
        self._flush()
        if not self.records:
            raise InvalidParameter(self.role, 0, f"There is no sequence in {self.role}.", hint="Give at least one.")
        if not (kinds := self.kinds):  # nothing was read: all were records already
            kinds = [guess_alphabet(b"".join(record.residues for record in self.records), self.expected)]
        alphabet = self.alphabet or kinds[0]
        for kind in self.kinds:
            check_same_alphabet(alphabet, kind, f"sequence after the first of {self.role}")
        return ReadSequences(tuple(self.records), alphabet, tuple(self.remarks), tuple(self.files))

    def _flush(self) -> None:
        if self._texts:
            text = "".join(self._texts)
            self._texts.clear()
            self._read_text(text)

    def _read_text(self, text: str) -> None:
        self._read(lambda report: read_text(text, self.alphabet, report, expected=self.expected))

    def _read(self, read: Callable[[ReadReport], Iterable[SequenceRecord]], name: str = "") -> None:
        report = ReadReport()
        records = list(read(report))
        self.records += records
        self.remarks += [f"{name}: {text}" if name else text for text in report.brief()]
        if report.alphabet is not None and self.alphabet is None:
            self.kinds.append(report.alphabet)


def _is_one(given: Sequences) -> bool:
    if isinstance(given, str | os.PathLike | SequenceRecord) or _residues(given) is not None:
        return True
    return hasattr(given, "__bytes__")  # Biopython's of a known length without residues


def _each(given: Sequences) -> Iterator[tuple[str, Any]]:
    """Yield the sequences one by one, each with its name if a mapping has one."""
    if _is_one(given):
        yield "", given
    elif isinstance(given, Mapping):
        yield from ((str(name), item) for name, item in given.items())
    elif isinstance(given, Iterable):
        yield from (("", item) for item in given)
    else:
        yield "", given  # which is no sequence, and is refused as such


def _file(item: object) -> Path | None:
    """Return the file that is meant; None if it is a sequence, or the content of a file."""
    if isinstance(item, os.PathLike):
        return Path(item)
    if not isinstance(item, str) or item.startswith(">") or "\n" in item.strip():
        return None
    return None if _BARE.fullmatch(item) and not os.path.exists(item) else Path(item)


def _as_text(item: object, name: str, role: str) -> str:
    """Return a sequence as FASTA."""
    residues = item if isinstance(item, str) else _residues(item)
    if residues is None:
        raise InvalidParameter(
            role,
            item,
            f"An object of the class {type(item).__name__} is no sequence.",
            hint="Give text, a path, or a sequence of Biopython, biotite or scikit-bio.",
        )
    return f">{' '.join(_title(item, name).split())}\n{residues}\n"


def _residues(item: object) -> str | None:
    """Return the residues of an object; None if it is no sequence.

    They are its text when printed, one symbol for each of its length. So do the sequences of Biopython, biotite and
    scikit-bio; a record has one as its ``seq``.
    """
    of_record = getattr(item, "seq", None)
    if isinstance(of_record, str):
        return of_record
    sequence = item if of_record is None else of_record
    if isinstance(sequence, str | bytes | list | tuple | set | Mapping) or not isinstance(sequence, Sized):
        return None
    try:
        text = str(sequence)
    except Exception:  # of another package's class
        return None
    return text if len(text) == len(sequence) and _SYMBOLS.fullmatch(text) else None


def _title(item: Any, name: str) -> str:
    """Return id and description of a sequence object, or the name that is given to it."""
    metadata = getattr(item, "metadata", None)  # of scikit-bio
    facts = metadata if isinstance(metadata, Mapping) else {n: getattr(item, n, "") for n in ("id", "description")}
    identifier, description = (str(facts.get(key) or "") for key in ("id", "description"))
    identifier = "" if identifier.startswith("<unknown") else identifier  # Biopython's word for none
    description = "" if description.startswith("<unknown") else description.removeprefix(identifier)
    return f"{identifier or name} {description}"
