import json

import pytest

from swgui.core.plain import replace
from swgui.core.sweep.grid import Axis, Cell, SweepKey, SweepResult
from swgui.io.tuning import Tuned, as_json, keep_sweep, kernels_digest, load_tuned, use_settings
from swgui.io.whole_file import FileNotWritten

KEY = SweepKey("cuda", "GPU-1", "580.1", "abc", 25, "256-383")
THREADS = Axis("threads", "Threads per block", "threads", ("64", "128", "256"))


def result(key=KEY, axes=(THREADS,), made="2026-01-01T10:00:00+00:00"):
    use = {"threads": 64, "registers": 40}
    cells = [
        Cell(("64",), "measured", (1.5, 2.0), (1.0, 1.5), "", 100, 0, 1980.0, 60.0, False, use, {"threads": "64"}),
        Cell(("128",), "impossible", reason="No room."),
        Cell(("256",), "wrong", compared=100, differing=3),
    ]
    return SweepResult(
        axes, {cell.place: cell for cell in cells}, cells[0], None, key, "GPU", 350, 1000, 10, "db", {"method": "simt"},
        True, made, False, 12.5,
    )  # fmt: skip


@pytest.fixture
def path(tmp_path):
    return tmp_path / "folder" / "tuning.json"


def chosen(path):
    return [tuned.chosen for tuned in load_tuned(path) if tuned.chosen is not None]


def test_a_sweep_comes_back_as_it_was(path):
    keep_sweep(result(), path)
    (tuned,) = load_tuned(path)
    assert as_json(tuned.result) == as_json(result())
    assert tuned.result.best.use["registers"] == 40
    assert tuned.chosen is None


def test_a_later_sweep_of_the_same_axes_replaces_an_earlier_one_and_keeps_what_was_chosen(path):
    keep_sweep(result(), path)
    use_settings(result(), {"threads": "64"}, path)
    keep_sweep(result(made="2026-02-01T10:00:00+00:00"), path)
    (tuned,) = load_tuned(path)
    assert tuned.result.made.startswith("2026-02")
    assert tuned.chosen == {"threads": "64"}
    assert chosen(path) == [{"threads": "64"}]


def test_one_choice_for_each_key(path):
    other = result(axes=(Axis("blocks", "Blocks", "", ("64", "128", "256")),))
    keep_sweep(result(), path)
    keep_sweep(other, path)
    use_settings(result(), {"threads": "64"}, path)
    use_settings(other, {"blocks": "64"}, path)
    assert chosen(path) == [{"blocks": "64"}]
    use_settings(other, None, path)
    assert chosen(path) == []
    assert len(load_tuned(path)) == 2


def test_another_driver_or_kernel_makes_it_stale(path):
    tuned = Tuned(result())
    assert tuned.stale(KEY) == ""
    newer = SweepKey("cuda", "GPU-1", "590", "abc", 25, "256-383")
    assert tuned.stale(newer) == "It was made with driver 580.1; now it is 590."
    assert "another version" in tuned.stale(SweepKey("cuda", "GPU-1", "580.1", "xyz", 25, "256-383"))


@pytest.mark.parametrize("text", ["", "{", "[]", '{"format": 9, "entries": []}', '{"format": 1, "entries": 3}'])
def test_a_damaged_file_counts_as_none(path, text):
    path.parent.mkdir()
    path.write_text(text)
    assert load_tuned(path) == ()
    keep_sweep(result(), path)
    assert len(load_tuned(path)) == 1


def test_a_damaged_entry_does_not_take_the_others_along(path):
    keep_sweep(result(), path)
    stored = json.loads(path.read_text())
    good = stored["entries"][0]
    for change in ({"cells": [{"place": "1"}]}, {"axes": []}, {"key": {"engine": "cuda"}}, {"seconds": "long"}):
        stored["entries"].append({"sweep": {**good["sweep"], **change}, "chosen": None})
    path.write_text(json.dumps(stored))
    assert len(load_tuned(path)) == 1


def test_a_folder_that_cannot_be_made_is_explained(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(FileNotWritten, match="cannot be written"):
        keep_sweep(result(), tmp_path / "file" / "tuning.json")


def test_the_digest_is_of_the_kernels():
    assert len(kernels_digest(kernels=True)) == 32
    assert kernels_digest(kernels=True) != kernels_digest(kernels=False)


def test_a_sweep_that_found_nothing_is_not_kept_nor_listed(path):
    nothing = replace(result(), cells={place: Cell(place) for place in result().cells})
    keep_sweep(result(), path)
    keep_sweep(nothing, path)
    assert [as_json(tuned.result) for tuned in load_tuned(path)] == [as_json(result())]
    stored = json.loads(path.read_text())
    stored["entries"].append({"sweep": as_json(nothing), "chosen": None})  # as versions before 0.2 did
    path.write_text(json.dumps(stored))
    assert len(load_tuned(path)) == 1
