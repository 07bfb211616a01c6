"""Kinds of hits, one by one and as columns; thresholds as users read them."""

from __future__ import annotations

from math import nan

import numpy as np
import pytest

from swgui.core.hits.results import CompositionColumns, HitColumns
from swgui.core.verdict.kinds import (
    BIASED,
    BORDERLINE,
    KINDS,
    SIGNIFICANT,
    THRESHOLDS,
    Z_AGREES,
    explain_kinds,
    kind_of,
    kinds_of,
)

# log10 E, the same without correction, lambda ratio, Z; the kind. Pairs as in test_sentences.py.
PAIRS = [
    ((-17.9, -21.9706, 0.98, 45.7), "significant"),  # GST_PLAF7
    ((-3.0, nan, nan, nan), "significant"),  # on the threshold
    ((-2.9999, nan, nan, nan), "borderline"),
    ((-2.7, -3.2768, 0.982, 13.5), "borderline"),  # GST2_YEAST: shuffles agree, so no bias
    ((-1.6, -2.6023, 0.923, 14.7), "borderline"),  # FHP_YEAST
    ((-0.999, nan, nan, nan), "chance"),
    ((2.1, -4.0787, 0.514, 7.2), "bias"),  # SMY2_YEAST
    ((-0.8, -8.6454, 0.598, 8.7), "bias"),  # YM96_YEAST
    ((2.1, -4.0787, nan, 7.2), "bias"),  # by its shuffles alone
    ((0.4, 0.0715, 0.3, 7.3), "chance"),  # never was significant
    ((nan, nan, nan, 20.0), "unknown"),
]


@pytest.mark.parametrize(("numbers", "kind"), PAIRS)
def test_the_kind_of_one_hit(numbers, kind):
    assert kind_of(*numbers) == kind


def test_columns_have_the_same_kinds():
    evalues, *corrections = (np.array(column) for column in zip(*(numbers for numbers, _ in PAIRS), strict=True))
    whole = np.zeros(len(PAIRS), dtype=np.int64)
    hits = HitColumns(whole, whole, whole, evalues, evalues, CompositionColumns(*corrections))
    assert [KINDS[kind] for kind in kinds_of(hits)] == [kind for _, kind in PAIRS]


def test_without_a_correction_e_alone_decides():
    evalues = np.array([-224.18, -2.6, 0.9])
    whole = np.zeros(3, dtype=np.int64)
    hits = HitColumns(whole, whole, whole, evalues, evalues)
    assert [KINDS[kind] for kind in kinds_of(hits)] == ["significant", "borderline", "chance"]
    assert kinds_of(hits.take(slice(0, 0))).shape == (0,)


def test_what_users_read_of_thresholds_is_what_is_computed():
    for threshold in (SIGNIFICANT, BORDERLINE):
        assert np.log10(float(threshold.text)) == pytest.approx(threshold.value)
    others = [threshold for threshold in THRESHOLDS if threshold not in (SIGNIFICANT, BORDERLINE)]
    assert [float(threshold.text.rstrip(" %")) for threshold in others] == [threshold.value for threshold in others]
    told = explain_kinds()
    assert [line.split(":")[0] for line in told.split("; ")] == list(KINDS)
    assert all(threshold.text in told for threshold in (SIGNIFICANT, BORDERLINE, Z_AGREES, BIASED))
