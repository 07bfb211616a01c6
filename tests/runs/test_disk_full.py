"""A full disk: the search still gives its result, says so, and leaves nothing half-written."""

import threading

import pytest

from swgui.core.plain import replace
from swgui.io.database.build import save_database
from swgui.io.saved.search import load_search, save_search
from swgui.io.whole_file import FileNotWritten
from swgui.runs import Runs
from tests.asking import altered, answer
from tests.io.saved.saved_searches import assert_same, protein_request
from tests.io.test_disk_full import small_disk  # noqa: F401 - a fixture


@pytest.fixture(autouse=True)
def no_spare_space(user_folders, trusted_engines, monkeypatch):
    monkeypatch.setattr("swgui.io.saved.score_log.SPARE_BYTES", 0)


@pytest.fixture
def request_on_disk(tmp_path):
    request = protein_request(subjects=3000, length=20)
    save_database(request.database, tmp_path / "p.swdb")
    return altered(request, database=tmp_path / "p.swdb", top=3000, max_evalue=1e9)


def fill(folder, left):
    (folder / "filler").write_bytes(bytes((1 << 20) - left))


@pytest.mark.parametrize("left", [0, 4096, 24_576, 49_152])
def test_a_run_on_a_full_disk(small_disk, request_on_disk, left):  # noqa: F811
    (small_disk / "runs").mkdir()
    fill(small_disk, left)
    history = Runs(small_disk / "runs")
    result = list(history.run("search", request_on_disk, threading.Event()))[-1].outcome
    whole = answer(request_on_disk)
    assert_same(whole, replace(result, seconds=whole.seconds, finished_at=whole.finished_at, message=""))
    assert "could not be kept" in result.message
    assert not [path for path in history.folder.iterdir() if path.suffix in (".swgui", ".part", ".json")]
    (small_disk / "filler").unlink()
    for record in history.list():  # earlier scores are still there, if there was room for them
        assert record.state == "interrupted"
        again = list(history.run("search", history.resume(record.id), threading.Event()))[-1].outcome
        assert_same(whole, replace(again, seconds=whole.seconds, finished_at=whole.finished_at))
    assert all(record.state == "done" for record in history.list())


def test_an_older_saved_search_survives(small_disk, request_on_disk):  # noqa: F811
    old = answer(protein_request())
    target = small_disk / "a.swgui"
    save_search(old, target)
    fill(small_disk, 40_000)
    with pytest.raises(FileNotWritten, match=r"no space left for 'a\.swgui'"):
        save_search(answer(request_on_disk), target)
    assert_same(old, load_search(target).result)
    assert sorted(path.name for path in small_disk.iterdir()) == ["a.swgui", "filler"]
