"""The quick ones of the trials of `packaging/measuring/hostile.py`; full counts stand in docs/dev/robustness.md."""

import os

import pytest

from tests.scripts import load_script

pytestmark = pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")


@pytest.fixture(scope="module")
def hostile(repository):
    return load_script(repository / "packaging" / "measuring" / "hostile.py")


def test_a_changed_checkpoint_is_refused_or_read_as_it_was_written(hostile, tmp_path):
    assert hostile.changed_checkpoints(tmp_path, 1, changes=100).startswith("100 changed files")


def test_scores_above_24_bits_are_the_same_from_all_engines(hostile, tmp_path):
    found = hostile.wide(tmp_path, 1, length=1_100)
    assert "the same from cpu, pair and" in found


def test_a_killed_export_leaves_the_older_file_or_the_new_one(hostile, tmp_path, monkeypatch):
    monkeypatch.setattr(hostile, "FORMATS", ("tsv",))
    assert hostile.killed_export(tmp_path, 1, subjects=200).startswith("1 kills")


def test_two_writers_of_one_file_leave_one_of_the_two(hostile, tmp_path, monkeypatch):
    monkeypatch.setattr(hostile, "FORMATS", ("tsv", "json"))
    assert hostile.two_writers(tmp_path, 1, subjects=200).startswith("1 pairs of writers")
