"""Cells and axes of a sweep in words."""

from __future__ import annotations

from swgui.core.methods.base import AUTO
from swgui.core.methods.occupancy import KernelNeeds, card_limits, occupancy
from swgui.core.sweep.grid import Axis, Cell, SweepResult
from swgui.core.sweep.report import describe
from swgui.gui.words import wording


def short(speed: float) -> str:
    """Return a speed with three or four digits, so many after the point as others of its size: ``11.0``."""
    if speed >= 99.95:
        return f"{speed:,.0f}"
    return f"{speed:.1f}" if speed >= 9.995 else f"{speed:.2f}" if speed >= 1 else f"{speed:.3g}"


def explain_cell(result: SweepResult, cell: Cell, capability: str = "") -> str:
    """Return everything known of a cell, line by line.

    Parameters
    ----------
    capability : str
        Compute capability of the GPU, for its occupancy; empty if it is none.
    """
    lines = [describe(result.axes, cell.place)]
    if cell.gcups:
        low, high = cell.quartiles
        lines.append(f"{cell.median:,.4g} GCUPS, quartiles {low:,.4g} to {high:,.4g}, {len(cell.gcups)} runs")
        if result.kernel_time:
            whole = sorted(cell.whole)[len(cell.whole) // 2]
            lines.append(f"{whole:,.4g} GCUPS overall, transfers of scores included")
    if cell.reason:
        lines.append(cell.reason)
    elif cell.state == "measured":
        lines.append(f"{cell.compared:,} scores compared: all equal")
    elif cell.state == "waiting":
        lines.append("not measured")
    use = cell.use
    if use.get("threads"):
        lines.append(
            f"{use['registers']} registers per thread, {use['shared_bytes'] / 1024:.1f} KiB shared memory per block, "
            f"{use['blocks']:,} blocks of {use['threads']}"
        )
        if capability:
            needs = KernelNeeds(use["threads"], use["registers"], use["shared_bytes"])
            lines.append(f"occupancy {wording.percent(occupancy(needs, card_limits(capability)).ratio)}")
    if cell.clock:
        warm = f", {cell.temperature:.0f} °C" if cell.temperature else ""
        lower = ": lower than in other cells" if cell.slowed else ""
        lines.append(f"clock {cell.clock:,.0f} MHz{warm}{lower}")
    return "\n".join(lines)


def titled(axis: Axis) -> str:
    """Return the title of an axis with its unit, if that says more."""
    title, unit = axis.title, axis.unit
    return f"{title} ({unit})" if unit and unit.lower() not in title.lower() and unit != AUTO else title
