"""Residues and letters in one recurrence: every engine against the textbook, and the paths of such scores."""

from __future__ import annotations

from itertools import islice

import numpy as np
import pytest

from swgui.core.alignment import rescore
from swgui.core.alphabet import PROTEIN, Alphabet
from swgui.core.plain import replace
from swgui.core.scoring import ScoringScheme, SubstitutionMatrix, two_track_matrix
from swgui.engines import native
from swgui.engines.cluster.shards import name_shards, shard_database, take_shard
from swgui.engines.traceback.best import align_local
from swgui.engines.traceback.every import all_local
from tests.engines.conftest import all_scores, compare, database_of, judge, query_of, random_codes, relative

SIGNS = "ACDEFGHIKLMNPQRSTVWYacdefghiklmnpqrstvwyBJOUXZbjouxz0123456789#$"
EDGES = (1, 8, 9, 32, 33, 64, 65, 129)


def letters_of(count: int) -> Alphabet:
    """Return an alphabet of this many letters, none of which stands for others."""
    return Alphabet(f"letters {count}", SIGNS[:count], SIGNS[0], {}, case_matters=True)


def scheme_of(rng, count, weights=(1, 1), costs=(12, 1), limits=(-8, 9)):
    residues = SubstitutionMatrix("r", PROTEIN, rng.integers(-4, 8, (27, 27)).astype(np.int16))
    letters = letters_of(count)
    second = SubstitutionMatrix("l", letters, rng.integers(*limits, (count, count)).astype(np.int16))
    return ScoringScheme(two_track_matrix(residues, second, weights), *costs)


def symbols(rng, scheme, length):
    letters = scheme.alphabet.parts[1]
    return scheme.alphabet.join(random_codes(rng, length, 20), random_codes(rng, length, len(letters)))


def family(rng, scheme, length, count):
    """Return a sequence in two tracks and relatives of it, gaps in both tracks alike."""
    codes = symbols(rng, scheme, length)
    return codes, [relative(rng, codes, len(scheme.alphabet)).astype(codes.dtype) for _ in range(count)]


@pytest.mark.parametrize("letters", [2, 9, 20, 31, 36, 63, 64])
def test_alphabets_of_any_size(engine, rng, letters):
    scheme = scheme_of(rng, letters)
    query, subjects = family(rng, scheme, 60, 20)
    compare(engine, [query_of(query)], [*subjects, symbols(rng, scheme, 90), query[:0], query[:1]], scheme)


@pytest.mark.parametrize("weights", [(1, 0), (0, 1), (1, 2), (3, 1), (7, 9), (200, 150)])
def test_weights(engine, rng, weights):
    scheme = scheme_of(rng, 21, weights, (12 * max(weights), max(weights)))
    query, subjects = family(rng, scheme, 50, 12)
    compare(engine, [query_of(query)], subjects, scheme)


@pytest.mark.parametrize("limits", [(-100, 100), (-1000, 900), (-15_000, 8_000)])
def test_scores_of_any_size(engine, rng, limits):
    scheme = scheme_of(rng, 20, limits=limits, costs=(max(limits), max(limits) // 9))
    query, subjects = family(rng, scheme, 40, 12)
    compare(engine, [query_of(query)], subjects, scheme)


@pytest.mark.parametrize("length", EDGES)
def test_lengths_beside_tile_edges(engine, rng, length):
    scheme = scheme_of(rng, 36)
    query, subjects = family(rng, scheme, length, 2)
    compare(engine, [query_of(query)], [*subjects, symbols(rng, scheme, 40), query], scheme)


@pytest.mark.parametrize("count", [1, 31, 33, 64, 65])
def test_subjects_of_every_length_side_by_side(engine, rng, count):
    scheme = scheme_of(rng, 20)
    query = symbols(rng, scheme, 30)
    subjects = [np.resize(query, int(n)) for n in rng.integers(0, 70, count)]
    compare(engine, [query_of(query), query_of(query[:29], "like")], subjects, scheme)


@pytest.mark.parametrize("costs", [(0, 0), (1, 1), (11, 11), (300, 2), (70_000, 9)])
def test_gap_costs(engine, rng, costs):
    scheme = scheme_of(rng, 20, costs=costs)
    query, subjects = family(rng, scheme, 40, 10)
    compare(engine, [query_of(query)], subjects, scheme)


def test_scores_beyond_8_and_16_bits(engine, rng):
    scheme = scheme_of(rng, 20, limits=(3, 9))
    value = int(scheme.matrix.scores.diagonal().max())
    best = symbols(rng, scheme, 4_000)
    best[:] = int(scheme.matrix.scores.diagonal().argmax())
    subjects = [best[:n] for n in (5, 18, 3_000, 4_000)]
    (scores,) = all_scores(engine, [query_of(best)], database_of(subjects, scheme.alphabet), scheme)
    assert (scores >= [value * len(codes) for codes in subjects]).all()
    assert scores[2:].min() > 32_767


def test_residues_alone_are_scored_as_if_there_were_no_letters(engine, rng, protein_scheme):
    scheme = scheme_of(rng, 20)
    query, subjects = family(rng, scheme, 40, 10)
    residues = [scheme.alphabet.split(codes)[0] for codes in (query, *subjects)]
    both = database_of(subjects, scheme.alphabet)
    all_scores(engine, [query_of(query)], both, scheme)  # a device may still hold it
    database = replace(both, alphabet=PROTEIN)
    (found,) = all_scores(engine, [query_of(residues[0])], database, protein_scheme)
    assert found.tolist() == judge(protein_scheme.matrix.scores[residues[0]], residues[1:], 12, 1)


def test_shards_of_a_cluster_hold_both_tracks(rng):
    scheme = scheme_of(rng, 20)
    _, subjects = family(rng, scheme, 40, 5)
    database = database_of(subjects, scheme.alphabet)
    (name,) = name_shards(database, 10**6)
    shard = shard_database(name, scheme.alphabet, take_shard(database, name))
    assert all(np.array_equal(shard.subject(at), database.subject(int(database.order[at]))) for at in range(5))


def test_paths_score_what_the_search_says(rng):
    scheme = scheme_of(rng, 36)
    query, subjects = family(rng, scheme, 70, 8)
    encoded = query_of(query)
    for subject, score in zip(subjects, judge(encoded.scores(scheme), subjects, 12, 1), strict=True):
        alignment = align_local(encoded, subject, scheme)
        assert alignment.score == score == rescore(alignment, encoded, subject, scheme)
        found = list(islice(all_local(encoded, subject, scheme, least=20), 5))
        assert found[0].score == score
        assert all(one.score == rescore(one, encoded, subject, scheme) for one in found)


@pytest.mark.skipif(bool(native.problem()), reason="no compiled library")
def test_every_instruction_set_agrees(rng, monkeypatch):
    from swgui.engines.native import library

    scheme = scheme_of(rng, 36)
    query, subjects = family(rng, scheme, 90, 70)
    residues, letters = (
        np.concatenate(part) for part in zip(*(scheme.alphabet.split(c) for c in subjects), strict=True)
    )
    places = native.Subjects.packed(residues, np.cumsum([0, *map(len, subjects)]))
    profiles = scheme.matrix.profiles(query)
    found, (loaded, levels, _) = [], library.probe()
    for level in levels:
        monkeypatch.setattr(library, "probe", lambda level=level: (loaded, (level,), ""))
        library.function.cache_clear()
        found.append(native.TrackScorer(profiles, 12, 1).scores(places, letters))
        monkeypatch.undo()
    library.function.cache_clear()
    assert all((one == judge(query_of(query).scores(scheme), subjects, 12, 1)).all() for one in found)
