"""Printing hits and alignments."""

import re

import pytest
from PySide6.QtPrintSupport import QPrinter

from swgui.gui.results import output as printing


def print_to(page, qtbot, path, what):
    printer = QPrinter(QPrinter.PrinterMode.HighResolution)
    printer.setOutputFormat(QPrinter.OutputFormat.PdfFormat)
    printer.setOutputFileName(str(path))
    said = []
    page.message.connect(said.append)
    page.output.print_(what, printer)
    qtbot.waitUntil(lambda: "Printed." in said)
    content = path.read_bytes()
    assert content.startswith(b"%PDF")
    return len(re.findall(rb"/Type\s*/Page\b", content))


def test_pdf_files(page, qtbot, tmp_path):
    assert print_to(page, qtbot, tmp_path / "hits.pdf", "hits") == 1
    assert print_to(page, qtbot, tmp_path / "alignment.pdf", "alignment") == 1
    page.hits.table.selectAll()
    assert print_to(page, qtbot, tmp_path / "all.pdf", "both") >= 1


@pytest.mark.parametrize("what", ["both", "hits", "alignment"])
def test_pages_have_what_was_asked_for(page, qtbot, monkeypatch, what):
    made = []
    monkeypatch.setattr(
        page.output, "_print_document", lambda body, _title, _to, landscape: made.append(printing.document(body))
    )
    page.output.print_(what)
    qtbot.waitUntil(lambda: len(made) == 1)
    text = made[0].toPlainText()
    assert "Test proteins" in text
    assert "ALBU_HUMAN" in text
    assert ("ALBU_MOUSE" in text) == (what != "alignment")
    assert ("Identities 60/60 (100.0 %)" in text) == (what != "hits")
    assert ("100.0" in text.partition("Identities")[0]) == (what != "alignment")


def test_the_order_and_the_columns_of_the_screen(made, page, qtbot):
    data = page.hits.data
    html = printing.table_html(data, [3, 1], ["tick", "rank", "sseqid", "score"])
    names = [data.header(row).name for row in (3, 1)]
    assert html.index(names[0]) < html.index(names[1])
    assert html.count("<th ") == 3
    assert f">{data.hits.scores[3]:,}</td>" in html


def test_long_lists_are_cut_and_it_is_said(page, monkeypatch):
    monkeypatch.setattr(printing, "MAX_ROWS", 2)
    html = printing.table_html(page.hits.data, [0, 1, 2, 3, 4], ["rank"])
    assert html.count("<tr>") == 3
    assert "3 more hits not printed" in html


def test_names_are_no_markup(made, page):
    result, _ = made.make(names=[("a<b>&", "<i>x</i>")] + [(f"n{at}", "") for at in range(5)])
    from swgui.gui.hits.data import HitData

    html = printing.table_html(HitData(result.hit_list(0)), [0], ["sseqid", "stitle"])
    assert "<b>" not in html
    assert "&lt;i&gt;" in html


def test_a_preview_opens_without_a_printer(page, qtbot):
    page.output.print_()
    qtbot.waitUntil(lambda: page.findChild(printing.PrintPreview) is not None)
    preview = page.findChild(printing.PrintPreview)
    assert "ALBU_HUMAN" in preview.document.toPlainText()
    preview.reject()


def test_nothing_to_print_is_said(page, qtbot):
    page.clear()
    with qtbot.waitSignal(page.message) as said:
        page.output.print_()
    assert said.args == ["There is nothing to print yet."]
