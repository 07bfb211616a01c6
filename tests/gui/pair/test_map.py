import math

import numpy as np
import pytest

from swgui.core.alphabet import NUCLEOTIDE, PROTEIN
from swgui.core.scoring import ScoringScheme
from swgui.gui.viewer.map import dots
from swgui.gui.viewer.map.geometry import (
    Axis,
    Line,
    MapLine,
    MapLines,
    diagonal_cells,
    distance_to,
    nice_step,
    tick_text,
    ticks,
)
from swgui.io.matrices import load_matrix
from tests.asking import BLOSUM62

DNA = ScoringScheme.from_blast(load_matrix("+2/-3", NUCLEOTIDE), 5, 2)


def staircase(runs, *, length=None):
    """Corners of a path with these runs (op, length); with a length the query falls from there."""
    x, y = [0], [0]
    for op, size in runs:
        x.append(x[-1] + (size if op != "D" else 0))
        y.append(y[-1] + (size if op != "I" else 0))
    x = np.array(x)
    return Line(x if length is None else length - x, np.array(y))


def test_the_whole_is_seen_with_a_margin():
    axis = Axis.whole(5_000_000, 800)
    assert axis.is_whole
    assert axis.start < 0 < 5_000_000 < axis.end
    assert axis.pixel(axis.at(123.0)) == pytest.approx(123.0)
    assert axis.residues() == (0, 5_000_000)


@pytest.mark.parametrize("length", [3, 100, 16_569, 5_498_450])
def test_zooming_in_and_out_keeps_the_residue_under_the_pointer_and_the_limits(length):
    axis = Axis.whole(length, 700, finest=1 / 16)
    pixel = axis.pixel(length * 0.37)
    for _ in range(80):
        before = axis.at(pixel)
        axis = axis.zoomed(1.25, pixel)
        assert axis.step >= 1 / 16
        if length > 100:
            assert axis.at(pixel) == pytest.approx(before, abs=axis.step)
    assert axis.step == 1 / 16 or axis.is_whole
    for _ in range(80):
        axis = axis.zoomed(1 / 1.25, pixel)
    assert axis == Axis.whole(length, 700, finest=1 / 16)


def test_moving_stops_at_the_ends():
    axis = Axis.whole(100_000, 500).zoomed(20, 250)
    assert axis.moved(-1e9).residues()[0] == 0
    assert axis.moved(1e9).residues()[1] == 100_000
    assert axis.moved(10).start == pytest.approx(axis.start + 10 * axis.step)


def test_a_stretch_is_shown_whole_and_never_smaller_than_letters():
    axis = Axis.whole(1_000_000, 640, finest=1 / 16).showing(500_000, 500_001)
    assert axis.step == 1 / 16
    assert axis.start < 500_000 < axis.end
    wide = Axis.whole(1_000_000, 640).showing(200_000, 100_000)
    assert wide.start == pytest.approx(100_000)
    assert wide.end == pytest.approx(200_000)


def test_a_side_that_grows_keeps_its_middle():
    axis = Axis.whole(1_000_000, 640).showing(400_000, 500_000)
    larger = axis.resized(1280)
    assert (larger.start + larger.end) / 2 == pytest.approx(450_000)
    assert larger.step == axis.step
    assert Axis.whole(1_000, 640).resized(100).is_whole


def test_only_residues_that_exist_are_under_a_pixel():
    axis = Axis.whole(10, 100, finest=1 / 4)
    assert axis.residue(axis.pixel(-0.1)) is None
    assert axis.residue(axis.pixel(0.1)) == 0
    assert axis.residue(axis.pixel(9.9)) == 9
    assert axis.residue(axis.pixel(10.1)) is None


def test_a_place_in_sight_moves_nothing():
    axis = Axis.whole(1_000_000, 640).showing(400_000, 500_000)
    assert axis.with_in_sight(450_000) is axis
    far = axis.with_in_sight(900_000)
    assert far.start < 900_000 < far.end


