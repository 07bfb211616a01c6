#!/usr/bin/env python3
"""Estimate Karlin-Altschul parameters of matrices with gaps for which none are published, from random sequences.

    python packaging/measuring/simulate_statistics.py             # resources/statistics/simulated.tsv, a minute
    python packaging/measuring/simulate_statistics.py --check     # schemes with published figures, for comparison
    python packaging/measuring/simulate_statistics.py --tracks    # two tracks: printed, for chains are not random

Pairs of random sequences of 1,000 residues, and of 500, are scored exactly (frequencies of Robinson and Robinson 1991).
Scores follow ``P(S >= s) = 1 - exp(-K (m - l)(n - l) exp(-lambda s))`` with ``l = a s + beta``, the mean length of an
alignment of that score (Altschul, Bundschuh, Olsen and Hwa 2001, Nucleic Acids Res. 29:351): the line is fitted to the
lengths of the alignments, lambda and K to the scores by maximum likelihood; H is ``lambda / a``, in nats a residue.
Where lambda differs between the two lengths, gaps are so cheap that scores grow with length, and no row is written. In
two tracks residues and letters are drawn independently of each other, letters by the frequencies of their alphabet.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from swgui.core.alphabet import PROTEIN
from swgui.core.scoring import ScoringScheme, two_track_scheme
from swgui.core.statistics.background import background, matrix_lambda
from swgui.engines import native
from swgui.io.alphabets import alphabet_record
from swgui.io.matrices import load_matrix
from swgui.io.statistics import load_statistics

ROOT = Path(__file__).resolve().parents[2]
OUT = ROOT / "resources" / "statistics" / "simulated.tsv"
SCHEMES = (("VTML200", 12, 1), ("VTML200", 12, 2), ("VTML160", 12, 1), ("VTML160", 12, 2), ("OPTIMA5", 20, 2))
IN_TRACKS = (("BLOSUM62", "3Di"),)  # with the weights and costs of the letters' alphabet
PUBLISHED = (("BLOSUM62", 11, 1), ("BLOSUM50", 13, 2))
LENGTHS = (500, 1000)
AGREE = 0.05  # of lambda: where it depends on the length, scores grow in proportion to it, and no such law holds
LEFT_OUT = 0.3  # of the scores, the lowest: the law is one of high scores
HEAD = """\
# Karlin-Altschul parameters of protein matrices with gaps, estimated from random sequences by
# packaging/measuring/simulate_statistics.py
# ({pairs:,} pairs of {length:,} residues a row; lambda is known to about {error:.1%}).
# A gap of length k costs gap_open + k * gap_extend.
matrix\tgap_open\tgap_extend\tlambda\tK\tH\ta\tbeta
"""


@dataclass(frozen=True)
class Estimate:
    """Lambda, K, H, a and beta of a scheme."""

    lambda_: float
    k: float
    h: float
    a: float
    beta: float

    @property
    def columns(self) -> list[str]:
        """As they are written."""
        return [f"{self.lambda_:.4f}", f"{self.k:.4f}", f"{self.h:.3f}", f"{self.a:.2f}", f"{self.beta:.1f}"]


def simulate(
    scheme: ScoringScheme, length: int, queries: int, subjects: int, seed: int
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return the scores of random pairs, and the mean length of the alignment in either sequence."""
    random = np.random.default_rng(seed)
    chance = background(scheme.alphabet)
    codes = random.choice(len(chance), subjects * length, p=chance).astype(
        np.uint8 if len(chance) <= 256 else np.uint16
    )
    given = native.Subjects.packed(codes, np.arange(subjects + 1) * length)
    scores, lengths = [], []
    for _ in range(queries):
        profile = scheme.matrix.scores[random.choice(len(chance), length, p=chance)]
        found = native.regions(np.ascontiguousarray(profile), given, scheme.gap_first, scheme.gap_extend)
        scores.append(np.asarray(found.scores, dtype=np.int64))
        ends = (found.query_end - found.query_start) + (found.subject_end - found.subject_start)
        lengths.append(np.asarray(ends, dtype=np.float64) / 2)
    return np.concatenate(scores), np.concatenate(lengths)


