"""Saved searches: what goes in comes out, here and elsewhere, from older and newer versions."""

import json
import os
import shutil
import zipfile

import numpy as np
import pytest

from swgui.core.database import encode_database
from swgui.core.errors import DatabaseError, RunFileError, ScoreMismatch, SwguiError
from swgui.core.hits.results import CompositionColumns
from swgui.core.judging.subjects import find_headers, locate
from swgui.core.limits import Limits
from swgui.core.plain import replace
from swgui.io.database.build import save_database
from swgui.io.database.library import open_any_database, remember_database
from swgui.io.saved.search import RunFacts, load_search, read_inputs, read_manifest, save_search
from swgui.io.saved.stored_subjects import StoredSubjects
from swgui.io.statistics import load_statistics
from swgui.jobs.search.describe import describe_subject
from swgui.jobs.search.ranking import rerank
from tests.asking import altered, answer, search_request
from tests.described import describe_hits
from tests.io.saved.saved_searches import assert_same, nucleotide_request, protein_request

pytestmark = pytest.mark.usefixtures("user_folders")


@pytest.fixture(scope="module")
def protein_result():
    return answer(protein_request())


@pytest.fixture(scope="module")
def nucleotide_result():
    return answer(nucleotide_request())


@pytest.fixture
def file(tmp_path):
    folder = tmp_path / "Ergebnisse 1"
    folder.mkdir()
    return folder / "größe.swgui"


def rewrite(path, change=None, **parts):
    """Change manifest or parts of a saved search, as another version would write them."""
    with zipfile.ZipFile(path) as old:
        contents = {name: old.read(name) for name in old.namelist()}
    manifest = json.loads(contents["manifest.json"])
    if change:
        change(manifest)
    contents["manifest.json"] = json.dumps(manifest).encode()
    contents |= parts
    with zipfile.ZipFile(path, "w") as new:
        for name, data in contents.items():
            new.writestr(name, data)


@pytest.mark.parametrize("compress", [True, False])
@pytest.mark.parametrize("kind", ["protein_result", "nucleotide_result"])
def test_everything_comes_back(request, file, kind, compress):
    result = request.getfixturevalue(kind)
    save_search(result, file, layout={"columns": ["score"]}, run=RunFacts(name="mine"), compress=compress)
    loaded = load_search(file, database=result.database)
    assert_same(result, loaded.result)
    assert loaded.result.database is result.database
    assert loaded.layout == {"columns": ["score"]}
    assert loaded.remarks == []
    assert loaded.facts.name == "mine"
    manifest, records, asked = read_inputs(file)
    assert manifest == read_manifest(file)
    assert records == tuple(query.query for query in result.queries)
    assert asked == result.asked


def test_what_composition_did_to_e_comes_back(protein_result, file):
    rng = np.random.default_rng(3)
    corrected = tuple(
        replace(query, hits=replace(query.hits, composition=CompositionColumns(*rng.random((3, len(query.hits))))))
        for query in protein_result.queries
    )
    save_search(altered(protein_result, queries=corrected, composition="full", max_hsps=7), file)
    loaded = load_search(file, database=protein_result.database).result
    assert (loaded.search.composition, loaded.search.max_hsps) == ("full", 7)
    for query, again in zip(corrected, loaded.queries, strict=True):
        for name in ("log10_uncorrected", "lambda_ratio", "shuffle_z"):
            expected, found = (getattr(one.hits.composition, name) for one in (query, again))
            assert len(found)
            assert np.array_equal(expected, found)


def test_the_fit_of_a_small_database_comes_back(nucleotide_result, file):
    assert nucleotide_result.queries[0].fit is not None
    save_search(nucleotide_result, file)
    assert load_search(file).result.queries[0].fit == nucleotide_result.queries[0].fit


def test_the_file_says_what_it_is_to_anybody(protein_result, file):
    save_search(protein_result, file)
    with zipfile.ZipFile(file) as archive:
        assert archive.testzip() is None
        assert archive.read("queries.fasta").startswith(b">sp|P00003|PROT3_TEST ")
        assert archive.read("queries.fasta").count(b"\n>") == 1  # a line break in a name makes no third record
        with archive.open("scores.npy") as part:
            np.testing.assert_array_equal(np.load(part)[0], protein_result.queries[0].scores)
    manifest = read_manifest(file)
    scheme = manifest.search["scheme"]
    assert scheme["gap_rule"] == "a gap of length k costs first + (k - 1) * further"
    assert (scheme["first"], scheme["further"]) == (12, 1)
    assert manifest.database.checksum == protein_result.database.checksum


