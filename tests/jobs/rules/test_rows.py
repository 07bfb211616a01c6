"""Columns of fits in compiled code against those of the definition."""

from __future__ import annotations

import numpy as np
import pytest

from swgui.core.alphabet import PROTEIN
from swgui.core.rules.matching import masks, match_table
from swgui.core.rules.reference import aligned_columns, edit_fits
from swgui.engines.rules.host import fit_columns
from swgui.jobs.rules.rows import as_rows


@pytest.mark.parametrize("seed", range(30))
def test_columns_have_the_counts_of_the_fit(seed):
    rng = np.random.default_rng(seed)
    table = match_table(PROTEIN)
    query, subject = (rng.integers(0, 4, size).astype(np.uint8) for size in (8, 40))
    fits = list(edit_fits(query, subject, table, (4, 4, 2, 2)))
    assert fits
    for fit in fits:
        part = subject[fit.start : fit.end]
        columns = fit_columns(query, part, masks(table), fit.insertions, fit.deletions)
        assert columns == aligned_columns(query, part, table, fit)
        counts = tuple(columns.count(kind) for kind in "XID")
        assert counts == (fit.mismatches, fit.insertions, fit.deletions)
        upper, lower = as_rows(PROTEIN.decode(query).decode(), PROTEIN.decode(part).decode(), columns)
        assert upper.replace("-", "").encode() == PROTEIN.decode(query)
        assert lower.replace("-", "").encode() == PROTEIN.decode(part)