@pytest.mark.parametrize(("least", "step"), [(0.2, 1), (1, 1), (1.1, 2), (3, 5), (6, 10), (101, 200), (7e5, 1_000_000)])
def test_steps_between_ticks_are_round(least, step):
    assert nice_step(least) == step


def test_ticks_start_with_the_first_residue_and_are_as_far_apart_as_asked():
    numbers, step = ticks(Axis.whole(16_569, 800), 100)
    assert numbers[0] == 1
    assert all(number % step == 0 for number in numbers[1:])
    assert step / Axis.whole(16_569, 800).step >= 100
    letters, step = ticks(Axis.whole(16_569, 800, finest=1 / 20).showing(700, 720), 100)
    assert step == 5
    assert set(range(705, 720, 5)) <= set(letters)


@pytest.mark.parametrize(
    ("number", "step", "text"),
    [(1, 500_000, "1"), (500_000, 500_000, "500 k"), (1_500_000, 500_000, "1.5 M"), (2_000_000, 500_000, "2 M"),
     (4_710_233, 1, "4,710,233"), (12_000, 1_000, "12 k"), (12_500, 100, "12.5 k"), (1_200, 100, "1.2 k")],
)  # fmt: skip
def test_numbers_beside_ticks_are_short(number, step, text):
    assert tick_text(number, step) == text