def test_large_scores_need_32_bits(protein_result, file):
    query = protein_result.queries[0]
    scores = query.scores.copy()
    scores[0] = 2_000_000
    save_search(replace(protein_result, queries=(replace(query, scores=scores),)), file)
    np.testing.assert_array_equal(load_search(file).result.queries[0].scores, scores)


def test_a_search_without_scores_or_hits(protein_result, file):
    bare = tuple(replace(q, scores=None, hits=q.hits.take(slice(0, 0))) for q in protein_result.queries)
    save_search(replace(protein_result, queries=bare), file)
    loaded = load_search(file).result
    assert loaded.queries[0].scores is None
    assert len(loaded.queries[1].hits) == 0


def test_a_partial_search_keeps_what_was_not_scored(protein_result, file):
    query = protein_result.queries[0]
    scores = query.scores.copy()
    scores[5:] = -1
    stopped = replace(protein_result, state="stopped", queries=(replace(query, scores=scores, subjects_scored=5),))
    save_search(stopped, file)
    assert_same(stopped, load_search(file).result)


# The database


def on_disk(folder, name="proteins.swdb"):
    folder.mkdir(parents=True, exist_ok=True)
    save_database(protein_request().database, folder / name)
    return answer(protein_request(database=open_any_database(folder / name)))


def test_the_database_is_found_where_it_was(tmp_path, file):
    result = on_disk(tmp_path / "db")
    save_search(result, file)
    loaded = load_search(file)
    assert loaded.database_path == tmp_path / "db" / "proteins.swdb"
    assert loaded.remarks == []
    assert not isinstance(loaded.result.database, StoredSubjects)
    assert_same(result, loaded.result)


def test_a_database_is_called_as_when_it_was_searched(tmp_path, file):
    result = on_disk(tmp_path / "db")
    save_search(replace(result, database=replace(result.database, name="A name of its own")), file)
    loaded = load_search(file).result.database
    assert not isinstance(loaded, StoredSubjects)
    assert loaded.name == "A name of its own"


def test_the_database_is_found_at_the_same_place_relative_to_the_file(tmp_path):
    result = on_disk(tmp_path / "project" / "db")
    save_search(result, tmp_path / "project" / "a.swgui")
    shutil.move(tmp_path / "project", tmp_path / "elsewhere")
    assert load_search(tmp_path / "elsewhere" / "a.swgui").database_path == tmp_path / "elsewhere/db/proteins.swdb"


def test_the_database_is_found_beside_the_file(tmp_path, file):
    result = on_disk(tmp_path / "db")
    save_search(result, file)
    shutil.move(tmp_path / "db" / "proteins.swdb", file.parent)
    assert load_search(file).database_path == file.parent / "proteins.swdb"


def test_the_database_is_found_among_the_known_ones_by_its_content(tmp_path, file):
    result = on_disk(tmp_path / "db")
    save_search(result, file)
    shutil.move(tmp_path / "db", tmp_path / "other")
    os.rename(tmp_path / "other" / "proteins.swdb", tmp_path / "other" / "renamed.swdb")
    assert load_search(file).database_path is None
    remember_database(tmp_path / "other" / "renamed.swdb")
    loaded = load_search(file)
    assert loaded.database_path == tmp_path / "other" / "renamed.swdb"
    assert_same(result, loaded.result)


def test_a_sequence_file_as_database_is_found_too(tmp_path, file, monkeypatch):
    fasta = tmp_path / "db.fasta"
    records = [protein_request().database.record(at) for at in range(40)]
    fasta.write_bytes(b"".join(b">%s\n%s\n" % (r.header.encode(), r.residues) for r in records))
    result = answer(protein_request(database=open_any_database(fasta)))
    save_search(result, file)
    assert read_manifest(file).database.path == str(fasta)
    monkeypatch.setenv("SWGUI_CACHE_DIR", str(tmp_path / "a new computer"))
    loaded = load_search(file)
    assert loaded.database_path == fasta
    assert_same(result, loaded.result)


