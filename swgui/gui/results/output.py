"""Output of the results page: copies, exports, print."""

from __future__ import annotations

import io
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import groupby
from pathlib import Path

import numpy as np
from PySide6.QtCore import QMimeData, QObject, QSignalBlocker, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtPrintSupport import QPrinter
from PySide6.QtWidgets import (
    QButtonGroup,
    QListWidget,
    QListWidgetItem,
    QRadioButton,
    QVBoxLayout,
    QWidget,
)

from swgui.core import words
from swgui.core.control import checking
from swgui.core.errors import Stopped
from swgui.core.headers import parse_header
from swgui.core.hits.marks import Kind
from swgui.core.hits.results import HitList, SearchResult
from swgui.core.hits.table import Hit, HitStream, HitTable, tables_of
from swgui.core.plain import replace
from swgui.gui.hits.data import HitData
from swgui.gui.hits.filler import Describe
from swgui.gui.inputs.methods_dialog import MethodsDialog
from swgui.gui.inputs.saving_dialog import SavingDialog, first_lines, section
from swgui.gui.kit.layouts import in_column, in_row
from swgui.gui.kit.tasks.pool import Tasks
from swgui.gui.kit.tasks.task import Tell
from swgui.gui.kit.widgets import (
    check_box,
    combo_box,
    described,
    spin_box,
    text_label,
)
from swgui.gui.results.clipboard import identifiers, rows_as_fasta, rows_as_table
from swgui.gui.results.frame import ResultsFrame
from swgui.gui.results.printing import PrintPreview, paint, set_page
from swgui.gui.results.summary import how_it_was_searched
from swgui.gui.words import formatting
from swgui.io.export import (
    FORMATS,
    HIT_COLUMNS,
    ExportFormat,
    ExportOptions,
    save_hits,
    write_hits,
)
from swgui.io.export.base import GROUPS
from swgui.io.export.columns import with_query
from swgui.io.methods.searches import search_methods
from swgui.io.paper.marks import Page
from swgui.io.paper.search import foot_text, report_pages, title_of
from swgui.jobs.network.hits import query_and_hits
from swgui.settings import ResultsSettings

MAX_ROWS = 500  # of the table on paper; more are exported
PREVIEW_HITS = 12
SCORES = ("score", "bitscore")  # a table for readers has both
MARKED = ("ticked", "starred")  # offered only if hits have the mark
NOT_COPIED = ("tick", "map")  # columns without words or numbers


@dataclass(frozen=True, slots=True, eq=False)
class HitChoice:
    """Some hits, in the order of the file."""

    key: str  # for example ``"shown"``
    title: str  # as the dialog offers it
    parts: tuple[tuple[HitList, Sequence[int]], ...]  # the list of one query, and the rows of it

    def __len__(self) -> int:
        return sum(len(rows) for _, rows in self.parts)


@dataclass(frozen=True, slots=True, eq=False)
class ExportJob:
    """One export, ready to be previewed or saved."""

    result: SearchResult  # source of the hits
    choice: HitChoice
    form: ExportFormat
    options: ExportOptions
    describe: Describe  # makes whole hits of rows

    @property
    def needs_alignments(self) -> bool:
        return self.form.aligned(self.options)

    def preview(self, cancel: threading.Event) -> str:
        """Return the first lines of the file; of one that is no text, a table of its columns. `cancel` ends it."""
        hits = HitStream(self._tables(PREVIEW_HITS, cancel))
        file = io.StringIO()
        shown_as = self.form if self.form.is_text else FORMATS["tsv"]
        write_hits(shown_as.name, self.result, hits, file, self.options)
        return first_lines(file.getvalue(), more=len(self.choice) > PREVIEW_HITS)

    def save(self, path: Path, tell: Tell, cancel: threading.Event) -> Path:
        """Write the file whole or not at all.

        Parameters
        ----------
        tell : Tell
            Told how many hits are written.
        cancel : threading.Event
            Stops it, also within a hit.

        Raises
        ------
        Stopped
            If it was cancelled.
        FileNotWritten, ScoreMismatch
        """
        hits = HitStream(self._watched(self._tables(None, cancel), tell, cancel))
        save_hits(path, self.form.name, self.result, hits, self.options)
        return path

    def _watched(self, tables: Iterator[HitTable], tell: Tell, cancel: threading.Event) -> Iterator[HitTable]:
        total, done = len(self.choice), 0
        for table in tables:
            if cancel.is_set():
                raise Stopped
            yield table
            done += len(table)
            tell(done, total, f"{done:,} of {words.count(total, 'hit')}")

    def _tables(self, limit: int | None, cancel: threading.Event) -> Iterator[HitTable]:
        left = len(self.choice) if limit is None else limit
        for listed, rows in self.choice.parts:
            wanted = rows[:left]
            left -= len(wanted)
            hits = self.describe(listed, wanted, align=self.needs_alignments, check=checking(cancel))
            yield from tables_of(hits)


