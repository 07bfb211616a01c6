"""The result of a pair: summary, map, residues at the cursor, differences."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPoint, QPointF, Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFrame, QMenu, QPushButton, QSizePolicy, QTabWidget, QVBoxLayout, QWidget

from swgui.core import words
from swgui.core.headers import header_of
from swgui.core.loci.annotation import Locator
from swgui.core.pair.result import PairAlignment, PairResult
from swgui.core.pair.view import Differences, differences
from swgui.core.records import SequenceRecord
from swgui.core.verdict.answers import pair_answer
from swgui.core.words import count
from swgui.gui.inputs.features import FeatureChoice, locus_column
from swgui.gui.kit.elided import ElidedLabel
from swgui.gui.kit.flow import FlowRow
from swgui.gui.kit.layouts import in_column, in_row, in_splitter, turn
from swgui.gui.kit.tables.column_table import ColumnSource, ColumnView, TableColumn
from swgui.gui.kit.tasks.pool import Tasks
from swgui.gui.kit.theme import colours, grid, keep_size, set_role
from swgui.gui.kit.widgets import check_box, combo_box, described, line_edit, push_button, text_label
from swgui.gui.pair import wording as pair_wording
from swgui.gui.pair.differences import DifferencesPanel, stretches
from swgui.gui.pair.places import SubjectFeatures, place_of
from swgui.gui.viewer.map.dots import find_stretches
from swgui.gui.viewer.map.geometry import Density, MapData, MapLine, MapLines
from swgui.gui.viewer.map.paint import DIFFERENT, strand_colour
from swgui.gui.viewer.map.view import PairMap
from swgui.gui.viewer.pictures.picture import PanePictures, SeenPicture
from swgui.gui.viewer.residues.scheme_box import SchemeBox
from swgui.gui.viewer.rows.columns import PairColumns, PairColumnsView, line_of
from swgui.gui.viewer.rows.wrapped import copy_menu
from swgui.gui.words import formatting, wording

MAX_STRETCHES = 40_000_000  # residues of both sequences, above which their words are not compared
HINT = "Wheel zooms, drag moves, Shift and drag chooses a part, a click goes to that position."
DESCENDING = "\N{BOX DRAWINGS LIGHT DIAGONAL UPPER LEFT TO LOWER RIGHT}"
ASCENDING = "\N{BOX DRAWINGS LIGHT DIAGONAL UPPER RIGHT TO LOWER LEFT}"


class MapPanel(QWidget):
    """Shows two sequences against each other."""

    message = Signal(str)  # a message for the window's status line

    def __init__(self, tasks: Tasks, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("pairMapPanel")
        self._tasks = tasks
        self._result: PairResult | None = None
        self._current = 0
        self.pictures = PanePictures(self, tasks, self.figure)
        self.pictures.message.connect(self.message)
        self.map = PairMap()
        self.map.pointed.connect(self.say_place)
        self.map.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.map.customContextMenuRequested.connect(self.show_menu)
        self._pointed = text_label("", "pairPointed", plain=True, level="muted")
        self._pointed.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self._legend = text_label("", "pairLegend")
        self._legend.setTextFormat(Qt.TextFormat.RichText)
        foot = in_row((self._pointed, 1), self._legend)
        in_column(self._build_bar(), (self.map, 1), foot, spacing=0.5, parent=self)

    def _build_bar(self) -> FlowRow:
        bar = FlowRow()
        buttons = {}
        for name, text, tip, slot in (
            ("pairWhole", "Whole", "Show both sequences from end to end (0)", self.map.show_whole),
            ("pairThis", "This alignment", "Show all of the current alignment", self._show_current),
            ("pairLetters", "Sequence", "Zoom to the sequence around the cursor", self.show_residues),
            ("pairZoomOut", "\N{MINUS SIGN}", "Zoom out (\N{MINUS SIGN})", lambda: self.map.zoom(1 / 2)),
            ("pairZoomIn", "+", "Zoom in (+)", lambda: self.map.zoom(2)),
        ):
            button = buttons[name] = push_button(name, text, tip, slot, role="quiet")
            button.setAccessibleName(tip)
            bar.add(button)
        self._this = buttons["pairThis"]
        tip = "Show matches outside the alignments, too; of long sequences matching words"
        bar.add(check_box("pairDots", "Matches", tip, self.map.set_dots, on=True))
        return bar

    # -- display -----------------------------------------------------------------------------------

    def show_result(self, result: PairResult | None) -> None:
        """Show the two sequences of a result, with their alignments if there are any."""
        self._result, self._current = result, 0
        self._tasks.drop("pair-stretches")
        alignments = result.alignments if result is not None else ()
        self._this.setVisible(bool(alignments))
        if result is None or not result.has_residues:
            self.map.show_data(None)
            return
        lines = [MapLine(line_of(result, hsp), 1 if hsp.strand == "plus" else -1, hsp.index) for hsp in alignments]
        plus, subject = result.encoded_query("plus").codes, result.subject_codes
        names = f"Query {header_of(result.query).name}", f"Subject {header_of(result.subject).name}"
        self.map.show_data(MapData(*names, plus, subject, result.scheme, MapLines(lines)))
        described = f" {pair_wording.places(result, alignments[0])}" if alignments else ""
        self.map.setAccessibleDescription(pair_answer(result).sentence + described)
        self.say_place(None)
        self.restyle()
        if len(plus) + len(subject) <= MAX_STRETCHES:
            self._tasks.submit(
                "pair-stretches",
                lambda: find_stretches(plus, subject, result.scheme.alphabet),
                lambda made: self.map.show_stretches(made) if self._result is result else None,
            )

    def set_current(self, number: int) -> None:
        self._current = number
        self.map.set_current(number)

    def show_residues(self) -> None:
        across, down = self.map.axes
        middle = int(across.at(across.pixels / 2)), int(down.at(down.pixels / 2))
        self.map.show_residues(self.map.cursor_place or middle)

    def say_place(self, place: tuple[int, int] | None) -> None:
        """Describe a query and a subject residue (from 0)."""
        data = self.map.data
        if place is None or data is None:
            self._pointed.setText(HINT)
            return
        query, subject = place
        letters = data.scheme.alphabet.letters
        of_query, of_subject = letters[data.query[query]], letters[data.subject[subject]]
        near = f"   alignment {self.map.pointed_line:,}" if self.map.pointed_line else ""
        self._pointed.setText(f"Query {query + 1:,} {of_query}   Subject {subject + 1:,} {of_subject}{near}")

    def restyle(self) -> None:
        shades = colours(self)
        marks = []
        if self._result is not None and self._result.scheme.alphabet.complements:
            marks.append((strand_colour(shades, 1).name(), DESCENDING, "plus strand"))
            marks.append((strand_colour(shades, -1).name(), ASCENDING, "minus strand"))
        if self._result is not None and self._result.alignments:
            marks.append((shades.series[DIFFERENT], "\N{LOWER HALF BLOCK}", "share that differs"))
        self._legend.setText("&nbsp; ".join(f'<span style="color:{c}">{mark}</span> {text}' for c, mark, text in marks))

    def _show_current(self) -> None:
        self.map.show_line(self._current)

    # -- out ---------------------------------------------------------------------------------------

    def show_menu(self, point: QPoint) -> None:
        place = self.map.place_at(QPointF(point))
        menu = QMenu(self.map)
        menu.setObjectName("pairMapMenu")
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        if place is not None:
            menu.addAction("Sequence here", lambda: self.map.show_residues(place))
            text = f"{place[0] + 1}\t{place[1] + 1}"
            menu.addAction("Copy the two positions", lambda: QGuiApplication.clipboard().setText(text))
        menu.addAction("Whole map", self.map.show_whole)
        menu.addSeparator()
        menu.addAction("Copy the map as a picture", self.pictures.copy)
        menu.addAction("Save a figure…", self.pictures.save_as)
        menu.popup(self.map.mapToGlobal(point))

    def figure(self) -> SeenPicture | None:
        result = self._result
        if result is None or not result.has_residues:
            return None
        how = f"{pair_wording.MODE_WORDS[result.mode]}, {result.scheme.describe()}"
        lines = (result.query.header, result.subject.header, f"{pair_answer(result).sentence} {how}")
        return self.map.picture("pair_map.svg", lines)


class LettersPanel(QWidget):
    """Shows an alignment residue by residue."""

    column_wanted = Signal(int)  # a position was typed; its column
    message = Signal(str)  # a message for the window's status line

    def __init__(self, tasks: Tasks, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("pairLettersPanel")
        self.view = described(PairColumnsView(), "pairLettersView")
        self.view.pointed.connect(self._say_column)
        self._side = combo_box(
            "pairGoSide", "Sequence in which the position counts",
            items=(("Query", "query"), ("Subject", "subject"), ("Column", "column")),
            accessible="Sequence of the position",
        )  # fmt: skip
        self._typed = line_edit(
            "pairGoTo", "A number, then Enter (Ctrl+G)", hint="Go to position", entered=self._go_to_typed, width=18,
            accessible="Position to go to",
        )  # fmt: skip
        tip = "Show identical subject residues as dots, so that differences stand out"
        differences = check_box("pairLettersDots", "Differences", tip, self.view.set_dots)
        self.scheme_box = described(SchemeBox(tasks), "pairColorScheme")
        self.scheme_box.used.connect(lambda _view, scheme: self.view.set_scheme(scheme))
        self.scheme_box.message.connect(self.message)
        self._column = text_label("", "pairColumn", plain=True, level="muted")
        bar, room = FlowRow(), QWidget()
        keep_size(room, width=1)
        for widget in (self._side, self._typed, room, differences, self.scheme_box, self._build_copy()):
            bar.add(widget)
        in_column(bar, (self.view, 1), self._column, spacing=0.5, parent=self)

    def show_columns(self, columns: PairColumns | None, query: SequenceRecord, subject: SequenceRecord) -> None:
        self.view.show_columns(columns, query, subject)
        if columns is None:
            self._column.clear()

    def focus_go_to(self) -> None:
        self._typed.setFocus()
        self._typed.selectAll()

    def copy(self, form: str) -> None:
        """Put the selected columns, or those around the cursor, on the clipboard."""
        columns = self.view.columns
        if columns is not None:
            start, stop = self.view.copied_columns
            QGuiApplication.clipboard().setText(self.view.selected_text(form))
            self.message.emit(f"Columns {start + 1:,} to {stop:,} of {len(columns):,} were copied.")

    def _build_copy(self) -> QPushButton:
        menu = copy_menu(self.view, "pairCopyMenu", "pairCopy", self.copy)
        tip = "Copy the selected columns, or those around the cursor; Export writes all of them"
        button = push_button("pairCopyLetters", "Copy", tip, role="quiet")
        button.setMenu(menu)
        return button

    def _go_to_typed(self) -> None:
        columns = self.view.columns
        if columns is None:
            return
        text = self._typed.text().replace(",", "").replace(" ", "").strip()
        number = int(text) if text.isascii() and text.isdecimal() else 0
        sides: dict[str, Callable[[int], int | None]] = {
            "query": columns.column_of_query,
            "subject": columns.column_of_subject,
            "column": lambda column: column if 0 <= column < len(columns) else None,
        }
        column = sides[self._side.currentData()](number - 1)
        set_role(self._typed, invalid=column is None)
        if column is not None:
            self.column_wanted.emit(column)
        elif not number:
            self.message.emit("Type a number, for example 16,024.")
        else:
            self.message.emit(f"{self._side.currentText()} {number:,} is not in this alignment.")

    def _say_column(self, text: str) -> None:
        columns, chosen = self.view.columns, self.view.chosen_column
        where = f"Column {chosen + 1:,} of {len(columns):,}   " if columns is not None and chosen is not None else ""
        self._column.setText(where + text)


@dataclass(frozen=True, slots=True, eq=False)
class _PreparedAlignment:
    """A worker's result for one alignment."""

    columns: PairColumns
    differences: Differences
    places: NDArray[np.int64]
    densities: tuple[Density, Density]


