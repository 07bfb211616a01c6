"""All alignments of a pair under AddressSanitizer; run by test_sanitized.py in a process of its own."""

from __future__ import annotations

import numpy as np

from swgui.core.alphabet import NUCLEOTIDE
from swgui.core.scoring import EncodedQuery, ScoringScheme, match_mismatch
from swgui.engines.native import library
from swgui.engines.traceback.every import all_local


def main() -> None:
    loaded, levels, why = library._probe()
    assert loaded is not None, why
    found = []
    for number in range(len(levels)):
        library._probe = lambda only=levels[: number + 1]: (loaded, only, "")
        rng = np.random.default_rng(3)
        for length, costs in ((1, (7, 2)), (63, (3, 3)), (64, (7, 2)), (300, (7, 2))):
            scheme = ScoringScheme(match_mismatch(NUCLEOTIDE, 2, -3), *costs)
            codes = rng.integers(0, 4, length).astype(np.uint8)
            subject = np.concatenate([codes, rng.integers(0, 4, 77).astype(np.uint8), codes])
            found.append([one.score for one in all_local(EncodedQuery("q", codes), subject, scheme, 12)])
    assert found == found[:4] * len(levels)
    assert max(map(len, found)) > 2
    print("clean")


if __name__ == "__main__":
    main()
