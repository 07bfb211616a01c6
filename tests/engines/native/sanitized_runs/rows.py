"""Rows of alignments and profiles under AddressSanitizer; run by test_sanitized.py in a process of its own."""

from __future__ import annotations

import numpy as np

from swgui.core.alphabet import PROTEIN
from swgui.core.profiles.recipe import Recipe
from swgui.engines.native import rows
from swgui.engines.native.profiles import ProfileMaker
from swgui.io.matrices import load_matrix
from tests.engines.native.sanitized_runs._levels import with_each_level
from tests.engines.native.test_rows import (
    LETTERS,
    SIZES,
    count_rows,
    family,
    masked_rows,
    select_rows,
    test_alignments_become_rows_with_their_insertions,
    test_ends_are_cut_off_rows_with_holes_and_without_residues,
    test_ends_of_rows_are_cut_as_in_numpy,
    test_members_are_put_in_parts_as_one_by_one,
    test_rows_are_put_in_order_with_their_insertions,
    test_subjects_are_scored_with_profiles_of_other_rows,
)


def run(rng: np.random.Generator) -> None:
    """Choose, mask and count rows of awkward sizes."""
    maker = ProfileMaker(load_matrix("BLOSUM62", PROTEIN), Recipe())
    for size in SIZES:
        alignment = family(rng, *size)
        _, codes = select_rows(alignment.codes, LETTERS, Recipe(min_residues=1))
        rows.purge(codes, LETTERS, 0.5)
        masked = masked_rows(codes, True, True)
        count_rows(masked, alignment.insertions[:, :2], LETTERS)
        maker.build(alignment)
    test_subjects_are_scored_with_profiles_of_other_rows("", rng, slice(20, 71))
    test_ends_are_cut_off_rows_with_holes_and_without_residues("", rng, 0.6)
    test_ends_of_rows_are_cut_as_in_numpy("", rng)
    test_members_are_put_in_parts_as_one_by_one("", rng)
    test_rows_are_put_in_order_with_their_insertions("", rng)
    test_alignments_become_rows_with_their_insertions("", rng)


if __name__ == "__main__":
    with_each_level(run)
