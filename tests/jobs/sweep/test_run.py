import io
import threading

import numpy as np
import pytest

from swgui.core.control import RunControl
from swgui.core.engines import EngineOptions
from swgui.core.errors import EngineFault, EngineUnavailable, InvalidParameter, Stopped
from swgui.core.plain import replace
from swgui.core.scoring import ScoringScheme
from swgui.core.sweep.axes import make_axis
from swgui.core.sweep.data import synthetic_database, synthetic_query
from swgui.core.sweep.grid import Axis
from swgui.core.sweep.report import cells_table, sentence
from swgui.engines import registry
from swgui.engines.base import EngineStatus
from swgui.engines.facts import CPU
from swgui.io.matrices import load_matrix
from swgui.io.saved.log import Log
from swgui.io.table_files import write_csv
from swgui.jobs.events import run_to_end
from swgui.jobs.sweep import cudasw
from swgui.jobs.sweep.energy import EnergyMeter
from swgui.jobs.sweep.events import CellDone
from swgui.jobs.sweep.request import SweepRequest
from swgui.jobs.sweep.run import sweep_steps
from tests.tuning_engine import GPU, FakeGpu, found_by_the_registry, speed

DATABASE = synthetic_database(4_000)
QUERY = synthetic_query(24)
SCHEME = ScoringScheme(load_matrix("BLOSUM62", DATABASE.alphabet), 12, 1)
THREADS = Axis("threads", "Threads per block", "threads", ("64", "128", "256", "1024"))
BLOCKS = Axis("blocks", "Blocks", "blocks", ("1", "2", "8"))


@pytest.fixture
def fake(monkeypatch):
    return found_by_the_registry(monkeypatch)


def request(*axes, engine="cuda", **changes):
    values = {"repeats": 2, "least_seconds": 0.0, "options": EngineOptions(settings={"method": "simt"})} | changes
    return SweepRequest(engine, axes or (THREADS, BLOCKS), DATABASE, SCHEME, QUERY, **values)


def run(asked, cancel=None, **options):
    events = []
    return run_to_end(sweep_steps(asked, cancel or threading.Event(), **options), events.append), events


def test_every_cell_is_measured_and_the_best_is_found(fake):
    result, events = run(request())
    assert result.complete
    assert result.kernel_time
    assert len([event for event in events if isinstance(event, CellDone)]) == 12
    assert result.best.place == ("256", "2")
    assert result.best.median == pytest.approx(speed({"threads": "256", "blocks": "2"}))
    assert result.default.median == pytest.approx(result.default_again.median)
    assert result.gain == pytest.approx(1.0)
    assert result.in_use == ("128", "2")
    assert result.settings_of(result.best) == {"method": "simt", "threads": "256", "blocks": "2"}
    assert "100 % faster than automatic" in sentence(result)
    assert "The program's own method gives 120 GCUPS here" in sentence(result)
    assert result.best.compared == len(DATABASE)


def test_the_automatic_settings_come_first_and_last_and_the_rest_in_random_order(fake):
    run(request())
    made = [(o.settings.get("threads", "auto"), o.settings.get("blocks", "auto")) for o in fake.made]
    assert made[0] == made[-1] == ("auto", "auto")
    assert fake.made[1].settings == {}  # the program's own choice, for comparison with the method that is swept
    assert made[2:-1] != sorted(made[2:-1])
    assert len(set(made[2:-1])) == len(made[2:-1]) == 8


def test_cells_that_cannot_run_say_why(fake):
    fake.failing = {("128", "1")}
    cells = run(request())[0].cells
    assert cells["1024", "1"].state == "impossible"
    assert "80,000 registers" in cells["1024", "1"].reason
    assert cells["128", "1"].reason == "The launch failed: too many resources requested."
    changed = cells["64", "8"]
    assert changed.state == "impossible"
    assert changed.reason == "Only 4 blocks fit. It cannot run so here: blocks 8 became 4."
    assert all("1024" not in options.settings.values() for options in fake.made)  # never launched