class PairResultView(QWidget):
    """Shows one result."""

    message = Signal(str)  # a message for the window's status line
    export_wanted = Signal()  # the result should be written to a file
    place_wanted = Signal(object)  # the `Place` of the alignment shown, on the subject
    resume_wanted = Signal(str)  # the run with this id, whose result is shown, should be resumed

    def __init__(self, tasks: Tasks, choice: FeatureChoice, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("pairResult")
        self._tasks = tasks
        self._features = SubjectFeatures(tasks, choice)
        self._features.changed.connect(self._show_loci)
        self.result: PairResult | None = None
        self._current = 0  # number of the alignment shown
        self._ready: dict[int, _PreparedAlignment] = {}
        self._wanted: tuple[int, int] | None = None  # a place to go to once the columns are there
        self._build()
        self._connect()
        self.show_result(None)

    @property
    def current(self) -> PairAlignment | None:
        if self.result is None:
            return None
        return next((hsp for hsp in self.result.alignments if hsp.index == self._current), None)

    @property
    def columns(self) -> PairColumns | None:
        """The columns of the alignment shown; None while they are made."""
        ready = self._ready.get(self._current)
        return ready.columns if ready is not None else None

    # -- building ----------------------------------------------------------------------------------

    def _build(self) -> None:
        self.map_panel = MapPanel(self._tasks)
        self.map = self.map_panel.map
        self.letters_panel = LettersPanel(self._tasks)
        self.letters = self.letters_panel.view
        self.empty = text_label("", "pairEmpty", wrap=True, level="muted")
        self.empty.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._tabs = QTabWidget()
        self._tabs.setObjectName("pairTabs")
        self._tabs.setDocumentMode(True)
        self._tabs.tabBar().setDrawBase(False)  # the pane draws its own line
        self.differences = DifferencesPanel(self._tasks)
        self.alignments = ColumnView(self._tasks, "pairAlignments", "Alignments, best first")
        self._tabs.addTab(self.differences, "Differences")
        self._tabs.addTab(self.alignments, "Alignments")
        across, down = Qt.Orientation.Horizontal, Qt.Orientation.Vertical
        self._upper = in_splitter(across, (self.map_panel, 3), (self._tabs, 2), name="pairMapSplit")
        self._upper.setHandleWidth(grid(2))
        self._upper.setSizes([grid(72), grid(70)])
        self._split = in_splitter(down, (self._upper, 4), (self.letters_panel, 1), name="pairSplit")
        self._split.setHandleWidth(grid(1))
        self._split.setSizes([grid(72), grid(22)])
        self._split.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Ignored)
        keep_size(self._split, height=58)
        parts = (self._build_head(), self.empty, (self._split, 1))
        in_column(*parts, margins=(2, 0.5, 2, 1), parent=self)

    def _build_head(self) -> QVBoxLayout:
        self._names = described(ElidedLabel(), "pairNames")
        set_role(self._names, level="muted")
        self._outcome = text_label("", "pairOutcome", wrap=True, plain=True, level="heading")
        self._places = text_label("", "pairPlaces", wrap=True, plain=True, selectable=True)
        self._how = text_label("", "pairHow", wrap=True, plain=True, selectable=True, level="muted")
        self._partial = described(QFrame(), "pairPartial")
        set_role(self._partial, role="note", tone="warning")
        self._partial_text = text_label("", wrap=True, plain=True)
        self._resume = push_button("pairResume", "Resume", "Continue the alignment from where it stopped", icon="play")
        self._resume.clicked.connect(lambda: self.resume_wanted.emit(self.result.run_id if self.result else ""))
        in_row((self._partial_text, 1), self._resume, margins=(2, 0.75, 2, 0.75), parent=self._partial)
        buttons = FlowRow()
        self._buttons: dict[str, QPushButton] = {}
        figure = self.map_panel.pictures.save_as
        for name, text, icon, tip, slot in (
            ("pairCopyCigar", "Copy CIGAR", "copy", "Copy the whole CIGAR of this alignment", self.copy_cigar),
            (
                "pairLocus",
                "Show on the sequence",
                "locus",
                "This alignment among genes, bases and frames of the subject (Ctrl+L)",
                self.show_on_sequence,
            ),
            ("pairExport", "Export…", "export", "Write alignments or differences to a file", self.export_wanted.emit),
            ("pairFigure", "Save a figure…", "save", "The visible map as SVG, PNG or PDF", figure),
        ):
            button = self._buttons[name] = push_button(name, text, tip, slot, icon=icon, role="quiet")
            buttons.add(button)
        top = self._top = in_row((self._outcome, 1), buttons, spacing=0.5)
        return in_column(self._names, top, self._places, self._how, self._partial, spacing=0.25)

    def _connect(self) -> None:
        self.map.chosen.connect(self._place_chosen)
        self.map.along.connect(self._go_along)
        self.map.left.connect(lambda: self.letters.setFocus(Qt.FocusReason.OtherFocusReason))
        self.letters.column_chosen.connect(self._follow)
        self.letters.left.connect(lambda: self.map.setFocus(Qt.FocusReason.OtherFocusReason))
        self.letters_panel.column_wanted.connect(self.go_to_column)
        self.differences.column_chosen.connect(self.go_to_column)
        self.alignments.chosen.connect(self._alignment_chosen)
        for panel in (self.map_panel, self.letters_panel):
            panel.message.connect(self.message)

    # -- display -----------------------------------------------------------------------------------

    def show_result(self, result: PairResult | None) -> None:
        self.result, self._ready, self._current, self._wanted = result, {}, 0, None
        self._tasks.drop("pair-columns")
        self.map_panel.show_result(result)
        alignments = result.alignments if result is not None else ()
        records = (result.query, result.subject) if result is not None else ()
        self._names.set_text("  ×  ".join(map(pair_wording.called, records)), "\n".join(one.header for one in records))
        for widget in (self._names, self._outcome, self._how):
            widget.setVisible(result is not None)
        self._places.setVisible(bool(alignments))
        drawn = result is not None and result.has_residues
        self._split.setVisible(drawn)
        self._tabs.setVisible(bool(alignments))
        self.letters_panel.setVisible(bool(alignments))
        for name, button in self._buttons.items():
            button.setVisible(result is not None)
            button.setEnabled({"pairCopyCigar": bool(alignments), "pairFigure": drawn}.get(name, True))
        self.empty.setVisible(not alignments)
        vertical = QSizePolicy.Policy.Maximum if drawn else QSizePolicy.Policy.Expanding
        self.empty.setSizePolicy(QSizePolicy.Policy.Preferred, vertical)
        if result is None:
            self.empty.setText("The result appears here. Choose two sequences and press Align.")
            self._partial.hide()
            return
        self._outcome.setText(pair_answer(result).sentence)
        self._how.setText(pair_wording.how(result))
        state = pair_wording.state(result)
        self._partial.setVisible(bool(state))
        self._partial_text.setText(state)
        self._resume.hide()
        set_role(self._partial, role="note", tone="danger" if result.state == "failed" else "warning")
        if not alignments:
            self.empty.setText(self._without_alignment(result))
        if alignments:
            self.letters_panel.scheme_box.offer("pair", result.scheme.alphabet.name)
            self._tabs.setTabText(1, f"Alignments ({len(alignments):,})")
            self.alignments.show_source(alignments_source(result))
            self.show_alignment(alignments[0].index)
            self._features.use(result)

    def _show_loci(self) -> None:
        """Show where alignments and differences lie in the subject, once its features are known."""
        if self.result is not None and self.result.alignments:
            self.alignments.show_source(alignments_source(self.result, self._features.locator))
            if (ready := self._ready.get(self._current)) is not None:
                self._list_differences(self.result, ready)

    def offer_resume(self, possible: bool) -> None:
        self._resume.setVisible(possible)

    @staticmethod
    def _without_alignment(result: PairResult) -> str:
        if not result.has_residues:
            subject = count(result.subject_length, result.scheme.alphabet.letter)
            return (
                f"A query of {result.query_length:,} and a subject of {subject}. The "
                "run computed the score only, so the file does not hold the sequences, and there is no map of them."
            )
        if result.score_only:
            return "This run computed the score only. Untick Score only and align again to see the alignment."
        if result.state != "finished":
            return "There was no alignment yet when the work ended."
        return "There is no alignment: no region of one sequence scores above 0 against the other."

    def show_alignment(self, number: int) -> None:
        result = self.result
        if result is None or number == self._current:
            return
        self._current = number
        hsp = next(hsp for hsp in result.alignments if hsp.index == number)
        self.map_panel.set_current(number)
        self._places.setText(f"{pair_wording.places(result, hsp)}.")
        tip = f"Copy the whole CIGAR of this alignment: {pair_wording.short_cigar(hsp)}"
        self._buttons["pairCopyCigar"].setToolTip(tip)
        self.alignments.selectRow(number - 1)
        ready = self._ready.get(number)
        if ready is not None:
            self._show_ready(result, ready)
            return
        self.letters_panel.show_columns(None, result.query, result.subject)
        self.map.show_densities(None)
        self.differences.clear("Comparing…")
        self._tabs.setTabText(0, "Differences")
        self._tasks.submit(
            "pair-columns",
            lambda: _make_ready(result, hsp),
            lambda made: self._take_ready(result, number, made),
            self._not_ready,
        )

    def _alignment_chosen(self, row: int) -> None:
        if self.result is not None:
            self.show_alignment(self.result.alignments[row].index)

    def _take_ready(self, result: PairResult, number: int, ready: _PreparedAlignment) -> None:
        if result is self.result:
            self._ready[number] = ready
            if number == self._current:
                self._show_ready(result, ready)

    def _not_ready(self, error: Exception) -> None:
        self.differences.clear(wording.explain(error))

    def _list_differences(self, result: PairResult, ready: _PreparedAlignment) -> None:
        backwards, locator = ready.columns.backwards, self._features.locator
        self.differences.show_differences(
            ready.differences, ready.places, result.query_length, backwards=backwards, locator=locator
        )

    def _show_ready(self, result: PairResult, ready: _PreparedAlignment) -> None:
        hsp = ready.columns.found
        self.letters_panel.show_columns(ready.columns, result.query, result.subject)
        self.map.show_densities(ready.densities)
        self._list_differences(result, ready)
        self._tabs.setTabText(0, f"Differences ({len(ready.differences):,})")
        place, self._wanted = self._wanted, None
        if place is not None:
            self.go_to_column(ready.columns.nearest(*place))
        elif hsp.alignment.columns:
            self.go_to_column(0, in_sight=False)

    # -- the cursor --------------------------------------------------------------------------------

    def go_to_column(self, column: int, *, in_sight: bool = True) -> None:
        if self.columns is not None:
            self.letters.go_to(column)
            self._follow(column, in_sight=in_sight)

    def _follow(self, column: int, *, in_sight: bool = True) -> None:
        columns = self.columns
        if columns is None:
            return
        self.differences.set_place(column)
        self.map.set_cursor(columns.place(column), in_sight=in_sight)
        self.map_panel.say_place(self.map.cursor_place)

    def _place_chosen(self, query: int, subject: int, number: int) -> None:
        if number and number != self._current:
            self._wanted = (query, subject)
            self.show_alignment(number)
        elif self.columns is not None:
            self.go_to_column(self.columns.nearest(query, subject))
        else:
            self.map.set_cursor((query, subject))

    def _go_along(self, direction: int) -> None:
        columns = self.columns
        if columns is None:
            return
        across, down = self.map.axes
        step = max(1, int(0.6 * min(across.pixels * across.step, down.pixels * down.step)))
        column = (self.letters.chosen_column or 0) + direction * step
        self.go_to_column(min(max(column, 0), len(columns) - 1))

    # -- out ---------------------------------------------------------------------------------------

    def show_on_sequence(self) -> None:
        """Show the current alignment on the Locus page, by the subject."""
        if self.result is not None and (current := self.current) is not None:
            work = partial(place_of, self.result, current)
            self._tasks.submit("pair-locus", work, self.place_wanted.emit)

    def copy_cigar(self) -> None:
        hsp = self.current
        if hsp is not None:
            QGuiApplication.clipboard().setText(hsp.alignment.cigar)
            self.message.emit(f"The CIGAR was copied: {words.count(len(hsp.alignment.ops), 'run')}.")

    def restyle(self) -> None:
        self.map_panel.restyle()

    def set_narrow(self, narrow: bool) -> None:
        turn(self._top, narrow)
        self._upper.setOrientation(Qt.Orientation.Vertical if narrow else Qt.Orientation.Horizontal)
        keep_size(self._split, height=104 if narrow else 58)


