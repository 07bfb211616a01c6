"""How far work in blocks is, on disk: an append-only file that survives a crash at any moment.

::

    magic                         8 bytes
    records                       as in `swgui.io.frames`

The first record is JSON: what is asked, of which sequences. Each block that was done is a record of JSON and, behind
it, the columns of what was found in it, so many rows at a time. What is not whole at the end is forgotten and done
again. While the file is open it is locked.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Final

import numpy as np
from numpy.typing import NDArray

from swgui.core.errors import SwguiError
from swgui.core.network.edges import Edges
from swgui.core.rules.places import Places
from swgui.io.frames import framed, read_frame
from swgui.io.locking import lock
from swgui.io.whole_file import not_written

AT_A_TIME: Final = 1 << 20  # rows of a record
SYNC_SECONDS: Final = 2.0  # between two flushes to the disk itself, for power cuts
ROWS: Final = "found"  # how many rows a block has, in what is said of it


@dataclass(frozen=True, slots=True)
class BlockForm:
    """The form of a state.

    Parameters
    ----------
    magic : bytes
        Its first 8 bytes.
    work : str
        What it is the state of, as users read it.
    columns : tuple of str
        Fields of the record that a block's rows are.
    kind : str
        Type of the columns on disk.
    remedy : str
        What to do where it cannot be used.
    """

    magic: bytes
    work: str
    columns: tuple[str, ...]
    kind: str
    remedy: str


RULES: Final = BlockForm(
    b"\x93SWRULE\n",
    "search by rule",
    tuple(Places.__dataclass_fields__),
    "<i8",
    "name another file with --state",
)
# E follows from the scores.
PAIRS: Final = BlockForm(
    b"\x93SWPAIR\n",
    "comparison of all pairs",
    tuple(name for name in Edges.__dataclass_fields__ if name != "log10_evalues"),
    "<i4",
    "name another output",
)
Columns = dict[str, NDArray[Any]]


class BlockStateError(SwguiError, OSError):
    """A state that cannot be gone on from."""


class BlockState:
    """The open state of work in blocks.

    Parameters
    ----------
    facts : Mapping
        What an existing file must agree in, by what the user reads of a difference.

    Raises
    ------
    BlockStateError
        If the file is of other work, in use, or no state.
    FileNotWritten
        If it cannot be made or opened.
    """

    def __init__(self, form: BlockForm, path: Path, facts: Mapping[str, Any]) -> None:
        self.form, self.path, self._synced = form, path, 0.0
        plain = json.loads(json.dumps(facts))
        try:
            self._file: IO[bytes] = open(  # noqa: SIM115
                path, "r+b", buffering=0, opener=lambda name, flags: os.open(name, flags | os.O_CREAT, 0o600)
            )
        except OSError as fault:
            raise not_written(path, fault) from fault
        try:
            if not lock(self._file):
                raise BlockStateError(f"The state '{path.name}' is in use by another {form.work}.")
            if self._file.read(1):
                self._compare(plain)
            else:
                self._write(form.magic + framed(json.dumps(plain).encode()))
        except BaseException:
            self._file.close()
            raise

    def _compare(self, facts: Mapping[str, Any]) -> None:
        self._file.seek(0)
        before = _head(self.form, self._file, self.path)
        if other := [name for name, value in facts.items() if before.get(name) != value]:
            raise BlockStateError(
                f"The state '{self.path.name}' is of {' and '.join(other)}.",
                hint=f"Ask for what it was made with, {self.form.remedy}, or delete it.",
            )

    def blocks(self) -> Iterator[tuple[dict[str, Any], Columns]]:
        """Yield what was kept of each block, and its rows by column; what is added later comes behind them."""
        self._file.seek(len(self.form.magic))
        read_frame(self._file)
        end = self._file.tell()
        for facts, columns in _blocks(self.form, self._file):
            yield facts, columns
            end = self._file.tell()
        self._file.truncate(end)
        self._file.seek(end)

    def add(self, facts: Mapping[str, Any], found: Any) -> None:
        """Keep a block that was done; `FileNotWritten` if it cannot be.

        Parameters
        ----------
        found : Any
            A record with the columns of the form.
        """
        frames = [framed(json.dumps(facts).encode())]
        for first in range(0, len(found), AT_A_TIME):
            part = slice(first, first + AT_A_TIME)
            columns = [np.asarray(getattr(found, name)[part], self.form.kind) for name in self.form.columns]
            frames.append(framed(np.stack(columns).tobytes()))
        for frame in frames:
            self._write(frame)

    def _write(self, content: bytes) -> None:
        try:
            left = memoryview(content)
            while left:
                left = left[self._file.write(left) :]
            if time.monotonic() - self._synced > SYNC_SECONDS:
                os.fsync(self._file.fileno())
                self._synced = time.monotonic()
        except OSError as fault:
            raise not_written(self.path, fault) from fault

    def close(self) -> None:
        """Close and unlock the file."""
        self._file.close()


def read_state(form: BlockForm, path: Path) -> tuple[dict[str, Any], Iterator[tuple[dict[str, Any], Columns]]]:
    """Return what was asked in a state, and one block with its rows after the other, without changing the file.

    Raises
    ------
    BlockStateError
        If it is no state, or damaged.
    OSError
        If it cannot be read.
    """
    with open(path, "rb") as file:
        head, begin = _head(form, file, path), file.tell()

    def blocks() -> Iterator[tuple[dict[str, Any], Columns]]:
        with open(path, "rb") as file:
            file.seek(begin)
            yield from _blocks(form, file)

    return head, blocks()


def _head(form: BlockForm, file: IO[bytes], path: Path) -> dict[str, Any]:
    first = read_frame(file) if file.read(len(form.magic)) == form.magic else None
    if first is None:
        raise BlockStateError(
            f"'{path.name}' is no state of a {form.work}, or damaged.",
            hint=f"{form.remedy.capitalize()}, or delete it.",
        )
    facts: dict[str, Any] = json.loads(first)
    return facts


def _blocks(form: BlockForm, file: IO[bytes]) -> Iterator[tuple[dict[str, Any], Columns]]:
    """Yield the blocks that are whole."""
    while (head := read_frame(file)) is not None:
        facts = json.loads(head)
        parts = [np.zeros((len(form.columns), 0), form.kind)]
        left = facts["block"][ROWS]
        while left > 0 and (frame := read_frame(file)) is not None:
            parts.append(np.frombuffer(frame, form.kind).reshape(len(form.columns), -1))
            left -= parts[-1].shape[1]
        if left:
            return
        yield facts, dict(zip(form.columns, np.concatenate(parts, axis=1), strict=True))
