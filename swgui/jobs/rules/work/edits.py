"""Whole queries with mismatches and gaps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from swgui.core.alphabet import Alphabet
from swgui.core.rules.edits import Edits
from swgui.core.rules.places import Places, without_implied
from swgui.jobs.rules.checker import Checker
from swgui.jobs.rules.planting import blanked
from swgui.jobs.rules.scan import RuleScan
from swgui.jobs.rules.text import Text
from swgui.jobs.rules.work.base import Codes, RuleWork


class EditWork(RuleWork[Edits]):
    """How `Edits` is scanned, planted and checked."""

    def places(self, scan: RuleScan, text: Text) -> Places:
        """Return the places of a text."""
        rule = self.rule
        hits = scan.scanner.ends(text.codes, scan.patterns, rule.edits, None, scan.check)
        places = scan.fitted(text, scan.patterns, hits, rule.limits, rule.matching_ends)
        return without_implied(places, rule.limits, scan.check) if rule.leaves_out else places

    def planted(
        self, queries: Sequence[Codes], alphabet: Alphabet, extra: int, rng: np.random.Generator
    ) -> Codes | None:
        """Return a place with so many differences more than the rule allows; None where a query has none."""
        rule, ends = self.rule, int(self.rule.matching_ends)
        most = rule.edits + 1 if extra else min(rule.edits, rule.limits.mismatches)
        return blanked(queries[0], most, rng, keep_first=ends, keep_last=ends)

    def check(self, checker: Checker) -> Mapping[str, int]:
        """Fit queries again where they were found."""
        return {"fitted": checker.fits(self.rule.limits, matching_ends=self.rule.matching_ends)}
