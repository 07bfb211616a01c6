"""The part of each rule in a search: a class a rule, named by the rule's record (`swgui.core.rules.base.Rule.work`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from swgui.core.alphabet import Alphabet
from swgui.core.control import Check
from swgui.core.rules.base import Rule
from swgui.core.rules.places import Places
from swgui.jobs.kind import load
from swgui.jobs.rules.checker import Checker
from swgui.jobs.rules.scan import RuleScan
from swgui.jobs.rules.text import Text

R = TypeVar("R", bound=Rule)
Codes = NDArray[np.uint8]


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

    def hints(self, run: Any, check: Check) -> list[str]:
        """Return sentences on why a `RuleRun` may have found nothing; raises `Stopped` by `check`."""
        return []


def work_of(rule: Rule) -> RuleWork[Any]:
    """Return how a rule is scanned, planted and checked."""
    made: RuleWork[Any] = load(rule.work)(rule)
    return made
