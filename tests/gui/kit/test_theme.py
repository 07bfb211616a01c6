import subprocess
import sys
from itertools import product

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QPalette
from PySide6.QtWidgets import QApplication, QPushButton, QTableView, QVBoxLayout, QWidget

from swgui import paths
from swgui.gui.kit.theme import (
    DARK,
    LIGHT,
    SCALES,
    arrange,
    colours,
    contrast,
    grid,
    icon_pixmap,
    keep_size,
    palette,
    set_icon,
)

pytestmark = pytest.mark.styled

THEMES = [pytest.param(LIGHT, id="light"), pytest.param(DARK, id="dark")]


@pytest.mark.parametrize("shades", THEMES)
def test_text_is_readable_on_every_ground(shades):
    grounds = [shades.window, shades.base, shades.alternate, shades.button]
    for text, ground in product([shades.text, shades.muted], grounds):
        assert contrast(text, ground) >= 4.5, (text, ground)
    for name in ("accent", "success", "warning", "danger"):
        colour = getattr(shades, name)
        for ground in (shades.window, shades.base, getattr(shades, f"{name}_soft")):
            assert contrast(colour, ground) >= 4.5, (name, ground)
        assert contrast(shades.text, getattr(shades, f"{name}_soft")) >= 4.5
    assert contrast(shades.on_accent, shades.accent) >= 4.5
    assert contrast(shades.on_selection, shades.selection) >= 4.5
    assert contrast(shades.text, shades.hover) >= 4.5


@pytest.mark.parametrize("shades", THEMES)
def test_focus_controls_and_curves_stand_out(shades):
    for ground in (shades.window, shades.base):
        for colour in (shades.focus, shades.control, *shades.series):
            assert contrast(colour, ground) >= 3, (colour, ground)


def test_contrast_of_black_and_white_is_21():
    assert contrast("#000000", "#FFFFFF") == pytest.approx(21)
    assert contrast("#123456", "#123456") == 1


@pytest.mark.parametrize("shades", THEMES)
def test_a_palette_is_recognised(shades):
    assert colours(palette(shades)) is shades
    assert palette(shades).color(QPalette.ColorRole.Text) == QColor(shades.text)


def test_the_theme_reaches_palette_icons_and_distances(theme, qtbot):
    window = QWidget()
    layout = QVBoxLayout(window)
    button = QPushButton()
    layout.addWidget(button)
    qtbot.addWidget(window)
    arrange(layout, 2, 1)
    table = QTableView()
    layout.addWidget(table)
    theme.use("light", 100)
    keep_size(table, width=10, height=5, rows=2.75)
    rows = table.verticalHeader().defaultSectionSize()
    set_icon(button, "search")
    small = layout.contentsMargins().left()
    assert small == grid(2)
    bright = button.icon().pixmap(24).toImage()
    with qtbot.waitSignal(theme.changed):
        theme.use("dark", 200)
    assert colours(window) is DARK
    assert layout.contentsMargins().left() >= 1.8 * small
    assert table.minimumWidth() == grid(10)
    assert table.minimumHeight() == grid(5)
    assert table.verticalHeader().defaultSectionSize() == grid(2.75) >= 1.8 * rows
    assert button.icon().pixmap(24).toImage() != bright
    theme.use("light")
    assert theme.scale == 200


def test_text_size_stays_between_80_and_200_percent(theme, qapp):
    theme.use("light", 100)
    points = qapp.font().pointSizeF()
    theme.use(scale=500)
    assert theme.scale == 200
    assert qapp.font().pointSizeF() == pytest.approx(2 * points)
    assert theme.step_scale(1) == 200
    theme.use(scale=10)
    assert theme.scale == 80
    assert theme.step_scale(-1) == 80
    assert [theme.step_scale(1) for _ in SCALES[1:]] == list(SCALES[1:])


def test_the_look_follows_the_system_only_where_that_was_chosen(theme, qapp, qtbot):
    theme.use("light")
    with qtbot.assertNotEmitted(theme.changed):
        qapp.styleHints().colorSchemeChanged.emit(Qt.ColorScheme.Dark)
    theme.use("system")
    with qtbot.waitSignal(theme.changed):
        qapp.styleHints().colorSchemeChanged.emit(Qt.ColorScheme.Dark)


@pytest.mark.parametrize("name", sorted(path.stem for path in (paths.resources_dir() / "icons").glob("*.svg")))
def test_every_icon_draws_something(qapp, name):
    image = icon_pixmap(name, "#FF0000", 24).toImage()
    assert any(image.pixelColor(x, y).alpha() > 128 for x in range(24) for y in range(24))


def test_a_focused_button_looks_different(theme, qtbot):
    for mode in ("light", "dark"):
        theme.use(mode)
        window = QWidget()
        layout = QVBoxLayout(window)
        first, second = QPushButton("Search"), QPushButton("Stop")
        layout.addWidget(first)
        layout.addWidget(second)
        qtbot.addWidget(window)
        window.show()
        qtbot.waitExposed(window)
        window.activateWindow()
        second.setFocus()
        qtbot.waitUntil(second.hasFocus)
        without = first.grab().toImage()
        first.setFocus()
        qtbot.waitUntil(first.hasFocus)
        focused = first.grab().toImage()
        changed = [
            focused.pixelColor(x, y).name()
            for x in range(focused.width())
            for y in range(focused.height())
            if focused.pixelColor(x, y) != without.pixelColor(x, y)
        ]
        assert len(changed) > focused.width()
        strongest = max(contrast(name.upper(), theme.colours.window) for name in changed)
        assert strongest >= 3


def test_the_qt_binding_keeps_its_reference_counts():
    # PySide6 6.12.0 on Python below 3.12 drops a reference to None with every call that returns nothing.
    code = (
        "import sys;from PySide6.QtGui import QGuiApplication,QImage,QPainter;"
        "app=QGuiApplication([]);image=QImage(10,10,QImage.Format.Format_RGB32);painter=QPainter(image);"
        "before=sys.getrefcount(None);[painter.drawRect(0,0,5,5) for _ in range(2000)];"
        "after=sys.getrefcount(None);painter.end();"
        "sys.exit(0 if sys.version_info>=(3,12) or after>before-100 else 3)"
    )
    ended = subprocess.run([sys.executable, "-c", code], timeout=60, check=False)
    assert ended.returncode == 0


def test_the_application_is_the_one_of_the_tests(qapp):
    assert QApplication.instance() is qapp
