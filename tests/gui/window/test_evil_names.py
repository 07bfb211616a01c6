"""Names from files are text, never markup: no part of them is rendered, wherever the window shows them."""

import pytest
from PySide6.QtGui import Qt
from PySide6.QtWidgets import QAbstractItemView, QLabel, QTextBrowser, QWidget

from swgui.core.alphabet import PROTEIN
from swgui.core.database import encode_database
from swgui.core.records import SequenceRecord
from tests.asking import BLOSUM62, answer, search_request

pytestmark = pytest.mark.gui

MARK = "<img src=x width=999>"
NAME = f"e{MARK}vil"


@pytest.fixture
def evil():
    letters = b"MKVLWAALLVTFLAGCQAKVEQAVETEPEPELRQQTEW"
    records = [SequenceRecord(f"{NAME}{n}", f"<b>{NAME}</b> <a href='file:///'>x</a>", letters[n:]) for n in range(8)]
    request = search_request(
        queries=(SequenceRecord(NAME, NAME, letters),),
        database=encode_database(records, PROTEIN, NAME),
        scheme=BLOSUM62,
        engine="reference",
    )
    return answer(request)


def is_rendered(text):
    """Whether Qt would take the text for markup with a tag of the name in it."""
    return Qt.mightBeRichText(text) and "<img src" in text


def shown(widget):
    """Yield whatever a widget shows that Qt might render."""
    yield "tool tip", widget.toolTip()
    yield "what's this", widget.whatsThis()
    if isinstance(widget, QLabel) and widget.textFormat() != Qt.TextFormat.PlainText:
        if widget.textFormat() == Qt.TextFormat.RichText and "<img src" in widget.text():
            yield "label", f"<p>{widget.text()}"
        yield "label", widget.text()
    if isinstance(widget, QTextBrowser):
        yield "images of a text", "<p><img src" if '<img src="x' in widget.toHtml() else ""
    if isinstance(widget, QAbstractItemView) and widget.model() is not None:
        model = widget.model()
        for row in range(min(model.rowCount(), 10)):
            for column in range(model.columnCount()):
                text = model.index(row, column).data(Qt.ItemDataRole.ToolTipRole)
                yield f"tool tip of column {column}", text if isinstance(text, str) else ""


def test_no_name_is_rendered(make_window, evil, qtbot):
    window = make_window(whole=True)
    window.show_result(evil)
    qtbot.waitUntil(lambda: window.tasks.idle and window.results_page.alignment.hit is not None)
    found = [
        f"{type(widget).__name__} {widget.objectName()!r}: {what}: {text[:80]}"
        for widget in [window, *window.findChildren(QWidget)]
        for what, text in shown(widget)
        if is_rendered(text)
    ]
    assert found == []
