"""A sweep in words, and as comma-separated text."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from statistics import median
from typing import Final

from swgui.core.methods.base import AUTO
from swgui.core.sweep.grid import CLOCK_FALL, METHOD_AXIS, QUERY_AXIS, WORTH, Axis, Place, SweepResult

CSV_COLUMNS: Final = (
    "state", "gcups_median", "gcups_q1", "gcups_q3", "gcups_whole_median", "runs", "compared", "differing",
    "clock_mhz", "temperature_c", "slowed", "threads", "blocks", "registers", "shared_bytes", "local_bytes",
    "resident_blocks", "reason",
)  # fmt: skip
_USE: Final = ("threads", "blocks", "registers", "shared_bytes", "local_bytes", "resident_blocks")


def sentence(result: SweepResult) -> str:
    """Say what a sweep found, as the page and the terminal do."""
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
        was = "was" if waiting == 1 else "were"
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


def as_csv(result: SweepResult) -> str:
    """Return a sweep as comma-separated text: one row per cell, then the two default measurements."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["row", *(f"axis_{axis.name}" for axis in result.axes), *CSV_COLUMNS])
    rows = [("cell", cell) for cell in result.cells.values()]
    extra = (("default", result.default), ("default again", result.default_again), ("own", result.own))
    rows += [(name, cell) for name, cell in extra if cell]
    for name, cell in rows:
        low, high = cell.quartiles
        speeds = [f"{v:.6g}" for v in (cell.median, low, high, median(cell.whole))] if cell.gcups else [""] * 4
        writer.writerow(
            [
                *(name, *cell.place, cell.state, *speeds, len(cell.gcups), cell.compared, cell.differing),
                *(f"{value:g}" if value else "" for value in (cell.clock, cell.temperature)),
                *(int(cell.slowed), *(cell.use.get(key, "") for key in _USE), cell.reason),
            ]
        )
    return out.getvalue()
