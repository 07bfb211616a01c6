"""All pairs against the plain definition: which are kept, their scores and their alignments' figures."""

from __future__ import annotations

import csv
import functools
import threading
import time
from pathlib import Path

import numpy as np
import pytest

from swgui.core.alignment import spell_out
from swgui.core.alphabet import PROTEIN
from swgui.core.control import RunControl
from swgui.core.database import EncodedDatabase, encode_database
from swgui.core.errors import DatabaseError, InvalidParameter, LogError, Stopped
from swgui.core.network.edges import Edges, lengths_of
from swgui.core.network.measures import COVERAGES, IDENTITIES, EdgeLimit, alignment_scores
from swgui.core.plain import replace
from swgui.core.records import SequenceRecord
from swgui.core.scoring import EncodedQuery, ScoringScheme, SubstitutionMatrix
from swgui.engines.base import DeviceEngine, DeviceInfo
from swgui.engines.cpu import CpuEngine
from swgui.engines.traceback.best import align_local
from swgui.engines.traceback.many import align_each
from swgui.io.database.file import open_database
from swgui.io.database.packed.build import save_packed
from swgui.io.matrices import load_matrix
from swgui.io.network.file import load_network, save_network
from swgui.io.saved.log import Log, NoLog
from swgui.jobs.events import PAUSED, Progress, Stage, run_to_end
from swgui.jobs.network import all_against_all
from swgui.jobs.network import edges as job
from swgui.jobs.network.all_against_all import AllAgainstAll
from swgui.jobs.network.edges import compared_of, edges_of, facts_of, identities_of, network_of
from swgui.jobs.network.leak import nearest_of
from swgui.jobs.network.request import NetworkRequest
from swgui.jobs.network.resume import log_beside
from tests.long.all_pairs import SAMPLE, SAMPLE_OF, proteins
from tests.reference import gotoh_score

SCHEME = ScoringScheme.from_blast(load_matrix("BLOSUM62", PROTEIN), 11, 1)
LETTERS = "ARNDCQEGHILKMFPSTWYV"
EVALUE = 1e-2


def families(seed: int, families: int = 5, members: int = 4) -> EncodedDatabase:
    """Return planted families of sequences, some of them identical, and one of a single residue."""
    rng = np.random.default_rng(seed)
    texts = []
    for _ in range(families):
        mother = rng.choice(list(LETTERS), int(rng.integers(15, 50)))
        for member in range(members):
            own = mother.copy()
            changed = rng.random(len(own)) < 0.15 * member
            own[changed] = rng.choice(list(LETTERS), int(changed.sum()))
            texts.append("".join(own[int(rng.integers(0, 5)) if member else 0 :]))
    texts += [texts[0], "M"]
    return encode_database((SequenceRecord(f"s{n}", "", text.encode()) for n, text in enumerate(texts)), PROTEIN, "set")


@functools.cache
def plain_score(a: bytes, b: bytes) -> int:
    rows = SCHEME.matrix.scores[np.frombuffer(a, np.uint8)].tolist()
    return gotoh_score(rows, list(b), SCHEME.gap_first, SCHEME.gap_extend)


def plain_edges(
    queries: EncodedDatabase, subjects: EncodedDatabase, asked: AllAgainstAll
) -> dict[tuple[int, int], int]:
    """Return the pairs that must be kept, with their scores, one after the other."""
    kept = {}
    for a in range(len(queries)):
        for b in range(len(subjects)):
            if queries is subjects and b <= a:
                continue
            x, y = queries.subject(a), subjects.subject(b)
            found = plain_score(*sorted((x.tobytes(), y.tobytes())))
            sets = {id(one): one for one in (queries, subjects)}.values()
            space = sum(one.residues for one in sets), sum(map(len, sets))
            shorter, longer = sorted((len(x), len(y)))
            log10 = asked.statistics.log10_evalues([found], longer, [shorter], *space)[0]
            if found > 0 and (log10 <= np.log10(asked.evalue) or x.tobytes() == y.tobytes()):
                kept[a, b] = found
    return kept


def made(asked: AllAgainstAll) -> Edges:
    return run_to_end(edges_of(asked, threading.Event()))


