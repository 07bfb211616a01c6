"""A matrix computed in blocks of columns, each with the border that the one before left, is the whole matrix."""

from __future__ import annotations

import numpy as np
import pytest

from swgui.core.pair.problem import PairProblem
from swgui.core.scoring import EncodedQuery
from swgui.engines.cuda.pair.wavefront import cells as wavefront_cells
from swgui.engines.cuda.pair.wavefront.cells import PassGoal, Shape, plan_cells
from swgui.engines.cuda.pair.wavefront.letters import Pair, Rectangle
from swgui.engines.cuda.pair.wavefront.one_pass import DONE, PRUNED, Border, Pass
from tests.asking import DNA_SCHEME
from tests.engines.conftest import random_codes, relative
from tests.kernels.on_cpu import COMPILER
from tests.kernels.pair_on_cpu import CpuDevice

pytestmark = pytest.mark.skipif(COMPILER is None, reason="no C++ compiler")

SMALL = Shape(2, 2, tiers=2, batch=8)


def block(pair, cells, task, edge, first, columns, beside=None, best=0):
    """The pass over some columns, with the border that the pass before it left."""
    total = pair.columns
    here = Border(edge.lead + edge.slope * first, edge.slope) if first else edge
    given = {"beside": beside.last_column} if beside is not None else {}
    sweep = Pass(
        pair,
        Rectangle(0, pair.rows, first, columns),
        cells,
        task,
        left=here,
        above=here,
        exact=not task.local,
        right=True,
        beyond=total - first - columns,
        best=best,
        **given,
    )
    sweep.run()
    return sweep


def below(sweep):
    count = sweep.bands + sweep.tail_bands
    border = sweep.below(count)[: 2 * sweep.rectangle.columns].view(np.int32) >> 1
    return border.reshape(-1, 2)


@pytest.mark.parametrize("bits", [16, 32])
@pytest.mark.parametrize("mode", ["global", "ends free", "local"])
@pytest.mark.sampled(2)
def test_blocks_of_columns_are_the_whole(rng, monkeypatch, bits, mode):
    if bits == 16:  # as little room as if the scores were 100 times as high
        plan = wavefront_cells.narrow
        monkeypatch.setattr(wavefront_cells, "narrow", lambda *given: wavefront_cells.replace(plan(*given), slack=60))
    cells = plan_cells(wavefront_cells.SchemeFacts.in_general(DNA_SCHEME), SMALL, dpx=True, wide=bits == 32)
    query = random_codes(rng, 302 if mode == "local" else 301, 4)  # below padding there are no requests
    subject = np.concatenate([random_codes(rng, 60, 4), relative(rng, query, 4), random_codes(rng, 70, 4)])
    pair = Pair(CpuDevice(), PairProblem(EncodedQuery("q", query), subject, DNA_SCHEME))
    opening = DNA_SCHEME.gap_first - DNA_SCHEME.gap_extend
    edge = Border(opening, DNA_SCHEME.gap_extend) if mode == "global" else Border()
    task = PassGoal(mode == "local", int(mode == "local"))
    whole = block(pair, cells, task, edge, 0, len(subject))
    for cuts in ((130, 131, 300), (1, 67, 390)):
        starts, ends, before = (0, *cuts), (*cuts, len(subject)), None
        parts = []
        for start, end in zip(starts, ends, strict=True):
            before = block(pair, cells, task, edge, start, end - start, before)
            parts.append(before)
        assert np.array_equal(np.concatenate([below(part) for part in parts]), below(whole))
        assert np.array_equal(before.last_column, whole.last_column)
        if mode == "local":
            bests = [part.first_best() for part in parts]
            score = max(one[0] for one in bests)
            number = [one[0] for one in bests].index(score)
            assert (score, bests[number][1] + starts[number], bests[number][2]) == whole.first_best()


@pytest.mark.parametrize("prune", [False, True])
@pytest.mark.sampled(1)
def test_launches_beside_each_other(rng, prune):
    # As the streams of one GPU: blocks of later bands are at work, and even begin, before those of earlier ones.
    device = CpuDevice()
    cells = plan_cells(wavefront_cells.SchemeFacts.in_general(DNA_SCHEME), Shape(1, 2, tiers=1, batch=8), dpx=True)
    query = random_codes(rng, 1_100, 4)
    subject = np.concatenate([random_codes(rng, 90, 4), relative(rng, query[300:700], 4)])
    pair = Pair(device, PairProblem(EncodedQuery("q", query), subject, DNA_SCHEME))
    task = PassGoal(True, 1, prune=prune)
    whole = block(pair, cells, PassGoal(True, 1), Border(), 0, len(subject))
    sweep = Pass(pair, whole.rectangle, cells, task, right=True)
    slots = np.zeros(4, np.int32)
    cuts = (0, 4, 5, 11, sweep.bands)

    def launch():
        for number in range(4):
            sweep.launch(*cuts[number : number + 2], slots[number : number + 1], 2)

    device.together(launch)
    assert sweep.first_best() == whole.first_best()
    assert int(sweep.counters[DONE] + sweep.counters[PRUNED]) >= query.size * subject.size
    if not prune:
        assert np.array_equal(below(sweep), below(whole))
        assert np.array_equal(sweep.last_column, whole.last_column)


def test_blocks_leave_out_what_cannot_reach_the_best(rng):
    cells = plan_cells(wavefront_cells.SchemeFacts.in_general(DNA_SCHEME), Shape(1, 1, tiers=1, batch=8), dpx=True)
    query = random_codes(rng, 700, 4)
    subject = np.concatenate([relative(rng, query, 4), random_codes(rng, 500, 4)])
    pair = Pair(CpuDevice(), PairProblem(EncodedQuery("q", query), subject, DNA_SCHEME))
    task = PassGoal(True, 1, prune=True)
    whole = block(pair, cells, PassGoal(True, 1), Border(), 0, len(subject))
    for width in (150, 331, 640):
        found, before, best, left_out = [], None, 0, 0
        for start in range(0, len(subject), width):
            before = block(pair, cells, task, Border(), start, min(width, len(subject) - start), before, best)
            score, column, row = before.first_best()
            best = max(best, score)
            left_out += int(before.counters[PRUNED])
            found.append((score, -start - column, -row))
        score, column, row = max(found)
        assert (score, -column, -row) == whole.first_best()
        assert left_out > 0.2 * query.size * subject.size


def test_a_path_through_the_corner_of_a_chunk_is_not_left_out(rng):
    # The second copy enters every band of 64 rows where a chunk of 64 columns begins; before, a copy with one
    # mismatch has set the best score. Nothing but the corner leads to the better end.
    cells = plan_cells(wavefront_cells.SchemeFacts.in_general(DNA_SCHEME), Shape(1, 1, tiers=1, batch=4), dpx=True)
    query = random_codes(rng, 640, 3)
    first = query.copy()
    first[500] = 3
    subject = np.concatenate([first, np.full(640, 3, np.uint8), query])
    pair = Pair(CpuDevice(), PairProblem(EncodedQuery("q", query), subject, DNA_SCHEME))
    sweep = block(pair, cells, PassGoal(True, 1, prune=True), Border(), 0, len(subject))
    assert sweep.first_best() == (1_280, len(subject) - 1, 639)
    assert int(sweep.counters[PRUNED]) > 0
