"""The standard output and the standard error of a command: failures to write, and signs that terminals obey."""

from __future__ import annotations

import errno
import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any, TextIO

from swgui.core.errors import SwguiError


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
