"""Rows of what a round includes: in one call they are what they are step by step."""

import threading

import numpy as np
import pytest

from swgui.core.alphabet import PROTEIN
from swgui.core.database import encode_database
from swgui.core.errors import ScoreMismatch
from swgui.core.plain import replace
from swgui.core.profiles.recipe import LONG_QUERY, IterationSettings
from swgui.core.records import SequenceRecord
from swgui.core.scoring import ScoringScheme
from swgui.engines import native
from swgui.engines.native import pieces as in_one_call
from swgui.io.matrices import load_matrix
from swgui.jobs.iterate import rows, run
from swgui.jobs.iterate.request import in_rounds
from swgui.jobs.iterate.run import run_iteration
from swgui.jobs.search.events import Finished
from tests.asking import search_request
from tests.jobs.iterate.family import evolved, family_records, sequence

pytestmark = pytest.mark.skipif(bool(native.problem()), reason="there is no compiled library")


def records_with_repeats():
    """A family, members that have the domain several times over, and one with another domain behind it."""
    rng = np.random.default_rng(31)
    records = family_records()
    domain = next(one for one in records if one.id == "kin0").residues.decode()
    for number in range(4):
        copies = [evolved(rng, domain, 0.75) + sequence(rng, 20) for _ in range(number + 1)]
        records.append(SequenceRecord(f"repeat{number}", "", "".join(copies).encode()))
    return records, SequenceRecord("long", "", (domain + sequence(rng, LONG_QUERY)).encode())


@pytest.fixture(scope="module")
def requests():
    records, long = records_with_repeats()
    scheme = ScoringScheme.from_blast(load_matrix("BLOSUM62", PROTEIN), 11, 1)
    database = encode_database([*records, long], PROTEIN, "family")
    short = next(one for one in records if one.id == "kin0")

    def of(query):
        return in_rounds(
            search_request(queries=(query,), database=database, scheme=scheme, engine="cpu"),
            IterationSettings(rounds=3),
        )

    return {"short": of(short), "long": of(long)}


@pytest.mark.parametrize("which", ["short", "long"])
def test_rows_are_the_same_in_one_call_and_step_by_step(requests, which, monkeypatch):
    compared = []

    def both(*arguments):
        found, together = run_aligned(*arguments), rows._aligned_at_once
        monkeypatch.setattr(rows, "_aligned_at_once", lambda *_: None)
        expected = run_aligned(*arguments)
        monkeypatch.setattr(rows, "_aligned_at_once", together)
        assert list(found.ids) == list(expected.ids)
        assert np.array_equal(found.codes, expected.codes)
        assert np.array_equal(found.insertions, expected.insertions)
        assert np.array_equal(found.rows.log10_evalues, expected.rows.log10_evalues, equal_nan=True)
        assert [row.start for row in found.rows] == [row.start for row in expected.rows]
        assert [row.insertions for row in found.rows] == [row.insertions for row in expected.rows]
        compared.append(list(found.ids))
        return found

    run_aligned = run.aligned_with
    monkeypatch.setattr(run, "aligned_with", both)
    in_rounds = list(run_iteration(requests[which], threading.Event()))
    assert isinstance(in_rounds[-1], Finished)
    assert len(compared) >= 2  # with plain gap costs, and with those of positions
    assert compared[-1].count("repeat3") >= 3


def test_no_row_is_made_of_a_score_that_no_alignment_has(requests):
    """The step by step way, which is taken then, names the subject."""
    result = next(e.result for e in run_iteration(requests["short"], threading.Event()) if isinstance(e, Finished))
    query, scheme = result.encoded_query(0), result.scheme
    hits = result.queries[0].hits.take(slice(0, 5))
    subjects = native.Subjects.of(result.database, hits.db_index)
    costs = scheme.gap_first, scheme.gap_extend
    how = {"gaps": query.gaps}
    found = in_one_call.align_pieces(query.scores(scheme), subjects, hits.scores, hits.scores, *costs, **how)
    assert found.subject.tolist() == list(range(5))
    wrong = hits.scores + np.array([0, 0, 1, 0, 0], dtype=np.int32)
    assert in_one_call.align_pieces(query.scores(scheme), subjects, wrong, wrong, *costs, **how) is None
    included = replace(hits, scores=wrong)
    with pytest.raises(ScoreMismatch, match=result.database.ids[int(hits.db_index[2])]):
        rows.aligned_with(result, 0, included, rows.Inclusion(0.1, 600), IterationSettings().profile_recipe, 1)
