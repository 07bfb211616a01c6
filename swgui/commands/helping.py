"""Help: the list of all commands, one screen on a command (``-h``), and all its options with examples (``--help``)."""

from __future__ import annotations

import argparse
import re
import textwrap
from collections.abc import Iterator, Sequence
from typing import Final

from swgui.commands.parser import Parser
from swgui.commands.table import GROUPS, Command

WIDTH: Final = 80  # columns of the usual terminal
COLUMN: Final = 26  # where the help of an option begins
CHOICES: Final = 22  # characters of choices that the short help writes out
CLAUSE: Final = r"(?:[^;(]|\([^)]*\))*"  # up to a semicolon that is not in brackets
COMMON: Final = ("quiet", "verbose", "log", "config")  # options of every command, which the short help leaves out
IN_SAMPLE: Final = "Examples (in a folder that 'swgui sample FOLDER' wrote):"


class CommandParser(Parser):
    """The parser of one command, with a short help and a long one."""

    command: Command | None = None

    def short_help(self) -> str:
        """Help on one screen: usage, purpose, examples and the usual options."""
        parts = [self.line(), "", *textwrap.wrap(self.description or "", WIDTH - 1), "", *_examples(self.command)]
        parts += ["Options:", *(line for action in self._usual() for line in _described(action))]
        parts += ["", f"All options: {self.prog} --help", *manual_line()]
        return "\n".join(parts) + "\n"

    def format_help(self) -> str:
        """Help with every option, examples and the place of the manual."""
        return super().format_help() + "\n".join(["", *_examples(self.command), *manual_line(), ""])

    def _usual(self) -> Iterator[argparse.Action]:
        first = self.command.first if self.command is not None else ()
        for action in self._actions:
            named = not {*first}.isdisjoint(action.option_strings) if first else action.dest not in COMMON
            if named or not action.option_strings:
                yield action


class Overview(Parser):
    """The parser of the program, whose help lists the commands by groups."""

    commands: Sequence[Command] = ()

    def format_help(self) -> str:
        """Help with every command, by groups."""
        lines = ["usage: swgui COMMAND [options]", "       swgui [FILE ...]   (opens the window)", ""]
        lines += [self.description or "", ""]
        width = max(len(command.name) for command in self.commands) + 2
        groups = [*GROUPS, *dict.fromkeys(command.group for command in self.commands if command.group not in GROUPS)]
        for group in groups:
            members = [command for command in self.commands if command.group == group]
            if members:
                lines += [f"{group}:", *(line for one in members for line in _beside(f"  {one.name}", one.help, width))]
                lines.append("")
        lines += ["swgui COMMAND -h shows the usual options, swgui COMMAND --help all of them."]
        return "\n".join([*lines, *manual_line(), ""])


def manual_line() -> list[str]:
    """Line that names the first page of the manual; nothing where the installation has none."""
    from swgui.paths import documentation  # here: only for help

    page = documentation()
    return [] if page is None else [f"Manual: {page}"]


def _examples(command: Command | None) -> list[str]:
    if command is None or not command.examples:
        return []
    return [IN_SAMPLE, *(f"  {line}" for line in command.examples), ""]


def _described(action: argparse.Action) -> Iterator[str]:
    text = re.match(CLAUSE, (action.help or "").replace("%%", "%"))
    yield from _beside(f"  {_name(action)}", text[0] if text else "", COLUMN - 2)


def _name(action: argparse.Action) -> str:
    value = ""
    if action.metavar is not None:
        value = str(action.metavar)
    elif action.choices:
        value = f"{{{','.join(map(str, action.choices))}}}"
        value = value if len(value) <= CHOICES else action.dest.upper()
    elif action.nargs != 0:
        value = action.dest.upper()
    long = next((name for name in action.option_strings if name.startswith("--")), "")
    names = [name for name in action.option_strings[:1] if name != long] + [long] * bool(long)
    return " ".join(part for part in (", ".join(names), value) if part)


def _beside(name: str, text: str, width: int) -> Iterator[str]:
    """Yield lines with a text to the right of its name, or below a name that is too long."""
    column = width + 2
    lines = textwrap.wrap(text, WIDTH - 1 - column) or [""]
    if len(name) > column - 2:
        yield name
    else:
        yield f"{name:<{column}}{lines.pop(0)}".rstrip()
    yield from (" " * column + line for line in lines)
