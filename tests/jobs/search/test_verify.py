"""A saved search is scored again, and every score compared."""

import threading

import numpy as np
import pytest

from swgui.core.errors import EngineFault, SwguiError
from swgui.core.plain import replace
from swgui.io.saved.search import load_search, save_search
from swgui.jobs.events import run_to_end
from swgui.jobs.search.events import Started
from swgui.jobs.search.verify import MAX_DIFFERENCES, Verification, compare, verify
from tests.asking import altered, answer
from tests.io.saved.saved_searches import nucleotide_request, protein_request

pytestmark = pytest.mark.usefixtures("user_folders", "trusted_engines")


@pytest.fixture(scope="module")
def result():
    return answer(protein_request())


def outcome(result, engine="reference", cancel=None):
    events = []
    found = run_to_end(verify(result, cancel or threading.Event(), engine=engine), events.append)
    assert isinstance(found, Verification)
    assert any(isinstance(event, Started) for event in events)
    return found


def with_scores(result, query_index, change):
    queries = list(result.queries)
    scores = queries[query_index].scores.copy()
    change(scores)
    queries[query_index] = replace(queries[query_index], scores=scores)
    return replace(result, queries=tuple(queries))


@pytest.mark.parametrize("make", [protein_request, nucleotide_request])
def test_another_engine_gives_the_same_scores(make):
    result = answer(make())
    found = outcome(result)
    assert found.ok
    assert found.compared == sum(len(query.scores) for query in result.queries)
    assert found.describe() == f"All {found.compared:,} scores are the same on NumPy, one core (reference)."


def test_every_wrong_score_is_told(result):
    def change(scores):
        scores[[4, 20, 30]] += (1, 1000, -1)

    found = outcome(with_scores(result, 1, change))
    assert not found.ok
    assert (found.compared, found.different) == (80, 3)
    true = result.queries[1].scores
    told = [(d.query_index, d.db_index, d.query, d.subject, d.saved, d.found) for d in found.differences]
    assert told == [
        (1, at, "q 2", f"sp|P{at:05d}|PROT{at}_TEST", true[at] + more, true[at])
        for at, more in ((4, 1), (20, 1000), (30, -1))
    ]
    assert "3 of 80 scores are different" in found.describe()
    assert f"q 2 against sp|P00004|PROT4_TEST: saved {true[4] + 1}, now {true[4]}" in found.describe()


def test_many_differences_are_counted_and_the_first_told(result):
    rows = -(-MAX_DIFFERENCES // 40) + 3
    many = replace(result, queries=result.queries[:1] * rows)
    wrong = replace(many, queries=tuple(replace(q, scores=q.scores + 1) for q in many.queries))
    found = compare(wrong, many)
    assert found.different == found.compared == 40 * rows
    assert len(found.differences) == MAX_DIFFERENCES


def test_only_what_was_scored_is_compared(result):
    def forget(scores):
        scores[10:] = -1

    found = outcome(with_scores(replace(result, state="stopped"), 0, forget))
    assert found.ok
    assert (found.compared, found.left_out) == (50, 0)


def test_without_score_vectors_the_hits_are_compared(result):
    bare = replace(result, queries=tuple(replace(query, scores=None) for query in result.queries))
    found = outcome(bare)
    assert found.ok
    assert found.compared == sum(len(query.hits) for query in result.queries)
    hits = replace(bare.queries[0].hits, scores=bare.queries[0].hits.scores + np.int32(2))
    assert outcome(replace(bare, queries=(replace(bare.queries[0], hits=hits),))).different == len(hits)


def test_without_the_database_its_stored_sequences_are_compared(result, tmp_path):
    save_search(result, tmp_path / "a.swgui")
    loaded = load_search(tmp_path / "a.swgui").result
    found = outcome(loaded)
    stored = len(loaded.database.stored)
    assert found.ok
    assert (found.compared, found.left_out) == (2 * stored, 80 - 2 * stored)
    assert "not compared, of sequences that are not in the file." in found.describe()
    at = int(loaded.database.stored[1])

    def change(scores):
        scores[at] += 5

    (difference,) = outcome(with_scores(loaded, 0, change)).differences
    assert difference.db_index == at
    assert difference.subject == result.database.ids[at]


def test_without_any_sequence_nothing_can_be_verified(result, tmp_path):
    save_search(result, tmp_path / "a.swgui", with_subjects=False)
    with pytest.raises(SwguiError, match="nothing can be verified"):
        list(verify(load_search(tmp_path / "a.swgui").result, threading.Event()))


def test_a_stop_says_how_much_was_compared(result, monkeypatch):
    from swgui.engines import registry
    from tests.fakes import SlowAdapter

    adapter, cancel = SlowAdapter(), threading.Event()
    adapter.stop_after = (3, cancel)
    monkeypatch.setattr(registry, "adapter_of", lambda name: adapter)
    monkeypatch.setattr(registry, "probed", {})
    found = outcome(result, "cpu", cancel)
    assert (found.compared, found.left_out) == (15, 65)
    assert found.describe() == (
        "All 15 scores are the same on Slow (cpu). The verification was stopped: 65 scores were not compared."
    )


def test_an_engine_that_fails_is_no_verdict(result, monkeypatch):
    def broken(self, *_):
        raise EngineFault("It broke.")
        yield

    monkeypatch.setattr("swgui.engines.reference.ReferenceEngine.score", broken)
    with pytest.raises(SwguiError, match="could not be repeated to its end: It broke"):
        list(verify(result, threading.Event(), engine="reference"))


def test_a_stopped_search_is_not_held_against_strands_that_it_had_not_scored():
    whole, plus = answer(nucleotide_request()), answer(altered(nucleotide_request(), strand="plus"))
    (of_plus,), (query,) = plus.queries, whole.queries
    better = int((query.scores > of_plus.scores).sum())
    assert better
    strands = np.ones(len(of_plus.scores), dtype=np.int8)
    partly = replace(query, subjects_scored=0, scores=of_plus.scores, strands=strands)
    found = outcome(replace(whole, queries=(partly,), state="stopped"))
    assert found.ok
    assert found.left_out == better
    assert "was stopped before" in found.describe()
    wrong = replace(partly, scores=of_plus.scores + 1000)
    assert outcome(replace(whole, queries=(wrong,), state="stopped")).different == len(strands)
