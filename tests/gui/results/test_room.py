"""The parts of the Results page fit where there is little room."""

import pytest
from PySide6.QtCore import Qt

from swgui.gui.hits.columns import COLUMNS
from swgui.gui.kit.theme import grid
from swgui.gui.viewer.matrix.dot_view import DotView
from swgui.gui.viewer.rows.wrapped import TextView

pytestmark = pytest.mark.styled


def total_width(table):
    return sum(table.columnWidth(at) for at in range(len(COLUMNS)) if not table.isColumnHidden(at))


@pytest.mark.parametrize("width", [1180, 1340, 1820])  # of the page in windows of 1280, 1440 and 1920
def test_the_usual_columns_fit(page, qtbot, width):
    table = page.hits.table
    page.resize(width, 640)
    qtbot.waitUntil(lambda: table.horizontalScrollBar().maximum() == 0)
    assert total_width(table) <= table.viewport().width()
    shown = table.shown_keys()
    assert shown == ["tick", "rank", "sseqid", "stitle", "organism", "evalue", "verdict", "pident", "qcovhsp"]


@pytest.mark.parametrize("idle", [(), ("stitle", "organism")])  # as of structures
def test_columns_reach_the_end_of_a_wide_table(page, qtbot, idle):
    table = page.hits.table
    table.set_default_columns(idle=idle)
    for width in (1820, 2500):
        page.resize(width, 640)
        qtbot.waitUntil(lambda: total_width(table) == table.viewport().width())


def test_columns_come_back_with_the_room(page, qtbot):
    page.resize(560, 640)
    qtbot.waitUntil(lambda: "organism" not in page.hits.table.shown_keys())
    assert "verdict" in page.hits.table.shown_keys()
    page.resize(1900, 640)
    qtbot.waitUntil(lambda: "organism" in page.hits.table.shown_keys())


def test_columns_that_were_chosen_stay_however_little_room_there_is(page, qtbot):
    keys = [column.key for column in COLUMNS if column.shown]
    page.hits.table.show_columns(keys)
    page.resize(1180, 640)
    qtbot.wait(50)
    assert page.hits.table.shown_keys() == keys


def test_organisms_are_named_without_their_strain(page, tasks, make_large, qtbot):
    page.show_result(make_large(6))
    model = page.hits.model
    at = model.column_index("organism")
    cells = {model.index(row, at).data() for row in range(6)}
    tips = {model.index(row, at).data(Qt.ItemDataRole.ToolTipRole) for row in range(6)}
    assert "Escherichia coli" in cells
    assert any("(strain K12)" in tip for tip in tips)
    page.clear()


@pytest.mark.parametrize("mode", ["stacked", "dots", "path"])
def test_plots_and_stacks_are_no_strips(page, qtbot, mode):
    page.resize(1180, 660)
    page.alignment.set_mode(mode)
    least = grid(20) if mode == "stacked" else grid(24)
    qtbot.waitUntil(lambda: page.alignment.views.height() >= least)
    page.alignment.set_mode("wrapped")
    assert page.alignment.views.minimumHeight() < least


def test_a_diagonal_of_a_dot_plot_is_one(page, qtbot, tasks):
    page.resize(1400, 900)
    page.alignment.set_mode("dots")
    plot = page.alignment.view(DotView)
    qtbot.waitUntil(lambda: plot.dots is not None and tasks.idle)

    def shape():
        frame = plot.map.frame()
        return frame.across.step / frame.down.step

    qtbot.waitUntil(lambda: 0.9 < shape() < 1.1)


def test_the_text_view_keeps_its_font_at_every_text_size(page, theme, qtbot):
    page.alignment.set_mode("text")
    family = page.alignment.view(TextView).area.font().family()
    theme.step_scale(1)
    page.alignment.ensurePolished()
    font = page.alignment.view(TextView).area.font()
    assert font.family() == family
    assert font.fixedPitch() or page.alignment.view(TextView).area.fontMetrics().horizontalAdvance("i") == (
        page.alignment.view(TextView).area.fontMetrics().horizontalAdvance("W")
    )
