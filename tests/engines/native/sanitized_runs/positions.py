"""Gap costs by position under AddressSanitizer; run by test_sanitized.py in a process of its own."""

from __future__ import annotations

import numpy as np

from swgui.core.alphabet import PROTEIN
from swgui.core.scoring import EncodedQuery, ScoringScheme, SubstitutionMatrix
from swgui.engines import native
from swgui.engines.rowscan import local_scores
from swgui.engines.traceback.many import align_many
from tests.engines.conftest import random_gaps
from tests.engines.native.sanitized_runs._levels import with_each_level
from tests.engines.native.sanitized_runs.best import subjects_of


def check(rng: np.random.Generator, factor: int) -> None:
    """Align profiles of awkward lengths; scores are those of plain row scans."""
    scores = rng.integers(-4, 5, (len(PROTEIN), len(PROTEIN))) + 5 * np.eye(len(PROTEIN), dtype=np.int64)
    scheme = ScoringScheme(SubstitutionMatrix("m", PROTEIN, (scores * factor).astype(np.int16)), 12, 1)
    for length in (1, 8, 17, 33, 70):
        codes = rng.integers(0, len(PROTEIN), length).astype(np.uint8)
        gaps = random_gaps(rng, length, 14, factor)
        query = EncodedQuery("q", codes, scheme.matrix.scores[codes], gaps=gaps)
        subjects, profile = subjects_of(rng, codes), query.scores(scheme)
        offsets = np.concatenate([[0], np.cumsum(subjects.lengths)])
        found = local_scores(profile, subjects.codes, offsets, 0, 0, gaps=gaps)
        assert found is not None
        expected = found.tolist()
        assert native.scores(profile, subjects, 0, 0, gaps=gaps).tolist() == expected
        assert align_many(query, subjects, scheme, np.array(expected)).totals.scores.tolist() == expected


def run(rng: np.random.Generator) -> None:
    for factor in (1, 20, 300):
        check(rng, factor)


def main() -> None:
    with_each_level(run)


if __name__ == "__main__":
    main()
