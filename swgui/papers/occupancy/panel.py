"""How much of a GPU a kernel keeps busy: drawn, predicted by equations, counted by the driver, and measured."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from PySide6.QtCore import QEvent, QSignalBlocker, Qt
from PySide6.QtWidgets import QFrame, QLabel, QSpinBox, QWidget

from swgui.core import words
from swgui.core.engines import Kind
from swgui.core.errors import InvalidParameter
from swgui.core.methods.occupancy import (
    CARDS,
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
from swgui.gui.kit.plots.library import pg
from swgui.gui.kit.plots.scale import ceiling
from swgui.gui.kit.plots.still import still_plot
from swgui.gui.kit.theme import colours, grid, keep_size, style_plot
from swgui.gui.kit.widgets import (
    combo_box,
    fill_combo,
    shrinkable,
    spin_box,
    text_label,
)
from swgui.gui.words import wording
from swgui.papers.occupancy.drawing import OccupancyView
from swgui.papers.occupancy.equations import paper_ratios, shortest_filling, tile_limits

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


class OccupancyPanel(DeviceTab):
    """Shows the occupancy of the kernels in use, or of numbers that the user types."""

    title = "Occupancy"

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._uses: tuple[KernelUse, ...] = ()
        self._multiprocessors = 0
        self._memory = 0
        self._sweep: SweepResult | None = None
        self._found: Occupancy | None = None
        parts = (self._build_numbers(), self._build_drawing(), self._build_measured())
        in_column(*parts, 1, spacing=1.5, parent=self)
        self._show()

    def show_engines(self, statuses: Sequence[EngineStatus]) -> None:
        """Take the first GPU as the one that is meant."""
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
    def found(self) -> Occupancy | None:
        """Occupancy of the numbers that are shown; None before there are any."""
        return self._found

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
        for name, _title, limits, step, value in NUMBERS:
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
        at = self._kernel.currentIndex()
        if 0 <= at < len(self._uses):
            use = self._uses[at]
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
        at = self._kernel.currentIndex()
        return self._uses[at] if 0 <= at < len(self._uses) else None

    def _show(self, *_: object) -> None:
        limits = CARDS[str(self._card.currentData())]
        needs = KernelNeeds(*(self._numbers[name].value() for name in ("threads", "registers", "shared")))
        use = self._use()
        blocks = use.blocks if use else 0
        multiprocessors = self._multiprocessors
        self._found = found = occupancy(needs, limits, launch_blocks=blocks, multiprocessors=multiprocessors)
        self.view.show_occupancy(found)
        self._sentence.setText(found.explain())
        ratios = paper_ratios(needs, limits)
        values = {
            "exact": f"{words.count(found.blocks, 'block')}, {wording.percent(found.ratio)}",
            "driver": _by_driver(use, found),
            "registers": _percent(ratios["registers"]),
            "shared": _percent(ratios["shared memory"]),
            "threads": _percent(ratios["threads"]),
        }
        cores = limits.cores * (multiprocessors or 1)
        of = f"{multiprocessors} × {limits.cores} cores" if multiprocessors else f"{cores} cores of one multiprocessor"
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
        values["pair"] = f"from N = {shortest_filling(cores):,} residues ({of})"
        values["tiles"] = (
            f"{tiles.smallest:,} to {tiles.largest:,} rows"
            if tiles.smallest <= tiles.largest
            else "no tile does both here"
        )
        values["tmin"] = f"{tiles.smallest:,} rows ({of})"
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
                found = occupancy(needs, limits, launch_blocks=use["blocks"], multiprocessors=self._multiprocessors)
                x.append(100 * found.ratio)
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


def _by_driver(use: KernelUse | None, found: Occupancy) -> str:
    if use is None:
        return "known for kernels in use only"
    if not use.resident_blocks:
        return "not told"
    ratio = use.resident_blocks * found.needs.warps / found.card.warps
    return f"{words.count(use.resident_blocks, 'block')}, {wording.percent(ratio)}"


make_tab = OccupancyPanel
