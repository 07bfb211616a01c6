"""The hits of one query: search box, filter chips, the table, and the text of an empty table."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtWidgets import QFrame, QPushButton, QWidget

from swgui.core import words
from swgui.core.organisms.subjects import describe_hits
from swgui.core.plain import replace
from swgui.core.verdict.kinds import SIGNIFICANT
from swgui.core.verdict.queries import judge_query
from swgui.gui.hits.arrange import Arranged, HitFilter, Sorting, arrange_known
from swgui.gui.hits.columns import BY_KEY
from swgui.gui.hits.data import HitData
from swgui.gui.hits.filler import AlignmentFiller
from swgui.gui.kit import theme
from swgui.gui.kit.elided import ElidedLabel
from swgui.gui.kit.layouts import Sheets, in_column, in_row
from swgui.gui.kit.tasks.pool import Tasks
from swgui.gui.kit.widgets import (
    delayed,
    described,
    line_edit,
    plain,
    progress_bar,
    push_button,
    text_label,
    tool_button,
)
from swgui.gui.results.marks import MarkStore
from swgui.gui.results.table.model import HitTableModel
from swgui.gui.results.table.view import HitTableView
from swgui.gui.words import formatting

ARRANGE_KEY = "results-arrange"
ORGANISMS_KEY = "results-organisms"
AT_ONCE = 3_000  # longer lists are arranged by a worker
NOTHING_CHOSEN = "Click a hit to see its alignment; Details suggests further steps."
TYPING_PAUSE = 150  # milliseconds from the last key to the filter
READ_AHEAD = 400  # milliseconds after a long list was shown: its headers are read before the user types


class FilterChips(QWidget):
    """Shows a filter as chips; hidden while it has no conditions."""

    changed = Signal(object)  # the `HitFilter` that remains after a click

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        described(self, "filterChips")
        self._row = in_row(1, spacing=0.5, parent=self)
        self.buttons: list[QPushButton] = []

    def show_filter(self, shown: HitFilter, waiting: Collection[str] = ()) -> None:
        """Show the conditions of a filter.

        Parameters
        ----------
        waiting : collection of str
            Names of those that are not in force yet.
        """
        for chip in self.buttons:
            self._row.removeWidget(chip)
            chip.hide()
            chip.deleteLater()
        chips = shown.chips()
        self.buttons = [self._chip(shown, name, words, waits=name in waiting) for name, words in chips]
        if len(chips) > 1:
            clear = push_button("chipsClear", "Clear all", role="quiet", does=lambda: self.changed.emit(HitFilter()))
            self.buttons.append(clear)
        for place, button in enumerate(self.buttons):
            self._row.insertWidget(place, button)
        self.setVisible(bool(chips))

    def _chip(self, shown: HitFilter, name: str, words: str, *, waits: bool) -> QPushButton:
        tip = "In force once all hits are aligned; click to remove this filter" if waits else "Remove this filter"
        return push_button(
            f"chip-{name}", f"{words}{' (waits)' if waits else ''}  ×", tip,
            lambda: self.changed.emit(shown.without(name)), role="chip", accessible=f"Remove the filter {words}",
        )  # fmt: skip


class HitsPane(QWidget):
    """The ranked hits of the current query."""

    message = Signal(str)  # a message for the window's status line
    arranged = Signal()  # other rows, or the same in another order, are shown
    details_wanted = Signal()  # open all known facts of the current hit
    filters_toggled = Signal(bool)  # the panel with range filters should be shown or hidden
    filter_changed = Signal(object)  # the `HitFilter` now in use
    data_changed = Signal(object)  # the `HitData` now shown, or None
    # Words of the filter box that no hit has: the subject may be in the database all the same
    subject_sought = Signal(str)

    def __init__(self, tasks: Tasks, filler: AlignmentFiller, marks: MarkStore, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("hitsPane")
        self._tasks = tasks
        self._filler = filler
        self._marks = marks
        self._data: HitData | None = None
        self._narrow = False
        self._beyond = False  # whether the list holds subjects that are no hits
        self._alignments = 0  # significant hits, as far as they are known
        self._unfolds = False  # whether to unfold a hit once its alignments are known
        self.filter = HitFilter()
        self.sorting = Sorting()
        self._waits = False  # whether the order or a filter waits for alignments

        self.model = HitTableModel(marks, self)
        self.table = HitTableView(self.model)
        theme.keep_size(self.table, height=16)  # the head, four rows and a scroll bar
        self._typing = delayed(self, TYPING_PAUSE, self._take_search)
        self._read_ahead = delayed(self, READ_AHEAD, self._read_headers)
        self._make_bar()
        self._make_empty()
        self._lay_out()
        self._connect()
        self._show_chips()

    def _make_bar(self) -> None:
        self.search = line_edit(
            "hitSearch", "Shows the hits whose header has all these words", lambda _text: self._typing.start(),
            hint="Filter by name, description, organism", clear=True, entered=self._to_table,
            accessible="Filter hits by words of their header",
        )  # fmt: skip
        self.search.installEventFilter(self)
        tip = "Limit E-value, identity, coverage and other numbers"
        self.filters_button = tool_button("hitFilters", "Filters", tip, self.filters_toggled, checkable=True)
        tip = "Everything known of the current hit: verdict in full, numbers, databases, your note"
        self.details_button = tool_button("hitDetails", "Details", tip, self.details_wanted)
        self.count = text_label(name="hitCount", level="muted")
        self.busy = progress_bar("hitProgress", "Alignments made", hidden=True)
        self.busy.setFixedWidth(120)
        tip = "Stop aligning; go back to the order by score"
        self.busy_stop = tool_button("hitProgressStop", "Stop", tip, self._stop_waiting)
        self.busy_text = text_label(name="hitProgressText", level="muted")
        self._hide_progress()

    def _make_empty(self) -> None:
        self.note_text = text_label(name="noHitsText", wrap=True)
        tip = "Drag the dashed line to another E-value; it is drawn where the order is by E, score or rank"
        self.grey = text_label(name="hitGrey", tip=tip, level="muted")
        self.note = described(QFrame(), "noHitsNote")
        self.of_organisms = described(ElidedLabel(), "hitOrganisms")
        theme.set_role(self.of_organisms, level="muted")
        self.of_organisms.hide()
        self._note_row = in_row((self.note_text, 1), (self.of_organisms, 1), self.grey, parent=self.note)
        self.note.hide()
        self.nothing = described(QWidget(), "allFiltered")
        self.nothing_text = text_label(name="allFilteredText", wrap=True)
        self.nothing_text.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.nothing_clear = push_button("allFilteredClear", "Clear filters", "Show hits again", self._show_something)
        tip = "Score and rank of any subject of the database, with the reason why it is not among the hits"
        self.nothing_find = push_button("allFilteredFind", "Find it in the database", tip, self._find_in_all)
        buttons = in_row(1, self.nothing_clear, self.nothing_find, 1)
        in_column(1, self.nothing_text, buttons, 1, margins=1, parent=self.nothing)

    def _lay_out(self) -> None:
        self.chips = FilterChips()
        self.stack = described(Sheets(self.table, self.nothing), "hitStack")
        bar = in_row(
            (self.search, 2), self.filters_button, self.details_button, 1,
            self.busy_text, self.busy, self.busy_stop, self.count, spacing=0.75,
        )  # fmt: skip
        parts = (bar, self.chips, self.note, (self.stack, 1))
        in_column(*parts, margins=(1.5, 0.75, 1.5, 0.75), spacing=0.75, parent=self)

    def _connect(self) -> None:
        self.chips.changed.connect(self.set_filter)
        self.model.sorting_wanted.connect(self.sort_by)
        self._marks.changed.connect(self._marks_changed)
        self.table.rows_in_sight.connect(lambda rows: self._filler.want("1 table", rows))
        self.table.name_typed.connect(self._jump)
        self.table.selection_counted.connect(lambda _count: self._update_count())
        self._filler.progress.connect(self._show_progress)
        self._filler.completed.connect(self._alignments_ready)

    # -- display -----------------------------------------------------------------------------------

    @property
    def data(self) -> HitData | None:
        """The hits of the current query, whether shown or not."""
        return self._data

    def show_data(self, data: HitData | None, note: str = "") -> None:
        """Show the hits of a query under the filter and order in use.

        Parameters
        ----------
        note : str
            A sentence above the table, for example why these are no hits.
        """
        self._data = data
        self._alignments, self._unfolds = 0, data is not None and len(data) == 1
        self._waits = False
        self._hide_progress()
        self._filler.use(data)
        self.data_changed.emit(data)
        self._read_ahead.stop()
        if data is not None and len(data) > AT_ONCE:
            self._read_ahead.start()
        self._beyond = bool(note)
        self._show_verdict(data, note)
        self._count_organisms()
        if data is None:
            self.table.show_rows(None, np.zeros(0, dtype=np.int64), self.sorting, keep=False)
            self._shown()
        else:
            self._arrange(keep=False)

    def _show_verdict(self, data: HitData | None, note: str) -> None:
        alone = data is not None and len(data.result.queries) == 1  # then the head of the page shows it
        judged = "" if data is None or note or alone else judge_query(data.listed.query, self._alignments)
        if data is not None and not data.has_significant:
            judged = f"{judged} {NOTHING_CHOSEN}".strip()
            note = note or judged
        self.show_note(note or judged, loud=bool(note))

    def show_values(self, rows: list[int]) -> None:
        """Show figures of alignments made since; the only hit there is unfolds by itself."""
        data = self._data
        self.model.refresh(rows)
        if data is None or self._beyond:
            return
        if self._alignments != (alignments := data.alignments_within(SIGNIFICANT.value)):
            self._alignments = alignments
            self._show_verdict(data, "")
        if self._unfolds and self.model.unfold(0):
            self._unfolds = False

    def show_note(self, text: str, *, loud: bool = True) -> None:
        """Show a sentence above the table, in a frame or as a plain line."""
        self.note_text.setText(text)
        self.note_text.setVisible(bool(text))
        self.note_text.setToolTip(plain(BY_KEY["verdict"].description))
        theme.set_role(self.note, role="note" if loud else "", tone="info" if loud else "")
        theme.arrange(self._note_row, (1, 0.5, 1, 0.5) if loud else 0, 1)
        self._show_grey()

    def set_narrow(self, narrow: bool) -> None:
        """Leave the line above the table to the verdict."""
        self._narrow = narrow
        self._show_grey()
        self.of_organisms.setVisible(bool(self.of_organisms.whole_text()) and not narrow)

    def _show_grey(self) -> None:
        weak = self._data is not None and bool((self._data.hits.log10_evalues > self.model.significance).any())
        self.grey.setText(f"Grey: not significant, E > {formatting.limit(self.model.significance)}" if weak else "")
        self.grey.setHidden(self._narrow)
        self.note.setVisible(weak or bool(self.note_text.text()))

    def _count_organisms(self) -> None:
        data, limit = self._data, self.model.significance
        self.of_organisms.hide()
        if data is not None and data.listed.are_hits and data.has_statistics:
            self._tasks.submit(
                ORGANISMS_KEY,
                lambda: describe_hits(data.organisms_of(np.flatnonzero(data.hits.log10_evalues <= limit))),
                lambda text: self._say_organisms(data, text),
            )

    def _say_organisms(self, data: HitData, text: str) -> None:
        if data is self._data:
            self.of_organisms.set_text(f"Significant hits from {text}" if text else "")
            self.of_organisms.setVisible(bool(text) and not self._narrow)

    def sort_by(self, sorting: Sorting) -> None:
        """Show the hits in another order."""
        self.sorting = sorting
        self._arrange(keep=True)

    @property
    def arranging(self) -> bool:
        """Whether a worker sorts and filters; `arranged` follows."""
        return self._tasks.pending(ARRANGE_KEY)

    def set_filter(self, wanted: HitFilter) -> None:
        """Show the hits that pass a filter; those without an alignment are aligned first where it needs them."""
        if wanted == self.filter:
            return
        self.filter = wanted
        if self.search.text().split() != wanted.text.split():
            self.search.blockSignals(True)
            self.search.setText(wanted.text)
            self.search.blockSignals(False)
        self._show_chips()
        self._arrange(keep=True)

    def clear_filter(self) -> None:
        """Show all hits except hidden ones."""
        self.set_filter(HitFilter())

    def _find_in_all(self) -> None:
        self.subject_sought.emit(self.filter.text.strip())

    def _show_something(self) -> None:
        if self.filter:
            self.clear_filter()
        else:
            self.set_filter(replace(self.filter, with_hidden=True))

    def set_significance(self, log10_evalue: float) -> None:
        self.model.set_significance(log10_evalue)
        self._count_organisms()
        self.table.viewport().update()
        self._show_grey()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self.search and event.type() == QEvent.Type.FocusIn and self._data is not None:
            self._read_headers()
        return super().eventFilter(watched, event)

    def _read_headers(self) -> None:
        if self._data is not None:
            self._tasks.submit("results-headers", self._data.headers.prepare, lambda _done: None)

    def _take_search(self) -> None:
        self.set_filter(replace(self.filter, text=self.search.text()))

    def _to_table(self) -> None:
        self._typing.stop()
        self._take_search()
        self.table.setFocus(Qt.FocusReason.OtherFocusReason)

    def _arrange(self, *, keep: bool) -> None:
        """Show hits known to pass the filter at once; align the rest if order or filter need it."""
        data = self._data
        if data is None:
            return
        self._waits = False
        self._filler.stop_all()
        self._hide_progress()
        sorting, wanted = self.sorting, self.filter
        if len(data) <= AT_ONCE:
            self._show_arranged(data, arrange_known(data, sorting, wanted), keep)
            return
        self.count.setText("Sorting…")
        self._tasks.submit(
            ARRANGE_KEY,
            lambda: arrange_known(data, sorting, wanted),
            lambda arranged: self._show_arranged(data, arranged, keep),
        )

    def _show_arranged(self, data: HitData, arranged: Arranged, keep: bool) -> None:
        if data is not self._data:
            return
        self._waits = arranged.waits
        self.table.show_rows(data, arranged.rows, arranged.sorting, keep=keep, choose=data.has_significant)
        self._shown()
        self.chips.show_filter(self.filter, self.filter.awaits() if self._waits else ())
        if self._waits:
            self._filler.want_all(arranged.rows)

    def _shown(self) -> None:
        data = self._data
        hidden = data is not None and len(data) > 0 and not len(self.model.rows)
        if data is not None and hidden:
            chips, aside = len(self.filter.chips()), data.marks.count("hidden", data.query_index)
            reasons = [words.count(chips, "filter")] if self.filter else []
            reasons += [f"your own choice ({aside:,} put aside)"] if aside and not self.filter.with_hidden else []
            self.nothing_text.setText(f"{words.count(len(data), 'hit')}, all hidden by {' and '.join(reasons)}.")
            self.nothing_find.setVisible(bool(self.filter.text.strip()))
            self.nothing_clear.setText("Clear filters" if self.filter else "Show hidden hits")
        self.stack.show_sheet(1 if hidden else 0)
        self._update_count()
        self.arranged.emit()

    def _update_count(self) -> None:
        if self._data is None:
            self.count.clear()
            return
        shown, of = len(self.model.rows), len(self._data)
        whole = f"no hits, best {words.count(of, 'subject')}" if self._beyond else words.count(of, "hit")
        text = whole if shown == of else f"{shown:,} of {whole}"
        selected = self.table.selected_count()
        if selected > 1:
            text += f", {selected:,} selected"
        marks = self._data.marks
        if (aside := marks.count("hidden", self._data.query_index)) and not self.filter.with_hidden:
            text += f", {aside:,} hidden"
        if ticked := marks.count("ticked"):
            text += f", {ticked:,} ticked"
        self.count.setText(text)

    def _marks_changed(self, kind: str, _query: int, _subjects: object) -> None:
        self._update_count()
        wanted = self.filter
        moves = {"ticked": wanted.ticked, "starred": wanted.starred, "hidden": not wanted.with_hidden}
        if moves.get(kind) or self.sorting.key == {"starred": "star", "note": "note"}.get(kind):
            self._arrange(keep=True)

    # -- waiting for alignments --------------------------------------------------------------------

    def _show_progress(self, done: int, total: int) -> None:
        self.busy.setRange(0, max(total, 1))
        self.busy.setValue(done)
        self.busy_text.setText(f"aligning {done:,} of {total:,} for {self._waits_for()}")
        self.busy_text.show()
        self.busy.show()
        self.busy_stop.show()

    def _waits_for(self) -> str:
        keys = [self.sorting.key] if self.sorting.needs_alignments else []
        titles = [BY_KEY[key].title for key in (*keys, *(r.key for r in self.filter.ranges)) if BY_KEY[key].late]
        titles += ["the part of the query"] if self.filter.covers else []
        return " and ".join(dict.fromkeys(titles))

    def _hide_progress(self) -> None:
        for part in (self.busy_text, self.busy, self.busy_stop):
            part.hide()

    def _alignments_ready(self) -> None:
        self._hide_progress()
        if self._waits:
            self._arrange(keep=True)

    def _stop_waiting(self) -> None:
        self.forget_waiting()
        self._arrange(keep=True)

    def forget_waiting(self) -> None:
        """Undo an order and filters that need all alignments, before new rows come."""
        self._waits = False
        if self.sorting.needs_alignments:
            self.sorting = Sorting()
        self.filter = self.filter.without_alignments
        self._show_chips()

    # -- chips and jumping -------------------------------------------------------------------------

    def _show_chips(self) -> None:
        self.chips.show_filter(self.filter)
        self.filter_changed.emit(self.filter)

    def _jump(self, typed: str) -> None:
        data, rows, current = self._data, self.model.rows, self.table.current_hit_row()
        if data is None or not len(rows):
            return
        start = int(np.argmax(rows == current))
        self._tasks.submit(
            "results-jump",
            lambda: find_name(data, rows, start, typed),
            lambda row: self._jump_to(row, typed),
        )

    def _jump_to(self, row: int, typed: str) -> None:
        if row < 0:
            self.message.emit(f"No name begins with “{typed}”.")
        else:
            self.table.select_row(row)


def find_name(data: HitData, rows: NDArray[np.int64], start: int, typed: str) -> int:
    """Return the first row from place `start` on, going round, whose name or id begins with a text; -1 if none.

    Parameters
    ----------
    rows : ndarray, shape=(shown,), dtype=int64
        Rows in the order shown.
    """
    start_of_name = typed.casefold()
    name = BY_KEY["sseqid"]
    ids = data.result.database.ids
    for row in np.roll(rows, -start).tolist():
        identifier = ids[int(data.hits.db_index[row])]
        if data.text(row, name).casefold().startswith(start_of_name) or identifier.casefold().startswith(start_of_name):
            return int(row)
    return -1
