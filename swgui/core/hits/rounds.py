"""The rounds of an iterated search, as its result keeps them, and whether they may have drawn in strangers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import nan
from typing import Final, Literal

import msgspec
import numpy as np
from numpy.typing import NDArray

from swgui.core.hits.scores import among
from swgui.core.profiles.alignment import DELETION, MasterAlignment
from swgui.core.profiles.bases import SearchedBases
from swgui.core.profiles.evidence import Evidence
from swgui.core.profiles.recipe import Recipe
from swgui.core.score_profile import ScoreProfile
from swgui.core.words import count

Status = Literal["", "new", "kept", "lost"]
_STATUSES: Final[tuple[Status, ...]] = ("", "new", "kept", "lost")
Ended = Literal["same", "none", "rounds", "stopped", "failed"]

CALIBRATION_LIMITS: Final = (0.01, 0.1, 1.0, 10.0, 100.0, 1000.0)  # E up to which sequences are counted

_ENDINGS: Final[dict[Ended, str]] = {
    "same": "converged, no new sequences",
    "none": "no sequence has an E-value that is small enough to be included",
    "rounds": "all requested rounds are done",
    "stopped": "stopped; the last whole round is shown",
    "failed": "a round failed; the last whole round is shown",
}
WEAK: Final = -3.0  # log10 E above which it is open whether a sequence belongs
STRONG: Final = -6.0  # and below which a hit is beyond doubt
FEWEST_LATE: Final = 3  # sequences that came late and cover one stretch
SHORT: Final = 0.5  # of the query at most: a stretch that only part of the family has
FALLEN: Final = 0.75  # of the coverage of the first round at most
SHARE: Final = 100  # E up to this part of the sequences says something about the tail of chance
TOO_MANY: Final = 1.4  # found for each expected
NAMED: Final = 3  # names in a sentence


class Round(msgspec.Struct, frozen=True, eq=False):
    """One search of an iterated search, and its members of the next profile."""

    db_index: NDArray[np.int64]  # subjects that were found, best first, shape (k,)
    # E of a doubtful member of the profile against a profile without it, shape (k,).
    log10_evalues: NDArray[np.float64]
    included: NDArray[np.int64]  # subjects that the next profile is made of, shape (j,)
    profile: ScoreProfile | None  # the searched profile; None for the residues of the query
    alignment: MasterAlignment  # the query with the included subjects, every significant alignment a row
    effective_sequences: float  # mean number of independent observations of a column of that alignment
    seconds: float = 0.0  # of scoring, all queries of the round together
    # Median share of the query that the rows of the alignment cover, 0 to 1; None without rows, or if not known.
    coverage: float | None = None
    # Mean relative entropy of the columns of the next profile, in bits; None as `coverage`.
    information: float | None = None
    # Sequences that are not included, and are not the query, with E up to each of `CALIBRATION_LIMITS`: as many as
    # the limit says are expected by chance. Empty if they were not counted.
    beyond: tuple[int, ...] = ()


class HitRounds(msgspec.Struct, frozen=True):
    """Data of all rounds about one hit."""

    log10_evalues: tuple[float, ...]  # of every round; NaN where it was not listed
    first_included: int  # the first round that included it, from 1; 0 for none
    # Whether the last round includes it for the first time, still, or not any more; empty if it never was included.
    status: Status
    member: bool = False  # whether the profile that the last round searched with was made of it
    evidence: Evidence | None = None  # further evidence; None if it was not computed


class RoundColumns(msgspec.Struct, frozen=True, eq=False):
    """Data of n rounds about k hits, as `HitRounds` has it for one."""

    log10_evalues: NDArray[np.float64]  # shape (k, n)
    first_included: NDArray[np.int64]  # shape (k,)
    status: list[Status]
    member: NDArray[np.bool_]  # shape (k,)


@dataclass(frozen=True, eq=False)
class QueryRounds:
    """The rounds of one query."""

    rounds: tuple[Round, ...]  # whole ones, the first search first
    ended: Ended  # why there are no more
    # Name of the database the rounds searched, if the hits that are listed are of another one; else empty.
    database: str = ""
    recipe: Recipe = field(default=Recipe(), repr=False)  # how alignments became profiles
    # Further evidence about subjects, by source index; empty if it was not computed.
    evidence: Mapping[int, Evidence] = field(default_factory=dict, repr=False)
    inclusion: float = nan  # e-value up to which subjects were included; NaN of searches saved before it was kept
    max_rows: int = 0  # subjects that were included at most; 0 likewise
    # include_ids, exclude_ids: subjects that the user included in any case, or never
    include_ids: tuple[str, ...] = ()
    exclude_ids: tuple[str, ...] = ()
    from_profile: bool = False  # whether the first round searched with a profile or an alignment that the user gave
    bases: SearchedBases | None = None  # facts of a nucleotide database that the profiles were made for

    def __len__(self) -> int:
        return len(self.rounds)

    @property
    def last(self) -> Round:
        """The last whole round."""
        return self.rounds[-1]

    @property
    def ending(self) -> str:
        """Reason why the search ended, in words."""
        return _ENDINGS[self.ended]

    @property
    def found_none(self) -> bool:
        """True if no round included a subject: the result is that of a search with the query alone."""
        return self.ended == "none" and len(self) == 1 and not self.from_profile

    def new(self, number: int) -> NDArray[np.int64]:
        """Return the subjects that a round, from 1, includes and the one before did not."""
        return self._without(number - 1, number - 2)

    def lost(self, number: int) -> NDArray[np.int64]:
        """Return whom a round, from 1, does not include and the one before did."""
        return self._without(number - 2, number - 1)

    def kept(self, number: int) -> NDArray[np.int64]:
        """Return whom a round, from 1, includes as the one before did."""
        included = self.rounds[number - 1].included
        return included[~among(included, self.new(number))]

    def of(self, db_index: int) -> HitRounds | None:
        """Return the data of the rounds about a subject; None if they searched another database."""
        if db_index not in self._said:  # the window asks again and again
            if (of := self.columns(np.array([db_index]))) is None:
                return None
            numbers = tuple(of.log10_evalues[0].tolist()), int(of.first_included[0]), of.status[0], bool(of.member[0])
            self._said[db_index] = HitRounds(*numbers, self.evidence.get(db_index))
        return self._said[db_index]

    def columns(self, db_index: NDArray[np.int64]) -> RoundColumns | None:
        """Return the data of the rounds about several subjects; None if they searched another database."""
        if self.database:
            return None
        included = np.stack([among(db_index, iteration.included) for iteration in self.rounds], axis=1)
        before, ever = included[:, -2] if len(self) > 1 else np.zeros(len(db_index), np.bool_), included.any(axis=1)
        said = np.where(included[:, -1], np.where(before, 2, 1), np.where(ever, 3, 0))
        return RoundColumns(
            np.stack([evalues_of(iteration, db_index) for iteration in self.rounds], axis=1),
            np.where(ever, included.argmax(axis=1) + 1, 0),
            [_STATUSES[status] for status in said.tolist()],
            before,
        )

    def _without(self, of: int, but: int) -> NDArray[np.int64]:
        if of < 0:
            return np.zeros(0, dtype=np.int64)
        included = self.rounds[of].included
        return included if but < 0 else included[~among(included, self.rounds[but].included)]

    @cached_property
    def _said(self) -> dict[int, HitRounds]:
        return {}


def evalues_of(iteration: Round, db_index: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return log10 of E of some subjects in a round, shape (k,); NaN where they were not listed."""
    if not len(iteration.db_index):
        return np.full(len(db_index), np.nan)
    order = np.argsort(iteration.db_index)
    positions = order[np.minimum(np.searchsorted(iteration.db_index, db_index, sorter=order), len(order) - 1)]
    return np.where(iteration.db_index[positions] == db_index, iteration.log10_evalues[positions], np.nan)