def test_a_path_is_reduced_to_the_pixels_and_goes_where_it_went():
    chance = np.random.default_rng(5)
    runs = [("MID"[op], int(size)) for op, size in chance.integers((0, 1), (3, 90), (40_000, 2))]
    line = staircase(runs)
    across, down = Axis.whole(int(line.x[-1]), 900), Axis.whole(int(line.y[-1]), 700)
    x, y = line.points(across, down)
    assert len(x) < 4 * (900 + 700)
    every = np.column_stack([(line.x - across.start) / across.step, (line.y - down.start) / down.step])
    # Every corner is within a pixel of a point that was kept.
    for px, py in every[:: len(every) // 300]:
        assert np.hypot(x - px, y - py).min() < 1.5
    assert (x[0], y[0]) == pytest.approx(tuple(every[0]))
    assert (x[-1], y[-1]) == pytest.approx(tuple(every[-1]))


@pytest.mark.parametrize("length", [None, 30_000])
def test_the_part_in_sight_is_complete(length):
    line = staircase([("M", 10_000), ("D", 500), ("M", 10_000), ("I", 800), ("M", 5_000)], length=length)
    # Inside one run there is no corner in sight, only the line between two that are not.
    place = 15_000
    query = place if length is None else length - place
    across = Axis.whole(30_000, 600).showing(query - 50, query + 50)
    down = Axis.whole(30_000, 600).showing(place + 450, place + 550)
    assert len(line.points(across, down)[0]) == 2
    assert distance_to(line, across, down, 300, 300) < 2
    far = Axis.whole(30_000, 600).showing(100, 200)
    assert distance_to(line, far, down, 300, 300) > 600


def test_cells_of_a_path_are_its_aligned_residues():
    runs = [("M", 4), ("D", 2), ("M", 3), ("I", 2), ("M", 2)]
    across = down = Axis.whole(12, 600)
    query, subject = diagonal_cells(staircase(runs), across, down)
    assert list(zip(query.tolist(), subject.tolist(), strict=True)) == [
        (0, 0), (1, 1), (2, 2), (3, 3), (4, 6), (5, 7), (6, 8), (9, 9), (10, 10),
    ]  # fmt: skip
    backwards, same = diagonal_cells(staircase(runs, length=12), across, down)
    assert backwards.tolist() == [11 - at for at in query.tolist()]
    assert same.tolist() == subject.tolist()


def test_letters_agree_by_matrix_and_complement():
    plus = dots.similarity(DNA)
    a, c, t = (NUCLEOTIDE.code(letter) for letter in "ACT")
    assert plus[a, a] == dots.SAME
    assert plus[a, c] == dots.NOTHING
    assert plus[NUCLEOTIDE.code("N"), NUCLEOTIDE.code("N")] == dots.NOTHING
    minus = dots.similarity(DNA, complement=True)
    assert minus[a, t] == dots.SAME
    assert minus[a, a] == dots.NOTHING
    protein = dots.similarity(BLOSUM62)
    assert protein[PROTEIN.code("I"), PROTEIN.code("V")] == dots.SIMILAR


def test_words_of_a_part_agree_where_letters_do():
    chance = np.random.default_rng(2)
    query = chance.integers(0, 4, 300).astype(np.uint8)
    subject = np.concatenate([query[100:200], NUCLEOTIDE.reverse_complement(query[:60])])
    cells = dots.word_cells(query, subject, NUCLEOTIDE)
    middle = [cells[at, 100 + at] for at in range(10, 90)]
    assert all(middle)
    turned = dots.word_cells(query, subject, NUCLEOTIDE, complement=True)
    assert all(turned[100 + at, 59 - at] for at in range(12, 48))


def test_stretches_are_found_whole_on_both_strands(monkeypatch):
    chance = np.random.default_rng(3)
    query = chance.integers(0, 4, 4_000).astype(np.uint8)
    subject = chance.integers(0, 4, 5_000).astype(np.uint8)
    subject[1_000:1_400] = query[2_000:2_400]
    subject[3_000:3_200] = NUCLEOTIDE.reverse_complement(query[500:700])
    found = dots.find_stretches(query, subject, NUCLEOTIDE)
    # Neighbouring letters may agree by chance as well.
    first, second = ((int(found.query[at]), int(found.subject[at]), int(found.lengths[at])) for at in (0, 1))
    assert found.forwards[0]
    assert first[0] - first[1] == 1_000
    assert first[0] <= 2_000 < 2_400 <= first[0] + first[2] <= 2_420
    assert not found.forwards[1]
    assert second[0] + second[1] == 699 + 3_000
    assert 200 <= second[2] <= 220
    assert (np.diff(found.lengths) <= 0).all()
    monkeypatch.setattr(dots, "REPEATED", 7)  # part by part it is the same
    again = dots.find_stretches(query, subject, NUCLEOTIDE)
    for name in ("query", "subject", "lengths", "forwards"):
        assert np.array_equal(getattr(found, name), getattr(again, name))


def test_repeats_are_left_out_and_counted():
    query = np.tile(np.array([0, 1, 2, 3], dtype=np.uint8), 500)
    found = dots.find_stretches(query, query, NUCLEOTIDE)
    assert found.left_out > 0
    assert len(dots.find_stretches(np.zeros(0, np.uint8), query, NUCLEOTIDE)) == 0


def test_words_with_wildcards_agree_with_nothing():
    wild = np.full(50, NUCLEOTIDE.code("N"), dtype=np.uint8)
    assert not dots.word_cells(wild, wild, NUCLEOTIDE).any()
    assert len(dots.find_stretches(wild, wild, NUCLEOTIDE)) == 0
    assert dots.word_length(16_000, 16_000, NUCLEOTIDE) == math.ceil(math.log(16_000**2 / dots.CHANCE_WORDS, 4))


def test_paths_in_sight_are_sorted_out_by_size():
    def straight(query, subject, length, strand, number):
        ends = np.array([query, query + strand * length])
        return MapLine(Line(ends, np.array([subject, subject + length])), strand, number)

    lines = MapLines(
        [straight(100, 200, 5_000, 1, 1), straight(9_000, 3_000, 20, -1, 2), straight(7_000, 50, 30, 1, 3)]
    )
    across = down = Axis.whole(10_000, 500)
    large, small = lines.sort_out(across, down)
    assert [line.number for line in large] == [1]
    assert {strand: len(x) for strand, (x, _y) in small.items()} == {1: 2, -1: 2}
    part = Axis.whole(10_000, 500).showing(8_900, 9_100)
    large, small = lines.sort_out(part, Axis.whole(10_000, 500).showing(2_900, 3_100))
    assert [line.number for line in large] == [2]
    assert small == {}
    x, y = across.pixel(7_010), down.pixel(60)
    assert [line.number for line in lines.near(across, down, x, y, 10)] == [3]
    assert list(MapLines([]).sort_out(across, down)) == [[], {}]
