"""A database file in which a residue changed: no score of it is reported, and none is called the same."""

import json

import numpy as np
import pytest

from swgui.io.database.format import read_header
from tests.robustness.command import sentences, swgui

SEARCH = ("search", "-q", "q.fa", "-d", "d.swdb", "--engine", "reference")


@pytest.fixture
def folder(tmp_path, rng):
    residues = ["".join(rng.choice(list("ACDEFGHIKLMNPQRSTVWY"), 60)) for _ in range(20)]
    (tmp_path / "d.fa").write_text("".join(f">s{at}\n{text}\n" for at, text in enumerate(residues)))
    (tmp_path / "q.fa").write_text(f">q\n{residues[0]}\n")
    assert swgui(tmp_path, "makedb", "d.fa", "-o", "d.swdb").returncode == 0
    return tmp_path


def flip(path):
    """Change one residue, as a bad disk would; the header and the index stay sound."""
    with path.open("r+b") as file:
        section = read_header(file, str(path)).sections["codes"]
        data = np.fromfile(path, dtype=np.uint8)
        file.seek(section.offset + 5)
        file.write(bytes([(int(data[section.offset + 5]) + 1) % 20]))


def test_a_file_just_written_is_known_to_be_right(folder):
    remembered = json.loads((folder / "cache of the program" / "checked.json").read_text())
    assert list(remembered) == [str(folder / "d.swdb")]


def test_a_search_refuses_it(folder):
    flip(folder / "d.swdb")
    ended = swgui(folder, *SEARCH)
    assert ended.returncode == 1
    assert "'d.swdb' is damaged" in sentences(ended)
    assert ended.stdout == b""


def test_a_file_that_was_right_is_read_again_once_it_changed(folder):
    (folder / "cache of the program" / "checked.json").unlink()
    assert swgui(folder, *SEARCH).returncode == 0
    remembered = json.loads((folder / "cache of the program" / "checked.json").read_text())
    assert list(remembered) == [str(folder / "d.swdb")]
    flip(folder / "d.swdb")
    ended = swgui(folder, *SEARCH)
    assert ended.returncode == 1
    assert "'d.swdb' is damaged" in sentences(ended)


def test_verify_looks_at_the_file_first(folder):
    assert swgui(folder, *SEARCH, "--save", "run.swgui").returncode == 0
    flip(folder / "d.swdb")
    ended = swgui(folder, "verify", "run.swgui")
    assert ended.returncode == 1
    assert "'d.swdb' is damaged" in sentences(ended)
    assert b"the same" not in ended.stdout


def test_the_result_says_that_the_content_is_right(folder):
    ended = swgui(folder, *SEARCH, "--format", "json")
    assert json.loads(ended.stdout)["search"]["database_content"] == "agrees with its checksums"
