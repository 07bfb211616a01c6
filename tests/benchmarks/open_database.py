"""How long it takes to open a database of very many sequences, whose index is looked through then.

    python -m tests.benchmarks.open_database --sequences 100000000

Writes the index as `makedb` would: random lengths, sorted by them, order and texts of the usual sizes. Residues and
texts are holes in the file, which are not read when it is opened. Takes 32 bytes of disk and, while it is written,
about as much memory for each sequence. Prints each opening; the first may find the file not yet in memory.
"""

from __future__ import annotations

import argparse
import resource
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from swgui.core.alphabet import PROTEIN
from swgui.core.packing import sort_by_length
from swgui.io.database.file import open_database
from swgui.io.database.format import SECTIONS, DatabaseWriter, Section


def main() -> int:
    """Measure."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.open_database")
    parser.add_argument("--sequences", type=int, default=10**8)
    parser.add_argument("--openings", type=int, default=5)
    parser.add_argument("--random", action="store_true", help="an order without any order: the slowest to look through")
    parser.add_argument("--folder", type=Path, help="for the file (default: a temporary one)")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=options.folder) as name:
        path = Path(name) / "many.swdb"
        write(path, options.sequences, options.random)
        for _ in range(options.openings):
            before = resource.getrusage(resource.RUSAGE_SELF)
            began = time.perf_counter()
            database = open_database(path)
            seconds = time.perf_counter() - began
            used = resource.getrusage(resource.RUSAGE_SELF)
            processor = used.ru_utime + used.ru_stime - before.ru_utime - before.ru_stime
            print(f"{len(database):,} sequences: {seconds:.3f} s by the clock, {processor:.3f} s of processor")
            del database
    return 0


def write(path: Path, count: int, random: bool) -> None:
    """Write a database of `count` proteins of 30 to 2,000 residues, all of them the first letter."""
    chance = np.random.default_rng(1)
    lengths = chance.integers(30, 2000, count)
    order = sort_by_length(lengths)
    lengths = np.sort(lengths)[::-1]
    if random:
        chance.shuffle(order)
    with open(path, "w+b") as file:
        writer = DatabaseWriter(file)
        residues = _hole_and_offsets(writer, "codes", "offsets", lengths)
        writer.array("order", order)
        del order
        _hole_and_offsets(writer, "ids", "id_offsets", chance.integers(6, 12, count))
        _hole_and_offsets(writer, "descriptions", "description_offsets", chance.integers(20, 90, count))
        facts = {"name": "many", "alphabet": PROTEIN.name, "letters": PROTEIN.letters, "sequences": count}
        facts |= {"residues": residues, "longest": int(lengths[0]), "checksum": "", "made": "", "program": ""}
        writer.finish(facts)


def _hole_and_offsets(writer: DatabaseWriter, data: str, index: str, sizes: NDArray[Any]) -> int:
    offsets = np.zeros(len(sizes) + 1, dtype=np.int64)
    np.cumsum(sizes, out=offsets[1:])
    size = int(offsets[-1])
    with writer.section(data) as section:
        start = writer.file.tell()
        writer.file.truncate(start + size)
        section.size = size
    writer.array(index, offsets)
    assert writer.sections[data] == Section(start, size, SECTIONS[data], writer.sections[data].checksum)
    return size


if __name__ == "__main__":
    sys.exit(main())
