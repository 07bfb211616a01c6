"""Everything that version 0.1 saved is still read, value by value."""

import json
import shutil
import threading
from dataclasses import asdict
from pathlib import Path

import numpy as np
import pytest

from swgui import settings
from swgui.core.alphabet import PROTEIN
from swgui.core.plain import plain
from swgui.core.sweep.report import as_json
from swgui.io.database.file import check_database, database_facts, open_database
from swgui.io.database.library import remember_database
from swgui.io.saved.search import load_search
from swgui.io.tuning import earlier_sweeps, load_in_use
from swgui.runs import Runs
from swgui.runs.sweeps import kept_sweeps

pytestmark = pytest.mark.usefixtures("user_folders", "trusted_engines")

SAVED = Path(__file__).parent.parent / "data" / "saved_by_0_1"
EXPECTED = json.loads((SAVED / "expected.json").read_text("utf-8"))
RUNS = EXPECTED["runs"]


@pytest.fixture
def copied(tmp_path):
    """Return a folder with a copy of all samples: opening a history may tidy it."""
    return Path(shutil.copytree(SAVED, tmp_path / "saved"))


def assert_found(result, expected):
    """Assert that a search holds what 0.1 had found."""
    for name in (
        "engine", "state", "cells_done", "cells_total", "seconds", "statistics", "message", "version", "finished_at",
    ):  # fmt: skip
        assert getattr(result, name) == expected[name], name
    for name in ("max_evalue", "top", "effective_residues"):
        assert getattr(result.search.limits, name) == expected[name], name
    assert result.search.strand == expected["strand"]
    assert list(result.devices) == expected["devices"]
    assert result.scheme.matrix.scores.tolist() == expected["matrix"]
    assert [result.scheme.gap_open, result.scheme.gap_extend] == expected["gaps"]
    database = result.database
    assert [database.name, len(database), database.residues, database.checksum] == expected["database"]
    for query, wanted in zip(result.queries, expected["queries"], strict=True):
        record = query.query
        assert (record.id, record.description) == (wanted["id"], wanted["description"])
        assert record.residues.decode() == wanted["residues"]
        assert query.subjects_scored == wanted["subjects_scored"]
        assert query.scores.tolist() == wanted["scores"]
        assert (query.strands is None) == (wanted["strands"] is None)
        assert query.strands is None or query.strands.tolist() == wanted["strands"]
        for name, values in wanted["hits"].items():
            np.testing.assert_array_equal(getattr(query.hits, name), values, err_msg=name)
        assert (query.fit is None) == (wanted["fit"] is None)
        assert query.fit is None or {name: getattr(query.fit, name) for name in wanted["fit"]} == wanted["fit"]


def assert_holds(mine, saved, where=""):
    """Assert that everything saved is there; there may be more by now, and the view of one alignment is `wrapped`."""
    for name, value in saved.items():
        name = "wrapped" if name == "pair" else name
        if isinstance(value, dict):
            assert_holds(mine[name], value, f"{where}{name}.")
        else:
            assert mine[name] == value, f"{where}{name}"


def test_settings_come_back_to_the_last_one():
    loaded = settings.load(SAVED / "settings.json")
    assert loaded.problems == []
    mine, saved = asdict(loaded), json.loads((SAVED / "settings.json").read_text("utf-8"))
    assert saved.pop("schema_version") < loaded.schema_version
    pages = {name: saved.pop(name) for name in ("search", "pair")}
    assert_holds(mine, saved)
    for page, asked in pages.items():  # the parameters that decide a search are a record now
        kinds = {kind: asked.pop(kind) for kind in ("protein", "nucleotide")}
        assert_holds(mine[page], asked)
        for kind, flat in kinds.items():
            assert mine[page][kind]["search"].get("strand", "plus") == flat["strand"]
            assert mine[page][kind]["search"].get("limits", {}).get("top", 500) == flat.get("top", 500)
            names = ("preset", "matrix", "gap_open", "gap_extend", "rule")
            assert_holds(mine[page][kind], {name: flat[name] for name in names})
    limits = {"max_evalue": 0.001, "top": 77, "effective_residues": 123_456_789}
    assert mine["search"]["nucleotide"]["search"] == {"limits": limits, "mask": True, "strand": "minus"}
    assert loaded.search.protein.matrix == "BLOSUM45"


def test_settings_are_written_as_they_were_read(tmp_path):
    loaded = settings.load(SAVED / "settings.json")
    settings.save(loaded, tmp_path / "settings.json")
    assert settings.load(tmp_path / "settings.json") == loaded


