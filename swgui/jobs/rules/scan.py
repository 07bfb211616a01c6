"""A rule asked of one text after another, and what rules have in common that a scanner lists of them."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from swgui.core.alphabet import Alphabet
from swgui.core.control import Check
from swgui.core.rules.base import Limits, Rule
from swgui.core.rules.matching import Ambiguity, masks, match_table
from swgui.core.rules.places import Places
from swgui.core.translation.genetic_codes import STANDARD
from swgui.engines.rules.host import best_identities, fits
from swgui.engines.rules.scanner import Hits, Patterns, Scanner, patterns
from swgui.jobs.kind import load
from swgui.jobs.rules.circles import Circles
from swgui.jobs.rules.text import Text

Codes = NDArray[np.uint8]


class _Work(Protocol):
    def places(self, scan: RuleScan, text: Text) -> Places: ...

    def passing(self, scan: RuleScan, text: Text) -> NDArray[np.int64]: ...


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
        equate_il: bool = False,
        both_strands: bool = False,
        frames: tuple[int, ...] = (),
        code: int = STANDARD,
        circles: Circles | None = None,
        check: Check = lambda: None,
    ) -> None:
        self.frames, self.code = frames, code
        self.circles = circles or Circles()
        self.rule = rule
        self.alphabet = alphabet
        self.scanner = scanner
        self.ambiguity = ambiguity
        self.check = check
        self._work: _Work = load(rule.work)(rule)
        self.count = len(queries)
        self.strands = (1, -1) if both_strands else (1,)
        turned = [alphabet.reverse_complement(query) for query in queries] if both_strands else []
        self.queries = [*queries, *turned]
        self.table = match_table(alphabet, ambiguity, pattern=rule.paired, equate_il=equate_il)
        self.masks = masks(self.table)
        self.patterns = patterns(self.queries, self.masks)

    def places(self, text: Text) -> Places:
        """Return the places of a text; subjects are numbered as they stand in it."""
        return self._work.places(self, text)

    def passing(self, text: Text) -> NDArray[np.int64]:
        """Return the subjects of a text that have a place, without what makes them places."""
        return self._work.passing(self, text)

    def expected(self, lengths: NDArray[Any]) -> int:
        """Return the places or cells that subjects of these lengths have for all queries and strands."""
        subjects = np.asarray(lengths, np.int64)
        sizes, counts = np.unique(np.diff(self.patterns.begins), return_counts=True)
        return sum(
            int(number) * int(self.rule.places(int(size), subjects).sum())
            for size, number in zip(sizes, counts, strict=True)
        )

    def whole(self, which: NDArray[Any], **columns: Any) -> Places:
        """Return places of whole queries; `which` counts those of both strands."""
        size = np.diff(self.patterns.begins)[which]
        strand = np.where(np.asarray(which) < self.count, 1, -1)
        return Places.of(len(which), query=np.asarray(which) % self.count, strand=strand, query_end=size, **columns)

    def mismatches(self, text: Text, queries: Patterns, most: int) -> tuple[Hits, NDArray[np.int64]]:
        """Return windows that cross no border, and the subject of each."""
        hits = self.scanner.mismatches(text.codes, queries, most, self.check)
        subject = text.subject_of(hits.position)
        inside = hits.position + np.diff(queries.begins)[hits.query] <= text.begins[subject + 1]
        return hits.take(inside), subject[inside]

    def fitted(self, text: Text, queries: Patterns, hits: Hits, limits: Limits, matching_ends: bool = False) -> Places:
        """Return the best fit of each hit that keeps the limits."""
        subject = text.subject_of(hits.position - 1)
        origins = text.begins[subject]
        ends = matching_ends
        fitted = fits(text.codes, queries, hits, origins, limits, matching_ends=ends, check=self.check)
        kept = fitted["start"] >= 0
        fitted, subject, origins = fitted[kept], subject[kept], origins[kept]
        columns = {name: fitted[name] for name in ("mismatches", "insertions", "deletions")}
        where = {"subject": subject, "start": fitted["start"] - origins, "end": fitted["end"] - origins}
        return self.whole(hits.query[kept], **where, **columns)

    def best(
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
        scores = self.scores(text, ranges, queries, up, down)
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

    def scores(self, text: Text, ranges: NDArray[np.int64], queries: Patterns, up: Any, down: Any) -> NDArray[np.int32]:
        """Return the best score of each whole query in each part of a text, whose begins and ends are `ranges`."""
        gain, cost = (np.broadcast_to(np.asarray(costs, np.int32), ranges.shape[1:]) for costs in (up, down))
        return self.scanner.scores(text.codes, ranges, queries, gain, cost, self.check)


def weights(identity: Fraction) -> tuple[int, int]:
    """Return the gain of a match and the cost of another column, for a score of at least 0 at this identity or more."""
    return identity.denominator - identity.numerator, identity.numerator


def columns_of(places: Places) -> dict[str, NDArray[Any]]:
    """Return the columns of places by name."""
    return {name: getattr(places, name) for name in Places.__dataclass_fields__}
