#!/usr/bin/env python3
"""Measure which device ends a search first: the table of `tests/engines/test_choice.py`.

    python packaging/measuring/choices.py tests/engines/choices.json --add [--cores 4,16] [--limit 540] [--seconds 8]

Whole commands search with queries and in databases of several sizes, on a GPU and on some of the cores, each in a
process of its own: first on the GPU, which compiles kernels, then in turn until `--limit` seconds are over. Searches
that take the cores longer than `--seconds` are left out. The table holds the least time of each, the number of queries,
their letters and the residues of the database. Reads the real sequences of SWGUI_DATA.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from swgui.core.alphabet import PROTEIN
from swgui.core.records import SequenceRecord
from swgui.engines.host import cpu_name
from swgui.io.sequences.reader import read_sequences

ROOT: Final = Path(__file__).resolve().parents[2]
DATA: Final = Path(os.environ.get("SWGUI_DATA") or ROOT.parent / "shared" / "data").resolve()
COMMAND: Final = (sys.executable, "-m", "swgui")
CORE: Final = 10e9  # cells that a core computes in a second, at least
SINGLE: Final = (144, 464, 1000, 2005, 5478)  # residues of the queries that are searched alone
MANY: Final = (5, 20, 100, 500)  # mixed queries together
COPIES: Final = {"few": 0, "swissprot": 1, "proteomes": 1, "proteomes x 4": 4}


def main() -> int:
    """Measure."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("out", type=Path)
    parser.add_argument("--cores", default="4,16")
    parser.add_argument("--limit", type=float, default=540.0)
    parser.add_argument("--seconds", type=float, default=8.0)
    parser.add_argument("--add", action="store_true", help="keep what the file has of other computers")
    given = parser.parse_args()
    began = time.monotonic()
    usable = sorted(os.sched_getaffinity(0))
    cores = [number for number in map(int, given.cores.split(",")) if number <= len(usable)]
    before = json.loads(given.out.read_text()) if given.add and given.out.exists() else []
    with tempfile.TemporaryDirectory(prefix="swgui-choices-") as folder:
        queries, databases = make_queries(Path(folder)), make_databases(Path(folder))
        rows = {
            (name, place.stem, number): {
                "computer": cpu_name(), "cores": number, "queries": len(lengths), "letters": sum(lengths),
                "residues": residues,
            }
            for place, residues in databases
            for name, lengths in queries
            for number in cores
        }  # fmt: skip
        for number, (key, engine) in enumerate(order(rows, cores)):
            row = rows[key]
            on_cores = row["letters"] * row["residues"] / (CORE * row["cores"])
            if time.monotonic() - began > given.limit or (engine == "cpu" and on_cores > given.seconds):
                continue
            words = ["search", "-q", f"{key[0]}.fasta", "-d", f"{key[1]}.swdb", "--engine", engine, "-o", "out.tsv"]
            if (took := run(words, usable[: row["cores"]], Path(folder))) is not None:
                row[engine] = round(min(took, row.get(engine, took)), 3)
            if number % 20 == 0:
                save(given.out, before, rows)
        save(given.out, before, rows)
    return 0


def order(rows: dict[Any, Any], cores: Sequence[int]) -> Iterator[tuple[Any, str]]:
    """Yield the searches: on the GPU with all cores first, then all in turn, thrice."""
    yield from ((key, "cuda") for key in rows if key[2] == cores[-1])
    for _ in range(3):
        yield from ((key, engine) for key in rows for engine in ("cuda", "cpu"))


def save(out: Path, before: list[Any], rows: dict[Any, dict[str, Any]]) -> None:
    """Write the table: searches that were measured on both."""
    made = [json.dumps(row) for row in [*before, *rows.values()] if {"cpu", "cuda"} <= row.keys()]
    out.write_text("[\n" + ",\n".join(made) + "\n]\n", "utf-8")


def run(words: Sequence[str], cores: Sequence[int], folder: Path) -> float | None:
    """Return the seconds of a command on some cores; None if it failed."""
    taken = time.perf_counter()
    done = subprocess.run(
        [*COMMAND, *words], cwd=folder, capture_output=True, check=False,
        preexec_fn=lambda: os.sched_setaffinity(0, cores),
    )  # fmt: skip
    seconds = time.perf_counter() - taken
    if done.returncode:
        print(" ".join(words), done.stderr.decode()[-300:], file=sys.stderr)
    else:
        print(f"{len(cores):3d} cores {' '.join(words)}: {seconds:.3f}", flush=True)
    return None if done.returncode else seconds


def write(place: Path, records: Sequence[SequenceRecord]) -> None:
    """Write sequences."""
    with place.open("wb") as file:
        file.writelines(f">{one.id}\n".encode() + one.residues + b"\n" for one in records)


def make_queries(folder: Path) -> list[tuple[str, list[int]]]:
    """Write the queries, and return their names and lengths."""
    of_papers = list(read_sequences(DATA / "proteins" / "cudasw_20queries.fasta", PROTEIN))
    mixed = list(read_sequences(DATA / "proteins" / "uniprot_500queries.fasta", PROTEIN))
    chosen = {f"one-{length}": [next(one for one in of_papers if len(one.residues) == length)] for length in SINGLE}
    chosen |= {f"mixed-{number}": mixed[:number] for number in MANY} | {"papers-20": of_papers}
    for name, records in chosen.items():
        write(folder / f"{name}.fasta", records)
    return [(name, [len(one.residues) for one in records]) for name, records in chosen.items()]


def make_databases(folder: Path) -> list[tuple[Path, int]]:
    """Write the databases, and return their places and residues."""
    made = []
    for name, copies in COPIES.items():
        source = "swissprot_16species" if name in ("few", "swissprot") else "uniprot_16proteomes"
        records = list(read_sequences(DATA / "proteins" / f"{source}.fasta.gz", PROTEIN))
        records = records[:: 1 if copies else 12] * max(copies, 1)
        place = folder / f"{name.replace(' ', '-')}.fasta"
        write(place, [SequenceRecord(f"s{at}", "", one.residues) for at, one in enumerate(records)])
        subprocess.run([*COMMAND, "makedb", str(place), "-o", str(place.with_suffix(".swdb"))], check=True)
        made.append((place.with_suffix(".swdb"), sum(len(one.residues) for one in records)))
        place.unlink()
    return made


if __name__ == "__main__":
    sys.exit(main())
