"""Colours, fonts, distances and the style sheet; light and dark, at any text size.

Fusion with an explicit palette looks the same on every platform; where the platform says whether it is
light or dark, the window follows. Widgets that paint for themselves ask `colours` with their palette
and repaint on ``QEvent.PaletteChange``. Distances are multiples of `grid`, which follows the font.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeVar

from PySide6.QtCore import QObject, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFont, QFontDatabase, QFontMetricsF, QPalette, QPen
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QGridLayout,
    QLayout,
    QStyle,
    QStyleFactory,
    QTableView,
    QWidget,
)

from swgui import paths
from swgui.gui.kit import icons
from swgui.gui.kit.stylesheet import fill

if TYPE_CHECKING:
    import pyqtgraph as pg

Mode = Literal["system", "light", "dark"]
Layout = TypeVar("Layout", bound=QLayout)
SCALES = (80, 90, 100, 110, 125, 150, 175, 200)
ICON = 2.0  # size of icons on buttons, in grid units
GRID_SHARE = 0.56  # of the height of a line: 8 pixels at the usual text size of most desktops


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
    """Return the colours that belong to a palette; for a widget those of the application.

    A widget's own palette is no help: the style sheet changes it, and before it is first shown it is not set.
    """
    given = QApplication.palette() if isinstance(source, QWidget) else source
    return DARK if given.color(QPalette.ColorRole.Window).lightness() < 128 else LIGHT


def contrast(first: str, second: str) -> float:
    """Contrast ratio of two colours, 1 to 21 (WCAG 2.1)."""
    bright, dim = sorted((_luminance(first), _luminance(second)), reverse=True)
    return (bright + 0.05) / (dim + 0.05)


def _luminance(colour: str) -> float:
    values = (int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5))
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
    margins : float or four floats
        Left, top, right, bottom.
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


def _fit_size(widget: QWidget) -> None:
    sizes = widget.property("keptSize")
    if sizes is None:
        return
    width, height, rows = sizes
    if width:
        widget.setMinimumWidth(grid(width))
    if height:
        widget.setMinimumHeight(grid(height))
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

    PySide keeps wrappers of layout items that Qt has deleted, and takes a style that comes to lie at the address of
    one for that item; a plain style then draws instead.
    """
    style = widget.style()
    return style if isinstance(style, QStyle) else _plain_style()


@functools.cache
def _plain_style() -> QStyle:
    return QStyleFactory.create("Fusion")


def set_icon(button: QAbstractButton, name: str) -> None:
    button.setProperty("iconName", name)
    _draw_icon(button)


def _draw_icon(button: QAbstractButton) -> None:
    button.setIcon(icons.icon(button.property("iconName"), colours(QApplication.palette())))
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
    """Give an axis of a plot some colours and the font of the window."""
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
    """Give everything inside a part of the window the sizes and icons of the theme, over what the style sheet says."""
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
    """Let plots that are made from now on begin with the colours of the window."""
    import pyqtgraph as pg

    pg.setConfigOptions(background=shades.base, foreground=shades.muted, antialias=False)


class Theme(QObject):
    """The look of the program: owns the application's palette, font and style sheet."""

    changed = Signal()  # colours or text size are different now

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
        """Choose colours and text size (percent, 80 to 200); None keeps what is."""
        self.prepare(mode, scale)
        self._app.setStyleSheet(stylesheet(self.colours, self._app.font().pointSizeF()))
        for window in self._app.topLevelWidgets():
            fit_all(window)
        self.changed.emit()

    def step_scale(self, step: int) -> int:
        """Go to the next larger (+1) or smaller (-1) text size and return it."""
        nearest = min(range(len(SCALES)), key=lambda at: abs(SCALES[at] - self._scale))
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
