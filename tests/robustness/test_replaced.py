"""A replaced file stays for those who could read it; links in a circle give an error."""

import ctypes
import os
import stat
import sys

import pytest

import swgui
from tests.robustness.command import sentences
from tests.robustness.command import swgui as command

pytestmark = pytest.mark.skipif(os.name == "nt", reason="modes and links of POSIX")
SEARCH = ("search", "-q", "q.fa", "-d", "q.fa", "--engine", "reference")
CIRCLE = "'circle' is a link that leads round in a circle."


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "q.fa").write_text(">q\nMKTAYIAKQRQISFVKSHFSRQLEERLG\n")
    (tmp_path / "circle").symlink_to("around")
    (tmp_path / "around").symlink_to("circle")
    (tmp_path / "circle.swdb").symlink_to("circle.swdb")
    return tmp_path


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


def begin_as(path, number):
    path.write_text("before")
    path.chmod(number)


@pytest.fixture
def usual_umask():
    before = os.umask(0o027)
    yield
    os.umask(before)


@pytest.mark.parametrize("number", [0o600, 0o640, 0o664])
def test_an_output_keeps_the_mode_of_what_it_replaces(folder, usual_umask, number):
    names = ["h.tsv", "h.json", "h.xlsx", "r.swgui", "d.swdb", "a.sto"]
    for name in names:
        begin_as(folder / name, number)
    hits = swgui.search(folder / "q.fa", folder / "q.fa", engine="reference")
    for name in names[:3]:
        hits.write(folder / name)
    hits.save(folder / "r.swgui")
    swgui.Database.build(folder / "q.fa", folder / "d.swdb")
    swgui.msa(folder / "q.fa", folder / "q.fa", engine="reference").write(folder / "a.sto")
    assert {name: mode(folder / name) for name in names} == dict.fromkeys(names, number)
    assert all((folder / name).read_bytes() != b"before" for name in names)


def test_a_new_output_has_the_mode_of_the_umask(folder, usual_umask):
    swgui.search(folder / "q.fa", folder / "q.fa", engine="reference").write(folder / "new.tsv")
    assert mode(folder / "new.tsv") == 0o640


def test_while_it_is_written_nobody_else_can_read_what_replaces_a_private_file(tmp_path):
    from swgui.io.whole_file import whole_file

    begin_as(tmp_path / "a", 0o600)
    with whole_file(tmp_path / "a") as file:
        file.write(b"secret")
        assert [mode(path) for path in tmp_path.glob(".a.*")] == [0o600]


@pytest.mark.parametrize(
    "arguments",
    [
        (*SEARCH, "-o", "circle"),
        (*SEARCH, "--save", "circle"),
        ("pair", "q.fa", "q.fa", "-o", "circle"),
        ("makedb", "q.fa", "-o", "circle.swdb"),
        ("show", "r.swgui", "-o", "circle"),
    ],
)
def test_an_output_through_a_circle_of_links_is_refused(folder, arguments, typed):
    if arguments[0] == "show":
        assert typed(*SEARCH, "--save", "r.swgui").status == 0
    ended = typed(*arguments)
    assert ended.status in (1, 2)
    assert "is a link that leads round in a circle." in ended.err
    assert (folder / "circle").is_symlink()
    assert (folder / "circle.swdb").is_symlink()


def test_the_library_says_so_too(folder):
    hits = swgui.search(folder / "q.fa", folder / "q.fa", engine="reference")
    with pytest.raises(swgui.FileNotWritten, match="leads round in a circle"):
        hits.save(folder / "circle")


def _without_privileges():
    """Let root, too, be refused what the mode of a file does not allow."""
    for right in (1, 2):  # CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH
        ctypes.CDLL(None).prctl(24, right)  # PR_CAPBSET_DROP


@pytest.mark.skipif(sys.platform != "linux", reason="rights of Linux")
@pytest.mark.parametrize(
    ("verb", "name"),
    [
        ("info", "n.swdb"),
        ("info", "n.fa"),
        ("show", "n.swgui"),
        ("show", "n"),
        ("verify", "n.swgui"),
        ("info", "n.pdb"),
    ],
)
def test_a_file_that_may_not_be_read_is_said(folder, verb, name):
    begin_as(folder / name, 0o000)
    ended = command(folder, verb, name, preexec_fn=_without_privileges)
    assert (ended.returncode, ended.stdout) == (1, b"")
    assert f"'{name}' may not" in sentences(ended)
