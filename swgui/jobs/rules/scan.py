"""Places of one part of a database: each rule is a function of a text and what a scanner lists of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any, Final

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from swgui.core.alphabet import Alphabet
from swgui.core.control import Check
from swgui.core.rules.matching import Ambiguity, masks, match_table
from swgui.core.rules.places import Places, best_readings, concatenated, without_implied
from swgui.core.rules.rule import Edits, Guides, Identity, Limits, Mismatches, Primers, Rule, Window, Words
from swgui.core.translation.genetic_codes import STANDARD
from swgui.engines.rules.host import FIT, best_identities, fits
from swgui.engines.rules.scanner import Hits, Patterns, Scanner, patterns, patterns_of
from swgui.jobs.rules.circles import Circles
from swgui.jobs.rules.text import Text

Codes = NDArray[np.uint8]
WORDS: Final = 1 << 18  # that are scanned together
TOGETHER: Final = 8, 4, 1  # windows of a query that are asked for together, then those of them that may pass


class RuleScan:
    """A rule and its queries, asked of one text after another.

    Parameters
    ----------
    queries : sequence of ndarray, dtype=uint8
        Codes. Primers stand in pairs, forward and reverse.
    both_strands : bool
        Whether reverse complements are searched, too.
    frames : tuple of int
        Of the database, whose texts are translated by `code` before they come here; none if it is not translated.
    circles : Circles, optional
        Subjects of the database that are read on across their origin before they come here.
    """

    def __init__(
        self,
        rule: Rule,
        queries: Sequence[Codes],
        alphabet: Alphabet,
        scanner: Scanner,
        *,
        ambiguity: Ambiguity = "strict",
        both_strands: bool = False,
        frames: tuple[int, ...] = (),
        code: int = STANDARD,
        circles: Circles | None = None,
        check: Check = lambda: None,
    ) -> None:
        self.frames, self.code = frames, code
        self.circles = circles or Circles()
        self._rule = rule
        self._alphabet = alphabet
        self._scanner = scanner
        self._ambiguity = ambiguity
        self.check = check
        self._count = len(queries)
        self._strands = (1, -1) if both_strands else (1,)
        turned = [alphabet.reverse_complement(query) for query in queries] if both_strands else []
        self._queries = [*queries, *turned]
        self._masks = masks(match_table(alphabet, ambiguity, pattern=isinstance(rule, Primers)))
        self._patterns = patterns(self._queries, self._masks)

    def places(self, text: Text) -> Places:
        """Return the places of a text; subjects are numbered as they stand in it."""
        return _SCANS[type(self._rule)](self, text)

    def expected(self, lengths: NDArray[Any]) -> int:
        """Return the places or cells that subjects of these lengths have for all queries and strands."""
        subjects = np.asarray(lengths, np.int64)
        sizes, counts = np.unique(np.diff(self._patterns.begins), return_counts=True)
        return sum(
            int(number) * int(self._rule.places(int(size), subjects).sum())
            for size, number in zip(sizes, counts, strict=True)
        )

    def _whole(self, which: NDArray[Any], **columns: Any) -> Places:
        """Return places of whole queries; `which` counts those of both strands."""
        size = np.diff(self._patterns.begins)[which]
        strand = np.where(np.asarray(which) < self._count, 1, -1)
        return Places.of(len(which), query=np.asarray(which) % self._count, strand=strand, query_end=size, **columns)

    def _mismatches(self, text: Text, queries: Patterns, most: int) -> tuple[Hits, NDArray[np.int64]]:
        """Return windows that cross no border, and the subject of each."""
        hits = self._scanner.mismatches(text.codes, queries, most, self.check)
        subject = text.subject_of(hits.position)
        inside = hits.position + np.diff(queries.begins)[hits.query] <= text.begins[subject + 1]
        return hits.take(inside), subject[inside]

    def _peptides(self, text: Text) -> Places:
        assert isinstance(self._rule, Mismatches)
        hits, subject = self._mismatches(text, self._patterns, self._rule.mismatches)
        start = hits.position - text.begins[subject]
        end = start + np.diff(self._patterns.begins)[hits.query]
        return self._whole(hits.query, subject=subject, start=start, end=end, mismatches=hits.differences)

    def _edits(self, text: Text) -> Places:
        assert isinstance(self._rule, Edits)
        hits = self._scanner.ends(text.codes, self._patterns, self._rule.edits, None, self.check)
        places = self._fitted(text, self._patterns, hits, self._rule.limits, self._rule.matching_ends)
        return without_implied(places, self._rule.limits, self.check) if self._rule.leaves_out else places

    def _fitted(self, text: Text, queries: Patterns, hits: Hits, limits: Limits, matching_ends: bool = False) -> Places:
        subject = text.subject_of(hits.position - 1)
        origins = text.begins[subject]
        ends = matching_ends
        fitted = fits(text.codes, queries, hits, origins, limits, matching_ends=ends, check=self.check)
        kept = fitted["start"] >= 0
        fitted, subject, origins = fitted[kept], subject[kept], origins[kept]
        columns = {name: fitted[name] for name in ("mismatches", "insertions", "deletions")}
        where = {"subject": subject, "start": fitted["start"] - origins, "end": fitted["end"] - origins}
        return self._whole(hits.query[kept], **where, **columns)

    def _best(
        self,
        text: Text,
        queries: Patterns,
        weights: tuple[int, int],
        least: NDArray[np.int64],
        *,
        over: int = 0,
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.void]]:
        """Return query, subject and best fit of all pairs whose score is at least that of the query.

        The fit has the largest identity, counted over so many columns at least.
        """
        up, down = weights
        sizes = np.diff(queries.begins)
        span = int((sizes + (sizes * up - least) // down).max())
        subjects, ranges = text.parts(span)
        scores = self._scores(text, ranges, queries, up, down)
        which, part = np.nonzero(scores >= least[:, None])
        fitted = best_identities(
            text.codes,
            queries,
            which.astype(np.int32),
            ranges[:, part],
            up,
            down,
            columns=over,
            check=self.check,
        )
        subject = subjects[part]
        for name in ("start", "end"):
            fitted[name] += ranges[0, part] - text.begins[subject]
        columns = np.maximum(sizes[which] + fitted["insertions"], over)
        matches = sizes[which] - fitted["mismatches"] - fitted["deletions"]
        gaps = fitted["insertions"] + fitted["deletions"]
        order = np.lexsort((fitted["start"], gaps, -matches / columns, subject, which))
        first = np.ones(len(order), np.bool_)
        first[1:] = (np.diff(which[order]) != 0) | (np.diff(subject[order]) != 0)
        chosen = order[first]
        return which[chosen], subject[chosen], fitted[chosen]

    def _identity(self, text: Text) -> Places:
        rule = self._rule
        assert isinstance(rule, Identity)
        if rule.over == "query":
            which, subject, fitted = self._most_matches(text, rule.identity)
        else:
            least = np.zeros(len(self._patterns), np.int64)
            which, subject, fitted = self._best(text, self._patterns, _weights(rule.identity), least)
        columns = {name: fitted[name] for name in ("start", "end", "mismatches", "insertions", "deletions")}
        return self._whole(which, subject=subject, **columns)

    def _most_matches(
        self, text: Text, identity: Fraction
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.void]]:
        """Return query, subject and best fit of all pairs in which that share of the query matches.

        Insertions cost nothing, so an alignment may reach from end to end of a subject, which is never cut into parts.
        """
        sizes = np.diff(self._patterns.begins)
        least = -(-sizes * identity.numerator // identity.denominator)
        ranges = np.stack([text.begins[:-1], text.begins[1:]])
        which, subject = np.nonzero(self._scores(text, ranges, self._patterns, 1, 0) >= least[:, None])
        some, pairs = ranges[:, subject], which.astype(np.int32)
        return (
            which,
            subject,
            best_identities(text.codes, self._patterns, pairs, some, 1, 0, once=True, check=self.check),
        )

    def _windows(self, text: Text) -> Places:
        rule = self._rule
        assert isinstance(rule, Window)
        parts = []
        for number, query in enumerate(self._queries):
            size = min(rule.length, len(query))
            if size < rule.length:
                parts.append(self._short_window(text, number, query))
                continue
            best, windows = self._best_windows(text, query)
            subject = best["subject"]
            turned = number >= self._count
            query_start = len(query) - size - best["window"] if turned else best["window"]
            parts.append(
                Places.of(
                    len(subject),
                    query=number % self._count,
                    strand=-1 if turned else 1,
                    subject=subject,
                    query_start=query_start,
                    query_end=query_start + size,
                    windows=windows[subject],
                    **{name: best[name] for name in ("start", "end", "mismatches", "insertions", "deletions")},
                )
            )
        return concatenated(parts)

    def _short_window(self, text: Text, number: int, query: Codes) -> Places:
        """Return the subjects of a query that is shorter than a window; its identities are counted over a window."""
        rule, size = self._rule, len(query)
        assert isinstance(rule, Window)
        if size <= rule.length * rule.identity:
            return Places.of(0)  # not even all its residues are enough
        least = np.ones(1, np.int64)
        cut = patterns([query], self._masks)
        _, subject, fitted = self._best(text, cut, _weights(rule.identity), least, over=rule.length)
        matches = size - fitted["mismatches"] - fitted["deletions"]
        columns = np.maximum(size + fitted["insertions"], rule.length)
        exceeds = matches * rule.identity.denominator > columns * rule.identity.numerator
        subject, fitted = subject[exceeds], fitted[exceeds]
        strand = -1 if number >= self._count else 1
        named = {"query": number % self._count, "strand": strand, "query_end": size, "windows": 1}
        where = {name: fitted[name] for name in ("start", "end", "mismatches", "insertions", "deletions")}
        return Places.of(len(subject), subject=subject, **named, **where)

    def _scores(
        self, text: Text, ranges: NDArray[np.int64], queries: Patterns, up: Any, down: Any
    ) -> NDArray[np.int32]:
        gain, cost = (np.broadcast_to(np.asarray(costs, np.int32), ranges.shape[1:]) for costs in (up, down))
        return self._scanner.scores(text.codes, ranges, queries, gain, cost, self.check)

    def _passing(
        self,
        text: Text,
        ranges: NDArray[np.int64],
        query: Codes,
        weights: tuple[NDArray[np.int32], NDArray[np.int32]],
        least: int,
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int32]]:
        """Return window, part and score of all windows of a query whose score is at least so much.

        Windows beside each other are asked for together: the residues of all of them score as much as any of them at
        least, with what it costs to leave out the others. Parts that do not suffice are not asked for each window.

        Parameters
        ----------
        ranges : ndarray, shape=(2, n), dtype=int64
            Begin and end of each part in the text.
        weights : tuple of two ndarray, shape=(n,), dtype=int32
            What a match gains and another column costs in each part.
        """
        assert isinstance(self._rule, Window)
        size = self._rule.length
        none = np.zeros(0, np.int64)
        groups = [(0, len(query) - size + 1, np.arange(ranges.shape[1]), np.zeros(0, np.int32))]
        for width in TOGETHER:
            before, groups = groups, []
            for first, last, parts, _ in before:
                up, down = (costs[parts] for costs in weights)
                windows = [(begin, min(begin + width, last)) for begin in range(first, last, width)]
                cut = patterns([query[begin : end + size - 1] for begin, end in windows], self._masks)
                scores = self._scores(text, ranges[:, parts], cut, up, down)
                for (begin, end), row in zip(windows, scores, strict=True):
                    kept = np.flatnonzero(row >= least - (end - begin - 1) * down)
                    groups += [(begin, end, parts[kept], row[kept])] if len(kept) else []
        window = np.repeat([group[0] for group in groups], [len(group[2]) for group in groups]).astype(np.int64)
        return (
            window,
            np.concatenate([none, *(group[2] for group in groups)]),
            np.concatenate([none, *(group[3] for group in groups)]).astype(np.int32),
        )

    def passing(self, text: Text) -> NDArray[np.int64]:
        """Return the subjects with a window above the limit, without what makes them places."""
        rule = self._rule
        assert isinstance(rule, Window)
        found = [np.zeros(0, np.int64)]
        for number, query in enumerate(self._queries):
            if len(query) < rule.length:
                found.append(self._short_window(text, number, query).subject)
                continue
            subjects, ranges, weights = self._parts_for_windows(text)
            found.append(subjects[self._passing(text, ranges, query, weights, 1)[1]])
        return np.unique(np.concatenate(found))

    def _parts_for_windows(
        self, text: Text
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], tuple[NDArray[np.int32], NDArray[np.int32]]]:
        """Return parts of a text as `Text.parts`, and what a match gains and another column costs in each."""
        assert isinstance(self._rule, Window)
        up, down = _weights(self._rule.identity)
        subjects, ranges = text.parts(self._rule.length + (self._rule.length * up) // down)
        return subjects, ranges, (np.full(len(subjects), up, np.int32), np.full(len(subjects), down, np.int32))

    def _best_windows(self, text: Text, query: Codes) -> tuple[dict[str, NDArray[Any]], NDArray[np.int64]]:
        """Return for each subject with a window above the limit its best window, and for all how many are above it.

        The window with the best score is fitted, and all are scored again by its identity, until none has a better one;
        of equal ones the first is taken (Dinkelbach 1967, for all windows of a subject together).
        """
        rule = self._rule
        assert isinstance(rule, Window)
        size, (up, down) = rule.length, _weights(rule.identity)
        subjects, ranges, weights = self._parts_for_windows(text)
        window, part, score = self._passing(text, ranges, query, weights, 1)
        pairs = np.unique(np.stack([subjects[part], window]), axis=1)
        above = np.bincount(pairs[0], minlength=len(text.begins) - 1)
        parts = np.unique(part)  # of subjects, each on its own
        subjects, ranges, part = subjects[parts], ranges[:, parts], np.searchsorted(parts, part)
        cut = patterns([query[start : start + size] for start in range(len(query) - size + 1)], self._masks)
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
            fitted[which] = best_identities(text.codes, cut, best, some, up, down, check=self.check)
            matches = size - fitted["mismatches"][left] - fitted["deletions"][left]
            columns = size + fitted["insertions"][left]
            weights = (columns - matches).astype(np.int32), matches.astype(np.int32)
            window, part, score = self._passing(text, ranges[:, left], query, weights, 0)
        return self._of_subjects(text, subjects, ranges[0], chosen, fitted, size), above

    def _of_subjects(
        self,
        text: Text,
        subject: NDArray[np.int64],
        origin: NDArray[np.int64],
        window: NDArray[np.int64],
        fitted: NDArray[np.void],
        size: int,
    ) -> dict[str, NDArray[Any]]:
        """Return the best window of each subject from those of its parts."""
        rule = self._rule
        assert isinstance(rule, Window)
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

    def _words(self, text: Text) -> Places:
        rule = self._rule
        assert isinstance(rule, Words)
        parts, first = [], 0
        while first < len(self._queries):
            counts = np.cumsum([len(query) - rule.length + 1 for query in self._queries[first:]])
            size = max(1, int(np.searchsorted(counts, WORDS, side="right")))
            parts.append(self._words_of(text, np.arange(first, first + size)[: len(counts)]))
            first += size
        return concatenated(parts)

    def _words_of(self, text: Text, numbers: NDArray[np.int64]) -> Places:
        """Return the runs of some queries, whose words are scanned together."""
        rule = self._rule
        assert isinstance(rule, Words)
        codes = [sliding_window_view(self._queries[number], rule.length).reshape(-1) for number in numbers]
        counts = np.array([len(part) // rule.length for part in codes])
        cut = patterns_of(np.concatenate(codes), np.arange(counts.sum() + 1) * rule.length, self._masks)
        hits, subject = self._mismatches(text, cut, 0)
        number = np.repeat(numbers, counts)[hits.query]
        word = hits.query - np.repeat(np.cumsum(counts) - counts, counts)[hits.query]
        start = hits.position - text.begins[subject]
        diagonal = start - word
        order = np.lexsort((start, diagonal, subject, number))
        start, diagonal, subject, word, number = (values[order] for values in (start, diagonal, subject, word, number))
        begins = np.ones(len(order), np.bool_)  # of runs: words one behind the other on a diagonal
        begins[1:] = (np.diff(number) != 0) | (np.diff(subject) != 0) | (np.diff(diagonal) != 0) | (np.diff(start) != 1)
        heads = np.flatnonzero(begins)
        size = np.diff([*heads, len(order)]) + rule.length - 1
        number, plus = number[heads], number[heads] < self._count
        lengths = np.array([len(query) for query in self._queries])[number]
        query_start = np.where(plus, word[heads], lengths - word[heads] - size)
        where = {"subject": subject[heads], "start": start[heads], "end": start[heads] + size}
        of_query = {"query": number % self._count, "strand": np.where(plus, 1, -1)}
        return Places.of(len(heads), **where, **of_query, query_start=query_start, query_end=query_start + size)

    def _guides(self, text: Text) -> Places:
        rule = self._rule
        assert isinstance(rule, Guides)
        reversed_text = text.backwards()
        parts = []
        for strand in self._strands:
            own = self._queries[: self._count] if strand > 0 else self._queries[self._count :]
            pam = self._alphabet.encode(rule.pam.upper().encode())
            pam = pam if strand > 0 else self._alphabet.reverse_complement(pam)
            behind = (rule.side == "3") == (strand > 0)  # on the plus strand, as the text is written
            oriented, turn = (text, 1) if behind else (reversed_text, -1)
            cut = patterns([np.ascontiguousarray(query[::turn]) for query in own], self._masks)
            places = self._beside_pam(oriented, cut, np.ascontiguousarray(pam[::turn]))
            if not behind:  # positions of the text backwards
                subject = len(text.begins) - 2 - places.subject
                size = np.diff(text.begins)[subject]
                moved = {"subject": subject, "start": size - places.end, "end": size - places.start}
                places = Places.of(len(places), **{**_columns(places), **moved})
            parts.append(Places.of(len(places), **{**_columns(places), "strand": strand}))
        return concatenated(parts)

    def _beside_pam(self, text: Text, queries: Patterns, pam: Codes) -> Places:
        """Return the fits of queries that end where a PAM begins, one for each site."""
        rule = self._rule
        assert isinstance(rule, Guides)
        pattern = patterns([pam], masks(match_table(self._alphabet, self._ambiguity, pattern=True)))
        sites, subject = self._mismatches(text, pattern, 0)
        sites = sites.take(sites.position > text.begins[subject])
        allowed = np.zeros(len(text.codes), np.uint8)
        allowed[sites.position - 1] = 1
        hits = self._scanner.ends(text.codes, queries, rule.limits.differences, allowed, self.check)
        return best_readings(self._fitted(text, queries, hits, rule.limits))

    def _primers(self, text: Text) -> Places:
        rule = self._rule
        assert isinstance(rule, Primers)
        hits, subject = self._mismatches(text, self._patterns, rule.mismatches)
        kept = self._ends_exactly(text, hits)
        hits, subject = hits.take(kept), subject[kept]
        order = np.lexsort((hits.position, hits.query))
        hits, subject = hits.take(order), subject[order]
        start, sizes = hits.position - text.begins[subject], np.diff(self._patterns.begins)
        begins = np.searchsorted(hits.query, np.arange(2 * self._count + 1))
        parts = []
        for which in range(self._count):
            self.check()
            turned = (which ^ 1) + self._count
            left, right = (np.arange(*begins[of : of + 2]) for of in (which, turned))
            ends = hits.position[right] + sizes[turned]
            shortest = max(rule.shortest, int(sizes[which]), int(sizes[turned]))  # both primers lie whole in a product
            first = np.searchsorted(ends, hits.position[left] + shortest)
            border = text.begins[subject[left] + 1]  # of the subject
            last = np.searchsorted(ends, np.minimum(hits.position[left] + rule.longest, border), side="right")
            counts = np.maximum(last - first, 0)
            number = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
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

    def _ends_exactly(self, text: Text, hits: Hits) -> NDArray[np.bool_]:
        """Return where 3' ends of primers match as they must; that of a reverse complement is its beginning."""
        assert isinstance(self._rule, Primers)
        kept, exact = np.ones(len(hits), np.bool_), self._rule.exact_end
        for which, query in enumerate(self._queries):
            self.check()
            own = np.flatnonzero(hits.query == which)
            end = np.arange(exact) if which >= self._count else np.arange(len(query) - exact, len(query))
            residues = text.codes[hits.position[own][:, None] + end]
            kept[own] = (self._masks[query[end]] >> residues & 1).all(axis=1)
        return kept


def _weights(identity: Fraction) -> tuple[int, int]:
    """Return what a match gains and another column costs, so that this identity or more has a score of at least 0."""
    return identity.denominator - identity.numerator, identity.numerator


def _columns(places: Places) -> dict[str, NDArray[Any]]:
    return {name: getattr(places, name) for name in Places.__dataclass_fields__}


_SCANS: Final[dict[type, Callable[[RuleScan, Text], Places]]] = {
    Mismatches: RuleScan._peptides,
    Edits: RuleScan._edits,
    Identity: RuleScan._identity,
    Window: RuleScan._windows,
    Words: RuleScan._words,
    Guides: RuleScan._guides,
    Primers: RuleScan._primers,
}
