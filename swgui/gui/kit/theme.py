"""Colours, fonts, distances and the style sheet; light and dark, at any text size.

Fusion with an explicit palette looks the same on every platform; where the platform says whether it is
light or dark, the window follows. Widgets that paint for themselves ask `colours` with their palette
and repaint on ``QEvent.PaletteChange``. Distances are multiples of `grid`, which follows the font.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from string import Template
from typing import TYPE_CHECKING, Literal, TypeVar

from PySide6.QtCore import QByteArray, QEvent, QObject, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFont, QFontDatabase, QFontMetricsF, QIcon, QPainter, QPalette, QPen, QPixmap
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QGridLayout,
    QLabel,
    QLayout,
    QStyle,
    QStyleFactory,
    QTableView,
    QWidget,
)

from swgui import paths

if TYPE_CHECKING:
    import pyqtgraph as pg


# Arrow and tick images are mid-grey files that are visible on both backgrounds: Qt cannot recolour them here.
# The arrow of a sorted column is above its head: next to it, it would cover right-aligned words.
_SHEET = """
QToolTip { background: $base; color: $text; border: 1px solid $control; padding: ${half}px; }

QLabel[level="title"] { font-size: ${title}pt; font-weight: 600; }
QLabel[level="heading"] { font-size: ${heading}pt; font-weight: 600; }
QLabel[level="section"] { font-size: ${small}pt; font-weight: 600; color: $muted; }
QLabel[level="muted"] { color: $muted; }
QLabel[level="small"] { color: $muted; font-size: ${small}pt; }
QLabel[tone="warning"] { color: $warning; }
QLabel[tone="danger"] { color: $danger; }
QLabel[tone="success"] { color: $success; }

QFrame[role="card"] { background: $base; border: 1px solid $border; border-radius: ${radius}px; }
QFrame[role="title"] { background: $window; border: none; border-top: 1px solid $border; }
QFrame[role="strip"] { background: $base; border: none; border-top: 1px solid $border; }
QFrame[role="note"][tone="info"] {
    background: $accent_soft; border: 1px solid $accent; border-radius: ${radius}px;
}
QFrame[role="note"][tone="success"] {
    background: $success_soft; border: 1px solid $success; border-radius: ${radius}px;
}
QFrame[role="note"][tone="warning"] {
    background: $warning_soft; border: 1px solid $warning; border-radius: ${radius}px;
}
QFrame[role="note"][tone="danger"] {
    background: $danger_soft; border: 1px solid $danger; border-radius: ${radius}px;
}
QLabel[role="chip"] { background: $hover; border-radius: ${radius}px; padding: 2px ${step}px; }
QFrame[role="drop"] { background: $base; border: 1px dashed $control; border-radius: ${radius}px; }
QFrame[role="rule"] { background: $border; border: none; max-height: 1px; min-height: 1px; }

QPushButton {
    background: $button; color: $text; border: 1px solid $control; border-radius: ${radius}px;
    padding: ${half}px ${double}px; min-height: ${double}px;
}
QPushButton:hover { background: $hover; }
QPushButton:pressed { background: $border; }
QPushButton:focus { border-color: $focus; }
QPushButton:disabled { color: $disabled; border-color: $border; background: $window; }
QPushButton[role="primary"] { background: $accent; color: $on_accent; border-color: $accent; font-weight: 600; }
QPushButton[role="primary"]:hover { border-color: $text; }
QPushButton[role="primary"]:focus { border-color: $text; }
QPushButton[role="primary"]:disabled { background: $hover; color: $disabled; border: 1px solid $border; }
QPushButton[role="quiet"] {
    background: transparent; border: 1px solid transparent; padding: ${half}px ${step}px; color: $accent;
}
QPushButton[role="quiet"][flush="true"] { padding-left: 0; padding-right: 0; }
QPushButton[role="quiet"][tone="success"] { color: $success; }
QPushButton[role="quiet"][tone="warning"] { color: $warning; }
QPushButton[role="quiet"][tone="danger"] { color: $danger; }
QPushButton[role="quiet"]:hover { background: $hover; }
QPushButton[role="quiet"]:focus { border-color: $focus; }
QPushButton[role="quiet"]:disabled { color: $disabled; }
QPushButton[role="quiet"]::menu-indicator { right: 0px; }
QPushButton::menu-indicator {
    image: url("$icons/arrow-down.svg"); width: ${arrow}px; height: ${arrow}px;
    subcontrol-origin: border; subcontrol-position: right center; right: ${step}px;
}

