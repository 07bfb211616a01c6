"""A table of the user's own, whose columns are added to a result: CSV, TSV or the first sheet of a workbook.

Its rows are found by the names of sequences as `swgui.core.compare.matching` compares them: the whole identifier, a
part of it between bars, and these without version.
"""

from __future__ import annotations

import csv
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeVar

from swgui.core.compare.matching import NameIndex
from swgui.core.errors import InvalidParameter, SequenceError, SwguiError
from swgui.core.table import SHORTEST, Column, Kind, Table, Value, Values, listed
from swgui.core.words import agree, count
from swgui.io.cells import clean_text, distinct_names, free_name, from_spreadsheet
from swgui.io.marks import STAR_SIGN, Mark, MarksError, marks_place, read_marks
from swgui.io.opening import open_to_read
from swgui.io.read_report import shown
from swgui.io.sequences.sources import open_file
from swgui.paths import is_project

S = TypeVar("S")
# Heads of a column of names, in lower case and without signs; the first in this order that a table has.
ID_HEADS: Final = (
    *("sseqid", "id", "identifier", "seqid", "sequenceid", "proteinid", "accession", "accessionversion", "acc"),
    *("uniprot", "uniprotid", "uniprotaccession", "entry", "name", "sequence", "protein", "subject", "target"),
)
# Columns of results that name the sequences which rows are looked up for, by key: the first that a result has.
NAME_KEYS: Final = ("sseqid", "sequence", "id", "test", "subject", "target", "qseqid")
_WORKBOOK: Final = b"PK\x03\x04"  # how a workbook begins
_SIGNS: Final = re.compile(r"[^a-z0-9]")
_INTEGER: Final = re.compile(r"-?(0|[1-9]\d{0,14})")
_REAL: Final = re.compile(r"-?((?:0|[1-9]\d*)(?:\.\d+)?|\.\d+)([eE][-+]?\d+)?")
_UNKNOWN: Final = frozenset(("", "NA", "N/A", "NaN", "nan"))  # in columns of numbers
_DIGITS: Final = 10  # significant ones that a number of `SHORTEST` keeps
_HINT: Final = "It should be CSV, TSV or XLSX: a line of column names, then one line for each name."
_OPTION: Final = "Call that column id, or name it with --metadata-id."


class MetadataError(SwguiError, ValueError):
    """A table of the user's own that cannot be read; ``path`` names the file."""

    def __init__(self, path: str, message: str, *, hint: str = _HINT) -> None:
        super().__init__(message, hint=hint)
        self.path = path


class _Given(NamedTuple):
    """One column as it stands in the file."""

    title: str
    kind: Kind
    decimals: int
    values: list[Value]


class Metadata:
    """A table of the user's own: names, and columns of values for them.

    It counts the names that were looked up, for `summary`.
    """

    def __init__(
        self, file: str, head: str, names: list[str], given: list[_Given], remarks: Sequence[str] = ()
    ) -> None:
        self.file, self.head, self.names, self.given, self.remarks = file, head, names, given, list(remarks)
        self._index = NameIndex(names)
        self._rows: dict[str, int | None] = {}  # of each name that was looked up
        self._ambiguous: set[str] = set()

    def prepare(self) -> None:
        """Make all that finds rows, so that threads can look them up."""
        self._index.find("")

    def row(self, name: str) -> int | None:
        """Return the row of a name; None where there is none, or more than one."""
        if name not in self._rows:
            places = self._index.find(name)
            self._rows[name] = places[0] if len(places) == 1 else None
            if len(places) > 1:
                self._ambiguous.add(name)
        return self._rows[name]

    def columns(self, names: Callable[[S], Sequence[Value]], taken: Sequence[str]) -> list[Column[S]]:
        """Return the columns for a table.

        Parameters
        ----------
        names : callable
            Returns the name of each row of a part of the table.
        taken : sequence of str
            Keys of the table's own columns; a column of the same name gets a number, which `remarks` then say.
        """
        rows, keys = _RowsOf(self, names), list(taken)
        columns = []
        for one in self.given:
            key = free_name(one.title, 2, keys)
            if key != one.title:
                self.remarks.append(f"its column '{one.title}' is called '{key}': the table has a column of that name")
            keys.append(key)
            said = f"From {self.file}, by its column '{self.head}'."
            read = partial(_values, rows, one.values)
            columns.append(Column[S](key, key, said, one.kind, read=read, decimals=one.decimals))
        return columns

    def join(self, table: Table[S], by: str | None = None) -> Table[S]:
        """Return a table with these columns after its own.

        Parameters
        ----------
        by : str, optional
            Column of the table with the names that rows are looked up for; the first of `NAME_KEYS` if not given.

        Raises
        ------
        InvalidParameter
            If the table has no such column.
        """
        own = {column.key: column for column in table.available}
        key = by or next((key for key in NAME_KEYS if key in own), None)
        if key not in own:
            message = f"There is no column '{by}' to join by." if by else "The table has no column of sequence names."
            raise InvalidParameter("metadata_for", by, message, hint=f"Columns are {', '.join(own)}.")
        more = self.columns(own[key].values, list(own))
        return Table([*table.available, *more], table.parts, [*table.columns, *more])

    @property
    def found(self) -> int:
        """How many of the names that were looked up have a row."""
        return sum(row is not None for row in self._rows.values())

    def summary(self) -> str:
        """Return a sentence on the names that were looked up; empty if there were none."""
        remarks = [*self._said(), *dict.fromkeys(self.remarks)]
        return f"{self.file}: {'; '.join(remarks)}." if remarks else ""

    def _said(self) -> Iterator[str]:
        if not self._rows:
            return
        names, found = len(self._rows), self.found
        if not found and not self._ambiguous:
            theirs, ours = (shown(name, 30) for name in (self.names[0], next(iter(self._rows))))
            yield (
                f"it has a row for none of the {count(names, 'name')} of the result: its column '{self.head}' has "
                f"'{theirs}', the result '{ours}'"
            )
            return
        yield f"{found:,} of {count(names, 'name')} of the result {agree(found, 'has', 'have')} a row"
        if self._ambiguous:
            several = len(self._ambiguous)
            yield f"{several:,} {agree(several, 'matches', 'match')} several of its rows, without values"


