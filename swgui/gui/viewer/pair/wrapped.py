"""The views of one pair as residues: in colour, wrapped to the width, and as plain text."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence, QShowEvent
from PySide6.QtWidgets import QPlainTextEdit, QWidget

from swgui.gui.kit.layouts import in_column
from swgui.gui.kit.menus import key_command
from swgui.gui.kit.tasks.pool import Tasks
from swgui.gui.kit.widgets import check_box, text_view, tool_button
from swgui.gui.viewer.pair import text_form
from swgui.gui.viewer.pair.codons import CODONS_BOX
from swgui.gui.viewer.pair.layout import lay_out_pair
from swgui.gui.viewer.pair.view import PairView
from swgui.gui.viewer.pictures.figure import Figure
from swgui.gui.viewer.residues.find_bar import FindBar
from swgui.gui.viewer.residues.schemes import ColorScheme
from swgui.gui.viewer.shown import ShownHit
from swgui.gui.viewer.view import View

FLANK = 30  # residues shown beyond either end on demand


class WrappedView(View):
    """Query and subject below each other, with the bar that finds motifs in them."""

    name, title, tip = "pair", "Pair", "Query and subject, wrapped to the width"
    scheme = "pair"
    has_facts = True

    def __init__(self, tasks: Tasks, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._shown: ShownHit | None = None
        self.area = PairView()
        self.find_bar = FindBar(tasks, self.area)
        self.adopt(self.area)
        self.flanks = check_box(
            "showFlanks",
            "Ends",
            f"Show up to {FLANK} residues beyond either end of the local alignment",
            lambda on: self.area.set_flank(FLANK if on else 0),
        )
        self.dots = check_box(
            "showDots",
            "Differences",
            "Show identical subject residues as dots, so that differences stand out",
            self.area.set_dots,
        )
        self.find_button = tool_button(
            "findMotif",
            "Find…",
            "Find a motif or a position in the alignment (Ctrl+G)",
            self.find_bar.open_bar,
            keys="Ctrl+G",
        )
        self.codons = check_box(*CODONS_BOX, self.area.set_codons)
        self.tools = (self.find_button, self.flanks, self.dots, self.codons)
        self.find_bar.closed.connect(lambda: self.area.setFocus(Qt.FocusReason.OtherFocusReason))
        key_command(self.area, "Select all", QKeySequence.StandardKey.SelectAll, self.area.select_all)
        in_column(self.find_bar, (self.area, 1), spacing=0.5, parent=self)

    @property
    def tools_shown(self) -> Sequence[QWidget]:
        return self.tools if self.area.has_codons else self.tools[:-1]

    def show_alignments(self, found: Sequence[ShownHit], current: int) -> None:
        self._shown = found[current]
        self.area.show_hit(self._shown)
        self.find_bar.show_hit(self._shown)

    def clear(self) -> None:
        self._shown = None
        self.area.clear()
        self.find_bar.show_hit(None)

    def set_scheme(self, scheme: ColorScheme) -> None:
        self.area.set_scheme(scheme)

    def set_zoom(self, zoom: float) -> None:
        """Make residues larger or smaller than the window's text."""
        self.area.set_zoom(zoom)

    def figure(self) -> Figure | None:
        """Return the whole alignment, for a picture; `InvalidParameter` if it is too large for one."""
        if self._shown is None:
            return None
        return Figure(self._shown.hit, self.area.alignment_layout, self.area.scheme, second=self.area.second)


class TextView(View):
    """The alignment as text, to be read aloud, selected or copied."""

    name, title, tip = "text", "Text", "The alignment as plain text"
    has_picture = False

    def __init__(self, tasks: Tasks, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._shown: ShownHit | None = None
        self.area: QPlainTextEdit = text_view(
            "alignmentText",
            "Alignment as text",
            "The alignment as plain text, to be read aloud, selected or copied",
        )
        by_mouse, by_keys = (
            Qt.TextInteractionFlag.TextSelectableByMouse,
            Qt.TextInteractionFlag.TextSelectableByKeyboard,
        )
        self.area.setTextInteractionFlags(by_mouse | by_keys)
        self.setFocusProxy(self.area)
        in_column((self.area, 1), parent=self)

    def show_alignments(self, found: Sequence[ShownHit], current: int) -> None:
        """Show one alignment of a pair; written when the view is seen."""
        self._shown = found[current]
        if self.isVisible():
            self._write()

    def clear(self) -> None:
        self._shown = None

    def _write(self) -> None:
        if (shown := self._shown) is not None:
            self.area.setPlainText(text_form.whole_text(shown.hit, lay_out_pair(shown.hit, shown.scheme)))

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._write()