QDialogButtonBox, QMessageBox { dialogbuttonbox-buttons-have-icons: 0; }

QToolButton {
    background: transparent; border: 1px solid transparent; border-radius: ${radius}px; padding: ${half}px;
}
QToolButton:hover { background: $hover; }
QToolButton:pressed, QToolButton:checked { background: $accent_soft; }
QToolButton:focus { border-color: $focus; }
QToolButton:disabled { color: $disabled; }
QToolButton::menu-indicator { image: none; }
QToolButton#qt_toolbar_ext_button { image: url("$icons/arrow-down.svg"); padding: 0; }
QToolButton[role="rail"] { padding: ${half}px 2px; border-radius: ${radius}px; color: $muted; }
QToolButton[role="rail"]:checked { background: $accent_soft; color: $accent; font-weight: 600; }

QLineEdit, QAbstractSpinBox, QComboBox, QPlainTextEdit, QTextEdit {
    background: $base; color: $text; border: 1px solid $control; border-radius: ${radius}px;
    selection-background-color: $selection; selection-color: $on_selection;
}
QLineEdit, QAbstractSpinBox, QComboBox {
    padding: ${half}px ${step}px; min-height: ${double}px; max-height: ${line}px;
}
QAbstractSpinBox QLineEdit, QComboBox QLineEdit {
    border: none; padding: 0; min-height: 0; max-height: 1000px; background: transparent;
}
QPlainTextEdit, QTextEdit { padding: ${half}px; }
QLineEdit:focus, QAbstractSpinBox:focus, QComboBox:focus, QPlainTextEdit:focus, QTextEdit:focus {
    border-color: $focus;
}
QLineEdit:disabled, QAbstractSpinBox:disabled, QComboBox:disabled, QPlainTextEdit:disabled {
    color: $disabled; background: $window; border-color: $border;
}
QLineEdit[invalid="true"], QAbstractSpinBox[invalid="true"] { border-color: $danger; }
QComboBox::drop-down { border: none; width: ${double}px; subcontrol-position: right center; right: ${half}px; }
QComboBox::down-arrow { image: url("$icons/arrow-down.svg"); width: ${arrow}px; height: ${arrow}px; }
QComboBox QAbstractItemView { background: $base; border: 1px solid $control; outline: none; padding: 2px; }
QAbstractSpinBox::up-button, QAbstractSpinBox::down-button {
    border: none; background: transparent; width: ${double}px;
}
QAbstractSpinBox::up-button { subcontrol-position: top right; margin-top: 2px; margin-right: 2px; }
QAbstractSpinBox::down-button { subcontrol-position: bottom right; margin-bottom: 2px; margin-right: 2px; }
QAbstractSpinBox::up-button:hover, QAbstractSpinBox::down-button:hover { background: $hover; }
QAbstractSpinBox::up-arrow { image: url("$icons/arrow-up.svg"); width: ${step}px; height: ${step}px; }
QAbstractSpinBox::down-arrow { image: url("$icons/arrow-down.svg"); width: ${step}px; height: ${step}px; }

QCheckBox, QRadioButton { spacing: ${step}px; }
QCheckBox::indicator, QAbstractItemView::indicator, QRadioButton::indicator {
    width: ${tick}px; height: ${tick}px; border: 1px solid $control; border-radius: 3px; background: $base;
}
QRadioButton::indicator { border-radius: ${round}px; }
QCheckBox::indicator:checked, QAbstractItemView::indicator:checked {
    background: $accent; border-color: $accent; image: url("$icons/tick-$tick_tone.svg");
}
QRadioButton::indicator:checked {
    border-color: $accent;
    background: qradialgradient(
        cx: 0.5, cy: 0.5, radius: 0.5, fx: 0.5, fy: 0.5,
        stop: 0 $on_accent, stop: 0.4 $on_accent, stop: 0.5 $accent, stop: 1 $accent
    );
}
QCheckBox::indicator:focus, QRadioButton::indicator:focus { border-color: $focus; }
QCheckBox::indicator:disabled, QRadioButton::indicator:disabled { border-color: $border; }

