"""``swgui bench --watts``: the energy of the GPU, next to CUDASW++ 4.0."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import closing

import numpy as np

from swgui.core.errors import EngineFault
from swgui.core.scoring import EncodedQuery
from swgui.core.sweep.grid import QUERY_AXIS, Cell, SweepResult
from swgui.core.sweep.report import describe
from swgui.engines.base import DeviceInfo
from swgui.engines.facts import GPU
from swgui.engines.monitor import Monitor
from swgui.engines.registry import probe
from swgui.jobs.sweep import cudasw
from swgui.jobs.sweep.cudasw import PeerSpeed
from swgui.jobs.sweep.energy import EnergyMeter
from swgui.jobs.sweep.request import SweepRequest

SOURCES = {"counter": "energy by the counter of the device", "samples": "energy by samples of its power"}


def lines(request: SweepRequest, result: SweepResult) -> Iterator[str]:
    """Yield the power of each cell, then that of CUDASW++ with the same queries."""
    measured = [cell for cell in result.cells.values() if cell.usable]
    sources = {cell.energy_source for cell in measured if cell.gcups_per_watt}
    if not sources:
        yield "The driver gives neither energy nor power of this device, so there are no GCUPS per watt."
        return
    yield f"GCUPS by the clock, watts and GCUPS per watt; {', '.join(SOURCES[name] for name in sorted(sources))}"
    for cell in measured:
        speed = float(np.median(cell.whole))
        yield _line(f"swgui, {describe(result.axes, cell.place)}", speed, cell.watts, cell.gcups_per_watt)
    yield from _peer_lines(request, result, measured)


def _line(name: str, speed: float, watts: float, per_watt: float) -> str:
    return f"  {name:<48}{speed:>9,.0f}{watts:>8,.0f} W{per_watt:>9.2f}"


def _peer_lines(request: SweepRequest, result: SweepResult, measured: list[Cell]) -> Iterator[str]:
    wanted = request.options.devices
    status = probe(request.engine)
    device = next((one for one in status.devices if not wanted or one.id == wanted[0]), None)
    if request.engine != GPU.name or device is None:
        return
    if cudasw.find() is None:
        yield "  CUDASW++ 4.0 is not installed (its programs 'align' and 'makedb' are not on the path)."
        return
    if not cudasw.can_score(request.scheme):
        yield f"  CUDASW++ 4.0 has no matrix {request.scheme.matrix.name}."
        return
    try:
        for peer in _peers(request, result, measured, device):
            name = f"CUDASW++ 4.0, query of {peer.length:,} residues"
            yield _line(name, peer.gcups, peer.energy.watts, peer.gcups_per_watt)
    except EngineFault as fault:
        yield f"  {fault}"


def _peers(request: SweepRequest, result: SweepResult, measured: list[Cell], device: DeviceInfo) -> Iterator[PeerSpeed]:
    query, database = request.sequences(threading.Event())
    speeds: dict[int, float] = {}
    axis = next((place for place, one in enumerate(result.axes) if one.name == QUERY_AXIS), None)
    for cell in measured:
        length = len(query) if axis is None else int(cell.place[axis])
        speeds[length] = max(speeds.get(length, 0.0), cell.median)
    capability = device.facts.get("compute capability", "")
    with closing(Monitor()) as monitor, cudasw.at_hand(device.id, capability, request.scheme) as peer:
        monitor.open((device,))
        if peer is None:
            return
        print("Measuring CUDASW++ 4.0 ...", file=sys.stderr, flush=True)
        peer.take(database)
        for length, speed in speeds.items():
            prefix = EncodedQuery(query.id, np.resize(query.codes, length))
            yield peer.measure(prefix, database.residues, request.watts * speed / 2, EnergyMeter(monitor, device.id))
