"""The program: which command runs, its parser, its exit status, and the window without one."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from types import ModuleType
from typing import TYPE_CHECKING, Final, NoReturn

# Before the import of NumPy: its products are small here, on many threads at once, and threads of BLAS for each of them
# would wait for one another: fits and profiles of 400 queries took three to six times as long on 16 cores.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import swgui
from swgui.cli.ending import BROKEN_PIPE, interrupted, interruptible, leave, signalled
from swgui.cli.streams import standard_error, standard_output
from swgui.commands.helping import CommandParser, Overview
from swgui.commands.parser import WRONG_USAGE, Parser
from swgui.commands.table import COMMANDS, Command, declared
from swgui.core.errors import InvalidParameter, SwguiError, explaining
from swgui.paths import site_defaults

if TYPE_CHECKING:
    from swgui.cli.importing import Finder

CONFIG_HELP: Final = "defaults of options, instead of the file of the site"
# Modules in which NumPy writes help into its functions in C: a tenth of its import, and no command shows any of it.
NUMPY_TEXTS: Final = ("numpy._core._add_newdocs", "numpy._core._add_newdocs_scalars")
WINDOW_OPTIONS: Final = ("--sample", "--snapshot")  # of `swgui.app`, for tests of packages and for pictures


def build_parser(commands: Sequence[Command] = tuple(COMMANDS.values())) -> Parser:
    """Return the parser of some commands with their options; without `commands` that of all, without options."""
    known = (*COMMANDS.values(), *(() if commands else declared().values()))
    parser = Overview(prog="swgui", description="Exact Smith-Waterman database search.")
    parser.commands = known
    version = f"swgui {swgui.__version__}"
    parser._optionals.add_argument("-V", "--version", action="version", version=version, help="print the version")
    subparsers = parser.add_subparsers(
        dest="command", metavar="COMMAND", required=True, prog=parser.prog, parser_class=CommandParser
    )
    for command in commands or known:
        description = f"{command.help[:1].upper()}{command.help[1:]}."
        child = subparsers.add_parser(command.name, help=command.help, description=description)
        child.command = command
        if command in commands:
            command.declare(child)
            child._optionals.add_argument("--config", metavar="FILE.toml", help=CONFIG_HELP)
    return parser


def run(finder: Finder | None = None) -> NoReturn:
    """Run the program as a process of its own, which ends with it.

    Parameters
    ----------
    finder : Finder, optional
        How the process finds modules; those that it has imported are kept for the next one.
    """
    for name in NUMPY_TEXTS:
        sys.modules.setdefault(name, ModuleType(name))  # found there, and empty; other versions have other modules
    gc.disable()  # while a command is imported, as imports free next to nothing: `Command.execute`
    try:
        status = main()
    except SystemExit as end:  # after help, and after wrong words
        if not isinstance(end.code, int):
            raise
        status = end.code
    if status == 0 and finder is not None and finder.others:
        from swgui.cli.keeping import keep  # here: seldom

        with suppress(KeyboardInterrupt):
            keep(finder)
    if "PySide6" in sys.modules:  # a window is closed in order
        sys.exit(status)
    leave(status)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the program; returns the exit status."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    if not arguments or arguments[0] in WINDOW_OPTIONS or (arguments[0][:1] != "-" and _command(arguments[0]) is None):
        return _open_window(arguments)
    try:
        with explaining(), standard_error(), standard_output(), interruptible():
            return signalled(_timed(arguments) if "--timings" in arguments else run_command(arguments))
    except SwguiError as error:
        print(f"swgui: {error}", file=sys.stderr)
        return WRONG_USAGE if isinstance(error, InvalidParameter) else signalled(1)
    except KeyboardInterrupt:
        print("swgui: stopped.", file=sys.stderr)
        return interrupted()
    except MemoryError:
        print("swgui: there is not enough memory for this; close other programs or lift the limit.", file=sys.stderr)
        return 1
    except BrokenPipeError:  # the reader of our output (head, less) has seen enough: say nothing
        return BROKEN_PIPE


def run_command(arguments: Sequence[str]) -> int:
    """Carry out the command that the first argument names; returns the exit status."""
    wanted = _command(arguments[0])
    parser = build_parser([wanted] if wanted else [])
    parsed, rest = parser.parse_known_args(arguments)
    if rest:
        parsed.parser.unknown(rest)
    parsed.words = tuple(arguments)
    if wanted and wanted.options and (path := site_defaults(parsed.config)) is not None:
        from swgui.commands.site import apply_defaults  # here: few have defaults of a site

        apply_defaults(path, parsed.parser, wanted, parsed, arguments)
    if not any(getattr(parsed, name, None) for name in ("quiet", "verbose", "log")):
        return int(parsed.run(parsed))
    from swgui.cli.messages import logging_to

    with logging_to(parsed, arguments):
        return int(parsed.run(parsed))


def _command(name: str) -> Command | None:
    """Return a command, also one of a kind of run that a package adds; None if there is none of this name."""
    return COMMANDS.get(name) or declared().get(name)


def _timed(arguments: Sequence[str]) -> int:
    from swgui.cli.timings import timed

    return timed(lambda: run_command(arguments))


def _open_window(files: Sequence[str]) -> int:
    unknown = [name for name in files if not _looks_like_a_file(name)]
    if unknown and files[0] not in WINDOW_OPTIONS:
        print(
            f"swgui: '{unknown[0]}' is neither a command nor a file. Commands are {', '.join(COMMANDS | declared())}.",
            file=sys.stderr,
        )
        return WRONG_USAGE
    if problem := _no_window():
        print(f"swgui: {problem}", file=sys.stderr)
        return 1
    from swgui import app  # Qt is loaded only for the window

    gc.enable()
    return app.run(files)


def _no_window() -> str:
    """Sentence on the packages or system libraries without which the window cannot open; empty if it can."""
    import importlib

    from swgui.packages import INSTALL_WINDOW, missing_for_window

    if missing := missing_for_window():
        return (
            f"The window needs {' and '.join(missing)}: install it with '{INSTALL_WINDOW}', or use the command line "
            "('swgui --help')."
        )
    try:
        importlib.import_module("PySide6.QtWidgets")
    except ImportError as fault:
        return f"The window cannot open, because Qt does not load ({fault}): 'swgui doctor' names what to install."
    return ""


def _looks_like_a_file(name: str) -> bool:
    return os.path.exists(name)
