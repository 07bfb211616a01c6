"""Some organisms of a database searched: the scores are those in all of it, E is for what was searched."""

import threading

import numpy as np
import pytest

from swgui.cli import main
from swgui.core.alphabet import PROTEIN
from swgui.core.database import encode_database
from swgui.core.errors import InvalidParameter
from swgui.core.organisms.limit import OrganismLimit
from swgui.core.organisms.tree import NOWHERE
from swgui.core.plain import replace
from swgui.core.records import SequenceRecord
from swgui.io.database.build import save_database
from swgui.io.database.file import open_database
from swgui.io.database.library import open_any_database, remember_database
from swgui.io.export.provenance import provenance
from swgui.io.saved.search import load_search, save_search
from swgui.io.saved.stored_subjects import StoredSubjects
from swgui.io.sequences.reader import read_sequences
from swgui.jobs.events import finishing
from swgui.jobs.search.events import Started
from swgui.jobs.search.run import search_steps
from swgui.runs import Runs
from tests.asking import altered, answer
from tests.conftest import real_data
from tests.core.organisms.made import TREE
from tests.io.saved.saved_searches import assert_same, protein_request

pytestmark = pytest.mark.usefixtures("user_folders", "trusted_engines")
ONLY = OrganismLimit(("Mus musculus",))
SPECIES = ["Homo sapiens OX=9606", "Mus musculus OX=10090", "Gallus gallus OX=9031"]


@pytest.fixture
def request_of_all(tmp_path):
    request = protein_request()
    whole = request.database
    records = [whole.record(at) for at in range(len(whole))]
    named = [SequenceRecord(r.id, f"{r.description} OS={SPECIES[at % 3]}", r.residues) for at, r in enumerate(records)]
    path = tmp_path / "three.swdb"
    save_database(encode_database(named, PROTEIN, "three"), path)
    return altered(request, database=path, engine="reference")


def test_the_scores_of_some_subjects_are_those_they_have_among_all(request_of_all):
    whole, part = answer(request_of_all), answer(altered(request_of_all, organisms=ONLY))
    assert len(part.database) == 13
    for one, other in zip(whole.queries, part.queries, strict=True):
        np.testing.assert_array_equal(other.scores, one.scores[1::3])
    names = {part.database.organism(int(at)).name for query in part.queries for at in query.hits.db_index}
    assert names == {"Mus musculus"}
    assert part.message == ""
    assert part.information == "13 of 40 subjects were searched (organism: Mus musculus). E refers to these alone."
    said = provenance(part)
    assert (said["organisms"], said["whole_database"], said["database_sequences"]) == ("Mus musculus", "three", 13)


def test_e_refers_to_what_was_searched_unless_told_otherwise(request_of_all):
    def evalues(request):
        hits = answer(request).queries[0].hits
        return {int(score): float(value) for score, value in zip(hits.scores, hits.log10_evalues, strict=True)}

    whole = evalues(request_of_all)
    part = evalues(altered(request_of_all, organisms=OrganismLimit((), ("Mus musculus",))))
    size = 10 ** answer(request_of_all).queries[0].hits.log10_evalues[0]
    assert size > 0
    common = whole.keys() & part.keys()
    assert common
    assert all(part[score] < whole[score] for score in common)
    told = altered(request_of_all, organisms=OrganismLimit((), ("Mus musculus",)), effective_residues=10**9)
    assert all(evalues(told)[score] > whole[score] for score in common & evalues(told).keys())
    assert "a database size of 1,000,000,000" in answer(told).information


def test_listeners_are_told_which_database_is_meant(request_of_all):
    events = list(finishing(search_steps(altered(request_of_all, organisms=ONLY), threading.Event())))
    (started,) = [event for event in events if isinstance(event, Started)]
    assert started.subjects == len(started.database) == 13


def test_an_unknown_organism_starts_nothing(request_of_all, tmp_path):
    request = altered(request_of_all, organisms=OrganismLimit(("Mus musclus",)))
    history = Runs(tmp_path / "runs")
    with pytest.raises(InvalidParameter, match="Perhaps you mean Mus musculus"):
        list(history.run("search", request, threading.Event()))
    assert history.list() == []


