"""Organisms chosen by name or taxid, and the part of a database that is left."""

import numpy as np
import pytest

from swgui.core.alphabet import PROTEIN
from swgui.core.database import encode_database
from swgui.core.errors import InvalidParameter
from swgui.core.organisms.chosen import choices, chosen_subjects
from swgui.core.organisms.limit import EVERY_ORGANISM, limit_of
from swgui.core.plain import replace
from swgui.core.records import SequenceRecord
from swgui.core.several.part import restricted
from swgui.core.texts import TextColumn, keep_slices, take_slices
from tests.core.organisms.made import TREE

ORGANISMS = [
    "OS=Homo sapiens OX=9606",
    "OS=Escherichia coli (strain K12) OX=83333",
    "OS=Escherichia fergusonii OX=564",
    "OS=Mus musculus OX=10090",
    "OS=Homo sapiens OX=9606",
    "of unknown origin",
    "OS=Escherichia coli O157:H7 OX=83334",
]
RECORDS = [SequenceRecord(f"s{at}", text, b"MKVLAWGH"[: 3 + at % 4]) for at, text in enumerate(ORGANISMS)]


@pytest.fixture
def database():
    return encode_database(RECORDS, PROTEIN, "mine")


@pytest.fixture
def with_tree(database):
    return replace(database, stored_organisms=replace(database.organisms, tree=TREE))


def chosen(database, only=(), without=()):
    return np.flatnonzero(chosen_subjects(database.organisms, limit_of(only, without), "mine")).tolist()


@pytest.mark.parametrize(
    ("only", "rows"),
    [
        (["Homo sapiens"], [0, 4]),
        (["homo SAPIENS"], [0, 4]),
        (["9606"], [0, 4]),
        (["taxid:9606"], [0, 4]),
        (["Escherichia coli"], [1, 6]),
        (["Escherichia"], [1, 2, 6]),
        (["Escherichia coli (strain K12)"], [1]),
        (["Homo sapiens,10090"], [0, 3, 4]),
        (["Homo sapiens", "Mus musculus"], [0, 3, 4]),
        (["Mus, Homo"], [0, 3, 4]),
    ],
)
def test_names_and_numbers(database, only, rows):
    assert chosen(database, only) == rows
    left = [at for at in range(7) if at not in rows]
    assert chosen(database, (), only) == left  # those of no known organism stay


def test_both_at_once(database):
    assert chosen(database, ["Escherichia"], ["Escherichia coli"]) == [2]


@pytest.mark.parametrize(
    ("only", "rows"),
    [
        (["Bacteria"], [1, 2, 6]),
        (["2"], [1, 2, 6]),
        (["Escherichia coli"], [1, 6]),
        (["562"], [1, 6]),
        (["Mammalia"], [0, 3, 4]),
        (["human"], [0, 4]),
        (["99999"], [0, 4]),  # merged into 9606
    ],
)
def test_a_tree_means_whole_clades(with_tree, only, rows):
    assert chosen(with_tree, only) == rows


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("Homo sapeins", "Perhaps you mean Homo sapiens"),
        ("coli", "Escherichia coli"),
        ("7227", "It holds Homo sapiens, "),
        ("Bacteria", "makedb --taxonomy"),
        ("Homo sapiens,Escherchia", "Perhaps you mean Escherichia"),
    ],
)
def test_an_unknown_organism_is_named_with_what_is_near(database, text, hint):
    with pytest.raises(InvalidParameter, match="No subject of 'mine' is of the organism") as error:
        chosen(database, [text])
    assert hint in error.value.hint
    with pytest.raises(InvalidParameter, match="No subject of 'mine' is of the organism"):
        chosen(database, (), [text])


def test_names_of_the_tree_are_near_too(with_tree):
    with pytest.raises(InvalidParameter) as error:
        chosen(with_tree, ["Bactria"])
    assert error.value.hint == "Perhaps you mean Bacteria."


def test_nothing_left_and_nothing_known(database):
    with pytest.raises(InvalidParameter, match="no subject is left to be searched"):
        chosen(database, ["Homo sapiens"], ["9606"])
    nameless = encode_database([SequenceRecord("a", "b", b"MK")], PROTEIN, "mine")
    with pytest.raises(InvalidParameter, match="No header of 'mine' names an organism"):
        chosen(nameless, ["Homo sapiens"])


@pytest.mark.parametrize(("only", "without"), [(["Escherichia"], []), ([], ["9606"]), (["9606,Mus,Escherichia"], [])])
def test_a_part_is_the_database_of_its_records(database, only, without):
    part = restricted(database, limit_of(only, without))
    records = [RECORDS[at] for at in chosen(database, only, without)]
    same = encode_database(records, PROTEIN)
    for name in ("codes", "offsets", "order", "lengths"):
        np.testing.assert_array_equal(getattr(part, name), getattr(same, name), err_msg=name)
    assert [part.record(at) for at in range(len(part))] == records
    assert [part.organism(at).taxid for at in range(len(part))] == [same.organism(at).taxid for at in range(len(part))]
    assert part.whole is database
    assert part.checksum not in ("", database.checksum)


def test_a_part_is_named_and_known_again(database):
    limit = limit_of(["Escherichia"], ["Escherichia coli "])
    part = restricted(database, limit)
    assert part.name == "mine (Escherichia without Escherichia coli)"
    assert restricted(database, limit).checksum == part.checksum
    assert restricted(database, limit_of(["Escherichia"], ())).checksum != part.checksum
    assert restricted(database, EVERY_ORGANISM) is database
    assert database.part is None
    assert part.part.describe(len(part), 0) == (
        "1 of 7 subjects were searched (organism: Escherichia without Escherichia coli). E refers to these alone."
    )
    assert "E refers to a database size of 5,000." in part.part.describe(len(part), 5000)


def test_slices_kept_are_slices_taken(monkeypatch):
    random = np.random.default_rng(3)
    texts = TextColumn.from_texts(["x" * int(size) for size in random.integers(0, 9, 200)])
    data = random.integers(0, 255, len(texts.data)).astype(np.uint8)
    kept = random.random(200) < 0.4
    for one, other in zip(
        keep_slices(data, texts.offsets, kept), take_slices(data, texts.offsets, np.flatnonzero(kept)), strict=True
    ):
        np.testing.assert_array_equal(one, other)


def test_choices_with_their_counts(database, with_tree):
    assert choices(database.organisms)[:2] == [("Homo sapiens", 2), ("Escherichia coli (strain K12)", 1)]
    found = choices(with_tree.organisms)
    counts = dict(found)
    assert (counts["Bacteria"], counts["Mammalia"], counts["Homo"], counts["Escherichia coli"]) == (3, 3, 2, 2)
    assert "cellular organisms" not in counts  # of no rank that has a name
    assert [count for _, count in found] == sorted(counts.values(), reverse=True)
    for name, count in found:
        assert len(chosen(with_tree, [name])) == count
