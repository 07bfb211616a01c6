"""Lower limits of score, identity and coverage: what is listed, counted, saved and moved."""

from __future__ import annotations

import threading
from pathlib import Path

import numpy as np
import pytest

from swgui.cli import main
from swgui.core.alphabet import PROTEIN
from swgui.core.database import encode_database
from swgui.core.errors import InvalidParameter
from swgui.core.hits.results import SearchResult
from swgui.core.judging.subjects import locate
from swgui.core.limits import NO_MINIMUMS, Minimums
from swgui.core.plain import from_plain, plain, replace
from swgui.core.query_range import QueryRange
from swgui.core.records import SequenceRecord
from swgui.core.score_profile import PositionGaps, ScoreProfile
from swgui.core.scoring import ScoringScheme
from swgui.core.search import Correction
from swgui.gui.results.queries import best_subjects, explain_no_hits
from swgui.gui.results.summary import what_was_found
from swgui.io.database.build import save_database
from swgui.io.matrices import load_matrix
from swgui.io.saved.search import load_search, save_search
from swgui.io.statistics import load_statistics
from swgui.jobs.search.limits import keep_within, move_limits
from swgui.jobs.search.request import SearchRequest
from swgui.runs import Runs
from swgui.runs.search_facts import RequestFacts
from tests.asking import BLOSUM62, altered, answer, search_request
from tests.described import describe_hits

LETTERS = list(b"ACDEFGHIKLMNPQRSTVWY")


def made_request(minimums: Minimums = NO_MINIMUMS) -> SearchRequest:
    """Return a search with copies of a query that are shorter and shorter, and others less and less like it."""
    chance = np.random.default_rng(5)
    whole = chance.choice(LETTERS, 200).astype(np.uint8)
    subjects = [whole, *(whole[:length] for length in (150, 100, 50))]
    for changed in (40, 80, 110):
        copy = whole.copy()
        at = chance.choice(200, changed, replace=False)
        copy[at] = chance.choice(LETTERS, changed)
        subjects.append(copy)
    records = [SequenceRecord(f"s{number}", "", bytes(residues)) for number, residues in enumerate(subjects)]
    database = encode_database(records, PROTEIN, "made")
    query = SequenceRecord("whole", "", bytes(whole))
    return search_request(
        queries=(query,), database=database, scheme=BLOSUM62, max_evalue=1e3, engine="cpu", minimums=minimums
    )


def search(minimums: Minimums = NO_MINIMUMS) -> SearchResult:
    return answer(made_request(minimums))  # type: ignore[union-attr]


def listed(result: SearchResult) -> list[str]:
    return [result.database.ids[at] for at in result.queries[0].hits.db_index]


@pytest.mark.parametrize(
    "minimums",
    [Minimums(score=300), Minimums(identity=60), Minimums(coverage=60), Minimums(200, 50, 40), Minimums(identity=100)],
)
def test_hits_are_those_that_reach_every_limit(minimums: Minimums) -> None:
    everything = search()
    expected = [
        hit.subject.id
        for hit in describe_hits(everything, 0, range(len(everything.queries[0].hits)))
        if hit.counts
        and hit.score >= minimums.score
        and 100 * hit.counts.nident / hit.counts.length >= minimums.identity
        and 100 * hit.counts.query_span / 200 >= minimums.coverage
    ]
    found = search(minimums)
    assert 0 < len(expected) < len(listed(everything))
    assert listed(found) == expected
    by_score = int((everything.queries[0].hits.scores >= minimums.score).sum())
    assert found.left_out == by_score - len(expected)
    assert minimums.describe() in what_was_found(found, -3.0)
    assert [hit.rank for hit in describe_hits(found, 0, range(len(expected)))] == list(range(1, len(expected) + 1))


def test_coverage_is_that_of_the_whole_query() -> None:
    request = altered(made_request(Minimums(coverage=30)), query_range=QueryRange(1, 50))
    assert answer(request).queries[0].hits.scores.size == 0  # type: ignore[union-attr]


def test_further_alignments_reach_the_limits_too() -> None:
    whole = made_request().queries[0].residues
    subject = SequenceRecord("twice", "", whole + b"W" * 300 + whole[:60] + b"W" * 300 + whole[50:190])
    for minimums, expected in ((NO_MINIMUMS, 3), (Minimums(coverage=50), 2), (Minimums(coverage=90), 1)):
        request = altered(made_request(minimums), database=encode_database([subject], PROTEIN), max_hsps=3)
        (hit,) = describe_hits(answer(request), 0, [0])  # type: ignore[union-attr]
        assert len(list(hit.rows())) == expected
        assert all(100 * row.counts.query_span / 200 >= minimums.coverage for row in hit.rows() if row.counts)


def test_limits_are_saved_and_moved_with_the_others(tmp_path: Path) -> None:
    wanted = Minimums(200, 50, 40)
    found, published = search(wanted), load_statistics(BLOSUM62)
    save_search(found, tmp_path / "made.swgui")
    again = load_search(tmp_path / "made.swgui", database=found.database).result
    assert (again.search.limits.minimums, again.left_out) == (wanted, found.left_out)
    assert again.search.limits.minimums == wanted
    none = move_limits(again, published, replace(again.search.limits, minimums=NO_MINIMUMS), threading.Event())
    assert listed(none) == listed(search())
    assert none.left_out == 0
    back = move_limits(none, published, again.search.limits, threading.Event())
    assert (listed(back), back.left_out) == (listed(found), found.left_out)


