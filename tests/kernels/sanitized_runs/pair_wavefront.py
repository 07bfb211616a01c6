"""The wavefront method under AddressSanitizer; run by test_sanitized.py in a process of its own."""

from __future__ import annotations

import numpy as np

from swgui.core.alphabet import NUCLEOTIDE
from swgui.core.pair.problem import PairMode
from swgui.core.plain import replace
from swgui.core.scoring import ScoringScheme, match_mismatch
from swgui.engines.cuda.pair.wavefront import direct as wavefront_direct
from swgui.engines.cuda.pair.wavefront import engine as wavefront
from tests.engines.conftest import random_codes, relative
from tests.engines.pair.reference import ask, textbook
from tests.kernels.pair_on_cpu import cpu_engine


def main() -> None:
    wavefront.TUNING = replace(wavefront.TUNING, saved_rows=1)
    wavefront_direct.TUNING = replace(wavefront_direct.TUNING, fewest_cells=3_000, most_cells=3_000)
    rng = np.random.default_rng(3)
    scheme = ScoringScheme(match_mismatch(NUCLEOTIDE, 2, -3), 7, 2)
    query = random_codes(rng, 131, 4)
    subject = relative(rng, query, 4)
    for mode, settings in ((PairMode.LOCAL, {"prune": "on"}), (PairMode.SEMIGLOBAL, {})):
        engine, found = cpu_engine(settings, sanitize=True), []
        for _ in range(2 if mode is PairMode.LOCAL else 1):
            answer = ask(engine, query, subject, scheme, mode, found=found)
            if not found:
                assert answer.end == textbook(scheme.matrix.scores[query], subject, 7, 2, mode)
            found.append(answer.alignment)
    print("clean")


if __name__ == "__main__":
    main()
