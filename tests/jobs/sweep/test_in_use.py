"""Settings that sweeps found: the searches that use them, in the window and on the command line."""

from __future__ import annotations

import pytest

from swgui.cli import main
from swgui.core.engines import EngineOptions
from swgui.engines.base import DeviceInfo, EngineStatus
from swgui.io.tuning import use_settings
from swgui.jobs.sweep import in_use as tuned
from swgui.jobs.sweep.in_use import for_search, key_of, why_not_used
from swgui.settings import Settings, save

GPU = DeviceInfo("0", "NVIDIA H200", 1 << 37, facts={"UUID": "GPU-0", "driver": "580.1"})
OTHER = DeviceInfo("1", "NVIDIA H200", 1 << 37, facts={"UUID": "GPU-1", "driver": "580.1"})
CPU = DeviceInfo("cpu", "EPYC")
STATUSES = {
    "cuda": EngineStatus("cuda", True, (GPU, OTHER)),
    "cpu": EngineStatus("cpu", True, (CPU,)),
}
LETTERS = 27


def use(path, engine, device, chosen, length=300, letters=LETTERS):
    """Choose settings for what a sweep on a device holds for."""
    use_settings(key_of(engine, device, letters, length), chosen, path)


@pytest.fixture
def path(tmp_path, monkeypatch):
    monkeypatch.setattr(tuned, "probe", lambda name: STATUSES.get(name, EngineStatus(name, False)))
    monkeypatch.setattr(tuned, "resolve", lambda name: ("cuda", "cpu") if name == "auto" else (name,))
    return tmp_path / "tuning.json"


def test_settings_are_taken_for_the_searches_they_were_found_for(path):
    use(path, "cuda", GPU, {"rows": "22"})

    def taken(engine="auto", options=None, lengths=(300, 350), letters=LETTERS):
        return for_search(engine, options or EngineOptions(), lengths, letters, path)

    options, found = taken()
    assert options.settings == {"rows": "22"}
    assert found.key.query_class == "256-383"
    assert taken("cuda", EngineOptions(devices=("0",)))[0] == EngineOptions(devices=("0",), settings={"rows": "22"})
    for other in (
        {"lengths": (300, 400)},
        {"lengths": ()},
        {"letters": 4},
        {"engine": "cpu"},
        {"engine": "reference"},
        {"options": EngineOptions(devices=("1",))},
        {"options": EngineOptions(devices=("0", "1"))},
        {"options": EngineOptions(settings={"dpx": "off"})},
        {"options": EngineOptions(threads=2)},
    ):
        given = other.get("options", EngineOptions())
        assert taken(**other) == (given, None), other


def test_threads_found_on_the_processor_are_threads(path):
    use(path, "cpu", CPU, {"threads": "4", "chunk_residues": "20000"})
    options, found = for_search("cpu", EngineOptions(), (300,), LETTERS, path)
    assert (options.threads, options.settings) == (4, {"chunk_residues": "20000"})
    assert found.settings["threads"] == "4"


def test_what_does_not_hold_any_more_is_not_taken(path, monkeypatch):
    use(path, "cuda", GPU, {"rows": "22"})
    newer = DeviceInfo("0", "NVIDIA H200", 1 << 37, facts={"UUID": "GPU-0", "driver": "590.2"})
    monkeypatch.setitem(STATUSES, "cuda", EngineStatus("cuda", True, (newer,)))
    assert for_search("auto", EngineOptions(), (300,), LETTERS, path) == (EngineOptions(), None)
    (kept,) = tuned.load_in_use(path)
    assert "it is 590.2" in why_not_used(kept.key, tuple(STATUSES.values()))
    assert why_not_used(kept.key, ()) == "Its device is not in this computer now."


def test_without_anything_kept_no_engine_is_asked(path, monkeypatch):
    monkeypatch.setattr(tuned, "resolve", None)  # would fail if it were called
    assert for_search("auto", EngineOptions(), (300,), LETTERS, path) == (EngineOptions(), None)


def test_a_search_on_the_command_line_takes_and_tells_them(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("SWGUI_CONFIG_DIR", str(tmp_path))
    device = tuned.probe("cpu").devices[0]
    use(None, "cpu", device, {"threads": "1", "chunk_residues": "20000"}, length=8)
    fasta = tmp_path / "few.fasta"
    fasta.write_text(">a\nMKVLAWWH\n>b\nACDEFGHIK\n")
    words = ["search", "-q", str(fasta), "-d", str(fasta), "--engine", "cpu", "--evalue", "1e9"]

    def told(*more):
        assert main([*words, *more]) == 0
        printed = capsys.readouterr()
        assert printed.out
        return printed.out, printed.err

    out, err = told()
    assert "threads 1, chunk_residues 20000" in err
    assert told("--no-tuned") == (out, "")
    assert told("--threads", "2") == (out, "")
    off = Settings()
    off.devices.tuned = False
    save(off)
    assert told() == (out, "")
