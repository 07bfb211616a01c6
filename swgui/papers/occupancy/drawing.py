"""One multiprocessor, drawn: which warps it holds, and what of registers, shared memory and places for blocks is taken.

Each resident block has a colour and a number; what is left is empty. The resource that allows no further block is
named in the drawing.
"""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QEvent, QRectF, QSize, Qt
from PySide6.QtGui import QBrush, QColor, QFontMetricsF, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from swgui.core.methods.occupancy import BLOCKS, REGISTERS, SHARED, THREADS, Occupancy
from swgui.gui.kit.theme import Colours, colours, grid
from swgui.gui.words import wording

WARPS_IN_A_ROW = 16
MAX_NUMBERED = 16  # blocks with a number in their part of a bar
KIB = 1024


@dataclass(frozen=True, slots=True)
class Bar:
    """One resource of a multiprocessor.

    Parameters
    ----------
    name : str
        As in `swgui.core.methods.occupancy`.
    each : float
        Share of it that a block takes.
    text : str
        How much is taken, in words.
    """

    name: str
    each: float
    text: str


def bars(found: Occupancy) -> tuple[Bar, ...]:
    """Return the bars of a drawing, upper first."""
    card, blocks = found.card, found.blocks
    share = max(blocks, 1)
    needs = found.needs
    each_registers = found.registers_used / share if blocks else needs.registers * needs.threads
    each_shared = found.shared_used / share if blocks else needs.shared_bytes + card.shared_reserved
    return (
        Bar(
            REGISTERS,
            each_registers / card.registers,
            f"{found.registers_used:,} of {card.registers:,} registers ({needs.registers} per thread)",
        ),
        Bar(
            SHARED,
            each_shared / card.shared_bytes,
            f"{found.shared_used / KIB:.1f} of {card.shared_bytes / KIB:.0f} KiB shared memory "
            f"({needs.shared_bytes / KIB:.1f} KiB per block)",
        ),
        Bar(
            THREADS,
            needs.warps / card.warps,
            f"{found.warps} of {card.warps} warps = {found.threads:,} of {card.threads:,} threads",
        ),
        Bar(BLOCKS, 1 / card.blocks, f"{blocks} of {card.blocks} places for blocks"),
    )


class OccupancyView(QWidget):
    """Draws an `Occupancy`; nothing before there is one."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("occupancyView")
        self.setAccessibleName("What one multiprocessor holds")
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self._found: Occupancy | None = None

    def show_occupancy(self, found: Occupancy | None) -> None:
        """Draw an occupancy, and say in words what is drawn; None for an empty drawing."""
        self._found = found
        self.setAccessibleDescription(found.explain() if found else "")
        self.setToolTip(found.explain() if found else "")
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        """Return a size at which warps can be counted."""
        lines = 1.3 + 4 * 2.6 + 0.3
        return QSize(grid(80), round(QFontMetricsF(self.font()).height() * lines + self._warp_height()))

    def minimumSizeHint(self) -> QSize:
        """Return a size below which nothing could be read."""
        return QSize(grid(44), self.sizeHint().height())

    def changeEvent(self, event: QEvent) -> None:
        """Follow the theme and the text size."""
        super().changeEvent(event)
        if event.type() in (QEvent.Type.PaletteChange, QEvent.Type.FontChange):
            self.updateGeometry()
            self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw."""
        if self._found is None:
            return
        painter = QPainter(self)
        painter.setFont(self.font())
        shades = colours(self)
        line = QFontMetricsF(self.font()).height()
        y = self._draw_warps(painter, self._found, line, shades)
        for bar in bars(self._found):
            y = self._draw_bar(painter, self._found, bar, y + line * 0.45, line, shades)
        painter.end()

    def _warp_height(self) -> float:
        rows = -(-self._found.card.warps // WARPS_IN_A_ROW) if self._found else 4
        return rows * grid(2)

    def _draw_warps(self, painter: QPainter, found: Occupancy, line: float, shades: Colours) -> float:
        painter.setPen(QColor(shades.muted))
        title = f"One multiprocessor, {found.card.warps} warps of 32 threads"
        painter.drawText(QRectF(0, 0, self.width(), line), int(Qt.AlignmentFlag.AlignLeft), title)
        step = min(grid(4.5), self.width() / WARPS_IN_A_ROW)
        height = grid(2)
        for warp in range(found.card.warps):
            row, column = divmod(warp, WARPS_IN_A_ROW)
            rect = QRectF(column * step, line * 1.3 + row * height, step - 2, height - 2)
            block, inside = divmod(warp, found.needs.warps)
            if block >= found.blocks:
                self._empty(painter, rect, shades)
                continue
            colour = QColor(shades.series[block % len(shades.series)])
            painter.fillRect(rect, colour)
            if not inside:
                painter.setPen(QColor(shades.base))
                painter.drawText(rect, int(Qt.AlignmentFlag.AlignCenter), str(block + 1))
        right = QRectF(WARPS_IN_A_ROW * step + grid(2), line * 1.3, self.width(), self._warp_height())
        if right.left() + grid(12) < self.width():
            big = painter.font()
            big.setPointSizeF(big.pointSizeF() * 2)
            painter.setFont(big)
            painter.setPen(QColor(shades.text))
            painter.drawText(right, int(Qt.AlignmentFlag.AlignLeft), wording.percent(found.ratio))
            painter.setFont(self.font())
            painter.setPen(QColor(shades.muted))
            right.setTop(right.top() + QFontMetricsF(big).height())
            painter.drawText(right, int(Qt.AlignmentFlag.AlignLeft), "of its warps are resident")
        return line * 1.3 + self._warp_height()

    def _draw_bar(self, painter: QPainter, found: Occupancy, bar: Bar, y: float, line: float, shades: Colours) -> float:
        limiting = bar.name in found.limiting
        painter.setPen(QColor(shades.text if limiting else shades.muted))
        text = f"{bar.text}{'  ◀ allows no further block' if limiting else ''}"
        painter.drawText(QRectF(0, y, self.width(), line), int(Qt.AlignmentFlag.AlignLeft), text)
        whole = QRectF(0, y + line * 1.1, self.width() - 2, line * 1.05)
        self._empty(painter, whole, shades)
        width = whole.width() * bar.each
        for block in range(found.blocks):
            part = QRectF(whole.left() + block * width, whole.top(), max(width - 1, 1), whole.height())
            painter.fillRect(part, QColor(shades.series[block % len(shades.series)]))
            if found.blocks <= MAX_NUMBERED and width > grid(2):
                painter.setPen(QColor(shades.base))
                painter.drawText(part, int(Qt.AlignmentFlag.AlignCenter), str(block + 1))
        if limiting and found.blocks * bar.each < 1 and bar.each <= 1:
            # What is left of a resource that is used up: too little for one more block.
            rest = QRectF(whole)
            rest.setLeft(whole.left() + found.blocks * width)
            painter.fillRect(rest, QBrush(QColor(shades.control), Qt.BrushStyle.BDiagPattern))
        if limiting:
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(QColor(shades.text), 2))
            painter.drawRect(whole)
        return whole.bottom()

    @staticmethod
    def _empty(painter: QPainter, rect: QRectF, shades: Colours) -> None:
        painter.setBrush(QColor(shades.alternate))
        painter.setPen(QPen(QColor(shades.border), 1))
        painter.drawRect(rect)
