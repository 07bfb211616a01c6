"""Actions on a hit, a cell or a column: the context menus of the hit table as tables of entries."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Final

from PySide6.QtCore import QPoint
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QMenu

from swgui.core import words
from swgui.core.headers import Header
from swgui.core.plain import replace
from swgui.gui.hits.arrange import Sorting
from swgui.gui.hits.columns import ColumnView
from swgui.gui.hits.data import HitData
from swgui.gui.hits.places import SUBJECT, part_text
from swgui.gui.kit.browser import open_page
from swgui.gui.results.clipboard import Part, alignments_as_fasta
from swgui.gui.results.frame import ResultsFrame
from swgui.gui.results.output import HitOutput

SEPARATOR: Final = ""  # name of an entry that is a line


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry of a menu; `possible` False greys it out, `more` makes it a menu of these."""

    name: str
    text: str
    tip: str = ""
    does: Callable[[], object] = lambda: None
    possible: bool = True
    more: tuple[Entry, ...] = ()


def _fill(menu: QMenu, entries: list[Entry]) -> QMenu:
    menu.setToolTipsVisible(True)
    for entry in entries:
        if entry.name == SEPARATOR:
            menu.addSeparator()
            continue
        if entry.more:
            _fill(menu.addMenu(entry.text), list(entry.more))
            continue
        action = menu.addAction(entry.text)
        action.setObjectName(f"menu-{entry.name}")
        action.setToolTip(entry.tip)
        action.setEnabled(entry.possible)
        action.triggered.connect(lambda _checked=False, does=entry.does: does())
    return menu


class HitMenus:
    """Makes the context menus of the hit table.

    Parameters
    ----------
    page : ResultsFrame
        Has the table.
    output : HitOutput
        Has the commands that take hits out of it.
    """

    def __init__(self, page: ResultsFrame, output: HitOutput) -> None:
        self._page, self._output = page, output
        table = page.hits.table
        table.customContextMenuRequested.connect(self._show_hit_menu)
        table.horizontalHeader().customContextMenuRequested.connect(self._show_column_menu)

    def hit_menu(self, data: HitData, row: int, column: ColumnView, part: int = SUBJECT) -> QMenu:
        """Return the menu of one cell.

        Parameters
        ----------
        data : HitData
            The hits shown.
        row : int
            Row of the ranked list under the pointer.
        part : int
            Which of its alignments is under the pointer, `SUBJECT` for the hit as a whole.
        """
        page = self._page
        header, organism = data.header(row), data.organism_name(row)
        table = page.hits.table
        several = table.selected_count() > 1
        which = "the selected hits" if several else "this hit"
        copied = "this alignment" if part >= 0 and not several else which
        text = ""
        if column.kind not in ("tick", "star", "map"):
            text = part_text(data, row, part, column) if part >= 0 else data.text(row, column)
        number, unfolded = data.how_many(row)[0], row in data.unfolded
        menu = QMenu(table)
        menu.setObjectName("hitMenu")
        return _fill(
            menu,
            [
                Entry("open-alignment", "Go to the alignment", "Return does the same", page.alignment.focus_view),
                Entry("unfold", "Fold the alignments" if unfolded else f"Show its {words.count(number, 'alignment')}",
                      "Right unfolds, Left folds", lambda: table.hits.unfold(row, not unfolded), number > 1),
                Entry("tick", f"Tick or untick {which}", "Space does the same",
                      lambda: table.toggle("ticked")),
                Entry("star", f"Star {which}, or take the star off", "S does the same",
                      lambda: table.toggle("starred")),
                Entry("hide", f"Hide {which}, or show again", "H does the same; the filter panel shows hidden hits",
                      lambda: table.toggle("hidden")),
                Entry("note", "Write a note…", "Under Details; N does the same", page.note_wanted.emit),
                Entry(SEPARATOR, ""),
                Entry("copy-cell", f"Copy “{_short(text)}”", "Copy this cell",
                      lambda: QGuiApplication.clipboard().setText(text), bool(text)),
                Entry("copy-rows", f"Copy {copied} as a table", "With the columns shown", self._output.copy_rows),
                Entry("copy-fasta", f"Copy {copied} as FASTA", "Whole subjects; the aligned part of alignments",
                      self._output.copy_fasta),
                *_translated_entries(data, row, part),
                Entry("copy-identifiers", f"Copy accessions of {which}", "One per line", self._output.copy_identifiers),
                Entry("copy-down", "Copy accessions down to this hit", "All hits shown, from the first to this one",
                      lambda: self._copy_down(row)),
                Entry(SEPARATOR, ""),
                Entry("only-organism", f"Only {_short(organism) or 'this organism'}",
                      "Show the hits of this organism", lambda: self._only(organism), bool(organism)),
                Entry("select-down", "Select down to this hit", "From the first hit shown",
                      lambda: self._select_down(row)),
                Entry("new-query", "Use as a query", "Put this subject into the query box of the Search page",
                      lambda: page.query_wanted.emit(data.result.database.record(data.subject(row)))),
                *self._elsewhere(data, row, part),
                *_link_entries(header),
                Entry(SEPARATOR, ""),
                Entry("export", "Export…", "Write hits to a file", self._output.export),
            ],
        )  # fmt: skip

    def column_menu(self, column: ColumnView) -> QMenu:
        hits = self._page.hits
        menu = QMenu(hits.table)
        menu.setObjectName("columnMenu")
        others = [key for key in hits.table.shown_keys() if key != column.key]
        sortable = column.kind != "tick"
        return _fill(
            menu,
            [
                Entry("sort-ascending", "Sort, smallest first", "",
                      lambda: hits.sort_by(Sorting(column.key)), sortable),
                Entry("sort-descending", "Sort, largest first", "",
                      lambda: hits.sort_by(Sorting(column.key, descending=True)), sortable),
                Entry("sort-rank", "Sort by score again", "", lambda: hits.sort_by(Sorting())),
                Entry(SEPARATOR, ""),
                Entry("filter", "Filter…", "Show the panel with range filters",
                      lambda: hits.filters_button.setChecked(True)),
                Entry("hide-column", "Hide this column", "", lambda: hits.table.show_columns(others),
                      column.key not in ("tick", "rank")),
                Entry("columns", "Columns…", "Choose columns and read their definitions", hits.table.choose_columns),
            ],
        )  # fmt: skip

    def _elsewhere(self, data: HitData, row: int, part: int) -> tuple[Entry, Entry]:
        """Return the entries that show a hit on another page."""
        tip = "Take query and subject to the Pair page: global or local, next best alignments, map, differences"
        alike = data.result.translation is None
        pair = Entry("align-pair", "Align as long pair", tip, lambda: self._align_pair(data, row), alike)
        tip, aligned = "The alignment among genes, bases and frames (Ctrl+L)", bool(data.alignments(row))
        show = partial(self._page.show_on_sequence, row, part)
        return pair, Entry("show-locus", "Show on the sequence", tip, show, aligned)

    def _align_pair(self, data: HitData, row: int) -> None:
        subject = data.result.database.record(data.subject(row))
        self._page.pair_wanted.emit(data.query, subject, data.result.scheme.alphabet.name)

    def _show_hit_menu(self, point: QPoint) -> None:
        table = self._page.hits.table
        index = table.indexAt(point)
        if index.isValid() and (data := self._page.hits.data) is not None:
            row, part = table.hits.places.at(index.row())
            menu = self.hit_menu(data, row, table.hits.columns[index.column()], part)
            menu.aboutToHide.connect(menu.deleteLater)
            menu.popup(table.viewport().mapToGlobal(point))

    def _show_column_menu(self, point: QPoint) -> None:
        header = self._page.hits.table.horizontalHeader()
        section = header.logicalIndexAt(point)
        if section >= 0:
            menu = self.column_menu(self._page.hits.table.hits.columns[section])
            menu.aboutToHide.connect(menu.deleteLater)
            menu.popup(header.mapToGlobal(point))

    def _only(self, organism: str) -> None:
        hits = self._page.hits
        hits.set_filter(replace(hits.filter, organisms=(organism,)))

    def _rows_down_to(self, row: int) -> list[int]:
        hits = self._page.hits
        places = hits.model.places
        return [int(place) for place in places.between(0, places.place_of(row))]

    def _copy_down(self, row: int) -> None:
        self._output.copy_identifiers(self._rows_down_to(row))

    def _select_down(self, row: int) -> None:
        self._page.hits.table.select_places(0, self._page.hits.model.places.place_of(row))