def _make_ready(result: PairResult, hsp: PairAlignment) -> _PreparedAlignment:
    columns = PairColumns(result, hsp)
    listed = differences(hsp.alignment, columns.query, columns.subject, result.scheme)
    of_query, of_subject = stretches(listed, columns.query_length, backwards=columns.backwards)
    return _PreparedAlignment(columns, listed, columns.columns_of(listed), (Density(*of_query), Density(*of_subject)))


def alignments_source(result: PairResult, locator: Locator | None = None) -> ColumnSource:
    """Return the table of the alignments, with where they lie in the subject if `locator` says so."""
    hsps, length = result.alignments, result.query_length
    rows: tuple[tuple[str, str, str, Callable[[PairAlignment], float]], ...] = (
        ("number", "#", "Place by score", lambda hsp: hsp.index),
        ("score", "Score", "Score of the alignment", lambda hsp: hsp.score),
        ("identity", "Identity %", "Identical residues in percent of the columns", lambda hsp: hsp.counts.pident),
        ("columns", "Columns", "Columns of the alignment, gaps included", lambda hsp: hsp.counts.length),
        ("gaps", "Gaps", "Residues in gaps", lambda hsp: hsp.counts.gaps),
        ("query_start", "Query from", "First residue of the query, as it was written",
         lambda hsp: hsp.query_range(length)[0] + 1),
        ("query_end", "to", "Last residue of the query, as it was written", lambda hsp: hsp.query_range(length)[1]),
        ("subject_start", "Subject from", "First residue of the subject", lambda hsp: hsp.alignment.subject_start + 1),
        ("subject_end", "to", "Last residue of the subject", lambda hsp: hsp.alignment.subject_end),
    )  # fmt: skip
    columns = []
    for key, title, tip, value in rows:
        values = np.array([value(hsp) for hsp in hsps])
        columns.append(TableColumn(key, title, tip, _percent(values) if key == "identity" else _whole(values), values))
    if result.scheme.alphabet.complements:
        columns.insert(
            2, TableColumn("strand", "Strand", "Strand of the query that is aligned", lambda row: hsps[row].strand)
        )
    if any(not np.isnan(hsp.bit_score) for hsp in hsps):
        evalues = np.array([hsp.log10_evalue for hsp in hsps])
        bits = np.array([hsp.bit_score for hsp in hsps])
        columns[2:2] = [
            TableColumn("bits", "Bits", "Bit score", lambda row: formatting.tenths(bits[row]), bits),
            TableColumn("evalue", "E", "Expected number of alignments of this score by chance",
                        lambda row: formatting.evalue(evalues[row]), evalues),
        ]  # fmt: skip
    if locator is not None:
        starts, ends = (
            np.array([getattr(hsp.alignment, edge) for hsp in hsps], np.int64)
            for edge in ("subject_start", "subject_end")
        )
        columns.append(locus_column(locator, np.zeros(len(hsps), np.int64), starts, ends))
    return ColumnSource(columns, len(hsps))


def _whole(values: NDArray[np.int64]) -> Callable[[int], str]:
    return lambda row: f"{int(values[row]):,}"


def _percent(values: NDArray[np.float64]) -> Callable[[int], str]:
    return lambda row: formatting.tenths(float(values[row]))
