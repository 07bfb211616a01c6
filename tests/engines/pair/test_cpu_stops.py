"""How much the CPU's method does between two looks at the stop flag: counted in cells and tiles, not in seconds."""

from __future__ import annotations

import threading

import numpy as np
import pytest

from swgui.core.alignment import Alignment
from swgui.core.errors import Stopped
from swgui.core.pair.problem import PairMode, PairProblem, PairScored
from swgui.core.plain import replace
from swgui.core.scoring import EncodedQuery
from swgui.engines.pair import band, cpu, sweep, walk
from swgui.engines.pair.band import Band
from swgui.engines.pair.band_walk import BandWalk
from swgui.engines.pair.problem import make_problem
from swgui.engines.pair.sweep import End, Rules, Start, Sweep
from swgui.engines.pair.tile import Best
from swgui.engines.pair.walk import Walk
from swgui.engines.traceback.path import global_path
from tests.engines.conftest import random_codes


class Looks(threading.Event):
    """Notes how much was done at every look, and is set after so many of them."""

    def __init__(self, done, most: int = 1 << 60) -> None:
        super().__init__()
        self.done, self.most, self.at = done, most, [0]

    def is_set(self) -> bool:
        self.at.append(self.done())
        return len(self.at) > self.most

    @property
    def longest(self) -> int:
        return int(np.diff(self.at).max())


@pytest.fixture
def problem(dna_scheme):
    rng = np.random.default_rng(7)
    query, subject = random_codes(rng, 500, 4), random_codes(rng, 480, 4)
    return make_problem(PairProblem(EncodedQuery("q", query), subject, dna_scheme))


@pytest.mark.parametrize("cells", [2_000, 5_000])
def test_a_wide_band_looks_every_so_many_cells(monkeypatch, problem, cells):
    monkeypatch.setattr(band, "LOOK_CELLS", cells)
    rules = Rules(Start.ANYWHERE, End.ANYWHERE, 1)  # next to nothing is left out
    whole = Band(problem, rules, Best(0, 0, 0))
    looks = Looks(lambda: whole.cells)
    list(whole.run(looks))
    assert whole.cells > 0.99 * 500 * 480
    assert looks.longest <= cells + 500, "that and one anti-diagonal"
    stopped = Band(problem, rules, Best(0, 0, 0))
    with pytest.raises(Stopped):
        list(stopped.run(Looks(lambda: stopped.cells, most=4)))
    assert stopped.cells < 5 * (cells + 500)


def test_the_way_back_in_a_band_looks_every_so_many_cells(monkeypatch, problem, dna_scheme):
    monkeypatch.setattr(band, "LOOK_CELLS", 2_000)
    steps, advance = [0], Band.advance

    def counted(self, stop, end, kept=None):
        before = self.cells
        advance(self, stop, end, kept)
        steps[0] += self.cells - before

    monkeypatch.setattr(Band, "advance", counted)
    profile = dna_scheme.matrix.scores[problem.rows]
    score, runs = global_path(profile, problem.subject.astype(np.uint8), dna_scheme.gap_first, dna_scheme.gap_extend)
    looks = Looks(lambda: steps[0])
    back = BandWalk(problem, score, positive=False, stop=looks, spacing=256)
    list(back.run())
    assert Alignment.from_runs(0, 0, back.runs(), score) == Alignment.from_runs(0, 0, runs, score)
    assert looks.longest <= 2_000 + 500


def test_tiles_that_are_left_out_are_looked_between(problem):
    """With a bound that nothing can reach all tiles are left out."""
    whole = Sweep(problem, Rules(Start.CORNER, End.CORNER, 10_000), (16, 16))
    looks = Looks(lambda: whole.pruned)
    list(whole.run(looks))
    assert whole.pruned == 500 * 480
    assert looks.longest <= 16 * 16


def test_the_way_back_through_tiles_uses_the_threads(monkeypatch, problem):
    monkeypatch.setattr(sweep, "TUNING", replace(sweep.TUNING, threaded_rows=1))
    monkeypatch.setattr(walk, "STATE_VALUES", 33 * 17)
    monkeypatch.setattr(walk, "BLOCK", 16)
    whole = Sweep(problem, Rules(Start.CORNER, End.CORNER), (64, 64))
    list(whole.run(threading.Event()))
    names, tile = set(), Sweep.compute_next

    def named(self, *arguments):
        names.add(threading.current_thread().name)
        return tile(self, *arguments)

    monkeypatch.setattr(Sweep, "compute_next", named)
    runs = []
    for pool in (None, cpu.ThreadPoolExecutor(2, thread_name_prefix="tiles")):
        names.clear()
        back = Walk(problem, whole.best.score, positive=False, stop=threading.Event())
        list(back.run(pool))
        runs.append(back.runs())
        assert all(name.startswith("tiles") for name in names) == (pool is not None)
    pool.shutdown()
    assert runs[0] == runs[1]


@pytest.mark.parametrize("mode", PairMode)
def test_a_stop_does_not_wait_for_the_preparation(monkeypatch, dna_scheme, mode):
    """Genomes take a while to be laid out for the tiles; that continues alone if the user stops."""
    going, enough, cancel = threading.Event(), threading.Event(), threading.Event()

    def endless(*arguments):
        going.set()
        enough.wait(60)
        return make_problem(*arguments)

    monkeypatch.setattr(cpu, "make_problem", endless)
    query = random_codes(np.random.default_rng(1), 50, 4)
    threading.Thread(target=lambda: (going.wait(60), cancel.set()), daemon=True).start()
    steps = list(cpu.CpuPairEngine(1).run(PairProblem(EncodedQuery("q", query), query, dna_scheme, mode), cancel))
    assert not enough.is_set(), "it went on alone"
    enough.set()
    assert not any(isinstance(step, PairScored) for step in steps)
