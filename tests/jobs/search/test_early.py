"""Lists that are made while other queries are still scored, and queries that are corrected together."""

from __future__ import annotations

import threading

import numpy as np
import pytest

from swgui.core.alphabet import PROTEIN
from swgui.core.database import encode_database
from swgui.core.engines import EngineOptions
from swgui.core.plain import replace
from swgui.core.records import SequenceRecord
from swgui.engines.native.correction import HOST
from swgui.jobs import threads
from swgui.jobs.events import Finished, Progress, finishing
from swgui.jobs.search import ranking
from swgui.jobs.search.lists import Lists
from swgui.jobs.search.run import search_steps
from swgui.jobs.threads import grouped, workers_and_threads
from tests.asking import BLOSUM62, altered, search_request
from tests.engines.conftest import random_codes, relative
from tests.fakes import ToyAdapter, ToyEngine

COUNT = 20


@pytest.fixture
def request_(rng, install_engines, trusted_engines):
    """Twenty queries with relatives, some of one letter mostly, for an engine that is no processor."""
    install_engines(toy=ToyAdapter("toy"))
    codes = [random_codes(rng, int(rng.integers(20, 60)), 20) for _ in range(COUNT - 4)]
    codes += [rng.choice([0, 0, 0, 0, 3], 50).astype(np.uint8) for _ in range(4)]
    subjects = [relative(rng, one, 20) for one in codes for _ in range(3)]

    def records(name, sequences):
        return [SequenceRecord(f"{name}{at}", "", PROTEIN.decode(one)) for at, one in enumerate(sequences)]

    database = encode_database(records("s", subjects), PROTEIN, "toy")
    queries = tuple(records("q", codes))
    return search_request(
        queries=queries,
        database=database,
        scheme=BLOSUM62,
        engine="toy",
        max_evalue=1e6,
        options=EngineOptions(threads=1),
    )


def lists(result):
    found = []
    for query in result.queries:
        hits, by = query.hits, query.hits.composition
        columns = hits.db_index, hits.scores, hits.log10_evalues, by.lambda_ratio, by.shuffle_z, *hits.regions.columns
        found.append([column.tolist() for column in map(np.nan_to_num, columns)])
    return found


def result_of(request):
    events = list(finishing(search_steps(request, threading.Event())))
    assert isinstance(events[-1], Finished)
    return events[-1].outcome


def test_early_and_together_is_as_one_by_one(request_, monkeypatch):
    early = []
    begin = Lists.add
    monkeypatch.setattr(Lists, "add", lambda self, at, cancel: (early.append(at), begin(self, at, cancel)))
    together = result_of(request_)
    assert sorted(early) == list(range(COUNT))
    monkeypatch.setattr(threads, "TUNING", replace(threads.TUNING, group=1))
    one_by_one = result_of(request_)
    assert len(early) == COUNT
    assert lists(together) == lists(one_by_one)
    assert any(np.isfinite(query.hits.composition.shuffle_z).any() for query in together.queries)
    assert [query.query.id for query in together.queries] == [query.id for query in request_.queries]


def test_a_device_that_helps_changes_nothing_and_is_asked_before_it_is_closed(request_, install_engines, monkeypatch):
    alone, asked = lists(result_of(request_)), []
    monkeypatch.setattr(ToyEngine, "correction_work", lambda engine: Helping(engine, asked))
    assert lists(result_of(request_)) == alone
    assert {"regions_of", "shuffled_scores"} <= set(asked)


class Helping:
    """The compiled library, as if it were a device."""

    def __init__(self, engine, asked):
        self.engine, self.asked = engine, asked

    def __getattr__(self, name):
        def answer(*given, **more):
            assert not self.engine.closed
            self.asked.append(name)
            return getattr(HOST, name)(*given, **more)

        return answer


def test_without_a_correction_too(request_, monkeypatch):
    plain = altered(request_, composition="none")
    together = result_of(plain)
    monkeypatch.setattr(threads, "TUNING", replace(threads.TUNING, group=1))
    for one, other in zip(together.queries, result_of(plain).queries, strict=True):
        assert one.hits.db_index.tolist() == other.hits.db_index.tolist()


def test_stop_ends_early_lists_and_says_what_is_not_corrected(request_):
    stop, result = threading.Event(), None
    for event in finishing(search_steps(request_, stop)):
        if isinstance(event, Progress):
            stop.set()
        if isinstance(event, Finished):
            result = event.outcome
    assert result is not None
    assert result.state == "stopped"
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("swgui-lists")]


def test_who_goes_away_leaves_no_thread(request_):
    events = finishing(search_steps(request_, threading.Event()))
    for event in events:
        if isinstance(event, Progress):
            break
    events.close()
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("swgui-lists")]


def test_what_fails_early_fails_the_search(request_, monkeypatch):
    def fail(self, *_):
        raise OSError("a fault")

    monkeypatch.setattr(ranking.Ranker, "candidates_of", fail)
    with pytest.raises(OSError, match="a fault"):
        result_of(request_)


def test_groups_are_of_about_the_same_cost():
    costs = list(range(100))
    groups = grouped(costs, 2)
    assert sorted(at for group in groups for at in group) == costs
    sums = [sum(costs[at] for at in group) for group in groups]
    assert max(sums) - min(sums) < 100
    assert grouped([5], 0) == [[0]]
    assert grouped([], 0) == []


def test_no_more_lists_are_made_at_once_than_python_has_room_for():
    assert [workers_and_threads(lists, 16)[0] for lists in (5, 1_999, 2_000)] == [5, 8, 8]
