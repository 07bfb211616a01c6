"""The parts of the results page and their layout: queries, hits and the alignment, the head above them."""

from __future__ import annotations

import itertools

from PySide6.QtCore import (
    Qt,
    Signal,
)
from PySide6.QtWidgets import (
    QWidget,
)

from swgui.core.hits.results import HitList, SearchResult
from swgui.core.query_range import QueryRange
from swgui.gui.hits.arrange import HitFilter
from swgui.gui.hits.filler import AlignmentFiller, Describe
from swgui.gui.hits.places import SUBJECT
from swgui.gui.kit import theme
from swgui.gui.kit.elided import ElidedLabel
from swgui.gui.kit.layouts import Sheets, in_column, in_row, in_splitter
from swgui.gui.kit.pages import PageWidget
from swgui.gui.kit.tasks.pool import Tasks
from swgui.gui.kit.widgets import (
    EmptyBox,
    described,
    offers,
    push_button,
)
from swgui.gui.results.header import ResultHeader
from swgui.gui.results.marks import MarkStore
from swgui.gui.results.places import place_of
from swgui.gui.results.queries import QueryPane
from swgui.gui.results.rounds.strip import RoundsStrip
from swgui.gui.results.table.filters import FilterPanel
from swgui.gui.results.table.pane import HitsPane
from swgui.gui.viewer.overview import Overview, ScoreLegend
from swgui.gui.viewer.pane import AlignmentPane

VIEW_SHARE = 0.55  # of hits and alignment together, for a view that wants room


