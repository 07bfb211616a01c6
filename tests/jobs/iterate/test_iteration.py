"""Iterated search: a family that a query alone does not see whole, among unrelated sequences."""

import threading
from contextlib import contextmanager
from types import SimpleNamespace

import numpy as np
import pytest

from swgui.core.alphabet import NUCLEOTIDE, PROTEIN
from swgui.core.database import encode_database
from swgui.core.engines import EngineOptions
from swgui.core.errors import EngineFault, InvalidParameter
from swgui.core.hits.joined import join
from swgui.core.hits.results import SearchResult
from swgui.core.plain import replace
from swgui.core.profiles.alignment import AlignedRow, MasterAlignment
from swgui.core.profiles.iteration import IterationSettings
from swgui.core.records import SequenceRecord
from swgui.core.scoring import SubstitutionMatrix
from swgui.engines import registry
from swgui.engines.base import DeviceEngine, DeviceInfo
from swgui.engines.native.correction import HostWork
from swgui.io.export.columns import HIT_COLUMNS, ROUND_COLUMNS
from swgui.jobs.events import Progress, run_to_end
from swgui.jobs.iterate import comparisons
from swgui.jobs.iterate import run as iteration
from swgui.jobs.iterate.comparisons import Comparisons
from swgui.jobs.iterate.request import in_rounds
from swgui.jobs.iterate.run import iteration_steps
from swgui.jobs.search import describe
from swgui.jobs.search.events import RoundFinished, RoundStarted
from tests.asking import BLOSUM62, DNA_SCHEME, search_request
from tests.described import describe_all, describe_hits
from tests.jobs.iterate.family import FAMILY, STRANGERS, family_records, sequence

NO_PROCESSOR = (DeviceInfo("toy:0", "Toy"),)


@pytest.fixture(scope="module")
def records():
    return family_records()


@pytest.fixture(scope="module")
def database(records):
    return encode_database(records, PROTEIN, "family")


@pytest.fixture(scope="module")
def scheme():
    return BLOSUM62


@pytest.fixture(scope="module")
def request_of(records, database, scheme):
    def make(*queries, search=None, build=None, starts=None, **settings):
        chosen = queries or (next(one for one in records if one.id == "kin0"),)
        asked = search_request(
            queries=tuple(chosen), **{"database": database, "scheme": scheme, "engine": "cpu"} | (search or {})
        )
        return replace(in_rounds(asked, IterationSettings(**settings)), build_database=build, starts=starts or {})

    return make


def result_of(request, cancel=None):
    events = []
    return run_to_end(iteration_steps(request, cancel or threading.Event()), events.append), events


def names(result, db_index):
    return {result.database.ids[index] for index in db_index.tolist()}


def test_rounds_find_what_the_query_alone_does_not(request_of):
    result, events = result_of(request_of())
    (query,) = result.queries
    assert result.state == "complete"
    first, last = query.rounds.rounds[0], query.rounds.last
    assert len(first.included) < len(last.included)
    assert names(result, last.included) <= {f"kin{n}" for n in range(1, FAMILY)}
    assert len(last.included) == FAMILY - 1  # never the query itself
    assert query.rounds.ended == "same"
    assert first.profile is None
    assert last.profile.name == f"round {len(query.rounds)}"
    assert last.effective_sequences > first.effective_sequences > 1
    begun = [event.number for event in events if isinstance(event, RoundStarted)]
    assert begun == list(range(1, len(query.rounds) + 1))
    assert [event.changing for event in events if isinstance(event, RoundFinished)][-1] == 0
    assert result.cells_done == result.cells_total == len(query.rounds) * 90 * result.database.residues


def test_rows_are_the_alignments_of_the_round_with_their_evalues(request_of):
    result, _ = result_of(request_of())
    alignment = result.queries[0].rounds.rounds[0].alignment
    assert alignment.query.id == "kin0"
    evalues = [row.log10_evalue for row in alignment.rows[1:]]
    assert evalues == sorted(evalues)
    assert max(evalues) <= np.log10(0.03)
    whole = {one.id: one.residues for one in map(result.database.record, range(len(result.database)))}
    for row in alignment.rows[1:]:
        letters = b"".join(
            (PROTEIN.letters[code].encode() if code < 200 else b"") + row.insertions.get(column, b"")
            for column, code in enumerate(row.codes.tolist())
        )
        assert whole[row.id][row.start : row.end] == letters


