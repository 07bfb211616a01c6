"""All alignments of a hit: both strands in one list, down to the E limit, with their own numbers."""

from __future__ import annotations

import math

import numpy as np
import pytest

from swgui.core.alignment import rescore, spell_out
from swgui.core.alphabet import NUCLEOTIDE, PROTEIN
from swgui.core.database import encode_database
from swgui.core.errors import InvalidParameter, ScoreMismatch, Stopped
from swgui.core.hits.results import CompositionColumns
from swgui.core.judging.ranking import measure
from swgui.core.limits import Minimums
from swgui.core.plain import replace
from swgui.core.records import SequenceRecord
from swgui.core.statistics.sums import sum_log10_evalues
from swgui.engines.traceback.best import align_local
from swgui.engines.traceback.bulk import find_each
from swgui.engines.traceback.every import all_local
from swgui.io.statistics import load_statistics
from swgui.jobs.search import hsps, list_statistics
from swgui.jobs.search.describe import describe_list
from tests.asking import BLOSUM62, DNA_SCHEME, altered, answer, search_request
from tests.described import describe_hits

pytestmark = pytest.mark.usefixtures("user_folders", "trusted_engines")


@pytest.fixture
def copies(rng):
    """A query with three copies in one subject, the second on the other strand, and a subject without."""
    unit, subject = (rng.integers(0, 4, size).astype(np.uint8) for size in (120, 3_000))
    subject[200:320] = unit
    subject[900:1_020] = NUCLEOTIDE.reverse_complement(unit)
    subject[2_000:2_090] = unit[10:100]
    chance = rng.integers(0, 4, 3_000).astype(np.uint8)
    records = [SequenceRecord(name, "", NUCLEOTIDE.decode(codes)) for name, codes in (("s", subject), ("n", chance))]
    return search_request(
        queries=(SequenceRecord("q", "", NUCLEOTIDE.decode(unit)),),
        database=encode_database(records, NUCLEOTIDE, "copies"),
        scheme=DNA_SCHEME,
        strand="both",
        max_evalue=1e-3,
        composition="none",
        engine="cpu",
    )


def test_every_copy_on_both_strands(copies):
    (hit,) = describe_hits(answer(copies), 0, [0])
    assert [(one.strand, one.alignment.subject_start) for one in hit.hsps] == [(1, 200), (-1, 900), (1, 2_000)]
    assert [one.score for one in hit.hsps][:2] == [240, 240]
    assert 180 <= hit.hsps[2].score < 200  # and what chance adds beyond its end
    first = hit.hsps[0]
    assert (hit.alignment, hit.counts, hit.score, hit.strand) == (first.alignment, first.counts, first.score, 1)
    assert (hit.log10_evalue, hit.bit_score) == (first.log10_evalue, first.bit_score)
    assert hit.sum_log10_evalue < 2 * hit.log10_evalue


def test_the_numbers_are_those_of_a_hit_with_that_score(copies):
    result = answer(copies)
    (hit,) = describe_hits(result, 0, [0])
    scores = np.array([one.score for one in hit.hsps], dtype=np.int32)
    at = np.full(len(scores), hit.db_index)
    statistics, limits = load_statistics(result.scheme), result.search.limits
    bits, log10_evalues = measure(120, at, scores, result.database, statistics, limits)
    assert [one.bit_score for one in hit.hsps] == pytest.approx(bits.tolist())
    assert [one.log10_evalue for one in hit.hsps] == pytest.approx(log10_evalues.tolist())
    together = sum_log10_evalues(log10_evalues, np.array([0]), np.array([result.database.residues / 3_000]))
    assert hit.sum_log10_evalue == pytest.approx(together.item())
    subject = result.database.subject(hit.db_index)
    for one in hit.hsps:
        assert rescore(one.alignment, one.query, subject, result.scheme) == one.score
        assert one.counts.length == one.alignment.columns


@pytest.mark.parametrize("limit", [1e-40, 1e-10, 10.0, 1e4])
@pytest.mark.sampled(2)
def test_down_to_the_e_limit_and_no_further(copies, limit):
    result = answer(altered(copies, max_evalue=limit, max_hsps=10_000))
    (hit,) = describe_hits(result, 0, [0])
    subject, threshold = result.database.subject(hit.db_index), math.log10(limit)
    every = sorted(
        score
        for strand in (1, -1)
        for score in (one.score for one in all_local(result.encoded_query(0, strand), subject, result.scheme, 5))
    )
    _, log10_evalues = measure(
        120,
        np.full(len(every), hit.db_index),
        np.array(every, dtype=np.int32),
        result.database,
        load_statistics(result.scheme),
        result.search.limits,
    )
    assert len(hit.hsps) == (log10_evalues <= threshold).sum()
    assert all(one.log10_evalue <= threshold for one in hit.hsps)
    assert every[0] < hit.hsps[-1].score


