"""Whole queries without gaps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

import numpy as np

from swgui.core.alphabet import Alphabet
from swgui.core.rules.peptides import Mismatches
from swgui.core.rules.places import Places
from swgui.jobs.rules.checker import Checker
from swgui.jobs.rules.planting import blanked
from swgui.jobs.rules.scan import RuleScan
from swgui.jobs.rules.text import Text
from swgui.jobs.rules.work.base import Codes, RuleWork


class PeptideWork(RuleWork[Mismatches]):
    """How `Mismatches` is scanned, planted and checked."""

    pace: ClassVar[float] = 20e9
    checks_all: ClassVar[bool] = True

    def places(self, scan: RuleScan, text: Text) -> Places:
        """Return the places of a text."""
        hits, subject = scan.mismatches(text, scan.patterns, self.rule.mismatches)
        start = hits.position - text.begins[subject]
        end = start + np.diff(scan.patterns.begins)[hits.query]
        return scan.whole(hits.query, subject=subject, start=start, end=end, mismatches=hits.differences)

    def planted(
        self, queries: Sequence[Codes], alphabet: Alphabet, extra: int, rng: np.random.Generator
    ) -> Codes | None:
        """Return a place with so many differences more than the rule allows; None where a query has none."""
        return blanked(queries[0], self.rule.mismatches + extra, rng)

    def check(self, checker: Checker) -> Mapping[str, int]:
        """Count the differences of all places."""
        places = checker.places
        for number, strand, rows in checker.groups():
            query = checker.query(number, strand)
            counted = checker.wrong(query, places.start[rows], rows).sum(axis=1)
            good = (counted == places.mismatches[rows]) & (counted <= self.rule.mismatches)
            checker.confirm(good & (places.end[rows] - places.start[rows] == len(query)), rows)
        return {"recounted": len(places)}
