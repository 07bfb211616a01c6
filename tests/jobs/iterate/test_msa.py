"""Deep alignments of a search that was stopped: what whole rounds aligned, and nothing more is computed."""

import threading

import numpy as np
import pytest

from swgui.core.plain import replace
from swgui.core.profiles.iteration import IterationSettings
from swgui.core.profiles.msa import RowLimits
from swgui.jobs.iterate import msa
from swgui.jobs.iterate.msa import PARTIAL, deep_alignments, marked_partial
from swgui.jobs.iterate.request import in_rounds
from tests.asking import answer
from tests.jobs.iterate.family import family_records, family_request

EVALUE = 1e-3


@pytest.fixture(scope="module")
def result():
    return answer(in_rounds(family_request(family_records()), IterationSettings(rounds=3)))


def alignment_of(result, *, stopped):
    cancel = threading.Event()
    if stopped:
        cancel.set()
    (alignment,) = deep_alignments([result], EVALUE, RowLimits(), 1, cancel)
    return alignment


def test_after_stop_the_rows_are_those_of_the_last_whole_round(result, monkeypatch):
    monkeypatch.setattr(msa, "aligned_with", lambda *_: pytest.fail("nothing is aligned any more"))
    last = result.queries[0].rounds.last.alignment
    rows = [row for row in last.rows[1:] if row.log10_evalue <= np.log10(EVALUE)]
    alignment = alignment_of(result, stopped=True)
    assert len(rows) > 5
    assert [row.id for row in alignment.rows] == ["kin0", *(row.id for row in rows)]
    assert np.array_equal(alignment.codes[1:], np.stack([row.codes for row in rows]))


def test_before_the_end_of_the_first_round_hits_are_aligned_as_long_as_there_is_time(result, monkeypatch):
    first = replace(result, queries=tuple(replace(query, rounds=None) for query in result.queries))
    assert len(alignment_of(first, stopped=True)) == len(alignment_of(first, stopped=False)) > 5
    monkeypatch.setattr(msa, "SECONDS_AFTER_STOP", -1.0)
    assert [row.id for row in alignment_of(first, stopped=True).rows] == ["kin0"]


def test_the_query_of_a_partial_alignment_says_so(result):
    alignment = alignment_of(result, stopped=True)
    marked = marked_partial(alignment)
    assert marked.query.description.endswith(PARTIAL)
    assert np.array_equal(marked.codes, alignment.codes)
    assert [row.id for row in marked.rows] == [row.id for row in alignment.rows]
