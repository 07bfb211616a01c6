"""The terminal: what is written to it, signals that ask for an end, the end of the process, and ``--timings``."""

from __future__ import annotations

import atexit
import builtins
import errno
import io
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, Final, NoReturn, TextIO

from swgui.core.errors import SwguiError
from swgui.core.signals import RECEIVED, handling
from swgui.core.trace import part, tracing

if TYPE_CHECKING:
    from swgui.io.sequences.report import ReadReport

NAME: Final = "swgui: "  # before messages on the standard error
BROKEN_PIPE: Final = 141  # exit status of a program that SIGPIPE ended, as shells count it
BY_SIGNAL: Final = 128  # number that shells add to that of the signal that ended a program


class OutputFailed(SwguiError, OSError):
    """The standard output takes no more."""


@contextmanager
def standard_output() -> Iterator[None]:
    """Watch what is written to the standard output, to its last byte.

    Characters that its encoding lacks are written as escapes.

    Raises
    ------
    OutputFailed
        If it is full or closed.
    BrokenPipeError
        If its reader has seen enough.
    """
    before: Any = sys.stdout
    if isinstance(before, io.TextIOWrapper):
        before.reconfigure(errors="backslashreplace")
    sys.stdout = _Watched(before)
    try:
        try:
            yield
        except SystemExit:  # after help or a version, which are written too
            sys.stdout.flush()
            raise
        sys.stdout.flush()
    except (OutputFailed, BrokenPipeError):
        _discard(before)
        raise
    finally:
        sys.stdout = before


class _Watched(io.TextIOBase):
    """The standard output, failing with `OutputFailed`; `stream` is None if it was closed from the start."""

    def __init__(self, stream: TextIO | None) -> None:
        self._stream = stream
        self._failure: OSError | None = None  # raised again by `flush`: argparse passes over what its help meets

    def write(self, text: str) -> int:
        if self._stream is None:
            raise self._failed(OSError(errno.EBADF, os.strerror(errno.EBADF)))
        try:
            return self._stream.write(text)
        except OSError as fault:
            raise self._failed(fault) from fault

    def flush(self) -> None:
        if self._failure is not None:
            raise self._failure
        if self._stream is not None:
            try:
                self._stream.flush()
            except OSError as fault:
                raise self._failed(fault) from fault

    def isatty(self) -> bool:
        return self._stream is not None and self._stream.isatty()

    def _failed(self, fault: OSError) -> OSError:
        self._failure = fault if isinstance(fault, BrokenPipeError) else _output_failed(fault)
        return self._failure


class _Messages(io.TextIOBase):
    """The standard error, which gets nothing that a terminal would obey: names come from files."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        return self._stream.write(fit_for_terminals(text))

    def flush(self) -> None:
        self._stream.flush()

    def isatty(self) -> bool:
        return self._stream.isatty()


@contextmanager
def standard_error() -> Iterator[None]:
    """Make what is written to the standard error fit for terminals."""
    before = sys.stderr
    sys.stderr = _Messages(before) if before is not None else before
    try:
        yield
    finally:
        sys.stderr = before


def fit_for_terminals(text: str) -> str:
    """Return a text without the signs that a terminal would obey, other than ends of lines and tabs."""
    if text.isprintable():
        return text
    return "".join(sign if sign.isprintable() or sign in "\n\r\t" else "\N{REPLACEMENT CHARACTER}" for sign in text)


def _output_failed(fault: OSError) -> OutputFailed:
    reason = (fault.strerror or str(fault)).lower()
    return OutputFailed(
        f"The standard output cannot be written ({reason}); the output is incomplete.", hint="Write to a file with -o."
    )


def _discard(stream: TextIO | None) -> None:
    """Drop what the stream still holds, so that it does not fail again when Python ends."""
    with suppress(OSError, ValueError, AttributeError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())  # type: ignore[union-attr]  # None has no number, as a test's stand-in has none
        os.close(nowhere)


def leave(status: int) -> NoReturn:
    """End the process with a status, once other threads and functions for the end are done.

    Python would destroy every object, and a GPU's driver all that it holds; the system does it in much less time.
    """
    with suppress(KeyboardInterrupt):  # a second request does not wait for threads
        threading._shutdown()  # type: ignore[attr-defined]  # what the interpreter does first, too
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        with suppress(Exception):  # the reader has gone, or there is none
            stream.flush()
    os._exit(status)


@contextmanager
def interruptible() -> Iterator[None]:
    """Let every signal that asks for an end raise `KeyboardInterrupt`, so that unfinished files are removed."""
    RECEIVED.clear()
    with handling(signal.default_int_handler):
        yield


def signalled(status: int) -> int:
    """Return the exit status of a command that came to an end with `status`.

    That of the first signal, as shells count it, if one asked for the end and not all was done.
    """
    return BY_SIGNAL + RECEIVED[0] if status and RECEIVED else status


def interrupted() -> int:
    """Return the exit status of a command that was broken off: 130 for Ctrl+C."""
    return BY_SIGNAL + (RECEIVED[0] if RECEIVED else signal.SIGINT)


def timed(work: Callable[[], int]) -> int:
    """Run a command, say where its time went, and return its exit status."""
    with tracing(before=time.process_time()) as trace:  # so far the program has done nothing but start
        with _imports():
            status = work()
        sys.stdout.flush()
        print(f"swgui: {trace.text()}", file=sys.stderr)
    return status


@contextmanager
def _imports() -> Iterator[None]:
    """Count what is imported meanwhile."""
    plain = builtins.__import__

    def counted(name: str, *arguments: Any, **more: Any) -> Any:
        with part("import"):
            return plain(name, *arguments, **more)

    builtins.__import__ = counted
    try:
        yield
    finally:
        builtins.__import__ = plain


def tell_remarks(report: ReadReport, source: str = "") -> None:
    """Print a reader's changes and remarks; with ``--quiet`` only changes of residues.

    Parameters
    ----------
    source : str
        The source of the records, if the remarks do not name it.
    """
    before = f"{NAME}{source}: " if source else NAME
    for text in report.brief(altering=True):
        insist(f"{before}{text}")
    for text in report.brief(altering=False):
        print(f"{before}{text}", file=sys.stderr)


def insist(text: str) -> None:
    """Print a line on the standard error, also with --quiet."""
    write = getattr(sys.stderr, "insist", sys.stderr.write)  # that of `swgui.cli.messages`
    write(f"{text}\n")
