"""``swgui.rule``: every place that meets a rule, and its certificate."""

from __future__ import annotations

import os
import threading
from collections.abc import Generator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import NDArray

from swgui.commands.rule import RULE, manner_of, rule_of
from swgui.core.control import checking
from swgui.core.database import EncodedDatabase
from swgui.core.errors import InvalidParameter, Stopped
from swgui.core.rules.places import denominators
from swgui.core.rules.request import RuleRequest
from swgui.core.rules.rule import RULES
from swgui.core.words import count
from swgui.io.database.any_file import database_files, open_any_database
from swgui.io.outputs import check_outputs
from swgui.io.sequences.report import ReadReport
from swgui.io.tables.rules import COLUMNS, FORMATS, MORE
from swgui.io.whole_file import save_text
from swgui.jobs.events import Event
from swgui.jobs.rules.circles import ends_of, joins_of
from swgui.jobs.rules.resume import kept_state
from swgui.jobs.rules.rows import rows
from swgui.jobs.rules.run import RuleRun, certificate
from swgui.jobs.rules.tails import tail_hints
from swgui.library.calls import public
from swgui.library.databases import DatabaseLike, to_search
from swgui.library.options import Parameters, described
from swgui.library.queries import Sequences, read_given
from swgui.library.session import OnProgress, finish, warn
from swgui.library.values import needed, path_of

_FILES: Final = ("query", "database", "out", "format", "certificate", "certificate_page", "sign", "no_background")
_ROWS: Final = MORE[-2:]
RULE_OPTIONS: Final = Parameters("rule", lambda: RULE, without=_FILES)


