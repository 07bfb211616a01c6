"""How far a search by rule is, on disk: an append-only file that survives a crash at any moment.

::

    magic                         8 bytes
    records                       as in `swgui.io.frames`

The first record is JSON: what is asked, of which database. Each block that was scanned is a record of JSON and, behind
it, the columns of its places, so many at a time. What is not whole at the end is forgotten and scanned again. While
the file is open it is locked.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import IO, Any, Final

import numpy as np

from swgui.core.errors import SwguiError
from swgui.core.rules.places import Places, concatenated
from swgui.io.frames import framed, read_frame
from swgui.io.locking import lock
from swgui.io.whole_file import not_written

MAGIC: Final = b"\x93SWRULE\n"
AT_A_TIME: Final = 1 << 20  # places of a record
_COLUMNS: Final = tuple(Places.__dataclass_fields__)


class RuleStateError(SwguiError, OSError):
    """A state that cannot be gone on from."""


class RuleState:
    """The open state of a search by rule.

    Parameters
    ----------
    facts : Mapping
        What an existing file must agree in, by what the user reads of a difference.

    Raises
    ------
    RuleStateError
        If the file is of another search, in use, or no state.
    FileNotWritten
        If it cannot be made or opened.
    """

    def __init__(self, path: Path, facts: Mapping[str, Any]) -> None:
        self.path = path
        plain = json.loads(json.dumps(facts))
        try:
            self._file: IO[bytes] = open(  # noqa: SIM115
                path, "r+b", buffering=0, opener=lambda name, flags: os.open(name, flags | os.O_CREAT, 0o600)
            )
        except OSError as fault:
            raise not_written(path, fault) from fault
        try:
            if not lock(self._file):
                raise RuleStateError(f"The state '{path.name}' is in use by another search.")
            if self._file.read(1):
                self._compare(plain)
            else:
                self._write(MAGIC + framed(json.dumps(plain).encode()))
        except BaseException:
            self._file.close()
            raise

    def _compare(self, facts: Mapping[str, Any]) -> None:
        self._file.seek(0)
        before = _head(self._file, self.path)
        if other := [name for name, value in facts.items() if before.get(name) != value]:
            raise RuleStateError(
                f"The state '{self.path.name}' is of {' and '.join(other)}.",
                hint="Ask for what it was made with, or name another file with --state.",
            )

    def blocks(self) -> Iterator[tuple[dict[str, Any], Places]]:
        """Yield what was kept of each block, and its places; what is added later comes behind them."""
        self._file.seek(len(MAGIC))
        read_frame(self._file)
        end = self._file.tell()
        for facts, places in _blocks(self._file):
            yield facts, places
            end = self._file.tell()
        self._file.truncate(end)
        self._file.seek(end)

    def add(self, facts: Mapping[str, Any], places: Places) -> None:
        """Keep a block that was scanned; `FileNotWritten` if it cannot be."""
        frames = [framed(json.dumps(facts).encode())]
        for first in range(0, len(places), AT_A_TIME):
            part = places.take(slice(first, first + AT_A_TIME))
            frames.append(framed(np.stack([np.asarray(getattr(part, name), "<i8") for name in _COLUMNS]).tobytes()))
        for frame in frames:
            self._write(frame)

    def _write(self, content: bytes) -> None:
        try:
            left = memoryview(content)
            while left:
                left = left[self._file.write(left) :]
            os.fsync(self._file.fileno())
        except OSError as fault:
            raise not_written(self.path, fault) from fault

    def close(self) -> None:
        """Close and unlock the file."""
        self._file.close()


def read_state(path: Path) -> tuple[dict[str, Any], Iterator[tuple[dict[str, Any], Places]]]:
    """Return what was asked in a state, and one block with its places after the other, without changing the file.

    Raises
    ------
    RuleStateError
        If it is no state, or damaged.
    OSError
        If it cannot be read.
    """
    with open(path, "rb") as file:
        head, begin = _head(file, path), file.tell()

    def blocks() -> Iterator[tuple[dict[str, Any], Places]]:
        with open(path, "rb") as file:
            file.seek(begin)
            yield from _blocks(file)

    return head, blocks()


def _head(file: IO[bytes], path: Path) -> dict[str, Any]:
    first = read_frame(file) if file.read(len(MAGIC)) == MAGIC else None
    if first is None:
        raise RuleStateError(
            f"'{path.name}' is no state of a search by rule, or damaged.",
            hint="Name another file with --state, or delete it.",
        )
    facts: dict[str, Any] = json.loads(first)
    return facts


def _blocks(file: IO[bytes]) -> Iterator[tuple[dict[str, Any], Places]]:
    """Yield the blocks that are whole."""
    while (head := read_frame(file)) is not None:
        facts = json.loads(head)
        parts: list[Places] = []
        wanted = facts["block"]["found"]
        while sum(map(len, parts)) < wanted and (frame := read_frame(file)) is not None:
            columns = np.frombuffer(frame, "<i8").reshape(len(_COLUMNS), -1)
            parts.append(Places.of(columns.shape[1], **dict(zip(_COLUMNS, columns, strict=True))))
        if sum(map(len, parts)) != wanted:
            return
        yield facts, concatenated(parts)
