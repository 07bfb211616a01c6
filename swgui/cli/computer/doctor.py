"""``swgui doctor``: an examination of this installation, line by line."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from itertools import chain
from typing import Final, Literal

from swgui.cli.running import Report, deliver
from swgui.commands.option import Option
from swgui.commands.site import checked_defaults, command_defaults
from swgui.commands.table import COMMANDS
from swgui.core.errors import InvalidParameter
from swgui.core.plain import plain
from swgui.io.database.format import SUFFIX
from swgui.io.database.named import site_folders
from swgui.jobs.doctor import Finding, examine, exit_status
from swgui.paths import shared_cache_dir, site_defaults

MARKS: Final = {"fine": "ok", "note": "note", "problem": "PROBLEM"}


def doctor(arguments: argparse.Namespace) -> int:
    """Print the findings, one line each, as they come; return 1 if one of them is a problem."""
    findings = []
    for finding in chain(examine(), site_findings(arguments.config)):
        findings.append(finding)
        if not arguments.json:
            print(f"{MARKS[finding.level]:<8} {finding.topic}: {finding.message}")
            if finding.hint:
                print(f"{'':<8} {finding.hint}")
    status = exit_status(findings)
    deliver(arguments, Report(facts={"well": not status, "findings": [plain(finding) for finding in findings]}))
    return status


def site_findings(named: str | None) -> Iterator[Finding]:
    """Yield findings on the site: defaults of options, folders of databases, a shared cache."""
    path = site_defaults(named)
    if path is not None:
        try:
            everywhere, by_command = checked_defaults(path)
            known = [name for name, command in COMMANDS.items() if command.options]
            for name in dict.fromkeys(
                (*(name for name in by_command if name in known), *(known if everywhere else ()))
            ):
                set_here = [f"{_long(option)} {value}" for option, value in command_defaults(path, COMMANDS[name])]
                if set_here:
                    yield Finding("defaults", "fine", f"{path}: swgui {name}: {', '.join(set_here)}.")
        except InvalidParameter as error:
            yield Finding("defaults", "problem", str(error))
    for folder in site_folders():
        number = len(list(folder.glob(f"*{SUFFIX}")))
        level: Literal["fine", "problem"] = "fine" if folder.is_dir() else "problem"
        message = f"{number} in {folder}" if folder.is_dir() else f"there is no folder {folder}"
        yield Finding("databases of the site", level, f"{message}.")
    if (shared := shared_cache_dir()) is not None:
        there = shared.is_dir()
        state = "is read" if there else "is not there"
        yield Finding("shared cache", "fine" if there else "problem", f"{shared} {state}.")


def _long(option: Option) -> str:
    return next((name for name in option.names if name.startswith("--")), option.names[0])
