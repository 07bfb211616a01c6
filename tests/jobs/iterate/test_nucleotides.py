"""Rounds of nucleotides: both strands, segments of long subjects, U and T, and the E that counts."""

import threading
from dataclasses import dataclass

import numpy as np
import pytest

from swgui.core.alphabet import NUCLEOTIDE
from swgui.core.database import EncodedDatabase, encode_database
from swgui.core.errors import InvalidParameter
from swgui.core.hits.results import SearchResult
from swgui.core.judging.ranking import FITTED_AMONG_RELATIVES
from swgui.core.profiles.alignment import DELETION, AlignedRow, MasterAlignment, RowTable
from swgui.core.profiles.bases import SearchedBases, related_bases, searched_bases, spelled
from swgui.core.profiles.iteration import EvidenceOptions, IterationSettings
from swgui.core.profiles.log_odds import conditional_frequencies
from swgui.core.profiles.msa import RowLimits
from swgui.core.profiles.recipe import NUCLEOTIDE_PRESETS
from swgui.core.records import SequenceRecord
from swgui.core.score_profile import PositionGaps, ScoreProfile
from swgui.core.scoring import ScoringScheme, match_mismatch
from swgui.core.stretches import Subjects
from swgui.engines import native
from swgui.engines.native.profiles import ProfileMaker
from swgui.io.profiles.alignments import read_stockholm, write_a3m, write_stockholm
from swgui.io.profiles.base import ProfileText
from swgui.jobs.events import Stage, run_to_end
from swgui.jobs.iterate.msa import deep_alignments, relatives_found
from swgui.jobs.iterate.run import iteration_steps
from swgui.jobs.search.kept_fits import FITTING
from swgui.jobs.search.request import SearchRequest
from tests.asking import search_request

SCHEME = ScoringScheme.from_blast(match_mismatch(NUCLEOTIDE, 2, -3), 5, 2)
FAMILY, STRANGERS = 12, 600
TURNED = bytes.maketrans(b"ACGTU", b"TGCAA")


def bases(rng: np.random.Generator, length: int) -> bytes:
    """Return random bases."""
    return bytes(rng.choice(list(b"ACGT"), length).tolist())


def evolved(rng: np.random.Generator, ancestor: bytes, share: float) -> bytes:
    """Return a descendant that keeps this share of the bases, with one deletion."""
    other, at = bases(rng, len(ancestor)), int(rng.integers(20, len(ancestor) - 20))
    kept = rng.random(len(ancestor)) < share
    whole = bytes(a if keep else b for a, b, keep in zip(ancestor, other, kept, strict=True))
    return whole[:at] + whole[at + 3 :]


def turned(text: bytes) -> bytes:
    """Return the reverse complement."""
    return text[::-1].translate(TURNED)


@dataclass(frozen=True)
class Made:
    """A database with a family, and what its rounds gave."""

    database: EncodedDatabase
    query: SequenceRecord
    result: SearchResult
    alignment: MasterAlignment


def request_of(query: SequenceRecord, database: EncodedDatabase, **changes: object) -> SearchRequest:
    """Return a search in three rounds on both strands."""
    settings = IterationSettings(rounds=3)
    given = {"scheme": SCHEME, "strand": "both", "engine": "cpu", "iteration": settings, "max_hsps": 1}
    return search_request(queries=(query,), database=database, **given | changes)


@pytest.fixture(scope="module")
def made() -> Made:
    """Search with an RNA: every third relative lies on the other strand, and one subject has two of them."""
    rng = np.random.default_rng(5)
    ancestor = bases(rng, 150)
    records = [SequenceRecord(f"other{n}", "", bases(rng, 100 + n % 120)) for n in range(STRANGERS)]
    for n in range(FAMILY):
        own = evolved(rng, ancestor, 0.62)
        text = bases(rng, 17) + (turned(own) if n % 3 == 0 else own) + bases(rng, 9)
        records.append(SequenceRecord(f"kin{n}", f"relative {n}", text))
    twice = bases(rng, 40) + evolved(rng, ancestor, 0.8) + bases(rng, 60) + turned(evolved(rng, ancestor, 0.8))
    records.append(SequenceRecord("twice", "", twice))
    query = SequenceRecord("rna", "", ancestor.replace(b"T", b"U"))
    database = encode_database(records, NUCLEOTIDE, "family")
    result = run_to_end(iteration_steps(request_of(query, database), threading.Event()))
    assert result is not None
    (alignment,) = deep_alignments([result], 0.001, RowLimits(), 1, threading.Event())
    return Made(database, query, result, alignment)


def test_relatives_of_both_strands_are_found_with_their_strands(made: Made) -> None:
    hits, ids = made.result.queries[0].hits, made.database.ids
    strands = {ids[index]: strand for index, strand in zip(hits.db_index.tolist(), hits.strands.tolist(), strict=True)}
    found = {name for name, e in zip(strands, hits.log10_evalues, strict=True) if e < -3}
    assert found == {"twice", *(f"kin{n}" for n in range(FAMILY))}
    assert all((strands[f"kin{n}"] < 0) == (n % 3 == 0) for n in range(FAMILY))


