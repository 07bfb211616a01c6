"""Databases of structures, and structures as queries: residues, 3Di symbols and coordinates stay together."""

from __future__ import annotations

import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

from swgui.cli import main
from swgui.core.errors import DatabaseError, SequenceError, Stopped
from swgui.core.organisms.limit import OrganismLimit
from swgui.core.several.part import restricted
from swgui.core.structures.compact import unpack
from swgui.io.database.build import save_database
from swgui.io.database.file import check_database, database_facts, open_database
from swgui.io.database.structures import build_from_structures, update_of_any
from swgui.io.sequences.reader import ReadReport, read_sequences

TRP_CAGE = Path(__file__).parents[2] / "data" / "structures" / "1l2y.pdb"
ATOMS = [line for line in TRP_CAGE.read_text("ascii").splitlines() if line.startswith("ATOM")]
SHAPE = b"DQQVVCVVCPNVVNVDHGDD"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A measured structure, a predicted one, one of CA alone, and a broken file."""
    found = tmp_path / "models"
    found.mkdir()
    (found / "1l2y.pdb").write_bytes(TRP_CAGE.read_bytes())
    confident = [f"{line[:60]}{30 + 3 * int(line[22:26]):6.2f}{line[66:]}" for line in ATOMS]
    source = "SOURCE   2 ORGANISM_SCIENTIFIC: HOMO SAPIENS;"
    (found / "AF-P1-F1-model_v4.pdb").write_text("\n".join([source, *confident[:-8], "END", ""]))
    (found / "trace.pdb").write_text("\n".join([*(line for line in ATOMS[:40] if line[12:16] == " CA "), "END", ""]))
    (found / "broken.pdb").write_text("nothing")
    return found


def test_chains_are_stored_with_symbols_and_places(folder: Path, tmp_path: Path):
    report = ReadReport()
    build_from_structures([folder], tmp_path / "all.swdb", min_plddt=50, report=report)
    check_database(tmp_path / "all.swdb")
    database = open_database(tmp_path / "all.swdb")
    assert list(database.ids) == ["1l2y", "AF-P1-F1-model_v4", "trace"]
    letters = [database.record(row).letters for row in range(3)]
    assert [letter.text for letter in letters if letter] == [SHAPE, b"X" * 6 + letters[1].text[6:], b"X" * 10]  # type: ignore[union-attr]
    assert not (tmp_path / "all.swdb.reading").exists()
    assert report.counts == {"unread": 1, "note": 1}
    places = [unpack(database.places_of(row), len(database.record(row).residues)) for row in range(3)]
    assert all(places)
    np.testing.assert_allclose(places[0].ca[0], [-8.608, 3.135, -1.618], atol=0.006)  # type: ignore[union-attr]
    assert [one is not None and one.plddt is not None for one in places] == [False, True, False]
    assert [feature.describe() for feature in database.features(1)] == [
        "Very low confidence pLDDT 33 to 48, 1 to 6",
        "Low confidence pLDDT 51 to 69, 7 to 13",
    ]
    np.testing.assert_allclose(places[1].plddt, 30 + 3 * np.arange(1, 19), atol=0.26)  # type: ignore[union-attr]


def test_places_survive_parts_and_saving_anew(folder: Path, tmp_path: Path):
    database = build_from_structures([folder], tmp_path / "all.swdb")
    part = restricted(database, OrganismLimit(only=("Homo sapiens",)))
    assert list(part.ids) == ["AF-P1-F1-model_v4"]
    assert part.places_of(0) == database.places_of(1)
    save_database(database, tmp_path / "copy.swdb")
    copy = open_database(tmp_path / "copy.swdb")
    assert [copy.places_of(row) for row in range(3)] == [database.places_of(row) for row in range(3)]


def test_a_building_that_was_stopped_keeps_what_was_read(folder: Path, tmp_path: Path):
    cancel = threading.Event()
    with pytest.raises(Stopped, match="need not be read again"):
        build_from_structures([folder], tmp_path / "all.swdb", cancel=cancel, progress=lambda done, total: cancel.set())
    assert not (tmp_path / "all.swdb").exists()
    (tmp_path / "all.swdb").write_text("older")
    resumed: list[int] = []
    build_from_structures([folder], tmp_path / "all.swdb", resumed=resumed.append)
    assert len(open_database(tmp_path / "all.swdb")) == 3
    assert resumed == []  # it was stopped before the first file


KILLED = """
import os, sys
from swgui.cli import main
from swgui.io.structures import gathering, journal

gathering.BATCH = 2
add = journal.Journal.add

