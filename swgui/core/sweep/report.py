"""A sweep in words, as a table, and as plain values."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from statistics import median
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from swgui.core.methods.base import AUTO
from swgui.core.plain import from_plain, plain, replace
from swgui.core.sweep.grid import CLOCK_FALL, METHOD_AXIS, QUERY_AXIS, WORTH, Axis, Cell, Place, SweepResult
from swgui.core.table import SHORTEST, Column, Kind, Table, Value
from swgui.core.words import agree

OF_NO_SETTINGS: Final = ("default", "default_again", "own")  # cells that lie on no axis
ON_REQUEST: Final = ("watts", "gcups_per_watt", "energy_source")  # values that are only measured on request

# Columns of all sweeps: key, title, description, kind, unit, and the value of a cell; 0 means unknown for real numbers.
_COLUMNS: Final[tuple[tuple[str, str, str, Kind, str, Callable[[Cell], Value]], ...]] = (
    ("state", "State", "Whether it was measured, is impossible here, or gave wrong scores.", "word", "",
     lambda cell: cell.state),
    ("gcups_median", "GCUPS", "Median speed, by kernel time where the engine gives it.", "real", "",
     lambda cell: cell.median),
    ("gcups_q1", "GCUPS, first quartile", "First quartile of the speed.", "real", "", lambda cell: cell.quartiles[0]),
    ("gcups_q3", "GCUPS, third quartile", "Third quartile of the speed.", "real", "", lambda cell: cell.quartiles[1]),
    ("gcups_whole_median", "GCUPS by the clock", "Median speed by the clock.", "real", "",
     lambda cell: median(cell.whole or (0.0,))),
    ("runs", "Runs", "Timed runs.", "integer", "", lambda cell: len(cell.gcups)),
    ("compared", "Compared", "Scores that were compared with those of another engine.", "integer", "",
     lambda cell: cell.compared),
    ("differing", "Differing", "Scores that differed.", "integer", "", lambda cell: cell.differing),
    ("clock_mhz", "Clock", "Median clock of the device while it ran.", "real", "MHz", lambda cell: cell.clock),
    ("temperature_c", "Temperature", "Highest temperature of the device while it ran.", "real", "°C",
     lambda cell: cell.temperature),
    ("watts", "Power", "Mean power of the device while it ran.", "real", "W", lambda cell: cell.watts),
    ("gcups_per_watt", "GCUPS per watt", "Cells by the energy of the device while it ran.", "real", "",
     lambda cell: cell.gcups_per_watt),
    ("slowed", "Slowed", "1 where the clock was lower than in other cells.", "integer", "",
     lambda cell: int(cell.slowed)),
    ("threads", "Threads per block", "Threads of a block of the kernel.", "integer", "",
     lambda cell: cell.use.get("threads")),
    ("blocks", "Blocks", "Blocks of the kernel.", "integer", "", lambda cell: cell.use.get("blocks")),
    ("registers", "Registers", "Registers of a thread.", "integer", "", lambda cell: cell.use.get("registers")),
    ("shared_bytes", "Shared memory", "Bytes of shared memory of a block.", "integer", "",
     lambda cell: cell.use.get("shared_bytes")),
    ("local_bytes", "Local memory", "Bytes of local memory of a thread.", "integer", "",
     lambda cell: cell.use.get("local_bytes")),
    ("resident_blocks", "Resident blocks", "Blocks that a multiprocessor holds at a time.", "integer", "",
     lambda cell: cell.use.get("resident_blocks")),
    ("reason", "Reason", "Why it cannot run, or what was wrong.", "word", "", lambda cell: cell.reason),
)  # fmt: skip
_ROW: Final = "A cell, or automatic settings: before all cells, behind them, or of the program's own method."


class _Row(NamedTuple):
    name: str  # ``cell``, or which measurement of the automatic settings it is
    cell: Cell


def sentence(result: SweepResult) -> str:
    """Return the result of a sweep in one sentence, as on the page and the terminal."""
    usable, wrong = result.measured, [c for c in result.cells.values() if c.state == "wrong"]
    if not usable:
        if wrong:
            return "Every setting that ran gave wrong scores."
        if any(cell.state == "waiting" for cell in result.cells.values()):
            return "Nothing was measured: the sweep was stopped or its time was over."
        return "Nothing could be measured."
    parts = []
    best = result.best
    if best is not None:
        low, high = best.quartiles
        parts.append(
            f"Best: {describe(result.axes, best.place)}, {best.median:,.4g} GCUPS (quartiles {low:,.4g} to {high:,.4g})"
        )
        if result.default_speed and result.gain >= WORTH:
            parts[0] += f", {100 * result.gain:.0f} % faster than automatic."
        elif result.default_speed:
            parts[0] += f". Automatic gives {result.default_speed:,.4g} GCUPS: there is nothing to gain."
        else:
            parts[0] += "."
    if result.own is not None and result.own.usable:
        parts.append(f"The program's own method gives {result.own.median:,.4g} GCUPS here.")
    compared = min(cell.compared for cell in usable)
    parts.append(
        f"{_settings(len(usable))} gave the right scores ({compared:,} compared in each)."
        if not wrong
        else f"{_settings(len(wrong))} gave wrong scores and cannot be chosen; please report this."
    )
    impossible = sum(cell.state == "impossible" for cell in result.cells.values())
    if impossible:
        parts.append(f"{_settings(impossible)} cannot run here.")
    waiting = sum(cell.state == "waiting" for cell in result.cells.values())
    if waiting:
        was = agree(waiting, "was", "were")
        parts.append(f"{_settings(waiting)} {was} not measured: the sweep was stopped or its time was over.")
    if abs(result.drift - 1) > CLOCK_FALL:
        word = "slower" if result.drift < 1 else "faster"
        parts.append(f"Automatic was {100 * abs(result.drift - 1):.0f} % {word} at the end than at the beginning.")
    return " ".join(parts)


def _settings(number: int) -> str:
    return "One setting" if number == 1 else f"{number} settings"


def describe(axes: Sequence[Axis], place: Place) -> str:
    """Return a cell in words: ``256 threads per block, 4 blocks``."""
    parts = []
    for axis, value in zip(axes, place, strict=True):
        if axis.name == QUERY_AXIS:
            parts.append(f"query of {grouped(value)} {'residue' if value == '1' else 'residues'}")
            continue
        title = axis.title.lower()
        if value == "1":  # 1 block per multiprocessor
            first, *rest = title.split(" ")
            title = " ".join((first.removesuffix("s"), *rest))
        parts.append(
            value if axis.name == METHOD_AXIS else f"{title} {value}" if value == AUTO else f"{grouped(value)} {title}"
        )
    return ", ".join(parts)


def grouped(value: str) -> str:
    """Return a value of an axis as it is read: ``2,500,000``; words as they are."""
    return f"{int(value):,}" if value.isdecimal() else value


def cells_table(result: SweepResult) -> Table[Sequence[_Row]]:
    """Return a sweep as a table: one row for each cell, then the measurements of the automatic settings."""
    extra = (("default", result.default), ("default again", result.default_again), ("own", result.own))
    rows = [_Row("cell", cell) for cell in result.cells.values()]
    rows += [_Row(name, cell) for name, cell in extra if cell is not None]
    axes = [_axis_column(number, axis) for number, axis in enumerate(result.axes)]
    first = Column[Sequence[_Row]]("row", "Row", _ROW, "word", read=lambda rows: [row.name for row in rows])
    return Table((first, *axes, *(_column(*facts) for facts in _COLUMNS)), lambda: (rows,))


def _column(
    key: str, title: str, said: str, kind: Kind, unit: str, value: Callable[[Cell], Value]
) -> Column[Sequence[_Row]]:
    def read(rows: Sequence[_Row]) -> list[Value]:
        values = [value(row.cell) for row in rows]
        return values if kind != "real" else [float(f"{number:.6g}") if number else None for number in values]

    return Column(key, title, said, kind, read=read, unit=unit, decimals=SHORTEST if kind == "real" else 0)


def _axis_column(number: int, axis: Axis) -> Column[Sequence[_Row]]:
    said = f"Value of the axis: {axis.title.lower()}; auto where the engine chose it."
    read = partial(_places, number)
    return Column(f"axis_{axis.name}", axis.title, said, "word", read=read, unit=axis.unit)


def _places(number: int, rows: Sequence[_Row]) -> list[Value]:
    return [row.cell.place[number] for row in rows]


def as_json(result: SweepResult) -> dict[str, Any]:
    """Return a sweep as plain data for a JSON file; cells as a list, together with values computed from them."""
    described = plain(replace(result, cells={}))
    return {
        **described,
        **{name: _measured(described[name]) for name in OF_NO_SETTINGS if described[name]},
        "cells": [_measured(plain(cell)) for cell in result.cells.values()],
        "gain": result.gain,
        "drift": result.drift,
        "best": list(result.best.place) if result.best else None,
    }


def _measured(cell: dict[str, Any]) -> dict[str, Any]:
    """Leave out of a cell what is only measured on request, where it was not."""
    return {name: value for name, value in cell.items() if value or name not in ON_REQUEST}


def from_json(stored: Mapping[str, Any]) -> SweepResult:
    """Make a sweep from the result of `as_json`; `ValueError` and others if it is damaged."""
    cells = {cell.place: cell for cell in from_plain(tuple[Cell, ...], stored["cells"])}
    if any(len(place) != len(stored["axes"]) for place in cells):
        raise ValueError("a cell lies on no axis")
    return replace(from_plain(SweepResult, {**stored, "cells": {}}), cells=MappingProxyType(cells))
