"""The frozen program, where one was built: ``SWGUI_FROZEN`` names its folder (``dist/swgui``)."""

from __future__ import annotations

import os
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not os.environ.get("SWGUI_FROZEN"), reason="SWGUI_FROZEN does not name a frozen program"),
]


@pytest.fixture
def run(tmp_path):
    """Run the frozen program without this Python in its environment."""
    program = Path(os.environ["SWGUI_FROZEN"]).resolve() / ("swgui.exe" if sys.platform == "win32" else "swgui")
    kept = {name: value for name, value in os.environ.items() if name.startswith(("SWGUI_", "QT_", "SYSTEM", "TEMP"))}
    variables = kept | {"HOME": str(tmp_path), "LANG": "C.UTF-8", "PATH": os.defpath}

    def call(*arguments, check=True, **more):
        return subprocess.run(
            [program, *arguments],
            env=variables | more,
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=120,
            check=check,
        )

    return call


def test_version(run):
    assert run("--version").stdout.startswith("swgui ")


def test_cpu_engine_has_its_library(run):
    assert "compiled code" in run("devices").stdout


def test_sample_search(run, repository):
    examples = repository / "resources" / "examples"
    files = ["-q", examples / "sample_queries.fasta", "-d", examples / "sample_database.fasta.gz"]
    hits = run("search", *files, "--format", "blast6").stdout.splitlines()
    assert hits[0].split("\t")[:3] == ["sp|P69905|HBA_HUMAN", "sp|P69905|HBA_HUMAN", "100.000"]


def test_two_long_sequences(run, tmp_path):
    for name, letters in (("a", "ACGTTGCATTAGCCATGGAC" * 9), ("b", "TTTT" + "ACGTTGCATTAGCCATGGAC" * 8)):
        (tmp_path / f"{name}.fa").write_text(f">{name}\n{letters}\n")
    (line,) = run("pair", "a.fa", "b.fa", "--method", "cpu", "--format", "paf").stdout.splitlines()
    assert line.split("\t")[:4] == ["a", "180", "0", "160"]
    assert line.split("\t")[9] == "160"


def test_workbooks_can_be_written(run, repository, tmp_path):
    sample = repository / "resources" / "examples" / "sample_queries.fasta"
    run("search", "-q", sample, "-d", sample, "--format", "xlsx", "-o", tmp_path / "hits.xlsx")
    assert (tmp_path / "hits.xlsx").read_bytes()[:2] == b"PK"


def test_every_method_for_long_pairs_is_there(run, tmp_path):
    """Without a GPU each says so; none is missing from the program."""
    (tmp_path / "a.fa").write_text(">a\nACGTACGTACGT\n")
    from swgui.core.methods.pair import PAIR_METHODS

    for method in PAIR_METHODS:
        said = run("pair", "a.fa", "a.fa", "--method", method, "--plan", check=False)
        assert "ModuleNotFoundError" not in said.stderr + said.stdout
        assert said.returncode in (0, 1)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="about the library path of Linux")
@pytest.mark.parametrize("before", [None, "/opt/lib"])
def test_other_programs_do_not_get_the_bundled_libraries(repository, monkeypatch, before):
    monkeypatch.setenv("LD_LIBRARY_PATH", "/bundled")
    if before is not None:
        monkeypatch.setenv("LD_LIBRARY_PATH_ORIG", before)
    runpy.run_path(str(repository / "packaging" / "release" / "hooks" / "runtime_environment.py"))
    assert os.environ.get("LD_LIBRARY_PATH") == before


def test_window_opens_and_closes(run):
    run(SWGUI_QUIT_AFTER="1")
