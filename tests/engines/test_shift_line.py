"""Several devices at a search with frameshifts: who takes what of the line, and that all scores are there once."""

from __future__ import annotations

import threading
from collections import Counter
from types import SimpleNamespace

import numpy as np
import pytest

from swgui.core.alphabet import PROTEIN
from swgui.core.engines import EngineOptions
from swgui.core.packing import ChunkLimits, plan_chunks
from swgui.core.translation.programs import Translation
from swgui.engines import shift_search, shifted
from swgui.engines.base import DeviceInfo
from swgui.engines.cuda import shifting
from swgui.engines.reference import ReferenceEngine
from swgui.engines.shift_search import SMALLEST, ShiftQueue, ShiftSearch, even_share
from tests.engines.conftest import all_scores, database_of, query_of, random_codes

LENGTHS = [30, 200, 0, 75, 120]


def line_of(sizes, residues, takers):
    database = database_of([np.zeros(size, np.uint8) for size in sizes], PROTEIN)
    offsets = np.asarray(database.offsets)
    return ShiftQueue(plan_chunks(offsets, ChunkLimits(residues)), LENGTHS, takers), len(sizes)


def covered(pieces):
    """Return how often each pair of query and stored subject was scored."""
    return Counter(
        (at, place) for one in pieces for at in one.queries for place in range(one.plan.start, one.plan.stop)
    )


@pytest.mark.parametrize("seed", range(5))
def test_every_pair_is_taken_once(seed):
    rng = np.random.default_rng(seed)
    line, subjects = line_of(rng.integers(0, 400, 60).tolist(), 2_000, int(rng.integers(1, 4)))
    pieces = []
    while (piece := line.take(int(rng.choice([20_000, 60_000])))) is not None:
        pieces.append(piece)
    assert set(covered(pieces).values()) == {1}
    assert len(covered(pieces)) == subjects * len(LENGTHS)


def test_long_queries_are_taken_first():
    line, _ = line_of([100] * 50, 1_000, 1)
    assert line.take(320_000).queries == [1, 4]


def test_what_is_left_is_shared_out_evenly():
    assert even_share(1_000, 10**9, 1) == even_share(1_000, 10**9, 4) == 1_000
    assert even_share(1_000, 1_600, 4) == 200
    assert even_share(1_000, 10, 4) == 1_000 // SMALLEST
    line, _ = line_of([100] * 40, 1_000, 2)
    first, sizes = line.take(10**9), []
    while (piece := line.take(10**9)) is not None:
        sizes.append(sum(LENGTHS[at] for at in piece.queries) * piece.plan.residues)
    assert sum(LENGTHS[at] for at in first.queries) * first.plan.residues < sum(sizes)


class Meeting(shifted.CpuShifts):
    """One of several devices, which waits with its first piece until every other has one, too."""

    met: threading.Barrier

    def __init__(self, scheme, label, cells):
        super().__init__(scheme, 1)
        self._label, self._worth, self._first = label, cells, True

    label = property(lambda self: self._label)
    cells = property(lambda self: self._worth)

    def grid(self, proteins, strands, check):
        if self._first:
            self._first = False
            self.met.wait(60)
        return super().grid(proteins, strands, check)


@pytest.mark.parametrize("cells", [(60_000, 60_000), (60_000, 60_000, 60_000)])
def test_all_devices_work_and_every_pair_is_scored_once(cells, protein_scheme, monkeypatch):
    rng = np.random.default_rng(3)
    database = database_of([random_codes(rng, int(n), 20) for n in rng.gamma(2, 40, 40)], PROTEIN)
    queries = [query_of(random_codes(rng, n, 20), f"q{n}") for n in LENGTHS]
    translation = Translation("tblastn", shift=15)

    def search():
        return ShiftSearch(ReferenceEngine(), protein_scheme, translation, EngineOptions(threads=1))

    expected = all_scores(search(), queries, database, protein_scheme, ChunkLimits(residues=2_000))
    monkeypatch.setattr(Meeting, "met", threading.Barrier(len(cells)), raising=False)
    monkeypatch.setattr(
        shift_search,
        "make_shift_engines",
        lambda name, scheme, options: tuple(Meeting(scheme, f"GPU #{at}", n) for at, n in enumerate(cells)),
    )
    engine, used = search(), Counter()
    plans = plan_chunks(database.offsets, ChunkLimits(residues=2_000))
    scores = np.full_like(expected, -1)
    for chunk in engine.score(queries, database, plans, protein_scheme, threading.Event()):
        assert (scores[chunk.query_index, chunk.db_index] == -1).all()
        scores[chunk.query_index, chunk.db_index] = chunk.scores
        used[chunk.device] += chunk.cells
    assert (scores == expected).all()
    assert len(used) == len(cells)
    assert sum(used.values()) == sum(LENGTHS) * database.residues
    total = sum(LENGTHS) * database.residues + database.residues
    assert engine.chunk_limits(queries, database).residues == even_share(60_000, total, len(cells)) // max(LENGTHS)


def test_gpus_that_were_chosen_work(protein_scheme, monkeypatch):
    scheme = shifted.ShiftScheme.of(protein_scheme, 15, protein_query=True)
    monkeypatch.setattr(shifting.CudaShifts, "make", lambda scheme, options: tuple(options.devices))
    assert shifted.make_shift_engines("cuda", scheme, EngineOptions(devices=("0", "1"))) == ("0", "1")
    (cpu,) = shifted.make_shift_engines("cpu", scheme, EngineOptions(threads=3))
    assert cpu.cells == 3 * shifted.CPU_CELLS < shifting.TUNING.call_cells


def test_the_cores_take_the_place_of_an_engine_without_frameshifts(protein_scheme):
    """``auto`` may have chosen one; the result names the device that scored."""
    other = SimpleNamespace(name="another", devices=(DeviceInfo("0", "Other GPU"),))
    made = ShiftSearch(other, protein_scheme, Translation("tblastn", shift=15), EngineOptions(threads=1))
    assert (made.name, [device.id for device in made.devices]) == ("cpu", ["cpu"])
    database = database_of([np.arange(20, dtype=np.uint8)], PROTEIN)
    chunks = made.score(
        [query_of(np.arange(20, dtype=np.uint8))],
        database,
        plan_chunks(database.offsets, ChunkLimits(100)),
        protein_scheme,
        threading.Event(),
    )
    assert {chunk.device for chunk in chunks} == {made.devices[0].name}
