"""Printing hits and alignments: the same pages as in PDF files."""

import re
from types import SimpleNamespace

import pytest
from PySide6.QtPrintSupport import QPrinter

from swgui.gui.results import output as printing
from swgui.io.paper.marks import Words


def words_of(pages):
    """Return the texts of pages, a mark each."""
    return [mark.text for page in pages for mark in page.marks if isinstance(mark, Words)]


@pytest.fixture
def printed(page, qtbot, monkeypatch):
    """Print, and return the texts of the pages."""

    def words():
        made = []
        preview = SimpleNamespace(setAttribute=lambda _: None, open=lambda: None)
        monkeypatch.setattr(printing, "PrintPreview", lambda pages, *_: made.append(pages) or preview)
        page.output.print_()
        qtbot.waitUntil(lambda: len(made) == 1)
        return words_of(made[0])

    return words


def test_a_pdf_file_of_a_printer(page, qtbot, tmp_path):
    printer = QPrinter(QPrinter.PrinterMode.HighResolution)
    printer.setOutputFormat(QPrinter.OutputFormat.PdfFormat)
    printer.setOutputFileName(str(tmp_path / "hits.pdf"))
    said = []
    page.message.connect(said.append)
    page.output.print_(printer)
    qtbot.waitUntil(lambda: "Printed." in said)
    content = (tmp_path / "hits.pdf").read_bytes()
    assert content.startswith(b"%PDF")
    assert re.search(rb"/Type\s*/Page\b", content)


def test_pages_have_the_answer_the_hits_and_the_current_alignment(page, printed):
    words = printed()
    assert words[0] == "Search of Test proteins"
    assert {"ALBU_HUMAN", "ALBU_MOUSE"} <= set(words)
    assert sum(word.strip().startswith("Identities = ") for word in words) == 1
    assert " Identities = 60/60 (100%), Positives = 60/60 (100%), Gaps = 0/60 (0%)" in words
    page.hits.table.selectAll()
    assert sum(word.strip().startswith("Identities = ") for word in printed()) > 1


def test_long_lists_are_cut_and_the_page_says_it(page, printed, monkeypatch):
    monkeypatch.setattr(printing, "MAX_ROWS", 2)
    assert any("2 of 5 hits in this report" in word for word in printed())


def test_a_preview_opens_without_a_printer(page, qtbot):
    page.output.print_()
    qtbot.waitUntil(lambda: page.findChild(printing.PrintPreview) is not None)
    preview = page.findChild(printing.PrintPreview)
    assert "ALBU_HUMAN" in words_of(preview.pages)
    preview.reject()


def test_nothing_to_print_is_said(page, qtbot):
    page.clear()
    with qtbot.waitSignal(page.message) as said:
        page.output.print_()
    assert said.args == ["There is nothing to print yet."]
