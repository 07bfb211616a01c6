"""A packed file that is updated is one built afresh, keeps the blocks that are the same, and says what changed."""

import numpy as np
import pytest

from swgui.cli import main
from swgui.core.alphabet import NUCLEOTIDE, PROTEIN
from swgui.core.errors import DatabaseError
from swgui.core.records import SequenceRecord
from swgui.io.database.build import LetterFile, build_database, update_database
from swgui.io.database.changes import KINDS
from swgui.io.database.file import check_database, header_facts, open_database
from swgui.io.database.packed.file import PackedFile
from swgui.io.database.packed.keeping import older_of
from swgui.io.database.packed.merging import merge_identical
from swgui.io.organism_files import OrganismFiles
from tests.io.database.packed.test_files import assert_same, records


def write(path, made):
    path.write_bytes(b"".join(b">%s\n%s\n" % (record.header.encode(), record.residues) for record in made))
    return path


def released(rng, made):
    """Return a newer release, and what changed: identifiers that came, went, and stand for another sequence."""
    newer, told = list(made), dict[str, set[str]]()
    told["removed"] = {record.id for record in rng.choice(np.array(made, object), 5, replace=False)}
    newer = [record for record in newer if record.id not in told["removed"]]
    told["changed"] = set()
    for place in rng.choice(len(newer), 3, replace=False).tolist():
        newer[place] = SequenceRecord(newer[place].id, newer[place].description, b"AC" + newer[place].residues)
        told["changed"].add(newer[place].id)
    place = int(rng.integers(len(newer)))
    newer[place] = SequenceRecord(newer[place].id, "told otherwise", newer[place].residues)
    told["added"] = {f"new{number}" for number in range(4)}
    for name in sorted(told["added"]):
        newer.insert(int(rng.integers(len(newer))), SequenceRecord(name, "", b"ACCA" * int(rng.integers(1, 30))))
    return newer, told


def sequences(rng, count=280, letters="ACDEFGHIKLMNPQRSTVWYX"):
    return [record for record in records(rng, count, letters) if record.residues]


def built(folder, made, how):
    """Build a packed file of some records, in one of several ways."""
    source, target = write(folder / "source.fasta", made), folder / "packed.swdb"
    more = {}
    if how == "letters":
        letters = [SequenceRecord(one.id, "", one.residues[::-1].replace(b"X", b"A")) for one in made]
        more["letters"] = LetterFile(write(folder / "letters.fasta", letters), PROTEIN)
    if how == "organisms":
        named = [f"{one.id}\t{('Mus musculus', 'Homo sapiens', 'Danio rerio')[len(one.id) % 3]}\n" for one in made]
        (folder / "organisms.tsv").write_text("".join(named[::2]))
        more["organisms"] = OrganismFiles(str(folder / "organisms.tsv"))
    alphabet = NUCLEOTIDE if how == "nucleotide" else PROTEIN
    build_database([source], target, alphabet=alphabet, packed=True, name="mine", **more)
    if how == "merged":
        merge_identical(target)
    return target


