"""A saved search in a newer release of its database: what changed is searched, and nothing else.

Blocks that are alike in two packed files are read only where subjects are missing.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Generator, Iterator
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from swgui.core.circular import as_given
from swgui.core.compare.changes import Change, TwoSearches
from swgui.core.control import Check, checking
from swgui.core.database import EncodedDatabase
from swgui.core.engines import EngineOptions
from swgui.core.errors import EngineFault, InvalidParameter, Stopped
from swgui.core.hits.results import SearchResult
from swgui.core.hits.scores import ChunkScores
from swgui.core.organisms.limit import EVERY_ORGANISM
from swgui.core.plain import replace
from swgui.core.scoring import check_same_alphabet
from swgui.core.search import Search
from swgui.core.several.part import restricted, subset
from swgui.core.several.releases import UNKNOWN, Releases, Stretch
from swgui.core.several.shares import Share, ShareScores
from swgui.core.statistics.counts import Counted
from swgui.engines import registry
from swgui.io.database.packed.file import PackedFile
from swgui.io.database.packed.layout import HEAD, placed_at
from swgui.io.database.packed.names import StoredTexts
from swgui.jobs.events import Stage
from swgui.jobs.search.circles import in_circles
from swgui.jobs.search.describe import unlisted_place
from swgui.jobs.search.events import Journal, SearchEvent
from swgui.jobs.search.opening import in_tracks
from swgui.jobs.search.request import SearchRequest
from swgui.jobs.search.run import scored_share, search_steps

# What two packed files have in common: blocks of the same residues and names, wherever they stand.

WHOLE: Final = Share(1, 1)


def alike_blocks(older: EncodedDatabase, newer: EncodedDatabase, check: Check) -> list[Stretch]:
    """Return where subjects of two databases have the same residues and identifiers, by the checksums of their blocks.

    A block that stands where it stood is not read; one that was moved is, as its checksum is of its place as well.

    Raises
    ------
    DatabaseError
        If a file cannot be read.
    """
    one, other = _whole_file(older), _whole_file(newer)
    if one is None or other is None or one.letters_of() != other.letters_of():
        return []
    before: dict[tuple[Any, ...], list[int]] = {}
    for number, entry in enumerate(one.directory):
        before.setdefault(_said(entry), []).append(number)
    found = []
    for number, entry in enumerate(other.directory):
        check()
        for candidate in before.get(_said(entry), ())[:1]:
            if _is_same(one, candidate, other, number):
                before[_said(entry)].remove(candidate)
                found.append((int(one.firsts[candidate]), int(other.firsts[number]), int(entry["sequences"])))
    return found


def _whole_file(database: EncodedDatabase) -> PackedFile | None:
    """Return the packed file of which a database has all subjects; None if there is none."""
    source = database.ids.source if isinstance(database.ids, StoredTexts) else None
    if not isinstance(source, PackedFile) or database.part is not None or database.whole is not None:
        return None
    return source if len(database) == source.header.facts.sequences else None


def _said(entry: Any) -> tuple[Any, ...]:
    """Return the entry of a directory for a block, without its place."""
    counts = (int(entry[name]) for name in ("size", "sequences", "residues", "longest", "shortest"))
    return *counts, entry["names_digest"].tobytes()


def _is_same(one: PackedFile, block: int, other: PackedFile, number: int) -> bool:
    wanted, entry = one.directory[block]["digest"].tobytes(), other.directory[number]
    if (block, one.firsts[block]) == (number, other.firsts[number]):
        return bool(wanted == entry["digest"].tobytes())
    data = np.frombuffer(other.read(int(entry["offset"]), int(entry["size"]), other.block_name(number)), np.uint8)
    digest = hashlib.blake2b(placed_at(data[: HEAD.size], block, int(one.firsts[block])), digest_size=16)
    digest.update(data[HEAD.size :].data)
    return bool(digest.digest() == wanted)


@dataclass(frozen=True, slots=True, eq=False)
class SearchDiff:
    """The effect of a newer release of a database on a search."""

    before: SearchResult
    now: SearchResult  # the same as a search of the newer database gives
    changes: tuple[Change, ...]
    searched: int  # subjects of the newer database that had to be scored
    gone: int  # subjects of the older database whose sequence the newer one does not have; -1 where that is not known

    def count(self, kind: str) -> int:
        """Return the number of changes of a kind."""
        return sum(change.change == kind for change in self.changes)


def diff_steps(
    before: SearchResult,
    newer: EncodedDatabase,
    cancel: threading.Event,
    *,
    engine: str = registry.AUTO,
    options: EngineOptions | None = None,
    use: registry.UseEngine = registry.new_engine,
    journal: Journal | None = None,
    hashes: NDArray[np.uint64] | None = None,
) -> Generator[SearchEvent, None, SearchDiff | None]:
    """Compare a search with the same search in a newer database; None if it was stopped.

    Parameters
    ----------
    before : SearchResult
        With its database, or with the sequences of its hits alone: then all but these are scored again.
    engine : str
        Scores what is new.
    journal : Journal, optional
        Is given the scores of what is new, and gives those of an earlier comparison of the same two.
    hashes : ndarray, shape=(N, 2), dtype=uint64, optional
        Of all subjects of the search, as `content_hashes` gave them: its database is not needed then.

    Raises
    ------
    InvalidParameter
        If the search had rounds.
    AlphabetMismatch
        If the database is of another kind.
    EngineFault
        If scoring failed.
    SwguiError
        As `search_steps`.
    """
    asked = replace(before.asked, engine=engine, options=options or EngineOptions())
    given = _request(before, newer, asked)
    try:
        yield Stage("Comparing the databases")
        request, part, _ = in_tracks(given, restricted(newer, asked.organisms))
        older, check = as_given(before.database), checking(cancel)
        known = older.at_hand
        alike = alike_blocks(older, part, check) if known is None else ()
        releases = Releases(older, part, known, check, alike, hashes)
    except Stopped:
        return None
    source = _scored_before(before, _read_alike(releases.source, before, request, part))
    fresh = np.flatnonzero(source == UNKNOWN)
    searched = yield from _searched(before, replace(request, database=part), source, fresh, cancel, use, journal)
    if searched is None:
        return None
    yield Stage("Comparing the hits")
    now = _as_asked(*searched, before, asked)
    whole = before.database.whole or before.database
    changes = tuple(TwoSearches(before, now, releases, newer, whole, unlisted_place).changes())
    gone = -1 if known is not None and hashes is None else len(before.database) - releases.staying
    return SearchDiff(before, now, changes, len(fresh), gone)


def _searched(
    before: SearchResult,
    request: SearchRequest,
    source: NDArray[np.int64],
    fresh: NDArray[np.int64],
    cancel: threading.Event,
    use: registry.UseEngine,
    journal: Journal | None,
) -> Generator[SearchEvent, None, tuple[SearchResult, SearchResult | ShareScores] | None]:
    """Search the newer database, and return what scored the new sequences next to the result; None if stopped.

    Parameters
    ----------
    source, fresh : ndarray
        As of `KnownScores`.
    """
    part, scored = request.database, None
    assert isinstance(part, EncodedDatabase)
    if 0 < len(fresh) < len(part):
        chosen = np.zeros(len(part), dtype=bool)
        chosen[fresh] = True
        # E of both directions is made of the scores of all, below.
        one_way = replace(request.search, both_directions=False)
        some = replace(request, database=subset(part, chosen), search=one_way)
        scored = yield from scored_share(some, WHOLE, cancel, use, journal)
        if scored is None:
            return None
    known: Journal | None = journal
    if len(fresh) < len(part):
        kept = scored is None or scored.scores is not None
        known = KnownScores(before, source, fresh, scored) if kept else None
    now = yield from search_steps(request, cancel, journal=known, use=use)
    if now is not None and now.state == "failed":
        raise EngineFault(now.message)
    if now is None or now.state != "complete":
        return None
    return now, scored or (now if len(fresh) else before)


def _request(before: SearchResult, newer: EncodedDatabase, asked: Search) -> SearchRequest:
    """Return the search of the newer database, without its limit to organisms; raises as `diff_steps`."""
    if asked.iteration is not None:
        raise InvalidParameter(
            "file",
            before.database.name,
            "This is a search in rounds: its profiles depend on the database, so that a newer one needs a new search.",
            hint="Search the newer database in rounds as well (--save), and give both files to 'swgui compare'.",
        )
    wanted = before.search.database_alphabet.residue_alphabet
    check_same_alphabet(wanted, newer.alphabet.residue_alphabet, "database")
    queries = tuple(query.query for query in before.queries)
    return SearchRequest(queries, newer, replace(asked, organisms=EVERY_ORGANISM), queries_masked=True)


def _as_asked(now: SearchResult, by: SearchResult | ShareScores, before: SearchResult, asked: Search) -> SearchResult:
    """Return a result as one of the requested search, by the engine that scored the new sequences."""
    search = replace(now.search, organisms=before.search.organisms)
    return replace(now, search=search, asked=asked, engine=by.engine, devices=by.devices)


def _read_alike(
    source: NDArray[np.int64], before: SearchResult, request: SearchRequest, newer: EncodedDatabase
) -> NDArray[np.int64]:
    """Return of each newer subject an older one with its residues that was read on as far; -1 if there is none."""
    kept, known = source.copy(), np.flatnonzero(source != UNKNOWN)
    more = in_circles(request, newer)[0].search.circles.more(newer)
    then = before.search.circles.more(as_given(before.database))
    kept[known[then[source[known]] != more[known]]] = UNKNOWN
    return kept


def _scored_before(before: SearchResult, source: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return of each newer subject an older one whose scores for all queries are known; -1 if there is none."""
    kept = source.copy()
    for query in before.queries:
        if query.scores is None:
            return np.full(len(source), UNKNOWN, dtype=np.int64)
        kept[(kept != UNKNOWN) & (query.scores[kept] < 0)] = UNKNOWN
    return kept


