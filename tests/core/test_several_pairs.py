"""Which pairs of sequences are aligned: by lists of names."""

import pytest

from swgui.core.errors import InvalidParameter
from swgui.core.pair.several import listed
from swgui.core.records import SequenceRecord

QUERIES = [SequenceRecord(name, "", b"ACGT") for name in ("a", "b", "twice", "twice")]
SUBJECTS = [SequenceRecord(name, "", b"ACGT") for name in ("x", "y")]


def test_a_list_names_its_pairs_in_order():
    pairs = listed("# mine\na x\n\nb\ty  # the other\na y\n", QUERIES, SUBJECTS, "list")
    assert [(query.id, subject.id) for query, subject in pairs] == [("a", "x"), ("b", "y"), ("a", "y")]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a x\na\n", "line 2: a pair is two identifiers, not 1"),
        ("a z\n", "of the subject 'z' there are none"),
        ("twice x\n", "of the query 'twice' there are several"),
        ("# nothing\n", "names no pair"),
    ],
)
def test_a_list_that_names_no_pairs_says_where(text, said):
    with pytest.raises(InvalidParameter, match=said):
        listed(text, QUERIES, SUBJECTS, "list")