def test_every_significant_alignment_of_a_subject_is_a_row(records, request_of):
    by_id = {one.id: one for one in records}
    linker = by_id["other3"].residues[:50]
    twice = SequenceRecord("twice", "", by_id["kin1"].residues + linker + by_id["kin2"].residues)
    both = encode_database([*records[:STRANGERS], twice], PROTEIN, "repeats")
    result, _ = result_of(request_of(search={"database": both}, rounds=2))
    rows = [row for row in result.queries[0].rounds.rounds[0].alignment.rows if row.id == "twice"]
    assert len(rows) == 2
    first, second = sorted(rows, key=lambda row: row.start)
    assert first.end <= 90 + 25
    assert second.start >= 90 + 25
    for row in rows:
        residues = b"".join(
            (PROTEIN.letters[code].encode() if code < 200 else b"") + row.insertions.get(column, b"")
            for column, code in enumerate(row.codes.tolist())
        )
        assert twice.residues[row.start : row.end] == residues


def test_every_hit_says_when_it_was_included_and_its_evalue_in_every_round(request_of):
    result, _ = result_of(request_of())
    (query,) = result.queries
    rounds = query.rounds
    late = [index for index in rounds.last.included.tolist() if index not in rounds.rounds[0].included.tolist()]
    said = rounds.of(late[0])
    assert said.first_included > 1
    assert said.status == "kept"
    assert len(said.log10_evalues) == len(rounds)
    assert said.log10_evalues[-1] <= np.log10(0.03) < said.log10_evalues[0] or np.isnan(said.log10_evalues[0])
    stranger = rounds.of(0)
    assert (stranger.first_included, stranger.status) == (0, "")
    assert set(rounds.new(2).tolist()) | set(rounds.kept(2).tolist()) == set(rounds.rounds[1].included.tolist())


def test_a_query_that_finds_nobody_is_the_plain_search_and_says_so(request_of):
    rng = np.random.default_rng(5)
    alone = SequenceRecord("alone", "", sequence(rng, 80).encode())
    result, _ = result_of(request_of(alone, inclusion_evalue=1e-6))
    assert "'alone' found no sequence to include" in result.message
    assert result.queries[0].rounds.found_none
    assert result.queries[0].query.profile is None


def test_many_queries_share_a_search_and_stop_one_by_one(request_of, records):
    rng = np.random.default_rng(5)
    queries = [one for one in records if one.id in {"kin0", "kin3"}]
    alone = SequenceRecord("alone", "", sequence(rng, 80).encode())
    together, events = result_of(request_of(*queries, alone, inclusion_evalue=1e-3))
    by_itself, _ = result_of(request_of(queries[1], inclusion_evalue=1e-3))
    assert [event.queries for event in events if isinstance(event, RoundStarted)][:2] == [3, 2]
    assert np.array_equal(together.queries[1].hits.log10_evalues, by_itself.queries[0].hits.log10_evalues)
    assert np.array_equal(together.queries[1].hits.db_index, by_itself.queries[0].hits.db_index)


def test_rounds_end_when_they_are_done(request_of):
    result, _ = result_of(request_of(rounds=2))
    assert len(result.queries[0].rounds) == 2
    assert result.queries[0].rounds.ended == "rounds"


def test_rounds_end_when_a_set_comes_back():
    """Two members may take turns: who is found without itself changes with the others."""

    def rounds(alphabet):
        query = AlignedRow("q", "", np.zeros(4, dtype=np.uint8))
        return [
            SimpleNamespace(included=np.array(each), alignment=MasterAlignment(alphabet, (query,) * rows))
            for each, rows in (([1, 2], 3), ([1, 2, 3], 4), ([2, 1], 9))
        ]

    some = rounds(PROTEIN)
    assert iteration.ending(some[:2], 5) is None
    assert iteration.ending(some, 5) == "same"
    assert iteration.ending(some[:2], 2) == "rounds"
    assert iteration.ending(rounds(NUCLEOTIDE), 5) is None  # a chromosome has further segments


def test_ids_are_included_or_left_out_whatever_their_evalue(request_of):
    result, _ = result_of(request_of(rounds=2, include_ids=("other7",), exclude_ids=("kin1", "kin2")))
    for each in result.queries[0].rounds.rounds:
        assert "other7" in names(result, each.included)
        assert not {"kin1", "kin2"} & names(result, each.included)
    with pytest.raises(InvalidParameter, match="'nobody'"):
        result_of(request_of(include_ids=("nobody",)))


