"""Hits and alignments on paper: a document made of plain HTML, for a printer or a PDF file."""

from __future__ import annotations

import html
from collections.abc import Sequence

from PySide6.QtCore import QMarginsF
from PySide6.QtGui import QFont, QPageLayout, QTextDocument
from PySide6.QtPrintSupport import QPrinter, QPrintPreviewDialog
from PySide6.QtWidgets import QWidget

from swgui.core import words
from swgui.core.hits.results import SearchResult
from swgui.core.hits.table import Hit
from swgui.gui.hits.columns import BY_KEY, ColumnView
from swgui.gui.hits.data import HitData
from swgui.gui.kit import theme
from swgui.gui.viewer.pair import text_form
from swgui.gui.viewer.pair.layout import lay_out_pair
from swgui.io.export.provenance import provenance_lines

MAX_ROWS = 500  # on paper; more are exported
POINTS, SMALL_POINTS = 9, 7
COLUMNS = 60  # of an alignment's line
MORE_CHARACTERS = 10  # than on the screen, for the print is small
NOT_PRINTED = ("tick", "star", "map")


def table_html(data: HitData, rows: Sequence[int], keys: Sequence[str]) -> str:
    """Return a table of hits; values that are not known yet stay empty."""
    columns = [BY_KEY[key] for key in keys if key not in NOT_PRINTED]
    characters = sum(column.width for column in columns)
    heads = "".join(
        _cell("th", column.head, column, f' width="{100 * column.width // characters}%"') for column in columns
    )
    lines = [
        "".join(
            _cell("td", f"{row + 1:,}" if column.key == "rank" else data.text(row, column), column)
            for column in columns
        )
        for row in rows[:MAX_ROWS]
    ]
    body = "".join(f"<tr>{line}</tr>" for line in lines)
    cut = len(rows) - len(lines)
    more = f"<p>{words.count(cut, 'more hit')} not printed; export the table to have all.</p>" if cut else ""
    return (
        f'<table width="100%" cellspacing="0" cellpadding="2" style="font-size:{SMALL_POINTS}pt">'
        f"<thead><tr>{heads}</tr></thead>{body}</table>{more}"
    )


def _cell(tag: str, text: str, column: ColumnView, more: str = "") -> str:
    align = "left" if column.kind == "text" else "right"
    max_length = column.width + MORE_CHARACTERS
    if column.kind == "text" and len(text) > max_length:
        text = text[: max_length - 1] + "…"
    return f'<{tag} align="{align}"{more}>{html.escape(text)}</{tag}>'


def alignment_html(hit: Hit, result: SearchResult) -> str:
    text = text_form.whole_text(hit, lay_out_pair(hit, result.scheme), result.scheme.alphabet, COLUMNS)
    return f"<pre>{html.escape(text)}</pre>"


def heading_html(result: SearchResult, data: HitData | None) -> str:
    query = f"<p><b>{html.escape(data.query.header)}</b></p>" if data is not None else ""
    facts = " · ".join(html.escape(line) for line in provenance_lines(result))
    return f'{query}<p style="font-size:{SMALL_POINTS}pt">{facts}</p>'


def document(body: str) -> QTextDocument:
    made = QTextDocument()
    font = QFont(theme.fixed_font())
    made.setDefaultStyleSheet(
        f"pre {{ font-family: '{font.family()}'; font-size: {POINTS}pt; }} p {{ font-size: {POINTS}pt; }}"
        " th { border-bottom: 1px solid black; }"
    )
    made.setHtml(f"<body style='color:black'>{body}</body>")
    return made


def set_page(printer: QPrinter, title: str, *, landscape: bool) -> QPrinter:
    """Set name, orientation and margins: none, for the document has its own of two centimetres."""
    printer.setDocName(title)
    printer.setPageOrientation(QPageLayout.Orientation.Landscape if landscape else QPageLayout.Orientation.Portrait)
    printer.setFullPage(True)
    printer.setPageMargins(QMarginsF(0, 0, 0, 0), QPageLayout.Unit.Millimeter)
    return printer


class PrintPreview(QPrintPreviewDialog):
    """Shows the pages; the printer, or a PDF file, is chosen from there."""

    def __init__(self, made: QTextDocument, title: str, *, landscape: bool, parent: QWidget | None = None) -> None:
        printer = set_page(QPrinter(QPrinter.PrinterMode.HighResolution), title, landscape=landscape)
        super().__init__(printer, parent)
        self._kept = printer  # Qt does not own it
        self.setObjectName("printPreview")
        self.setWindowTitle(f"Print {title}")
        self.document = made
        self.paintRequested.connect(self.document.print_)
        self.resize(theme.grid(110), theme.grid(90))
