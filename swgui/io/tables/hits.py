"""Reading hits of other programs: BLAST tables (formats 6 and 7) and what looks like them, BLAST XML.

DIAMOND and MMseqs2 write the same twelve columns; tables with a header line may have any columns in any
order, as long as query and subject are among them.
"""

from __future__ import annotations

import os
import re
from array import array
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import IO, Final, cast
from xml.etree import ElementTree

import numpy as np
from numpy.typing import NDArray

from swgui.core.errors import SequenceError, SwguiError
from swgui.io.export.columns import BLAST_COLUMNS, HIT_COLUMNS
from swgui.io.read_report import shown
from swgui.io.sequences.sources import TextSource, open_file

# What other programs call the columns, in lower case.
_NAMES: Final[Mapping[str, str]] = {
    **{column.blast: key for key, column in HIT_COLUMNS.items() if column.blast},
    "query acc.ver": "qseqid", "query acc.": "qseqid", "qaccver": "qseqid", "qacc": "qseqid", "query": "qseqid",
    "subject acc.ver": "sseqid", "subject acc.": "sseqid", "saccver": "sseqid", "sacc": "sseqid",
    "subject": "sseqid", "target": "sseqid",
    "alnlen": "length", "tstart": "sstart", "tend": "send", "bits": "bitscore", "bit score": "bitscore",
    "e-value": "evalue", "raw": "score", "tlen": "slen", "% hsp coverage": "qcovhsp", "qcov": "qcovhsp",
}  # fmt: skip
# Read as numbers: what such tables may have; a column of another name may hold anything.
_NUMBERS: Final = frozenset(
    key for key, column in HIT_COLUMNS.items() if column.kind != "text" and (column.blast or column.needs_alignment)
)

_NUMBER: Final = re.compile(r"[-+]?[\d.]+([eE][-+]?\d+)?")
TOLD_EVERY: Final = 4096  # lines, or elements of XML, between two reports of progress
_HINT: Final = "BLAST tables (-outfmt 6 or 7), tables with a header line, and BLAST XML are read."
_XML_COLUMNS: Final = {
    "length": "align-len",
    "qstart": "query-from",
    "qend": "query-to",
    "sstart": "hit-from",
    "send": "hit-to",
    "evalue": "evalue",
    "bitscore": "bit-score",
    "score": "score",
    "nident": "identity",
    "positive": "positive",
    "gaps": "gaps",
}


