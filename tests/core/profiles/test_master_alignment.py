"""Rows in the columns of a query."""

import numpy as np
import pytest

from swgui.core.alignment import Alignment
from swgui.core.alphabet import PROTEIN
from swgui.core.errors import ProfileError
from swgui.core.profiles.alignment import DELETION, OUTSIDE, AlignedRow, MasterAlignment, RowTable, close_ends, row_of
from swgui.core.records import SequenceRecord

QUERY = SequenceRecord("q", "the query", b"MKTAYIAKQR")
SUBJECT = PROTEIN.encode(b"GGTAWWYIKQRGG")


def spelled(row: AlignedRow) -> str:
    """A row as A3M has it, with a dot for what is outside."""
    letters = []
    for column, code in enumerate(row.codes.tolist()):
        letters.append({DELETION: "-", OUTSIDE: "."}.get(code) or PROTEIN.letters[code])
        letters.append(row.insertions.get(column, b"").decode().lower())
    return "".join(letters)


@pytest.fixture
def row() -> AlignedRow:
    # TA..YIAKQR over TAWWYI-KQR
    alignment = Alignment.from_cigar(2, 2, "2M2D2M1I3M", 10)
    return row_of(alignment, 10, SUBJECT, PROTEIN, id="s", log10_evalue=-3.0)


def test_a_pairwise_alignment_becomes_a_row(row: AlignedRow) -> None:
    assert spelled(row) == "..TAwwYI-KQR"
    assert (row.start, row.end, row.residues) == (2, 11, 7)
    assert PROTEIN.decode(SUBJECT[row.start : row.end]) == b"TAWWYIKQR"


def test_rows_in_arrays_are_the_same_objects_every_time(row: AlignedRow) -> None:
    query = MasterAlignment.of_query(QUERY, PROTEIN).query
    plain = MasterAlignment(PROTEIN, (query, row))
    table = RowTable(
        PROTEIN,
        ("q", "s"),
        ("the query", ""),
        plain.codes,
        np.array([0, 2]),
        np.array([np.nan, -3.0]),
        plain.insertions,
        PROTEIN.encode(b"WW"),
    )
    made = MasterAlignment(PROTEIN, table)
    assert len(made) == 2
    assert made.rows[-1] is made.rows[1:][0]
    assert spelled(made.rows[1]) == spelled(row)
    assert (made.rows[1].id, made.rows[1].start, made.rows[1].log10_evalue) == ("s", 2, -3.0)
    assert spelled(made.query) == "MKTAYIAKQR"
    assert np.array_equal(made.inserted, plain.inserted)
    with pytest.raises(IndexError):
        made.rows[2]


def test_an_alignment_counts_insertions(row: AlignedRow) -> None:
    whole = MasterAlignment.of_query(QUERY, PROTEIN).with_rows([row])
    assert len(whole) == 2
    assert whole.columns == 10
    assert whole.query.id == "q"
    assert whole.codes.shape == (2, 10)
    assert whole.inserted.sum() == whole.inserted[1, 3] == 2


def test_alignments_that_are_none_are_refused(row: AlignedRow) -> None:
    with pytest.raises(ProfileError, match="empty"):
        MasterAlignment(PROTEIN, ())
    with pytest.raises(ProfileError, match="10 columns in an alignment of 3"):
        MasterAlignment.of_query(SequenceRecord("q", "", b"MKT"), PROTEIN).with_rows([row])
    with pytest.raises(ProfileError, match="has a gap"):
        MasterAlignment(PROTEIN, (row,))


def test_gaps_at_the_ends_are_outside() -> None:
    codes = np.array([DELETION, 3, DELETION, 4, DELETION], dtype=np.uint8)
    assert close_ends(codes).tolist() == [OUTSIDE, 3, DELETION, 4, OUTSIDE]
    assert set(close_ends(np.full(3, DELETION, dtype=np.uint8)).tolist()) == {OUTSIDE}


def test_some_rows_are_taken_with_their_insertions(row: AlignedRow) -> None:
    query = MasterAlignment.of_query(QUERY, PROTEIN).query
    other = row_of(Alignment.from_cigar(0, 0, "2M3D2M", 10), 10, PROTEIN.encode(b"KTGGGAY"), PROTEIN, id="t")
    plain = MasterAlignment(PROTEIN, (query, row, other, row))
    table = RowTable(
        PROTEIN,
        ("q", "s", "t", "s"),
        ("", "", "the other", ""),
        plain.codes,
        np.array([0, 2, 0, 2]),
        np.full(4, np.nan),
        plain.insertions,
        PROTEIN.encode(b"WWGGGWW"),
    )
    for whole in (plain, MasterAlignment(PROTEIN, table)):
        some = whole.take(np.array([0, 2]))
        assert some.ids == ["q", "t"]
        assert list(map(spelled, some.rows)) == list(map(spelled, (query, other)))
        assert np.array_equal(some.insertions, [[1, 1, 3]])
