"""The wavefront method on two and three made-up devices that do their work in an unforeseen order."""

from __future__ import annotations

import threading

import numpy as np
import pytest

from swgui.core.alphabet import NUCLEOTIDE, PROTEIN
from swgui.core.engines import EngineOptions
from swgui.core.pair.problem import PairAligned, PairCheckpoint, PairMode, PairProblem, PairProgress, PairScored
from swgui.core.plain import replace
from swgui.core.scoring import EncodedQuery, ScoringScheme, match_mismatch
from swgui.engines.base import DeviceInfo, EngineStatus
from swgui.engines.cuda.pair.wavefront import cells as wavefront_cells
from swgui.engines.cuda.pair.wavefront import direct as wavefront_direct
from swgui.engines.cuda.pair.wavefront import engine as wavefront
from swgui.engines.cuda.pair.wavefront import follow as wavefront_follow
from swgui.engines.cuda.pair.wavefront import pipeline as wavefront_pipeline
from swgui.engines.cuda.pair.wavefront.cells import ENDLESS, Cells, SchemeFacts, Shape, plan_cells
from swgui.engines.cuda.pair.wavefront.one_pass import DONE
from swgui.engines.cuda.pair.wavefront.pipeline import divide
from tests.asking import DNA_SCHEME
from tests.engines.conftest import random_codes, random_matrix, relative
from tests.engines.pair.reference import ask, pairs_of, textbook
from tests.kernels.on_cpu import COMPILER
from tests.kernels.pair_devices import QueuedDevice, World, several_engines
from tests.kernels.pair_on_cpu import cpu_engine
from tests.reference import gotoh_score_wide

pytestmark = pytest.mark.skipif(COMPILER is None, reason="no C++ compiler")

MODES = tuple(PairMode)
SHORT = {"rows": "1", "columns": "2"}  # bands of 64 rows


@pytest.fixture(autouse=True)
def small(monkeypatch):
    """Share even small pairs, cut anywhere, in many rounds; find alignments through many borders."""
    monkeypatch.setattr(
        wavefront_pipeline, "TUNING", replace(wavefront_pipeline.TUNING, min_columns=20, min_bands=1, max_turns=2)
    )
    monkeypatch.setattr(wavefront_pipeline, "CUT", 1)
    monkeypatch.setattr(Cells, "lag", 0)  # several blocks for each device
    for shapes in ("SHAPES", "PRUNED_SHAPES"):
        monkeypatch.setattr(wavefront_cells, shapes, ((Shape(2, 2, tiers=1, batch=8, blocks=16), ENDLESS),))
    monkeypatch.setattr(wavefront, "TUNING", replace(wavefront.TUNING, saved_rows=1))
    monkeypatch.setattr(
        wavefront_direct, "TUNING", replace(wavefront_direct.TUNING, fewest_cells=1_500, most_cells=1_500)
    )
    monkeypatch.setattr(wavefront_follow, "EXTRA_COLUMNS", 5)


