"""Whether the rounds of a search may have drawn in strangers: what they show of it, in sentences."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from swgui.core.profiles.alignment import DELETION
from swgui.core.profiles.rounds import CALIBRATION_LIMITS, QueryRounds
from swgui.core.words import count

WEAK: Final = -3.0  # log10 E above which it is open whether a sequence belongs
STRONG: Final = -6.0  # and below which nobody would doubt it
FEWEST_LATE: Final = 3  # sequences that came late and cover one stretch
SHORT: Final = 0.5  # of the query at most: a stretch that only part of the family has
FALLEN: Final = 0.75  # of the coverage of the first round at most
SHARE: Final = 100  # E up to this part of the sequences says something about the tail of chance
TOO_MANY: Final = 1.4  # found for each expected
NAMED: Final = 3  # names in a sentence


def drift_warnings(rounds: QueryRounds, ids: Sequence[str], called: Callable[[str], str] = str) -> list[str]:
    """Return what makes the last round doubtful, one sentence each.

    Parameters
    ----------
    ids : sequence of str
        Of the database that was searched.
    called : callable, optional
        What a sequence is called in a sentence, by its id.
    """
    if rounds.found_nobody:
        return ["Nobody could be included, so the hits are those of the plain search."]
    checks = (_became_strong(rounds, lambda at: called(ids[at])), _one_stretch(rounds, ids), _less_covered(rounds))
    sequences = len(ids)
    return [text for text in (*checks, _not_by_chance(rounds, sequences)) if text]


def drifted(rounds: QueryRounds) -> NDArray[np.int64]:
    """Return who was included first with E above 0.001, and has E below 1e-6 in the last round; source indices."""
    earlier: set[int] = set()
    found = []
    last = dict(zip(rounds.last.db_index.tolist(), rounds.last.log10_evalues.tolist(), strict=True))
    for one in rounds.rounds[:-1]:
        evalues = dict(zip(one.db_index.tolist(), one.log10_evalues.tolist(), strict=True))
        for at in one.included.tolist():
            if at not in earlier and evalues.get(at, 0.0) > WEAK and last.get(at, 0.0) < STRONG:
                found.append(at)
            earlier.add(at)
    return np.array(found, dtype=np.int64)


def calibration_limit(sequences: int) -> int:
    """Return the place in `CALIBRATION_LIMITS` by which E is judged best; -1 where the database is too small."""
    usable = [at for at, limit in enumerate(CALIBRATION_LIMITS) if 10 <= limit <= sequences / SHARE]
    return usable[-1] if usable else -1


def _named(who: list[int], name_of: Callable[[int], str]) -> str:
    names = ", ".join(map(name_of, who[:NAMED]))
    return names + (f" and {len(who) - NAMED:,} more" if len(who) > NAMED else "")


def _became_strong(rounds: QueryRounds, name_of: Callable[[int], str]) -> str:
    who = drifted(rounds).tolist()
    if not who:
        return ""
    verb = "was included while its" if len(who) == 1 else "were included while their"
    return (
        f"{count(len(who), 'sequence')} {verb} E was above 0.001, and now E is below 1e-6: "
        f"{_named(who, name_of)}. If one is no relative, it has drawn in its own family."
    )


def _one_stretch(rounds: QueryRounds, ids: Sequence[str]) -> str:
    """Say whether all that came after the first round covers one stretch that the first ones reach beyond."""
    early = {ids[at] for at in rounds.rounds[0].included.tolist()}
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
        f"cover only residues {begin + 1:,} to {end:,} of the query: they may share no more than this stretch."
    )


def _less_covered(rounds: QueryRounds) -> str:
    first, last = rounds.rounds[0].coverage, rounds.last.coverage
    if len(rounds) < 2 or first is None or last is None or last > FALLEN * first:
        return ""
    return (
        f"Rows cover less of the query than at first: {100 * last:.0f} % in the middle, {100 * first:.0f} % in round 1."
    )


def _not_by_chance(rounds: QueryRounds, sequences: int) -> str:
    at = calibration_limit(sequences)
    if at < 0 or not rounds.last.beyond:
        return ""
    expected, found = CALIBRATION_LIMITS[at], rounds.last.beyond[at]
    if found <= TOO_MANY * expected or found - expected <= 3 * np.sqrt(expected):
        return ""
    return (
        f"E-values of the last round look too small: {found:,} other sequences have E up to {expected:g}, "
        f"where chance gives {expected:g}."
    )
