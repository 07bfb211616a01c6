#!/usr/bin/env python3
"""Work for an hour in one process, and say whether memory, threads and open files stay flat.

    python packaging/measuring/soak.py commands --minutes 60 --log soak.tsv
    QT_QPA_PLATFORM=offscreen python packaging/measuring/soak.py window --minutes 60 --log window.tsv

`commands` runs the table `KINDS` round and round, each by the command line's own entry: proteins, a pipe, a mapped
database, nucleotides on both strands, own scores, rounds with profiles, a search that is kept, stopped and resumed,
exports of every format, pairs with a checkpoint. `window` searches in the window and turns its pages. The log has a
line for every sample: seconds, rounds, bytes in memory, threads, open files, files kept. The last line of the output is
the verdict of `tests/long/meter.py`; the exit status is 1 if anything is not flat.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import itertools
import os
import random
import signal
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from swgui.cli import main as swgui  # noqa: E402 - the checkout this file lies in, and its tests
from swgui.core.errors import LogError  # noqa: E402
from swgui.io.export import FORMATS  # noqa: E402
from swgui.io.export.pairs import PAIR_FORMATS  # noqa: E402
from swgui.io.saved.score_log import read_facts  # noqa: E402
from swgui.jobs.events import Finished  # noqa: E402
from swgui.runs import Runs  # noqa: E402
from tests.long.meter import Meter  # noqa: E402

PROTEIN, DNA = "ACDEFGHIKLMNPQRSTVWY", "ACGT"
KEPT = 10  # runs of the history, so that it reaches its limit early
AT_ONCE = 4  # formats that are written in one round of the table


@dataclass(frozen=True)
class Kind:
    """One kind of work: its name, the commands, and the exit status of the last of them."""

    name: str
    commands: tuple[str, ...]
    status: int = 0


KINDS = (
    Kind("a database is made and looked at", ("makedb p.fa -o p.swdb", "info --check p.swdb")),
    Kind("proteins, from a mapped database", ("search -q q.fa -d p.swdb -o out.tsv --engine cpu",)),
    Kind("proteins, from a file of sequences", ("search -q q.fa -d p.fa -o out.tsv --mask --min-identity 20",)),
    Kind("proteins, from a pipe", ("search -q pipe -d p.swdb -o out.tsv",)),
    Kind("nucleotides, both strands", ("search -q n.fa -d d.fa --strand both -o out.tsv --scores out.npz",)),
    Kind("own scores, E fitted", ("search -q n.fa -d d.fa --match 3 --mismatch -7 --gap-open 9 -o out.tsv",)),
    Kind("rounds", ("search -q q1.fa -d p.swdb --iterations 3 --save-profile p.json --save-alignment p.a3m -o o.tsv",)),
    Kind("a profile", ("search --start-from p.json -d p.swdb -o out.tsv",)),
    Kind("saved, shown and verified", ("search -q q1.fa -d p.swdb --save s.swgui -o out.tsv", "verify s.swgui")),
    Kind("exports", ()),
    Kind("kept", ("search -q q1.fa -d p.swdb --history kept -o out.tsv",)),
    Kind("stopped", ("search -q long.fa -d p.swdb --engine reference --history stopped -o out.tsv",), 130),
    Kind("resumed", ()),
    Kind("pair", ("pair a.fa b.fa --strand both --limit 3 -o pair.json --format json",)),
    Kind("pair, global, with a checkpoint", ("pair a.fa b.fa --mode global --checkpoint pair.state -o pair.txt",)),
    Kind("pair, exports", ()),
    Kind("bad input", ("search -q q.fa -d none.fa",), 1),
)


def prepare(folder: Path) -> None:
    """Write the files that the commands name."""
    chance = random.Random(3)

    def text(letters: str, length: int) -> str:
        return "".join(chance.choices(letters, k=length))

    def write(name: str, residues: list[str]) -> None:
        lines = "".join(f">{name[0]}{at}\n{one}\n" for at, one in enumerate(residues))
        (folder / name).write_text(lines, "ascii")

    proteins = [text(PROTEIN, chance.randrange(20, 300)) for _ in range(400)]
    for at in range(0, 400, 20):  # relatives, so that there are rounds
        other = list(proteins[0][:200].ljust(60, "A"))
        for place in chance.sample(range(len(other)), len(other) // 2):
            other[place] = chance.choice(PROTEIN)
        proteins[at] = "".join(other)
    genes = [text(DNA, chance.randrange(50, 900)) for _ in range(150)]
    write("p.fa", proteins)
    write("q.fa", [proteins[20], proteins[1][:90], proteins[2]])
    write("q1.fa", [proteins[20]])
    write("long.fa", ["".join(proteins)[at : at + 400] for at in range(0, 3_200, 400)])
    write("d.fa", genes)
    write("n.fa", [genes[3], genes[4][:40] + genes[9][-60:]])
    genome = text(DNA, 6_000)
    write("a.fa", [genome])
    write("b.fa", [genome[300:2_000] + text(DNA, 300) + genome[2_200:]])
    os.mkfifo(folder / "pipe")


class Soak:
    """The table of kinds at work in the current folder."""

    def __init__(self) -> None:
        self.history = Runs(max_runs=KEPT)
        self.done: Counter[str] = Counter()
        self._exports = itertools.cycle(FORMATS)
        self._pairs = itertools.cycle(PAIR_FORMATS)
        self._own: dict[str, Callable[[], None]] = {
            "exports": self._export,
            "resumed": self._resume,
            "pair, exports": self._export_pair,
        }

    def run(self, kind: Kind) -> None:
        """Do one kind of work; `AssertionError` with the output if it did not end as it should."""
        self._own.get(kind.name, lambda: self._commands(kind))()
        self.done[kind.name] += 1

    def _commands(self, kind: Kind) -> None:
        for number, command in enumerate(kind.commands, start=1):
            with interrupting() if kind.name == "stopped" else contextlib.nullcontext(), fed(command):
                call(command, kind.status if number == len(kind.commands) else 0)

    def _export(self) -> None:
        for name in itertools.islice(self._exports, AT_ONCE):
            call(f"show s.swgui --format {name} -o out.{name}")

    def _export_pair(self) -> None:
        for name in itertools.islice(self._pairs, AT_ONCE):
            call(f"pair a.fa b.fa --format {name} -o pair.{name}")

    def _resume(self) -> None:
        run = next(run for run in self.history.list() if run.resumable)
        *_, last = self.history.run("search", self.history.resume(run.id), threading.Event())
        assert isinstance(last, Finished)
        assert last.outcome.state == "complete"
        self.history.delete(run.id)  # or the next command of this name computes nothing


def call(command: str, status: int = 0) -> None:
    """Run a command in this process and compare its exit status with the expected one."""
    said = io.StringIO()
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(said):
        found = swgui(command.split())
    assert found == status, f"{command}: exit status {found}\n{said.getvalue()}"


@contextlib.contextmanager
def interrupting() -> Iterator[None]:
    """Press Ctrl+C once some scores are kept; not any more once the command has ended."""
    ended, runs = threading.Event(), Runs().folder

    def press() -> None:
        while not ended.wait(0.02):
            with contextlib.suppress(LogError):  # just begun, or just deleted
                if any(read_facts(path)[1] for path in runs.glob("*.journal")):
                    os.kill(os.getpid(), signal.SIGINT)
                    return

    presser = threading.Thread(target=press)
    presser.start()
    try:
        yield
    finally:
        ended.set()
        presser.join()


@contextlib.contextmanager
def fed(command: str) -> Iterator[None]:
    """Write the queries into the pipe, if the command reads it."""
    if "pipe" not in command.split():
        yield
        return
    writer = threading.Thread(target=lambda: Path("pipe").write_bytes(Path("q.fa").read_bytes()))
    writer.start()
    yield
    writer.join()


def soak_commands(seconds: float, folder: Path, log: Path | None) -> Meter:
    """Go through the table until the time is up."""
    prepare(folder)
    os.chdir(folder)
    soak, meter = Soak(), Meter(folder, log)
    for number in itertools.count(1):
        for kind in KINDS:
            soak.run(kind)
        for old in soak.history.list()[KEPT:]:
            soak.history.delete(old.id)
        meter.sample(number)
        if meter.seconds > seconds:
            break
    for name, count in soak.done.items():
        print(f"{count:8,}  {name}")
    os.chdir(ROOT)
    return meter


def soak_window(seconds: float, folder: Path, log: Path | None) -> Meter:
    """Search in the window until the time is up."""
    from tests.long.window_loop import run_window

    return run_window(seconds, folder, log=log)


WAYS = {"commands": soak_commands, "window": soak_window}


def main() -> int:
    """Run one of the ways and print what it used."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("way", choices=WAYS)
    parser.add_argument("--minutes", type=float, default=60.0)
    parser.add_argument("--log", type=Path, help="write every sample to this file")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="swgui-soak-") as name:
        for variable in ("CONFIG", "CACHE", "DATA"):
            os.environ[f"SWGUI_{variable}_DIR"] = str(Path(name, variable.lower()))
        folder = Path(name, "work")
        folder.mkdir()
        meter = WAYS[asked.way](60 * asked.minutes, folder, asked.log and asked.log.resolve())
    print(meter.report())
    faults = meter.faults()
    print("Not flat: " + "; ".join(faults) if faults else "Flat.")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
