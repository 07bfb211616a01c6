"""The missed-hit audit and the comparison of two runs, against plain counting."""

import math
from dataclasses import dataclass, field

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from swgui.core.alphabet import PROTEIN
from swgui.core.compare.audit import NOT_KEPT, AuditError, audit
from swgui.core.compare.audit_summary import headline, summary
from swgui.core.compare.runs import LOST, MOVED, NEW, SAME, STATES, compare_results
from swgui.core.database import encode_database
from swgui.core.hits.results import QueryResult
from swgui.core.hits.scores import best_indices
from swgui.core.judging.places import rank_subjects
from swgui.core.judging.ranking import rank_each
from swgui.core.judging.subjects import NOT_SCORED, locate
from swgui.core.limits import Limits
from swgui.core.plain import replace
from swgui.core.records import SequenceRecord
from swgui.io.statistics import load_statistics
from tests.asking import BLOSUM62, search_result

PUBLISHED = load_statistics(BLOSUM62)


@dataclass(frozen=True)
class Table:
    queries: list
    subjects: list
    values: dict = field(default_factory=dict)
    program: str = "OTHER 1.0"

    @classmethod
    def of(cls, *lines, **columns):
        queries, subjects = zip(*lines, strict=True) if lines else ((), ())
        return cls(list(queries), list(subjects), {name: np.array(v, dtype=float) for name, v in columns.items()})


def make_database(count, prefix="sp|P{0}|N{0}"):
    records = [SequenceRecord(prefix.format(at), f"thing {at}", b"ACDEFGHIKL" * (1 + at % 3)) for at in range(count)]
    return encode_database(records, PROTEIN, "made up")


def make_result(vectors, *, top=3, max_evalue=1e9, database=None, keep=True, queries=None):
    """Make the result that a search with these scores would have."""
    database = database or make_database(len(vectors[0]))
    limits, made = Limits(top, max_evalue), []
    for at, scores in enumerate(np.asarray(vectors, dtype=np.int32)):
        record = SequenceRecord(queries[at] if queries else f"q{at}", "", b"ACDEFGHIKL" * 3)
        scored = np.flatnonzero(scores >= 0)
        best = scored[best_indices(scores[scored], scored, top)]
        strands, of = np.ones(len(best), dtype=np.int8), np.zeros(len(best), dtype=np.int64)
        hits = rank_each([30], best, scores[best], strands, of, database, [PUBLISHED], limits).hits
        made.append(QueryResult(record, hits, len(scored), scores if keep else None))
    return search_result(
        queries=tuple(made), database=database, scheme=BLOSUM62, strand="plus", max_evalue=max_evalue, top=top,
        engine="reference", devices=("cpu",), state="complete", cells_done=1, cells_total=1, seconds=1.0, rescored=0,
        statistics="published", message="", version="0", finished_at="",
    )  # fmt: skip


def pairs(rows):
    return list(zip(rows.query_index.tolist(), rows.db_index.tolist(), strict=True))


SCORES = [[50, 90, 20, 90, 70, 10], [5, 6, 7, 8, 9, 10]]  # ranks of query 0: 1, 3, 4, 0, 2, 5


