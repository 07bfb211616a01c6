"""A database of profiles: of files of alignments and profiles, or of sequences by rounds."""

from __future__ import annotations

import os
import threading
from collections.abc import Generator, Iterator, Sequence
from pathlib import Path
from typing import Final

import msgspec
import numpy as np

from swgui.core.alphabet import PROTEIN, is_nucleotide
from swgui.core.contexts import OWN_CONTEXT
from swgui.core.control import checking
from swgui.core.database import ArrayDatabase, EncodedDatabase, encode_database
from swgui.core.engines import EngineOptions
from swgui.core.errors import DatabaseError, InvalidParameter, ProfileError
from swgui.core.plain import replace
from swgui.core.profiles.context import Columns
from swgui.core.profiles.iteration import IterationSettings
from swgui.core.profiles.observed import ObservedColumns
from swgui.core.profiles.pairs import MAX_COLUMNS, MIN_BACKGROUND, quantised
from swgui.core.profiles.stored import DIVERSITY_STEPS, StoredProfiles
from swgui.core.records import SequenceRecord
from swgui.core.scoring import ScoringScheme
from swgui.core.words import count
from swgui.io.database.any_file import open_any_database
from swgui.io.database.build import save_database
from swgui.io.database.facts import SourceFacts
from swgui.io.database.file import open_database
from swgui.io.database.format import SUFFIX
from swgui.io.matrices import load_matrix
from swgui.io.profiles.collections import collection_files, read_collection
from swgui.io.sequences.reader import read_sequences
from swgui.jobs.events import Stage
from swgui.jobs.profiles.columns import ColumnsByContext, columns_of_record, diversity_of
from swgui.jobs.profiles.rounds import KeptColumns, RoundsPlan, observed_steps
from swgui.jobs.search.events import SearchEvent

MATRIX: Final = "BLOSUM62"
READING: Final = "Reading profiles"
CONTEXTS: Final = "Mixing in contexts"
TOGETHER: Final = 256  # alignments whose contexts are looked up together


class ProfileBuild(msgspec.Struct, frozen=True, kw_only=True):
    """The request for a database of profiles.

    Parameters
    ----------
    sources : tuple of Path
        Files of alignments and of profiles, and folders of them; with a reference files of proteins.
    out : Path
        The database file.
    name : str
        As users see it.
    scheme : ScoringScheme
        Of proteins.
    context : str
        Library of contexts: ``own``, or a file.
    reference : Path, optional
        The database that is searched in rounds with each protein.
    plan : RoundsPlan, optional
        The rounds; with a reference.
    """

    sources: tuple[Path, ...]
    out: Path
    name: str
    scheme: ScoringScheme
    context: str = OWN_CONTEXT
    reference: Path | None = None
    plan: RoundsPlan | None = None


def profile_build(
    sources: Sequence[Path],
    out: Path,
    name: str,
    reference: Path | None = None,
    rounds: int = 4,
    context: str = OWN_CONTEXT,
    threads: int = 0,
) -> ProfileBuild:
    """Return the request for a database of profiles, with BLOSUM62 for rounds; parameters as of `ProfileBuild`.

    Raises
    ------
    InvalidParameter
        If the file does not end in ``.swdb``, or there are no such rounds.
    """
    if out.suffix != SUFFIX:
        raise InvalidParameter(
            "out", str(out), f"'{out.name}' is no name of a database file.", hint=f"Name it {out.name}{SUFFIX}."
        )
    scheme = ScoringScheme.from_blast(load_matrix(MATRIX, PROTEIN), 11, 1)
    settings = IterationSettings(rounds=rounds)
    plan = RoundsPlan(scheme, settings, EngineOptions(threads=threads)) if reference is not None else None
    return ProfileBuild(
        sources=tuple(sources), out=out, name=name, scheme=scheme, context=context, reference=reference, plan=plan
    )


class _Gathered(msgspec.Struct):
    """Profiles so far."""

    records: list[SequenceRecord]
    columns: list[Columns]
    diversity: list[np.ndarray[tuple[int], np.dtype[np.float32]]]
    certain: list[Columns] = []  # of the certain members alone, where that is known


def build_steps(
    build: ProfileBuild, threads: int, remarks: list[str], cancel: threading.Event
) -> Generator[SearchEvent, None, EncodedDatabase]:
    """Build a database of profiles, and return it.

    Parameters
    ----------
    remarks : list of str
        Assumptions of the readers are added to it.

    Raises
    ------
    SwguiError
        If a source cannot be read, a search cannot be carried out, or the file not be written.
    Stopped
        If `cancel` was set.
    """
    making = ColumnsByContext(build.context, build.scheme.matrix, threads=threads)
    if build.reference is None:
        gathered = yield from _of_files(build, making, remarks, cancel)
        how, kept = f"of {count(len(gathered.records), 'alignment or profile', 'alignments and profiles')}", None
    else:
        gathered, kept = yield from _by_rounds(build, making, cancel)
        assert build.plan is not None
        how = f"by {build.plan.settings.rounds} rounds against {build.reference.name}"
    how = f"{how}, {making.said}"
    save_database(_database(gathered, build.name, how), build.out)
    if kept is not None:
        kept.delete()
    return open_database(build.out)


