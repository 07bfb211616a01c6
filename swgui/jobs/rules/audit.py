"""The places of a rule next to those that another program lists: same, moved, missed, extra and unknown."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

import numpy as np

from swgui.core.compare.matching import match_names
from swgui.core.plain import replace
from swgui.core.rules.places import Places
from swgui.core.table import Column, Table, Value, Values
from swgui.core.words import count
from swgui.io.tables.place_lists import OWN, ListedPlace
from swgui.jobs.rules.circles import ends_of
from swgui.jobs.rules.run import RuleRun
from swgui.jobs.rules.table import PlaceNames, place_names

STRANDS: Final = {1: "plus", -1: "minus"}


@dataclass(slots=True)
class PlaceAudit:
    """Two lists of places side by side."""

    # same, moved: rows of our places that the list has: where they are, or elsewhere on the same residues
    same: list[tuple[int, list[ListedPlace]]] = field(default_factory=list)
    moved: list[tuple[int, list[ListedPlace]]] = field(default_factory=list)
    missed: list[int] = field(default_factory=list)  # rows that it lacks
    extra: list[ListedPlace] = field(default_factory=list)  # its places that do not meet the rule
    unknown: list[ListedPlace] = field(default_factory=list)  # those whose query or sequence is not known here

    def summary(self, program: str) -> list[str]:
        """Return the result of the comparison, a sentence each."""
        total = len(self.same) + len(self.moved) + len(self.missed)
        summary = (
            f"{program} lists {len(self.same):,} of {count(total, 'place')} that meet{'s' * (total == 1)} the rule"
        )
        said = [f"{summary}, {len(self.moved):,} more at another position; it misses {len(self.missed):,}."]
        if self.extra:
            does = count(len(self.extra), "line of its list does", "lines of its list do")
            said.append(f"{does} not meet the rule.")
        if self.unknown:
            name = count(len(self.unknown), "line names", "lines name")
            said.append(f"{name} a query or a sequence that is not known here.")
        return said


def audit_places(run: RuleRun, program: str, listed: Sequence[ListedPlace]) -> PlaceAudit:
    """Compare the places of a run with those of a list, by the program that wrote it.

    Two places are the same if query, sequence, strand and both ends are. Sites of a guide are the same if their PAMs
    stand at the same place, since the other end depends on how bulges are aligned; a hit of a part of a query is the
    same if it lies on the place. Places that only overlap count as moved.
    """
    places, audit = run.found(), PlaceAudit()
    by_pair: dict[tuple[int, int], list[int]] = {}
    for row in range(len(places)):
        by_pair.setdefault((int(places.query[row]), int(places.subject[row])), []).append(row)
    names = place_names(run.request, run.database, places) if program == OWN else PlaceNames(run.request.names, {})
    subjects = dict(match_names({place.sequence for place in listed}, run.database.ids).found)
    subjects |= {name: index for index, name in names.subjects.items()}
    same: dict[int, list[ListedPlace]] = {}
    moved: dict[int, list[ListedPlace]] = {}
    for place in listed:
        queries, subject = _queries(run, names.queries, place), subjects.get(place.sequence)
        if not queries or subject is None:
            audit.unknown.append(place)
            continue
        if place.end <= place.start:  # across the origin of a circular record
            place = replace(place, end=place.end + int(run.database.lengths_of(np.array([subject]))[0]))
        rows = [row for query in queries for row in by_pair.get((query, subject), ())]
        equal = [row for row in rows if _is_same(run, places, place, row)]
        near = equal or [row for row in rows if _overlaps(run, places, place, row)]
        for row in near:
            (same if equal else moved).setdefault(row, []).append(place)
        if not near:
            audit.extra.append(place)
    for row in range(len(places)):
        if row in same:
            audit.same.append((row, same[row]))
        elif row in moved:
            audit.moved.append((row, moved[row]))
        else:
            audit.missed.append(row)
    return audit


def _queries(run: RuleRun, names: Sequence[str], place: ListedPlace) -> list[int]:
    """Return the queries that a place of a list names: by name, by residues, or as a guide with its PAM."""
    wanted = run.request.rule.bare(place.query) if place.with_pam else place.query.upper()
    named = [number for number, name in enumerate(names) if name == place.query]
    residues = (record.residues.decode() for record in run.request.queries)
    return named or [number for number, text in enumerate(residues) if text == wanted]


def _span(run: RuleRun, place: ListedPlace) -> tuple[int, int]:
    """Return the residues of a listed place without its PAM."""
    if not place.with_pam:
        return place.start, place.end
    return run.request.rule.without_pam_span(place.start, place.end, place.strand)


def _is_same(run: RuleRun, places: Places, place: ListedPlace, row: int) -> bool:
    start, end = _span(run, place)
    own = int(places.start[row]), int(places.end[row])
    if place.strand not in (0, int(places.strand[row])):
        return False
    if only := run.request.rule.only_end(int(places.strand[row])):
        return own[1] == end if only == "end" else own[0] == start
    if not place.whole:
        return own[0] <= start and end <= own[1]
    return own == (start, end)


def _overlaps(run: RuleRun, places: Places, place: ListedPlace, row: int) -> bool:
    start, end = _span(run, place)
    return bool(places.start[row] < end and start < places.end[row])


class AuditLine(NamedTuple):
    """A place of either list, with the program that found it; unknown values are None."""

    found_by: str
    query: str
    sequence: str
    ends: tuple[int, int, int] | None  # first and last position, from 1, and strand
    differences: int | None
    theirs: tuple[int, int, int] | None  # the same as the list has it, whose strand may be 0
    lines: int


Lines = Sequence[AuditLine]


def _each(read: Callable[[AuditLine], Value]) -> Callable[[Lines], Values]:
    return lambda lines: [read(line) for line in lines]


def _ends(prefix: str, title: str, of: Callable[[AuditLine], tuple[int, int, int] | None]) -> list[Column[Lines]]:
    """Return the columns of one list: both ends in the direction of the query, and the strand."""

    def end(side: int) -> Callable[[AuditLine], Value]:
        def read(line: AuditLine) -> Value:
            ends = of(line)
            return None if ends is None else ends[side if ends[2] >= 0 else 1 - side]

        return read

    def strand(line: AuditLine) -> Value:
        ends = of(line)
        return None if ends is None else STRANDS.get(ends[2])

    said = "position of the place, from 1, in the direction of the query"
    return [
        Column(f"{prefix}sstart", f"{title}start", f"First {said}.", "integer", read=_each(end(0))),
        Column(f"{prefix}send", f"{title}end", f"Last {said}.", "integer", read=_each(end(1))),
        Column(f"{prefix}sstrand", f"{title}strand", "Plus or minus.", "word", read=_each(strand)),
    ]


AUDIT_COLUMNS: Final[tuple[Column[Lines], ...]] = (
    Column("found_by", "Found by", "both, differently placed, missed, extra or unknown name.", "word",
           read=_each(lambda line: line.found_by)),
    Column("qseqid", "Query", "Name of the query.", "text", read=_each(lambda line: line.query)),
    Column("sseqid", "Sequence", "Identifier of the sequence.", "text", read=_each(lambda line: line.sequence)),
    *_ends("", "Place: ", lambda line: line.ends),
    Column("differences", "Differences", "Mismatches and gap positions.", "integer",
           read=_each(lambda line: line.differences)),
    *_ends("table_", "In the list: ", lambda line: line.theirs),
    Column("table_lines", "Lines", "Lines of the list that mean the place.", "integer",
           read=_each(lambda line: line.lines)),
)  # fmt: skip


def place_audit_table(run: RuleRun, audit: PlaceAudit) -> Table[Lines]:
    """Return every place of either list, with who found it."""
    return Table(AUDIT_COLUMNS, lambda: (tuple(_lines(run, audit)),))


def _lines(run: RuleRun, audit: PlaceAudit) -> Iterator[AuditLine]:
    places = run.found()
    queries, subjects = place_names(run.request, run.database, places)
    ends = ends_of(places, run.database)
    missed: list[tuple[int, list[ListedPlace]]] = [(row, []) for row in audit.missed]
    for found_by, rows in (("both", audit.same), ("differently placed", audit.moved), ("missed", missed)):
        for row, theirs in rows:
            names = queries[int(places.query[row])], subjects[int(places.subject[row])]
            own = int(places.start[row]) + 1, int(ends[row]), int(places.strand[row])
            listed = _theirs(run, theirs[0]) if theirs else None
            yield AuditLine(found_by, *names, own, int(places.differences[row]), listed, len(theirs))
    for found_by, others in (("extra", audit.extra), ("unknown name", audit.unknown)):
        for place in others:
            yield AuditLine(found_by, place.query, place.sequence, None, None, _theirs(run, place), 1)


def _theirs(run: RuleRun, place: ListedPlace) -> tuple[int, int, int]:
    start, end = _span(run, place)
    return start + 1, end, place.strand