class _RowsOf:
    """The rows of a table of the user's own for a part of a result, looked up once for all columns."""

    def __init__(self, metadata: Metadata, names: Callable[[Any], Sequence[Value]]) -> None:
        self._metadata, self._names = metadata, names
        self._kept: tuple[object, list[int | None]] = (None, [])  # replaced at once: threads may read

    def of(self, source: object) -> list[int | None]:
        kept, rows = self._kept
        if source is not kept:
            row = self._metadata.row
            rows = [None if name is None else row(str(name)) for name in listed(self._names(source))]
            self._kept = source, rows
        return rows


def _values(rows: _RowsOf, values: Sequence[Value], source: object) -> Values:
    return [None if row is None else values[row] for row in rows.of(source)]


def marks_metadata(marks: Mapping[str, Mark], name: str) -> Metadata:
    """Return stars and notes on sequences as a table of the user's own.

    Parameters
    ----------
    marks : Mapping
        By the identifiers of sequences.
    name : str
        Of the project, for remarks.
    """
    given = [
        _Given("project_star", "word", 0, [STAR_SIGN if mark.star else None for mark in marks.values()]),
        _Given("project_note", "text", 0, [mark.note or None for mark in marks.values()]),
    ]
    return Metadata(name, "identifier", list(marks), given)


def _marks_of(project: Path) -> Metadata:
    """Return the stars and notes of a project; `MetadataError` if there are none, or if it is another folder."""
    if not is_project(project):
        raise MetadataError(str(project), f"'{project}' is a folder, not a table.", hint="Choose a file in it.")
    try:
        marks = read_marks(marks_place(project / "runs")).records
    except MarksError as fault:
        raise MetadataError(str(project), fault.message, hint=fault.hint) from fault
    if not marks:
        raise MetadataError(
            str(project), f"The project '{project.name}' has no star or note on a sequence yet.", hint=""
        )
    return marks_metadata(marks, project.name)


def read_metadata(path: str | os.PathLike[str], head: str | None = None) -> Metadata:
    """Read a table of the user's own; its content tells CSV, TSV and XLSX apart, and it may be packed.

    Parameters
    ----------
    path : path
        Of the file, or of the folder of a project, whose stars and notes are the table then.
    head : str, optional
        Column with the names of sequences; by its head if not given (`ID_HEADS`).

    Raises
    ------
    MetadataError
        If it cannot be read, has no such column, or two rows say different things of one name.
    """
    place, name = str(path), Path(path).name
    if Path(path).is_dir():
        return _marks_of(Path(path))
    with _lines(place, name) as rows:
        heads = distinct_names(
            clean_text(text) or f"column_{number}" for number, text in enumerate(_head(rows, place, name), 1)
        )
        at = _id_column(heads, head, place, name)
        names, columns, unnamed = _body(rows, heads, at, place, name)
    if not names:
        raise MetadataError(place, f"{name} has no rows with a name in its column '{heads[at]}'.")
    remarks = [f"{count(unnamed, 'row')} without a name {agree(unnamed, 'is', 'are')} left out"] if unnamed else []
    given = [_typed(title, values) for title, values in zip(heads, columns, strict=True) if title != heads[at]]
    return Metadata(name, heads[at], names, given, remarks)