def estimate(scores: NDArray[np.int64], lengths: NDArray[np.float64], length: int, first: float) -> Estimate:
    """Return the parameters; `first` is a lambda to begin with."""
    slope, beta = np.polyfit(scores, lengths, 1)
    values, counts = np.unique(scores, return_counts=True)
    least = int(np.quantile(scores, LEFT_OUT))
    below = int(counts[values < least].sum())
    values, counts = values[values >= least], counts[values >= least]

    def expected(s: NDArray[np.float64], lambda_: float, ln_k: float) -> NDArray[np.float64]:
        room = np.maximum(length - np.maximum(slope * s + beta, 0), 1.0)
        return np.exp(ln_k + 2 * np.log(room) - lambda_ * s)

    def likelihood(lambda_: float, ln_k: float) -> float:
        here, above = expected(values, lambda_, ln_k), expected(values + 1.0, lambda_, ln_k)
        inside = -here + np.log(np.maximum(np.expm1(here - above), 1e-300))  # P(S = s), as logarithm
        return float((counts * inside).sum() - below * expected(np.array([float(least)]), lambda_, ln_k)[0])

    best, step = np.array([first, np.log(0.05)]), np.array([0.1 * first, 1.0])
    while step[0] > 1e-6:
        tried = [best + step * np.array([i, j]) for i in (-1, 0, 1) for j in (-1, 0, 1)]
        # K makes up for lambda: the grid follows that line
        tried += [
            best + np.array([i * step[0], i * step[0] * float(np.average(values, weights=counts))]) for i in (-1, 1)
        ]
        found = max(tried, key=lambda point: likelihood(*point))
        if np.array_equal(found, best):
            step = step / 2
        best = found
    lambda_, k = float(best[0]), float(np.exp(best[1]))
    return Estimate(lambda_, k, lambda_ / float(slope), float(slope), float(beta))


def schemes(arguments: argparse.Namespace) -> Iterator[ScoringScheme]:
    """Yield the simulations."""
    if arguments.tracks:
        for name, letters in IN_TRACKS:
            record, residues = alphabet_record(letters), ScoringScheme.from_blast(load_matrix(name, PROTEIN), 11, 1)
            assert record is not None
            yield two_track_scheme(residues, record.matrix, record.beside)
        return
    for name, gap_open, gap_extend in PUBLISHED if arguments.check else SCHEMES:
        yield ScoringScheme.from_blast(load_matrix(name, PROTEIN), gap_open, gap_extend)


def main() -> None:
    """Write the table, or compare with published figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="simulate schemes with published figures")
    parser.add_argument("--tracks", action="store_true", help="simulate residues with symbols beside them")
    parser.add_argument("--queries", type=int, default=100)
    parser.add_argument("--subjects", type=int, default=600)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    rows = []
    for scheme in schemes(arguments):
        name, gap_open, gap_extend = scheme.matrix.name, scheme.gap_open, scheme.gap_extend
        first = matrix_lambda(scheme.matrix)
        assert first is not None
        short, made = (
            estimate(
                *simulate(scheme, length, arguments.queries, arguments.subjects, arguments.seed), length, 0.8 * first
            )
            for length in LENGTHS
        )
        print(
            name, f"{gap_open}/{gap_extend}", *made.columns, f"(lambda of shorter ones {short.lambda_:.4f})", flush=True
        )
        if abs(short.lambda_ - made.lambda_) > AGREE * made.lambda_:
            print("  left out: lambda depends on the length")
            continue
        if known := load_statistics(scheme):
            print("  published:", known.lambda_, known.k, known.h, known.alpha, known.beta, flush=True)
        rows.append("\t".join([name, str(gap_open), str(gap_extend), *made.columns]))
    if not arguments.check and not arguments.tracks:
        pairs = arguments.queries * arguments.subjects
        head = HEAD.format(pairs=pairs, length=LENGTHS[-1], error=0.8 / pairs**0.5)
        OUT.write_text(head + "\n".join(rows) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
