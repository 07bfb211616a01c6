"""How much of the queries is of low complexity, said and drawn before a search."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QRectF, QSize, Signal
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from swgui.core.alphabet import NUCLEOTIDE, PROTEIN, Alphabet
from swgui.core.records import SequenceRecord
from swgui.core.verdict.complexity import Complexity, in_words, measure
from swgui.gui.kit import theme
from swgui.gui.kit.elided import ElidedLabel
from swgui.gui.kit.layouts import in_row
from swgui.gui.kit.tasks.pool import Tasks
from swgui.gui.kit.widgets import described

TIP: Final = (
    "Stretches made of few different residues, found by SEG in proteins and by DUST in nucleotides. They score highly "
    "against others of the same kind, related or not. Masking, among the settings of the search, leaves them out."
)


class ComplexityLine(QWidget):
    """The sentence, and of several queries the stretches of the one that has most along a bar; hidden without any.

    Parameters
    ----------
    tasks : Tasks
        Looks in the background.

    Signals
    -------
    measured(object)
        The stretches of the first query, whose picture shows them; none until they are known.
    """

    measured = Signal(object)

    def __init__(self, tasks: Tasks, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("queryComplexity")
        self._tasks = tasks
        self._looked: tuple[tuple[SequenceRecord, ...], Alphabet | None] = ((), None)
        self.text = described(ElidedLabel(), "queryComplexityText")
        theme.set_role(self.text, level="muted")
        self.bar = StretchBar()
        in_row((self.text, 3), (self.bar, 2), parent=self)
        self.hide()

    def look(self, records: tuple[SequenceRecord, ...], alphabet: Alphabet | None) -> None:
        """Look at other queries; what is said of those before goes at once."""
        if self._looked == (records, alphabet):
            return
        self._looked = records, alphabet
        self.hide()
        self.measured.emit(())
        self._tasks.drop("query-complexity")
        if records and alphabet in (PROTEIN, NUCLEOTIDE):  # of other alphabets SEG and DUST know nothing
            self._tasks.start("query-complexity", lambda stop: measure(records, alphabet, stop), self._show)

    def _show(self, found: list[Complexity]) -> None:
        text = in_words(found, len(self._looked[0]))
        self.text.set_text(text, f"{text}. {TIP}")
        self.bar.show_query(max(found, key=lambda one: one.share, default=None))
        self.bar.setVisible(len(self._looked[0]) > 1)
        self.setVisible(bool(text))
        self.measured.emit(found[0].stretches if found else ())


class StretchBar(QWidget):
    """A query as a bar with its low-complexity stretches."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("queryStretches")
        self.setToolTip(TIP)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self._query: Complexity | None = None

    def show_query(self, query: Complexity | None) -> None:
        """Draw another query, or none."""
        self._query = query
        places = ", ".join(f"{start + 1:,} to {end:,}" for start, end in query.stretches[:20]) if query else ""
        self.setAccessibleName(f"Low-complexity stretches: {places}" if places else "No low-complexity stretches")
        self.update()

    def sizeHint(self) -> QSize:
        """Ask for a bar that shows where stretches lie."""
        return QSize(theme.grid(16), self.fontMetrics().height())

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the query and its stretches; even the shortest can be seen."""
        query = self._query
        if query is None or not query.length:
            return
        painter, shades = QPainter(self), theme.colours(self)
        height = max(round(self.height() * 0.5), 4)
        top = (self.height() - height) / 2
        painter.fillRect(QRectF(0, top, self.width(), height), QColor(shades.border))
        scale = self.width() / query.length
        for start, end in query.stretches:
            painter.fillRect(
                QRectF(start * scale, top, max((end - start) * scale, 1.0), height), QColor(shades.warning)
            )