def test_sweeps_become_runs_and_the_chosen_settings_stay(tmp_path):
    stored = {entry["sweep"]["device"]: entry for entry in json.loads((SAVED / "tuning.json").read_text())["entries"]}
    path, runs = Path(shutil.copy(SAVED / "tuning.json", tmp_path)), Runs(tmp_path / "runs")
    for _ in range(2):  # the second time they are runs
        found = {run.outcome.device: run for run in kept_sweeps(runs, path)}
        assert set(found) == set(stored) == {"NVIDIA H200", "NVIDIA H100"}
        for device, run in found.items():
            assert json.loads(json.dumps(as_json(run.outcome))) == stored[device]["sweep"]
            assert runs.record(run.run_id).started[:10] == stored[device]["sweep"]["made"][:10]
        assert [entry.settings for entry in load_in_use(path)] == [{"threads": "64"}]
        assert earlier_sweeps(path) == ()
    assert load_in_use(path)[0].key == found["NVIDIA H200"].outcome.key
    measured = found["NVIDIA H200"].outcome.cells[("64",)]
    assert (measured.use["registers"], measured.gcups, measured.slowed) == (40, (1.5, 2.0), True)


def test_a_database_opens():
    facts, expected = database_facts(SAVED / "globins.swdb"), EXPECTED["database"]
    for name in ("name", "sequences", "residues", "longest", "checksum", "made", "program", "format", "counts", "size"):
        assert getattr(facts, name) == expected[name], name
    assert [plain(source) for source in facts.sources] == expected["sources"]
    database = open_database(SAVED / "globins.swdb")
    for index, (identifier, description, residues) in enumerate(EXPECTED["records"]):
        assert (database.ids[index], database.descriptions[index]) == (identifier, description)
        assert PROTEIN.decode(database.subject(index)).decode() == residues
    assert check_database(SAVED / "globins.swdb") == facts


def test_a_saved_search_opens():
    loaded = load_search(SAVED / "dna.swgui")
    assert_found(loaded.result, EXPECTED["saved"])
    assert loaded.layout == {"columns": [1, 2]}
    assert loaded.facts.name == "DNA"


def test_the_history_lists_its_runs(copied):
    records = {record.id: record for record in Runs(copied / "runs").list()}
    assert set(records) == {run["id"] for run in RUNS.values()}
    for state, run in RUNS.items():
        record = records[run["id"]]
        assert record.state == state
        for name, value in run["record"].items():
            assert name in ("reason", "size") or getattr(record, name) == value, name
        files = (copied / "runs" / f"{record.id}{suffix}" for suffix in (".swgui", ".journal"))
        assert record.size == sum(file.stat().st_size for file in files if file.exists())


@pytest.mark.parametrize("state", ["done", "partial"])
def test_a_run_opens(copied, state):
    history, run = Runs(copied / "runs"), RUNS[state]
    (history.folder / f"{run['id']}.json").unlink()  # the list does without
    assert history.record(run["id"]).name == run["record"]["name"]
    loaded = history.open(run["id"])
    assert_found(loaded.result, run["result"])
    assert loaded.layout == run.get("layout", {})
    assert loaded.database_path == copied / "globins.swdb"


@pytest.mark.parametrize("state", ["partial", "interrupted"])
def test_a_run_is_resumed_where_it_was(copied, state):
    remember_database(copied / "globins.swdb")
    history, run, whole = Runs(copied / "runs"), RUNS[state], RUNS["done"]["result"]
    request = history.resume(run["id"])
    assert request.search.options.settings == {"chunk_residues": "500"}
    assert (request.search.options.devices, request.search.options.threads) == (("cpu",), 2)
    assert [query.id for query in request.queries] == [query["id"] for query in whole["queries"]]
    assert (request.search.limits.top, request.search.limits.max_evalue, request.search.limits.effective_residues) == (
        5,
        1000.0,
        1_000_000,
    )
    result = list(history.run("search", request, threading.Event()))[-1].outcome
    assert (result.state, result.run_id) == ("complete", run["id"])
    for query, wanted in zip(result.queries, whole["queries"], strict=True):
        assert query.scores.tolist() == wanted["scores"]
        assert query.hits.db_index.tolist() == wanted["hits"]["db_index"]


def test_a_run_is_run_anew(copied):
    remember_database(copied / "globins.swdb")
    request = Runs(copied / "runs").again(RUNS["done"]["id"])
    assert request.database == copied / "globins.swdb"
    assert (request.search.engine, request.search.limits.top, request.search.keep_scores, request.search.mask) == (
        "cpu",
        5,
        True,
        False,
    )
    assert request.search.options.settings == {"chunk_residues": "500"}