def with_kept(describe: Describe, listed: HitList, kept: Callable[[int], Hit | None]) -> Describe:
    """Return a function that makes whole hits of rows, and reuses saved alignments.

    Parameters
    ----------
    describe : Describe
        Makes the others.
    listed : HitList
        The list that the rows belong to.
    kept : callable
        Returns the saved hit of a row with its alignments, None if there is none.
    """

    def hits(
        of: HitList, rows: Sequence[int], *, align: bool = True, check: Callable[[], None] = lambda: None
    ) -> Iterator[Hit]:
        if of.columns is not listed.columns:
            yield from describe(of, rows, align=align, check=check)
            return
        for known, group in groupby(rows, key=lambda row: kept(row) is not None):
            wanted = list(group)
            if known:
                yield from filter(None, map(kept, wanted))
            else:
                yield from describe(of, wanted, align=align, check=check)

    return hits


def most_likely(choices: Sequence[HitChoice]) -> str:
    """Return the key of the default choice; empty if there is nothing.

    In this order: ticked hits; filtered hits; significant hits, for one query; shown hits.
    """
    sizes = {choice.key: len(choice) for choice in choices if len(choice)}
    one_query = all(choice.key != "query" for choice in choices)
    filtered = sizes.get("shown", 0) < sizes.get("all" if one_query else "query", 0)
    preferred = ("ticked", *(() if filtered or not one_query else ("significant",)), "shown", *sizes)
    return next((key for key in preferred if key in sizes), "")


