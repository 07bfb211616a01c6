"""Pairs in the queue: their turn among the searches, and what becomes of one that cannot be aligned."""

from __future__ import annotations

import pytest

from swgui.core.errors import InvalidParameter
from swgui.core.records import SequenceRecord
from swgui.jobs.pair.request import PairRequest
from tests.asking import BLOSUM62
from tests.gui.runs.held import choose


@pytest.fixture
def pair():
    return PairRequest(SequenceRecord("one", "", b"MKVLW"), SequenceRecord("two", "", b"MKVLY"), BLOSUM62)


def shown(page):
    return [(row.state, row.kind, row.name) for row in page.model.rows]


def test_searches_and_pairs_take_turns(desk, searched, pair, qtbot):
    page, queue, _held, controller = desk()
    turns = []
    queue.pair_turn.connect(lambda request, plan: turns.append((request, plan)))
    queue.add(searched[0])
    qtbot.waitUntil(lambda: controller.phase == "running")
    queue.add(pair)
    queue.add(searched[0])
    assert (queue.waiting, turns) == (2, [])
    assert shown(page)[1][:2] == ("waiting", "pair")
    assert "one" in shown(page)[1][2]
    controller.stop()
    qtbot.waitUntil(lambda: turns == [(pair, None)])
    queue.set_aligning(True)
    qtbot.wait(1)
    assert (controller.phase, queue.waiting) == ("idle", 1), "a search waits for a pair of the queue"
    queue.set_aligning(False)
    qtbot.waitUntil(lambda: controller.phase == "running" and queue.waiting == 0)
    controller.stop()
    qtbot.waitUntil(lambda: controller.phase == "idle")


def test_a_pair_that_was_started_elsewhere_holds_up_pairs_not_searches(desk, searched, pair, qtbot):
    _page, queue, _held, controller = desk()
    turns = []
    queue.pair_turn.connect(lambda request, _plan: turns.append(request))
    queue.set_aligning(True)
    queue.add(searched[0])
    qtbot.waitUntil(lambda: controller.phase == "running")
    queue.add(pair)
    controller.stop()
    qtbot.waitUntil(lambda: controller.phase == "idle")
    qtbot.wait(1)
    assert turns == []
    queue.set_aligning(False)
    qtbot.waitUntil(lambda: turns == [pair])


def test_a_pair_that_cannot_be_aligned_is_listed_and_can_be_tried_again(desk, pair, qtbot):
    page, queue, _held, _controller = desk()
    turns = []
    queue.pair_turn.connect(lambda request, _plan: turns.append(request))
    queue.add(pair)
    queue.pair_refused(InvalidParameter("method", "", "The method is not for proteins."))
    assert shown(page)[0][:2] == ("failed", "pair")
    choose(page, 0)
    page.again_selected()
    qtbot.waitUntil(lambda: len(turns) == 2)
    assert queue.runs == ()
