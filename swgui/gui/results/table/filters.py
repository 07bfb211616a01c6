"""Range filters with a histogram behind each: drag the ends, or type them."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen, QShowEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QApplication,
    QCheckBox,
    QFrame,
    QGridLayout,
    QLayout,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QSizePolicy,
    QWidget,
)

from swgui.core.organisms.subjects import SubjectOrganisms
from swgui.core.plain import replace
from swgui.gui.hits.arrange import HitFilter, Range
from swgui.gui.hits.columns import BY_KEY, RANGE_KEYS
from swgui.gui.hits.data import HitData
from swgui.gui.kit import theme
from swgui.gui.kit.layouts import Upright, in_column
from swgui.gui.kit.tasks.pool import Tasks
from swgui.gui.kit.widgets import check_box, delayed, described, line_edit, plain, push_button, text_label
from swgui.gui.words import formatting

BINS = 40
SAMPLE = 200_000  # values counted at most; more do not change the picture
PERCENTAGES = ("pident", "ppos", "qcovhsp", "scovhsp")
LISTED = 500  # organisms; the box above the list finds the others
ROWS = 6
NAME = Qt.ItemDataRole.UserRole
HANDLE = 9.0  # pixels
LIMIT_TIP = "A number, as in 30, 1e-5 or 1,000; empty for no limit"

# Field of `HitFilter` to text and tip of its box.
BOXES = {
    "ticked": ("Ticked only", "Show only hits you ticked"),
    "starred": ("With a star only", "Show only hits you gave a star"),
    "best_of_organism": ("Best of each organism", "Only the best hit of each, of those that pass all other filters"),
    "with_hidden": ("Show hidden hits, too", "Hits you hid with H, in italics; H shows them again for good"),
}


@dataclass(frozen=True, slots=True, eq=False)
class Histogram:
    """Counts between two limits, in equal steps."""

    # low, high: limits of the slider; E-values are decadic logarithms
    low: float
    high: float
    counts: NDArray[np.int64]  # shape (bins,)
    # known, rows: values known, and rows of the list
    known: int
    rows: int


NO_VALUES = Histogram(0.0, 1.0, np.zeros(BINS, dtype=np.int64), 0, 0)


def histogram(data: HitData, key: str) -> Histogram:
    """Count the values of one column.

    Values that are not known are left out; percentages always span 0 to 100.
    """
    values = np.asarray(data.values(key), dtype=np.float64)
    finite = values[np.isfinite(values)]
    if key in PERCENTAGES:
        low, high = 0.0, 100.0
    elif len(finite):
        low, high = math.floor(finite.min()), math.ceil(finite.max())
        high = max(high, low + 1)
    else:
        low, high = 0.0, 1.0
    sample = finite[:: max(1, len(finite) // SAMPLE)]
    counts, _ = np.histogram(sample, bins=BINS, range=(low, high))
    return Histogram(float(low), float(high), counts.astype(np.int64), len(finite), len(values))


class OrganismList(QWidget):
    """A box to find organisms, and a list of them with a box to tick each."""

    chosen = Signal(object)  # the names of the organisms whose hits to show; all if empty

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("filterOrganisms")
        self._counted: list[tuple[str, int]] = []
        self._ticked: tuple[str, ...] = ()
        tip = "Lists the organisms whose name has this text"
        self.search = line_edit(
            "organismSearch", tip, lambda _text: self._list(), hint="Find an organism", clear=True, accessible=tip
        )
        self.list = described(QListWidget(), "organismList", accessible="Organisms of the hits, with their counts")
        self.list.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.list.setUniformItemSizes(True)
        self.list.setTextElideMode(Qt.TextElideMode.ElideRight)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.itemChanged.connect(self._ticked_by_user)
        theme.keep_size(self.list, height=3 * ROWS)
        title = text_label("Organism", tip="Tick organisms to see their hits alone; none ticked shows all")
        in_column(title, self.search, self.list, spacing=0.5, parent=self)

    def show_counts(self, organisms: SubjectOrganisms) -> None:
        """List the organisms of the hits, the most frequent first; hide where there is nothing to choose from."""
        self._counted = [(organisms.names[index], int(organisms.counts[index])) for index in organisms.by_count()]
        self.setVisible(len(self._counted) > 1 or bool(self._ticked))
        self.search.setVisible(len(self._counted) > ROWS)
        self._list()

    def show_ticked(self, names: tuple[str, ...]) -> None:
        if names != self._ticked:
            self._ticked = names
            self._list()

    def _list(self) -> None:
        wanted = self.search.text().casefold().split()
        listed = [(name, count) for name, count in self._counted if all(word in name.casefold() for word in wanted)]
        names = {name for name, _ in self._counted}
        listed += [(name, 0) for name in self._ticked if name not in names]  # of another query's hits
        self.list.blockSignals(True)
        self.list.clear()
        for name, count in listed[:LISTED]:
            item = QListWidgetItem(f"{count:,}   {name}")
            item.setData(NAME, name)
            item.setToolTip(plain(name))
            item.setFlags(item.flags() | Qt.ItemFlag.ItemIsUserCheckable)
            item.setCheckState(Qt.CheckState.Checked if name in self._ticked else Qt.CheckState.Unchecked)
            self.list.addItem(item)
        self.list.blockSignals(False)

    def _ticked_by_user(self, item: QListWidgetItem) -> None:
        name = item.data(NAME)
        others = tuple(organism for organism in self._ticked if organism != name)
        self._ticked = (*others, name) if item.checkState() == Qt.CheckState.Checked else others
        self.chosen.emit(self._ticked)


class RangeSlider(QWidget):
    """A slider with two handles over a histogram."""

    moved = Signal(float, float)  # new limits; an end that is not limited is ±infinity

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(f"Limits of {name}")
        self.setAccessibleDescription("Left and Right move the lower limit, with Shift the upper one; Home resets.")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.histogram = NO_VALUES
        self._low, self._high = -math.inf, math.inf
        self._held = ""

    def show_histogram(self, counted: Histogram) -> None:
        """Show the distribution of the values; empty without rows."""
        self.histogram = counted
        self.update()

    def set_limits(self, low: float, high: float) -> None:
        """Put the handles at two values; ±infinity is an end of the track."""
        self._low, self._high = low, high
        self.update()

    def track(self) -> QRectF:
        return QRectF(self.rect()).adjusted(HANDLE, 2, -HANDLE, -HANDLE)

    def _ends(self) -> tuple[float, float]:
        h = self.histogram
        return max(self._low, h.low), min(self._high, h.high)

    def _x(self, value: float) -> float:
        h, track = self.histogram, self.track()
        return track.left() + track.width() * (value - h.low) / (h.high - h.low)

    def _value(self, x: float) -> float:
        h, track = self.histogram, self.track()
        share = min(max((x - track.left()) / max(1.0, track.width()), 0.0), 1.0)
        value = h.low + share * (h.high - h.low)
        return float(round(value)) if h.high - h.low > 20 else round(value, 1)

    def paintEvent(self, event: QPaintEvent) -> None:
        if not self.histogram.rows:
            return
        painter = QPainter(self)
        shades = theme.colours(self)
        h, track = self.histogram, self.track()
        low, high = self._ends()
        highest = max(1, int(h.counts.max()))
        step = track.width() / len(h.counts)
        heights = track.height() * np.sqrt(h.counts / highest)  # the root lets rare values be seen
        edges = h.low + (h.high - h.low) * np.arange(len(h.counts) + 1) / len(h.counts)
        inside, outside = QColor(shades.series[0]), QColor(shades.border)
        for index, height in enumerate(heights.tolist()):
            if height > 0:
                kept = (edges[index + 1] > low and edges[index] < high) or edges[index] == low
                bar = QRectF(
                    track.left() + index * step, track.bottom() - max(height, 1.0), max(step - 1, 1), max(height, 1)
                )
                painter.fillRect(bar, inside if kept else outside)
        painter.fillRect(QRectF(track.left(), track.bottom(), track.width(), 1), QColor(shades.control))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for end in (low, high):
            x = self._x(min(max(end, h.low), h.high))
            painter.setPen(QPen(QColor(shades.accent), 1.5))
            painter.setBrush(QColor(shades.base))
            painter.drawEllipse(QRectF(x - HANDLE / 2, track.bottom() - HANDLE / 2 + 1, HANDLE, HANDLE))
        if self.hasFocus():
            painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
            painter.setPen(QPen(QColor(shades.focus), 1))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRect(self.rect().adjusted(0, 0, -1, -1))

    def _set(self, low: float, high: float) -> None:
        h = self.histogram
        self._low = -math.inf if low <= h.low else min(low, h.high)
        self._high = math.inf if high >= h.high else max(high, h.low)
        self.update()
        self.moved.emit(self._low, self._high)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if not self.histogram.rows:
            return
        low, high = self._ends()
        x = event.position().x()
        nearer_low = abs(x - self._x(low)) < abs(x - self._x(high)) or x < self._x(low)
        self._held = "low" if nearer_low else "high"
        self.mouseMoveEvent(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if not self._held or not self.histogram.rows:
            return
        low, high = self._ends()
        value = self._value(event.position().x())
        self._set(*((min(value, high), high) if self._held == "low" else (low, max(value, low))))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self._held = ""

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        if self.histogram.rows:
            self._set(-math.inf, math.inf)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if not self.histogram.rows or event.key() not in (Qt.Key.Key_Left, Qt.Key.Key_Right, Qt.Key.Key_Home):
            super().keyPressEvent(event)
            return
        h = self.histogram
        if event.key() == Qt.Key.Key_Home:
            self._set(-math.inf, math.inf)
            return
        low, high = self._ends()
        step = (h.high - h.low) / 50
        step = (max(1.0, round(step)) if h.high - h.low > 20 else step) * (1 if event.key() == Qt.Key.Key_Right else -1)
        if event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            self._set(low, max(low, high + step))
        else:
            self._set(min(high, low + step), high)

    def sizeHint(self) -> QSize:
        return QSize(160, int(self.fontMetrics().height() * 2.4))

    def minimumSizeHint(self) -> QSize:
        return QSize(80, self.sizeHint().height())

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange:
            self.update()


def parse_limit(key: str, text: str, otherwise: float) -> float | None:
    """Read a typed limit: `otherwise` if empty, None if it is no number; E-values come back as logarithms."""
    text = text.strip().replace(",", "").replace("\N{MINUS SIGN}", "-")
    if not text:
        return otherwise
    try:
        value = float(text)
    except ValueError:
        return None
    if key != "evalue":
        return value if math.isfinite(value) else None
    return math.log10(value) if value > 0 else -math.inf if value == 0 else None


class RangeRow(QWidget):
    """One number: name, slider with histogram, and two boxes to type the limits."""

    changed = Signal(object)  # the new `Range`

    def __init__(self, key: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        column = BY_KEY[key]
        self.key = key
        self.setObjectName(f"range-{key}")
        label = text_label(column.title, tip=column.tool_tip())
        self.note = text_label(name=f"rangeNote-{key}", level="small")
        self.note.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.note.setAlignment(Qt.AlignmentFlag.AlignRight)
        self.slider = RangeSlider(column.title)
        self.slider.setObjectName(f"rangeSlider-{key}")
        self.low, self.high = (self._box(end, column.title) for end in ("low", "high"))
        self.slider.moved.connect(self._slid)
        layout = QGridLayout(self)
        theme.arrange(layout, 0, 0.5)
        layout.addWidget(label, 0, 0)
        layout.addWidget(self.note, 0, 1)
        layout.addWidget(self.slider, 1, 0, 1, 2)
        layout.addWidget(self.low, 2, 0)
        layout.addWidget(self.high, 2, 1)
        layout.setColumnStretch(0, 1)
        layout.setColumnStretch(1, 1)

    def _box(self, end: str, name: str) -> QLineEdit:
        box = line_edit(
            f"range{end.capitalize()}-{self.key}", LIMIT_TIP, hint="from" if end == "low" else "to",
            accessible=f"{name}, {'lower' if end == 'low' else 'upper'} limit",
        )  # fmt: skip
        box.editingFinished.connect(self._typed)
        return box

    def show_range(self, limits: Range) -> None:
        self.slider.set_limits(limits.low, limits.high)
        show = formatting.limit if self.key == "evalue" else lambda value: f"{value:,.10g}"
        for box, value in ((self.low, limits.low), (self.high, limits.high)):
            box.setText(show(value) if math.isfinite(value) else "")
            theme.set_role(box, wrong=False)

    def show_histogram(self, counted: Histogram) -> None:
        self.slider.show_histogram(counted)
        complete = counted.known == counted.rows or not BY_KEY[self.key].late
        self.note.setText("" if complete else f"{counted.known:,} of {counted.rows:,} aligned")
        self.note.setToolTip("" if complete else "Number of aligned hits; the others are not counted yet")

    def _slid(self, low: float, high: float) -> None:
        self.show_range(Range(self.key, low, high))
        self.changed.emit(Range(self.key, low, high))

    def _typed(self) -> None:
        low = parse_limit(self.key, self.low.text(), -math.inf)
        high = parse_limit(self.key, self.high.text(), math.inf)
        for box, value in ((self.low, low), (self.high, high)):
            theme.set_role(box, wrong=value is None)
            box.setToolTip("This is not a number." if value is None else LIMIT_TIP)
        if low is not None and high is not None:
            self.slider.set_limits(low, high)
            self.changed.emit(Range(self.key, low, high))


class FilterPanel(QFrame):
    """All range filters, one below the other.

    Parameters
    ----------
    tasks : Tasks
        Counts the histograms.
    current : Callable[[], HitFilter]
        Returns the filter in use.
    """

    changed = Signal(object)  # the new `HitFilter`

    def __init__(self, tasks: Tasks, current: Callable[[], HitFilter], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("filterPanel")
        self._tasks = tasks
        self._current = current
        self._data: HitData | None = None
        self.rows = {key: RangeRow(key) for key in RANGE_KEYS}
        self.boxes = {name: self._box(name, *words) for name, words in BOXES.items()}
        self.organisms = OrganismList()
        self.organisms.hide()
        self.organisms.chosen.connect(lambda names: self.changed.emit(replace(self._current(), organisms=names)))
        self.clear_button = push_button(
            "filterClear", "Clear all filters", "Show all hits except hidden ones",
            lambda: self.changed.emit(HitFilter()), role="quiet",
        )  # fmt: skip
        inner = QWidget()
        for row in self.rows.values():
            row.changed.connect(self._limits_changed)
        marks = in_column(*self.boxes.values(), spacing=0.5)
        parts: tuple[QWidget | QLayout, ...] = (marks, self.organisms, *self.rows.values(), self.clear_button)
        self._ranges = in_column(*parts, 1, margins=(1, 1, 1.5, 1), spacing=1.5, parent=inner)
        in_column(Upright(inner, "filterScroll"), spacing=0, parent=self)
        self._recount = delayed(self, 250, self._count)

    def add_ranges(self, keys: Sequence[str]) -> None:
        """Add filters for further columns of numbers, below the others."""
        for key in keys:
            row = self.rows[key] = RangeRow(key)
            row.changed.connect(self._limits_changed)
            self._ranges.insertWidget(self._ranges.indexOf(self.clear_button), row)
        self.refresh()

    def _box(self, name: str, text: str, tip: str) -> QCheckBox:
        does = lambda on: self.changed.emit(replace(self._current(), **{name: on}))  # noqa: E731
        return check_box(f"filter-{name}", text, tip, does)

    def show_data(self, data: HitData | None) -> None:
        """Count the values of another query."""
        self._data = data
        self.refresh()

    def refresh(self) -> None:
        """Count again soon: new values were computed."""
        if self.isVisible() and not self._recount.isActive():
            self._recount.start()

    def show_filter(self, wanted: HitFilter) -> None:
        for key, row in self.rows.items():
            row.show_range(wanted.range(key))
        self.organisms.show_ticked(wanted.organisms)
        for name, box in self.boxes.items():
            box.blockSignals(True)
            box.setChecked(getattr(wanted, name))
            box.blockSignals(False)
        self.clear_button.setEnabled(wanted != HitFilter())

    def _count(self) -> None:
        data = self._data
        if data is None:
            return
        statistics = data.has_statistics
        for key in ("evalue", "bitscore"):
            self.rows[key].setVisible(statistics)
        self._tasks.submit(
            "results-histograms",
            lambda: ({key: histogram(data, key) for key in self.rows}, data.organisms),
            lambda counted: self._show_counts(data, *counted),
        )

    def _show_counts(self, data: HitData, counted: dict[str, Histogram], organisms: SubjectOrganisms) -> None:
        if data is self._data:
            self.organisms.show_counts(organisms)
            self.boxes["best_of_organism"].setEnabled(bool(organisms.names))
            for key, row in self.rows.items():
                row.show_histogram(counted[key])

    def _limits_changed(self, limits: Range) -> None:
        wanted = self._current().with_range(limits)
        if wanted != self._current():
            self.changed.emit(wanted)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.refresh()

    def sizeHint(self) -> QSize:
        return QSize(theme.grid(26), QApplication.primaryScreen().availableSize().height() // 3)
