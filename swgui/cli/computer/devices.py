"""``swgui devices``: the engines of this computer, their devices and methods."""

from __future__ import annotations

import argparse
import json
import textwrap
from itertools import zip_longest
from typing import Final

from swgui.core.methods.search import SEARCH_METHODS
from swgui.core.plain import plain
from swgui.engines.base import DeviceInfo, EngineStatus
from swgui.engines.facts import GPU
from swgui.engines.registry import facts, probe_engines

WIDTH: Final = 100


def run(arguments: argparse.Namespace) -> int:
    """List engines and devices."""
    statuses = probe_engines()
    if arguments.json:
        print(json.dumps([_as_json(status) for status in statuses], indent=2))
    else:
        print("\n".join(line for status in statuses for line in _as_text(status)))
        print("\n".join(_methods_text()))
    return 0


def _as_json(status: EngineStatus) -> dict[str, object]:
    return {
        "engine": status.name,
        "available": status.available,
        "reason": status.reason,
        "hint": status.hint,
        "devices": [plain(device) for device in status.devices],
        **({"methods": [plain(method) for method in SEARCH_METHODS.values()]} if facts(status.name).methods else {}),
    }


def _as_text(status: EngineStatus) -> list[str]:
    if not status.available:
        return [f"{status.name:<10} not available: {status.reason} {status.hint}".rstrip()]
    return [f"{status.name:<10} ready", *(f"{'':<10} {_device_text(device)}" for device in status.devices)]


def _methods_text() -> list[str]:
    lines = ["", f"methods of the {GPU.name} engine (swgui search --method NAME --setting NAME=VALUE)"]
    for method in SEARCH_METHODS.values():
        settings = "; ".join(f"{setting.name} {setting.allowed}" for setting in method.settings)
        parts = (method.summary, method.paper, f"Settings: {settings}.")
        told = [line for part in parts for line in textwrap.wrap(part, WIDTH)]
        lines += [f"{name:<10} {line}" for name, line in zip_longest((method.name,), told, fillvalue="")]
    return lines


def _device_text(device: DeviceInfo) -> str:
    memory = f", {device.memory / 2**30:.1f} GiB" if device.memory else ""
    facts = "".join(f", {name} {value}" for name, value in device.facts.items())
    return f"{device.id}: {device.name}{memory}{facts}"
