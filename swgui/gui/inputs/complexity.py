"""How much of the queries is of low complexity, said and drawn before a search."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from PySide6.QtCore import QRectF, QSize
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from swgui.core.alphabet import Alphabet
from swgui.core.headers import parse_header
from swgui.core.masking import Interval, low_complexity
from swgui.core.records import SequenceRecord
from swgui.gui.kit import theme
from swgui.gui.kit.elided import ElidedLabel
from swgui.gui.kit.layouts import in_row
from swgui.gui.kit.tasks.pool import Tasks
from swgui.gui.kit.widgets import described

MAX_RESIDUES: Final = 2_000_000  # looked at in all
PIECE: Final = 50_000  # residues looked at in one go
MIN_SHARE: Final = 0.005  # below, nothing is said
TIP: Final = (
    "Stretches made of few different residues, found by SEG in proteins and by DUST in nucleotides. They score highly "
    "against others of the same kind, related or not. Masking, among the settings of the search, leaves them out."
)


@dataclass(frozen=True, slots=True)
class Complexity:
    """What was found in one query.

    Parameters
    ----------
    name : str
    length : int
        Residues looked at.
    whole : bool
        Whether these are all residues of the query.
    stretches : tuple of (start, end)
        Half-open, from 0.
    """

    name: str
    length: int
    whole: bool
    stretches: tuple[Interval, ...]

    @property
    def share(self) -> float:
        """Part of the residues looked at that is of low complexity, 0 to 1."""
        return sum(end - start for start, end in self.stretches) / max(self.length, 1)


def measure(records: Sequence[SequenceRecord], alphabet: Alphabet, stop: threading.Event) -> list[Complexity]:
    """Look for low complexity in queries, up to `MAX_RESIDUES` residues in all, or until `stop` is set."""
    found: list[Complexity] = []
    left = MAX_RESIDUES
    for record in records:
        length = min(len(record.residues), left)
        stretches: list[Interval] = []
        for start in range(0, length, PIECE):
            if stop.is_set():
                return found
            codes = alphabet.encode(record.residues[start : min(start + PIECE, length)])
            stretches += [(start + first, start + last) for first, last in low_complexity(codes, alphabet)]
        name = parse_header(record.id, record.description).name
        found.append(Complexity(name, length, length == len(record.residues), tuple(stretches)))
        left -= length
        if left <= 0:
            break
    return found


def in_words(found: Sequence[Complexity], queries: int) -> str:
    """Say how much is of low complexity; empty if nearly nothing is.

    Parameters
    ----------
    queries : int
        How many there are, whether looked at or not.
    """
    most = max(found, key=lambda one: one.share, default=None)
    if most is None or most.share < MIN_SHARE:
        return ""
    share = f"{max(round(100 * most.share), 1)} %"
    part = "" if most.whole else f"the first {most.length:,} residues of "
    if queries == 1:
        return f"{share} of {part}the query is low-complexity"
    others = sum(one.share >= MIN_SHARE for one in found) - 1
    more = f"; {others:,} more" if others else ""
    not_seen = "" if len(found) == queries else f" ({len(found):,} of {queries:,} queries looked at)"
    return f"Low-complexity: {share} of {part}{most.name}{more}{not_seen}"


class ComplexityLine(QWidget):
    """The sentence, and the stretches of the query that has most along a bar; hidden where there are none.

    Parameters
    ----------
    tasks : Tasks
        Looks in the background.
    """

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
        self._tasks.drop("query-complexity")
        if records and alphabet is not None:
            self._tasks.start("query-complexity", lambda stop: measure(records, alphabet, stop), self._show)

    def _show(self, found: list[Complexity]) -> None:
        text = in_words(found, len(self._looked[0]))
        self.text.set_text(text, f"{text}. {TIP}")
        self.bar.show_query(max(found, key=lambda one: one.share, default=None))
        self.setVisible(bool(text))


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
