"""What a view of alignments is. The pane shows one of them at a time; `swgui.gui.viewer.views` lists them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from PySide6.QtCore import Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QWidget

from swgui.core.hits.results import SearchResult
from swgui.gui.viewer.residues.area import ResidueArea
from swgui.gui.viewer.residues.schemes import ColorScheme
from swgui.gui.viewer.shown import ShownHit

if TYPE_CHECKING:
    from swgui.gui.viewer.pictures.figure import Figure
    from swgui.gui.viewer.stacked.figure import StackFigure


class View(QWidget):
    """One way to look at a hit; subclasses override what they have, and give the keyboard to what takes it.

    Attributes
    ----------
    name, title, tip : str
        In commands, on its button, and what the button says of it.
    scheme : {"", "pair", "stacked"}
        Which of the colour schemes its residues follow; empty if there are none.
    needs_hit : bool
        Whether there is nothing to see without a hit.
    shows_pair : bool
        Whether it shows one pair, the alignments of which can be stepped through.
    has_facts : bool
        Whether there is room for the figures of the alignment above it.
    has_picture : bool
        Whether it can be a picture; else that of the alignment is taken.
    file_name : str
        Suggested for a picture of it as it is seen; empty where `figure` draws one.
    tools : sequence of QWidget
        Stand above it; `tools_shown` says which of them just now.
    copies : sequence of QAction
        Further forms in which it can be copied.

    Signals
    -------
    pointed(str)
        What is under the pointer or the cursor; empty if nothing.
    message(str)
        Something to say in the window's status line.
    left()
        Escape was pressed: the keyboard goes back to the table.
    zoomed(float)
        New size of the residues, relative to the window's text.
    stepped(int)
        Number of an alignment of the pair that was chosen, from 0.
    place_chosen(int)
        Number of a query residue (as the user wrote the query) that was chosen.
    row_chosen(int, int)
        Row of the hit list that was chosen, and which of its alignments, -1 for all of them.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    tip: ClassVar[str]
    scheme: ClassVar[str] = ""
    needs_hit: ClassVar[bool] = True
    shows_pair: ClassVar[bool] = True
    has_facts: ClassVar[bool] = False
    has_picture: ClassVar[bool] = True
    file_name: ClassVar[str] = ""
    tools: Sequence[QWidget] = ()
    copies: Sequence[QAction] = ()

    pointed = Signal(str)
    message = Signal(str)
    left = Signal()
    zoomed = Signal(float)
    stepped = Signal(int)
    place_chosen = Signal(int)
    row_chosen = Signal(int, int)

    def adopt(self, area: ResidueArea) -> None:
        """Show a field of residues, which takes the keyboard, and pass on what it says."""
        self.setFocusProxy(area)
        area.pointed.connect(self.pointed)
        area.zoomed.connect(self.zoomed)
        area.left.connect(self.left)

    @property
    def possible(self) -> bool:
        """Whether there is something to see."""
        return True

    @property
    def tools_shown(self) -> Sequence[QWidget]:
        """The tools that are of use just now."""
        return self.tools

    def use_query(self, result: SearchResult | None, query_index: int) -> None:
        """Take note of the query whose hits are looked at."""

    def show_alignments(self, found: Sequence[ShownHit], current: int) -> None:
        """Show the alignments of a pair, best first, and one of them (from 0) before all others."""

    def clear(self) -> None:
        """Show no pair."""

    def set_current(self, row: int, part: int) -> None:
        """Mark a row of the hit list, and one of its alignments."""

    def set_scheme(self, scheme: ColorScheme) -> None:
        """Colour residues by another scheme."""

    def set_zoom(self, zoom: float) -> None:
        """Make residues larger or smaller than the window's text."""

    def figure(self) -> Figure | StackFigure | None:
        """Return all that is shown, for a picture; None if nothing is.

        Raises
        ------
        InvalidParameter
            If it is too large for a picture.
        """
        return None

    def picture(self, suffix: str) -> bytes | None:
        """Return what is seen as the content of a picture file with this ending; None if nothing is."""
        return None
