"""Saved searches, ``.swgui``: a complete result in one file, to be opened here or on another computer.

A zip file (`swgui.io.saved.pack`) with these parts; arrays are ``.npy``, little-endian, without pickled objects:

============================  =================================================================================
``manifest.json``             format and program version, scoring (all matrix values, the gap rule in words),
                              limits, engine and devices, times, the database (name, checksum, where it was),
                              queries by name, checksum of every part
``queries.fasta``             the queries as they were searched (masked, if requested)
``profiles.json``             the profiles they were searched with, where some have one
``starts.json``               the profiles that first rounds searched with, where some did
``hits/*.npy``                the ranked hits of all queries, concatenated: ``db_index``, ``scores``,
                              ``strands``, ``bit_scores``, ``log10_evalues``; where E was corrected for
                              composition also ``log10_uncorrected``, ``lambda_ratio``, ``shuffle_z``, in both
                              directions ``back_scores``, ``forward``, ``back``
``scores.npy``                the score of every subject, [queries, subjects], int16 or int32, -1 where not
                              scored; ``strands.npy`` next to it if both strands were searched
``database/lengths.npy``      length of every subject, so that statistics can be computed without the database
``database/ids.npy``          name of every subject (with ``id_offsets.npy``), unless that is too much
``subjects/*.npy``            names and (optional) residues of the subjects among the hits; where the database
                              stores them also organisms, with the tree above, and features
``rounds/*``                  of an iterated search its rounds (`swgui.io.saved.rounds`)
``layout.json``               how the window showed it; anything
============================  =================================================================================

Format numbers are (major, minor). Additions of a newer minor version are skipped; a newer major one is refused.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, Final, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

import swgui
from swgui.core.database import EncodedDatabase
from swgui.core.errors import RunFileError
from swgui.core.hits.results import CompositionColumns, DirectionColumns, HitColumns, QueryResult, SearchResult
from swgui.core.plain import Count, from_plain, plain, replace
from swgui.core.records import SequenceRecord, encode_record
from swgui.core.search import Search
from swgui.core.several.part import restricted
from swgui.core.statistics.composition import bits_after
from swgui.core.translation.frames import FRAMES, frame_sizes
from swgui.io.profiles.own import document_of, record_of
from swgui.io.saved.database import SavedDatabase, SubjectParts, database_file_of, facts_of_database, stored_database
from swgui.io.saved.facts import (
    FORMAT,
    KIND,
    QueryFacts,
    ResultFacts,
    RunFacts,
    SearchFacts,
    SubjectFacts,
    fasta,
    plain_search,
    read_queries,
    search_of,
)
from swgui.io.saved.older import new_manifest
from swgui.io.saved.pack import PackReader, PackWriter, damaged, not_a_saved_search
from swgui.io.saved.rounds import read_rounds, write_rounds
from swgui.io.saved.stored_subjects import can_be_read_on, read_on
from swgui.io.whole_file import whole_file

__all__ = [
    "SUFFIX",
    "LoadedSearch",
    "RunFacts",
    "database_file_of",
    "load_search",
    "read_inputs",
    "read_manifest",
    "save_search",
]

SUFFIX: Final = ".swgui"
PROFILES: Final = "profiles.json"
STARTS: Final = "starts.json"  # what first rounds searched with
BITS_OF_E: Final = (2, 1)  # format from which on bits belong to the corrected E; before, to the one without correction

_COLUMNS: Final = {
    "db_index": "<i8",
    "scores": "<i4",
    "strands": "|i1",
    "bit_scores": "<f8",
    "log10_evalues": "<f8",
}
_COMPOSITION: Final = {"log10_uncorrected": "<f8", "lambda_ratio": "<f8", "shuffle_z": "<f8"}
_DIRECTIONS: Final = {"back_scores": "<i4", "forward": "<f8", "back": "<f8"}
_BLOCK: Final = 1 << 20


class LoadedSearch(NamedTuple):
    """A saved search that was opened."""

    result: SearchResult
    layout: dict[str, Any]  # as it was given to `save_search`
    # What the user should know, as sentences: the database was not found, the file is of a newer version.
    remarks: list[str]
    facts: SearchFacts  # the manifest
    database_path: Path | None


def save_search(
    result: SearchResult,
    path: str | os.PathLike[str],
    *,
    with_subjects: bool | None = None,
    layout: Mapping[str, Any] | None = None,
    database_path: str | os.PathLike[str] | None = None,
    run: RunFacts | None = None,
    compress: bool = True,
    only: NDArray[np.int64] | None = None,
) -> None:
    """Write a search to a file, whole or not at all.

    Parameters
    ----------
    with_subjects : bool, optional
        Whether the sequences of the hits go into the file, so that alignments can be drawn without the
        database; by default if they are below 50 MB.
    layout : Mapping, optional
        Any JSON values; given back by `load_search`.
    database_path : path, optional
        What the user opened as the database; by default the file the database is mapped from. An empty text leaves
        the place out: the file is for another computer.
    run : RunFacts, optional
        What the history says about it.
    compress : bool
        False writes faster and larger.
    only : ndarray, optional
        Source indices of the subjects whose names and sequences go into the file; if not given those of all hits, and
        the names of all subjects.

    Raises
    ------
    FileNotWritten
        If the file cannot be written.
    """
    target, parts = Path(path), SubjectParts(result, with_subjects, only)
    manifest = SearchFacts(
        **plain(run or RunFacts()),
        kind=KIND,
        format=FORMAT,
        program=f"swgui {swgui.__version__}",
        saved=datetime.now().astimezone().isoformat(timespec="seconds"),
        search=plain_search(result.search),
        asked=plain_search(result.asked),
        result=ResultFacts.of(result),
        queries=tuple(QueryFacts.of(query) for query in result.queries),
        database=facts_of_database(result.database, target, database_path),
        scores=all(query.scores is not None for query in result.queries),
        both_strands=all(query.strands is not None for query in result.queries),
        corrected=all(query.hits.composition is not None for query in result.queries),
        directions=all(query.hits.directions is not None for query in result.queries),
        subjects=SubjectFacts(len(parts.index), parts.with_residues, parts.with_ids),
    )
    with whole_file(target) as file, PackWriter(file, compress=compress) as pack:
        _write_members(pack, result, manifest, parts)
        if layout:
            pack.text("layout.json", json.dumps(layout).encode("ascii"))
        pack.finish(plain(manifest))


def _write_members(pack: PackWriter, result: SearchResult, manifest: SearchFacts, parts: SubjectParts) -> None:
    pack.text("queries.fasta", fasta(query.query for query in result.queries))
    write_all_profiles(pack, result.queries)
    _write_columns(pack, [query.hits for query in result.queries], _COLUMNS)
    if manifest.corrected:
        _write_columns(pack, [query.hits.composition for query in result.queries], _COMPOSITION)
    if manifest.directions:
        _write_columns(pack, [query.hits.directions for query in result.queries], _DIRECTIONS)
    _write_vectors(pack, result, manifest)
    write_rounds(pack, result.queries)
    parts.write(pack)


def write_all_profiles(pack: PackWriter, queries: Sequence[QueryResult]) -> None:
    """Write the profiles that queries were searched with, and those of first rounds."""
    write_profiles(pack, [query.query for query in queries])
    starts = [query.rounds.rounds[0].profile if query.rounds is not None else None for query in queries]
    write_profiles(
        pack, [replace(query.query, profile=one) for query, one in zip(queries, starts, strict=True)], STARTS
    )


def _write_columns(pack: PackWriter, hits: Sequence[object], dtypes: Mapping[str, str]) -> None:
    for name, dtype in dtypes.items():
        columns = [getattr(one, name) for one in hits]
        pack.array(f"hits/{name}.npy", np.concatenate(columns).astype(dtype) if columns else np.zeros(0, dtype=dtype))


def _write_vectors(pack: PackWriter, result: SearchResult, manifest: SearchFacts) -> None:
    shape = (len(result.queries), len(result.database))
    if manifest.scores:
        vectors = [cast(NDArray[np.int32], query.scores) for query in result.queries]
        highest = max((int(vector.max(initial=0)) for vector in vectors), default=0)
        dtype = np.dtype("<i2") if highest <= np.iinfo(np.int16).max else np.dtype("<i4")
        pack.rows("scores.npy", dtype, shape, _blocks(vectors))
    if manifest.both_strands:
        strands = [cast(NDArray[np.int8], query.strands) for query in result.queries]
        pack.rows("strands.npy", np.dtype("|i1"), shape, _blocks(strands))


def _blocks(vectors: Sequence[NDArray[Any]]) -> Iterator[NDArray[Any]]:
    for vector in vectors:
        yield from (vector[at : at + _BLOCK] for at in range(0, len(vector), _BLOCK))


def read_manifest(path: str | os.PathLike[str]) -> SearchFacts:
    """Return the manifest of a saved search, without reading its arrays.

    Raises
    ------
    RunFileError
        As `load_search`.
    """
    with PackReader(path) as pack:
        return _read_facts(pack)[0]


def read_inputs(path: str | os.PathLike[str]) -> tuple[SearchFacts, tuple[SequenceRecord, ...], Search]:
    """Return manifest, queries and parameters of a saved search: the input to run it again.

    Raises
    ------
    RunFileError
        As `load_search`.
    """
    with PackReader(path) as pack:
        facts, _ = _read_facts(pack)
        with pack.watched():
            asked = search_of(facts.asked)
            records = read_records(pack, facts.queries, *[STARTS] * (asked.iteration is not None))
            return facts, records, asked


def load_search(
    path: str | os.PathLike[str],
    *,
    database: EncodedDatabase | None = None,
) -> LoadedSearch:
    """Open a saved search, here or on another computer.

    The database is looked for where it was, at the same place relative to the file, in the folder of the file and among
    the
    known databases; only one with the same content (by its checksum) is used. Without it, the sequences stored in
    the file stand for it (`StoredSubjects`).

    Raises
    ------
    RunFileError
        If the file cannot be read, is damaged, foreign or of a newer version; or if `database` is another one.
    """
    with PackReader(path) as pack:
        facts, remarks = _read_facts(pack)
        with pack.watched():
            search = search_of(facts.search)
            about = SavedDatabase(facts.database, search.database_alphabet, pack.path)
            if database is not None and about.part is not None and database.checksum == about.part.checksum:
                database = restricted(database, about.part.limit)
            found, place = (database, None) if database is not None else about.find(remarks)
            if found is None or not can_be_read_on(found, search):
                found = stored_database(pack, facts.subjects, about, remarks)
            elif found.checksum != about.checksum or len(found) != about.sequences:
                raise RunFileError(
                    str(path),
                    f"'{pack.path.name}' was made with another database than '{found.name}'.",
                    hint=f"It needs '{about.name}' with checksum {about.checksum}.",
                )
            result = _read_result(pack, facts, search, read_on(found, search))
            layout = json.loads(pack.text("layout.json")) if "layout.json" in pack else {}
        return LoadedSearch(result, layout if isinstance(layout, dict) else {}, remarks, facts, place)


def _read_facts(pack: PackReader) -> tuple[SearchFacts, list[str]]:
    """Return the manifest, and remarks on the version of a file; raise if it cannot be read by this program."""
    name, manifest = pack.path.name, pack.manifest
    with pack.watched():
        if manifest.get("kind") != KIND:
            raise not_a_saved_search(pack.path)
        major, minor = from_plain(tuple[Count, Count], manifest["format"])
        program = from_plain(str, manifest.get("program", "an unknown version"))[:80]
    if major > FORMAT[0] or major < 1:
        raise RunFileError(
            str(pack.path),
            f"'{name}' was made by a newer version of this program ({program}, format {major}; this one reads "
            f"{FORMAT[0]}).",
            hint="Update the program.",
        )
    newer = f"'{name}' was made by a newer version ({program}); this version skipped the parts that it does not know."
    with pack.watched():
        return from_plain(SearchFacts, new_manifest(manifest) if major < FORMAT[0] else manifest), [
            newer
        ] if minor > FORMAT[1] else []


def _read_result(pack: PackReader, facts: SearchFacts, search: Search, database: EncodedDatabase) -> SearchResult:
    queries = _read_query_results(pack, facts, len(database), search)
    return SearchResult(queries, database, search, search_of(facts.asked), **facts.result.values())


def _read_query_results(pack: PackReader, facts: SearchFacts, subjects: int, search: Search) -> tuple[QueryResult, ...]:
    records = read_records(pack, facts.queries)
    scheme, kind = search.scheme, search.query_alphabet
    for record in records:
        encode_record(record, kind)
    starts = [record.profile for record in read_records(pack, facts.queries, STARTS)]
    rounds = read_rounds(pack, [fact.rounds for fact in facts.queries], records, starts, scheme.alphabet)
    ends = np.cumsum([0, *(query.hits for query in facts.queries)])
    count = int(ends[-1])
    columns = _read_columns(pack, _COLUMNS, count)
    composition = CompositionColumns(**_read_columns(pack, _COMPOSITION, count)) if facts.corrected else None
    directions = DirectionColumns(**_read_columns(pack, _DIRECTIONS, count)) if facts.directions else None
    hits = HitColumns(**columns, composition=composition, regions=None, directions=directions)
    if composition is not None and facts.format < BITS_OF_E:
        bits = bits_after(hits.bit_scores, hits.log10_evalues - composition.log10_uncorrected)
        hits = replace(hits, bit_scores=bits)
    index = hits.db_index
    if len(index) and (index.min() < 0 or index.max() >= subjects):
        raise damaged(pack.path, "hits are not of this database")
    if not np.isin(hits.strands, (-1, 1) if search.translation is None else search.strands).all():
        raise damaged(pack.path, "hits have a strand that does not exist")
    shape = (len(records), subjects)
    vectors = pack.array("scores.npy", ("<i2", "<i4"), shape).astype(np.int32) if facts.scores else None
    strands = pack.array("strands.npy", "|i1", shape) if facts.both_strands and len(records) else None
    return tuple(
        QueryResult(
            query=record,
            hits=hits.take(slice(ends[at], ends[at + 1])),
            subjects_scored=fact.subjects_scored,
            scores=vectors[at] if vectors is not None else None,
            strands=strands[at] if strands is not None else None,
            fit=fact.fit,
            rounds=rounds[at],
        )
        for at, (record, fact) in enumerate(zip(records, facts.queries, strict=True))
    )


def _read_columns(pack: PackReader, dtypes: Mapping[str, str], count: int) -> dict[str, Any]:
    """Return columns of all hits, by name."""
    return {name: pack.array(f"hits/{name}.npy", dtype, (count,)) for name, dtype in dtypes.items()}


def write_profiles(pack: PackWriter, records: Sequence[SequenceRecord], part: str = PROFILES) -> None:
    """Write the profiles of queries, if any has one."""
    if any(record.profile is not None for record in records):
        documents = [None if record.profile is None else profile_document(record) for record in records]
        pack.text(part, json.dumps(documents).encode("ascii"))


def profile_document(record: SequenceRecord) -> dict[str, object]:
    """Return a query with a profile as values for JSON; one whose frames have scores without its bases."""
    assert record.profile is not None
    rows = len(record.profile)
    return document_of(record if rows == len(record.residues) else replace(record, residues=b"X" * rows))


def read_records(pack: PackReader, facts: Sequence[QueryFacts], part: str = PROFILES) -> tuple[SequenceRecord, ...]:
    """Return the queries, with the profiles they were searched with, or (`STARTS`) those of their first rounds.

    Raises
    ------
    ValueError
        If the parts do not fit together.
    """
    records = read_queries(facts, pack.text("queries.fasta"))
    if part not in pack:
        return records
    documents = json.loads(pack.text(part))
    if not isinstance(documents, list):
        raise ValueError("profiles of queries")
    return tuple(_with_profile(*pair) for pair in zip(records, documents, strict=True))


def _in_frames(record: SequenceRecord) -> int:
    return int(frame_sizes(np.array([len(record.residues)]), FRAMES).sum())


def _with_profile(record: SequenceRecord, document: object) -> SequenceRecord:
    if document is None:
        return record
    profile = record_of(document).profile
    if profile is None or len(profile) not in (len(record.residues), _in_frames(record)):
        raise ValueError("length of a profile")
    return replace(record, profile=profile)
