"""States of rules and comparisons of all pairs up to version 0.2: a record of facts, then blocks with their columns.

::

    magic                         8 bytes
    records                       as in `swgui.io.frames`

The first record is JSON: the request. Each block is a record of JSON and, behind it, the columns of its results, so
many rows at a time.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Final

import numpy as np

from swgui.io.frames import read_frame
from swgui.io.saved.log import Entry


@dataclass(frozen=True, slots=True)
class _Form:
    """One form: its first 8 bytes, the columns of a block's rows, and their type."""

    magic: bytes
    columns: tuple[str, ...]
    kind: str


_FORMS: Final = {
    "rule": _Form(
        b"\x93SWRULE\n",
        ("query", "subject", "start", "end", "strand", "mismatches", "insertions", "deletions", "query_start",
         "query_end", "windows"),
        "<i8",
    ),
    "network": _Form(
        b"\x93SWPAIR\n",
        ("first", "second", "scores", "identities", "columns", "first_span", "second_span"),
        "<i4",
    ),
}  # fmt: skip


def read_blocks(path: Path, kind: str) -> tuple[Entry, Iterator[Entry]] | None:
    """Return the content of such a state, as `read_log` does; None if it is of another kind of run, or damaged."""
    form = _FORMS.get(kind)
    if form is None:
        return None
    with open(path, "rb") as file:
        first = read_frame(file) if file.read(len(form.magic)) == form.magic else None
        begin = file.tell()
    if first is None:
        return None

    def entries() -> Iterator[Entry]:
        with open(path, "rb") as file:
            file.seek(begin)
            yield from _blocks(form, file)

    return Entry(json.loads(first), {}), entries()


def _blocks(form: _Form, file: IO[bytes]) -> Iterator[Entry]:
    """Yield the blocks that are whole."""
    while (head := read_frame(file)) is not None:
        facts = json.loads(head)
        parts = [np.zeros((len(form.columns), 0), form.kind)]
        left = facts["block"]["found"]
        while left > 0 and (frame := read_frame(file)) is not None:
            parts.append(np.frombuffer(frame, form.kind).reshape(len(form.columns), -1))
            left -= parts[-1].shape[1]
        if left:
            return
        yield Entry(facts, dict(zip(form.columns, np.concatenate(parts, axis=1), strict=True)))
