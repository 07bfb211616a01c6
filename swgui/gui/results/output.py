"""What leaves the results page: copies, exports, print."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import numpy as np
from PySide6.QtCore import QMimeData, QObject, Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtPrintSupport import QPrinter
from PySide6.QtWidgets import QDialog, QWidget

from swgui.core import words
from swgui.core.headers import parse_header
from swgui.core.hits.marks import Kind
from swgui.core.hits.results import HitList, SearchResult
from swgui.core.hits.table import HitStream, tables_of
from swgui.gui.hits.data import HitData
from swgui.gui.hits.filler import Describe, describe_some
from swgui.gui.kit import theme
from swgui.gui.kit.layouts import in_column, in_row
from swgui.gui.kit.saving import ask_save_path
from swgui.gui.kit.tasks.pool import Tasks
from swgui.gui.kit.widgets import combo_box, push_button, text_label, text_view
from swgui.gui.results.clipboard import identifiers, rows_as_fasta, rows_as_table
from swgui.gui.results.export.dialog import ExportDialog
from swgui.gui.results.export.job import HitChoice, with_kept
from swgui.gui.results.header import how_it_was_searched
from swgui.gui.viewer.pictures import printing
from swgui.gui.words import formatting
from swgui.io.export import FORMS, methods_text
from swgui.io.whole_file import save_text
from swgui.settings import ResultsSettings

if TYPE_CHECKING:
    from swgui.gui.results.page import ResultsPage


class MethodsDialog(QDialog):
    """Shows the paragraph in the form chosen.

    Signals
    -------
    message(str)
        What was done, for the status line.
    """

    message = Signal(str)

    def __init__(self, result: SearchResult, tasks: Tasks, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("methodsDialog")
        self.setWindowTitle("Methods text and references")
        self._result = result
        self._tasks = tasks
        forms = [(form.title, name) for name, form in FORMS.items()]
        self.form = combo_box("methodsForm", "How text and references are written", items=forms, changed=self._show)
        self.text = text_view("methodsText", "Methods text", fixed=False, wrap=True)
        self.copy_button = push_button("methodsCopy", "Copy", does=self._copy, role="primary", default=True)
        self.save_button = push_button("methodsSave", "Save as…", does=self._ask)
        self.close_button = push_button("methodsClose", "Close", does=self.reject)
        in_column(
            in_row(text_label("&Form", buddy=self.form), self.form, 1),
            text_label(how_it_was_searched(result), "methodsHow", level="muted", wrap=True, plain=True),
            (self.text, 1),
            in_row(1, self.close_button, self.save_button, self.copy_button),
            margins=2,
            spacing=1.5,
            parent=self,
        )
        self.resize(theme.grid(90), theme.grid(60))
        self._show()

    def _show(self) -> None:
        self.text.setPlainText(methods_text(self._result, self.form.currentData()))

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self.text.toPlainText())
        self.message.emit("Methods text copied.")

    def _ask(self) -> None:
        form = FORMS[self.form.currentData()]
        kinds = f"{form.title} (*{form.suffix});;All files (*)"
        if path := ask_save_path(self, "Save methods text", f"methods{form.suffix}", kinds, self._failed):
            self.save_to(path)

    def save_to(self, path: Path) -> None:
        """Write the text, whole or not at all, by a worker."""
        text = methods_text(self._result, self.form.currentData())
        self._tasks.submit(
            "results-methods",
            lambda: save_text(path, lambda file: file.write(text)),
            lambda _done: self.message.emit(f"Methods text written to {path}."),
            self._failed,
        )

    def _failed(self, error: Exception) -> None:
        self.message.emit(str(error))


NOT_COPIED = ("tick", "map")  # columns that are no words or numbers


def file_name(result: SearchResult) -> str:
    """Return what a file of hits is called, without its ending: ``ALBU_HUMAN_in_swissprot``."""
    first = result.queries[0].query if result.queries else None
    what = words.count(len(result.queries), "query", "queries")
    if first is not None and len(result.queries) == 1:
        what = parse_header(first.id, first.description).name
    signs = f"{what} in {result.database.name or 'database'}"
    return "".join(sign if sign.isalnum() or sign in "._-" else "_" for sign in signs)


class HitOutput(QObject):
    """The commands that take hits out of the results page."""

    def __init__(self, page: ResultsPage, tasks: Tasks) -> None:
        super().__init__(page)
        self._page = page
        self._tasks = tasks
        self.settings = ResultsSettings()  # what is remembered of exports

    def copy_rows(self) -> None:
        """Copy the selected hits as a table with the columns shown: tab-separated text and HTML."""
        if (chosen := self._selected()) is None:
            return
        data, _ = chosen
        places = self._page.hits.table.selected_places()
        keys = [key for key in self._shown_keys() if key not in NOT_COPIED]
        self._tasks.submit(
            "results-copy",
            lambda: rows_as_table(data, places, keys, self._page.describe),
            lambda both: self._to_clipboard(both[0], words.count(len(places), "row"), both[1]),
        )

    def copy_fasta(self) -> None:
        """Copy the whole sequences of the selected hits as FASTA, of selected alignments what is inside them."""
        if (chosen := self._selected()) is None:
            return
        data, _ = chosen
        places = self._page.hits.table.selected_places()
        self._tasks.submit(
            "results-copy",
            lambda: rows_as_fasta(data, places),
            lambda text: self._to_clipboard(text, words.count(len(places), "sequence")),
        )

    def copy_identifiers(self, rows: list[int] | None = None) -> None:
        """Copy accessions, one per line: of some rows of the ranked list, or of the selected hits."""
        if (chosen := self._selected()) is None:
            return
        data, selected = chosen
        rows = selected if rows is None else rows
        self._tasks.submit(
            "results-copy",
            lambda: identifiers(data, rows),
            lambda text: self._to_clipboard(text, words.count(len(rows), "accession")),
        )

    def print_(self, what: Literal["both", "hits", "alignment"] = "both", printer: QPrinter | None = None) -> None:
        """Print the selected hits, or all that are shown if only one is selected, and the current alignment.

        Parameters
        ----------
        what : {"both", "hits", "alignment"}
        printer : QPrinter, optional
            Where to print; without one a preview opens in which it is chosen.
        """
        result, data = self._page.result, self._page.hits.data
        listed = data if what != "alignment" else None
        hit = self._page.alignment.hit if what != "hits" else None
        if result is None or (listed is None and hit is None):
            self._page.message.emit("There is nothing to print yet.")
            return
        selected = self._page.hits.table.selected_rows()
        rows = (selected if len(selected) > 1 else self._page.hits.model.rows).tolist()
        keys, describe = self._page.hits.table.shown_keys(), self._page.describe

        def make() -> str:
            parts = [printing.heading_html(result, data)]
            if listed is not None:
                filled = HitData(listed.listed, listed.marks)
                filled.add(describe_some(describe, listed.listed, rows[: printing.MAX_ROWS], math.inf)[0])
                parts.append(printing.table_html(filled, rows, keys))
            if hit is not None:
                parts.append(printing.alignment_html(hit, result))
            return "".join(parts)

        self._page.message.emit("Preparing the pages…")
        self._tasks.submit(
            "results-print",
            make,
            lambda body: self._print_document(body, result.database.name, printer, landscape=listed is not None),
        )

    def _print_document(self, body: str, title: str, printer: QPrinter | None, *, landscape: bool) -> None:
        made = printing.document(body)
        if printer is None:
            preview = printing.PrintPreview(made, title, landscape=landscape, parent=self._page)
            preview.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
            preview.open()
            return
        made.print_(printing.set_page(printer, title, landscape=landscape))
        self._page.message.emit("Printed.")

    def export(self) -> ExportDialog | None:
        result = self._page.result
        if result is None:
            self._page.message.emit("There is no result to export yet.")
            return None
        choices = self.choices(result)
        dialog = ExportDialog(self._tasks, result, choices, self._shown_keys(), self._marked_hits(), self._page)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.suggest(file_name(result), self.settings.export_format)
        dialog.machine_names.setChecked(self.settings.machine_names)
        dialog.saved.connect(lambda *_: self._remember(dialog))
        dialog.saved.connect(
            lambda path, count: self._page.message.emit(f"{words.count(count, 'hit')} written to {path}.")
        )
        dialog.open()
        return dialog

    def _remember(self, dialog: ExportDialog) -> None:
        self.settings.export_format = dialog.form.name
        self.settings.machine_names = dialog.machine_names.isChecked()

    def methods(self) -> MethodsDialog | None:
        result = self._page.result
        if result is None:
            self._page.message.emit("There is no result to describe yet.")
            return None
        dialog = MethodsDialog(result, self._tasks, self._page)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.message.connect(self._page.message)
        dialog.open()
        return dialog

    def choices(self, result: SearchResult) -> list[HitChoice]:
        """Return what can be exported: everything, this query, as shown, selected, significant, ticked."""
        data = self._page.hits.data
        everything = tuple(
            (result.hit_list(at), range(len(q.hits))) for at, q in enumerate(result.queries) if len(q.hits)
        )
        aside = ", hidden ones too" if self._page.marks.marks.count("hidden") else ""
        of_all = "" if len(result.queries) == 1 else " of all queries"
        choices = [HitChoice("all", f"All hits{of_all}{aside}", everything)]
        if data is not None:
            listed, hits = data.listed, self._page.hits
            whole = HitChoice("query", f"All hits of this query{aside}", ((listed, range(len(data))),))
            shown = HitChoice("shown", "As shown: filtered, in this order", ((listed, hits.model.rows.tolist()),))
            selected = HitChoice("selected", "Selected rows", ((listed, hits.table.selected_rows().tolist()),))
            choices += [whole, shown, selected] if len(result.queries) > 1 else [shown, selected]
        return [
            *choices,
            *self._significant(result, of_all),
            HitChoice("ticked", "Ticked hits of all queries (the basket)", self._marked(result, "ticked")),
            HitChoice("starred", "Hits with a star, of all queries", self._marked(result, "starred")),
        ]

    def _significant(self, result: SearchResult, of_all: str) -> list[HitChoice]:
        limit = self._page.hits.model.significance
        parts = tuple(
            (result.hit_list(at), rows)
            for at, query in enumerate(result.queries)
            if (rows := np.flatnonzero(query.hits.log10_evalues <= limit).tolist())
        )
        title = f"Significant hits{of_all}: E ≤ {formatting.limit(limit)}"
        return [HitChoice("significant", title, parts)] if result.statistics else []

    def _marked(self, result: SearchResult, kind: Kind) -> tuple[tuple[HitList, list[int]], ...]:
        marks, parts = self._page.marks.marks, []
        for query in marks.queries(kind):
            listed = self._page.list_of(result, query)
            if rows := marks.rows(kind, query, listed.columns.db_index):
                parts.append((listed, rows))
        return tuple(parts)

    def _marked_hits(self) -> Describe:
        """Return what makes whole hits, with what the user noted about them; those just shown are not aligned again."""
        data, marks, describe = self._page.hits.data, self._page.marks.marks, self._page.describe
        known = describe if data is None else with_kept(describe, data.listed, data.hit)

        def marked(
            listed: HitList, rows: Sequence[int], *, align: bool = True, check: Callable[[], None] = lambda: None
        ) -> HitStream:
            tables = tables_of(known(listed, rows, align=align, check=check))
            return HitStream(replace(table, marks=marks, query_index=listed.query_index) for table in tables)

        return marked

    def _shown_keys(self) -> list[str]:
        stars = self._page.marks.marks.count("starred") > 0
        return [key for key in self._page.hits.table.shown_keys() if key != "star" or stars]

    def _selected(self) -> tuple[HitData, list[int]] | None:
        data, rows = self._page.hits.data, self._page.hits.table.selected_rows()
        if data is None or not len(rows):
            self._page.message.emit("Choose one or more hits first.")
            return None
        return data, rows.tolist()

    def _to_clipboard(self, text: str, what: str, html: str = "") -> None:
        content = QMimeData()
        content.setText(text)
        if html:
            content.setHtml(html)
        QGuiApplication.clipboard().setMimeData(content)
        self._page.message.emit(f"{what} copied.")
