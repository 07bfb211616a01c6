"""Runs of residues in common."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import ClassVar, Final

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from swgui.core.alphabet import Alphabet
from swgui.core.answer import Count
from swgui.core.rules.places import Places, concatenated
from swgui.core.rules.words import Words
from swgui.core.words import count
from swgui.engines.rules.scanner import patterns_of
from swgui.jobs.rules.checker import Checker
from swgui.jobs.rules.found import Found, distinct, sequences_of
from swgui.jobs.rules.planting import BLANK
from swgui.jobs.rules.scan import RuleScan
from swgui.jobs.rules.text import Text
from swgui.jobs.rules.work.base import Codes, RuleWork

WORDS: Final = 1 << 18  # that are scanned together


class WordWork(RuleWork[Words]):
    """How `Words` is scanned, planted and checked."""

    pace: ClassVar[float] = math.inf  # words are found by seeds, which is faster than a GPU that compares all of them

    def places(self, scan: RuleScan, text: Text) -> Places:
        """Return the places of a text."""
        rule = self.rule
        parts, first = [], 0
        while first < len(scan.queries):
            counts = np.cumsum([len(query) - rule.length + 1 for query in scan.queries[first:]])
            size = max(1, int(np.searchsorted(counts, WORDS, side="right")))
            parts.append(self._words_of(scan, text, np.arange(first, first + size)[: len(counts)]))
            first += size
        return concatenated(parts)

    def _words_of(self, scan: RuleScan, text: Text, numbers: NDArray[np.int64]) -> Places:
        """Return the runs of some queries, whose words are scanned together."""
        rule = self.rule
        codes = [sliding_window_view(scan.queries[number], rule.length).reshape(-1) for number in numbers]
        counts = np.array([len(part) // rule.length for part in codes])
        cut = patterns_of(np.concatenate(codes), np.arange(counts.sum() + 1) * rule.length, scan.masks)
        hits, subject = scan.mismatches(text, cut, 0)
        number = np.repeat(numbers, counts)[hits.query]
        word = hits.query - np.repeat(np.cumsum(counts) - counts, counts)[hits.query]
        start = hits.position - text.begins[subject]
        diagonal = start - word
        order = np.lexsort((start, diagonal, subject, number))
        start, diagonal, subject, word, number = (values[order] for values in (start, diagonal, subject, word, number))
        begins = np.ones(len(order), np.bool_)  # of runs: consecutive words on a diagonal
        begins[1:] = (np.diff(number) != 0) | (np.diff(subject) != 0) | (np.diff(diagonal) != 0) | (np.diff(start) != 1)
        heads = np.flatnonzero(begins)
        size = np.diff([*heads, len(order)]) + rule.length - 1
        number, plus = number[heads], number[heads] < scan.count
        lengths = np.array([len(query) for query in scan.queries])[number]
        query_start = np.where(plus, word[heads], lengths - word[heads] - size)
        where = {"subject": subject[heads], "start": start[heads], "end": start[heads] + size}
        of_query = {"query": number % scan.count, "strand": np.where(plus, 1, -1)}
        return Places.of(len(heads), **where, **of_query, query_start=query_start, query_end=query_start + size)

    def planted(
        self, queries: Sequence[Codes], alphabet: Alphabet, extra: int, rng: np.random.Generator
    ) -> Codes | None:
        """Return a place with so many differences more than the rule allows; None where a query has none."""
        query, length = queries[0], self.rule.length
        plain = np.flatnonzero(np.convolve(query == BLANK, np.ones(length), "valid") == 0)
        return query[plain[0] : plain[0] + length - extra] if len(plain) else None

    def said(self, found: Found, number: int) -> str:
        """Return how many matches a query has, and the longest."""
        places = found.places.take(found.of(number))
        least = f"{self.rule.length:,} residues or more"
        if not len(places):
            return f"no match of {least}"
        where, longest = count(sequences_of(places), "sequence"), int(places.columns.max())
        return f"{count(len(places), 'match', 'matches')} of {least} in {where}, the longest of {longest:,}"

    def counts(self, found: Found, number: int) -> tuple[Count, ...]:
        """Return the matches of a query."""
        return (found.count("matches", number),)

    def sentence(self, found: Found) -> str:
        """Return how many queries have a match."""
        if len(found.names) == 1:
            return super().sentence(found)
        met, asked = distinct(found.places.query), count(len(found.names), "query", "queries")
        least = f"{self.rule.length:,} residues or more"
        return f"{met:,} of {asked} have a match of {least} in the {found.where}."

    def check(self, checker: Checker) -> Mapping[str, int]:
        """Check runs: they match, and do not continue at either end."""
        for row in range(len(checker.places)):
            query, begin, end = checker.aligned_query(row)
            start, stop = int(checker.places.start[row]), int(checker.places.end[row])
            good = stop - start == end - begin >= self.rule.length
            good = good and bool(checker.table[query[begin:end], checker.part(row, start, stop)].all())
            before, behind = checker.part(row, start - 1, start), checker.part(row, stop, stop + 1)
            longer = begin > 0 and len(before) > 0 and checker.table[query[begin - 1], before[0]]
            longer |= end < len(query) and len(behind) > 0 and checker.table[query[end], behind[0]]
            checker.confirm(good and not longer, row)
        return {"recounted": len(checker.places)}
