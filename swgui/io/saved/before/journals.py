"""Journals of searches up to version 0.2: facts, the database, then chunks of scores.

::

    magic                         8 bytes
    records                       as in `swgui.io.frames`

The first record is JSON: what is searched. The second is JSON: the database as it was opened. Every other one is a
chunk of scores; of a search that keeps the best of each row alone, those that may be among them, and which subjects
were scored.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any, Final

import numpy as np

from swgui.io.frames import read_frame
from swgui.io.saved.log import Entry

MAGIC: Final = b"\x93SWRUN1\n"
_CHUNK: Final = struct.Struct("<IIqqddqHB")  # row, count, cells, rescored, seconds, elapsed, start, name bytes, width
# Instead of a start: source indices follow, because they are no slice of the database; or the storage positions that
# were scored follow, and source indices of the best of them.
_SCATTERED: Final = -1
_BEST: Final = -2
_STRETCH: Final = struct.Struct("<qq")


def read_journal(path: Path, kind: str) -> tuple[Entry, Iterator[Entry]] | None:
    """Return the content of a journal, as `read_log` does; None if it is none, or damaged."""
    if kind != "search":
        return None
    with open(path, "rb") as file:
        first = read_frame(file) if file.read(len(MAGIC)) == MAGIC else None
        begin = file.tell()
    facts = _parsed(first)
    if facts is None:
        return None

    def entries() -> Iterator[Entry]:
        with open(path, "rb") as file:
            file.seek(begin)
            database = _parsed(read_frame(file))
            if database is None:
                return
            yield Entry({"database": database}, {})
            yield from _chunks(file)

    return Entry(facts, {}), entries()


def _chunks(file: IO[bytes]) -> Iterator[Entry]:
    """Yield the chunks that are whole, up to the first that is none."""
    while (record := read_frame(file)) is not None:
        if len(record) < _CHUNK.size:
            return
        row, count, cells, rescored, seconds, elapsed, start, name_bytes, width = _CHUNK.unpack_from(record)
        begin = _CHUNK.size + name_bytes
        device = record[_CHUNK.size : begin].decode("utf-8", "replace")
        facts: dict[str, Any] = {"row": row, "cells": cells, "rescored": rescored, "seconds": seconds}
        facts |= {"elapsed": elapsed, "device": device}
        if start == _BEST and len(record) >= begin + _STRETCH.size:
            facts["stretch"] = list(_STRETCH.unpack_from(record, begin))
            begin += _STRETCH.size
        elif start >= 0:
            facts["start"] = start
        index_bytes = 8 * count if start < 0 else 0
        if width not in (2, 4) or len(record) != begin + index_bytes + count * width:
            return
        arrays = {"scores": np.frombuffer(record, f"<i{width}", count, begin + index_bytes)}
        if start < 0:
            arrays["subjects"] = np.frombuffer(record, "<i8", count, begin)
        yield Entry(facts, arrays)


def _parsed(record: bytes | None) -> dict[str, Any] | None:
    try:
        facts = json.loads(record or b"")
    except (ValueError, RecursionError):
        return None
    return facts if isinstance(facts, dict) else None
