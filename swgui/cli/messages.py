"""``--quiet``, ``--verbose`` and ``--log``: how much a command says, and where."""

from __future__ import annotations

import argparse
import io
import logging
import shlex
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, TextIO

from swgui import __version__
from swgui.cli.remarks import NAME
from swgui.cli.streams import fit_for_terminals
from swgui.core.errors import InvalidParameter, explained
from swgui.io.outputs import keep_inputs
from swgui.io.whole_file import check_place, not_written

_TIME = "%Y-%m-%d %H:%M:%S"


@contextmanager
def logging_to(arguments: argparse.Namespace, words: Sequence[str]) -> Iterator[None]:
    """Send messages to the standard error and the log as the arguments demand, while the command runs.

    Parameters
    ----------
    arguments : Namespace
        With the values of `swgui.commands.common.MESSAGES`.
    words : sequence of str
        Of the command, for the log.

    Raises
    ------
    InvalidParameter
        If both fewer and more messages are requested, or the log is a file of the work.
    FileNotWritten
        If the log cannot be written.
    """
    if arguments.quiet and arguments.verbose:
        raise InvalidParameter("quiet", True, "--quiet and --verbose ask for opposites.", hint="Leave out one of them.")
    log = _opened(arguments) if arguments.log else None
    before, logger = sys.stderr, logging.getLogger("swgui")
    level, handler = logger.level, _Handler(log, verbose=arguments.verbose)
    sys.stderr = stream = _LoggedStream(before, log, quiet=arguments.quiet)
    if arguments.verbose or log:
        logger.addHandler(handler)
        logger.setLevel(logging.INFO)
    began = time.monotonic()
    logger.info("version %s: %s", __version__, shlex.join(["swgui", *words]))
    try:
        yield
        logger.info("Done after %.1f s.", time.monotonic() - began)
    except BaseException as error:
        stream.note(str(explained(error) if isinstance(error, OSError) else error) or "stopped")
        raise
    finally:
        sys.stderr = before
        logger.removeHandler(handler)
        logger.setLevel(level)
        if log is not None:
            log.close()


def _opened(arguments: argparse.Namespace) -> IO[str]:
    """Open the log, which must be no file of the work."""
    named = {name: value for name, value in vars(arguments).items() if name not in ("log", "command")}
    files = [
        (name.replace("_", " "), text)
        for name, value in named.items()
        for text in (value if isinstance(value, list) else [value])
        if isinstance(text, str)
    ]
    keep_inputs(arguments.log, files, parameter="log", hint="Name another file with --log.")
    check_place(arguments.log)
    try:
        return open(arguments.log, "a", encoding="utf-8", errors="backslashreplace")
    except OSError as fault:
        raise not_written(Path(arguments.log), fault) from fault


class _LoggedStream(io.TextIOBase):
    """Copies text to a stream, and whole lines but those of progress (which begin with a return) to the log."""

    def __init__(self, stream: TextIO, log: IO[str] | None, *, quiet: bool) -> None:
        self._behind = stream
        self._stream = None if quiet else stream
        self._log = log
        self._begun = ""

    def write(self, text: str) -> int:
        if self._stream is not None:
            self._stream.write(text)
        if self._log is not None and not text.startswith("\r"):
            *lines, self._begun = (self._begun + text).split("\n")
            for line in lines:
                self.note(line)
        return len(text)

    def insist(self, text: str) -> None:
        """Write whole lines, also where all else is silenced."""
        if self._stream is None:
            self._behind.write(text)
        self.write(text)

    def note(self, text: str) -> None:
        """Write a line to the log."""
        if self._log is not None and text.strip():
            _write(self._log, text.removeprefix(NAME))

    def flush(self) -> None:
        if self._stream is not None:
            self._stream.flush()

    def isatty(self) -> bool:
        return self._stream is not None and self._stream.isatty()


class _Handler(logging.Handler):
    """Writes messages: to the standard error with ``--verbose``, otherwise to the log alone."""

    def __init__(self, log: IO[str] | None, *, verbose: bool) -> None:
        super().__init__()
        self._log = log
        self._verbose = verbose

    def emit(self, record: logging.LogRecord) -> None:
        text = record.getMessage()
        if self._verbose or record.levelno >= logging.WARNING:
            sys.stderr.write(f"{NAME}{text}\n")
        elif self._log is not None:
            _write(self._log, text)


def _write(log: IO[str], text: str) -> None:
    with suppress(OSError):  # a full disk is no reason to lose the work
        log.write(f"{time.strftime(_TIME)} {fit_for_terminals(text)}\n")
        log.flush()
