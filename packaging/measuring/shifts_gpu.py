#!/usr/bin/env python3
"""Speed and scores of ``kernels/shifts.cu`` on this computer's GPU, beside the CPU's kernel.

    python packaging/measuring/shifts_gpu.py proteins.fasta genome.fasta

Prints cell updates per second (residues x bases, frames counted once) of random proteins of one length against random
DNA, then of real proteins against both strands of a genome in overlapping pieces, and how many scores differ from those
of the CPU.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import cupy
import numpy as np

from swgui.core.alphabet import NUCLEOTIDE, PROTEIN
from swgui.core.frameshift import span_bound
from swgui.core.frameshift.reference import codons_of
from swgui.core.hits.stretches import Subjects
from swgui.core.scoring import ScoringScheme
from swgui.engines.cuda.shifting import MIN_BLOCKS, ROWS, ShiftScorer
from swgui.engines.native.shifting import ShiftQuery, shift_reached
from swgui.engines.shifted import cut_pieces
from swgui.io.matrices import load_matrix

SHIFT = 15
SCHEME = ScoringScheme.from_blast(load_matrix("BLOSUM62", PROTEIN), 11, 1)
PIECE = 60_000


def timed(scorer: ShiftScorer, residues: Any, codons: Any, units: np.ndarray) -> tuple[np.ndarray, float]:
    """Return scores and the seconds of a second call."""
    scorer.begin(residues, codons, units[:2])()
    cupy.cuda.Device().synchronize()
    began = time.perf_counter()
    scores = scorer.begin(residues, codons, units)()
    return scores, time.perf_counter() - began


def compare(residues: np.ndarray, codons: np.ndarray, units: np.ndarray, scores: np.ndarray) -> int:
    """Return how many scores differ from the CPU's."""
    wrong = 0
    for unit, found in zip(units.tolist(), scores.tolist(), strict=True):
        profile = np.ascontiguousarray(SCHEME.matrix.scores[residues[unit[0] : unit[0] + unit[1]]])
        query = ShiftQuery(profile, SCHEME.gap_first, SCHEME.gap_extend, SHIFT, by_codons=False)
        subjects = Subjects(codons, np.array(unit[2::2]), np.array(unit[3::2]))
        wrong += int((shift_reached(query, subjects, None)[0][:, 0] != found).sum())
    return wrong


def random_part(scorer: ShiftScorer, multiprocessors: int) -> None:
    """Measure each height of a tile with proteins that fill it."""
    rng = np.random.default_rng(1)
    codons = rng.integers(0, 20, size=50_000_000).astype(np.uint8)
    for rows in ROWS:
        for length in (32 * rows, *((1500,) if rows == ROWS[-1] else ())):
            count = 2 * multiprocessors * MIN_BLOCKS[rows]
            residues = rng.integers(0, 20, size=length).astype(np.uint8)
            starts = rng.integers(0, len(codons) - 20_000, size=(count, 2))
            units = np.array([(0, length, a, 20_000, b, 20_000) for a, b in starts.tolist()], dtype=np.int64)
            scores, seconds = timed(scorer, cupy.asarray(residues), cupy.asarray(codons), units)
            cells = count * 40_000 * length
            wrong = compare(residues, codons, units[:20], scores[:20])
            speed = f"{cells / seconds / 1e12:.2f} TCUPS, {seconds:.3f} s"
            print(f"{rows} rows, {length} residues: {speed}, {wrong} of 40 differ", flush=True)


def genome_part(scorer: ShiftScorer, proteins: Sequence[bytes], dna: bytes) -> None:
    """Measure real proteins against both strands of a genome, pieces overlapping by what each protein needs."""
    strands = [codons_of(NUCLEOTIDE.encode(dna), strand, 11) for strand in (1, -1)]
    codons, starts = np.concatenate(strands), [0, len(strands[0])]
    encoded = [PROTEIN.encode(one) for one in proteins]
    residues, units, at = np.concatenate(encoded), [], 0
    for one in encoded:
        bound = span_bound(SCHEME.matrix.scores[one], SCHEME.gap_first, SCHEME.gap_extend, SHIFT)
        pieces = cut_pieces([len(strand) for strand in strands], bound, max(PIECE, 4 * bound)).tolist()
        pieces += [pieces[-1]] * (len(pieces) % 2)
        for (a, start, length), (b, other, size) in zip(pieces[::2], pieces[1::2], strict=True):
            units.append((at, len(one), starts[a] + start, length, starts[b] + other, size))
        at += len(one)
    table = np.array(units, dtype=np.int64)
    scores, seconds = timed(scorer, cupy.asarray(residues), cupy.asarray(codons), table)
    cells = len(residues) * 2 * len(dna)
    done = int((table[:, 1] * (table[:, 3] + table[:, 5])).sum())
    sample = np.random.default_rng(2).choice(len(table), 40, replace=False)
    wrong = compare(residues, codons, table[sample], scores[sample])
    print(
        f"{len(proteins)} proteins x 2 x {len(dna)} bases: {seconds:.2f} s, {cells / seconds / 1e12:.2f} TCUPS "
        f"({done / seconds / 1e12:.2f} with overlaps), {wrong} of 80 differ",
        flush=True,
    )


def records(path: Path) -> list[bytes]:
    """Return the sequences of a FASTA file."""
    return [b"".join(part.split(b"\n")[1:]).upper() for part in path.read_bytes().split(b">")[1:]]


def main() -> None:
    """Measure and print."""
    device = cupy.cuda.Device()
    multiprocessors = device.attributes["MultiProcessorCount"]
    scorer = ShiftScorer(cupy, SCHEME.matrix.scores, (SCHEME.gap_first, SCHEME.gap_extend, SHIFT))
    random_part(scorer, multiprocessors)
    if len(sys.argv) > 2:
        proteins, genome = records(Path(sys.argv[1])), records(Path(sys.argv[2]))[0]
        genome_part(scorer, proteins[:400], genome)
        genome_part(scorer, proteins, genome)


if __name__ == "__main__":
    main()
