"""Hits along the query."""

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt

from swgui.core.hits.along_query import CLASS_COLOURS, SCORE_CLASSES, axis_marks, score_class
from swgui.core.query_range import QueryRange
from swgui.gui.kit.theme import contrast
from swgui.gui.viewer.overview import ScoreLegend, coverage_depth
from tests.gui.color_vision import DEFICIENCIES, lab

pytestmark = pytest.mark.styled


def test_score_classes_are_those_of_the_blast_page():
    bits = np.array([39.9, 40, 50, 80, 199.9, 200, np.nan])
    assert score_class(bits, np.full(7, 90)).tolist() == [0, 1, 2, 3, 3, 4, 3]


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("deficiency", DEFICIENCIES)
def test_score_classes_differ_in_lightness_and_height(dark, deficiency):
    lightness = [lab(colour, deficiency)[0] for colour in CLASS_COLOURS[dark]]
    steps = np.diff(lightness)
    assert (steps < -8).all() or (steps > 6).all()
    assert [height for _, _, height in SCORE_CLASSES] == [2, 3, 4, 5, 6]
    ground = "#15181D" if dark else "#FFFFFF"
    assert min(contrast(colour, ground) for colour in CLASS_COLOURS[dark]) > 2


def test_depth_counts_hits_over_each_residue():
    starts, ends = np.array([1.0, 3.0, np.nan, 5.0]), np.array([4.0, 5.0, np.nan, 5.0])
    assert coverage_depth(starts, ends, 6).tolist() == [1, 1, 2, 2, 2, 0]


@pytest.mark.parametrize(
    ("length", "room", "marks"),
    [
        (222, 24, [1, *range(10, 220, 10), 222]), (1, 5, [1]), (0, 5, []), (317, 5, [1, 100, 200, 317]),
        (9, 20, [1, 2, 3, 4, 5, 6, 7, 8, 9]),
    ],
)  # fmt: skip
def test_axis_has_round_numbers(length, room, marks):
    assert axis_marks(length, room) == marks


def test_bars_follow_the_alignments_and_a_click_selects(page, qtbot):
    overview = page.overview
    qtbot.waitUntil(lambda: page.hits.data.aligned.all())
    (bar,) = overview.bars(page.hits.data, 1)
    data = page.hits.data
    assert (bar.row, bar.start, bar.end) == (1, data.value(1, "qstart"), data.value(1, "qend"))
    y = overview.head_height() + 1.5 * overview.row_height()
    assert overview.place_at(y) == 1
    assert "E = " in overview.describe(1)
    assert "query 1 to 60" in overview.describe(0)
    qtbot.mouseClick(overview.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(300, int(y)))
    assert page.hits.table.current_hit_row() == 1
    overview.setFocus()
    qtbot.keyClick(overview, Qt.Key.Key_Up)
    assert page.hits.table.current_hit_row() == 0


def test_dragging_on_the_axis_keeps_hits_that_cover_the_region(page, qtbot):
    overview = page.overview
    y = 6
    left, right = (int(x) for x in overview.track())
    qtbot.mousePress(overview.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(left + 1, y))
    qtbot.mouseMove(overview.viewport(), QPoint(right - 1, y))
    qtbot.mouseRelease(overview.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(right - 1, y))
    assert page.hits.filter.covers == (1, 60)
    qtbot.waitUntil(lambda: page.hits.model.rowCount() == 4)
    assert page.part_button.text() == "Search 1 to 60 alone"
    with qtbot.waitSignal(page.part_wanted) as wanted:
        page.part_button.click()
    assert wanted.args == [page.hits.data.query, QueryRange(1, 60)]
    assert "1 to 60" in page.hits.chips.findChildren(type(page.hits.nothing_clear))[0].text()


def test_the_legend_says_less_where_there_is_less_room(qtbot, theme):
    legend = ScoreLegend()
    qtbot.addWidget(legend)
    assert legend.minimumSizeHint().width() < legend.sizeHint().width()
    pictures = []
    for size in (legend.sizeHint(), legend.minimumSizeHint()):
        legend.resize(size)
        pictures.append(legend.grab().toImage())
    # the last thing, the words of the highest class, is there in both
    for picture in pictures:
        columns = [x for x in range(picture.width()) if len({picture.pixel(x, y) for y in range(picture.height())}) > 1]
        assert picture.width() - 40 < columns[-1] < picture.width() - 4