@pytest.mark.usefixtures("user_folders")
def test_a_run_that_is_kept_is_run_again_with_its_limits(tmp_path: Path) -> None:
    wanted = Minimums(200, 50, 40)
    request = made_request(wanted)
    save_database(request.database, tmp_path / "made.swdb")  # type: ignore[arg-type]
    request, history = replace(request, database=tmp_path / "made.swdb"), Runs(tmp_path / "runs")
    begun = from_plain(RequestFacts, plain(RequestFacts.begun(request)))  # what a journal has
    assert begun.request().search.limits.minimums == wanted
    *_, last = history.run("search", request, threading.Event())
    (record,) = history.list()
    assert history.again(record.id).search.limits.minimums == wanted
    assert listed(history.open(record.id).result) == listed(last.outcome)  # type: ignore[union-attr]


def test_stopping_leaves_unaligned_hits_and_says_so() -> None:
    everything, cancel = altered(search(), minimums=Minimums(identity=100)), threading.Event()
    cancel.set()
    with pytest.raises(StopIteration) as end:
        next(keep_within(everything, cancel))
    assert listed(end.value.value) == listed(everything)
    assert "7 hits could not be checked against the limits" in end.value.value.message


def test_a_list_that_limits_empty_is_explained() -> None:
    found = search(Minimums(identity=100, coverage=100, score=1))
    assert listed(found) == ["s0"]
    request = made_request(Minimums(identity=99.5, coverage=99.5))
    database = encode_database([request.database.record(1)], PROTEIN)  # type: ignore[union-attr]
    result = answer(replace(request, database=database))  # type: ignore[union-attr]
    told = explain_no_hits(result, 0, best_subjects(result, 0))
    assert told.startswith("No subject reaches E ≤ 1,000, identity ≥ 99.5 %, query coverage ≥ 99.5 %. The best of 1 is")
    assert "(1 aligned, but below)" in what_was_found(result, -3.0)
    place = locate(search(Minimums(score=400)), 0, 3, load_statistics(BLOSUM62))
    assert place.reason == "Not listed: its score is below the limit of 400."


@pytest.mark.parametrize("composition", ["none", "full"])
@pytest.mark.parametrize("matrix", ["BLOSUM62", "GONNET"])  # with and without published parameters
def test_a_score_that_is_not_positive_is_no_hit(composition: Correction, matrix: str) -> None:
    scheme = ScoringScheme.from_blast(load_matrix(matrix, PROTEIN), 11, 1)
    nothing = SequenceRecord("x", "", b"X" * 40)
    gaps = PositionGaps.constant(40, 12, 1)
    zeros = ScoreProfile("zeros", PROTEIN, np.zeros((40, len(PROTEIN)), dtype=np.int16), gaps, 3.0)
    queries = (nothing, replace(nothing, id="zeros", profile=zeros))
    asked = altered(made_request(), queries=queries, scheme=scheme, composition=composition, max_evalue=1e9)
    result = answer(asked)  # type: ignore[union-attr]
    assert [len(query.hits) for query in result.queries] == [0, 0]
    assert all(not query.scores.any() for query in result.queries)
    published = load_statistics(scheme)
    moved = move_limits(result, published, replace(result.search.limits, max_evalue=1e12), threading.Event())
    assert [len(query.hits) for query in moved.queries] == [0, 0]
    assert "score is 0" in locate(result, 0, 1, published).reason
    assert explain_no_hits(result, 0, best_subjects(result, 0)) == "No subject has a score above 0."


def test_the_terminal_says_what_limits_left_out(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    residues = made_request().queries[0].residues.decode()
    (tmp_path / "q.fa").write_text(f">q\n{residues}\n")
    (tmp_path / "d.fa").write_text(f">half\n{residues[:90]}\n>third\n{residues[:70]}\n")
    words = ["search", "-q", str(tmp_path / "q.fa"), "-d", str(tmp_path / "d.fa"), "--engine", "cpu"]
    assert main([*words, "--min-coverage", "40"]) == 0
    out = capsys.readouterr()
    assert "half" in out.out
    assert "third" not in out.out
    assert "the limits of hits are query coverage ≥ 40 %: 1 hit within the other limits had less." in out.err
    assert main([*words, "--min-score", "600"]) == 0
    assert "the limits of hits are score ≥ 600: none has it." in capsys.readouterr().err


@pytest.mark.parametrize(
    ("values", "told"),
    [
        ((-1, 0, 0), "A score limit of -1 is below 0."),
        ((0, 101, 0), "A limit of 101 % identity is not between 0 and 100."),
        ((0, 0, -3), "A limit of -3 % coverage is not between 0 and 100."),
    ],
)
def test_limits_that_make_no_sense_are_one_sentence(values: tuple[int, float, float], told: str) -> None:
    with pytest.raises(InvalidParameter, match=told):
        Minimums(*values)


def test_a_score_that_no_subject_can_have_is_refused_before_anything_runs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "q.fa").write_text(">q\nMKVLAW\n")
    words = ["search", "-q", str(tmp_path / "q.fa"), "-d", str(tmp_path / "missing.swdb"), "--min-score", "34"]
    assert main(words) == 2
    assert "No subject can have a score of 34: the queries allow 33 at most." in capsys.readouterr().err
