"""Parts of frames translated in one call, against the translation of one after the other."""

from __future__ import annotations

import numpy as np
import pytest

from swgui.core.alphabet import NUCLEOTIDE
from swgui.core.database import encode_database
from swgui.core.records import SequenceRecord
from swgui.core.stretches import Subjects
from swgui.core.translation.database import searched
from swgui.core.translation.frames import FRAMES, SHIFTING, reading
from swgui.core.translation.programs import Translation
from swgui.engines.native import translating
from swgui.engines.native.translating import parts_of_subjects, subject_lengths


@pytest.fixture
def database(rng):
    letters = np.array(list(NUCLEOTIDE.letters))
    texts = ["".join(rng.choice(letters, size=length)) for length in (0, 2, 3, 50, 601, 602, 603)]
    records = [SequenceRecord(str(at), "", text.encode()) for at, text in enumerate(texts)]
    return encode_database(records, NUCLEOTIDE, "db")


@pytest.mark.parametrize("frame", [*FRAMES, SHIFTING, -SHIFTING])
@pytest.mark.parametrize("code", [1, 4])
def test_parts_are_those_of_the_frames(rng, database, frame, code):
    whole = searched(database, Translation("tblastn", subject_code=code))
    index = np.repeat(np.arange(len(database)), 3)
    strands = np.full(len(index), reading(0, frame))
    lengths = subject_lengths(whole, index, strands)
    assert lengths.tolist() == Subjects.of(whole, index, strands).lengths.tolist()
    starts = np.array([int(rng.integers(0, length + 1)) for length in lengths])
    stops = np.array([int(rng.integers(start, length + 1)) for start, length in zip(starts, lengths, strict=True)])
    if abs(frame) == SHIFTING:
        stops = np.minimum(stops + 2, lengths + 2 * (lengths > 0))
    expected = Subjects.of(whole, index, strands, (starts, stops))
    found = parts_of_subjects(whole, index, strands, (starts, stops))
    assert [found[k].tolist() for k in range(len(index))] == [expected[k].tolist() for k in range(len(index))]


def test_a_part_outside_its_subject_is_refused(database):
    if translating.problem():
        pytest.skip(translating.problem())
    whole = searched(database, Translation("tblastn"))
    with pytest.raises(ValueError, match="outside"):
        parts_of_subjects(whole, np.array([3]), np.array([reading(0, -1)]), (np.array([10]), np.array([17])))
