"""Range filters, histograms and the column chooser."""

import math

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt

from swgui.gui.hits.arrange import HitFilter, Range
from swgui.gui.hits.columns import COLUMNS
from swgui.gui.results.table.filters import histogram, parse_limit


@pytest.fixture
def filters(page, qtbot, tasks):
    page.hits.filters_button.setChecked(True)
    qtbot.waitUntil(lambda: page.hits.data.aligned.all())
    qtbot.waitUntil(lambda: tasks.idle and page.filters.rows["pident"].slider.histogram.rows > 0)
    return page.filters


@pytest.mark.parametrize(
    ("key", "text", "value"),
    [
        ("score", " 1,200 ", 1200.0), ("score", "", 7.0), ("score", "x", None), ("score", "inf", None),
        ("evalue", "1e-3", -3.0), ("evalue", "0", -math.inf), ("evalue", "-1", None), ("pident", "−5", -5.0),
    ],
)  # fmt: skip
def test_typed_limits(key, text, value):
    assert parse_limit(key, text, 7.0) == value


def test_histogram_counts_known_values(page, qtbot):
    data = page.hits.data
    qtbot.waitUntil(lambda: data.aligned.all())
    counted = histogram(data, "score")
    assert counted.counts.sum() == counted.known == counted.rows == 5
    assert counted.low <= data.hits.scores.min()
    assert counted.high >= data.hits.scores.max()
    assert (histogram(data, "pident").low, histogram(data, "pident").high) == (0, 100)


def test_typing_a_limit_filters(page, filters, qtbot):
    row = filters.rows["score"]
    row.low.setText("250")
    row.low.editingFinished.emit()
    assert page.hits.filter.range("score") == Range("score", low=250)
    assert (page.hits.data.hits.scores[page.hits.model.rows] >= 250).all()
    row.low.setText("many")
    row.low.editingFinished.emit()
    assert row.low.toolTip() == "This is not a number."
    assert page.hits.filter.range("score") == Range("score", low=250)
    qtbot.mouseClick(filters.clear_button, Qt.MouseButton.LeftButton)
    assert not page.hits.filter
    assert row.low.text() == ""


def test_slider_by_mouse_and_keys(page, filters, qtbot):
    slider = filters.rows["pident"].slider
    track = slider.track()
    y = int(track.bottom())
    qtbot.mousePress(slider, Qt.MouseButton.LeftButton, pos=QPoint(int(track.left()), y))
    qtbot.mouseMove(slider, QPoint(int(track.left() + 0.95 * track.width()), y))
    qtbot.mouseRelease(slider, Qt.MouseButton.LeftButton, pos=QPoint(int(track.left() + 0.95 * track.width()), y))
    low = page.hits.filter.range("pident").low
    assert 90 <= low <= 98
    shown = page.hits.data.values("pident")[page.hits.model.rows]
    assert (shown >= low).all()
    assert len(shown) == int((page.hits.data.values("pident") >= low).sum())
    slider.setFocus()
    qtbot.keyClick(slider, Qt.Key.Key_Left)
    assert page.hits.filter.range("pident").low == low - 2
    qtbot.keyClick(slider, Qt.Key.Key_Home)
    assert not page.hits.filter


def test_ticked_only(page, filters):
    page.marks.set("ticked", 0, page.hits.data.subjects([2, 4]), True)
    filters.boxes["ticked"].setChecked(True)
    assert page.hits.filter == HitFilter(ticked=True)
    assert page.hits.model.rows.tolist() == [2, 4]
    page.marks.set("ticked", 0, page.hits.data.subjects([2]), False)
    assert page.hits.model.rows.tolist() == [4]
    page.hits.clear_filter()
    assert not filters.boxes["ticked"].isChecked()


def test_columns_are_chosen_moved_and_explained(page, qtbot):
    dialog = page.hits.table.choose_columns()
    keys = dialog.keys()
    assert keys == page.hits.table.shown_keys()
    names = [dialog.list.item(row).text() for row in range(dialog.list.count())]
    gene = names.index("Gene")
    dialog.list.setCurrentRow(gene)
    assert "UniProt or Ensembl" in dialog.description.text()
    dialog.list.item(gene).setCheckState(Qt.CheckState.Checked)
    assert page.hits.table.shown_keys() == [*keys, "gene"]
    dialog.list.setCurrentRow(1)
    qtbot.mouseClick(dialog.up, Qt.MouseButton.LeftButton)
    assert page.hits.table.shown_keys()[2:4] == [keys[3], keys[2]]
    qtbot.mouseClick(dialog.reset, Qt.MouseButton.LeftButton)
    assert page.hits.table.shown_keys() == [column.key for column in COLUMNS if column.shown]
    dialog.close()


def test_every_column_is_defined_and_every_number_sorts(page, qtbot):
    qtbot.waitUntil(lambda: page.hits.data.aligned.all())
    for at, column in enumerate(COLUMNS):
        assert len(column.description) > 20
        assert column.description.endswith(".")
        page.hits.model.sort(at, Qt.SortOrder.DescendingOrder)
        assert np.sort(page.hits.model.rows).tolist() == [0, 1, 2, 3, 4]
        if column.kind != "tick":
            assert page.hits.model.sorting.key == column.key
