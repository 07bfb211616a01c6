"""Searches in rounds among the kept runs: they show their rounds again, and are run again with all of them."""

import threading

import numpy as np
import pytest

from swgui.cli import main
from swgui.core.alphabet import PROTEIN
from swgui.core.database import encode_database
from swgui.core.scoring import ScoringScheme
from swgui.history import History
from swgui.io.database.build import save_database
from swgui.io.matrices import load_matrix
from swgui.jobs.iterate.request import IteratedSearch, IterationSettings
from swgui.jobs.search.request import SearchRequest
from tests.jobs.iterate.family import family_records

pytestmark = pytest.mark.usefixtures("user_folders")
SETTINGS = IterationSettings(rounds=3, preset="wide", inclusion_evalue=0.05, exclude_ids=("kin3",))


@pytest.fixture(scope="module")
def on_disk(tmp_path_factory):
    """Return the files of a family and of one of it, and the search of that one in rounds."""
    folder = tmp_path_factory.mktemp("family")
    records = family_records()
    query = next(one for one in records if one.id == "kin0")
    save_database(encode_database(records, PROTEIN, "family"), folder / "family.swdb")
    (folder / "query.fasta").write_bytes(b">kin0\n" + query.residues + b"\n")
    scheme = ScoringScheme.from_blast(load_matrix("BLOSUM62", PROTEIN), 11, 1)
    search = SearchRequest((query,), folder / "family.swdb", scheme, engine="cpu")
    values = {name: getattr(search, name) for name in SearchRequest.__dataclass_fields__}
    return folder, IteratedSearch(**values, settings=SETTINGS)


def rounds_of(events):
    return list(events)[-1].result.queries[0].rounds


def test_a_run_shows_its_rounds_and_is_run_again_with_all_of_them(on_disk, tmp_path):
    history = History(tmp_path / "runs")
    first = rounds_of(history.search(on_disk[1], threading.Event()))
    assert len(first) == 3
    run_id = history.list()[0].id
    opened = history.open(run_id).result.queries[0].rounds
    assert [one.included.tolist() for one in opened.rounds] == [one.included.tolist() for one in first.rounds]
    again = history.again(run_id)
    assert isinstance(again, IteratedSearch)
    assert again.settings == SETTINGS
    assert again.scheme.matrix.name == "BLOSUM62"
    assert again.queries[0].profile is None
    second = rounds_of(history.search(again, threading.Event()))
    assert len(second) == len(first)
    for one, other in zip(first.rounds, second.rounds, strict=True):
        assert np.array_equal(one.included, other.included)
        assert np.array_equal(one.log10_evalues, other.log10_evalues)


def test_the_command_keeps_rounds_in_the_history(on_disk, tmp_path, capsys):
    folder, _ = on_disk
    words = ["search", "-q", str(folder / "query.fasta"), "-d", str(folder / "family.swdb"), "--engine", "cpu"]
    words += ["--iterations", "3", "--preset", "careful", "--history", "Family", "-o", str(tmp_path / "hits.tsv")]
    assert main(words) == 0
    (record,) = History().list()
    assert (record.name, record.state) == ("Family", "done")
    again = History().again(record.id)
    assert isinstance(again, IteratedSearch)
    assert (again.settings.rounds, again.settings.preset, again.name) == (3, "careful", "Family")
    assert len(History().open(record.id).result.queries[0].rounds) > 1


def test_rounds_of_another_database_are_not_kept(on_disk, capsys):
    folder, _ = on_disk
    words = ["search", "-q", str(folder / "query.fasta"), "-d", str(folder / "family.swdb"), "--iterations", "2"]
    assert main([*words, "--build-database", str(folder / "family.swdb"), "--history"]) != 0
    assert "not kept among the runs" in capsys.readouterr().err
    assert History().list() == []