class KnownScores:
    """Gives a run the scores that a search of an older database had, and those that were scored since.

    Parameters
    ----------
    source : ndarray, shape=(N,), dtype=int64
        Of each subject the older one that has its scores; -1 where it was scored since.
    fresh : ndarray, shape=(n,), dtype=int64
        Those others.
    """

    def __init__(
        self, before: SearchResult, source: NDArray[np.int64], fresh: NDArray[np.int64], scored: ShareScores | None
    ) -> None:
        self._before, self._source, self._fresh, self._scored = before, source, fresh, scored

    @property
    def seconds(self) -> float:
        """Time that scoring what is new took."""
        return self._scored.seconds if self._scored is not None else 0.0

    @property
    def whole(self) -> bool:
        """Whether it is known to give all scores there are."""
        return True

    @property
    def of_each_strand(self) -> bool:
        """Whether scores are those of each strand: saved searches have those of the better one."""
        return False

    @property
    def counts(self) -> tuple[Counted, ...]:
        """How often scores occur that it does not give: none, since it gives all."""
        return ()

    def begin(self, database: EncodedDatabase, rows: int, best: int) -> Iterator[ChunkScores]:
        """Yield the scores."""
        strands = self._before.search.strands
        known = np.flatnonzero(self._source != UNKNOWN)
        for row in range(rows):
            query, strand = self._before.queries[row // len(strands)], strands[row % len(strands)]
            assert query.scores is not None
            scores = query.scores[self._source[known]].astype(np.int32)
            if query.strands is not None:  # the other strands have less, or as much and come later
                scores = np.where(query.strands[self._source[known]] == strand, scores, 0).astype(np.int32)
            yield ChunkScores(row, known, scores, cells=-1)
            if self._scored is not None and self._scored.scores is not None:
                yield ChunkScores(row, self._fresh[self._scored.sources], self._scored.scores[row], cells=-1)

    def add(self, chunk: ChunkScores) -> None:
        """Refuse: nothing is left to be scored."""
        raise ValueError(f"Of a search that is known {np.size(chunk.scores)} scores are missing.")
