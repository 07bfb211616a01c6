"""Profiles that searches in rounds made."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from swgui.core.hits.results import QueryResult, SearchResult
from swgui.core.records import SequenceRecord
from swgui.core.score_profile import ScoreProfile
from swgui.core.words import count
from swgui.io.profiles.base import ProfileFormat
from swgui.io.whole_file import save_text
from swgui.jobs.iterate.saving import profile_record, round_text
from swgui.library.multiple import MultipleAlignment, profile_format
from swgui.library.result import Written
from swgui.library.writing import Output


class Profile(Written):
    """A profile of a query: a score for every symbol at each of its positions, made of the sequences of a round.

    ``swgui.search(None, database, start_from="profile.json")`` searches with one that `save` wrote. `write` takes
    ``json``, which has all scores and gap costs, ``hmm`` and ``pssm``; `start_from` reads each.

    Parameters
    ----------
    record : SequenceRecord
        The query with its profile.
    round : int
        The round that found the sequences it is made of, from 1.
    alignment : MultipleAlignment
        Of these sequences.
    text : callable
        Returns the text of the profile in a format.
    inputs : sequence of (str, path)
        Files that were read, which no output may replace.
    """

    _usual_format = "json"

    def __init__(
        self,
        record: SequenceRecord,
        round: int,
        alignment: MultipleAlignment,
        text: Callable[[ProfileFormat], str],
        inputs: Sequence[tuple[str, Path]] = (),
    ) -> None:
        super().__init__(inputs=inputs)
        assert record.profile is not None
        self.round, self.alignment = round, alignment
        self._record, self._text = record, text
        self._profile: ScoreProfile = record.profile

    def __len__(self) -> int:
        """Return the number of positions."""
        return len(self._profile.scores)

    def __repr__(self) -> str:
        return f"<Profile of {self.query_id}: {count(len(self), 'position')}, of {count(len(self.alignment), 'row')}>"

    @property
    def query_id(self) -> str:
        """Identifier of the query."""
        return self._record.id

    @property
    def residues(self) -> str:
        """Residues of the query, one for each position."""
        return self._record.residues.decode("ascii")

    @property
    def symbols(self) -> str:
        """Symbols of the columns of `scores`."""
        return self._profile.alphabet.letters

    @property
    def units_per_bit(self) -> float:
        """Units of `scores` that are one bit; 0 if that is not known."""
        return self._profile.units_per_bit

    @property
    def scores(self) -> NDArray[np.int16]:
        """Scores of every symbol at every position (a PSSM), shape (positions, symbols), read-only."""
        return self._profile.scores

    @cached_property
    def gap_costs(self) -> dict[str, NDArray[np.int16]]:
        """Costs of the first and of each further residue of a gap before a position, by name, shape (positions,)."""
        gaps = self._profile.gaps
        return dict(zip(gaps.__struct_fields__, gaps.columns, strict=True))

    def _saver(self, path: Output, format: str | None) -> Callable[[Path], object]:
        text = self._text(profile_format(path, format, "profile"))
        return lambda place: save_text(place, lambda file: file.write(text))

    save = Written.write


def profile_of_round(
    query: QueryResult, number: int, result: SearchResult, inputs: Sequence[tuple[str, Path]]
) -> Profile:
    """Return the profile that a round of a query made.

    Parameters
    ----------
    query : QueryResult
        With rounds.
    number : int
        Place of the round, from 0.
    inputs : sequence of (str, path)
        As of `Profile`.
    """
    assert query.rounds is not None
    alignment = MultipleAlignment(query.rounds.rounds[number].alignment, inputs)
    record = profile_record(query, number, result)
    return Profile(
        record, number + 1, alignment, lambda kind: round_text(query, number, kind, "profile", result), inputs
    )
