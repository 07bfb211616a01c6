"""Folders and archives of structures: nothing is read twice, nothing is lost, and what cannot be read is named."""

from __future__ import annotations

import gzip
import os
import subprocess
import sys
import tarfile
from pathlib import Path

import numpy as np
import pytest

from swgui.core.errors import SequenceError, Stopped
from swgui.core.plain import replace
from swgui.core.structures.chain import Chain
from swgui.core.structures.compact import Places, pack, unpack
from swgui.io.read_report import ReadReport
from swgui.io.structures import gathering
from swgui.io.structures.gathering import gather
from swgui.io.structures.journal import Journal
from swgui.io.structures.members import Member, members
from tests.conftest import under_wine

TRP_CAGE = Path(__file__).parents[2] / "data" / "structures" / "1l2y.pdb"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Nine models in four forms, in two folders, and a broken one."""
    found = tmp_path / "models"
    (found / "more").mkdir(parents=True)
    text = TRP_CAGE.read_bytes()
    for number in range(8):
        (found / f"m{number}.pdb").write_bytes(text)
    (found / "more" / "packed.ent.gz").write_bytes(gzip.compress(text))
    (found / "more" / "broken.cif").write_bytes(b"data_x\nloop_\n_atom_site.id\n_atom_site.Cartn_x\n1 2 3\n")
    (found / "notes.txt").write_text("not a structure")
    return found


def archive(folder: Path, name: str) -> Path:
    path = folder.parent / name
    with tarfile.open(path, "w:gz" if name.endswith("gz") else "w") as file:
        file.add(folder, arcname="models")
    return path


def gathered(sources: list[Path], database: Path, report: ReadReport | None = None, **how: object) -> list[Chain]:
    with Journal(database) as journal:
        return list(gather(sources, journal, report or ReadReport(), **how))  # type: ignore[arg-type]


def test_folders_and_archives_hold_the_same(folder: Path, tmp_path: Path):
    expected = [*(f"m{number}" for number in range(8)), "packed"]
    for number, source in enumerate((folder, archive(folder, "all.tar"), archive(folder, "all.tar.gz"))):
        report = ReadReport()
        chains = gathered([source], tmp_path / f"{number}.swdb", report)
        assert sorted(chain.id for chain in chains) == expected
        assert {chain.shape for chain in chains} == {b"DQQVVCVVCPNVVNVDHGDD"}
        (remark,) = report.remarks
        assert remark.kind == "unread"
        assert "'broken.cif' cannot be read as a structure" in remark.message
    np.testing.assert_allclose(chains[0].ca[0], [-8.608, 3.135, -1.618], atol=0.006)


def test_what_was_read_is_not_read_again(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    read: list[str] = []
    original = gathering.read_member

    def counted(member: Member):
        read.append(member.name)
        return original(member)

    monkeypatch.setattr(gathering, "read_member", counted)
    left = [5]

    def stop() -> None:
        left[0] -= 1
        if not left[0]:
            raise Stopped("It was stopped.")

    with pytest.raises(Stopped):
        gathered([folder], tmp_path / "all.swdb", check=stop)
    assert len(read) == 4
    journal = tmp_path / "all.swdb.reading"
    whole = journal.read_bytes()
    journal.write_bytes(whole[:-20])  # as if the power had failed in the middle of the fourth
    chains = gathered([folder], tmp_path / "all.swdb")
    assert len(chains) == 9
    assert read[4] == read[3]
    assert len(read) == 4 + 7
    os.utime(folder / "m0.pdb", ns=(1, 1))  # changed since
    assert len(gathered([folder], tmp_path / "all.swdb")) == 9
    assert read[11:] == ["m0.pdb"]


def test_a_journal_of_another_kind_is_begun_anew(folder: Path, tmp_path: Path):
    (tmp_path / "all.swdb.reading").write_bytes(b"something else")
    assert len(gathered([folder], tmp_path / "all.swdb")) == 9


@pytest.mark.skipif(under_wine(), reason="pools of processes wait for ever under Wine")
def test_processes_give_the_same_in_the_same_order(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    one = gathered([folder], tmp_path / "one.swdb", processes=1)
    monkeypatch.setattr(gathering, "_WORTH_PROCESSES", 4)
    monkeypatch.setattr(gathering, "BATCH", 3)
    told: list[int] = []
    two = gathered([folder], tmp_path / "two.swdb", processes=2, told=lambda done, total: told.append(done))
    assert [chain.id for chain in two] == [chain.id for chain in one]
    assert told[0] == 0
    assert told[-1] >= 9


def test_where_no_process_starts_this_one_reads(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(gathering, "_WORTH_PROCESSES", 4)
    monkeypatch.setattr(gathering, "can_start", lambda: False)
    monkeypatch.setattr(gathering, "in_processes", lambda *_: pytest.fail("no process can be started"))
    assert len(gathered([folder], tmp_path / "all.swdb", processes=2)) == 9


SCRIPT = """
import os, sys
from swgui.io.structures import gathering
from swgui.io.structures.members import members

