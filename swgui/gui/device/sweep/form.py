"""The form of a sweep: what is varied, with which query and database, for how long."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QComboBox,
    QFrame,
    QGridLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from swgui.core.database import EncodedDatabase
from swgui.core.errors import InvalidParameter
from swgui.core.methods.base import AUTO
from swgui.core.methods.search import SEARCH_METHODS
from swgui.core.scoring import EncodedQuery, ScoringScheme
from swgui.core.sweep.axes import make_axis, method_of, presets_of, settings_of
from swgui.core.sweep.grid import METHOD_AXIS, QUERY_AXIS, Axis
from swgui.engines.registry import facts
from swgui.gui.inputs.device_options import titled
from swgui.gui.kit.theme import arrange, set_icon, set_role
from swgui.gui.kit.widgets import shrinkable

TYPICAL = 350  # residues of the usual query
NO_AXIS = "—"
PAPER_METHODS = ("shared", "simt")
FIGURES = (
    "Figures 6 and 7 of the paper on short queries were made on cards with 13 and 30 multiprocessors. There 64 "
    "blocks fill the card, and a block takes nearly all shared memory of a multiprocessor: threads per block "
    "hardly change the speed, and further blocks only wait in line. A card with more multiprocessors than blocks "
    "stands partly idle: on it speed grows with threads per block until shared memory or registers end, and with "
    "blocks until each multiprocessor has its share. Beyond that more blocks cost speed, as in the paper. Set "
    "blocks in all to 64, or threads per block to 64, to see the two figures; those of one card are in "
    "BENCHMARKS.md."
)


@dataclass(frozen=True, slots=True)
class Context:
    """What the Search page would search with now; parts that are not there are None.

    Parameters
    ----------
    query : EncodedQuery or None
        The first one.
    database : EncodedDatabase or None
    scheme : ScoringScheme or None
    queries : int
        How many there are.
    """

    query: EncodedQuery | None = None
    database: EncodedDatabase | None = None
    scheme: ScoringScheme | None = None
    queries: int = 0


class SweepForm(QFrame):
    """The fields that describe a sweep.

    Signals
    -------
    run_wanted()
        Run sweep was pressed.
    """

    run_wanted = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        set_role(self, role="card")
        self.context: Callable[[], Context] = Context
        self._engine, self._cores = "", 1
        self._build()

    @property
    def method(self) -> str:
        """The method that is swept; empty for engines that have none."""
        return str(self._method.currentData()) if self._engine and facts(self._engine).methods else ""

    @property
    def budget(self) -> float:
        """Seconds after which no further cell is begun; 0 for no limit."""
        return self._budget.value()

    @property
    def mine(self) -> bool:
        """Whether the query of the Search page is wanted."""
        return self._query.currentData() == "mine"

    @property
    def current(self) -> bool:
        """Whether the database of the Search page is wanted."""
        return self._database.currentData() == "current"

    @property
    def length(self) -> int:
        """Residues of the query."""
        if self.mine:
            query = self.context().query
            return len(query) if query is not None and len(query) else TYPICAL
        choice = self._query.currentData()
        return TYPICAL if choice == "typical" else int(choice)

    @property
    def missing(self) -> str:
        """What is wanted of the Search page and is not there, as one sentence; empty if nothing is."""
        context = self.context()
        if self.mine and (context.query is None or not len(context.query)):
            return "There is no query on the Search page."
        if self.current and context.database is None:
            return "There is no database on the Search page."
        return ""

    def axes(self) -> tuple[Axis, ...]:
        """Return what is varied.

        Raises
        ------
        InvalidParameter
            If nothing is, or a value cannot be used.
        """
        found = tuple(
            make_axis(facts(self._engine), self.method, str(box.currentData()), _values(values.text()), self._cores)
            for box, values in self._axes
            if box.currentData()
        )
        if not found:
            raise InvalidParameter("axes", 0, "Choose at least one thing to vary.")
        return found

    def base(self, axes: tuple[Axis, ...]) -> dict[str, str]:
        """Return the settings that all cells share."""
        return method_of(axes, self.method)

    def use_engine(self, engine: str, cores: int) -> None:
        """Offer what can be varied on an engine; `cores` is what the computer has."""
        self._engine, self._cores = engine, cores
        methods = bool(engine) and facts(engine).methods
        self._method.setVisible(methods)
        self._method_label.setVisible(methods)
        self._method_chosen()

    def allow(self, on: bool) -> None:
        """Let Run sweep be pressed, or not."""
        self._run.setEnabled(on)

    def _build(self) -> None:
        title = QLabel("Sweep through settings")
        set_role(title, level="section")
        self._preset = QComboBox()
        self._preset.setObjectName("sweepPreset")
        self._preset.setToolTip("A sweep that is ready to run, for example a figure of a paper")
        self._preset.activated.connect(self._preset_chosen)
        self._method = QComboBox()
        self._method.setObjectName("sweepMethod")
        self._method.setToolTip("Method whose settings are swept; all give the same scores")
        for method in SEARCH_METHODS.values():
            self._method.addItem(titled(method), method.name)
        self._method.activated.connect(self._method_chosen)
        self._query = QComboBox()
        self._query.setObjectName("sweepQuery")
        self._query.setToolTip("Query that is timed; its length decides which settings are fast")
        self._query.addItem(f"typical, {TYPICAL} residues", "typical")
        self._query.addItem("first query of the Search page", "mine")
        for length in (64, 128, 512, 1024, 2048, 4096):
            self._query.addItem(f"made up, {length:,} residues", str(length))
        self._database = QComboBox()
        self._database.setObjectName("sweepDatabase")
        self._database.setToolTip("Sequences that are scored in every cell")
        self._database.addItem("made-up sequences", "made up")
        self._database.addItem("database of the Search page", "current")
        self._budget = QSpinBox()
        self._budget.setAlignment(Qt.AlignmentFlag.AlignRight)
        self._budget.setObjectName("sweepBudget")
        self._budget.setRange(0, 86_400)
        self._budget.setSpecialValueText("no limit")
        self._budget.setSuffix(" s")
        self._budget.setValue(120)
        self._budget.setToolTip("After this time no further setting is measured; compiling counts")
        self._run = QPushButton("Run sweep")
        self._run.setObjectName("runSweep")
        set_icon(self._run, "play")
        self._run.clicked.connect(self.run_wanted)
        form = QGridLayout()
        arrange(form, 0, (1.5, 0.75))
        fields = (
            ("Sweep", self._preset),
            ("Query", self._query),
            ("Database", self._database),
            ("Time limit", self._budget),
            ("Method", self._method),
        )
        self._method_label = QLabel()
        for at, (text, field) in enumerate(fields):
            label = QLabel(text)
            label.setBuddy(field)
            if field is self._method:
                self._method_label = label
            if isinstance(field, QComboBox):
                shrinkable(field, 12)
            form.addWidget(label, at // 3 * 2, at % 3)
            form.addWidget(field, at // 3 * 2 + 1, at % 3)
        form.addWidget(self._run, 3, 2)
        for column in range(3):
            form.setColumnStretch(column, 1)
        self._axes: list[tuple[QComboBox, QLineEdit]] = []
        lines = QGridLayout()
        arrange(lines, 0, (1.5, 0.75))
        lines.setColumnStretch(1, 1)
        lines.setColumnStretch(2, 3)
        for row, text in enumerate(("Along the bottom", "Upwards")):
            box, values = QComboBox(), QLineEdit()
            box.setObjectName(f"sweepAxis{row}")
            box.setToolTip("Setting that this axis goes through")
            values.setObjectName(f"sweepValues{row}")
            values.setToolTip("The values, with commas between them; auto leaves the choice to the engine")
            values.setAccessibleName(f"Values {text.lower()}")
            box.activated.connect(partial(self._axis_chosen, row))
            shrinkable(box, 18)
            label = QLabel(text)
            label.setBuddy(box)
            for column, widget in enumerate((label, box, values)):
                lines.addWidget(widget, row, column)
            self._axes.append((box, values))
        self._figures = QLabel(FIGURES)
        self._figures.setObjectName("sweepFigures")
        self._figures.setWordWrap(True)
        set_role(self._figures, level="small")
        layout = QVBoxLayout(self)
        arrange(layout, (2, 1.5, 2, 1.5), 1)
        layout.addWidget(title)
        layout.addLayout(form)
        layout.addLayout(lines)
        layout.addWidget(self._figures)

    def _method_chosen(self, *_: object) -> None:
        engine, method = self._engine, self.method
        before = self._preset.currentData()
        self._preset.clear()
        for preset in presets_of(facts(engine), method) if engine else ():
            self._preset.addItem(preset.title, preset.name)
            self._preset.setItemData(self._preset.count() - 1, preset.help, Qt.ItemDataRole.ToolTipRole)
        self._preset.setCurrentIndex(max(0, self._preset.findData(before)))
        for row, (box, _) in enumerate(self._axes):
            box.clear()
            if row:
                box.addItem(NO_AXIS, "")
            if not engine:
                continue
            for setting in settings_of(facts(engine), method, self._cores):
                box.addItem(setting.title, setting.name)
            box.addItem("Query length", QUERY_AXIS)
            if facts(engine).methods:
                box.addItem("Method", METHOD_AXIS)
        self._preset_chosen()

    def _preset_chosen(self, *_: object) -> None:
        name = self._preset.currentData()
        presets = presets_of(facts(self._engine), self.method) if self._engine else ()
        preset = next((p for p in presets if p.name == name), None)
        wanted = preset.axes if preset else ()
        for row, (box, _) in enumerate(self._axes):
            box.setCurrentIndex(max(0, box.findData(wanted[row] if row < len(wanted) else "")))
            self._axis_chosen(row)

    def _axis_chosen(self, row: int, *_: object) -> None:
        box, values = self._axes[row]
        name = box.currentData()
        values.setEnabled(bool(name))
        names = {box.currentData() for box, _ in self._axes}
        of_paper = self.method in PAPER_METHODS and bool(names & {"threads", "blocks", "grid"})
        self._figures.setVisible(of_paper)
        if not name:
            values.clear()
            return
        axis = make_axis(facts(self._engine), self.method, str(name), cores=self._cores)
        values.setText(", ".join(axis.values))


def _values(text: str) -> list[str]:
    parts = [part.strip() for part in text.replace(";", ",").split(",")]
    return [AUTO if part == "automatic" else part for part in parts if part]
