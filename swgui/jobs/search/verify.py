"""Verify a saved search: score everything again and compare every score."""

from __future__ import annotations

import threading
from collections.abc import Generator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from swgui.core.circular import Circles
from swgui.core.database import EncodedDatabase
from swgui.core.engines import EngineOptions
from swgui.core.errors import Stopped, SwguiError
from swgui.core.hits.results import QueryResult, SearchResult
from swgui.core.limits import Limits
from swgui.core.plain import replace
from swgui.core.words import agree, count
from swgui.io.database.checked import check_content
from swgui.jobs.events import Stage
from swgui.jobs.search.events import SearchEvent
from swgui.jobs.search.request import SearchRequest
from swgui.jobs.search.run import search_steps

MAX_DIFFERENCES: Final = 1000  # told one by one; all are counted


@dataclass(frozen=True, slots=True)
class Difference:
    """A score that came out otherwise."""

    query_index: int
    db_index: int
    query: str
    subject: str
    saved: int
    found: int

    def __str__(self) -> str:
        return f"{self.query} against {self.subject or f'subject {self.db_index + 1:,}'}: saved {self.saved:,}, " + (
            f"now {self.found:,}"
        )


@dataclass(frozen=True, slots=True)
class Verification:
    """The comparison of a second search with a saved one."""

    compared: int  # scores that were compared
    different: int  # scores that differ
    differences: tuple[Difference, ...]  # the first of them
    left_out: int  # scores of the saved search that were not compared
    why_left_out: str  # as one sentence
    engine: str
    devices: tuple[str, ...]

    @property
    def ok(self) -> bool:
        """Whether scores were compared and all of them are the same."""
        return self.compared > 0 and not self.different

    def describe(self) -> str:
        """Return the outcome in words."""
        where = f"on {', '.join(self.devices)} ({self.engine})"
        if not self.compared:
            first = "Nothing could be compared."
        elif self.different:
            verb = agree(self.different, "is", "are")
            number = f"{self.different:,} of {count(self.compared, 'score')}"
            first = f"{number} {verb} different {where}: {self.differences[0]}."
        else:
            which = "The score is" if self.compared == 1 else f"All {self.compared:,} scores are"
            first = f"{which} the same {where}."
        return f"{first} {self.why_left_out}".rstrip()


def verify(
    result: SearchResult,
    cancel: threading.Event,
    *,
    engine: str = "auto",
    options: EngineOptions | None = None,
) -> Generator[SearchEvent, None, Verification | None]:
    """Search once more and compare every score that was saved.

    Where only the sequences of the hits are at hand, these are searched.

    Parameters
    ----------
    engine : str
        Need not be the one of the saved search: scores are exact on all.

    Returns
    -------
    Verification or None
        After Stop of what was scored by then; None if nothing was.

    Raises
    ------
    SwguiError
        If the database file is damaged, or the search cannot be carried out.
    """
    database, places = _searchable(result)
    # Scores are compared, not E, nor whom that lists.
    circles = result.search.circles
    search = replace(
        result.search,
        circles=circles if circles.behind else Circles("none"),  # as it was, where that program read them as lines
        engine=engine,
        options=options or EngineOptions(),
        composition="none",
        limits=Limits(),
        keep_scores=True,
    )
    request = SearchRequest(tuple(query.query for query in result.queries), database, search)
    yield Stage("Checking the database")
    with suppress(Stopped):  # the search is stopped as well, and says what was done
        check_content(database, cancel)
    again = yield from search_steps(request, cancel)
    if again is not None and again.state == "failed":
        raise SwguiError(f"The search could not be repeated to its end: {again.message}")
    return compare(result, again, places) if again is not None else None


