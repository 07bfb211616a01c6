"""The parts of the results page and where they lie: queries, hits and the alignment, the head above them."""

from __future__ import annotations

import itertools

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QStackedWidget, QWidget

from swgui.core.query_range import QueryRange
from swgui.gui.hits.arrange import HitFilter
from swgui.gui.hits.filler import AlignmentFiller
from swgui.gui.kit import theme
from swgui.gui.kit.elided import ElidedLabel
from swgui.gui.kit.empty import EmptyBox, offers
from swgui.gui.kit.layouts import in_column, in_row, in_splitter
from swgui.gui.kit.pages import PageWidget
from swgui.gui.kit.tasks.pool import Tasks
from swgui.gui.kit.widgets import described, push_button
from swgui.gui.results.header import ResultHeader
from swgui.gui.results.marks import MarkStore
from swgui.gui.results.queries import QueryPane
from swgui.gui.results.rounds.strip import RoundsStrip
from swgui.gui.results.table.filters import FilterPanel
from swgui.gui.results.table.pane import HitsPane
from swgui.gui.viewer.overview.legend import ScoreLegend
from swgui.gui.viewer.overview.view import Overview
from swgui.gui.viewer.pane import AlignmentPane


class ResultsFrame(PageWidget):
    """Holds the parts; what they show and tell each other is left to the page.

    Parameters
    ----------
    tasks : Tasks
    filler : AlignmentFiller
        Aligns what the parts want to show.
    marks : MarkStore
        Stars, ticks and notes.

    Signals
    -------
    sample_wanted(), runs_wanted()
        The page is empty, and the user wants to search the sample or to see the history.
    part_wanted(object, object)
        A query (`SequenceRecord`) and the `QueryRange` of it that the user wants to search alone.
    """

    sample_wanted = Signal()
    runs_wanted = Signal()
    part_wanted = Signal(object, object)

    def __init__(self, tasks: Tasks, filler: AlignmentFiller, marks: MarkStore, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.filler, self.marks = filler, marks
        for part in (filler, marks):
            part.setParent(self)
        self.header = ResultHeader()
        self.rounds = RoundsStrip()
        self.queries = QueryPane()
        self.hits = HitsPane(tasks, filler, marks)
        self.filters = FilterPanel(tasks, lambda: self.hits.filter)
        self.overview = Overview()
        self.score_legend = ScoreLegend()
        self.alignment = AlignmentPane(tasks)
        self.empty = self._make_empty()
        self._lay_out()

    def set_narrow(self, narrow: bool) -> None:
        """Leave out what the File menu has, too."""
        self.header.methods_button.setHidden(narrow)

    def _make_empty(self) -> EmptyBox:
        table = (
            ("Runs", "Earlier runs", "runs", "Open the hits of a run that was kept", self.runs_wanted.emit, ""),
            ("Sample", "Load the sample", "sample", "Put the sample query and database in place",
             self.sample_wanted.emit, ""),
        )  # fmt: skip
        text = "Results appear here after a search. A saved search can be dropped on the window."
        return EmptyBox("resultsEmpty", "No result yet", text, offers("resultsEmpty", table))

    def _lay_out(self) -> None:
        head = ElidedLabel()
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
        sides = self.queries, (self.columns, 1), self.filters
        self.sides = in_splitter(Qt.Orientation.Horizontal, *sides, name="resultsSides")
        self.filters.hide()
        self.sides.setSizes([theme.grid(22), theme.grid(110), theme.grid(28)])
        content, around = QWidget(), QWidget()
        in_column(self.header, self.rounds, (self.sides, 1), spacing=0, parent=content)
        in_column(self.empty, margins=3, spacing=0, parent=around)
        self._stack = QStackedWidget()
        self._stack.addWidget(around)
        self._stack.addWidget(content)
        in_column(self._stack, spacing=0, parent=self)
        order = [
            *(self.queries.search, self.queries.list, self.queries.with_hits, self.overview),
            *(self.hits.search, self.hits.filters_button, self.hits.columns_button, self.hits.table),
            *self.alignment.tab_order(),
            *(
                self.header.again_button,
                self.header.again_more,
                self.header.methods_button,
                self.header.copy_button,
                self.header.export_button,
            ),
        ]
        for before, behind in itertools.pairwise(order):
            self.setTabOrder(before, behind)

    def _show_region(self, wanted: HitFilter) -> None:
        """Offer to search alone what the filter asks hits to cover."""
        self.part_button.setVisible(wanted.covers is not None)
        if wanted.covers is not None:
            first, last = wanted.covers
            self.part_button.setText(f"Search {first:,} to {last:,} alone")

    def _search_part(self) -> None:
        data, covers = self.hits.data, self.hits.filter.covers
        if data is not None and covers is not None:
            self.part_wanted.emit(data.query, QueryRange(*covers))

    def focus_search(self) -> None:
        """Put the keyboard into the box that filters hits."""
        self.alignment.whole_button.setChecked(False)
        self.hits.search.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.hits.search.selectAll()

    def show_alignment_alone(self, on: bool) -> None:
        """Give the alignment the room of head, hits and overview, or give it back."""
        if on:
            self.alignment.focus_view()  # not to whatever stands behind what is hidden
        for part in (self.header, self.overview_pane, self.hits):
            part.setVisible(not on)

    def show_parts(self, on: bool) -> None:
        """Show the parts, or that there is nothing to be shown."""
        self._stack.setCurrentIndex(1 if on else 0)
