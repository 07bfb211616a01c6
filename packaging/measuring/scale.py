#!/usr/bin/env python3
"""Make a protein database of any size from chance, to see how a search scales beyond the sets that can be downloaded.

    python packaging/measuring/scale.py OUT.swdb --residues 20e9 [--mean 333] [--seed 1] [--packed]
    swgui search -q QUERY.fa -d OUT.swdb --top 10 --timings

Residues are drawn with the frequencies of E statistics, a block of 2^26 of them again and again, begun elsewhere each
time; lengths have the spread of UniProt's (log-normal, sigma 0.75), the longest first, in a packed file as they come.
The file is written straight, a packed one by all cores, at the speed of the disk; 'swgui info' reads it like any other.
"""

from __future__ import annotations

import argparse
import hashlib
import os
from collections import deque
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from swgui.core.alphabet import NUCLEOTIDE, PROTEIN, Alphabet
from swgui.core.database import content_digest
from swgui.core.errors import DatabaseError
from swgui.core.plain import replace
from swgui.core.statistics.background import background
from swgui.io.database.checked import remember_written
from swgui.io.database.format import DatabaseWriter
from swgui.io.database.packed.codec import checksum
from swgui.io.database.packed.layout import PAGE, Content
from swgui.io.database.packed.names import NameWriter
from swgui.io.database.packed.writer import BLOCK_RESIDUES, BLOCK_SEQUENCES, PackedWriter
from swgui.io.database.steps import described
from swgui.io.whole_file import whole_file

BLOCK: Final = 1 << 26  # residues drawn; the output consists of pieces of them
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
    """Write random residues; the checksum of the content is made at the same time."""
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


class Made(NamedTuple):
    """A block of a packed file, and its names, as they are written."""

    content: Content
    parts: list[Any]
    crc: int
    digest: bytes
    names: bytes
    names_entry: tuple[int, int, bytes]  # bytes, frames and checksum


def made_block(pool: NDArray[np.uint8], alphabet: Alphabet, mean: float, number: int, seed: int) -> Made:
    """Make a block of chance with as many subjects as all others have."""
    rng, count = np.random.default_rng([seed, number]), in_block(mean)
    lengths = lengths_of(round(count * mean), mean, rng)[:count]
    size = int(lengths.sum())
    start = int(rng.integers(len(pool) - size))
    content = Content(number, number * count, pool[start : start + size], lengths)
    parts, crc, digest = content.parts(alphabet, None), 0, hashlib.blake2b(digest_size=16)
    for part in parts:
        crc = checksum(part, crc)
        digest.update(part)
    frames: list[bytes] = []
    names, nothing = NameWriter(frames.append), (b"", np.zeros(count, np.int64))
    digits = identifiers(content.first, content.first + count).tobytes()
    names.add(((digits, np.full(count, DIGITS)), nothing, nothing, nothing))
    entry = names.end_block()
    return Made(content, parts, crc, digest.digest(), b"".join(frames), entry)


def in_block(mean: float) -> int:
    """Return the subjects of a block, so that it is not larger than one of real data."""
    return min(BLOCK_SEQUENCES, int(0.98 * BLOCK_RESIDUES / mean))


class BlockWriter(PackedWriter):
    """Writes blocks that threads have made."""

    def put(self, made: Made) -> None:
        """Write the next block."""
        begin, _ = self._writer.append([made.names])
        offset, size = self._writer.append(made.parts, PAGE)
        lengths, content = made.content.lengths, made.content
        counts = content.first, len(lengths), len(content.codes), int(lengths.max()), int(lengths.min())
        entry = offset, size, *counts, begin, *made.names_entry[:2], made.crc, 0, made.digest, made.names_entry[2]
        self._entries.append(entry)
        self.sequences += len(lengths)
        self.residues += len(content.codes)
        self.longest = max(self.longest, int(lengths.max()))


def write_packed(out: Path, alphabet: Alphabet, residues: int, mean: float, seed: int) -> tuple[int, int]:
    """Write a packed file whose blocks have subjects of their own, made by all cores; return subjects and residues."""
    frequencies = background(PROTEIN) if alphabet is PROTEIN else np.full(4, 0.25)
    drawn = np.random.default_rng(seed).choice(len(frequencies), BLOCK, p=frequencies).astype(np.uint8)
    pool, blocks = np.concatenate([drawn, drawn[::-1]]), max(1, round(residues / (mean * in_block(mean))))
    threads = os.cpu_count() or 1
    with whole_file(out, DatabaseError) as file, ThreadPoolExecutor(threads) as workers:
        writer = BlockWriter(file)
        writer.alphabet = alphabet
        coming: deque[Future[Made]] = deque()
        for number in range(blocks + threads):
            if number < blocks:
                coming.append(workers.submit(made_block, pool, alphabet, mean, number, seed))
            if number >= threads:
                writer.put(coming.popleft().result())
        writer.finish(described(out.stem, alphabet))
    return writer.sequences, writer.residues


def main() -> None:
    """Write the file."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("--residues", type=float, default=2e10)
    parser.add_argument("--mean", type=float, default=333.0, help="residues of a sequence")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--packed", action="store_true", help="write a packed file")
    parser.add_argument("--bases", action="store_true", help="of DNA, packed")
    given = parser.parse_args()
    if given.packed or given.bases:
        alphabet = NUCLEOTIDE if given.bases else PROTEIN
        counts = write_packed(given.out, alphabet, int(given.residues), given.mean, given.seed)
    else:
        rng = np.random.default_rng(given.seed)
        lengths = lengths_of(int(given.residues), given.mean, rng)
        write_mapped(given.out, lengths, rng)
        counts = len(lengths), int(lengths.sum())
    remember_written(given.out)
    print(f"{given.out}: {counts[0]:,} sequences, {counts[1]:,} residues")


if __name__ == "__main__":
    main()