def test_limits_hold_for_the_list_and_not_for_inclusion(request_of):
    free, _ = result_of(request_of())
    result, _ = result_of(request_of(search={"top": 3, "max_evalue": 1e-9}))
    assert len(result.queries[0].hits) <= 3
    assert (result.queries[0].hits.log10_evalues <= -9).all()
    assert np.array_equal(result.queries[0].rounds.last.included, free.queries[0].rounds.last.included)


def test_profiles_of_one_database_search_another(request_of, records):
    half = encode_database(records[:-4], PROTEIN, "half")
    result, _ = result_of(request_of(build=half))
    assert result.database.name == "family"
    rounds = result.queries[0].rounds
    assert rounds.database == "half"
    assert rounds.of(0) is None
    found = names(result, result.queries[0].hits.take(result.queries[0].hits.log10_evalues < -2).db_index)
    assert {f"kin{n}" for n in range(FAMILY - 4, FAMILY)} <= found


def test_an_alignment_to_begin_with_makes_the_first_profile(request_of):
    before, _ = result_of(request_of())
    alignment = before.queries[0].rounds.last.alignment
    result, _ = result_of(request_of(starts={0: alignment}))
    assert result.queries[0].rounds.rounds[0].profile.name == "round 1"
    assert len(result.queries[0].rounds.rounds[0].included) == FAMILY - 1
    short = MasterAlignment.of_query(SequenceRecord("q", "", b"MKT"), PROTEIN)
    with pytest.raises(InvalidParameter, match="3 columns for 90"):
        request_of(starts={0: short})


def failing_in_round(number, monkeypatch, outcome):
    """Let the search of one round end early."""
    calls = []

    def counted(whole):
        def steps(request, cancel, **how):
            calls.append(request)
            found = yield from whole(request, cancel, **how)
            if len(calls) != number:
                return found
            if isinstance(found, SearchResult):
                return outcome(found, cancel)
            return replace(found, result=outcome(found.result, cancel))

        return steps

    for name in ("search_steps", "unlisted_steps"):
        monkeypatch.setattr(iteration, name, counted(getattr(iteration, name)))


def test_a_round_that_fails_keeps_the_rounds_before(request_of, monkeypatch):
    def fail(result, cancel):
        raise EngineFault("The device is gone.")

    failing_in_round(3, monkeypatch, fail)
    result, _ = result_of(request_of(inclusion_evalue=1e-4))
    rounds = result.queries[0].rounds
    assert result.state == "failed"
    assert "device is gone." in result.message
    assert (len(rounds), rounds.ended) == (2, "failed")
    assert result.queries[0].query.profile.name == "round 2"


def test_a_round_that_is_stopped_keeps_the_rounds_before(request_of, monkeypatch):
    def stop(result, cancel):
        cancel.set()
        return replace(result, state="stopped")

    failing_in_round(2, monkeypatch, stop)
    result, _ = result_of(request_of(inclusion_evalue=1e-4))
    assert result.state == "stopped"
    assert (len(result.queries[0].rounds), result.queries[0].rounds.ended) == (1, "stopped")
    assert len(result.queries[0].hits)


def test_a_first_round_that_is_stopped_is_a_search_that_is_stopped(request_of, monkeypatch):
    def stop(result, cancel):
        cancel.set()
        return replace(result, state="stopped")

    failing_in_round(1, monkeypatch, stop)
    result, _ = result_of(request_of(search={"max_evalue": 1e-6}, inclusion_evalue=0.1))
    assert result.state == "stopped"
    assert result.queries[0].rounds is None
    assert (result.queries[0].hits.log10_evalues <= -6).all()
    assert result.search.limits.max_evalue == 1e-6


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"rounds": 1}, "2 to 8 rounds, not 1"),
        ({"rounds": 9}, "not 9"),
        ({"inclusion_evalue": 11.0}, "11"),
        ({"inclusion_evalue": 0.0}, "E-value of 0"),
        ({"inclusion_evalue": float("nan")}, "nan"),
        ({"preset": "bold"}, "'bold'"),
        ({"max_rows": 0}, "at least 1 row, not 0"),
        ({"include_ids": ("a",), "exclude_ids": ("a",)}, "'a'"),
    ],
)
def test_settings_that_make_no_sense_are_refused(settings, said):
    with pytest.raises(InvalidParameter, match=said):
        IterationSettings(**settings)


def test_other_alphabets_than_proteins_and_nucleotides_are_not_iterated():
    letters = replace(NUCLEOTIDE, name="shapes")
    query = SequenceRecord("q", "", b"ACGTACGT")
    matrix = SubstitutionMatrix("own", letters, DNA_SCHEME.matrix.scores)
    scheme, database = replace(DNA_SCHEME, matrix=matrix), encode_database([query], letters)
    search = search_request(queries=(query,), database=database, scheme=scheme)
    with pytest.raises(InvalidParameter, match="proteins and nucleotides"):
        in_rounds(search, IterationSettings())