QAbstractItemView {
    background: $base; alternate-background-color: $alternate; selection-background-color: $selection;
    selection-color: $on_selection;
}
QTableView, QListView, QTreeView {
    border: 1px solid $border; border-radius: ${radius}px; gridline-color: $border;
}
QTableView:focus, QListView:focus, QTreeView:focus { border-color: $focus; }
QTableView, QTreeView { outline: 1px solid $focus; }
QHeaderView { background: $window; border: none; }
QHeaderView::section {
    background: $window; color: $muted; border: none; border-bottom: 1px solid $border;
    padding: ${half}px; font-weight: 600;
}
QHeaderView::section:hover { color: $text; background: $hover; }
QHeaderView::up-arrow, QHeaderView::down-arrow {
    subcontrol-origin: border; subcontrol-position: top center; width: ${step}px; height: ${mark}px;
}
QHeaderView::up-arrow { image: url("$icons/arrow-up.svg"); }
QHeaderView::down-arrow { image: url("$icons/arrow-down.svg"); }
QTableCornerButton::section { background: $window; border: none; border-bottom: 1px solid $border; }

QProgressBar {
    background: $hover; border: none; border-radius: ${half}px; min-height: ${step}px;
    max-height: ${step}px; text-align: center;
}
QProgressBar::chunk { background: $accent; border-radius: ${half}px; }

QMainWindow::separator { background: $border; width: 1px; height: 1px; margin: 2px; }
QMainWindow::separator:hover { background: $accent; }
QSplitter::handle { background: transparent; }
QSplitter::handle:hover { background: $border; }
QToolBar {
    background: $window; border: none; border-bottom: 1px solid $border; padding: ${half}px;
    spacing: ${half}px;
}
QToolBar::separator { background: $border; width: 1px; margin: ${half}px; }
QStatusBar { background: $window; border-top: 1px solid $border; }
QStatusBar::item { border: none; }
QStatusBar QLabel { padding: 2px ${half}px; }
QMenuBar { background: $window; }
QMenuBar::item { padding: ${half}px ${step}px; background: transparent; border-radius: ${half}px; }
QMenuBar::item:selected { background: $hover; }
QMenu { background: $base; border: 1px solid $control; padding: ${half}px; }
QMenu::item { padding: ${half}px ${double}px ${half}px ${double}px; border-radius: ${half}px; }
QMenu::item:selected { background: $selection; color: $on_selection; }
QMenu::item:disabled { color: $disabled; background: transparent; }
QMenu::separator { height: 1px; background: $border; margin: ${half}px; }

