"""Every kind of search, saved: each command that takes a saved search takes it."""

import shutil

import pytest

from tests.modes import MODES, run, search, write_files

pytestmark = pytest.mark.usefixtures("user_folders", "trusted_engines")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("modes")
    write_files(folder)
    return folder


@pytest.mark.parametrize("mode", MODES)
def test_every_score_of_a_saved_search_is_found_again(folder, tmp_path, capsys, mode):
    file = tmp_path / "saved.swgui"
    assert search(mode, folder, "--save", file, "-o", tmp_path / "hits.tsv") == 0
    assert len((tmp_path / "hits.tsv").read_text().splitlines()) > 1
    capsys.readouterr()
    assert run("verify", file, "--engine", "cpu") == 0
    assert "scores are the same on" in capsys.readouterr().out


@pytest.mark.parametrize("mode", MODES)
def test_without_its_database_the_stored_subjects_of_a_search_are_scored_again(folder, tmp_path, capsys, mode):
    place = tmp_path / "moved"
    shutil.copytree(folder, place)
    file = tmp_path / "saved.swgui"
    assert search(mode, place, "--save", file, "-o", tmp_path / "hits.tsv") == 0
    shutil.rmtree(place)
    for memory in ("cache", "data"):
        shutil.rmtree(tmp_path / "user" / memory, ignore_errors=True)
    assert run("verify", file, "--engine", "cpu") == 0
    assert "scores are the same on" in capsys.readouterr().out
