"""The chosen database: its facts, the lengths of its sequences, and the actions on it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QSize, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QGridLayout, QPushButton, QScrollArea, QSizePolicy, QToolTip, QWidget

from swgui.core.database import EncodedDatabase
from swgui.core.headers import parse_header
from swgui.core.organisms.subjects import describe_organisms
from swgui.core.packing import sort_by_length
from swgui.core.words import count
from swgui.gui.databases.list import STATES, DatabaseRow, day_and_time
from swgui.gui.inputs.report import InputReport
from swgui.gui.kit.elided import ElidedLabel
from swgui.gui.kit.flow import FlowRow
from swgui.gui.kit.layouts import in_column, in_row, turn
from swgui.gui.kit.plots.histogram_frame import TICKS, HistogramFrame, mark
from swgui.gui.kit.plots.still import ceiling, pg
from swgui.gui.kit.theme import Colours, arrange, grid, keep_size, set_role
from swgui.gui.kit.widgets import Does, described, plain, push_button, text_label
from swgui.gui.words.formatting import file_size
from swgui.gui.words.wording import KIND_NAMES
from swgui.io.database.dated import release_of
from swgui.io.database.file import database_facts, open_database, stored_report
from swgui.io.read_report import ReadReport

BINS = 48
LONGEST = 3  # sequences named
SOURCES = 6  # files named
UNITS = ((1_000_000_000, "G"), (1_000_000, "M"), (100_000, "k"))  # shorter than thousands separators
LEVELS = 4  # ticks of the upright axis at most
MIN_DECADES = 0.12  # or one bar would fill the plot
BREAK = "\N{ZERO WIDTH SPACE}"  # where a path or a long name may break into the next line
BREAKS = str.maketrans({mark: mark + BREAK for mark in "/\\_|"})
# Name, text, icon, tip; the first is the most frequent action, and has no icon.
BUTTONS = (
    ("use", "Use for searching", "", "Search in this database (Enter)"),
    ("update", "Update from source", "refresh", "Read the source files again"),
    ("check", "Check", "check", "Read the whole file and compare all its checksums"),
    ("report", "Remarks…", "report", "Every change made while reading the sources"),
    ("locate", "Locate…", "search", "Choose the new place of the file"),
    ("folder", "Show folder", "open", "Open the folder of this database"),
    ("remove", "Remove…", "clear", "Take it off the list (Delete); the sources stay"),
)
NARROW = 110  # grid units; below it the plot is under the facts


@dataclass(frozen=True, slots=True, eq=False)
class LengthFigure:
    """Distribution of the lengths of sequences."""

    edges: NDArray[np.int64]  # a bin holds the lengths from its edge up to, but not with, the next one
    counts: NDArray[np.int64]  # shape (bins,)
    median: int
    longest: int
    unit: str  # ``residue`` or ``base``


@dataclass(frozen=True, slots=True, eq=False)
class Details:
    """The chosen database, as the page shows it."""

    facts: list[tuple[str, str]]  # name and text
    lengths: LengthFigure | None = None  # none if there are fewer than two lengths
    report: ReadReport | None = None  # none if the database cannot be read


def describe_database(row: DatabaseRow, gpu_memory: int, gpu_bytes_per_residue: int) -> Details:
    """Gather the facts of a database; opens the file, so call it from a worker.

    Parameters
    ----------
    gpu_memory : int
        Bytes, 0 without a GPU.

    Raises
    ------
    DatabaseError
        If the file cannot be read any more.
    """
    if row.known is None:
        state = STATES[row.state].meaning
        return Details([("State", row.reason if row.state == "unreadable" else state), ("File", str(row.path))])
    facts = database_facts(row.file)
    database = open_database(row.file, in_blocks=True)
    report = stored_report(row.file)
    unit = facts.alphabet.letter
    order = sort_by_length(database.lengths)
    lengths = database.lengths[order].astype(np.int64)
    told = [
        ("State", row.reason or STATES[row.state].meaning),
        (
            "Content",
            f"{count(facts.sequences, f'{KIND_NAMES[facts.alphabet.name]} sequence')}, {count(facts.residues, unit)}",
        ),
    ]
    if len(lengths):
        told.append(("Lengths", _spread(lengths, unit)))
    if len(lengths) > 1:
        told.append(("Longest", _longest(database, order)))
    if database.stored_organisms is not None:
        told.append(("Organisms", describe_organisms(database.stored_organisms)))
    if facts.profiles is not None:
        told.append(("Profiles", f"a profile of each sequence, {facts.profiles}; searches compare profiles"))
    told.append(("Reading", _reading(report)))
    told.append(("Made", f"{day_and_time(facts.made)} by {facts.program}"))
    if release := release_of(row.file):
        told.append(("Release", release))
    sources = row.known.sources
    for number, source in enumerate(sources[:SOURCES]):
        more = f" and {len(sources) - SOURCES:,} more" if number == SOURCES - 1 and len(sources) > SOURCES else ""
        told.append(("Source" if not number else "", f"{source}{'' if source.exists() else ' (gone)'}{more}"))
    told.append(("File", f"{row.file} ({file_size(facts.size)})"))
    if facts.packed is not None:
        told.append(("Packed", _packed(row.file)))
    told.append(("Checksum", facts.checksum))
    if gpu_memory:
        fits = facts.residues * gpu_bytes_per_residue < gpu_memory
        told.append(("GPU", "fits the GPU's memory" if fits else "larger than the GPU's memory: sent in parts"))
    return Details(told, length_figure(lengths, unit), report)


def length_figure(lengths: NDArray[np.int64], unit: str) -> LengthFigure | None:
    """Count lengths in bins that grow by a constant factor, as far as whole numbers allow."""
    positive = lengths[lengths > 0]
    low, high = int(positive.min(initial=2**62)), int(positive.max(initial=0))
    if low >= high:
        return None
    edges = np.unique(np.rint(np.geomspace(low, high + 1, BINS + 1)).astype(np.int64))
    counts, _ = np.histogram(positive, bins=edges)
    return LengthFigure(edges, counts.astype(np.int64), int(np.median(positive)), high, unit)


def _spread(lengths: NDArray[np.int64], unit: str) -> str:
    if lengths[0] == lengths[-1]:
        return f"{'all of ' if len(lengths) > 1 else ''}{count(int(lengths[0]), unit)}"
    half = int(lengths[np.searchsorted(np.cumsum(lengths), lengths.sum() / 2)])
    return (
        f"{int(lengths[-1]):,} to {count(int(lengths[0]), unit)}, median {int(np.median(lengths)):,}; "
        f"half of all {unit}s are in sequences of {half:,} or longer"
    )


def _packed(path: Path) -> str:
    """Return a sentence on how swgui searches a packed file, and on the wait if it reads it block by block."""
    from swgui.io.database.packed.file import PackedFile  # imported here: few files are packed
    from swgui.io.database.packed.opening import fits_memory
    from swgui.jobs.waiting import on_disk, what_waits

    file = PackedFile(path)
    said = on_disk(file)
    return said if fits_memory(file.header.facts) else f"{said}; {what_waits(file)}"


def _longest(database: EncodedDatabase, order: NDArray[np.int64]) -> str:
    named = []
    for index in order[:LONGEST].tolist():
        name = parse_header(database.ids[index], database.descriptions[index]).name
        named.append(f"{name or 'without a name'} ({int(database.lengths[index]):,})")
    return ", ".join(named)


def _reading(report: ReadReport) -> str:
    remarks = sum(report.counts.values())
    summary = f"{count(remarks, 'remark')}" if remarks else "nothing was changed"
    return f"{report.format}; {summary}" if report.format else summary


class LengthPlot(HistogramFrame):
    """Sequences per length; the length axis is logarithmic."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("Lengths of all sequences", "length", 16, parent=parent)
        self.setObjectName("lengthPlot")
        self.figure: LengthFigure | None = None
        self._median = pg.InfiniteLine(angle=90, movable=False)
        self.plot.addItem(self._median)
        self.plot.scene().sigMouseMoved.connect(self._point_at)
        self.show_figure(None)

    def sizeHint(self) -> QSize:
        return QSize(grid(48), grid(24))

    def show_figure(self, figure: LengthFigure | None) -> None:
        self.figure = figure
        for part in (self.bars, self._median):
            part.setVisible(figure is not None)
        if figure is not None:
            edges = np.log10(figure.edges)
            self.bars.setData(edges, figure.counts)
            self._median.setPos(math.log10(figure.median + 0.5))
            spare = max(0.0, MIN_DECADES - float(edges[-1] - edges[0])) / 2 + 0.01
            self.plot.setXRange(float(edges[0]) - spare, float(edges[-1]) + spare, padding=0)
            top = ceiling(float(figure.counts.max()) * 1.02)
            self.plot.setYRange(0, top, padding=0)
            self._set_ticks(figure, top)
            self.plot.getPlotItem().setLabel("bottom", f"length in {figure.unit}s")
        self.restyle()

    def describe_bin(self, length: float) -> str:
        """Return a text with the number of sequences of about this length; empty outside of the bars."""
        figure = self.figure
        if figure is None or not figure.edges[0] <= length < figure.edges[-1]:
            return ""
        index = int(np.searchsorted(figure.edges, length, side="right")) - 1
        low, high = int(figure.edges[index]), int(figure.edges[index + 1]) - 1
        span = f"{low:,} to {high:,}" if high > low else f"{low:,}"
        return f"{span} {figure.unit}s: {count(int(figure.counts[index]), 'sequence')}"

    def _point_at(self, position: QPointF) -> None:
        box = self.plot.getPlotItem().getViewBox()
        text = ""
        if box.sceneBoundingRect().contains(position):
            text = self.describe_bin(10 ** min(box.mapSceneToView(position).x(), 15.0))
        QToolTip.showText(self.plot.mapToGlobal(self.plot.mapFromScene(position)), text, self.plot)

    def _set_ticks(self, figure: LengthFigure, top: float) -> None:
        low, high = int(figure.edges[0]), int(figure.edges[-1]) - 1
        decades = math.log10(figure.edges[-1] / low)
        steps = TICKS[min(int(decades), len(TICKS) - 1)]
        every = (step * 10**power for power in range(12) for step in steps)
        lengths = [int(tick) for tick in every if low <= tick <= high and tick == int(tick)]
        if len(lengths) < 2:
            lengths = sorted({low, high})
        step = max(1, round(ceiling(top / LEVELS)))
        self.set_ticks(
            [(math.log10(tick + 0.5), _short(tick)) for tick in lengths],
            [(level, f"{level:,}") for level in range(0, int(top) + 1, step)],
        )

    def restyle_lines(self, shades: Colours) -> None:
        self._median.setPen(pg.mkPen(shades.series[1], width=1, style=Qt.PenStyle.DashLine))

    def legend_text(self, shades: Colours) -> tuple[str, str]:
        figure = self.figure
        if figure is None:
            return "", ""
        sequences = count(int(figure.counts.sum()), "sequence")
        text = (
            f"{mark(shades.series[0], '▮')} {sequences}&nbsp;&nbsp; {mark(shades.series[1], '╎')} median "
            f"{figure.median:,}&nbsp;&nbsp; longest {figure.longest:,}"
        )
        return text, f"{sequences}, median length {figure.median:,}, longest {figure.longest:,} {figure.unit}s."


