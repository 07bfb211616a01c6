"""Places that were found, checked again in other ways than they were found."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from swgui.core.control import Check, run_interruptible
from swgui.core.database import EncodedDatabase
from swgui.core.plain import replace
from swgui.core.rules.places import Places
from swgui.core.rules.request import RuleRequest
from swgui.jobs.rules.checker import Checker
from swgui.jobs.rules.circles import circles_of
from swgui.jobs.rules.frames import translated
from swgui.jobs.rules.work.base import work_of

SAMPLE: Final = 1000  # places of a rule with gaps


@dataclass(frozen=True, slots=True)
class Checks:
    """How many places were checked again, each of which was as it was found."""

    places: int = 0  # all that were found
    recounted: int = 0  # places whose differences were counted again, residue by residue
    fitted: int = 0  # places that were fitted again by the plain definition of the rule
    aligned: int = 0  # places whose identity, by Biopython's aligner, no alignment exceeds


def check_places(request: RuleRequest, database: EncodedDatabase, places: Places, check: Check) -> Checks:
    """Check places again: all of rules without gaps, a sample of others.

    Raises
    ------
    EngineFault
        If one is not as it was found.
    """
    work = work_of(request.rule)
    if work.checks_all:
        parts = _by_piece(database, places, check)
    else:
        parts = iter([(database, places.take(_sample(len(places))))])
    counts = Counter[str]()
    for part in parts:
        counts.update(work.check(_checker(request, *part, check)))
    return Checks(len(places), **counts)


def _by_piece(database: EncodedDatabase, places: Places, check: Check) -> Iterator[tuple[EncodedDatabase, Places]]:
    """Yield the pieces of a database that have places, in memory one after the other, with the places in each."""
    pieces = database.pieces
    of = np.searchsorted([piece.first for piece in pieces], places.subject, side="right") - 1
    order = np.argsort(of, kind="stable")
    for rows in np.split(order, np.flatnonzero(np.diff(of[order])) + 1):
        if len(rows):
            piece, some = pieces[int(of[rows[0]])], places.take(rows)
            yield run_interruptible(piece.open, check), replace(some, subject=some.subject - piece.first)


def _sample(count: int) -> NDArray[np.int64]:
    """Return rows of some places, by chance but always the same."""
    return np.sort(np.random.default_rng(count).permutation(count)[:SAMPLE])


def _checker(request: RuleRequest, database: EncodedDatabase, places: Places, check: Check) -> Checker:
    """Return the checker of places; proteins come from the frames of a database of DNA."""
    if request.frames:
        request, database, places = translated(request, database, places, circles_of(request, database))
    return Checker(request, database, places, check)
