"""The command line: ``swgui`` opens the window, ``swgui COMMAND`` works in the terminal.

Exit status: 0 done, 1 failed or stopped, 2 wrong usage. Errors are one sentence on the standard error.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

import swgui
from swgui.cli import audit, databases, devices, doctor, pair, saved, search, worker
from swgui.core.errors import InvalidParameter, SwguiError


@dataclass(frozen=True, slots=True)
class Command:
    """One command: what it is for, its arguments, and the function that returns the exit status.

    A command without `add_arguments` reads its arguments by itself; they come as ``arguments.rest``.
    """

    help: str
    run: Callable[[argparse.Namespace], int]
    add_arguments: Callable[[argparse.ArgumentParser], None] | None = None


def _bench(arguments: argparse.Namespace) -> int:
    from swgui import bench  # loaded only when asked for

    return bench.main(arguments.rest)


COMMANDS: Final = {
    "search": Command("search queries against a database", search.run, search.add_arguments),
    "audit": Command("compare another program's table with the exact hits", audit.run, audit.add_arguments),
    "pair": Command("align two long sequences", pair.run, pair.add_arguments),
    "show": Command("print the hits of a saved search", saved.show, saved.add_show_arguments),
    "verify": Command("search again and compare every score", saved.run_verify, saved.add_verify_arguments),
    "makedb": Command("build a database file from sequence files", databases.makedb, databases.add_makedb_arguments),
    "info": Command("describe a database file, and check it", databases.info, databases.add_info_arguments),
    "worker": Command("score for a cluster, until it is stopped", worker.run, worker.add_arguments),
    "devices": Command("list engines and devices of this computer", devices.run, devices.add_arguments),
    "doctor": Command("check the installation and the scores of every engine", doctor.run, doctor.add_arguments),
    "bench": Command("measure the speed of the engines", _bench),
}

WINDOW_OPTIONS: Final = ("--sample", "--snapshot")  # of `swgui.app`, for tests of packages and for pictures


def build_parser() -> argparse.ArgumentParser:
    """Return the parser of all commands."""
    parser = argparse.ArgumentParser(
        prog="swgui",
        description="Exact Smith-Waterman database search. Without a command the window opens.",
    )
    parser.add_argument("--version", action="version", version=f"swgui {swgui.__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for name, command in COMMANDS.items():
        own = command.add_arguments is None
        description = command.help.capitalize() + "."
        child = commands.add_parser(name, help=command.help, description=description, add_help=not own)
        if command.add_arguments is not None:
            command.add_arguments(child)
        child.set_defaults(run=command.run)
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Run the program; returns the exit status."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    if not arguments or arguments[0] in WINDOW_OPTIONS or (arguments[0][:1] != "-" and arguments[0] not in COMMANDS):
        return _open_window(arguments)
    parser = build_parser()
    parsed, rest = parser.parse_known_args(arguments)
    if rest and COMMANDS[parsed.command].add_arguments is not None:
        parser.error(f"unrecognized arguments: {' '.join(rest)}")
    parsed.rest = rest
    try:
        return int(parsed.run(parsed))
    except SwguiError as error:
        print(f"swgui: {error}", file=sys.stderr)
        return 2 if isinstance(error, InvalidParameter) else 1
    except KeyboardInterrupt:
        print("swgui: stopped.", file=sys.stderr)
        return 1
    except BrokenPipeError:
        # The reader of our output (head, less) has seen enough; say nothing, also not at exit.
        sys.stderr.close()
        return 1


def _open_window(files: Sequence[str]) -> int:
    unknown = [name for name in files if not _looks_like_a_file(name)]
    if unknown and files[0] not in WINDOW_OPTIONS:
        print(
            f"swgui: '{unknown[0]}' is neither a command nor a file. Commands are {', '.join(COMMANDS)}.",
            file=sys.stderr,
        )
        return 2
    from swgui import app  # Qt is loaded only for the window

    return app.run(files)


def _looks_like_a_file(name: str) -> bool:
    from pathlib import Path

    return Path(name).exists()
