"""The benchmark of long pairs: its pairs, the papers' figures, and its table."""

from __future__ import annotations

import json

import numpy as np
import pytest
from speed.data import DataMissing
from speed.pairs import command as pairs
from speed.pairs.measure import PairTime, Run, artificial_pair, genome_pair, time_pair
from speed.pairs.published import MILLISECONDS, SQUARES, TABLE_4, published

from swgui.core.engines import EngineOptions
from swgui.core.errors import EngineFault
from swgui.core.pair.problem import PairEnd
from swgui.engines.base import DeviceInfo, EngineStatus
from swgui.engines.rowscan import local_end


def test_published_times_by_method_size_and_settings():
    assert published("striped-score", (100_000, 100_000), 1900) == 1543.1
    assert published("striped-score", (5103, 7168), 1024) is None
    assert published("striped-align", (20860, 29120), 256) == 1952.6
    assert published("chunked-align-1", (20860, 29120), 410, 128) == 602.7
    assert published("chunked-align-2", (10430, 14560), 64, 64) == 817.0
    # The best of all its tables; its text says 7.1 GCUPS.
    best = max(m * n / time / 1e6 for (_, (m, n), _, _), time in MILLISECONDS.items())
    assert best == pytest.approx(6.48, abs=0.01)
    assert max(SQUARES) == (100_000, 100_000)
    assert all(line.below < line.smallest < line.above for line in TABLE_4 if line.card == "K5200")


def test_artificial_pairs_are_related_and_always_the_same():
    one, other = artificial_pair(500, 800), artificial_pair(500, 800)
    assert np.array_equal(one.subject, other.subject)
    assert one.size == (500, 800)
    scheme = pairs.nucleotide_scheme()
    end = local_end(scheme.matrix.scores[one.query], one.subject, scheme.gap_first, scheme.gap_extend)
    assert 500 < end.score < 1000


def test_a_timed_pair_has_score_settings_and_phases():
    pair = artificial_pair(300, 400)
    run = time_pair(pair, pairs.nucleotide_scheme(), "cpu", EngineOptions(threads=1), aligned=True, repeats=1)
    assert run.alignment is not None
    assert run.end.score == run.alignment.score > 300
    assert run.seconds > 0


def test_methods_must_agree(tmp_path):
    bench = pairs.Bench(tmp_path, (), 1, ("cpu",), quick=True)
    pair = artificial_pair(60, 80)
    line = bench.time("sizes", pair, "cpu", {}, aligned=False, published_ms=3.5)
    assert line.score > 0
    assert line.published_ms == 3.5
    key = next(iter(bench.ends))
    bench.ends[key] = PairEnd(line.score + 1, 1, 1)
    with pytest.raises(EngineFault, match="cpu"):
        bench.time("sizes", pair, "cpu", {}, aligned=False)


def test_rows_of_the_table():
    line = PairTime("sizes", "a x b", 1000, 2000, "striped-score", False, {"strip": "64"}, 0.001, {"phase 1": 0.0005})
    text = pairs.row(line)
    assert "strip 64" in text
    assert "| 2.0 |" in text
    assert text.count("|") == pairs.heading().splitlines()[0].count("|")
    refused = PairTime("sizes", "a x b", 1, 2, "tiled", False, problem="Too long.")
    assert "Too long." in pairs.row(refused)
    assert pairs.row(refused).count("|") == text.count("|")


def test_devices_are_added_up_to_all_there_are(tmp_path, monkeypatch):
    given = tuple(DeviceInfo(str(number), "card") for number in range(6))
    monkeypatch.setattr(pairs, "probe", lambda name: EngineStatus(name, available=True, devices=given))
    monkeypatch.setattr(pairs, "QUICK_SIZE", (50, 60))
    asked = []

    def timed(pair, scheme, method, options, *, aligned, repeats):
        asked.append((options.devices, aligned))
        return Run(PairEnd(7, 5, 6), None, 1, {}, {}, 0.5, len(options.devices))

    monkeypatch.setattr(pairs, "time_pair", timed)
    lines = list(pairs.time_devices(pairs.Bench(tmp_path, (), 1, ("wavefront",), quick=True)))
    assert [line.devices for line in lines] == [1, 1, 2, 2, 4, 4, 6, 6]
    assert [line.aligned for line in lines] == [False, True] * 4
    assert asked[3:6] == [(("0", "1"), True), (("0", "1"), False), (("0", "1"), True)]
    assert "| 6 devices, " in pairs.row(lines[-1])
    assert "| 1 device, " in pairs.row(lines[0])


def test_missing_genomes_are_named(tmp_path):
    with pytest.raises(DataMissing, match=r"MT-human\.fa"):
        genome_pair(tmp_path, "mitochondria", "MT-human.fa", "MT-chimp.fa")
    lines = list(pairs.time_genomes(pairs.Bench(tmp_path, (), 1, ("cpu",), quick=True)))
    assert len(lines) == len(pairs.GENOMES)
    assert all("is missing" in line.problem for line in lines)


def test_without_a_gpu_the_reason_is_said(monkeypatch, capsys):
    monkeypatch.setattr(pairs, "probe", lambda _: EngineStatus("cuda", False, reason="No GPU.", hint="Buy one."))
    assert pairs.main(["--pairs", "--quick"]) == 1
    assert "No GPU. Buy one." in capsys.readouterr().err


def test_figures_are_written_and_unknown_methods_refused(monkeypatch, capsys, tmp_path):
    from swgui.engines.base import DeviceInfo

    status = EngineStatus("cuda", True, devices=(DeviceInfo("0", "card"),))
    monkeypatch.setattr(pairs, "probe", lambda _: status)
    monkeypatch.setattr(pairs, "PARTS", {"genomes": pairs.time_genomes})
    target = tmp_path / "figures.json"
    assert pairs.main(["--pairs", "--only", "cpu", "--data", str(tmp_path), "--json", str(target)]) == 0
    assert len(json.loads(target.read_text(encoding="utf-8"))["measurements"]) == len(pairs.GENOMES)
    assert pairs.main(["--pairs", "--only", "magic"]) == 2
    assert "no pair method 'magic'" in capsys.readouterr().err
