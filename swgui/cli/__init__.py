"""The command line: ``swgui`` opens the window, ``swgui COMMAND`` works in the terminal.

Exit status: 0 done, 1 failed, 2 wrong usage, 3 the result that was written is not complete, 4 found what --fail-on
names, 130 ended by Ctrl+C (143 by SIGTERM, 129 by SIGHUP), 141 if the reader of the output went away. Errors are one
sentence on the standard error.
"""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, NoReturn

    from swgui.cli.program import build_parser as build_parser
    from swgui.cli.program import main as main
    from swgui.commands.table import COMMANDS as COMMANDS


_OF_PROGRAM = ("COMMANDS", "build_parser", "main")


def run() -> NoReturn:
    """Run the program as a process of its own, which ends with it; the GPU's driver starts before its import."""
    try:
        from swgui.cli import importing

        finder = importing.shorten()
        from swgui.cli.waking import wake

        wake(sys.argv[1:])
        from swgui.cli import program
    except KeyboardInterrupt:  # before there is a program that could say so
        print("swgui: stopped.", file=sys.stderr)
        raise SystemExit(130) from None
    program.run(finder)


def __getattr__(name: str) -> Any:
    if name not in _OF_PROGRAM:
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
    from swgui.cli import program  # here: `run` has a driver started first

    return getattr(program, name)