def test_a_saved_search_finds_its_database_again(request_of_all, tmp_path):
    result = answer(altered(request_of_all, organisms=ONLY))
    saved = tmp_path / "some.swgui"
    save_search(result, saved)
    loaded = load_search(saved)
    assert_same(result, loaded.result)
    assert loaded.result.database.whole is not None
    assert loaded.database_path == request_of_all.database
    whole = answer(request_of_all).database
    assert_same(result, load_search(saved, database=whole).result)
    moved = request_of_all.database.rename(tmp_path / "moved.swdb")
    lost = load_search(saved)
    assert isinstance(lost.result.database, StoredSubjects)
    assert lost.result.database.part.limit == ONLY
    save_search(lost.result, saved)
    remember_database(moved)
    found = load_search(saved)
    assert found.result.database.part == loaded.result.database.part
    assert found.database_path == moved


def test_organisms_of_hits_are_saved_with_the_tree_above_them(request_of_all, tmp_path):
    whole = open_database(request_of_all.database)
    stored = replace(whole.organisms, tree=TREE)
    save_database(replace(whole, stored_organisms=stored), request_of_all.database)
    result = answer(request_of_all)
    save_search(result, tmp_path / "all.swgui")
    request_of_all.database.unlink()
    lost = load_search(tmp_path / "all.swgui").result
    assert isinstance(lost.database, StoredSubjects)
    found = {int(at) for query in lost.queries for at in query.hits.db_index}
    assert {lost.database.organism(at).name for at in found} >= {"Homo sapiens", "Gallus gallus"}
    assert all(lost.database.organism(at) == result.database.organism(at) for at in found)
    assert {lost.database.organism(at).name for at in set(range(40)) - found} == {""}
    assert lost.database.stored_organisms.tree.node(562) == NOWHERE  # no hit is of it
    save_search(lost, tmp_path / "again.swgui")
    again = load_search(tmp_path / "again.swgui").result
    assert all(again.database.organism(at) == result.database.organism(at) for at in found)


def test_a_run_is_resumed_and_run_again_with_its_organisms(request_of_all, tmp_path, small_chunks):
    request = altered(request_of_all, organisms=ONLY, engine="cpu")
    whole = answer(request)
    history, cancel = Runs(tmp_path / "runs"), threading.Event()
    small_chunks.scored.clear()
    small_chunks.stop_after = (2, cancel)
    list(history.run("search", request, cancel))
    small_chunks.stop_after = None
    moved = request.database.rename(tmp_path / "moved.swdb")
    remember_database(moved)  # known again by the content of the whole
    (record,) = history.list()
    again = history.resume(record.id)
    assert again.search.organisms == ONLY
    result = list(history.run("search", again, threading.Event()))[-1].outcome
    assert_same(whole, replace(result, seconds=whole.seconds, finished_at=whole.finished_at))
    (record,) = history.list()
    assert record.database == "three (Mus musculus)"
    assert (history.again(record.id).search.organisms, history.again(record.id).database) == (ONLY, moved)


@pytest.mark.data
def test_real_proteins_of_one_organism_score_as_among_all(request_of_all):
    folder = real_data() / "proteins"
    query = next(iter(read_sequences(folder / "cudasw_20queries.fasta", PROTEIN)))
    database = open_any_database(folder / "swissprot_16species.fasta.gz", alphabet=PROTEIN)
    request = altered(request_of_all, queries=(query,), database=database, engine="cpu")
    whole, part = answer(request), answer(altered(request, organisms=OrganismLimit(("Escherichia coli", "559292"))))
    rows = np.flatnonzero([database.organism(at).taxid in (83333, 559292) for at in range(len(database))])
    assert len(part.database) == len(rows) == 4361 + 6077
    np.testing.assert_array_equal(part.queries[0].scores, whole.queries[0].scores[rows])
    listed = [part.database.ids[int(at)] for at in part.queries[0].hits.db_index]
    assert set(listed) <= {database.ids[int(at)] for at in rows}
    assert listed


def test_the_command_line(request_of_all, tmp_path, capsys):
    query = tmp_path / "q.fa"
    query.write_text(f">q\n{request_of_all.queries[0].residues.decode()}\n")
    words = ["search", "-q", str(query), "-d", str(request_of_all.database), "--engine", "reference", "--format", "tsv"]
    assert main([*words, "--organism", "10090,Gallus", "--exclude-organism", "9031", "--columns", "organism"]) == 0
    assert set(capsys.readouterr().out.split("\n")[1:-1]) == {"Mus musculus"}
    assert main([*words, "--organism", "Homo", "--exclude-organism", "9606"]) == 2
    assert "no subject is" in capsys.readouterr().err