QScrollArea { border: none; background: transparent; }
QAbstractScrollArea::corner { border: none; background: transparent; }
QListWidget::item, QTreeWidget::item { padding: ${half}px; }
QListWidget::item:selected { background: $selection; color: $on_selection; }
QTableView::item { padding: 0 ${quarter}px; }
QScrollBar:vertical { background: transparent; width: ${scroll}px; margin: 0; }
QScrollBar:horizontal { background: transparent; height: ${scroll}px; margin: 0; }
QScrollBar::handle { background: $control; border-radius: 3px; margin: 3px; }
QScrollBar::handle:vertical { min-height: ${double}px; }
QScrollBar::handle:horizontal { min-width: ${double}px; }
QScrollBar::handle:hover { background: $muted; }
QScrollBar::add-line, QScrollBar::sub-line { width: 0; height: 0; }
QScrollBar::add-page, QScrollBar::sub-page { background: transparent; }
QTabBar { font-size: ${points}pt; }
QTabWidget::pane { border: none; border-top: 1px solid $border; }
QTabBar::tab {
    background: transparent; color: $muted; padding: ${half}px ${double}px; border: none;
    border-bottom: 2px solid transparent;
}
QTabBar::tab:selected { color: $text; border-bottom: 2px solid $accent; font-weight: 600; }
QTabBar::tab:hover { color: $text; }
QTabBar::tab:focus { border-color: $focus; }
"""
Mode = Literal["system", "light", "dark"]
Layout = TypeVar("Layout", bound=QLayout)
SCALES = (80, 90, 100, 110, 125, 150, 175, 200)
ICON = 2.0  # size of icons on buttons, in grid units
GRID_SHARE = 0.56  # of the height of a line: 8 pixels at the usual text size of most desktops
ICON_SIZES = (16, 24, 32, 48)


def fill(values: Mapping[str, object]) -> str:
    """Return the style sheet; `KeyError` if a value is missing."""
    return Template(_SHEET).substitute(values)


@dataclass(frozen=True, slots=True)
class Colours:
    """Every colour of the window by its meaning, as ``#RRGGBB``.

    `text` and `muted` are readable (4.5:1) on `window`, `base`, `alternate` and `button`; `accent`,
    `success`, `warning` and `danger` on `window`, `base` and on their own soft ground; `control`
    (outlines of things to type into or tick) and `focus` stand out by 3:1.
    """

    dark: bool
    window: str
    base: str
    alternate: str
    button: str
    hover: str
    text: str
    muted: str
    disabled: str
    border: str
    control: str
    accent: str
    on_accent: str
    accent_soft: str
    focus: str
    selection: str
    on_selection: str
    success: str
    success_soft: str
    warning: str
    warning_soft: str
    danger: str
    danger_soft: str
    series: tuple[str, ...]


LIGHT = Colours(
    dark=False,
    window="#F4F6F8",
    base="#FFFFFF",
    alternate="#F8FAFB",
    button="#FFFFFF",
    hover="#EAEEF3",
    text="#1A2330",
    muted="#566273",
    disabled="#98A1AE",
    border="#D3D9E0",
    control="#858F9E",
    accent="#0B5FB0",
    on_accent="#FFFFFF",
    accent_soft="#E4EEF8",
    focus="#0B5FB0",
    selection="#0B5FB0",
    on_selection="#FFFFFF",
    success="#1A7340",
    success_soft="#E3F3E8",
    warning="#855500",
    warning_soft="#FFF3D6",
    danger="#B0261E",
    danger_soft="#FBE7E5",
    series=("#0072B2", "#B34700", "#00795A", "#8E4B77"),
)

DARK = Colours(
    dark=True,
    window="#1C2026",
    base="#15181D",
    alternate="#191D22",
    button="#2A3039",
    hover="#343B46",
    text="#E6EAF0",
    muted="#A2ACBA",
    disabled="#66707E",
    border="#373E49",
    control="#727D8D",
    accent="#62AEF7",
    on_accent="#0C1520",
    accent_soft="#1E3247",
    focus="#7CC0FF",
    selection="#1F5FA3",
    on_selection="#FFFFFF",
    success="#63C98A",
    success_soft="#18301F",
    warning="#E5B454",
    warning_soft="#352A12",
    danger="#F28B82",
    danger_soft="#3B1F1E",
    series=("#56B4E9", "#F0A35E", "#3DC9A0", "#DE9CC2"),
)


def colours(source: QPalette | QWidget) -> Colours:
    """Return the colours of a palette; for a widget the colours of the application's.

    A widget's own palette is no help: the style sheet changes it, and before it is first shown it is not set.
    """
    given = QApplication.palette() if isinstance(source, QWidget) else source
    return DARK if given.color(QPalette.ColorRole.Window).lightness() < 128 else LIGHT


def contrast(first: str, second: str) -> float:
    """Contrast ratio of two colours, 1 to 21 (WCAG 2.1)."""
    bright, dim = sorted((_luminance(first), _luminance(second)), reverse=True)
    return (bright + 0.05) / (dim + 0.05)


def _luminance(colour: str) -> float:
    values = (int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))
    red, green, blue = (v / 12.92 if v <= 0.03928 else ((v + 0.055) / 1.055) ** 2.4 for v in values)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def palette(shades: Colours) -> QPalette:
    role, group = QPalette.ColorRole, QPalette.ColorGroup
    made = QPalette(QColor(shades.button), QColor(shades.window))
    table = {
        role.Window: shades.window,
        role.WindowText: shades.text,
        role.Base: shades.base,
        role.AlternateBase: shades.alternate,
        role.Text: shades.text,
        role.PlaceholderText: shades.muted,
        role.Button: shades.button,
        role.ButtonText: shades.text,
        role.BrightText: shades.danger,
        role.ToolTipBase: shades.base,
        role.ToolTipText: shades.text,
        role.Highlight: shades.selection,
        role.HighlightedText: shades.on_selection,
        role.Accent: shades.accent,
        role.Link: shades.accent,
        role.LinkVisited: shades.accent,
        role.Light: shades.hover,
        role.Midlight: shades.border,
        role.Mid: shades.border,
        role.Dark: shades.control,
        role.Shadow: shades.border,
    }
    for which, colour in table.items():
        made.setColor(which, QColor(colour))
    for which in (role.WindowText, role.Text, role.ButtonText, role.HighlightedText):
        made.setColor(group.Disabled, which, QColor(shades.disabled))
    made.setColor(group.Disabled, role.Highlight, QColor(shades.hover))
    return made


def grid(units: float = 1.0) -> int:
    """Return `units` steps of the window's grid in pixels; a step is 8 at the usual text size."""
    height = QFontMetricsF(QApplication.font()).height()
    return max(1, round(units * max(4, round(height * GRID_SHARE))))