def test_a_wrong_cell_is_marked_and_can_never_be_chosen(fake):
    fake.wrong = {("256", "2")}
    result, _ = run(request())
    cell = result.cells["256", "2"]
    assert (cell.state, cell.differing, cell.gcups) == ("wrong", len(DATABASE) // 2, ())
    assert "differ from those of the engine 'cpu'" in cell.reason
    assert result.best.place == ("256", "8")
    with pytest.raises(InvalidParameter, match="wrong scores"):
        result.settings_of(cell)
    assert "One setting gave wrong scores" in sentence(result)


def test_stop_keeps_what_is_measured(fake):
    cancel = threading.Event()
    runs = []

    def stop_in_time():
        runs.append(1)
        if len(runs) == 17:
            cancel.set()

    fake.on_score = stop_in_time
    result, _ = run(request(), cancel)
    states = [cell.state for cell in result.cells.values()]
    assert not result.complete
    assert result.default_again is None
    assert 0 < states.count("measured") < 8
    assert "waiting" in states
    assert "were not measured" in sentence(result)


def test_however_short_the_budget_something_is_measured(fake):
    result, _ = run(request(budget=1e-9))
    assert [cell.state for cell in result.cells.values()].count("measured") == 1
    assert [cell.state for cell in result.cells.values()].count("waiting") == len(result.cells) - 1
    assert result.default.usable
    assert not result.complete


def test_what_was_measured_before_a_stop_is_not_measured_again(fake, tmp_path):
    cancel, done = threading.Event(), []
    asked, log = request(), Log(tmp_path / "sweep.run", "sweep", {})
    steps = sweep_steps(asked, cancel, log)
    for event in steps:
        done += [event.cell.place] if isinstance(event, CellDone) else []
        if len(done) == 5:
            cancel.set()
    log.close()
    log, fake.made = Log(tmp_path / "sweep.run", "sweep"), []
    result, events = run(asked, None, log=log)
    assert result.complete
    assert [event.cell.place for event in events if isinstance(event, CellDone)][:5] == done
    measured = {(made.settings.get("threads"), made.settings.get("blocks")) for made in fake.made}
    assert measured.isdisjoint(done)
    assert result.best.place == ("256", "2")
    log.close()
    fake.status_now = EngineStatus("cuda", True, (replace(GPU, facts={**GPU.facts, "driver": "590"}),))
    registry.probe("cuda", refresh=True)
    log, fake.made = Log(tmp_path / "sweep.run", "sweep"), []
    run(asked, None, log=log)  # of another driver every cell is measured again
    again = {(made.settings.get("threads"), made.settings.get("blocks")) for made in fake.made}
    assert {place for place in done if place[0] != "1024"} <= again | {("64", "8")}
    log.close()


def test_a_pause_comes_between_two_cells_and_costs_no_time(fake):
    waited = []

    class Control(RunControl):
        def wait(self, timeout=None):
            waited.append(timeout)
            self.resume()
            return False

    control, seen = Control(), 0
    for event in sweep_steps(request(), control):
        seen += isinstance(event, CellDone)
        if seen == 3 and not waited:
            control.pause()
    assert len(waited) == 1
    assert seen == 12


def test_a_cancel_before_the_reference_ends_without_a_result(fake):
    cancel = threading.Event()
    cancel.set()
    with pytest.raises(Stopped):
        run(request(), cancel)


class Falling:
    """A clock that is 10 % lower for one cell, once."""

    def __init__(self, adapter):
        self.adapter = adapter
        self.slow = None

    def clock_and_temperature(self, device):
        assert device == "0"
        settings = self.adapter.made[-1].settings
        low = self.slow is None and settings.get("threads") == "256"
        if low:
            self.slow = len(self.adapter.made)
        return (1_800.0 if self.slow == len(self.adapter.made) else 2_000.0, 60.0)


def test_a_cell_during_which_the_clock_fell_is_measured_again(fake):
    sensors = Falling(fake)
    result, _ = run(request(least_seconds=0.05), sensors=sensors)
    slow = fake.made[sensors.slow - 1]
    again = [options for options in fake.made if options == slow]
    assert len(again) == 2
    cell = result.cells["256", slow.settings["blocks"]]
    assert cell.clock == 2_000
    assert not cell.slowed
    assert cell.temperature == 60


def test_query_lengths_are_an_axis(fake):
    lengths = Axis("query", "Query length", "residues", ("8", "24", "60"))
    result, _ = run(request(lengths, THREADS))
    assert result.best is None
    assert result.query_length == 24
    assert result.cells["60", "256"].usable
    assert result.settings_of(result.cells["60", "256"]) == {"method": "simt", "threads": "256"}


def test_the_cpu_engine_can_be_swept():
    axes = (make_axis(CPU, "", "threads", ["1", "2"]), make_axis(CPU, "", "chunk_residues", ["500", "4000"]))
    result, _ = run(request(*axes, engine="cpu", options=EngineOptions()))
    assert all(cell.usable and cell.compared == len(DATABASE) for cell in result.cells.values())
    assert not result.kernel_time
    assert result.settings_of(result.cells["2", "500"]) == {"threads": "2", "chunk_residues": "500"}


def test_an_engine_that_cannot_run_says_so(fake):
    fake.status_now = EngineStatus("cuda", False, reason="No GPU.", hint="Buy one.")
    with pytest.raises(EngineUnavailable, match="No GPU"):
        run(request())
    fake.status_now = EngineStatus("cuda", True, FakeGpu().status_now.devices)
    registry.probed.clear()
    with pytest.raises(InvalidParameter, match="no device '7'"):
        run(request(options=EngineOptions(devices=("7",))))


@pytest.mark.parametrize(
    "axes", [(), (THREADS, THREADS), (THREADS, BLOCKS, Axis("x", "", "", ("1",))), (Axis("query", "", "", ("0",)),)]
)
def test_impossible_requests_are_refused(axes):
    with pytest.raises(InvalidParameter):
        SweepRequest("cuda", axes, DATABASE, SCHEME, QUERY)


def test_the_table_has_a_row_for_every_cell(fake):
    result, _ = run(request())
    text = io.StringIO()
    write_csv(cells_table(result), text)
    lines = text.getvalue().splitlines()
    assert len(lines) == 1 + 12 + 3
    assert lines[0].startswith("row,axis_threads,axis_blocks,state,gcups_median")
    row = next(line for line in lines if line.startswith("cell,256,2,")).split(",")
    assert float(row[4]) == pytest.approx(240)
    assert np.all([len(line.split(",")) == len(lines[0].split(",")) for line in lines if "impossible" not in line])


class Taking:
    """Sensors of a device that takes 200 joules a call of its counter, or 300 watts without one."""

    def __init__(self, counts=True):
        self.counts, self.joules = counts, 0.0

    def clock_and_temperature(self, device):
        return 1500.0, 60.0

    def energy(self, device):
        self.joules += 200
        return self.joules if self.counts else None

    def power(self, device):
        return 300.0


@pytest.mark.parametrize("counts", [True, False])
def test_energy_by_the_counter_or_by_samples_of_the_power(fake, counts):
    result, _ = run(request(Axis("threads", "Threads", "threads", ("256",)), watts=0.05), sensors=Taking(counts))
    (cell,) = result.cells.values()
    runs, cells = len(cell.whole), len(QUERY) * DATABASE.residues
    seconds = sum(cells / speed / 1e9 for speed in cell.whole)
    if counts:
        assert cell.energy_source == "counter"
        assert cell.gcups_per_watt == pytest.approx(runs * cells / 1e9 / 200)
    else:
        assert cell.energy_source == "samples"
        assert cell.watts == pytest.approx(300)
        assert cell.gcups_per_watt <= runs * cells / 1e9 / seconds / 300
    assert run(request(Axis("threads", "Threads", "threads", ("256",))))[0].default.watts == 0


def test_cudasw_next_to_a_sweep(tmp_path, monkeypatch):
    program = tmp_path / "align"
    program.write_text(
        '#!/bin/sh\nfor word; do case "$word" in --help) echo "--printLengthPartitions"; exit;; esac; done\n'
        f'echo "$CUDA_VISIBLE_DEVICES $@" > {tmp_path}/said\n'
        'for number in $(seq 0 $(($(grep -c ">" "$2") - 1))); do echo "Processing query $number ... "; done\n'
        'echo "Total time: 1 s"\n'
    )
    (tmp_path / "makedb").write_text('#!/bin/sh\ngrep -c ">" "$1" > "$2"\n')
    for name in ("align", "makedb"):
        (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    with cudasw.at_hand("1", "9.0", SCHEME) as peer:
        peer.take(DATABASE)
        cells = len(QUERY) * DATABASE.residues
        found = peer.measure(QUERY, DATABASE.residues, 7 * cells / 1e9, EnergyMeter(Taking(), "1"))
    said = (tmp_path / "said").read_text()
    assert said.startswith("1 --query")
    assert "--mat blosum62 --gop -12 --gex -1 --dpx" in said
    assert found.length == len(QUERY)
    assert found.gcups_per_watt == pytest.approx(7 * cells / 1e9 / 200)
    (tmp_path / "makedb").write_text("#!/bin/sh\necho no room >&2\nexit 1\n")
    with cudasw.at_hand("0", "8.9", SCHEME) as peer, pytest.raises(EngineFault, match="no room"):
        peer.take(DATABASE)
    program.write_text("#!/bin/sh\necho another program\n")
    assert cudasw.find() is None