class ExportDialog(SavingDialog[ExportFormat, ExportJob]):
    """Asks which hits to write, and a worker writes them.

    Parameters
    ----------
    choices : sequence of HitChoice
        Sets of hits; empty ones cannot be chosen.
    shown_columns : sequence of str
        Columns of the hit table, from left to right.
    """

    def __init__(
        self,
        tasks: Tasks,
        result: SearchResult,
        choices: Sequence[HitChoice],
        shown_columns: Sequence[str],
        describe: Describe,
        parent: QWidget | None = None,
    ) -> None:
        headings = {
            key: title for group, title in GROUPS.items() for key, form in FORMATS.items() if form.group == group
        }
        super().__init__(tasks, "export", "Export hits", FORMATS, "hits", parent, headings)
        self._result = result
        self._describe = describe
        self._choices = {choice.key: choice for choice in choices}
        shown = tuple(key for key in shown_columns if key in HIT_COLUMNS)
        self.shown_columns = (*shown, *(key for key in SCORES if key not in shown))
        self._usual_columns = True  # no others were chosen: tables for readers have the visible ones
        self.parts_side = self._parts()
        self.columns_side = self._columns_to_choose()
        hits = self._hits_to_choose(choices)
        self.arrange(self.parts_side, in_row((hits, 1), (self.columns_side, 1), spacing=3), size=(92, 80))
        self.changed()

    def _parts(self) -> QWidget:
        tip = "Residues to write on either side of the aligned parts, as far as the subjects have them"
        self.flank = spin_box("exportFlank", (0, 100_000), 0, tip, self.changed, suffix=" positions")
        self.gaps = check_box("exportGaps", "Keep gap signs", does=self.changed)
        side = QWidget()
        in_row(text_label("&Flanks", buddy=self.flank), self.flank, self.gaps, 1, parent=side)
        return side

    def _hits_to_choose(self, choices: Sequence[HitChoice]) -> QVBoxLayout:
        """Return the radio buttons of the sets of hits, and check the most likely one."""
        self.what = QButtonGroup(self)
        self._what_buttons: dict[str, QRadioButton] = {}
        for choice in choices:
            button = described(QRadioButton(f"{choice.title}  ({len(choice):,})"), f"exportWhat-{choice.key}")
            button.setEnabled(bool(len(choice)))
            button.setHidden(choice.key in MARKED and not len(choice))
            self.what.addButton(button)
            self._what_buttons[choice.key] = button
        if meant := most_likely(choices):
            self.what_button(meant).setChecked(True)
        self.what.buttonToggled.connect(lambda _button, on: self.changed() if on else None)
        return in_column(section("Which hits"), *self._what_buttons.values(), 1, spacing=0.25)

    def _columns_to_choose(self) -> QWidget:
        sets = (
            ("Standard columns", "standard", "Those of the command line"),
            ("As in the table", "shown", "Those in sight, score and bit score, and of several queries the query"),
            ("Choose…", "choose", "Tick them in the list"),
        )
        self.columns_box = combo_box("exportColumns", items=sets, changed=self._chosen, accessible="Columns")
        self.columns_list = described(QListWidget(), "exportColumnList", accessible="Columns to write")
        for column in HIT_COLUMNS.values():
            item = QListWidgetItem(f"{column.heading}  ({column.key})")
            item.setData(Qt.ItemDataRole.UserRole, column.key)
            item.setToolTip(column.description)
            item.setFlags(item.flags() | Qt.ItemFlag.ItemIsUserCheckable)
            chosen = column.key in self.shown_columns
            item.setCheckState(Qt.CheckState.Checked if chosen else Qt.CheckState.Unchecked)
            self.columns_list.addItem(item)
        self.columns_list.itemChanged.connect(self.changed)
        told = "Settings as # lines at the top"
        self.comments = check_box("exportComments", told, does=self.changed)
        told = "Name them for programs: stitle, not Description"
        self.machine_names = check_box("exportMachineNames", told, does=self.changed)
        side = QWidget()
        boxes = (self.columns_box, (self.columns_list, 1), self.machine_names, self.comments)
        in_column(section("Columns"), *boxes, 0, spacing=0.5, parent=side)
        return side

    def what_button(self, key: str) -> QRadioButton:
        return self._what_buttons[key]

    # -- choices -----------------------------------------------------------------------------------

    def job(self) -> ExportJob | None:
        """Return the export as it is set, None if there is nothing to write."""
        button = self.what.checkedButton()
        if button is None:
            return None
        choice = self._choices[button.objectName().removeprefix("exportWhat-")]
        takes = self.form.takes
        options = ExportOptions(
            columns=self._columns() if "columns" in takes else None,
            comments="comments" in takes and self.comments.isChecked(),
            flank=self.flank.value() if "flank" in takes else 0,
            gaps="gaps" in takes and self.gaps.isChecked(),
            headings="headings" in takes and not self.machine_names.isChecked(),
        )
        if not len(choice) or options.columns == ():
            return None
        return ExportJob(self._result, choice, self.form, options, self._describe)

    def _columns(self) -> tuple[str, ...] | None:
        match self.columns_box.currentData():
            case "shown":
                return self.shown_columns
            case "choose":
                items = (self.columns_list.item(row) for row in range(self.columns_list.count()))
                return tuple(
                    item.data(Qt.ItemDataRole.UserRole) for item in items if item.checkState() == Qt.CheckState.Checked
                )
        return None

    def nothing(self) -> str:
        return "Nothing to write: choose hits and at least one column."

    def _chosen(self) -> None:
        self._usual_columns = False
        self.changed()

    def changed(self) -> None:
        """Show the options of the format, and the first lines of the file."""
        takes = self.form.takes
        if self._usual_columns:
            usual = self.columns_box.findData("shown" if "headings" in takes else "standard")
            with QSignalBlocker(self.columns_box):
                self.columns_box.setCurrentIndex(usual)
        self.columns_side.setVisible(bool(takes & {"columns", "comments"}))
        self.columns_box.setVisible("columns" in takes)
        self.columns_list.setVisible("columns" in takes and self.columns_box.currentData() == "choose")
        self.comments.setVisible("comments" in takes)
        self.machine_names.setVisible("headings" in takes)
        self.parts_side.setVisible(bool(takes & {"flank", "gaps"}))
        super().changed()


def file_name(result: SearchResult) -> str:
    """Return the name of a file of hits, without its ending: ``ALBU_HUMAN_in_swissprot``."""
    first = result.queries[0].query if result.queries else None
    what = words.count(len(result.queries), "query", "queries")
    if first is not None and len(result.queries) == 1:
        what = parse_header(first.id, first.description).name
    signs = f"{what} in {result.database.name or 'database'}"
    return "".join(sign if sign.isalnum() or sign in "._-" else "_" for sign in signs)


