"""E of members of a profile: with one that is made without them."""

import threading
from itertools import pairwise

import numpy as np
import pytest

from swgui.core.alphabet import PROTEIN
from swgui.core.database import encode_database
from swgui.core.engines import EngineOptions
from swgui.core.errors import ScoreMismatch
from swgui.core.hits.encoding import encode_part
from swgui.core.judging.correction import by_shuffles
from swgui.core.judging.explain import explain_hit
from swgui.core.judging.fitting import fit_of
from swgui.core.plain import replace
from swgui.core.profiles.iteration import EvidenceOptions, IterationSettings
from swgui.core.profiles.recipe import LONG_QUERY
from swgui.core.query_range import QueryRange
from swgui.core.records import SequenceRecord
from swgui.core.verdict.hits import judge
from swgui.engines import native
from swgui.engines.native import pieces as in_one_call
from swgui.io.export.columns import HIT_COLUMNS
from swgui.io.saved.search import load_search, save_search
from swgui.jobs.events import run_to_end
from swgui.jobs.iterate import rows, run
from swgui.jobs.iterate.again import search_again
from swgui.jobs.iterate.members import doubtful
from swgui.jobs.iterate.request import in_rounds
from swgui.jobs.iterate.run import iteration_steps
from swgui.jobs.search.ranking import RankRequest, ranker_of, rerank
from tests.asking import BLOSUM62, answer, search_request
from tests.described import describe_hits
from tests.jobs.iterate.family import FAMILY, evolved, family_records, family_request, sequence

STRANGER = "other7"


def searched(*others, **changes):
    """Return rounds that take a stranger in, whatever its E."""
    search = family_request(family_records(), **{"max_evalue": 1000.0, "max_hsps": 5, **changes})
    search = replace(search, queries=(*search.queries, *others))
    return answer(in_rounds(search, IterationSettings(rounds=4, include_ids=(STRANGER,))))


@pytest.fixture(scope="module")
def result():
    return searched()


def found(result, name):
    ids = [result.database.ids[index] for index in result.queries[0].hits.db_index.tolist()]
    return next(describe_hits(result, 0, [ids.index(name)]))


def test_a_stranger_in_the_profile_does_not_vouch_for_itself(result):
    hit = found(result, STRANGER)
    assert hit.rounds.member
    assert hit.fitted_log10_evalue < -4  # its score by the profile that it is in
    assert hit.log10_evalue > 0
    assert hit.rounds.log10_evalues[-1] == hit.log10_uncorrected  # before shuffles
    assert HIT_COLUMNS["evalue"].of(hit) == hit.log10_evalue
    assert HIT_COLUMNS["evalue_as_member"].of(hit) == hit.fitted_log10_evalue


def test_members_beyond_doubt_keep_the_evalue_of_the_search(result):
    first = result.queries[0].rounds.rounds[0]
    certain = first.included[np.isin(first.included, first.db_index[first.log10_evalues <= -3])]
    assert len(certain) > 3
    assert not np.isin(certain, doubtful(result.queries[0].rounds.rounds)).any()
    hits = result.queries[0].hits
    assert (np.diff(hits.log10_evalues) >= 0).all()
    for at in certain.tolist():
        hit = found(result, result.database.ids[at])
        assert hit.log10_evalue == pytest.approx(hit.fitted_log10_evalue)


def test_true_members_are_found_without_themselves(result):
    last = result.queries[0].rounds.last
    names = {result.database.ids[at] for at in last.included.tolist()}
    assert names == {STRANGER, *(f"kin{n}" for n in range(1, FAMILY))}


def test_further_alignments_of_a_stranger_are_no_better_than_its_best(result):
    hit = found(result, STRANGER)
    assert all(hsp.log10_evalue >= hit.log10_evalue - 1e-9 for hsp in hit.hsps)


def test_the_formula_says_both_evalues(result):
    texts = dict(explain_hit(result, 0, found(result, STRANGER), None))
    assert "as a member" in texts["E-value of a member of the profile"]
    certain = result.database.ids[int(result.queries[0].rounds.rounds[0].included[0])]
    assert (
        "beyond doubt"
        in dict(explain_hit(result, 0, found(result, certain), None))["E-value of a member of the profile"]
    )


