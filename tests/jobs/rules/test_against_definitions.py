"""Places of every rule against its definition, residue by residue, on small random sequences."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest

from swgui.core.alphabet import NUCLEOTIDE, PROTEIN
from swgui.core.plain import replace
from swgui.core.rules.base import Limits
from swgui.core.rules.matching import AMBIGUITIES, masks, match_table
from swgui.core.rules.reference import Fit, aligned_columns, best_identity, edit_fits, mismatch_fits, words
from swgui.core.rules.rule import Edits, Guides, Identity, Mismatches, Primers, Window, Words
from swgui.engines.rules.host import HostScanner, fit_columns
from swgui.jobs.rules.planting import BLANK
from swgui.jobs.rules.scan import RuleScan
from swgui.jobs.rules.table import as_rows
from swgui.jobs.rules.text import Text

Row = tuple[int, ...]
BLOCK, PIECE = 4096, 1 << 16  # residues that compiled code takes at a time, and a thread


def draw(rng, sizes, symbols):
    return [rng.integers(0, symbols, size).astype(np.uint8) for size in sizes]


def text_of(subjects):
    begins = np.concatenate([[0], np.cumsum([len(one) for one in subjects])]).astype(np.int64)
    return Text(np.concatenate([np.zeros(0, np.uint8), *subjects]), begins)


def places_of(scanned, subjects, seed):
    """Return the places in subjects that stand behind residues matching nothing, so that a border of blocks is near."""
    before = (0, BLOCK, PIECE)[seed % 3]
    blank = np.full(max(0, before - int(np.random.default_rng(seed).integers(0, 60))), BLANK, np.uint8)
    found = scanned.places(text_of([blank, *subjects]))
    return replace(found, subject=found.subject - 1)


def rows(places) -> list[Row]:
    names = (
        "query",
        "subject",
        "start",
        "end",
        "strand",
        "mismatches",
        "insertions",
        "deletions",
        "query_start",
        "query_end",
    )
    return sorted(zip(*(getattr(places, name).tolist() for name in names), strict=True))


def row(query: int, subject: int, strand: int, fit: Fit, begin: int, end: int) -> Row:
    return query, subject, fit.start, fit.end, strand, fit.mismatches, fit.insertions, fit.deletions, begin, end


def strands_of(queries, alphabet, both) -> Iterator[tuple[int, int, np.ndarray]]:
    for number, query in enumerate(queries):
        yield number, 1, query
        if both:
            yield number, -1, alphabet.reverse_complement(query)


def not_implied(fits: list[Fit], limits: Limits) -> list[Fit]:
    def implies(one: Fit, other: Fit) -> bool:
        apart = other.end - one.end
        own, most = (one.insertions, limits.insertions) if apart > 0 else (one.deletions, limits.deletions)
        able = own + abs(apart) <= most and one.insertions + one.deletions + abs(apart) <= limits.gaps
        return able and one.differences + abs(apart) <= other.differences

    listed: list[Fit] = []
    for fit in sorted(fits, key=lambda fit: fit.differences):
        listed += [] if any(implies(one, fit) for one in listed) else [fit]
    return listed


CASES = range(60)


def scan(rule, queries, alphabet, ambiguity="strict", both=False):
    return RuleScan(rule, queries, alphabet, HostScanner(2), ambiguity=ambiguity, both_strands=both)


@pytest.mark.parametrize("seed", CASES)
def test_places_of_mismatches_and_edits(seed):
    rng = np.random.default_rng(seed)
    both = bool(seed % 2)
    alphabet = NUCLEOTIDE if both else PROTEIN
    symbols = (4, 16)[seed % 4 == 1] if both else (4, 20, 27)[seed % 3]
    ambiguity = list(AMBIGUITIES)[seed % 3]
    table = match_table(alphabet, ambiguity)
    subjects = draw(rng, rng.integers(0, 40, 4), symbols)
    queries = draw(rng, rng.integers(3, 9, 3), symbols)
    most = int(rng.integers(0, 3))
    found = places_of(scan(Mismatches(most), queries, alphabet, ambiguity, both), subjects, seed)
    expected = [
        row(number, k, strand, fit, 0, len(query))
        for number, strand, query in strands_of(queries, alphabet, both)
        for k, subject in enumerate(subjects)
        for fit in mismatch_fits(query, subject, table, most)
    ]
    assert rows(found) == sorted(expected)
    rule = Edits(
        most, gaps=int(rng.integers(0, 3)), matching_ends=bool(rng.integers(2)), every_end=bool(rng.integers(2))
    )
    found = places_of(scan(rule, queries, alphabet, ambiguity, both), subjects, seed)
    expected = []
    for number, strand, query in strands_of(queries, alphabet, both):
        for k, subject in enumerate(subjects):
            fits = list(edit_fits(query, subject, table, rule.limits, matching_ends=rule.matching_ends))
            fits = not_implied(fits, rule.limits) if rule.leaves_out else fits
            expected += [row(number, k, strand, fit, 0, len(query)) for fit in fits]
    assert rows(found) == sorted(expected)


@pytest.mark.parametrize("seed", CASES)
@pytest.mark.sampled(12)
def test_places_of_identity(seed):
    rng = np.random.default_rng(seed)
    limit = (Fraction(7, 20), Fraction(7, 10), Fraction(1, 3), Fraction(1))[seed % 4]
    table = match_table(PROTEIN)
    subjects = draw(rng, rng.integers(0, 9, 5), (2, 3, 20)[seed % 3])
    queries = draw(rng, rng.integers(1, 6, 2), (2, 3, 20)[seed % 3])
    for over in ("columns", "query"):
        expected = []
        for number, query in enumerate(queries):
            for k, subject in enumerate(subjects):
                best = best_identity(query, subject, table, over=over)
                if best is not None and best[0] >= limit:
                    expected.append(row(number, k, 1, best[1], 0, len(query)))
        assert rows(places_of(scan(Identity(limit, over), queries, PROTEIN), subjects, seed)) == sorted(expected)


@pytest.mark.parametrize("seed", CASES)
@pytest.mark.sampled(12)
def test_places_of_windows_and_words(seed):
    rng = np.random.default_rng(seed)
    rule = Window(5, Fraction(3, 5))
    table = match_table(PROTEIN)
    subjects, queries = draw(rng, rng.integers(0, 9, 4), 3), draw(rng, (3, 5, 8 + seed % 14), 3)
    expected = []
    for number, query in enumerate(queries):
        size = min(rule.length, len(query))
        for k, subject in enumerate(subjects):
            windows = []
            for at in range(rule.windows(len(query))):
                best = best_identity(query[at : at + size], subject, table, rule.length)
                if best is not None and best[0] > rule.identity:
                    windows.append((best[0], -at, best[1]))
            if windows:
                _, at, fit = max(windows, key=lambda one: one[:2])
                expected.append((*row(number, k, 1, fit, -at, -at + size), len(windows)))
    found = places_of(scan(rule, queries, PROTEIN), subjects, seed)
    order = found.sorted()
    assert sorted((*one, n) for one, n in zip(rows(order), _windows(order), strict=True)) == sorted(expected)
    found = places_of(scan(Words(3), queries, PROTEIN), subjects, seed)
    expected = [
        row(number, k, 1, fit, at, at + fit.end - fit.start)
        for number, query in enumerate(queries)
        for k, subject in enumerate(subjects)
        for at, fit in words(query, subject, table, 3)
    ]
    assert rows(found) == sorted(expected)


@pytest.mark.parametrize("seed", range(150))
@pytest.mark.sampled(16)
def test_places_of_queries_that_are_shorter_than_a_window(seed):
    rng = np.random.default_rng(seed)
    rule = Window(int(rng.integers(5, 12)), Fraction(int(rng.integers(1, 5)), 10))
    table = match_table(PROTEIN)
    subjects, queries = draw(rng, rng.integers(0, 12, 6), 3), draw(rng, rng.integers(2, 5, 2), 3)
    expected = []
    for number, query in enumerate(queries):
        for k, subject in enumerate(subjects):
            best = best_identity(query, subject, table, rule.length)
            if best is not None and best[0] > rule.identity:
                expected.append(row(number, k, 1, best[1], 0, len(query)))
    assert rows(places_of(scan(rule, queries, PROTEIN), subjects, seed)) == sorted(expected)


def test_a_short_query_may_have_more_matches_over_a_window_than_its_largest_identity_has():
    rule = Window(10, Fraction(35, 100))
    query, subject = (PROTEIN.encode(text) for text in (b"ARND", b"ARNGAGRGNGD"))
    found = scan(rule, [query], PROTEIN).places(text_of([subject]))
    assert rows(found) == [(0, 0, 4, 11, 1, 0, 3, 0, 0, 4)]


def _windows(places) -> list[int]:
    by_row = dict(
        zip(zip(places.query.tolist(), places.subject.tolist(), strict=True), places.windows.tolist(), strict=True)
    )
    return [by_row[one[0], one[1]] for one in rows(places)]


@pytest.mark.parametrize("seed", CASES)
def test_sites_of_guides(seed):
    rng = np.random.default_rng(seed)
    side = "35"[seed % 2]
    rule = Guides(("NG", "TV")[seed % 2], side, 1, int(rng.integers(2)), int(rng.integers(2)), (None, 2)[seed % 3 == 0])
    table, pam_table = match_table(NUCLEOTIDE), match_table(NUCLEOTIDE, pattern=True)
    subjects, queries = draw(rng, rng.integers(0, 60, 3), 4), draw(rng, (4, 5), 4)
    pam = NUCLEOTIDE.encode(rule.pam.encode())
    expected = []
    for number, strand, query in strands_of(queries, NUCLEOTIDE, True):
        site = pam if strand > 0 else NUCLEOTIDE.reverse_complement(pam)
        behind = (side == "3") == (strand > 0)
        for k, subject in enumerate(subjects):
            turn, sites = (1 if behind else -1), {}
            way, guide, beside = subject[::turn], query[::turn], site[::turn]
            for fit in edit_fits(guide, way, table, rule.limits):
                there = way[fit.end : fit.end + len(beside)]
                if len(there) == len(beside) and pam_table[beside, there].all():
                    sites.setdefault(fit.start, []).append(fit)
            for fits in sites.values():
                fit = min(fits, key=lambda fit: (fit.differences, fit.insertions + fit.deletions, fit.end))
                if not behind:
                    fit = Fit(*sorted((len(way) - fit.end, len(way) - fit.start)), *_counts(fit))
                expected.append((*row(number, k, strand, fit, 0, len(query)), len(fits) - 1))
    found = places_of(scan(rule, queries, NUCLEOTIDE, both=True), subjects, seed).sorted()
    listed = [(*rows(found.take(slice(n, n + 1)))[0], int(found.other_readings[n])) for n in range(len(found))]
    assert sorted(listed) == sorted(expected)


def _counts(fit: Fit) -> tuple[int, int, int]:
    return fit.mismatches, fit.insertions, fit.deletions


@pytest.mark.parametrize("seed", CASES)
@pytest.mark.sampled(12)
def test_products_of_primers(seed):
    rng = np.random.default_rng(seed)
    rule = Primers(1, 2, 8, 30)
    table = match_table(NUCLEOTIDE, pattern=True)
    subjects, queries = draw(rng, rng.integers(0, 80, 3), 4), draw(rng, (4, 5, 4, 6), (4, 15)[seed % 2])
    expected = []
    for pair, (forward, reverse) in enumerate(pairwise(queries)):
        if pair % 2:
            continue
        for strand, (left, right) in ((1, (forward, reverse)), (-1, (reverse, forward))):
            turned = NUCLEOTIDE.reverse_complement(right)
            for k, subject in enumerate(subjects):
                for a in mismatch_fits(left, subject, table, 1):
                    if not table[left[-2:], subject[a.end - 2 : a.end]].all():
                        continue
                    for b in mismatch_fits(turned, subject, table, 1):
                        ends = table[turned[:2], subject[b.start : b.start + 2]].all()
                        if ends and 8 <= b.end - a.start <= 30:
                            wrong = a.mismatches + b.mismatches
                            span = 0, len(left) + len(right)
                            expected.append((pair // 2, k, a.start, b.end, strand, wrong, 0, 0, *span))
    assert rows(places_of(scan(rule, queries, NUCLEOTIDE, both=True), subjects, seed)) == sorted(expected)


# Columns of fits in compiled code against those of the definition.


@pytest.mark.parametrize("seed", range(30))
def test_columns_have_the_counts_of_the_fit(seed):
    rng = np.random.default_rng(seed)
    table = match_table(PROTEIN)
    query, subject = (rng.integers(0, 4, size).astype(np.uint8) for size in (8, 40))
    fits = list(edit_fits(query, subject, table, Limits(4, 4, 2, 2, 3)))
    assert fits
    for fit in fits:
        part = subject[fit.start : fit.end]
        columns = fit_columns(query, part, masks(table), fit.insertions, fit.deletions)
        assert columns == aligned_columns(query, part, table, fit)
        counts = tuple(columns.count(kind) for kind in "XID")
        assert counts == (fit.mismatches, fit.insertions, fit.deletions)
        upper, lower = as_rows(PROTEIN.decode(query).decode(), PROTEIN.decode(part).decode(), columns)
        assert upper.replace("-", "").encode() == PROTEIN.decode(query)
        assert lower.replace("-", "").encode() == PROTEIN.decode(part)


@pytest.mark.parametrize("seed", range(30))
@pytest.mark.parametrize("over", ["columns", "query"])
def test_columns_of_the_largest_identity_have_its_counts(over, seed):
    rng = np.random.default_rng(seed)
    table = match_table(PROTEIN)
    query, subject = (rng.integers(0, 3, size).astype(np.uint8) for size in (rng.integers(1, 7), rng.integers(1, 12)))
    _, fit = best_identity(query, subject, table, over=over)
    part, same = subject[fit.start : fit.end], len(query) - fit.mismatches - fit.deletions
    weights = Identity(over=over).best_weights(same, len(query) + fit.insertions)
    columns = fit_columns(query, part, masks(table), fit.insertions, fit.deletions, weights)
    assert tuple(columns.count(kind) for kind in "=XID") == (same, *_counts(fit))
    upper, lower = as_rows(PROTEIN.decode(query).decode(), PROTEIN.decode(part).decode(), columns)
    assert sum(a == b for a, b in zip(upper, lower, strict=True)) == same
    assert (upper.replace("-", "").encode(), lower.replace("-", "").encode()) == tuple(
        map(PROTEIN.decode, (query, part))
    )
