"""Certain members of alignments, their profiles in databases, and E of pairs with members in doubt."""

import threading
from pathlib import Path

import numpy as np
import pytest

from swgui.cli import main
from swgui.core.control import checking
from swgui.core.database import EncodedDatabase
from swgui.core.engines import EngineOptions
from swgui.core.errors import InvalidParameter
from swgui.core.hits.results import SearchResult
from swgui.core.judging.ranking import statistics_of
from swgui.core.plain import replace
from swgui.core.profiles.alignment import MasterAlignment
from swgui.core.profiles.iteration import IterationSettings
from swgui.core.profiles.stored import StoredProfiles, columns_of_scores
from swgui.core.verdict.hits import judge
from swgui.engines.native.profiles import ProfileMaker
from swgui.io.database.build import save_database
from swgui.io.database.file import check_database
from swgui.io.statistics import load_statistics
from swgui.jobs.events import run_to_end
from swgui.jobs.iterate.again import compare_profiles
from swgui.jobs.iterate.certain import with_certain
from swgui.jobs.iterate.run import iteration_steps
from swgui.jobs.profiles.building import build_steps, profile_build
from swgui.jobs.profiles.judging import IN_DOUBT, judged
from swgui.jobs.search.describe import describe_list
from swgui.jobs.search.ranking import corrected, ranker_of, rerank
from swgui.jobs.search.request import SearchRequest
from swgui.jobs.search.run import search_steps
from tests.asking import BLOSUM62, search_request
from tests.jobs.iterate.family import family_records, family_request

STRANGERS = ("other3", "other4")


@pytest.fixture(scope="module")
def rounds() -> SearchResult:
    """Two rounds with a member of a family, two strangers included by name."""
    settings = IterationSettings(rounds=2, include_ids=STRANGERS)
    request = family_request(family_records(), iteration=settings)
    result = run_to_end(iteration_steps(request, threading.Event()))
    assert result is not None
    return result


@pytest.fixture(scope="module")
def known(rounds: SearchResult) -> MasterAlignment:
    maker = ProfileMaker(BLOSUM62.matrix, IterationSettings().profile_recipe())
    return with_certain(rounds, 0, maker, checking(threading.Event()))


