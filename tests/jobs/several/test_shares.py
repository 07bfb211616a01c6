"""Shares of a search put together in memory: two tracks, frameshifts, masks and saved files of shares."""

import threading
from types import SimpleNamespace

import numpy as np
import pytest

import swgui.io  # noqa: F401, the alphabets of files
from swgui.core.alphabet import NUCLEOTIDE, PROTEIN
from swgui.core.database import encode_database
from swgui.core.engines import EngineOptions
from swgui.core.errors import InvalidParameter
from swgui.core.hits.scores import TopHits
from swgui.core.judging.fitting import fit_of
from swgui.core.plain import replace
from swgui.core.profiles.iteration import IterationSettings
from swgui.core.records import Letters, SequenceRecord
from swgui.core.scoring import ScoringScheme, match_mismatch
from swgui.core.search import Search
from swgui.core.several.joined import joined
from swgui.core.several.shares import Share
from swgui.core.statistics.counts import ScoreCounts
from swgui.core.translation.programs import Translation
from swgui.io.saved.search import load_search, save_search
from swgui.io.saved.share import check_together, read_share, save_share
from swgui.jobs.events import run_to_end
from swgui.jobs.search.request import SearchRequest
from swgui.jobs.several.shares import GivenShares, SharedSearch, merge_steps, share_steps
from tests.core.several.test_joined import BLOSUM62, ODD, records, same, search, with_relatives

LETTERS = "ACDEFGHIKLMNPQRSTVWY"


def in_two_tracks(chance, made):
    return [
        replace(one, letters=Letters("3Di", bytes(chance.choice(list(LETTERS.encode()), len(one.residues)).tolist())))
        for one in made
    ]


def cases(name):
    """Return records of the database, their alphabet, queries, and how they are searched."""
    chance = np.random.default_rng(len(name))
    queries = [one for one in records(chance, 8, LETTERS, 120) if len(one.residues) > 40][:2]
    if name == "frameshifts":
        made = records(chance, 30, "ACGT", 500)
        coded = b"ATGAAAGTGCTGTGGGCGGCGCTGCTGGTGACCTTTCTGGCGGGCTGCCAGGCGAAAGTGGAACAGGCGGTG"
        made[7] = SequenceRecord("s7", "", made[7].residues + coded[:33] + b"A" + coded[33:] + made[7].residues)
        queries = [SequenceRecord("q", "", b"MKVLWAALLVTFLAGCQAKVEQAVETEPEPELRQQTEWQSG")]
        return made, NUCLEOTIDE, queries, {"translation": Translation("tblastn", shift=15)}
    made = with_relatives(chance, records(chance, 80, LETTERS), queries, LETTERS)
    if name == "two tracks":
        return in_two_tracks(chance, made), PROTEIN, in_two_tracks(chance, queries), {}
    queries = [replace(one, residues=one.residues + b"S" * 30) for one in queries]
    return made, PROTEIN, queries, {"mask": True}


@pytest.mark.parametrize("name", ["two tracks", "frameshifts", "masked"])
@pytest.mark.parametrize("several", [False, True])
def test_shares_make_the_whole(tmp_path, name, several):
    made, alphabet, queries, how = cases(name)
    parts = [made[:11], made[11:]] if several else [made]
    database = joined([encode_database(some, alphabet, f"d{n}") for n, some in enumerate(parts)])
    asked = Search(scheme=BLOSUM62, engine="auto" if name == "frameshifts" else "cpu", **how)
    request = SearchRequest(tuple(queries), database, asked)
    shares = []
    for number in (3, 1, 2):
        shared = run_to_end(share_steps(request, Share(number, 3), threading.Event()))
        path = tmp_path / f"{number}.part"
        save_share(shared.shares[0], request.queries, asked, database, path)
        shares.append(read_share(path))
    ordered = check_together(shares)
    given = SharedSearch(replace(request, queries=ordered[0].queries), tuple(part.scores for part in ordered))
    merged = run_to_end(merge_steps(given, threading.Event()))
    whole = search(database, queries, **(how | {"scheme": BLOSUM62, "engine": asked.engine}))
    same(merged, whole)
    assert merged.asked == asked
    assert (merged.search, merged.information) == (whole.search, whole.information)
    assert sum(map(len, (query.hits for query in merged.queries))) > 0


def test_stop_leaves_no_share():
    made, alphabet, queries, _ = cases("masked")
    request = SearchRequest(tuple(queries), encode_database(made, alphabet), Search(scheme=BLOSUM62, engine="cpu"))
    cancel = threading.Event()
    cancel.set()
    assert run_to_end(share_steps(request, Share(1, 2), cancel)) is None