class HitTableError(SwguiError, ValueError):
    """A file that cannot be read as a table of hits; ``path`` names it, ``line`` counts from 1, 0 if unknown."""

    def __init__(self, path: str, message: str, *, line: int = 0, hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.path = path
        self.line = line


@dataclass(frozen=True, slots=True, eq=False)
class HitTable:
    """Hits as another program reported them, in the order of its file."""

    program: str  # as the file names it; empty if it does not
    # queries, subjects: identifiers of each hit
    queries: list[str] = field(repr=False)
    subjects: list[str] = field(repr=False)
    # The number columns of the file by BLAST's names; NaN where a field is empty, shape (n,).
    values: dict[str, NDArray[np.float64]] = field(repr=False)

    def __len__(self) -> int:
        return len(self.queries)


def read_hit_table(path: str | os.PathLike[str], tell: Callable[[int, int], object] = lambda *_: None) -> HitTable:
    """Read hits of BLAST, DIAMOND, MMseqs2 or this program; the kind of file is told by its content.

    Parameters
    ----------
    path : path
        Also packed, as sequence files may be.
    tell : callable
        Called now and then with the bytes read and all bytes; an exception from it ends the reading.

    Raises
    ------
    HitTableError
        If the file cannot be opened or is no table of hits; the sentence tells the line.
    """
    try:
        with open_file(path) as source:
            if b"\0" in source.head:
                raise HitTableError(source.path, f"{source.name} is a binary file, not a table of hits.", hint=_HINT)
            start = source.head.lstrip()
            if start.startswith((b"<?xml", b"<")):
                return _read_xml(source, tell)
            return _read_lines(source, tell)
    except SequenceError as fault:
        raise HitTableError(fault.path, fault.message, line=fault.line, hint=fault.hint) from fault


class _Gathered:
    """Hits while they are read."""

    def __init__(self, columns: Sequence[str]) -> None:
        self.queries: list[str] = []
        self.subjects: list[str] = []
        self.values = {name: array("d") for name in columns if name in _NUMBERS}

    def table(self, program: str) -> HitTable:
        values = {name: np.array(numbers, dtype=np.float64) for name, numbers in self.values.items()}
        return HitTable(program, self.queries, self.subjects, values)


def _read_lines(source: TextSource, tell: Callable[[int, int], object]) -> HitTable:
    """Read a table with tabs, or with commas if its header has them."""
    program, separator = "", "\t"
    columns: list[str] = []
    percent_of: list[str] = []
    gathered: _Gathered | None = None
    with source.text() as text:
        for number, line in enumerate(text, 1):
            if not number % TOLD_EVERY:
                tell(source.position, source.size)
            line = line.rstrip("\n")
            if not line.strip():
                continue
            if line.startswith("#"):
                comment = line[1:].strip()
                if comment.startswith("Fields:"):
                    fields = _keys(comment.removeprefix("Fields:").split(","))
                    if gathered is not None and fields != columns:
                        raise HitTableError(
                            source.path, f"Line {number} of {source.name} changes the columns.", line=number, hint=_HINT
                        )
                    columns = fields
                elif not program and comment and ":" not in comment and not comment[0].isdigit():
                    program = comment
                continue
            if gathered is None:
                header = None if columns else _header(line)
                if header is not None:
                    separator, names = header
                    columns = _keys(names)
                    percent_of = ["pident"] if "fident" in (name.strip().lower() for name in names) else []
                elif not columns:
                    columns = list(BLAST_COLUMNS)
                if "qseqid" not in columns or "sseqid" not in columns:
                    raise HitTableError(
                        source.path, f"{source.name} has no columns for query and subject.", line=number, hint=_HINT
                    )
                gathered = _Gathered(columns)
                if header is not None:
                    continue
            _add(gathered, columns, _fields(line, separator), number, source)
    if gathered is None:
        if program:  # only comments: a search without hits
            return _Gathered(list(BLAST_COLUMNS)).table(program)
        raise HitTableError(source.path, f"{source.name} has no hits.", hint=_HINT)
    for name in percent_of:
        gathered.values[name] = array("d", (100.0 * value for value in gathered.values[name]))
    return gathered.table(program)


def _keys(names: Sequence[str]) -> list[str]:
    """Translate column names; unknown ones stay and are not read, nor is a column that was there before."""
    keys: list[str] = []
    for name in names:
        plain = name.strip().strip('"').lower()
        key = "pident" if plain == "fident" else _NAMES.get(plain, plain)
        keys.append("" if key in keys else key)
    return keys


def _header(line: str) -> tuple[str, list[str]] | None:
    """Return separator and names if this is a header line: it names query and subject and has no numbers."""
    for separator in ("\t", ","):
        names = line.split(separator)
        if {"qseqid", "sseqid"} <= set(_keys(names)) and not any(_NUMBER.fullmatch(name.strip()) for name in names):
            return separator, names
    return None


def _fields(line: str, separator: str) -> list[str]:
    if separator == "," and '"' in line:
        import csv  # here: needed for quoted fields only

        return next(csv.reader([line]))
    return line.split(separator)


def _add(gathered: _Gathered, columns: list[str], fields: list[str], number: int, source: TextSource) -> None:
    if len(fields) != len(columns):
        raise HitTableError(
            source.path,
            f"Line {number} of {source.name} has {len(fields)} fields instead of {len(columns)}.",
            line=number,
            hint=_HINT,
        )
    for name, text in zip(columns, fields, strict=True):
        if name == "qseqid":
            gathered.queries.append(text.strip())
        elif name == "sseqid":
            gathered.subjects.append(text.strip())
        elif name in gathered.values:
            gathered.values[name].append(_number(text, name, number, source))


def _number(text: str, name: str, number: int, source: TextSource) -> float:
    text = text.strip()
    if not text or text in ("N/A", "*", "-"):
        return float("nan")
    try:
        return float(text)
    except ValueError:
        where = f"Line {number} of {source.name}" if number else source.name
        raise HitTableError(
            source.path,
            f"{where}: '{shown(text, 30)}' in the column {name} is not a number.",
            line=number,
            hint=_HINT,
        ) from None


def _read_xml(source: TextSource, tell: Callable[[int, int], object]) -> HitTable:
    """Read BLAST XML of either kind (formats 5 and 16), hit by hit.

    Not through Biopython, whose reader (1.88) loses queries whose reports are short, and stops at what
    ``-subject`` writes.
    """
    gathered = _Gathered(["pident", "slen", *_XML_COLUMNS])
    program = query = ""
    seen: set[str] = set()
    try:
        with source.text() as text:
            for number, (_, element) in enumerate(
                ElementTree.iterparse(cast("IO[bytes]", text.buffer), events=("end",))
            ):
                if not number % TOLD_EVERY:
                    tell(source.position, source.size)
                name = _plain(element.tag)
                seen.add(name)
                if name == "version":
                    program = program or (element.text or "").strip()
                elif name in ("query-title", "query-def"):
                    query = _first_word(element.text)
                elif name == "Hit":
                    _add_xml_hit(gathered, query, element, source)
                    element.clear()
                elif name in ("Iteration", "Search"):
                    element.clear()
    except ElementTree.ParseError as fault:
        line = fault.position[0]
        raise HitTableError(
            source.path, f"{source.name} is broken XML at line {line}: {fault}.", line=line, hint=_HINT
        ) from fault
    if not seen & {"Iteration", "Search"}:
        raise HitTableError(source.path, f"{source.name} is XML, but not of BLAST.", hint=_HINT)
    return gathered.table(program)


def _plain(tag: str) -> str:
    """Strip the namespace of format 16 and the prefixes of format 5: ``Hsp_evalue`` is ``evalue``."""
    name = tag.rpartition("}")[2]
    return name.partition("_")[2] or name


def _first_word(text: str | None) -> str:
    words = (text or "").split(None, 1)
    return words[0] if words else ""


def _add_xml_hit(gathered: _Gathered, query: str, hit: ElementTree.Element, source: TextSource) -> None:
    facts = {_plain(element.tag): (element.text or "") for element in hit.iter() if not len(element)}
    subject = _first_word(facts.get("id"))
    if subject.startswith("gnl|BL_ORD_ID|"):  # BLAST's own number, for databases without parsed identifiers
        subject = _first_word(facts.get("title") or facts.get("def"))
    for hsp in (element for element in hit.iter() if _plain(element.tag) == "Hsp"):
        fields = {_plain(element.tag): (element.text or "") for element in hsp}
        gathered.queries.append(query)
        gathered.subjects.append(subject)
        numbers = {key: _number(fields.get(name, ""), key, 0, source) for key, name in _XML_COLUMNS.items()}
        if fields.get("hit-strand") == "Minus" and numbers["sstart"] < numbers["send"]:
            numbers["sstart"], numbers["send"] = numbers["send"], numbers["sstart"]
        numbers["pident"] = 100.0 * numbers["nident"] / numbers["length"] if numbers["length"] else float("nan")
        numbers["slen"] = _number(facts.get("len", ""), "slen", 0, source)
        for key, value in numbers.items():
            gathered.values[key].append(value)
