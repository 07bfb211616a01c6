"""Tiles measured on a card: on a fake one whose speeds are known."""

import threading

import pytest

from swgui.core.errors import EngineFault, InvalidParameter, Stopped
from swgui.core.plain import replace
from swgui.core.sweep.tile_rates import FAMILIES, sentence
from swgui.engines.cuda.streaming.tables import kept_rates, tables_for
from swgui.io.tile_rates import forget_rates, keep_rates
from swgui.jobs.events import run_to_end
from swgui.jobs.tiles import run
from swgui.jobs.tiles.run import TileDone, TileRequest, tile_steps
from swgui.jobs.tiles.tuning import TUNING
from tests.tuning_engine import GPU, few_tiles, found_by_the_registry

ASKED = TileRequest(repeats=1, residues=4_000)


@pytest.fixture
def fake(monkeypatch, tmp_path):
    monkeypatch.setenv("SWGUI_DATA_DIR", str(tmp_path))
    adapter = found_by_the_registry(monkeypatch)
    adapter.few = few_tiles(monkeypatch)
    return adapter


def heights(fake):
    return sum(map(len, fake.few.rates.values()))


def measured(asked=ASKED, cancel=None):
    events = []
    return run_to_end(tile_steps(asked, cancel or threading.Event()), events.append), events


def test_every_height_is_measured_kept_and_used(fake, tmp_path):
    found, events = measured()
    assert found.complete
    assert found.rates.keys() == set(FAMILIES)
    tried = [event for event in events if isinstance(event, TileDone)]
    assert sum(event.total == heights(fake) for event in tried) == heights(fake)
    best = {rate.rows: rate for rate in found.rates["packed"]}
    assert {rate.threads for rate in best.values() if rate.rows > 20} == {256}
    assert {rate.skew for rate in best.values() if rate.rows > 5} == {5}
    assert best[40].speed == pytest.approx(1.2 * 1.1 * 40 / 44)
    assert max(rate.speed for rate in found.rates["queries"] if rate.rows > 70) < 0.01  # which cannot run
    here = {4: 0.25, 8: 0.0, 16: 1 / 0.99 - 1, 32: 1 / 0.98 - 1}
    costs = {lanes: fake.few.lanes_cost[lanes] + cost - TUNING.lanes_cost[lanes] for lanes, cost in here.items()}
    assert dict(found.lanes_cost) == pytest.approx(costs)
    assert found.row_seconds == pytest.approx(fake.few.row_seconds * 5e-8 / TUNING.row_seconds)
    assert found.step_rows == pytest.approx(fake.few.step_rows * 10 / TUNING.step_rows)
    assert found.pass_rows == pytest.approx(fake.few.pass_rows * 40 / TUNING.pass_rows)
    assert 0 < found.gain <= found.most
    assert f"{100 * found.gain:.1f} % faster" in sentence(found)
    tables, kept = tables_for(GPU)
    assert (kept.found, kept.trouble) == (found, "")
    assert (tables.multiprocessors, tables.rates) == (24, found.rates)
    assert forget_rates() == 1
    assert tables_for(GPU)[0] is fake.few


def test_a_stopped_measurement_keeps_nothing(fake):
    cancel = threading.Event()
    fake.on_time = lambda number: cancel.set() if number == 20 else None
    with pytest.raises(Stopped):
        measured(cancel=cancel)
    assert kept_rates(GPU).found is None


def test_too_little_time_keeps_nothing_and_a_little_more_all_heights(fake, monkeypatch):
    with pytest.raises(InvalidParameter):
        measured(replace(ASKED, budget=1e-9))
    clock = [0.0]
    monkeypatch.setattr(run.time, "perf_counter", lambda: clock[0])
    fake.on_time = lambda number: clock.__setitem__(0, float(number))  # 8 come before the heights
    found, _ = measured(replace(ASKED, budget=8.5 + heights(fake)))
    assert not found.complete
    assert {rate.speed for rate in found.rates["packed"]}
    assert found.changed == 0


def test_wrong_scores_are_never_chosen(fake):
    fake.wrong_tiles = {("packed", 40, 384)}
    found, _ = measured()
    assert {rate.rows: rate.threads for rate in found.rates["packed"]}[40] == 256
    fake.wrong_tiles = {("packed", 40, 256)}
    before = found.made
    with pytest.raises(EngineFault, match="40 rows"):
        measured()
    assert kept_rates(GPU).found.made == before


def test_a_stale_or_damaged_file_gives_a_sentence_and_the_defaults(fake):
    found, _ = measured()
    keep_rates(found)
    newer = replace(GPU, facts={**GPU.facts, "driver": "590.1"})
    assert "driver" in tables_for(newer)[1].trouble
    keep_rates(replace(found, kernels="other"))
    assert "swgui" in tables_for(GPU)[1].trouble
    odd = found.rates["packed"][0]._replace(threads=320)
    keep_rates(replace(found, rates={**found.rates, "packed": (odd, *found.rates["packed"][1:])}))
    assert "damaged" in tables_for(GPU)[1].trouble
    place = keep_rates(found)
    for text in (place.read_text()[:200], "[1", "[]", place.read_text().replace('"seconds": ', '"seconds": -')):
        place.write_text(text)
        tables, kept = tables_for(GPU)
        assert tables is fake.few
        assert "damaged" in kept.trouble
