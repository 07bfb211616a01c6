"""The alignment of the current hit: what it is, its figures, and the views of it."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TypeVar

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QButtonGroup, QMenu, QSizePolicy, QStackedWidget, QWidget

from swgui.core.headers import parse_header
from swgui.core.hits.results import Hit, SearchResult
from swgui.core.verdict.hits import judge, probable_shifts
from swgui.gui.hits.columns import BY_KEY
from swgui.gui.kit import theme
from swgui.gui.kit.elided import ElidedLabel
from swgui.gui.kit.flow import FlowRow
from swgui.gui.kit.layouts import in_column, in_row
from swgui.gui.kit.menus import menu_command
from swgui.gui.kit.tasks.pool import Tasks
from swgui.gui.kit.widgets import described, push_button, text_label, tool_button
from swgui.gui.viewer import views
from swgui.gui.viewer.alignments import PairAlignments
from swgui.gui.viewer.pair import text_form
from swgui.gui.viewer.pair.copying import copy_menu
from swgui.gui.viewer.pair.view import PairView
from swgui.gui.viewer.pair.wrapped import WrappedView
from swgui.gui.viewer.pictures.pane import Drawn, PanePictures
from swgui.gui.viewer.residues.legend import Legend
from swgui.gui.viewer.residues.scheme_box import SchemeBox
from swgui.gui.viewer.residues.scheme_dialog import ColorSchemeDialog
from swgui.gui.viewer.residues.schemes import ColorScheme
from swgui.gui.viewer.shown import ShownHit
from swgui.gui.viewer.view import View

V = TypeVar("V", bound=View)


class AlignmentPane(QWidget):
    """Shows the current hit in one of several views."""

    message = Signal(str)  # something to say in the window's status line
    left = Signal()  # the keyboard should go back to the table
    mode_changed = Signal(str)  # another view was chosen
    stepped = Signal(int)  # another alignment of the hit was chosen here, counted from 0
    # Row of the hit list that was chosen in a view, and which of its alignments, -1 for all of them.
    row_chosen = Signal(int, int)
    enlarged = Signal(bool)  # the whole page is wanted, or no longer
    shifts_wanted = Signal()  # the query is to be searched with across frameshifts

    def __init__(self, tasks: Tasks, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("alignmentPane")
        self._result: SearchResult | None = None
        self._shown: ShownHit | None = None
        self._make_texts()
        self._views = {view.name: view for view in (make(tasks) for make in views.VIEWS)}
        self._wrapped = self.view(WrappedView)
        self._view: View = self._wrapped
        self.legend = Legend()
        self.scheme_box = SchemeBox(tasks)
        self.alignments = PairAlignments(tasks, self)
        self.pictures = PanePictures(self, tasks, self._drawn)
        self.copy_menu = self._make_copy_menu()
        self._tools = FlowRow()
        self._tools.setObjectName("alignmentTools")
        self.views = described(QStackedWidget(), "alignmentViews")
        theme.keep_size(self.views, height=9)  # whatever the view that needs most would like
        self.views.addWidget(self.empty)
        self._mode_buttons = QButtonGroup(self)
        self._make_modes()
        self._make_tools()
        in_column(
            in_row((in_column(self.title, self.verdict, spacing=0.5), 1), self.shifts_button, self.whole_button),
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
        self.verdict = described(ElidedLabel(), "alignmentVerdict")
        self.facts = described(ElidedLabel(), "alignmentFacts")
        self.places = described(ElidedLabel(), "alignmentPlaces")
        theme.set_role(self.places, level="muted")
        self.status = text_label(name="alignmentStatus", level="muted", plain=True)
        self.status.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.empty = text_label(name="alignmentEmpty", level="muted", wrap=True)
        self.empty.setAlignment(Qt.AlignmentFlag.AlignCenter)

    def _make_modes(self) -> None:
        for number, view in enumerate(self._views.values(), start=1):
            keys = f"Alt+{number}"
            button = tool_button(f"mode-{view.name}", view.title, f"{view.tip} ({keys})", keys=keys, checkable=True)
            button.clicked.connect(lambda _checked=False, name=view.name: self.set_mode(name))
            self._mode_buttons.addButton(button)
            self._tools.add(button)
            self.views.addWidget(view)

    def _make_tools(self) -> None:
        self.copy_button = push_button(
            "copyAlignment",
            "Copy",
            "Copy the selected columns, or all of them if none are selected",
            role="quiet",
        )
        self.copy_button.setMenu(self.copy_menu)
        tip = "Give this view the room of head, overview and hits; again, or Escape, to have them back"
        self.whole_button = tool_button("wholePage", "Whole page", tip, self.enlarged, checkable=True)
        self.shifts_button = push_button("acrossShifts", "Search across frameshifts", does=self.shifts_wanted)
        of_views = (tool for view in self._views.values() for tool in view.tools)
        for widget in (*self.alignments.widgets, *of_views, self.scheme_box, self.copy_button):
            self._tools.add(widget)

    def _make_copy_menu(self) -> QMenu:
        menu = copy_menu(self.pair, "copyAlignmentMenu", "copyAlignment", self.copy)
        for view in self._views.values():
            menu.addActions(list(view.copies))
        menu.addSeparator()
        seen = "The whole alignment in the colours chosen, or the plot as it is seen, as"
        menu_command(menu, "copyPicture", "Picture", f"{seen} a picture", self.pictures.copy)
        menu_command(menu, "saveFigure", "Save a figure…", f"{seen} PNG, SVG or PDF", self.pictures.save_as)
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
        """Return the controls in reading order."""
        inside = (part for view in self._views.values() for part in (view, *view.findChildren(QWidget)))
        here = (part for part in inside if part.window() is self.window() and part.focusProxy() is None)  # no lists
        stops = (part for part in here if part.focusPolicy() & Qt.FocusPolicy.TabFocus)
        return [self.shifts_button, self.whole_button, *self._tools.widgets, *stops]

    # -- what is shown -----------------------------------------------------------------------------

    def view(self, kind: type[V]) -> V:
        return next(view for view in self._views.values() if isinstance(view, kind))

    @property
    def pair(self) -> PairView:
        """The alignment as residues, wrapped to the width."""
        return self._wrapped.area

    @property
    def hit(self) -> Hit | None:
        return self._shown.hit if self._shown is not None else None

    @property
    def mode(self) -> str:
        return self._view.name

    def set_mode(self, name: str) -> None:
        self._view = self._views[name]
        for button in self._mode_buttons.buttons():
            button.setChecked(button.objectName() == f"mode-{name}")
        self._show_choice()
        for view in self._views.values():
            for action in view.copies:
                action.setVisible(view is self._view)
        self.copy_button.setVisible(self._view.needs_hit)
        self.scheme_box.setVisible(bool(self._view.scheme))
        self._offer_schemes()
        self._update_view()
        self.mode_changed.emit(name)

    def use_result(self, result: SearchResult) -> None:
        """Show hits of another result from now on, and offer the colour schemes that suit its sequences."""
        self._result = result
        self._offer_schemes()

    def use_query(self, query_index: int) -> None:
        for view in self._views.values():
            view.use_query(self._result, query_index)
        self._offer(view for view in self._views.values() if not view.needs_hit)

    def _offer(self, among: Iterable[View]) -> None:
        """Show the buttons of views where there is something to see."""
        possible = {f"mode-{view.name}": view.possible for view in among}
        for button in self._mode_buttons.buttons():
            if button.objectName() in possible:
                button.setVisible(possible[button.objectName()])
        if not possible.get(f"mode-{self.mode}", True):
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
        """Show an aligned hit of the result in use by one of its alignments."""
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
        told = f"{shifts} {judged.removesuffix(shifts)}".strip()  # first what the button is about
        self.verdict.set_text(told, f"{judged}\n\n{BY_KEY['verdict'].description}")
        lines = text_form.facts(hit)
        self.facts.set_text("   ·   ".join(lines[:2]))
        parts = (header.organism, self.alignments.place(), *lines[2:])
        self.places.set_text("   ·   ".join(part for part in parts if part))
        for view in self._views.values():
            view.show_alignments(self.alignments.found, self.alignments.current)
        self._offer(view for view in self._views.values() if view.needs_hit)
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
        for label in (self.facts, self.places):  # plots need the room, the text has them itself
            label.setVisible(shown and current.has_facts)
        self.copy_button.setEnabled(shown)
        for view in self._views.values():
            for tool in view.tools:
                tool.setVisible(view is current and tool in view.tools_shown)
        self.legend.setVisible(seen and bool(current.scheme))
        self.views.setCurrentWidget(current if seen else self.empty)

    def load_scheme(self, path: Path) -> None:
        self.scheme_box.load(path)

    def edit_scheme(self) -> ColorSchemeDialog | None:
        """Open an editor that begins with the scheme shown, and return it; None without a result."""
        return self.scheme_box.edit() if self._result is not None else None

    def _show_choice(self) -> None:
        self.alignments.show_in(self._view.shows_pair)

    def _drawn(self) -> Drawn | None:
        """Return what a picture is to show; `InvalidParameter` if it is too large for one."""
        view = self._view if self._view.has_picture else self._wrapped
        return view if view.file_name else view.figure()

    # -- commands ----------------------------------------------------------------------------------

    def copy(self, form: str = "numbered") -> None:
        """Copy the selected columns, or all, to the clipboard."""
        text = self.pair.selected_text(form)
        if text:
            QGuiApplication.clipboard().setText(text)
            selected = self.pair.selection()
            what = f"{selected[1] - selected[0]:,} columns" if selected else "The alignment"
            self.message.emit(f"{what} copied.")

    def set_zoom(self, zoom: float) -> None:
        """Make the residues of all views larger or smaller than the window's text."""
        for view in self._views.values():
            view.set_zoom(zoom)

    def find_motif(self) -> None:
        """Open the bar that finds motifs and positions."""
        self.set_mode(self._wrapped.name)
        self._wrapped.find_bar.open_bar()

    def _go_to(self, position: int) -> None:
        """Show a residue of the query in the pair view."""
        if self.pair.go_to_query(position):
            self.set_mode(self._wrapped.name)
            self.pair.setFocus(Qt.FocusReason.OtherFocusReason)
        else:
            self.status.setText(f"Query residue {position:,} is outside the alignment.")

    def _leave(self) -> None:
        self.whole_button.setChecked(False)  # the table has to be there
        self.left.emit()

    def focus_view(self) -> None:
        view = self._view if self._shown is not None or not self._view.needs_hit else self.empty
        view.setFocus(Qt.FocusReason.OtherFocusReason)
