"""The Network page: compares a file all against all, draws it, and cuts it at a movable threshold."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Final

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QEvent, QItemSelection, QSignalBlocker, Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFileDialog, QSlider, QSpinBox, QTableView, QWidget

from swgui.commands.network import PASTED, network_command, network_python
from swgui.core.database import EncodedDatabase
from swgui.core.engines import EngineOptions
from swgui.core.errors import Stopped
from swgui.core.headers import parse_header
from swgui.core.network.edges import STRANDS_SAID
from swgui.core.plain import replace
from swgui.core.words import count
from swgui.gui.inputs.drop import DropLayer, Target, is_database
from swgui.gui.inputs.methods_dialog import MethodsDialog
from swgui.gui.inputs.opened import SEQUENCE_FILES, sample_database
from swgui.gui.kit import motion
from swgui.gui.kit.flow import FlowRow
from swgui.gui.kit.layouts import Sheets, Upright, card, in_column, in_row, in_splitter, turn
from swgui.gui.kit.pages import PageWidget
from swgui.gui.kit.plots.histogram_frame import mark
from swgui.gui.kit.saving import ask_save_path, note_input
from swgui.gui.kit.tables.row_table import RIGHT, ListTable, RowColumn, row_table
from swgui.gui.kit.tasks.control import JobController, JobState
from swgui.gui.kit.tasks.pool import Tasks
from swgui.gui.kit.tasks.task import Task, TaskControl
from swgui.gui.kit.theme import LIGHT, colours, grid, keep_size, plot_pen, set_role, style_plot
from swgui.gui.kit.widgets import (
    EmptyBox,
    combo_box,
    delayed,
    described,
    offers,
    progress_bar,
    push_button,
    spin_box,
    text_label,
    tool_button,
)
from swgui.gui.network.view import NetworkView
from swgui.gui.network.work import (
    Comparing,
    Cut,
    Forecast,
    LoadedNetwork,
    Source,
    classes_of,
    collapse,
    curves,
    cut,
    prepare,
    records_of,
    request_of,
    sequences_again,
)
from swgui.gui.viewer.pictures.picture import KINDS as PICTURES
from swgui.gui.viewer.pictures.picture import WRITERS, SeenPicture
from swgui.gui.words import wording
from swgui.io.methods.networks import network_methods
from swgui.io.network.file import SUFFIX, save_network
from swgui.io.network.graphs import GRAPH_FORMATS, Network
from swgui.io.whole_file import save_bytes, save_text
from swgui.jobs.network.request import NetworkRequest
from swgui.runs import Runs
from swgui.runs.plain import Kept, Resumed
from swgui.settings import Settings

NETWORK_FILES: Final = f"Networks (*{SUFFIX})"
COLOURS: Final = (
    ("Cluster", "cluster", "The largest clusters each have a colour, the others are grey"),
    ("Organism", "organism", "The most frequent organisms, as headers name them"),
    ("Length", "length", "Four classes with about as many sequences each"),
    ("Neighbours", "neighbours", "How many edges a sequence has at this threshold"),
)
SHARES: Final = (
    ("All sequences", 0.0, "Every sequence is a dot"),
    *(
        (f"Representatives at {share} %", share / 100, f"One dot for all that have {share} % identity with the "
         "longest, covering 80 % of the shorter; double-click it to show them")
        for share in (90, 80, 70, 60, 50, 40)
    ),
)  # fmt: skip
STRAND_CHOICES: Final = (
    ("Both", "both", "A pair has the better score of its two strands"),
    ("Plus alone", "plus", "Compares the sequences as given, without the reverse complement"),
)
SLIDE_MS: Final = 150  # after the slider stops
SHOWN: Final = 500  # rows of tables
SAVED_AS: Final = ";;".join(
    (
        f"Network of this program (*{SUFFIX})",
        *(
            f"{form.meaning[0].upper()}{form.meaning[1:]} ({' '.join(f'*{suffix}' for suffix in form.suffixes)})"
            for form in GRAPH_FORMATS.values()
        ),
        PICTURES,
    )
)

_Cluster = tuple[int, int, str, str]  # number, sequences, representative, description
_Sequence = tuple[int, str, int, int, str, str]  # index, name, length, cluster, description, identity


class NetworkPage(PageWidget):
    """Everything about a network of sequences."""

    control: JobController
    made = Signal(str, float)  # title of a network, and the seconds after which it appeared
    kept = Signal()  # something changed among the runs
    pair_wanted = Signal(object, object, object, str)  # query and subject, their `ScoringScheme`, and the strand

    def __init__(
        self,
        settings: Settings,
        choose_engine: Callable[[], tuple[str, EngineOptions]],
        history: Runs,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.setObjectName("networkPage")
        self._settings, self._choose_engine, self._history = settings, choose_engine, history
        self._source: tuple[Source, str] | None = None  # the last comparison, and its name
        self.whole: LoadedNetwork | None = None  # all sequences
        self.loaded: LoadedNetwork | None = None  # the visible part of them
        self.cut: Cut | None = None
        self._expanded: frozenset[int] = frozenset()  # representatives whose groups are shown
        self._forecast: Forecast | None = None  # a comparison that waits for the user to agree
        self.comparing, self.cutting, self.saving = Task(self), Task(self), Task(self)
        self.collapsing, self.pairing = Task(self), Task(self)
        self.control = JobController("network", partial(history.run, "network"), self)
        self.tasks = Tasks(self)
        self.view = NetworkView()
        self._legend: list[str] = []
        self._listed: list[int] = []  # the sequences that are chosen
        self._build()
        self._later = delayed(self, SLIDE_MS, self._cut)
        text = "Compare the sequences of this file all against all, or open it if it is a network"
        target = Target("Network", text, is_database, lambda dropped: self.use_file(dropped.files[0]))
        self._drop = DropLayer((target,), self)
        for task in (self.comparing, self.saving):
            task.changed.connect(self._show_state)
            task.progressed.connect(self._progressed)
        self.control.phase_changed.connect(lambda _phase: self._show_state())
        self.control.state_changed.connect(self._run_progressed)
        self.control.pause_changed.connect(self._paused)
        self.control.result_ready.connect(self.take_outcome)
        self.control.stopped.connect(lambda: self._failed(Stopped()))
        self.control.failed.connect(self._failed)
        self._show_state()

    # What the window calls

    @property
    def running(self) -> bool:
        return self.comparing.busy or self.control.phase != "idle"

    def states(self) -> set[str]:
        states = {
            "network-running": self.running,
            "network-there": self.cut is not None,
            "network-chosen": len(self.view.selected) > 0,
        }
        states["network-resumable"] = self.whole is not None and self.whole.resumable and not self.running
        return {state for state, is_so in states.items() if is_so}

    def set_narrow(self, narrow: bool) -> None:
        """Put the buttons below the title if there is no room next to it."""
        turn(self._head, narrow)

    def restyle(self) -> None:
        self.view.restyle()
        self._style_curves()
        self._show_legend()
        super().restyle()

    def shutdown(self) -> None:
        for task in (self.comparing, self.cutting, self.saving, self.collapsing, self.pairing, self.control):
            task.shutdown()
        self.tasks.shutdown()
        self.view.shutdown()

    # Commands

    def ask_file(self) -> None:
        kinds = f"{SEQUENCE_FILES};;{NETWORK_FILES}"
        name, _ = QFileDialog.getOpenFileName(
            self, "Compare the sequences of a file, or open a network", self._settings.recent.folder, kinds
        )
        if name:
            self._settings.recent.folder = str(Path(name).parent)
            self.use_file(Path(name))

    def use_file(self, path: Path) -> None:
        """Compare the sequences of a file all against all, or read a network."""
        note_input(path, "network" if path.suffix == SUFFIX else "sequences")
        self._prepare(path, path.name)

    def use_sequences(self, give: Callable[[], EncodedDatabase], name: str) -> None:
        """Compare known sequences, for example the hits of a search; a worker calls `give`."""
        self._prepare(give, name)

    def take_outcome(self, outcome: Kept) -> None:
        """Show the result of a comparison, whole or partial."""
        self.comparing.stop()
        self._prepare(outcome, request_of(outcome).called, seconds=outcome.outcome.seconds)

    def take_run(self, run: Kept | Resumed | NetworkRequest) -> None:
        """Show a run of the list of runs, continue it, or carry out a request again."""
        if self.running:
            self.message.emit("Sequences are being compared: stop that first.")
        else:
            self._prepare(run, request_of(run).called)

    def resume(self) -> None:
        """Compare the pairs that are left after a stop."""
        if self.whole is not None and self.whole.resumable and not self.running:
            run_id, resume = self.whole.run_id, self._history.resume
            self.pairing.start(lambda _: resume(run_id), self.take_run, self._failed)

    def begin(self) -> None:
        """Begin the comparison that was forecast to take long."""
        if self._forecast is not None:
            self._prepare(self._forecast.asked, self._forecast.asked.called, agreed=True)

    def _prepare(self, source: Source, name: str, *, agreed: bool = False, seconds: float = 0.0) -> None:
        """Show a known network, or queue the comparison of its sequences behind waiting runs.

        Parameters
        ----------
        seconds : float
            Time that the comparison took, if it has ended.
        """
        self._forecast = None
        motion.be_busy(self._bar)
        self._told.setText(f"Reading {name}")
        self._source = source, name
        how = Comparing(*self._choose_engine(), self.strand.currentData(), agreed)
        take = partial(self._prepared, name, seconds)
        self.comparing.start(partial(prepare, source, name, how), take, self._failed, title=name)

    def _prepared(self, name: str, seconds: float, made: LoadedNetwork | Forecast | NetworkRequest | Resumed) -> None:
        match made:
            case LoadedNetwork():
                self._take(made)
                self.kept.emit()
                self.made.emit(name, seconds)
            case Forecast():
                self._forecast = made
                self._say(made.sentence)
                self._show_state()
            case _:
                self._say("The comparison waits for its turn, on the Runs page.")  # until it begins
                self.queue_wanted.emit([made])

    def use_sample(self) -> None:
        self.use_file(sample_database())

    def stop(self) -> None:
        """End the comparison; keep and show the results so far."""
        self.comparing.stop()
        self.control.stop()

    def export(self) -> None:
        """Write the part in view for other programs, or the whole network."""
        if self.cut is None or self.loaded is None:
            return
        name = (self.loaded.network.name or "network").replace("/", "_")
        path = ask_save_path(self, "Save network", f"{name}{SUFFIX}", SAVED_AS, self._failed)
        if path is None:
            return
        ending = path.suffix.lower()
        if ending in WRITERS:
            self._save_picture(path)
            return
        form = next((form for form in GRAPH_FORMATS.values() if ending in form.suffixes), None)
        assert self.whole is not None
        made = self.whole.network

        def write(_control: TaskControl) -> None:
            if form is None:
                save_network(made, path)
                return
            shown = self._shown_network()
            save_text(path, lambda file: form.write(shown, file))

        self.saving.start(write, partial(self._saved, path), self._failed)

    def methods(self) -> None:
        """Show the methods text of the whole network."""
        if self.whole is not None:
            made = network_methods(self.whole.network)
            MethodsDialog(made, self._title.text(), self.tasks, self.message.emit, self).open()

    def copy_command(self) -> None:
        """Copy the terminal command that makes the same network."""
        self._copy(network_command, "The command was copied.")

    def copy_python(self) -> None:
        """Copy lines of Python that make the same network."""
        self._copy(network_python, "The lines of Python were copied.")

    def _copy(self, write: Callable[[NetworkRequest], str], said: str) -> None:
        if self.whole is not None:
            made, (engine, options) = self.whole.network, self._choose_engine()
            strand = made.strand if made.strand == "plus" else ""
            how = made.evalue, made.scheme, engine, options, strand
            place = Path(made.source) if made.source else made
            QGuiApplication.clipboard().setText(write(NetworkRequest(place, "", *how)))
            self.message.emit(said if made.source else f"{said} Save the sequences as {PASTED} first.")

    def save_figure(self) -> None:
        """Write the visible part of the network as a picture."""
        if self.loaded is not None:
            name = (self.loaded.network.name or "network").replace("/", "_")
            if path := ask_save_path(self, "Save a figure", f"{name}.svg", PICTURES, self._failed):
                self._save_picture(path)

    def _save_picture(self, path: Path) -> None:
        """Write the picture, with its title."""
        lines = (self._title.text(), self._said.text())
        content = SeenPicture(path.name, self.view, lines, partial(self.view.draw, shades=LIGHT)).content(path.suffix)
        write = partial(save_bytes, path, lambda file: file.write(content))
        self.saving.start(lambda _: write(), partial(self._saved, path), self._failed)

    def _saved(self, path: Path, _done: object) -> None:
        self._note.hide()
        self.message.emit(f"Saved as {path.name}.")

    def _shown_network(self) -> Network:
        assert self.loaded is not None
        assert self.cut is not None
        made, rows = self.loaded.network, self.cut.edges
        columns: dict[str, Sequence[str | int | float]] = {
            "cluster": (self.cut.clusters + 1).tolist(),
            "cluster_size": self.cut.sizes[self.cut.clusters].tolist(),
            **({"members": self.loaded.members.tolist()} if len(self.loaded.members) else {}),
            "x": [round(x, 3) for x in self.cut.places[:, 0].tolist()],
            "y": [round(-y, 3) for y in self.cut.places[:, 1].tolist()],
        }
        return replace(made, edges=made.edges.take(rows), bits=made.bits[rows], columns=columns)

    def show_all(self) -> None:
        self.view.fit()

    def show_chosen(self) -> None:
        self.view.show_selected()

    # Results of workers

    def _take(self, loaded: LoadedNetwork) -> None:
        self.whole = self.loaded = loaded
        self.cut, self._expanded = None, frozenset()
        with QSignalBlocker(self.represented):
            self.represented.setCurrentIndex(0)
        self.view.select(np.zeros(0, dtype=np.int64))
        low, high = loaded.range
        made = loaded.network
        name = f"{made.name}: " if made.name else ""
        self._title.setText(
            f"{name}{count(len(made.ids), 'sequence')}, {count(len(made.edges), 'pair')} with E up to {made.evalue:g}"
            f"{STRANDS_SAID[made.strand]}"
        )
        source = self._source[0] if self._source is not None else None
        saved = isinstance(source, Path) and source.suffix == SUFFIX  # without a new comparison
        self._strands.setVisible(bool(made.strand) and not saved)
        start = loaded.proposed()
        for box in (self.slider, self.threshold):
            with QSignalBlocker(box):
                box.setRange(low, high)
                box.setValue(start)
        self._draw_curves()
        self._cut()
        self._show_state()
        self._say(loaded.remark, "warning")
        self._side.verticalScrollBar().setValue(0)
        if self.isVisible():
            self.view.setFocus(Qt.FocusReason.OtherFocusReason)  # its keys move and zoom

    def _compare_strands(self) -> None:
        """Compare the same sequences on other strands."""
        if self._source is not None and self.whole is not None:
            source, name = self._source
            self._prepare(sequences_again(source), name)

    def _represent(self) -> None:
        """Show representatives instead of all sequences, or all again."""
        self._expanded = frozenset()
        self._collapse()

    def _expand(self, index: int) -> None:
        """Show all sequences that one represents."""
        if self.loaded is not None and len(self.loaded.sequences):
            self._expanded |= {int(self.loaded.sequences[index])}
            self._collapse()

    def _collapse(self) -> None:
        if self.whole is not None:
            work = partial(collapse, self.whole, self.represented.currentData(), self._expanded)
            self.collapsing.start(work, self._take_collapsed, self._failed)

    def _take_collapsed(self, made: LoadedNetwork) -> None:
        self.loaded, self.cut = made, None
        self.view.select(np.zeros(0, dtype=np.int64))
        self._draw_curves()
        self._cut()

    def _open_pair(self, first: int, second: int) -> None:
        """Have two sequences aligned on the Pair page."""
        if self.loaded is not None:
            work = partial(records_of, self.loaded, (first, second))
            self.pairing.start(work, lambda found: self.pair_wanted.emit(*found), self._failed)

    def _cut(self) -> None:
        if self.loaded is not None:
            work = partial(cut, self.loaded, self.threshold.value())
            self.cutting.start(work, self._take_cut, self._failed)

    def _take_cut(self, made: Cut) -> None:
        assert self.loaded is not None
        self.cut = made
        classes, self._legend = classes_of(self.loaded, made, self.colour.currentData())
        self.view.show_cut(self.loaded, made, classes)
        shown = f"{count(len(self.loaded.members), 'representative')} · " if len(self.loaded.members) else ""
        self._said.setText(shown + made.said())
        self._show_legend()
        self._fill_clusters()
        self._show_chosen(self.view.selected.tolist())
        self._show_state()

    def _recolour(self) -> None:
        if self.loaded is not None and self.cut is not None:
            classes, self._legend = classes_of(self.loaded, self.cut, self.colour.currentData())
            self.view.recolour(classes)
            self._show_legend()

    def _failed(self, error: Exception) -> None:
        stopped = isinstance(error, Stopped)
        nothing = "Stopped before any pairs were compared."
        self._say(nothing if stopped else wording.explain(error), "" if stopped else "danger")
        self.kept.emit()
        self._show_state()

    def _say(self, text: str, tone: str = "") -> None:
        self._note.setText(text)
        set_role(self._note, tone=tone)
        self._note.setVisible(bool(text))

    def _paused(self, on: bool) -> None:
        self.pause_button.setChecked(on)
        self.pause_button.setText("Resume" if on else "Pause")

    def _run_progressed(self, state: JobState) -> None:
        told = state.progress.stage if state.progress is not None else state.stage.name if state.stage else ""
        self._progressed(round(1000 * state.figures.fraction), told)

    def _progressed(self, share: int, text: str) -> None:
        motion.show_share(self._bar, share)
        self._told.setText(text)

    # Tables

    def _fill_clusters(self) -> None:
        assert self.loaded is not None
        assert self.cut is not None
        made, lengths = self.loaded.network, self.loaded.network.lengths.astype(np.int64)
        order = np.lexsort((np.arange(len(lengths)), -lengths, self.cut.clusters))
        first = order[np.unique(self.cut.clusters[order], return_index=True)[1]]
        self.clusters.beginResetModel()
        self.clusters.rows = [
            (number, int(self.cut.sizes[number]), self.loaded.names[index], made.descriptions[index])
            for number, index in enumerate(first[:SHOWN].tolist())
        ]
        self.clusters.endResetModel()

    def _cluster_chosen(self, *_: QItemSelection) -> None:
        if self.cut is None:
            return
        rows = [index.row() for index in self.cluster_table.selectionModel().selectedRows()]
        chosen = np.flatnonzero(np.isin(self.cut.clusters, [self.clusters.rows[row][0] for row in rows]))
        self.view.select(chosen)
        self._show_chosen(chosen.tolist())
        self._show_state()

    def _chosen_in_view(self, sequences: list[int]) -> None:
        with QSignalBlocker(self.cluster_table.selectionModel()):  # the selection came from a click
            self.cluster_table.clearSelection()
        self.cluster_table.viewport().update()
        self._show_chosen(sequences)
        self._side.ensureWidgetVisible(self.sequence_table)  # on a small screen it is below the edge
        self._show_state()

    def _show_chosen(self, sequences: list[int]) -> None:
        """List the chosen sequences; for a single one its neighbours, too, the nearest first."""
        if self.loaded is None or self.cut is None:
            return
        self._listed = sequences
        near = self._neighbours(sequences[0]) if len(sequences) == 1 else []
        made, clusters = self.loaded.network, self.cut.clusters
        self.sequences.beginResetModel()
        self.sequences.rows = [
            (at, self.loaded.names[at], int(made.lengths[at]), int(clusters[at]) + 1, made.descriptions[at], identity)
            for at, identity in [*((at, "") for at in sequences), *near][:SHOWN]
        ]
        self.sequences.endResetModel()
        more = f", the first {SHOWN} are listed" if len(sequences) + len(near) > SHOWN else ""
        more = f", with {count(len(near), 'neighbour')}{more}" if near else more
        self._chosen.setText(f"{count(len(sequences), 'sequence')} chosen{more}" if sequences else "Nothing is chosen")

    def _neighbours(self, sequence: int) -> list[tuple[int, str]]:
        """Return the sequences that one is joined with and the identity in percent, the best score first."""
        assert self.loaded is not None
        assert self.cut is not None
        edges, rows = self.loaded.network.edges, self.cut.edges
        own = rows[(edges.first[rows] == sequence) | (edges.second[rows] == sequence)]
        own = own[np.argsort(-edges.scores[own].astype(np.int64), kind="stable")]
        others = np.where(edges.first[own] == sequence, edges.second[own], edges.first[own])
        shares = self.loaded.identities[own]
        return [(at, f"{share:.0f} %") for at, share in zip(others.tolist(), shares.tolist(), strict=True)]

    def _row_opened(self, row: int) -> None:
        """Align the chosen sequence with a neighbour that was clicked twice, or two that are chosen."""
        at = self.sequences.rows[row][0]
        others = [other for other in self._listed if other != at]
        if len(others) == 1:
            self._open_pair(others[0], at)

    # Building

    def _build(self) -> None:
        buttons = offers(
            "networkOffer",
            (
                (
                    "Open",
                    "Choose a file…",
                    "open",
                    "Sequences to compare, or a saved network",
                    self.ask_file,
                    "primary",
                ),
                ("Sample", "Try the sample", "sample", "Compare 5,000 sequences that come along", self.use_sample, ""),
            ),
        )
        self._empty = EmptyBox(
            "networkEmpty",
            "No network yet",
            "Compare the sequences of a file all against all: every pair is scored, none is left out. Families become "
            "groups of dots, and a slider says how similar two sequences must be to be joined. Or drop a file here.",
            buttons,
        )
        self._stack = Sheets(self._empty, self._build_network())
        self._note = text_label(name="networkNote", wrap=True, plain=True, tone="danger")
        self._note.hide()
        self.resume_button = push_button(
            "networkResume", "Resume", "Compare the remaining pairs", self.resume, icon="play"
        )
        self.resume_button.hide()
        self.begin_button = push_button(
            "networkBegin", "Compare", "Begin the comparison", self.begin, icon="play", role="primary"
        )
        self.begin_button.hide()
        remarks = in_row((self._note, 1), self.begin_button, self.resume_button, spacing=2)
        in_column((self._stack, 1), remarks, self._build_progress(), margins=(2, 1.5, 2, 1.5), spacing=1, parent=self)

    def _build_network(self) -> QWidget:
        whole = QWidget()
        self._title = text_label(name="networkTitle", level="heading", plain=True, wrap=True)
        self._said = text_label(name="networkSaid", level="muted", wrap=True, plain=True)
        buttons = FlowRow.of(
            push_button("networkAll", "Show all", "Show the whole network (0)", self.show_all),
            push_button("networkOpen", "Choose a file…", "Compare other sequences", self.ask_file, icon="open"),
            push_button("networkSave", "Save…", "Write the network, or the part in view, to a file", self.export,
                        role="primary"),
            right=True,
        )  # fmt: skip
        self._head = in_row((in_column(self._title, self._said, spacing=0.25), 1), (buttons, 1))
        self._side = Upright(self._build_side(), "networkSide")
        self._split = in_splitter(Qt.Orientation.Horizontal, (self.view, 3), (self._side, 2), name="networkSplit")
        in_column(self._head, (self._split, 1), spacing=1, parent=whole)
        return whole

    def _build_side(self) -> QWidget:
        self.slider = described(QSlider(Qt.Orientation.Horizontal), "networkSlider", "", "Threshold")
        self.slider.setToolTip("Minimum alignment score of two sequences for an edge between them")
        self.threshold = spin_box(
            "networkThreshold", (0, 0), 0, self.slider.toolTip(), partial(self._move_threshold, self.slider), width=9
        )
        self.slider.valueChanged.connect(partial(self._move_threshold, self.threshold))
        self.colour = combo_box(
            "networkColour",
            "Meaning of the colours",
            lambda _: self._recolour(),
            items=[(title, key, tip) for title, key, tip in COLOURS],
        )
        self.represented = combo_box(
            "networkShown",
            "Whether similar sequences are shown as one",
            lambda _: self._represent(),
            items=[(title, share, tip) for title, share, tip in SHARES],
        )
        self._legend_label = text_label(name="networkLegend", wrap=True)
        self._plot = described(pg.PlotWidget(), "networkCurves", "", "Edges and clusters at each threshold")
        self._plot.setMenuEnabled(False)
        self._plot.setMouseEnabled(False, False)
        self._plot.hideButtons()
        self._plot.setFixedHeight(grid(15))
        self._curve_names = text_label(name="networkCurveNames", level="small", wrap=True)
        label = text_label("&Alignment score at least", buddy=self.threshold)
        by, shown = text_label("&Colour", buddy=self.colour), text_label("S&hown", buddy=self.represented)
        controls = card(
            "networkControls",
            in_row(label, 1, self.threshold),
            self.slider,
            self._plot,
            self._curve_names,
            in_row(shown, 1, self.represented),
            in_row(by, 1, self.colour),
            self._build_strands(),
            self._legend_label,
        )
        self._build_tables()
        self.cluster_table.selectionModel().selectionChanged.connect(self._cluster_chosen)
        self.sequence_table.clicked.connect(self._sequence_clicked)
        self.sequence_table.doubleClicked.connect(lambda index: self._row_opened(index.row()))
        self.view.chosen.connect(self._chosen_in_view)
        self.view.opened.connect(self._expand)
        self.view.pair_opened.connect(self._open_pair)
        self._chosen = text_label("Nothing is chosen", "networkChosen", level="muted", wrap=True)
        self._zoom = tool_button("networkZoom", "Show in the drawing", "Zoom to the chosen sequences", self.show_chosen)
        below = QWidget()
        in_column(in_row((self._chosen, 1), self._zoom), (self.sequence_table, 1), spacing=0.5, parent=below)
        tables = in_splitter(Qt.Orientation.Vertical, (self.cluster_table, 3), (below, 2), name="networkTables")
        keep_size(tables, height=26)
        side = QWidget()
        in_column(controls, (tables, 1), spacing=1, parent=side)
        return side

    def _build_strands(self) -> QWidget:
        """Build the choice of strands, which is there for nucleotides that were not compared before."""
        self.strand = combo_box(
            "networkStrand",
            "Strands of nucleotides to compare",
            lambda _: self._compare_strands(),
            items=[(title, key, tip) for title, key, tip in STRAND_CHOICES],
        )
        self._strands = QWidget()
        in_row(text_label("S&trands", buddy=self.strand), 1, self.strand, parent=self._strands)
        self._strands.hide()
        return self._strands

    def _build_tables(self) -> None:
        self.clusters = ListTable[_Cluster](
            (
                RowColumn("Cluster", "Numbered from the largest on", lambda row: f"{row[0] + 1:,}", side=RIGHT),
                RowColumn("Sequences", "In the cluster", lambda row: f"{row[1]:,}", side=RIGHT),
                RowColumn("Longest", "Its longest sequence", lambda row: parse_header(row[2], row[3]).name,
                          cell_tip=lambda row: row[2]),
                RowColumn("Description", "Of the longest sequence", lambda row: parse_header(row[2], row[3]).title,
                          cell_tip=lambda row: row[3]),
            )
        )  # fmt: skip
        self.sequences = ListTable[_Sequence](
            (
                RowColumn("Sequence", "That is chosen", lambda row: parse_header(row[1], row[4]).name,
                          cell_tip=lambda row: row[1]),
                RowColumn("Identity", "With the chosen sequence; double-click to see the alignment",
                          lambda row: row[5], side=RIGHT),
                RowColumn("Residues", "Its length", lambda row: f"{row[2]:,}", side=RIGHT),
                RowColumn("Cluster", "At this threshold", lambda row: f"{row[3]:,}", side=RIGHT),
                RowColumn("Description", "", lambda row: parse_header(row[1], row[4]).title,
                          cell_tip=lambda row: row[4]),
            )
        )  # fmt: skip
        self.cluster_table = row_table(
            QTableView(), "networkClusters", "Clusters", self.clusters, rows=2.75, widths=(8, 10, 16)
        )
        self.sequence_table = row_table(
            QTableView(), "networkSequences", "Chosen sequences", self.sequences, rows=2.75, widths=(16, 8, 9, 8)
        )

    def _build_progress(self) -> QWidget:
        self._going = QWidget()
        self._bar = progress_bar("networkBar", "How many of the pairs are compared")
        self._told = text_label(name="networkTold", plain=True)
        self.stop_button = push_button("networkStop", "Stop", "End the comparison (Ctrl+.)", self.stop, icon="stop")
        tip = "Pause between two blocks of sequences; the memory stays in use"
        self.pause_button = push_button("networkPause", "Pause", tip, self.control.pause, icon="pause")
        self.pause_button.setCheckable(True)
        in_row((self._bar, 1), self._told, self.pause_button, self.stop_button, spacing=2, parent=self._going)
        return self._going

    # Hands

    def _sequence_clicked(self) -> None:
        rows = [index.row() for index in self.sequence_table.selectionModel().selectedRows()]
        if rows:
            self.view.select(np.array([self.sequences.rows[row][0] for row in rows], dtype=np.int64))

    def _move_threshold(self, box: QSlider | QSpinBox, value: int) -> None:
        """Let the other control of the threshold follow."""
        with QSignalBlocker(box):
            box.setValue(value)
        self._threshold_moved()

    def _threshold_moved(self) -> None:
        if self.loaded is not None:
            edges = int((self.loaded.scores >= self.threshold.value()).sum())
            self._said.setText(count(edges, "edge"))
            self._mark.setValue(self.threshold.value())
            self._later.start()

    # Looks

    def _draw_curves(self) -> None:
        assert self.loaded is not None
        thresholds, edges, clusters = curves(self.loaded)
        self._plot.clear()
        self._lines = [
            self._plot.plot(thresholds, 100 * values / max(int(values.max(initial=1)), 1), name=name)
            for name, values in (("edges", edges), ("clusters", clusters))
        ]
        self._mark = pg.InfiniteLine(self.threshold.value(), angle=90)
        self._plot.addItem(self._mark)
        self._plot.setLabel("left", "%")
        self._plot.setLabel("bottom", "alignment score")
        self._style_curves()

    def _style_curves(self) -> None:
        style_plot(self._plot)
        self._plot.setFixedHeight(grid(15))  # follows the text size
        if self.loaded is not None:
            shades = colours(self)
            for line, colour in zip(self._lines, shades.series, strict=False):
                line.setPen(plot_pen(self._plot, colour, 2))
            names = zip(shades.series, (line.name() for line in self._lines), strict=False)
            self._curve_names.setText("&nbsp;&nbsp; ".join(f"{mark(colour, '—')} {name}" for colour, name in names))
            self._mark.setPen(plot_pen(self._plot, shades.text, 1))

    def _show_legend(self) -> None:
        parts = [f'<span style="color:{self.view.shade(number).name()}">&#9679;</span>&nbsp;{_escaped(name)}'
                 for number, name in enumerate(self._legend)]  # fmt: skip
        self._legend_label.setText(" &nbsp; ".join(parts))

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.PaletteChange and hasattr(self, "_legend_label"):
            self._show_legend()
        super().changeEvent(event)

    def _show_state(self) -> None:
        self._stack.show_sheet(0 if self.loaded is None else 1)
        self._going.setVisible(self.running)
        comparing = self.comparing.busy and not self.comparing.stopping
        self.stop_button.setEnabled(comparing or self.control.phase == "running")
        self.pause_button.setEnabled(self.control.phase == "running")
        self.begin_button.setVisible(self._forecast is not None and not self.running)
        self.resume_button.setVisible("network-resumable" in self.states() and self._forecast is None)
        self._zoom.setEnabled(len(self.view.selected) > 0)
        if self.running:
            self._note.hide()
        self.states_changed.emit()


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(" ", "&nbsp;")