class ResultsFrame(PageWidget):
    """Holds the parts, and the query and result that they show; the page connects them.

    Parameters
    ----------
    tasks : Tasks
        Does all computing.
    describe : Describe
        Makes whole hits of rows.
    """

    # The page is empty, and the user wants to search
    search_wanted = Signal()
    save_wanted = Signal()  # save the result in a file
    # A query (`SequenceRecord`) and the `QueryRange` of it that the user wants to search alone
    part_wanted = Signal(object, object)
    query_wanted = Signal(object)  # a `SequenceRecord` the user wants to search next
    # The `SequenceRecord` of a query and of its hit, and their kind, to be aligned as a pair
    pair_wanted = Signal(object, object, str)
    place_wanted = Signal(object)  # the `Place` of an alignment, to be shown on its sequence
    network_wanted = Signal(object, str)  # returns sequences to compare with each other, and their names
    query_shown = Signal(int)  # another query's hits are shown
    note_wanted = Signal()  # the user wants to write a note on the current hit

    def __init__(self, tasks: Tasks, describe: Describe, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.describe = describe
        self._result: SearchResult | None = None
        self._query = -1
        self._best: dict[int, HitList] = {}  # best subjects of queries without hits
        self.filler, self.marks = AlignmentFiller(tasks, describe), MarkStore()
        for part in (self.filler, self.marks):
            part.setParent(self)
        self.header = ResultHeader()
        self.rounds = RoundsStrip()
        self.queries = QueryPane()
        self.hits = HitsPane(tasks, self.filler, self.marks)
        self.filters = FilterPanel(tasks, lambda: self.hits.filter)
        self.overview = Overview()
        self.score_legend = ScoreLegend()
        self.alignment = AlignmentPane(tasks)
        self.empty = self._make_empty()
        self._lay_out()

    @property
    def result(self) -> SearchResult | None:
        """The result shown; None while the page is empty."""
        return self._result

    @property
    def query_index(self) -> int:
        return self._query

    def list_of(self, result: SearchResult, query_index: int) -> HitList:
        """Return the list for a query of the result: its hits, or its best subjects once they were looked up."""
        return self._best.get(query_index) or result.hit_list(query_index)

    def set_narrow(self, narrow: bool) -> None:
        """Put the buttons of the header below its sentences, and leave out texts that tool tips repeat."""
        self.header.set_narrow(narrow)
        self.queries.show_as(narrow)
        self.hits.set_narrow(narrow)
        self.rounds.set_narrow(narrow)
        self._overview_head.setHidden(narrow)

    def _make_empty(self) -> EmptyBox:
        tip = "Choose a query and a database, or use the sample"
        search = ("Search", "Go to Search", "search", tip, self.search_wanted.emit, "")
        text = "Hits and alignments appear here after a search. Runs lists earlier searches."
        return EmptyBox("resultsEmpty", "No result yet", text, offers("resultsEmpty", [search]))

    def _lay_out(self) -> None:
        head = self._overview_head = ElidedLabel()
        theme.set_role(head, level="section")
        head.set_text("Hits along the query")
        self.overview_pane = described(QWidget(), "overviewPane")
        tip = "Go to the Search page with the region that was dragged on the axis as the part of the query to search"
        self.part_button = push_button("searchPart", tip=tip, text="", does=self._search_part, role="quiet")
        self.part_button.hide()
        self.hits.filter_changed.connect(self._show_region)
        self.alignment.enlarged.connect(self.show_alignment_alone)
        line = in_row((head, 1), self.part_button, self.score_legend)
        in_column(line, (self.overview, 1), margins=(1.5, 0.75, 1.5, 0.25), spacing=0.5, parent=self.overview_pane)
        rows = (self.overview_pane, 1), (self.hits, 4), (self.alignment, 4)
        self.columns = in_splitter(Qt.Orientation.Vertical, *rows, name="resultsRows")
        self.columns.setSizes([theme.grid(16), theme.grid(34), theme.grid(34)])
        self._heights: list[int] = []  # of the rows before a view wanted room
        self.columns.splitterMoved.connect(lambda *_: self._heights.clear())
        self.alignment.mode_changed.connect(lambda _mode: self._share_height())
        sides = self.queries, (self.columns, 1), self.filters
        self.sides = in_splitter(Qt.Orientation.Horizontal, *sides, name="resultsSides")
        self.filters.hide()
        self.sides.setSizes([theme.grid(22), theme.grid(110), theme.grid(28)])
        content, around = QWidget(), QWidget()
        boxed = in_row(self.queries.box, margins=(1.5, 0.5, 1.5, 0))
        in_column(self.header, self.rounds, boxed, (self.sides, 1), spacing=0, parent=content)
        in_column(self.empty, margins=3, spacing=0, parent=around)
        self._stack = Sheets(around, content)
        in_column(self._stack, spacing=0, parent=self)
        order = [
            *(self.queries.box, self.queries.search, self.queries.list, self.queries.with_hits, self.overview),
            *(
                self.hits.search,
                self.hits.filters_button,
                self.hits.details_button,
                self.hits.table,
            ),
            *self.alignment.tab_order(),
            *(
                self.header.again_button,
                self.header.export_button,
                self.header.more_button,
            ),
        ]
        for before, behind in itertools.pairwise(order):
            self.setTabOrder(before, behind)

    def _show_region(self, wanted: HitFilter) -> None:
        self.part_button.setVisible(wanted.covers is not None)
        if wanted.covers is not None:
            first, last = wanted.covers
            self.part_button.setText(f"Search {first:,} to {last:,} alone")

    def _search_part(self) -> None:
        data, covers = self.hits.data, self.hits.filter.covers
        if data is not None and covers is not None:
            self.part_wanted.emit(data.query, QueryRange(*covers))

    def show_on_sequence(self, row: int = -1, part: int = SUBJECT) -> None:
        """Show an alignment of a hit on the Locus page; the current one if no row is given."""
        data = self.hits.data
        if row < 0:
            row, part = self.hits.table.current_hit_row(), self.hits.table.current_part()
        place = None if data is None or row < 0 else place_of(data, row, part)
        if place is None:
            self.message.emit("Choose a hit with an alignment first.")
        else:
            self.place_wanted.emit(place)

    def focus_search(self) -> None:
        """Put the keyboard into the box that filters hits."""
        self.alignment.whole_button.setChecked(False)
        self.hits.search.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.hits.search.selectAll()

    def _share_height(self) -> None:
        """Give the alignment more than half of the height if its view needs that, and restore the height afterwards."""
        heights = self.columns.sizes()
        if not self.alignment.wants_room:
            if self._heights:
                self.columns.setSizes(self._heights)
            self._heights = []
            return
        *others, own = heights
        wanted = round(VIEW_SHARE * sum(heights))
        if own >= wanted or not sum(others):
            return
        self._heights = self._heights or heights
        rest = (sum(heights) - wanted) / sum(others)
        self.columns.setSizes([*(round(height * rest) for height in others), wanted])

    def show_alignment_alone(self, on: bool) -> None:
        if on:
            self.alignment.focus_view()  # not to a widget behind the hidden one
        for part in (self.header, self.overview_pane, self.hits):
            part.setVisible(not on)

    def show_parts(self, on: bool) -> None:
        """Show the parts, or that there is no result."""
        self._stack.show_sheet(1 if on else 0)
