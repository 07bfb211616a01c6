#!/usr/bin/env python3
"""Make a protein database of any size from chance, to see how a search scales beyond the sets that can be downloaded.

    python packaging/measuring/scale.py OUT.swdb --residues 20e9 [--mean 333] [--seed 1] [--packed]
    swgui search -q QUERY.fa -d OUT.swdb --top 10 --timings

Residues are drawn with the frequencies of E statistics, a block of 2^26 of them again and again, begun elsewhere each
time; lengths have the spread of UniProt's (log-normal, sigma 0.75), the longest first, in a packed file as they come.
The file is written straight, at the speed of the disk; 'swgui info' reads it like any other.
"""

from __future__ import annotations

import argparse
import hashlib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from swgui.core.alphabet import PROTEIN
from swgui.core.database import content_digest
from swgui.core.errors import DatabaseError
from swgui.core.plain import replace
from swgui.core.statistics.background import background
from swgui.io.database.checked import remember_written
from swgui.io.database.format import DatabaseWriter
from swgui.io.database.packed.writer import PackedWriter, Subjects
from swgui.io.database.steps import described
from swgui.io.whole_file import whole_file

BLOCK: Final = 1 << 26  # residues drawn; what is written is made of pieces of them
SIGMA: Final = 0.75
SHORTEST: Final = 20
LONGEST: Final = 36_000
DIGITS: Final = 10  # of an identifier


def lengths_of(residues: int, mean: float, rng: np.random.Generator) -> NDArray[np.int64]:
    """Return lengths of about so many residues in all."""
    count = max(1, round(residues / mean))
    drawn = rng.lognormal(np.log(mean) - SIGMA**2 / 2, SIGMA, count)
    return np.clip(drawn, min(SHORTEST, mean), LONGEST).astype(np.int64)


def write_codes(writer: DatabaseWriter, content: hashlib.blake2b, residues: int, rng: np.random.Generator) -> None:
    """Write residues of chance; the checksum of the content is made beside."""
    frequencies = background(PROTEIN)
    drawn = rng.choice(len(frequencies), BLOCK, p=frequencies).astype(np.uint8)
    left = residues
    with writer.section("codes") as section, ThreadPoolExecutor(1) as pool:
        while left:
            start = int(rng.integers(BLOCK // 2))
            piece = drawn[start : start + min(left, BLOCK // 2)]
            hashed = pool.submit(content.update, piece.data)
            section.write(piece.data)
            hashed.result()
            left -= len(piece)


def identifiers(first: int, stop: int) -> NDArray[np.uint8]:
    """Return the numbers of some sequences as digits, shape (n, DIGITS)."""
    powers = 10 ** np.arange(DIGITS - 1, -1, -1)
    return np.asarray(np.arange(first, stop)[:, None] // powers % 10 + ord("0"), np.uint8)


def write_identifiers(writer: DatabaseWriter, content: hashlib.blake2b, count: int) -> None:
    """Write a number for every sequence, and no descriptions."""
    starts = np.arange(count + 1, dtype=np.int64) * DIGITS
    with writer.section("ids") as section:
        for first in range(0, count, 1 << 20):
            digits = identifiers(first, min(first + (1 << 20), count))
            section.write(digits.data)
            content.update(digits.data)
    writer.array("id_offsets", starts)
    content.update(starts.data)
    writer.array("descriptions", np.zeros(0, np.uint8))
    writer.array("description_offsets", np.zeros(count + 1, np.int64))


def write_mapped(out: Path, lengths: NDArray[np.int64], rng: np.random.Generator) -> None:
    """Write a file that is mapped."""
    lengths = np.sort(lengths)[::-1]
    count, residues = len(lengths), int(lengths.sum())
    with whole_file(out, DatabaseError) as file:
        writer = DatabaseWriter(file)
        content = content_digest(PROTEIN)
        write_codes(writer, content, residues, rng)
        offsets = np.zeros(count + 1, dtype=np.int64)
        np.cumsum(lengths, out=offsets[1:])
        writer.array("offsets", offsets)
        content.update(offsets.data)
        writer.array("order", np.arange(count))
        write_identifiers(writer, content, count)
        facts = replace(described(out.stem, PROTEIN), sequences=count, residues=residues, longest=int(lengths[0]))
        writer.finish(replace(facts, checksum=content.hexdigest()))


def write_packed(out: Path, lengths: NDArray[np.int64], rng: np.random.Generator) -> None:
    """Write a packed file."""
    frequencies = background(PROTEIN)
    drawn = rng.choice(len(frequencies), BLOCK, p=frequencies).astype(np.uint8)
    ends, first = np.cumsum(lengths), 0
    with whole_file(out, DatabaseError) as file:
        writer = PackedWriter(file)
        writer.alphabet = PROTEIN
        while first < len(lengths):
            before = int(ends[first - 1]) if first else 0
            stop = max(first + 1, int(np.searchsorted(ends, before + BLOCK // 2)))
            start, size = int(rng.integers(BLOCK // 2)), int(ends[stop - 1]) - before
            digits, nothing = identifiers(first, stop), (b"", np.zeros(stop - first, np.int64))
            texts = (digits.tobytes(), np.full(stop - first, DIGITS)), nothing, nothing, nothing
            writer.add(Subjects(drawn[start : start + size], lengths[first:stop], texts))
            first = stop
        writer.finish(described(out.stem, PROTEIN))


def main() -> None:
    """Write the file."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("--residues", type=float, default=2e10)
    parser.add_argument("--mean", type=float, default=333.0, help="residues of a sequence")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--packed", action="store_true", help="write a packed file")
    given = parser.parse_args()
    rng = np.random.default_rng(given.seed)
    lengths = lengths_of(int(given.residues), given.mean, rng)
    (write_packed if given.packed else write_mapped)(given.out, lengths, rng)
    remember_written(given.out)
    print(f"{given.out}: {len(lengths):,} sequences, {int(lengths.sum()):,} residues")


if __name__ == "__main__":
    main()
