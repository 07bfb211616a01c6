"""Projects: made, filled, packed, unpacked and opened; hostile and damaged ones are refused."""

from __future__ import annotations

import gzip
import json
import shutil
import stat
import zipfile
from pathlib import Path

import pytest

import swgui
from swgui import paths
from swgui.cli import main
from swgui.core.errors import InvalidParameter, NotFound
from swgui.io.marks import Mark
from swgui.runs import MAX_RUNS, Runs
from swgui.runs.projects import packing
from swgui.runs.projects.folder import Project
from swgui.runs.projects.packing import pack, unpack
from swgui.runs.projects.record import ProjectError

DATA = Path(__file__).parents[1] / "data" / "saved_by_0_2"
PAIR = "long1 × long2"
HBA = "sp|P69905|HBA_HUMAN"
RECORD = ("project.json", b'{"format": "swgui project 1", "name": "a", "made": ""}')
LINK = zipfile.ZipInfo("runs/link")
LINK.external_attr = (stat.S_IFLNK | 0o777) << 16
HOSTILE = {
    "outside": [RECORD, ("../evil", b"x")],
    "absolute": [RECORD, ("/tmp/evil", b"x")],
    "above": [RECORD, ("runs/../../evil", b"x")],
    "windows": [RECORD, ("runs/..\\evil", b"x")],
    "drive": [RECORD, ("runs/C:evil", b"x")],
    "device": [RECORD, ("runs/NUL.json", b"x")],
    "hidden": [RECORD, ("runs/.bashrc", b"x")],
    "deep": [RECORD, ("runs/a/b", b"x")],
    "other folder": [RECORD, ("bin/evil", b"x")],
    "link": [RECORD, (LINK, b"/etc/passwd")],
    "twice": [RECORD, ("runs/a", b"x"), ("runs/A", b"y")],
    "no record": [("runs/a", b"x")],
    "bomb": [RECORD, ("runs/a", bytes(1 << 20))],
    "damaged record": [("project.json", b"{")],
}


@pytest.fixture
def files(tmp_path, user_folders):
    """Saved runs, their database and a table, in a folder of their own."""
    folder = tmp_path / "files"
    folder.mkdir()
    for name in ("proteins.swgui", "proteins.swdb", "many.swnet", "many.fa"):
        shutil.copy(DATA / name, folder)
    (folder / "pair.json").write_bytes(gzip.decompress((DATA / "pair.json.gz").read_bytes()))
    (folder / "own.csv").write_text("accession,group\nP69905,alpha\n")
    return folder


@pytest.fixture
def project(tmp_path, files):
    """A project with a run of three kinds, a database and a table."""
    made = Project.make(tmp_path / "mine", "My  project")
    for name in ("proteins.swgui", "pair.json", "many.swnet", "proteins.swdb", "own.csv"):
        made.add(files / name)
    return made


def test_a_project_holds_what_was_added(project, files):
    assert project.name == "My project"
    assert {(one.kind, one.name, one.state) for one in project.runs.list()} == {
        ("search", "proteins", "done"), ("pair", PAIR, "done"), ("network", "many", "done")
    }  # fmt: skip
    assert {part.wanted.name: part.place for part in project.files()} == {
        "proteins.swdb": files / "proteins.swdb", "many.fa": None, "own.csv": project.folder / "tables" / "own.csv"
    }  # fmt: skip
    assert Project(project.folder).facts == project.facts
    with pytest.raises(ProjectError, match="has a table"):
        project.add(files / "own.csv")


def test_stars_and_notes_belong_to_runs_sequences_and_the_project(project):
    project.star(PAIR, HBA)
    project.note(HBA, "look here")
    project.note("", "for Anna")
    (pair,) = (one for one in project.runs.list() if one.kind == "pair")
    assert project.marks.records == {HBA: Mark(True, "look here")}
    assert project.marks.runs == {pair.id: Mark(True)}
    assert Project(project.folder).facts.note == "for Anna"
    project.star(PAIR, on=False)
    assert not project.marks.runs


