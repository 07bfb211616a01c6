"""Some subjects of a packed file that is not in memory, and a search of a newer release of one."""

import threading

import numpy as np
import pytest

from swgui.core.alphabet import NUCLEOTIDE, PROTEIN
from swgui.core.database import encode_database
from swgui.core.organisms.limit import OrganismLimit
from swgui.core.plain import replace
from swgui.core.records import SequenceRecord
from swgui.core.several.joined import joined
from swgui.core.several.part import restricted
from swgui.core.several.releases import content_hashes
from swgui.core.statistics.stops import gc_share_of
from swgui.io.database.file import open_database
from swgui.io.database.packed.build import save_packed
from swgui.io.database.packed.database import Blocks
from swgui.io.database.packed.keeping import older_of
from swgui.jobs.events import run_to_end
from swgui.jobs.several.diff import alike_blocks, diff_steps
from tests.core.several.test_joined import BLOSUM62, records, same, search, with_relatives

LETTERS = "ACDEFGHIKLMNPQRSTVWY"


def packed(folder, name, made):
    """Write a packed file; returns it block by block, and in memory."""
    save_packed(encode_database(made, PROTEIN, name), folder / f"{name}.swdb")
    return [open_database(folder / f"{name}.swdb", in_blocks=in_blocks) for in_blocks in (True, False)]


def test_organisms_of_blocks_are_those_of_one_in_memory(tmp_path, small_blocks):
    chance = np.random.default_rng(9)
    in_blocks, whole = packed(tmp_path, "some", records(chance, 200, LETTERS, organism=True))
    assert len(in_blocks.pieces) > 2
    limit = OrganismLimit(("Mus musculus",))
    one, other = restricted(in_blocks, limit), restricted(whole, limit)
    assert (one.name, one.checksum, one.names) == (other.name, other.checksum, ("some",))
    assert [one.record(row) for row in range(len(one))] == [other.record(row) for row in range(len(other))]
    assert np.array_equal(content_hashes(in_blocks), content_hashes(whole))


def test_what_is_stored_between_two_places_is_known_without_the_rest(tmp_path, small_blocks):
    chance = np.random.default_rng(13)
    in_blocks, whole = packed(tmp_path, "some", records(chance, 150, LETTERS, organism=True))
    both = joined([in_blocks, encode_database(records(chance, 40, LETTERS), PROTEIN, "more")])
    for database in (in_blocks, whole, both, restricted(both, OrganismLimit((), ("Mus musculus",)))):
        for start, stop in chance.integers(0, len(database) + 1, (20, 2)).tolist():
            assert np.array_equal(database.position[database.sources(start, stop)], np.arange(start, max(start, stop)))
        assert sorted(database.sources(0, len(database))) == [*range(len(database))]


@pytest.mark.parametrize("stretches", [1, 7, 1 << 10])
def test_share_of_g_and_c_is_the_same_in_blocks_and_in_memory(tmp_path, small_blocks, monkeypatch, stretches):
    chance = np.random.default_rng(11)
    made = records(chance, 90, "ACGT") + records(chance, 90, "AATTACGT")
    save_packed(encode_database(made, NUCLEOTIDE, "dna"), tmp_path / "dna.swdb")
    monkeypatch.setattr("swgui.core.statistics.stops.SAMPLE", stretches)
    monkeypatch.setattr("swgui.core.statistics.stops.STRETCH", 40)
    monkeypatch.setattr("swgui.core.statistics.stops.GC_STEPS", 10_000)
    one, other = (gc_share_of(open_database(tmp_path / "dna.swdb", in_blocks=way)) for way in (True, False))
    assert one == other
    assert 0.3 < one < 0.6


def test_a_newer_release_in_blocks_gives_what_a_search_of_it_gives(tmp_path, small_blocks):
    chance = np.random.default_rng(10)
    queries = [SequenceRecord("q", "", bytes(chance.choice(list(LETTERS.encode()), 80).tolist()))]
    made = with_relatives(chance, records(chance, 160, LETTERS), queries * 4, LETTERS)
    newer = [one for one in made if chance.integers(5)]
    newer += [SequenceRecord(f"new {one.id}", "", one.residues) for one in records(chance, 30, LETTERS)]
    before = search(encode_database(made, PROTEIN, "older"), queries, scheme=BLOSUM62)
    in_blocks, whole = packed(tmp_path, "newer", [newer[at] for at in chance.permutation(len(newer))])
    found = run_to_end(diff_steps(before, in_blocks, threading.Event(), engine="cpu"))
    same(found.now, search(whole, queries, scheme=BLOSUM62))
    assert 0 < found.searched < 40
    assert found.changes


def releases(chance, made):
    """Return a release that differs little: subjects removed, changed, renamed, twice under one or two names."""
    newer = list(made)
    for _ in range(int(chance.integers(1, 6))):
        at, other = (int(place) for place in chance.integers(0, len(newer), 2))
        match int(chance.integers(6)):
            case 0:
                del newer[at]
            case 1:
                newer[at] = replace(newer[at], residues=newer[at].residues[::-1])
            case 2:
                newer[at] = replace(newer[at], id=f"new {newer[at].id}")
            case 3:
                newer.insert(at, replace(newer[other], id=f"copy of {newer[other].id}"))
            case 4:
                newer.append(newer[other])
            case 5:
                newer[at] = replace(newer[other], id=newer[at].id)
    return newer


@pytest.mark.parametrize("seed", [1, 2, 169, 340, 394])
def test_blocks_that_are_alike_need_not_be_read(tmp_path, small_blocks, monkeypatch, seed):
    chance = np.random.default_rng(seed)
    small_blocks(100_000, 12)
    monkeypatch.setattr("swgui.core.several.releases._FEW", 1 + seed % 2 * 199)
    queries = [SequenceRecord("q", "", bytes(chance.choice(list(LETTERS.encode()), 60).tolist()))]
    made = with_relatives(chance, records(chance, 90, LETTERS), queries * 4, LETTERS)
    made += [replace(made[int(at)], id=f"twin {at}") for at in chance.integers(0, len(made), 6)]
    made += [made[int(at)] for at in chance.integers(0, len(made), 3)]
    path = tmp_path / "older.swdb"
    save_packed(encode_database(made, PROTEIN, "older"), path)
    newer = releases(chance, made)
    save_packed(encode_database(newer, PROTEIN, "newer"), tmp_path / "newer.swdb", older=older_of(path))
    older, after = (open_database(one, in_blocks=True) for one in (path, tmp_path / "newer.swdb"))
    before = search(older, queries, scheme=BLOSUM62)
    read = []
    monkeypatch.setattr(
        Blocks, "get", lambda blocks, number, get=Blocks.get: read.append(number) or get(blocks, number)
    )
    alike = alike_blocks(older, after, lambda: None)
    assert not read
    assert alike
    found = run_to_end(diff_steps(before, after, threading.Event(), engine="cpu"))
    monkeypatch.setattr("swgui.jobs.several.diff.alike_blocks", lambda *_: ())
    whole = run_to_end(diff_steps(before, after, threading.Event(), engine="cpu"))
    same(found.now, whole.now)
    same(found.now, search(after, queries, scheme=BLOSUM62))
    assert found.changes == whole.changes
    assert found.gone == whole.gone
    assert found.searched >= whole.searched
