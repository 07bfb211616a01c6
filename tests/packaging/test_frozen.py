"""The frozen program, where one was built: ``SWGUI_FROZEN`` names its folder (``dist/swgui``)."""

from __future__ import annotations

import os
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
    """Run the frozen program with nothing of this Python in its environment."""
    program = Path(os.environ["SWGUI_FROZEN"]) / ("swgui.exe" if sys.platform == "win32" else "swgui")
    kept = {name: value for name, value in os.environ.items() if name.startswith(("SWGUI_", "QT_", "SYSTEM", "TEMP"))}
    variables = kept | {"HOME": str(tmp_path), "LANG": "C.UTF-8", "PATH": os.defpath}

    def call(*arguments, **more):
        return subprocess.run(
            [program, *arguments],
            env=variables | more,
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=120,
            check=True,
        )

    return call


def test_version(run):
    assert run("--version").stdout.startswith("swgui ")


def test_cpu_engine_has_its_libraries(run):
    output = run("devices").stdout
    assert "pyopal" in output
    assert "parasail" in output


def test_sample_search(run, repository):
    examples = repository / "resources" / "examples"
    files = ["-q", examples / "sample_queries.fasta", "-d", examples / "sample_database.fasta.gz"]
    hits = run("search", *files, "--format", "blast6").stdout.splitlines()
    assert hits[0].split("\t")[:3] == ["sp|P69905|HBA_HUMAN", "sp|P69905|HBA_HUMAN", "100.000"]


def test_window_opens_and_closes(run):
    run(SWGUI_QUIT_AFTER="1")
