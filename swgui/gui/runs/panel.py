"""The run as it goes on: stages, progress, honest time left, speed, best scores so far, Stop."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QModelIndex, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QComboBox,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QProgressBar,
    QPushButton,
    QSplitter,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from swgui.core.database import EncodedDatabase
from swgui.core.devices import CPU
from swgui.core.engines import Kind
from swgui.core.headers import parse_header
from swgui.core.hits.results import SearchResult
from swgui.engines.registry import facts, parts
from swgui.gui.kit import motion
from swgui.gui.kit.elided import ElidedLabel
from swgui.gui.kit.plain import plain
from swgui.gui.kit.tables.row_table import RIGHT, PlainHead, Role, RowTable
from swgui.gui.kit.theme import arrange, grid, keep_size, set_icon, set_role
from swgui.gui.live.run_state import RunState
from swgui.gui.live.run_trace import RunTrace
from swgui.gui.live.speed_plot import SpeedPlot
from swgui.gui.live.watch import Look
from swgui.gui.words import wording
from swgui.jobs.search.events import PartialHits
from swgui.jobs.search.request import SearchRequest

BAR_STEPS = 1_000
BEST_SHOWN = 50
QUERIES_LISTED = 1_000  # a longer list could not be used anyway
EXPECTED_STAGES = ("Preparing the engine", "Scoring", "Ranking")


class BestHits(RowTable):
    """The best targets of one query so far, named as on the Results page; the tool tips have the whole headers."""

    heads = (
        PlainHead("#", side=RIGHT),
        PlainHead("Target"),
        PlainHead("Description"),
        PlainHead("Score", side=RIGHT),
    )

    def __init__(self) -> None:
        super().__init__()
        self._database: EncodedDatabase | None = None
        self._hits: PartialHits | None = None

    def show_hits(self, database: EncodedDatabase | None, hits: PartialHits | None) -> None:
        """Replace all rows."""
        self.beginResetModel()
        self._database, self._hits = database, hits
        self.endResetModel()

    def row_count(self) -> int:
        """Return the number of targets."""
        return 0 if self._hits is None else len(self._hits.scores)

    def data(self, index: QModelIndex, role: int = Role.DisplayRole) -> Any:
        """Return the text and the alignment of a cell."""
        if role == Role.TextAlignmentRole:
            return self.side(index.column())
        if role not in (Role.DisplayRole, Role.ToolTipRole) or self._hits is None:
            return None
        text = self._text(index.row(), index.column(), whole=role == Role.ToolTipRole)
        return plain(text) if role == Role.ToolTipRole else text

    def _text(self, row: int, column: int, *, whole: bool) -> str:
        target = int(self._hits.db_index[row])
        if column in (1, 2) and self._database is not None:
            header = self._database.ids[target], self._database.descriptions[target]
            read = parse_header(*header)
            return header[column - 1] if whole else (read.name, read.title)[column - 1]
        return (f"{row + 1}", f"sequence {target + 1:,}", "", f"{int(self._hits.scores[row]):,}")[column]


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
        self._title = ElidedLabel()
        self._title.setObjectName("runTitle")
        set_role(self._title, level="heading")
        self._title.set_text("No run yet. Press Search, and it shows here.")
        self._left = QLabel()
        self._left.setObjectName("runTimeLeft")
        self._done = QLabel()
        self._done.setObjectName("runProgressText")
        set_role(self._done, level="muted")
        self._stages = QLabel()
        self._stages.setObjectName("runStages")
        self._stages.setTextFormat(Qt.TextFormat.PlainText)
        set_role(self._stages, level="small")
        self.bar = QProgressBar()
        self.bar.setObjectName("runBar")
        self.bar.setAccessibleName("Progress of the run")
        self.bar.setTextVisible(False)
        self.bar.setRange(0, BAR_STEPS)
        self.stop_button = QPushButton("Stop")
        self.stop_button.setObjectName("runStop")
        self.stop_button.setToolTip("End the run now and keep what was scored, marked as partial (Ctrl+.)")
        set_icon(self.stop_button, "stop")
        self.stop_button.clicked.connect(self.stop_wanted)
        self.pause_button = QPushButton("Pause")
        self.pause_button.setObjectName("runPause")
        self.pause_button.setCheckable(True)
        self.pause_button.setToolTip(
            "Rest between two chunks, for example to leave the GPU to another program; press again to go on. "
            "The memory of the device stays taken."
        )
        set_icon(self.pause_button, "pause")
        self.pause_button.clicked.connect(self.pause_wanted)
        self.speed = SpeedPlot()
        layout = QVBoxLayout(self)
        arrange(layout, (2, 1, 2, 1), 1)
        top = QHBoxLayout()
        arrange(top, 0, 2)
        top.addWidget(self._title, 1)
        top.addWidget(self._done)
        top.addWidget(self._left)
        top.addWidget(self.pause_button)
        top.addWidget(self.stop_button)
        self._strip = QVBoxLayout()
        arrange(self._strip, 0, 1)
        self._strip.addLayout(top)
        self._strip.addWidget(self.bar)
        self._strip.addWidget(self._stages)
        layout.addLayout(self._strip)
        split = self._details = QSplitter(Qt.Orientation.Horizontal)
        split.setObjectName("runSplit")
        split.setChildrenCollapsible(False)
        split.addWidget(self.speed)
        split.addWidget(self._make_best())
        split.setStretchFactor(0, 1)
        split.setStretchFactor(1, 1)
        split.setSizes([grid(80), grid(72)])
        split.setMinimumHeight(1)  # the panel may become too low for it: then it is hidden
        layout.addWidget(split, 1)
        layout.addStretch(0)
        self._allow(False)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Show curves and scores only where they have room; else the panel is a strip with the progress."""
        super().resizeEvent(event)
        margins, spacing = self.layout().contentsMargins(), self.layout().spacing()
        strip = margins.top() + self._strip.sizeHint().height() + 2 * spacing + margins.bottom()
        self._details.setVisible(self.height() - strip >= self._details.minimumSizeHint().height())

    def begin(self, request: SearchRequest) -> None:
        """Show a run that is about to start."""
        self._database = request.database if isinstance(request.database, EncodedDatabase) else None
        name = request.database.name
        self._title.set_text(f"{wording.count(len(request.queries), 'query', 'queries')} against {name}")
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
        """Show how far the run is."""
        self._state = state
        fraction = state.fraction
        if fraction is None:
            motion.be_busy(self.bar)
        else:
            motion.be_measured(self.bar, BAR_STEPS)
            self.bar.setValue(round(fraction * BAR_STEPS))
        self._stages.setText(self._stage_line(state))
        self._done.setText(self._progress_line(state))
        left = state.seconds_left
        if state.paused:
            self._left.setText("Paused")
        elif self.pause_button.isChecked():
            self._left.setText("Pausing…")
        else:
            known = left is not None and state.stage.name == "Scoring"
            self._left.setText(f"{wording.duration(left)} left" if known else "")
        self.speed.show_state(state)
        if state.hits and self._follow:
            self._query.setCurrentIndex(min(max(state.hits), self._query.count() - 1))
        self._show_best()

    def show_look(self, look: Look) -> None:
        """Show how the devices are doing while a run goes on; the trace of the run keeps it."""
        if not self.stop_button.isEnabled():
            return
        readings = {device: reading for device, reading in look.readings.items() if self._takes_part(device)}
        self._state.trace.add_readings(readings)
        self.speed.show_readings(readings)

    def show_kept(self, trace: RunTrace, title: str) -> None:
        """Show the speed of a run of the past, unless one goes on."""
        if self.stop_button.isEnabled():
            return
        self._title.set_text(title)
        self.speed.show_trace(trace)

    @property
    def trace(self) -> RunTrace:
        """The speed of the run that is shown."""
        return self._state.trace

    def _takes_part(self, device: str) -> bool:
        """Whether a device works on the run; before that is known, every device may."""
        started = self._state.started
        if started is None:
            return True
        kinds = {facts(part).kind for part in parts(started.engine)}
        return Kind.GPU in kinds if device != CPU else kinds != {Kind.GPU}

    def show_paused(self, on: bool) -> None:
        """Show that the run is to rest, or goes on."""
        self.pause_button.setChecked(on)
        self.pause_button.setText("Go on" if on else "Pause")
        self.show_state(self._state)

    def _allow(self, on: bool) -> None:
        self.stop_button.setEnabled(on)
        self.pause_button.setEnabled(on)

    def stopping(self) -> None:
        """Show that Stop was heard."""
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
        view = QTableView()
        view.setObjectName("runBestHits")
        view.setAccessibleName("Best scores so far")
        view.setModel(self.best)
        view.setShowGrid(False)
        view.setSelectionMode(QAbstractItemView.SelectionMode.NoSelection)
        view.setWordWrap(False)
        view.verticalHeader().hide()
        keep_size(view, rows=2.75)
        header = view.horizontalHeader()
        header.setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
        for column, width in ((0, 5), (3, 9)):
            header.setSectionResizeMode(column, QHeaderView.ResizeMode.Fixed)
            header.resizeSection(column, grid(width))
        self._query = QComboBox()
        self._query.setObjectName("runQuery")
        self._query.setToolTip("Query whose best scores are shown; until one is chosen, the newest")
        self._query.setAccessibleName("Query whose best scores are shown")
        self._query.activated.connect(self._query_chosen)
        self._query.hide()
        self._follow = True
        title = self._title_of_best = QLabel("Best scores so far")
        set_role(title, level="section")
        row = QHBoxLayout()
        arrange(row, 0, 1)
        row.addWidget(title)
        row.addWidget(self._query, 1)
        row.addStretch(0)
        panel = QWidget()
        layout = QVBoxLayout(panel)
        arrange(layout, (1, 0, 0, 0), 0.5)
        layout.addLayout(row)
        layout.addWidget(view, 1)
        return panel

    def _query_chosen(self) -> None:
        self._follow = False  # from now on the user's choice stays
        self._show_best()

    def _show_best(self) -> None:
        hits = self._state.hits.get(max(0, self._query.currentIndex()))
        self.best.show_hits(self._database, hits)

    def _progress_line(self, state: RunState) -> str:
        progress = state.progress
        if progress is None:
            stage = state.stage
            return wording.progress(stage.done, stage.total) if stage.total else ""
        done, total = wording.scaled(progress.cells_done), wording.cells(progress.cells_total)
        return f"{wording.progress(progress.cells_done, progress.cells_total)}   {done} of {total}"

    def _stage_line(self, state: RunState) -> str:
        over = state.finished is not None
        marks = []
        names = [*state.stages, *(name for name in EXPECTED_STAGES if name not in state.stages)]
        for name in names:
            goes_on = name == state.stage.name or (state.paused and name == "Scoring")
            mark = "○" if name not in state.stages else "●" if goes_on and not over else "✓"
            marks.append(f"{mark} {name}")
        return "     ".join(marks)