@pytest.mark.parametrize(("block", "residues"), [(1, 1000), (7, 60), (7, 1000), (64, 10), (64, 10_000)])
@pytest.mark.parametrize("engine", ["cpu", "reference"])
@pytest.mark.sampled(5)
def test_pairs_of_one_set(block: int, residues: int, engine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(job, "BLOCK", block)
    monkeypatch.setattr(job, "BLOCK_RESIDUES", residues)
    database = families(1)
    asked = AllAgainstAll(database, database, SCHEME, EVALUE, engine)
    edges, expected = made(asked), plain_edges(database, database, asked)
    pairs = list(zip(edges.first.tolist(), edges.second.tolist(), strict=True))
    assert dict(zip(pairs, edges.scores.tolist(), strict=True)) == expected
    assert pairs == sorted(pairs)
    assert asked.cells == sum(
        len(database.subject(a)) * len(database.subject(b)) for a in range(len(database)) for b in range(a)
    )


def test_pairs_of_two_sets() -> None:
    test, train = families(2, families=3), families(2)
    asked = AllAgainstAll(test, train, SCHEME, EVALUE, "cpu")
    edges, expected = made(asked), plain_edges(test, train, asked)
    pairs = zip(edges.first.tolist(), edges.second.tolist(), strict=True)
    assert dict(zip(pairs, edges.scores.tolist(), strict=True)) == expected


@pytest.mark.nightly  # the pairs of small sets are compared with a plain recurrence by day
def test_edges_of_real_proteins_are_those_of_an_independent_program(data_dir: Path) -> None:
    """By parasail: `python -m tests.long.all_pairs --write`, which compares 5,000 proteins otherwise."""
    with open(Path(__file__).with_name("parasail_edges.tsv"), newline="", encoding="utf-8") as file:
        expected = {(row["first"], row["second"]): int(row["score"]) for row in csv.DictReader(file, delimiter="\t")}
    database = proteins(data_dir / "proteins" / SAMPLE_OF, SAMPLE)
    edges, ids = made(AllAgainstAll(database, database, SCHEME, 1e-3, "cpu")), database.ids
    pairs = [(ids[a], ids[b]) for a, b in zip(edges.first.tolist(), edges.second.tolist(), strict=True)]
    assert dict(zip(pairs, edges.scores.tolist(), strict=True)) == expected


def test_figures_are_those_of_the_alignment() -> None:
    database = families(3)
    asked = AllAgainstAll(database, database, SCHEME, EVALUE, "cpu")
    edges = made(asked)
    for row in range(len(edges)):
        a, b = (int(end[row]) for end in (edges.first, edges.second))
        if (len(database.subject(a)), database.subject(b).tobytes()) < (
            len(database.subject(b)),
            database.subject(a).tobytes(),
        ):
            a, b = b, a  # the longer one is the query, of two as long the one whose residues come first
        alignment = align_local(EncodedQuery("", database.subject(a)), database.subject(b), SCHEME)
        columns = spell_out(alignment)
        both = (columns.query >= 0) & (columns.subject >= 0)
        alike = database.subject(a)[columns.query[both]] == database.subject(b)[columns.subject[both]]
        spans = {a: alignment.query_end - alignment.query_start, b: alignment.subject_end - alignment.subject_start}
        assert (edges.identities[row], edges.columns[row]) == (alike.sum(), len(both))
        assert (edges.first_span[row], edges.second_span[row]) == (spans[edges.first[row]], spans[edges.second[row]])
    again = identities_of(asked, np.stack([edges.first, edges.second], axis=1).astype(np.int64), threading.Event())
    assert again.scores.tolist() == edges.scores.tolist()
    lengths = lengths_of(edges, database.lengths, database.lengths)
    for measure in (*IDENTITIES.values(), *COVERAGES.values()):
        values = measure.of(edges, lengths)
        assert ((values >= 0) & (values <= 1)).all()


def test_identical_sequences_are_kept_whatever_their_e() -> None:
    database = encode_database((SequenceRecord(name, "", b"MK") for name in "ab"), PROTEIN, "short")
    edges = made(AllAgainstAll(database, database, SCHEME, 1e-9, "cpu"))
    assert [(edges.first[0], edges.second[0])] == [(0, 1)]
    assert edges.identities[0] == edges.columns[0] == 2


class SideBySide(CpuEngine, DeviceEngine):
    """Two engines at a time, which count a part of the pairs themselves."""

    def side_by_side(self, database, scheme, batches):
        return [SideBySide(*self.devices, 1) for _ in range(2)]

    def count_pairs(self, pairs, check):
        totals = align_each(pairs.queries, pairs.of, pairs.subjects, pairs.scheme, pairs.scores).totals
        counts = np.stack([totals.nident, totals.length, totals.query_span, totals.subject_span], axis=1)
        counts[::3] = -1  # left to the library
        return counts


def test_blocks_are_shared_by_engines_side_by_side(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(job, "BLOCK", 3)
    database = families(1)
    asked = AllAgainstAll(database, database, SCHEME, EVALUE, "cpu")
    whole = made(asked)
    monkeypatch.setattr(job.registry, "make_engine", lambda *_: SideBySide(DeviceInfo("0", ""), 1))
    edges = made(asked)
    for name in Edges.__dataclass_fields__:
        assert np.array_equal(getattr(edges, name), getattr(whole, name))


@pytest.mark.parametrize("gaps", [(11, 1), (9, 2), (6, 2)])
def test_the_area_of_e_grows_with_lengths(gaps: tuple[int, int]) -> None:
    """A function that lets the shortest sequences of a bin stand for all of it."""
    database = families(1)
    scheme = ScoringScheme.from_blast(SCHEME.matrix, *gaps)
    statistics, lengths = AllAgainstAll(database, database, scheme, EVALUE).statistics, np.arange(1, 3000)
    for found in (1, 20, 40, 80, 300):
        for query in (1, 30, 300, 3000):
            scores = np.full(len(lengths), found)
            evalues = statistics.log10_evalues(scores, query, lengths, 1e6, 1e3)
            assert (np.diff(evalues + np.log10(lengths)) > -1e-9).all()
            of_queries = statistics.log10_evalues(scores, lengths, np.full(len(lengths), query), 1e6, 1e3)
            assert (np.diff(of_queries) > -1e-9).all()


def test_stop_ends_it() -> None:
    database, stop = families(1), threading.Event()
    stop.set()
    with pytest.raises(Stopped):
        run_to_end(edges_of(AllAgainstAll(database, database, SCHEME, EVALUE, "cpu"), stop))


def part_of(out: Path, asked: AllAgainstAll, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Compare two blocks, stop, and return what is kept."""
    stop, score = threading.Event(), CpuEngine.score

    def stopped() -> None:
        with log_beside(out, facts_of(asked)) as log:
            add = log.add
            monkeypatch.setattr(log, "add", lambda *given: (add(*given), kept.append(given)))

            def third_is_stopped(self, queries, *given):
                scored.append(len(queries))
                while len(scored) > 2 > len(kept):
                    time.sleep(0.001)
                if len(scored) > 2:
                    stop.set()
                return score(self, queries, *given)

            monkeypatch.setattr(CpuEngine, "score", third_is_stopped)
            run_to_end(edges_of(asked, stop, log))

    scored: list[int] = []
    kept: list[object] = []
    with monkeypatch.context() as monkeypatch, pytest.raises(Stopped, match="Stopped when"):
        stopped()
    return out.with_name(f"{out.name}.part")


@pytest.mark.parametrize("two_sets", [False, True])
def test_what_was_stopped_goes_on(two_sets: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(job, "BLOCK", 5)
    train = families(5)
    asked = AllAgainstAll(families(5, families=3) if two_sets else train, train, SCHEME, EVALUE, "cpu")
    whole = made(asked)
    part = part_of(tmp_path / "n.swnet", asked, monkeypatch)
    content = part.read_bytes()
    for size in (len(content), len(content) - 1, len(content) - 40):  # as a killed run leaves it
        part.write_bytes(content[:size])
        scored: list[int] = []
        score = CpuEngine.score

        def counted(self, queries, *given, score=score, scored=scored):
            scored.append(len(queries))
            return score(self, queries, *given)

        with monkeypatch.context() as patch, log_beside(tmp_path / "n.swnet", facts_of(asked)) as log:
            patch.setattr(CpuEngine, "score", counted)
            edges = run_to_end(edges_of(asked, threading.Event(), log))
        assert sum(scored) < len(asked.queries)
        for name in Edges.__dataclass_fields__:
            assert np.array_equal(getattr(edges, name), getattr(whole, name))
        assert not part.exists()


def test_what_is_kept_of_something_else_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(job, "BLOCK", 5)
    database = families(5)
    out = tmp_path / "n.swnet"
    part = part_of(out, AllAgainstAll(database, database, SCHEME, EVALUE, "cpu"), monkeypatch)
    content = part.read_bytes()
    for other, said in (
        (AllAgainstAll(database, database, SCHEME, 1e-9, "cpu"), "another limit of E"),
        (AllAgainstAll(families(6), families(6), SCHEME, EVALUE, "cpu"), "other sequences and"),
    ):
        with pytest.raises(LogError, match=said), log_beside(out, facts_of(other)):
            pass
        log = Log(part, "network")  # and by the log itself, whatever its first entry says
        with pytest.raises(LogError, match=said):
            run_to_end(edges_of(other, threading.Event(), log))
        log.close()
        part.write_bytes(content)
    part.write_bytes(b"something else")
    asked = AllAgainstAll(database, database, SCHEME, EVALUE, "cpu")
    with pytest.raises(LogError, match="no state of a run"), log_beside(out, facts_of(asked)):
        pass
    assert part.read_bytes() == b"something else"


class Added(NoLog):
    """Counts the blocks that are kept."""

    def __init__(self) -> None:
        self.blocks: list[int] = []

    def add(self, facts, arrays=None) -> None:
        self.blocks.append(facts["block"]["begin"])


def test_stop_keeps_the_pairs_that_were_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(job, "BLOCK", 4)
    database = families(6)
    asked, control, log = AllAgainstAll(database, database, SCHEME, EVALUE, "cpu"), RunControl(), Added()
    score, begun = CpuEngine.score, []

    def third_waits_for_stop(self, queries, *given):
        begun.append(len(queries))
        if len(begun) > 2:
            assert control.wait(60)
        return score(self, queries, *given)

    def stop(_event: object) -> None:
        if len(log.blocks) == 2:
            control.set()

    with monkeypatch.context() as patch:
        patch.setattr(CpuEngine, "score", third_waits_for_stop)
        compared = run_to_end(compared_of(asked, control, log), stop)
    whole = run_to_end(compared_of(asked, threading.Event()))
    assert whole.complete
    assert whole.share == 1
    assert whole.cells == whole.total == asked.cells
    assert len(log.blocks) == 2
    assert not compared.complete
    assert 0 < compared.share < 1
    pairs = set(zip(whole.edges.first.tolist(), whole.edges.second.tolist(), strict=True))
    some = set(zip(compared.edges.first.tolist(), compared.edges.second.tolist(), strict=True))
    assert some < pairs


def test_a_partial_network_promises_nothing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    database = families(5)
    asked = AllAgainstAll(database, database, SCHEME, EVALUE, "cpu")
    made = replace(run_to_end(network_of(asked, threading.Event())), compared=0.4)
    assert made.partly.startswith("Partial: 40.0 % ")
    with pytest.raises(InvalidParameter, match=r"Only 40.0 % of the pairs of"):
        made.similar(EdgeLimit(0.5))
    save_network(made, tmp_path / "n.swnet")
    again = load_network(tmp_path / "n.swnet")
    assert again.compared == 0.4
    assert not again.complete


def test_a_pause_rests_between_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(job, "BLOCK", 4)
    database = families(5)
    asked, control = AllAgainstAll(database, database, SCHEME, EVALUE, "cpu"), RunControl()
    heard: list[object] = []

    def hear(event: object) -> None:
        heard.append(event)
        if len([one for one in heard if isinstance(one, Progress)]) == 1 and isinstance(event, Progress):
            control.pause()
        if event == Stage(PAUSED):
            control.resume()

    edges = run_to_end(edges_of(asked, control), hear)
    assert Stage(PAUSED) in heard
    assert len(edges) == len(made(asked))
    assert all(event.unit == "cells" and event.stage == job.STAGE for event in heard if isinstance(event, Progress))


def test_schemes_without_e_are_refused() -> None:
    database = families(1)
    with pytest.raises(InvalidParameter, match="No E-values are published"):
        AllAgainstAll(database, database, ScoringScheme.from_blast(SCHEME.matrix, 3, 3), EVALUE)
    for evalue in (0.0, np.inf, np.nan):
        with pytest.raises(InvalidParameter, match="must be a number above 0"):
            AllAgainstAll(database, database, SCHEME, evalue)


def test_a_limit_of_e_by_which_pairs_may_not_fit_in_memory_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    database = families(1)
    AllAgainstAll(database, database, SCHEME, 1e99)
    monkeypatch.setattr(all_against_all, "memory", lambda: 1000)
    AllAgainstAll(database, database, SCHEME, 10.0)
    with pytest.raises(InvalidParameter, match="Up to 242 pairs with E up to 1e\\+99 may not fit in memory"):
        AllAgainstAll(database, database, SCHEME, 1e99)


def test_a_matrix_by_which_it_matters_who_is_first_is_refused() -> None:
    scores, (x, a) = SCHEME.matrix.scores.copy(), map(PROTEIN.code, "XA")
    scores[x, a] += 1
    scheme = ScoringScheme(SubstitutionMatrix("turned", PROTEIN, scores), SCHEME.gap_first, SCHEME.gap_extend)
    database = families(1)
    for other in (database, families(2)):
        with pytest.raises(InvalidParameter, match="Take a symmetric matrix"):
            AllAgainstAll(database, other, scheme, EVALUE)


def test_a_packed_file_that_is_not_in_memory_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    database = families(1)
    save_packed(database, tmp_path / "packed.swdb")
    whole = made(AllAgainstAll(database, database, SCHEME, EVALUE, "cpu"))
    packed = open_database(tmp_path / "packed.swdb")
    assert len(made(AllAgainstAll(packed.arrays(), packed.arrays(), SCHEME, EVALUE, "cpu"))) == len(whole)
    monkeypatch.setattr("swgui.io.database.packed.opening.memory", lambda: 1000)
    with pytest.raises(DatabaseError, match="is not in memory"):
        NetworkRequest(tmp_path / "packed.swdb", EVALUE).opened(threading.Event())


def test_the_nearest_is_the_most_identical() -> None:
    test, train = families(4, families=3), families(4)
    asked = AllAgainstAll(test, train, SCHEME, 10.0, "cpu")
    edges, limit = made(asked), EdgeLimit(coverage=0.5, sure=1e-3)
    leaks = nearest_of(asked, edges, limit)
    lengths = lengths_of(edges, test.lengths, train.lengths)
    identity, _ = limit.values(edges, lengths)
    reached = limit.reached(edges, lengths)
    for number, row in zip(leaks.order.tolist(), leaks.nearest.tolist(), strict=True):
        own = np.flatnonzero((edges.first == number) & reached)
        assert (row < 0) == (not len(own))
        if len(own):
            assert identity[row] == identity[own].max()
    shown = [identity[row] if row >= 0 else -1 for row in leaks.nearest.tolist()]
    assert shown == sorted(shown, reverse=True)


def test_alignment_scores_are_cut_to_whole_numbers() -> None:
    one = np.array([0], np.int32)
    edges = Edges(one, one, one, np.zeros(1), one, one, one, one, np.ones(1, np.int8))
    lengths = (np.array([300]), np.array([200]))
    assert alignment_scores(edges, lengths, np.array([100.0])).tolist() == [int(100 * np.log10(2) - np.log10(60_000))]


def test_a_limit_says_in_words_what_reaches_it():
    assert EdgeLimit(0.3).describe().startswith("identity of at least 30 % (identical pairs")
    said = EdgeLimit(0.3, 0.8, sure=1e-3).describe()
    assert ", coverage of at least 80 % (" in said
    assert said.endswith(" or E up to 0.001")


@pytest.mark.gpu
def test_edges_of_a_gpu_are_those_of_the_library(data_dir: Path) -> None:
    database = proteins(data_dir / "proteins" / SAMPLE_OF, 600)
    both = [made(AllAgainstAll(database, database, SCHEME, 10.0, engine)) for engine in ("cuda", "cpu")]
    for name in Edges.__dataclass_fields__:
        assert np.array_equal(*(getattr(edges, name) for edges in both))
