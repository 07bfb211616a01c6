"""The legend of the overview: what colour and height of a bar mean."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from swgui.core.hits.along_query import CLASS_COLOURS, SCORE_CLASSES
from swgui.gui.kit import theme
from swgui.gui.viewer.painted import Painted

WORDS = tuple(words for _, words, _ in SCORE_CLASSES)
SHORT_WORDS = (f"< {SCORE_CLASSES[1][0]:.0f}", *(f"≥ {low:.0f}" for low, _, _ in SCORE_CLASSES[1:]))


class ScoreLegend(Painted, QWidget):
    """The five score classes, as bars of their colour and height."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("scoreLegend")
        self._unit = "bits"
        self.setAccessibleName("Legend: bars are coloured by bit score, stronger hits are darker and thicker")

    def set_unit(self, has_statistics: bool) -> None:
        """Say bits, or score where no bits are known."""
        self._unit = "bits" if has_statistics else "score"
        self.update()

    def sizeHint(self) -> QSize:
        metrics = QFontMetricsF(self.font())
        return QSize(int(self._width(metrics, WORDS)), int(metrics.height() + 2))

    def minimumSizeHint(self) -> QSize:
        metrics = QFontMetricsF(self.font())
        return QSize(int(self._width(metrics, SHORT_WORDS)), int(metrics.height() + 2))

    @staticmethod
    def _width(metrics: QFontMetricsF, names: tuple[str, ...]) -> float:
        return metrics.horizontalAdvance("score") + 10 + sum(metrics.horizontalAdvance(words) + 34 for words in names)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        shades = theme.colours(self)
        metrics = QFontMetricsF(self.font())
        painter.setPen(QColor(shades.muted))
        align = Qt.AlignmentFlag.AlignVCenter
        x = 0.0
        painter.drawText(QRectF(x, 0, 80, self.height()), align, self._unit)
        x += metrics.horizontalAdvance(self._unit) + 10
        names = WORDS if self._width(metrics, WORDS) <= self.width() + 1 else SHORT_WORDS
        for (_, _, sixths), words, colour in zip(SCORE_CLASSES, names, CLASS_COLOURS[shades.dark], strict=True):
            thickness = round(metrics.height() * 0.65 * sixths / 6)
            painter.fillRect(QRectF(round(x), (self.height() - thickness) // 2, 16, thickness), QColor(colour))
            painter.drawText(QRectF(x + 21, 0, 200, self.height()), align, words)
            x += metrics.horizontalAdvance(words) + 34