def fixed_font() -> QFont:
    font = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)
    font.setPointSizeF(QApplication.font().pointSizeF())
    font.setStyleHint(QFont.StyleHint.Monospace)
    return font


def keep_fixed(widget: QWidget) -> None:
    """Give a widget the monospaced font, whatever the text size becomes: a style sheet that is set takes it away."""
    widget.setProperty("fixedFont", True)
    widget.setFont(fixed_font())


def arrange(layout: Layout, margins: float | Iterable[float] = 0, spacing: float | tuple[float, float] = 1) -> Layout:
    """Set a layout's margins and spacing in grid units, and keep them there when the text size changes.

    Parameters
    ----------
    spacing : float or two floats
        Two are for grids: horizontal, vertical.
    """
    sides = [float(margins)] * 4 if isinstance(margins, int | float) else [float(side) for side in margins]
    layout.setProperty("gridMargins", sides)
    both = [float(part) for part in spacing] if isinstance(spacing, tuple) else [float(spacing)]
    layout.setProperty("gridSpacing", both)
    _fit(layout)
    return layout


def keep_size(widget: QWidget, *, width: float = 0, height: float = 0, rows: float = 0) -> None:
    """Set least width, least height and height of a table's rows in grid units, whatever the text size becomes."""
    widget.setProperty("keptSize", [float(width), float(height), float(rows)])
    _fit_size(widget)


def keep_columns(table: QTableView, widths: Sequence[float]) -> None:
    """Give the first columns of a table widths in grid units; the user's widths grow with the text."""
    for index, width in enumerate(widths):
        table.horizontalHeader().resizeSection(index, grid(width))
    table.setProperty("columnsKept", [len(widths), grid()])


def _fit_columns(table: QTableView) -> None:
    number, unit = table.property("columnsKept") or (0, 0)
    if unit and unit != grid():
        header = table.horizontalHeader()
        for index in range(number):
            header.resizeSection(index, round(header.sectionSize(index) * grid() / unit))
        table.setProperty("columnsKept", [number, grid()])


def _fit_size(widget: QWidget) -> None:
    if isinstance(widget, QTableView):
        _fit_columns(widget)
    sizes = widget.property("keptSize")
    if sizes is None:
        return
    width, height, rows = sizes
    if width:
        widget.setMinimumWidth(grid(width))
    if height:
        widget.setMinimumHeight(grid(height))
    if isinstance(widget, QLabel):  # which would otherwise keep the last minimum size
        QApplication.sendEvent(widget, QEvent(QEvent.Type.ContentsRectChange))
    if rows and isinstance(widget, QTableView):
        widget.verticalHeader().setDefaultSectionSize(grid(rows))


def _fit(layout: QLayout) -> None:
    sides = layout.property("gridMargins")
    if sides is not None:
        layout.setContentsMargins(*(round(grid(side)) if side else 0 for side in sides))
        spacing = [grid(part) if part else 0 for part in layout.property("gridSpacing")]
        if isinstance(layout, QGridLayout) and len(spacing) == 2:
            layout.setHorizontalSpacing(spacing[0])
            layout.setVerticalSpacing(spacing[1])
        else:
            layout.setSpacing(spacing[0])


def set_role(widget: QWidget, **properties: str | bool) -> QWidget:
    """Set properties that the style sheet knows, for example ``role="primary"``, and restyle the widget."""
    for name, value in properties.items():
        widget.setProperty(name, value)
    style = widget.style()
    if isinstance(style, QStyle):
        style.unpolish(widget)
        style.polish(widget)
    else:  # see `style_of`; setting the sheet again polishes as well, at more cost
        widget.setStyleSheet(widget.styleSheet())
    widget.update()
    return widget


def style_of(widget: QWidget) -> QStyle:
    """Return the style that draws a widget.

    PySide keeps wrappers of layout items that Qt has deleted, and mistakes a style at the same address
    for that item; a plain style then draws instead.
    """
    style = widget.style()
    return style if isinstance(style, QStyle) else _plain_style()