def test_bits_fall_with_e_so_that_the_order_is_no_riddle(result):
    hits = result.queries[0].hits
    clear = range(int((hits.log10_evalues < -1).sum()))
    bits = [hit.bit_score for hit in describe_hits(result, 0, clear)]
    assert len(bits) > 10
    assert all(before > bits_ - 1.0 for before, bits_ in pairwise(bits))  # E depends on the length a little
    assert "the profile contains it, and gives it E =" in judge(found(result, STRANGER), result)
    assert "a profile without it gives E =" in judge(found(result, STRANGER), result)
    assert "contains it" not in judge(found(result, "kin1"), result)


def test_hits_of_rounds_are_shuffled_for_the_reader(result):
    first = next(describe_hits(result, 0, [0]))
    assert first.shuffle_z > 8
    assert "shuffles agree" in judge(first, result)
    assert "composition was not taken into account" not in judge(first, result)
    assert "Shuffle it" not in judge(first, result)
    hits = result.queries[0].hits
    assert hits.composition is not None
    assert (hits.log10_evalues >= hits.composition.log10_uncorrected).all()
    texts = dict(explain_hit(result, 0, first, None))
    assert "A profile has no lambda" in texts["E-value, corrected for composition"]


def rounds_of(result, settings):
    return answer(search_again(result, 0, frozenset(), settings, "cpu", EngineOptions()))


def test_hits_are_shuffled_however_often_rounds_are_asked_for(result):
    again = rounds_of(rounds_of(result, IterationSettings(2)), IterationSettings(3))
    assert again.asked.composition == "full"
    assert again.queries[0].hits.composition is not None
    assert "shuffles agree" in judge(next(describe_hits(again, 0, [0])), again)


def test_what_was_shuffled_keeps_its_evalue_where_evidence_follows(result):
    more = rounds_of(result, IterationSettings(2, evidence=EvidenceOptions(neighbours=True)))
    before, after = result.queries[0].hits, more.queries[0].hits.take(slice(0, len(result.queries[0].hits)))
    assert more.queries[0].rounds.evidence
    np.testing.assert_array_equal(before.log10_evalues, after.log10_evalues)
    np.testing.assert_array_equal(before.composition.log10_uncorrected, after.composition.log10_uncorrected)


@pytest.mark.parametrize(
    "changes",
    [{"max_evalue": 1e-3}, {"max_evalue": 3000.0}, {"top": 5}, {"effective_residues": 10**7, "max_evalue": 100.0}],
)
def test_moved_limits_list_what_new_rounds_would(result, changes):
    limits = replace(result.search.limits, **changes)
    moved = rerank(result, None, limits).queries[0].hits
    size = {"effective_residues": 0} if "effective_residues" in changes else {}  # which decides who is included
    new = searched(**{**changes, **size}).queries[0].hits
    if size:
        shift = np.log10(limits.effective_residues / result.database.residues)
        new = replace(new, log10_evalues=new.log10_evalues + shift)
        new = new.take(new.log10_evalues <= np.log10(limits.max_evalue))
    assert len(moved)
    assert moved.db_index.tolist() == new.db_index.tolist()
    np.testing.assert_allclose(moved.log10_evalues, new.log10_evalues, atol=1e-9)
    if not size:
        np.testing.assert_allclose(moved.bit_scores, new.bit_scores, atol=1e-9)
        np.testing.assert_array_equal(moved.composition.shuffle_z, new.composition.shuffle_z)


def test_a_query_without_hits_takes_no_shuffles_from_the_others(tmp_path):
    nothing = SequenceRecord("nothing", "", b"W" * 12)
    both = searched(nothing, max_evalue=1e-3)
    assert [len(query.hits) > 0 for query in both.queries] == [True, False]
    save_search(both, tmp_path / "both.swr")
    hits = load_search(tmp_path / "both.swr", database=both.database).result.queries[0].hits
    np.testing.assert_array_equal(hits.composition.shuffle_z, both.queries[0].hits.composition.shuffle_z)


