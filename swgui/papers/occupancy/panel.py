"""Occupancy of a GPU by a kernel: drawn, predicted by equations, counted by the driver, and measured."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QEvent, QRectF, QSignalBlocker, QSize, Qt
from PySide6.QtGui import QBrush, QColor, QFontMetricsF, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QFrame, QLabel, QSizePolicy, QSpinBox, QWidget

from swgui.core import words
from swgui.core.engines import Kind
from swgui.core.errors import InvalidParameter
from swgui.core.methods.occupancy import (
    BLOCKS,
    CARDS,
    REGISTERS,
    SHARED,
    THREADS,
    KernelNeeds,
    Occupancy,
    card_limits,
    occupancy,
)
from swgui.core.methods.search import SEARCH_METHODS
from swgui.core.sweep.grid import SweepResult
from swgui.engines.base import EngineStatus, KernelUse
from swgui.engines.registry import devices_of_kind
from swgui.gui.device.tabs import DeviceTab
from swgui.gui.kit.layouts import card, in_column, in_grid, in_row
from swgui.gui.kit.plots.still import ceiling, pg, still_plot
from swgui.gui.kit.theme import Colours, colours, grid, keep_size, style_plot
from swgui.gui.kit.widgets import combo_box, fill_combo, shrinkable, spin_box, text_label
from swgui.gui.words import wording
from swgui.papers.occupancy.equations import paper_ratios, shortest_filling, tile_limits

WARPS_IN_A_ROW = 16
MAX_NUMBERED = 16  # blocks with a number in their part of a bar
KIB = 1024
USUAL_CARD = "9.0"
USUAL = KernelNeeds(256, 64, 16_384)
ELEMENT = 4  # bytes of a cell, as the paper counts
OWN = "other numbers"
INTRO = (
    "A multiprocessor runs several blocks of threads at once, as many as its registers, its shared memory and its "
    "places for threads and blocks allow. More resident warps hide waiting better; full is not always fastest."
)
EQUATIONS = (
    "Equations, table 2 and the names are those of “Tiling and dynamic, concurrent kernels”; equations 4 to 6 divide "
    "without rounding, the hardware gives out registers per warp, shared memory in steps and whole blocks only."
)
ROWS = (
    ("card", "Table 2, the GPU"),
    ("kernel", "Table 2, the kernel"),
    ("exact", "Equation 3, by the rules of the hardware"),
    ("driver", "The same counted by the driver"),
    ("registers", "Equation 4, registers: (Rg / Ra) / Tg"),
    ("shared", "Equation 5, shared memory: (Sg / Sa) / Tg"),
    ("threads", "Equation 6, size of blocks: Wa · Ba / Wg"),
    ("pair", "Equation 2, a pair that fills the GPU: √2 · N ≥ G"),
    ("tmin", "Equation 7, smallest tile: t ≥ G / √2"),
    ("tmax", "Equation 8, largest tile: t ≤ √(m / s)"),
    ("tiles", "Equation 9, both: G / √2 ≤ t ≤ √(m / s)"),
)
NUMBERS = (
    ("threads", "Threads per block", (32, 1024), 32, USUAL.threads),
    ("registers", "Registers per thread", (1, 255), 8, USUAL.registers),
    ("shared", "Shared bytes per block", (0, 233_472), 1024, USUAL.shared_bytes),
)  # object name, title, limits, step, value to begin with


@dataclass(frozen=True, slots=True)
class Bar:
    """One resource of a multiprocessor."""

    name: str  # as in `swgui.core.methods.occupancy`
    each: float  # share of it that a block takes
    text: str  # amount in use, in words


def bars(occupancy: Occupancy) -> tuple[Bar, ...]:
    """Return the bars of a drawing, upper first."""
    card, blocks = occupancy.card, occupancy.blocks
    share = max(blocks, 1)
    needs = occupancy.needs
    each_registers = occupancy.registers_used / share if blocks else needs.registers * needs.threads
    each_shared = occupancy.shared_used / share if blocks else needs.shared_bytes + card.shared_reserved
    return (
        Bar(
            REGISTERS,
            each_registers / card.registers,
            f"{occupancy.registers_used:,} of {card.registers:,} registers ({needs.registers} per thread)",
        ),
        Bar(
            SHARED,
            each_shared / card.shared_bytes,
            f"{occupancy.shared_used / KIB:.1f} of {card.shared_bytes / KIB:.0f} KiB shared memory "
            f"({needs.shared_bytes / KIB:.1f} KiB per block)",
        ),
        Bar(
            THREADS,
            needs.warps / card.warps,
            f"{occupancy.warps} of {card.warps} warps = {occupancy.threads:,} of {card.threads:,} threads",
        ),
        Bar(BLOCKS, 1 / card.blocks, f"{blocks} of {card.blocks} places for blocks"),
    )


class OccupancyView(QWidget):
    """Draws an `Occupancy`; nothing before there is one."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("occupancyView")
        self.setAccessibleName("What one multiprocessor holds")
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self._occupancy: Occupancy | None = None

    def show_occupancy(self, occupancy: Occupancy | None) -> None:
        """Draw an occupancy and describe the drawing in words; None for an empty drawing."""
        self._occupancy = occupancy
        self.setAccessibleDescription(occupancy.explain() if occupancy else "")
        self.setToolTip(occupancy.explain() if occupancy else "")
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        """Return a size at which warps can be counted."""
        lines = 1.3 + 4 * 2.6 + 0.3  # title, four bars with their texts, margin
        return QSize(grid(80), round(QFontMetricsF(self.font()).height() * lines + self._warp_height()))

    def minimumSizeHint(self) -> QSize:
        """Return a size below which nothing could be read."""
        return QSize(grid(44), self.sizeHint().height())

    def changeEvent(self, event: QEvent) -> None:
        """Follow the theme and the text size."""
        super().changeEvent(event)
        if event.type() in (QEvent.Type.PaletteChange, QEvent.Type.FontChange):
            self.updateGeometry()
            self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw."""
        if self._occupancy is None:
            return
        painter = QPainter(self)
        painter.setFont(self.font())
        shades = colours(self)
        line = QFontMetricsF(self.font()).height()
        y = self._draw_warps(painter, self._occupancy, line, shades)
        for bar in bars(self._occupancy):
            y = self._draw_bar(painter, self._occupancy, bar, y + line * 0.45, line, shades)
        painter.end()

    def _warp_height(self) -> float:
        rows = -(-self._occupancy.card.warps // WARPS_IN_A_ROW) if self._occupancy else 4
        return rows * grid(2)

    def _draw_warps(self, painter: QPainter, occupancy: Occupancy, line: float, shades: Colours) -> float:
        painter.setPen(QColor(shades.muted))
        title = f"One multiprocessor, {occupancy.card.warps} warps of 32 threads"
        painter.drawText(QRectF(0, 0, self.width(), line), int(Qt.AlignmentFlag.AlignLeft), title)
        step = min(grid(4.5), self.width() / WARPS_IN_A_ROW)
        height = grid(2)
        for warp in range(occupancy.card.warps):
            row, column = divmod(warp, WARPS_IN_A_ROW)
            rect = QRectF(column * step, line * 1.3 + row * height, step - 2, height - 2)
            block, inside = divmod(warp, occupancy.needs.warps)
            if block >= occupancy.blocks:
                self._empty(painter, rect, shades)
                continue
            colour = QColor(shades.series[block % len(shades.series)])
            painter.fillRect(rect, colour)
            if not inside:
                painter.setPen(QColor(shades.base))
                painter.drawText(rect, int(Qt.AlignmentFlag.AlignCenter), str(block + 1))
        right = QRectF(WARPS_IN_A_ROW * step + grid(2), line * 1.3, self.width(), self._warp_height())
        if right.left() + grid(12) < self.width():
            big = painter.font()
            big.setPointSizeF(big.pointSizeF() * 2)
            painter.setFont(big)
            painter.setPen(QColor(shades.text))
            painter.drawText(right, int(Qt.AlignmentFlag.AlignLeft), wording.percent(occupancy.ratio))
            painter.setFont(self.font())
            painter.setPen(QColor(shades.muted))
            right.setTop(right.top() + QFontMetricsF(big).height())
            painter.drawText(right, int(Qt.AlignmentFlag.AlignLeft), "of its warps are resident")
        return line * 1.3 + self._warp_height()

    def _draw_bar(self, painter: QPainter, shown: Occupancy, bar: Bar, y: float, line: float, shades: Colours) -> float:
        limiting = bar.name in shown.limiting
        painter.setPen(QColor(shades.text if limiting else shades.muted))
        text = f"{bar.text}{'  ◀ allows no further block' if limiting else ''}"
        painter.drawText(QRectF(0, y, self.width(), line), int(Qt.AlignmentFlag.AlignLeft), text)
        whole = QRectF(0, y + line * 1.1, self.width() - 2, line * 1.05)
        self._empty(painter, whole, shades)
        width = whole.width() * bar.each
        for block in range(shown.blocks):
            part = QRectF(whole.left() + block * width, whole.top(), max(width - 1, 1), whole.height())
            painter.fillRect(part, QColor(shades.series[block % len(shades.series)]))
            if shown.blocks <= MAX_NUMBERED and width > grid(2):
                painter.setPen(QColor(shades.base))
                painter.drawText(part, int(Qt.AlignmentFlag.AlignCenter), str(block + 1))
        if limiting and shown.blocks * bar.each < 1 and bar.each <= 1:
            # Rest of a used-up resource: too little for one more block.
            rest = QRectF(whole)
            rest.setLeft(whole.left() + shown.blocks * width)
            painter.fillRect(rest, QBrush(QColor(shades.control), Qt.BrushStyle.BDiagPattern))
        if limiting:
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(QColor(shades.text), 2))
            painter.drawRect(whole)
        return whole.bottom()

    @staticmethod
    def _empty(painter: QPainter, rect: QRectF, shades: Colours) -> None:
        painter.setBrush(QColor(shades.alternate))
        painter.setPen(QPen(QColor(shades.border), 1))
        painter.drawRect(rect)


class OccupancyPanel(DeviceTab):
    """Shows the occupancy of the kernels in use, or of numbers that the user types."""

    title = "Occupancy"

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._uses: tuple[KernelUse, ...] = ()
        self._multiprocessors = 0
        self._memory = 0
        self._sweep: SweepResult | None = None
        self._occupancy: Occupancy | None = None
        parts = (self._build_numbers(), self._build_drawing(), self._build_measured())
        in_column(*parts, 1, spacing=1.5, parent=self)
        self._show()

    def show_engines(self, statuses: Sequence[EngineStatus]) -> None:
        """Choose the first GPU by default."""
        gpu = next(iter(devices_of_kind(statuses, Kind.GPU)), None)
        self._memory = gpu.memory if gpu else 0
        count = gpu.facts.get("multiprocessors", "") if gpu else ""
        self._multiprocessors = int(count) if count.isdecimal() else 0
        if gpu is not None:
            try:
                limits = card_limits(gpu.facts.get("compute capability", ""))
            except InvalidParameter:
                limits = CARDS[USUAL_CARD]
            self._card.setCurrentIndex(self._card.findData(limits.capability))
        self._show()

    def show_use(self, uses: Sequence[KernelUse]) -> None:
        """Show the kernels of a search."""
        self._uses = tuple(uses)
        kernels = [f"{_title(use)}: {use.kernel}, {use.threads} threads × {use.blocks:,} blocks" for use in self._uses]
        fill_combo(self._kernel, [(text, None) for text in (*kernels, OWN)])
        self._kernel_chosen()

    def show_sweep(self, result: SweepResult | None) -> None:
        """Show the speeds of a sweep over the occupancy of its kernels; None for no sweep."""
        self._sweep = result
        self._draw_measured()

    @property
    def occupancy(self) -> Occupancy | None:
        """Occupancy of the numbers that are shown; None before there are any."""
        return self._occupancy

    def changeEvent(self, event: QEvent) -> None:
        """Follow the theme and the text size."""
        super().changeEvent(event)
        if event.type() in (QEvent.Type.PaletteChange, QEvent.Type.FontChange) and hasattr(self, "_plot"):
            self._draw_measured()

    def _build_numbers(self) -> QFrame:
        tip = "Kernel whose registers and shared memory are put in below"
        self._kernel = shrinkable(combo_box("occupancyKernel", tip, self._kernel_chosen, items=((OWN, None),)), 30)
        self._card = combo_box(
            "occupancyCard",
            "Limits of the multiprocessor: those of this computer, or of another GPU",
            self._show,
            items=[(f"compute capability {name}", name) for name in CARDS],
            chosen=USUAL_CARD,
        )
        shrinkable(self._card, 22)
        tip = "What one block needs; the graph shows how many fit a multiprocessor"
        self._numbers: dict[str, QSpinBox] = {}
        for name, _, limits, step, value in NUMBERS:
            self._numbers[name] = spin_box(
                f"occupancy-{name}", limits, value, tip, self._typed, step=step, grouped=True, width=12
            )
        labels = [text_label(title, buddy=self._numbers[name]) for name, title, *_ in NUMBERS]
        row = in_grid(
            (*labels, text_label("GPU", buddy=self._card)),
            (*self._numbers.values(), self._card),
            spacing=(1.5, 0.75),
            stretch=(1, 1, 1, 1),
        )
        return card(
            "",
            text_label("Occupancy", level="heading"),
            text_label(INTRO, wrap=True, level="muted"),
            in_row(text_label("Kernel", buddy=self._kernel), (self._kernel, 1)),
            row,
        )

    def _build_drawing(self) -> QFrame:
        self.view = OccupancyView()
        self._sentence = text_label(name="occupancySentence", wrap=True)
        self._values: dict[str, QLabel] = {}
        table = in_grid(spacing=(3, 0.5), stretch=(0, 1))
        for row, (name, text) in enumerate(ROWS):
            self._values[name] = text_label(name=f"occupancy-value-{name}", wrap=True, selectable=True)
            table.addWidget(text_label(text, level="muted"), row, 0, Qt.AlignmentFlag.AlignTop)
            table.addWidget(self._values[name], row, 1)
        return card("", self.view, self._sentence, table, text_label(EQUATIONS, wrap=True, level="small"))

    def _build_measured(self) -> QFrame:
        self._plot = still_plot("GCUPS", "resident warps, % of the most")
        keep_size(self._plot, height=28)
        self._relation = text_label(name="occupancyMeasured", wrap=True)
        title = text_label("Speed over occupancy, from the last sweep", level="section")
        return card("", title, self._plot, self._relation)

    def _kernel_chosen(self, *_: object) -> None:
        if (use := self._use()) is not None:
            values = {"threads": use.threads, "registers": use.registers, "shared": use.shared_bytes}
            for name, value in values.items():
                box = self._numbers[name]
                with QSignalBlocker(box):
                    box.setValue(value)
        self._show()

    def _typed(self, *_: object) -> None:
        self._kernel.setCurrentIndex(self._kernel.count() - 1)
        self._show()

    def _use(self) -> KernelUse | None:
        """Return the kernel that is chosen, None for other numbers."""
        index = self._kernel.currentIndex()
        return self._uses[index] if 0 <= index < len(self._uses) else None

    def _show(self, *_: object) -> None:
        limits = CARDS[str(self._card.currentData())]
        needs = KernelNeeds(*(self._numbers[name].value() for name in ("threads", "registers", "shared")))
        use = self._use()
        blocks = use.blocks if use else 0
        multiprocessors = self._multiprocessors
        self._occupancy = result = occupancy(needs, limits, launch_blocks=blocks, multiprocessors=multiprocessors)
        self.view.show_occupancy(result)
        self._sentence.setText(result.explain())
        ratios = paper_ratios(needs, limits)
        values = {
            "exact": f"{words.count(result.blocks, 'block')}, {wording.percent(result.ratio)}",
            "driver": _by_driver(use, result),
            "registers": _percent(ratios["registers"]),
            "shared": _percent(ratios["shared memory"]),
            "threads": _percent(ratios["threads"]),
        }
        cores = limits.cores * (multiprocessors or 1)
        counted = (
            f"{multiprocessors} × {limits.cores} cores" if multiprocessors else f"{cores} cores of one multiprocessor"
        )
        tiles = tile_limits(cores, self._memory or limits.shared_block_bytes, ELEMENT)
        held = (
            f"{self._memory / 2**30:.0f} GiB" if self._memory else f"{limits.shared_block_bytes >> 10} KiB of a block"
        )
        values["card"] = (
            f"Rg {limits.registers:,} · Tg {limits.threads:,} · Sg {limits.shared_bytes >> 10} KiB · "
            f"Wg {limits.warps} · G {cores:,}"
        )
        values["kernel"] = (
            f"Ra {needs.registers} · Ta {needs.threads:,} · Sa {needs.shared_bytes / needs.threads:,.4g} bytes · "
            f"Wa {needs.warps} · Ba {min(limits.blocks, limits.threads // needs.threads)}"
        )
        values["pair"] = f"from N = {shortest_filling(cores):,} residues ({counted})"
        values["tiles"] = (
            f"{tiles.smallest:,} to {tiles.largest:,} rows"
            if tiles.smallest <= tiles.largest
            else "no tile does both here"
        )
        values["tmin"] = f"{tiles.smallest:,} rows ({counted})"
        values["tmax"] = f"{tiles.largest:,} rows ({held}, {ELEMENT} bytes per cell)"
        for name, text in values.items():
            self._values[name].setText(text)
        self._draw_measured()

    def _points(self) -> tuple[list[float], list[float]]:
        result, limits = self._sweep, CARDS[str(self._card.currentData())]
        if result is None:
            return [], []
        x, y = [], []
        for cell in result.measured:
            use = cell.use
            if use.get("threads"):
                needs = KernelNeeds(use["threads"], use["registers"], use["shared_bytes"])
                computed = occupancy(needs, limits, launch_blocks=use["blocks"], multiprocessors=self._multiprocessors)
                x.append(100 * computed.ratio)
                y.append(cell.median)
        return x, y

    def _draw_measured(self) -> None:
        shades = colours(self)
        item = self._plot.getPlotItem()
        item.clear()
        style_plot(self._plot)
        x, y = self._points()
        item.setXRange(0, 100, padding=0.02)
        item.setYRange(0, ceiling(max(y, default=1.0) * 1.05), padding=0)
        self._plot.setVisible(bool(x))
        if not x:
            self._relation.setText(
                "Run a sweep of threads and blocks on a GPU, and each of its cells becomes a dot here."
            )
            return
        brush = pg.mkBrush(shades.series[0])
        self._plot.plot(x, y, pen=None, symbol="o", symbolSize=grid(1), symbolBrush=brush, symbolPen=None)
        self._relation.setText(_relation(x, y))


def _relation(x: Sequence[float], y: Sequence[float]) -> str:
    """Return a sentence about speeds (GCUPS) over occupancies (percent): the fastest, and their correlation."""
    best = int(np.argmax(y))
    text = f"{len(x)} settings; the fastest has an occupancy of {x[best]:.0f} %."
    if len(x) > 2 and np.ptp(x) > 0 and np.ptp(y) > 0:
        text += f" Correlation of speed with occupancy: {np.corrcoef(x, y)[0, 1]:.2f} (1: more is always faster)."
    return text


def _title(use: KernelUse) -> str:
    return SEARCH_METHODS[use.method].title if use.method in SEARCH_METHODS else use.method


def _percent(ratio: float) -> str:
    return "no limit" if math.isinf(ratio) else wording.percent(ratio)


def _by_driver(use: KernelUse | None, occupancy: Occupancy) -> str:
    if use is None:
        return "known for kernels in use only"
    if not use.resident_blocks:
        return "not told"
    ratio = use.resident_blocks * occupancy.needs.warps / occupancy.card.warps
    return f"{words.count(use.resident_blocks, 'block')}, {wording.percent(ratio)}"


make_tab = OccupancyPanel