@pytest.mark.parametrize("how", ["protein", "nucleotide", "letters", "organisms", "merged"])
def test_it_is_what_is_built_afresh(tmp_path, small_blocks, how):
    rng = np.random.default_rng(len(how))
    made = sequences(rng, letters="ACGTNR" if how == "nucleotide" else "ACDEFGHIKLMNPQRSTVWYX")
    if how == "merged":
        made += [SequenceRecord(f"again{number}", "", made[number].residues) for number in range(3)]
    target = built(tmp_path, made, how)
    newer, told = released(rng, made)
    (tmp_path / "fresh").mkdir()
    fresh = built(tmp_path / "fresh", newer, how)
    for name in ("letters.fasta", "organisms.tsv"):
        if (tmp_path / name).exists():
            (tmp_path / "fresh" / name).rename(tmp_path / name)
    older = older_of(target, "2026_06")
    updated = update_database(target, sources=[tmp_path / "fresh" / "source.fasta"], older=older)
    check_database(target)
    assert_same(open_database(target), open_database(fresh))
    assert updated.checksum == open_database(target).checksum
    if how == "organisms":
        mine, other = updated.stored_organisms, open_database(fresh).stored_organisms
        assert [mine.names[of] for of in mine.of] == [other.names[of] for of in other.of]
    most = {"merged": 0, "organisms": 0}.get(how, older.blocks // 3)  # which are numbered in order, or many alike
    assert most <= older.kept < older.blocks
    found = {kind: set() for kind in KINDS}
    for kind, name in older.changes.named(older.database.ids, updated.ids):
        found[kind].add(name)
    assert found == told or how == "merged"
    facts = header_facts(target)
    assert [release.name for release in facts.releases] == ["", "2026_06"]
    assert facts.releases[1].came == len(found["added"])
    assert [source.path for source in facts.sources] == [str(tmp_path / "fresh" / "source.fasta")]


def test_blocks_stay_large_however_often_it_is_updated(tmp_path, small_blocks):
    rng = np.random.default_rng(8)
    made = sequences(rng)
    target = built(tmp_path, made, "protein")
    before, kept = len(PackedFile(target)), 0
    for _ in range(4):
        made, _ = released(rng, made)
        write(tmp_path / "source.fasta", made)
        older = older_of(target)
        update_database(target, older=older)
        kept += older.kept
    assert kept > before
    assert len(PackedFile(target)) < 1.5 * before
    assert_same(open_database(target), open_database(built(tmp_path, made, "protein")))


def test_what_did_not_change_is_the_same_bytes(tmp_path, small_blocks):
    made = sequences(np.random.default_rng(9))
    target = built(tmp_path, made, "protein")
    before = target.read_bytes(), PackedFile(target).directory
    older = older_of(target)
    update_database(target, older=older)
    assert older.kept == older.blocks
    assert older.changes.counts == dict.fromkeys(KINDS, 0)
    entries = before[1], PackedFile(target).directory
    for name in ("digest", "names_digest", "crc", "first"):
        assert np.array_equal(*(table[name] for table in entries)), name


def test_damage_is_mended_and_what_cannot_be_read_leaves_the_file(tmp_path, small_blocks):
    made = sequences(np.random.default_rng(10))
    target = built(tmp_path, made, "protein")
    whole = target.read_bytes()
    (tmp_path / "source.fasta").rename(tmp_path / "gone.fasta")
    with pytest.raises(DatabaseError, match="gone"):
        update_database(target, older=older_of(target))
    assert target.read_bytes() == whole
    (tmp_path / "gone.fasta").rename(tmp_path / "source.fasta")
    entry = PackedFile(target).directory[2]
    for place in (int(entry["offset"]) + 200, int(entry["names"]) + 9, int(entry["offset"]) + 3):
        damaged = bytearray(whole)
        damaged[place] ^= 4
        target.write_bytes(damaged)
        update_database(target, older=older_of(target))
        check_database(target)
        assert list(open_database(target).ids) == [record.id for record in made]


@pytest.mark.parametrize(("how", "last"), [("merged", "merge_identical"), ("letters", "pack_file")])
def test_what_ends_between_two_passes_leaves_the_file(tmp_path, small_blocks, monkeypatch, how, last):
    made = sequences(np.random.default_rng(12), 60)
    target = built(tmp_path, [*made, SequenceRecord("again", "", made[0].residues)], how)
    whole, files = target.read_bytes(), sorted(tmp_path.iterdir())

    def fail(*_, **__):
        raise DatabaseError("", "It ended.")

    monkeypatch.setattr(f"swgui.io.database.build.{last}", fail)
    with pytest.raises(DatabaseError, match="It ended"):
        update_database(target, older=older_of(target))
    assert (target.read_bytes(), sorted(tmp_path.iterdir())) == (whole, files)


def test_the_command(tmp_path, small_blocks, capsys, user_folders):
    rng = np.random.default_rng(11)
    made = sequences(rng)
    newer, told = released(rng, made)
    target, source = built(tmp_path, made, "protein"), write(tmp_path / "newer.fasta", newer)
    changes = tmp_path / "changes.tsv"
    words = ["--from", str(source), "--changes", str(changes)]
    assert main(["update", str(target), *words, "--release", "2026_06"]) == 0
    counts = f"{len(newer):,} sequences: 4 added, 5 removed, 3 changed"
    assert counts in capsys.readouterr().out
    lines = changes.read_text()
    assert {tuple(line.split("\t")) for line in lines.splitlines()} == {
        (kind, one) for kind in KINDS for one in told[kind]
    }
    updated, other = PackedFile(target).header.facts, tmp_path / "other.swdb"
    assert main(["update", str(target), "--from", str(tmp_path / "source.fasta"), "-o", str(other)]) == 0
    assert PackedFile(target).header.facts == updated
    assert "5 added, 4 removed, 3 changed" in capsys.readouterr().out
    assert list(open_database(other).ids) == [record.id for record in made]
    assert main(["info", str(target), "--blocks"]) == 0
    out = capsys.readouterr().out
    assert "2026_06" in out
    assert out.count("\n") > len(PackedFile(target))
    mapped = tmp_path / "mapped.swdb"
    build_database([tmp_path / "source.fasta"], mapped, alphabet=PROTEIN)
    assert main(["update", str(mapped), *words]) == 0
    assert counts in capsys.readouterr().out
    assert changes.read_text() == lines
    assert main(["update", str(mapped), "--release", "x"]) != 0
    assert "not packed" in capsys.readouterr().err
    assert main(["update", str(mapped), "--changes", str(mapped)]) != 0
    (tmp_path / "dna.fasta").write_text(">x\n" + "ACGTTGCA" * 40)
    assert main(["update", str(target), "--from", str(tmp_path / "dna.fasta")]) != 0
    assert "'dna.fasta' is nucleotide" in capsys.readouterr().err
    assert PackedFile(target).header.facts == updated
