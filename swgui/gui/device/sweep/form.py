"""The form of a sweep: its axes, query and database, and its time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QComboBox, QFrame, QLineEdit, QWidget

from swgui.core.database import EncodedDatabase
from swgui.core.errors import InvalidParameter
from swgui.core.methods.base import AUTO
from swgui.core.methods.search import SEARCH_METHODS
from swgui.core.scoring import EncodedQuery, ScoringScheme
from swgui.core.sweep.axes import make_axis, method_of, presets_of, settings_of
from swgui.core.sweep.grid import METHOD_AXIS, QUERY_AXIS, Axis
from swgui.engines.registry import facts
from swgui.gui.inputs.device_options import titled
from swgui.gui.kit.layouts import in_column, in_grid
from swgui.gui.kit.theme import set_role
from swgui.gui.kit.widgets import combo_box, fill_combo, line_edit, push_button, shrinkable, spin_box, text_label

TYPICAL = 350  # residues of the usual query
LENGTHS = (64, 128, 512, 1024, 2048, 4096)  # of other queries
FIELDS = ("Sweep", "Query", "Database")
NO_AXIS = "—"
PAPER_METHODS = ("shared", "simt")
FIGURES = (
    "Figures 6 and 7 of the paper on short queries were made on GPUs with 13 and 30 multiprocessors. There 64 "
    "blocks fill the GPU, and a block takes nearly all shared memory of a multiprocessor: threads per block "
    "hardly change the speed, and further blocks only wait in line. A GPU with more multiprocessors than blocks "
    "is partly idle: on it speed grows with threads per block until shared memory or registers end, and with "
    "blocks until each multiprocessor has its share. Beyond that more blocks cost speed, as in the paper. Set "
    "blocks in all to 64, or threads per block to 64, to see the two figures; those of one GPU are in "
    "BENCHMARKS.md."
)


@dataclass(frozen=True, slots=True)
class Context:
    """Inputs and settings of the Search page; missing ones are None."""

    query: EncodedQuery | None = None  # the first one
    database: EncodedDatabase | None = None
    scheme: ScoringScheme | None = None
    queries: int = 0  # how many there are
    source: str = ""  # the file of the database; empty where there is none, or several
    query_file: str = ""  # the file that begins with the query; empty where there is none

    @property
    def whole(self) -> tuple[EncodedQuery, EncodedDatabase, ScoringScheme] | None:
        """All that a search needs; None if a part is not there, or the query is empty."""
        if not self.query or not self.database or self.scheme is None:
            return None
        return self.query, self.database, self.scheme


class SweepForm(QFrame):
    """The fields that describe a sweep."""

    run_wanted = Signal()  # run sweep was pressed

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
        return bool(self._query.currentData() == "mine")

    @property
    def current(self) -> bool:
        return bool(self._database.currentData() == "current")

    @property
    def length(self) -> int:
        """Residues of the query; as many as usual if it is the one of the Search page and there is none."""
        if self.mine:
            query = self.context().query
            return len(query) if query is not None and len(query) else TYPICAL
        choice = self._query.currentData()
        return TYPICAL if choice == "typical" else int(choice)

    @property
    def missing(self) -> str:
        """Inputs that the Search page lacks, as one sentence; empty if it has all."""
        context = self.context()
        if self.mine and (context.query is None or not len(context.query)):
            return "There is no query on the Search page."
        if self.current and context.database is None:
            return "There is no database on the Search page."
        return ""

    def axes(self) -> tuple[Axis, ...]:
        """Return the axes of the sweep.

        Raises
        ------
        InvalidParameter
            If there is none, or a value cannot be used.
        """
        axes = tuple(
            make_axis(facts(self._engine), self.method, str(box.currentData()), _values(values.text()), self._cores)
            for box, values in self.axis_fields
            if box.currentData()
        )
        if not axes:
            raise InvalidParameter("axes", 0, "Choose at least one thing to vary.")
        return axes

    def base(self, axes: tuple[Axis, ...]) -> dict[str, str]:
        """Return the settings that all cells of these axes share, by name."""
        return method_of(axes, self.method)

    def use_engine(self, engine: str, cores: int) -> None:
        """Offer the axes of an engine; `cores` is the number of CPU cores of the computer."""
        self._engine, self._cores = engine, cores
        methods = bool(engine) and facts(engine).methods
        self._method.setVisible(methods)
        self._method_label.setVisible(methods)
        self._method_chosen()

    def allow(self, on: bool) -> None:
        self._run.setEnabled(on)

    def _build(self) -> None:
        self._preset = combo_box(
            "sweepPreset", "A sweep that is ready to run, for example a figure of a paper", self._preset_chosen
        )
        self._method = combo_box(
            "sweepMethod",
            "Method whose settings are swept; all give the same scores",
            self._method_chosen,
            items=[(titled(method), method.name) for method in SEARCH_METHODS.values()],
        )
        self._query = combo_box(
            "sweepQuery",
            "Query that is timed; its length decides which settings are fast",
            items=(
                (f"typical, {TYPICAL} residues", "typical"),
                ("first query of the Search page", "mine"),
                *((f"synthetic, {length:,} residues", str(length)) for length in LENGTHS),
            ),
        )
        self._database = combo_box(
            "sweepDatabase",
            "Sequences that are scored in every cell",
            items=(("random sequences", "made up"), ("database of the Search page", "current")),
        )
        self._budget = spin_box(
            "sweepBudget",
            (0, 86_400),
            120,
            "After this time no further setting is measured; compiling counts",
            suffix=" s",
            special="no limit",
        )
        self._run = push_button("runSweep", "Run sweep", does=self.run_wanted, icon="play")
        self._method_label = text_label("Method", buddy=self._method)
        for box in (self._preset, self._query, self._database, self._method):
            shrinkable(box, 12)
        upper = (self._preset, self._query, self._database)
        fields = in_grid(
            [text_label(text, buddy=field) for text, field in zip(FIELDS, upper, strict=True)],
            upper,
            [text_label("Time limit", buddy=self._budget), self._method_label],
            [self._budget, self._method, self._run],
            spacing=(1.5, 0.75),
            stretch=(1, 1, 1),
        )
        self.axis_fields: list[tuple[QComboBox, QLineEdit]] = []
        lines = in_grid(
            *(self._axis(row, text) for row, text in enumerate(("Along the bottom", "Upwards"))),
            spacing=(1.5, 0.75),
            stretch=(0, 1, 3),
        )
        self._figures = text_label(FIGURES, "sweepFigures", wrap=True, level="small")
        title = text_label("Sweep through settings", level="section")
        in_column(title, fields, lines, self._figures, margins=(2, 1.5, 2, 1.5), parent=self)

    def _axis(self, row: int, text: str) -> tuple[QWidget, QWidget, QWidget]:
        tip = "Setting that this axis goes through"
        box = shrinkable(combo_box(f"sweepAxis{row}", tip, partial(self._axis_chosen, row)), 18)
        values = line_edit(
            f"sweepValues{row}",
            "The values, with commas between them; auto leaves the choice to the engine",
            accessible=f"Values {text.lower()}",
        )
        self.axis_fields.append((box, values))
        return text_label(text, buddy=box), box, values

    def _method_chosen(self, *_given: object) -> None:
        engine, method = self._engine, self.method
        before = self._preset.currentData()
        presets = presets_of(facts(engine), method) if engine else ()
        fill_combo(self._preset, [(preset.title, preset.name, preset.help) for preset in presets], before)
        offered: list[tuple[str, str]] = []
        if engine:
            offered += [(setting.title, setting.name) for setting in settings_of(facts(engine), method, self._cores)]
            offered.append(("Query length", QUERY_AXIS))
        if engine and facts(engine).methods:
            offered.append(("Method", METHOD_AXIS))
        for row, (box, _) in enumerate(self.axis_fields):
            fill_combo(box, [(NO_AXIS, ""), *offered] if row else offered)
        self._preset_chosen()

    def _preset_chosen(self, *_given: object) -> None:
        name = self._preset.currentData()
        presets = presets_of(facts(self._engine), self.method) if self._engine else ()
        preset = next((p for p in presets if p.name == name), None)
        wanted = preset.axes if preset else ()
        for row, (box, _) in enumerate(self.axis_fields):
            box.setCurrentIndex(max(0, box.findData(wanted[row] if row < len(wanted) else "")))
            self._axis_chosen(row)

    def _axis_chosen(self, row: int, *_given: object) -> None:
        box, values = self.axis_fields[row]
        name = box.currentData()
        values.setEnabled(bool(name))
        names = {box.currentData() for box, _ in self.axis_fields}
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
