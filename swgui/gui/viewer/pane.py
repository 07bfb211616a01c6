"""The alignment of the current hit: its name, its figures, and its views."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from pathlib import Path
from typing import TypeVar

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QAction, QGuiApplication
from PySide6.QtWidgets import QButtonGroup, QMenu, QSizePolicy, QStackedWidget, QToolButton, QWidget

from swgui.core.headers import parse_header
from swgui.core.hits.results import SearchResult
from swgui.core.hits.table import Hit
from swgui.core.verdict.hits import judge
from swgui.core.verdict.shifts import probable_shifts
from swgui.gui.hits.columns import BY_KEY
from swgui.gui.kit import theme
from swgui.gui.kit.elided import ElidedLabel, WrappedLabel
from swgui.gui.kit.flow import FlowRow
from swgui.gui.kit.layouts import in_column, in_row
from swgui.gui.kit.tasks.pool import Tasks
from swgui.gui.kit.widgets import (
    combo_box,
    described,
    fill_combo,
    make_menu,
    menu_command,
    push_button,
    text_label,
    tool_button,
)
from swgui.gui.viewer import views
from swgui.gui.viewer.pictures.picture import Drawn, PanePictures
from swgui.gui.viewer.residues.scheme_box import Legend, SchemeBox
from swgui.gui.viewer.residues.schemes import ColorScheme
from swgui.gui.viewer.rows import text_form
from swgui.gui.viewer.rows.text_form import ends
from swgui.gui.viewer.rows.view import RowsView
from swgui.gui.viewer.rows.wrapped import WrappedView, copy_menu
from swgui.gui.viewer.shown import ShownHit
from swgui.gui.viewer.view import View
from swgui.gui.words import formatting
from swgui.jobs.search.alternatives import equally_good, next_hit

END = "This is the last alignment within the limits of the search. The menu View looks for weaker ones."
WEAKER_KEY, COUNT_KEY = "results-weaker", "results-count"
V = TypeVar("V", bound=View)
ROOM = 0.45  # of the height of the window, for a view that needs much


class HitAlignments(QObject):
    """Buttons that step through the alignments, a box to choose one, and commands that look for weaker ones."""

    chosen = Signal(int)  # number of the alignment to show, from 0
    listed = Signal()  # others are known, or another one is current
    said = Signal(str)  # number of matches, for the line below the view

    def __init__(self, tasks: Tasks, parent: QWidget) -> None:
        super().__init__(parent)
        self._tasks = tasks
        self._hit: Hit | None = None
        self.found: list[ShownHit] = []  # alignments of the pair, best first; empty if none is shown
        self.current = 0
        self.previous_button = self._step_button("previousAlignment", "arrow-left", "Previous alignment (Alt+Left)", -1)
        self.next_button = self._step_button("nextAlignment", "arrow-right", "Next alignment (Alt+Right)", 1)
        self.choice = combo_box(
            "alignmentChoice",
            "Alignments of this pair that share no aligned residues, best first",
            self.chosen.emit,
            accessible="Alignments of this pair",
        )
        self.commands = self._make_commands(parent)
        self.stop_button = tool_button("stopWeaker", "Stop", "Stop looking for another alignment", self._give_up)
        self.stop_button.hide()
        # In display order.
        self.widgets = (self.previous_button, self.choice, self.next_button, self.stop_button)

    def _step_button(self, name: str, icon: str, tip: str, by: int) -> QToolButton:
        return tool_button(name, "", tip, lambda: self.step(by), icon=icon, accessible=tip.partition(" (")[0])

    def _make_commands(self, parent: QWidget) -> QMenu:
        menu = make_menu("otherAlignments", parent)
        menu.setTitle("Other alignments of this pair")
        self.weaker_action = menu_command(
            menu,
            "weakerAlignment",
            "Look for a weaker alignment",
            "The best one on this strand that shares no aligned pair with those listed, whatever its E-value",
            self.find_weaker,
        )
        self.count_action = menu_command(
            menu,
            "countAlignments",
            "Count equally good alignments",
            "How many different alignments have this best score",
            self.count_equally_good,
        )
        return menu

    # -- display -----------------------------------------------------------------------------------

    def begin(self, result: SearchResult, hit: Hit, part: int) -> ShownHit:
        """Take over a hit with all its alignments, unless it is there already, and return the one to show.

        Parameters
        ----------
        part : int
            Number of the alignment, from 0.
        """
        if hit is not self._hit:
            self.clear()
            self._hit, self.found = hit, [ShownHit.of(result, row) for row in hit.rows()]
            self._offer()
        return self.select(part)

    def select(self, part: int) -> ShownHit:
        self.current = min(part, len(self.found) - 1)
        self.choice.setCurrentIndex(self.current)
        self.previous_button.setEnabled(self.current > 0)
        self.next_button.setEnabled(self.current + 1 < len(self.found))
        self.listed.emit()
        return self.found[self.current]

    def clear(self) -> None:
        self._stop()
        self._hit, self.found, self.current = None, [], 0
        self.choice.clear()
        self.listed.emit()

    def show_in(self, shown: bool) -> None:
        """Show the tools, or hide them in views that show more than one pair; step buttons only if there are steps."""
        for widget in (self.previous_button, self.choice, self.next_button):
            widget.setVisible(shown and len(self.found) > 1)
        self.commands.menuAction().setVisible(shown)

    def place(self) -> str:
        """Return the number of the alignment: ``alignment 2 of 7``; empty if there is but one."""
        return f"alignment {self.current + 1:,} of {len(self.found):,}" if len(self.found) > 1 else ""

    def step(self, by: int) -> None:
        if 0 <= self.current + by < len(self.found):
            self.chosen.emit(self.current + by)
        elif self.found:
            self.said.emit(END if by > 0 else "This is the best alignment of this pair.")

    def _offer(self) -> None:
        several = len({item.hit.strand for item in self.found}) > 1
        items = [
            (
                f"{n:,} of {len(self.found):,}: score {item.hit.score:,}{_read(item.hit.strand) if several else ''}",
                n,
                ends(item.hit),
            )
            for n, item in enumerate(self.found, start=1)
        ]
        fill_combo(self.choice, items, self.current + 1)

    # -- looking for others ------------------------------------------------------------------------

    def find_weaker(self) -> None:
        """Look for the next best alignment on the strand shown, by a worker, and show it."""
        if not self.found:
            return
        self._stop()
        shown = self.found[self.current]
        previous = [shown_hit.alignment for shown_hit in self.found if shown_hit.hit.strand == shown.hit.strand]
        self.said.emit("Looking for another alignment of this pair…")
        self.stop_button.show()
        self._tasks.start(
            WEAKER_KEY,
            lambda control: next_hit(shown.result, shown.query_index, shown.hit, previous, control),
            self._take_weaker,
            self._say_failure,
        )

    def _take_weaker(self, hit: Hit | None) -> None:
        self.stop_button.hide()
        if hit is None:
            self.said.emit("No other alignment of this pair has a score above 0.")
            return
        self.found.append(ShownHit.of(self.found[0].result, hit))
        self._offer()
        self.chosen.emit(len(self.found) - 1)

    def _say_failure(self, error: Exception) -> None:
        self.stop_button.hide()
        self.said.emit(str(error))

    def _give_up(self) -> None:
        self._stop()
        self.said.emit("Stopped before another alignment was found.")

    def count_equally_good(self) -> None:
        """Count the alignments with the best score of the pair, by a worker, and show the number."""
        if not self.found:
            return
        best = self.found[0]
        self.said.emit("Counting…")
        self._tasks.submit(
            COUNT_KEY,
            lambda: equally_good(best.result, best.hit),
            lambda number: self.said.emit(_how_many(number)),
            lambda error: self.said.emit(str(error)),
        )

    def _stop(self) -> None:
        self.stop_button.hide()
        self._tasks.drop(WEAKER_KEY)
        self._tasks.drop(COUNT_KEY)


def _how_many(number: int | None) -> str:
    if number is None:
        return "Too many alignments have this score to count them."
    if number == 1:
        return "This is the only alignment with this score."
    return f"{number:,} different alignments have this score; one of them is shown."


def _read(strand: int) -> str:
    return f", {formatting.strand(strand).removesuffix(' strand') or 'plus'}"


class AlignmentPane(QWidget):
    """Shows the current hit in one of several views."""

    message = Signal(str)  # a message for the window's status line
    left = Signal()  # the keyboard should go back to the table
    mode_changed = Signal(str)  # another view was chosen
    stepped = Signal(int)  # another alignment of the hit was chosen here, counted from 0
    # Row of the hit list that was chosen in a view, and which of its alignments, -1 for all of them.
    row_chosen = Signal(int, int)
    enlarged = Signal(bool)  # the view wants the whole page, or no longer
    shifts_wanted = Signal()  # search with the query across frameshifts

    def __init__(self, tasks: Tasks, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("alignmentPane")
        self._result: SearchResult | None = None
        self._shown: ShownHit | None = None
        self._first = False  # whether no hit of the result was shown yet
        self._make_texts()
        self._views = {view.name: view for view in (make(tasks) for make in views.VIEWS)}
        self._wrapped = self.view(WrappedView)
        self._view: View = self._wrapped
        self.legend = Legend()
        self.scheme_box = SchemeBox(tasks)
        self.alignments = HitAlignments(tasks, self)
        self.pictures = PanePictures(self, tasks, self.drawn)
        self.copy_menu = self._make_copy_menu()
        self.view_menu = make_menu("viewMenu", self)
        self._tools = FlowRow()
        self._tools.setObjectName("alignmentTools")
        self.views = described(QStackedWidget(), "alignmentViews")
        self.views.addWidget(self.empty)
        self._mode_buttons = QButtonGroup(self)
        self._modes: dict[str, QToolButton | QAction] = {}
        self._make_modes()
        self._make_tools()
        in_column(
            in_row((self.title, 1), self.shifts_button, self.whole_button),
            self.verdict,  # over the whole width: next to buttons it would take seven lines of large text
            self._tools,  # a line of its own: each view has other tools, and its button stays in its place
            self.facts,
            self.places,
            (self.views, 1),
            in_row((self.status, 1), self.legend),
            margins=(1.5, 1, 1.5, 0.5),
            spacing=0.5,
            parent=self,
        )
        self._connect()
        self._offer(self._views.values())
        self.set_mode(self._wrapped.name)
        self.clear()

    # -- building ----------------------------------------------------------------------------------

    def _make_texts(self) -> None:
        self.title = described(ElidedLabel(), "alignmentTitle")
        theme.set_role(self.title, level="heading")
        self.verdict = described(WrappedLabel(), "alignmentVerdict")
        self.facts = described(ElidedLabel(), "alignmentFacts")
        self.places = described(ElidedLabel(), "alignmentPlaces")
        theme.set_role(self.places, level="muted")
        self.status = text_label(name="alignmentStatus", level="muted", plain=True)
        self.status.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.empty = text_label(name="alignmentEmpty", level="muted", wrap=True)
        self.empty.setAlignment(Qt.AlignmentFlag.AlignCenter)

    def _make_modes(self) -> None:
        for number, view in enumerate(self._views.values(), start=1):
            name, tip, keys = f"mode-{view.name}", f"{view.tip} (Alt+{number})", f"Alt+{number}"
            choose = partial(self.set_mode, view.name)
            self.views.addWidget(view)
            if view.in_menu:
                action = self._modes[view.name] = menu_command(self.view_menu, name, view.title, tip, choose)
                action.setCheckable(True)
                action.setShortcut(keys)
                self.addAction(action)
                continue
            button = self._modes[view.name] = tool_button(name, view.title, tip, keys=keys, checkable=True)
            button.clicked.connect(lambda _checked=False, choose=choose: choose())
            self._mode_buttons.addButton(button)
            self._tools.add(button)

    def _make_tools(self) -> None:
        self._fill_view_menu()
        tip = "Other views, colours, flanking residues, copies and figures"
        self.view_button = push_button("alignmentView", "View", tip, role="quiet")
        self.view_button.setMenu(self.view_menu)
        tip = "Enlarge this view over head, overview and hits; again, or Escape, to restore them"
        self.whole_button = tool_button("wholePage", "Whole page", tip, self.enlarged, checkable=True)
        self.shifts_button = push_button("acrossShifts", "Search across frameshifts", does=self.shifts_wanted)
        of_views = (tool for view in self._views.values() for tool in view.tools)
        for widget in (self.view_button, *self.alignments.widgets, *of_views):
            self._tools.add(widget)
        self.scheme_box.setParent(self)  # never visible: its schemes are listed in the menu
        self.scheme_box.hide()

    def _fill_view_menu(self) -> None:
        menu = self.view_menu
        menu.addSeparator()
        for view in self._views.values():
            menu.addActions(list(view.options))
        self.colours_menu = menu.addMenu("Colours")
        self.colours_menu.setToolTipsVisible(True)
        self.colours_menu.aboutToShow.connect(lambda: self.scheme_box.fill_menu(self.colours_menu))
        menu.addSeparator()
        menu.addMenu(self.alignments.commands)
        menu.addMenu(self.copy_menu)
        menu.addAction(self.figure_action)

    def _make_copy_menu(self) -> QMenu:
        menu = copy_menu(self.rows, "copyAlignmentMenu", "copyAlignment", self.copy)
        menu.setTitle("Copy")
        for view in self._views.values():
            menu.addActions(list(view.copies))
        menu.addSeparator()
        seen = "The whole alignment in the colours chosen, or the plot as it is seen, as"
        menu_command(menu, "copyPicture", "Picture", f"{seen} a picture", self.pictures.copy)
        tip = f"{seen} PNG, SVG or PDF"
        self.figure_action = menu_command(menu, "saveFigure", "Save a figure…", tip, self.pictures.save_as)
        return menu

    def _connect(self) -> None:
        for view in self._views.values():
            view.pointed.connect(self.status.setText)
            view.message.connect(self.message)
            view.left.connect(self._leave)
            view.zoomed.connect(self.set_zoom)
            view.stepped.connect(self._step_to)
            view.place_chosen.connect(self._go_to)
            view.row_chosen.connect(self.row_chosen)
        self.alignments.chosen.connect(self._step_to)
        self.alignments.listed.connect(self._show_choice)
        self.alignments.said.connect(self.status.setText)
        self.scheme_box.used.connect(self._use_scheme)
        self.scheme_box.message.connect(self.message)
        self.pictures.message.connect(self.message)

    def tab_order(self) -> list[QWidget]:
        inside = (part for view in self._views.values() for part in (view, *view.findChildren(QWidget)))
        parts = (part for part in inside if part.window() is self.window() and part.focusProxy() is None)  # no lists
        stops = (part for part in parts if part.focusPolicy() & Qt.FocusPolicy.TabFocus)
        return [self.shifts_button, self.whole_button, *self._tools.widgets, *stops]

    # -- display -----------------------------------------------------------------------------------

    def view(self, kind: type[V]) -> V:
        return next(view for view in self._views.values() if isinstance(view, kind))

    @property
    def all_views(self) -> tuple[View, ...]:
        """All views, in the order of their buttons; those that are not `possible` are not offered."""
        return tuple(self._views.values())

    @property
    def rows(self) -> RowsView:
        return self._wrapped.area

    @property
    def hit(self) -> Hit | None:
        return self._shown.hit if self._shown is not None else None

    @property
    def mode(self) -> str:
        return self._view.name

    @property
    def wants_room(self) -> bool:
        """Whether the view that is shown needs more than half of the height of the page."""
        return self._view.wants_room

    def set_mode(self, name: str) -> None:
        self._view = self._views[name]
        self._mode_buttons.setExclusive(not self._view.in_menu)
        for mode, chooser in self._modes.items():
            chooser.setChecked(mode == name)
        self.view_button.setText(f"View: {self._view.title}" if self._view.in_menu else "View")
        room = self.window().height() * ROOM / theme.grid()  # large text must not push other parts away
        theme.keep_size(self.views, height=min(self._view.least_height, max(room, View.least_height)))
        self._show_choice()
        for view in self._views.values():
            for action in (*view.copies, *view.options):
                action.setVisible(view is self._view)
        self.copy_menu.menuAction().setVisible(self._view.needs_hit)
        self.colours_menu.menuAction().setVisible(bool(self._view.scheme))
        self._offer_schemes()
        self._update_view()
        self.mode_changed.emit(name)

    def use_result(self, result: SearchResult) -> None:
        """Show hits of another result from now on, and offer the colour schemes for its sequences."""
        self._result, self._first = result, True
        self._offer_schemes()

    def use_query(self, query_index: int) -> None:
        for view in self._views.values():
            view.use_query(self._result, query_index)
        self._offer(view for view in self._views.values() if not view.needs_hit)

    def _offer(self, among: Iterable[View]) -> None:
        possible = {view.name: view.possible for view in among}
        for name, on in possible.items():
            self._modes[name].setVisible(on)
        if not possible.get(self.mode, True):
            self.set_mode(self._wrapped.name)

    def _offer_schemes(self) -> None:
        if self._result is not None:
            alphabet = self._result.database.alphabet.residue_alphabet.name
            self.scheme_box.offer(self._view.scheme or self._wrapped.scheme, alphabet)

    def _use_scheme(self, name: str, scheme: ColorScheme) -> None:
        for view in self._views.values():
            if view.scheme == name:
                view.set_scheme(scheme)
        self.legend.show_scheme(scheme)

    def show_hit(self, hit: Hit, part: int = 0) -> None:
        if self._result is not None:
            shown = self.alignments.begin(self._result, hit, part)
            if shown is not self._shown:
                self._show(shown)

    def set_current(self, row: int, part: int) -> None:
        """Mark a row of the hit list in the views that show several, and one of its alignments."""
        for view in self._views.values():
            view.set_current(row, part)

    def _step_to(self, part: int) -> None:
        self._show(self.alignments.select(part))
        self.stepped.emit(part)

    def _show(self, shown: ShownHit) -> None:
        self._shown, hit = shown, shown.hit
        header = parse_header(hit.subject.id, hit.subject.description)
        self.title.set_text(f"{hit.rank:,}   {header.name}   {header.title}".rstrip(), hit.subject.header)
        judged, shifts = judge(hit, shown.result), probable_shifts(hit, shown.scheme)
        self.shifts_button.setToolTip(shifts)
        told = f"{shifts} {judged.removesuffix(shifts)}".strip()  # the subject of the button first
        self.verdict.set_text(told, f"{judged}\n\n{BY_KEY['verdict'].description}")
        lines = text_form.facts(hit)
        self.facts.set_text("   ·   ".join(lines[:2]))
        parts = (header.organism, self.alignments.place(), *lines[2:])
        self.places.set_text("   ·   ".join(part for part in parts if part))
        for view in self._views.values():
            view.show_alignments(self.alignments.found, self.alignments.current)
        self._offer(view for view in self._views.values() if view.needs_hit)
        leading = next((view.name for view in self._views.values() if view.leads), "")
        if self._first and leading and self._view is self._wrapped:
            self.set_mode(leading)
        self._first = False
        self.status.clear()
        self._update_view()

    def show_message(self, text: str) -> None:
        self._shown = None
        self.alignments.clear()
        for view in self._views.values():
            if view.needs_hit:
                view.clear()
        self.empty.setText(text)
        for label in (self.title, self.verdict, self.facts, self.places):
            label.set_text("")
        self.status.clear()
        self._update_view()

    def clear(self) -> None:
        self.show_message("Choose a hit to see its alignment. Up and Down move.")

    def _update_view(self) -> None:
        shown, current = self._shown is not None, self._view
        seen = shown or not current.needs_hit
        self.verdict.setVisible(shown and current.needs_hit)
        self.shifts_button.setVisible(shown and bool(self.shifts_button.toolTip()))
        for label in (self.facts, self.places):  # plots need the room, the text view shows the figures itself
            label.setVisible(shown and current.has_facts)
        self.copy_menu.setEnabled(shown)
        for view in self._views.values():
            for tool in view.tools:
                tool.setVisible(view is current)
        self.legend.setVisible(seen and bool(current.scheme))
        self.views.setCurrentWidget(current if seen else self.empty)

    def load_scheme(self, path: Path) -> None:
        self.scheme_box.load(path)

    def _show_choice(self) -> None:
        self.alignments.show_in(self._view.shows_one_hit)

    def drawn(self) -> Drawn | None:
        """Return the contents of a picture; raises `InvalidParameter` if they are too large for one."""
        return (self._view if self._view.has_picture else self._wrapped).figure()

    # -- commands ----------------------------------------------------------------------------------

    def copy(self, form: str = "numbered") -> None:
        text = self.rows.selected_text(form)
        if text:
            QGuiApplication.clipboard().setText(text)
            selected = self.rows.selection()
            noun = f"{selected[1] - selected[0]:,} columns" if selected else "The alignment"
            self.message.emit(f"{noun} copied.")

    def set_zoom(self, zoom: float) -> None:
        """Make the residues of all views larger or smaller than the window's text."""
        for view in self._views.values():
            view.set_zoom(zoom)

    def find_motif(self) -> None:
        self.set_mode(self._wrapped.name)
        self._wrapped.find_bar.open_bar()

    def _go_to(self, position: int) -> None:
        if self.rows.go_to_query(position):
            self.set_mode(self._wrapped.name)
            self.rows.setFocus(Qt.FocusReason.OtherFocusReason)
        else:
            self.status.setText(f"Query position {position:,} is outside the alignment.")

    def _leave(self) -> None:
        self.whole_button.setChecked(False)  # the table must exist
        self.left.emit()

    def focus_view(self) -> None:
        view = self._view if self._shown is not None or not self._view.needs_hit else self.empty
        view.setFocus(Qt.FocusReason.OtherFocusReason)