def test_three_parts_with_ranks_of_both_sides():
    table = Table.of(
        ("q0", "sp|P4|N4"), ("q0", "sp|P2|N2"), ("q0", "sp|P4|N4"), ("q0", "sp|P1|N1"), ("q1", "sp|P5|N5"),
        score=[60, 20, 65, 90, 10], evalue=[1e-3, 2.0, 1e-5, 0.0, 9.0], bitscore=[30, 10, 33, 44, 8],
    )  # fmt: skip
    found = audit(make_result(SCORES), table, PUBLISHED)
    assert pairs(found.both) == [(0, 1), (0, 4), (1, 5)]
    assert found.both.ours.ranks.tolist() == [1, 3, 1]
    assert found.both.ours.scores.tolist() == [90, 70, 10]
    assert found.both.theirs.ranks.tolist() == [3, 1, 1]
    assert found.both.theirs.segments.tolist() == [1, 2, 1]
    assert found.both.theirs.scores.tolist() == [90, 65, 10]  # of the segment with most bits
    assert found.both.theirs.log10_evalues.tolist() == [-math.inf, -5.0, pytest.approx(math.log10(9))]
    assert pairs(found.only_here) == [(0, 3), (1, 4), (1, 3)]
    assert found.only_here.ours.ranks.tolist() == [2, 2, 3]
    assert pairs(found.only_there) == [(0, 2)]
    assert found.only_there.ours.ranks.tolist() == [5]
    assert found.only_there.ours.scores.tolist() == [20]
    assert found.reason(0) == "Not listed: its rank is beyond the 3 hits that may be listed."
    assert not len(found.unclear)
    assert not found.unmatched
    assert headline(found) == "3 found by both, 3 only in this search, 1 only in the table."
    sentences = summary(found)
    assert sentences[0] == headline(found)
    assert "Exact ranks of those only in the table: sp|P2|N2 is 5." in sentences
    assert "Raw scores: 3 of 4 are equal, 1 are lower there, 0 are higher there." in sentences


def test_scores_that_cannot_come_from_the_same_costs_are_named():
    table = Table.of(("q0", "sp|P1|N1"), score=[91])
    assert any("above the exact one" in sentence for sentence in summary(audit(make_result(SCORES), table, PUBLISHED)))


def test_what_is_unknown_or_ambiguous_is_said_and_not_counted():
    database = encode_database(
        [SequenceRecord(name, "", b"ACDEF") for name in ("twin", "twin", "alone", "other")], PROTEIN, "twins"
    )
    result = make_result([[9, 8, 7, 6]], top=2, database=database)
    table = Table.of(("q0", "twin"), ("q0", "alone"), ("q0", "nowhere"), ("q0", "nowhere"), ("elsewhere", "alone"))
    found = audit(result, table, PUBLISHED)
    assert pairs(found.unclear) == [(0, 0), (0, 1)]
    assert pairs(found.only_there) == [(0, 2)]
    assert found.only_there.theirs.ranks.tolist() == [2]  # the twin before it counts
    assert not len(found.only_here)
    told = {(entry.kind, entry.name): (entry.lines, entry.candidates, entry.reason) for entry in found.unmatched}
    assert told == {
        ("query", "elsewhere"): (1, (), "No query of this search has this name."),
        ("subject", "twin"): (1, (0, 1), "The name could be any of 2 sequences of the database."),
        ("subject", "nowhere"): (2, (), "No sequence of the database has this name."),
    }
    text = " ".join(summary(found))
    assert "1 query of the table is not known here: elsewhere." in text
    assert "1 subject of the table is not known here: nowhere." in text
    assert "1 subject of the table has an ambiguous name: twin." in text
    assert "2 unclear" in text


def test_queries_without_lines_are_named():
    found = audit(make_result(SCORES), Table.of(("q1", "sp|P5|N5")), PUBLISHED)
    assert found.silent_queries == (0,)
    assert any(
        "no line of 1 query (q0), to which 3 of those only in this search" in sentence for sentence in summary(found)
    )


def test_an_empty_table_is_an_answer():
    found = audit(make_result(SCORES), Table.of(), PUBLISHED)
    assert headline(found) == "0 found by both, 6 only in this search, 0 only in the table."


def test_the_only_query_may_have_another_name():
    result = make_result(SCORES[:1])
    found = audit(result, Table.of(("Query_1", "P1")), PUBLISHED)
    assert pairs(found.both) == [(0, 1)]
    assert found.assumed == "Query_1"
    assert any("calls its query 'Query_1'" in sentence for sentence in summary(found))