def test_another_database_in_its_place_is_not_used(tmp_path, file):
    result = on_disk(tmp_path / "db")
    save_search(result, file)
    save_database(protein_request(subjects=39).database, tmp_path / "db" / "proteins.swdb")
    loaded = load_search(file)
    assert isinstance(loaded.result.database, StoredSubjects)
    assert "has changed since the search" in loaded.remarks[0]
    with pytest.raises(RunFileError, match="another database"):
        load_search(file, database=protein_request(subjects=39).database)


# Without the database


@pytest.mark.parametrize("kind", ["protein_result", "nucleotide_result"])
def test_without_the_database_hits_are_shown_as_before(request, file, kind):
    result = request.getfixturevalue(kind)
    save_search(result, file)
    loaded = load_search(file)
    assert_same(result, loaded.result)
    assert "was not found" in loaded.remarks[0]
    for at in range(len(result.queries)):
        rows = range(len(result.queries[at].hits))
        for one, other in zip(describe_hits(result, at, rows), describe_hits(loaded.result, at, rows), strict=True):
            assert one.subject == other.subject
            assert one.alignment == other.alignment
            assert one.counts == other.counts
            assert str(one.fitted_log10_evalue) == str(other.fitted_log10_evalue)


def test_without_the_database_every_target_still_has_its_score_and_place(protein_result, file):
    save_search(protein_result, file)
    loaded = load_search(file).result
    published = load_statistics(loaded.scheme)
    hits = set(protein_result.queries[0].hits.db_index.tolist())
    missing = next(at for at in range(40) if at not in set(loaded.database.stored.tolist()))
    for at in (missing, next(iter(hits))):
        assert find_headers(loaded.database.ids, loaded.database.descriptions, f"PROT{at}_") == [at]
        assert locate(loaded, 0, at, published) == locate(protein_result, 0, at, published)
    target = locate(loaded, 0, missing, published)
    with pytest.raises(DatabaseError, match=f"sequence of 'sp.P000{missing:02d}.*' is not in the saved search"):
        describe_subject(loaded, 0, target)


def test_without_the_database_limits_move_as_before(protein_result, file):
    save_search(protein_result, file)
    published = load_statistics(protein_result.scheme)
    limits = Limits(5, 1e3, 10**7)
    plain = altered(protein_result, composition="none")
    one, other = (rerank(r, published, limits) for r in (plain, altered(load_search(file).result, composition="none")))
    assert_same(one, other)


def test_without_the_database_corrected_hits_keep_their_correction(protein_result, file):
    save_search(protein_result, file)
    published = load_statistics(protein_result.scheme)
    before = protein_result.queries[0].hits
    limits = Limits(3, 1e9, 10**7)
    one, other = (rerank(r, published, limits).queries[0].hits for r in (protein_result, load_search(file).result))
    assert other.db_index.tolist() == one.db_index.tolist() == before.db_index[:3].tolist()
    np.testing.assert_allclose(one.log10_evalues, other.log10_evalues, atol=1e-6)
    np.testing.assert_array_equal(one.composition.lambda_ratio, other.composition.lambda_ratio)
    assert (other.log10_evalues != before.log10_evalues[:3]).all()


def test_without_the_database_nothing_can_be_searched_in_it(protein_result, file):
    save_search(protein_result, file)
    database = load_search(file).result.database
    assert isinstance(database, StoredSubjects)
    request = protein_request(database=database)
    with pytest.raises(DatabaseError, match="cannot be searched"):
        answer(search_request(queries=request.queries, database=database, scheme=request.scheme, engine="cpu"))
    small = database.searchable()
    assert len(small) == len(database.stored)
    for place, at in enumerate(database.stored.tolist()):
        assert small.record(place) == protein_result.database.record(at)


def test_sequences_can_be_left_out(protein_result, file):
    save_search(protein_result, file, with_subjects=False)
    loaded = load_search(file)
    assert "no sequences" in loaded.remarks[0]
    assert_same(protein_result, loaded.result)
    database = loaded.result.database
    assert [database.ids[at] for at in range(40)] == [protein_result.database.ids[at] for at in range(40)]
    with pytest.raises(SwguiError) as refused:
        list(describe_hits(loaded.result, 0, [0]))
    assert not isinstance(refused.value, ScoreMismatch)


