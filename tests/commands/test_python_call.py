"""A search or a pair put into lines of Python, which do the same."""

from __future__ import annotations

from pathlib import Path

import pytest

import swgui
from swgui.commands.pair import pair_python
from swgui.commands.search import search_call
from swgui.core.engines import EngineOptions
from swgui.core.limits import Minimums
from swgui.core.profiles.iteration import IterationSettings
from swgui.core.query_range import QueryRange
from swgui.core.records import SequenceRecord
from swgui.jobs.iterate.request import in_rounds
from swgui.jobs.pair.request import PairRequest
from swgui.library.search import SEARCH
from tests.asking import BLOSUM62, altered, search_request

QUERY = SequenceRecord("q", "", b"MKVLWAALLVTFLAGCQAKVEQAVETEPEPELRQQTEW")
PLAIN = search_request(
    queries=(QUERY,),
    database=Path("db.swdb"),
    scheme=BLOSUM62,
    engine="reference",
)


def called(text, monkeypatch):
    """Run the lines and return what `swgui.search` is called with."""
    seen = []
    monkeypatch.setattr(swgui, "search", lambda *given, **named: seen.append((given, named)))
    exec(text, {})
    return seen[0]


def test_a_plain_search_is_one_line(monkeypatch):
    text = search_call(PLAIN, Path("it's a query.fasta"), Path("db.swdb"), "BLOSUM62")
    given, named = called(text, monkeypatch)
    assert given == ("it's a query.fasta", "db.swdb")
    assert named == {"type": "protein", "matrix": "BLOSUM62", "gap_open": 11, "gap_extend": 1, "engine": "reference"}
    assert text.startswith("import swgui\n\nfound = swgui.search(")


def test_all_that_is_asked_for_reaches_the_library(monkeypatch):
    request = altered(
        PLAIN,
        top=7,
        max_evalue=1e-7,
        max_hsps=3,
        mask=True,
        composition="none",
        query_range=QueryRange(3, 20),
        minimums=Minimums(50, 30.0, 0.0),
        effective_residues=10**9,
        options=EngineOptions(("0", "1"), 4, {"rows": "22", "name": "a=b"}),
    )
    matrix = "/data/my matrix.txt"
    _, named = called(search_call(request, Path("q.fasta"), Path("db.swdb"), matrix), monkeypatch)
    taken = SEARCH.arguments(named)
    assert (taken.top, taken.evalue, taken.max_hsps, taken.mask, taken.composition) == (7, 1e-7, 3, True, "none")
    assert (taken.query_range, taken.min_score, taken.min_identity, taken.dbsize) == ("3-20", 50, 30.0, 10**9)
    assert (taken.device, taken.threads, taken.matrix) == ("0,1", 4, matrix)
    assert sorted(taken.settings) == ["name=a=b", "rows=22"]


def test_rounds_are_asked_for_too(monkeypatch):
    request = in_rounds(PLAIN, IterationSettings(5, "wide"))
    _, named = called(search_call(request, Path("q.fasta"), Path("d.swdb"), "BLOSUM62"), monkeypatch)
    taken = SEARCH.arguments(named)
    assert (taken.iterations, taken.preset) == (5, "wide")


@pytest.mark.usefixtures("user_folders", "trusted_engines")
def test_the_lines_find_what_the_search_finds(tmp_path):
    query, database = tmp_path / "q.fasta", tmp_path / "d.fasta"
    query.write_text(f">q\n{QUERY.residues.decode()}\n")
    database.write_text(f">s\n{QUERY.residues.decode()[4:]}\n>t\nPEPTIDEPEPTIDEPEPTIDE\n")
    names: dict[str, swgui.Hits] = {}
    exec(search_call(PLAIN, query, database, "BLOSUM62"), names)
    assert names["found"][0].id == "s"


@pytest.mark.usefixtures("user_folders")
def test_the_lines_align_what_the_pair_aligns(tmp_path):
    query, subject = tmp_path / "q.fasta", tmp_path / "s.fasta"
    query.write_text(f">q\n{QUERY.residues.decode()}\n>other\nPEPTIDE\n")
    subject.write_text(f">s\n{QUERY.residues.decode()[4:]}\n")
    request = PairRequest(QUERY, SequenceRecord("s", "", QUERY.residues[4:]), BLOSUM62, method="cpu")
    names: dict[str, swgui.Pair] = {}
    exec(pair_python(request, (query, "q"), (subject, ""), "BLOSUM62"), names)
    alignment = names["found"].alignment
    assert (alignment.query_start, alignment.query_end) == (4, len(QUERY.residues))