def test_rows_hold_the_bases_that_their_names_say(made: Made) -> None:
    rows = made.alignment.rows[1:]
    assert sum(row.id == "twice" for row in rows) == 2
    assert {row.strand for row in rows if row.id == "twice"} == {1, -1}
    text = write_a3m(made.alignment)
    assert text == write_a3m(MasterAlignment(NUCLEOTIDE, tuple(made.alignment.rows)))  # as a table, and row by row
    whole = {made.database.ids[n]: NUCLEOTIDE.decode(made.database.subject(n)) for n in range(len(made.database))}
    for entry in text.split(">")[2:]:
        header, row = entry.split("\n")[:2]
        name, _, places = header.split()[0].partition("/")
        first, last = map(int, places.split("-"))
        own = whole[name][min(first, last) - 1 : max(first, last)]
        expected = own if first <= last else turned(own)
        assert row.replace("-", "").upper() == expected.decode().replace("T", "U")


def test_a_stockholm_file_is_read_back(made: Made) -> None:
    read = read_stockholm(ProfileText(write_stockholm(made.alignment), "x.sto", SCHEME))
    places = [(row.id, row.start, row.strand, row.length) for row in made.alignment.rows[1:]]
    assert [(row.id, row.start, row.strand, row.length) for row in read.rows[1:]] == places
    assert (read.codes == made.alignment.codes).all()


def test_rows_are_spelled_as_the_query_or_as_asked(made: Made) -> None:
    u, t = NUCLEOTIDE.code("U"), NUCLEOTIDE.code("T")
    assert not (made.alignment.codes == t).any()
    assert isinstance(made.alignment.rows, RowTable)
    for alignment in (made.alignment, MasterAlignment(NUCLEOTIDE, tuple(made.alignment.rows))):
        dna = spelled(alignment, "T")
        assert not (dna.codes == u).any()
        assert not any(b"U" in some for row in dna.rows for some in row.insertions.values())
        assert write_a3m(spelled(dna, "U")) == write_a3m(made.alignment)


def test_rounds_of_u_and_t_are_the_same(made: Made) -> None:
    dna = SequenceRecord("rna", "", made.query.residues.replace(b"U", b"T"))
    result = run_to_end(iteration_steps(request_of(dna, made.database), threading.Event()))
    assert result is not None
    hits, before = result.queries[0].hits, made.result.queries[0].hits
    assert (hits.db_index == before.db_index).all()
    assert (hits.scores == before.scores).all()


def test_the_first_round_scores_by_the_bases_of_the_database() -> None:
    rng = np.random.default_rng(2)
    rich = [bytes(rng.choice(list(b"ACGT"), 200, p=(0.15, 0.35, 0.35, 0.15)).tolist()) for _ in range(20)]
    rich = [SequenceRecord(str(n), "", text) for n, text in enumerate(rich)]
    facts = searched_bases(encode_database(rich, NUCLEOTIDE, "rich"))
    assert facts is not None
    assert facts.mean_length == 200
    assert facts.shares[0] == facts.shares[3] < 0.25 < facts.shares[1] == facts.shares[2]
    conditional = conditional_frequencies(related_bases())
    assert conditional == pytest.approx(np.array([[4, 1, 2, 1], [1, 4, 1, 2], [2, 1, 4, 1], [1, 2, 1, 4]]) / 8)
    recipe = NUCLEOTIDE_PRESETS["standard"].recipe
    query = MasterAlignment.of_query(SequenceRecord("q", "", b"ACGTUN" * 10), NUCLEOTIDE)
    long = SearchedBases(facts.shares, 1000.0)
    built = ProfileMaker(related_bases(), recipe, long).build(query).profile
    assert built.scores[0, :4].tolist() == np.rint(8 * np.log2(conditional[0] / facts.shares)).tolist()
    assert (built.scores[3] == built.scores[4]).all()  # U counts as T
    assert built.gaps.are(32, 8)  # short queries have cheap gaps among short sequences alone
    assert ProfileMaker(related_bases(), recipe, facts).build(query).profile.gaps.are(24, 6)


def test_a_profile_of_the_other_strand_scores_as_the_reverse_complement() -> None:
    rng = np.random.default_rng(9)
    rows = rng.integers(0, 4, (30, 80)).astype(np.uint8)
    rows[1:, :60] = np.where(rng.random((29, 60)) < 0.8, rows[0, :60], rows[1:, :60])
    rows[5:15, 30:36] = DELETION
    alignment = MasterAlignment.of_query(SequenceRecord("q", "", NUCLEOTIDE.decode(rows[0])), NUCLEOTIDE)
    alignment = alignment.with_rows([AlignedRow(str(n), "", row) for n, row in enumerate(rows[1:])])
    profile = ProfileMaker(related_bases(), NUCLEOTIDE_PRESETS["wide"].recipe).build(alignment).profile
    assert len(np.unique(profile.gaps.deletion_first)) > 1
    other = profile.reverse_complement()
    assert other.gaps.deletion_extend.min() >= 0
    subjects = [rng.integers(0, 16, int(rng.integers(1, 200))).astype(np.uint8) for _ in range(500)]
    turned_ones = Subjects.stacked([NUCLEOTIDE.reverse_complement(one) for one in subjects])
    given = native.scores(profile.scores, Subjects.stacked(subjects), 1, 1, gaps=profile.gaps)
    assert (given == native.scores(other.scores, turned_ones, 1, 1, gaps=other.gaps)).all()


