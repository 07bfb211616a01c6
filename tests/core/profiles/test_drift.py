"""Sentences about rounds that may have drawn in strangers, each from rounds made so that it is due."""

import numpy as np
import pytest

from swgui.core.alphabet import PROTEIN
from swgui.core.hits.rounds import QueryRounds, Round, drift_warnings, drifted
from swgui.core.profiles.alignment import OUTSIDE, AlignedRow, MasterAlignment

IDS = [f"s{at}" for at in range(20_000)]
WIDTH = 100


def row(name, first=0, last=WIDTH):
    codes = np.full(WIDTH, OUTSIDE, dtype=np.uint8)
    codes[first:last] = 3
    return AlignedRow(name, "", codes)


def one_round(evalues, included, rows=(), coverage=None, beyond=()):
    alignment = MasterAlignment(PROTEIN, (row("query"), *rows))
    return Round(
        np.array(list(evalues), dtype=np.int64),
        np.array(list(evalues.values()), dtype=float),
        np.array(included, dtype=np.int64),
        None,
        alignment,
        1.0,
        coverage=coverage,
        beyond=beyond,
    )


def told(*rounds, ended="same"):
    return drift_warnings(QueryRounds(rounds, ended), IDS, str.upper)


def test_nothing_is_said_of_rounds_in_order():
    beyond = (0, 0, 1, 9, 104, 1011)
    first = one_round({1: -20.0, 2: -4.0}, [1, 2], coverage=0.9, beyond=beyond)
    last = one_round({1: -30.0, 2: -25.0}, [1, 2], [row("s1"), row("s2")], coverage=0.9, beyond=beyond)
    assert told(first, last) == []


def test_weak_ones_that_became_strong_are_named():
    first = one_round({1: -20.0, 2: -1.5, 3: -2.0}, [1, 2, 3])
    last = one_round({1: -30.0, 2: -7.0, 3: -5.0}, [1, 2, 3], [row("s1"), row("s2")])
    rounds = QueryRounds((first, last), "same")
    assert drifted(rounds).tolist() == [2]  # the third is no stronger than 1e-5
    (text,) = drift_warnings(rounds, IDS, str.upper)
    assert text.startswith("1 sequence was included with E above 0.001")
    assert "S2" in text


def test_all_that_came_late_in_one_stretch():
    first = one_round({1: -20.0}, [1])
    late = [row(f"s{at}", 60, 90) for at in (2, 3, 4)]
    last = one_round({1: -30.0, 2: -5.0, 3: -5.0, 4: -5.0}, [1, 2, 3, 4], [row("s1"), *late])
    (text,) = told(first, last)
    assert "3 sequences" in text
    assert "residues 61 to 90" in text
    wide = one_round({1: -30.0, 2: -5.0}, [1, 2], [row("s1"), row("s2"), row("s3"), row("s4")])
    assert told(first, wide) == []


def test_coverage_that_falls():
    first, last = one_round({1: -20.0}, [1], coverage=0.8), one_round({1: -20.0}, [1], [row("s1")], coverage=0.5)
    (text,) = told(first, last)
    assert "50 %" in text
    assert "80 % in round 1" in text


@pytest.mark.parametrize(("found", "warned"), [(104, False), (139, False), (180, True), (20, False)])
def test_more_than_chance_gives(found, warned):
    last = one_round({1: -20.0}, [1], [row("s1")], beyond=(0, 0, 1, 10, found, 1000))
    texts = told(one_round({1: -20.0}, [1]), last)
    assert bool(texts) is warned
    assert all("180 other sequences" in text for text in texts)


def test_no_sequence_is_the_only_thing_to_say():
    (text,) = told(one_round({1: 0.5}, []), ended="none")
    assert "No sequence could be included" in text
