import json
import threading

import pytest

from swgui.core.engines import EngineOptions, SpeedSamples
from swgui.core.errors import EngineUnavailable
from swgui.core.plain import replace
from swgui.engines import registry
from swgui.engines.base import DeviceInfo, EngineStatus, KernelUse
from swgui.engines.registry import AUTO, installed
from swgui.io.whole_file import FileNotWritten
from swgui.jobs.events import Stage
from swgui.jobs.search import calibration, estimate
from swgui.jobs.search.calibration import calibrate
from swgui.jobs.search.estimate import Calibration, learn, remember, remembered, shift_times

CALIBRATION = Calibration("cuda", ("GPU",), "abc", 0.5, 0.001, 1e-9, ((50, 1e-10), (200, 2e-10), (800, 8e-10)))
CPU = EngineStatus("cpu", True, (DeviceInfo("cpu", "Test CPU", facts={"cores": "16"}),))


@pytest.fixture
def engine(monkeypatch):
    """Let the engine 'cpu' take exactly what a model says."""
    monkeypatch.setattr(registry, "probe", lambda name: CPU)

    def seconds(request, cancel):
        residues = request.database.residues
        scans = [len(q.residues) * residues * 1e-11 + residues * 2e-10 + 0.003 for q in request.queries]
        return 0.02 + 5e-9 * residues + sum(scans)

    monkeypatch.setattr(calibration, "time_of", seconds)


def use_samples(monkeypatch, samples):
    """Measure every engine with these searches."""
    found = {name: replace(engine, samples=samples) for name, engine in registry.installed().items()}
    monkeypatch.setattr(registry, "installed", lambda: found)


def last(events):
    return list(events)[-1]


def test_what_a_search_takes():
    whole = 0.5 + 1e-9 * 1e9 + 2 * (0.001 + 1e9 * 2e-10)
    assert CALIBRATION.seconds([200, 200], 10**9) == pytest.approx(whole)
    assert CALIBRATION.rate(50) == 1e-10
    assert CALIBRATION.rate(100) == pytest.approx(2**0.5 * 1e-10)
    assert CALIBRATION.rate(8000) == pytest.approx(8e-9)  # beyond what was measured: in proportion
    assert 0 < CALIBRATION.rate(1) < 1e-10
    one = Calibration("cuda", (), "", 0, 0, 0, ((100, 1e-9),))
    assert (one.rate(10), one.rate(200)) == (1e-9, 2e-9)


def test_a_calibration_finds_the_numbers_of_the_engine(engine):
    events = list(calibrate("cpu", EngineOptions(), threading.Event()))
    assert all(isinstance(event, Stage) for event in events[:-1])
    found = events[-1]
    assert found.devices == ("Test CPU",)
    for lengths, residues in (([50], 3_000_000), ([350] * 20, 200_000_000), ([5000], 40_000_000), ([120, 700], 10**8)):
        true = 0.02 + 5e-9 * residues + sum(n * residues * 1e-11 + residues * 2e-10 + 0.003 for n in lengths)
        assert found.seconds(lengths, residues) == pytest.approx(true, rel=0.15)


def test_long_subjects_beside_which_nothing_runs_are_found(engine, monkeypatch):
    # As on a GPU: a scan cannot take less than its longest subject, and after the last query nothing fills the card.
    def seconds(request, cancel):
        residues, lengths = request.database.residues, [len(q.residues) for q in request.queries]
        return 0.02 + 2e-5 * max(lengths) + sum(0.001 + max(n * residues * 1e-12, 4e-6 * n) for n in lengths)

    monkeypatch.setattr(calibration, "time_of", seconds)
    use_samples(monkeypatch, SpeedSamples(1_000_000, 20_000_000, (50, 200, 800, 3200)))
    found = last(calibrate("cpu", EngineOptions(), threading.Event()))
    assert found.alone == pytest.approx(2e-5)
    assert found.least == pytest.approx(4e-6, rel=0.1)
    for lengths, residues in (([5000], 2_000_000), ([50], 10**8), ([500] * 20, 1_000_000), ([3000] * 9, 10**8)):
        true = 0.02 + 2e-5 * max(lengths) + sum(0.001 + max(n * residues * 1e-12, 4e-6 * n) for n in lengths)
        assert found.seconds(lengths, residues) == pytest.approx(true, rel=0.15)


