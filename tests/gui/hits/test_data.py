"""Verdicts on the hits of one query as columns."""

import numpy as np

from swgui.core.hits.results import CompositionColumns, HitList
from swgui.core.plain import replace
from swgui.gui.hits.columns import BY_KEY
from swgui.gui.hits.data import HitData


def corrected(result):
    """Return the first query's hits with E-values as a correction for composition gives them."""
    hits = result.queries[0].hits
    evalues = np.array([-17.9, 2.1, -1.6, -0.8, 0.4])
    before = np.array([-21.9706, -4.0787, -2.6023, -8.6454, 0.0715])
    composition = CompositionColumns(
        before, np.array([0.98, 0.514, 0.923, 0.598, 0.943]), np.array([46, 7, 15, 9, 7.0])
    )
    return HitList(result, 0, replace(hits, log10_evalues=evalues, composition=composition))


def test_the_column_and_the_sentence_come_from_e_and_composition(made):
    data = HitData(corrected(made.result))
    words = [data.text(row, BY_KEY["verdict"]) for row in range(len(data))]
    assert words == ["significant", "bias", "borderline", "bias", "chance"]
    assert data.text_ranks("verdict").argsort(kind="stable").tolist() == [0, 2, 1, 3, 4]  # not by the alphabet
    said = "Probably a bias of composition: shuffled copies come close (Z of shuffles = 7); without"
    assert data.verdict(1).startswith(said)
    assert "covers" not in data.verdict(0)  # not aligned yet
    data.add(made.describe(corrected(made.result), [0]))
    assert "covers 100 % of both" in data.verdict(0) or "the same sequence" in data.verdict(0)
    assert data.has_significant
    assert not HitData(HitList(made.result, 0, data.hits.take(slice(1, None)))).has_significant