def test_a_run_of_the_list_is_copied_with_its_mark(project, files):
    listed = Runs()
    run_id = listed.of("search").take_file(files / "proteins.swgui")
    listed.rename(run_id, "globins")
    listed.keep_layout(run_id, {"trace": [1]})
    assert project.add("globins") == ("run", "globins", run_id)
    assert project.runs.open(run_id).layout == {"trace": [1]}
    assert listed.record(run_id).name == "globins"
    with pytest.raises(ProjectError, match="in the project already"):
        project.add("globins")
    with pytest.raises(ProjectError, match="There is no 'other'"):
        project.add("other")


def test_a_project_keeps_every_run_where_the_list_drops_the_oldest(project, files):
    kept, limited = Runs(project.runs.folder, max_runs=1), Runs(files / "runs", max_runs=1)
    for runs in (kept, limited):
        before = {one.id for one in runs.list()}
        taken = runs.of("pair").take_file(files / "pair.json")
        taken = runs.of("pair").take_file(files / "pair.json")
        assert {one.id for one in runs.list()} >= (before | {taken} if runs is kept else {taken})
    assert (len(kept.list()), len(limited.list())) == (5, 1)
    assert MAX_RUNS > 1


@pytest.mark.parametrize("databases", [True, False])
def test_a_project_is_sent_and_opened_elsewhere(project, files, tmp_path, databases):
    project.star(HBA)
    packed = pack(project, tmp_path / "sent.zip", databases=databases)
    assert packed.missing == ("many.fa",)
    assert packed.named == (() if databases else ("proteins.swdb",))
    away = tmp_path / "elsewhere"
    shutil.move(files, away / "was")  # the files of the sender are not on this computer
    shutil.rmtree(project.folder)
    got = unpack(tmp_path / "sent.zip", away / "got")
    assert got.marks.records == {HBA: Mark(True)}
    assert {one.name for one in got.runs.list()} == {"proteins", PAIR, "many"}
    (search,) = (one for one in got.runs.list() if one.kind == "search")
    found = got.runs.open(search.id)
    assert (found.database_path == got.folder / "databases" / "proteins.swdb") == databases
    assert ("not found" in " ".join(found.remarks)) != databases
    (lost,) = (part for part in got.files() if part.wanted.name == "many.fa")
    assert "put it into the folder 'databases'" in lost.said
    shutil.copy(away / "was" / "many.fa", away)  # next to the project
    assert next(part for part in got.files() if part.wanted.name == "many.fa").place == away / "many.fa"


def test_a_project_in_use_has_the_runs_of_commands_and_their_moved_files(project, files, monkeypatch, capsys):
    monkeypatch.setenv("SWGUI_PROJECT", str(project.folder))
    assert main(["show", "proteins", "--top", "1", "--columns", "sseqid"]) == 0
    shutil.move(files / "many.fa", project.folder / "many.fa")
    (network,) = (one for one in Runs().list() if one.kind == "network")
    assert Runs().again(network.id).sequences == project.folder / "many.fa"
    monkeypatch.setenv("SWGUI_PROJECT", str(files))
    assert main(["show", "proteins"]) == 2
    assert "is no project" in capsys.readouterr().err
    paths.use_project(None)
    assert Runs().folder == paths.users_runs()


def test_the_library_loads_runs_and_joins_marks(project):
    mine = swgui.Project(project.folder)
    hits = mine.load("proteins")
    name = hits.to_arrays(["sseqid"])["sseqid"][0]
    mine.star(name)
    assert hits.join(mine.folder).to_arrays(["project_star"])["project_star"][0] == "★"
    assert mine.load(PAIR).score
    with pytest.raises(NotFound, match="no run 'other'"):
        mine.load("other")
    place = mine.folder.parent
    assert mine.pack(place / "x.zip").files
    assert [one.name for one in swgui.Project.unpack(place / "x.zip", place / "x").listed()] == [
        one.name for one in mine.listed()
    ]


