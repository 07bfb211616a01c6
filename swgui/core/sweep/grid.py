"""Elements of a sweep through settings: axes, cells and their states, and values derived from them."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median, quantiles
from types import MappingProxyType
from typing import Final, Literal

from swgui.core.errors import InvalidParameter
from swgui.core.methods.base import AUTO
from swgui.core.plain import replace

QUERY_AXIS: Final = "query"  # residues of the query; every other axis is a setting of the engine
METHOD_AXIS: Final = "method"
CLOCK_FALL: Final = 0.05  # a cell during which the clock was lower than this is measured again
ALIKE: Final = 0.1  # two measurements of the same settings differ by at most this
WORTH: Final = 0.03  # settings that gain less than this over the automatic ones are not worth setting

CellState = Literal["waiting", "measured", "impossible", "wrong"]
Place = tuple[str, ...]
SHORTEST_CLASS: Final = 32


@dataclass(frozen=True, slots=True)
class Axis:
    """One thing that is varied."""

    name: str  # a setting of the engine, ``method`` or ``query``
    title: str
    unit: str
    values: tuple[str, ...]  # in the order in which they are shown

    def __post_init__(self) -> None:
        if not self.values:
            raise InvalidParameter("axis", self.name, f"The axis '{self.name}' has no values.")
        if len(set(self.values)) < len(self.values):
            raise InvalidParameter("axis", self.name, f"The axis '{self.name}' names a value twice.")


@dataclass(frozen=True, slots=True)
class Cell:
    """One combination of settings and its result."""

    place: Place  # a value for each axis; of a default measurement ``auto`` for settings
    state: CellState = "waiting"
    # 10^9 cells per second of each timed run: kernel time where the engine gives it, else by the clock.
    gcups: tuple[float, ...] = ()
    whole: tuple[float, ...] = ()  # the same by the clock
    reason: str = ""  # reason why it cannot run, or the fault
    # compared, differing: scores compared with the reference, and how many of them differed
    compared: int = 0
    differing: int = 0
    # clock, temperature: MHz and °C while it ran; 0 if not known
    clock: float = 0.0
    temperature: float = 0.0
    slowed: bool = False  # the clock was lower than in other cells, also when it was measured again
    # ``threads``, ``blocks``, ``registers``, ``shared_bytes``, ``local_bytes``, ``resident_blocks`` of the kernel;
    # empty for engines without kernels.
    use: Mapping[str, int] = field(default_factory=dict)
    settings: Mapping[str, str] = field(default_factory=dict)  # every setting with the value in use
    # watts, gcups_per_watt: mean power while it ran, and cells for each joule; 0 if not measured
    watts: float = 0.0
    gcups_per_watt: float = 0.0
    energy_source: str = ""  # ``counter`` of the device, or ``samples`` of its power

    @property
    def median(self) -> float:
        """Median speed in GCUPS; 0 if it was not measured."""
        return median(self.gcups) if self.gcups else 0.0

    @property
    def quartiles(self) -> tuple[float, float]:
        """First and third quartile of the speed, in GCUPS; both the median if there are fewer than two runs."""
        if len(self.gcups) < 2:
            return self.median, self.median
        low, _, high = quantiles(self.gcups, n=4, method="inclusive")
        return low, high

    @property
    def usable(self) -> bool:
        """Whether it may be chosen: it ran, and every score was right."""
        return self.state == "measured"


@dataclass(frozen=True, slots=True)
class SweepKey:
    """Conditions of tuned settings; the settings are stale as soon as any of these differs."""

    engine: str
    device: str  # UUID of the device, or its name where it has none
    driver: str
    kernels: str  # digest of the kernel sources; the program's version for engines without kernels
    letters: int  # symbols of the alphabet: the width of a profile
    query_class: str  # from `query_class`


@dataclass(frozen=True, slots=True)
class SweepResult:
    """A sweep, whole or cut short."""

    axes: tuple[Axis, ...]  # one or two; the first runs along the bottom
    cells: Mapping[Place, Cell]  # one for each combination
    # default, default_again: automatic settings, measured before and after all others
    default: Cell | None
    default_again: Cell | None
    key: SweepKey
    device: str
    query_length: int  # residues of the query, or of the middle one where they are an axis
    residues: int
    subjects: int
    database: str
    base: Mapping[str, str] = field(default_factory=dict)  # settings that were the same in all cells
    kernel_time: bool = False  # whether `Cell.gcups` is by kernel time
    made: str = ""  # local time, ISO 8601
    complete: bool = True  # false if it was stopped or ran out of time
    seconds: float = 0.0  # that it took
    own: Cell | None = None  # the program's own choice of everything, where the sweep is of another method

    @property
    def empty(self) -> bool:
        """True if no cell has a result."""
        return all(cell.state == "waiting" for cell in self.cells.values())

    @property
    def measured(self) -> tuple[Cell, ...]:
        """Cells that may be chosen, fastest first."""
        return tuple(sorted((c for c in self.cells.values() if c.usable), key=lambda c: -c.median))

    @property
    def best(self) -> Cell | None:
        """The fastest cell with right scores; None with the query as an axis, where cells cannot be compared."""
        if any(axis.name == QUERY_AXIS for axis in self.axes):
            return None
        return self.measured[0] if self.measured else None

    @property
    def default_speed(self) -> float:
        """Speed of the automatic settings: the better of the two measurements."""
        return max((c.median for c in (self.default, self.default_again) if c is not None and c.usable), default=0.0)

    @property
    def gain(self) -> float:
        """Gain of the best cell over the automatic settings, 0.1 being 10 %; 0 if unknown."""
        best = self.best
        return best.median / self.default_speed - 1 if best is not None and self.default_speed else 0.0

    @property
    def drift(self) -> float:
        """Speed of the automatic settings at the end by that at the beginning; 1 where it is not known."""
        first, last = self.default, self.default_again
        if first is None or last is None or not first.usable or not last.usable:
            return 1.0
        return last.median / first.median

    @property
    def in_use(self) -> Place | None:
        """The cell with the automatic choice, if it is among them.

        A method may choose otherwise for one database than for most: then the cell is not as fast, and not named.
        """
        default = self.default
        if default is None:
            return None
        # With the query as an axis, automatic was measured with the one in the middle.
        settings = {**default.settings, QUERY_AXIS: str(self.query_length)}
        cell = next((p for p in self.cells if self._holds(p, settings)), None)
        if cell is not None and self.cells[cell].usable and default.usable and QUERY_AXIS not in self._names:
            alike = abs(self.cells[cell].median / default.median - 1) <= ALIKE
            return cell if alike else None
        return cell

    @property
    def _names(self) -> tuple[str, ...]:
        return tuple(axis.name for axis in self.axes)

    def _holds(self, place: Place, settings: Mapping[str, str]) -> bool:
        values = zip(self._names, place, strict=True)
        return self._names != (QUERY_AXIS,) and all(settings.get(name) == value for name, value in values)

    def settings_of(self, cell: Cell) -> dict[str, str]:
        """Return the settings of a cell: the common ones of all cells and its own values.

        Raises
        ------
        InvalidParameter
            If the cell may not be chosen.
        """
        if not cell.usable:
            why = "it gave wrong scores" if cell.state == "wrong" else "it was not measured"
            raise InvalidParameter("cell", cell.place, f"These settings cannot be used: {why}.")
        own = {axis.name: value for axis, value in zip(self.axes, cell.place, strict=True) if axis.name != QUERY_AXIS}
        return {name: value for name, value in {**self.base, **own}.items() if value != AUTO}

    @property
    def queries(self) -> str:
        """Queries of the sweep in words: ``query of 350 residues``, ``queries of 64 to 1,024 residues``."""
        lengths = [int(value) for axis in self.axes if axis.name == QUERY_AXIS for value in axis.values]
        if len(lengths) > 1:
            return f"queries of {min(lengths):,} to {max(lengths):,} residues"
        return f"query of {self.query_length:,} residues"

    def with_cell(self, cell: Cell) -> SweepResult:
        """Return a copy of the sweep in which a cell stands at its place; this one stays as it is."""
        return replace(self, cells=MappingProxyType({**self.cells, cell.place: cell}))


def places(axes: Sequence[Axis]) -> Iterator[Place]:
    """Yield every combination of the axes' values; those of the last axis change fastest."""
    yield from itertools.product(*(axis.values for axis in axes))


def query_class(length: int) -> str:
    """Return the class of a query's length, as its range: ``"256-383"``; classes are half an octave wide."""
    if length < SHORTEST_CLASS:
        return f"1-{SHORTEST_CLASS - 1}"
    octave = 1 << (length.bit_length() - 1)
    middle = octave + octave // 2
    return f"{octave}-{middle - 1}" if length < middle else f"{middle}-{2 * octave - 1}"
