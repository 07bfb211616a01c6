"""The CPU's method for one long pair: small tiles, pruning, threads, the way back, checkpoints, other programs."""

from __future__ import annotations

import threading

import numpy as np
import pytest

from swgui.core.alignment import Alignment
from swgui.core.alphabet import NUCLEOTIDE, PROTEIN
from swgui.core.engines import EngineOptions
from swgui.core.errors import InvalidParameter
from swgui.core.pair.problem import PairMode, PairProblem, PairProgress, PairScored
from swgui.core.plain import replace
from swgui.core.scoring import EncodedQuery, ScoringScheme, SubstitutionMatrix, match_mismatch
from swgui.engines.pair import anchors, band, band_walk, cpu, sweep, walk
from swgui.engines.pair.band import Band
from swgui.engines.pair.band_walk import BandWalk, spacing_for
from swgui.engines.pair.problem import make_problem
from swgui.engines.pair.sweep import End, Rules, Start, Sweep
from swgui.engines.pair.tile import Best
from swgui.engines.pair.walk import Walk
from swgui.engines.traceback.alternatives import next_local
from swgui.engines.traceback.best import align_local
from swgui.engines.traceback.path import global_path
from swgui.io.sequences.reader import read_sequences
from tests.engines.conftest import random_codes, relative
from tests.engines.pair.reference import ask, textbook

MODES = tuple(PairMode)


@pytest.fixture(params=["tiles", "band"])
def small(request, monkeypatch):
    """Tiles, blocks and stretches of a few cells, on threads, pruned from the start, a checkpoint at every step."""
    monkeypatch.setattr(
        cpu,
        "TUNING",
        replace(
            cpu.TUNING,
            close_share={"tiles": 2.0, "band": 0.0}[request.param],
            shortest_tile=8,
            longest_tile=32,
            anchored_cells=0,
            call_cells=0,
        ),
    )
    monkeypatch.setattr(band, "CUT_EVERY", 8)
    monkeypatch.setattr(band_walk, "_SPACINGS", (8,))
    monkeypatch.setattr(band, "LOOK_CELLS", 300)
    monkeypatch.setattr(cpu, "CHECKPOINT_SECONDS", 0.0)
    monkeypatch.setattr(cpu, "TICK_SECONDS", 0.0)
    monkeypatch.setattr(sweep, "TUNING", replace(sweep.TUNING, threaded_rows=1))
    monkeypatch.setattr(walk, "BLOCK", 8)
    monkeypatch.setattr(walk, "STATE_VALUES", 17 * 9)
    monkeypatch.setattr(walk, "LINE_BYTES", 4_000)
    return cpu.CpuPairEngine(2)


