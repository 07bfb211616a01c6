"""Databases in memory, profiles, bars, and objects of other packages."""

from __future__ import annotations

import io
import json
import sys
import types
from typing import ClassVar

import numpy as np
import pytest

import swgui
from tests.library.conftest import GLOBIN, PROTEINS


def test_a_database_in_memory_is_a_sequence_of_records():
    with swgui.Database(PROTEINS, name="few") as database:
        assert (database.name, len(database), database.path) == ("few", len(PROTEINS), None)
        assert database[0].residues.decode() == GLOBIN
        assert [record.id for record in database[:2]] == list(PROTEINS)[:2] == database.ids[:2]
        assert "P1" in database
        assert database[0] in database
        assert "P9" not in database
        hits = swgui.search(GLOBIN, database, top=2)
    assert repr(database) == "<Database, closed>"
    with pytest.raises(swgui.DatabaseError, match="The database is closed"):
        swgui.search(GLOBIN, database)
    database.close()
    assert hits[0].alignment.identity == 100
    assert hits.database.ids == list(PROTEINS)
    records = list(hits.database)
    assert swgui.Database(records, type="protein")[:] == records
    with pytest.raises(swgui.InvalidParameter, match="There is no type 'rna'"):
        swgui.Database(PROTEINS, type="rna")
    with pytest.raises(swgui.SequenceError, match="There is no file"):
        swgui.Database(GLOBIN)  # a text is a path


@pytest.fixture
def rounds(database):
    return swgui.iterate({"one": GLOBIN, "two": GLOBIN[:50]}, database, iterations=3, engine="cpu")


def test_rounds_leave_profiles(rounds, tmp_path, database):
    profile = rounds.profile("one")
    assert profile.scores.shape == (len(GLOBIN), len(profile.symbols)) == (len(profile), len(profile.symbols))
    assert (profile.query_id, profile.residues) == ("one", GLOBIN)
    own = profile.scores[np.arange(len(GLOBIN)), [profile.symbols.index(letter) for letter in GLOBIN]]
    assert (own > 0).mean() > 0.9
    assert {costs.shape for costs in profile.gap_costs.values()} == {(len(GLOBIN),)}
    assert profile.alignment[0] == GLOBIN
    file = tmp_path / "profile.json"
    profile.save(file)
    kept = json.loads(file.read_text())
    assert kept["scores"] == profile.scores.tolist()
    assert kept["made"]["rounds"][-1]["round"] == profile.round
    again = swgui.search(None, database, start_from=file, top=2, engine="cpu")
    assert again[0].id == "sp|P1|ALPHA"
    assert profile.to_string() == file.read_text()
    text = io.StringIO()
    profile.write(text, "pssm")
    assert "scoring matrix" in text.getvalue()
    assert rounds.profile("one", round=1).round == 1


def test_profiles_that_are_not_there_are_refused(rounds, database, tmp_path):
    with pytest.raises(swgui.InvalidParameter, match="The result has 2 queries"):
        rounds.profile()
    with pytest.raises(swgui.InvalidParameter, match="not 9"):
        rounds.profile("two", round=9)
    with pytest.raises(swgui.NotFound):
        rounds.profile("three")
    with pytest.raises(swgui.InvalidParameter, match="makes no profile"):
        swgui.search(GLOBIN, database).profile()
    with pytest.raises(swgui.InvalidParameter, match="not that of a format of profiles"):
        rounds.profile("one").save(tmp_path / "profile.png")


def test_the_profile_is_that_of_the_command(database, tmp_path):
    from swgui.cli import main

    query, file = tmp_path / "query.fasta", tmp_path / "profile.hmm"
    query.write_text(f">one\n{GLOBIN}\n")
    words = ["search", "-q", str(query), "-d", str(database), "--iterations", "2", "--save-profile", str(file)]
    assert main([*words, "--engine", "cpu", "-o", str(tmp_path / "hits.tsv")]) == 0
    made = swgui.iterate(query, database, iterations=2, engine="cpu").profile().to_string("hmm")
    date = ("DATE", "COM", "SEARCHED")
    lines = [[line for line in text.splitlines() if not line.startswith(date)] for text in (made, file.read_text())]
    assert lines[0] == lines[1]


def test_an_alignment_becomes_one_of_biopython(database):
    hits = swgui.search(GLOBIN[3:], database, top=3)
    for hit in hits:
        mine = hit.alignment
        made = mine.to_biopython()
        assert (made.target.id, made.query.id, made.score) == (hit.id, "query", mine.score)
        assert (made[0], made[1]) == (mine.rows.subject, mine.rows.query)
        facts = made.target.annotations
        assert hit.sequence[facts["start"] : facts["end"]] == str(made.target.seq)
        assert made.query.annotations == {"start": mine.query_start, "end": mine.query_end, "strand": 1}
    assert "-" in hits[2].alignment.rows.query + hits[2].alignment.rows.subject


class _Alignment:
    def __init__(self, sequences, trace, score):
        self.sequences, self.trace, self.score = sequences, trace, score

    @staticmethod
    def trace_from_strings(rows):
        return [len(row) for row in rows]


def test_an_alignment_becomes_one_of_biotite(database, monkeypatch):
    align = types.SimpleNamespace(Alignment=_Alignment)
    kinds = {"ProteinSequence": lambda text: ("protein", text), "NucleotideSequence": lambda text: ("DNA", text)}
    monkeypatch.setitem(sys.modules, "biotite.sequence", types.SimpleNamespace(**kinds))
    monkeypatch.setitem(sys.modules, "biotite.sequence.align", align)
    mine = swgui.search(GLOBIN, database, top=3)[2].alignment
    made = mine.to_biotite()
    ungapped = [row.replace("-", "") for row in (mine.rows.query, mine.rows.subject)]
    assert made.sequences == [("protein", text) for text in ungapped]
    assert (made.trace, made.score) == ([len(mine)] * 2, mine.score)
    dna = "ACGTTGCATTAGCCATGGAC" * 3
    assert swgui.pair(dna, dna, method="cpu")[0].to_biotite().sequences == [("DNA", dna)] * 2
    monkeypatch.setitem(sys.modules, "biotite.sequence", None)
    with pytest.raises(swgui.MissingPackage, match="pip install biotite"):
        mine.to_biotite()


class _Bar:
    made: ClassVar[list[_Bar]] = []

    def __init__(self, total, desc, **options):
        self.total, self.desc, self.n, self.closed = total, desc, 0, False
        self.made.append(self)

    def update(self, more):
        assert not self.closed
        self.n += more

    def close(self):
        self.closed = True


def test_the_bar_is_that_of_tqdm_where_there_is_one(database, monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "tqdm.auto", types.SimpleNamespace(tqdm=_Bar))
    monkeypatch.setitem(sys.modules, "tqdm", types.SimpleNamespace())
    monkeypatch.setattr(_Bar, "made", [])
    swgui.search(GLOBIN, database, progress=True, engine="cpu")
    assert "Scoring" in [one.desc for one in _Bar.made]
    assert all(one.closed for one in _Bar.made)
    assert capsys.readouterr().err == ""
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    swgui.search(GLOBIN, database, progress=True, engine="cpu")
    assert capsys.readouterr().err.startswith("\r")
