"""The standard output of a command: a failure to write to it is a sentence, not a traceback."""

from __future__ import annotations

import errno
import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any, Final, TextIO

from swgui.core.errors import SwguiError

BROKEN_PIPE: Final = 141  # exit status of a program that SIGPIPE ended, as shells count it


class OutputFailed(SwguiError, OSError):
    """The standard output takes no more."""


@contextmanager
def standard_output() -> Iterator[None]:
    """Watch what is written to the standard output, to its last byte.

    What its encoding does not have is written as an escape.

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
    """Passes text on; `stream` is None if the output was closed before the program began."""

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


def _output_failed(fault: OSError) -> OutputFailed:
    reason = (fault.strerror or str(fault)).lower()
    return OutputFailed(
        f"The standard output cannot be written ({reason}); what it took is not all.", hint="Write to a file with -o."
    )


def _discard(stream: TextIO | None) -> None:
    """Send what is still held back nowhere, so that it does not fail again when Python ends."""
    with suppress(OSError, ValueError, AttributeError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())  # type: ignore[union-attr]  # None has no number, as a test's stand-in has none
        os.close(nowhere)