class RulePlaces:
    """Places that meet a rule, by query, differences, sequence and position.

    Parameters
    ----------
    run : RuleRun
        What the job did. Its form may change between versions.
    inputs : sequence of (str, path)
        Files that were read, which no output may replace.
    """

    def __init__(self, run: RuleRun, inputs: Sequence[tuple[str, Path]] = ()) -> None:
        self.run, self._inputs = run, tuple(inputs)
        self._places = run.found()

    def __len__(self) -> int:
        return len(self._places)

    def __repr__(self) -> str:
        return f"<{count(len(self), 'place')} in {self.run.database.name}{' so far' if self.partial else ''}>"

    @property
    def partial(self) -> bool:
        """Whether the search ended before all was scanned: these are the places among what was."""
        return not self.run.complete

    def certificate(self) -> dict[str, Any]:
        """Return what was asked, tested and found, as ``swgui rule --certificate`` writes it."""
        return certificate(self.run)

    @public
    def to_arrays(self, columns: Sequence[str] | None = None) -> dict[str, NDArray[Any]]:
        """Return an array for each column: positions count from 1, ends inclusive; identities are in percent.

        Parameters
        ----------
        columns : sequence of str, optional
            Names as in the table of ``swgui rule``; all but the rows of the alignments if not given.

        Raises
        ------
        InvalidParameter
            If there is no such column.
        """
        available = (*COLUMNS, *MORE)
        chosen = available[: -len(_ROWS)] if columns is None else list(columns)
        for name in chosen:
            if name not in available:
                raise InvalidParameter("columns", name, f"There is no column '{name}'.", hint=f"There are {available}.")
        texts = self._texts() if set(_ROWS) & set(chosen) else {}
        return {name: texts[name] if name in texts else self._array(name) for name in chosen}

    def _texts(self) -> dict[str, NDArray[Any]]:
        table = list(rows(self.run.request, self.run.database, self._places))
        return {name: np.array([row[name] for row in table], dtype=object) for name in _ROWS}

    def _array(self, name: str) -> NDArray[Any]:
        places, request = self._places, self.run.request
        match name:
            case "query":
                return np.array(request.names, dtype=object)[places.query]
            case "sequence":
                ids = self.run.database.ids
                return np.array([ids[int(subject)] for subject in places.subject], dtype=object)
            case "end":
                return ends_of(places, self.run.database)
            case "join":
                return np.array(joins_of(places, self.run.database), dtype=object)
            case "start" | "query_start":
                return np.asarray(getattr(places, name), np.int64) + 1
            case "strand":
                return np.where(places.strand > 0, "+", "-").astype(object)
            case "identity":
                return np.asarray(100.0 * places.matches / denominators(request.rule, places))
        return np.asarray(getattr(places, name), np.int64)

    @public
    def to_pandas(self, columns: Sequence[str] | None = None) -> Any:
        """Return a ``pandas.DataFrame``; as `to_arrays` otherwise. `MissingPackage` if pandas is not installed."""
        return needed("pandas", "dataframe").DataFrame(self.to_arrays(columns))

    @public
    def to_polars(self, columns: Sequence[str] | None = None) -> Any:
        """Return a ``polars.DataFrame``; as `to_arrays` otherwise. `MissingPackage` if polars is not installed."""
        arrays = self.to_arrays(columns)
        return needed("polars", "dataframe").DataFrame({name: values.tolist() for name, values in arrays.items()})

    @public
    def to_arrow(self, columns: Sequence[str] | None = None) -> Any:
        """Return a ``pyarrow.Table``; as `to_arrays` otherwise. `MissingPackage` if pyarrow is not installed."""
        arrays = self.to_arrays(columns)
        return needed("pyarrow", "dataframe").table({name: values.tolist() for name, values in arrays.items()})

    @public
    def write(self, path: str | os.PathLike[str], format: Literal["tsv", "bed", "gff3", "pepmatch"] = "tsv") -> None:
        """Write the places to a file, whole or not at all, as ``swgui rule --out`` does.

        Raises
        ------
        InvalidParameter
            If there is no such format, or the file is one that was read.
        FileNotWritten
            If it cannot be written.
        """
        if format not in FORMATS:
            raise InvalidParameter("format", format, f"There is no format '{format}'.", hint=f"There are {[*FORMATS]}.")
        check_outputs({"path": path}, self._inputs)
        request = self.run.request
        lines = rows(request, self.run.database, self._places)
        save_text(path_of(path), lambda file: FORMATS[format](lines, request, file, lambda: self.run.complete))


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
    if name not in RULES:
        raise InvalidParameter("name", name, f"There is no rule '{name}'.", hint=f"There are {', '.join(RULES)}.")
    arguments = RULE_OPTIONS.arguments(options)
    arguments.rule = name
    asked = rule_of(arguments)
    given = read_given(queries, arguments.type)
    place = to_search(database)
    text = str(place) if isinstance(place, Path) else ""
    request = RuleRequest.given(asked, given.records, given.alphabet, text, **manner_of(arguments))
    for note in (*given.notes, *request.notes):
        warn(note)
    run, _ = finish(partial(_scanned, request, place, arguments.state), progress)
    inputs = [("query", file) for file in given.files]
    inputs += [("database", file) for file in database_files(place)] if isinstance(place, Path) else []
    return RulePlaces(run, inputs)


def _scanned(
    request: RuleRequest, place: Path | EncodedDatabase, state: str | None, cancel: threading.Event
) -> Generator[Event, None, RuleRun]:
    """Scan a database; return the run, also after Stop once anything was scanned."""
    reading, check = ReadReport(), checking(cancel)
    if isinstance(place, Path):
        kind = request.database_alphabet
        place = open_any_database(place, alphabet=kind, report=reading, cancel=cancel, in_blocks=True)
    run = RuleRun(request, place, reading=reading)
    with kept_state(state, run) as keep:
        try:
            yield from run.steps(check, keep)
            for hint in tail_hints(run, check):
                warn(hint)
        except Stopped:
            if not run.blocks:
                raise
    if not run.complete:
        warn(f"The search was stopped: {count(len(run.database) - run.blocks[-1].last, 'sequence')} were left out.")
    elif state:
        Path(state).unlink(missing_ok=True)
    return run
