"""Effect of stop codons on E of translated searches: how often they occur, and how much they add to lambda."""

from __future__ import annotations

import math

import numpy as np
import pytest

from swgui.core.alphabet import NUCLEOTIDE, PROTEIN
from swgui.core.database import encode_database
from swgui.core.plain import replace
from swgui.core.records import SequenceRecord
from swgui.core.scoring import ScoringScheme
from swgui.core.statistics.background import background
from swgui.core.statistics.composition import LambdaScale
from swgui.core.statistics.stops import (
    GAPPED_FACTOR,
    OPEN_SHARE,
    RandomDna,
    gc_share,
    lambda_slowdown,
    random_dna_of,
    stop_gain,
    translated_scale,
    uncalibrated,
    with_composition,
)
from swgui.core.translation.frames import translate
from swgui.core.translation.programs import Translation
from swgui.engines.native.correction import HOST
from swgui.io.matrices import load_matrix
from swgui.io.statistics import load_statistics

BLOSUM = load_matrix("BLOSUM62", PROTEIN)
STOP = PROTEIN.letters.index("*")


@pytest.mark.parametrize("gc", [0.3, 0.5, 0.7])
def test_letters_are_those_of_random_dna(rng, gc):
    shares = np.array([1 - gc, gc, gc, 1 - gc]) / 2
    bases = rng.choice([NUCLEOTIDE.letters.index(base) for base in "ACGT"], 300_000, p=shares).astype(np.uint8)
    found = np.bincount(translate(bases, 1), minlength=len(PROTEIN)) / 100_000
    assert RandomDna(1, gc).letters == pytest.approx(found, abs=4e-3)
    assert gc_share(bases) == gc


def test_stops_count_more_where_they_are_more():
    gains = [stop_gain(BLOSUM, None, RandomDna(1, gc)) for gc in (0.3, 0.5, 0.7)]
    assert gains == sorted(gains, reverse=True)
    assert gains[-1] > 0
    turned = [stop_gain(BLOSUM, RandomDna(1, gc), None) for gc in (0.3, 0.5, 0.7)]
    assert gains == pytest.approx(turned)  # BLOSUM62 is symmetric


def test_stops_add_to_lambda_what_the_sum_says():
    letters = RandomDna(1, 0.5).letters
    plain = np.where(np.arange(len(letters)) == STOP, 0, letters) / (1 - letters[STOP])
    gain = stop_gain(BLOSUM, None, RandomDna(1, 0.5)) / GAPPED_FACTOR
    usual = 0.31760
    with_stops = next(
        value
        for value in np.arange(0.3, 0.4, 1e-5)
        if (np.outer(background(PROTEIN), letters) * np.exp(value * BLOSUM.scores)).sum() > 1
    )
    without = next(
        value
        for value in np.arange(0.3, 0.4, 1e-5)
        if (np.outer(background(PROTEIN), plain) * np.exp(value * BLOSUM.scores)).sum() > 1
    )
    assert gain == pytest.approx((with_stops - without) / usual, abs=1e-4)


def test_a_code_without_stops_gains_nothing():
    assert stop_gain(BLOSUM, None, RandomDna(31, 0.5)) == 0.0


def test_e_falls_with_the_score_as_far_as_one_is_expected():
    published = load_statistics(ScoringScheme.from_blast(BLOSUM, 11, 1))
    translated = replace(published, stops=0.1, open_share=OPEN_SHARE)
    space = math.log(published.k * 300 * 1e6)
    for score in (20, 40, 300):
        plain, now = (one.log10_evalues([score], 300, [500], 1e6, 2000)[0] for one in (published, translated))
        told = math.log(OPEN_SHARE) - 0.1 * min(published.lambda_ * score, space)
        assert (now - plain) * math.log(10) == pytest.approx(told)


def test_shifts_slow_e_down_the_more_the_less_they_cost_and_the_more_g_and_c_there_is():
    lambda_ = load_statistics(ScoringScheme.from_blast(BLOSUM, 11, 1)).lambda_
    assert lambda_slowdown(lambda_, 0, 0.8) == lambda_slowdown(lambda_, 15, 0.5) == 0.0
    by_cost = [lambda_slowdown(lambda_, cost, 0.65) for cost in (8, 10, 12, 15)]
    assert by_cost == sorted(by_cost, reverse=True)
    assert by_cost[-1] > 0
    assert lambda_slowdown(lambda_, 10, 0.7) > by_cost[1]
    assert lambda_slowdown(lambda_, 1, 1.0) < 1


def test_shifts_that_cost_less_than_was_tried_have_no_e():
    def said(shift, program="blastx"):
        return uncalibrated(BLOSUM, Translation(program, shift=shift))

    assert uncalibrated(BLOSUM, None) == said(0) == said(10) == said(15) == ""
    assert "calibrated for frameshifts that cost 10 and more with these scores, and here one costs 9." in said(9)
    assert said(1, "tblastn")


def test_e_falls_more_slowly_with_shifts():
    published = load_statistics(ScoringScheme.from_blast(BLOSUM, 11, 1))
    plain, slow = replace(published, stops=0.0), replace(published, stops=0.0, slower=0.25)
    space = math.log(published.k * 300 * 1e6)
    for score in (30, 70, 300):
        before, now = (one.log10_evalues([score], 300, [500], 1e6, 2000)[0] for one in (plain, slow))
        assert (now - before) * math.log(10) == pytest.approx(0.25 * (published.lambda_ * score - space))
    assert "0.2500" in slow.explain(70, 300, 500, 1e6, 2000)


def test_random_dna_is_what_compositions_are_compared_with():
    own = translated_scale(BLOSUM, RandomDna(1, 0.6), None)
    plain = LambdaScale.of_background(BLOSUM)
    proline = list("ARNDCQEGHILKMFPSTWYV").index("P")
    assert own.of_queries[0].sum() == pytest.approx(1)
    assert own.of_queries[0][proline] > plain.of_queries[0][proline]
    assert own.of_subjects[0].tolist() == plain.of_subjects[0].tolist()
    nothing, other = np.zeros((1, 20)), replace(plain, of_queries=own.of_queries)
    assert own.ratios(nothing, nothing, 10, HOST) == other.ratios(nothing, nothing, 10, HOST)


def test_each_side_has_its_own_composition():
    database = encode_database([SequenceRecord("s", "", b"GGCCGCAT" * 20)], NUCLEOTIDE, "d")
    query = SequenceRecord("q", "", b"ATATNATA" * 20)
    both = with_composition(Translation("tblastx", 4, 11), database)
    assert random_dna_of(query, both) == (RandomDna(4, 0.0), RandomDna(11, 0.76))
    assert random_dna_of(query, Translation("blastx", 4)) == (RandomDna(4, 0.0), None)
    assert with_composition(Translation("blastx"), database) == Translation("blastx")
    assert with_composition(None, database) is None