def test_presets_follow_the_size_of_the_database():
    assert IterationSettings().inclusion(19_999) == 0.03
    assert IterationSettings().inclusion(20_000) == 0.1
    assert IterationSettings(preset="careful").inclusion(10) == 0.01
    assert IterationSettings(preset="wide", inclusion_evalue=1.0).inclusion(10) == 1.0


def test_the_rounds_share_one_engine_and_it_is_closed(request_of, monkeypatch):
    made, closed = [], []
    make = registry.make_engine

    def counted(name, options):
        engine = make(name, options)
        end = engine.close
        engine.close = lambda: (closed.append(engine), end())
        made.append(engine)
        return engine

    monkeypatch.setattr(registry, "make_engine", counted)
    _, events = result_of(request_of())
    assert sum(isinstance(event, RoundStarted) for event in events) > 2
    assert len(made) == 1
    assert closed == made


def test_an_engine_that_failed_is_not_used_again():
    engines = registry.KeptEngines()
    with pytest.raises(EngineFault), engines.use("reference", EngineOptions()) as first:
        raise EngineFault("It failed.")
    with engines.use("reference", EngineOptions()) as second:
        assert second is not first
    with engines.use("reference", EngineOptions()) as third:
        assert third is second
    engines.close()


@pytest.mark.parametrize("number", [1, 2])
def test_stop_while_profiles_are_built_ends_at_once_and_keeps_the_rounds_before(request_of, monkeypatch, number):
    cancel, whole, calls = threading.Event(), iteration.aligned_each, []

    def stopped(*given):
        calls.append(given)
        if len(calls) == number:
            cancel.set()
        return whole(*given)

    monkeypatch.setattr(iteration, "aligned_each", stopped)
    if number == 1:
        monkeypatch.setattr(iteration.ProfileMaker, "build_each", pytest.fail)
    result, _ = result_of(request_of(), cancel)
    assert len(calls) == number
    assert result.state == "stopped"
    (query,) = result.queries
    assert len(query.rounds.rounds) == 1
    assert len(query.hits)


def relatives(records, count):
    return [one for one in records if one.id in {f"kin{n}" for n in range(count)}]


def test_queries_in_different_rounds_find_what_each_finds_alone(request_of, records, monkeypatch):
    """One query is searched with at a time, while profiles of others are built."""
    monkeypatch.setattr(iteration, "batch_size", lambda unfinished: 1)
    monkeypatch.setattr(iteration, "MAX_BATCH", 1)
    queries = relatives(records, 4)
    together, events = result_of(request_of(*queries, inclusion_evalue=1e-3))
    alone = [result_of(request_of(query, inclusion_evalue=1e-3))[0] for query in queries]
    for found, (expected,) in zip(together.queries, (one.queries for one in alone), strict=True):
        assert np.array_equal(found.hits.db_index, expected.hits.db_index)
        assert np.array_equal(found.hits.log10_evalues, expected.hits.log10_evalues)
        assert [each.beyond for each in found.rounds.rounds] == [each.beyond for each in expected.rounds.rounds]
    assert together.cells_done == sum(one.cells_done for one in alone)
    told = [(type(event), event.number) for event in events if isinstance(event, RoundStarted | RoundFinished)]
    last = max(len(found.rounds) for found in together.queries)
    assert told == [(of, number) for number in range(1, last + 1) for of in (RoundStarted, RoundFinished)]
    included = [event.included for event in events if isinstance(event, RoundFinished)]
    assert included[0] == sum(len(found.rounds.rounds[0].included) for found in together.queries)


def test_progress_grows_while_a_round_goes_on(request_of, records, monkeypatch):
    monkeypatch.setattr(iteration, "batch_size", lambda unfinished: 1)
    monkeypatch.setattr(iteration, "MAX_BATCH", 1)
    _, events = result_of(request_of(*relatives(records, 3), inclusion_evalue=1e-3))
    done, residues = [], 0
    for event in events:
        if isinstance(event, RoundStarted):
            done.append([])
        elif isinstance(event, Progress):
            assert sum(event.device_done.values()) == event.done
            done[-1].append(event.done)
            residues = max(residues, event.total)
    assert all(each == sorted(each) for each in done)
    assert max(map(max, filter(None, done))) == residues