def test_strangers_are_in_doubt_and_relatives_certain(known: MasterAlignment) -> None:
    assert known.certain is not None
    certain = dict(zip(known.ids, known.certain.tolist(), strict=True))
    assert set(STRANGERS) <= certain.keys()
    assert not any(certain[name] for name in STRANGERS)
    assert certain["kin0"]
    assert sum(of for name, of in certain.items() if name.startswith("kin")) >= 8
    assert known.of_certain.ids == [name for name in known.ids if certain[name]]
    alone = known.take(np.array([0]))
    assert replace(alone, certain=np.ones(1, dtype=np.bool_)).of_certain.ids == ["kin0"]


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Profiles of a family and of strangers, by rounds; in doubt are all members of one of the family."""
    folder = tmp_path_factory.mktemp("doubt")
    fasta, out = folder / "all.fasta", folder / "profiles.swdb"
    records = family_records()[-60:]
    fasta.write_text("".join(f">{one.id}\n{one.residues.decode()}\n" for one in records))
    build = profile_build([fasta], out, "doubt", fasta, rounds=2)
    made = run_to_end(build_steps(build, 1, [], threading.Event())).arrays()
    profiles = made.profiles
    assert isinstance(profiles, StoredProfiles)
    certain = profiles.certain or profiles.pairs
    begin, end = certain.offsets[(place := int(made.position[names(made).index("kin5")])) : place + 2].tolist()
    codes, scales = certain.codes.copy(), certain.scales.copy()
    codes[begin:end], scales[begin:end] = codes[begin:end, ::-1][::-1], scales[begin:end][::-1]
    doubtful = replace(profiles, certain=replace(certain, codes=codes, scales=scales))
    save_database(replace(made, profiles=doubtful), out)
    return out


def names(database: EncodedDatabase) -> list[str]:
    return [database.ids[index] for index in range(len(database))]


def search(database: Path) -> SearchResult:
    records = {one.id: one for one in family_records()}
    given = {"scheme": BLOSUM62, "engine": "cpu", "max_evalue": 1.0}
    result = run_to_end(
        search_steps(search_request(queries=(records["kin0"],), database=database, **given), threading.Event())
    )
    assert result is not None
    return result


def test_what_doubtful_members_alone_support_is_listed_last_with_an_e_of_a_half(database: Path) -> None:
    check_database(database)
    result = search(database)
    hits, ids = result.queries[0].hits, names(result.database)
    place = [ids[index] for index in hits.db_index.tolist()].index("kin5")
    assert hits.log10_evalues[place] == pytest.approx(IN_DOUBT)
    assert (hits.log10_evalues[:place] <= IN_DOUBT).all()
    assert hits.scores[place] > hits.scores[:place].min()
    (table,) = describe_list(result.hit_list(0), range(len(hits))).tables
    assert table.doubted[place]
    assert table.fitted[place] < -3
    assert "members of the profiles that are in doubt" in judge(table.rows[place], result)
    one = hits.take(np.array([place]))
    again = corrected(result, 0, replace(one, log10_evalues=table.fitted[place : place + 1]))
    assert again.log10_evalues[0] == pytest.approx(IN_DOUBT)
    ranker = replace(ranker_of(result, result.search.limits), threads=-2)  # as of many queries at a time
    by_score = replace(hits, log10_evalues=table.fitted)
    asked = ranker.to_judge(result.queries[0].query, by_score, statistics_of(result, 0, None))
    np.testing.assert_allclose(judged(asked).log10_evalues, hits.log10_evalues)
    published = load_statistics(result.scheme)
    narrower = rerank(result, published, replace(result.search.limits, max_evalue=0.1)).queries[0].hits
    assert narrower.db_index.tolist() == hits.db_index[hits.log10_evalues <= -1].tolist()


def test_saved_searches_keep_certain_columns(database: Path, tmp_path: Path) -> None:
    query, copy, saved = tmp_path / "q.fasta", tmp_path / "copy.swdb", tmp_path / "run.swgui"
    query.write_text(f">kin0\n{family_records()[-16].residues.decode()}\n")
    copy.write_bytes(database.read_bytes())
    first, again = tmp_path / "a.tsv", tmp_path / "b.tsv"
    columns = ["--columns", "sseqid,evalue,evalue_as_member"]
    assert main(["search", "-q", str(query), "-d", str(copy), "-o", str(first), "--save", str(saved), *columns]) == 0
    lines = {name: rest for name, *rest in (line.split("\t") for line in first.read_text().splitlines())}
    assert float(lines["kin5"][1]) < 0.001
    copy.unlink()
    assert main(["show", str(saved), "-o", str(again), *columns]) == 0
    assert again.read_text() == first.read_text()
    assert main(["verify", str(saved)]) == 0


def test_the_last_round_of_a_result_is_compared_with_profiles(rounds: SearchResult, database: Path) -> None:
    request = compare_profiles(rounds, 0, database, "cpu", EngineOptions())
    result = run_to_end(search_steps(request, threading.Event()))
    assert result is not None
    profile, ids = result.queries[0].query.profile, names(result.database)
    assert profile is not None
    assert profile.certain is not None
    assert ids[result.queries[0].hits.db_index[0]].startswith("kin")
    plain = family_request(family_records())
    once = run_to_end(search_steps(plain, threading.Event()))
    assert once is not None
    with pytest.raises(InvalidParameter, match="has no profile yet"):
        compare_profiles(once, 0, database, "cpu", EngineOptions())


def test_rounds_that_end_in_profiles_keep_the_columns_of_certain_members(database: Path) -> None:
    records = family_records()
    settings = IterationSettings(rounds=2, include_ids=STRANGERS)
    given = family_request(records, iteration=settings)
    request: SearchRequest = replace(given, database=database, build_database=given.database)
    result = run_to_end(iteration_steps(request, threading.Event()))
    assert result is not None
    profile = result.queries[0].query.profile
    assert profile is not None
    assert profile.certain is not None
    assert not np.array_equal(columns_of_scores(profile.certain, 320), columns_of_scores(profile.scores, 320))
