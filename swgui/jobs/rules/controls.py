"""Planted controls: places at the limit of a rule and one beyond it, which the scan must list and leave out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from swgui.core.alphabet import Alphabet
from swgui.core.rules.base import Rule
from swgui.jobs.rules.planting import BLANK, Codes
from swgui.jobs.rules.scan import RuleScan
from swgui.jobs.rules.text import Text
from swgui.jobs.rules.work.base import work_of

PLANTED: Final = 200  # places of a scan
_FLANK: Final = 40  # residues that match nothing, before and behind a place


@dataclass(frozen=True, slots=True)
class Controls:
    """How many places were planted within the limit and beyond it, and how many of each were listed."""

    within: int
    within_found: int
    beyond: int
    beyond_found: int

    @property
    def ok(self) -> bool:
        """Whether all within the limit were listed and none beyond."""
        return self.within == self.within_found and not self.beyond_found


def plant(
    scan: RuleScan,
    rule: Rule,
    queries: Sequence[Codes],
    alphabet: Alphabet,
    met: NDArray[np.int64] | None = None,
) -> Controls:
    """Plant places of randomly chosen queries among residues that match nothing, and scan them.

    A place within the limit differs as often as the rule allows, one beyond once more. Differences are blanks, which
    no residue matches, so that no other alignment can be better.

    Parameters
    ----------
    met : ndarray, shape=(k,), dtype=int64, optional
        Numbers of the queries, or pairs of primers, that are planted; of all if not given.
    """
    rng = np.random.default_rng(1)
    work, step = work_of(rule), 1 + rule.paired
    chosen, subjects, within = [], [], []
    met = np.arange(len(queries) // step) if met is None else met
    for number, query in enumerate(met[rng.integers(0, len(met), PLANTED if len(met) else 0)]):
        extra = number % 2
        pair = [_matching(queries[query * step + k], scan.table) for k in range(step)]
        planted = work.planted(pair, alphabet, extra, rng)
        if planted is not None:
            blanks = np.full(_FLANK, BLANK, np.uint8)
            subjects.append(np.concatenate([blanks, planted, blanks]))
            chosen.append(int(query))
            within.append(not extra)
    begins = np.concatenate([[0], np.cumsum([len(subject) for subject in subjects])]).astype(np.int64)
    places = scan.places(Text(np.concatenate([np.zeros(0, np.uint8), *subjects]), begins))
    own = places.query == np.array(chosen, np.int64)[places.subject]  # another query may be a part of this one
    if rule.paired:  # a primer may also stand where the other one was planted
        whole = (places.start == _FLANK) & (places.end == np.diff(begins)[places.subject] - _FLANK)
        own &= whole & (places.strand > 0)
    listed = np.zeros(len(subjects), np.bool_)
    listed[places.subject[own]] = True
    wanted = np.array(within, np.bool_)
    counts = int(wanted.sum()), int((listed & wanted).sum()), int((~wanted).sum()), int((listed & ~wanted).sum())
    return Controls(*counts)


def _matching(query: Codes, table: NDArray[np.bool_]) -> Codes:
    """Return residues that match those of a query: themselves where they do, and a blank where none does."""
    first = np.where(table.any(axis=1), table.argmax(axis=1), BLANK)
    symbols = np.arange(len(table))
    own: Codes = np.where(table[symbols, symbols], symbols, first).astype(np.uint8)
    return own[query]