def test_what_cannot_be_is_taken_out_of_rates():
    assert calibration.smoothed((50, 200, 800), (1e-20, 2e-10, 1e-10), 1) == pytest.approx([0.25e-10 / 4, 2e-10, 2e-10])
    assert calibration.smoothed((50, 200), (1e-10, 2e-10), 1) == [1e-10, 2e-10]
    # Shared memory holds more threads for a short query: 3,200 GCUPS with 200 residues, 930 with 900.
    measured = (200 / 3.2e12, 900 / 0.93e12)
    assert calibration.smoothed((200, 900), measured, calibration.SHORT_FASTER) == list(measured)


def test_lengths_are_divided_where_a_method_gives_way(monkeypatch):
    asked = []

    def use(name, options, queries, scheme):
        asked.append(len(queries[0]))
        method = "shared" if len(queries[0]) <= 908 else "streaming"
        return (KernelUse("0", method, method, 32, 1, 40, 0),)

    monkeypatch.setattr(registry, "kernel_use", use)
    options = EngineOptions(settings={"method": "shared"})
    first, second = calibration.runs_of("cuda", options, None, (50, 200, 800, 3200))
    assert first[:3] == (50, 200, 800)
    assert second[-1] == 3200
    assert 0.98 * 908 <= first[-1] <= 908 < second[0] <= 1.02 * 908
    assert len(asked) < 16
    assert calibration.runs_of("cuda", options, None, (50, 200)) == [(50, 200)]
    asked.clear()
    assert calibration.runs_of("cuda", EngineOptions(), None, (50, 3200)) == [(50, 3200)]
    assert not asked


def test_every_list_of_settings_is_measured_by_itself(engine, tmp_path):
    path = tmp_path / "calibrations.json"
    simt = EngineOptions(settings={"method": "simt", "threads": "64", "memory_mib": "900"})
    remember(last(calibrate("cpu", EngineOptions(), threading.Event())), path)
    assert remembered("cpu", simt, path) is None
    remember(last(calibrate("cpu", EngineOptions(settings={"dpx": "off"}), threading.Event())), path)
    assert remembered("cpu", EngineOptions(settings={"dpx": "off", "rows": "auto"}), path).settings == (("dpx", "off"),)
    assert remembered("cpu", EngineOptions(threads=1), path) is None
    # The name of the engine's own choice is no setting, nor is its limit of memory.
    assert remembered("cpu", EngineOptions(settings={"method": "streaming", "memory_mib": "9"}), path).settings == ()
    assert estimate.settings_of(simt) == (("method", "simt"), ("threads", "64"))


def test_the_newest_calibrations_are_kept(tmp_path, monkeypatch):
    monkeypatch.setattr(estimate, "MAX_KEPT", 3)
    path = tmp_path / "calibrations.json"
    for day in range(5):
        remember(replace(CALIBRATION, settings=(("rows", str(day)),), made=f"2026-11-0{day + 1}"), path)
    kept = json.loads(path.read_text())["calibrations"]
    assert [one["made"] for one in kept] == ["2026-11-03", "2026-11-04", "2026-11-05"]


def test_noise_makes_no_number_negative(engine, monkeypatch):
    times = iter([0.5, 0.1, 0.3, 0.2, 0.4, 0.3, 0.2, 0.1, 0.1, 0.05])
    monkeypatch.setattr(calibration, "time_of", lambda request, cancel: next(times))
    found = last(calibrate("cpu", EngineOptions(), threading.Event()))
    assert min(found.start, found.per_query, found.cold) >= 0
    assert all(rate > 0 for _, rate in found.rates)
    assert found.seconds([300], 10**8) > 0


