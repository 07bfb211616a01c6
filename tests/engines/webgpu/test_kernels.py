"""Kernels of the engine on whatever adapter there is; on a computer without a card this is software (lavapipe)."""

from __future__ import annotations

import threading
from contextlib import closing

import numpy as np
import pytest

from swgui.core.alphabet import NUCLEOTIDE, PROTEIN
from swgui.core.engines import EngineOptions
from swgui.core.errors import EngineFault
from swgui.core.packing import ChunkLimits, plan_chunks
from swgui.core.scoring import EncodedQuery, ScoringScheme
from swgui.engines import cpu
from swgui.engines.webgpu import adapters, checking, engine, shapes, speeds
from swgui.engines.webgpu.adapter import create
from swgui.engines.webgpu.card import Card, prepare
from swgui.engines.webgpu.layout import lay_out
from swgui.engines.webgpu.shader import NUMBERS, SUBJECTS, shader
from tests.engines.conftest import all_scores, compare, database_of, query_of, random_codes, relative
from tests.reference import reference_scores

LETTERS = len(PROTEIN) + 1


@pytest.fixture(scope="module")
def card():
    status = adapters.status()
    if not status.available:
        pytest.skip(f"{status.reason} {status.hint}")
    with closing(Card(adapters.adapters()[0])) as made:
        yield made


@pytest.fixture
def only(monkeypatch):
    """Return a function that leaves the engine one shape."""

    def leave(*keys: str) -> None:
        monkeypatch.setattr(shapes, "CHOICES", tuple(one for one in shapes.CHOICES if one.key in keys))
        assert shapes.CHOICES

    return leave


@pytest.mark.sampled(6)
@pytest.mark.parametrize("gaps", [False, True], ids=["plain", "by-position"])
@pytest.mark.parametrize("choice", [one for one in shapes.CHOICES if one.number != shapes.NARROW], ids=lambda c: c.key)
def test_every_shape_in_32_bits_gives_the_scores_of_the_plain_form(card, choice, gaps):
    assert checking.is_right(card, choice.shape(LETTERS, gaps=gaps))


@pytest.mark.nightly  # lavapipe emulates numbers of 16 bits: a minute for some shapes; the next two tests use one
@pytest.mark.parametrize("choice", [one for one in shapes.CHOICES if one.number == shapes.NARROW], ids=lambda c: c.key)
def test_every_shape_in_16_bits_gives_the_scores_of_the_plain_form(card, choice):
    if set(choice.shape(LETTERS).features) - set(card.adapter.features):
        pytest.skip("This adapter has no numbers of 16 bits.")
    assert checking.is_right(card, choice.shape(LETTERS))


