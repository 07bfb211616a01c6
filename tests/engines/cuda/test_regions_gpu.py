"""Regions and shuffles on a GPU, against the compiled library."""

from __future__ import annotations

from contextlib import closing

import numpy as np
import pytest

from swgui.core.engines import EngineOptions
from swgui.core.judging.correction_work import PERIODS, REVERSED, WHOLE, WINDOWS
from swgui.core.plain import replace
from swgui.core.score_profile import TrackProfile
from swgui.engines import registry
from swgui.engines.cuda import regions as on_gpu
from swgui.engines.native import Subjects, scores
from swgui.engines.native.correction import HOST
from tests.region_data import (
    assert_counts_are_those_of_alignments,
    assert_same_regions,
    gaps_of,
    joined_request,
    region_request,
    track_data,
)

pytestmark = pytest.mark.gpu


KINDS = ("plain", "gaps", "refunds", "tracks")


def made(rng, kind, rows, residues):
    """Return profile, codes, and what the kind of search brings besides."""
    if kind == "tracks":
        alphabet, profile, codes = track_data(rng, rows, residues)
        return profile, codes, {"tracks": alphabet}
    profile, codes = rng.integers(-7, 7, (rows, 27)).astype(np.int16), rng.integers(0, 27, residues).astype(np.uint8)
    return profile, codes, {} if kind == "plain" else {"gaps": gaps_of(rng, rows, kind == "refunds")}


def first_rows(profile, count):
    if isinstance(profile, TrackProfile):
        return TrackProfile(*(table[:count] for table in profile.tables))
    return profile[:count]


@pytest.fixture
def work(monkeypatch):
    monkeypatch.setattr(on_gpu, "TUNING", replace(on_gpu.TUNING, few_cells=0))
    with closing(registry.make_engine("cuda", EngineOptions())) as engine:
        yield engine.correction_work()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("rows", "costs"), [(1, (12, 1)), (300, (12, 1)), (257, (0, 0)), (1500, (3, 2))])
def test_regions_are_those_of_the_library(work, rng, rows, costs, kind):
    lengths = rng.integers(0, 2000, 200)
    profile, codes, how = made(rng, kind, rows, int(lengths.sum()))
    subjects = Subjects.packed(codes, np.append(0, np.cumsum(lengths)))
    questions = []
    for tall in (rows, rows // 2 + 1):
        gaps = how["gaps"].take(slice(tall)) if "gaps" in how else None
        own = first_rows(profile, tall)
        known = scores(own.sums() if kind == "tracks" else own, subjects, *costs, gaps=gaps)
        known[:20] += tall == rows
        questions.append(region_request(own, subjects, known, *costs, gaps, how.get("tracks")))
    assert_same_regions(work.regions_of(joined_request(questions)), list(map(HOST.regions_of, questions)))
    assert not work.gave_up


def test_what_is_counted_of_pairs_is_what_their_alignments_consist_of(work, rng):
    for letters in ("ACDW", "AW", "ARNDCQEGHILKMFPSTWYV"):
        lengths = [1, *rng.integers(2, 1200, 40).tolist()]
        assert_counts_are_those_of_alignments(work, rng, (11, 1), lengths, 3000, letters)
    assert not work.gave_up


def test_pairs_that_are_too_large_for_one_warp_are_left_to_the_library(work, rng):
    profile, codes, _ = made(rng, "plain", 40, 1_600_000)  # as a gene with a genome
    subjects = Subjects.packed(codes, np.array([0, len(codes)]))
    question = region_request(profile, subjects, scores(profile, subjects, 12, 1), 12, 1)
    assert_same_regions(work.regions_of(question), HOST.regions_of(question))
    assert not work.gave_up


@pytest.mark.parametrize("kind", KINDS)
def test_shuffles_are_those_of_the_library(work, rng, kind):
    profile, codes, how = made(rng, kind, 1500, 5000)
    jobs = []
    for _ in range(300):
        kind, rows, length = int(rng.integers(3)), int(rng.integers(1, 700)), int(rng.integers(0, 700))
        row, start = int(rng.integers(1500 - rows)), int(rng.integers(5000 - length))
        width = {WHOLE: length, WINDOWS: 10, PERIODS: int(rng.integers(2, 70))}[kind]
        number = REVERSED if kind == WHOLE else int(rng.integers(50))
        jobs.append([row, rows, start, length, kind, width, number, int(rng.integers(1, 97))])
    given = profile, codes, np.array(jobs), 11, 1, 1
    assert work.shuffled_scores(*given, **how).tolist() == HOST.shuffled_scores(*given, **how).tolist()
    assert not work.gave_up
