"""Scores of a share of a database, in one file: ``swgui search --part`` writes it, ``swgui merge`` reads it.

A zip file as saved searches are (`swgui.io.saved.pack`), with these parts:

============================  =================================================================================
``manifest.json``             format and program version, what was searched for and how, the database as a whole,
                              which share of it this is, checksum of every part
``queries.fasta``             the queries as they were given, ``profiles.json`` the profiles of those that have one
``scores.npy``                the score of every subject of the share in storage order, [rows, subjects]; or, where
                              scores of subjects are not kept,
``best/*.npy``                the best subjects of each row, row after row: ``counts``, ``db_index``,
                              ``scores``
``counts/*.npy``              there, where E is fitted to the scores, how often they occur by length of the subject:
                              ``sizes`` of each query, ``numbers`` (length x 2^32 + score), ``counts``
``windows/*.npy``             where long subjects score: ``counts`` of each row, ``db_index`` and ``sizes`` of each
                              subject, ``starts``, ``stops`` and ``scores`` of each window
============================  =================================================================================

A row is a query in one of its strands or readings.
"""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

import swgui
from swgui.core.database import EncodedDatabase
from swgui.core.errors import RunFileError
from swgui.core.hits.scores import TopHits, WindowScores
from swgui.core.plain import Count, from_plain, plain
from swgui.core.records import SequenceRecord, encode_record
from swgui.core.search import Search
from swgui.core.several.shares import Share, ShareScores
from swgui.core.statistics.counts import Counted
from swgui.core.words import agree
from swgui.io.database.packed.opening import in_blocks
from swgui.io.saved.database import SavedDatabase, facts_of_database
from swgui.io.saved.facts import QueryFacts, SavedDatabaseFacts, fasta, plain_search, search_of
from swgui.io.saved.pack import PackReader, PackWriter, damaged
from swgui.io.saved.search import profile_document, read_records, write_profiles
from swgui.io.whole_file import whole_file

KIND: Final = "swgui part of a search"
FORMAT: Final = (1, 0)
SUFFIX: Final = ".part"
_NOT_OF_SCORES: Final = ("engine", "options")  # what of a search may differ between shares


@dataclass(frozen=True, slots=True, kw_only=True)
class ShareFacts:
    """The manifest of such a file; the checksums of its parts are next to it."""

    kind: str
    format: tuple[Count, Count]
    program: str
    number: Count
    of: Count
    start: Count
    stop: Count
    search: Mapping[str, Any]  # as `plain_search` makes it
    queries: tuple[QueryFacts, ...]
    queries_digest: str  # of everything that is known of them
    queries_masked: bool
    database: SavedDatabaseFacts
    rows: Count
    subjects: Count  # that are searched, all shares together
    kept: bool  # whether it has the score of every subject
    limit: Count = 0  # subjects of a row at most, where it has the best alone
    cells: Count
    rescored: Count
    seconds: float
    engine: str
    devices: tuple[str, ...]

    @property
    def share(self) -> Share:
        """Which share it is."""
        return Share(self.number, self.of)


@dataclass(frozen=True, slots=True, eq=False)
class SavedShare:
    """A share that was read."""

    path: Path
    facts: ShareFacts
    search: Search
    queries: tuple[SequenceRecord, ...]
    scores: ShareScores


def save_share(
    scores: ShareScores,
    queries: Sequence[SequenceRecord],
    search: Search,
    database: EncodedDatabase,
    path: Path,
    *,
    database_path: Path | None = None,
    queries_masked: bool = False,
) -> None:
    """Write the scores of a share to a file, completely or not at all.

    Parameters
    ----------
    queries : sequence of SequenceRecord
        As they were given.
    database : EncodedDatabase
        The whole one, as it was opened.
    database_path : path, optional
        What the user opened as the database.

    Raises
    ------
    FileNotWritten
        If the file cannot be written.
    """
    facts = ShareFacts(
        kind=KIND,
        format=FORMAT,
        program=f"swgui {swgui.__version__}",
        number=scores.share.number,
        of=scores.share.of,
        start=scores.stretch[0],
        stop=scores.stretch[1],
        search=plain_search(search),
        queries=tuple(_query_facts(query) for query in queries),
        queries_digest=_digest(queries),
        queries_masked=queries_masked,
        database=facts_of_database(database, path, database_path),
        rows=len(scores.windows),
        subjects=scores.subjects,
        kept=scores.scores is not None,
        limit=max((best.limit for best in scores.best), default=0),
        cells=scores.cells,
        rescored=scores.rescored,
        seconds=scores.seconds,
        engine=scores.engine,
        devices=scores.devices,
    )
    with whole_file(path) as file, PackWriter(file) as pack:
        pack.text("queries.fasta", fasta(queries))
        write_profiles(pack, queries)
        _write_scores(pack, scores)
        pack.finish(plain(facts))