@contextmanager
def _lines(path: str, name: str) -> Iterator[Iterator[tuple[int, list[str]]]]:
    """Give the rows of a file with their line numbers, those that are empty left out."""
    try:
        with open_to_read(Path(path), "a table", MetadataError) as file:
            if file.peek(4)[:4] == _WORKBOOK:  # type: ignore[attr-defined]  # a buffered reader
                from swgui.io.sheets import SheetFault, sheet_rows  # here: few tables are workbooks

                try:
                    yield ((number, row) for number, row in enumerate(sheet_rows(file), 1) if row)
                except SheetFault as fault:
                    raise MetadataError(path, f"{name} {fault}.", hint="Save it as CSV.") from fault
                return
        with open_file(path) as source:
            if b"\0" in source.head:
                raise MetadataError(path, f"{name} is a binary file, not a table.")
            text = source.text()
            text.reconfigure(newline="\n", errors="replace")
            lines = iter(text)
            skipped, first = next(
                ((number, line) for number, line in enumerate(lines) if line.strip() and not line.startswith("# ")),
                (0, ""),
            )
            sign = max("\t,;", key=first.count)
            reader = csv.reader(chain([first.removeprefix("#")], lines), delimiter=sign, strict=True)
            yield ((skipped + reader.line_num, row) for row in reader if any(row))
    except csv.Error as fault:
        raise MetadataError(path, f"{name} is no proper table: {fault}.") from fault
    except SequenceError as fault:
        raise MetadataError(path, fault.message) from fault


def _head(rows: Iterator[tuple[int, list[str]]], path: str, name: str) -> list[str]:
    _, heads = next(rows, (0, []))
    if len(heads) < 2:
        raise MetadataError(path, f"{name} has no columns next to the names.")
    return heads


def _id_column(heads: Sequence[str], wanted: str | None, path: str, name: str) -> int:
    if wanted is not None:
        if wanted not in heads:
            raise MetadataError(path, f"{name} has no column '{wanted}'.", hint=f"It has {', '.join(heads)}.")
        return heads.index(wanted)
    plain = [_SIGNS.sub("", head.lower()) for head in heads]
    known = next((head for head in ID_HEADS if head in plain), None)
    if known is None:
        message = f"No column of {name} is called as one of names usually is: it has {shown(', '.join(heads), 200)}."
        raise MetadataError(path, message, hint=_OPTION)
    return plain.index(known)


def _body(
    rows: Iterator[tuple[int, list[str]]], heads: Sequence[str], at: int, path: str, name: str
) -> tuple[list[str], list[list[str]], int]:
    """Return names, the texts of every column, and how many rows had no name; a row that is repeated counts once."""
    seen: dict[str, tuple[int, int]] = {}  # place and line of each name
    columns: list[list[str]] = [[] for _ in heads]
    same: dict[str, str] = {}  # equal texts are kept once
    unnamed = 0
    for line, row in rows:
        if len(row) > len(heads):
            message = f"Line {line:,} of {name} has {count(len(row), 'field')}, its head {len(heads)}."
            raise MetadataError(path, message)
        texts = [same.setdefault(text, text) for text in map(_plain, row)]
        texts += [""] * (len(heads) - len(texts))
        if not (key := texts[at]):
            unnamed += 1
        elif key not in seen:
            seen[key] = len(columns[at]), line
            for column, text in zip(columns, texts, strict=True):
                column.append(text)
        elif texts != [column[seen[key][0]] for column in columns]:
            message = f"{name} has '{shown(key, 40)}' twice, in lines {seen[key][1]:,} and {line:,}, with other values."
            raise MetadataError(path, message, hint="Keep one row for each name.")
    return columns[at], columns, unnamed


def _plain(text: str) -> str:
    text = text.strip()
    return from_spreadsheet(text) if text.startswith("'") else text


def _typed(title: str, texts: Sequence[str]) -> _Given:
    """Return a column as numbers where all that is known are some, and can be written as they were."""
    known = [text for text in texts if text not in _UNKNOWN]
    if known and all(map(_INTEGER.fullmatch, known)):
        return _Given(title, "integer", 0, [None if text in _UNKNOWN else int(text) for text in texts])
    if known and (decimals := _decimals(known)) is not None:
        return _Given(title, "real", decimals, [None if text in _UNKNOWN else float(text) for text in texts])
    return _Given(title, "text", 0, [text or None for text in texts])


def _decimals(texts: Sequence[str]) -> int | None:
    """Return how many decimals numbers are written with; None if any is no number or would lose digits."""
    decimals, powers = 0, False
    for text in texts:
        match = _REAL.fullmatch(text)
        if match is None or sum(sign.isdigit() for sign in match[1]) > _DIGITS:
            return None
        powers |= match[2] is not None
        decimals = max(decimals, len(match[1].partition(".")[2]))
    return SHORTEST if powers else decimals
