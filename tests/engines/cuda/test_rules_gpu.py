"""Scanners of the rules on a GPU against the compiled ones."""

from __future__ import annotations

import numpy as np
import pytest

from swgui.core.alphabet import NUCLEOTIDE, PROTEIN
from swgui.core.rules.matching import masks, match_table
from swgui.core.rules.places import Places
from swgui.core.rules.rule import Edits, Guides, Identity, Mismatches, Primers, Window, Words
from swgui.engines.rules import make_scanner
from swgui.engines.rules.host import HostScanner
from swgui.engines.rules.scanner import patterns, patterns_of
from swgui.jobs.rules.scan import RuleScan
from swgui.jobs.rules.text import Text
from swgui.jobs.rules.work.words import WORDS
from tests.kernels.test_rules_on_cpu import assert_same_places

pytestmark = pytest.mark.gpu


@pytest.fixture(scope="module")
def scanner():
    return make_scanner("cuda")[0]


@pytest.mark.parametrize("size", [0, 1, 255, 256, 257, 4095, 4097, 300_000])
def test_places_are_those_of_the_compiled_scanners(scanner, size):
    rng = np.random.default_rng(size)
    text = rng.integers(0, 20, size).astype(np.uint8)
    lengths = 9, 15, 16, 17, 32, 33, 64
    cut = [text[at : at + n].copy() for n in lengths for at in rng.integers(0, max(size - n, 1), 5) if size > 64]
    queries = patterns([*cut, rng.integers(0, 20, 12).astype(np.uint8)], masks(match_table(PROTEIN, equate_il=True)))
    allowed = (rng.random(size) < 0.5).astype(np.uint8)
    for most in (0, 3):
        assert_same_places(scanner, HostScanner(), text, queries, most, allowed)


def test_more_hits_than_there_was_room_for(scanner):
    text = np.zeros(3_000_000, np.uint8)
    queries = patterns([np.zeros(9, np.uint8)], masks(match_table(PROTEIN)))
    assert len(scanner.mismatches(text, queries, 0, lambda: None)) == len(text) - 8


@pytest.mark.parametrize("count", [1, 127, 129, 3000])
def test_scores_are_those_of_the_compiled_scanner(scanner, count):
    rng = np.random.default_rng(count)
    text = rng.integers(0, 6, 200_000).astype(np.uint8)
    starts = rng.integers(0, 199_000, count)
    ranges = np.stack([starts, starts + rng.integers(0, 900, count)]).astype(np.int64)
    queries = patterns(
        [rng.integers(0, 6, n).astype(np.uint8) for n in (1, 15, 16, 17, 80, 401)], masks(match_table(PROTEIN))
    )
    for up, down in ((13, 7), (0, 1), (1, 0)):
        weights = (rng.integers(one, one + 9, count).astype(np.int32) for one in (up, down))
        given = text, ranges, queries, *weights, lambda: None
        assert np.array_equal(scanner.scores(*given), HostScanner().scores(*given))


@pytest.mark.parametrize(("count", "size"), [(WORDS, 50_000), (WORDS - 1, 3001), (20_000, 2_000_000)])
def test_words_of_many_queries_are_one_list_of_patterns(scanner, count, size):
    rng = np.random.default_rng(count)
    text = rng.integers(0, 20, size).astype(np.uint8)
    words = rng.integers(0, 20, (count, 8)).astype(np.uint8)
    rows = rng.choice(count, 3000, replace=False)
    words[rows] = text[rng.integers(0, size - 8, 3000)[:, None] + np.arange(8)]
    queries = patterns_of(words.reshape(-1), np.arange(count + 1) * 8, masks(match_table(PROTEIN)))
    answer, expected = (one.mismatches(text, queries, 0, lambda: None) for one in (scanner, HostScanner()))
    assert len(answer) >= 3000
    for name in ("query", "position", "differences"):
        assert np.array_equal(getattr(answer, name), getattr(expected, name))


@pytest.mark.parametrize(
    "rule",
    [
        Mismatches(2),
        Edits(3),
        Identity(),
        Window(),
        Words(6),
        Guides(mismatches=4, dna_bulges=1),
        Primers(9, 1, 30, 900),
    ],
    ids=lambda rule: rule.name,
)
@pytest.mark.parametrize("ambiguity", ["strict", "sets", "wild"])
def test_places_of_every_rule_are_those_of_the_cpu(scanner, rule, ambiguity):
    """Windows are scored together first, words of all queries as one list: both lists are those of `HostScanner`."""
    rng = np.random.default_rng(3)
    bases = isinstance(rule, Guides | Primers)
    alphabet, symbols = (NUCLEOTIDE, 5) if bases else (PROTEIN, 24)
    subjects = [rng.integers(0, symbols, size).astype(np.uint8) for size in rng.integers(0, 900, 400)]
    text = Text(np.concatenate(subjects), np.concatenate([[0], np.cumsum([len(part) for part in subjects])]))
    size = 300 if isinstance(rule, Window) else 20
    starts = rng.integers(0, len(text.codes) - size, 6 if isinstance(rule, Window) else 60)
    queries = [text.codes[start : start + size].copy() for start in starts]
    given = {"ambiguity": ambiguity, "both_strands": bases}
    answer, expected = (
        RuleScan(rule, queries, alphabet, one, **given).places(text).sorted() for one in (scanner, HostScanner())
    )
    assert len(expected)
    for name in Places.__dataclass_fields__:
        assert np.array_equal(getattr(answer, name), getattr(expected, name)), name
