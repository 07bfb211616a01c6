"""The index of a database file: whatever is wrong with it is found at opening, however large it is."""

import numpy as np
import pytest

from swgui.cli import main
from swgui.core import index_check
from swgui.core.alphabet import PROTEIN
from swgui.core.database import encode_database
from swgui.core.errors import DatabaseError
from swgui.core.index_check import are_offsets, is_permutation
from swgui.core.records import SequenceRecord
from swgui.io.database import format as database_format
from swgui.io.database.build import save_database
from swgui.io.database.file import check_database, open_database

COUNT, BLOCK = 40, 8
TEXTS = ("id_offsets", "description_offsets")


@pytest.fixture
def large(tmp_path, monkeypatch):
    """A database whose index counts as too large for checksums, in blocks of eight entries."""
    monkeypatch.setattr(database_format, "_SMALL_INDEX", 0)
    monkeypatch.setattr(index_check, "BLOCK", BLOCK, raising=False)
    chance = np.random.default_rng(1)
    records = [
        SequenceRecord(f"id{n}", f"number {n}", PROTEIN.decode(chance.integers(0, 20, 20 + n, dtype=np.uint8)))
        for n in chance.permutation(COUNT).tolist()
    ]
    path = tmp_path / "large.swdb"
    save_database(encode_database(records, PROTEIN), path)
    assert len(open_database(path)) == COUNT
    return path


def damage(path, name, changes):
    """Write entries of a section over those that are there."""
    with open(path, "r+b") as file:
        section = database_format.read_header(file, str(path)).sections[name]
        for at, value in changes.items():
            file.seek(section.offset + 8 * (at % section.count))
            file.write(np.array(value, dtype="<i8").tobytes())


ASTRAY = [
    *((name, {at: value}) for name in ("offsets", *TEXTS) for at in (1, 7, 8, 9, 39) for value in (-(10**9), 1 << 40)),
    *((name, {at: value}) for name in ("offsets", *TEXTS) for at in (0, -1) for value in (-1, 1, 1 << 62)),
    *(("offsets", {at: 0}) for at in (1, 7, 8, 9, 39)),  # a part shorter than the next one
    *((name, {at: 1}) for name in TEXTS for at in (7, 8, 9, 39)),  # before the one before it
    ("offsets", {3: 2**63 - 1, 4: -(2**63)}),  # the length between them is 1 if it is let to overflow
    *(("order", {at: value}) for at in (0, 7, 8, 39) for value in (-1, -(10**9), COUNT, 1 << 40)),
]


@pytest.mark.parametrize(("name", "changes"), ASTRAY)
def test_an_index_that_leads_astray_is_refused(large, name, changes):
    damage(large, name, changes)
    with pytest.raises(DatabaseError, match=r"damaged: its index") as caught:
        open_database(large)
    assert "Build the database again" in caught.value.hint
    with pytest.raises(DatabaseError, match=f"'{name}'"):
        check_database(large)


@pytest.mark.parametrize(("at", "other"), [(0, 1), (7, 8), (8, 7), (0, 39), (39, 31)])
def test_an_order_with_an_entry_twice_is_refused(large, at, other):
    damage(large, "order", {at: int(open_database(large).order[other])})
    with pytest.raises(DatabaseError, match="its index"):
        open_database(large)


@pytest.mark.parametrize("at", [1, 7, 8, 9, 16, 39])
def test_subjects_that_are_not_longest_first_are_refused(large, at):
    """Every offset is in range and behind the one before it; only the lengths rise."""
    offsets = open_database(large).offsets
    damage(large, "offsets", {at: int(offsets[at]) - 2})
    with pytest.raises(DatabaseError, match="its index"):
        open_database(large)


@pytest.mark.parametrize("change", [("offsets", {5: -(10**9)}), ("order", {5: -1}), ("id_offsets", {5: 1 << 40})])
def test_a_damaged_index_gives_a_sentence_and_no_hit(large, tmp_path, capsys, change):
    query = tmp_path / "query.fa"
    query.write_text(">q\nMKVLWAALLVTFLAGCQ\n")
    damage(large, *change)
    assert main(["search", "-q", str(query), "-d", str(large), "--engine", "reference", "--format", "tsv"]) != 0
    said = capsys.readouterr()
    assert "id" not in said.out
    assert "'large.swdb' is damaged" in said.err
    assert "Traceback" not in said.err


@pytest.mark.parametrize("count", [*range(6), *range(14, 20), 24, 25])
def test_every_place_counts_whatever_the_blocks(count, monkeypatch):
    """Compared with plain definitions, with each entry wrong in turn."""
    monkeypatch.setattr(index_check, "BLOCK", BLOCK)
    lengths = np.arange(3 * count, 0, -3)
    good = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    size = int(good[-1])
    assert are_offsets(good, size, longest_first=True)
    assert not are_offsets(good[:0], 0)
    order = np.random.default_rng(count).permutation(count)
    assert is_permutation(order)
    for at in range(count + 1):
        for change in (-(10**9), -2, -1, 1, 2, 10**9):
            wrong = good.copy()
            wrong[at] += change
            astray = bool((np.diff(wrong) < 0).any()) or wrong[0] != 0 or wrong[-1] != size
            assert are_offsets(wrong, size) != astray
            astray = astray or bool((np.diff(wrong, 2) > 0).any())
            assert are_offsets(wrong, size, longest_first=True) != astray
    for at in range(count):
        for value in (-1, count, int(order[at - 1])):
            wrong = order.copy()
            wrong[at] = value
            assert is_permutation(wrong) == (value == order[at])
