"""Planted controls: places made to fit a rule just so, or to miss it by one, scanned with the database."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from swgui.core.alphabet import Alphabet
from swgui.core.rules.rule import Edits, Guides, Identity, Mismatches, Primers, Rule, Window, Words
from swgui.jobs.rules.scan import RuleScan, Text

PLANTED: Final = 200
BLANK: Final = 31  # a code that no residue matches
_FLANK: Final = 40


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
    scan: RuleScan, rule: Rule, queries: Sequence[NDArray[np.uint8]], alphabet: Alphabet, seed: int = 1
) -> Controls:
    """Plant places of randomly chosen queries among residues that match nothing, and scan them.

    A place within the limit differs as often as the rule allows, one beyond once more. Differences are blanks, which
    no residue matches, so that no other alignment can be better.
    """
    rng = np.random.default_rng(seed)
    step = 2 if isinstance(rule, Primers) else 1
    chosen = rng.integers(0, len(queries) // step, PLANTED) * step
    subjects, within = [], []
    for number, query in enumerate(chosen):
        extra = number % 2
        planted = _planted(rule, [queries[query + k] for k in range(step)], alphabet, extra, rng)
        if planted is not None:
            blanks = np.full(_FLANK, BLANK, np.uint8)
            subjects.append(np.concatenate([blanks, planted, blanks]))
            within.append(not extra)
    begins = np.concatenate([[0], np.cumsum([len(one) for one in subjects])]).astype(np.int64)
    places = scan.places(Text(np.concatenate([np.zeros(0, np.uint8), *subjects]), begins))
    listed = np.zeros(len(subjects), np.bool_)
    listed[places.subject] = True
    wanted = np.array(within, np.bool_)
    counts = int(wanted.sum()), int((listed & wanted).sum()), int((~wanted).sum()), int((listed & ~wanted).sum())
    return Controls(*counts)


def _planted(
    rule: Rule, queries: list[NDArray[np.uint8]], alphabet: Alphabet, extra: int, rng: np.random.Generator
) -> NDArray[np.uint8] | None:
    """Return a place with so many differences more than the rule allows; None where a query has none."""
    query = queries[0]
    if isinstance(rule, Words):
        return query[: rule.length - extra]
    if isinstance(rule, Primers):
        forward = _blanked(queries[0], rule.mismatches + extra, rng, keep_last=rule.exact_end)
        reverse = alphabet.reverse_complement(queries[1])
        between = np.full(max(0, rule.shortest - len(forward) - len(reverse)), BLANK, np.uint8)
        fits = len(forward) + len(reverse) + len(between) <= rule.longest
        return (
            np.concatenate([forward, between, reverse]) if fits and _can_be_blanked(queries[0], rule, extra) else None
        )
    if isinstance(rule, Guides):
        pam = alphabet.encode(rule.pam.upper().encode())
        plain = np.array([alphabet.letters.index(_first(alphabet, int(code))) for code in pam], np.uint8)
        blanked = _blanked(query, min(rule.mismatches, rule.limits[0]) + extra, rng)
        if extra and sum(rule.limits[2:]):
            return None  # with bulges a blank more may be a bulge
        return np.concatenate([blanked, plain] if rule.side == "3" else [plain, blanked])
    differences = _allowed(rule, len(query)) + extra
    if isinstance(rule, Window):
        if len(query) < rule.length:
            return None
        query = query[: rule.length]
    return _blanked(query, differences, rng) if 0 <= differences <= len(query) else None


def _allowed(rule: Rule, length: int) -> int:
    """Return how many residues of a query may be blank."""
    if isinstance(rule, Mismatches):
        return rule.mismatches
    if isinstance(rule, Edits):
        return min(rule.edits, rule.limits[1])
    if isinstance(rule, Identity):
        return int((1 - rule.identity) * length)
    assert isinstance(rule, Window)
    least = rule.length * rule.identity.numerator // rule.identity.denominator + 1
    return rule.length - least


def _can_be_blanked(query: NDArray[np.uint8], rule: Primers, extra: int) -> bool:
    return rule.mismatches + extra <= len(query) - rule.exact_end


def _blanked(
    query: NDArray[np.uint8], count: int, rng: np.random.Generator, *, keep_last: int = 0
) -> NDArray[np.uint8]:
    made = query.copy()
    made[rng.permutation(len(query) - keep_last)[:count]] = BLANK
    return made


def _first(alphabet: Alphabet, code: int) -> str:
    """Return a plain base that a base of a PAM stands for."""
    letter = alphabet.letters[code]
    return alphabet.expansions.get(letter, letter)[0]
