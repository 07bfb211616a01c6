#!/usr/bin/env python3
"""Trials of the installed command that take too long for the suite, each at its full count.

    python packaging/measuring/hostile.py [NAME ...] [--times N] [--percent N]

Without names all trials of the table `TRIALS` are made; each prints a line with what was found, and what went wrong
ends the script. `tests/robustness/test_hostile.py` makes some of them once, in small. Results: docs/dev/robustness.md.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import random
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

PROTEIN, DNA = "ACDEFGHIKLMNPQRSTVWY", "ACGT"
FORMATS = ("tsv", "json", "sam", "xlsx", "fasta-aligned")  # none that says when it was written
PLAIN = 6_000  # residues that the plain engine scores with itself in seconds
SHORTEST = 1_200  # residues: the scores of fewer pass 2^24 only with a match above 16,000, which is refused
CLUSTER = (  # scheduler killed while it is searched; other versions, from the start and later
    "test_a_lost_scheduler_ends_the_search_and_what_came_is_kept",
    "test_another_version_is_refused_with_both_named",
    "test_another_version_that_comes_late_is_not_used",
)
SIZES = {"wide": {"length": 47_000}, "checkpoints": {"changes": 1_000}, "many": {"sequences": 20_000_000}}


def begin(folder: Path, *arguments: str) -> subprocess.Popen[bytes]:
    """Start the command in a folder, with the files of its user below it."""
    own = {f"SWGUI_{name}_DIR": str(folder / f"of the user/{name}") for name in ("CONFIG", "CACHE", "DATA")}
    environment = os.environ | own | {"PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "swgui", *arguments]
    return subprocess.Popen(command, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def run(folder: Path, *arguments: str, status: int = 0) -> str:
    """Run the command to its end and return what it printed; it must end with `status` and without a traceback."""
    process = begin(folder, *arguments)
    output, said = (part.decode() for part in process.communicate())
    assert process.returncode == status, f"{arguments}: {process.returncode}\n{said}"
    assert "Traceback" not in said, said
    return output


def drawn(letters: str, length: int, seed: int) -> str:
    """Return random residues."""
    return "".join(random.Random(seed).choices(letters, k=length))


def wide(folder: Path, times: int, *, length: int = 47_000) -> str:
    """Score 2^31 cells with scores above 2^24: engines agree, and a sequence with itself scores as by hand.

    The plain engine is the judge of up to `PLAIN` residues: of 2^31 cells it takes more than half an hour.
    """
    length = max(length, SHORTEST)
    if length > PLAIN:
        _wide(folder, PLAIN, ("cpu", "reference"))
    cells, scores = _wide(folder, length, ("cpu", "reference") if length <= PLAIN else ("cpu",))
    said = " and ".join(f"{score:,}" for score in scores)
    return f"{cells:,} cells, scores of {said}: the same from cpu, pair and, of up to {PLAIN:,} residues, reference"


def _wide(folder: Path, length: int, engines: Sequence[str]) -> tuple[int, list[int]]:
    """Score pairs of this many residues by engines and as pairs; returns the cells of a search and its scores."""
    query = drawn(DNA, length, 1)
    gapped = "".join(query[start : start + 990] for start in range(0, length, 1_000))
    (folder / "q.fa").write_text(f">q\n{query}\n")
    (folder / "d.fa").write_text(f">same\n{query}\n>gapped\n{gapped}\n>other\n{drawn(DNA, length // 10, 2)}\n")
    match = (1 << 24) * 51 // 50 // len(gapped)  # a little more, for the gaps
    scoring = ("--match", str(match), "--mismatch", str(-match), "--gap-open", str(4 * match), "--gap-extend", "1")
    found = {}
    for engine in engines:
        arguments = ("-q", "q.fa", "-d", "d.fa", "--engine", engine, "--strand", "plus", "--evalue", "1e300")
        run(folder, "search", *arguments, *scoring, "--composition", "none", "--max-hsps", "1", "--scores", "s.npz",
            "-o", "hits.tsv")  # fmt: skip
        found[engine] = np.load(folder / "s.npz")["scores"].ravel().tolist()
    assert len({tuple(scores) for scores in found.values()}) == 1, found
    same, other, *_ = found["cpu"]
    assert same == match * length
    assert min(same, other) > 1 << 24
    for name, score in (("same", same), ("gapped", other)):
        run(folder, "pair", "q.fa", "d.fa", "--subject-id", name, "--method", "cpu", *scoring, "--format", "paf",
            "-o", "pair.paf")  # fmt: skip
        assert f"\tAS:i:{score}\t" in (folder / "pair.paf").read_text()
    return length * (length + len(gapped) + length // 10), [same, other]


def killed_pair(folder: Path, times: int, *, length: int = 120_000, every: float = 20.0) -> str:
    """Kill a pair that keeps a checkpoint, again and again; compare its result with that of an undisturbed run."""
    first = drawn(DNA, length, 3)
    (folder / "a.fa").write_text(f">a\n{first}\n")
    (folder / "b.fa").write_text(f">b\n{first[length // 9 : length // 2]}{drawn(DNA, length // 2, 4)}\n")
    asked = ("pair", "a.fa", "b.fa", "--strand", "both", "--top", "2", "--method", "cpu", "--format", "paf")
    began = time.monotonic()
    run(folder, *asked, "-o", "whole.paf")
    took, whole = time.monotonic() - began, (folder / "whole.paf").read_text()
    source, kills, seen = random.Random(5), 0, 0
    while kills < times:
        process = begin(folder, *asked, "--checkpoint", "state", "-o", "out.paf")
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(source.uniform(0.3, min(took, every)))
        kills += process.poll() is None
        process.kill()
        said = process.communicate()[1].decode()
        assert process.returncode in (0, -signal.SIGKILL), said
        seen += (folder / "state").exists()
        if (folder / "out.paf").exists():  # it had come to its end: begin anew
            assert (folder / "out.paf").read_text() == whole
            (folder / "out.paf").unlink()
    run(folder, *asked, "--checkpoint", "state", "-o", "out.paf")
    assert (folder / "out.paf").read_text() == whole
    assert not (folder / "state").exists()
    return f"{kills} kills, {seen} with a checkpoint left; the result is that of {took:.0f} s without any"


def saved_search(folder: Path, subjects: int = 4_000) -> dict[str, bytes]:
    """Save a search with hits for seconds of export; returns the export of every format."""
    query = drawn(PROTEIN, 300, 6)
    pieces = (query[index % 150 :][:150] + drawn(PROTEIN, 40, index) for index in range(subjects))
    lines = "".join(f">s{index}\n{piece}\n" for index, piece in enumerate(pieces))
    (folder / "q.fa").write_text(f">q\n{query}\n")
    (folder / "d.fa").write_text(lines)
    asked = ("--top", str(subjects), "--composition", "none", "--max-hsps", "1", "-o", "hits.tsv")
    run(folder, "search", "-q", "q.fa", "-d", "d.fa", *asked, "--save", "s.swgui")
    for name in FORMATS:
        run(folder, "show", "s.swgui", "--format", name, "-o", f"whole.{name}")
    return {name: (folder / f"whole.{name}").read_bytes() for name in FORMATS}


def killed_export(folder: Path, times: int, *, subjects: int = 4_000) -> str:
    """Kill exports over an older file: it is the older one or the whole new one."""
    wholes, source, outcomes = saved_search(folder, subjects), random.Random(7), Counter[str]()
    for number in range(times):
        name = FORMATS[number % len(FORMATS)]
        target = folder / f"out.{name}"
        target.write_bytes(b"older")
        began = time.monotonic()
        with begin(folder, "show", "s.swgui", "--format", name, "-o", target.name) as process:
            part = source.random()
            while process.poll() is None and not _parts(folder) and time.monotonic() - began < 60:
                time.sleep(0.005)
            time.sleep(0.3 * part)  # it is writing now
            process.kill()
        data = target.read_bytes()
        assert data == b"older" or _alike(data, wholes[name]), f"{name}: half a file of {len(data)} bytes"
        outcomes["older" if data == b"older" else "new"] += 1
        for left in _parts(folder):
            outcomes["left"] += 1
            os.utime(left, (1, 1))
        run(folder, "show", "s.swgui", "--format", name, "-o", target.name)
        assert not _parts(folder)
        assert _alike(target.read_bytes(), wholes[name])
    left = outcomes.pop("left", 0)
    said = ", ".join(f"{count} times the {kind} file" for kind, count in outcomes.items())
    return f"{times} kills: {said}; {left} unfinished files, all removed by the next export"


def two_writers(folder: Path, times: int, *, subjects: int = 4_000) -> str:
    """Write one target from two processes at once: one of the two files, whole."""
    wholes, outcomes = saved_search(folder, subjects), Counter[str]()
    for number in range(times):
        names = FORMATS[number % len(FORMATS)], FORMATS[(number + 1) % len(FORMATS)]
        target = folder / "one.out"
        both = [begin(folder, "show", "s.swgui", "--format", name, "-o", target.name) for name in names]
        for process in both:
            said = process.communicate()[1].decode()
            assert process.returncode == 0, said
        data = target.read_bytes()
        won = [name for name in names if _alike(data, wholes[name])]
        assert won, f"{names}: neither file, {len(data)} bytes"
        outcomes["first" if won[0] == names[0] else "second"] += 1
        assert not _parts(folder)
        target.unlink()
    return f"{times} pairs of writers: {dict(outcomes)}, each file whole"


def _parts(folder: Path) -> list[Path]:
    return list(folder.glob(".*.part"))


def _alike(data: bytes, whole: bytes) -> bool:
    """Whether two exports are the same; a workbook's parts carry the time, so that of it the size must do."""
    return data == whole or (data[:2] == b"PK" == whole[:2] and abs(len(data) - len(whole)) < 100)