@functools.cache
def _plain_style() -> QStyle:
    return QStyleFactory.create("Fusion")


@functools.lru_cache(maxsize=256)
def icon(name: str, shades: Colours) -> QIcon:
    """Return a drawing of ``resources/icons`` with the theme's colours for its ``currentColor``.

    Raises `FileNotFoundError` if there is none of that name.
    """
    text = (paths.resources_dir() / "icons" / f"{name}.svg").read_text(encoding="utf-8")
    made = QIcon()
    table = (
        (QIcon.Mode.Normal, QIcon.State.Off, shades.text),
        (QIcon.Mode.Normal, QIcon.State.On, shades.accent),
        (QIcon.Mode.Disabled, QIcon.State.Off, shades.disabled),
        (QIcon.Mode.Selected, QIcon.State.Off, shades.on_selection),
    )
    for mode, state, colour in table:
        for size in ICON_SIZES:
            made.addPixmap(_drawing(text, colour, size), mode, state)
    return made


@functools.lru_cache(maxsize=1)
def app_icon() -> QIcon:
    text = (paths.resources_dir() / "icons" / "app.svg").read_text(encoding="utf-8")
    made = QIcon()
    for size in (*ICON_SIZES, 64, 128, 256):
        made.addPixmap(_drawing(text, "", size))
    return made


def _drawing(text: str, colour: str, size: int) -> QPixmap:
    """Draw an SVG text of one colour into a square of `size` pixels."""
    renderer = QSvgRenderer(QByteArray(text.replace("currentColor", colour).encode()))
    drawn = QPixmap(size, size)
    drawn.fill(Qt.GlobalColor.transparent)
    painter = QPainter(drawn)
    renderer.render(painter, QRectF(0, 0, size, size))
    painter.end()
    return drawn


def icon_pixmap(name: str, colour: str, size: int, ratio: float = 1.0) -> QPixmap:
    """Draw one icon in one colour, `size` logical pixels wide on a screen with that pixel ratio."""
    text = (paths.resources_dir() / "icons" / f"{name}.svg").read_text(encoding="utf-8")
    drawn = _drawing(text, colour, round(size * ratio))
    drawn.setDevicePixelRatio(ratio)
    return drawn


def set_icon(button: QAbstractButton, name: str) -> None:
    button.setProperty("iconName", name)
    _draw_icon(button)


def _draw_icon(button: QAbstractButton) -> None:
    button.setIcon(icon(button.property("iconName"), colours(QApplication.palette())))
    button.setIconSize(QSize(grid(ICON), grid(ICON)))


def plot_pen(plot: QWidget, colour: str | QColor, width: float, **options: Qt.PenStyle) -> QPen:
    """Return the pen of a line in a plot; the width of such pens counts pixels of the device, whatever its scale."""
    import pyqtgraph as pg  # here, as below: with it, plots take a quarter of a second that no start waits for

    pen: QPen = pg.mkPen(colour, width=width * plot.devicePixelRatioF(), **options)
    return pen


def style_plot(plot: pg.PlotWidget | pg.GraphicsLayoutWidget, shades: Colours | None = None) -> None:
    """Give a plot the colours and the font of the window, or other colours; call again on ``PaletteChange``."""
    import pyqtgraph as pg

    shades = shades or colours(plot)
    plot.setBackground(shades.base)
    items = [plot.getPlotItem()] if isinstance(plot, pg.PlotWidget) else []
    for item in items:
        for side in ("left", "bottom"):
            style_axis(item.getAxis(side), shades)
        item.titleLabel.setAttr("color", shades.text)


def style_axis(axis: pg.AxisItem, shades: Colours) -> None:
    import pyqtgraph as pg

    axis.setPen(pg.mkPen(shades.control, width=1))
    axis.setTextPen(shades.muted)
    axis.setTickFont(QApplication.font())
    axis.label.setFont(QApplication.font())
    axis.labelStyle = {"color": shades.muted}
    if axis.labelText:
        axis.setLabel(axis.labelText, axis.labelUnits or None, **axis.labelStyle)


def style_bar(bar: pg.ColorBarItem, shades: Colours) -> None:
    """Give the axis of a colour scale some colours, the font of the window, and as much room as its numbers need."""
    axis = bar.getAxis("right")
    axis.setWidth(None)  # pyqtgraph's 45 pixels are too few where the text is large
    style_axis(axis, shades)