@pytest.mark.parametrize("number", NUMBERS)
def test_scores_at_the_limit_are_that_limit(card, number):
    """A kernel never gives a score that may be wrong: what could be is the limit."""
    arithmetic = NUMBERS[number]
    if arithmetic.feature and arithmetic.feature not in card.adapter.features:
        pytest.skip("This adapter has no numbers of 16 bits.")
    shape = shapes.Choice(number, 1, 8).shape(2)
    best = min(arithmetic.limit // 4, 16_000)
    profile = np.full((8, 1), best, np.int16)
    known = card.bring(lay_out(np.zeros(20, np.uint8), np.array([9, 4, 4, 3]), 1), 20)
    scores = card.score(known, [prepare(shape, profile, 10, 1)], lambda: False)
    card.drop(known)
    assert scores is not None
    assert scores[0].tolist() == [min(best * n, arithmetic.limit) for n in (8, 4, 4, 3)]


def test_scores_above_the_narrow_limit_are_scored_again(protein_scheme, only, monkeypatch, rng):
    only("f16:8x8", "i32:1x16")
    monkeypatch.setattr(speeds, "SOFTWARE", {"f16:8x8": 1e6})
    monkeypatch.setattr(checking, "is_right", lambda card, shape: True)  # seconds in 16 bits; other tests call it
    codes = random_codes(rng, 12, 20)
    profile = np.full((12, len(PROTEIN)), -40, np.int16)
    profile[np.arange(12), codes] = 186  # times 11 is 2,046, times 12 is 2,232
    subjects = [codes, codes[:11], np.concatenate([codes, codes]), random_codes(rng, 30, 20), codes[1:]]
    with closing(create(options())) as made:
        parts = scored(made, [EncodedQuery("steep", codes, profile)], subjects, protein_scheme)
    scores = dict(zip(parts[0].db_index.tolist(), parts[0].scores.tolist(), strict=True))
    assert [scores[k] for k in range(5)] == reference_scores(profile, subjects, 12, 1)
    assert sorted(scores.values())[1:] == [2_046, 2_046, 2_232, 2_232]
    assert parts[0].rescored == 2


def test_a_kernel_with_wrong_scores_is_not_used(protein_scheme, monkeypatch, rng, caplog):
    asked = []

    def wrong(card, shape):
        asked.append(shape)
        return False

    monkeypatch.setattr(checking, "is_right", wrong)
    with closing(create(options())) as made:
        query = random_codes(rng, 40, 20)
        compare(made, [query_of(query)], [relative(rng, query, 20) for _ in range(40)], protein_scheme)
    assert len(asked) > 2
    assert len(set(asked)) == len(asked)
    assert "gives wrong scores" in caplog.text


def test_long_subjects_and_large_scores_are_left_to_the_cores(protein_scheme, monkeypatch, rng):
    monkeypatch.setattr(engine, "LONGEST", 50)
    query = random_codes(rng, 33, 20)
    with closing(create(options())) as made:
        subjects = [relative(rng, query, 20) for _ in range(40)] + [random_codes(rng, 49 + k, 20) for k in range(4)]
        devices = {part.device for part in scored(made, [query_of(query)], subjects, protein_scheme)}
        assert len(devices) == 2
        compare(made, [query_of(query)], subjects, protein_scheme)
        steep = ScoringScheme(protein_scheme.matrix, 12, 1)
        profile = np.full((70_000, len(PROTEIN)), 16_000, np.int16)  # 1.1 billion at most
        large = EncodedQuery("large", np.zeros(70_000, np.uint8), profile)
        short = [PROTEIN.encode(b"ACDEF")]
        assert {part.device for part in scored(made, [large], short, steep)} == devices - {made.devices[0].name}


def test_databases_larger_than_what_is_kept_are_scored_the_same(protein_scheme, monkeypatch, rng):
    monkeypatch.setattr("swgui.engines.webgpu.card.KEPT_BYTES", 40_000)
    queries = [query_of(random_codes(rng, 30, 20), f"q{k}") for k in range(2)]
    subjects = [random_codes(rng, 80, 20) for _ in range(400)]
    with closing(create(options())) as made:
        limits = made.chunk_limits(queries, database_of(subjects, PROTEIN))
        small = type(limits)(residues=4_000)
        first = all_scores(made, queries, database_of(subjects, PROTEIN), protein_scheme, small)
        again = all_scores(made, queries, database_of(subjects, PROTEIN), protein_scheme, small)
        kept = made.cards[0].kept
        assert len(kept) < 8
    assert (first == again).all()


def test_several_adapters_share_a_search(protein_scheme, rng):
    """Two devices of one adapter, as of two: they take chunks from one list, none twice."""
    chosen = adapters.choose(options().devices)
    made = engine.WebGpuEngine([Card(chosen[0]), Card(chosen[0])], cpu.create(options()))
    queries = [query_of(random_codes(rng, 40, 20), f"q{k}") for k in range(2)]
    subjects = [relative(rng, queries[k % 2].codes, 20) for k in range(90)]
    with closing(made):
        compare(made, queries, subjects, protein_scheme, ChunkLimits(residues=400))
        assert sum(len(card.kept) for card in made.cards) == len(
            plan_chunks(database_of(subjects, PROTEIN).offsets, ChunkLimits(residues=400))
        )


def test_a_lost_device_is_a_sentence(protein_scheme, rng):
    made = create(options())
    made.cards[0].device.destroy()
    with pytest.raises(EngineFault, match=r"The adapter '.+' could not .+") as caught:
        scored(made, [query_of(random_codes(rng, 30, 20))], [random_codes(rng, 80, 20)], protein_scheme)
    assert "run on the CPU" in str(caught.value)
    made.close()


def test_stop_ends_between_launches(card, rng):
    known = card.bring(lay_out(random_codes(rng, 500, 20), np.full(50, 10), len(PROTEIN)), 500)
    query = prepare(shapes.Choice("i32", 1, 16).shape(LETTERS), np.ones((64, len(PROTEIN)), np.int16), 12, 1)
    assert card.score(known, [query] * 3, lambda: True) is None
    card.drop(known)


def test_layout_pads_each_group_to_its_longest(rng):
    lengths = np.array([9] * SUBJECTS + [5, 4, 0])
    codes = random_codes(rng, int(lengths.sum()), 20)
    made = lay_out(codes, lengths, 27)
    assert made.spans.tolist() == [[0, 3], [3 * SUBJECTS, 2]]
    residues = made.words.view(np.uint8).reshape(-1, SUBJECTS, 4)
    first = np.concatenate([residues[step, 1] for step in range(3)])
    assert first.tolist() == [*codes[9:18].tolist(), 27, 27, 27]
    assert np.concatenate([residues[3, 2], residues[4, 2]]).tolist() == [27] * 8


def test_nothing_but_the_shape_decides_the_text():
    shape = shapes.Choice("i32", 8, 16).shape(len(NUCLEOTIDE) + 1)
    assert shader(shape) == shader(shape)
    assert "subgroupShuffleUp" in shader(shape)
    assert "subgroup" not in shader(shapes.Choice("i32", 1, 16).shape(5))


def options():
    if not adapters.status().available:
        pytest.skip(adapters.status().reason)
    return EngineOptions(threads=1)


def never():
    return threading.Event()


def plans(subjects):
    return plan_chunks(database_of(subjects, PROTEIN).offsets, ChunkLimits(10**9))


def scored(made, queries, subjects, scheme):
    return list(made.score(queries, database_of(subjects, PROTEIN), plans(subjects), scheme, never()))
