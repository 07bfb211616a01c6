"""The map under mouse and keys, in both themes, and as a picture."""

import pytest
from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QApplication

from tests.gui.pair.conftest import show


def turn_wheel(view, point, notches, modifiers=Qt.KeyboardModifier.NoModifier):
    event = QWheelEvent(
        point, view.mapToGlobal(point), QPoint(), QPoint(0, 120 * notches), Qt.MouseButton.NoButton, modifiers,
        Qt.ScrollPhase.NoScrollPhase, False,
    )  # fmt: skip
    QApplication.sendEvent(view, event)


def test_the_map_zooms_moves_and_chooses(make_page, qtbot):
    page = make_page()
    view = show(page, qtbot).map
    left = Qt.MouseButton.LeftButton
    whole = view.axes
    assert view.overview_rect() is None
    place = page.result_view.columns.place(100)
    point = view.point_of(place)
    qtbot.mouseClick(view, left, pos=point.toPoint())
    assert page.result_view.letters.chosen_column == pytest.approx(100, abs=3)
    turn_wheel(view, point, 8)
    assert view.axes[0].step < whole[0].step / 4
    assert abs(view.place_at(point)[0] - place[0]) <= 2
    assert view.overview_rect() is not None
    before = view.axes
    qtbot.mousePress(view, left, pos=point.toPoint())
    qtbot.mouseMove(view, point.toPoint() + QPoint(30, 10))
    qtbot.mouseMove(view, point.toPoint() + QPoint(60, 20))
    qtbot.mouseRelease(view, left, pos=point.toPoint() + QPoint(60, 20))
    assert view.axes[0].start < before[0].start
    corner = view.overview_rect().center()
    qtbot.mouseClick(view, left, pos=corner.toPoint())
    assert abs((view.axes[0].start + view.axes[0].end) / 2 - 554 / 2) < 25
    qtbot.keyClick(view, Qt.Key.Key_0)
    assert view.axes == whole
    rect = view.frame().rect
    shift = Qt.KeyboardModifier.ShiftModifier
    qtbot.mousePress(view, left, shift, rect.center().toPoint())
    qtbot.mouseMove(view, rect.center().toPoint() + QPoint(80, 60))
    qtbot.mouseRelease(view, left, shift, rect.center().toPoint() + QPoint(80, 60))
    assert view.axes[0].step == pytest.approx(whole[0].step * 80 / rect.width(), rel=0.05)
    turn_wheel(view, rect.center(), -3, shift)
    qtbot.mouseDClick(view, left, pos=rect.center().toPoint())
    turn_wheel(view, rect.center(), -60)
    assert view.axes == whole


def test_the_map_is_used_without_a_mouse(make_page, qtbot):
    page = make_page()
    result = show(page, qtbot)
    view = result.map
    view.setFocus()
    result.go_to_column(60)
    place = view.cursor_place
    for _ in range(30):
        qtbot.keyClick(view, Qt.Key.Key_Plus)
    assert view.axes[0].step == pytest.approx(view.finest_step)
    qtbot.keyClick(view, Qt.Key.Key_Right)
    qtbot.keyClick(view, Qt.Key.Key_Down, Qt.KeyboardModifier.ShiftModifier)
    assert view.cursor_place == (place[0] + 1, place[1] + 10)
    qtbot.keyClick(view, Qt.Key.Key_Return)
    assert view.cursor_place == result.columns.place(result.letters.chosen_column)
    column = result.letters.chosen_column
    qtbot.keyClick(view, Qt.Key.Key_PageDown)
    assert result.letters.chosen_column > column
    qtbot.keyClick(view, Qt.Key.Key_PageUp)
    assert result.letters.chosen_column == column
    qtbot.keyClick(view, Qt.Key.Key_Minus)
    assert view.axes[0].step > view.finest_step
    left = []
    view.left.connect(lambda: left.append(True))
    qtbot.keyClick(view, Qt.Key.Key_Escape)
    assert left


def test_a_click_near_another_path_shows_that_alignment(make_page, qtbot):
    page = make_page()
    result = show(page, qtbot)
    other = result.map.data.lines[1].line
    point = result.map.frame().point(float(other.x.mean()), float(other.y.mean()))
    qtbot.mouseClick(result.map, Qt.MouseButton.LeftButton, pos=point.toPoint())
    qtbot.waitUntil(lambda: result.columns is not None and result.current.index == 2)
    qtbot.waitUntil(lambda: page.tasks.idle)
    assert abs(result.map.cursor_place[0] - other.x.mean()) < 15


@pytest.mark.parametrize("mode", ["light", "dark"])
def test_every_zoom_is_painted_in_both_themes(make_page, qtbot, theme, mode):
    theme.use(mode, 100)
    page = make_page()
    result = show(page, qtbot)
    view = result.map
    result.go_to_column(40)
    view.show_residues(view.cursor_place)
    colours = set()
    for _ in range(24):
        picture = view.grab().toImage()
        colours.add(picture.pixelColor(picture.width() // 2, picture.height() // 2).name())
        view.zoom(1 / 1.25)
    assert len(colours) > 1
    moved = QEvent(QEvent.Type.Leave)
    QApplication.sendEvent(view, moved)
    view.set_dots(False)
    assert not view.grab().isNull()


def test_the_map_is_written_as_a_figure(make_page, qtbot, tmp_path):
    page = make_page()
    view = show(page, qtbot)
    for suffix, begins in ((".svg", b"<?xml"), (".png", b"\x89PNG"), (".pdf", b"%PDF")):
        path = tmp_path / f"map{suffix}"
        with qtbot.waitSignal(page.message):
            view.map_panel.pictures.save(path)
        assert path.read_bytes().startswith(begins)
    content = (tmp_path / "map.svg").read_bytes()
    assert b"the_query" in content
    assert b"<path" in content
    with qtbot.waitSignal(page.message) as said:
        view.map_panel.pictures.save(tmp_path / "map.xyz")
    assert ".xyz" in said.args[0]
