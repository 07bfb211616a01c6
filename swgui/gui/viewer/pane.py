"""The alignment of the current hit: what it is, its figures, and the views of it."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAction, QGuiApplication, QKeySequence
from PySide6.QtWidgets import (
    QButtonGroup,
    QCheckBox,
    QComboBox,
    QHBoxLayout,
    QLabel,
    QMenu,
    QPlainTextEdit,
    QPushButton,
    QSizePolicy,
    QStackedWidget,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from swgui.core.headers import parse_header
from swgui.core.hits.results import Hit, SearchResult
from swgui.gui.kit import theme
from swgui.gui.kit.elided import ElidedLabel
from swgui.gui.kit.flow import FlowRow
from swgui.gui.kit.tasks.jobs import ShortJobs
from swgui.gui.viewer.further import FurtherAlignments
from swgui.gui.viewer.matrix.dot_view import DotView
from swgui.gui.viewer.matrix.path_view import PathView
from swgui.gui.viewer.pair import text_form
from swgui.gui.viewer.pair.layout import lay_out_pair
from swgui.gui.viewer.pair.view import PairView
from swgui.gui.viewer.pictures.pane import PanePictures
from swgui.gui.viewer.residues.find_bar import FindBar
from swgui.gui.viewer.residues.legend import Legend
from swgui.gui.viewer.residues.scheme_box import SchemeBox
from swgui.gui.viewer.residues.scheme_dialog import ColorSchemeDialog
from swgui.gui.viewer.residues.schemes import ColorScheme
from swgui.gui.viewer.stacked.layout import stack_as_fasta
from swgui.gui.viewer.stacked.loader import STACK_SIZES
from swgui.gui.viewer.stacked.view import StackedView

FLANK = 30  # residues shown beyond either end on demand

CHOOSE_IN = ("pair", "path")  # views with a choice of further alignments of the pair

COPY_FORMS = (
    ("numbered", "With numbers", "The alignment as it stands here, with residue numbers"),
    ("bare", "Residues only", "Query, match line and subject without numbers"),
    ("fasta", "FASTA, aligned", "Both rows as FASTA, with gaps"),
    ("ungapped", "FASTA, without gaps", "The aligned stretches as FASTA"),
    ("query", "Query residues", "The residues of the query"),
    ("subject", "Subject residues", "The residues of the subject"),
)


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
    """

    message = Signal(str)
    left = Signal()
    mode_changed = Signal(str)
    stack_wanted = Signal()

    def __init__(self, jobs: ShortJobs, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("alignmentPane")
        self._jobs = jobs
        self._result: SearchResult | None = None
        self._hit: Hit | None = None
        self._mode = "pair"

        self.title = ElidedLabel()
        self.title.setObjectName("alignmentTitle")
        theme.set_role(self.title, level="heading")
        self.facts = ElidedLabel()
        self.facts.setObjectName("alignmentFacts")
        self.places = ElidedLabel()
        self.places.setObjectName("alignmentPlaces")
        theme.set_role(self.places, level="muted")
        self.status = QLabel()
        self.status.setObjectName("alignmentStatus")
        self.status.setTextFormat(Qt.TextFormat.PlainText)
        theme.set_role(self.status, level="muted")
        self.status.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)

        self.pair = PairView()
        self.find_bar = FindBar(jobs, self.pair)
        self.stacked = StackedView()
        self.dots_view = DotView(jobs)
        self.path_view = PathView(jobs)
        self.text = QPlainTextEdit()
        self.text.setObjectName("alignmentText")
        self.text.setToolTip("The alignment as plain text, to be read aloud, selected or copied")
        self.text.setAccessibleName("Alignment as text")
        self.text.setReadOnly(True)
        self.text.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.text.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.empty = QLabel()
        self.empty.setObjectName("alignmentEmpty")
        self.empty.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.empty.setWordWrap(True)
        theme.set_role(self.empty, level="muted")
        self.views = QStackedWidget()
        self.views.setObjectName("alignmentViews")
        theme.keep_size(self.views, height=9)  # whatever the view that needs most would like
        self._modes: dict[str, QWidget] = {}
        self._mode_buttons = QButtonGroup(self)
        self._tools = FlowRow()
        self._tools.setObjectName("alignmentTools")
        self.legend = Legend()
        self.further = FurtherAlignments(jobs, self)
        self.pictures = PanePictures(self, jobs)
        self._build_bar()
        self.views.addWidget(self.empty)
        self.add_mode("pair", "Pair", "Query and subject, wrapped to the width (Alt+1)", self.pair, "Alt+1")
        self.add_mode("stacked", "Stacked", "Many subjects below the query (Alt+2)", self.stacked, "Alt+2")
        self.add_mode("dots", "Dot plot", "All similar stretches of query and subject (Alt+3)", self.dots_view, "Alt+3")
        self.add_mode("path", "Path", "The alignment in the scoring matrix (Alt+4)", self.path_view, "Alt+4")
        self.add_mode("text", "Text", "The alignment as plain text (Alt+5)", self.text, "Alt+5")

        layout = QVBoxLayout(self)
        theme.arrange(layout, (1.5, 1, 1.5, 0.5), 0.5)
        layout.addWidget(self.title)
        layout.addWidget(self._tools)  # a line of its own: each view has other tools, and its button stays in its place
        layout.addWidget(self.facts)
        layout.addWidget(self.places)
        layout.addWidget(self.find_bar)
        layout.addWidget(self.views, 1)
        foot = QHBoxLayout()
        theme.arrange(foot, spacing=1)
        foot.addWidget(self.status, 1)
        foot.addWidget(self.legend)
        layout.addLayout(foot)

        self.pair.pointed.connect(self.status.setText)
        self.pair.left.connect(self.left)
        self.pair.zoomed.connect(self.set_zoom)
        self.stacked.zoomed.connect(self.set_zoom)
        self.stacked.pointed.connect(self.status.setText)
        self.stacked.left.connect(self.left)
        self.find_bar.closed.connect(lambda: self.pair.setFocus(Qt.FocusReason.OtherFocusReason))
        for view in (self.dots_view, self.path_view):
            view.pointed.connect(self.status.setText)
            view.left.connect(self.left)
            view.place_chosen.connect(self._go_to)
            view.message.connect(self.message)
        self.path_view.others_found.connect(self._take_others)
        self.further.chosen.connect(self._show)
        self.further.listed.connect(self._show_choice)
        self.further.said.connect(self.status.setText)
        self.pair.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.pair.customContextMenuRequested.connect(
            lambda point: self.copy_menu.popup(self.pair.viewport().mapToGlobal(point))
        )
        self.set_mode("pair")
        self.clear()

    # -- building ----------------------------------------------------------------------------------

    def _build_bar(self) -> None:
        self.flanks = QCheckBox("Ends")
        self.flanks.setObjectName("showFlanks")
        self.flanks.setToolTip(f"Show up to {FLANK} residues beyond either end of the local alignment")
        self.flanks.toggled.connect(lambda on: self.pair.set_flank(FLANK if on else 0))
        self.dots = QCheckBox("Differences")
        self.dots.setObjectName("showDots")
        self.dots.setToolTip("Show identical subject residues as dots, so that differences stand out")
        self.dots.toggled.connect(self.pair.set_dots)
        self.find_button = QToolButton()
        self.find_button.setObjectName("findMotif")
        self.find_button.setText("Find…")
        self.find_button.setToolTip("Find a motif or a position in the alignment (Ctrl+G)")
        self.find_button.setShortcut(QKeySequence("Ctrl+G"))
        self.find_button.clicked.connect(self.find)
        self.stack_size = QComboBox()
        self.stack_size.setObjectName("stackSize")
        self.stack_size.setAccessibleName("Hits to stack")
        self.stack_size.setToolTip("Which hits to stack, in the order of the table")
        for title, max_rows in STACK_SIZES:
            self.stack_size.addItem(title, max_rows)
        self.stack_size.setCurrentIndex(1)
        self.stack_size.activated.connect(lambda _index: self.stack_wanted.emit())
        self.scheme_box = SchemeBox(self._jobs)
        self.scheme_box.used.connect(self._use_scheme)
        self.scheme_box.message.connect(self.message)
        self.copy_menu = QMenu(self)
        self.copy_menu.setObjectName("copyAlignmentMenu")
        self.copy_menu.setToolTipsVisible(True)
        for form, text, tip in COPY_FORMS:
            action = self.copy_menu.addAction(text)
            action.setObjectName(f"copyAlignment-{form}")
            action.setToolTip(tip)
            action.triggered.connect(lambda _checked=False, form=form: self.copy(form))
        self.copy_stack = self.copy_menu.addAction("Stack as FASTA")
        self.copy_stack.setObjectName("copyAlignment-stack")
        self.copy_stack.setToolTip("All stacked subjects with a column for each query residue; insertions left out")
        self.copy_stack.triggered.connect(self._copy_stack)
        self.copy_menu.addSeparator()
        picture = self.copy_menu.addAction("Picture")
        picture.setObjectName("copyPicture")
        picture.setToolTip("The whole alignment in the colours chosen, or the plot as it is seen, as a picture")
        picture.triggered.connect(self.pictures.copy)
        figure = self.copy_menu.addAction("Save a figure…")
        figure.setObjectName("saveFigure")
        figure.setToolTip("The whole alignment in the colours chosen, or the plot as it is seen, as PNG, SVG or PDF")
        figure.triggered.connect(self.pictures.save_as)
        self.copy_button = QPushButton("Copy")
        self.copy_button.setObjectName("copyAlignment")
        self.copy_button.setToolTip("Copy the selected columns, or all of them if none are selected")
        self.copy_button.setMenu(self.copy_menu)
        theme.set_role(self.copy_button, role="quiet")
        tools = (
            self.further.choice,
            self.further.more_button,
            self.find_button,
            self.flanks,
            self.dots,
            self.stack_size,
        )
        for widget in (*tools, self.scheme_box, self.copy_button):
            self._tools.add(widget)
        copy = QAction("Copy", self.pair)
        copy.setShortcut(QKeySequence.StandardKey.Copy)
        copy.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
        copy.triggered.connect(lambda: self.copy("numbered"))
        everything = QAction("Select all", self.pair)
        everything.setShortcut(QKeySequence.StandardKey.SelectAll)
        everything.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
        everything.triggered.connect(self.pair.select_all)
        self.pair.addActions([copy, everything])

    def add_mode(self, name: str, title: str, tip: str, view: QWidget, keys: str) -> None:
        """Add a view of the hit with a button in the bar."""
        button = QToolButton()
        button.setObjectName(f"mode-{name}")
        button.setText(title)
        button.setToolTip(tip)
        button.setCheckable(True)
        button.setShortcut(QKeySequence(keys))
        button.clicked.connect(lambda: self.set_mode(name))
        self._mode_buttons.addButton(button)
        self._tools.add(button, len(self._modes))
        self._modes[name] = view
        self.views.addWidget(view)

    def tab_order(self) -> list[QWidget]:
        """Return the controls in reading order."""
        bar = self.find_bar
        return [
            *self._tools.widgets,
            *(bar.kind, bar.text, bar.previous_button, bar.next_button, bar.close_button),
            *(self.pair, self.stacked, self.dots_view.window_box, self.dots_view.threshold, self.dots_view.plot),
            *(self.path_view.whole_button, self.path_view.plot, self.text),
        ]

    # -- what is shown -----------------------------------------------------------------------------

    @property
    def hit(self) -> Hit | None:
        """The hit shown."""
        return self._hit

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
        self.further.choice.setVisible(name in CHOOSE_IN and self.further.several)
        self.further.more_button.setVisible(name in CHOOSE_IN)
        if name != "pair" and self.find_bar.isVisible():
            self.find_bar.close_bar()
        self.stack_size.setVisible(name == "stacked")
        self.copy_stack.setVisible(name == "stacked")
        self.scheme_box.setVisible(name in ("pair", "stacked"))
        self._offer_schemes()
        self._update_view()
        self.mode_changed.emit(name)

    def use_result(self, result: SearchResult | None) -> None:
        """Offer the colour schemes that suit a result's sequences."""
        self._result = result
        self._offer_schemes()

    def _offer_schemes(self) -> None:
        if self._result is not None:
            view = "stacked" if self._mode == "stacked" else "pair"
            self.scheme_box.offer(view, self._result.database.alphabet.name)

    def _use_scheme(self, view: str, scheme: ColorScheme) -> None:
        (self.stacked if view == "stacked" else self.pair).set_scheme(scheme)
        self.legend.show_scheme(scheme)

    def show_hit(self, hit: Hit) -> None:
        """Show an aligned hit."""
        self.further.begin(self._result, hit)
        self._show(hit)

    def _show(self, hit: Hit) -> None:
        self._hit = hit
        header = parse_header(hit.subject.id, hit.subject.description)
        self.title.set_text(f"{hit.rank:,}   {header.name}   {header.title}".rstrip(), hit.subject.header)
        lines = text_form.facts(hit)
        self.facts.set_text("   ·   ".join(lines[:2]))
        organism = f"{header.organism}   ·   " if header.organism else ""
        self.places.set_text("   ·   ".join([organism + lines[2], *lines[3:]] if len(lines) > 2 else [organism]))
        self.pair.show_hit(hit, self._result.scheme)
        self.dots_view.show_hit(hit, self._result.scheme)
        self.path_view.show_pair(self._result, self.further.query_index, self.further.found, hit)
        self.find_bar.show_hit(hit)
        self.status.clear()
        self._update_view()

    def show_message(self, text: str) -> None:
        """Show a sentence in place of an alignment."""
        self.further.begin(None, None)
        self._hit = None
        self.pair.show_hit(None, None)
        self.dots_view.clear()
        self.path_view.clear()
        self.find_bar.show_hit(None)
        self.empty.setText(text)
        for label in (self.title, self.facts, self.places):
            label.set_text("")
        self.status.clear()
        self._update_view()

    def clear(self) -> None:
        """Show nothing but how to go on."""
        self.show_message("Choose a hit to see its alignment. Up and Down move.")

    def _update_view(self) -> None:
        shown = self._hit is not None
        for label in (self.facts, self.places):
            label.setVisible(shown)
        self.copy_button.setEnabled(shown)
        self.legend.setVisible(shown and self._mode in ("pair", "stacked"))
        if not shown:
            self.views.setCurrentWidget(self.empty)
            return
        if self._mode == "text":
            self.text.setFont(theme.fixed_font())
            layout = lay_out_pair(self._hit, self._result.scheme)
            self.text.setPlainText(text_form.whole_text(self._hit, layout))
        self.views.setCurrentWidget(self._modes[self._mode])

    def load_scheme(self, path: Path) -> None:
        """Read a colour scheme of the user's own and use it."""
        self.scheme_box.load(path)

    def edit_scheme(self) -> ColorSchemeDialog | None:
        """Open an editor that begins with the scheme shown, and return it; None without a result."""
        return self.scheme_box.edit() if self._result is not None else None

    def _show_choice(self) -> None:
        self.further.choice.setVisible(self._mode in CHOOSE_IN and self.further.several)

    def _take_others(self, others: list[Hit]) -> None:
        """Take over what the path view found by itself."""
        if self.further.take(others):
            self.path_view.show_pair(self._result, self.further.query_index, self.further.found, self._hit)

    @property
    def plot_view(self) -> DotView | PathView:
        """The plot that is shown; only in the modes that show one."""
        return self._modes[self._mode]

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
            names = [data.header(row.row).name for row in stack.rows]
            QGuiApplication.clipboard().setText(stack_as_fasta(stack, names, data.query.id))
            self.message.emit(f"{len(names) + 1:,} aligned sequences copied.")

    def set_zoom(self, zoom: float) -> None:
        """Make the residues of all views larger or smaller than the window's text."""
        for view in (self.pair, self.stacked):
            if view.zoom != zoom:
                view.set_zoom(zoom)

    def find(self) -> None:
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

    def focus_view(self) -> None:
        """Give the keyboard to the view shown."""
        self.views.currentWidget().setFocus(Qt.FocusReason.OtherFocusReason)