def test_a_calibration_can_be_stopped(monkeypatch):
    cancel = threading.Event()
    cancel.set()
    monkeypatch.setattr(calibration, "search_steps", lambda request, cancel: iter(()))
    assert not any(isinstance(event, Calibration) for event in calibrate("cpu", EngineOptions(), cancel))


def test_it_is_remembered_until_something_changes(engine, tmp_path, monkeypatch):
    path = tmp_path / "new" / "calibrations.json"
    assert remembered("cpu", EngineOptions(), path) is None
    found = last(calibrate("cpu", EngineOptions(), threading.Event()))
    remember(found, path)
    assert remembered("cpu", EngineOptions(), path) == found
    assert remembered("cpu", EngineOptions(devices=("cpu",)), path) == found
    other = EngineStatus("cpu", True, (DeviceInfo("cpu", "Test CPU", facts={"cores": "8"}),))
    monkeypatch.setattr(registry, "probe", lambda name: other)
    assert remembered("cpu", EngineOptions(), path) is None


@pytest.mark.parametrize("change", [{"rates": []}, {"cold": -1}, {"factor": 0}, {"start": "x"}, {"rates": [[0, 1]]}])
def test_an_impossible_number_counts_as_not_measured(engine, tmp_path, change):
    path = tmp_path / "calibrations.json"
    remember(last(calibrate("cpu", EngineOptions(), threading.Event())), path)
    stored = json.loads(path.read_text())
    stored["calibrations"][0] |= change
    path.write_text(json.dumps(stored))
    assert remembered("cpu", EngineOptions(), path) is None


def test_a_folder_that_cannot_be_made_is_explained(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(FileNotWritten):
        remember(CALIBRATION, tmp_path / "file" / "x.json")


def test_real_searches_are_learnt_from():
    assert learn(CALIBRATION, 1.0, 4.0).factor == pytest.approx(2)
    assert learn(CALIBRATION, 1.0, 4.1) is CALIBRATION  # something else was in the way
    assert learn(CALIBRATION, 0.01, 0.02) is CALIBRATION
    assert learn(CALIBRATION, 1.0, 0.0) is CALIBRATION
    moved = CALIBRATION
    for _ in range(10):
        moved = learn(moved, moved.seconds([500], 10**9), 3.0)
    assert moved.seconds([500], 10**9) == pytest.approx(3.0, rel=0.05)
    for _ in range(50):
        moved = learn(moved, 1.0, 3.0)
    assert moved.factor == estimate.FARTHEST


def test_shifts_take_longer_by_what_was_measured_of_each_kind_of_engine():
    times = {name: shift_times(name) for name in (*installed(), AUTO)}
    assert (times["cpu"], times["reference"]) == (2.8, 2.5)
    assert times["cuda"] == times[AUTO] > times["cpu"]


def test_an_engine_that_cannot_run_says_so(monkeypatch):
    status = EngineStatus("cuda", False, reason="No GPU.")
    monkeypatch.setattr(registry, "probe", lambda name: status)
    with pytest.raises(EngineUnavailable, match="No GPU"):
        list(calibrate("cuda", EngineOptions(), threading.Event()))
    assert remembered("cuda", EngineOptions()) is None


def test_it_works_with_a_real_search(monkeypatch, tmp_path):
    monkeypatch.setenv("SWGUI_CONFIG_DIR", str(tmp_path))
    use_samples(monkeypatch, SpeedSamples(600, 6_000, (20,)))
    monkeypatch.setattr(calibration, "REPEATS", 1)
    found = last(calibrate("reference", EngineOptions(), threading.Event()))
    assert found.engine == "reference"
    assert found.seconds([20], 6_000) > 0
