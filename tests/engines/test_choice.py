"""'auto' takes what ends first, cores or GPU, by an estimate that measured times of whole commands agree with."""

import json
import math
import sys
from pathlib import Path

import pytest

from swgui.cli.waking import wake
from swgui.core.alphabet import PROTEIN
from swgui.core.database import encode_database
from swgui.core.engines import EngineOptions
from swgui.core.records import SequenceRecord
from swgui.engines import choice, registry
from swgui.engines.choice import MUCH, Work, cores_end_first, likely_residues
from swgui.engines.cuda import adapter, opening
from tests.asking import answer, search_request
from tests.io.sequences.by_hand import make_scheme

CASES = json.loads(Path(__file__).with_name("choices.json").read_text())
LITTLE = Work(4e9, 8e6)


@pytest.fixture
def gpu(monkeypatch):
    """A computer with a driver, and no process that has loaded CUDA; a look at its devices is an error."""
    monkeypatch.delitem(sys.modules, "cupy", raising=False)
    monkeypatch.setattr(adapter, "present", lambda: True)
    monkeypatch.setattr(adapter, "status", lambda: pytest.fail("The GPU was looked for."))
    monkeypatch.setattr(registry, "probed", {})
    monkeypatch.setattr("swgui.engines.choice.usable_cores", lambda: 16)


def test_the_choice_is_right_in_95_of_100_measured_cases(gpu):
    wrong = []
    for case in CASES:
        work = Work(case["letters"] * case["residues"], case["queries"] * case["residues"])
        if cores_end_first(work.on_cores(case["cores"]), work.on_gpu) != (case["cpu"] <= case["cuda"]):
            wrong.append(case)
    assert len(wrong) <= 0.05 * len(CASES)
    assert all(max(case["cpu"], case["cuda"]) <= 1.1 * min(case["cpu"], case["cuda"]) for case in wrong)
    assert {case["cpu"] <= case["cuda"] for case in CASES} == {True, False}


def test_few_short_queries_do_not_wait_for_a_gpu(gpu):
    names, why = registry.ending_first("auto", EngineOptions(), LITTLE)
    assert names == ("cpu", "cuda", "reference")
    assert why == "'auto' took the 16 cores (under 0.1 s), as a GPU would take 0.4 s with its start."


def test_a_search_says_that_it_ran_on_the_cores_for_that(gpu):
    scheme, record = make_scheme(PROTEIN), SequenceRecord("s", "", b"MKTAYIAKQRQISFVKSHFSRQ")
    database = encode_database([record], PROTEIN, "few")
    result = answer(search_request(queries=(record,), database=database, scheme=scheme, engine="auto"))
    assert result.engine == "cpu"
    assert "'auto' took the 16 cores (under 0.1 s)" in result.information


@pytest.mark.parametrize(
    ("name", "options", "work"),
    [
        ("auto", EngineOptions(), Work(1e13, 2e10)),
        ("auto", EngineOptions(), MUCH),
        ("auto", EngineOptions(("0",)), LITTLE),
        ("auto", EngineOptions(settings={"method": "simt"}), LITTLE),
        ("cuda", EngineOptions(), LITTLE),
    ],
)
def test_a_gpu_that_is_named_or_ends_first_is_taken(gpu, monkeypatch, name, options, work):
    monkeypatch.setattr(registry, "resolve", lambda name: (name, "as before"))
    assert registry.ending_first(name, options, work) == ((name, "as before"), "")


def test_a_gpu_in_use_has_no_start(gpu, monkeypatch):
    monkeypatch.setattr(registry, "resolve", lambda name: ("cuda", "cpu"))
    monkeypatch.setitem(sys.modules, "cupy", object())
    assert registry.ending_first("auto", EngineOptions(), LITTLE) == (("cuda", "cpu"), "")


@pytest.mark.parametrize(("size", "begun"), [(500, []), (500_000_000, [0])])
def test_the_driver_starts_early_where_the_files_are_large(gpu, monkeypatch, tmp_path, size, begun):
    started = []
    monkeypatch.setattr(opening, "begin", started.append)
    monkeypatch.setattr(opening, "alone", False)  # set, and as before at the end
    for name in ("q.fa", "db.swdb"):
        with (tmp_path / name).open("wb") as file:
            file.truncate(size)
    wake(["search", "-q", str(tmp_path / "q.fa"), "-d", str(tmp_path / "db.swdb"), "-o", "x"])
    assert started == begun
    wake(["search", "-q", str(tmp_path / "q.fa"), "-d", "a name", "--top", "5"])
    assert started == [*begun, 0]  # of a size that is not known


def test_sizes_of_files_that_are_not_there_are_not_known(tmp_path):
    (tmp_path / "a.fa.gz").write_bytes(b"12345")
    assert likely_residues(tmp_path / "a.fa.gz") == 20
    assert likely_residues(tmp_path) == math.inf
    assert likely_residues("-") == math.inf
    assert choice.TUNING.start > 0