def check(count, query, subject, scheme, mode=PairMode.LOCAL, found=(), settings=SHORT, seed=1):
    """Compare several devices with the textbook, and their alignment with that of one."""
    engine, world = several_engines(count, settings, seed=seed)
    forbidden = set().union(*map(pairs_of, found)) if found else None
    answer = ask(engine, query, subject, scheme, mode, found=found)
    assert len(engine.devices) == count
    assert world.switches > count, "they were at work side by side"
    profile = scheme.matrix.scores[query]
    assert answer.end == textbook(profile, subject, scheme.gap_first, scheme.gap_extend, mode, forbidden)
    alone = ask(cpu_engine(settings), query, subject, scheme, mode, found=found)
    assert answer.alignment.cigar == alone.alignment.cigar
    return answer.alignment


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("count", [2, 3])
@pytest.mark.sampled(2)
def test_lengths_beside_blocks_and_bands(rng, mode, count):
    for number, (rows, columns) in enumerate(((321, 61), (256, 259)) if count == 2 else ((385, 128), (257, 131))):
        query = random_codes(rng, rows, 4)
        subject = np.resize(relative(rng, query[rows // 3 :], 4), columns)
        check(count, query, subject, DNA_SCHEME, mode, seed=number)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.sampled(1)
def test_bands_of_several_tiers(rng, monkeypatch, mode):
    # Blocks narrower than a tier is behind: lanes end before others begin.
    monkeypatch.setattr(wavefront_cells, "SHAPES", ((Shape(1, 2, tiers=2), ENDLESS),))
    query = random_codes(rng, 321, 4)
    check(2, query, np.resize(relative(rng, query[107:], 4), 61), DNA_SCHEME, mode)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.sampled(1)
def test_rows_that_do_not_fill_a_thread_and_a_profile(rng, mode):
    scheme = ScoringScheme(random_matrix(rng, PROTEIN, -9, 9), 4, 1)
    query = random_codes(rng, 515, 27)
    check(2, query, relative(rng, query, 27)[40:330], scheme, mode, settings={"rows": "2", "columns": "2"})


def test_wide_cells(rng):
    scheme = ScoringScheme(match_mismatch(NUCLEOTIDE, 1000, -2000), 9000, 700)
    query = random_codes(rng, 300, 4)
    check(2, query, relative(rng, query, 4)[:200], scheme, PairMode.GLOBAL, settings={"rows": "1", "columns": "1"})


def test_what_cannot_reach_the_best_is_left_out_on_all_devices(rng):
    query = random_codes(rng, 700, 4)
    subject = np.concatenate([random_codes(rng, 130, 4), relative(rng, query, 4)])
    settings = {"rows": "1", "columns": "1"}
    answer = ask(several_engines(3, {**settings, "prune": "on"})[0], query, subject, DNA_SCHEME)
    assert answer.end == ask(cpu_engine({**settings, "prune": "off"}), query, subject, DNA_SCHEME, score_only=True).end
    assert max(step.pruned for step in answer.progress) > 0.1 * query.size * subject.size


def test_ties_end_first_in_the_subject_then_in_the_query(rng):
    unit = random_codes(rng, 30, 4)
    spacer = np.full(35, 3, np.uint8)
    query = np.concatenate([unit, spacer, spacer, unit, spacer, unit, unit, spacer])
    subject = np.concatenate([spacer, unit, spacer, unit])
    check(2, query, subject, ScoringScheme(match_mismatch(NUCLEOTIDE, 1, -9), 30, 30))


def test_next_best_alignments_share_no_pair(rng):
    unit = random_codes(rng, 145, 4)
    query = np.concatenate([unit, random_codes(rng, 20, 4), relative(rng, unit, 4)])
    subject = np.concatenate([relative(rng, unit, 4), random_codes(rng, 30, 4), unit])
    found = []
    for _ in range(2):
        found.append(check(2, query, subject, DNA_SCHEME, found=found))
        assert all(not pairs_of(found[-1]) & pairs_of(one) for one in found[:-1])


def test_checkpoints_hold_what_they_hold_on_one_device(rng, monkeypatch):
    monkeypatch.setattr(wavefront, "ROUND_SECONDS", 0.0)
    # The next bands follow at once.
    monkeypatch.setattr(wavefront_pipeline, "TUNING", replace(wavefront_pipeline.TUNING, max_turns=1))
    query, subject = random_codes(rng, 2_300, 4), random_codes(rng, 80, 4)
    kept = []
    for engine in (cpu_engine(SHORT), *(several_engines(2, SHORT, seed=seed)[0] for seed in range(3))):
        steps = engine.run(
            PairProblem(EncodedQuery("q", query), subject, DNA_SCHEME, score_only=True), threading.Event()
        )
        kept.append({int(step.arrays["band"][0]): step.arrays for step in steps if isinstance(step, PairCheckpoint)})
    [band] = set(kept[0]) & set(kept[1])
    rows = 64 * band
    best = gotoh_score_wide(
        DNA_SCHEME.matrix.scores[query[:rows]], subject, DNA_SCHEME.gap_first, DNA_SCHEME.gap_extend
    )
    for arrays in (one[band] for one in kept):
        assert np.array_equal(arrays[f"border {band}"], kept[0][band][f"border {band}"])
        assert int(arrays["counters"][DONE]) == rows * len(subject)
        assert arrays["records"].reshape(-1, 4)[:rows, 0].max() == best


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.sampled(1)
def test_checkpoints_serve_any_number_of_devices(rng, monkeypatch, mode):
    monkeypatch.setattr(wavefront, "ROUND_SECONDS", 0.0)
    query = random_codes(rng, 2_500, 4)
    subject = random_codes(rng, 90, 4)
    subject[10:70] = query[2_300:2_360]
    problem, ends = PairProblem(EncodedQuery("q", query), subject, DNA_SCHEME, mode), set()
    steps = list(several_engines(2, SHORT)[0].run(problem, threading.Event()))
    alone = list(cpu_engine(SHORT).run(problem, threading.Event()))
    checkpoints = [step for step in steps if isinstance(step, PairCheckpoint)]
    for given in (checkpoints[0], next(step for step in alone if isinstance(step, PairCheckpoint))):
        for engine in (several_engines(3, SHORT)[0], cpu_engine(SHORT)):
            again = list(engine.run(problem, threading.Event(), given))
            ends |= {step.end for step in again if isinstance(step, PairScored)}
            [alignment] = [step.alignment for step in again if isinstance(step, PairAligned)]
            done = [step.cells_done for step in again if isinstance(step, PairProgress)]
            assert done[0] >= given.cells_done
            assert (alignment.score, alignment.query_end, alignment.subject_end) in {
                (end.score, end.query_end, end.subject_end) for end in ends
            }
    assert ends == {step.end for step in (*steps, *alone) if isinstance(step, PairScored)}
    assert len(ends) == 1


def test_progress_ends_whole(rng):
    query = random_codes(rng, 700, 4)
    engine, _ = several_engines(2, {**SHORT, "prune": "on"})
    answer = ask(engine, query, relative(rng, query, 4), DNA_SCHEME)
    done = [step.cells_done + step.pruned for step in answer.progress]
    assert done == sorted(done)
    assert done[-1] >= query.size * 0.99 * 2 * 0.4


def test_cancelling_stops_all_devices(rng):
    query = random_codes(rng, 900, 4)
    cancel = threading.Event()
    engine, world = several_engines(3, SHORT)
    kinds = []
    for step in engine.run(PairProblem(EncodedQuery("q", query), query, DNA_SCHEME), cancel):
        kinds.append(type(step))
        cancel.set()
    assert PairProgress in kinds
    assert PairAligned not in kinds
    assert not any(world.lanes.values()), "nothing goes on"
    assert ask(engine, query[:300], query[:300], DNA_SCHEME).end.score == 600


def test_leaving_a_run_stops_all_devices(rng):
    query = random_codes(rng, 900, 4)
    engine, world = several_engines(2, SHORT)
    steps = engine.run(PairProblem(EncodedQuery("q", query), query, DNA_SCHEME), threading.Event())
    assert isinstance(next(steps), PairProgress)
    steps.close()
    assert not any(world.lanes.values())


def test_small_pairs_are_left_to_fewer_devices(monkeypatch):
    monkeypatch.setattr(
        wavefront_pipeline, "TUNING", replace(wavefront_pipeline.TUNING, min_columns=100_000, min_bands=8)
    )
    engine, _ = several_engines(3)
    plan = engine.plan(PairProblem.outline(1_000_000, 250_000, DNA_SCHEME))
    assert plan.devices == ("0", "1")
    assert "MiB on device 0" in plan.remarks[0]
    assert "too small to keep 3 devices at work: devices 0, 1 will" in plan.remarks[1]
    plan = engine.plan(PairProblem.outline(1_000_000, 50_000, DNA_SCHEME))
    assert plan.devices == ("0",)
    assert plan.remarks == ("This pair is too small to keep 3 devices at work: device 0 will compute it.",)
    assert "Handed on" not in plan.memory
    plan = engine.plan(PairProblem.outline(1_000_000, 500_000, DNA_SCHEME))
    assert plan.devices == ("0", "1", "2")
    assert plan.memory["Handed on"] >= 3 * 8 * 1_000_000


def test_the_devices_named_are_the_devices_used(monkeypatch):
    infos = tuple(DeviceInfo(str(number), f"CPU {number}") for number in range(3))
    world = World(np.random.default_rng(1))
    monkeypatch.setattr(wavefront.cuda_device, "probe", lambda: EngineStatus("cuda", available=True, devices=infos))
    monkeypatch.setattr(wavefront.cuda_device, "import_cupy", lambda: None)
    monkeypatch.setattr(wavefront, "CudaDevice", lambda _, info: QueuedDevice(world, int(info.id)))
    for wanted, used in (((), ("0",)), (("2", "0"), ("2", "0")), (("all",), ("0", "1", "2"))):
        engine = wavefront.create_pair_engine("wavefront", EngineOptions(wanted))
        assert engine.plan(PairProblem.outline(10_000, 10_000, DNA_SCHEME)).devices == used


def test_columns_are_divided_by_multiprocessors(monkeypatch):
    monkeypatch.setattr(wavefront_pipeline, "CUT", 256)
    cells = plan_cells(SchemeFacts.in_general(DNA_SCHEME), Shape(8, 4, tiers=1, batch=16, blocks=16), dpx=True)
    devices = [QueuedDevice(World(np.random.default_rng(1)), number, width) for number, width in enumerate((30, 10))]
    share = divide(devices, cells, 4_000_000, 4_000_000)
    assert share.devices == 2
    assert share.edges[0] == 0
    assert share.edges[-1] == 4_000_000
    assert all(edge % 256 == 0 for edge in share.edges[:-1])
    assert share.columns(0) + share.columns(1) == 4_000_000
    assert share.columns(0) == pytest.approx(3_000_000, rel=0.01)
    assert share.round_bands * wavefront_pipeline.TUNING.rounds_at_once <= 10 * cells.shape.blocks