def test_no_two_share_an_aligned_pair(copies):
    (hit,) = describe_hits(answer(altered(copies, max_evalue=1e5)), 0, [0])
    assert len(hit.hsps) == copies.search.max_hsps
    assert [one.score for one in hit.hsps] == sorted((one.score for one in hit.hsps), reverse=True)
    seen = set()
    for one in hit.hsps:
        columns = spell_out(one.alignment)
        pairs = {(one.strand, i, j) for i, j in zip(columns.query, columns.subject, strict=True) if i >= 0 <= j}
        assert not pairs & seen
        seen |= pairs


def test_at_most_as_many_as_asked_for_and_one_as_before(copies):
    every = next(describe_hits(answer(copies), 0, [0])).hsps
    two = next(describe_hits(answer(altered(copies, max_hsps=2)), 0, [0])).hsps
    assert [one.alignment for one in two] == [one.alignment for one in every[:2]]
    result = answer(altered(copies, max_hsps=1))
    hit = next(describe_hits(result, 0, [0]))
    best = align_local(result.encoded_query(0), result.database.subject(hit.db_index), result.scheme)
    assert [one.alignment for one in hit.hsps] == [best]
    assert hit.sum_log10_evalue == hit.log10_evalue
    with pytest.raises(InvalidParameter):
        altered(copies, max_hsps=0)


@pytest.mark.parametrize("strand", ["plus", "minus"])
def test_only_strands_that_were_searched(copies, strand):
    (hit,) = describe_hits(answer(altered(copies, strand=strand)), 0, [0])
    assert {one.strand for one in hit.hsps} == {1 if strand == "plus" else -1}


def test_a_subject_beyond_the_limit_has_its_best_alone(copies):
    result = answer(altered(copies, max_evalue=1e9))
    strict = altered(result, max_evalue=1e-100)
    for hit in describe_list(strict.hit_list(0), range(len(result.queries[0].hits))):
        assert len(hit.hsps) == 1
        assert hit.hsps[0].score == hit.score


@pytest.mark.parametrize("least", [200, 240])
def test_a_lower_limit_of_the_score_holds_for_alignments(copies, least):
    result = answer(altered(copies, minimums=Minimums(score=least)))
    (hit,) = describe_hits(result, 0, [0])
    assert [one.score for one in hit.hsps] == [240, 240]


def test_without_statistics_there_is_the_best_alone(copies, monkeypatch):
    monkeypatch.setattr(list_statistics, "statistics_of", lambda result, index, published: None)
    (hit,) = describe_hits(answer(copies), 0, [0])
    assert len(hit.hsps) == 1


def test_windows_of_the_search_are_made_use_of(copies, monkeypatch):
    from swgui.engines import cpu, windows
    from swgui.engines.traceback import bulk

    expected = next(describe_hits(answer(copies), 0, [0])).hsps
    monkeypatch.setattr(cpu, "LANE_CELLS", 120_000)
    monkeypatch.setattr(windows, "WINDOW", 300)
    monkeypatch.setattr(windows, "SPANS", 1)
    monkeypatch.setattr(bulk, "LONG", 2)
    result = answer(copies)
    assert {strand for _, strand in result.queries[0].windows} == {1, -1}
    asked = []

    def spy(queries, of, database, scheme, items, *given, **named):
        asked.extend(items.windows)
        return find_each(queries, of, database, scheme, items, *given, **named)

    monkeypatch.setattr(hsps, "find_each", spy)
    found = next(describe_hits(result, 0, [0])).hsps
    assert [one.alignment for one in found] == [one.alignment for one in expected]
    assert asked
    assert all(windows is not None for windows in asked)


def test_only_where_there_is_a_second_alignment_all_are_looked_for(copies, monkeypatch):
    # The query alone, with a copy behind it, and with one on the other strand.
    unit = copies.queries[0].residues
    back = NUCLEOTIDE.decode(NUCLEOTIDE.reverse_complement(NUCLEOTIDE.encode(unit)))
    records = [SequenceRecord(str(at), "", residues) for at, residues in enumerate((unit, unit * 2, unit + back, back))]
    result = answer(altered(copies, database=encode_database(records, NUCLEOTIDE, "few"), max_evalue=1e-9))
    looked_at = set()

    def spy(queries, of, database, scheme, items, *given, **named):
        looked_at.update(database.ids[at] for at in items.db_index.tolist())
        return find_each(queries, of, database, scheme, items, *given, **named)

    monkeypatch.setattr(hsps, "find_each", spy)
    found = {hit.subject.id: hit for hit in describe_hits(result, 0, range(4))}
    assert {name: len(hit.hsps) for name, hit in found.items()} == {"0": 1, "1": 2, "2": 2, "3": 1}
    assert looked_at == {"1", "2"}
    assert [one.strand for one in found["3"].hsps] == [-1]