def drift_warnings(rounds: QueryRounds, ids: Sequence[str], called: Callable[[str], str] = str) -> list[str]:
    """Return the reasons to doubt the last round, one sentence each.

    Parameters
    ----------
    ids : sequence of str
        Searched database.
    called : callable, optional
        Name of a sequence in a sentence, by its id.
    """
    if rounds.found_none:
        return ["No sequence could be included, so the hits are those of the plain search."]
    checks = (_became_strong(rounds, lambda row: called(ids[row])), _one_stretch(rounds, ids), _less_covered(rounds))
    sequences = len(ids)
    return [text for text in (*checks, _not_by_chance(rounds, sequences)) if text]


def drifted(rounds: QueryRounds) -> NDArray[np.int64]:
    """Return subjects first included with E above 0.001 whose E in the last round is below 1e-6; source indices."""
    earlier: set[int] = set()
    drifting = []
    last = dict(zip(rounds.last.db_index.tolist(), rounds.last.log10_evalues.tolist(), strict=True))
    for iteration in rounds.rounds[:-1]:
        evalues = dict(zip(iteration.db_index.tolist(), iteration.log10_evalues.tolist(), strict=True))
        for db_index in iteration.included.tolist():
            if db_index not in earlier and evalues.get(db_index, 0.0) > WEAK and last.get(db_index, 0.0) < STRONG:
                drifting.append(db_index)
            earlier.add(db_index)
    return np.array(drifting, dtype=np.int64)


