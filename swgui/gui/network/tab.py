"""The tab of one set: compares a file all against all, draws it, and cuts it at a movable threshold."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog, QWidget

from swgui.core.database import EncodedDatabase
from swgui.core.words import count
from swgui.gui.inputs.drop import DropLayer, Target, is_database
from swgui.gui.inputs.opened import SEQUENCE_FILES
from swgui.gui.inputs.own_table import ask_own_table, fault_of, read_own_table
from swgui.gui.kit.flow import FlowRow
from swgui.gui.kit.layouts import Sheets, Upright, in_column, in_row, in_splitter, turn
from swgui.gui.kit.tasks.task import Task
from swgui.gui.kit.widgets import EmptyBox, offers, push_button, text_label
from swgui.gui.network.asking import AskingTab
from swgui.gui.network.comparison import Comparison
from swgui.gui.network.controls import OWN, NetworkControls
from swgui.gui.network.groups import NetworkGroups
from swgui.gui.network.lists import NetworkLists
from swgui.gui.network.output import NetworkOutput
from swgui.gui.network.requests import Using
from swgui.gui.network.shown import ShownNetwork
from swgui.gui.network.view import NetworkView
from swgui.gui.network.work import Cut, LoadedNetwork, classes_by, classes_of, records_of, sample_file
from swgui.io.metadata import Metadata
from swgui.io.network.file import SUFFIX
from swgui.runs.plain import Kept

SAMPLE: Final = "proteins.fasta"
NETWORK_FILES: Final = f"Networks (*{SUFFIX})"
OFFERS: Final = (
    ("Open", "Choose a file…", "open", "Sequences to compare, or a saved network", "primary"),
    ("Sample", "Try the sample", "sample", "Compare proteins of several families that come along", ""),
)
EMPTY: Final = (
    "Compare the sequences of a file all against all: every pair is scored, none is left out. Families become "
    "groups of dots, and a slider says how similar two sequences must be to be joined. Or drop a file here."
)


class NetworkTab(AskingTab):
    """Everything about a network of sequences."""

    def __init__(self, using: Using, parent: QWidget | None = None) -> None:
        super().__init__(using, parent)
        self.setObjectName("networkTab")
        self._settings, self._about = using.settings, ""
        self.pairing = Task(self)
        self.shown, self.view = ShownNetwork(self), NetworkView()
        self.controls, self.lists = NetworkControls(), NetworkLists(self.shown, self.marks)
        self.groups = NetworkGroups(self.shown)
        self.comparison = Comparison(using, lambda: self.controls.ways)
        self.output = NetworkOutput(
            self.shown,
            self.view,
            lambda: (self._said.text(), self._title.text()),
            lambda: self.controls.legend,
            using.choose_engine,
            self,
        )
        self._build()
        self._connect()
        text = "Compare the sequences of this file all against all, or open it if it is a network"
        target = Target("Network", text, is_database, lambda dropped: self.use_file(dropped.files[0]))
        self._drop = DropLayer((target,), self)
        self._show_state()

    # What the page calls

    @property
    def running(self) -> bool:
        """Whether something is read or compared."""
        return self.comparison.running

    def states(self) -> set[str]:
        """Return the states that commands need."""
        states = {
            "network-running": self.running,
            "network-there": self.shown.cut is not None,
            "network-drawn": self.shown.cut is not None,
            "network-chosen": len(self.view.selected) > 0,
            "network-resumable": self.comparison.resumable,
        }
        return {state for state, is_so in states.items() if is_so}

    def set_narrow(self, narrow: bool) -> None:
        """Put the buttons below the title if there is no room next to it."""
        turn(self._head, narrow)

    def restyle(self) -> None:
        """Follow theme and text size."""
        self.view.restyle()
        self.controls.restyle()

    def shutdown(self) -> None:
        """Stop the workers."""
        for part in (self.comparison, self.shown, self.groups, self.output, self.pairing, self.tasks, self.view):
            part.shutdown()

    def take_outcome(self, outcome: Kept) -> None:
        """Show the result of a comparison, whole or partial."""
        self.comparison.take_outcome(outcome)

    # Commands

    def ask_table(self) -> None:
        """Ask for a table of the user's own; its columns are colours, groups, and columns of saved files."""
        if (path := ask_own_table(self)) is not None:
            self.add_table(path)

    def add_table(self, path: Path) -> None:
        """Add the columns of a file; the message says how many sequences have a row."""
        if (loaded := self.shown.whole) is not None:
            self.message.emit(f"Reading {path.name}…")
            work = partial(read_own_table, path, list(loaded.network.ids))
            self.tasks.submit("network-own", work, self._take_own, self._no_own)

    def ask_file(self) -> None:
        """Ask for a file of sequences, or a network."""
        kinds = f"{SEQUENCE_FILES};;{NETWORK_FILES}"
        name, _ = QFileDialog.getOpenFileName(
            self, "Compare the sequences of a file, or open a network", self._settings.recent.folder, kinds
        )
        if name:
            self._settings.recent.folder = str(Path(name).parent)
            self.use_file(Path(name))

    def use_file(self, path: Path) -> None:
        """Compare the sequences of a file all against all, or read a network."""
        self.comparison.use_file(path)

    def use_sequences(self, give: Callable[[], EncodedDatabase], name: str) -> None:
        """Compare known sequences, for example the hits of a search; a worker calls `give`."""
        self.comparison.use_sequences(give, name)

    def use_sample(self) -> None:
        """Compare the proteins of the sample."""
        self.comparison.opening.start(lambda _: sample_file(SAMPLE), self.use_file, self.comparison.fail)

    def methods(self) -> None:
        """Show the methods text of the whole network."""
        self.output.methods(self.tasks)

    def save(self) -> None:
        """Write the network, or the part in view, to a file."""
        self.output.export()

    def export(self) -> None:
        """Write the part in view for other programs, or the whole network."""
        self.output.export()

    def copy_command(self) -> None:
        """Copy the terminal command that makes the same network."""
        self.output.copy_command()

    def copy_python(self) -> None:
        """Copy lines of Python that make the same network."""
        self.output.copy_python()

    def resume(self) -> None:
        """Compare the pairs that are left after a stop."""
        self.comparison.resume()

    def stop(self) -> None:
        """End the comparison; keep and show the results so far."""
        self.comparison.stop()

    def show_all(self) -> None:
        self.view.fit()

    def show_chosen(self) -> None:
        self.view.show_selected()

    # Results of workers

    def _take(self, loaded: LoadedNetwork, name: str, seconds: float) -> None:
        """Show a network that was compared or read."""
        self.controls.show_whole(loaded)
        made = loaded.network
        title = f"{made.name}: " if made.name else ""
        self._about = (
            f"{title}{count(len(made.ids), 'sequence')}, {count(len(made.edges), 'pair')} with E up to {made.evalue:g}"
            f"{made.ways}"
        )
        self._title.setText(self._about)
        self.groups.forget()
        self.controls.offer_ways(not self.comparison.is_file, strands=bool(made.strand))
        self.shown.show(loaded)
        self._side.verticalScrollBar().setValue(0)
        if self.isVisible():
            self.view.setFocus(Qt.FocusReason.OtherFocusReason)  # its keys move and zoom
        self.made.emit(name, seconds)

    def _replaced(self) -> None:
        """Draw the curves of other sequences, and cut them."""
        if self.shown.loaded is not None:
            self.view.select(np.zeros(0, dtype=np.int64))
            self.lists.listed = []
            self.controls.show_curves(self.shown.loaded)
            self.shown.cut_at(self.controls.threshold.value())
            self._show_state()

    def _take_cut(self) -> None:
        loaded, made = self.shown.loaded, self.shown.cut
        assert loaded is not None
        assert made is not None
        classes, legend = self._classes(loaded, made, self.controls.kind)
        self.view.with_alone = self.controls.show_alone(int(made.alone.sum()), int((made.sizes > 1).sum()))
        self.view.show_cut(loaded, made, classes)
        self._said.setText(made.said("representative" if len(loaded.members) else "sequence"))
        self.controls.show_legend(legend)
        self.lists.show_clusters()
        self.groups.count()
        self.lists.show_chosen(self.lists.listed)
        self._show_state()

    # Hands

    def _threshold_moved(self, threshold: int) -> None:
        if self.shown.loaded is not None:
            self._said.setText(count(int((self.shown.loaded.scores >= threshold).sum()), "edge"))

    def _recolour(self, kind: str) -> None:
        if self.shown.loaded is not None and self.shown.cut is not None:
            classes, legend = self._classes(self.shown.loaded, self.shown.cut, kind)
            self.view.recolour(classes)
            self.controls.show_legend(legend)

    def _classes(self, loaded: LoadedNetwork, made: Cut, kind: str) -> tuple[NDArray[np.int64], list[str]]:
        """Return classes as `classes_of`, of a column of the user's own table, too."""
        if not kind.startswith(OWN):
            return classes_of(loaded, made, kind)
        return classes_by(self.shown.own_values()[kind.removeprefix(OWN)])

    def _take_own(self, own: Metadata) -> None:
        self.shown.own = own
        titles = list(self.shown.own_values())
        self.controls.offer_own(titles)
        self.groups.offer(titles)
        self.message.emit(own.summary())

    def _no_own(self, error: Exception) -> None:
        self.message.emit(fault_of(error))

    def _show_only(self, only: NDArray[np.bool_] | None, words: str) -> None:
        """Show some sequences of the whole network, or all; the line below the numbers names them."""
        self._title.setText(f"{self._about}. {words}" if words else self._about)
        self.shown.show_only(only)

    def _choose_groups(self, sequences: NDArray[np.int64]) -> None:
        self._select(sequences)
        self.lists.show_chosen(sequences.tolist())

    def _select(self, sequences: NDArray[np.int64]) -> None:
        self.view.select(sequences)
        self._show_state()

    def _chosen_in_view(self, sequences: list[int]) -> None:
        self.lists.follow_view(sequences)
        self._side.ensureWidgetVisible(self.lists.sequence_table)  # on a small screen it is below the edge
        self._show_state()

    def _open_pair(self, first: int, second: int) -> None:
        """Have two sequences aligned on the Pair page."""
        if self.shown.loaded is not None:
            work = partial(records_of, self.shown.loaded, (first, second))
            self.pairing.start(work, lambda found: self.pair_wanted.emit(*found), self.comparison.fail)

    def _show_state(self) -> None:
        for button in self._offers:
            button.setEnabled(not self.running)
        self.stack.show_sheet(0 if self.shown.loaded is None else 1)
        self.states_changed.emit()

    # Building

    def _build(self) -> None:
        does = {"Open": self.ask_file, "Sample": self.use_sample}
        self._offers = offers("networkOffer", [(*offer[:4], does[offer[0]], offer[4]) for offer in OFFERS])
        self.stack = Sheets(EmptyBox("networkEmpty", "No network yet", EMPTY, self._offers), self._build_network())
        in_column((self.stack, 1), self.comparison, margins=(2, 1.5, 2, 1.5), spacing=1, parent=self)

    def _build_network(self) -> QWidget:
        whole, side = QWidget(), QWidget()
        self._said = text_label(name="networkSaid", level="heading", plain=True, wrap=True, selectable=True)
        self._title = text_label(name="networkTitle", level="muted", wrap=True, plain=True)
        buttons = FlowRow.of(
            push_button("networkAll", "Show all", "Show the whole network (0)", self.show_all),
            push_button("networkOpen", "Choose a file…", "Compare other sequences", self.ask_file, icon="open"),
            push_button("networkSave", "Save…", "Write the network, or the part in view, to a file",
                        self.output.export, role="primary"),
            right=True,
        )  # fmt: skip
        self._head = in_row((in_column(self._said, self._title, spacing=0.25), 3), (buttons, 2))
        in_column(self.controls, self.groups, (self.lists, 1), spacing=1, parent=side)
        self._side = Upright(side, "networkSide")
        split = in_splitter(Qt.Orientation.Horizontal, (self.view, 3), (self._side, 2), name="networkSplit")
        in_column(self._head, (split, 1), spacing=1, parent=whole)
        return whole

    def _connect(self) -> None:
        comparison, shown, controls = self.comparison, self.shown, self.controls
        comparison.ready.connect(self._take)
        comparison.ended.connect(self.kept)
        comparison.queue_wanted.connect(self.queue_wanted)
        comparison.state_changed.connect(self._show_state)
        comparison.message.connect(self.message)
        shown.replaced.connect(self._replaced)
        shown.cut_made.connect(self._take_cut)
        shown.failed.connect(comparison.fail)
        controls.moved.connect(self._threshold_moved)
        controls.threshold_chosen.connect(shown.cut_at)
        controls.colour_chosen.connect(self._recolour)
        controls.represent_wanted.connect(shown.represent)
        controls.alone_wanted.connect(self.view.show_alone)
        controls.way_chosen.connect(comparison.compare_again)
        self.groups.only_wanted.connect(self._show_only)
        self.groups.selected.connect(self._choose_groups)
        self.groups.failed.connect(comparison.fail)
        self.lists.selected.connect(self._select)
        self.lists.pair_wanted.connect(self._open_pair)
        self.lists.zoom_wanted.connect(self.show_chosen)
        self.view.chosen.connect(self._chosen_in_view)
        self.view.opened.connect(shown.expand)
        self.view.pair_opened.connect(self._open_pair)
        self.output.message.connect(self.message)
        self.output.failed.connect(comparison.fail)
        self.output.written.connect(lambda: comparison.say(""))
