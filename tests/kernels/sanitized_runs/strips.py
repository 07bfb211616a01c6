"""Strips under AddressSanitizer; run by test_sanitized.py in a process of its own."""

from __future__ import annotations

import numpy as np

from swgui.core.scoring import EncodedQuery
from swgui.papers.striped.shape import States
from tests.asking import DNA_SCHEME
from tests.papers.kernels.test_pair_striped import NARROW, check, relatives


def main() -> None:
    strip, chunk, batch = NARROW
    one, other = relatives(np.random.default_rng(8), 90, 4)
    for states in (States.NONE, States.CHUNK):
        cut = strip, chunk if states else 0, batch
        for query, subject in ((one, other), (one[:1], other[:38]), (one[:16], other[:37])):
            check(EncodedQuery("q", query), subject, DNA_SCHEME, cut, states, blocks=3, sanitize=True)
    check(EncodedQuery("q", one), np.tile(other, 3), DNA_SCHEME, (300, 52, 40), States.CHUNK, blocks=2, sanitize=True)
    print("clean")


if __name__ == "__main__":
    main()
