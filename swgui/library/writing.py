"""Outputs of results: the path of a file, or an open file."""

from __future__ import annotations

import io
import os
import tempfile
from abc import abstractmethod
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import IO, Any, TypeAlias

from swgui.core.errors import InvalidParameter
from swgui.io.whole_file import ending_of
from swgui.library.values import path_of

Output: TypeAlias = str | os.PathLike[str] | IO[str] | IO[bytes]


class Writable:
    """A result that `write` writes to a file."""

    _usual_format = "tsv"

    @abstractmethod
    def write(self, path: Output, format: str | None = None) -> None:
        """Write the result."""

    def to_string(self, format: str | None = None, **options: Any) -> str:
        """Text of the result in a format: what `write` writes to a file.

        Parameters
        ----------
        format : str, optional
            As of `write`; the usual text of such a result if not given, mostly ``tsv``.
        **options
            As of `write`.

        Raises
        ------
        InvalidParameter
            If there is no such format, or it is not text (``xlsx``).
        """
        out = io.StringIO()
        self.write(out, self._usual_format if format is None else format, **options)
        return out.getvalue()


def is_open_file(out: object) -> bool:
    """Whether an output is an open file, not a path."""
    return hasattr(out, "write") and not isinstance(out, str | os.PathLike)


def suffix_of(out: Output, formats: Iterable[str]) -> str:
    """Return the ending of a file, by which a result knows its format.

    Parameters
    ----------
    formats : iterable of str
        Those that there are, for the error.

    Raises
    ------
    InvalidParameter
        If the output is an open file.
    """
    if is_open_file(out):
        hint = f"Name one: {', '.join(formats)}."
        raise InvalidParameter("format", None, "An open file has no ending that tells the format.", hint=hint)
    return ending_of(path_of(out))


def save_to(out: Any, save: Callable[[Path], object]) -> None:
    """Call `save` with a path, or write to an open file what it writes to a path: bytes or, if it is for text, text.

    An open file is not written to if `save` fails.

    Raises
    ------
    InvalidParameter
        If the format is not text, and the file is open for text.
    """
    if not is_open_file(out):
        save(path_of(out))
        return
    with tempfile.TemporaryDirectory(prefix="swgui-") as folder:
        place = Path(folder) / "output"
        save(place)
        data = place.read_bytes()
    if not (isinstance(out, io.TextIOBase) or hasattr(out, "encoding")):
        out.write(data)
        return
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        hint = "Open the file with mode 'wb', or give a path."
        raise InvalidParameter(
            "path", out, "The format is not text, and the file is open for text.", hint=hint
        ) from None
    out.write(text)
