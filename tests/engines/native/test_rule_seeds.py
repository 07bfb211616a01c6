"""Mismatches of many queries, found by seeds, against those of each query alone, counted at every position."""

from __future__ import annotations

import numpy as np
import pytest

from swgui.core.alphabet import NUCLEOTIDE, PROTEIN
from swgui.core.rules.matching import AMBIGUITIES, masks, match_table
from swgui.engines.native import library
from swgui.engines.rules.host import ROOM, HostScanner
from swgui.engines.rules.scanner import patterns


def rows(hits, query=None):
    which = hits.query if query is None else np.full(len(hits), query)
    return sorted(zip(which.tolist(), hits.position.tolist(), hits.differences.tolist(), strict=True))


def queries_of(rng, text, lengths, count, symbols):
    """Return parts of a text with some residues replaced, and others."""
    made = []
    for size in rng.choice(lengths, count):
        start = int(rng.integers(0, max(len(text) - size, 1)))
        query = text[start : start + size].copy()
        query = query if len(query) == size and rng.integers(4) else rng.integers(0, symbols, size).astype(np.uint8)
        query[rng.integers(0, size, rng.integers(0, 4))] = rng.integers(0, symbols)
        made.append(query)
    return made


@pytest.mark.parametrize("level", library.levels())
@pytest.mark.parametrize("seed", range(10))
def test_many_queries_are_found_where_each_of_them_is(seed, level):
    rng = np.random.default_rng(seed)
    alphabet, symbols = ((PROTEIN, 20), (PROTEIN, 27), (NUCLEOTIDE, 4), (NUCLEOTIDE, 15))[seed % 4]
    most = seed % 5
    text = rng.integers(0, symbols, (0, 7, 300, 4096 + seed, 70_000)[seed % 5]).astype(np.uint8)
    lengths = rng.integers(2 * (most + 1) + seed % 2, 6 * (most + 1) + 3, 3)
    given = queries_of(rng, text, lengths, 150 if symbols > 15 else 700, symbols)
    table = masks(match_table(alphabet, list(AMBIGUITIES)[seed % 3]))
    scanner = HostScanner(2, level)
    found = rows(scanner.mismatches(text, patterns(given, table), most, lambda: None))
    alone = [
        row
        for number, query in enumerate(given[:30])
        for row in rows(scanner.mismatches(text, patterns([query], table), most, lambda: None), number)
    ]
    assert [row for row in found if row[0] < 30] == sorted(alone)


def test_more_places_than_a_call_has_room_for():
    table = masks(match_table(PROTEIN))
    query, other = PROTEIN.encode(b"ARNDARNDARND"), PROTEIN.encode(b"WWWWWWWWWWWW")
    text = np.tile(PROTEIN.encode(b"ARND"), 600)
    given = patterns([query] * 150 + [other] * 150, table)
    found = HostScanner(1).mismatches(text, given, 1, lambda: None)
    places = range(0, len(text) - len(query) + 1, 4)
    assert len(found) == 150 * len(places) > ROOM / 2
    assert rows(found) == [(number, place, 0) for number in range(150) for place in places]
    crowded = HostScanner(1).mismatches(text, patterns([query] * 600, table), 1, lambda: None)
    assert len(crowded) == 600 * len(places) > ROOM
