"""The workers of a cluster as a table: what each is, how fast it was, and how fast it is now."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

from PySide6.QtCore import Qt

from swgui.engines.base import DeviceInfo
from swgui.gui.kit.tables.row_table import LEFT, RIGHT, Index, Role, RowTable
from swgui.gui.words.formatting import file_size
from swgui.jobs.cluster.link import ClusterView

NOT_KNOWN: Final = "–"


class _Column(NamedTuple):
    title: str
    tip: str
    text: Callable[[DeviceInfo, Mapping[str, float]], str]
    number: bool = False

    @property
    def side(self) -> Qt.AlignmentFlag:
        """Right for numbers."""
        return RIGHT if self.number else LEFT


def _now(worker: DeviceInfo, speeds: Mapping[str, float]) -> str:
    return f"{speeds[worker.name]:,.1f}" if worker.name in speeds else NOT_KNOWN


def _before(worker: DeviceInfo) -> str:
    speed = worker.facts.get("speed", "").removesuffix(" GCUPS")
    return f"{float(speed):,.1f}" if speed else NOT_KNOWN


COLUMNS: Final = (
    _Column("Worker", "Name that the worker was started with", lambda worker, _: worker.id),
    _Column("Device", "What it computes on", lambda worker, _: worker.name.removesuffix(f" ({worker.id})")),
    _Column("Engine", "The engine it uses", lambda worker, _: worker.facts.get("engine", NOT_KNOWN)),
    _Column(
        "Memory",
        "Memory of the device",
        lambda worker, _: file_size(worker.memory) if worker.memory else NOT_KNOWN,
        number=True,
    ),
    _Column(
        "GCUPS before",
        "Billions of cells per second of its last work, as the worker measured it",
        lambda worker, _: _before(worker),
        number=True,
    ),
    _Column("GCUPS now", "Billions of cells per second in the current run", _now, number=True),
    _Column("Address", "Where it listens", lambda worker, _: worker.facts.get("address", NOT_KNOWN)),
)
NOW: Final = next(number for number, column in enumerate(COLUMNS) if column.text is _now)


class ClusterWorkers(RowTable):
    """One row for each worker."""

    heads = COLUMNS

    def __init__(self) -> None:
        super().__init__()
        self.workers: tuple[DeviceInfo, ...] = ()
        self._speeds: dict[str, float] = {}

    def show_view(self, view: ClusterView | None) -> None:
        """Show the workers that were found; None for none."""
        self.beginResetModel()
        self.workers = view.workers if view else ()
        self.endResetModel()

    def show_speeds(self, speeds: Mapping[str, float]) -> None:
        """Show how fast workers are now, GCUPS by name of `DeviceInfo`."""
        if self._speeds != speeds:
            self._speeds = dict(speeds)
            if self.workers:
                self.dataChanged.emit(self.index(0, NOW), self.index(len(self.workers) - 1, NOW))

    def row_count(self) -> int:
        """Return the number of workers."""
        return len(self.workers)

    def data(self, index: Index, role: int = Role.DisplayRole) -> Any:
        """Return the text of a cell."""
        worker, column = self.workers[index.row()], COLUMNS[index.column()]
        if role == Role.DisplayRole:
            return column.text(worker, self._speeds)
        if role == Role.ToolTipRole:
            return "\n".join((worker.name, *(f"{name}: {value}" for name, value in worker.facts.items())))
        if role == Role.TextAlignmentRole:
            return self.side(index.column())
        return None
