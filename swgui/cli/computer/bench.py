"""``swgui bench``: the speed of a device, by the sweeps of the Device page."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from swgui.cli.computer import tiles, watts
from swgui.cli.running import say
from swgui.commands.bench import QUICK
from swgui.commands.common import PARTIAL
from swgui.commands.scoring import choose_scheme
from swgui.core.alphabet import ALPHABETS, Alphabet
from swgui.core.engines import EngineOptions
from swgui.core.errors import EngineUnavailable, InvalidParameter, Stopped
from swgui.core.methods.base import AUTO, THREADS
from swgui.core.scoring import EncodedQuery
from swgui.core.signals import stop_on_interrupt
from swgui.core.sweep.axes import PRESETS, make_axis, method_of, quick_axes
from swgui.core.sweep.data import default_residues
from swgui.core.sweep.grid import QUERY_AXIS, WORTH, Axis, Cell, SweepResult
from swgui.core.sweep.report import as_json, cells_table, describe, sentence
from swgui.engines.facts import GPU
from swgui.engines.host import usable_cores
from swgui.engines.registry import facts, probe, resolve
from swgui.io.database.library import database_files
from swgui.io.outputs import check_outputs
from swgui.io.sequences.reader import read_sequences
from swgui.io.sequences.sources import STANDARD
from swgui.io.table_files import write_table
from swgui.io.tuning import use_settings
from swgui.io.whole_file import save_text
from swgui.jobs.events import Foretold, Stage, run_to_end
from swgui.jobs.kind import kinds
from swgui.jobs.sweep.events import CellDone
from swgui.jobs.sweep.request import SweepRequest
from swgui.runs.steps import steps_of

MARKS: Final = {"waiting": "·", "impossible": "n/a", "wrong": "WRONG"}


def run(arguments: argparse.Namespace) -> int:
    """Run one sweep; returns the exit status: 1 if a score was wrong or nothing could be measured."""
    if arguments.tune or arguments.forget_tune:
        return tiles.run(arguments)
    files = () if arguments.query.isdecimal() else (("query", arguments.query),)
    databases = database_files(arguments.database) if arguments.database else ()
    document = None if arguments.json == STANDARD else arguments.json
    inputs = (*files, *(("database", file) for file in databases))
    check_outputs({"csv": arguments.csv, "json": document}, inputs)
    request = _request(arguments)
    result = _run(request, keep=arguments.keep or arguments.use)
    if result is None:
        say("stopped before anything was measured.")
        return 1
    if arguments.json == STANDARD:
        print(json.dumps(as_json(result), indent=1))
    else:
        print(table(result))
        print(sentence(result))
        if request.watts:
            print("\n".join(watts.lines(request, result)))
    if arguments.csv:
        write_table(arguments.csv, cells_table(result), "csv")
    if document:
        save_text(Path(document), lambda file: json.dump(as_json(result), file, indent=1))
    if arguments.use:
        said = use(result)
        say(said) if arguments.json == STANDARD else print(said)
    wrong = any(cell.state == "wrong" for cell in result.cells.values())
    if wrong or not result.measured:
        return 1
    return 0 if result.complete else PARTIAL


def _request(given: argparse.Namespace) -> SweepRequest:
    engine = resolve(given.engine)[0]
    status = probe(engine)
    if not status.available:
        raise EngineUnavailable(engine, status.reason, hint=status.hint)
    if given.method != AUTO and not facts(engine).methods:
        raise InvalidParameter(
            "method",
            given.method,
            f"'{given.method}' is a method of the engine {GPU.name}; the engine {engine} has none.",
            hint="Leave out --method, or --engine.",
        )
    kind = ALPHABETS[given.type]
    query = _query(given.query, kind)
    words = given.sweep if given.sweep is not None else [] if given.use else [QUERY_AXIS]
    axes = _axes(words, engine, given.method, query if isinstance(query, int) else len(query))
    if given.use and any(axis.name == QUERY_AXIS for axis in axes):
        raise InvalidParameter(
            "use",
            QUERY_AXIS,
            "A sweep over queries finds no settings to use: they hold for queries of like lengths.",
            hint="Sweep settings, with the length given by --query.",
        )
    base = dict(_pair(word, "--set") for word in given.settings)
    if not facts(engine).methods and (value := base.get(THREADS)):
        raise InvalidParameter(
            THREADS,
            value,
            "Threads of the CPU engine are not set but swept.",
            hint=f"Give them as --sweep threads={value}.",
        )
    return SweepRequest(
        engine=engine,
        axes=axes,
        database=_database(given, engine),
        scheme=choose_scheme(given, kind),
        query=query,
        query_file="" if isinstance(query, int) else str(Path(given.query).absolute()),
        options=EngineOptions((given.device,) if given.device else (), 0, {**base, **method_of(axes, given.method)}),
        repeats=given.repeats,
        watts=given.watts,
        budget=given.budget,
    )


def _axes(words: Sequence[str], engine: str, method: str, length: int) -> tuple[Axis, ...]:
    cores = usable_cores()
    if list(words) in ([], [QUICK]):
        return quick_axes(facts(engine), length, cores)
    if len(words) == 1 and words[0] in PRESETS and words[0] != "query":
        words = PRESETS[words[0]].axes
    axes = []
    for word in words:
        name, values = _pair(word, "--sweep") if "=" in word else (word, "")
        axes.append(make_axis(facts(engine), method, name, [value for value in values.split(",") if value], cores))
    return tuple(axes)


def _pair(word: str, option: str) -> tuple[str, str]:
    name, equals, value = word.partition("=")
    if not equals or not name or not value:
        raise InvalidParameter(option, word, f"{option} takes NAME=VALUE, not '{word}'.")
    return name, value


def _query(given: str, kind: Alphabet) -> EncodedQuery | int:
    if given.isdecimal():
        if not int(given):
            raise InvalidParameter("query", given, "A query has at least one residue.")
        return int(given)
    path = Path(given)
    if not path.is_file():
        raise InvalidParameter("query", given, f"'{given}' is neither a number of residues nor a file.")
    query = next(iter(read_sequences(path, kind)), None)
    if query is None:
        raise InvalidParameter("query", given, f"'{given}' holds no sequence.")
    return EncodedQuery(query.id, kind.encode(query.residues))


def _database(given: argparse.Namespace, engine: str) -> Path | int:
    if given.database:
        return Path(given.database)
    if given.residues < 0:
        raise InvalidParameter("residues", given.residues, "A database has at least one residue.")
    return int(given.residues or default_residues(facts(engine), usable_cores()))


def use(result: SweepResult) -> str:
    """Use the settings that a kept sweep found from now on, as the Device page does; return a sentence on it.

    Automatic settings are used where the best ones gain nothing worth setting.

    Raises
    ------
    FileNotWritten
    """
    best = result.best
    if best is None:
        return "The settings in use stay: nothing was measured."
    chosen = result.settings_of(best) if result.gain >= WORTH else None
    use_settings(result.key, chosen)
    low, high = result.key.query_class.split("-")
    values = ", ".join(f"{name} {value}" for name, value in chosen.items()) if chosen else "automatic settings"
    return f"Used from now on for queries of {low} to {high} residues: {values}."


def _run(request: SweepRequest, *, keep: bool) -> SweepResult | None:
    """Measure, and print each cell; None if nothing was measured."""
    stages: set[str] = set()

    def hear(event: object) -> None:
        if isinstance(event, Foretold):
            say(event.sentence)
        elif isinstance(event, Stage) and event.name not in stages:
            stages.add(event.name)
            print(f"{event.name} ...", file=sys.stderr, flush=True)
        elif isinstance(event, CellDone):
            print(f"{event.done:4}/{event.total}  {_line(request.axes, event.cell)}", file=sys.stderr, flush=True)

    with stop_on_interrupt() as cancel:  # measurements are kept
        try:
            kept = run_to_end(steps_of(kinds()["sweep"], request, cancel, history="" if keep else None), hear)
        except Stopped:
            return None
    say(kept.not_kept)
    result: SweepResult = kept.outcome
    return result


def _line(axes: Sequence[Axis], cell: Cell) -> str:
    name = describe(axes, cell.place)
    if not cell.usable:
        return f"{name}: {cell.state}. {cell.reason}".rstrip()
    low, high = cell.quartiles
    return f"{name}: {cell.median:,.4g} GCUPS ({low:,.4g} to {high:,.4g})"


def table(result: SweepResult) -> str:
    """Return a sweep as a table of medians: the first axis along the bottom, the second upwards."""
    bottom = result.axes[0]
    rows = result.axes[1].values if len(result.axes) > 1 else ("",)
    best = result.best.place if result.best else None
    lines = []
    for row in reversed(rows):
        texts = []
        for value in bottom.values:
            place = (value, row) if len(result.axes) > 1 else (value,)
            cell = result.cells[place]
            text = f"{cell.median:,.4g}" if cell.usable else MARKS[cell.state]
            texts.append(f"{text}{'*' if place == best else '~' if cell.slowed else ' '}".rjust(11))
        lines.append(f"{row:>12}{''.join(texts)}")
    lines.append(" " * 12 + "".join(f"{value} ".rjust(11) for value in bottom.values))
    upwards = f", upwards: {result.axes[1].title.lower()}" if len(result.axes) > 1 else ""
    kind = "kernel time" if result.kernel_time else "by the clock"
    head = f"GCUPS ({kind}), {result.device}, query of {result.query_length:,}, {result.database}"
    foot = f"along the bottom: {bottom.title.lower()}{upwards}; * best, ~ at a lower clock, n/a cannot run"
    auto = f"automatic: {result.default_speed:,.4g} GCUPS" if result.default_speed else ""
    return "\n".join(line for line in (head, *lines, foot, auto) if line)
