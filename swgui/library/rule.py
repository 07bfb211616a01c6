"""``swgui.rule``: every place that meets a rule, and its certificate."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from operator import eq
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, overload

from swgui.commands.files import ADDED_KEYS
from swgui.commands.rule import manner_of, rule_of, rule_options
from swgui.core.control import checking
from swgui.core.database import EncodedDatabase
from swgui.core.errors import InvalidParameter, Stopped
from swgui.core.rules.places import Places
from swgui.core.rules.request import RuleRequest
from swgui.core.table import Column, Table, Value
from swgui.core.words import count
from swgui.io.database.any_file import database_files, open_any_database
from swgui.io.read_report import ReadReport
from swgui.io.table_files import TABLE_FORMATS
from swgui.io.tables.rules import PLACE_FORMATS, write_places
from swgui.jobs.events import Event
from swgui.jobs.rules.answer import answer_to
from swgui.jobs.rules.known import rules
from swgui.jobs.rules.resume import kept_state
from swgui.jobs.rules.run import RuleRun, certificate
from swgui.jobs.rules.table import ROWS, PlaceNames, PlaceRows, place_names, places_table
from swgui.library.calls import public
from swgui.library.databases import DatabaseLike, to_search
from swgui.library.frames import check_format, table_format, value_of
from swgui.library.options import Parameters, described
from swgui.library.queries import Sequences, read_given
from swgui.library.result import PlacedRows
from swgui.library.session import OnProgress, finish, warn
from swgui.library.values import path_of
from swgui.library.writing import Output, is_open_file

if TYPE_CHECKING:
    from swgui.core.loci.annotation import Annotation
    from swgui.core.loci.columns import LocusReader

_NUMBERS: Final = (
    "start", "end", "strand", "query_start", "query_end", "mismatches", "insertions", "deletions"
)  # fmt: skip
_FILES: Final = (
    "query",
    "database",
    "out",
    "format",
    "certificate",
    "certificate_page",
    "sign",
    "no_background",
    "history",
    *ADDED_KEYS,
)
RULE_OPTIONS: Final = Parameters("rule", rule_options, without=_FILES)


@dataclass(frozen=True)
class RulePlace:
    """One place that meets a rule.

    Positions are half-open ranges from 0, as slices of Python; columns (``place["sstart"]``) count from 1.

    Parameters
    ----------
    query_id, subject_id : str
        Names as in tables.
    start, end : int
        Residues of the subject; bases of the plus strand.
    strand : int
        1, or -1 where the reverse complement of the query is here.
    query_start, query_end : int
        Residues of the query that are aligned, in its own direction.
    mismatches, insertions, deletions : int
        Differences; an insertion is a residue of the subject that the query lacks.
    """

    query_id: str
    subject_id: str
    start: int
    end: int
    strand: int
    query_start: int
    query_end: int
    mismatches: int
    insertions: int
    deletions: int
    _columns: Callable[[], Table[Any]] = field(repr=False, compare=False)

    @property
    def differences(self) -> int:
        """Mismatches and gap positions."""
        return self.mismatches + self.insertions + self.deletions

    def __getitem__(self, column: str) -> Value:
        """Return the value of a column of the table, ``qseq`` for example; `InvalidParameter` if there is none."""
        table = self._columns().choose([column])
        (chosen,) = table.columns
        (value,) = (value for part in table.parts() for value in chosen.values(part))
        return value_of(chosen, value)


class RulePlaces(Sequence[RulePlace], PlacedRows):
    """Places that meet a rule, by query, differences, sequence and position.

    ``places[0]`` is a `RulePlace`, and ``places[:10]`` the `RulePlaces` of a part of the list. `write` takes ``tsv``,
    ``csv``, ``json``, ``xlsx``, ``bed``, ``gff3``, ``pepmatch`` and ``fasta``.

    Parameters
    ----------
    run : RuleRun
        What the job did. Its form may change between versions.
    inputs : sequence of (str, path)
        Files that were read, which no output may replace.
    remarks : sequence of str
        What was changed or left out in reading, and what the search says of itself.
    places : Places, optional
        Those of the run that these are; all if not given.
    """

    def __init__(
        self,
        run: RuleRun,
        inputs: Sequence[tuple[str, Path]] = (),
        remarks: Sequence[str] = (),
        places: Places | None = None,
    ) -> None:
        super().__init__(remarks, inputs)
        self.run = run
        self._places = run.found() if places is None else places

    def __len__(self) -> int:
        return len(self._places)

    @overload
    def __getitem__(self, key: int) -> RulePlace: ...
    @overload
    def __getitem__(self, key: slice) -> RulePlaces: ...

    def __getitem__(self, key: int | slice) -> RulePlace | RulePlaces:
        if isinstance(key, slice):
            return RulePlaces(self.run, self._inputs, self.remarks, self._places.take(key))
        return self._place(range(len(self))[key])

    def __iter__(self) -> Iterator[RulePlace]:
        return map(self._place, range(len(self)))

    def __eq__(self, other: object) -> bool:
        """Whether both have the same places in the same order."""
        if not isinstance(other, RulePlaces):
            return NotImplemented
        return len(self) == len(other) and all(map(eq, self, other))

    __hash__ = None  # type: ignore[assignment]  # as of a list

    @cached_property
    def _names(self) -> PlaceNames:
        return place_names(self.run.request, self.run.database, self._places)

    def _place(self, row: int) -> RulePlace:
        places, names = self._places, self._names

        def columns() -> Table[Any]:
            return places_table(self.run.request, self.run.database, places.take(slice(row, row + 1)))

        of_query, of_subject = names.queries[int(places.query[row])], names.subjects[int(places.subject[row])]
        numbers = {name: int(getattr(places, name)[row]) for name in _NUMBERS}
        return RulePlace(of_query, of_subject, **numbers, _columns=columns)

    def __repr__(self) -> str:
        return f"<{count(len(self), 'place')} in {self.run.database.name}{' so far' if self.partial else ''}>"

    @property
    def partial(self) -> bool:
        """Whether the search ended before all was scanned: these are the places among what was."""
        return not self.run.complete

    @property
    def sentences(self) -> list[str]:
        """The answer: a sentence on all queries, and one on each, as the command prints them."""
        answer = answer_to(self.run.outcome())
        return answer.texts(len(answer.lines))

    def certificate(self) -> dict[str, Any]:
        """Return the request, the tests and the results, as ``swgui rule --certificate`` writes them."""
        return certificate(self.run)

    @public
    def save(self, path: str | os.PathLike[str]) -> None:
        """Write places and certificate to one file, which `swgui.load` opens, whole or not at all.

        Raises
        ------
        RunError
            If the database is in memory alone.
        FileNotWritten
            If it cannot be written.
        """
        from swgui.runs import Runs  # here: few calls save a run

        Runs().of("rule").write_file(self.run, self.certificate(), self._output(path))

    def _table(self, columns: Sequence[str] | None) -> Table[Any]:
        """Return the places; on request only the rows of their alignments, which take much longer."""
        table = places_table(self.run.request, self.run.database, self._places)
        return table.choose([one.key for one in table.columns if one.key not in ROWS] if columns is None else columns)

    def _placed_in(self) -> EncodedDatabase:
        return self.run.database

    def _located(self, annotation: Annotation | None) -> tuple[LocusReader[PlaceRows], Sequence[Column[PlaceRows]]]:
        from swgui.core.loci.columns import LocusReader  # here and below: few places are located
        from swgui.jobs.rules.loci import where_places_lie

        reader = LocusReader(annotation, where_places_lie)
        return reader, reader.columns()

    def _subjects(self) -> list[int]:
        return sorted(set(self._places.subject.tolist()))

    def _saver(self, path: Output, format: str | None) -> Callable[[Path], object]:
        form, request = self._format(path, format), self.run.request
        plain = places_table(request, self.run.database, self._places)
        table = Table([*plain.available, *self._own], plain.parts, [*plain.columns, *self._own])
        return lambda place: write_places(str(place), table, request, form, lambda: self.run.complete)

    @staticmethod
    def _format(out: Output, name: str | None) -> str:
        if name:
            check_format(name, (*TABLE_FORMATS, *PLACE_FORMATS))
            return name
        ending = "" if is_open_file(out) else path_of(out).suffix.lower().lstrip(".")
        return ending if ending in PLACE_FORMATS else table_format(out, None)


@described(RULE_OPTIONS)
def rule(
    name: str,
    queries: Sequences,
    database: DatabaseLike,
    *,
    progress: OnProgress | bool | None = None,
    **options: Any,
) -> RulePlaces:
    """List every place of a database that meets a rule, exactly, with a certificate of what was tested.

    All other parameters are the options of ``swgui rule``, with the same names, defaults and checks.

    Parameters
    ----------
    name : {"peptides", "edits", "identity", "window", "words", "guides", "primers"}
        The rule.
    queries, database, progress : as of `swgui.search`
        Primers stand in pairs, forward and reverse.

    Returns
    -------
    RulePlaces
        Also after Ctrl+C: then of what was scanned by then, and `RulePlaces.partial` is True.

    Raises
    ------
    SwguiError
        If it cannot be carried out.
    KeyboardInterrupt
        If Ctrl+C came before anything was scanned, or twice.
    """
    if name not in rules():
        raise InvalidParameter("name", name, f"There is no rule '{name}'.", hint=f"There are {', '.join(rules())}.")
    arguments = RULE_OPTIONS.arguments(options)
    arguments.rule = name
    asked = rule_of(arguments)
    given = read_given(queries, arguments.type)
    place = to_search(database)
    text = str(place) if isinstance(place, Path) else ""
    request = RuleRequest.given(asked, given.records, given.alphabet, text, **manner_of(arguments))
    for remark in (*given.remarks, *request.remarks):
        warn(remark)
    (run, hints), remarks = finish(partial(_scanned, request, place, arguments.checkpoint), progress)
    for hint in hints:
        warn(hint)
    inputs = [("query", file) for file in given.files]
    inputs += [("database", file) for file in database_files(place)] if isinstance(place, Path) else []
    return RulePlaces(run, inputs, [*given.remarks, *request.remarks, *remarks, *hints])


def _scanned(
    request: RuleRequest, place: Path | EncodedDatabase, state: str | None, cancel: threading.Event
) -> Generator[Event, None, tuple[RuleRun, list[str]]]:
    """Scan a database; return the run, also after Stop once anything was scanned, and what users should know of it."""
    hints: list[str] = []
    reading, check = ReadReport(), checking(cancel)
    if isinstance(place, Path):
        kind = request.database_alphabet
        place = open_any_database(place, alphabet=kind, report=reading, cancel=cancel, in_blocks=True)
    run = RuleRun(request, place, reading=reading)
    with kept_state(state, run) as keep:
        try:
            yield from run.steps(check, keep)
            hints += [hint.said for hint in run.hints(check)]
        except Stopped:
            if not run.blocks:
                raise
    if not run.complete:
        left_out = count(len(run.database) - run.blocks[-1].last, "sequence")
        hints.append(f"The search was stopped: {left_out} were left out.")
    elif state:
        Path(state).unlink(missing_ok=True)
    return run, hints
