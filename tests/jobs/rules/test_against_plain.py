"""Places of identity over the query and of edits with gap limits, against a reference that uses no code of the rules.

Each case is small and random; 10,000 of each rule run at night.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

import numpy as np
import pytest

from swgui.core.alphabet import PROTEIN
from swgui.core.rules.rule import Edits, Identity
from swgui.engines.rules.host import HostScanner
from swgui.jobs.rules.scan import RuleScan
from swgui.jobs.rules.text import Text

Place = tuple[int, int, int, int, int]  # start, end, mismatches, insertions, deletions
CASES, OF_THE_NIGHT, TOGETHER = 150, 10_000, 1000


def text(rng, size, letters):
    return "".join(rng.choice(list(letters), size))


def listed(rule, query, subjects):
    """Return the places that the program lists, with the number of the subject before each."""
    codes = [PROTEIN.encode(one.encode()) for one in subjects]
    begins = np.concatenate([[0], np.cumsum([len(one) for one in codes])]).astype(np.int64)
    scan = RuleScan(rule, [PROTEIN.encode(query.encode())], PROTEIN, HostScanner(1))
    found = scan.places(Text(np.concatenate([np.zeros(0, np.uint8), *codes]), begins))
    names = "subject", "start", "end", "mismatches", "insertions", "deletions"
    return sorted(zip(*(getattr(found, name).tolist() for name in names), strict=True))


# The reference of identity over the query.


def common(query, subject):
    """Return the length of the longest common subsequence."""
    above = [0] * (len(subject) + 1)
    for q in query:
        row = [0]
        for j, s in enumerate(subject):
            row.append(max(above[j] + (q == s), above[j + 1], row[j]))
        above = row
    return above[-1]


def best_place(query, subject) -> tuple[int, Place]:
    """Return the most identities of any alignment, and of the alignments that have so many the best.

    That has the fewest gap positions, then the leftmost start, then the leftmost end. Every stretch of the subject is
    aligned from its first to its last residue; a value is (identities, -gap positions).
    """
    best = None
    for start in range(len(subject)):
        part = subject[start:]
        above = [(0, -j) for j in range(len(part) + 1)]
        for i, q in enumerate(query):
            row = [(0, -i - 1)]
            for j, s in enumerate(part):
                options = [(above[j][0] + (q == s), above[j][1]), (above[j + 1][0], above[j + 1][1] - 1)]
                row.append(max(*options, (row[j][0], row[j][1] - 1)))
            above = row
        for size in range(1, len(part) + 1):
            same, gaps = above[size][0], -above[size][1]
            rank = -same, gaps, start, start + size
            best = rank if best is None else min(best, rank)
    same, gaps, start, end = best
    inserted = (gaps + end - start - len(query)) // 2
    missing = gaps - inserted
    return -same, (start, end, len(query) + same - missing, inserted, missing)


def check_identity(seed):
    rng = np.random.default_rng(seed)
    letters = ("AC", "ACD", "ACDEFGH")[seed % 3]
    query = text(rng, rng.integers(1, 8), letters)
    limit = (Fraction(1, 3), Fraction(7, 10), Fraction(9, 10), Fraction(1))[seed // 3 % 4]
    subjects = [text(rng, size, letters) for size in rng.integers(0, 14, 3)]
    cut = int(rng.integers(0, len(query) + 1))
    subjects.append(text(rng, 3, letters) + query[:cut] + text(rng, rng.integers(0, 5), letters) + query[cut:])
    expected = []
    for number, subject in enumerate(subjects):
        if subject:
            same, place = best_place(query, subject)
            assert same == common(query, subject)
            if Fraction(same, len(query)) >= limit:
                expected.append((number, *place))
    assert listed(Identity(limit, over="query"), query, subjects) == expected


# The reference of edits.


def all_places(query, subject, rule) -> set[Place]:
    """Return every way in which the whole query stands somewhere within the limits, gap positions limited together."""
    last = len(query) - 1
    most = (
        rule.edits,
        rule.edits if rule.mismatches is None else rule.mismatches,
        rule.edits if rule.gaps is None else rule.gaps,
    )

    def within(x, a, d):
        kinds = {"both": True, "insertions": not d, "deletions": not a}
        return x + a + d <= most[0] and x <= most[1] and a + d <= most[2] and kinds[rule.gaps_in]

    @cache
    def rest(i, j):
        """Return end and counts of all ways to align the query from residue i and the subject from residue j on."""
        if i > last:
            return frozenset({(j, 0, 0, 0)})
        ways = set()
        fixed = rule.matching_ends and i in (0, last)
        if j < len(subject):
            wrong = query[i] != subject[j]
            if not (wrong and fixed):
                ways |= {(e, x + wrong, a, d) for e, x, a, d in rest(i + 1, j + 1)}
            if i:  # a residue of the subject before residue i of the query
                ways |= {(e, x, a + 1, d) for e, x, a, d in rest(i, j + 1)}
        if not fixed:
            ways |= {(e, x, a, d + 1) for e, x, a, d in rest(i + 1, j)}
        return frozenset(way for way in ways if within(*way[1:]))

    return {(start, *way) for start in range(len(subject)) for way in rest(0, start) if way[0] > start}


def without_left_out(places: list[Place], rule) -> list[Place]:
    """Leave out what the sentence of the rule says it leaves out."""
    if rule.every_end or rule.matching_ends:
        return places
    gaps = rule.edits if rule.gaps is None else min(rule.gaps, rule.edits)
    kept: list[Place] = []
    for place in sorted(places, key=lambda one: sum(one[2:])):
        for before in kept:
            apart = place[1] - before[1]
            fewer = sum(before[2:]) + abs(apart) <= sum(place[2:])
            kind = before[3] if apart > 0 else before[4]
            able = rule.gaps_in != ("deletions" if apart > 0 else "insertions") and kind + abs(apart) <= gaps
            if fewer and able and before[3] + before[4] + abs(apart) <= gaps:
                break
        else:
            kept.append(place)
    return kept


def check_edits(seed):
    rng = np.random.default_rng(seed)
    letters = ("AC", "ACD", "ACDEF")[seed % 3]
    edits = int(rng.integers(0, 4))
    query = text(rng, rng.integers(max(2, edits + 1), 7), letters)
    rule = Edits(
        edits,
        gaps=(None, 0, 1, 2)[rng.integers(4)],
        mismatches=(None, None, 0, 1)[rng.integers(4)],
        matching_ends=bool(rng.integers(4) == 0),
        gaps_in=("both", "both", "insertions", "deletions")[rng.integers(4)],
        every_end=bool(rng.integers(3) == 0),
    )
    subjects = [text(rng, size, letters) for size in rng.integers(0, 14, 3)]
    expected = []
    for number, subject in enumerate(subjects):
        by_end: dict[int, list[Place]] = {}
        for place in all_places(query, subject, rule):
            by_end.setdefault(place[1], []).append(place)
        best = [min(places, key=lambda one: (sum(one[2:]), sum(one[3:]), one[0])) for places in by_end.values()]
        expected += [(number, *place) for place in without_left_out(best, rule)]
    assert listed(rule, query, subjects) == sorted(expected)


@pytest.mark.parametrize("seed", range(CASES))
def test_identity_over_the_query(seed):
    check_identity(seed)


@pytest.mark.parametrize("seed", range(CASES))
def test_edits_with_gap_limits(seed):
    check_edits(seed)


@pytest.mark.nightly
@pytest.mark.parametrize("first", range(CASES, CASES + OF_THE_NIGHT, TOGETHER))
@pytest.mark.parametrize("check", [check_identity, check_edits])
def test_ten_thousand_cases(check, first):
    for seed in range(first, first + TOGETHER):
        check(seed)


# Cases that were wrong.


def test_residues_put_in_take_no_identity_away():
    whole = (10, 0, 4, 0)
    found = listed(Identity(Fraction(1), over="query"), "ACDEFGHIKL", ["MMACDEFWWWWGHIKLMM", "ACDEFGHIK"])
    assert found == [(0, 2, 16, *whole[1:])]


def test_an_insertion_and_a_deletion_are_two_gap_positions():
    query, subject = "ACDEFGHIKLMN", "WWACDWEFGHILMNWW"  # one put in, K left out
    assert len(listed(Edits(2, gaps=2), query, [subject])) == 1
    assert listed(Edits(2, gaps=1), query, [subject]) == []


def test_an_end_is_implied_only_by_gaps_that_are_allowed():
    query, subject = "AAAAAC", "MMAAAAACCMM"
    assert [place[1:3] for place in listed(Edits(1, gaps=0), query, [subject])] == [(2, 8), (3, 9)]
    assert [place[1:3] for place in listed(Edits(1, gaps_in="deletions"), query, [subject])] == [(2, 8), (3, 9)]
    assert [place[1:3] for place in listed(Edits(1), query, [subject])] == [(2, 8)]