def test_the_command_makes_fills_shows_and_sends_a_project(files, monkeypatch, capsys):
    monkeypatch.chdir(files)
    assert main(["project", "make", "p", "--name", "Globins"]) == 0
    assert main(["project", "add", "p", "proteins.swgui", "proteins.swdb"]) == 0
    assert main(["project", "star", "p", HBA, "proteins"]) == 0
    assert main(["project", "note", "p", HBA, "--text", "look"]) == 0
    capsys.readouterr()
    assert main(["project", "show", "p", "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert [(row["part"], row["name"], row["star"], row["note"]) for row in shown["rows"]] == [
        ("search", "proteins", "★", None), ("database", "proteins.swdb", None, None), ("sequence", HBA, "★", "look")
    ]  # fmt: skip
    assert main(["project", "pack", "p", "-o", "p.zip", "--databases"]) == 0
    assert main(["project", "unpack", "p.zip", "got"]) == 0
    assert main(["project", "pack", "p", "-o", "proteins.swdb"]) == 2
    assert main(["project", "add", "p", "nothing"]) == 1
    assert main(["project", "make", "p"]) == 1
    assert "is a project already" in capsys.readouterr().err


# Faults


def test_what_is_no_project_says_so(tmp_path):
    with pytest.raises(ProjectError, match="is no project"):
        Project(tmp_path)
    (tmp_path / "project.json").write_text("{")
    with pytest.raises(ProjectError, match="damaged"):
        Project(tmp_path)
    (tmp_path / "project.json").write_text('{"format": "swgui project 2", "name": "a", "made": ""}')
    with pytest.raises(ProjectError, match="does not know"):
        Project(tmp_path)
    with pytest.raises(ProjectError, match="is a project already"):
        Project.make(tmp_path)
    (tmp_path / "project.json").rename(tmp_path / "other")
    with pytest.raises(ProjectError, match="is not empty"):
        Project.make(tmp_path)


def test_a_project_without_one_of_its_tables_is_not_packed(project, tmp_path):
    (project.folder / "tables" / "own.csv").write_text("accession,group\nP69905,beta\n")
    with pytest.raises(ProjectError, match="missing or was changed"):
        pack(project, tmp_path / "sent.zip")
    assert not (tmp_path / "sent.zip").exists()


def test_a_packed_project_replaces_no_input(project, files):
    with pytest.raises(InvalidParameter, match="would replace it"):
        pack(project, files / "proteins.swdb")
    with pytest.raises(ProjectError, match="in the project itself"):
        pack(project, project.folder / "sent.zip")


@pytest.mark.parametrize("fault", HOSTILE)
def test_a_hostile_file_is_refused_and_leaves_nothing(tmp_path, monkeypatch, fault):
    monkeypatch.setattr(packing, "ALWAYS", 1000)
    path = tmp_path / "in" / "sent.zip"
    path.parent.mkdir()
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in HOSTILE[fault]:
            archive.writestr(name, content)
    with pytest.raises(ProjectError):
        unpack(path, tmp_path / "out" / "got")
    assert [place.name for place in tmp_path.rglob("*") if place.is_file()] == ["sent.zip"]


def test_a_damaged_or_lying_file_is_refused(project, tmp_path):
    path = tmp_path / "sent.zip"
    pack(project, path)
    whole = path.read_bytes()
    changed = bytearray(whole)
    changed[len(whole) // 2] ^= 255
    for content in (whole[: len(whole) // 2], b"PK", b"", bytes(changed)):
        path.write_bytes(content)
        with pytest.raises(ProjectError):
            unpack(path, tmp_path / "got")
        assert not (tmp_path / "got").exists()
    with pytest.raises(ProjectError, match="There is no file"):
        unpack(tmp_path / "none.zip", tmp_path / "got")
    with pytest.raises(ProjectError, match="is there already"):
        unpack(path, project.folder)