def fit_all(part: QWidget) -> None:
    """Give everything inside a part of the window the sizes and icons of the theme, which override the style sheet."""
    for layout in part.findChildren(QLayout):
        _fit(layout)
    for widget in part.findChildren(QWidget):
        widget.ensurePolished()  # which sets sizes
        _fit_size(widget)
        if widget.property("fixedFont"):
            widget.setFont(fixed_font())
        if isinstance(widget, QAbstractButton) and widget.property("iconName"):
            _draw_icon(widget)


def prepare_plots(shades: Colours) -> None:
    """Let new plots begin with the colours of the window."""
    import pyqtgraph as pg

    pg.setConfigOptions(background=shades.base, foreground=shades.muted, antialias=False)


class Theme(QObject):
    """The look of the program: owns the application's palette, font and style sheet."""

    changed = Signal()  # colours or text size changed

    def __init__(self, app: QApplication) -> None:
        super().__init__()
        self._app = app
        self._mode: Mode = "system"
        self._scale = 100
        base = app.font()
        if base.pointSizeF() <= 0:  # a platform theme that gives its font in pixels
            base.setPointSizeF(base.pixelSize() * 72 / 96)
        self._font = base
        app.setStyle("Fusion")
        app.setAttribute(Qt.ApplicationAttribute.AA_DontShowIconsInMenus, True)
        app.styleHints().colorSchemeChanged.connect(self._follow_system)

    @property
    def mode(self) -> Mode:
        return self._mode

    @property
    def scale(self) -> int:
        """Text size in percent."""
        return self._scale

    @property
    def colours(self) -> Colours:
        if self._mode == "system":
            return DARK if self._app.styleHints().colorScheme() == Qt.ColorScheme.Dark else LIGHT
        return DARK if self._mode == "dark" else LIGHT

    def prepare(self, mode: Mode | None = None, scale: int | None = None) -> None:
        """Set colours and font, not yet the style sheet: widgets are made several times faster without one."""
        self._mode = mode or self._mode
        self._scale = min(SCALES[-1], max(SCALES[0], scale)) if scale else self._scale
        shades = self.colours
        font = QFont(self._font)
        font.setPointSizeF(self._font.pointSizeF() * self._scale / 100)
        self._app.setStyleSheet("")  # changing everything below a style sheet takes several times as long
        self._app.setFont(font)
        self._app.setPalette(palette(shades))
        if "pyqtgraph" in sys.modules:
            prepare_plots(shades)

    def use(self, mode: Mode | None = None, scale: int | None = None) -> None:
        """Choose colours and text size (percent, 80 to 200); None leaves it unchanged."""
        self.prepare(mode, scale)
        self._app.setStyleSheet(stylesheet(self.colours, self._app.font().pointSizeF()))
        for window in self._app.topLevelWidgets():
            fit_all(window)
        self.changed.emit()

    def step_scale(self, step: int) -> int:
        """Go to the next larger (+1) or smaller (-1) text size and return it."""
        nearest = min(range(len(SCALES)), key=lambda index: abs(SCALES[index] - self._scale))
        self.use(scale=SCALES[min(len(SCALES) - 1, max(0, nearest + step))])
        return self._scale

    def detach(self) -> None:
        """Stop following the system; for programs that make more than one window after another."""
        self._app.styleHints().colorSchemeChanged.disconnect(self._follow_system)

    def _follow_system(self) -> None:
        if self._mode == "system":
            self.use()


def stylesheet(shades: Colours, points: float) -> str:
    """Return the style sheet for a set of colours and a text size in points."""
    values = {name: getattr(shades, name) for name in shades.__slots__ if name not in ("dark", "series")}
    step = grid()
    values |= {
        "half": max(2, step // 2),
        "quarter": max(1, step // 4),
        "mark": max(6, step),
        "step": step,
        "double": step * 2,
        "points": f"{points:.1f}",  # where Qt does not take the size from the application's font
        "title": f"{points * 1.45:.1f}",
        "heading": f"{points * 1.12:.1f}",
        "small": f"{points * 0.92:.1f}",
        "radius": max(3, step // 2),
        "line": step * 2 + step // 2,
        "tick": step + step // 2,
        "round": (step + step // 2) // 2 + 1,
        "tick_tone": "dark" if shades.dark else "light",
        "scroll": max(10, step + step // 2),
        "arrow": step + step // 4,
        "icons": (paths.resources_dir() / "icons").as_posix(),
    }
    return fill(values)