print("begun")
gathering._WORTH_PROCESSES = gathering.BATCH = 2
gathering.read_member = None  # so that this process reads nothing itself
read = list(gathering.read_members(members([sys.argv[1]], print), lambda: None, 2))
print(len(read))
"""


@pytest.mark.skipif(under_wine(), reason="pools of processes wait for ever under Wine")
def test_a_script_that_does_not_ask_for_main_is_run_once(folder: Path, tmp_path: Path):
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    done = subprocess.run([sys.executable, str(script), str(folder)], capture_output=True, text=True, check=False)
    assert done.stderr == ""
    assert done.stdout.splitlines()[0] == "begun"
    assert done.stdout.splitlines()[-1] == "10"  # one of them is broken
    assert done.stdout.count("begun") == 1


class Fatal(Member):
    """A file whose reading ends the process, as a fault in a library would."""

    def read(self) -> bytes:
        os._exit(3)


@pytest.mark.skipif(under_wine(), reason="pools of processes wait for ever under Wine")
def test_a_file_that_ends_its_process_is_named(folder: Path, monkeypatch: pytest.MonkeyPatch):
    found = list(members([folder], lambda text: None))[:3]
    found[1] = Fatal(**{name: getattr(found[1], name) for name in Member.__slots__})
    monkeypatch.setattr(gathering, "_WORTH_PROCESSES", 1)
    monkeypatch.setattr(gathering, "BATCH", 2)
    read = [outcome for _, outcome in gathering.read_members(iter(found), lambda: None, 2)]
    assert read[1] == f"'{found[1].name}' ended the process that read it."
    assert [type(outcome).__name__ for outcome in read] == ["StructureFile", "str", "StructureFile"]


def test_one_of_two_formats_is_read(folder: Path):
    (folder / "m3.cif").write_bytes(TRP_CAGE.read_bytes())
    said: list[str] = []
    names = [member.name for member in members([folder], said.append)]
    assert "m3.cif" in names
    assert "m3.pdb" not in names
    assert said == ["'m3.pdb' is there in another format, too; it is left out."]


def test_nothing_to_read_is_said(tmp_path: Path):
    with pytest.raises(SequenceError, match="There is no structure in"):
        gathered([tmp_path], tmp_path / "x.swdb")
    assert not (tmp_path / "x.swdb.reading").exists()
    with pytest.raises(SequenceError, match="There is no structure file"):
        gathered([tmp_path / "gone.pdb"], tmp_path / "x.swdb")
    (tmp_path / "bad.pdb").write_text("nothing")
    with pytest.raises(SequenceError, match=r"1 file left out\. 'bad.pdb' is neither"):
        gathered([tmp_path], tmp_path / "x.swdb")
    assert not (tmp_path / "x.swdb.reading").exists()
    truncated = tmp_path / "cut.tar"
    truncated.write_bytes(b"no archive")
    report = ReadReport()
    with pytest.raises(SequenceError, match="There is no structure in"):
        gathered([truncated], tmp_path / "x.swdb", report)
    assert "no whole tar archive" in report.remarks[0].message


def test_what_an_archive_holds_before_its_cut_is_read_once(folder: Path, tmp_path: Path):
    whole = archive(folder, "all.tar")
    with tarfile.open(whole) as file:
        last = file.getmembers()[-1]
    whole.write_bytes(whole.read_bytes()[: last.offset_data + 10])
    report = ReadReport()
    assert gathered([whole], tmp_path / "x.swdb", report)
    said = [remark.message for remark in report.remarks]
    assert any("cannot be read to its end" in text for text in said)
    assert not any("another format" in text for text in said)


def test_places_in_few_bytes():
    generator = np.random.default_rng(5)
    for scale in (20, 900):
        places = (generator.normal(size=(50, 3)) * scale + 100).astype(np.float32)
        places[7] = np.nan
        packed = pack(Places(places))
        read = unpack(packed, 50)
        assert read is not None
        np.testing.assert_allclose(read.ca, places, atol=0.006 if scale == 20 else 0.1)
        assert read.plddt is None
        assert unpack(packed, 49) is None
    assert replace(Chain("a", "", b"A", b"D", places[:1])).masked(50) == b"D"