def _write_scores(pack: PackWriter, scores: ShareScores) -> None:
    if scores.scores is not None:
        small = int(scores.scores.max(initial=0)) <= np.iinfo(np.int16).max
        pack.array("scores.npy", scores.scores.astype("<i2" if small else "<i4"))
    else:
        _write_rows(pack, "best", {"db_index": "<i8", "scores": "<i4"}, [[best] for best in scores.best])
    _write_windows(pack, scores.windows)
    if scores.counts:
        _write_counts(pack, scores.counts)


def _query_facts(query: SequenceRecord) -> QueryFacts:
    values: dict[str, Any] = {**QueryFacts.values(query)}
    return QueryFacts(**values, length=len(query.residues), subjects_scored=0, hits=0)


def _digest(queries: Sequence[SequenceRecord]) -> str:
    """Return a checksum of queries: what is written of them, and their profiles."""
    digest = hashlib.blake2b(fasta(queries), digest_size=16)
    digest.update(json.dumps([plain(_query_facts(query)) for query in queries]).encode())
    for query in queries:
        if query.profile is not None:
            digest.update(json.dumps(profile_document(query)).encode())
    return digest.hexdigest()


def _write_rows(pack: PackWriter, name: str, dtypes: Mapping[str, str], rows: Sequence[Sequence[Any]]) -> None:
    """Write arrays of some things of each row, concatenated, and how many numbers each row has."""
    first = next(iter(dtypes))
    counts = [sum(len(getattr(one, first)) for one in row) for row in rows]
    pack.array(f"{name}/counts.npy", np.array(counts, dtype="<i8"))
    for key, dtype in dtypes.items():
        parts = [np.zeros(0, dtype=dtype), *(np.asarray(getattr(one, key)) for row in rows for one in row)]
        pack.array(f"{name}/{key}.npy", np.concatenate(parts).astype(dtype))


def _write_windows(pack: PackWriter, rows: Sequence[Sequence[WindowScores]]) -> None:
    every = [one for row in rows for one in row]
    _write_rows(pack, "windows", {"starts": "<i8", "stops": "<i8", "scores": "<i4"}, rows)
    pack.array("windows/subjects.npy", np.array([len(row) for row in rows], dtype="<i8"))
    pack.array("windows/db_index.npy", np.array([one.db_index for one in every], dtype="<i8"))
    pack.array("windows/sizes.npy", np.array([len(one.scores) for one in every], dtype="<i8"))


def _write_counts(pack: PackWriter, counts: Sequence[Counted]) -> None:
    pack.array("counts/sizes.npy", np.array([len(numbers) for numbers, _ in counts], dtype="<i8"))
    for name, arrays in zip(("numbers", "counts"), zip(*counts, strict=True), strict=True):
        pack.array(f"counts/{name}.npy", np.concatenate(arrays).astype("<i8"))


def _read_counts(pack: PackReader, facts: ShareFacts) -> tuple[Counted, ...]:
    if "counts/sizes.npy" not in pack:
        return ()
    ends, size = _counted(pack, "counts/sizes.npy", len(facts.queries))
    numbers, counts = (pack.array(f"counts/{name}.npy", "<i8", (size,)) for name in ("numbers", "counts"))
    if min(numbers.min(initial=0), counts.min(initial=1) - 1) < 0 or counts.sum() > len(facts.queries) * facts.subjects:
        raise damaged(pack.path, "its counts of scores are none")
    return tuple((numbers[part], counts[part]) for part in map(slice, ends[:-1], ends[1:]))


