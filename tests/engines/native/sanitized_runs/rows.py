"""Rows of alignments and profiles under AddressSanitizer; run by test_sanitized.py in a process of its own."""

from __future__ import annotations

import numpy as np

from swgui.core.alphabet import PROTEIN
from swgui.core.profiles.log_odds import conditional_frequencies
from swgui.core.profiles.recipe import Recipe
from swgui.engines.native import rows
from swgui.engines.native.profiles import ProfileMaker
from swgui.io.matrices import load_matrix
from tests.engines.native.sanitized_runs._levels import with_each_level
from tests.engines.native.test_rows import (
    LETTERS,
    SIZES,
    family,
    test_alignments_become_rows_with_their_insertions,
    test_subjects_are_scored_with_profiles_of_other_rows,
)


def run(rng: np.random.Generator) -> None:
    """Choose, mask and count rows of awkward sizes."""
    maker = ProfileMaker(conditional_frequencies(load_matrix("BLOSUM62", PROTEIN)), Recipe())
    for size in SIZES:
        alignment = family(rng, *size)
        _, codes = rows.select_rows(alignment.codes, LETTERS, Recipe(min_residues=1))
        rows.purge(codes, LETTERS, 0.5)
        masked = rows.masked_rows(codes, alignment.alphabet, True, True)
        rows.count_rows(masked, alignment.insertions[:, :2], LETTERS)
        rows.alike(codes, 20, 0.4)
        maker.build(alignment)
    test_subjects_are_scored_with_profiles_of_other_rows("", rng)
    test_alignments_become_rows_with_their_insertions("", rng)


if __name__ == "__main__":
    with_each_level(run)