def _short(number: int) -> str:
    for size, unit in UNITS:
        if number >= size:
            return f"{number / (1000 if unit == 'k' else size):g} {unit}"
    return f"{number:,}"


class DatabaseDetails(QFrame):
    """Shows one database."""

    # use_wanted, update_wanted, check_wanted, folder_wanted, locate_wanted, remove_wanted: a button was pressed.
    use_wanted = Signal()
    update_wanted = Signal()
    check_wanted = Signal()
    folder_wanted = Signal()
    locate_wanted = Signal()
    remove_wanted = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("databaseDetails")
        set_role(self, role="card")
        self.row: DatabaseRow | None = None
        self._details: Details | None = None
        self._busy = False
        self._build()
        self.show_row(None)

    def show_row(self, row: DatabaseRow | None) -> None:
        same = row is not None and self.row is not None and row.path == self.row.path
        self.row = row
        self._name.set_text(row.name if row else "Choose a database to see its contents.", str(row.path) if row else "")
        set_role(self._name, level="heading" if row else "muted")
        if not same:
            self.show_details(None)
        self._show_buttons()

    def show_details(self, details: Details | None) -> None:
        self._details = details
        inside = self._facts(details.facts if details else [])
        self._scroll.setWidget(inside)
        inside.setAutoFillBackground(False)  # the scroll area has turned the background on
        self.plot.show_figure(details.lengths if details else None)
        self.plot.setVisible(details is not None and details.lengths is not None)
        self._show_buttons()

    def show_error(self, text: str) -> None:
        self.show_details(Details([("", text)]))

    def set_busy(self, busy: bool) -> None:
        self._busy = busy
        self._show_buttons()

    def show_report(self) -> None:
        """Open the report of the reading that this database was built from."""
        if self._details is not None and self._details.report is not None:
            InputReport(self._details.report, self.window()).open()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        turn(self.body, self.width() < grid(NARROW))

    def _build(self) -> None:
        self._name = described(ElidedLabel(), "databaseTitle")
        signals: dict[str, Does] = {
            "use": self.use_wanted,
            "update": self.update_wanted,
            "check": self.check_wanted,
            "report": self.show_report,
            "locate": self.locate_wanted,
            "folder": self.folder_wanted,
            "remove": self.remove_wanted,
        }
        buttons = FlowRow()
        self.buttons: dict[str, QPushButton] = {}
        for name, text, icon, tip in BUTTONS:
            role = "quiet" if icon else "primary"
            button = push_button(f"database-{name}", text, tip, signals[name], icon=icon, role=role)
            buttons.add(button)
            self.buttons[name] = button
        scroll = self._scroll = described(QScrollArea(), "databaseFacts", accessible="Facts of the chosen database")
        scroll.setWidgetResizable(True)
        scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        scroll.viewport().setAutoFillBackground(False)
        keep_size(scroll, height=14)
        self.plot = LengthPlot()
        self.body = in_row((scroll, 1), (self.plot, 1), spacing=2)
        in_column(self._name, buttons, (self.body, 1), margins=(2, 1.5, 2, 1.5), parent=self)

    def _facts(self, facts: list[tuple[str, str]]) -> QWidget:
        inside = QWidget()
        layout = QGridLayout(inside)
        arrange(layout, (0, 0, 1, 0), (2, 0.5))
        layout.setColumnStretch(1, 1)
        for number, (name, text) in enumerate(facts):
            tone = STATES[self.row.state].tone if name == "State" and self.row is not None else ""
            value = text_label(text.translate(BREAKS), tip=plain(text), tone=tone, wrap=True, plain=True)
            value.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)  # as wide as there is room
            layout.addWidget(text_label(name, level="muted"), number, 0, Qt.AlignmentFlag.AlignTop)
            layout.addWidget(value, number, 1)
        layout.setRowStretch(len(facts), 1)
        return inside

    def _show_buttons(self) -> None:
        row, buttons = self.row, self.buttons
        for button in buttons.values():
            button.setVisible(row is not None)
        if row is None:
            return
        known = row.known is not None
        for name, shown in (
            ("use", row.usable),
            ("update", known and not row.shared),
            ("check", known),
            ("report", known),
            ("locate", row.state == "missing"),
        ):
            buttons[name].setVisible(shown)
        buttons["update"].setEnabled(row.updatable and not self._busy)
        buttons["update"].setToolTip("Read the source files again" if row.updatable else STATES[row.state].meaning)
        buttons["check"].setEnabled(not self._busy)
        buttons["report"].setEnabled(self._details is not None and self._details.report is not None)
        buttons["remove"].setEnabled(not self._busy and not row.shared)