def compare(saved: SearchResult, again: SearchResult, places: NDArray[np.int64] | None = None) -> Verification:
    """Compare the scores of two searches of the same queries.

    Parameters
    ----------
    places : ndarray, shape=(len(again.database),), dtype=int64, optional
        Source index in the saved search of each subject of the second; by default the same.
    """
    compared = different = left_out = unscored = 0
    differences: list[Difference] = []
    names = again.database.ids
    for index, (one, other) in enumerate(zip(saved.queries, again.queries, strict=True)):
        expected = _saved_scores(one, len(saved.database))
        stored = int((expected >= 0).sum())
        if places is not None:
            expected = expected[places]
        actual = other.scores if other.scores is not None else _saved_scores(other, len(again.database))
        both = (expected >= 0) & (actual >= 0)
        if one.subjects_scored < len(saved.database) and len(saved.search.strands) > 1:
            # What scores more now may lie in a strand, or reading, that the stopped search had not scored.
            strands = _saved_strands(one, len(saved.database))
            before = strands if places is None else strands[places]
            elsewhere = before != _saved_strands(other, len(again.database))
            unscored += int((both & elsewhere & (expected < actual)).sum())
            both &= ~elsewhere | (expected >= actual)
        wrong = np.flatnonzero(both & (expected != actual))
        compared += int(both.sum())
        left_out += stored - int(both.sum())
        different += len(wrong)
        differences += [
            Difference(
                query_index=index,
                db_index=int(places[row]) if places is not None else int(row),
                query=one.query.id,
                subject=names[int(row)],
                saved=int(expected[row]),
                found=int(actual[row]),
            )
            for row in wrong[: MAX_DIFFERENCES - len(differences)]
        ]
        backwards = _back_differences(index, one, other, names, places)
        compared, different = compared + backwards[0], different + len(backwards[1])
        differences += backwards[1][: MAX_DIFFERENCES - len(differences)]
    return Verification(
        compared=compared,
        different=different,
        differences=tuple(differences),
        left_out=left_out,
        why_left_out=_why(again, left_out, unscored, stored=places is not None),
        engine=again.engine,
        devices=again.devices,
    )


def _back_differences(
    query_index: int, saved: QueryResult, again: QueryResult, names: Sequence[str], places: NDArray[np.int64] | None
) -> tuple[int, list[Difference]]:
    """Return how many scores of the other direction of hits were compared, and those that differ."""
    if saved.hits.directions is None or again.hits.directions is None:
        return 0, []
    own, found = saved.hits.directions.back_scores, again.hits.directions.back_scores
    index = again.hits.db_index if places is None else places[again.hits.db_index]
    _, one, other = np.intersect1d(saved.hits.db_index, index, return_indices=True)
    wrong = np.flatnonzero(own[one] != found[other])
    return len(one), [
        Difference(
            query_index,
            int(saved.hits.db_index[one[row]]),
            saved.query.id,
            f"{names[int(again.hits.db_index[other[row]])]}, score back",
            int(own[one[row]]),
            int(found[other[row]]),
        )
        for row in wrong
    ]


def _searchable(result: SearchResult) -> tuple[EncodedDatabase, NDArray[np.int64] | None]:
    at_hand = result.database.at_hand
    if at_hand is not None and not len(at_hand):
        name = result.database.name
        raise SwguiError(
            f"The database '{name}' was not found and the saved search holds no sequences: nothing can be verified.",
            hint="Put the database into the folder of the file and open it again.",
        )
    return result.database.searchable(), at_hand


def _saved_scores(query: QueryResult, subjects: int) -> NDArray[np.int32]:
    """Return the score of every subject, shape (N,), -1 where not known; of the hits alone if no others were kept."""
    if query.scores is not None:
        return query.scores
    scores = np.full(subjects, -1, dtype=np.int32)
    scores[query.hits.db_index] = query.hits.scores
    return scores


def _saved_strands(query: QueryResult, subjects: int) -> NDArray[np.int8]:
    """Return the strand that each of `_saved_scores` comes from, shape (N,); 0 where not known."""
    if query.strands is not None:
        return query.strands
    strands = np.zeros(subjects, dtype=np.int8)
    strands[query.hits.db_index] = query.hits.strands
    return strands


def _why(again: SearchResult, left_out: int, unscored: int, *, stored: bool) -> str:
    if not left_out:
        return ""
    number = count(left_out, "score was", "scores were")
    if left_out == unscored:
        why = "another strand or reading has more, and the search was stopped before it"
        return f"{number} not compared: {why}."
    if again.state == "stopped":
        return f"The verification was stopped: {number} not compared."
    if stored:
        return f"{number} not compared, of sequences that are not in the file."
    return f"{number} not compared."
