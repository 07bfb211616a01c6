"""A pair that aligns on both strands."""

from __future__ import annotations

import numpy as np
import pytest

from swgui.core.alphabet import NUCLEOTIDE
from tests.jobs.pair.pair_by_hand import record


@pytest.fixture
def pair():
    """A query whose first part is in the subject as it is, and whose second part on the other strand."""
    rng = np.random.default_rng(3)
    one, two = (rng.integers(0, 4, length).astype(np.uint8) for length in (80, 60))
    query = np.concatenate([one, rng.integers(0, 4, 20).astype(np.uint8), two])
    subject = np.concatenate([NUCLEOTIDE.reverse_complement(two), rng.integers(0, 4, 30).astype(np.uint8), one[:75]])
    return record("q", query), record("s", subject)
