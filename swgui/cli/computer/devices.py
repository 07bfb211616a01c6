"""``swgui devices``, ``doctor`` and ``completion``: what this computer has, and what its shell completes."""

from __future__ import annotations

import argparse
import json
import sys
import textwrap
from collections.abc import Mapping
from itertools import zip_longest
from typing import Any, Final

from swgui.commands.option import Group, Option
from swgui.core.errors import InvalidParameter
from swgui.core.methods.search import SEARCH_METHODS
from swgui.core.plain import plain
from swgui.engines.base import DeviceInfo, EngineStatus
from swgui.engines.facts import GPU
from swgui.engines.registry import facts, probe_engines
from swgui.jobs.doctor import examine, exit_status

WIDTH: Final = 100
OPTIONS: Final = (Group((Option(("--json",), "for programs", default=False, flag=True),)),)


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


MARKS = {"fine": "ok", "note": "note", "problem": "PROBLEM"}


def doctor(arguments: argparse.Namespace) -> int:
    """Print what was found, one line per thing, as it is found; 1 if something must be put right."""
    findings = []
    for finding in examine():
        findings.append(finding)
        print(f"{MARKS[finding.level]:<8} {finding.topic}: {finding.message}")
        if finding.hint:
            print(f"{'':<8} {finding.hint}")
    return exit_status(findings)


SHELLS: Final = ("bash", "zsh", "fish", "tcsh")
_FILES: Final = ("FILE", "DIR", "FOLDER", "DB", "RUN", "A", "B")  # and what has an ending, as NAME.swdb
COMPLETION: Final = (
    Group((Option(("shell",), f"{', '.join(SHELLS[:-1])} or {SHELLS[-1]}", "SHELL", required=True, choices=SHELLS),)),
)


def completion(arguments: argparse.Namespace) -> int:
    """Print the script of a shell.

    Raises
    ------
    InvalidParameter
        If the library that writes it is not installed.
    """
    try:
        import shtab
    except ImportError:
        raise InvalidParameter(
            "shell",
            arguments.shell,
            "Completion needs the library shtab, which is not installed.",
            hint="Install it with 'pip install shtab'.",
        ) from None
    from swgui.cli import build_parser

    parser = build_parser()
    _name_files(parser, shtab.FILE)
    sys.stdout.write(shtab.complete(parser, arguments.shell))
    return 0


def _name_files(parser: argparse.ArgumentParser, files: Mapping[str, object]) -> None:
    """Say which options and arguments take files."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for child in action.choices.values():
                _name_files(child, files)
        elif _is_file(action):
            named: Any = action
            named.complete = files


def _is_file(action: argparse.Action) -> bool:
    """Whether the value of an option or argument may be a file, by what stands for it in the help."""
    words = action.metavar.split("|") if isinstance(action.metavar, str) else ()
    return any("." in word or word in _FILES for word in words)
