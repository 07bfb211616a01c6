"""Reading places of other programs: PEPMatch, Cas-OFFinder, CRISPRitz, BLAST, and the table of ``swgui rule``."""

from __future__ import annotations

import csv
import math
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from swgui.core.errors import SequenceError
from swgui.io.cells import from_spreadsheet
from swgui.io.sequences.sources import open_file
from swgui.io.tables.hits import HitTableError, read_hit_table

OWN: Final = "swgui"
_HINT: Final = "Lists of PEPMatch (CSV), Cas-OFFinder, CRISPRitz, BLAST (-outfmt 6 or 7) and of 'swgui rule' are read."


@dataclass(frozen=True, slots=True)
class ListedPlace:
    """A place as another program lists it."""

    query: str  # name of the query, or its residues where the list has no names
    sequence: str
    # start, end: residues of the sequence, from 0, the end exclusive; of guides with their PAM
    start: int
    end: int
    strand: int = 0  # 1 or -1; 0 where the list does not say
    with_pam: bool = False  # whether it is a site of a guide with its PAM
    whole: bool = True  # whether the whole query stands there; only a part of it may be aligned otherwise


def read_places(path: str | os.PathLike[str]) -> tuple[str, list[ListedPlace]]:
    """Return the program that wrote a list, and its places.

    Raises
    ------
    HitTableError
        If the file cannot be read, or is no list of places; the sentence tells the line.
    """
    try:
        with open_file(path) as source, source.text() as text:
            lines = [line.rstrip("\r\n") for line in text]
    except SequenceError as fault:
        raise HitTableError(fault.path, fault.message, line=fault.line, hint=fault.hint) from fault
    head = lines[0].lstrip("#") if lines else ""
    separator = "\t" if "\t" in head else ","
    names = [name.strip().lower().replace("_", " ") for name in head.split(separator)]
    places: Iterator[ListedPlace]
    if {"matched sequence", "protein id", "index start", "index end"} <= set(names):
        program, places = "PEPMatch", _pepmatch(lines, names, separator)
    elif {"crrna", "dna", "chromosome", "position", "direction"} <= set(names):
        program = "CRISPRitz" if "cluster position" in names else "Cas-OFFinder"
        places = _sites(
            lines[1:], [names.index(name) for name in ("crrna", "chromosome", "position", "dna", "direction")]
        )
    elif {"qseqid", "sseqid", "sstart", "send", "sstrand", "differences"} <= set(names):
        program, places = OWN, _own(lines, names, separator)
    elif {"query", "sequence", "start", "end", "strand"} <= set(names):
        program, places = OWN, _former(lines, names)
    elif len(names) == 6 and lines[0].split("\t")[-2] in ("+", "-"):
        program, places = "Cas-OFFinder", _sites(lines, [0, 1, 2, 3, 4])
    else:
        program, places = "BLAST", _blast(path)
    try:
        return program, list(places)
    except (ValueError, IndexError, KeyError) as fault:
        if isinstance(fault, HitTableError):
            raise
        raise HitTableError(str(path), f"'{os.fspath(path)}' is damaged: {fault}.", hint=_HINT) from fault


def _rows(lines: list[str], names: list[str], separator: str) -> Iterator[Mapping[str, str]]:
    for row in csv.reader(lines[1:], delimiter=separator):
        if row:
            yield dict(zip(names, row, strict=True))


def _pepmatch(lines: list[str], names: list[str], separator: str) -> Iterator[ListedPlace]:
    query = next(name for name in ("query sequence", "peptide sequence") if name in names)
    for row in _rows(lines, names, separator):
        if row["matched sequence"]:  # a query that was not found has a row without
            start, end = (int(float(row[name])) for name in ("index start", "index end"))
            yield ListedPlace(row[query], row["protein id"], start - 1, end, 1)


def _sites(lines: list[str], columns: list[int]) -> Iterator[ListedPlace]:
    for line in lines:
        if line and not line.startswith("#"):
            fields = line.split("\t")
            guide, sequence, position, site, strand = (fields[column] for column in columns)
            start = int(position)
            end = start + len(site.replace("-", ""))
            query = guide.replace("-", "").upper()
            yield ListedPlace(query, sequence, start, end, 1 if strand == "+" else -1, with_pam=True)


def _own(lines: list[str], names: list[str], separator: str) -> Iterator[ListedPlace]:
    by_tabs = (dict(zip(names, line.split("\t"), strict=True)) for line in lines[1:] if line)  # which has no quotes
    for row in by_tabs if separator == "\t" else _rows(lines, names, separator):
        query, sequence = (from_spreadsheet(row[name]) for name in ("qseqid", "sseqid"))
        plus = row["sstrand"] == "plus"
        start, end = (int(row[name]) for name in (("sstart", "send") if plus else ("send", "sstart")))
        yield ListedPlace(query, sequence, start - 1, end, 1 if plus else -1)


def _former(lines: list[str], names: list[str]) -> Iterator[ListedPlace]:
    """Yield the places of a table of a version before, whose start is never above the end."""
    for row in _rows(lines, names, "\t"):
        start, end = int(row["start"]), int(row["end"])
        query, sequence = (from_spreadsheet(row[name]) for name in ("query", "sequence"))
        yield ListedPlace(query, sequence, start - 1, end, 1 if row["strand"] == "+" else -1)


def _blast(path: str | os.PathLike[str]) -> Iterator[ListedPlace]:
    table = read_hit_table(path)
    starts, ends = (table.values.get(name) for name in ("sstart", "send"))
    if starts is None or ends is None:
        raise HitTableError(str(path), "The table does not give the positions of its hits in the subjects.", hint=_HINT)
    for query, subject, first, last in zip(table.queries, table.subjects, starts, ends, strict=True):
        if math.isfinite(first) and math.isfinite(last):
            low, high = sorted((int(first), int(last)))
            yield ListedPlace(query, subject, low - 1, high, 1 if first <= last else -1, whole=False)