def changed_checkpoints(folder: Path, times: int, *, changes: int = 1_000) -> str:
    """Change a checkpoint at random: it is refused with a sentence, or read as it was written."""
    from swgui.core.errors import SwguiError
    from tests.fuzz.edits import apply
    from tests.fuzz.edits import drawn as drawn_edits
    from tests.fuzz.pair_targets import checkpoint_states, checkpoints

    (sound,) = checkpoints()
    path, source, outcomes = folder / "state", random.Random(8), Counter[str]()
    path.write_bytes(sound)
    expected = _spelled(checkpoint_states(path))
    for _ in range(changes):
        data = apply(sound, drawn_edits(source), [sound])
        path.write_bytes(data)
        try:
            read = checkpoint_states(path)
        except SwguiError as error:
            outcomes["refused" if "\n" not in str(error) else "refused in several lines"] += 1
            continue
        assert _spelled(read) == expected
        outcomes["read as written"] += 1
    assert set(outcomes) <= {"refused", "read as written"}
    return f"{changes:,} changed files: {dict(outcomes)}"


def _spelled(states: Mapping[Any, Any] | None) -> list[object]:
    """Return all of a checkpoint as plain values."""
    found: list[object] = []
    for name, state in (states or {}).items():
        alignments = [one and (one.path, one.score) for one in (*state.taken, state.next)]
        resume = state.resume
        kept = resume and (resume.stage, resume.cells_done, [(k, a.tolist()) for k, a in resume.arrays.items()])
        found.append((name, state.done, state.end, alignments, kept))
    return found


