"""Planted controls: places made to fit a rule just so, or to miss it by one, scanned with the database."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from swgui.core.alphabet import Alphabet
from swgui.core.rules.matching import Ambiguity, match_table
from swgui.core.rules.rule import Edits, Guides, Identity, Mismatches, Primers, Rule, Window, Words
from swgui.jobs.rules.scan import RuleScan
from swgui.jobs.rules.text import Text

Codes = NDArray[np.uint8]
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
    scan: RuleScan,
    rule: Rule,
    queries: Sequence[Codes],
    alphabet: Alphabet,
    ambiguity: Ambiguity = "strict",
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
    step = 2 if isinstance(rule, Primers) else 1
    table = match_table(alphabet, ambiguity, pattern=isinstance(rule, Primers))
    chosen, subjects, within = [], [], []
    met = np.arange(len(queries) // step) if met is None else met
    for number, query in enumerate(met[rng.integers(0, len(met), PLANTED if len(met) else 0)]):
        extra = number % 2
        pair = [_matching(queries[query * step + k], table) for k in range(step)]
        planted = _planted(rule, pair, alphabet, extra, rng)
        if planted is not None:
            blanks = np.full(_FLANK, BLANK, np.uint8)
            subjects.append(np.concatenate([blanks, planted, blanks]))
            chosen.append(int(query))
            within.append(not extra)
    begins = np.concatenate([[0], np.cumsum([len(subject) for subject in subjects])]).astype(np.int64)
    places = scan.places(Text(np.concatenate([np.zeros(0, np.uint8), *subjects]), begins))
    own = places.query == np.array(chosen, np.int64)[places.subject]  # another query may be a part of this one
    if isinstance(rule, Primers):  # a primer may also stand where the other one was planted
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


def _planted(
    rule: Rule, queries: list[Codes], alphabet: Alphabet, extra: int, rng: np.random.Generator
) -> Codes | None:
    """Return a place with so many differences more than the rule allows; None where a query has none."""
    query = queries[0]
    if isinstance(rule, Words):
        plain = np.flatnonzero(np.convolve(query == BLANK, np.ones(rule.length), "valid") == 0)
        return query[plain[0] : plain[0] + rule.length - extra] if len(plain) else None
    if isinstance(rule, Primers):
        forward = _blanked(query, rule.mismatches + extra, rng, keep_last=rule.exact_end)
        if forward is None or _blanked(queries[1], rule.mismatches, rng, keep_last=rule.exact_end) is None:
            return None
        reverse = _turned(queries[1], alphabet)
        between = np.full(max(0, rule.shortest - len(forward) - len(reverse)), BLANK, np.uint8)
        made = np.concatenate([forward, between, reverse])
        return made if len(made) <= rule.longest else None
    if isinstance(rule, Guides):
        if extra and rule.limits.gaps:
            return None  # with bulges a blank more may be a bulge
        pam = alphabet.encode(rule.pam.upper().encode())
        plain = np.array([alphabet.letters.index(_first(alphabet, int(code))) for code in pam], np.uint8)
        blanked = _blanked(query, min(rule.mismatches, rule.limits.differences) + extra, rng)
        if blanked is None:
            return None
        return np.concatenate([blanked, plain] if rule.side == "3" else [plain, blanked])
    if isinstance(rule, Edits):
        most = rule.edits + 1 if extra else min(rule.edits, rule.limits.mismatches)
        ends = int(rule.matching_ends)
        return _blanked(query, most, rng, keep_first=ends, keep_last=ends)
    if isinstance(rule, Window):
        query = query[: rule.length]
    blanked = _blanked(query, _allowed(rule, len(query)) + extra, rng)
    if blanked is None or not isinstance(rule, Identity) or rule.over == "columns":
        return blanked
    between = np.full(int(rng.integers(0, 2 * len(query) + 1)), BLANK, np.uint8)  # takes no identity away
    return np.insert(blanked, int(rng.integers(0, len(query) + 1)), between)


def _allowed(rule: Mismatches | Identity | Window, length: int) -> int:
    """Return how many residues of a query may be blank; below 0 if the whole query does not suffice."""
    if isinstance(rule, Mismatches):
        return rule.mismatches
    if isinstance(rule, Identity):
        return int((1 - rule.identity) * length)
    return length - (rule.length * rule.identity.numerator // rule.identity.denominator + 1)


def _turned(query: Codes, alphabet: Alphabet) -> Codes:
    """Return the reverse complement of residues, of which some may be blank."""
    turned = alphabet.reverse_complement(np.where(query == BLANK, 0, query).astype(np.uint8))
    turned[query[::-1] == BLANK] = BLANK
    return turned


def _blanked(
    query: Codes, count: int, rng: np.random.Generator, *, keep_first: int = 0, keep_last: int = 0
) -> Codes | None:
    """Return a query with so many blanks, those included that it has; None where that cannot be."""
    made = query.copy()
    inner = np.arange(keep_first, len(query) - keep_last)
    free = inner[query[inner] != BLANK]
    more = count - int((query == BLANK).sum())
    if (
        not 0 <= more <= len(free)
        or (query[:keep_first] == BLANK).any()
        or (query[len(query) - keep_last :] == BLANK).any()
    ):
        return None
    made[rng.permutation(free)[:more]] = BLANK
    return made


def _first(alphabet: Alphabet, code: int) -> str:
    """Return a plain base that a base of a PAM stands for."""
    letter = alphabet.letters[code]
    return alphabet.expansions.get(letter, letter)[0]
