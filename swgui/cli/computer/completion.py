"""``swgui completion``: the script that lets a shell complete commands, options and files."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping
from typing import Any, Final

from swgui.commands.option import Group, Option
from swgui.core.errors import InvalidParameter

SHELLS: Final = ("bash", "zsh", "fish", "tcsh")
_FILES: Final = ("FILE", "DIR", "FOLDER", "DB", "RUN", "A", "B")  # and what has an ending, as NAME.swdb
COMPLETION: Final = (
    Group((Option(("shell",), f"{', '.join(SHELLS[:-1])} or {SHELLS[-1]}", "SHELL", required=True, choices=SHELLS),)),
)


def completion(arguments: argparse.Namespace) -> int:
    """Print the script of a shell; errors as in `script`."""
    sys.stdout.write(script(arguments.shell))
    return 0


def script(shell: str) -> str:
    """Script that lets a shell (of `SHELLS`) complete commands, options and files.

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
            shell,
            "Completion needs the library shtab, which is not installed.",
            hint="Install it with 'pip install shtab'.",
        ) from None
    from swgui.cli import build_parser

    parser = build_parser()
    _name_files(parser, shtab.FILE)
    return str(shtab.complete(parser, shell))


def _name_files(parser: argparse.ArgumentParser, files: Mapping[str, object]) -> None:
    """Return the options and arguments that take files."""
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