def cluster(folder: Path, times: int) -> str:
    """Kill the scheduler of a cluster while it is searched, and mix versions."""
    tests = [f"tests/engines/cluster/test_faults.py::{name}" for name in CLUSTER]
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-n", "0", "-p", "no:cacheprovider", *tests]
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    for _ in range(times):
        done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout[-3000:]
    return f"{times} times a scheduler killed during a search, and another version at first and later: as it should be"


def many_sequences(folder: Path, times: int, *, sequences: int = 20_000_000) -> str:
    """Build, open and search one database of many short sequences."""
    chance, block = random.Random(9), 100_000
    pieces = [drawn(PROTEIN, 60, seed) for seed in range(1_000)]
    with open(folder / "many.fa", "w", encoding="ascii") as file:
        for start in range(0, sequences, block):
            some = range(start, min(start + block, sequences))
            file.write("".join(f">seq{index}\n{chance.choice(pieces)[index % 40 :]}\n" for index in some))
    said = []
    for what, arguments in (
        ("built", ("makedb", "many.fa", "-o", "many.swdb")),
        ("opened and described", ("info", "many.swdb")),
        ("checked", ("info", "--check", "many.swdb")),
        ("searched", ("search", "-q", "q.fa", "-d", "many.swdb", "--composition", "none", "-o", "hits.tsv")),
    ):
        (folder / "q.fa").write_text(f">q\n{pieces[7]}\n")
        began = time.monotonic()
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        peak = _peak(folder, *arguments)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        said.append(f"{what} in {time.monotonic() - began:.1f} s ({used:.1f} s of processor time, {peak} MiB)")
    opened = "import sys,time; from swgui.io.database.file import open_database as o; b=time.monotonic()"
    code = f"{opened}; n=len(o('many.swdb')); print(n, time.monotonic() - b)"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=folder, env=os.environ | {"PYTHONPATH": str(ROOT)}, capture_output=True
    )
    count, seconds = done.stdout.split()
    assert int(count) == sequences, done.stderr
    size = (folder / "many.swdb").stat().st_size / 2**20
    assert (folder / "hits.tsv").read_text().count("\n") > 1
    return f"{sequences:,} sequences, {size:,.0f} MiB: {'; '.join(said)}; `open_database` alone {float(seconds):.2f} s"


