"""The state of a long pair alignment on disk, so that it survives a restart. Written whole or not at all.

Of two genomes it is a hundred megabytes and more, which takes a disk longer than a user who presses Stop should wait.
So it is written by a thread: the work goes on meanwhile, and a stop does not wait. The thread is no daemon, so the
program does not end before the file is whole, and whoever reads the file waits until nobody writes it.

An ``.npz`` archive: ``facts`` (JSON: what is aligned and how) and, for each strand, the alignments taken so far and the
arrays of the engine. The archive carries a checksum of each of its members.
"""

from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Iterator, Mapping
from concurrent.futures import Future, wait
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from swgui.core.alignment import Alignment
from swgui.core.control import beside
from swgui.core.engines import current_settings
from swgui.core.errors import SwguiError
from swgui.core.pair.problem import PairCheckpoint, PairEnd, Strand
from swgui.core.plain import Count, from_plain, plain
from swgui.io.saved.pack import FAULTS
from swgui.io.whole_file import FileNotWritten, whole_file

FORMAT: Final = "swgui pair checkpoint 1"
_NAMES: Final = {  # what the user reads for each fact that may differ
    "query": "another query",
    "subject": "another subject",
    "matrix": "another matrix",
    "gap costs": "other gap costs",
    "mode": "another mode",
    "strand": "other strands",
    "score only": "another wish for the alignment",
    "limit": "another number of alignments",
    "least score": "another least score",
    "method": "another method",
    "settings": "other settings of the method",
}


_Arrays = dict[str, NDArray[np.generic]]
_guard: Final = threading.Lock()  # of the two below, both by file
_writers: Final[dict[Path, Future[None]]] = {}
_newest: Final[dict[Path, tuple[CheckpointFile, _Arrays]]] = {}  # states that are not begun to be written


