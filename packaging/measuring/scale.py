#!/usr/bin/env python3
"""Make a protein database of any size from chance, to see how a search scales beyond the sets that can be downloaded.

    python packaging/measuring/scale.py OUT.swdb --residues 20e9 [--mean 333] [--seed 1]
    swgui search -q QUERY.fa -d OUT.swdb --top 10 --timings

Residues are drawn with the frequencies of E statistics, a block of 2^26 of them again and again, begun elsewhere each
time; lengths have the spread of UniProt's (log-normal, sigma 0.75), the longest first. The file is written straight,
at the speed of the disk; 'swgui info' reads it like any other.
"""

from __future__ import annotations

import argparse
import hashlib
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from swgui.core.alphabet import PROTEIN
from swgui.core.database import content_digest
from swgui.core.errors import DatabaseError
from swgui.core.statistics.background import background
from swgui.io.database.build import _facts
from swgui.io.database.checked import remember_written
from swgui.io.database.format import DatabaseWriter
from swgui.io.whole_file import whole_file

BLOCK: Final = 1 << 26  # residues drawn; what is written is made of pieces of them
SIGMA: Final = 0.75
SHORTEST: Final = 20
LONGEST: Final = 36_000
DIGITS: Final = 10  # of an identifier


def lengths_of(residues: int, mean: float, rng: np.random.Generator) -> NDArray[np.int64]:
    """Return lengths of about so many residues in all, the longest first."""
    count = max(1, round(residues / mean))
    drawn = rng.lognormal(np.log(mean) - SIGMA**2 / 2, SIGMA, count)
    return np.sort(np.clip(drawn, SHORTEST, LONGEST).astype(np.int64))[::-1]


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


def write_identifiers(writer: DatabaseWriter, content: hashlib.blake2b, count: int) -> None:
    """Write a number for every sequence, and no descriptions."""
    starts = np.arange(count + 1, dtype=np.int64) * DIGITS
    with writer.section("ids") as section:
        for first in range(0, count, 1 << 20):
            numbers = np.arange(first, min(first + (1 << 20), count))
            powers = 10 ** np.arange(DIGITS - 1, -1, -1)
            digits = (numbers[:, None] // powers % 10 + ord("0")).astype(np.uint8)
            section.write(digits.data)
            content.update(digits.data)
    writer.array("id_offsets", starts)
    content.update(starts.data)
    writer.array("descriptions", np.zeros(0, np.uint8))
    writer.array("description_offsets", np.zeros(count + 1, np.int64))


def main() -> None:
    """Write the file."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("--residues", type=float, default=2e10)
    parser.add_argument("--mean", type=float, default=333.0, help="residues of a sequence")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    rng = np.random.default_rng(given.seed)
    lengths = lengths_of(int(given.residues), given.mean, rng)
    count, residues = len(lengths), int(lengths.sum())
    with whole_file(given.out, DatabaseError) as file:
        writer = DatabaseWriter(file)
        content = content_digest(PROTEIN)
        write_codes(writer, content, residues, rng)
        offsets = np.zeros(count + 1, dtype=np.int64)
        np.cumsum(lengths, out=offsets[1:])
        writer.array("offsets", offsets)
        content.update(offsets.data)
        writer.array("order", np.arange(count))
        write_identifiers(writer, content, count)
        facts = _facts(given.out.stem, PROTEIN, count, residues, int(lengths[0]))
        writer.finish(replace(facts, checksum=content.hexdigest()))
    remember_written(given.out)
    print(f"{given.out}: {count:,} sequences, {residues:,} residues")


if __name__ == "__main__":
    main()
