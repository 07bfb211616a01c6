"""What the colours mean, in words: swatches beside the alignment, all of them in a tool tip and on click."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QApplication, QSizePolicy, QWidget

from swgui.gui.kit import theme
from swgui.gui.viewer.residues import styling
from swgui.gui.viewer.residues.schemes import NO_COLOURS, ColorScheme

MAX_NAMED = 8  # schemes with more groups show their residues instead of names


class Legend(QWidget):
    """One line of swatches with the names of a scheme's groups."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("colorLegend")
        self._scheme = NO_COLOURS
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)

    def show_scheme(self, scheme: ColorScheme) -> None:
        self._scheme = scheme
        self.setAccessibleName(f"Legend of {scheme.title}: {', '.join(self._names())}")
        rows = "".join(
            f"<tr><td style='background:{fill}'>&nbsp;&nbsp;&nbsp;&nbsp;</td><td>&nbsp;{group.name}</td>"
            f"<td>&nbsp;{' '.join(group.residues)}</td></tr>"
            for group, fill in zip(scheme.groups, scheme.fills(self._dark()), strict=True)
        )
        self.setToolTip(f"<p><b>{scheme.title}</b></p><table>{rows}</table><p>{scheme.origin}</p>")
        self.updateGeometry()
        self.update()

    @staticmethod
    def _dark() -> bool:
        return styling.is_dark(QApplication.palette())

    def _names(self) -> list[str]:
        if len(self._scheme.groups) > MAX_NAMED:
            return [group.residues for group in self._scheme.groups]
        return [group.name for group in self._scheme.groups]

    def _metrics(self) -> QFontMetricsF:
        return QFontMetricsF(self.font())

    def sizeHint(self) -> QSize:
        metrics = self._metrics()
        swatch = metrics.height() * 0.75
        width = sum(swatch + 5 + metrics.horizontalAdvance(name) + 12 for name in self._names())
        return QSize(int(width) + 2, int(metrics.height() + 4))

    def minimumSizeHint(self) -> QSize:
        return QSize(0, self.sizeHint().height())

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        metrics = self._metrics()
        swatch = round(metrics.height() * 0.75)
        shades = theme.colours(self)
        x = 0.0
        for name, fill in zip(self._names(), self._scheme.fills(self._dark()), strict=True):
            painter.setPen(QPen(QColor(shades.control), 1))
            painter.setBrush(QColor(fill))
            painter.drawRect(QRectF(round(x) + 0.5, (self.height() - swatch) // 2 + 0.5, swatch, swatch))
            painter.setPen(QColor(shades.muted))
            width = metrics.horizontalAdvance(name)
            place = QRectF(x + swatch + 5, 0, width + 4, self.height())
            painter.drawText(place, Qt.AlignmentFlag.AlignVCenter, name)
            x += swatch + 5 + width + 12

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (QEvent.Type.PaletteChange, QEvent.Type.FontChange):
            self.show_scheme(self._scheme)
