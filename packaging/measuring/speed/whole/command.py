"""Arguments and output of ``--whole``."""

from __future__ import annotations

import argparse
import json
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TypeVar

from speed.common import PROGRAM, positive, refuse, save_text
from speed.data import DATA_DEFAULT, DATA_VARIABLE, data_files, data_folder
from speed.document import document
from speed.whole.child import program
from speed.whole.files import Files
from speed.whole.measure import Bench, Result
from speed.whole.peers import PEERS
from speed.whole.rows import ROWS
from swgui.commands.parser import Parser
from swgui.core.devices import CPU
from swgui.core.engines import Kind
from swgui.core.errors import InvalidParameter, SwguiError
from swgui.core.trace import OTHER, PARTS
from swgui.core.words import count
from swgui.engines.host import cpu_name, memory, usable_cores
from swgui.engines.registry import engine_names, facts
from swgui.io.outputs import check_outputs

T = TypeVar("T")

WORD: Final = "--whole"
NONE: Final = "none"
SHOWN_FROM: Final = 0.005  # seconds of a part that are shown
MIB: Final = 1 << 20
DIGITS: Final = ((100.0, 0), (0.01, 2), (0.001, 3), (0.0, 6))  # behind the point, from so many seconds on


@dataclass(frozen=True, slots=True)
class Computer:
    """The hardware of the measurements.

    Parameters
    ----------
    devices : tuple of dict
        The CPU and the GPUs, as a file of figures says them.
    gpus : int
    no_gpu : str
        Why there is none.
    """

    devices: tuple[dict[str, Any], ...]
    gpus: int
    no_gpu: str


def main(words: Sequence[str]) -> int:
    """Measure; returns the exit status."""
    given = _parser().parse_args([word for word in words if word not in ("--", WORD)])
    results: list[Result] = []
    computer: Computer | None = None
    try:
        check_outputs({"json": given.json}, data_files(data_folder(given.data)))
        rows = chosen("job", given.jobs, {row.key: row for row in ROWS})
        named = given.peers.split(",") if given.peers else ()
        peers = () if given.peers == NONE else tuple(chosen("peers", named, {name: name for name in PEERS}))
        computer = look()
        print(
            f"{', '.join(device['name'] for device in computer.devices)}; {count(usable_cores(), 'core')}", flush=True
        )
        with tempfile.TemporaryDirectory(prefix="swgui-bench-", dir=given.folder) as folder:
            files = Files(data_folder(given.data), Path(folder))
            bench = Bench(files, given.repeats, given.limit, computer.gpus, computer.no_gpu, given.engine or "", peers)
            for row in rows:
                results.append(bench.measure(row))
                print(line(results[-1]), flush=True)
    except SwguiError as error:
        return refuse(error)
    finally:
        if results and computer is not None:
            print(f"\n{table(results)}")
            if given.json:
                made = document([one.as_json() for one in results], computer.devices)
                save_text(given.json, json.dumps(made, indent=1))
    return 0


def look() -> Computer:
    """Ask the program, in a process of its own, what this computer has: this one is to stay small."""
    told = subprocess.run([*program(), "devices", "--json"], capture_output=True, text=True, check=False)
    if told.returncode:
        raise SwguiError(f"The devices cannot be listed: {told.stderr.strip()}")
    gpus = [one for one in json.loads(told.stdout) if facts(one["engine"]).kind is Kind.GPU]
    found = [device for one in gpus for device in one["devices"]]
    host = {"id": CPU, "name": cpu_name(), "cores": str(usable_cores()), "memory": str(memory())}
    devices = ({"id": device["id"], "name": device["name"], **device["facts"]} for device in found)
    return Computer((host, *devices), len(found), " ".join(one["reason"] for one in gpus if not one["available"]))