def test_a_table_of_another_search_is_refused():
    result = make_result(SCORES)
    with pytest.raises(AuditError, match=r"No query of the table \(x\) is one of this search \(q0, q1\)"):
        audit(result, Table.of(("x", "sp|P1|N1")), PUBLISHED)
    with pytest.raises(
        AuditError, match=r"No subject of the table \(a, b, c and 1 more\) is in the database 'made up'"
    ):
        audit(result, Table.of(*[("q0", name) for name in "abcd"]), PUBLISHED)


def test_without_scores_the_reason_says_so():
    found = audit(make_result(SCORES, keep=False), Table.of(("q0", "P2")), PUBLISHED)
    assert (found.only_there.ours.ranks[0], found.only_there.ours.scores[0]) == (0, -1)
    assert found.reason(0) == NOT_KEPT
    assert "1 of the 1 only in the table has no score in this search." in summary(found)


def test_a_stopped_run_says_what_was_not_scored():
    result = replace(make_result([[50, 90, -1, 90, 70, 10]]), state="stopped")
    found = audit(result, Table.of(("q0", "P2")), PUBLISHED)
    assert found.reason(0) == NOT_SCORED
    assert any("did not run to its end" in sentence for sentence in summary(found))


score_vectors = st.lists(
    st.lists(st.integers(-1, 12), min_size=8, max_size=8), min_size=1, max_size=3
)  # few values: many ties
tables = st.lists(st.tuples(st.integers(0, 2), st.integers(0, 8)), max_size=30)


@settings(max_examples=60)
@given(score_vectors, tables, st.integers(1, 9), st.sampled_from([1e9, 1e-3, 0.5]))
def test_the_parts_are_the_sets_they_should_be(vectors, lines, top, max_evalue):
    result = make_result(vectors, top=top, max_evalue=max_evalue)
    table = Table.of(*[(f"q{q}", f"P{s}") for q, s in lines])
    theirs = {(q, s) for q, s in lines if q < len(vectors) and s < 8}
    ours = {(at, int(s)) for at, query in enumerate(result.queries) for s in query.hits.db_index}
    try:
        found = audit(result, table, PUBLISHED)
    except AuditError:
        assert lines
        assert all(q >= len(vectors) for q, _ in lines) or all(s == 8 for _, s in lines)
        return
    if found.assumed:
        theirs = {(0, s) for _, s in lines if s < 8}
    assert set(pairs(found.both)) == ours & theirs
    assert set(pairs(found.only_here)) == ours - theirs
    assert set(pairs(found.only_there)) == theirs - ours
    for rows in (found.both, found.only_here, found.only_there):
        assert len(set(pairs(rows))) == len(rows)
        for at, (query, subject) in enumerate(pairs(rows)):
            target = locate(result, query, subject, PUBLISHED)
            assert (rows.ours.ranks[at], rows.ours.scores[at]) == (target.rank, target.score)
            assert rows.ours.log10_evalues[at] == pytest.approx(target.log10_evalue, nan_ok=True)
            assert target.listed == (rows is not found.only_there)
            if rows is found.only_there:
                assert found.reason(at) == target.reason


@given(st.lists(st.integers(-1, 9), min_size=1, max_size=40), st.data())
def test_places_of_many_subjects_are_those_of_each(scores, data):
    result = make_result([scores], top=2)
    wanted = np.array(data.draw(st.lists(st.integers(0, len(scores) - 1), max_size=10)), dtype=np.int64)
    places = rank_subjects(result, 0, wanted, PUBLISHED)
    for at, subject in enumerate(wanted):
        target = locate(result, 0, int(subject), PUBLISHED)
        assert (places.ranks[at], places.scores[at]) == (target.rank, target.score)
        assert places.bit_scores[at] == pytest.approx(target.bit_score, nan_ok=True)


# -- two runs --------------------------------------------------------------------------------------


def compare(one, other):
    return compare_results(one, other, PUBLISHED, PUBLISHED)


def listed(comparison):
    names = [STATES[state] for state in comparison.states]
    return list(zip(names, comparison.db_index[0].tolist(), comparison.db_index[1].tolist(), strict=True))


