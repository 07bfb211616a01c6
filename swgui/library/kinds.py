"""Results of kinds of runs, and the functions of the library for those that packages add."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Generator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, overload

from swgui.commands.copying import command_of, first_of, groups_of, python_of
from swgui.commands.files import RUN_OPTIONS
from swgui.commands.option import files_read
from swgui.core.errors import InvalidParameter, NotFound
from swgui.core.table import Table, Value
from swgui.io.outputs import check_outputs
from swgui.jobs.kind import Kind, kinds, load
from swgui.library.calls import public
from swgui.library.options import Parameters, described
from swgui.library.result import RowsResult
from swgui.library.session import OnProgress, finish, warn
from swgui.runs.plain import Codec, Kept, PlainRuns
from swgui.runs.steps import steps_of
from swgui.runs.store import Runs


class RunResult(Sequence[dict[str, Value]], RowsResult):
    """Results of a run: clusters, parts, judgements, leaks, and those of kinds from packages.

    It is a sequence of the rows of its table: ``result[0]`` is a dict from columns to values.

    Parameters
    ----------
    kind : Kind
    kept : Kept
        Request and outcome.
    remarks, inputs : as of `RowsResult`
    """

    def __init__(
        self, kind: Kind, kept: Kept, remarks: Sequence[str] = (), inputs: Sequence[tuple[str, Path]] = ()
    ) -> None:
        super().__init__(remarks, inputs)
        self.kind, self.asked, self.outcome = kind, kept.asked, kept.outcome
        self._codec: Codec = load(kind.codec)

    def __repr__(self) -> str:
        found = self._codec.ended(self.outcome).found
        told = f": {found:,} found" if found is not None else ""
        return f"<{self.kind.title}{told}{', so far' if self.partial else ''}>"

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self._rows)

    @overload
    def __getitem__(self, key: int) -> dict[str, Value]: ...
    @overload
    def __getitem__(self, key: slice) -> list[dict[str, Value]]: ...

    def __getitem__(self, key: int | slice) -> dict[str, Value] | list[dict[str, Value]]:
        return self._rows[key]

    @cached_property
    def _rows(self) -> list[dict[str, Value]]:
        if not self.tables:
            return []
        table, values = self._filled(None)
        names = [column.name for column in table.columns]
        return [dict(zip(names, row, strict=True)) for row in zip(*(values[name] for name in names), strict=True)]

    @property
    def partial(self) -> bool:
        """Whether the work ended before all was done."""
        return not self._codec.ended(self.outcome).complete

    @property
    def tables(self) -> Mapping[str, Table[Any]]:
        """The tables by their names; the first is that of `write` and of the data frames."""
        return self._codec.tables(self.asked, self.outcome)

    def _table(self, columns: Sequence[str] | None) -> Table[Any]:
        for table in self.tables.values():
            return table.choose(columns)
        raise NotFound("table", f"A {self.kind.noun} has no table.", hint="Its outcome is in `outcome`.")

    def certificate(self) -> dict[str, Any]:
        """Return the work and its results, as ``--certificate`` writes them; `SwguiError` if this kind has none."""
        return self._codec.certificate(self.asked, self.outcome)

    @property
    def sentences(self) -> list[str]:
        """The results, a sentence each, as the command prints them."""
        return self._codec.sentences(self.outcome)

    def methods(self) -> str:
        """Return a paragraph for a Methods section; `SwguiError` if this kind has none."""
        return self._codec.methods(self.asked, self.outcome)

    @property
    def command(self) -> str:
        """The command of the terminal that asks for the same."""
        return command_of(self.kind, self.asked)

    @property
    def python(self) -> str:
        """The lines of Python that ask for the same."""
        return python_of(self.kind, self.asked)

    @public
    def save(self, path: str | os.PathLike[str]) -> None:
        """Write all to one file, which `swgui.load` opens, whole or not at all.

        Raises
        ------
        InvalidParameter
            If the file is one that was read.
        FileNotWritten
            If it cannot be written.
        """
        _runs(self.kind).write_file(self.asked, self.outcome, self._output(path))


def _runs(kind: Kind) -> PlainRuns:
    runs: PlainRuns = Runs().of(kind.name)
    return runs


def function_of(name: str) -> Callable[..., RunResult] | None:
    """Return the function of a kind of run that declares its options; None if there is none of this name."""
    kind = kinds().get(name)
    if kind is None or not kind.options:
        return None
    first = first_of(kind)
    parameters = Parameters(name, lambda: (*groups_of(kind), *RUN_OPTIONS), files=("checkpoint",))

    def carry_out(*given: object, progress: OnProgress | bool | None = None, **options: Any) -> RunResult:
        if len(given) > len(first):
            message = f"swgui.{name} takes {len(first)} without their names, not {len(given)}."
            raise InvalidParameter("arguments", len(given), message, hint=f"They are {', '.join(first)}.")
        options |= dict(zip(first, given, strict=False))
        if missing := [key for key in first if options.get(key) is None]:
            raise InvalidParameter(missing[0], None, f"swgui.{name} needs {missing[0]}.")
        arguments = parameters.arguments(options)
        asked = load(kind.request)(arguments)
        inputs = [(key, Path(file)) for key, file in files_read(groups_of(kind), vars(arguments))]
        check_outputs({"checkpoint": arguments.checkpoint}, inputs)
        return run_kind(name, lambda _: asked, progress, inputs, arguments.checkpoint)

    carry_out.__name__ = carry_out.__qualname__ = name
    carry_out.__doc__ = (
        f"{kind.help[:1].upper()}{kind.help[1:]}.\n\nParameters are the options of ``swgui {name}``, with the same "
        "names, defaults and checks.\n"
    )
    return described(parameters)(carry_out)


def run_kind(
    name: str,
    ask: Callable[[threading.Event], Any],
    progress: OnProgress | bool | None,
    inputs: Sequence[tuple[str, Path]] = (),
    state: str | None = None,
) -> RunResult:
    """Carry out a request of a kind of run and return its result.

    Parameters
    ----------
    ask : callable
        Takes the event that stops the work, and returns the request.
    inputs : sequence of (str, path)
        Files that are read.
    state : str, optional
        As of `steps_of`.

    Raises
    ------
    KeyboardInterrupt
        After Ctrl+C before the run had any result.
    SwguiError
        As the steps of the kind.
    """
    kind = kinds()[name]

    def steps(cancel: threading.Event) -> Generator[Any, None, Kept]:
        return (yield from steps_of(kind, ask(cancel), cancel, state=state))

    kept, remarks = finish(steps, progress)
    ended = _codec(kind).ended(kept.outcome)
    if not ended.complete:
        warn(ended.reason or "The run was stopped: these are the results so far.")
    return RunResult(kind, kept, [*remarks, *filter(None, (ended.reason, kept.not_kept))], inputs)


def _codec(kind: Kind) -> Codec:
    codec: Codec = load(kind.codec)
    return codec