def chosen(parameter: str, names: Sequence[str], known: Mapping[str, T]) -> list[T]:
    """Return the named ones, or all by default.

    Raises
    ------
    InvalidParameter
    """
    for name in names:
        if name not in known:
            hint = f"Choose {', '.join(known)}."
            raise InvalidParameter(parameter, name, f"'{name}' is not measured here.", hint=hint)
    return [known[name] for name in names or known]


def line(result: Result) -> str:
    """Return a job's result as text: seconds, memory, parts, and other programs."""
    head, run = f"{result.row.key:<14} {result.row.title[:48]:<48}", result.median
    if run is None:
        return f"{head} not measured: {result.why}"
    parts = ", ".join(f"{name} {value:.2f}" for name, value in run.parts.items() if value >= SHOWN_FROM)
    others = "; ".join(f"{one.name} {_figure(one.taken.seconds) if one.taken else one.why}" for one in result.beside)
    told = [f"{_figure(run.seconds):>8} s {_memory(run.memory):>6} MiB", *filter(None, (parts, others))]
    return f"{head} {' | '.join(told)}"


def table(results: Sequence[Result]) -> str:
    """Return all results as a table in Markdown; jobs that were not done are named below it with the reason."""
    done = [(result, result.median) for result in results]
    parts = [name for name in (*PARTS, OTHER) if any(run and run.parts.get(name, 0) >= SHOWN_FROM for _, run in done)]
    others = list(dict.fromkeys(one.name for result in results for one in result.beside))
    lines = [_cells("job", "s", "wanted, s", "MiB", *parts, *others), _cells(*["---"] * (4 + len(parts) + len(others)))]
    for result, run in done:
        if run is None:
            continue
        beside = {one.name: _figure(one.taken.seconds) for one in result.beside if one.taken}
        spent = [_figure(run.parts[name]) if run.parts.get(name, 0) >= SHOWN_FROM else "" for name in parts]
        known = [beside.get(name, "") for name in others]
        lines.append(
            _cells(result.row.title, _figure(run.seconds), result.row.wanted, _memory(run.memory), *spent, *known)
        )
    missing = [f"Not measured: {result.row.title}: {result.why.rstrip('.')}." for result, run in done if run is None]
    missing += [
        f"Not measured: {one.name} at {result.row.title}: {one.why.rstrip('.')}."
        for result in results
        for one in result.beside
        if one.taken is None
    ]
    return "\n".join([*lines, *([""] if missing else []), *missing])


def _cells(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"


def _figure(seconds: float) -> str:
    """Return seconds with two or three digits that count."""
    digits = next(digits for least, digits in DIGITS if seconds >= least)
    return f"{seconds:.{digits}f}"


def _memory(used: int | None) -> str:
    return "" if used is None else f"{used / MIB:.0f}"


def _parser() -> argparse.ArgumentParser:
    parser = Parser(
        prog=f"{PROGRAM} {WORD}",
        description="Time whole jobs as users run them: each a process of its own, beside the programs found here.",
        epilog="Jobs: " + "; ".join(f"{row.key}: {row.title}" for row in ROWS) + ".",
    )
    parser.add_argument("jobs", nargs="*", metavar="JOB", help="which jobs (default: all)")
    parser.add_argument("--data", help=f"folder of the sequences (default: ${DATA_VARIABLE} or {DATA_DEFAULT})")
    parser.add_argument(
        "--repeats", type=positive, default=3, help="runs of which the median counts (default: 3; 1 of long jobs)"
    )
    parser.add_argument("--limit", type=positive, default=600, help="seconds that a run may take (default: 600)")
    parser.add_argument("--peers", metavar="NAME[,NAME]", help=f"of {', '.join(PEERS)}, or {NONE} (default: all found)")
    parser.add_argument("--engine", choices=engine_names(), help="search with this engine instead of a job's own")
    parser.add_argument("--folder", help="for what is made meanwhile (default: that of temporary files)")
    parser.add_argument("--json", metavar="FILE", help="write all figures to a file")
    return parser
