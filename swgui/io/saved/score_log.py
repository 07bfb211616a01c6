"""The scores of a search so far, in the log of its run: the database as it was opened, then chunks of scores."""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import numpy as np

from swgui.core.database import EncodedDatabase
from swgui.core.errors import LogError
from swgui.core.hits.scores import ChunkScores
from swgui.core.statistics.counts import Counted
from swgui.io.saved.log import Entry, Log
from swgui.io.saved.resuming import read_any_log, resumed

KIND: Final = "search"
SPARE_BYTES: Final = 1 << 28  # left free on the disk
LARGEST: Final = 1 << 32  # bytes of all scores; of searches that have more, only the best come


class ScoreLog:
    """The log of a search; see `swgui.jobs.search.events.Journal` for how a search uses it.

    Parameters
    ----------
    facts : Mapping, optional
        What is searched, for a new log; without it an existing one is opened, of any version.

    Raises
    ------
    LogError
        If an existing log is in use or cannot be read.
    FileNotWritten
        If a new one cannot be made.

    Attributes
    ----------
    cells : int
        Cells of all chunks in it.
    """

    def __init__(self, path: Path, facts: Mapping[str, Any] | None = None) -> None:
        self.path, self.cells = path, 0
        self._log = resumed(path, KIND) if facts is None else Log(path, KIND, facts)
        self.facts = self._log.asked.facts
        self._new = facts is not None
        self._earlier, self._began = 0.0, time.monotonic()
        self._database: EncodedDatabase | None = None
        self._lack = ""

    @property
    def problem(self) -> str:
        """Why no more chunks are kept, as one sentence; the search itself continues."""
        return self._lack or self._log.problem

    @property
    def worth_keeping(self) -> bool:
        """Whether there may be scores in it."""
        return self.cells > 0 or not self._new

    @property
    def seconds(self) -> float:
        """Time that earlier runs spent scoring, as far as is known."""
        return self._earlier

    @property
    def whole(self) -> bool:
        """Whether it is known to give all scores there are: never, for a run may end at any time."""
        return False

    @property
    def of_each_strand(self) -> bool:
        """Whether its scores are those of each strand."""
        return True

    @property
    def counts(self) -> tuple[Counted, ...]:
        """How often scores occur that it does not give: none, since it gives all."""
        return ()

    def begin(self, database: EncodedDatabase, rows: int, best: int = 0) -> Iterator[ChunkScores]:
        """Yield the chunks of earlier runs; new ones are added behind them.

        Raises
        ------
        LogError
            If the database is another one than before.
        """
        self._database = database
        described = _described(database, rows, best)
        new = True
        for number, entry in enumerate(self._log.entries()):
            if not number:
                new = False
                if entry.facts.get("database") != described:
                    raise LogError(
                        f"The database '{database.name}' has changed since the run was interrupted.",
                        hint="Run the search again from the start.",
                    )
                continue
            chunk = self._chunk(entry, rows)
            if chunk is None:
                break
            self.cells += chunk.cells
            yield chunk
        self._began = time.monotonic()
        needed = min(4 * rows * len(database), LARGEST)
        if shutil.disk_usage(self.path.parent).free < needed + SPARE_BYTES:
            self._lack = "There is too little space on the disk to keep the scores while the search runs."
        elif new:
            self._log.add({"database": described})

    def add(self, chunk: ChunkScores) -> None:
        """Keep a chunk; a full disk ends the log, not the run."""
        if self.problem:
            return
        facts = {
            "row": chunk.query_index,
            "cells": chunk.cells,
            "rescored": chunk.rescored,
            "seconds": chunk.seconds,
            "elapsed": self._earlier + time.monotonic() - self._began,
            "device": chunk.device,
        }
        width = np.int16 if int(chunk.scores.max(initial=0)) <= np.iinfo(np.int16).max else np.int32
        arrays = {"scores": chunk.scores.astype(width)}
        if chunk.best_of is not None:
            facts["stretch"] = list(chunk.best_of)
        elif (start := self._slice_start(chunk)) is not None:
            facts["start"] = start
        if "start" not in facts:
            arrays["subjects"] = chunk.db_index.astype(np.int64)
        self._log.add(facts, arrays)
        self.cells += 0 if self._log.problem else chunk.cells

    def close(self) -> None:
        """Close and unlock; safe to call twice."""
        self._log.close()

    def delete(self) -> None:
        """Close and delete."""
        self._log.delete()

    def _slice_start(self, chunk: ChunkScores) -> int | None:
        """Return where in storage order the subjects stand, if they are known to be consecutive there."""
        if self._database is None or chunk.stored is None:
            return None
        same = np.array_equal(self._database.sources(*chunk.stored), chunk.db_index)
        return chunk.stored[0] if same else None

    def _chunk(self, entry: Entry, rows: int) -> ChunkScores | None:
        """Return the chunk of an entry; None if it is none."""
        assert self._database is not None
        facts, subjects = entry.facts, len(self._database)
        try:
            row, scores, start = int(facts["row"]), entry.arrays["scores"].astype(np.int32), facts.get("start")
            count, stretch, stored = len(scores), facts.get("stretch"), None
            if stretch is not None and (not 0 <= stretch[0] <= stretch[1] - count or stretch[1] > subjects):
                return None
            if start is None:
                db_index = entry.arrays["subjects"].astype(np.int64)
                if len(db_index) != count or (count and not 0 <= db_index.min() <= db_index.max() < subjects):
                    return None
            else:
                if not 0 <= start <= subjects - count:
                    return None
                db_index, stored = self._database.sources(start, start + count), (start, start + count)
            if not 0 <= row < rows:
                return None
            self._earlier = max(self._earlier, float(facts["elapsed"]))
            return ChunkScores(
                query_index=row,
                db_index=db_index,
                scores=scores,
                cells=int(facts["cells"]),
                rescored=int(facts["rescored"]),
                device=str(facts["device"]),
                seconds=float(facts["seconds"]),
                best_of=None if stretch is None else (int(stretch[0]), int(stretch[1])),
                stored=stored,
            )
        except (KeyError, TypeError, ValueError):
            return None


def _described(database: EncodedDatabase, rows: int, best: int) -> dict[str, Any]:
    described: dict[str, Any] = {"checksum": database.checksum, "sequences": len(database), "rows": rows}
    described["residues"] = database.residues
    if database.whole is not None:
        described["whole"] = database.whole.checksum
    if len(database.pieces) > 1:  # the same content in other pieces has another storage order
        described["pieces"] = len(database.pieces)
    if best:
        described["best"] = best
    return described


def read_facts(path: Path) -> tuple[dict[str, Any], int, float]:
    """Return the database in the log of a search, the cells scored so far and the time that took.

    The key ``opened`` has the facts of the database, an empty dict before it was opened.

    Raises
    ------
    LogError
        If it is none.
    """
    try:
        asked, entries = read_any_log(path, KIND)
        facts: dict[str, Any] = {**asked.facts, "opened": {}}
        cells, elapsed = 0, 0.0
        for number, entry in enumerate(entries):
            if not number:
                facts["opened"] = entry.facts.get("database", {})
            elif "cells" in entry.facts:
                cells, elapsed = cells + int(entry.facts["cells"]), max(elapsed, float(entry.facts["elapsed"]))
    except OSError as fault:
        if isinstance(fault, LogError):
            raise
        raise LogError(f"'{path.name}' cannot be read: {fault.strerror or fault}.") from fault
    return facts, cells, elapsed