class HitOutput(QObject):
    """The commands that take hits out of the results page."""

    def __init__(self, page: ResultsFrame, tasks: Tasks) -> None:
        super().__init__(page)
        self._page = page
        self._tasks = tasks
        self.settings = ResultsSettings()  # settings remembered from exports

    def copy_rows(self) -> None:
        """Copy the selected hits as a table with the columns shown: tab-separated text and HTML."""
        if (chosen := self._selected()) is None:
            return
        data, _ = chosen
        places = self._page.hits.table.selected_places()
        keys = [key for key in self._shown_keys(data.result) if key not in NOT_COPIED]
        self._tasks.submit(
            "results-copy",
            lambda: rows_as_table(data, places, keys, self._page.describe),
            lambda both: self._to_clipboard(both[0], words.count(len(places), "row"), both[1]),
        )

    def copy_fasta(self) -> None:
        """Copy the whole sequences of selected hits as FASTA, or the aligned parts of selected alignments."""
        if (chosen := self._selected()) is None:
            return
        data, _ = chosen
        places = self._page.hits.table.selected_places()
        self._tasks.submit(
            "results-copy",
            lambda: rows_as_fasta(data, places),
            lambda text: self._to_clipboard(text, words.count(len(places), "sequence")),
        )

    def make_network(self) -> None:
        """Compare the query and the shown hits, or several selected ones, on the Network page."""
        data = self._page.hits.data
        if data is None or not len(data):
            self._page.message.emit("There are no hits to compare.")
            return
        name = f"Hits of {parse_header(data.query.id, data.query.description).name}"
        subjects = data.subjects(self._shown_or_selected())
        self._page.network_wanted.emit(partial(query_and_hits, data.result, [data.query], subjects, name), name)

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

    def _shown_or_selected(self) -> list[int]:
        """Return the selected rows of the ranked list, all that the table shows where no more than one is selected."""
        selected = self._page.hits.table.selected_rows()
        rows: list[int] = (selected if len(selected) > 1 else self._page.hits.model.rows).tolist()
        return rows

    def print_(self, printer: QPrinter | None = None) -> None:
        """Print the report of the selected hits, or of all that are shown if only one is selected.

        The alignments of the selected hits are printed, or that of the current one.

        Parameters
        ----------
        printer : QPrinter, optional
            Where to print; without one a preview opens in which it is chosen.
        """
        result, data = self._page.result, self._page.hits.data
        if result is None or data is None:
            self._page.message.emit("There is nothing to print yet.")
            return
        rows, listed, describe = self._shown_or_selected()[:MAX_ROWS], data.listed, self.describe_marked()
        selected = set(self._page.hits.table.selected_rows().tolist())
        current = self._page.alignment.hit
        aligned = {listed.columns.db_index[row] for row in selected if row < len(listed.columns)}
        if current is not None:
            aligned.add(current.db_index)

        def make() -> list[Page]:
            hits = describe(listed, rows)
            return list(report_pages(result, hits, lambda _, hit: hit.db_index in aligned, only=listed.query))

        self._page.message.emit("Preparing the pages…")
        self._tasks.submit("results-print", make, lambda pages: self._print_pages(result, pages, printer))

    def _print_pages(self, result: SearchResult, pages: list[Page], printer: QPrinter | None) -> None:
        title, below = title_of(result), foot_text(result)
        if printer is None:
            preview = PrintPreview(pages, title, below, self._page)
            preview.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
            self._page.message.emit("")  # the pages are prepared
            preview.open()
            return
        paint(pages, below, set_page(printer, title))
        self._page.message.emit("Printed.")

    def export(self) -> ExportDialog | None:
        result = self._page.result
        if result is None:
            self._page.message.emit("There is no result to export yet.")
            return None
        choices = self.choices(result)
        dialog = ExportDialog(
            self._tasks, result, choices, self._shown_keys(result), self.describe_marked(), self._page
        )
        dialog.suggest(file_name(result), self.settings.export_format)
        dialog.machine_names.setChecked(self.settings.machine_names)
        dialog.saved.connect(lambda *_: self._remember(dialog))
        dialog.saved.connect(
            lambda path, job: self._page.message.emit(f"{words.count(len(job.choice), 'hit')} written to {path}.")
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
        how = how_it_was_searched(result)
        dialog = MethodsDialog(search_methods(result), how, self._tasks, self._page.message.emit, self._page)
        dialog.open()
        return dialog

    def choices(self, result: SearchResult) -> list[HitChoice]:
        """Return the sets of hits to export: everything, this query, as shown, selected, significant, ticked."""
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
            HitChoice("ticked", "Ticked hits of all queries", self._marked(result, "ticked")),
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

    def describe_marked(self) -> Describe:
        """Return a function that makes whole hits, with the user's notes; hits just shown are not aligned again."""
        data, marks, describe = self._page.hits.data, self._page.marks.marks, self._page.describe
        known = describe if data is None else with_kept(describe, data.listed, data.hit)

        def marked(
            listed: HitList, rows: Sequence[int], *, align: bool = True, check: Callable[[], None] = lambda: None
        ) -> HitStream:
            tables = tables_of(known(listed, rows, align=align, check=check))
            return HitStream(replace(table, marks=marks, query_index=listed.query_index) for table in tables)

        return marked

    def _shown_keys(self, result: SearchResult) -> tuple[str, ...]:
        """Return the columns of a table for readers: visible ones, and the query if there are several."""
        stars = self._page.marks.marks.count("starred") > 0
        shown = [key for key in self._page.hits.table.shown_keys() if key != "star" or stars]
        return with_query(shown, len(result.queries))

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
