"""Files that runs were saved as open by what their kind declares, also one that a package adds."""

from __future__ import annotations

import gzip
import shutil
from pathlib import Path

import pytest

import swgui
from swgui.cli import main
from swgui.core.errors import RunFileError
from swgui.gui.inputs.drop import Dropped, is_database, is_query, is_result, is_source
from swgui.gui.runs import jobs
from swgui.io.saved.pack import PackWriter
from swgui.jobs import kind as kinds_module
from swgui.jobs.kind import RESULT, Kind, kinds, saved_files
from swgui.runs.opening import kind_of_saved, open_saved
from swgui.runs.plain import FORMAT, PlainRuns
from tests.runs import counted

DATA = Path(__file__).parents[1] / "data" / "saved_by_0_2"
OWN = {"search": "proteins.swgui", "pair": "pair.json.gz", "network": "many.swnet"}  # kinds with files of their own


class TextRuns(PlainRuns):
    """Runs that are saved as a line of text."""

    def holds(self, path):
        return path.read_bytes().startswith(b"sums ")

    def open_file(self, path):
        return [float(word) for word in path.read_text().split()[1:]]


@pytest.fixture
def saved(tmp_path):
    """Return a file of a kind under a name that says nothing."""

    def make(kind, name="some.thing"):
        path = tmp_path / name
        if (source := OWN.get(kind)) is None:
            with open(path, "wb") as file, PackWriter(file) as pack:
                pack.finish({"format": FORMAT, "kind": kind})
        elif source.endswith(".gz"):
            path.write_bytes(gzip.decompress((DATA / source).read_bytes()))
        else:
            shutil.copy(DATA / source, path)
        return path

    return make


def test_the_kinds_with_files_of_their_own_are_those():
    assert {kind.name for kind in kinds().values() if kind.file[0] != RESULT} == set(OWN)


@pytest.mark.parametrize("kind", list(kinds()))
def test_a_file_is_known_by_its_content_and_offered_by_its_ending(kind, saved):
    ending, title = kinds()[kind].file
    assert kinds()[kind].opens
    assert kind_of_saved(saved(kind)) == kind
    assert f"*{ending}" in jobs.result_files().partition(";;")[0]
    assert title in jobs.result_files().split(";;")
    dropped = Dropped((Path(f"some{ending}"),))
    assert [ask(dropped) for ask in (is_result, is_database, is_query, is_source)] == [True, False, False, False]


@pytest.mark.parametrize("kind", list(OWN))
def test_a_file_opens_as_its_page_shows_it(kind, saved, user_folders):
    name, outcome = jobs.open_file(saved(kind))
    assert name == kind
    found = {
        "search": lambda: len(outcome.result.queries),
        "pair": lambda: len(outcome.alignments),
        "network": lambda: (len(outcome.outcome.network.ids), outcome.asked.file.endswith("many.fa")),
    }[kind]()
    assert found == {"search": 2, "pair": 3, "network": (620, True)}[kind]


def test_a_kind_from_a_package_opens_its_own_files(tmp_path, monkeypatch, user_folders):
    counted.declare(monkeypatch)
    kept, file = f"{__name__}:TextRuns", (".sums", "Sums (*.sums)")
    made = Kind("sums", "Sums", "sum", codec=f"{counted.__name__}:CODEC", kept=kept, file=file)
    known = {**kinds_module.kinds(), "sums": made}
    for module in ("swgui.jobs.kind", "swgui.runs.store", "swgui.runs.opening", "swgui.gui.runs.jobs"):
        monkeypatch.setattr(f"{module}.kinds", lambda: known)
    path = tmp_path / "x.sums"
    path.write_text("sums 1 2 3")
    assert saved_files()[".sums"] == "Sums (*.sums)"
    assert "Sums (*.sums)" in jobs.result_files()
    assert is_result(Dropped((path,)))
    assert jobs.open_file(path) == ("sums", [1, 2, 3])
    assert jobs.noun_of(path) == "saved sum"


def test_what_is_no_saved_run_says_so(tmp_path, user_folders):
    for name, said in (("a.swgui", "a saved search"), ("a.swnet", "a network"), ("a.result", "a saved run")):
        (tmp_path / name).write_text("no")
        with pytest.raises(RunFileError, match=f"is not {said}"):
            open_saved(tmp_path / name)
    with pytest.raises(RunFileError, match="There is no saved run"):
        open_saved(tmp_path / "missing.result")


def test_the_library_and_commands_open_networks_and_pairs(saved, tmp_path, user_folders, capsys):
    network, pair = saved("network", "n.swnet"), saved("pair", "p.json")
    assert len(swgui.load(network)) == 620
    assert swgui.load(pair).score == swgui.load(saved("pair", "q.json")).score > 0
    with pytest.raises(swgui.InvalidParameter, match="would replace it"):
        swgui.load(network).write(network)
    assert main(["show", str(network), "--format", "tsv"]) == 0
    assert capsys.readouterr().out.splitlines()[0].startswith("source\ttarget\t")
    nameless = swgui.network(["MKVLAAGICWWSIINFEKLHH", "MKVLAAGICWWSIINFEKLHW"], engine="cpu")
    assert swgui.verify(nameless).ok  # it has its sequences in memory
