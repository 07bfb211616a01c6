"""The rounds of an iterated search come back as they were saved."""

import json
import zipfile

import numpy as np
import pytest

from swgui.core.alphabet import PROTEIN
from swgui.core.database import encode_database
from swgui.core.errors import RunFileError
from swgui.core.plain import replace
from swgui.core.profiles.iteration import IterationSettings
from swgui.io.saved.search import load_search, save_search
from swgui.jobs.iterate.request import in_rounds
from tests.asking import BLOSUM62, answer, search_request
from tests.described import describe_hits
from tests.jobs.iterate.family import family_records


@pytest.fixture(scope="module")
def searched():
    records = family_records()
    queries = records[-2:] + records[:1]
    database = encode_database(records, PROTEIN, "family")
    search = search_request(queries=tuple(queries), database=database, scheme=BLOSUM62)
    return answer(in_rounds(search, IterationSettings(preset="wide")))


def test_rounds_come_back(searched, tmp_path):
    save_search(searched, tmp_path / "run.swgui")
    again = load_search(tmp_path / "run.swgui").result
    for before, after in zip(searched.queries, again.queries, strict=True):
        assert (after.rounds.ended, after.rounds.database) == (before.rounds.ended, before.rounds.database)
        assert after.rounds.recipe == before.rounds.recipe == IterationSettings(preset="wide").profile_recipe()
        for one, other in zip(before.rounds.rounds, after.rounds.rounds, strict=True):
            assert np.array_equal(one.db_index, other.db_index)
            assert np.array_equal(one.log10_evalues, other.log10_evalues)
            assert np.array_equal(one.included, other.included)
            assert one.effective_sequences == other.effective_sequences
            assert (one.coverage, one.information, one.beyond) == (other.coverage, other.information, other.beyond)
        mine, its = before.rounds.last.alignment, after.rounds.last.alignment
        assert np.array_equal(mine.codes, its.codes)
        for row, other in zip(mine.rows, its.rows, strict=True):
            assert (row.id, row.description, row.start, row.end) == (
                other.id,
                other.description,
                other.start,
                other.end,
            )
            assert dict(row.insertions) == dict(other.insertions)
            assert row.log10_evalue == other.log10_evalue or np.isnan(row.log10_evalue)
    assert any(len(query.rounds) > 1 for query in again.queries)


def test_older_files_have_another_word_for_no_inclusion(searched, tmp_path):
    old, (first, *_) = tmp_path / "old.swgui", searched.queries
    rounds = replace(first.rounds, ended="none")
    save_search(replace(searched, queries=(replace(first, rounds=rounds),)), tmp_path / "new.swgui")
    with zipfile.ZipFile(tmp_path / "new.swgui") as new, zipfile.ZipFile(old, "w") as written:
        for name in new.namelist():
            written.writestr(name, new.read(name).replace(b'"ended": "none"', b'"ended": "nobody"'))
    with zipfile.ZipFile(old) as written:
        assert any(b'"nobody"' in written.read(name) for name in written.namelist())
    assert load_search(old).result.queries[0].rounds.ended == "none"


def test_hits_are_aligned_with_the_profile_that_was_saved(searched, tmp_path):
    save_search(searched, tmp_path / "run.swgui")
    again = load_search(tmp_path / "run.swgui").result
    rows = range(min(10, len(searched.queries[0].hits)))
    for before, after in zip(describe_hits(searched, 0, rows), describe_hits(again, 0, rows), strict=True):
        assert before.alignment == after.alignment
        assert before.rounds == after.rounds or np.isnan(before.rounds.log10_evalues).any()


def test_rounds_that_do_not_fit_are_damage(searched, tmp_path):
    path = tmp_path / "run.swgui"
    save_search(searched, path)
    with zipfile.ZipFile(path) as whole:
        parts = {name: whole.read(name) for name in whole.namelist()}
    manifest = json.loads(parts["manifest.json"])
    manifest["queries"][0]["rounds"]["rounds"][0]["included"] += 1
    parts["manifest.json"] = json.dumps(manifest).encode()
    with zipfile.ZipFile(path, "w") as changed:
        for name, content in parts.items():
            changed.writestr(name, content)
    with pytest.raises(RunFileError):
        load_search(path)
