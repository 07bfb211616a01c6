"""Windows of queries."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Final

import numpy as np
from numpy.typing import NDArray

from swgui.core.alphabet import Alphabet
from swgui.core.answer import Count, Where
from swgui.core.rules.places import Places, concatenated
from swgui.core.rules.window import Window
from swgui.engines.rules.host import FIT, best_identities
from swgui.engines.rules.scanner import patterns
from swgui.jobs.rules.checker import Checker
from swgui.jobs.rules.found import Found, distinct
from swgui.jobs.rules.planting import blanked
from swgui.jobs.rules.scan import RuleScan, weights
from swgui.jobs.rules.text import Text
from swgui.jobs.rules.work.base import Codes, RuleWork

TOGETHER: Final = 8, 4, 1  # windows of a query that are scored together, then those of them that may pass


BY_PRACTICE: Final = "by FAO/WHO practice"
STRICTEST: Final = "by the strictest reading"
PRACTICE_SAID: Final = "FASTA's alignment of the best window"


class WindowWork(RuleWork[Window]):
    """How `Window` is scanned, planted and checked."""

    pace: ClassVar[float] = 10e9

    def places(self, scan: RuleScan, text: Text) -> Places:
        """Return the places of a text."""
        rule = self.rule
        parts = []
        for number, query in enumerate(scan.queries):
            size = min(rule.length, len(query))
            if size < rule.length:
                parts.append(self._short_window(scan, text, number, query))
                continue
            best, windows = self._best_windows(scan, text, query)
            subject = best["subject"]
            turned = number >= scan.count
            query_start = len(query) - size - best["window"] if turned else best["window"]
            parts.append(
                Places.of(
                    len(subject),
                    query=number % scan.count,
                    strand=-1 if turned else 1,
                    subject=subject,
                    query_start=query_start,
                    query_end=query_start + size,
                    windows=windows[subject],
                    **{name: best[name] for name in ("start", "end", "mismatches", "insertions", "deletions")},
                )
            )
        return concatenated(parts)

    def _short_window(self, scan: RuleScan, text: Text, number: int, query: Codes) -> Places:
        """Return the subjects of a query that is shorter than a window; its identities are counted over a window."""
        rule, size = self.rule, len(query)
        if size <= rule.length * rule.identity:
            return Places.of(0)  # not even all its residues are enough
        least = np.ones(1, np.int64)
        cut = patterns([query], scan.masks)
        _, subject, fitted = scan.best(text, cut, weights(rule.identity), least, over=rule.length)
        matches = size - fitted["mismatches"] - fitted["deletions"]
        columns = np.maximum(size + fitted["insertions"], rule.length)
        exceeds = matches * rule.identity.denominator > columns * rule.identity.numerator
        subject, fitted = subject[exceeds], fitted[exceeds]
        strand = -1 if number >= scan.count else 1
        named = {"query": number % scan.count, "strand": strand, "query_end": size, "windows": 1}
        where = {name: fitted[name] for name in ("start", "end", "mismatches", "insertions", "deletions")}
        return Places.of(len(subject), subject=subject, **named, **where)

    def _passing(
        self,
        scan: RuleScan,
        text: Text,
        ranges: NDArray[np.int64],
        query: Codes,
        costs: tuple[NDArray[np.int32], NDArray[np.int32]],
        least: int,
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int32]]:
        """Return window, part and score of all windows of a query whose score is at least so much.

        Adjacent windows are scored together: the residues of all of them score as much as any of them at
        least, with what it costs to leave out the others. Parts that do not suffice are not asked for each window.

        Parameters
        ----------
        ranges : ndarray, shape=(2, n), dtype=int64
            Begin and end of each part in the text.
        costs : tuple of two ndarray, shape=(n,), dtype=int32
            What a match gains and another column costs in each part.
        """
        size = self.rule.length
        none = np.zeros(0, np.int64)
        groups = [(0, len(query) - size + 1, np.arange(ranges.shape[1]), np.zeros(0, np.int32))]
        for width in TOGETHER:
            before, groups = groups, []
            for first, last, parts, _ in before:
                up, down = (one[parts] for one in costs)
                windows = [(begin, min(begin + width, last)) for begin in range(first, last, width)]
                cut = patterns([query[begin : end + size - 1] for begin, end in windows], scan.masks)
                scores = scan.scores(text, ranges[:, parts], cut, up, down)
                for (begin, end), row in zip(windows, scores, strict=True):
                    kept = np.flatnonzero(row >= least - (end - begin - 1) * down)
                    groups += [(begin, end, parts[kept], row[kept])] if len(kept) else []
        window = np.repeat([group[0] for group in groups], [len(group[2]) for group in groups]).astype(np.int64)
        return (
            window,
            np.concatenate([none, *(group[2] for group in groups)]),
            np.concatenate([none, *(group[3] for group in groups)]).astype(np.int32),
        )

    def passing(self, scan: RuleScan, text: Text) -> NDArray[np.int64]:
        """Return the subjects with a window above the limit, without what makes them places."""
        rule = self.rule
        found = [np.zeros(0, np.int64)]
        for number, query in enumerate(scan.queries):
            if len(query) < rule.length:
                found.append(self._short_window(scan, text, number, query).subject)
                continue
            subjects, ranges, costs = self._parts_for_windows(scan, text)
            found.append(subjects[self._passing(scan, text, ranges, query, costs, 1)[1]])
        return np.unique(np.concatenate(found))

    def _parts_for_windows(
        self, scan: RuleScan, text: Text
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], tuple[NDArray[np.int32], NDArray[np.int32]]]:
        """Return parts of a text as `Text.parts`, and what a match gains and another column costs in each."""
        up, down = weights(self.rule.identity)
        subjects, ranges = text.parts(self.rule.length + (self.rule.length * up) // down)
        return subjects, ranges, (np.full(len(subjects), up, np.int32), np.full(len(subjects), down, np.int32))

    def _best_windows(
        self, scan: RuleScan, text: Text, query: Codes
    ) -> tuple[dict[str, NDArray[Any]], NDArray[np.int64]]:
        """Return for each subject with a window above the limit its best window, and for all how many are above it.

        The window with the best score is fitted, and all are scored again by its identity, until none has a better one;
        of equal ones the first wins (Dinkelbach 1967, for all windows of a subject together).
        """
        rule = self.rule
        size, (up, down) = rule.length, weights(rule.identity)
        subjects, ranges, costs = self._parts_for_windows(scan, text)
        window, part, score = self._passing(scan, text, ranges, query, costs, 1)
        pairs = np.unique(np.stack([subjects[part], window]), axis=1)
        above = np.bincount(pairs[0], minlength=len(text.begins) - 1)
        parts = np.unique(part)  # of subjects, each on its own
        subjects, ranges, part = subjects[parts], ranges[:, parts], np.searchsorted(parts, part)
        cut = patterns([query[start : start + size] for start in range(len(query) - size + 1)], scan.masks)
        chosen, fitted, left = np.full(len(parts), -1), np.zeros(len(parts), FIT), np.arange(len(parts))
        while len(left):
            better = score > 0
            order = np.lexsort((window, np.where(better, -score, 0), part))
            order = order[np.diff(part[order], prepend=-1) != 0]  # the best of each part, or the first that is as good
            which, best = left, window[order]
            changed = best != chosen[which]
            left = which[np.unique(part[better])]
            chosen[which] = best
            which, best = which[changed], best[changed].astype(np.int32)
            some = ranges[:, which]
            fitted[which] = best_identities(text.codes, cut, best, some, up, down, check=scan.check)
            matches = size - fitted["mismatches"][left] - fitted["deletions"][left]
            columns = size + fitted["insertions"][left]
            costs = (columns - matches).astype(np.int32), matches.astype(np.int32)
            window, part, score = self._passing(scan, text, ranges[:, left], query, costs, 0)
        return self._of_subjects(scan, text, subjects, ranges[0], chosen, fitted, size), above

    def _of_subjects(
        self,
        scan: RuleScan,
        text: Text,
        subject: NDArray[np.int64],
        origin: NDArray[np.int64],
        window: NDArray[np.int64],
        fitted: NDArray[np.void],
        size: int,
    ) -> dict[str, NDArray[Any]]:
        """Return the best window of each subject from those of its parts."""
        rule = self.rule
        matches = size - fitted["mismatches"] - fitted["deletions"]
        columns = np.maximum(size + fitted["insertions"], rule.length)
        order = np.lexsort((fitted["start"] + origin, window, -matches / columns, subject))
        order = order[np.diff(subject[order], prepend=-1) != 0]
        exceeds = matches * rule.identity.denominator > columns * rule.identity.numerator
        order = order[exceeds[order]]
        where = origin[order] - text.begins[subject[order]]
        best = {name: fitted[name][order] for name in ("mismatches", "insertions", "deletions")}
        best |= {"start": fitted["start"][order] + where, "end": fitted["end"][order] + where}
        return best | {"window": window[order], "subject": subject[order]}

    def planted(
        self, queries: Sequence[Codes], alphabet: Alphabet, extra: int, rng: np.random.Generator
    ) -> Codes | None:
        """Return a place with so many differences more than the rule allows; None where a query has none."""
        query, rule = queries[0][: self.rule.length], self.rule
        allowed = len(query) - (rule.length * rule.identity.numerator // rule.identity.denominator + 1)
        return blanked(query, allowed + extra, rng)

    def said(self, found: Found, number: int) -> str:
        """Return how many sequences pass by practice, and by the strictest reading."""
        subjects = found.places.subject[found.of(number)]
        if found.fasta is None:
            return f"{_number(subjects)} {STRICTEST}"
        passing = subjects[found.fasta[found.of(number)] > float(self.rule.identity)]
        return f"{_number(passing)} {BY_PRACTICE} ({PRACTICE_SAID}), {_number(subjects)} {STRICTEST}"

    def counts(self, found: Found, number: int) -> tuple[Count, ...]:
        """Return the rows of a query that pass by practice, and all."""
        strict = found.count(STRICTEST, number)
        if found.fasta is None:
            return (strict,)
        return found.count(BY_PRACTICE, number, Where.equal("practice", 1)), strict

    def sentence(self, found: Found) -> str:
        """Return how many sequences pass for any query: by practice, by the strictest reading, and by chance."""
        subjects, among = found.places.subject, f"of {found.where}"
        chance = "" if found.background is None else f", {found.background.mean:,.4g} by chance"
        strict = f"{_number(subjects)} {STRICTEST}"
        if found.fasta is None:
            return f"{strict[0].upper()}{strict[1:]} {among}{chance}."
        practice = f"{_number(subjects[found.fasta > float(self.rule.identity)])} {BY_PRACTICE}"
        return f"{practice[0].upper()}{practice[1:]} {among}, {strict}{chance}."

    def check(self, checker: Checker) -> Mapping[str, int]:
        """Align windows again."""
        aligned, recounted = checker.identities(self.rule.keeps, self.rule.length)
        return {"aligned": aligned, "recounted": recounted}


def _number(subjects: NDArray[np.int64]) -> str:
    """Return how many different subjects there are, in words."""
    number = distinct(subjects)
    return f"{number:,}" if number else "none"
