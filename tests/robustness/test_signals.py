"""A program that gets a signal to end, or is killed, while it works."""

import os
import signal
import time

import pytest

from swgui.io.whole_file import save_bytes, staged, whole_file
from tests.robustness.command import begin

pytestmark = pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
@pytest.mark.sampled(1)
def test_what_was_scored_is_kept(tmp_path, rng, number):
    residues = "".join(rng.choice(list("ACDEFGHIKLMNPQRSTVWY"), 120_000))
    for name, length, end in (("q.fa", 200, 40_000), ("d.fa", 60, 120_000)):
        records = (f">{name}{at}\n{residues[at : at + length]}\n" for at in range(0, end, length))
        (tmp_path / name).write_text("".join(records))
    arguments = ("search", "-q", "q.fa", "-d", "d.fa", "--engine", "reference", "--history", "kept", "-o", "hits.tsv")
    with begin(tmp_path, *arguments, preexec_fn=_listen) as process:
        while process.poll() is None and not _journals(tmp_path):
            time.sleep(0.05)
        process.send_signal(number)
        stderr = process.communicate(timeout=120)[1].decode()
    assert process.returncode == 128 + number, stderr
    assert "stopped" in stderr
    assert "Traceback" not in stderr
    assert (tmp_path / "hits.tsv").read_text().startswith("rank\t")
    assert not list(tmp_path.glob(".*.part"))


def _handle(number, handler):
    signal.signal(number, handler)


def _listen():
    """Let signals through that the user who runs the tests may have switched off, as nohup does."""
    _handle(signal.SIGINT, signal.default_int_handler)
    _handle(signal.SIGHUP, signal.SIG_DFL)


def _journals(folder):
    """Return the journals of runs that have begun to score."""
    return [path for path in folder.glob("* of the program/**/*.journal") if path.stat().st_size > 100_000]


def test_a_signal_that_is_switched_off_stays_so(tmp_path):
    (tmp_path / "q.fa").write_text(">q\nMKTAYIAKQRQISFVKSHFSRQ\n")
    arguments = ("search", "-q", "q.fa", "-d", "q.fa")
    with begin(tmp_path, *arguments, preexec_fn=lambda: _handle(signal.SIGHUP, signal.SIG_IGN)) as process:
        while process.poll() is None:
            process.send_signal(signal.SIGHUP)
            time.sleep(0.05)
        assert process.returncode == 0


def test_what_a_killed_program_left_is_removed_by_the_next(tmp_path):
    left, other = tmp_path / ".hits.tsv.0123456789ab.part", tmp_path / ".other.tsv.0123456789ab.part"
    for path in (left, other):
        path.write_bytes(b"half")
        os.utime(path, (1, 1))
    folder = tmp_path / ".hits.tsv.ba9876543210.part"  # of a file that is made in two steps
    folder.mkdir()
    (folder / "hits.tsv").write_bytes(b"first step")
    os.utime(folder, (1, 1))
    save_bytes(tmp_path / "hits.tsv", lambda file: file.write(b"whole"))
    assert (tmp_path / "hits.tsv").read_bytes() == b"whole"
    assert sorted(tmp_path.iterdir()) == [other, tmp_path / "hits.tsv"]


def test_a_file_made_in_two_steps_leaves_no_folder_and_is_left_alone_meanwhile(tmp_path):
    target = tmp_path / "hits.tsv"
    with staged(target) as first:
        first.write_bytes(b"first step")
        os.utime(first.parent, (1, 1))
        save_bytes(target, lambda file: file.write(b"fast"))
        assert first.read_bytes() == b"first step"
    assert list(tmp_path.iterdir()) == [target]


def test_another_writer_of_the_same_target_is_left_alone(tmp_path):
    target = tmp_path / "hits.tsv"
    with whole_file(target) as slow:
        slow.write(b"slow")
        slow.flush()
        (part,) = tmp_path.glob(".hits.tsv.*.part")
        os.utime(part, (1, 1))
        save_bytes(target, lambda file: file.write(b"fast"))
        assert target.read_bytes() == b"fast"
    assert target.read_bytes() == b"slow"