def close_pair(rng, length: int) -> tuple[np.ndarray, np.ndarray]:
    """Return two sequences that differ in a few places, so that most tiles can be left out."""
    query = random_codes(rng, length, 4)
    subject = query.copy()
    places = rng.integers(0, length, length // 25)
    subject[places] = (subject[places] + 1) % 4
    return query, np.delete(subject, rng.integers(0, length, 5))


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.sampled
def test_small_tiles_give_what_the_textbook_gives(small, rng, dna_scheme, mode):
    for number in range(8):
        query, subject = close_pair(rng, int(rng.integers(30, 150)))
        if number % 2:
            subject = random_codes(rng, len(subject), 4)
        if number % 3 == 0:
            query[rng.integers(0, len(query), 3)] = NUCLEOTIDE.code("N")  # leaves the quick way of scoring pairs
        answer = ask(small, query, subject, dna_scheme, mode)
        profile = dna_scheme.matrix.scores[query]
        assert answer.end == textbook(profile, subject, dna_scheme.gap_first, dna_scheme.gap_extend, mode)


def test_close_sequences_leave_much_of_the_matrix_out(small, rng, dna_scheme):
    query, subject = close_pair(rng, 800)
    answer = ask(small, query, subject, dna_scheme)
    assert answer.alignment == align_local(EncodedQuery("q", query), subject, dna_scheme)
    assert answer.progress[-1].pruned > answer.progress[-1].cells_total // 3


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.sampled
def test_every_checkpoint_of_small_tiles_leads_to_the_same(small, rng, dna_scheme, mode):
    query, subject = close_pair(rng, 120)
    whole = ask(small, query, subject, dna_scheme, mode)
    assert len(whole.checkpoints) > 4
    for checkpoint in whole.checkpoints:
        resumed = ask(small, query, subject, dna_scheme, mode, resume=checkpoint)
        assert (resumed.end, resumed.alignment) == (whole.end, whole.alignment)


def test_the_alignment_is_that_of_the_rest_of_the_program(small, rng, dna_scheme, protein_scheme):
    for scheme, letters in ((dna_scheme, 4), (protein_scheme, 20)):
        for engine in (small, cpu.CpuPairEngine(2)):
            for _ in range(4):
                query = random_codes(rng, int(rng.integers(20, 120)), letters)
                subject = relative(rng, query, letters)
                answer = ask(engine, query, subject, scheme)
                assert answer.alignment == align_local(EncodedQuery("q", query), subject, scheme)


def test_further_alignments_in_small_tiles(small, rng, dna_scheme):
    unit = random_codes(rng, 30, 4)
    query, subject = np.concatenate([unit, unit[5:]]), np.concatenate([unit, unit, relative(rng, unit, 4)])
    found: list[Alignment] = []
    for _ in range(6):
        answer = ask(small, query, subject, dna_scheme, found=found)
        assert answer.alignment == next_local(EncodedQuery("q", query), subject, dna_scheme, found)
        found.append(answer.alignment)


def test_position_specific_profiles(small, rng, protein_scheme):
    for engine in (small, cpu.CpuPairEngine(1)):
        query = random_codes(rng, 60, 20)
        profile = (protein_scheme.matrix.scores[query] + rng.integers(-2, 3, (60, len(PROTEIN)))).astype(np.int16)
        encoded, subject = EncodedQuery("q", query, profile), relative(rng, query, 20)
        answer = ask(engine, encoded, subject, protein_scheme)
        want = textbook(profile, subject, protein_scheme.gap_first, protein_scheme.gap_extend, PairMode.LOCAL)
        assert answer.end == want


def test_sums_beyond_32_bits_are_counted_in_64(rng):
    scheme = ScoringScheme(match_mismatch(NUCLEOTIDE, 16_000, -16_000), 1_000_000, 1_000_000)
    query, subject = close_pair(rng, 300)
    assert make_problem(PairProblem(EncodedQuery("q", query), subject, scheme)).dtype == np.int64
    answer = ask(cpu.CpuPairEngine(1), query, subject, scheme, PairMode.GLOBAL)
    profile = scheme.matrix.scores[query]
    assert answer.end == textbook(profile, subject, scheme.gap_first, scheme.gap_extend, PairMode.GLOBAL)


def test_the_way_back_does_not_depend_on_blocks_and_memory(monkeypatch, rng):
    stop = threading.Event()
    for _ in range(15):
        matrix = match_mismatch(NUCLEOTIDE, int(rng.integers(1, 5)), -int(rng.integers(1, 5)))
        gap_extend = int(rng.integers(0, 4))
        scheme = ScoringScheme(matrix, gap_extend + int(rng.integers(0, 5)), gap_extend)
        query = random_codes(rng, int(rng.integers(1, 90)), 3)
        subject = random_codes(rng, int(rng.integers(1, 90)), 3)
        encoded = EncodedQuery("q", query)
        score, runs = global_path(encoded.scores(scheme), subject, scheme.gap_first, scheme.gap_extend)
        block = int(rng.integers(2, 20))
        monkeypatch.setattr(walk, "BLOCK", block)
        monkeypatch.setattr(walk, "STATE_VALUES", (2 * block + 1) * (block + 1))
        monkeypatch.setattr(walk, "LINE_BYTES", int(rng.choice([400, 4_000, 1 << 20])))
        back = Walk(make_problem(PairProblem(encoded, subject, scheme)), score, positive=False, stop=stop)
        for _ in back.run():
            pass
        want = Alignment.from_runs(0, 0, runs, score)
        assert Alignment.from_runs(0, 0, back.runs(), score) == want
        monkeypatch.setattr(band, "CUT_EVERY", 4)
        spacing = 4 * int(rng.integers(1, 9))
        back = BandWalk(
            make_problem(PairProblem(encoded, subject, scheme)), score, positive=False, stop=stop, spacing=spacing
        )
        for _ in back.run():
            pass
        assert Alignment.from_runs(0, 0, back.runs(), score) == want


def test_a_path_with_a_score_that_is_not_there_is_an_error(rng, dna_scheme):
    query, subject = close_pair(rng, 40)
    problem = make_problem(PairProblem(EncodedQuery("q", query), subject, dna_scheme))
    stop = threading.Event()
    ways = (
        Walk(problem, 1_000, positive=False, stop=stop),
        BandWalk(problem, 1_000, positive=False, stop=stop, spacing=64),
        BandWalk(problem, -1_000, positive=False, stop=stop, spacing=64),
    )
    for back in ways:
        with pytest.raises(ValueError, match="No alignment"):
            list(back.run())


@pytest.mark.parametrize("sampled", [200_000, 150])
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.sampled
def test_the_bound_from_common_words_is_reached(monkeypatch, rng, dna_scheme, mode, sampled):
    monkeypatch.setattr(anchors, "TUNING", replace(anchors.TUNING, sampled_words=sampled))
    for swap in (0, 200, 200, 200, 200):
        query, subject = close_pair(rng, 400)
        subject = np.concatenate([subject[swap:], subject[:swap], random_codes(rng, 30, 4)])
        problem = PairProblem(EncodedQuery("q", query), subject, dna_scheme, mode)
        chain = anchors.find_chain(problem)
        profile = dna_scheme.matrix.scores[query]
        best = textbook(profile, subject, dna_scheme.gap_first, dna_scheme.gap_extend, mode).score
        assert chain is not None
        assert chain.score <= best
        if not swap and mode is PairMode.LOCAL:
            assert chain.score > 0.8 * best
        rows = np.concatenate([row + np.arange(length) for row, length in zip(chain.rows, chain.lengths, strict=True)])
        assert (np.diff(rows) > 0).all()
        columns, ahead = chain.ahead(np.arange(len(query)))
        assert np.flatnonzero(columns >= 0).tolist() == rows.tolist()
        columns = columns[rows]
        assert (np.diff(columns) > 0).all()
        # Pairs and gaps add up to the sums, and so to what is ahead.
        gaps = np.abs(np.diff(columns) - np.diff(rows))
        costs = [dna_scheme.gap_cost(int(gap)) for gap in gaps]
        sums = np.cumsum(profile[rows, subject[columns]] - np.concatenate([[0], costs]))
        assert sums[-1] == chain.sums[-1]
        assert int(ahead[rows[0]]) == max(0, sums.max())
    assert anchors.find_chain(PairProblem(EncodedQuery("q", query[:5]), subject[:5], dna_scheme, mode)) is None


def test_a_stopped_sweep_goes_on_from_its_state(rng, dna_scheme):
    query, subject = random_codes(rng, 90, 4), random_codes(rng, 110, 4)
    problem = make_problem(PairProblem(EncodedQuery("q", query), subject, dna_scheme))
    rules = Rules(Start.ANYWHERE, End.ANYWHERE)
    whole = Sweep(problem, rules, (16, 16), best=Best(0, 0, 0))
    states = [{name: array.copy() for name, array in whole.state().items()} for _ in whole.run(threading.Event())]
    for state in states[:: len(states) // 5]:
        other = Sweep(problem, rules, (16, 16), best=Best(0, 0, 0))
        assert other.restore(state)
        if state["known"][0] < whole.waves:
            list(other.run(threading.Event()))
        assert other.best == whole.best or state["known"][0] == 0
    assert not Sweep(problem, rules, (32, 32)).restore(states[0])


def test_a_band_goes_on_from_its_state(monkeypatch, rng, dna_scheme):
    monkeypatch.setattr(band, "CUT_EVERY", 8)
    monkeypatch.setattr(band, "LOOK_CELLS", 300)
    query, subject = close_pair(rng, 200)
    problem = make_problem(PairProblem(EncodedQuery("q", query), subject, dna_scheme))
    score = align_local(EncodedQuery("q", query), subject, dna_scheme).score
    for bound in (score, score - 50):  # at least the score is not enough to leave the best out
        rules = Rules(Start.ANYWHERE, End.ANYWHERE, bound)
        whole = Band(problem, rules, Best(0, 0, 0))
        states = [whole.state() for _ in whole.run(threading.Event())]
        assert whole.best.score == score
        assert whole.cells + whole.pruned == len(query) * len(subject)
        for state in states:
            other = Band(problem, rules, Best(0, 0, 0))
            assert other.restore(state)
            list(other.run(threading.Event()))
            assert (other.best, other.cells) == (whole.best, whole.cells)
    assert not Band(problem, rules).restore({})


@pytest.mark.parametrize("mode", MODES)
def test_progress_is_whole_only_in_the_end(small, rng, dna_scheme, mode):
    query, subject = close_pair(rng, 300)
    steps = list(small.run(PairProblem(EncodedQuery("q", query), subject, dna_scheme, mode), threading.Event()))
    aligning = [step for step in steps if isinstance(step, PairProgress) and step.stage == "Aligning"]
    assert len(aligning) > 10
    assert aligning[-1].cells_done + aligning[-1].pruned == aligning[-1].cells_total
    whole = [step for step in aligning if step.cells_done + step.pruned >= step.cells_total]
    assert len(whole) < len(aligning) / 4, "of the last blocks it may be wrong"


def test_a_band_is_taken_only_where_it_fits_the_memory(rng, dna_scheme):
    query, subject = close_pair(rng, 3_000)
    problem = make_problem(PairProblem(EncodedQuery("q", query), subject, dna_scheme))
    assert spacing_for(problem, 2 * 3_000) == 256
    monster = replace(problem, rows=np.zeros(5_000_000, dtype=np.int64), subject=np.zeros(5_000_000, dtype=np.int64))
    assert spacing_for(monster, 2 * 5_000_000 - 1_000) > 0
    assert spacing_for(monster, 5_000_000) == 0


@pytest.mark.parametrize("cells", [0, 1 << 62])
def test_stop_ends_a_long_run_early(rng, dna_scheme, monkeypatch, cells):
    monkeypatch.setattr(cpu, "TUNING", replace(cpu.TUNING, call_cells=cells))
    query = random_codes(rng, 60_000, 4)
    cancel = threading.Event()
    steps = []
    for step in cpu.CpuPairEngine(2).run(PairProblem(EncodedQuery("q", query), query[::-1].copy(), dna_scheme), cancel):
        steps.append(step)
        cancel.set()
    assert not any(isinstance(step, PairScored) for step in steps)


def test_options_are_checked():
    with pytest.raises(InvalidParameter, match="no device '0'"):
        cpu.create_pair_engine("cpu", EngineOptions(devices=("0",)))
    with pytest.raises(InvalidParameter, match="threads"):
        cpu.create_pair_engine("cpu", EngineOptions(threads=-1))
    with pytest.raises(InvalidParameter, match="strip"):
        cpu.create_pair_engine("cpu", EngineOptions(settings={"strip": "5"}))
    with pytest.raises(InvalidParameter, match="library"):
        cpu.create_pair_engine("cpu", EngineOptions(settings={"library": "compiled"}))


def test_the_plan_counts_cells_memory_and_time(dna_scheme):
    plan = cpu.CpuPairEngine(2).plan(PairProblem.outline(5_000_000, 4_000_000, dna_scheme))
    assert plan.cells == 20 * 10**12
    assert plan.memory_bytes < 2 << 30
    assert plan.seconds > 100
    assert plan.remarks
    times = [
        cpu.CpuPairEngine(2).plan(PairProblem.outline(20_000, 20_000, dna_scheme, mode, score_only=score_only)).seconds
        for mode, score_only in ((PairMode.LOCAL, True), (PairMode.LOCAL, False), (PairMode.GLOBAL, False))
    ]
    assert times == sorted(times), "the way back takes time, too, most of all from end to end"
    assert times[0] < times[1]
    quick = cpu.CpuPairEngine(2).plan(PairProblem.outline(1_000, 1_000, dna_scheme, score_only=True))
    assert quick.cells_at_most == 10**6
    assert quick.seconds < plan.seconds


def _one(path) -> np.ndarray:
    return NUCLEOTIDE.encode(next(read_sequences(path, NUCLEOTIDE)).residues)


@pytest.mark.data
def test_edit_distance_as_a_scoring_scheme(data_dir):
    # Equal letters 2, different ones 0, a gap 1 per residue: the score is both lengths less twice the distance.
    query = _one(data_dir / "dna" / "MT-human.fa")[:3_000]
    subject = _one(data_dir / "dna" / "MT-chimp.fa")[:3_000]
    scores = np.where(np.eye(len(NUCLEOTIDE), dtype=bool), 2, 0).astype(np.int16)
    scheme = ScoringScheme(SubstitutionMatrix("edit", NUCLEOTIDE, scores), 1, 1)
    answer = ask(cpu.CpuPairEngine(1), query, subject, scheme, PairMode.GLOBAL)
    rows = ramp = np.arange(len(subject) + 1)
    for i, letter in enumerate(query, 1):  # Wagner and Fischer 1974, a row at a time
        new = np.minimum(rows[1:] + 1, rows[:-1] + (subject != letter))
        new = np.concatenate([[i], new])
        rows = np.minimum.accumulate(new - ramp) + ramp
    assert answer.end.score == len(query) + len(subject) - 2 * int(rows[-1])
