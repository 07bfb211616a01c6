"""Shuffled copies and compositions under AddressSanitizer; run by test_sanitized.py in a process of its own."""

from __future__ import annotations

import numpy as np

import swgui.io  # noqa: F401, the alphabets of files
from swgui.core.alphabet import ALPHABETS, PROTEIN
from swgui.core.judging.correction_work import PERIODS, REVERSED, WHOLE, WINDOWS
from swgui.core.score_profile import PositionGaps, TrackProfile
from swgui.core.scoring import SubstitutionMatrix, two_track_matrix
from swgui.core.statistics.composition import LambdaScale, count_residues
from swgui.core.stretches import Subjects
from swgui.engines.native.correction import HOST
from tests.engines.conftest import random_matrix
from tests.engines.native.sanitized_runs._levels import with_each_level


def check(rng: np.random.Generator, factor: int) -> None:
    """Stretches up to the last row and residue there are; the same scores by every instruction set."""
    profile = (rng.integers(-4, 8, (70, len(PROTEIN))) * factor).astype(np.int16)
    codes = rng.integers(0, len(PROTEIN), 90).astype(np.uint8)
    jobs = [
        [70 - rows, rows, 90 - length, length, kind, {WHOLE: length, WINDOWS: 10, PERIODS: 60}[kind], number, count]
        for rows in (1, 17, 70)
        for length in (1, 2, 33, 90)
        for kind in (WHOLE, WINDOWS, PERIODS)
        for number, count in ((REVERSED, 16), (0, 15), (31, 33))
    ]
    found = HOST.shuffled_scores(profile, codes, np.array(jobs), 9 * factor, factor, 1, threads=1)
    same = PositionGaps.constant(70, 9 * factor, factor)
    assert HOST.shuffled_scores(profile, codes, np.array(jobs), 0, 0, 1, gaps=same).tolist() == found.tolist()
    known.setdefault(factor, found.tolist())
    assert found.tolist() == known[factor]
    matrices = [random_matrix(rng, alphabet, -4, 7) for alphabet in (PROTEIN, ALPHABETS["3Di"])]
    tracks = two_track_matrix(*matrices, (factor, factor))
    symbols = tracks.alphabet.join(codes, rng.integers(0, len(ALPHABETS["3Di"]), 90).astype(np.uint8))
    given = TrackProfile(*tracks.profiles(symbols[:70])), symbols, np.array(jobs), 9 * factor, factor, 1
    both = HOST.shuffled_scores(*given, tracks=tracks.alphabet, threads=1).tolist()
    assert both == known.setdefault(-factor, both)
    counts = count_residues(Subjects(symbols, np.arange(90), 90 - np.arange(90)), tracks.alphabet, HOST)
    scale_ = LambdaScale.of_background(tracks).of_each(Subjects.stacked([symbols]), HOST)[0]
    assert np.isfinite(scale_.ratios(counts[:1], counts, 40.0, HOST)).all()
    stretches = Subjects(codes, np.arange(90), 90 - np.arange(90))
    counts = count_residues(stretches, PROTEIN, HOST)
    scores = rng.integers(-9, 6, (len(PROTEIN), len(PROTEIN))).astype(np.int16)
    scale = LambdaScale.of_background(SubstitutionMatrix("m", PROTEIN, scores))
    assert np.isfinite(scale.ratios(counts[:1], counts, 40.0, HOST)).all()
    assert HOST.count_repeats(stretches, 60)[:, 0].tolist() == stretches.lengths.tolist()


def run(rng: np.random.Generator) -> None:
    check(rng, 1)
    check(rng, 15)  # in words
    check(rng, 60)


def main() -> None:
    with_each_level(run)


known: dict[int, list[int]] = {}

if __name__ == "__main__":
    main()
