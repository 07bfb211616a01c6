"""The chains of structure files, kept on disk until the database is complete, so that no file is read twice.

::

    name of this format and its version
    frames (`swgui.io.frames`): MessagePack of one file's chains
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import IO, Final

import msgspec

from swgui.core.errors import DatabaseError
from swgui.core.structures.chain import Chain
from swgui.core.structures.compact import unpack
from swgui.io.frames import framed, read_frame
from swgui.io.structures.reading import StructureFile
from swgui.io.whole_file import not_written

SUFFIX: Final = ".reading"  # after the name of the database
_MAGIC: Final = b"swgui structures 1\n"


class _KeptChain(msgspec.Struct, array_like=True):
    id: str
    description: str
    residues: bytes
    shape: bytes
    places: bytes


class _KeptFile(msgspec.Struct, array_like=True):
    key: str
    chains: list[_KeptChain]
    notes: list[str]
    fault: str


class Journal:
    """The files read so far; use it in a ``with`` statement.

    Parameters
    ----------
    database : Path
        The journal is next to it.

    Attributes
    ----------
    read : dict of str to int
        Where the frame of each file begins, by the key of the file.
    """

    def __init__(self, database: Path) -> None:
        self.path = database.with_name(database.name + SUFFIX)
        self.read: dict[str, int] = {}

    def __enter__(self) -> Journal:
        try:
            self._file: IO[bytes] = open(self.path, "a+b")
            self._find_frames()
        except OSError as fault:
            raise not_written(self.path, fault, DatabaseError) from fault
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()
        if not self.read:
            self.remove()

    def __len__(self) -> int:
        return len(self.read)

    def remove(self) -> None:
        """Delete the journal."""
        self._file.close()
        with suppress(FileNotFoundError):
            self.path.unlink()

    def add(self, key: str, outcome: StructureFile | str) -> None:
        """Keep what was read of a file, or why nothing could be."""
        if isinstance(outcome, str):
            kept = _KeptFile(key, [], [], outcome)
        else:
            kept = _KeptFile(key, [_kept(chain) for chain in outcome.chains], list(outcome.remarks), "")
        data = msgspec.msgpack.encode(kept)
        try:
            self._file.seek(0, os.SEEK_END)
            start = self._file.tell()
            self._file.write(framed(data))
        except OSError as fault:
            raise not_written(self.path, fault, DatabaseError) from fault
        self.read[key] = start

    def flush(self) -> None:
        """Hand everything to the system."""
        self._file.flush()

    def get(self, key: str) -> StructureFile | str:
        """Return the chains that `add` got for a file."""
        self._file.seek(self.read[key])
        kept = self._frame()
        assert kept is not None
        return kept.fault or StructureFile(tuple(_chain(chain) for chain in kept.chains), tuple(kept.notes))

    def _find_frames(self) -> None:
        """Find the complete frames; the rest behind them is cut off."""
        self._file.seek(0)
        if self._file.read(len(_MAGIC)) != _MAGIC:
            self._file.truncate(0)
            self._file.write(_MAGIC)
            self._file.flush()
            return
        for start, key in self._frames():
            self.read[key] = start

    def _frames(self) -> Iterator[tuple[int, str]]:
        while True:
            start = self._file.tell()
            kept = self._frame()
            if kept is None:
                self._file.truncate(start)
                return
            yield start, kept.key

    def _frame(self) -> _KeptFile | None:
        data = read_frame(self._file)
        if data is None:
            return None
        try:
            return msgspec.msgpack.decode(data, type=_KeptFile)
        except msgspec.MsgspecError:
            return None


def _kept(chain: Chain) -> _KeptChain:
    return _KeptChain(chain.id, chain.description, chain.residues, chain.shape, chain.places)


def _chain(kept: _KeptChain) -> Chain:
    places = unpack(kept.places, len(kept.residues))
    assert places is not None
    return Chain(kept.id, kept.description, kept.residues, kept.shape, places.ca, places.plddt)
