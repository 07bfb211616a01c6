"""Profiles of sequences by rounds of searching another database, some sequences at a time, on disk as they are made."""

from __future__ import annotations

import hashlib
import json
import shutil
import threading
from collections.abc import Generator, Sequence
from contextlib import closing, suppress
from pathlib import Path
from typing import Final

import msgspec
import numpy as np
from numpy.typing import NDArray

from swgui.core.control import checking
from swgui.core.database import EncodedDatabase
from swgui.core.engines import EngineOptions
from swgui.core.errors import DatabaseError, EngineFault, Stopped
from swgui.core.hits.results import SearchResult
from swgui.core.limits import Limits
from swgui.core.plain import plain
from swgui.core.profiles.iteration import IterationSettings
from swgui.core.profiles.observed import ObservedColumns
from swgui.core.records import SequenceRecord
from swgui.core.scoring import ScoringScheme
from swgui.core.search import Search
from swgui.core.words import count
from swgui.engines.native.profiles import ProfileMaker
from swgui.engines.registry import KeptEngines
from swgui.io.whole_file import whole_file
from swgui.jobs.events import Stage
from swgui.jobs.iterate.certain import with_certain
from swgui.jobs.iterate.run import iteration_steps
from swgui.jobs.profiles.columns import BothColumns, ColumnsByContext
from swgui.jobs.search.events import SearchEvent
from swgui.jobs.search.request import SearchRequest

BATCH: Final = 128  # sequences that are searched together, and kept as one file
STAGE: Final = "Making profiles"
_VERSION: Final = 2  # of the parts
_PARTS: Final = ("members", "certain")


class RoundsPlan(msgspec.Struct, frozen=True):
    """The rounds that make profiles."""

    scheme: ScoringScheme
    settings: IterationSettings
    options: EngineOptions

    def request(self, records: Sequence[SequenceRecord], reference: EncodedDatabase) -> SearchRequest:
        """Return the search of some sequences."""
        search = Search(
            scheme=self.scheme,
            limits=Limits(top=1),
            composition="none",
            max_hsps=1,
            iteration=self.settings,
            options=self.options,
        )
        return SearchRequest(tuple(records), reference, search)


class KeptColumns:
    """Observed columns in a folder next to the file that is made of them, so that the same command continues.

    Parameters
    ----------
    out : Path
        The file.
    about : object
        All that the columns depend on: parts of anything else are deleted.
    """

    def __init__(self, out: Path, about: object) -> None:
        self.folder = out.with_name(f".{out.name}.parts")
        facts = json.dumps(plain([_VERSION, about]), sort_keys=True, default=str)
        digest = hashlib.blake2b(facts.encode(), digest_size=16)
        self._digest = digest.hexdigest()
        note = self.folder / "made-of"
        try:
            if not note.is_file() or note.read_text() != self._digest:
                shutil.rmtree(self.folder, ignore_errors=True)
                self.folder.mkdir()
                note.write_text(self._digest)
        except OSError as fault:
            raise DatabaseError(
                str(out), f"No folder for parts of '{out.name}' could be made: {fault.strerror}."
            ) from fault

    def read(self, number: int, lengths: Sequence[int]) -> list[BothColumns] | None:
        """Return the columns of a part; None if they are not there."""
        place = self.folder / f"{number:06}.npz"
        with suppress(OSError, ValueError, KeyError, EOFError), np.load(place, allow_pickle=False) as part:
            members, certain = (_split(part[f"{name}_f"], part[f"{name}_n"], lengths) for name in _PARTS)
            differ = part["differ"].tolist()
            each = zip(members, certain, differ, strict=True)
            return [BothColumns(one, other if doubtful else one) for one, other, doubtful in each]
        return None

    def write(self, number: int, columns: Sequence[BothColumns]) -> None:
        """Keep the columns of a part."""
        arrays = {"differ": np.array([one.differ for one in columns])}
        for name in _PARTS:
            some: list[ObservedColumns] = [getattr(one, name) for one in columns]
            arrays[f"{name}_f"] = np.concatenate([one.frequencies for one in some])
            arrays[f"{name}_n"] = np.concatenate([one.diversity for one in some])
        with whole_file(self.folder / f"{number:06}.npz", DatabaseError) as file:
            np.savez(file, **arrays)  # type: ignore[arg-type]

    def delete(self) -> None:
        """Delete all parts."""
        shutil.rmtree(self.folder, ignore_errors=True)


def _split(
    frequencies: NDArray[np.float32], diversity: NDArray[np.float32], lengths: Sequence[int]
) -> list[ObservedColumns]:
    """Return the columns of each sequence of a part; `ValueError` if there are not as many."""
    if frequencies.shape != (sum(lengths), 20) or diversity.shape != (sum(lengths),):
        raise ValueError("columns")
    ends = np.cumsum(lengths)[:-1]
    each = zip(np.split(frequencies, ends), np.split(diversity, ends), strict=True)
    return [ObservedColumns(*one) for one in each]


def observed_steps(
    records: Sequence[SequenceRecord],
    reference: EncodedDatabase,
    plan: RoundsPlan,
    kept: KeptColumns,
    making: ColumnsByContext,
    cancel: threading.Event,
) -> Generator[SearchEvent, None, list[BothColumns]]:
    """Return the observed columns of sequences, each by rounds against a reference.

    Raises
    ------
    SwguiError
        If a search cannot be carried out, or fails.
    Stopped
        If `cancel` was set; the parts that are whole stay.
    """
    made: list[BothColumns] = []
    maker, check = ProfileMaker(plan.scheme.matrix, plan.settings.profile_recipe()), checking(cancel)
    with closing(KeptEngines()) as engines:
        for number, first in enumerate(range(0, len(records), BATCH)):
            batch = records[first : first + BATCH]
            yield Stage(STAGE, first, len(records))
            part = kept.read(number, [len(record.residues) for record in batch])
            if part is None:
                steps = iteration_steps(plan.request(batch, reference), cancel, engines.use)
                result = yield from _complete(steps, first, len(records))
                known = [with_certain(result, index, maker, check) for index in range(len(batch))]
                part = [making.both(one) for one in known]
                kept.write(number, part)
            made += part
    return made


def _complete(
    steps: Generator[object, None, SearchResult | None], first: int, total: int
) -> Generator[SearchEvent, None, SearchResult]:
    """Run the rounds of some sequences, and return their result."""
    while True:
        try:
            next(steps)
        except StopIteration as end:
            result: SearchResult | None = end.value
            break
        yield Stage(STAGE, first, total)
    if result is None or result.state == "stopped":
        done = count(first, "sequence")
        raise Stopped(f"Stopped after the profiles of {done}.", hint="The same command continues.")
    if result.state == "failed":
        raise EngineFault(result.message)
    return result
