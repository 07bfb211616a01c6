"""Scores, regions, paths and sums under AddressSanitizer; run by test_sanitized.py in a process of its own."""

from __future__ import annotations

import numpy as np

from swgui.core.alphabet import PROTEIN
from swgui.core.scoring import EncodedQuery, ScoringScheme, SubstitutionMatrix
from swgui.engines import native
from swgui.engines.rowscan import local_scores
from swgui.engines.traceback.many import align_many
from tests.engines.native.sanitized_runs._levels import with_each_level

LENGTHS = (0, 1, 2, 15, 16, 17, 31, 32, 33, 64, 65, 100)


def subjects_of(rng: np.random.Generator, codes: np.ndarray) -> native.Subjects:
    """Subjects exactly as long as their memory: related, random and empty."""
    some = [rng.integers(0, len(PROTEIN), n).astype(np.uint8) for n in LENGTHS]
    some += [codes, np.delete(codes, slice(3, 9)), np.repeat(codes, 2)]
    some += [rng.integers(0, len(PROTEIN), 60).astype(np.uint8) for _ in range(40)]  # side by side
    return native.Subjects.packed(np.concatenate(some), np.concatenate([[0], np.cumsum([len(one) for one in some])]))


def check(rng: np.random.Generator, factor: int, costs: tuple[int, int]) -> None:
    """Align queries of awkward lengths; scores are those of plain row scans."""
    scores = rng.integers(-4, 5, (len(PROTEIN), len(PROTEIN))) + 5 * np.eye(len(PROTEIN), dtype=np.int64)
    scheme = ScoringScheme(SubstitutionMatrix("m", PROTEIN, (scores * factor).astype(np.int16)), *costs)
    for length in (1, 8, 16, 17, 32, 33, 70):
        query = EncodedQuery("q", rng.integers(0, len(PROTEIN), length).astype(np.uint8))
        subjects, profile = subjects_of(rng, query.codes), query.scores(scheme)
        offsets = np.concatenate([[0], np.cumsum(subjects.lengths)])
        expected = local_scores(profile, subjects.codes, offsets, *costs).tolist()
        assert native.scores(profile, subjects, *costs).tolist() == expected
        assert align_many(query, subjects, scheme, np.array(expected)).totals.scores.tolist() == expected


def large(rng: np.random.Generator) -> None:
    """A region above the size that is kept whole."""
    scheme = ScoringScheme(
        SubstitutionMatrix("m", PROTEIN, np.where(np.eye(27, dtype=bool), 3, -2).astype(np.int16)), 6, 1
    )
    codes = rng.integers(0, 4, 1_700).astype(np.uint8)
    other = np.delete(codes, slice(500, 600))
    subjects = native.Subjects.packed(other, np.array([0, len(other)]))
    assert align_many(EncodedQuery("q", codes), subjects, scheme).totals.gaps.tolist() == [100]


def run(rng: np.random.Generator) -> None:
    check(rng, 1, (12, 1))
    check(rng, 1, (3, 3))
    check(rng, 1500, (9000, 40))
    large(rng)


def main() -> None:
    with_each_level(run)


if __name__ == "__main__":
    main()