def read_share(path: Path) -> SavedShare:
    """Read the scores of a share.

    Raises
    ------
    RunFileError
        If the file is none, of another version, or damaged, or cannot be read.
    """
    with PackReader(path, "a part of a search") as pack, pack.watched():
        if pack.manifest.get("kind") != KIND:
            raise RunFileError(
                path,
                f"'{path.name}' is no part of a search.",
                hint="'swgui search --part 1/4 -o NAME.part' writes one.",
            )
        form, program = (
            from_plain(tuple[Count, Count], pack.manifest["format"]),
            from_plain(str, pack.manifest["program"]),
        )
        if form[0] != FORMAT[0] or _release(program) != _release(f"swgui {swgui.__version__}"):
            raise RunFileError(
                path,
                f"'{path.name}' was written by another version ({program}, format {form[0]}) than this one "
                f"(swgui {swgui.__version__}, format {FORMAT[0]}).",
                hint="Search and merge with the same version.",
            )
        facts = from_plain(ShareFacts, pack.manifest)
        search, queries = search_of(facts.search), read_records(pack, facts.queries)
        if facts.rows != len(queries) * len(search.strands):
            raise damaged(path, "its rows are not those of its queries")
        for query in queries:
            encode_record(query, search.query_alphabet.residue_alphabet)
        return SavedShare(path, facts, search, queries, _read_scores(pack, facts))


def _release(program: str) -> str:
    """Return a program and its version without the commit: scores are exact, and the merging program computes E."""
    return program.partition("+")[0]


def _read_scores(pack: PackReader, facts: ShareFacts) -> ShareScores:
    scores: NDArray[np.int32] | None = None
    best: tuple[TopHits, ...] = ()
    if not facts.start <= facts.stop <= facts.subjects:
        raise damaged(pack.path, "its subjects are not of its database")
    if facts.kept:
        scores = pack.array("scores.npy", ("<i2", "<i4"), (facts.rows, facts.stop - facts.start)).astype(np.int32)
        if scores.min(initial=0) < 0:
            raise damaged(pack.path, "the part 'scores.npy' holds an invalid score")
    else:
        best = tuple(_read_best(pack, facts))
    return ShareScores(
        share=facts.share,
        stretch=(facts.start, facts.stop),
        subjects=facts.subjects,
        sources=np.zeros(0, dtype=np.int64),  # they follow from the database
        scores=scores,
        best=best,
        counts=_read_counts(pack, facts),
        windows=_read_windows(pack, facts),
        cells=facts.cells,
        rescored=facts.rescored,
        seconds=facts.seconds,
        engine=facts.engine,
        devices=facts.devices,
    )


def _counted(pack: PackReader, name: str, count: int) -> tuple[NDArray[np.int64], int]:
    """Return where each of some things begins in arrays, and the end; and how much there is."""
    counts = pack.array(name, "<i8", (count,))
    if counts.min(initial=0) < 0:
        raise damaged(pack.path, f"the part '{name}' holds an invalid count")
    ends = np.cumsum(np.concatenate([np.zeros(1, np.int64), counts]))
    return ends, int(ends[-1])


def _read_best(pack: PackReader, facts: ShareFacts) -> list[TopHits]:
    ends, size = _counted(pack, "best/counts.npy", facts.rows)
    db_index, scores = pack.array("best/db_index.npy", "<i8", (size,)), pack.array("best/scores.npy", "<i4", (size,))
    _check_index(pack, db_index, facts)
    rows = []
    for row in range(facts.rows):
        top, part = TopHits(facts.limit), slice(ends[row], ends[row + 1])
        top.update(scores[part].astype(np.int32), db_index[part].astype(np.int64))
        rows.append(top)
    return rows


def _check_index(pack: PackReader, db_index: NDArray[np.int64], facts: ShareFacts) -> None:
    if len(db_index) and (db_index.min() < 0 or db_index.max() >= facts.subjects):
        raise damaged(pack.path, "subjects are not of its database")


def _read_windows(pack: PackReader, facts: ShareFacts) -> tuple[tuple[WindowScores, ...], ...]:
    of_rows, subjects = _counted(pack, "windows/subjects.npy", facts.rows)
    db_index = pack.array("windows/db_index.npy", "<i8", (subjects,))
    _check_index(pack, db_index, facts)
    ends, size = _counted(pack, "windows/sizes.npy", subjects)
    starts, stops = (pack.array(f"windows/{name}.npy", "<i8", (size,)) for name in ("starts", "stops"))
    scores = pack.array("windows/scores.npy", "<i4", (size,))
    made = [
        WindowScores(int(index), starts[part], stops[part], scores[part])
        for index, part in zip(db_index, map(slice, ends[:-1], ends[1:]), strict=True)
    ]
    return tuple(tuple(made[of_rows[row] : of_rows[row + 1]]) for row in range(facts.rows))


