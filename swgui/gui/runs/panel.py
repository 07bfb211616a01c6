"""The current run: stages, progress, honest time left, speed, best scores so far, Stop."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableView, QWidget

from swgui.core import words
from swgui.core.database import EncodedDatabase
from swgui.core.devices import CPU
from swgui.core.engines import Kind
from swgui.core.headers import parse_header
from swgui.core.hits.results import SearchResult
from swgui.engines.registry import facts
from swgui.gui.kit import motion
from swgui.gui.kit.elided import ElidedLabel
from swgui.gui.kit.layouts import in_column, in_row, in_splitter
from swgui.gui.kit.plain import plain
from swgui.gui.kit.tables.row_table import RIGHT, Index, PlainHead, Role, RowTable
from swgui.gui.kit.tables.row_view import row_table
from swgui.gui.kit.theme import grid, set_role
from swgui.gui.kit.widgets import combo_box, described, progress_bar, push_button, text_label
from swgui.gui.live.run_state import RunState
from swgui.gui.live.run_trace import RunTrace
from swgui.gui.live.speed_plot import SpeedPlot
from swgui.gui.live.watch import Look
from swgui.gui.words import wording
from swgui.jobs.search.events import PartialHits
from swgui.jobs.search.request import SearchRequest
from swgui.jobs.stage import PAUSED

BAR_STEPS = 1_000
BEST_SHOWN = 50
QUERIES_LISTED = 1_000  # a longer list could not be used anyway
EXPECTED_STAGES = ("Preparing the engine", "Scoring", "Ranking")


class BestHits(RowTable):
    """The best subjects of one query so far, named as on the Results page; the tool tips have the whole headers."""

    heads = (
        PlainHead("#", side=RIGHT),
        PlainHead("Subject"),
        PlainHead("Description"),
        PlainHead("Score", side=RIGHT),
    )

    def __init__(self) -> None:
        super().__init__()
        self._database: EncodedDatabase | None = None
        self._hits: list[tuple[int, int]] = []  # subject and score

    def show_hits(self, database: EncodedDatabase | None, hits: PartialHits | None) -> None:
        """Replace all rows."""
        self.beginResetModel()
        self._database = database
        self._hits = [] if hits is None else list(zip(hits.db_index.tolist(), hits.scores.tolist(), strict=True))
        self.endResetModel()

    def row_count(self) -> int:
        """Return the number of subjects."""
        return len(self._hits)

    def data(self, index: Index, role: int = Role.DisplayRole) -> Any:
        """Return the text and the alignment of a cell."""
        if role == Role.TextAlignmentRole:
            return self.side(index.column())
        if role not in (Role.DisplayRole, Role.ToolTipRole):
            return None
        text = self._text(index.row(), index.column(), whole=role == Role.ToolTipRole)
        return plain(text) if role == Role.ToolTipRole else text

    def _text(self, row: int, column: int, *, whole: bool) -> str:
        subject, score = self._hits[row]
        if column in (1, 2) and self._database is not None:
            header = self._database.ids[subject], self._database.descriptions[subject]
            read = parse_header(*header)
            return header[column - 1] if whole else (read.name, read.title)[column - 1]
        return (f"{row + 1}", f"sequence {subject + 1:,}", "", f"{score:,}")[column]


class RunPanel(QWidget):
    """Shows one run.

    Signals
    -------
    stop_wanted()
        Stop was pressed.
    pause_wanted(bool)
        Pause was pressed, or pressed again.
    """

    stop_wanted = Signal()
    pause_wanted = Signal(bool)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("runPanel")
        self._database: EncodedDatabase | None = None
        self._state = RunState()
        self._title = described(ElidedLabel(), "runTitle")
        set_role(self._title, level="heading")
        self._title.set_text("No run yet. Press Search, and it shows here.")
        self._left = text_label(name="runTimeLeft")
        self._done = text_label(name="runProgressText", level="muted")
        self._stages = text_label(name="runStages", level="small", plain=True)
        self.bar = progress_bar("runBar", "Progress of the run")
        self.bar.setRange(0, BAR_STEPS)
        self.stop_button = push_button(
            "runStop",
            "Stop",
            "End the run now and keep what was scored, marked as partial (Ctrl+.)",
            self.stop_wanted,
            icon="stop",
        )
        self.pause_button = push_button(
            "runPause",
            "Pause",
            "Pause between two chunks, for example to leave the GPU to another program; press again to resume. "
            "The memory of the device stays taken.",
            self.pause_wanted,
            icon="pause",
        )
        self.pause_button.setCheckable(True)
        self.speed = SpeedPlot()
        top = in_row((self._title, 1), self._done, self._left, self.pause_button, self.stop_button, spacing=2)
        self._strip = in_column(top, self.bar, self._stages)
        best = self._make_best()
        split = self._details = in_splitter(Qt.Orientation.Horizontal, (self.speed, 1), (best, 1), name="runSplit")
        split.setSizes([grid(80), grid(72)])
        split.setMinimumHeight(1)  # the panel may become too low for it: then it is hidden
        self._layout = in_column(self._strip, (split, 1), 0, margins=(2, 1, 2, 1), parent=self)
        self._allow(False)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        margins, spacing = self._layout.contentsMargins(), self._layout.spacing()
        strip = margins.top() + self._strip.sizeHint().height() + 2 * spacing + margins.bottom()
        self._details.setVisible(self.height() - strip >= self._details.minimumSizeHint().height())

    def begin(self, request: SearchRequest) -> None:
        """Show a run that is about to start."""
        self._database = request.database if isinstance(request.database, EncodedDatabase) else None
        name = request.database.name
        self._title.set_text(f"{words.count(len(request.queries), 'query', 'queries')} against {name}")
        self._left.clear()
        self._done.clear()
        self.speed.clear()
        self.best.show_hits(None, None)
        self._query.clear()
        self._query.addItems([query.id for query in request.queries[:QUERIES_LISTED]])
        self._query.setVisible(len(request.queries) > 1)
        self._follow = True
        self._title_of_best.setText("Best scores so far")
        self._allow(True)
        set_role(self._left, tone="")
        self.show_state(RunState())

    def show_state(self, state: RunState) -> None:
        self._state = state
        if state.started is not None and state.started.database is not None:
            self._database = state.started.database
        motion.show_fraction(self.bar, state.fraction)
        self._stages.setText(self._stage_line(state))
        self._done.setText(self._progress_line(state))
        if state.paused:
            self._left.setText("Paused")
        elif self.pause_button.isChecked():
            self._left.setText("Pausing…")
        else:
            left = state.seconds_left if state.stage.name == "Scoring" else None
            about = "" if state.steady else "about "
            self._left.setText(f"{about}{words.duration(left)} left" if left is not None else "")
        self.speed.show_state(state)
        if state.hits and self._follow:
            self._query.setCurrentIndex(min(max(state.hits), self._query.count() - 1))
        self._show_best()

    def show_look(self, look: Look) -> None:
        """Show how the devices are doing during a run; the trace of the run keeps it."""
        if not self.stop_button.isEnabled():
            return
        readings = {device: reading for device, reading in look.readings.items() if self._takes_part(device)}
        self._state.trace.add_readings(readings)
        self.speed.show_readings(readings)

    def show_kept(self, trace: RunTrace, title: str) -> None:
        if self.stop_button.isEnabled():
            return
        self._title.set_text(title)
        self.speed.show_trace(trace)

    @property
    def trace(self) -> RunTrace:
        """The speed of the run that is shown."""
        return self._state.trace

    def _takes_part(self, device: str) -> bool:
        started = self._state.started
        if started is None:
            return True
        on_gpu = facts(started.engine).kind is Kind.GPU
        return on_gpu if device != CPU else not on_gpu

    def show_paused(self, on: bool) -> None:
        self.pause_button.setChecked(on)
        self.pause_button.setText("Resume" if on else "Pause")
        self.show_state(self._state)

    def _allow(self, on: bool) -> None:
        self.stop_button.setEnabled(on)
        self.pause_button.setEnabled(on)

    def stopping(self) -> None:
        self._allow(False)
        self._left.setText("Stopping…")

    def end(self, sentence: str, tone: str = "", result: SearchResult | None = None) -> None:
        """Show how the run ended; `tone` is empty, ``warning`` or ``danger``."""
        motion.be_measured(self.bar, BAR_STEPS)
        self.bar.setValue(0)
        if result is not None:
            if result.cells_total:
                self.bar.setValue(round(BAR_STEPS * result.cells_done / result.cells_total))
            self._database = result.database
            for index, of_query in enumerate(result.queries[:QUERIES_LISTED]):
                best = of_query.hits.take(slice(BEST_SHOWN))
                self._state.hits[index] = PartialHits(index, best.db_index, best.scores)
            self._title_of_best.setText("Best scores")
            self._query.setCurrentIndex(0)
            self._show_best()
        self._allow(False)
        self.speed.end()
        self._left.setText(sentence)
        set_role(self._left, tone=tone)

    def _make_best(self) -> QWidget:
        self.best = BestHits()
        view = row_table(QTableView(), "runBestHits", "Best scores so far", self.best, rows=2.75)
        view.setSelectionMode(QAbstractItemView.SelectionMode.NoSelection)
        header = view.horizontalHeader()
        header.setStretchLastSection(False)
        header.setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
        for column, width in ((0, 5), (3, 9)):
            header.setSectionResizeMode(column, QHeaderView.ResizeMode.Fixed)
            header.resizeSection(column, grid(width))
        self._query = combo_box(
            "runQuery",
            "Query whose best scores are shown; until one is chosen, the newest",
            self._query_chosen,
            accessible="Query whose best scores are shown",
        )
        self._query.hide()
        self._follow = True
        self._title_of_best = text_label("Best scores so far", level="section")
        panel = QWidget()
        row = in_row(self._title_of_best, (self._query, 1), 0)
        in_column(row, (view, 1), margins=(1, 0, 0, 0), spacing=0.5, parent=panel)
        return panel

    def _query_chosen(self) -> None:
        self._follow = False  # from now on the user's choice stays
        self._show_best()

    def _show_best(self) -> None:
        hits = self._state.hits.get(max(0, self._query.currentIndex()))
        self.best.show_hits(self._database, hits)

    def _progress_line(self, state: RunState) -> str:
        progress = state.progress
        if progress is None or state.stage.name not in ("Scoring", PAUSED):
            stage = state.stage
            return wording.progress(stage.done, stage.total) if stage.total else ""
        done, total = wording.scaled(progress.cells_done), wording.cells(progress.cells_total)
        return f"{wording.progress(progress.cells_done, progress.cells_total)}   {done} of {total}"

    def _stage_line(self, state: RunState) -> str:
        over = state.finished is not None
        cut_short = state.finished is not None and state.finished.result.cells_done < state.finished.result.cells_total
        marks = []
        names = [*state.stages, *(name for name in EXPECTED_STAGES if name not in state.stages)]
        for name in names:
            goes_on = name == state.stage.name or (state.paused and name == "Scoring")
            partly = cut_short and name == "Scoring"
            mark = "○" if name not in state.stages else "●" if goes_on and not over else "◐" if partly else "✓"
            marks.append(f"{mark} {name}")
        line = "     ".join(marks)
        return f"Round {state.round.number} of {state.round.total}     {line}" if state.round is not None else line
