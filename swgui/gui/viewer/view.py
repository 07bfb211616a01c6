"""Base of the views of alignments. The pane shows one of them at a time; `swgui.gui.viewer.views` lists them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from PySide6.QtCore import Signal
from PySide6.QtGui import QAction, QShowEvent
from PySide6.QtWidgets import QWidget

from swgui.core.hits.results import SearchResult
from swgui.gui.viewer.residues.area import ResidueArea
from swgui.gui.viewer.residues.schemes import ColorScheme
from swgui.gui.viewer.shown import ShownHit

if TYPE_CHECKING:
    from swgui.gui.viewer.pictures.figure import Figure
    from swgui.gui.viewer.pictures.picture import SeenPicture
    from swgui.gui.viewer.stacked.figure import StackFigure


class View(QWidget):
    """One view of a hit; subclasses override what they need, and give the keyboard to the widget that takes it."""

    name: ClassVar[str]  # and title, tip: in commands, on its button, and the tool tip of the button
    title: ClassVar[str]
    tip: ClassVar[str]
    scheme: ClassVar[str] = ""  # which of the colour schemes its residues follow; empty if there are none
    needs_hit: ClassVar[bool] = True  # whether there is nothing to see without a hit
    shows_one_hit: ClassVar[bool] = (
        True  # whether it shows one query and subject, whose alignments can be stepped through
    )
    has_facts: ClassVar[bool] = False  # whether there is room for the figures of the alignment above it
    has_picture: ClassVar[bool] = True  # whether it can be a picture; else the picture shows the alignment
    least_height: ClassVar[float] = 9  # least height in grid units, where the window has so much
    wants_room: ClassVar[bool] = False  # whether the Results page gives it more than half of its height
    in_menu: ClassVar[bool] = False  # whether it is chosen in the menu View alone, without a button
    tools: Sequence[QWidget] = ()  # are placed above it
    options: Sequence[QAction] = ()  # how it looks, in the menu View
    copies: Sequence[QAction] = ()  # further forms in which it can be copied

    pointed = Signal(str)  # text on the cell under the pointer or the cursor; empty if there is none
    message = Signal(str)  # a message for the window's status line
    left = Signal()  # escape was pressed: the keyboard goes back to the table
    zoomed = Signal(float)  # new size of the residues, relative to the window's text
    stepped = Signal(int)  # number of an alignment of the hit that was chosen, from 0
    place_chosen = Signal(int)  # number of a query residue (as the user wrote the query) that was chosen
    # Row of the hit list that was chosen, and which of its alignments, -1 for all of them.
    row_chosen = Signal(int, int)

    def adopt(self, area: ResidueArea) -> None:
        """Show a field of residues, which takes the keyboard, and pass on its messages."""
        self.setFocusProxy(area)
        area.pointed.connect(self.pointed)
        area.zoomed.connect(self.zoomed)
        area.left.connect(self.left)

    @property
    def possible(self) -> bool:
        return True

    @property
    def leads(self) -> bool:
        """Whether users open the hit for this view, so that it is shown before they choose it."""
        return False

    def use_query(self, result: SearchResult | None, query_index: int) -> None:
        """Note the query of the current hits."""

    def show_alignments(self, found: Sequence[ShownHit], current: int) -> None:
        """Show the alignments of a hit, best first, and one of them (from 0) before all others."""

    def clear(self) -> None:
        """Show no hit."""

    def compute(self) -> None:
        """Make the contents, unless they exist or are on their way; called once the view is visible."""

    def renew(self) -> None:
        """Request the contents again, at once if the view is visible."""
        if self.isVisible():
            self.compute()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.compute()

    def set_current(self, row: int, part: int) -> None:
        """Mark a row of the hit list, and one of its alignments."""

    def set_scheme(self, scheme: ColorScheme) -> None:
        """Colour residues by another scheme."""

    def set_zoom(self, zoom: float) -> None:
        """Make residues larger or smaller than the window's text."""

    def figure(self) -> Figure | StackFigure | SeenPicture | None:
        """Return the contents of a picture: all of an alignment or a stack, a plot as it appears; None for nothing.

        Raises
        ------
        InvalidParameter
            If it is too large for a picture.
        """
        return None
