"""The part of each rule in a search: a class a rule, named by the rule's record (`swgui.core.rules.base.Rule.work`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Final, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from swgui.core.alphabet import Alphabet
from swgui.core.answer import Count, Where
from swgui.core.control import Check
from swgui.core.rules.base import Rule
from swgui.core.rules.naming import listed
from swgui.core.rules.places import Places
from swgui.core.rules.repair import Hint
from swgui.core.words import count
from swgui.jobs.kind import load
from swgui.jobs.rules.checker import Checker
from swgui.jobs.rules.found import Found, sequences_of
from swgui.jobs.rules.scan import RuleScan
from swgui.jobs.rules.text import Text

R = TypeVar("R", bound=Rule)
Codes = NDArray[np.uint8]
COUNTED: Final = 9  # numbers of differences of which an answer has the number of places


class RuleWork(Generic[R]):
    """How a rule is scanned, planted and checked."""

    pace: ClassVar[float] = 2e9  # places or cells that one core tests in a second
    checks_all: ClassVar[bool] = False  # whether all places are checked again, piece by piece, or a sample

    def __init__(self, rule: R) -> None:
        self.rule = rule

    def places(self, scan: RuleScan, text: Text) -> Places:
        """Return the places of a text; subjects are numbered as they stand in it."""
        raise NotImplementedError

    def passing(self, scan: RuleScan, text: Text) -> NDArray[np.int64]:
        """Return the subjects of a text that have a place."""
        return np.unique(self.places(scan, text).subject)

    def planted(self, queries: Sequence[Codes], alphabet: Alphabet, extra: int, rng: np.random.Generator) -> Any:
        """Return a place, as codes, with so many differences more than the rule allows; None where there is none.

        Parameters
        ----------
        queries : sequence of ndarray
            Codes of the query, or of both primers; `swgui.jobs.rules.planting.BLANK` where nothing matches.
        extra : int
            0, or 1 for a place that the rule must not list.
        """
        raise NotImplementedError

    def check(self, checker: Checker) -> Mapping[str, int]:
        """Check places again in another way than they were found; return how many, by field of `Checks`.

        Raises
        ------
        EngineFault
            If one is not as it was found.
        """
        raise NotImplementedError

    def said(self, found: Found, number: int) -> str:
        """Return the answer for a query of a complete search, in words: its places by differences."""
        places = found.places.take(found.of(number))
        if not len(places):
            return f"none {self.rule.up_to}".rstrip()
        values, counts = np.unique(places.differences, return_counts=True)
        each = ", ".join(f"{number:,} with {value}" for value, number in zip(values, counts.tolist(), strict=True))
        one = "difference" if values[-1] == 1 else "differences"
        by = f": {each} {one}" if values[-1] else ", without a difference"
        return f"{count(len(places), 'place')} in {count(sequences_of(places), 'sequence')}{by}"

    def counts(self, found: Found, number: int) -> tuple[Count, ...]:
        """Return the numbers of a query, each with the rows that it counts: its places by differences."""
        largest = int(found.column("differences").max(initial=self.rule.most_differences))
        most = min(largest, COUNTED)
        return tuple(found.count(str(value), number, Where.equal("differences", value)) for value in range(most + 1))

    def sentence(self, found: Found) -> str:
        """Return the answer of a complete search for all queries."""
        asked = [number for number in range(len(found.names)) if number not in found.unmet]
        if len(found.names) == 1:
            return f"{found.names[0]}: {self.said(found, 0)}."
        best = np.full(len(found.names), -1)
        best[found.places.query[::-1]] = found.places.differences[::-1]  # places of a query begin with the best
        exact, none = int((best == 0).sum()), [number for number in asked if best[number] < 0]
        if len(none) == len(found.names):
            return f"None of {count(len(none), 'query', 'queries')} has a place {self.rule.up_to}".rstrip() + "."
        stand = "stands" if exact < 2 else "stand"
        parts = [
            f"{f'{exact:,}' if exact else 'None'} of {count(len(found.names), 'query', 'queries')} {stand} exactly in "
            f"the {found.where}"
        ]
        if differing := len(asked) - exact - len(none):
            parts.append(f"{differing:,} only with differences")
        if none:
            missing = listed([found.names[number] for number in none])
            parts.append(f"{len(none):,} not{f' even with {self.rule.up_to}' * bool(self.rule.up_to)} ({missing})")
        if found.unmet:
            parts.append(f"{len(found.unmet):,} cannot be met")
        return f"{'; '.join(parts)}."

    def hints(self, run: Any, check: Check) -> list[Hint]:
        """Return hints on why a `RuleRun` may have found nothing; raises `Stopped` by `check`."""
        return []


def work_of(rule: Rule) -> RuleWork[Any]:
    """Return how a rule is scanned, planted and checked."""
    made: RuleWork[Any] = load(rule.work)(rule)
    return made
