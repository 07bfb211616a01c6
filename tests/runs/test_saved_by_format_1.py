"""Runs saved before the parameters of a search became one record are still read, verified and run again."""

import shutil
import threading
from pathlib import Path

import pytest

from swgui.core.plain import replace
from swgui.io.database.library import remember_database
from swgui.io.saved.search import SUFFIX, load_search, read_manifest
from swgui.jobs.events import Finished, run_to_end
from swgui.jobs.search.verify import Verification, verify
from swgui.runs import Runs
from swgui.runs.records import new_id
from swgui.runs.search_facts import record_of
from swgui.runs.searches import JOURNAL

pytestmark = pytest.mark.usefixtures("user_folders", "trusted_engines")

SAVED = Path(__file__).parent.parent / "data" / "saved_format_1"
FILES = sorted(path.stem for path in SAVED.glob("*.swgui"))


def load(name):
    return load_search(SAVED / f"{name}.swgui").result


@pytest.mark.parametrize("name", FILES)
def test_every_score_is_found_again(name):
    outcome = run_to_end(verify(load(name), threading.Event(), engine="cpu"))
    assert isinstance(outcome, Verification)
    assert outcome.ok


def test_parameters_are_where_they_belong():
    limits = load("limits").search.limits
    assert (limits.top, limits.max_evalue, limits.effective_residues) == (5, 0.1, 9999)
    assert (limits.minimums.score, limits.minimums.identity) == (40, 30.0)
    assert load("both_strands").search.strand == "both"
    assert str(load("part_of_a_query").search.query_range) == "11-60"
    assert load("frameshift_of_queries").asked.translation.shift == 15
    assert load("organisms").asked.organisms.only == ("10090",)
    assert not load("organisms").search.organisms  # its database is the part of them
    tracks = load("two_tracks")
    assert tracks.asked.beside.letters_weight == 2
    rounds = load("rounds")
    assert rounds.asked.iteration.rounds == 3
    assert rounds.asked.scheme.describe() == "BLOSUM62, gap 10/1 (BLAST rule)"  # 37/3 in eighths of bits
    assert (rounds.search.iteration, rounds.search.scheme.matrix.name) == (None, "BLOSUM62 in 1/8 bit")
    for one in (limits, load("limits").search):
        assert replace(one) == one


@pytest.mark.parametrize(
    ("name", "about"), [("two_tracks", "by shape, BLOSUM62 11/1"), ("organisms", "only 10090, BLOSUM62 11/1")]
)
def test_a_list_says_what_was_asked_for(name, about):
    assert record_of(name, read_manifest(SAVED / f"{name}.swgui")).about == about


@pytest.mark.parametrize("name", [name for name in FILES if name not in ("both_strands", "two_tracks")])
def test_a_run_is_run_anew(tmp_path, name):
    remember_database(SAVED / "proteins.swdb")
    history, run_id = Runs(tmp_path / "runs"), new_id()
    history.folder.mkdir()
    shutil.copy(SAVED / f"{name}.swgui", history.folder / f"{run_id}{SUFFIX}")
    *_, last = history.run("search", history.again(run_id), threading.Event())
    assert isinstance(last, Finished)
    before = load(name)
    assert last.outcome.asked == before.asked
    for one, other in zip(last.outcome.queries, before.queries, strict=True):
        assert (one.rounds is None) == (other.rounds is None)
        if one.rounds is None:  # whom rounds include in so small a database depends on fits that are kept
            assert one.scores.tolist() == other.scores.tolist()


@pytest.mark.parametrize("name", ["frameshift_of_queries", "limits"])
def test_a_journal_is_gone_on_with(tmp_path, name):
    remember_database(SAVED / "proteins.swdb")
    history, run_id = Runs(tmp_path / "runs"), new_id()
    history.folder.mkdir()
    shutil.copy(SAVED / f"{name}.journal", history.folder / f"{run_id}{JOURNAL}")
    record = history.record(run_id)
    assert (record.state, record.fraction > 0) == ("interrupted", True)
    *_, last = history.run("search", history.resume(run_id), threading.Event())
    before = load(name)
    assert last.outcome.search == before.search
    for one, other in zip(last.outcome.queries, before.queries, strict=True):
        assert one.hits.db_index.tolist() == other.hits.db_index.tolist()
