"""Opening a file of the program to read it, or saying in a sentence why that cannot be."""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from swgui.core.errors import MISSING, SwguiError
from swgui.io.replacing import opener
from swgui.paths import no_folder


def open_to_read(path: Path, kind: str, error: Callable[..., SwguiError]) -> IO[bytes]:
    """Open a binary file.

    Parameters
    ----------
    kind : str
        What it should be, as in "a database".
    error : callable
        Class of the error, called as ``error(path, message, hint=...)``.

    Raises
    ------
    SwguiError
        Of the class `error`: a folder, a pipe, no permission, or what the system says; where there is no such file,
        of the class that `MISSING` has for it.
    """
    where, name = str(path), path.name or str(path)
    if path.is_dir():
        raise error(where, f"'{name}' is a folder, not {kind}.", hint="Choose a file in it.")
    try:
        if path.exists() and not path.is_file():  # to open a pipe would mean to wait for its writer
            raise error(where, f"'{name}' is a pipe or a device, not {kind}.", hint="Choose a file.")
        return io.BufferedReader(_Named(os.fspath(path), opener=opener))
    except SwguiError:
        raise
    except FileNotFoundError:
        hint = "Check the name; it may have been moved or deleted."
        raise MISSING.get(error, error)(where, f"There is no {kind.partition(' ')[2]} '{path}'.", hint=hint) from None
    except PermissionError:
        raise error(where, f"'{name}' may not be read by you.", hint="Ask its owner.") from None
    except (OSError, ValueError) as fault:
        raise error(where, not_opened(path, fault)) from fault


class _Named(io.FileIO):
    """A file whose errors say its name, which the system does not once it is open."""

    def readinto(self, buffer: Any, /) -> int | None:
        with self._named():
            return super().readinto(buffer)

    def readall(self) -> bytes:
        with self._named():
            return super().readall()

    def seek(self, offset: int, whence: int = 0, /) -> int:
        with self._named():
            return super().seek(offset, whence)

    @contextmanager
    def _named(self) -> Iterator[None]:
        try:
            yield
        except OSError as fault:
            fault.filename = self.name
            raise


def not_opened(path: Path, fault: OSError | ValueError) -> str:
    """Return the sentence for what the system says of a file that is to be read."""
    reason = getattr(fault, "strerror", None) or fault
    if isinstance(fault, NotADirectoryError):
        reason = f"'{no_folder(path) or path.parent}' is not a folder"
    return f"'{path.name or path}' cannot be opened: {reason}."


def is_file(path: Path) -> bool:
    """Return whether there is such a file; not for a name that no file can have."""
    try:
        return path.is_file()
    except (OSError, ValueError):  # a circle of links; a zero byte in the name
        return False
