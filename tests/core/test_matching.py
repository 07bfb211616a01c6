"""Names of the same sequence in other programs' words."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from swgui.core.compare.matching import CLUSTERED, match_names
from swgui.core.database import TextColumn

IDS = [
    "sp|P02649|APOE_HUMAN",
    "sp|P02649-2|APOE_HUMAN_2",
    "ref|NP_000032.1|",
    "XP_123.4",
    "1abc_A",
    "1abc_B",
    "twin",
    "twin",
    "tr|Q1|SHARED",
    "tr|Q2|SHARED",
    "gi|124460|sp|P05013.1|IFNA6_HUMAN",
]


@pytest.mark.parametrize(
    ("name", "index"),
    [
        ("sp|P02649|APOE_HUMAN", 0),
        ("P02649", 0),
        ("APOE_HUMAN", 0),
        ("P02649.3", 0),
        ("lcl|P02649", 0),
        ("sp|P02649|OLD_NAME", 0),
        ("P02649-2", 1),  # an isoform is another sequence
        ("NP_000032.1", 2),
        ("NP_000032", 2),
        ("NP_000032.2", 2),
        ("XP_123", 3),
        ("ref|XP_123.4|", 3),
        ("pdb|1abc|B", 5),
        ("gi|124460", 10),
        ("P05013", 10),
    ],
)
def test_names_are_found(name, index):
    matches = match_names([name], TextColumn.from_texts(IDS))
    assert matches.found == {name: index}
    assert not matches.ambiguous
    assert not matches.unknown


@pytest.mark.parametrize(("name", "indices"), [("twin", [6, 7]), ("SHARED", [8, 9]), ("tr|Q1|APOE_HUMAN", [0, 8])])
def test_several_answers_are_no_answer(name, indices):
    matches = match_names([name], TextColumn.from_texts(IDS))
    assert matches.ambiguous[name].tolist() == indices
    assert not matches.found


@pytest.mark.parametrize("name", ["sp", "p02649", "P0264", "", "|", "P02649|", "1abc", "1"])
def test_what_is_no_name_of_anything(name):
    matches = match_names([name], TextColumn.from_texts(IDS))
    if name == "P02649|":
        assert matches.found == {name: 0}
    else:
        assert matches.unknown == [name]


def test_a_strict_answer_comes_before_a_tolerant_one():
    ids = TextColumn.from_texts(["x|P1|a", "P1"])
    assert match_names(["P1", "P1.2"], ids).found == {"P1": 1}
    assert match_names(["P1.2"], ids).ambiguous["P1.2"].tolist() == [0, 1]


SHORTENED = {
    "gnl|db|X1": "X1",
    "gnl|CDD|X2 ": "X2 ",
    "gi|124460|ref|NP_1.1|": "NP_1.1",
    "sp|P02232|LGB1_VICFA": "P02232",
    "tr|Q1-2|A_B": "Q1-2",
    "ref|XP_1.2|": "XP_1.2",
    "gb|AAA1.1|": "AAA1.1",
    "pdb|1abc|A": "1abc",
    "pir||S1": "S1",
    "prf||1811": "1811",
    "pat|US|7": "7",
    "lcl|mine": "mine",
    "gi|77": "77",
    "my|odd|id": "my|odd|id",
    "plain": "plain",
}


def test_names_are_found_as_mmseqs2_shortens_them():
    ids = TextColumn.from_texts(SHORTENED)
    matches = match_names(SHORTENED.values(), ids, CLUSTERED)
    assert matches.found == {short: number for number, short in enumerate(SHORTENED.values())}
    assert match_names(SHORTENED, ids, CLUSTERED).found == {name: number for number, name in enumerate(SHORTENED)}


def test_a_shortened_name_of_several_is_no_answer():
    ids = TextColumn.from_texts(["pdb|1abc|A", "pdb|1abc|B", "gnl|a|X", "gnl|b|X", "sp|P1.1|N"])
    matches = match_names(["1abc", "X", "P1.2"], ids, CLUSTERED)
    assert {name: indices.tolist() for name, indices in matches.ambiguous.items()} == {"1abc": [0, 1], "X": [2, 3]}
    assert matches.unknown == ["P1.2"]  # another version may be another sequence


words = st.text(alphabet="ab|.12", max_size=6)


@given(st.lists(words, max_size=12), st.lists(words, max_size=12))
def test_every_name_gets_exactly_one_answer(names, ids):
    matches = match_names(names, TextColumn.from_texts(ids))
    answers = [*matches.found, *matches.ambiguous, *matches.unknown]
    assert sorted(answers) == sorted(set(names))
    for name in set(names) & set(ids):
        if ids.count(name) == 1:
            assert ids[matches.found[name]] == name
        else:
            assert np.array_equal(matches.ambiguous[name], [at for at, other in enumerate(ids) if other == name])


@given(st.lists(words, min_size=1, max_size=12))
def test_windows_make_no_difference(ids):
    column = TextColumn.from_texts(ids)
    whole = match_names(ids, column)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("swgui.core.texts._PART", 2)
        cut = match_names(ids, column)
    assert (whole.found, whole.unknown) == (cut.found, cut.unknown)
    assert {k: v.tolist() for k, v in whole.ambiguous.items()} == {k: v.tolist() for k, v in cut.ambiguous.items()}
