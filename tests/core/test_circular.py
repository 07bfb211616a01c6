"""Circular records read on behind their ends: the text that is searched, and positions folded back."""

import numpy as np
import pytest

from swgui.core.alphabet import NUCLEOTIDE
from swgui.core.circular import Circles, as_given, folded, location, text_of, turn_of, turns, unrolled
from swgui.core.database import encode_database
from swgui.core.records import SequenceRecord
from swgui.core.several.part import subset


def random_database(rng, count, longest=30):
    records = [
        SequenceRecord(
            f"r{number}",
            "",
            rng.choice(np.frombuffer(b"ACGT", np.uint8), int(rng.integers(0, longest))).tobytes(),
            circular=bool(rng.random() < 0.5),
        )
        for number in range(count)
    ]
    return records, encode_database(records, NUCLEOTIDE, "circles")


@pytest.mark.parametrize("which", ["declared", "all", "none"])
@pytest.mark.parametrize("behind", [0, 1, 7, 100])
def test_the_text_is_each_record_and_its_beginning_again(which, behind, rng):
    for _ in range(20):
        records, database = random_database(rng, int(rng.integers(1, 12)))
        made = unrolled(database, Circles(which, behind))
        text = text_of(made)
        assert (np.diff(np.diff(text.offsets)) <= 0).all()  # longest first, as engines expect
        assert sorted(text.order.tolist()) == list(range(len(records)))
        for index, record in enumerate(records):
            read_on = which == "all" or (which == "declared" and record.circular)
            size = max(min(behind, len(record.residues) - 1), 0) if read_on else 0
            expected = NUCLEOTIDE.encode(record.residues + record.residues[:size])
            stored = int(text.position[index])
            np.testing.assert_array_equal(text.codes[text.offsets[stored] : text.offsets[stored + 1]], expected)
            np.testing.assert_array_equal(made.subject(index), expected)
            codes, starts, lengths = made.placed(np.array([index]))
            np.testing.assert_array_equal(codes[starts[0] : starts[0] + lengths[0]], expected)
            assert turn_of(made, np.array([index])).tolist() == [len(record.residues) if size else 0]


def test_lengths_records_and_names_stay_those_of_the_database(rng):
    records, database = random_database(rng, 9)
    made = unrolled(database, Circles("all", 5))
    assert made is not database
    assert as_given(made) is database
    assert unrolled(made, Circles("all", 5)) is made
    assert (made.residues, made.checksum, made.search_space) == (
        database.residues,
        database.checksum,
        database.search_space,
    )
    assert text_of(made).checksum != database.checksum  # engines keep residues by it
    np.testing.assert_array_equal(made.lengths, database.lengths)
    assert [made.record(index).residues for index in range(9)] == [record.residues for record in records]
    part = subset(made, np.arange(9) % 2 == 0)
    assert [part.record(index).residues for index in range(5)] == [record.residues for record in records[::2]]


def test_positions_behind_the_end_count_from_the_origin():
    assert folded([1, 100, 101, 105, 199], 100).tolist() == [1, 100, 1, 5, 99]
    assert turns(3, 9, 10) == [(3, 9)]
    assert turns(8, 13, 10) == [(8, 10), (0, 3)]
    assert turns(2, 19, 10) == [(2, 10), (0, 9)]
    assert location(3, 10, 10) == ""
    assert location(97, 105, 100) == "join(98..100,1..5)"