def test_states_of_two_runs():
    one = make_result([[50, 90, 20, 80, 70, 10]])  # 1, 3, 4
    other = make_result([[75, 90, 20, 10, 70, 10]], database=one.database)  # 1, 0, 4
    found = compare(one, other)
    assert listed(found) == [("same", 1, 1), ("lost", 3, 3), ("new", 0, 0), ("same", 4, 4)]
    assert found.places[0].ranks.tolist() == [1, 2, 4, 3]
    assert found.places[1].ranks.tolist() == [1, 5, 2, 3]
    assert found.places[1].scores.tolist() == [90, 10, 75, 70]
    assert found.counts() == {"same": 2, "moved": 0, "new": 1, "lost": 1}


def test_another_score_at_the_same_rank_is_a_move():
    one = make_result([[50, 90, 20]], top=1)
    other = make_result([[50, 91, 20]], top=1, database=one.database)
    assert [STATES[state] for state in compare(one, other).states] == ["moved"]


def test_other_databases_are_compared_by_name():
    one = make_result([[3, 2, 1]])
    records = [SequenceRecord(name, "", b"ACDEF") for name in ("new", "P1.2", "P0", "P0")]
    other = make_result([[9, 8, 7, 6]], top=4, database=encode_database(records, PROTEIN, "newer"))
    found = compare(one, other)
    # The first run's P0 could be either of two, so it is not matched.
    assert listed(found) == [
        ("moved", 1, 1),
        ("new", -1, 0),
        ("lost", 2, -1),
        ("lost", 0, -1),
        ("new", -1, 2),
        ("new", -1, 3),
    ]
    assert found.counts() == {"same": 0, "moved": 1, "new": 3, "lost": 2}
    assert found.places[0].ranks[found.states == NEW].tolist() == [0, 0, 0]
    assert np.isnan(found.places[1].log10_evalues[found.states == LOST]).all()


def test_queries_are_paired_by_name_and_residues():
    one = make_result(SCORES, queries=["a", "b"])
    other = make_result(SCORES[::-1], queries=["b", "c"], database=one.database)
    found = compare(one, other)
    assert set(zip(*map(np.ndarray.tolist, found.query_index), strict=True)) == {(1, 0)}
    assert set(found.states.tolist()) == {SAME}
    assert found.unmatched == (("a",), ("c",))
    with pytest.raises(AuditError, match="no query in common"):
        compare(one, make_result(SCORES, queries=["x", "y"], database=one.database))


@settings(max_examples=60)
@given(score_vectors, st.integers(1, 9), st.integers(1, 9))
def test_laws_of_comparison(vectors, top, other_top):
    one = make_result(vectors, top=top)
    other = make_result([vector[::-1] for vector in vectors], top=other_top, database=one.database)
    itself, forth, back = compare(one, one), compare(one, other), compare(other, one)
    assert set(itself.states.tolist()) <= {SAME}
    assert len(itself) == sum(len(query.hits) for query in one.queries)
    for state, mirrored in ((SAME, SAME), (MOVED, MOVED), (NEW, LOST), (LOST, NEW)):
        assert (forth.states == state).sum() == (back.states == mirrored).sum()
    for at, query in enumerate(one.queries):
        of_query = forth.query_index[0] == at
        ours = set(forth.db_index[0][of_query & (forth.states != NEW)].tolist())
        assert ours == set(query.hits.db_index.tolist())
        theirs = set(forth.db_index[1][of_query & (forth.states != LOST)].tolist())
        assert theirs == set(other.queries[at].hits.db_index.tolist())
    for run, result in enumerate((one, other)):
        for at in range(len(forth)):
            query, subject = int(forth.query_index[run][at]), int(forth.db_index[run][at])
            target = locate(result, query, subject, PUBLISHED)
            assert (forth.places[run].ranks[at], forth.places[run].scores[at]) == (target.rank, target.score)
