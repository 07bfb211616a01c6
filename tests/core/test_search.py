"""Everything that decides a search is one record: what is added to it goes everywhere by itself."""

import ast
import threading
from pathlib import Path

import msgspec
import pytest

from swgui.core.alphabet import PROTEIN
from swgui.core.database import encode_database
from swgui.core.errors import InvalidParameter
from swgui.core.limits import Limits
from swgui.core.profiles.iteration import IterationSettings
from swgui.core.records import SequenceRecord
from swgui.core.search import Search, about_search
from swgui.core.translation.programs import Translation
from swgui.io.database.build import save_database
from swgui.io.saved.search import load_search, save_search
from swgui.jobs.search.request import SearchRequest
from swgui.runs import Runs
from swgui.runs.search_facts import RequestFacts
from tests.asking import BLOSUM62
from tests.conftest import REPOSITORY

RECORDS = [SequenceRecord("a", "", b"MKVLWAALLVTFLAGCQAK"), SequenceRecord("b", "", b"PEPTIDEPEPTIDE")]
KEEPING = (
    "swgui/runs/folder.py",
    "swgui/runs/records.py",
    "swgui/io/saved/facts.py",
    "swgui/io/saved/search.py",
)
#: Facts that these must have of a search: its engine may be gone, its cells are counted, its queries are masked.
KNOWN = {"scheme", "translation", "query_range", "mask", "iteration", "engine", "options"}


@pytest.mark.usefixtures("user_folders", "trusted_engines")
def test_a_parameter_that_is_added_reaches_result_file_journal_and_history(tmp_path, monkeypatch):
    wider = msgspec.defstruct("Wider", [("pace", int, 7)], bases=(Search,), frozen=True, kw_only=True)
    monkeypatch.setattr("swgui.io.saved.facts.Search", wider)
    save_database(encode_database(RECORDS, PROTEIN, "few"), tmp_path / "few.swdb")
    search = wider(scheme=BLOSUM62, engine="reference", pace=3)
    request = SearchRequest(tuple(RECORDS[:1]), tmp_path / "few.swdb", search)
    assert RequestFacts.begun(request).request().search == search
    history = Runs(tmp_path / "runs")
    *_, last = history.run("search", request, threading.Event())
    assert last.outcome.asked == search
    assert last.outcome.search.pace == 3
    (record,) = history.list()
    assert history.open(record.id).result.asked == search
    assert history.again(record.id).search == search
    save_search(last.outcome, tmp_path / "one.swgui")
    assert load_search(tmp_path / "one.swgui").result.search.pace == 3


def test_what_an_older_file_does_not_say_has_its_default(tmp_path, monkeypatch):
    from swgui.io.saved import facts

    values = facts.plain_search(Search(scheme=BLOSUM62, max_hsps=3))
    wider = msgspec.defstruct("Wider", [("pace", int, 7)], bases=(Search,), frozen=True, kw_only=True)
    monkeypatch.setattr(facts, "Search", wider)
    again = facts.search_of(values)
    assert (again.max_hsps, again.pace) == (3, 7)


def test_what_keeps_a_search_does_not_name_what_decides_it():
    names = {name for record in (Search, Limits) for name in record.__struct_fields__}
    for place in KEEPING:
        named = _named_of_searches(REPOSITORY / place)
        assert named & names <= KNOWN, place


def _named_of_searches(path: Path) -> set[str]:
    """Return attributes of what is called a search, and what is replaced in one."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Attribute) and ast.unparse(node.value).split(".")[-1] in ("search", "asked", "limits"):
            found.add(node.attr)
        elif isinstance(node, ast.Call) and ast.unparse(node.func) in ("replace", "Search"):
            found |= {str(word.arg) for word in node.keywords if not node.args or "Search" in ast.unparse(node.func)}
    return found


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"max_hsps": 0}, "0 alignments of a subject are none"),
        ({"strand": "both"}, "one strand"),
        ({"scheme": BLOSUM62, "translation": Translation("blastx"), "strand": "minus"}, "one strand"),
    ],
)
def test_what_makes_no_sense_is_refused(wrong, said):
    with pytest.raises(InvalidParameter, match=said):
        Search(**({"scheme": BLOSUM62} | wrong))


def test_a_search_in_rounds_names_no_gap_costs_that_its_profiles_do_not_use():
    search = Search(scheme=BLOSUM62)
    rounds = Search(scheme=BLOSUM62, iteration=IterationSettings(rounds=3))
    assert about_search(search) == "BLOSUM62 11/1"
    assert about_search(rounds) == "up to 3 rounds, profiles of BLOSUM62"
