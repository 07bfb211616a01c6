import numpy as np
import pytest

from swgui.core.trace import OTHER, PARTS
from swgui.gui.kit.plots.still import ceiling
from swgui.gui.live.run_state import POINTS, Ring, RunState
from swgui.gui.runs.panel import PART_NAMES, SpeedPlot, parts_line
from swgui.jobs.events import Progress, Stage
from swgui.jobs.search.events import Parted, PartialHits, Started
from tests.gui.named import named


def progress(done, seconds, total=1000, **devices):
    return Progress(done, total, seconds, {k: v[0] for k, v in devices.items()}, {k: v[1] for k, v in devices.items()})


def fed(*events):
    state = RunState()
    for event in events:
        state.feed(event)
    return state


def test_a_ring_keeps_the_newest_points_in_order():
    ring = Ring(4)
    for n in range(3):
        ring.add(n, n * 10)
    assert ring.points()[0].tolist() == [0, 1, 2]
    for n in range(3, 10):
        ring.add(n, n * 10)
    x, y = ring.points()
    assert x.tolist() == [6, 7, 8, 9]
    assert y.tolist() == [60, 70, 80, 90]
    assert len(ring) == 4


def test_points_are_copies():
    ring = Ring(4)
    ring.add(1, 2)
    ring.points()[0][0] = 99
    assert ring.points()[0][0] == 1


def test_the_live_plot_keeps_2000_points():
    state = RunState()
    for n in range(1, 3001):
        state.feed(progress(n, n * 0.05, total=3000))
    assert len(state.wall) == POINTS == 2000
    assert state.wall.points()[0][-1] == pytest.approx(150)


def test_stages_are_listed_once_and_scoring_begins_with_started():
    started = Started(1, 2, 3, 4, "cpu", ("CPU",))
    state = fed(Stage("Reading x"), Stage("Reading x", 1, 4), started, progress(250, 1.0), Stage("Ranking"))
    assert state.stages == ["Reading x", "Scoring", "Ranking"]
    assert state.started is started
    assert fed(Stage("Reading x", 1, 4)).fraction == 0.25
    assert fed(Stage("Reading x")).fraction is None
    assert fed(started, progress(250, 1.0)).fraction == 0.25
    assert state.fraction is None


def test_time_left_is_known_from_the_first_batch_and_sure_from_the_third():
    first = fed(progress(100, 1))
    assert (first.seconds_left, first.steady) == (pytest.approx(9), False)
    third = fed(progress(100, 1), progress(200, 2), progress(300, 3))
    assert (third.seconds_left, third.steady) == (pytest.approx(7), True)
    assert fed(Stage("Scoring")).seconds_left is None


def test_time_left_uses_the_median_of_the_last_ten_batches():
    state = RunState()
    done = seconds = 0
    for _ in range(20):  # slow at first
        done, seconds = done + 1, seconds + 1
        state.feed(progress(done, seconds))
    for _ in range(10):
        done, seconds = done + 10, seconds + 1
        state.feed(progress(done, seconds))
    assert state.seconds_left == pytest.approx((1000 - done) / 10)


def test_speeds_that_vary_by_more_than_30_percent_leave_the_mean_of_the_run():
    state = RunState()
    done = 0
    for second in range(1, 12):
        done += 10 if second % 2 else 20
        state.feed(progress(done, second))
    assert not state.steady
    assert state.seconds_left == pytest.approx((1000 - done) / (done / 11))
    assert state.gcups > 0


def test_device_curves_use_the_time_the_device_computed():
    state = fed(
        progress(100, 1.0, gpu=(100, 0.5)),
        progress(300, 2.0, gpu=(300, 1.0)),
        progress(300, 3.0, gpu=(300, 1.0)),
    )
    x, y = state.devices["gpu"].points()
    assert x.tolist() == [1.0, 2.0]
    assert y.tolist() == pytest.approx([2e-7, 4e-7])
    assert state.wall.points()[1].tolist() == pytest.approx([1e-7, 2e-7])


def test_the_short_interval_at_the_end_of_a_run_makes_no_peak():
    state = fed(progress(100, 1), progress(200, 2), progress(300, 3), progress(1000, 3.001))
    assert state.wall.points()[1].tolist() == pytest.approx([1e-7] * 3)
    assert state.progress.done == 1000


def test_hits_are_kept_by_query():
    first = PartialHits(0, np.array([3]), np.array([50], dtype=np.int32))
    newer = PartialHits(0, np.array([4]), np.array([60], dtype=np.int32))
    other = PartialHits(2, np.array([1]), np.array([70], dtype=np.int32))
    assert fed(first, other, newer).hits == {0: newer, 2: other}


@pytest.mark.parametrize(
    ("value", "expected"),
    [(0, 1), (-5, 1), (float("nan"), 1), (1, 1), (1.01, 1.5), (7, 8), (9.1, 10), (1412, 1500), (0.012, 0.015)],
)
def test_axes_grow_in_steps(value, expected):
    assert ceiling(value) == pytest.approx(expected)


def test_the_parts_of_the_time_are_told_in_words():
    assert tuple(PART_NAMES) == (*PARTS, OTHER)
    assert parts_line({}) == parts_line({"scan": 0.04}) == ""
    assert parts_line({"open": 0.4, "scan": 12.0, "rank": 0.01}) == "Time: scoring 12 s,  opening 0.4 s"


def test_the_parts_stand_under_the_plot_and_go_with_the_run(qtbot):
    plot = SpeedPlot()
    qtbot.addWidget(plot)
    assert named(plot, "speedParts").isHidden()
    plot.show_state(fed(Parted({"scan": 2.0, "rank": 0.5})))
    assert not named(plot, "speedParts").isHidden()
    assert named(plot, "speedParts").text() == "Time: scoring 2.0 s,  ranking 0.5 s"
    plot.clear()
    assert named(plot, "speedParts").isHidden()