def test_e_corrected_for_composition_holds_for_every_alignment(copies):
    result = answer(copies)
    hits = result.queries[0].hits
    unknown = np.full(len(hits), np.nan)
    corrected = replace(
        hits,
        log10_evalues=hits.log10_evalues + 24.0,
        composition=CompositionColumns(hits.log10_evalues, unknown, unknown),
    )
    plain = next(describe_hits(result, 0, [0])).hsps
    changed = replace(result, queries=(replace(result.queries[0], hits=corrected),))
    (hit,) = describe_hits(changed, 0, [0])
    # 24 units for a score of 240: a tenth of a unit for each.
    assert [one.log10_evalue for one in hit.hsps] == pytest.approx([one.log10_evalue + one.score / 10 for one in plain])
    strict = altered(changed, max_evalue=10.0 ** (hit.hsps[-1].log10_evalue - 1))
    assert len(next(describe_hits(strict, 0, [0])).hsps) == len(hit.hsps) - 1


def test_each_alignment_has_the_lambda_of_its_own_regions(rng):
    # One copy of average composition, one of few letters: the second loses more of its E for each unit of score.
    plain, poor = rng.integers(0, 20, 150), rng.choice(PROTEIN.encode(b"SSSTTPG"), 150)
    codes = np.concatenate([plain, poor]).astype(np.uint8)
    between = rng.integers(0, 20, 40).astype(np.uint8)
    subject = np.concatenate([codes[:150], between, codes[150:]])
    subject[45:48] = (subject[45:48] + 7) % 20
    far = np.concatenate([subject[190:], rng.integers(0, 20, 300).astype(np.uint8), subject[:150]])
    record = SequenceRecord("q", "", PROTEIN.decode(codes))
    records = [SequenceRecord("s", "", PROTEIN.decode(far))]
    records += [SequenceRecord(str(n), "", PROTEIN.decode(rng.integers(0, 20, 300).astype(np.uint8))) for n in range(9)]
    request = search_request(
        queries=(record,),
        database=encode_database(records, PROTEIN, "two"),
        scheme=BLOSUM62,
        engine="cpu",
        max_evalue=1e-9,
        composition="lambda",
    )
    with_lambda = next(describe_hits(answer(request), 0, [0]))
    without = {
        one.alignment.path: one
        for one in next(describe_hits(answer(altered(request, composition="none")), 0, [0])).hsps
    }
    lost = {
        one.alignment.query_start // 150: (one.log10_evalue - without[one.alignment.path].log10_evalue) / one.score
        for one in with_lambda.hsps[:2]
    }
    assert set(lost) == {0, 1}
    assert lost[1] > lost[0] + 0.01
    assert with_lambda.hsps[0].log10_evalue == with_lambda.log10_evalue


def test_a_wrong_score_of_an_engine_is_an_error(copies):
    result = answer(copies)
    hits = result.queries[0].hits
    wrong = replace(result, queries=(replace(result.queries[0], hits=replace(hits, scores=hits.scores + 2)),))
    with pytest.raises(ScoreMismatch, match="s"):
        list(describe_hits(wrong, 0, [0]))


def test_looking_for_alignments_can_be_stopped(copies):
    def check():
        raise Stopped("stopped")

    with pytest.raises(Stopped):
        list(describe_list(answer(copies).hit_list(0), [0], check=check))


def test_repeats_of_a_protein_against_itself(rng):
    unit = rng.integers(0, 20, 60).astype(np.uint8)
    residues = PROTEIN.decode(np.concatenate([unit, rng.integers(0, 20, 9).astype(np.uint8)] * 4))
    record = SequenceRecord("repeats", "", residues)
    request = search_request(
        queries=(record,),
        database=encode_database([record], PROTEIN, "r"),
        scheme=BLOSUM62,
        engine="cpu",
        max_evalue=1e-6,
        composition="none",
    )
    (hit,) = describe_hits(answer(request), 0, [0])
    # Itself, then shifted by one, two and three repeats to either side.
    shifts = [one.alignment.subject_start - one.alignment.query_start for one in hit.hsps]
    assert shifts[0] == 0
    assert sorted(shifts) == [-207, -138, -69, 0, 69, 138, 207]


def test_descriptions_without_alignments_have_none(copies):
    (hit,) = describe_hits(answer(copies), 0, [0], align=False)
    assert hit.hsps == ()
    assert math.isnan(hit.sum_log10_evalue)
