"""What an iterated search tells besides the events of its searches."""

from __future__ import annotations

import msgspec

from swgui.core.hits.results import SearchResult
from swgui.jobs.search.events import SearchEvent


class RoundStarted(msgspec.Struct, frozen=True):
    """A round begins: `number` of at most `total`, from 1, with as many queries as still change.

    With `hits` it is a search with hits of a result, for further evidence.
    """

    number: int
    total: int
    queries: int
    hits: bool = False

    @property
    def name(self) -> str:
        """What it is called, of how many: ``Round 2 of 6``."""
        return f"{'Search with the hits, round' if self.hits else 'Round'} {self.number} of {self.total}"


class RoundFinished(msgspec.Struct, frozen=True):
    """A round has ended."""

    number: int
    # included, new, lost: sequences that were included, of all queries of the round together
    included: int
    new: int
    lost: int
    changing: int  # queries whose next profile differs, so that they are searched again
    so_far: SearchResult  # what the search would give if it were stopped now


IterationEvent = SearchEvent | RoundStarted | RoundFinished
