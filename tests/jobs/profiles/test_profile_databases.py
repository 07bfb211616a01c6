"""Databases of profiles: built, searched, saved and damaged; scores against the plain definition."""

from __future__ import annotations

import json
import threading
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import swgui
from swgui.cli import main
from swgui.core.alphabet import PROTEIN
from swgui.core.database import EncodedDatabase, encode_database
from swgui.core.engines import EngineOptions
from swgui.core.errors import DatabaseError, EngineFault, InvalidParameter, ProfileError
from swgui.core.organisms.limit import OrganismLimit
from swgui.core.plain import replace
from swgui.core.profiles.context import RESIDUES
from swgui.core.profiles.iteration import IterationSettings
from swgui.core.profiles.pairs import PairGaps, pair_score, quantised
from swgui.core.profiles.stored import UNITS, StoredProfiles, columns_of_scores, pair_scheme, scores_of_columns
from swgui.core.records import SequenceRecord
from swgui.core.search import Search
from swgui.core.subject_kind import PROFILES
from swgui.core.verdict.hits import Evidence, sentence
from swgui.engines.base import DeviceInfo
from swgui.engines.native.tracing import LARGE, Paths
from swgui.engines.profile_pairs.paths import pair_paths
from swgui.io.database.build import save_database
from swgui.io.database.facts import PROFILE_CODES as CODES
from swgui.io.database.facts import PROFILE_SCALES as SCALES
from swgui.io.database.file import check_database, open_database
from swgui.io.matrices import load_matrix
from swgui.io.methods.references import HENIKOFF, SODING
from swgui.io.methods.searches import references, search_methods
from swgui.io.profiles.collections import read_collection
from swgui.jobs.events import run_to_end
from swgui.jobs.iterate.request import in_rounds
from swgui.jobs.iterate.run import iteration_steps
from swgui.jobs.profiles import aligning
from swgui.jobs.profiles.columns import ColumnsByContext
from swgui.jobs.profiles.searching import PairSearch, as_pairs, unrelated
from swgui.jobs.search.describe import describe_list
from swgui.jobs.search.request import SearchRequest
from swgui.jobs.search.run import search_steps
from swgui.jobs.search.shuffles import ZRequest
from tests.asking import BLOSUM62

FAMILY = (
    "MKVLWAALLVTFLAGCQAKVEQAVETEPEPELRQQTEWQSGQRWELALGRFWDYLRWVQTLSEQVQEELLSSQVTQELRALMDE",
    "MKVLWAALLVTFLAGCRAKVEQAVQTEPEPELHQQAEWQSGQRWEVALGRFWDYLRWMQTLSEQVQEELLSSQVTEELTALMDE",
    "MKLLWAALVVTLLAGCQADVEEEVKPEPEPELGQQAEWQSDQRWELALGRFWDYLRWVQTLSDQVQEELLSSQVTQELTVLMEE",
)
OTHER = (
    "VLSPADKTNVKAAWGKVGAHAGEYGAEALERMFLSFPTTKTYFPHFDLSHGSAQVKGHGKKVADALTNAVAHVDDMPNALSALS",
    "VHLTPEEKSAVTALWGKVNVDEVGGEALGRLLVVYPWTQRFFESFGDLSTPDAVMGNPKVKAHGKKVLGAFSDGLAHLDNLKGT",
)


def stockholm(name: str, rows: tuple[str, ...]) -> str:
    lines = [f"{name}_{number} {row}" for number, row in enumerate(rows)]
    return "\n".join(["# STOCKHOLM 1.0", f"#=GF ID {name}", *lines, "//", ""])


