"""Products of two primers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Final

import numpy as np
from numpy.typing import NDArray

from swgui.core.alphabet import Alphabet
from swgui.core.answer import Count, Where
from swgui.core.control import Check
from swgui.core.ranges import places_within
from swgui.core.rules.places import Places, concatenated
from swgui.core.rules.primers import Primers
from swgui.core.rules.repair import Hint
from swgui.core.words import count
from swgui.engines.rules.scanner import Hits
from swgui.jobs.rules.checker import Checker
from swgui.jobs.rules.found import Found, distinct, sequences_of
from swgui.jobs.rules.planting import BLANK, blanked, turned
from swgui.jobs.rules.scan import RuleScan
from swgui.jobs.rules.text import Text
from swgui.jobs.rules.work.base import Codes, RuleWork

LENGTHS: Final = 5  # of products that an answer lists


class PrimerWork(RuleWork[Primers]):
    """How `Primers` is scanned, planted and checked."""

    checks_all: ClassVar[bool] = True

    def places(self, scan: RuleScan, text: Text) -> Places:
        """Return the places of a text."""
        rule = self.rule
        hits, subject = scan.mismatches(text, scan.patterns, rule.mismatches)
        kept = self._ends_exactly(scan, text, hits)
        hits, subject = hits.take(kept), subject[kept]
        order = np.lexsort((hits.position, hits.query))
        hits, subject = hits.take(order), subject[order]
        start, sizes = hits.position - text.begins[subject], np.diff(scan.patterns.begins)
        begins = np.searchsorted(hits.query, np.arange(2 * scan.count + 1))
        parts = []
        for which in range(scan.count):
            scan.check()
            turned = (which ^ 1) + scan.count
            left, right = (np.arange(*begins[of : of + 2]) for of in (which, turned))
            ends = hits.position[right] + sizes[turned]
            shortest = max(rule.shortest, int(sizes[which]), int(sizes[turned]))  # both primers lie whole in a product
            first = np.searchsorted(ends, hits.position[left] + shortest)
            border = text.begins[subject[left] + 1]  # of the subject
            last = np.searchsorted(ends, np.minimum(hits.position[left] + rule.longest, border), side="right")
            counts = np.maximum(last - first, 0)
            number = places_within(counts)
            left, right = np.repeat(left, counts), right[np.repeat(first, counts) + number]
            parts.append(
                Places.of(
                    len(left),
                    query=which // 2,
                    subject=subject[left],
                    start=start[left],
                    end=start[right] + sizes[turned],
                    strand=1 - 2 * (which % 2),
                    mismatches=hits.differences[left] + hits.differences[right],
                    query_end=sizes[which] + sizes[which ^ 1],
                )
            )
        return concatenated(parts)

    def _ends_exactly(self, scan: RuleScan, text: Text, hits: Hits) -> NDArray[np.bool_]:
        """Return where 3' ends of primers match as they must; that of a reverse complement is its beginning."""
        kept, exact = np.ones(len(hits), np.bool_), self.rule.exact_end
        for which, query in enumerate(scan.queries):
            scan.check()
            own = np.flatnonzero(hits.query == which)
            end = np.arange(exact) if which >= scan.count else np.arange(len(query) - exact, len(query))
            residues = text.codes[hits.position[own][:, None] + end]
            kept[own] = (scan.masks[query[end]] >> residues & 1).all(axis=1)
        return kept

    def planted(
        self, queries: Sequence[Codes], alphabet: Alphabet, extra: int, rng: np.random.Generator
    ) -> Codes | None:
        """Return a place with so many differences more than the rule allows; None where a query has none."""
        rule = self.rule
        forward = blanked(queries[0], rule.mismatches + extra, rng, keep_last=rule.exact_end)
        if forward is None or blanked(queries[1], rule.mismatches, rng, keep_last=rule.exact_end) is None:
            return None
        reverse = turned(queries[1], alphabet)
        between = np.full(max(0, rule.shortest - len(forward) - len(reverse)), BLANK, np.uint8)
        made = np.concatenate([forward, between, reverse])
        return made if len(made) <= rule.longest else None

    def check(self, checker: Checker) -> Mapping[str, int]:
        """Count the differences of both primers of all products."""
        places, rule = checker.places, self.rule
        for number, strand, rows in checker.groups():
            left, right = checker.codes[2 * number], checker.codes[2 * number + 1]
            left, right = (left, right) if strand > 0 else (right, left)
            right = checker.request.alphabet.reverse_complement(right)
            before = checker.wrong(left, places.start[rows], rows)
            behind = checker.wrong(right, places.end[rows] - len(right), rows)
            good = before.sum(axis=1) + behind.sum(axis=1) == places.mismatches[rows]
            good &= np.maximum(before.sum(axis=1), behind.sum(axis=1)) <= rule.mismatches
            good &= ~before[:, len(left) - rule.exact_end :].any(axis=1) & ~behind[:, : rule.exact_end].any(axis=1)
            product = places.end[rows] - places.start[rows]
            shortest = max(rule.shortest, len(left), len(right))
            checker.confirm(good & (product >= shortest) & (product <= rule.longest), rows)
        return {"recounted": len(places)}

    def said(self, found: Found, number: int) -> str:
        """Return how many products a pair has, and how long they are."""
        places = found.places.take(found.of(number))
        if not len(places):
            return f"no product of {self.rule.shortest:,} to {self.rule.longest:,} bases"
        sizes, counts = np.unique(places.end - places.start, return_counts=True)
        each = [
            f"{size:,}{f' ({n:,})' if n > 1 else ''}" for size, n in zip(sizes.tolist(), counts.tolist(), strict=True)
        ]
        if len(sizes) > LENGTHS:
            lengths = f"{sizes[0]:,} to {sizes[-1]:,}"
        else:
            lengths = each[0].split()[0] if len(each) == 1 else f"{', '.join(each[:-1])} and {each[-1]}"
        where = count(sequences_of(places), "sequence")
        return f"{count(len(places), 'product')} of {lengths} bases, in {where}"

    def counts(self, found: Found, number: int) -> tuple[Count, ...]:
        """Return the products of a pair, and those whose primers match whole."""
        exact = Where.equal("differences", 0)
        return found.count("products", number), found.count("without mismatch", number, exact)

    def sentence(self, found: Found) -> str:
        """Return how many pairs have a product."""
        if len(found.names) == 1:
            return super().sentence(found)
        with_one = distinct(found.places.query)
        pairs, products = count(len(found.names), "pair"), count(len(found.places), "product")
        return f"{with_one:,} of {pairs} of primers give {products} in the {found.where}."

    def hints(self, run: Any, check: Check) -> list[Hint]:
        """Return hints on pairs that have products only without their 5' tails, or with a primer turned round."""
        from swgui.jobs.rules.primer_hints import tail_hints, turned_hints  # here: which run another search

        return [*tail_hints(run, self.rule, check), *turned_hints(run, self.rule, check)]
