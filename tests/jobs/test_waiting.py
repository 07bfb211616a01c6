"""The message before a packed file is searched: its size, and the bottleneck of a pass."""

import re

import numpy as np

from swgui.cli import main
from swgui.core.alphabet import PROTEIN
from swgui.core.database import encode_database
from swgui.core.records import SequenceRecord
from swgui.io.database.packed.build import save_packed
from swgui.io.database.packed.file import PackedFile
from swgui.jobs import waiting
from swgui.jobs.search.estimate import Calibration


def packed(path, count=500):
    letters = np.frombuffer(b"ACDEFGHIKL", np.uint8)
    rng = np.random.default_rng(1)
    some = (SequenceRecord(f"s{n}", "", letters[rng.integers(0, 10, 300)].tobytes()) for n in range(count))
    save_packed(encode_database(some, PROTEIN), path)
    return PackedFile(path)


def calibration(rate):
    return Calibration("cpu", ("CPU",), "", 0.0, 0.0, 0.0, ((100, rate / 4), (400, rate)))


def test_the_slower_of_drive_and_computing_is_named(tmp_path, monkeypatch):
    file = packed(tmp_path / "some.swdb")
    for rate, said in (
        (1.0, "no search waits for the drive"),
        (1e-15, r"wait for the drive, up to [\d,]+ queries at a time"),
    ):
        monkeypatch.setattr(waiting, "all_remembered", lambda rate=rate: (calibration(rate),))
        assert re.search(said, waiting.what_waits(file))
    monkeypatch.setattr(waiting, "all_remembered", lambda: ())
    assert "not known before its first search" in waiting.what_waits(file)


def test_info_says_size_and_where_it_is_held(tmp_path, monkeypatch, capsys):
    packed(tmp_path / "some.swdb")
    assert not main(["info", str(tmp_path / "some.swdb")])
    told = capsys.readouterr().out
    assert re.search(r"on disk +[\d.]+ kB, 0\.\d\d bytes a residue, 1 block; in a search kept in memory", told)
    assert re.search(r"a pass +[\d.e-]+ s from the drive at [\d.]+ [kMG]B/s", told)
    monkeypatch.setattr("swgui.jobs.search.opening.LARGE", 1)
    assert "kept in memory, on a GPU read block by block" in waiting.on_disk(PackedFile(tmp_path / "some.swdb"))
    monkeypatch.setattr("swgui.io.database.packed.opening.memory", lambda: 1000)
    assert "read block by block" in waiting.on_disk(PackedFile(tmp_path / "some.swdb"))