@pytest.mark.parametrize("ending", ["stopped", "failed"])
def test_whole_rounds_of_all_queries_stay_when_one_search_ends_early(request_of, records, monkeypatch, ending):
    def end(result, cancel):
        if ending == "stopped":
            cancel.set()
        return replace(result, state=ending, message="It ended.")

    monkeypatch.setattr(iteration, "batch_size", lambda unfinished: 1)
    monkeypatch.setattr(iteration, "MAX_BATCH", 1)
    failing_in_round(4, monkeypatch, end)  # the first is that of all queries
    result, _ = result_of(request_of(*relatives(records, 4), inclusion_evalue=1e-3))
    assert result.state == ending
    assert "It ended." in result.message
    rounds = [query.rounds for query in result.queries]
    assert sum(len(each) > 1 for each in rounds) >= (2 if ending == "failed" else 0)
    assert all(each.rounds for each in rounds)
    assert ending in {each.ended for each in rounds}
    again, _ = result_of(replace(request_of(*relatives(records, 4), inclusion_evalue=1e-3), before=result))
    whole, _ = result_of(request_of(*relatives(records, 4), inclusion_evalue=1e-3))
    for found, expected in zip(again.queries, whole.queries, strict=True):
        assert np.array_equal(found.hits.db_index, expected.hits.db_index)
        assert len(found.rounds) == len(expected.rounds)


def test_columns_of_rounds_say_of_all_hits_what_is_said_of_each(request_of, records):
    search = {"max_evalue": 1e3, "max_hsps": 1}
    result, _ = result_of(request_of(*relatives(records, 3), search=search, inclusion_evalue=1e-3))
    tables = list(describe_all(result, [range(len(query.hits)) for query in result.queries]).tables)
    table = join(tables)
    hits = [hit for one in tables for hit in one.hits()]
    assert {hit.rounds.status for hit in hits} >= {"", "kept"}
    for key in (*ROUND_COLUMNS, "evalue_as_member"):
        column = HIT_COLUMNS[key]
        assert column.texts(table) == [column.text(hit) for hit in hits]


def test_lists_of_rounds_described_together_say_what_each_says_alone(request_of, records, monkeypatch):
    monkeypatch.setattr(describe, "PORTIONS", 1)
    monkeypatch.setattr(describe, "PORTIONS_OF_WORKER", 0)
    result, _ = result_of(request_of(*relatives(records, 3), search={"top": 60}, inclusion_evalue=1e-3))
    rows = [range(len(query.hits)) for query in result.queries]
    (together,) = describe_all(result, rows).several
    alone = [table for at, some in enumerate(rows) for table in describe_hits(result, at, some).tables]
    assert len(alone) == len(rows) < len(together)
    for key, column in HIT_COLUMNS.items():
        assert column.texts(together) == [text for table in alone for text in column.texts(table)], key


def test_a_query_without_residues_that_score_has_no_hits_in_rounds(request_of):
    result, _ = result_of(request_of(SequenceRecord("x", "", b"X" * 60), search={"max_evalue": 1e9}))
    assert not len(result.queries[0].hits)
    assert not len(result.queries[0].rounds.last.included)


class WithDevice(DeviceEngine):
    """A CPU engine that says it corrects E on a device."""

    def __init__(self):
        self._engine, self.asked = registry.make_engine("cpu", EngineOptions()), []

    def __getattr__(self, name):
        return getattr(self._engine, name)

    def correction_work(self):
        engine = self

        class Work(HostWork):
            def shuffled_scores(self, *given, **how):
                engine.asked.append("shuffles")
                return super().shuffled_scores(*given, **how)

        return Work()


@pytest.mark.parametrize("early", [False, True])
def test_the_device_of_all_searches_compares_hits_with_shuffles(request_of, monkeypatch, early):
    """Also of queries that ended while others are in later rounds."""
    expected = result_of(request_of())[0].queries[0]
    engine, uses, add, began = WithDevice(), [], Comparisons.add, []
    monkeypatch.setattr(Comparisons, "add", lambda *given: began.append(given) or add(*given))
    if early:
        monkeypatch.setattr(comparisons, "TOGETHER", 1)
        engine.devices = NO_PROCESSOR

    @contextmanager
    def use(name, options):
        uses.append(name)
        yield engine

    found = run_to_end(iteration_steps(request_of(), threading.Event(), use)).queries[0].hits
    assert (len(uses), bool(engine.asked), bool(began)) == (1, True, early)
    assert found.log10_evalues.tolist() == expected.hits.log10_evalues.tolist()
    np.testing.assert_array_equal(found.composition.shuffle_z, expected.hits.composition.shuffle_z)
