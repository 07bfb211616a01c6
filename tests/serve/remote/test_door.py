"""Runs over http: the token's owner, the served databases alone, and the same result as here."""

from pathlib import Path

import pytest

from swgui.core.control import RunControl
from swgui.core.engines import EngineOptions
from swgui.core.plain import replace
from swgui.core.records import SequenceRecord
from swgui.io.remote.computers import Computer, link_to
from swgui.io.remote.database import database_on, databases_on
from swgui.io.remote.wire import Refusal, Unreachable
from swgui.jobs.events import Finished
from swgui.runs import Runs
from swgui.serve.remote import folder
from tests.asking import BLOSUM62, search_request
from tests.other_computer import OtherComputer

TOKEN = "a-token-of-many-letters"


@pytest.fixture(scope="module")
def served(start, tmp_path_factory):
    tokens = tmp_path_factory.mktemp("tokens") / "tokens"
    tokens.write_text(f"ann {TOKEN}\nbob another-token-of-letters databases=second\n")
    tokens.chmod(0o600)
    return start(tmp_path_factory.mktemp("runs") / "own", token_file=str(tokens))


@pytest.fixture(autouse=True)
def in_threads(monkeypatch, tmp_path):
    monkeypatch.setenv("SWGUI_CONFIG_DIR", str(tmp_path / "config"))
    other = OtherComputer.__new__(OtherComputer)
    other.threads = []
    monkeypatch.setattr(folder, "start_process", other.start)


def link(served, token=TOKEN):
    return link_to(Computer(served.url, token))


def alpha(proteins):
    """Return a search with a globin."""
    record = SequenceRecord("alpha", "", proteins["alpha"].encode())
    return search_request(queries=(record,), database=Path("none"), scheme=BLOSUM62, engine="cpu")


def test_a_user_sees_the_databases_that_are_theirs(served):
    assert {one.name for one in databases_on(link(served))} >= {"first", "second"}
    assert {one.name for one in databases_on(link(served, "another-token-of-letters"))} == {"second"}
    with pytest.raises(Refusal, match="token"):
        databases_on(link(served, "wrong"))


def test_a_search_over_http_has_the_hits_of_one_here(served, tmp_path, proteins, monkeypatch, databases):
    monkeypatch.setenv("SWGUI_TOKEN", TOKEN)
    request = alpha(proteins)
    there = replace(request.search, options=EngineOptions(on=served.url))
    hits = []
    for asked in (
        replace(request, database=database_on(link(served), "first"), search=there),
        replace(request, database=Path(databases[0])),
    ):
        ended = list(Runs(tmp_path / "runs").run("search", asked, RunControl()))[-1]
        assert isinstance(ended, Finished)
        hits.append(ended.outcome.queries[0].hits)
    assert len(hits[0]) > 3
    assert hits[0].scores.tolist() == hits[1].scores.tolist()
    assert hits[0].log10_evalues.tolist() == hits[1].log10_evalues.tolist()


def test_a_run_above_the_cells_of_the_user_is_refused(served, tmp_path, proteins, monkeypatch):
    monkeypatch.setenv("SWGUI_TOKEN", TOKEN)
    monkeypatch.setattr("swgui.runs.searches.SearchRuns.cells", lambda *_: 1e30)
    request = alpha(proteins)
    search = replace(request.search, options=EngineOptions(on=served.url))
    request = replace(request, database=database_on(link(served), "first"), search=search)
    with pytest.raises(Refusal, match="cells"):
        list(Runs(tmp_path).run("search", request, RunControl()))


def test_an_address_where_nothing_listens_is_named(tmp_path):
    with pytest.raises(Unreachable, match=r"127\.0\.0\.1:9"):
        databases_on(link_to(Computer("http://127.0.0.1:9")))