def add_and_die(self, key, outcome):
    add(self, key, outcome)
    if len(self) == 3:
        os._exit(9)  # nothing more is written, as when the process is killed

journal.Journal.add = add_and_die
main(["makedb", "--structures", sys.argv[1], "-o", sys.argv[2]])
"""


def test_a_building_that_was_killed_continues(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    out = tmp_path / "all.swdb"
    assert subprocess.run([sys.executable, "-c", KILLED, str(folder), str(out)], check=False).returncode == 9
    assert not out.exists()
    assert main(["makedb", "--structures", str(folder), "-o", str(out)]) == 0
    said = capsys.readouterr().err
    assert "2 files were read before" in said
    assert "'broken.pdb' is neither a PDB nor an mmCIF file" in said  # known from before, and said again
    assert list(open_database(out).ids) == ["1l2y", "AF-P1-F1-model_v4", "trace"]
    assert not (tmp_path / "all.swdb.reading").exists()


def update(path: Path) -> list[str]:
    report = ReadReport()
    found = update_of_any(path, report=report, progress=lambda done, total: None, cancel=threading.Event())
    assert report.counts.get("unread") == 1  # the broken file
    return list(found.ids)


def test_a_database_follows_its_folder(folder: Path, tmp_path: Path):
    out, inner = tmp_path / "all.swdb", folder / "more"
    inner.mkdir()
    build_from_structures([folder], out, name="mine", min_plddt=50)
    (source,) = database_facts(out).sources
    assert not source.changed()
    (inner / "added.pdb").write_bytes(TRP_CAGE.read_bytes())
    assert source.changed()
    (folder / "trace.pdb").unlink()
    assert update(out) == ["1l2y", "AF-P1-F1-model_v4", "added"]
    facts, model = database_facts(out), open_database(out).record(1)
    assert (facts.name, facts.sources[0].changed()) == ("mine", False)
    assert model.letters is not None
    assert model.letters.text.startswith(b"XXXXXX")  # masked as requested at first
    (inner / "added.pdb").write_text("\n".join(ATOMS[:-20]))
    assert facts.sources[0].changed()
    assert len(open_database(out).record(2).residues) == 20
    update(out)
    assert len(open_database(out).record(2).residues) < 20
    before = out.read_bytes()
    for path in folder.rglob("*.pdb"):
        path.unlink()
    with pytest.raises(SequenceError, match="no structure"):
        update(out)
    (inner.rmdir(), folder.rmdir())
    with pytest.raises(DatabaseError, match="is gone"):
        update(out)
    assert out.read_bytes() == before


def test_a_structure_is_a_query(folder: Path):
    (record,) = read_sequences(TRP_CAGE)
    assert record.letters is not None
    assert record.letters == ("3Di", SHAPE)
    assert unpack(record.places, 20) is not None
    report = ReadReport()
    (traced,) = read_sequences(folder / "trace.pdb", None, report)
    assert traced.letters is None
    assert "residues alone" in report.remarks[0].message
    (chosen,) = read_sequences(f"{TRP_CAGE}:A")
    assert chosen == record


def test_the_command_says_what_it_did(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    out = tmp_path / "models.swdb"
    assert main(["makedb", "--structures", str(folder), "-o", str(out), "--min-plddt", "70"]) == 0
    said = capsys.readouterr()
    assert "3 protein sequences" in said.out
    assert "'broken.pdb' is neither a PDB nor an mmCIF file" in said.err
    with pytest.raises(SystemExit):
        main(["makedb", "--structures", str(folder), "-o", str(out), "--min-plddt", "101"])
    assert "from 0 to 100" in capsys.readouterr().err
    assert main(["makedb", "--structures", str(folder), "-o", str(out), "--type", "nucleotide"]) == 2
    assert "Leave out --type" in capsys.readouterr().err


def test_the_library_builds_of_structures(folder: Path, tmp_path: Path, recwarn: pytest.WarningsRecorder):
    import swgui

    database = swgui.Database.build(folder, tmp_path / "all.swdb")
    assert len(database) == 3
    assert open_database(tmp_path / "all.swdb").track is not None
    assert "1 file left out" in str(recwarn.pop().message)
    masked = swgui.Database.build(folder, tmp_path / "masked.swdb", min_plddt=100).encoded.record(1).letters
    assert set(masked.text) == {ord("X")}
    (folder / "1l2y.pdb").unlink()
    assert len(database.update()) == 2
    assert len(database) == 3
    with pytest.raises(DatabaseError, match="is no file"):
        swgui.Database.of("MKVLW").update()
