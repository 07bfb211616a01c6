"""What an export writes: which hits, in what order, in which format; previewed and saved by a worker."""

from __future__ import annotations

import io
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from swgui.core import words
from swgui.core.control import checking
from swgui.core.errors import Stopped
from swgui.core.hits.results import Hit, HitList, SearchResult
from swgui.core.hits.table import HitStream, HitTable, tables_of
from swgui.gui.hits.filler import Describe
from swgui.gui.inputs.saving_dialog import first_lines
from swgui.gui.kit.tasks.task import Tell
from swgui.io.export import FORMATS, ExportFormat, ExportOptions, save_hits, write_hits

PREVIEW_HITS = 12


@dataclass(frozen=True, slots=True, eq=False)
class HitChoice:
    """Some hits, in the order in which they are to be written.

    Parameters
    ----------
    key : str
        For example ``"shown"``.
    title : str
        As the dialog offers it.
    parts : tuple of (HitList, sequence of int)
        The list of one query, and the rows of it.
    """

    key: str
    title: str
    parts: tuple[tuple[HitList, Sequence[int]], ...]

    def __len__(self) -> int:
        return sum(len(rows) for _, rows in self.parts)


@dataclass(frozen=True, slots=True, eq=False)
class ExportJob:
    """One export, ready to be previewed or saved.

    Parameters
    ----------
    result : SearchResult
        Says where the hits come from.
    describe : Describe
        Makes whole hits of rows.
    """

    result: SearchResult
    choice: HitChoice
    form: ExportFormat
    options: ExportOptions
    describe: Describe

    @property
    def needs_alignments(self) -> bool:
        return self.form.aligned(self.options)

    def preview(self, cancel: threading.Event) -> str:
        """Return the first lines of the file; of one that is no text, a table of its columns. `cancel` ends it."""
        hits = HitStream(self._tables(PREVIEW_HITS, cancel))
        file = io.StringIO()
        shown_as = self.form if self.form.write is not None else FORMATS["tsv"]
        write_hits(shown_as.name, self.result, hits, file, self.options)
        return first_lines(file.getvalue(), more=len(self.choice) > PREVIEW_HITS)

    def save(self, path: Path, tell: Tell, cancel: threading.Event) -> Path:
        """Write the file whole or not at all.

        Parameters
        ----------
        tell : Tell
            Told how many hits are written.
        cancel : threading.Event
            Stops it, also within a hit.

        Raises
        ------
        Stopped
            If it was cancelled.
        FileNotWritten, ScoreMismatch
        """
        hits = HitStream(self._watched(self._tables(None, cancel), tell, cancel))
        save_hits(path, self.form.name, self.result, hits, self.options)
        return path

    def _watched(self, tables: Iterator[HitTable], tell: Tell, cancel: threading.Event) -> Iterator[HitTable]:
        total, done = len(self.choice), 0
        for table in tables:
            if cancel.is_set():
                raise Stopped
            yield table
            done += len(table)
            tell(done, total, f"{done:,} of {words.count(total, 'hit')}")

    def _tables(self, limit: int | None, cancel: threading.Event) -> Iterator[HitTable]:
        left = len(self.choice) if limit is None else limit
        for listed, rows in self.choice.parts:
            wanted = rows[:left]
            left -= len(wanted)
            hits = self.describe(listed, wanted, align=self.needs_alignments, check=checking(cancel))
            yield from tables_of(hits)


def with_kept(describe: Describe, listed: HitList, kept: Callable[[int], Hit | None]) -> Describe:
    """Return what makes whole hits of rows, without aligning again what is kept.

    Parameters
    ----------
    describe : Describe
        Makes those that are not kept.
    listed : HitList
        Whose rows are kept.
    kept : callable
        Returns the hit of a row with its alignments, None where it is not kept.
    """

    def hits(
        of: HitList, rows: Sequence[int], *, align: bool = True, check: Callable[[], None] = lambda: None
    ) -> Iterator[Hit]:
        if of.columns is not listed.columns:
            yield from describe(of, rows, align=align, check=check)
            return
        for known, group in groupby(rows, key=lambda row: kept(row) is not None):
            wanted = list(group)
            if known:
                yield from filter(None, map(kept, wanted))
            else:
                yield from describe(of, wanted, align=align, check=check)

    return hits
