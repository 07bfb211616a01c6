import json

import pytest

from swgui.core.plain import plain, replace
from swgui.core.sweep.grid import Axis, Cell, SweepKey, SweepResult
from swgui.core.sweep.report import as_json, from_json
from swgui.engines.digest import kernels_digest
from swgui.io.tuning import earlier_sweeps, forget_sweeps, load_in_use, stale, use_settings
from swgui.io.whole_file import FileNotWritten

KEY = SweepKey("cuda", "GPU-1", "580.1", "abc", 25, "256-383")
OTHER = SweepKey("cuda", "GPU-1", "580.1", "abc", 25, "384-511")
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


def keep_as_before_0_2(path, *entries):
    """Write sweeps, each with the settings that were chosen, as versions before 0.2 did."""
    path.parent.mkdir(exist_ok=True)
    kept = [{"sweep": as_json(sweep), "chosen": chosen} for sweep, chosen in entries]
    path.write_text(json.dumps({"format": 1, "entries": kept}))


def chosen(path):
    return [entry.settings for entry in load_in_use(path)]


def test_a_sweep_comes_back_as_it_was():
    again = from_json(json.loads(json.dumps(as_json(result()))))
    assert as_json(again) == as_json(result())
    assert again.best.use["registers"] == 40


def test_one_choice_for_each_key(path):
    use_settings(KEY, {"threads": "64"}, path)
    use_settings(OTHER, {"threads": "128"}, path)
    use_settings(KEY, {"blocks": "64"}, path)
    assert chosen(path) == [{"blocks": "64"}, {"threads": "128"}]
    assert [entry.key for entry in load_in_use(path)] == [KEY, OTHER]
    use_settings(KEY, None, path)
    assert chosen(path) == [{"threads": "128"}]


def test_sweeps_of_earlier_versions_stay_until_they_are_handed_over(path):
    later = result(OTHER, made="2026-02-01T10:00:00+00:00")
    nothing = replace(result(), cells={place: Cell(place) for place in result().cells})
    keep_as_before_0_2(path, (later, None), (result(), {"threads": "64"}), (nothing, None))
    assert chosen(path) == [{"threads": "64"}]
    use_settings(OTHER, {"threads": "128"}, path)
    assert chosen(path) == [{"threads": "128"}, {"threads": "64"}]
    assert [as_json(sweep) for sweep in earlier_sweeps(path)] == [as_json(result()), as_json(later)]
    forget_sweeps(path)
    assert earlier_sweeps(path) == ()
    assert chosen(path) == [{"threads": "128"}, {"threads": "64"}]


def test_another_driver_or_kernel_makes_it_stale():
    assert stale(KEY, KEY) == ""
    newer = SweepKey("cuda", "GPU-1", "590", "abc", 25, "256-383")
    assert stale(KEY, newer) == "It was made with driver 580.1; now it is 590."
    assert "another version" in stale(KEY, SweepKey("cuda", "GPU-1", "580.1", "xyz", 25, "256-383"))


@pytest.mark.parametrize(
    "text",
    ["", "{", "[]", '{"format": 9, "entries": []}', '{"format": 1, "entries": 3}', '{"format": 2, "in_use": {}}'],
)
def test_a_damaged_file_counts_as_none(path, text):
    path.parent.mkdir()
    path.write_text(text)
    assert load_in_use(path) == ()
    assert earlier_sweeps(path) == ()
    use_settings(KEY, {"threads": "64"}, path)
    assert chosen(path) == [{"threads": "64"}]


def test_a_damaged_entry_does_not_take_the_others_along(path):
    keep_as_before_0_2(path, (result(), {"threads": "64"}))
    stored = json.loads(path.read_text())
    good = stored["entries"][0]
    for change in ({"cells": [{"place": "1"}]}, {"axes": []}, {"key": {"engine": "cuda"}}, {"seconds": "long"}):
        stored["entries"].append({"sweep": {**good["sweep"], **change}, "chosen": None})
    path.write_text(json.dumps(stored))
    assert len(earlier_sweeps(path)) == 1
    entries = [{"key": plain(KEY), "settings": {"threads": "64"}}, {"key": 3}, {"settings": {}}, "x"]
    path.write_text(json.dumps({"format": 2, "in_use": entries}))
    assert chosen(path) == [{"threads": "64"}]


def test_a_folder_that_cannot_be_made_is_explained(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(FileNotWritten, match="cannot be written"):
        use_settings(KEY, {}, tmp_path / "file" / "tuning.json")


def test_the_digest_is_of_the_kernels():
    assert len(kernels_digest(kernels=True)) == 32
    assert kernels_digest(kernels=True) != kernels_digest(kernels=False)
