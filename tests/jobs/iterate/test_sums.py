"""Sums over all alignments: their value, and the E of unrelated sequences in rounds of nucleotides."""

import threading
from itertools import product

import numpy as np
import pytest

from swgui.core.alphabet import NUCLEOTIDE
from swgui.core.database import encode_database
from swgui.core.errors import Stopped
from swgui.core.hits.results import SearchResult
from swgui.core.plain import replace
from swgui.core.profiles.bases import SearchedBases, longest_summed
from swgui.core.profiles.iteration import IterationSettings
from swgui.core.profiles.recipe import NUCLEOTIDE_PRESETS, Preset
from swgui.core.records import SequenceRecord
from swgui.core.score_profile import PositionGaps, ScoreProfile
from swgui.core.scoring import ScoringScheme, match_mismatch
from swgui.core.stretches import Subjects
from swgui.engines.native.sums import summed_scores
from swgui.jobs.events import run_to_end
from swgui.jobs.iterate.run import iteration_steps
from swgui.jobs.iterate.sums import compared_with_shuffles, decoys_of
from tests.asking import search_request

SCHEME = ScoringScheme.from_blast(match_mismatch(NUCLEOTIDE, 2, -3), 5, 2)
TURNED = bytes.maketrans(b"ACGT", b"TGCA")


def made_profile(rng: np.random.Generator, columns: int) -> ScoreProfile:
    """Return a random profile with gap costs by position."""
    first = rng.integers(16, 40, (2, columns)).astype(np.int16)
    gaps = PositionGaps(first[0], np.minimum(first[0], 6), first[1], np.minimum(first[1], 9))
    return ScoreProfile("x", NUCLEOTIDE, rng.integers(-20, 12, (columns, 16)).astype(np.int16), gaps, 8)


def plain_sum(profile: ScoreProfile, codes: np.ndarray, dearer: tuple[float, float]) -> float:
    """Return the logarithm of the sum, cell by cell."""
    odds = np.exp2(profile.scores / 8)
    opened, extended, left, more = (
        np.exp2(-(costs / 8 + extra)) for costs, extra in zip(profile.gaps.columns, dearer * 2, strict=True)
    )
    shape = len(profile) + 1, len(codes) + 1
    match, insertion, deletion = np.zeros(shape), np.zeros(shape), np.zeros(shape)
    for i, j in product(range(1, shape[0]), range(1, shape[1])):
        before = match[i - 1, j - 1] + insertion[i - 1, j - 1] + deletion[i - 1, j - 1]
        match[i, j] = odds[i - 1, codes[j - 1]] * (1 + before)
        insertion[i, j] = match[i, j - 1] * opened[i - 1] + insertion[i, j - 1] * extended[i - 1]
        deletion[i, j] = match[i - 1, j] * left[i - 1] + deletion[i - 1, j] * more[i - 1]
    return float(np.log2(1 + match.sum()))


def test_a_sum_is_that_of_all_alignments() -> None:
    rng = np.random.default_rng(4)
    profile = made_profile(rng, 23)
    subjects = [rng.integers(0, 16, int(length)).astype(np.uint8) for length in (0, 1, 30, 7, 30, 12, 29, 3, 41, 18, 5)]
    for dearer in ((0.0, 0.0), (1.0, 0.25)):
        sums = summed_scores(profile, Subjects.stacked(subjects), dearer=dearer)
        assert sums == pytest.approx([plain_sum(profile, one, dearer) for one in subjects], rel=1e-12)


def test_a_sum_beyond_the_largest_number_is_infinite_next_to_longer_subjects() -> None:
    codes, scores = np.zeros(120, dtype=np.uint8), np.full((120, 16), 80, dtype=np.int16)
    costs = np.full((4, 120), 40, dtype=np.int16)
    profile = ScoreProfile("x", NUCLEOTIDE, scores, PositionGaps(*costs), 8)
    assert np.isposinf(summed_scores(profile, Subjects.stacked([codes, np.zeros(150, dtype=np.uint8)]))).all()


def test_a_code_that_the_profile_lacks_and_stop_are_errors() -> None:
    profile = made_profile(np.random.default_rng(4), 23)
    with pytest.raises(ValueError, match="not in the alphabet"):
        summed_scores(profile, Subjects.stacked([np.array([1, 16], np.uint8)]))

    def stop() -> None:
        raise Stopped

    with pytest.raises(Stopped):
        summed_scores(profile, Subjects.stacked([np.zeros(9, np.uint8)]), check=stop)