def calibration_limit(sequences: int) -> int:
    """Return the place in `CALIBRATION_LIMITS` by which E is judged best; -1 where the database is too small."""
    usable = [index for index, limit in enumerate(CALIBRATION_LIMITS) if 10 <= limit <= sequences / SHARE]
    return usable[-1] if usable else -1


def _named(who: list[int], name_of: Callable[[int], str]) -> str:
    names = ", ".join(map(name_of, who[:NAMED]))
    return names + (f" and {len(who) - NAMED:,} more" if len(who) > NAMED else "")


def _became_strong(rounds: QueryRounds, name_of: Callable[[int], str]) -> str:
    who = drifted(rounds).tolist()
    if not who:
        return ""
    was, has = ("was", "has") if len(who) == 1 else ("were", "have")
    return (
        f"{count(len(who), 'sequence')} {was} included with E above 0.001 and now {has} E below 1e-6: "
        f"{_named(who, name_of)}. A sequence that is no relative contaminates the profile: exclude it."
    )


def _one_stretch(rounds: QueryRounds, ids: Sequence[str]) -> str:
    """Return a sentence if subjects of later rounds cover one stretch only, and those of the first round more."""
    early = {ids[db_index] for db_index in rounds.rounds[0].included.tolist()}
    rows = rounds.last.alignment.rows[1:]
    first = [row.codes < DELETION for row in rows if row.id in early]
    late = [row.codes < DELETION for row in rows if row.id not in early]
    if len(late) < FEWEST_LATE or not first:
        return ""
    columns = np.flatnonzero(np.any(late, axis=0))
    begin, end = int(columns[0]), int(columns[-1]) + 1
    width = rounds.last.alignment.columns
    if end - begin > SHORT * width or np.any(first, axis=0).mean() < 1.5 * (end - begin) / width:
        return ""
    return (
        f"All {count(len({row.id for row in rows if row.id not in early}), 'sequence')} that came after round 1 "
        f"cover only residues {begin + 1:,} to {end:,} of the query: they may share no more than this region."
    )


def _less_covered(rounds: QueryRounds) -> str:
    first, last = rounds.rounds[0].coverage, rounds.last.coverage
    if len(rounds) < 2 or first is None or last is None or last > FALLEN * first:
        return ""
    return (
        f"Rows cover less of the query than at first: {100 * last:.0f} % in the middle, {100 * first:.0f} % in round 1."
    )


def _not_by_chance(rounds: QueryRounds, sequences: int) -> str:
    index = calibration_limit(sequences)
    if index < 0 or not rounds.last.beyond:
        return ""
    expected, observed = CALIBRATION_LIMITS[index], rounds.last.beyond[index]
    if observed <= TOO_MANY * expected or observed - expected <= 3 * np.sqrt(expected):
        return ""
    return (
        f"E-values of the last round look too small: {observed:,} other sequences have E up to {expected:g}, "
        f"where chance gives {expected:g}."
    )