def _peak(folder: Path, *arguments: str) -> int:
    """Run the command and return the most memory of its own it had, in MiB; pages of mapped files do not count."""
    process, most = begin(folder, *arguments), 0
    while process.poll() is None:
        with contextlib.suppress(OSError, IndexError, ValueError):
            status = Path(f"/proc/{process.pid}/status").read_text()
            most = max(most, int(status.split("RssAnon:")[1].split()[0]) // 1024)
        time.sleep(0.05)
    assert process.returncode == 0, process.communicate()[1].decode()
    return most


TRIALS: dict[str, Callable[..., str]] = {
    "wide": wide,
    "killed-pair": killed_pair,
    "killed-export": killed_export,
    "two-writers": two_writers,
    "checkpoints": changed_checkpoints,
    "cluster": cluster,
    "many": many_sequences,
}


@contextlib.contextmanager
def place(name: str) -> Iterator[Path]:
    """Give a trial a folder of its own."""
    with tempfile.TemporaryDirectory(prefix=f"swgui-{name}-") as folder:
        yield Path(folder)


def main() -> int:
    """Make trials and print what was found."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", choices=[*TRIALS, []], metavar="NAME", help=f"of {', '.join(TRIALS)}")
    parser.add_argument("--times", type=int, default=15, help="how often something is killed or written (default: 15)")
    parser.add_argument("--percent", type=int, default=100, help="of the sequences and changes (default: 100)")
    asked = parser.parse_args()
    for name in asked.names or TRIALS:
        sizes = {word: size * asked.percent // 100 for word, size in SIZES.get(name, {}).items()}
        with place(name) as folder:
            print(f"{name}: {TRIALS[name](folder, asked.times, **sizes)}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
