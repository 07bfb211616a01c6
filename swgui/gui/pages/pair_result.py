"""The result of a pair: what came out, the map, the letters at the cursor, the differences."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPoint, QPointF, Qt, Signal
from PySide6.QtGui import QAction, QGuiApplication, QKeySequence
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QFileDialog,
    QFrame,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QMenu,
    QPushButton,
    QSizePolicy,
    QSplitter,
    QTabWidget,
    QVBoxLayout,
    QWidget,
)

from swgui.core.errors import SwguiError
from swgui.core.pair_result import PairAlignment, PairResult
from swgui.core.pair_view import Differences, differences
from swgui.gui import wording
from swgui.gui.flow import FlowRow
from swgui.gui.jobs import ShortJobs
from swgui.gui.models import pair_wording
from swgui.gui.models.pair_alignments import alignments_source
from swgui.gui.models.pair_differences import stretches
from swgui.gui.pages.column_view import ColumnView
from swgui.gui.pages.pair_differences import DifferencesPanel
from swgui.gui.theme import arrange, colours, grid, keep_size, set_icon, set_role
from swgui.gui.viewer.elided import ElidedLabel
from swgui.gui.viewer.pair_columns import PairColumns, line_of
from swgui.gui.viewer.pair_columns_view import PairColumnsView
from swgui.gui.viewer.pair_map import MapData, PairMap
from swgui.gui.viewer.pair_map_dots import find_stretches
from swgui.gui.viewer.pair_map_figure import draw_map
from swgui.gui.viewer.pair_map_geometry import Density
from swgui.gui.viewer.pair_map_paint import DIFFERENT, MapLine, MapLines, strand_colour
from swgui.gui.viewer.pane import COPY_FORMS
from swgui.gui.viewer.scheme_box import SchemeBox
from swgui.io.export import save_whole

FIGURE_FILES = "Pictures (*.svg *.png *.pdf)"
STRETCHES_AT_MOST = 40_000_000  # residues of both sequences, above which their words are not compared


@dataclass(frozen=True, slots=True, eq=False)
class _Ready:
    """What a worker made of one alignment."""

    columns: PairColumns
    differences: Differences
    places: NDArray[np.int64]
    densities: tuple[Density, Density]


class PairResultView(QWidget):
    """Shows one result.

    Signals
    -------
    message(str)
        Something to say in the window's status line.
    export_wanted()
        The result should be written to a file.
    """

    message = Signal(str)
    export_wanted = Signal()

    def __init__(self, short_jobs: ShortJobs, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("pairResult")
        self._jobs = short_jobs
        self._result: PairResult | None = None
        self._current = 0  # number of the alignment shown
        self._ready: dict[int, _Ready] = {}
        self._wanted: tuple[int, int] | None = None  # a place to go to once the columns are there
        self._build()
        self._connect()
        self.show_result(None)

    @property
    def result(self) -> PairResult | None:
        """The result shown."""
        return self._result

    @property
    def current(self) -> PairAlignment | None:
        """The alignment shown."""
        if self._result is None:
            return None
        return next((each for each in self._result.alignments if each.index == self._current), None)

    @property
    def columns(self) -> PairColumns | None:
        """The columns of the alignment shown; None while they are made."""
        ready = self._ready.get(self._current)
        return ready.columns if ready is not None else None

    # -- building ----------------------------------------------------------------------------------

    def _build(self) -> None:
        self._names = ElidedLabel()
        self._names.setObjectName("pairNames")
        set_role(self._names, level="muted")
        self._outcome = QLabel()
        self._outcome.setObjectName("pairOutcome")
        self._outcome.setWordWrap(True)
        self._outcome.setTextFormat(Qt.TextFormat.PlainText)
        set_role(self._outcome, level="heading")
        self._places, self._how = QLabel(), QLabel()
        for label, name in ((self._places, "pairPlaces"), (self._how, "pairHow")):
            label.setObjectName(name)
            label.setWordWrap(True)
            label.setTextFormat(Qt.TextFormat.PlainText)
            label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        set_role(self._how, level="muted")
        self._partial = QFrame()
        self._partial.setObjectName("pairPartial")
        set_role(self._partial, role="note", tone="warning")
        self._partial_text = QLabel()
        self._partial_text.setWordWrap(True)
        self._partial_text.setTextFormat(Qt.TextFormat.PlainText)
        row = QHBoxLayout(self._partial)
        arrange(row, (2, 0.75, 2, 0.75), 1)
        row.addWidget(self._partial_text, 1)
        self.map = PairMap()
        self.empty = QLabel()
        self.empty.setObjectName("pairEmpty")
        self.empty.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.empty.setWordWrap(True)
        set_role(self.empty, level="muted")
        self._tabs = QTabWidget()
        self._tabs.setObjectName("pairTabs")
        self._tabs.setDocumentMode(True)
        self.differences = DifferencesPanel(self._jobs)
        self.alignments = ColumnView(self._jobs, "pairAlignments", "Alignments, best first")
        self._tabs.addTab(self.differences, "Differences")
        self._tabs.addTab(self.alignments, "Alignments")
        upper = QSplitter(Qt.Orientation.Horizontal)
        upper.setObjectName("pairMapSplit")
        upper.setChildrenCollapsible(False)
        upper.addWidget(self._build_map())
        upper.addWidget(self._tabs)
        upper.setStretchFactor(0, 3)
        upper.setStretchFactor(1, 2)
        upper.setSizes([grid(76), grid(66)])
        self._upper = upper
        self._split = QSplitter(Qt.Orientation.Vertical)
        self._split.setObjectName("pairSplit")
        self._split.setChildrenCollapsible(False)
        self._split.addWidget(upper)
        self._letters_panel = self._build_letters()
        self._split.addWidget(self._letters_panel)
        self._split.setStretchFactor(0, 4)
        self._split.setStretchFactor(1, 1)
        self._split.setSizes([grid(72), grid(22)])
        self._split.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Ignored)
        keep_size(self._split, height=58)
        top = QHBoxLayout()
        arrange(top, 0, 0.5)
        top.addWidget(self._outcome, 1)
        self._buttons: dict[str, QPushButton] = {}
        for name, text, icon, tip, slot in (
            ("pairCopyCigar", "Copy CIGAR", "copy", "Copy the whole CIGAR of this alignment", self.copy_cigar),
            ("pairExport", "Export…", "export", "Write alignments or differences to a file", self.export_wanted.emit),
            ("pairFigure", "Save a figure…", "save", "The map as it is seen, as SVG, PNG or PDF", self.save_figure_as),
        ):
            button = self._buttons[name] = QPushButton(text)
            button.setObjectName(name)
            button.setToolTip(tip)
            set_role(button, role="quiet")
            set_icon(button, icon)
            button.clicked.connect(slot)
            top.addWidget(button, 0, Qt.AlignmentFlag.AlignTop)
        head = QVBoxLayout()
        arrange(head, 0, 0.25)
        head.addWidget(self._names)
        head.addLayout(top)
        head.addWidget(self._places)
        head.addWidget(self._how)
        head.addWidget(self._partial)
        layout = QVBoxLayout(self)
        arrange(layout, (2, 0.5, 2, 1), 1)
        layout.addLayout(head)
        layout.addWidget(self.empty)
        layout.addWidget(self._split, 1)

    def _build_map(self) -> QWidget:
        bar = FlowRow()
        for name, text, tip, slot in (
            ("pairWhole", "Whole", "Show both sequences from end to end (0)", self.map.show_whole),
            ("pairThis", "This alignment", "Show all of the current alignment", self._show_current),
            ("pairLetters", "Letters", "Zoom to the letters around the cursor", self.show_letters),
            ("pairZoomOut", "\N{MINUS SIGN}", "Zoom out (\N{MINUS SIGN})", lambda: self.map.zoom(1 / 2)),
            ("pairZoomIn", "+", "Zoom in (+)", lambda: self.map.zoom(2)),
        ):
            button = QPushButton(text)
            button.setObjectName(name)
            button.setToolTip(tip)
            button.setAccessibleName(tip)
            set_role(button, role="quiet")
            button.clicked.connect(slot)
            bar.add(button)
            if name == "pairThis":
                self._this = button
        self._dots = QCheckBox("Agreeing letters")
        self._dots.setObjectName("pairDots")
        self._dots.setToolTip("Show also what agrees outside the alignments: letters where there is room, else words")
        self._dots.setChecked(True)
        self._dots.toggled.connect(self.map.set_dots)
        bar.add(self._dots)
        self._pointed = QLabel()
        self._pointed.setObjectName("pairPointed")
        self._pointed.setTextFormat(Qt.TextFormat.PlainText)
        set_role(self._pointed, level="muted")
        self._legend = QLabel()
        self._legend.setObjectName("pairLegend")
        self._legend.setTextFormat(Qt.TextFormat.RichText)
        foot = QHBoxLayout()
        arrange(foot, 0, 1)
        foot.addWidget(self._pointed, 1)
        foot.addWidget(self._legend)
        panel = QWidget()
        layout = QVBoxLayout(panel)
        arrange(layout, 0, 0.5)
        layout.addWidget(bar)
        layout.addWidget(self.map, 1)
        layout.addLayout(foot)
        return panel

    def _build_letters(self) -> QWidget:
        self.letters = PairColumnsView()
        self.letters.setObjectName("pairLettersView")
        self._go_side = QComboBox()
        self._go_side.setObjectName("pairGoSide")
        self._go_side.setAccessibleName("Sequence of the position")
        self._go_side.setToolTip("What the position is counted in")
        self._go_side.addItem("Query", "query")
        self._go_side.addItem("Target", "subject")
        self._go_side.addItem("Column", "column")
        self._go = QLineEdit()
        self._go.setObjectName("pairGoTo")
        self._go.setPlaceholderText("Go to position")
        self._go.setAccessibleName("Position to go to")
        self._go.setToolTip("A number, then Enter (Ctrl+G)")
        keep_size(self._go, width=18)
        self._go.returnPressed.connect(self.go_to_typed)
        self._equal = QCheckBox("Differences")
        self._equal.setObjectName("pairLettersDots")
        self._equal.setToolTip("Show identical target letters as dots, so that differences stand out")
        self._equal.toggled.connect(self.letters.set_dots)
        self._scheme_box = SchemeBox(self._jobs)
        self._scheme_box.setObjectName("pairColorScheme")
        self._scheme_box.used.connect(lambda _view, scheme: self.letters.set_scheme(scheme))
        self._scheme_box.message.connect(self.message)
        self._column = QLabel()
        self._column.setObjectName("pairColumn")
        self._column.setTextFormat(Qt.TextFormat.PlainText)
        set_role(self._column, level="muted")
        bar = FlowRow()
        room = QWidget()
        keep_size(room, width=1)
        for widget in (self._go_side, self._go, room, self._equal, self._scheme_box, self._build_copy()):
            bar.add(widget)
        panel = QWidget()
        layout = QVBoxLayout(panel)
        arrange(layout, 0, 0.5)
        layout.addWidget(bar)
        layout.addWidget(self.letters, 1)
        layout.addWidget(self._column)
        return panel

    def _build_copy(self) -> QPushButton:
        menu = QMenu(self)
        menu.setObjectName("pairCopyMenu")
        menu.setToolTipsVisible(True)
        for form, text, tip in COPY_FORMS:
            action = menu.addAction(text)
            action.setObjectName(f"pairCopy-{form}")
            action.setToolTip(tip)
            action.triggered.connect(partial(self.copy_letters, form))
        self.letters.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.letters.customContextMenuRequested.connect(
            lambda point: menu.popup(self.letters.viewport().mapToGlobal(point))
        )
        copy = QAction("Copy", self.letters)
        copy.setShortcut(QKeySequence.StandardKey.Copy)
        copy.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
        copy.triggered.connect(partial(self.copy_letters, "numbered"))
        self.letters.addAction(copy)
        button = QPushButton("Copy")
        button.setObjectName("pairCopyLetters")
        button.setToolTip("Copy the selected columns, or those around the cursor; Export writes all of them")
        button.setMenu(menu)
        set_role(button, role="quiet")
        return button

    def _connect(self) -> None:
        self.map.pointed.connect(self._say_place)
        self.map.chosen.connect(self._place_chosen)
        self.map.along.connect(self._go_along)
        self.map.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.map.customContextMenuRequested.connect(self._show_map_menu)
        self.map.left.connect(lambda: self.letters.setFocus(Qt.FocusReason.OtherFocusReason))
        self.letters.pointed.connect(self._say_column)
        self.letters.column_chosen.connect(lambda column: self._follow(column, from_letters=True))
        self.letters.left.connect(lambda: self.map.setFocus(Qt.FocusReason.OtherFocusReason))
        self.differences.column_chosen.connect(self.go_to_column)
        self.alignments.chosen.connect(lambda row: self.show_alignment(self._result.alignments[row].index))

    # -- what is shown -----------------------------------------------------------------------------

    def show_result(self, result: PairResult | None) -> None:
        """Show a result, or that there is none."""
        self._result, self._ready, self._current, self._wanted = result, {}, 0, None
        for key in ("pair-columns", "pair-stretches"):
            self._jobs.drop(key)
        found = result.alignments if result is not None else ()
        self._names.set_text(f"{result.query.header}  ×  {result.subject.header}" if result is not None else "")
        for widget in (self._names, self._outcome, self._how):
            widget.setVisible(result is not None)
        self._places.setVisible(bool(found))
        self._split.setVisible(result is not None)
        for widget in (self._tabs, self._letters_panel, self._this):
            widget.setVisible(bool(found))
        for name, button in self._buttons.items():
            button.setVisible(result is not None)
            button.setEnabled(bool(found) or name != "pairCopyCigar")
        self.empty.setVisible(not found)
        vertical = QSizePolicy.Policy.Expanding if result is None else QSizePolicy.Policy.Maximum
        self.empty.setSizePolicy(QSizePolicy.Policy.Preferred, vertical)
        if result is None:
            self.empty.setText("The result appears here. Choose two sequences and press Align.")
            self._partial.hide()
            self.map.show_data(None)
            return
        self._outcome.setText(pair_wording.outcome(result))
        self._how.setText(pair_wording.how(result))
        state = pair_wording.state(result)
        self._partial.setVisible(bool(state))
        self._partial_text.setText(state)
        set_role(self._partial, role="note", tone="danger" if result.state == "failed" else "warning")
        if not found:
            self.empty.setText(self._without_alignment(result))
        self._show_map(result)
        if found:
            self._scheme_box.offer("pair", result.scheme.alphabet.name)
            self._tabs.setTabText(1, f"Alignments ({len(found):,})")
            self.alignments.show_source(alignments_source(result))
            self.show_alignment(found[0].index)

    def _show_map(self, result: PairResult) -> None:
        """Show the sequences against each other with what was aligned, if anything was."""
        found = result.alignments
        lines = MapLines(
            [MapLine(line_of(result, each), 1 if each.strand == "plus" else -1, each.index) for each in found]
        )
        plus, subject = result.encoded_query("plus").codes, result.subject_codes
        names = f"Query {result.query.id}", f"Target {result.subject.id}"
        self.map.show_data(MapData(*names, plus, subject, result.scheme, lines))
        described = f". {pair_wording.places(result, found[0])}" if found else ""
        self.map.setAccessibleDescription(pair_wording.outcome(result) + described)
        self._say_place(None)
        self.restyle()
        if len(plus) + len(subject) <= STRETCHES_AT_MOST:
            self._jobs.submit(
                "pair-stretches",
                lambda: find_stretches(plus, subject, result.scheme.alphabet),
                lambda made: self.map.show_stretches(made) if self._result is result else None,
            )

    @staticmethod
    def _without_alignment(result: PairResult) -> str:
        if result.score_only:
            return "Only the score was asked for. Untick Score only and align again to see the alignment."
        if result.state != "finished":
            return "There was no alignment yet when the work ended."
        return "There is no alignment: no stretch of one sequence scores above 0 against the other."

    def show_alignment(self, number: int) -> None:
        """Show another alignment of the result."""
        result = self._result
        if result is None or number == self._current:
            return
        self._current = number
        found = self.current
        self.map.set_current(number)
        self._places.setText(f"{pair_wording.places(result, found)}.")
        tip = f"Copy the whole CIGAR of this alignment: {pair_wording.short_cigar(found)}"
        self._buttons["pairCopyCigar"].setToolTip(tip)
        self.alignments.selectRow(number - 1)
        ready = self._ready.get(number)
        if ready is not None:
            self._show_ready(ready)
            return
        self.letters.show_columns(None, result.query, result.subject)
        self.map.show_densities(None)
        self.differences.clear("Comparing…")
        self._tabs.setTabText(0, "Differences")
        self._jobs.submit(
            "pair-columns",
            lambda: _make_ready(result, found),
            lambda made: self._take_ready(result, number, made),
            self._not_ready,
        )

    def _take_ready(self, result: PairResult, number: int, ready: _Ready) -> None:
        if result is self._result:
            self._ready[number] = ready
            if number == self._current:
                self._show_ready(ready)

    def _not_ready(self, error: Exception) -> None:
        self.differences.clear(wording.explain(error))

    def _show_ready(self, ready: _Ready) -> None:
        result, found = self._result, ready.columns.found
        self.letters.show_columns(ready.columns, result.query, result.subject)
        self.map.show_densities(ready.densities)
        backwards = ready.columns.backwards
        self.differences.show_differences(
            ready.differences, ready.places, len(result.query.residues), backwards=backwards
        )
        self._tabs.setTabText(0, f"Differences ({len(ready.differences):,})")
        place, self._wanted = self._wanted, None
        if place is not None:
            self.go_to_column(ready.columns.nearest(*place))
        elif found.alignment.columns:
            self.go_to_column(0, in_sight=False)

    # -- the cursor --------------------------------------------------------------------------------

    def go_to_column(self, column: int, *, in_sight: bool = True) -> None:
        """Put the cursor of letters and map on a column of the alignment."""
        if self.columns is not None:
            self.letters.go_to(column)
            self._follow(column, in_sight=in_sight)

    def _follow(self, column: int, *, from_letters: bool = False, in_sight: bool = True) -> None:
        columns = self.columns
        if columns is None:
            return
        self.differences.set_place(column)
        self.map.set_cursor(columns.place(column), in_sight=in_sight)
        self._say_place(self.map.cursor_place)

    def go_to_typed(self) -> None:
        """Go to the position that was typed."""
        columns, side = self.columns, self._go_side.currentData()
        text = self._go.text().replace(",", "").replace(" ", "").strip()
        if columns is None:
            return
        number = int(text) if text.isascii() and text.isdecimal() else 0
        column = {
            "query": columns.column_of_query,
            "subject": columns.column_of_subject,
            "column": lambda at: at if 0 <= at < len(columns) else None,
        }[side](number - 1)
        set_role(self._go, invalid=column is None)
        if column is not None:
            self.go_to_column(column)
        elif not number:
            self.message.emit("Type a number, for example 16,024.")
        else:
            name = self._go_side.currentText().lower()
            self.message.emit(f"{name.capitalize()} {number:,} is not in this alignment.")

    def focus_go_to(self) -> None:
        """Let the user type a position."""
        self._go.setFocus()
        self._go.selectAll()

    def _place_chosen(self, query: int, subject: int, number: int) -> None:
        if number and number != self._current:
            self._wanted = (query, subject)
            self.show_alignment(number)
        elif self.columns is not None:
            self.go_to_column(self.columns.nearest(query, subject))
        else:
            self.map.set_cursor((query, subject))

    def _go_along(self, direction: int) -> None:
        """Go on along the alignment by most of what the map shows."""
        columns = self.columns
        if columns is None:
            return
        across, down = self.map.axes
        step = max(1, int(0.6 * min(across.pixels * across.step, down.pixels * down.step)))
        column = (self.letters.chosen_column or 0) + direction * step
        self.go_to_column(min(max(column, 0), len(columns) - 1))

    def _show_current(self) -> None:
        self.map.show_line(self._current)

    def show_letters(self) -> None:
        """Zoom the map to the letters around the cursor."""
        across, down = self.map.axes
        middle = int(across.at(across.pixels / 2)), int(down.at(down.pixels / 2))
        self.map.show_letters(self.map.cursor_place or middle)

    def _say_place(self, place: tuple[int, int] | None) -> None:
        data = self.map.data
        if place is None or data is None:
            self._pointed.setText(
                "Wheel zooms, drag moves, Shift and drag chooses a part, a click goes to the letters."
            )
            return
        query, subject = place
        letters = data.scheme.alphabet.letters
        of_query, of_subject = letters[data.query[query]], letters[data.subject[subject]]
        near = f"   alignment {self.map.pointed_line:,}" if self.map.pointed_line else ""
        self._pointed.setText(f"Query {query + 1:,} {of_query}   Target {subject + 1:,} {of_subject}{near}")

    def _say_column(self, text: str) -> None:
        columns, chosen = self.columns, self.letters.chosen_column
        where = f"Column {chosen + 1:,} of {len(columns):,}   " if columns is not None and chosen is not None else ""
        self._column.setText(where + text)

    # -- out ---------------------------------------------------------------------------------------

    def copy_cigar(self) -> None:
        """Put the CIGAR of the alignment shown on the clipboard."""
        found = self.current
        if found is not None:
            QGuiApplication.clipboard().setText(found.alignment.cigar)
            self.message.emit(f"The CIGAR was copied: {wording.count(len(found.alignment.ops), 'run')}.")

    def copy_letters(self, form: str, _checked: bool = False) -> None:
        """Put the selected columns, or those around the cursor, on the clipboard.

        Parameters
        ----------
        form : str
            One of those of `PairView.selected_text`.
        """
        if self.columns is None:
            return
        start, stop = self.letters.copied_columns
        QGuiApplication.clipboard().setText(self.letters.selected_text(form))
        self.message.emit(f"Columns {start + 1:,} to {stop:,} of {len(self.columns):,} were copied.")

    def copy_map(self) -> None:
        """Put the map as it is seen on the clipboard, as a picture."""
        QGuiApplication.clipboard().setPixmap(self.map.grab())
        self.message.emit("The map was copied as a picture.")

    def _show_map_menu(self, point: QPoint) -> None:
        place = self.map.place_at(QPointF(point))
        menu = QMenu(self.map)
        menu.setObjectName("pairMapMenu")
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        if place is not None:
            menu.addAction("Letters here", lambda: self.map.show_letters(place))
            text = f"{place[0] + 1}\t{place[1] + 1}"
            menu.addAction("Copy the two positions", lambda: QGuiApplication.clipboard().setText(text))
        menu.addAction("Whole map", self.map.show_whole)
        menu.addSeparator()
        menu.addAction("Copy the map as a picture", self.copy_map)
        menu.addAction("Save a figure…", self.save_figure_as)
        menu.popup(self.map.mapToGlobal(point))

    def save_figure_as(self) -> None:
        """Ask for a file and write the map as it is seen to it."""
        name, _ = QFileDialog.getSaveFileName(self, "Save a figure", "pair_map.svg", FIGURE_FILES)
        if name:
            self.save_figure(Path(name))

    def save_figure(self, path: Path) -> None:
        """Write the map as it is seen; the ending of the name decides the format."""
        result = self._result
        if result is None:
            return
        path = path if path.suffix else path.with_suffix(".svg")
        how = f"{pair_wording.MODE_WORDS[result.mode]}, {result.scheme.describe()}"
        lines = [result.query.header, result.subject.header, f"{pair_wording.outcome(result)}. {how}"]
        try:
            content = draw_map(self.map, path.suffix, lines)
        except SwguiError as error:
            self.message.emit(str(error))
            return
        self._jobs.submit(
            "pair-figure",
            lambda: save_whole(path, lambda file: file.write(content), binary=True),
            lambda _done: self.message.emit(f"Figure written to {path}."),
            lambda error: self.message.emit(wording.explain(error)),
        )

    def restyle(self) -> None:
        """Follow the theme."""
        shades = colours(self)
        marks = [(shades.series[DIFFERENT], "\N{LOWER HALF BLOCK}", "share that differs")]
        if self._result is not None and self._result.scheme.alphabet.complements:
            falling = "\N{BOX DRAWINGS LIGHT DIAGONAL UPPER LEFT TO LOWER RIGHT}"
            rising = "\N{BOX DRAWINGS LIGHT DIAGONAL UPPER RIGHT TO LOWER LEFT}"
            marks = [
                (strand_colour(shades, 1).name(), falling, "plus strand"),
                (strand_colour(shades, -1).name(), rising, "minus strand"),
                *marks,
            ]
        self._legend.setText("&nbsp; ".join(f'<span style="color:{c}">{mark}</span> {text}' for c, mark, text in marks))

    def set_narrow(self, narrow: bool) -> None:
        """Put map and tables below each other instead of side by side."""
        self._upper.setOrientation(Qt.Orientation.Vertical if narrow else Qt.Orientation.Horizontal)
        keep_size(self._split, height=104 if narrow else 58)


def _make_ready(result: PairResult, found: PairAlignment) -> _Ready:
    columns = PairColumns(result, found)
    listed = differences(found.alignment, columns.query, columns.subject, result.scheme)
    of_query, of_subject = stretches(listed, columns.query_length, backwards=columns.backwards)
    return _Ready(columns, listed, columns.columns_of(listed), (Density(*of_query), Density(*of_subject)))