class CheckpointError(SwguiError, OSError):
    """A checkpoint that cannot be gone on from; ``path`` names it."""

    def __init__(self, path: str, message: str, *, hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.path = path


@dataclass(frozen=True, slots=True)
class StrandState:
    """How far one strand is."""

    taken: tuple[Alignment, ...] = ()  # those listed so far
    next: Alignment | None = None  # the next best, if it is known
    end: PairEnd | None = None  # where the next best ends, if its score is known
    done: bool = False  # whether nothing more is to be found
    resume: PairCheckpoint | None = None  # from where the engine can go on


@dataclass(frozen=True, slots=True)
class Spent:
    """What the work has taken until a state was kept."""

    seconds: Mapping[str, float] = field(default_factory=dict)  # wall time by stage
    # cells, pruned: cells computed and skipped by what is over; those of what goes on are in the state itself
    cells: Count = 0
    pruned: Count = 0
    passed: Count = 0  # cells that need no more work, with those of what goes on


def settle(path: Path, seconds: float | None = None) -> None:
    """Wait until nobody writes a checkpoint any more, at most so many seconds."""
    with _guard:
        writer = _writers.get(_same(path))
    if writer is not None:
        wait([writer], seconds)


def is_kept(path: Path) -> bool:
    """Whether there is such a state, or will be in a moment."""
    with _guard:
        return _same(path) in _writers or path.exists()


def read_spent(path: Path) -> Spent:
    """Return what the work of a kept state has taken so far; nothing where the file does not say so."""
    try:
        with open(path, "rb") as file, np.load(file, allow_pickle=False) as archive:
            return from_plain(Spent, json.loads(archive["facts"].tobytes()).get("spent", {}))
    except (OSError, *FAULTS):
        return Spent()


def _same(path: Path) -> Path:
    return Path(os.path.realpath(path))


def _write_newest(path: Path) -> None:
    """Write until there is no newer state."""
    while True:
        with _guard:
            if path not in _newest:
                del _writers[path]
                return
            file, arrays = _newest.pop(path)
        file.write_now(arrays)


class CheckpointFile:
    """A file that is replaced by every newer state.

    Parameters
    ----------
    facts : Mapping
        What an existing file must agree in; plain JSON values.

    Attributes
    ----------
    problem : FileNotWritten or None
        Why the newest state is not in the file; None if it is, or will be soon.
    spent : Spent
        What the work had taken when the state that was read was kept.
    """

    def __init__(self, path: Path, facts: Mapping[str, Any]) -> None:
        self.path = path
        self.facts = json.loads(json.dumps(facts))
        self.problem: FileNotWritten | None = None
        self.spent = Spent()
        self._written = time.monotonic()
        self._took = 0.0

    def due(self, seconds: float) -> bool:
        """Whether the last write is over, so many seconds ago, and twenty times what it took."""
        with _guard:
            if _same(self.path) in _writers:
                return False
        return time.monotonic() - self._written >= max(seconds, 20 * self._took)

    def read(self) -> dict[Strand, StrandState] | None:
        """Return the state of each strand; None if there is no such file.

        Raises
        ------
        CheckpointError
            If the file is of other sequences or settings, or damaged.
        """
        settle(self.path)
        if not self.path.exists():
            return None
        try:
            with open(self.path, "rb") as file, np.load(file, allow_pickle=False) as archive:
                document = json.loads(archive["facts"].tobytes())
                self._compare(document)
                self.spent = from_plain(Spent, document.get("spent", {}))
                return {name: _state(entry, archive, name) for name, entry in document["strands"].items()}
        except SwguiError:
            raise
        except (OSError, *FAULTS) as fault:
            raise CheckpointError(
                str(self.path),
                f"'{self.path.name}' is no checkpoint of a pair, or damaged.",
                hint="Delete it, or name another file.",
            ) from fault

    def _compare(self, document: Mapping[str, Any]) -> None:
        if document["format"] != FORMAT:
            raise ValueError(document["format"])
        kept = dict(document["facts"])
        if isinstance(kept.get("settings"), dict):
            kept["settings"] = current_settings(kept["settings"])
        other = [text for name, text in _NAMES.items() if kept.get(name) != self.facts.get(name)]
        if other:
            raise CheckpointError(
                str(self.path),
                f"The checkpoint '{self.path.name}' is of {' and '.join(other)}.",
                hint="Choose what it was made with, or name another file.",
            )

    def write(self, states: Mapping[Strand, StrandState], spent: Spent | None = None) -> None:
        """Replace the file soon; if that fails the older one is still there, and `problem` says why.

        Of several states that wait to be written only the newest is. Their arrays must not be changed any more.
        """
        arrays: _Arrays = {}
        strands = {name: dict(_entry(state, arrays, name)) for name, state in states.items()}
        document = {"format": FORMAT, "facts": self.facts, "strands": strands, "spent": plain(spent or Spent())}
        arrays["facts"] = np.frombuffer(json.dumps(document).encode("ascii"), dtype=np.uint8)
        path = _same(self.path)
        with _guard:
            _newest[path] = self, arrays
            if path not in _writers:
                _writers[path] = beside(partial(_write_newest, path), "swgui-checkpoint")

    def write_now(self, arrays: Mapping[str, NDArray[np.generic]]) -> None:
        """Replace the file, and note how that went."""
        began = time.monotonic()
        try:
            with whole_file(self.path, private=True) as file:
                np.savez(file, allow_pickle=False, **arrays)
        except FileNotWritten as fault:
            self.problem = fault
        except MemoryError:
            self.problem = FileNotWritten(str(self.path), f"There is not enough memory to write '{self.path.name}'.")
        else:
            self.problem = None
        self._written = time.monotonic()
        self._took = self._written - began

    def delete(self) -> None:
        """Delete the file: the work is done."""
        settle(self.path)
        with suppress(OSError):
            self.path.unlink()


def _entry(state: StrandState, arrays: _Arrays, strand: str) -> Iterator[tuple[str, Any]]:
    yield "done", state.done
    yield "taken", [_head(alignment, arrays, f"{strand}/taken{i}") for i, alignment in enumerate(state.taken)]
    yield "next", None if state.next is None else _head(state.next, arrays, f"{strand}/next")
    yield "end", None if state.end is None else [state.end.score, state.end.query_end, state.end.subject_end]
    if state.resume is not None:
        yield (
            "resume",
            {
                "stage": state.resume.stage,
                "cells_done": int(state.resume.cells_done),
                "arrays": list(state.resume.arrays),
            },
        )
        for name, array in state.resume.arrays.items():
            arrays[f"{strand}/resume/{name}"] = np.asarray(array)


def _head(alignment: Alignment, arrays: _Arrays, name: str) -> list[int]:
    arrays[f"{name}/ops"], arrays[f"{name}/lengths"] = alignment.ops, alignment.lengths
    return [int(alignment.query_start), int(alignment.subject_start), int(alignment.score)]


def _alignment(head: list[int], archive: Any, name: str) -> Alignment:
    runs = zip(archive[f"{name}/ops"].tolist(), archive[f"{name}/lengths"].tolist(), strict=True)
    return Alignment.from_runs(head[0], head[1], runs, head[2])


def _state(entry: Mapping[str, Any], archive: Any, strand: str) -> StrandState:
    resume = entry.get("resume")
    return StrandState(
        taken=tuple(_alignment(head, archive, f"{strand}/taken{i}") for i, head in enumerate(entry["taken"])),
        next=None if entry["next"] is None else _alignment(entry["next"], archive, f"{strand}/next"),
        end=None if entry["end"] is None else PairEnd(*entry["end"]),
        done=bool(entry["done"]),
        resume=None
        if resume is None
        else PairCheckpoint(
            resume["stage"],
            int(resume["cells_done"]),
            {name: archive[f"{strand}/resume/{name}"] for name in resume["arrays"]},
        ),
    )