@pytest.fixture(scope="module")
def sources(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with two alignments in one file, and two A3M alignments with a zero byte between."""
    folder = tmp_path_factory.mktemp("sources")
    (folder / "two.sto").write_text(stockholm("apo", FAMILY) + stockholm("globin", OTHER[:1]))
    other = f">beta\n{OTHER[1]}\n>relative\n{OTHER[1][:40].lower().upper()}{'-' * 44}\n"
    (folder / "more.a3m").write_text(other + "\0" + f">alone\n{FAMILY[2]}\n")
    return folder


@pytest.fixture(scope="module")
def built(sources: Path) -> Path:
    out = sources / "profiles.swdb"
    assert main(["makedb", "--profiles", str(sources), "-o", str(out)]) == 0
    return out


def request(database: Path | EncodedDatabase, *queries: str, **search: object) -> SearchRequest:
    records = tuple(SequenceRecord(f"q{number}", "", text.encode()) for number, text in enumerate(queries))
    return SearchRequest(records, database, Search(**{"scheme": BLOSUM62, "engine": "cpu", **search}))  # type: ignore[arg-type]


def found(database: Path | EncodedDatabase, *queries: str) -> swgui.core.hits.results.SearchResult:
    result = run_to_end(search_steps(request(database, *queries), threading.Event()))
    assert result is not None
    return result


def test_a_database_is_made_of_every_alignment_of_its_files(built: Path) -> None:
    database = open_database(built)
    assert [database.ids[row] for row in range(len(database))] == ["beta", "alone", "apo_0", "globin_0"]
    profiles = database.profiles
    assert profiles is not None
    assert profiles.pairs.lengths.tolist() == np.diff(database.stored_offsets()).tolist()
    diverse = profiles.take(database.position[np.array([2])]).diversity
    single = profiles.take(database.position[np.array([1])]).diversity
    assert set(single.tolist()) == {10}
    assert (diverse > 10).any()
    check_database(built)


def test_columns_are_observed_and_mixed_with_their_context(built: Path, sources: Path) -> None:
    database = open_database(built)
    assert database.profiles is not None
    (alignment,) = (start.alignment for start in list(read_collection(sources / "two.sto", BLOSUM62))[:1])
    assert alignment is not None
    making = ColumnsByContext("own", BLOSUM62.matrix)
    (columns,), _ = making.mixed_both([making.both(alignment)])
    stored = database.profiles.columns(int(database.position[2]))
    np.testing.assert_allclose(stored, columns, atol=0.01)
    expected = quantised([columns], database.profiles.background)
    np.testing.assert_array_equal(expected.codes, database.profiles.take(database.position[np.array([2])]).pairs.codes)


def test_scores_are_those_of_the_definition_and_alignments_add_up_to_them(built: Path) -> None:
    result = found(built, FAMILY[0], OTHER[1][10:70])
    profiles = result.database.profiles
    assert profiles is not None
    for query in result.queries:
        assert query.query.profile is not None
        columns = columns_of_scores(query.query.profile.scores, UNITS)
        one = quantised([columns], profiles.background)
        places = result.database.position.tolist()
        scores = [pair_score(one, profiles.pairs[place], PairGaps()) for place in places]
        assert query.scores is not None
        assert query.scores.tolist() == scores
        rows = range(len(query.hits))
        tables = describe_list(result.hit_list(result.queries.index(query)), rows).tables  # raises unless they add up
        assert [hit.alignment.score for table in tables for hit in table.rows] == query.hits.scores.tolist()


def test_a_pair_that_is_too_large_for_a_path_keeps_its_score(built: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def too_large(*given: Any, **more: Any) -> Paths:
        paths = pair_paths(*given, **more)
        return replace(paths, status=np.full_like(paths.status, LARGE))

    monkeypatch.setattr(aligning, "pair_paths", too_large)
    result = found(built, FAMILY[0])
    hits = result.queries[0].hits
    (table,) = describe_list(result.hit_list(0), range(len(hits))).tables
    assert not table.there.any()
    assert table.scores.tolist() == hits.scores.tolist()


def test_the_command_lists_hits_and_a_saved_search_keeps_its_alignments(
    built: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    query, database = tmp_path / "q.fasta", tmp_path / "copy.swdb"
    query.write_text(f">one\n{FAMILY[1]}\n")
    database.write_bytes(built.read_bytes())
    first, again, saved = tmp_path / "a.tsv", tmp_path / "b.tsv", tmp_path / "run.swgui"
    assert main(["search", "-q", str(query), "-d", str(database), "-o", str(first), "--save", str(saved)]) == 0
    assert "Profiles were compared" in capsys.readouterr().err
    lines = first.read_text().splitlines()
    assert lines[1].split("\t")[2] in {"apo_0", "alone"}
    assert float(lines[1].split("\t")[6]) < 1e-5
    database.unlink()
    assert main(["show", str(saved), "-o", str(again)]) == 0
    assert again.read_text() == first.read_text()
    assert main(["verify", str(saved)]) == 0


def test_texts_on_hits_say_that_profiles_were_compared(built: Path, tmp_path: Path) -> None:
    result = found(built, FAMILY[0])
    text = search_methods(result).paragraph
    assert "of the profile of every query with every profile" in text
    assert "BLOSUM62" not in text
    assert {SODING} == {SODING, HENIKOFF}.intersection(references(result))
    hits = result.hit_list(0)
    with pytest.raises(InvalidParameter, match="database of profiles"):
        ZRequest(hits, [0])
    (tmp_path / "q.fasta").write_text(f">q\n{FAMILY[0]}\n")
    out = tmp_path / "hits.tsv"
    shuffled = ["--shuffles", "100", "--statistics", str(tmp_path / "s.json")]
    assert main(["search", "-q", str(tmp_path / "q.fasta"), "-d", str(built), "-o", str(out), *shuffled]) == 2
    assert not out.exists()  # refused before the search
    doubtful = Evidence(-4.0, query_coverage=90.0, subject_coverage=90.0, subjects=PROFILES)
    assert "took in another family" in sentence(doubtful)
    assert "huffle" not in sentence(doubtful) + sentence(replace(doubtful, log10_evalue=0.5))
    assert "took in another family" in sentence(replace(doubtful, log10_evalue=-20.0))


def test_an_alignment_is_compared_as_a_profile(built: Path, tmp_path: Path) -> None:
    start = tmp_path / "start.sto"
    start.write_text(stockholm("apo", FAMILY))
    hits = swgui.search(None, str(built), start_from=str(start))
    assert hits[0].id == "apo_0"
    assert hits[0].score > found(built, FAMILY[0]).queries[0].hits.scores[0]


def test_rounds_against_another_database_end_in_a_comparison_of_profiles(built: Path, tmp_path: Path) -> None:
    reference = tmp_path / "reference.fasta"
    reference.write_text("".join(f">r{number}\n{row}\n" for number, row in enumerate((*FAMILY, *OTHER))))
    (tmp_path / "q.fasta").write_text(f">one\n{FAMILY[1]}\n")
    arguments = ["-q", str(tmp_path / "q.fasta"), "-d", str(built), "--iterations", "2"]
    with_rounds = main(["search", *arguments, "--build-database", str(reference), "-o", str(tmp_path / "o.tsv")])
    assert with_rounds == 0
    assert "apo_0" in (tmp_path / "o.tsv").read_text()
    assert main(["search", *arguments, "-o", str(tmp_path / "p.tsv")]) != 0


def test_the_cores_compare_profiles_where_the_engine_of_auto_does_not(built: Path) -> None:
    profiles = open_database(built).profiles
    assert profiles is not None
    other: Any = SimpleNamespace(name="another", devices=(DeviceInfo("0", "Other GPU"),))
    made = PairSearch(other, profiles, EngineOptions(threads=1), 1.0)
    assert (made.name, [device.id for device in made.devices]) == ("cpu", ["cpu"])


@pytest.mark.parametrize("behind", [False, True])
def test_rounds_are_refused_before_any_work(built: Path, behind: bool) -> None:
    given = in_rounds(request(open_database(built), FAMILY[0]), IterationSettings(rounds=2))
    build, events = None, list[object]()
    if behind:  # of other sequences, and then of profiles, which have no organisms
        given = replace(given, search=replace(given.search, organisms=OrganismLimit(("9606",))))
        build = encode_database([SequenceRecord("one", "", FAMILY[0].encode())], PROTEIN, "build")
    with pytest.raises(InvalidParameter, match="is a database of profiles"):
        events.extend(iteration_steps(replace(given, build_database=build), threading.Event()))
    assert not events


def test_profiles_by_rounds_continue_where_they_were_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from swgui.jobs.profiles import rounds

    monkeypatch.setattr(rounds, "BATCH", 2)
    proteins, out = tmp_path / "proteins.fasta", tmp_path / "made.swdb"
    proteins.write_text("".join(f">r{number}\n{row}\n" for number, row in enumerate((*FAMILY, *OTHER))))
    command = ["makedb", "--profiles", str(proteins), "--build-database", str(proteins), "-o", str(out)]
    wanted, searched = rounds.iteration_steps, []

    def some(request, cancel, use):  # type: ignore[no-untyped-def]
        searched.append(len(request.queries))
        if len(searched) == 2:
            raise EngineFault("The engine broke.")
        return wanted(request, cancel, use)

    monkeypatch.setattr(rounds, "iteration_steps", some)
    assert main(command) == 1
    assert not out.exists()
    assert main([*command, "--iterations", "2"]) == 0  # other settings begin again
    assert searched == [2, 2, 2, 2, 1]
    out.unlink()
    searched[:] = []
    assert main(command) == 1
    assert main(command) == 0
    assert searched == [2, 2, 2, 1]  # the first two were kept
    database = open_database(out)
    assert database.profiles is not None
    family = database.profiles.take(database.position[np.arange(3)])
    assert family.diversity.max() > 10
    assert not list(tmp_path.glob(".made*"))


@pytest.mark.parametrize("text", ["A", "X", "XXXXXXXXXX", "MKV"])
def test_short_and_unknown_queries_are_searched(built: Path, text: str) -> None:
    result = found(built, text)
    assert result.state == "complete"
    assert result.queries[0].scores is not None
    unknown = np.isnan(result.queries[0].hits.log10_evalues)
    assert unknown.all() if "1 query has no E-values" in result.message else not unknown.any()


def test_a_profile_of_thirty_thousand_columns_is_compared(tmp_path: Path) -> None:
    random = np.random.default_rng(1)
    long = "".join(random.choice(list(RESIDUES), 30_000)) + FAMILY[0]
    columns = np.full((len(long), 20), 0.01, dtype=np.float32)
    columns[np.arange(len(long)), [RESIDUES.index(letter) for letter in long]] = 0.81
    database = encode_database([SequenceRecord("long", "", long.encode())], PROTEIN, "long")
    background = np.full(20, 0.05)
    stored = StoredProfiles(quantised([columns], background), np.full(len(long), 10, np.uint8), background, "by hand")
    path = tmp_path / "long.swdb"
    save_database(replace(database, profiles=stored), path)
    result = found(path, FAMILY[0])
    assert result.queries[0].hits.scores[0] > 1000


def test_what_profiles_do_not_have_is_refused(built: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    database = open_database(built)
    with pytest.raises(InvalidParameter, match="database of profiles"):
        as_pairs(request(database, FAMILY[0], engine="cluster"), database, threading.Event())
    with pytest.raises(InvalidParameter, match="not searched together"):
        run_to_end(search_steps(request((built, built), FAMILY[0]), threading.Event()))  # type: ignore[arg-type]
    with pytest.raises(InvalidParameter, match="65,536 columns at most"):
        as_pairs(request(database, "M" * 65_537), database, threading.Event())
    (tmp_path / "empty").mkdir()
    assert main(["makedb", "--profiles", str(tmp_path / "empty"), "-o", str(tmp_path / "o.swdb")]) == 1
    (tmp_path / "dna.fasta").write_text(">gene\nACGTACGTTAGCCGATAGC\n")
    (tmp_path / "one.fasta").write_text(f">one\n{FAMILY[0]}\n")
    made = ["makedb", "--profiles", str(tmp_path / "dna.fasta"), "--build-database", str(tmp_path / "one.fasta")]
    assert main([*made, "-o", str(tmp_path / "o.swdb")]) == 2
    assert "'gene' in 'dna.fasta' is DNA or RNA" in capsys.readouterr().err
    assert main(["makedb", "--context", "own.crf", str(built), "-o", str(tmp_path / "o.swdb")]) != 0
    unscaled = replace(scores_of_columns(np.full((3, 20), 0.05, np.float32), "made"), units_per_bit=0.0)
    asked = request(database, "MKV")
    asked = replace(asked, queries=(replace(asked.queries[0], profile=unscaled),))
    with pytest.raises(ProfileError, match="units of its scores"):
        as_pairs(asked, database, threading.Event())


def test_damaged_and_newer_files_are_refused(built: Path, tmp_path: Path) -> None:
    content = built.read_bytes()
    header = json.loads(content[content.rindex(b'{"name"') :])
    place, broken = header["sections"][SCALES][0], tmp_path / "broken.swdb"
    broken.write_bytes(content[:place] + b"\xff\xff" + content[place + 2 :])
    with pytest.raises(DatabaseError, match=f"'{SCALES}'"):
        open_database(broken)
    place = header["sections"][CODES][0]
    broken.write_bytes(content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :])
    with pytest.raises(DatabaseError, match=f"'{CODES}'"):
        check_database(broken)
    broken.write_bytes(content[:-100])
    with pytest.raises(DatabaseError, match="cut off"):
        open_database(broken)


def test_a_newer_version_of_profiles_is_named(built: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from swgui.io.database import facts, profiles

    database, newer = open_database(built).arrays(), tmp_path / "newer.swdb"
    of = database.profiles
    assert isinstance(of, StoredProfiles)
    with monkeypatch.context() as later:
        later.setattr(profiles, "PROFILE_VERSION", 3)
        later.setattr(facts, "PROFILE_VERSION", 3)
        save_database(replace(database, profiles=replace(of, certain=of.pairs)), newer)
    with pytest.raises(DatabaseError, match="newer version of this program \\(format 3, this one reads 2\\)"):
        open_database(newer)


def test_profiles_of_chance_are_reversed_first_and_then_shuffled_in_stretches(built: Path) -> None:
    pairs = open_database(built).profiles.pairs  # type: ignore[union-attr]
    chance = unrelated(pairs, 9)
    assert chance.lengths.tolist() == pairs.lengths.tolist() * 3
    np.testing.assert_array_equal(chance[0].codes, pairs[0].codes[::-1])
    again = chance[len(pairs)]
    assert not np.array_equal(again.codes, pairs[0].codes[::-1])
    np.testing.assert_array_equal(np.sort(again.codes, axis=0), np.sort(pairs[0].codes, axis=0))


def test_the_scheme_of_pairs_is_the_same_however_often_it_is_made() -> None:
    once = pair_scheme(load_matrix("BLOSUM62", PROTEIN))
    assert pair_scheme(once.matrix) == once
    assert (once.gap_first, once.gap_extend) == (128, 13)