def check_together(shares: Sequence[SavedShare]) -> tuple[SavedShare, ...]:
    """Return shares in order.

    Raises
    ------
    RunFileError
        If one is missing or there twice, or they are not of one search.
    """
    first = shares[0]
    for other in shares[1:]:
        _check_alike(first, other)
    by_number: dict[int, SavedShare] = {}
    for share in shares:
        same = by_number.setdefault(share.facts.number, share)
        if same is not share:
            raise RunFileError(
                share.path,
                f"'{same.path.name}' and '{share.path.name}' are both part {share.facts.share}.",
                hint="Name each part once.",
            )
    missing = [str(number) for number in range(1, first.facts.of + 1) if number not in by_number]
    if missing:
        shown = ", ".join(missing[:10]) + (f" and {len(missing) - 10} more" if len(missing) > 10 else "")
        raise RunFileError(
            first.path,
            f"Of {first.facts.of} parts {len(missing)} {agree(len(missing), 'is', 'are')} missing: {shown}.",
            hint=f"'swgui search --part {missing[0]}/{first.facts.of} -o NAME.part' makes it.",
        )
    ordered = tuple(by_number[number] for number in sorted(by_number))
    for before, after in zip(ordered, (*ordered[1:], None), strict=True):
        if before.facts.stop != (after.facts.start if after else before.facts.subjects):
            raise RunFileError(before.path, f"'{before.path.name}' ends where no other part begins.")
    return ordered


def _check_alike(one: SavedShare, other: SavedShare) -> None:
    """Raise `RunFileError` if two shares are not of one search, saying in what they differ."""
    first, second = one.facts, other.facts
    differs = (
        (first.of != second.of, f"{first.of} and of {second.of} parts"),
        (first.queries_digest != second.queries_digest, "other queries"),
        (_decides(first) != _decides(second), f"other settings ({_named(first, second)})"),
        (first.database.checksum != second.database.checksum, "other databases"),
        (_shape(first) != _shape(second), "other settings"),
    )
    said = next((what for differ, what in differs if differ), "")
    if said:
        raise RunFileError(
            other.path,
            f"'{one.path.name}' and '{other.path.name}' are of {said}.",
            hint="Merge the parts of one search: same queries, same database, same settings, same number of parts.",
        )


def _shape(facts: ShareFacts) -> tuple[int, ...]:
    return facts.kept, facts.limit, facts.rows, facts.subjects


def _decides(facts: ShareFacts) -> dict[str, Any]:
    """Return the parameters of a search that decide its hits."""
    return {name: value for name, value in facts.search.items() if name not in _NOT_OF_SCORES} | {
        "queries_masked": facts.queries_masked
    }


def _named(one: ShareFacts, other: ShareFacts) -> str:
    first, second = _decides(one), _decides(other)
    return ", ".join(name for name in first if first[name] != second.get(name))


def open_whole(
    shares: Sequence[SavedShare], given: EncodedDatabase | None, cancel: threading.Event
) -> tuple[Search, EncodedDatabase, Path | None]:
    """Return the search that shares are of, its database and the place of that.

    Parameters
    ----------
    given : EncodedDatabase, optional
        The database; looked for where it was if not given.

    Raises
    ------
    RunFileError
        If it is not found, or is another one.
    """
    first = shares[0]
    search = first.search
    about = SavedDatabase(first.facts.database, search.database_alphabet.residue_alphabet, first.path)
    remarks: list[str] = []
    found, place = (given, None) if given is not None else about.find(remarks, cancel)
    if found is None:
        raise RunFileError(
            first.path,
            f"The database '{about.name}' of the parts was not found. {' '.join(remarks)}".rstrip(),
            hint="Name it with --database.",
        )
    if found.checksum != about.checksum or len(found) != about.sequences:
        raise RunFileError(
            first.path,
            f"The parts are of another database than '{found.name}'.",
            hint=f"They need '{about.name}' with checksum {about.checksum}.",
        )
    return search, in_blocks(found).renamed(about.name), place
