"""The Network page: a network of one set in its first tab, questions on sets in its second one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QTabBar, QWidget

from swgui.core.database import EncodedDatabase
from swgui.gui.inputs.computer_box import ComputerBox
from swgui.gui.kit.layouts import Sheets, in_column, in_row
from swgui.gui.kit.pages import PageWidget
from swgui.gui.kit.tasks.control import JobController
from swgui.gui.kit.widgets import described
from swgui.gui.network.requests import PAGE, Using, kind_of
from swgui.gui.network.sets.tab import SetsTab
from swgui.gui.network.tab import NetworkTab
from swgui.jobs.kind import kinds
from swgui.runs.plain import Kept


class NetworkPage(PageWidget):
    """Everything that follows from all pairs of sequences."""

    made = Signal(str, str, float)  # a result: its noun, its name, and the seconds after which it appeared
    kept = Signal()  # something changed among the runs
    pair_wanted = Signal(object, object, object, str)  # query and subject, their `ScoringScheme`, and the strand

    def __init__(self, using: Using, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("networkPage")
        self.computer = ComputerBox("networkComputer", using.choose_engine)
        self.computer.setVisible(
            any(using.history.of(kind.name).travels for kind in kinds().values() if kind.page == PAGE)
        )
        using = using._replace(choose_engine=self.computer.choice)
        self.network = NetworkTab(using)
        self.sets = SetsTab(using._replace(marks=self.network.marks))
        self.tabs = described(QTabBar(), "networkTabs", "", "Network and sets")
        self.tabs.setDrawBase(False)
        self._sheets = Sheets(self.network, self.sets)  # a `QTabWidget` takes the minimum height of the higher tab
        for tab, title, tip in (
            (self.network, "Network", "Compare the sequences of a file all against all, and draw them"),
            (self.sets, "Leaks, splits, clusters", "Compare two sets, judge a clustering, split or cluster a set"),
        ):
            self.tabs.setTabToolTip(self.tabs.addTab(title), tip)
            tab.states_changed.connect(self.states_changed)
            tab.message.connect(self.message)
            tab.queue_wanted.connect(self.queue_wanted)
            tab.kept.connect(self.kept)
            tab.pair_wanted.connect(self.pair_wanted)
        self.network.made.connect(lambda name, seconds: self.made.emit("The network", name, seconds))
        self.sets.made.connect(lambda name, seconds: self.made.emit("The comparison", name, seconds))
        self.tabs.currentChanged.connect(self._turned)
        in_column(in_row(self.tabs, 1, self.computer, margins=(2, 0, 2, 0)), (self._sheets, 1), spacing=0, parent=self)

    @property
    def shown_tab(self) -> NetworkTab | SetsTab:
        """The tab that is shown, on which commands act."""
        return self.sets if self._sheets.shown else self.network

    def show_tab(self, tab: NetworkTab | SetsTab) -> None:
        """Show a tab."""
        self.tabs.setCurrentIndex(int(tab is self.sets))

    def _turned(self, place: int) -> None:
        self._sheets.show_sheet(place)
        self.states_changed.emit()

    # What the window calls

    @property
    def runners(self) -> Sequence[JobController]:
        return (*self.network.comparison.controls.values(), *self.sets.asking.controls.values())

    def kind_of(self, asked: Any) -> str:
        return kind_of(asked)

    @property
    def running(self) -> bool:
        return self.network.running or self.sets.running

    @property
    def holds_device(self) -> bool:
        return self.running and not (self.network.comparison.away or self.sets.asking.away)

    def states(self) -> set[str]:
        return self.shown_tab.states()

    def set_narrow(self, narrow: bool) -> None:
        for tab in (self.network, self.sets):
            tab.set_narrow(narrow)

    def restyle(self) -> None:
        for tab in (self.network, self.sets):
            tab.restyle()
        super().restyle()

    def shutdown(self) -> None:
        for tab in (self.network, self.sets):
            tab.shutdown()

    def take_outcome(self, outcome: Kept) -> None:
        tab = self.network if kind_of(outcome.asked) == "network" else self.sets
        self.show_tab(tab)
        tab.take_outcome(outcome)

    # Commands

    def use_sequences(self, give: Callable[[], EncodedDatabase], name: str) -> None:
        """Compare known sequences all against all; a worker calls `give`."""
        self.show_tab(self.network)
        self.network.use_sequences(give, name)

    def use_file(self, path: Path) -> None:
        """Compare the sequences of a file all against all, or read a network."""
        self.show_tab(self.network)
        self.network.use_file(path)

    def ask_file(self) -> None:
        """Ask for a file of sequences, or a network."""
        self.show_tab(self.network)
        self.network.ask_file()

    def ask(self, kind: str) -> None:
        """Show the form of a question on sets."""
        self.show_tab(self.sets)
        self.sets.form.choose(kind)
        self.sets.show_form(True)

    def start(self) -> None:
        """Ask the question of the form."""
        self.sets.start()

    def use_sample(self) -> None:
        """Take the sample on the tab that is shown."""
        self.shown_tab.use_sample()

    def stop(self) -> None:
        """End what the tab runs; keep the results so far."""
        self.shown_tab.stop()

    def resume(self) -> None:
        """Compare the pairs that are left after a stop."""
        self.shown_tab.resume()

    def save(self) -> None:
        """Write the network, or the run of the answer, to one file."""
        self.shown_tab.save()

    def export(self) -> None:
        """Write the network, or the table of the answer, for other programs."""
        self.shown_tab.export()

    def methods(self) -> None:
        """Show the paragraph for a Methods section."""
        self.shown_tab.methods()

    def copy_command(self) -> None:
        """Copy the terminal command that gives what is shown."""
        self.shown_tab.copy_command()

    def copy_python(self) -> None:
        """Copy lines of Python that give what is shown."""
        self.shown_tab.copy_python()