def test_sequences_that_are_too_much_are_left_out_by_default(protein_result, file, monkeypatch):
    monkeypatch.setattr("swgui.io.saved.database.EMBEDDED", 100)
    save_search(protein_result, file)
    loaded = load_search(file)
    assert "no sequences" in loaded.remarks[0]
    hits = set(np.concatenate([q.hits.db_index for q in protein_result.queries]).tolist())
    for at in range(40):  # names of hits are always there
        assert loaded.result.database.ids[at] == (protein_result.database.ids[at] if at in hits else "")
    assert loaded.result.database.descriptions[min(hits)] == protein_result.database.descriptions[min(hits)]


def test_a_search_opened_without_its_database_can_be_saved_again(protein_result, file, tmp_path):
    save_search(protein_result, file)
    save_search(load_search(file).result, tmp_path / "again.swgui")
    loaded = load_search(tmp_path / "again.swgui").result
    assert_same(protein_result, loaded)
    assert next(describe_hits(loaded, 1, [0])).subject == next(describe_hits(protein_result, 1, [0])).subject


# Versions


def test_a_newer_minor_version_opens_with_a_note(protein_result, file):
    save_search(protein_result, file)

    def newer(manifest):
        manifest["format"] = [2, 7]
        manifest["program"] = "swgui 9.1"
        manifest["result"]["mood"] = "good"
        manifest["queries"][0]["taxonomy"] = {"a": 1}

    rewrite(file, newer, **{"taxa/names.npy": b"whatever"})
    loaded = load_search(file, database=protein_result.database)
    assert_same(protein_result, loaded.result)
    assert loaded.remarks == ["'größe.swgui' was made by a newer version (swgui 9.1); this version skipped the parts "
                            "that it does not know."]  # fmt: skip


def test_a_newer_major_version_is_refused_in_words(protein_result, file):
    save_search(protein_result, file)
    rewrite(file, lambda manifest: manifest.update(format=[3, 0], program="swgui 12.0"))
    for read in (load_search, read_manifest, read_inputs):
        with pytest.raises(RunFileError, match=r"newer version of this program \(swgui 12.0, format 3") as refused:
            read(file)
        assert refused.value.hint == "Update the program."


def test_what_an_older_version_did_not_write_has_a_default(nucleotide_result, file):
    save_search(nucleotide_result, file)

    def older(manifest):
        for key in ("redone", "message", "statistics", "finished_at", "version"):
            del manifest["result"][key]
        for key in ("limits", "organisms", "options", "query_range"):
            del manifest["search"][key]
        for key in ("path", "relative", "size"):
            del manifest["database"][key]
        del manifest["queries"][0]["fit"]

    rewrite(file, older)
    loaded = load_search(file).result
    np.testing.assert_array_equal(loaded.queries[0].scores, nucleotide_result.queries[0].scores)
    assert (loaded.search.limits.effective_residues, loaded.message, loaded.queries[0].fit) == (0, "", None)


# Writing


def test_a_failed_save_changes_nothing(protein_result, file, monkeypatch):
    save_search(protein_result, file)
    before = file.read_bytes()
    monkeypatch.setattr("swgui.io.saved.search.plain", lambda facts: {"scheme": object()})  # no JSON
    with pytest.raises(TypeError):
        save_search(protein_result, file)
    assert file.read_bytes() == before
    assert list(file.parent.iterdir()) == [file]


def test_a_folder_that_is_not_there_is_told(protein_result, tmp_path):
    with pytest.raises(SwguiError, match="does not exist"):
        save_search(protein_result, tmp_path / "nowhere" / "a.swgui")


def test_a_million_hits_open(file):
    """How long it takes is measured elsewhere; here every one of them must be right."""
    subjects = protein_request(subjects=1000, length=20).database
    database = encode_database([subjects.record(at) for at in range(1000)], subjects.alphabet, "x")
    result = answer(protein_request(database=database, top=1000, max_evalue=1e9))
    rows = np.tile(np.arange(1000), 1000)
    many = replace(result, queries=(replace(result.queries[0], hits=result.queries[0].hits.take(rows)),))
    save_search(many, file)
    assert_same(many, load_search(file).result)