def test_decoys_are_read_from_the_end_and_shuffled_where_there_are_few() -> None:
    texts = [b"ACCGGGTTTT" * 3, b"A" * 500, b"AAC"]
    database = encode_database([SequenceRecord(str(n), "", text) for n, text in enumerate(texts)], NUCLEOTIDE, "few")
    decoys = decoys_of(database, 30, longest=100.0)
    assert len(decoys) == 500
    assert [NUCLEOTIDE.decode(decoys[number]) for number in (0, 1)] == [texts[0][::-1], texts[2][::-1]]
    assert sorted(NUCLEOTIDE.decode(decoys[2])) == sorted(texts[0])


def test_only_short_profiles_among_short_sequences_have_sums() -> None:
    recipe = NUCLEOTIDE_PRESETS["wide"].recipe
    sizes = {(100, 107.0): 400, (100, 2_000.0): 0, (1_500, 1_500.0): 0}
    for (columns, mean), longest in sizes.items():
        assert longest_summed(columns, recipe, SearchedBases((0.25,) * 4, mean)) == longest
    assert longest_summed(100, recipe, None) == 0


def bases(rng: np.random.Generator, length: int, gc: float) -> bytes:
    """Return random bases with a share of G and C."""
    return bytes(rng.choice(list(b"ACGT"), length, p=np.array([1 - gc, gc, gc, 1 - gc]) / 2).tolist())


def of_chance(queries: int, length: int, gc: float, strand: str, rounds: int, preset: Preset) -> SearchResult:
    """Return the result of rounds of random queries in a database of random sequences."""
    rng = np.random.default_rng(17)
    sizes = [int(rng.integers(length // 2, 3 * length // 2)) for _ in range(max(1_000, 100_000 // length))]
    records = [SequenceRecord(str(n), "", bases(rng, size, gc)) for n, size in enumerate(sizes)]
    database = encode_database(records, NUCLEOTIDE, "chance")
    asked = tuple(SequenceRecord(f"q{n}", "", bases(rng, int(rng.integers(60, 160)), gc)) for n in range(queries))
    settings = IterationSettings(rounds=max(rounds, 2), preset=preset, inclusion_evalue=1e-300 if rounds == 1 else None)
    request = search_request(
        queries=asked,
        database=database,
        scheme=SCHEME,
        strand=strand,
        engine="cpu",
        iteration=settings,
        max_hsps=1,
        max_evalue=10.0,
    )
    result = run_to_end(iteration_steps(request, threading.Event()))
    assert result is not None
    return result


def false_hits(queries: int, length: int, gc: float, strand: str, rounds: int, preset: Preset) -> np.ndarray:
    """Return how many unrelated sequences have E up to 1, for each query."""
    result = of_chance(queries, length, gc, strand, rounds, preset)
    return np.array([(query.hits.log10_evalues <= 0).sum() for query in result.queries])


def test_shuffles_of_a_hit_are_the_same_whatever_else_is_listed() -> None:
    found = of_chance(1, 100, 0.5, "both", 1, "standard")
    (query,) = found.queries
    assert query.rounds is not None
    assert len(query.hits) > 2
    z = dict[int, float]()
    for which in (slice(None), slice(1, None, 2)):
        listed = replace(query, hits=query.hits.take(which))
        hits = compared_with_shuffles(found, listed, query.rounds.recipe, query.rounds.bases, lambda: None)
        assert hits is not None
        assert hits.composition is not None
        for subject, of_shuffles in zip(hits.db_index.tolist(), hits.composition.shuffle_z.tolist(), strict=True):
            assert z.setdefault(subject, of_shuffles) == of_shuffles


def test_as_many_unrelated_sequences_are_listed_as_e_says() -> None:
    counts = false_hits(30, 100, 0.5, "both", 1, "standard")
    assert 0.5 < counts.mean() < 1.6  # 30 expected: 0.7 to 1.4, and a standard error


@pytest.mark.nightly
@pytest.mark.parametrize("rounds", [1, 3])
@pytest.mark.parametrize("strand", ["plus", "minus", "both"])
def test_e_of_short_sequences_is_as_often_by_chance_as_it_says(strand: str, rounds: int) -> None:
    counts = false_hits(120, 100, 0.5, strand, rounds, "wide")
    assert 0.6 < counts.mean() < 1.6  # 0.7 to 1.4 wanted, and a standard error of 120 queries


@pytest.mark.nightly
@pytest.mark.parametrize("gc", [0.3, 0.7])
def test_e_is_not_too_small_where_bases_are_uneven(gc: float) -> None:
    counts = false_hits(120, 100, gc, "both", 3, "wide")
    assert counts.mean() < 1.4  # compositions of short sequences differ more there, and E is cautious