def test_evidence_and_other_alphabets_are_refused(made: Made) -> None:
    settings = IterationSettings(rounds=2, evidence=EvidenceOptions(profiles=True))
    with pytest.raises(InvalidParameter, match="Further evidence on hits is for proteins"):
        request_of(made.query, made.database, iteration=settings)


@pytest.mark.parametrize(
    ("residues", "sentence"),
    [
        (b"ACGU" * 5 + b"N" * 21, "is N in 21 of its 41 bases, which is more than half"),
        (b"ACGTT" * 6_001, "has 30,005 bases; a profile of nucleotides has at most 30,000"),
    ],
)
def test_queries_without_a_profile_are_refused(made: Made, residues: bytes, sentence: str) -> None:
    with pytest.raises(InvalidParameter, match=sentence):
        request_of(SequenceRecord("q", "", residues), made.database)


def test_a_very_short_query_is_searched_with_a_message(made: Made) -> None:
    short = SequenceRecord("short", "", made.query.residues[40:57])
    result = run_to_end(iteration_steps(request_of(short, made.database), threading.Event()))
    assert result is not None
    assert "'short' has 17 bases" in result.message


def test_a_random_profile_has_the_scores_of_its_gaps_both_ways() -> None:
    rng = np.random.default_rng(3)
    first = rng.integers(8, 40, (2, 30)).astype(np.int16)
    extend = np.minimum(first, 6)
    gaps = PositionGaps(first[0], extend[0], first[1], extend[1])
    profile = ScoreProfile("x", NUCLEOTIDE, rng.integers(-8, 9, (30, 16)).astype(np.int16), gaps, 8)
    again = profile.reverse_complement().reverse_complement()
    subjects = Subjects.stacked([rng.integers(0, 4, 50).astype(np.uint8) for _ in range(50)])
    scores = [native.scores(one.scores, subjects, 1, 1, gaps=one.gaps) for one in (profile, again)]
    assert (scores[0] == scores[1]).all()


def test_a_chromosome_has_a_row_for_each_of_its_segments() -> None:
    rng = np.random.default_rng(8)
    gene, parts, places = bases(rng, 90), [], []
    for n in range(12):
        copy = evolved(rng, gene, 0.93)
        parts += [bases(rng, 3000 + 700 * n), turned(copy) if n % 2 else copy]
        places.append((sum(map(len, parts[:-1])), len(copy), -1 if n % 2 else 1))
    database = encode_database([SequenceRecord("chromosome", "", b"".join(parts))], NUCLEOTIDE, "genome")
    request = request_of(SequenceRecord("gene", "", gene), database)
    result = run_to_end(iteration_steps(request, threading.Event()))
    assert result is not None
    (alignment,) = deep_alignments([result], 0.001, RowLimits(), 1, threading.Event())
    found = sorted((min(row.start, row.end + 1), row.length, row.strand) for row in alignment.rows[1:])
    assert len(found) == len(places)
    for (start, length, strand), (at, size, other) in zip(found, places, strict=True):
        assert strand == other
        assert abs(start - at) < 12
        assert abs(start + length - at - size) < 12


def test_relatives_that_are_most_of_a_database_are_found() -> None:
    rng = np.random.default_rng(12)
    gene = bases(rng, 120)
    records = [SequenceRecord(f"copy{n}", "", evolved(rng, gene, 0.5 + 0.4 * rng.random())) for n in range(400)]
    records += [SequenceRecord(f"other{n}", "", bases(rng, 120)) for n in range(200)]
    database, query = encode_database(records, NUCLEOTIDE, "flood"), SequenceRecord("gene", "", gene)
    request = request_of(query, database, iteration=IterationSettings(rounds=3, max_rows=60))
    events: list[object] = []
    result = run_to_end(iteration_steps(request, threading.Event()), events.append)
    assert result is not None
    assert Stage(FITTING, 0, 1) in events
    hits, rounds = result.queries[0].hits, result.queries[0].rounds
    found = {database.ids[index] for index in hits.db_index[hits.log10_evalues <= -3].tolist()}
    assert len(found) == relatives_found([result], 0, 0.001) > 350
    assert all(name.startswith("copy") for name in found)
    assert (hits.log10_evalues[hits.db_index >= 400] > -2).all()
    assert rounds is not None
    for each in rounds.rounds:  # rows are relatives at every distance, not the 60 best
        places = np.flatnonzero(np.isin(each.db_index, each.included))
        assert 40 < len(each.included) <= 60
        assert len(each.alignment) == len(each.included) + 1
        assert places.max() > 150
    assert f"{len(found)} relatives with E up to 0.001: its last profile" in result.message
    assert result.statistics == FITTED_AMONG_RELATIVES