def _link_entries(header: Header) -> list[Entry]:
    """Return the entries that open pages of a subject in the browser: its own, and a menu of the others."""
    if not header.links:
        return [Entry("open-entry", "Open entry", "There is no page for identifiers of its form", possible=False)]
    own, *others = (
        Entry(f"open-{link.name}", f"Open {header.accession} at {link.name}", link.url, partial(open_page, link.url))
        for link in header.links
    )
    more = [Entry("more-pages", "Open at", more=tuple(replace(entry, text=entry.name[5:]) for entry in others))]
    return [replace(own, name="open-entry"), *(more if others else [])]


def _short(text: str, max_length: int = 32) -> str:
    return text if len(text) <= max_length else f"{text[: max_length - 1]}…"


def _translated_entries(data: HitData, row: int, part: int) -> list[Entry]:
    if data.result.translation is None:
        return []
    described, which = bool(data.alignments(row)), "this alignment" if part >= 0 else "this hit"

    def copy(content: Part) -> None:
        QGuiApplication.clipboard().setText(alignments_as_fasta(data, row, part, content))

    return [
        Entry("copy-dna", f"Copy the DNA of {which}", "Bases under its alignments, in the direction of reading",
              lambda: copy("dna"), described),
        Entry("copy-read", f"Copy the protein read in {which}",
              "Translation of the DNA inside its alignments, corrected at frameshifts",
              lambda: copy("read"), described),
        Entry("copy-protein", f"Copy the subject of {which}", "The subject inside its alignments, unchanged",
              lambda: copy("subject"), described),
    ]  # fmt: skip
