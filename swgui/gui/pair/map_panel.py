"""The map of a pair with its buttons, its legend, and the way to pictures."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QPoint, QPointF, Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QMenu, QWidget

from swgui.core.errors import SwguiError
from swgui.core.pair.result import PairResult
from swgui.gui.kit.flow import FlowRow
from swgui.gui.kit.layouts import in_column, in_row
from swgui.gui.kit.saving import ask_save_path
from swgui.gui.kit.tasks.pool import Tasks
from swgui.gui.kit.theme import colours
from swgui.gui.kit.widgets import check_box, push_button, text_label
from swgui.gui.pair import wording as pair_wording
from swgui.gui.viewer.map.data import MapData, MapLine, MapLines
from swgui.gui.viewer.map.dots import find_stretches
from swgui.gui.viewer.map.paint import DIFFERENT, strand_colour
from swgui.gui.viewer.map.view import PairMap
from swgui.gui.viewer.pair.columns import line_of
from swgui.gui.words import wording
from swgui.io.whole_file import save_bytes

FIGURE_FILES = "Pictures (*.svg *.png *.pdf)"
MAX_STRETCHES = 40_000_000  # residues of both sequences, above which their words are not compared
HINT = "Wheel zooms, drag moves, Shift and drag chooses a part, a click goes to the residues."
DESCENDING = "\N{BOX DRAWINGS LIGHT DIAGONAL UPPER LEFT TO LOWER RIGHT}"
ASCENDING = "\N{BOX DRAWINGS LIGHT DIAGONAL UPPER RIGHT TO LOWER LEFT}"


class MapPanel(QWidget):
    """Shows two sequences against each other.

    Signals
    -------
    message(str)
        Something to say in the window's status line.
    """

    message = Signal(str)

    def __init__(self, tasks: Tasks, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("pairMapPanel")
        self._tasks = tasks
        self._result: PairResult | None = None
        self._current = 0
        self.map = PairMap()
        self.map.pointed.connect(self.say_place)
        self.map.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.map.customContextMenuRequested.connect(self.show_menu)
        self._pointed = text_label("", "pairPointed", plain=True, level="muted")
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
            ("pairLetters", "Residues", "Zoom to the residues around the cursor", self.show_residues),
            ("pairZoomOut", "\N{MINUS SIGN}", "Zoom out (\N{MINUS SIGN})", lambda: self.map.zoom(1 / 2)),
            ("pairZoomIn", "+", "Zoom in (+)", lambda: self.map.zoom(2)),
        ):
            button = buttons[name] = push_button(name, text, tip, slot, role="quiet")
            button.setAccessibleName(tip)
            bar.add(button)
        self._this = buttons["pairThis"]
        tip = "Show also what agrees outside the alignments: residues where there is room, else words"
        bar.add(check_box("pairDots", "Agreeing residues", tip, self.map.set_dots, on=True))
        return bar

    # -- what is shown -----------------------------------------------------------------------------

    def show_result(self, result: PairResult | None) -> None:
        """Show the sequences of a result against each other with what was aligned, if anything was."""
        self._result, self._current = result, 0
        self._tasks.drop("pair-stretches")
        found = result.alignments if result is not None else ()
        self._this.setVisible(bool(found))
        if result is None or not result.has_residues:
            self.map.show_data(None)
            return
        lines = [MapLine(line_of(result, each), 1 if each.strand == "plus" else -1, each.index) for each in found]
        plus, subject = result.encoded_query("plus").codes, result.subject_codes
        names = f"Query {result.query.id}", f"Subject {result.subject.id}"
        self.map.show_data(MapData(*names, plus, subject, result.scheme, MapLines(lines)))
        described = f". {pair_wording.places(result, found[0])}" if found else ""
        self.map.setAccessibleDescription(pair_wording.outcome(result) + described)
        self.say_place(None)
        self.restyle()
        if len(plus) + len(subject) <= MAX_STRETCHES:
            self._tasks.submit(
                "pair-stretches",
                lambda: find_stretches(plus, subject, result.scheme.alphabet),
                lambda made: self.map.show_stretches(made) if self._result is result else None,
            )

    def set_current(self, number: int) -> None:
        """Show which alignment is the current one."""
        self._current = number
        self.map.set_current(number)

    def show_residues(self) -> None:
        """Zoom to the residues around the cursor, or to those in the middle."""
        across, down = self.map.axes
        middle = int(across.at(across.pixels / 2)), int(down.at(down.pixels / 2))
        self.map.show_residues(self.map.cursor_place or middle)

    def say_place(self, place: tuple[int, int] | None) -> None:
        """Say what is at a query and a subject residue (from 0)."""
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
        """Follow the theme."""
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
        """Open the menu of a point of the map."""
        place = self.map.place_at(QPointF(point))
        menu = QMenu(self.map)
        menu.setObjectName("pairMapMenu")
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        if place is not None:
            menu.addAction("Residues here", lambda: self.map.show_residues(place))
            text = f"{place[0] + 1}\t{place[1] + 1}"
            menu.addAction("Copy the two positions", lambda: QGuiApplication.clipboard().setText(text))
        menu.addAction("Whole map", self.map.show_whole)
        menu.addSeparator()
        menu.addAction("Copy the map as a picture", self.copy_picture)
        menu.addAction("Save a figure…", self.save_figure_as)
        menu.popup(self.map.mapToGlobal(point))

    def copy_picture(self) -> None:
        """Put the map as it is seen on the clipboard."""
        QGuiApplication.clipboard().setPixmap(self.map.grab())
        self.message.emit("The map was copied as a picture.")

    def save_figure_as(self) -> None:
        """Ask for a file and write the map as it is seen to it."""
        path = ask_save_path(
            self, "Save a figure", "pair_map.svg", FIGURE_FILES, self._failed,
            complete=lambda name, _kind: _with_ending(Path(name)),
        )  # fmt: skip
        if path:
            self.save_figure(path)

    def save_figure(self, path: Path) -> None:
        """Write the map as it is seen; the ending of the name decides the format."""
        result = self._result
        if result is None or not result.has_residues:
            return
        path = _with_ending(path)
        how = f"{pair_wording.MODE_WORDS[result.mode]}, {result.scheme.describe()}"
        lines = [result.query.header, result.subject.header, f"{pair_wording.outcome(result)}. {how}"]
        try:
            content = self.map.picture_file(path.suffix, lines)
        except SwguiError as error:
            self.message.emit(str(error))
            return
        self._tasks.submit(
            "pair-figure",
            lambda: save_bytes(path, lambda file: file.write(content)),
            lambda _done: self.message.emit(f"Figure written to {path}."),
            self._failed,
        )

    def _failed(self, error: Exception) -> None:
        self.message.emit(wording.explain(error))


def _with_ending(path: Path) -> Path:
    return path if path.suffix else path.with_suffix(".svg")
