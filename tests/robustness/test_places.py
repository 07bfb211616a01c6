"""Places that are none: files where folders should be, full folders for temporary files, headers without an end."""

import os

import pytest

from swgui.io.sequences import parsers
from tests.robustness.command import environment, sentences, swgui

SEARCH = ("search", "-q", "q.fa", "-d", "q.fa", "--engine", "reference", "--composition", "none")


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "file").write_text("no folder")
    (tmp_path / "q.fa").write_text(">q\nMKTAYIAKQRQISFVKSHFSRQLEERLG\n")
    return tmp_path


@pytest.mark.skipif(os.name == "nt", reason="Windows says that there is no such file")
def test_what_is_no_folder_is_named(folder):
    ended = swgui(folder, "search", "-q", "file/a/q.fa", "-d", "q.fa")
    assert (ended.returncode, ended.stdout) == (1, b"")
    assert sentences(ended) == "swgui: 'q.fa' cannot be opened: 'file' is not a folder.\n"
    ended = swgui(folder, *SEARCH, "-o", "file/a/hits.tsv")
    assert ended.returncode == 1
    assert f"'{folder / 'file'}' is not a folder, so 'hits.tsv' cannot be written." in sentences(ended)


def test_folders_of_the_program_that_are_none_keep_no_search_from_its_end(folder):
    below = {f"SWGUI_{name}_DIR": str(folder / "file" / name) for name in ("CONFIG", "CACHE", "DATA")}
    ended = swgui(folder, *SEARCH, "--history", "-o", "hits.tsv", env=environment(folder, **below))
    assert ended.returncode == 0
    wrong = folder / "file"
    assert f"could not be kept: '{wrong}' is not a folder, so '{wrong / 'DATA' / 'runs'}' cannot be made." in sentences(
        ended
    )
    assert (folder / "hits.tsv").read_text().startswith("rank\t")


@pytest.mark.skipif(os.name == "nt", reason="limits of POSIX")
def test_no_space_for_temporary_files_is_not_said_of_the_output(folder, rng):
    import resource

    residues = "".join(rng.choice(list("ACDEFGHIKLMNPQRSTVWY"), 600))
    (folder / "long.fa").write_text(f">long\n{residues}\n")
    (folder / "d.fa").write_text("".join(f">s{at}\n{residues[at % 500 :][:60]}\n" for at in range(2_000)))
    (folder / "room").mkdir()
    most = 1 << 20  # the lines of SAM take more, and the converted database less
    ended = swgui(
        folder,
        *("search", "-q", "long.fa", "-d", "d.fa", "--top", "2000", "--max-hsps", "1", "--composition", "none"),
        *("--format", "sam", "-o", "hits.sam"),
        env=environment(folder, TMPDIR=str(folder / "room")),
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (most, most)),
    )
    assert ended.returncode == 1
    assert f"A temporary file in '{folder / 'room'}' cannot be written: File too large." in sentences(ended)
    assert not (folder / "hits.sam").exists()


def test_a_header_without_an_end_is_one_header(folder):
    (folder / "endless.fa").write_text(f">endless {'a' * 8_000_000}\nMKTAYIAKQRQISFVKSHFSRQLEERLG\n>next\nMKTAYIAK\n")
    ended = swgui(folder, "makedb", "endless.fa", "-o", "endless.swdb")
    assert (ended.returncode, sentences(ended)) == (0, "")
    assert ended.stdout == b"endless.swdb: 2 protein sequences, 36 residues\n"


def test_a_header_in_many_blocks_is_joined_once():
    copied = 0

    class Block(bytes):
        """Counts what is copied when it is joined to what came before it."""

        def __radd__(self, other):
            nonlocal copied
            copied += len(other) + len(self)
            return bytes(other) + bytes(self)

    blocks: list[bytes] = [b"x ", *[Block(b"a" * 1_000)] * 200, Block(b"\nACGT")]
    assert parsers.cut(1, blocks) == (1, b"x " + b"a" * 200_000, b"ACGT")
    assert copied < 3 * 200_000