@pytest.mark.parametrize("refunds", [False, True])
def test_profiles_are_held_against_shuffles_together_as_alone(result, refunds):
    query = result.queries[0]
    part = QueryRange(5, 60)
    ranker, cancel = ranker_of(result, result.search.limits), threading.Event()
    statistics = fit_of(result, 0).statistics
    fits = [statistics, replace(statistics, variance=90.0), statistics]
    encoded = [encode_part(query.query, result.scheme, part=some) for some in (None, part, None)]
    if refunds:  # a deletion that pays for another one must not reach into the next query
        gaps = encoded[1].gap_costs(result.scheme)
        extend = gaps.deletion_extend.copy()
        extend[[0, 20]] = -3
        encoded[1] = replace(encoded[1], gaps=replace(gaps, deletion_extend=extend))
    asked = RankRequest([query.query] * 3, fits, [{}] * 3, encoded)
    hits = [query.hits, query.hits.take(slice(0, 5)), query.hits.take(slice(3, 9))]
    together = by_shuffles(ranker.corrector(asked, cancel), hits)
    for place, (few, found_) in enumerate(zip(hits, together, strict=True)):
        (alone,) = by_shuffles(ranker.corrector(asked.take([place]), cancel), [few])
        assert alone.log10_evalues.tolist() == found_.log10_evalues.tolist()
        np.testing.assert_array_equal(alone.composition.shuffle_z, found_.composition.shuffle_z)


# Rows of the subjects that a round includes: the same in one call as step by step.

pytestmark = pytest.mark.skipif(bool(native.problem()), reason="there is no compiled library")


def records_with_repeats():
    """A family, members that have the domain several times over, and one with another domain behind it."""
    rng = np.random.default_rng(31)
    records = family_records()
    domain = next(one for one in records if one.id == "kin0").residues.decode()
    for number in range(4):
        copies = [evolved(rng, domain, 0.75) + sequence(rng, 20) for _ in range(number + 1)]
        records.append(SequenceRecord(f"repeat{number}", "", "".join(copies).encode()))
    return records, SequenceRecord("long", "", (domain + sequence(rng, LONG_QUERY)).encode())


@pytest.fixture(scope="module")
def requests():
    records, long = records_with_repeats()
    database = encode_database([*records, long], PROTEIN, "family")
    short = next(one for one in records if one.id == "kin0")

    def of(query):
        return in_rounds(
            search_request(queries=(query,), database=database, scheme=BLOSUM62, engine="cpu"),
            IterationSettings(rounds=3),
        )

    return {"short": of(short), "long": of(long)}


@pytest.mark.parametrize("which", ["short", "long"])
def test_rows_are_the_same_in_one_call_and_step_by_step(requests, which, monkeypatch):
    compared = []

    def both(*arguments):
        (found,), together = run_aligned(*arguments), rows.aligned_at_once
        monkeypatch.setattr(rows, "aligned_at_once", lambda result, queries, *_: [None] * len(queries))
        (expected,) = run_aligned(*arguments)
        monkeypatch.setattr(rows, "aligned_at_once", together)
        assert list(found.ids) == list(expected.ids)
        assert np.array_equal(found.codes, expected.codes)
        assert np.array_equal(found.insertions, expected.insertions)
        assert np.array_equal(found.rows.log10_evalues, expected.rows.log10_evalues, equal_nan=True)
        assert [row.start for row in found.rows] == [row.start for row in expected.rows]
        assert [row.insertions for row in found.rows] == [row.insertions for row in expected.rows]
        compared.append(list(found.ids))
        return [found]

    run_aligned = run.aligned_each
    monkeypatch.setattr(run, "aligned_each", both)
    assert run_to_end(iteration_steps(requests[which], threading.Event())) is not None
    assert len(compared) >= 2  # with plain gap costs, and with those of positions
    assert compared[-1].count("repeat3") >= 3


def test_no_row_is_made_of_a_score_that_no_alignment_has(requests):
    """The step by step way, which is used then, names the subject."""
    result = answer(requests["short"])
    query, scheme = result.encoded_query(0), result.scheme
    hits = result.queries[0].hits.take(slice(0, 5))
    subjects = native.Subjects.of(result.database, hits.db_index)
    wrong = hits.scores + np.array([0, 0, 1, 0, 0], dtype=np.int32)
    twice, known = native.Subjects.join([subjects, subjects]), np.concatenate([wrong, hits.scores])
    with in_one_call.align_pieces([query, query], [5, 5], twice, known, known, scheme, [0.0, 0.0]) as found:
        assert found.whole.tolist() == [False, True]
        assert found.subject.tolist() == list(range(5, 10))
    included = replace(hits, scores=wrong)
    with pytest.raises(ScoreMismatch, match=result.database.ids[int(hits.db_index[2])]):
        rows.aligned_with(result, 0, included, rows.Inclusion(0.1, 600), IterationSettings().profile_recipe(), 1)