def test_rounds_are_refused():
    made, alphabet, queries, _ = cases("masked")
    asked = Search(scheme=BLOSUM62, iteration=IterationSettings(), options=EngineOptions())
    request = SearchRequest(tuple(queries), encode_database(made, alphabet), asked)
    with pytest.raises(InvalidParameter, match="rounds"):
        run_to_end(share_steps(request, Share(1, 2), threading.Event()))


# Where scores are not kept, what is counted of them gives the same fit, of one search and of its shares.

CASES = {
    "protein": ("ACDEFGHIKLMNPQRSTVWY", PROTEIN, {"scheme": ODD, "composition": "lambda"}),
    "both strands": (
        "ACGT",
        NUCLEOTIDE,
        {"scheme": ScoringScheme.from_blast(match_mismatch(NUCLEOTIDE, 3, -4), 11, 5), "strand": "both"},
    ),
    "translated": ("ACGT", NUCLEOTIDE, {"scheme": ODD, "translation": Translation("tblastn"), "composition": "none"}),
}


def made_up(case):
    letters, alphabet, how = CASES[case]
    chance = np.random.default_rng(21)
    kind = "ACDEFGHIKLMNPQRSTVWY" if case == "translated" else letters
    queries = [SequenceRecord(f"q{n}", "", bytes(chance.choice(list(kind.encode()), 70).tolist())) for n in range(2)]
    made = records(chance, 620, letters, 260)
    if case != "translated":
        made = with_relatives(chance, made, queries, letters)
    return (
        joined([encode_database(some, alphabet, n) for n, some in (("a", made[:99]), ("b", made[99:]))]),
        queries,
        how,
    )


def same_lists(one, other):
    for mine, theirs in zip(one.queries, other.queries, strict=True):
        assert len(mine.hits)
        for name in ("db_index", "scores", "strands", "bit_scores", "log10_evalues"):
            assert np.array_equal(getattr(mine.hits, name), getattr(theirs.hits, name)), name


@pytest.mark.parametrize("case", CASES)
def test_counts_give_the_fit_of_all_scores(case, tmp_path, monkeypatch):
    database, queries, how = made_up(case)
    kept = search(database, queries, **how)
    monkeypatch.setattr("swgui.jobs.search.run.SCORE_BYTES_LIMIT", 0)
    counted = search(database, queries, **how)
    assert all(query.scores is None for query in counted.queries)
    assert counted.statistics == kept.statistics != ""
    same_lists(counted, kept)
    for index in range(len(queries)):
        assert fit_of(counted, index) == fit_of(kept, index)
    save_search(counted, tmp_path / "run.swgui")
    loaded = load_search(tmp_path / "run.swgui", database=database).result
    assert fit_of(loaded, 0) == fit_of(kept, 0)
    asked = Search(engine="cpu", **how)
    request, parts = SearchRequest(tuple(queries), database, asked), []
    for number in range(1, 4):
        shared = run_to_end(share_steps(request, Share(number, 3), threading.Event()))
        path = tmp_path / f"{number}.part"
        save_share(shared.shares[0], request.queries, asked, database, path)
        parts.append(read_share(path).scores)
    check_together([read_share(tmp_path / f"{number}.part") for number in (1, 2, 3)])
    merged = run_to_end(merge_steps(SharedSearch(request, tuple(parts)), threading.Event()))
    same_lists(merged, kept)
    assert merged.statistics == kept.statistics


def test_counts_are_those_of_all_scores_however_they_come():
    chance = np.random.default_rng(3)
    lengths = chance.integers(1, 40, 500).astype(np.int32)
    scores = chance.integers(0, 30, (2, 500)).astype(np.int32)
    for strands in (1, 2):
        counts = ScoreCounts(lengths.take, strands)
        for some in np.array_split(chance.permutation(500), 7):
            for strand in range(strands)[:: -1 if len(some) % 2 else 1]:
                counts.add(strand, scores[strand, some], some)
        best = scores[:strands].max(axis=0)
        *columns, times = counts.columns()
        found = sorted(zip(*(np.repeat(column, times).tolist() for column in columns), strict=True))
        assert found == sorted(zip(best.tolist(), lengths.tolist(), strict=True))


@pytest.mark.parametrize(("found", "known"), [(3, True), (4, False)])
def test_a_list_of_a_share_that_may_be_cut_is_not_that_of_each_strand(found, known):
    best = TopHits(4)
    best.update(np.arange(50, 50 + found, dtype=np.int32), np.arange(found))
    shares = [SimpleNamespace(scores=None, best=(TopHits(4), best)), SimpleNamespace(scores=np.zeros((2, 5)), best=())]
    assert GivenShares(shares).of_each_strand == known
