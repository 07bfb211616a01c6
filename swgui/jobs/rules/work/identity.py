"""Subjects that are identical to a share of the whole query."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import ClassVar, Final

import numpy as np
from numpy.typing import NDArray

from swgui.core.alphabet import Alphabet
from swgui.core.answer import Count, Where
from swgui.core.rules.base import percent
from swgui.core.rules.identity import Identity
from swgui.core.rules.places import Places, denominators
from swgui.core.words import count
from swgui.engines.rules.host import best_identities
from swgui.jobs.rules.checker import Checker
from swgui.jobs.rules.found import Found, distinct, sequences_of
from swgui.jobs.rules.planting import BLANK, blanked
from swgui.jobs.rules.scan import RuleScan, weights
from swgui.jobs.rules.text import Text
from swgui.jobs.rules.work.base import Codes, RuleWork

STEPS: Final = 100, 95, 90, 80, 75, 70, 50  # percent of identity that an answer counts


class IdentityWork(RuleWork[Identity]):
    """How `Identity` is scanned, planted and checked."""

    pace: ClassVar[float] = 20e9

    def places(self, scan: RuleScan, text: Text) -> Places:
        """Return the places of a text."""
        rule = self.rule
        if rule.over == "query":
            which, subject, fitted = self._most_matches(scan, text, rule.identity)
        else:
            least = np.zeros(len(scan.patterns), np.int64)
            which, subject, fitted = scan.best(text, scan.patterns, weights(rule.identity), least)
        columns = {name: fitted[name] for name in ("start", "end", "mismatches", "insertions", "deletions")}
        return scan.whole(which, subject=subject, **columns)

    def _most_matches(
        self, scan: RuleScan, text: Text, identity: Fraction
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.void]]:
        """Return query, subject and best fit of all pairs in which that share of the query matches.

        Insertions cost nothing, so an alignment may reach from end to end of a subject, which is never cut into parts.
        """
        sizes = np.diff(scan.patterns.begins)
        least = -(-sizes * identity.numerator // identity.denominator)
        ranges = np.stack([text.begins[:-1], text.begins[1:]])
        which, subject = np.nonzero(scan.scores(text, ranges, scan.patterns, 1, 0) >= least[:, None])
        some, pairs = ranges[:, subject], which.astype(np.int32)
        return (
            which,
            subject,
            best_identities(text.codes, scan.patterns, pairs, some, 1, 0, once=True, check=scan.check),
        )

    def planted(
        self, queries: Sequence[Codes], alphabet: Alphabet, extra: int, rng: np.random.Generator
    ) -> Codes | None:
        """Return a place with so many differences more than the rule allows; None where a query has none."""
        query, rule = queries[0], self.rule
        made = blanked(query, int((1 - rule.identity) * len(query)) + extra, rng)
        if made is None or rule.over == "columns":
            return made
        between = np.full(int(rng.integers(0, 2 * len(query) + 1)), BLANK, np.uint8)  # takes no identity away
        return np.insert(made, int(rng.integers(0, len(query) + 1)), between)

    def said(self, found: Found, number: int) -> str:
        """Return how many sequences reach the identity, and the largest."""
        limit = f"{percent(self.rule.identity)} % identity"
        places = found.places.take(found.of(number))
        if not len(places):
            return f"no sequence with at least {limit}"
        best = float((100.0 * places.matches / denominators(self.rule, places)).max())
        return f"{count(sequences_of(places), 'sequence')} with at least {limit}, the largest is {best:.4g} %"

    def counts(self, found: Found, number: int) -> tuple[Count, ...]:
        """Return the places by steps of identity, and all."""
        steps = [step for step in STEPS if step > 100 * self.rule.identity]
        each = (found.count(f"{step} %", number, Where("identity", step)) for step in steps)
        return (*each, found.count("all", number))

    def sentence(self, found: Found) -> str:
        """Return how many queries have a sequence that reaches the identity."""
        if len(found.names) == 1:
            return super().sentence(found)
        met = distinct(found.places.query)
        return (
            f"For {met:,} of {count(len(found.names), 'query', 'queries')} a sequence has at least "
            f"{percent(self.rule.identity)} % identity, in the {found.where}."
        )

    def check(self, checker: Checker) -> Mapping[str, int]:
        """Align queries again."""
        aligned, recounted = checker.identities(self.rule.keeps, over_query=self.rule.over == "query")
        return {"aligned": aligned, "recounted": recounted}