def _of_files(
    build: ProfileBuild, making: ColumnsByContext, remarks: list[str], cancel: threading.Event
) -> Generator[SearchEvent, None, _Gathered]:
    gathered, check = _Gathered([], [], []), checking(cancel)
    waiting: list[tuple[int, ObservedColumns]] = []

    def mix() -> None:
        for (place, one), columns in zip(waiting, making.mixed([one for _, one in waiting], check), strict=True):
            gathered.columns[place], gathered.diversity[place] = columns, one.diversity
        waiting.clear()

    files = collection_files(build.sources)
    for number, file in enumerate(files):
        for start in read_collection(file, build.scheme):
            check()
            yield Stage(READING, number, len(files))
            remarks += start.remarks
            for record in start.records:
                gathered.records.append(replace(record, profile=None))
                columns = np.zeros((0, 20), dtype=np.float32)
                if start.alignment is not None:
                    waiting.append((len(gathered.columns), making.observed(start.alignment)))
                else:
                    columns = columns_of_record(record)
                gathered.columns.append(columns)
                gathered.diversity.append(diversity_of(columns))
            if len(waiting) >= TOGETHER:
                mix()
    yield Stage(CONTEXTS)
    mix()
    return gathered


def _by_rounds(
    build: ProfileBuild, making: ColumnsByContext, cancel: threading.Event
) -> Generator[SearchEvent, None, tuple[_Gathered, KeptColumns]]:
    assert build.reference is not None
    assert build.plan is not None
    yield Stage(f"Reading {build.reference.name}")
    reference = open_any_database(build.reference, alphabet=PROTEIN, cancel=cancel)
    records = list(_proteins(build.sources))
    if not records:
        raise InvalidParameter("sources", "", "The files have no sequence.", hint="Name a file with proteins.")
    about = [SourceFacts.of(place) for place in build.sources], reference.checksum, build.plan.settings
    kept = KeptColumns(build.out, about)
    observed = yield from observed_steps(records, reference, build.plan, kept, making, cancel)
    yield Stage(CONTEXTS)
    columns, certain = list[Columns](), list[Columns]()
    for first in range(0, len(observed), TOGETHER):
        members, others = making.mixed_both(observed[first : first + TOGETHER], checking(cancel))
        columns += members
        certain += others
    return _Gathered(records, columns, [one.members.diversity for one in observed], certain), kept


def _proteins(sources: Sequence[str | os.PathLike[str]]) -> Iterator[SequenceRecord]:
    for source in map(Path, sources):
        for record in read_sequences(source, PROTEIN):
            if is_nucleotide(record.residues):
                raise InvalidParameter(
                    "sources",
                    record.id,
                    f"'{record.id}' in '{source.name}' is DNA or RNA, and profiles are made of proteins.",
                    hint="Name a file with proteins.",
                )
            yield record


def _database(gathered: _Gathered, name: str, made: str) -> ArrayDatabase:
    """Return a database of representative sequences and their profiles."""
    if not gathered.records:
        raise DatabaseError(name, "The files have no alignment and no profile.", hint="Name others.")
    if long := next((record for record in gathered.records if len(record.residues) > MAX_COLUMNS), None):
        raise ProfileError(
            f"'{long.id}' has {len(long.residues):,} columns, and a profile has {MAX_COLUMNS:,} at most.",
            hint="Leave it out, or cut it into domains.",
        )
    database = encode_database(gathered.records, PROTEIN, name)
    background = np.mean(np.concatenate(gathered.columns), axis=0, dtype=np.float64).clip(MIN_BACKGROUND)
    background /= background.sum()
    order = database.order.tolist()
    pairs = quantised([gathered.columns[index] for index in order], background)
    differ = any(one is not other for one, other in zip(gathered.certain, gathered.columns, strict=False))
    certain = quantised([gathered.certain[index] for index in order], background) if differ else None
    tenths = np.concatenate([gathered.diversity[index] for index in order]) * DIVERSITY_STEPS
    diversity = np.rint(tenths.clip(0, 255)).astype(np.uint8)
    return replace(database, profiles=StoredProfiles(pairs, diversity, background, made, certain=certain))
