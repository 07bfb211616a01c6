"""Pages of a report on a printer or in its preview: the same marks as in PDF files (`swgui.io.paper`)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from PySide6.QtCore import QMarginsF, QRectF
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPageLayout, QPageSize, QPainter, QTransform
from PySide6.QtPrintSupport import QPrinter, QPrintPreviewDialog
from PySide6.QtWidgets import QWidget

from swgui.gui.kit.dialog import fit_dialog
from swgui.gui.viewer.residues.letters import letter_shape
from swgui.io.paper.letters import RAISED, runs_of
from swgui.io.paper.marks import HEIGHT, WIDTH, Bar, Letter, Mark, Page, Words, foot

_LARGE: Final = 100  # pixels of the fonts that are scaled, for exact widths
_FAMILIES: Final = {
    "plain": ("Helvetica", QFont.StyleHint.SansSerif),
    "bold": ("Helvetica", QFont.StyleHint.SansSerif),
    "symbol": ("Helvetica", QFont.StyleHint.SansSerif),
    "fixed": ("Courier", QFont.StyleHint.Monospace),
}


def set_page(printer: QPrinter, title: str) -> QPrinter:
    """Set name and paper, without margins: the pages have their own."""
    printer.setDocName(title)
    printer.setPageSize(QPageSize(QPageSize.PageSizeId.A4))
    printer.setPageOrientation(QPageLayout.Orientation.Portrait)
    printer.setFullPage(True)
    printer.setPageMargins(QMarginsF(0, 0, 0, 0), QPageLayout.Unit.Millimeter)
    return printer


def paint(pages: Sequence[Page], below: str, printer: QPrinter) -> None:
    """Paint pages on a printer, as large as its paper allows.

    Parameters
    ----------
    below : str
        Text at the foot of each page.
    """
    fonts = _fonts()
    first, last = max(printer.fromPage(), 1), printer.toPage() or len(pages)
    painter = QPainter(printer)
    paper = printer.paperRect(QPrinter.Unit.DevicePixel)
    scale = min(paper.width() / WIDTH, paper.height() / HEIGHT)
    painter.scale(scale, scale)
    for number, page in enumerate(pages, 1):
        if not first <= number <= last:
            continue
        if number > first:
            printer.newPage()
        for mark in (*page.marks, *foot(below, number, len(pages))):
            _paint_mark(painter, mark, fonts)
    painter.end()


def _fonts() -> dict[str, tuple[QFont, QFontMetricsF]]:
    made = {}
    for name, (family, hint) in _FAMILIES.items():
        font = QFont(family)
        font.setStyleHint(hint)
        font.setBold(name == "bold")
        font.setPixelSize(_LARGE)
        made[name] = font, QFontMetricsF(font)
    return made


def _paint_mark(painter: QPainter, mark: Mark, fonts: dict[str, tuple[QFont, QFontMetricsF]]) -> None:
    if isinstance(mark, Bar):
        painter.fillRect(QRectF(mark.x, mark.y, mark.width, mark.height), QColor(mark.colour))
    elif isinstance(mark, Letter):
        shape = letter_shape(mark.text)
        stretched = QTransform(mark.width, 0, 0, mark.height, mark.x, mark.y).map(shape)
        painter.fillPath(stretched, QColor(mark.colour))
    elif isinstance(mark, Words):
        x = mark.x
        painter.setPen(QColor(mark.colour))
        for run in runs_of(mark.text, mark.font):
            font, metrics = fonts[run.font]
            width = run.width * mark.size  # which the font of this computer may miss
            size = mark.size * (RAISED if run.raised else 1) / _LARGE
            painter.save()
            painter.translate(x, mark.y - (mark.size / 3 if run.raised else 0))
            painter.scale(width / max(metrics.horizontalAdvance(run.text), 1e-6), size)
            painter.setFont(font)
            painter.drawText(0, 0, run.text)
            painter.restore()
            x += width


class PrintPreview(QPrintPreviewDialog):
    """Shows the pages; the printer, or a PDF file, is chosen from there."""

    def __init__(self, pages: Sequence[Page], title: str, below: str, parent: QWidget | None = None) -> None:
        printer = set_page(QPrinter(QPrinter.PrinterMode.HighResolution), title)
        super().__init__(printer, parent)
        self._kept = printer  # Qt does not own it
        self.setObjectName("printPreview")
        self.setWindowTitle(f"Print {title}")
        self.pages = pages
        self.paintRequested.connect(lambda to: paint(self.pages, below, to))
        fit_dialog(self, 110, 90)
