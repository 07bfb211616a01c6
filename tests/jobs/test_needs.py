"""The needs of a search, by the model of the estimates; the tables of the manual are computed from it."""

from __future__ import annotations

import re

import pytest

from swgui.core.plain import replace
from swgui.core.words import duration
from swgui.jobs.needs import SIZES, TYPICAL, devices, needs, of_these_cores
from swgui.jobs.search.estimate import Calibration, remember

MEASURED = Calibration("cpu", ("a CPU",), "x", start=1.0, per_query=0.5, cold=1e-9, rates=((100, 1e-8), (200, 2e-8)))


def test_time_is_that_of_the_model_and_memory_grows_with_queries_and_sequences():
    one, ten = (needs(MEASURED, 150, number, 10**8, 10**5) for number in (1, 10))
    assert one.seconds == pytest.approx(MEASURED.seconds([150], 10**8))
    assert ten.seconds == pytest.approx(MEASURED.seconds([150] * 10, 10**8))
    assert ten.cells == 10 * one.cells == 15 * 10**10
    assert ten.memory - one.memory == 4 * 9 * 10**5
    assert (one.device, one.file) == (10**8, 10**8 + 170 * 10**5)


def test_memory_of_a_gpu_search_is_near_what_was_measured():
    """413 and 716 MB on an H200, mapped files of 12 and 54 MB among them (`BENCHMARKS.md`)."""
    one, many = needs(TYPICAL[0], 464, 1, 9 * 10**6, 20_307), needs(TYPICAL[0], 350, 500, 41 * 10**6, 87_936)
    assert one.memory + 12 * 10**6 == pytest.approx(413e6, rel=0.05)
    assert many.memory + 54 * 10**6 == pytest.approx(716e6, rel=0.15)
    gone = replace(MEASURED, engine="that of a package which is gone")
    assert needs(gone, 464, 1, 10, 1).memory == needs(MEASURED, 464, 1, 10, 1).memory


def test_devices_are_those_of_this_computer_first(tmp_path):
    path = tmp_path / "calibrations.json"
    assert devices(path) == (of_these_cores(), *TYPICAL)
    remember(MEASURED, path)
    assert devices(path) == (MEASURED, *TYPICAL)


def test_the_table_of_the_manual_is_computed(repository):
    """Each cell of it within a tenth and rounding: `docs/howto/install.md`, for a query of 350 residues."""
    text = (repository / "docs" / "howto" / "install.md").read_text("utf-8")
    for size in SIZES:
        row = re.search(rf"^\| {size.title} \| [^|]+\| ([^|]+)\| ([^|]+)\| ([^|]+)\|$", text, re.MULTILINE)
        assert row is not None, size.title
        found = [needs(device, 350, 1, size.residues, size.sequences).seconds for device in TYPICAL]
        assert [cell.strip() for cell in row.groups()] == [duration(seconds, measured=True) for seconds in found]
