#!/usr/bin/env python3
"""How many hits of random DNA have E of at most 1, where one is expected, with frameshifts of several costs.

python packaging/measuring/shifts_calibration.py --proteins 60 --strands 150
"""

from __future__ import annotations

import argparse

import numpy as np
from numpy.typing import NDArray

from swgui.core.alphabet import PROTEIN
from swgui.core.frameshift.reference import codons_of
from swgui.core.hits.stretches import Subjects
from swgui.core.scoring import ScoringScheme
from swgui.core.translation.genetic_codes import genetic_code
from swgui.engines.shifted import CpuShifts, ShiftScheme
from swgui.io.matrices import load_matrix
from swgui.io.statistics import load_statistics

COMPOSITION = "ARNDCQEGHILKMFPSTWYV"
SHARES = np.array([83, 55, 40, 55, 14, 39, 67, 71, 23, 59, 97, 58, 24, 39, 47, 66, 53, 11, 29, 69], dtype=float)


def laid(sequences: list[NDArray[np.uint8]]) -> Subjects:
    """Return sequences one behind the other."""
    return Subjects.packed(np.concatenate(sequences), np.concatenate([[0], np.cumsum([len(one) for one in sequences])]))


def main() -> None:
    """Print the number of hits with E of at most 1 for each query, by the cost of a frameshift."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--proteins", type=int, default=60)
    parser.add_argument("--strands", type=int, default=150)
    parser.add_argument("--bases", type=int, default=3000)
    parser.add_argument("--costs", type=int, nargs="+", default=[10, 12, 15, 20, 30, 1000])
    given = parser.parse_args()
    rng = np.random.default_rng(20)
    scheme = ScoringScheme.from_blast(load_matrix("BLOSUM62", PROTEIN), 11, 1)
    statistics = load_statistics(scheme)
    assert statistics is not None
    letters = PROTEIN.encode(COMPOSITION.encode())
    proteins = [rng.choice(letters, size=350, p=SHARES / SHARES.sum()) for _ in range(given.proteins)]
    strands = [codons_of(rng.integers(0, 4, size=given.bases).astype(np.uint8)) for _ in range(given.strands)]
    both = laid(proteins), laid(strands)
    frame = given.bases // 3
    for cost in given.costs:
        engine = CpuShifts(ShiftScheme.of(scheme, cost, protein_query=True))
        scores = engine.grid(*both, lambda: None).reshape(-1)
        times = 3 * genetic_code(1).open_share
        space = times * frame * len(strands), times * len(strands)
        logs = statistics.log10_evalues(scores, 350, np.full(len(scores), frame), *space)
        counts = [int((logs <= np.log10(limit)).sum()) for limit in (10, 1, 0.1)]
        print(cost, *(f"E <= {e}: {n / len(proteins) / e:.2f}" for e, n in zip((10, 1, 0.1), counts, strict=True)))


if __name__ == "__main__":
    main()
