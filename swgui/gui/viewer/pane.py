"""The alignment of the current hit: what it is, its figures, and the views of it."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QGuiApplication, QKeySequence
from PySide6.QtWidgets import QAbstractButton, QButtonGroup, QMenu, QPlainTextEdit, QSizePolicy, QStackedWidget, QWidget

from swgui.core.headers import parse_header
from swgui.core.hits.results import Hit, SearchResult
from swgui.core.verdict.hits import judge
from swgui.gui.hits.columns import BY_KEY
from swgui.gui.kit import theme
from swgui.gui.kit.elided import ElidedLabel
from swgui.gui.kit.flow import FlowRow
from swgui.gui.kit.layouts import in_column, in_row
from swgui.gui.kit.menus import key_command, menu_command
from swgui.gui.kit.tasks.pool import Tasks
from swgui.gui.kit.widgets import check_box, combo_box, described, push_button, text_label, text_view, tool_button
from swgui.gui.viewer.alignments import PairAlignments
from swgui.gui.viewer.family.view import FamilyView
from swgui.gui.viewer.frames.view import FramesView
from swgui.gui.viewer.matrix.dot_view import DotView
from swgui.gui.viewer.matrix.path_view import PathView
from swgui.gui.viewer.modes import COLOURED, MODES
from swgui.gui.viewer.pair import text_form
from swgui.gui.viewer.pair.codons import CODONS_BOX
from swgui.gui.viewer.pair.copying import copy_menu
from swgui.gui.viewer.pair.layout import lay_out_pair
from swgui.gui.viewer.pair.view import PairView
from swgui.gui.viewer.pictures.figure import Figure
from swgui.gui.viewer.pictures.pane import Drawn, PanePictures, Plot
from swgui.gui.viewer.residues.find_bar import FindBar
from swgui.gui.viewer.residues.legend import Legend
from swgui.gui.viewer.residues.scheme_box import SchemeBox
from swgui.gui.viewer.residues.scheme_dialog import ColorSchemeDialog
from swgui.gui.viewer.residues.schemes import ColorScheme
from swgui.gui.viewer.shape.view import ShapeView, has_places
from swgui.gui.viewer.shown import ShownHit
from swgui.gui.viewer.stacked.figure import StackFigure
from swgui.gui.viewer.stacked.layout import stack_as_fasta
from swgui.gui.viewer.stacked.loader import STACK_SIZES
from swgui.gui.viewer.stacked.view import StackedView

FLANK = 30  # residues shown beyond either end on demand


class AlignmentPane(QWidget):
    """Shows the current hit in one of several views.

    Signals
    -------
    message(str)
        Something to say in the window's status line.
    left()
        The keyboard should go back to the table.
    mode_changed(str)
        Another view was chosen.
    stack_wanted()
        Other hits should be stacked.
    stepped(int)
        Another alignment of the hit was chosen here, counted from 0.
    enlarged(bool)
        The whole page is wanted, or no longer.
    """

    message = Signal(str)
    left = Signal()
    mode_changed = Signal(str)
    stack_wanted = Signal()
    stepped = Signal(int)
    enlarged = Signal(bool)

    def __init__(self, tasks: Tasks, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("alignmentPane")
        self._result: SearchResult | None = None
        self._shown: ShownHit | None = None
        self._mode = "pair"
        self._make_texts()
        self.pair = PairView()
        self.find_bar = FindBar(tasks, self.pair)
        self.stacked = StackedView()
        self.family = FamilyView(tasks)
        self.dots_view = DotView(tasks)
        self.path_view = PathView(tasks)
        self.shape_view = ShapeView(tasks)
        self.frames = FramesView()
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
        self._modes: dict[str, QWidget] = {}
        self._mode_buttons = QButtonGroup(self)
        self._make_modes()
        self._make_tools()
        in_column(
            in_row((in_column(self.title, self.verdict, spacing=0.5), 1), self.whole_button),
            self._tools,  # a line of its own: each view has other tools, and its button stays in its place
            self.facts,
            self.places,
            self.find_bar,
            (self.views, 1),
            in_row((self.status, 1), self.legend),
            margins=(1.5, 1, 1.5, 0.5),
            spacing=0.5,
            parent=self,
        )
        self._connect()
        self._offer("shape", False)
        self._offer("frames", False)
        self.set_mode("pair")
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
        self.text: QPlainTextEdit = text_view(
            "alignmentText",
            "Alignment as text",
            "The alignment as plain text, to be read aloud, selected or copied",
        )
        self.text.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.empty = text_label(name="alignmentEmpty", level="muted", wrap=True)
        self.empty.setAlignment(Qt.AlignmentFlag.AlignCenter)

    def _make_modes(self) -> None:
        """Make a button for each view."""
        views = (self.pair, self.stacked, self.dots_view, self.path_view, self.text, self.shape_view, self.family)
        for (name, title, tip), view in zip(MODES, (*views, self.frames), strict=True):
            keys = f"Alt+{len(self._modes) + 1}"
            button = tool_button(f"mode-{name}", title, f"{tip} ({keys})", keys=keys, checkable=True)
            button.clicked.connect(lambda _checked=False, name=name: self.set_mode(name))
            self._mode_buttons.addButton(button)
            self._tools.add(button)
            self._modes[name] = view
            self.views.addWidget(view)

    def _make_tools(self) -> None:
        self.flanks = check_box(
            "showFlanks",
            "Ends",
            f"Show up to {FLANK} residues beyond either end of the local alignment",
            lambda on: self.pair.set_flank(FLANK if on else 0),
        )
        self.dots = check_box(
            "showDots",
            "Differences",
            "Show identical subject residues as dots, so that differences stand out",
            self.pair.set_dots,
        )
        self.find_button = tool_button(
            "findMotif",
            "Find…",
            "Find a motif or a position in the alignment (Ctrl+G)",
            self.find_motif,
            keys="Ctrl+G",
        )
        self.codons = check_box(*CODONS_BOX, self.pair.set_codons)
        self.stack_size = combo_box(
            "stackSize",
            "Which hits to stack, in the order of the table",
            lambda _index: self.stack_wanted.emit(),
            items=STACK_SIZES,
            chosen=STACK_SIZES[1][1],
            accessible="Hits to stack",
        )
        self.copy_button = push_button(
            "copyAlignment",
            "Copy",
            "Copy the selected columns, or all of them if none are selected",
            role="quiet",
        )
        self.copy_button.setMenu(self.copy_menu)
        tip = "Give this view the room of head, overview and hits; again, or Escape, to have them back"
        self.whole_button = tool_button("wholePage", "Whole page", tip, self.enlarged, checkable=True)
        for widget in (
            *self.alignments.widgets,
            self.find_button,
            self.flanks,
            self.dots,
            self.codons,
            self.stack_size,
            *self.family.tools[:3],
            self.scheme_box,
            *self.family.tools[3:],
            self.copy_button,
        ):
            self._tools.add(widget)

    def _make_copy_menu(self) -> QMenu:
        menu = copy_menu(self.pair, "copyAlignmentMenu", "copyAlignment", self.copy)
        self.copy_stack = menu_command(
            menu,
            "copyAlignment-stack",
            "Stack as FASTA",
            "All stacked subjects with a column for each query residue; insertions left out",
            self._copy_stack,
        )
        menu.addSeparator()
        seen = "The whole alignment in the colours chosen, or the plot as it is seen, as"
        menu_command(menu, "copyPicture", "Picture", f"{seen} a picture", self.pictures.copy)
        menu_command(menu, "saveFigure", "Save a figure…", f"{seen} PNG, SVG or PDF", self.pictures.save_as)
        return menu

    def _connect(self) -> None:
        for area in (self.pair, self.stacked, self.family):
            area.zoomed.connect(self.set_zoom)
        for plot in (self.dots_view, self.path_view):
            plot.place_chosen.connect(self._go_to)
            plot.message.connect(self.message)
        self.shape_view.message.connect(self.message)
        plots = self.dots_view, self.path_view, self.shape_view, self.frames
        for view in (self.pair, self.stacked, *plots, self.family):
            view.pointed.connect(self.status.setText)
            view.left.connect(self._leave)
        self.find_bar.closed.connect(lambda: self.pair.setFocus(Qt.FocusReason.OtherFocusReason))
        for chooser in (self.alignments, self.frames):
            chooser.chosen.connect(self._step_to)
        self.alignments.listed.connect(self._show_choice)
        self.alignments.said.connect(self.status.setText)
        self.scheme_box.used.connect(self._use_scheme)
        self.scheme_box.message.connect(self.message)
        self.family.message.connect(self.message)
        self.pictures.message.connect(self.message)
        key_command(self.pair, "Select all", QKeySequence.StandardKey.SelectAll, self.pair.select_all)

    def tab_order(self) -> list[QWidget]:
        """Return the controls in reading order."""
        bar = self.find_bar
        return [
            self.whole_button,
            *self._tools.widgets,
            *(bar.kind, bar.text, bar.previous_button, bar.next_button, bar.close_button),
            *(self.pair, self.stacked, self.dots_view.window_box, self.dots_view.threshold, self.dots_view.plot),
            *(self.path_view.whole_button, self.path_view.plot, self.text),
            *(self.shape_view.front, self.shape_view.save_button, self.shape_view.area, self.frames, self.family.area),
        ]

    # -- what is shown -----------------------------------------------------------------------------

    @property
    def hit(self) -> Hit | None:
        """The hit shown."""
        return self._shown.hit if self._shown is not None else None

    @property
    def mode(self) -> str:
        """Name of the view chosen."""
        return self._mode

    def set_mode(self, name: str) -> None:
        """Choose a view."""
        self._mode = name
        for button in self._mode_buttons.buttons():
            button.setChecked(button.objectName() == f"mode-{name}")
        for widget in (self.find_button, self.flanks, self.dots):
            widget.setVisible(name == "pair")
        self._show_choice()
        if name != "pair" and self.find_bar.isVisible():
            self.find_bar.close_bar()
        self.stack_size.setVisible(name == "stacked")
        self.copy_stack.setVisible(name == "stacked")
        for tool in self.family.tools:
            tool.setVisible(name == "family")
        self.copy_button.setVisible(name != "family")
        self.scheme_box.setVisible(name in COLOURED)
        self._offer_schemes()
        self._update_view()
        self.mode_changed.emit(name)

    def use_result(self, result: SearchResult) -> None:
        """Show hits of another result from now on, and offer the colour schemes that suit its sequences."""
        self._result = result
        self._offer_schemes()

    def use_query(self, query_index: int) -> None:
        """Offer the alignment of the rounds of a query, if it has some."""
        self.family.use_query(self._result, query_index)
        self._offer("family", self.family.possible)

    def _offer(self, mode: str, possible: bool) -> None:
        """Show the button of a view where there is something to see."""
        self._button(mode).setVisible(possible)
        if self._mode == mode and not possible:
            self.set_mode("pair")

    def _button(self, mode: str) -> QAbstractButton:
        return next(one for one in self._mode_buttons.buttons() if one.objectName() == f"mode-{mode}")

    def _offer_schemes(self) -> None:
        if self._result is not None:
            view = "stacked" if self._mode in ("stacked", "family") else "pair"
            self.scheme_box.offer(view, self._result.database.alphabet.residue_alphabet.name)

    def _use_scheme(self, view: str, scheme: ColorScheme) -> None:
        for area in (self.stacked, self.family) if view == "stacked" else (self.pair,):
            area.set_scheme(scheme)
        self.legend.show_scheme(scheme)

    def show_hit(self, hit: Hit, part: int = 0) -> None:
        """Show an aligned hit of the result in use by one of its alignments."""
        if self._result is not None:
            shown = self.alignments.begin(self._result, hit, part)
            if shown is not self._shown:
                self._show(shown)

    def _step_to(self, part: int) -> None:
        self._show(self.alignments.select(part))
        self.stepped.emit(part)

    def _show(self, shown: ShownHit) -> None:
        self._shown, hit = shown, shown.hit
        header = parse_header(hit.subject.id, hit.subject.description)
        self.title.set_text(f"{hit.rank:,}   {header.name}   {header.title}".rstrip(), hit.subject.header)
        judged = judge(hit, shown.result)
        self.verdict.set_text(judged, f"{judged}\n\n{BY_KEY['verdict'].description}")
        lines = text_form.facts(hit)
        self.facts.set_text("   ·   ".join(lines[:2]))
        parts = (header.organism, self.alignments.place(), *lines[2:])
        self.places.set_text("   ·   ".join(part for part in parts if part))
        self.pair.show_hit(shown)
        self.dots_view.show_pair(self.alignments.found, shown)
        self.path_view.show_pair(self.alignments.of_strand(shown), shown)
        self.shape_view.show_hit(shown)
        self._offer("shape", has_places(shown))
        self.frames.show_pair(self.alignments.found, self.alignments.current)
        self._offer("frames", self.frames.data is not None)
        self.find_bar.show_hit(shown)
        self.status.clear()
        self._update_view()

    def show_message(self, text: str) -> None:
        """Show a sentence in place of an alignment."""
        self._shown = None
        for view in (self.alignments, self.pair, self.dots_view, self.path_view, self.shape_view, self.frames):
            view.clear()
        self.find_bar.show_hit(None)
        self.empty.setText(text)
        for label in (self.title, self.verdict, self.facts, self.places):
            label.set_text("")
        self.status.clear()
        self._update_view()

    def clear(self) -> None:
        """Show nothing but how to get an alignment."""
        self.show_message("Choose a hit to see its alignment. Up and Down move.")

    def _update_view(self) -> None:
        shown = self._shown
        self.verdict.setVisible(shown is not None and self._mode != "family")
        for label in (self.facts, self.places):  # plots need the room, the text has them itself
            label.setVisible(shown is not None and self._mode in ("pair", "stacked"))
        self.copy_button.setEnabled(shown is not None)
        self.codons.setVisible(self._mode == "pair" and self.pair.has_codons)
        whole = self._mode == "family"  # needs no hit
        self.legend.setVisible((shown is not None or whole) and self._mode in COLOURED)
        if whole:
            self.views.setCurrentWidget(self.family)
        elif shown is None:
            self.views.setCurrentWidget(self.empty)
        else:
            if self._mode == "text":
                self.text.setPlainText(text_form.whole_text(shown.hit, lay_out_pair(shown.hit, shown.scheme)))
            self.views.setCurrentWidget(self._modes[self._mode])

    def load_scheme(self, path: Path) -> None:
        """Read a colour scheme of the user's own and use it."""
        self.scheme_box.load(path)

    def edit_scheme(self) -> ColorSchemeDialog | None:
        """Open an editor that begins with the scheme shown, and return it; None without a result."""
        return self.scheme_box.edit() if self._result is not None else None

    def _show_choice(self) -> None:
        self.alignments.show_in(self._mode not in ("stacked", "family"))

    def _drawn(self) -> Drawn | None:
        """Return what a picture is to show; `InvalidParameter` if it is too large for one."""
        view = self._modes[self._mode]
        if isinstance(view, Plot):
            return view
        if view in (self.stacked, self.family):
            area = self.family.area if view is self.family else self.stacked
            stack, data = area.stack, area.data
            return StackFigure.of(stack, data, area.scheme) if stack and data is not None else None
        if self._shown is None:
            return None
        return Figure(self._shown.hit, self.pair.alignment_layout, self.pair.scheme, second=self.pair.second)

    # -- commands ----------------------------------------------------------------------------------

    def copy(self, form: str = "numbered") -> None:
        """Copy the selected columns, or all, to the clipboard."""
        text = self.pair.selected_text(form)
        if text:
            QGuiApplication.clipboard().setText(text)
            selected = self.pair.selection()
            what = f"{selected[1] - selected[0]:,} columns" if selected else "The alignment"
            self.message.emit(f"{what} copied.")

    def _copy_stack(self) -> None:
        stack, data = self.stacked.stack, self.stacked.data
        if stack is not None and data is not None:
            names = [row.name(data.header(row.row).name) for row in stack.rows]
            QGuiApplication.clipboard().setText(stack_as_fasta(stack, names, data.query.id))
            self.message.emit(f"{len(names) + 1:,} aligned sequences copied.")

    def set_zoom(self, zoom: float) -> None:
        """Make the residues of all views larger or smaller than the window's text."""
        for view in (self.pair, self.stacked, self.family):
            if view.zoom != zoom:
                view.set_zoom(zoom)

    def find_motif(self) -> None:
        """Open the bar that finds motifs and positions."""
        self.set_mode("pair")
        self.find_bar.open_bar()

    def _go_to(self, position: int) -> None:
        """Show a residue of the query in the pair view."""
        if self.pair.go_to_query(position):
            self.set_mode("pair")
            self.pair.setFocus(Qt.FocusReason.OtherFocusReason)
        else:
            self.status.setText(f"Query residue {position:,} is outside the alignment.")

    def _leave(self) -> None:
        self.whole_button.setChecked(False)  # the table has to be there
        self.left.emit()

    def focus_view(self) -> None:
        """Give the keyboard to the view shown."""
        view = self._modes[self._mode] if self._shown is not None or self._mode == "family" else self.empty
        view.setFocus(Qt.FocusReason.OtherFocusReason)
