"""The results page: queries, hits and the alignment of the current hit, with one selection for all of them."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QUndoStack
from PySide6.QtWidgets import QWidget

from swgui.core import words
from swgui.core.hits.marks import Kind, Marks
from swgui.core.hits.results import HitList, SearchResult
from swgui.core.hits.table import Hit
from swgui.core.plain import replace
from swgui.core.search import about_search
from swgui.gui.hits.columns import BY_KEY
from swgui.gui.hits.data import HitData
from swgui.gui.hits.filler import Describe, describe_some
from swgui.gui.hits.places import SUBJECT
from swgui.gui.inputs.features import TIP, FeatureChoice
from swgui.gui.inputs.marks import SharedMarks
from swgui.gui.kit.tasks.pool import Tasks
from swgui.gui.kit.widgets import delayed, menu_command
from swgui.gui.results.frame import ResultsFrame
from swgui.gui.results.loci import HitLoci
from swgui.gui.results.output import HitOutput
from swgui.gui.results.own_table import OwnTable
from swgui.gui.results.queries import best_subjects, explain_no_hits
from swgui.gui.results.rounds.again import SearchAgain
from swgui.gui.results.shared_marks import HitMarks
from swgui.gui.results.summary import what_was_searched
from swgui.gui.results.table.columns import idle_columns, telling_columns
from swgui.gui.results.table.menu import HitMenus
from swgui.gui.viewer.stacked.view import StackLoader, StackView, rows_to_stack
from swgui.jobs.search.describe import describe_list
from swgui.settings import ResultsSettings

KEPT_QUERIES = 32  # queries whose alignment figures are kept while others are shown
WAIT_BEFORE_SAYING = 250  # milliseconds before "Aligning…" replaces the last alignment


class ResultsPage(ResultsFrame):
    """Shows one result.

    Parameters
    ----------
    tasks : Tasks
        Does all computing; the page itself only shows.
    describe : Describe, optional
        Makes whole hits of rows; `swgui.jobs.search.describe.describe_list` unless given.
    """

    hit_shown = Signal(object)  # the alignment of another `Hit` is shown
    current_changed = Signal(object, int)  # the `HitData` shown (or None) and the row of the current hit, -1 for none
    marks_changed = Signal()  # save ticks, stars, hidden hits or notes

    def __init__(
        self,
        tasks: Tasks,
        parent: QWidget | None = None,
        *,
        describe: Describe = describe_list,
        choice: FeatureChoice | None = None,
        shared: SharedMarks | None = None,
    ) -> None:
        super().__init__(tasks, describe, parent)
        self.setObjectName("resultsPage")
        self._tasks = tasks
        self.also_kept: dict[str, Any] = {}  # data that other parts save with the result
        self._once_listed: Callable[[], None] | None = None
        self._kept: OrderedDict[int, HitData] = OrderedDict()
        self._significance = -3.0
        self._settings = ResultsSettings()
        self.loader = StackLoader(tasks, describe, self)
        self._waiting = delayed(self, WAIT_BEFORE_SAYING, lambda: self.alignment.show_message("Aligning…"))
        self.output = HitOutput(self, tasks)
        self.own = OwnTable(self, tasks)
        self._shared = None if shared is None else HitMarks(self.marks, shared, self)
        self.features = choice if choice is not None else FeatureChoice(tasks)
        self.loci = HitLoci(self, tasks, self.features)
        self.menus, self.again = HitMenus(self, self.output), SearchAgain(self)
        self._connect_header()
        self._connect_hits()
        self._connect_alignment()
        self.clear()

    def _connect_header(self) -> None:
        self.header.export_wanted.connect(self.output.export)
        for name, text, tip, does in (
            ("columns", "Columns…", "Choose columns and read their definitions", self.hits.table.choose_columns),
            ("own", "Add a table…", "Columns of a table of your own (CSV, TSV, XLSX), by identifier or accession",
             self.own.ask),
            ("features", "Features…", TIP, lambda: self.features.ask(self)),
            ("locus", "Show on the sequence", "The alignment among genes, bases and frames of its subject (Ctrl+L)",
             lambda: self.show_on_sequence()),
            ("copy_rows", "Copy rows", "Selected rows with the columns shown, for spreadsheets", self.output.copy_rows),
            ("copy_fasta", "Copy sequences", "Whole subject sequences of the selected rows", self.output.copy_fasta),
            ("copy_identifiers", "Copy accessions", "Accession numbers of the selected rows, one per line",
             self.output.copy_identifiers),
            ("print", "Print…", "Print the hits and the alignment that is shown", self.output.print_),
            ("methods", "How was this done…", "A paragraph for the methods section of a paper, citations, and the "
             "resources of the search", self.output.methods),
            ("deeper", "Look deeper…", "Compare profiles, search through the hits, Forward scores; shows the time of "
             "each first", lambda: self.again.look_deeper()),
            ("rounds", "Statistics of the rounds…", "Statistics of each round, and whether its E-values are right",
             lambda: self.rounds.show_figures()),
        ):  # fmt: skip
            menu_command(self.header.more_menu, f"more-{name}", text, tip, does)

    def _connect_hits(self) -> None:
        self.queries.chosen.connect(self._show_query)
        self.hits.table.current_row.connect(lambda row: self._show_hit(row, self.hits.table.current_part()))
        self.hits.table.entered.connect(self.alignment.focus_view)
        self.hits.table.significance_dragged.connect(self.set_significance)
        self.hits.message.connect(self.message)
        self.hits.arranged.connect(self._show_overview)
        self.hits.model.folded.connect(lambda: self.overview.set_places(self.hits.model.places))
        self.hits.arranged.connect(self._show_stack)
        self.hits.arranged.connect(self._listed)
        self.hits.table.columns_chosen.connect(self._keep_columns)
        self.marks.changed.connect(self._marks_moved)
        self.hits.filter_changed.connect(self.filters.show_filter)
        self.hits.data_changed.connect(self.filters.show_data)
        self.hits.filters_toggled.connect(self.filters.setVisible)
        self.filters.changed.connect(self.hits.set_filter)
        self.overview.row_chosen.connect(self.choose)
        self.overview.rows_in_sight.connect(lambda rows: self.filler.want("2 overview", rows))
        self.overview.region_chosen.connect(
            lambda first, last: self.hits.set_filter(replace(self.hits.filter, covers=(first, last)))
        )
        self.filler.filled.connect(self._values_arrived)

    def _connect_alignment(self) -> None:
        self._stacked = self.alignment.view(StackView)
        self.alignment.mode_changed.connect(lambda _mode: self._show_stack())
        self._stacked.wanted.connect(self._show_stack)
        self.alignment.row_chosen.connect(self.choose)
        self.query_shown.connect(self.alignment.use_query)
        self.alignment.stepped.connect(self._stepped)
        self.loader.started.connect(self._stacked.area.show_stack)
        self.loader.grown.connect(self._stack_grown)
        self.loader.faults.connect(self._stack_faults)
        self.alignment.message.connect(self.message)
        self.alignment.left.connect(lambda: self.hits.table.setFocus(Qt.FocusReason.OtherFocusReason))
        self.alignment.scheme_box.schemes_chosen.connect(self._keep_schemes)

    # -- display -----------------------------------------------------------------------------------

    @property
    def title(self) -> str:
        """Queries, database and settings that identify the result; empty without a result."""
        if self._result is None:
            return ""
        return f"{' '.join(what_was_searched(self._result).split())}, {about_search(self._result.search)}"

    def states(self) -> set[str]:
        return {"result"} if self._result is not None else set()

    @property
    def undo_steps(self) -> QUndoStack:
        return self.marks.undo_stack

    def show_hit(self, hit: Hit, part: int = 0) -> None:
        """Show a hit by one of its alignments, also of a subject that is not in the list."""
        self._tasks.drop("results-alignment")
        self._waiting.stop()
        self.alignment.show_hit(hit, part)
        self.hit_shown.emit(hit)

    def show_result(self, result: SearchResult, query_index: int = -1, *, marks: Marks | None = None) -> None:
        """Show a result and one query of it; without one the first that has hits.

        Parameters
        ----------
        marks : Marks, optional
            Earlier stars and notes on its hits.
        """
        self.clear()
        self.hits.forget_waiting()  # of the last search: no alignments without a request
        self.marks.use(Marks() if marks is None else marks)
        if self._shared is not None:
            self._shared.show_result(result)
        self._show(result, query_index)

    def show_moved(self, result: SearchResult) -> None:
        """Show the same run under other limits; marks and undo stay."""
        query = self._query
        self.clear()
        self._show(result, query)

    def _show(self, result: SearchResult, query_index: int) -> None:
        self._result = result
        self.alignment.use_result(result)
        self._use_columns_of(result)
        self.header.show_result(result, self._significance)
        self.queries.show_result(result)
        self.show_parts(True)
        self._list_marked(result)
        first = next((k for k, q in enumerate(result.queries) if len(q.hits)), 0) if query_index < 0 else query_index
        if len(result.queries) > 1:
            self.queries.choose(first)
        elif result.queries:
            self._show_query(first)

    def clear(self) -> None:
        """Show no result, and drop pending computations for the last one."""
        for key in ("results-best", "results-marked", "results-alignment", "results-arrange", "results-print"):
            self._tasks.drop(key)
        self._waiting.stop()
        self._result, self._query = None, -1
        self._kept.clear()
        self._best.clear()
        self.loader.clear()
        self._stacked.area.clear()
        self.hits.show_data(None)
        self.queries.show_result(None)
        self.alignment.clear()
        self.show_parts(False)

    def when_listed(self, call: Callable[[], None]) -> None:
        """Call once the table shows the list of the current query, now if it does; a newer call replaces it."""
        self._once_listed = call
        self._listed()

    def _listed(self) -> None:
        if self._once_listed is not None and not self._tasks.pending("results-best") and not self.hits.arranging:
            call, self._once_listed = self._once_listed, None
            call()

    def set_significance(self, log10_evalue: float) -> None:
        """Move the line below which hits are dimmed."""
        self._significance = log10_evalue
        self.hits.set_significance(log10_evalue)
        if self._result is not None:
            self.header.show_result(self._result, log10_evalue)
            self._show_found()

    def _show_found(self) -> None:
        data, result = self.hits.data, self._result
        if data is not None and result is not None and len(result.queries) == 1 and data.listed.are_hits:
            self.header.show_found(result, self._significance, data.alignments_within(self._significance))

    @property
    def layout_facts(self) -> dict[str, Any]:
        """State of the view that is saved with the search, as JSON values."""
        facts = self.marks.marks.facts()
        return {**self.also_kept, **({"marks": facts} if facts else {})}

    def _use_columns_of(self, result: SearchResult) -> None:
        telling = telling_columns(result, noted=self.marks.marks.noted)
        self.hits.table.set_default_columns(telling, idle_columns(result))

    def _marks_moved(self, kind: str, _query: int, _subjects: object) -> None:
        if kind == "ticked":
            self._show_stack()
        if kind == "note" and self._result is not None and self.marks.marks.noted == 1:
            self._use_columns_of(self._result)  # the first one shows the column
        self.marks_changed.emit()

    def _show_query(self, query_index: int) -> None:
        if self._result is None or query_index == self._query:
            return
        self._query = query_index
        self.query_shown.emit(query_index)
        self._tasks.drop("results-best")
        if query_index in self._kept:
            self._kept.move_to_end(query_index)
            self._use(self._kept[query_index])
        elif query_index in self._best or len(self._result.queries[query_index].hits):
            self._use(HitData(self.list_of(self._result, query_index), self.marks.marks))
        else:
            self._show_best(self._result, query_index)

    def _use(self, data: HitData) -> None:
        self._kept[data.query_index] = data
        while len(self._kept) > KEPT_QUERIES:
            self._kept.popitem(last=False)
        note = ""
        if not data.listed.are_hits:
            note = explain_no_hits(data.result, data.query_index, data.listed)
            note += " The best subjects are listed all the same." if len(data) else ""
        self.hits.show_data(data, note)

    def _show_best(self, result: SearchResult, query_index: int) -> None:
        self.hits.show_data(None, explain_no_hits(result, query_index))
        self.alignment.show_message("No hits.")
        if result.queries[query_index].scores is not None:
            self._tasks.submit(
                "results-best",
                lambda: best_subjects(result, query_index),
                self._use_best,
            )

    def _list_marked(self, result: SearchResult) -> None:
        """Look up the best subjects of queries without hits that are marked: they are listed again."""
        kinds: tuple[Kind, ...] = ("ticked", "starred")
        marked = {query for kind in kinds for query in self.marks.marks.queries(kind)}
        wanted = [k for k in marked if not len(result.queries[k].hits) and result.queries[k].scores is not None]
        if wanted:
            self._tasks.submit(
                "results-marked",
                lambda: {k: best_subjects(result, k) for k in wanted},
                lambda made: self._best.update({k: best for k, best in made.items() if k not in self._best}),
            )

    def _use_best(self, best: HitList) -> None:
        self._best[best.query_index] = best
        self._use(HitData(best, self.marks.marks))

    def _show_overview(self) -> None:
        data = self.hits.data
        self.overview.show_places(data, self.hits.model.places, self.hits.filter.covers)
        self.overview.set_current(self.hits.table.current_hit_row(), self.hits.table.current_part())
        self.score_legend.set_unit(data is None or data.has_statistics)

    def _values_arrived(self, rows: list[int]) -> None:
        self.hits.show_values(rows)
        self._show_found()
        self.overview.refresh()
        self.filters.refresh()

    def _show_stack(self) -> None:
        data = self.hits.data
        if data is None or self.alignment.mode != self._stacked.name:
            return
        ticked = self.marks.marks.rows("ticked", data.query_index, data.hits.db_index)
        limit = self._stacked.size_box.currentData()
        self.loader.load(data, rows_to_stack(self.hits.model.rows[: limit or None].tolist(), ticked, limit))

    def _stack_grown(self, hits: list[Hit]) -> None:
        if self.hits.data is not None:
            self._values_arrived(self.hits.data.add(hits))
        self._stacked.area.refresh()
        self._mark_current(self.hits.table.current_hit_row(), self.alignment.alignments.current)

    def _stack_faults(self, faults: dict[int, str]) -> None:
        if self.hits.data is not None:
            self.hits.data.faults.update(faults)
        reason = next(iter(faults.values()))
        self.message.emit(f"{words.count(len(faults), 'hit')} left out of the stack. {reason}")

    def choose(self, row: int, part: int) -> None:
        """Make a hit current, and show one of its alignments, or the best one for a part of -1."""
        if self.hits.table.select_row(row, part) and self.hits.table.current_part() != part:  # it is folded
            self._show_hit(row, part)

    def _stepped(self, part: int) -> None:
        row = self.hits.table.current_hit_row()
        shown = self.alignment.hit
        if self.hits.data is None or shown is None or shown.rank != row + 1:  # not of the list
            return
        if row in self.hits.data.unfolded:
            self.hits.table.select_row(row, part)
        else:
            self._mark_current(row, part)
            self.hit_shown.emit(shown)

    def _mark_current(self, row: int, part: int) -> None:
        self.overview.set_current(row, part)
        self.alignment.set_current(row, part)

    def _show_hit(self, row: int, part: int = SUBJECT) -> None:
        """Show an alignment of a row; from a worker if it has not been made yet."""
        self._mark_current(row, part)
        self._tasks.drop("results-alignment")
        self._waiting.stop()
        data = self.hits.data
        self.current_changed.emit(data, row)
        if data is None or row < 0:
            self.alignment.clear()
            return
        data.awaited.clear()
        hit = data.hit(row)
        if hit is not None and hit.alignment is not None:
            self.show_hit(hit, max(0, part))
        elif row in data.faults:
            self.alignment.show_message(data.faults[row])
        else:
            self._waiting.start()
            data.awaited.add(row)
            self._tasks.start(
                "results-alignment",
                lambda control: describe_some(self.describe, data.listed, [row], float("inf"), control),
                lambda outcome: self._take_hit(data, row, part, *outcome),
                lambda error: self._take_hit(data, row, part, [], {row: f"This hit could not be aligned: {error!r}"}),
            )

    def _take_hit(self, data: HitData, row: int, part: int, hits: list[Hit], faults: dict[int, str]) -> None:
        data.faults.update(faults)
        data.add(hits)
        data.awaited.clear()
        self.filler.resume()
        self._waiting.stop()
        if data is not self.hits.data:
            return
        self._values_arrived([row])
        if self.hits.table.current_hit_row() == row:
            if hits and hits[0].alignment is not None:
                self.show_hit(hits[0], max(0, part))
            else:
                self.alignment.show_message(data.faults[row])

    def use_settings(self, settings: ResultsSettings) -> None:
        """Restore columns and colour schemes chosen earlier, and save later choices there."""
        self._settings = self.output.settings = settings
        keys = [key for key in settings.columns if key in BY_KEY]
        if keys:
            self.hits.table.show_columns(keys)
        self.alignment.scheme_box.use_schemes(settings.color_schemes)

    def _keep_columns(self, keys: list[str]) -> None:
        self._settings.columns = keys

    def _keep_schemes(self, chosen: dict[str, str]) -> None:
        self._settings.color_schemes = dict(chosen)
