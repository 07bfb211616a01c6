"""One sentence for a query. Counts without correction of the queries and the database of test_sentences.py."""

from __future__ import annotations

import numpy as np
import pytest

from swgui.core.hits.results import HitColumns, QueryResult
from swgui.core.records import SequenceRecord
from swgui.core.verdict.kinds import KINDS
from swgui.core.verdict.queries import judge_queries, judge_query, summary

LEGHAEMOGLOBIN = [-2.6023, -0.5007, 0.5009, 0.7032, 0.6613, 0.8907, 0.8439, 0.9813]  # LGB1_VICFA, as printed


def made(log10_evalues):
    """Return a query with hits of these E-values."""
    evalues = np.array(log10_evalues, dtype=np.float64)
    whole = np.zeros(len(evalues), dtype=np.int64)
    return QueryResult(SequenceRecord("q", "", b"MKV"), HitColumns(whole, whole, whole, evalues, evalues), 20_307)


@pytest.mark.parametrize(
    ("counts", "said"),
    [
        ((3, 0, 0, 15), "3 significant; the other 15 are expected by chance."),
        ((3, 0, 0, 1), "3 significant; the other one is expected by chance."),
        ((2, 1, 0, 30), "2 significant; 1 borderline; the other 30 are expected by chance."),
        ((15, 0, 26, 12), "15 significant; 26 probably a bias of composition; the other 12 are expected by chance."),
        ((7, 0, 0, 0), "All 7 hits are significant."),
        ((2, 0, 0, 0), "Both hits are significant."),
        ((1, 0, 0, 0), "The only hit is significant."),
        ((0, 1, 0, 0), "None significant; 1 borderline."),
        ((0, 0, 0, 14), "None significant; the 14 hits are expected by chance."),
        ((0, 0, 0, 1), "None significant; the hit is expected by chance."),
        ((0, 0, 0, 0), "No hits, so none is significant."),
        ((0, 0, 0, 0, 5), "5 hits, but no E-values for this scoring, so none can be called significant."),
    ],
)
def test_the_sentence_of_a_query(counts, said):
    padded = (*counts, *(0,) * (len(KINDS) - len(counts)))
    assert summary(dict(zip(KINDS, padded, strict=True))) == said


def test_the_leghaemoglobin_has_no_significant_hit():
    assert judge_query(made(LEGHAEMOGLOBIN)) == "None significant; 1 borderline; the other 7 are expected by chance."


def test_queries_are_counted():
    queries = [made(LEGHAEMOGLOBIN), made([-22.0, -3.3, 1.0]), made([])]
    assert judge_queries(queries) == "1 of 3 queries has significant hits, 2 in all."
    assert judge_queries([queries[1]] * 2) == "2 of 2 queries have significant hits, 4 in all."
    assert judge_queries(queries[::2]) == "None of 2 queries has a significant hit."
    assert judge_queries(queries[:1]) == judge_query(queries[0])


@pytest.mark.parametrize(
    ("significant", "chance", "alignments", "said"),
    [
        (1, 0, 7, "The only hit is significant, in 7 alignments."),
        (1, 0, 1, "The only hit is significant."),
        (1, 0, 0, "The only hit is significant."),
        (2, 3, 9, "2 significant, in 9 alignments; the other 3 are expected by chance."),
        (0, 2, 0, "None significant; the 2 hits are expected by chance."),
    ],
)
def test_alignments_are_counted_where_they_are_more_than_hits(significant, chance, alignments, said):
    counts = dict.fromkeys(KINDS, 0) | {"significant": significant, "chance": chance}
    assert summary(counts, alignments) == said
