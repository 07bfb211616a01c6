"""The search job with engines made for the test: order of events, Stop, faults, strands, limits."""

from __future__ import annotations

import threading
from types import SimpleNamespace

import numpy as np
import pytest

from swgui.core.alphabet import NUCLEOTIDE, PROTEIN
from swgui.core.control import RunControl
from swgui.core.database import encode_database
from swgui.core.engines import EngineOptions
from swgui.core.errors import AlphabetMismatch, EngineUnavailable, InvalidParameter
from swgui.core.judging.explain import explain_hit
from swgui.core.judging.fitting import fit_of
from swgui.core.profiles.iteration import IterationSettings
from swgui.core.records import SequenceRecord
from swgui.core.scoring import ScoringScheme, match_mismatch
from swgui.core.statistics.evalue import format_log10
from swgui.core.statistics.regression import FitError
from swgui.core.trace import part
from swgui.io.matrices import load_matrix
from swgui.io.sequences.reader import read_sequences
from swgui.io.statistics import load_statistics
from swgui.jobs.events import Finished, Progress, Stage, finishing
from swgui.jobs.iterate.request import in_rounds
from swgui.jobs.search.events import Parted, PartialHits, Started
from swgui.jobs.search.run import search_steps
from swgui.jobs.search.timed import timed
from tests.asking import BLOSUM62, DNA_SCHEME, answer, search_request
from tests.described import describe_hits
from tests.fakes import ToyAdapter, ToyEngine
from tests.jobs.iterate.family import family_records, family_request


@pytest.fixture
def adapters(install_engines, trusted_engines):
    """Replace the registry's engines by toys; call it with name=settings, best first."""

    def install(**toys):
        made = {name: ToyAdapter(name, **settings) for name, settings in toys.items()}
        install_engines(**made)
        return made

    return install


SUBJECTS = [
    SequenceRecord("a", "first", b"MKVLWAALLV"),
    SequenceRecord("b", "second", b"MKVLWAA"),
    SequenceRecord("c", "third", b"MKVLWAALLVTF"),
    SequenceRecord("d", "fourth", b"PPPP"),
    SequenceRecord("e", "fifth", b"MKVLWAALLV"),
]
QUERIES = (SequenceRecord("q1", "", b"MKVLWAALLV"), SequenceRecord("q2", "", b"PPPP"))


def request(**changes):
    given = {"queries": QUERIES, "database": encode_database(SUBJECTS, PROTEIN, "toy"), "scheme": BLOSUM62}
    return search_request(**(given | {"max_evalue": 1e9} | changes))


def run(req, cancel=None):
    return list(finishing(search_steps(req, cancel or threading.Event())))


def test_events_come_in_order_and_the_result_is_complete(adapters):
    toys = adapters(toy={})
    events = run(request(composition="none"))  # shuffles of seven residues say little
    kinds = [type(event) for event in events]
    assert kinds[-1] is Finished
    assert kinds.index(Started) < kinds.index(Progress)
    assert [e for e in events if isinstance(e, Progress)][-1].done == events[kinds.index(Started)].cells_total
    result = events[-1].outcome
    assert result.state == "complete"
    assert result.cells_done == result.cells_total == 14 * 43
    assert result.engine == "toy"
    assert result.queries[0].hits.db_index.tolist()[:4] == [2, 0, 4, 1]  # of equal scores that of the longer subject
    assert result.queries[0].subjects_scored == 5
    assert (result.queries[0].scores >= 0).all()
    assert "BLOSUM62" in result.statistics
    assert toys["toy"].engines[0].closed


def test_device_times_are_summed(adapters):
    adapters(toy={})
    last = [e for e in run(request()) if isinstance(e, Progress)][-1]
    assert last.device_seconds == {"toy": pytest.approx(0.5 * 6)}
    assert last.device_done == {"toy": 14 * 43}


def test_partial_hits_are_a_prefix_of_the_ranking(adapters, monkeypatch):
    monkeypatch.setattr("swgui.jobs.search.run.PARTIAL_INTERVAL", 0.0)
    monkeypatch.setattr("swgui.jobs.search.run.PARTIAL_SHARE", float("inf"))
    adapters(toy={})
    events = run(request(), RunControl())
    partial = [e for e in events if isinstance(e, PartialHits) and e.query_index == 0][-1]
    hits = events[-1].outcome.queries[0].hits
    by_score = np.lexsort((hits.db_index, -hits.scores))  # E-values come at the end
    assert partial.db_index.tolist() == hits.db_index[by_score].tolist()
    assert not any(isinstance(event, PartialHits) for event in run(request()))  # nothing shows them


def test_top_and_evalue_limit_the_list_but_not_the_scores(adapters):
    adapters(toy={})
    full = run(request())[-1].outcome.queries[0]
    top = run(request(top=2))[-1].outcome.queries[0]
    assert top.hits.db_index.tolist() == full.hits.db_index.tolist()[:2]
    limit = 10 ** float(np.sort(full.hits.log10_evalues)[0])
    strict = run(request(max_evalue=limit * 1.0001))[-1].outcome.queries[0]
    assert 0 < len(strict.hits) < len(full.hits)
    assert (strict.hits.log10_evalues <= np.log10(limit * 1.0001)).all()
    assert np.array_equal(strict.scores, full.scores)


def test_a_scheme_without_statistics_keeps_its_hits(adapters, monkeypatch):
    def fail(*arguments, **options):
        raise FitError("All scores are the same.")

    monkeypatch.setattr("swgui.jobs.search.kept_fits.fit_to_shuffles", fail)
    adapters(toy={})
    odd = ScoringScheme.from_blast(load_matrix("BLOSUM62", PROTEIN), 3, 3)
    result = run(request(scheme=odd, max_evalue=1e-9))[-1].outcome
    assert result.statistics == ""
    assert len(result.queries[0].hits) == 4  # the fifth has nothing in common with it
    assert np.isnan(result.queries[0].hits.log10_evalues).all()


def test_a_scheme_without_published_statistics_is_fitted_to_the_search():
    """BLOSUM62 with 3/3 is in no table: E comes from the scores of 700 unrelated subjects."""
    letters = np.random.default_rng(5).integers(0, 20, size=(700, 150)).astype(np.uint8)
    subjects = [SequenceRecord(f"r{i}", "", PROTEIN.decode(row)) for i, row in enumerate(letters)]
    odd = ScoringScheme.from_blast(load_matrix("BLOSUM62", PROTEIN), 3, 3)
    queries = (SequenceRecord("q", "", subjects[7].residues),)
    database = encode_database(subjects, PROTEIN)
    result = run(
        request(queries=queries, database=database, scheme=odd, max_evalue=10.0, engine="cpu", composition="none")
    )[-1].outcome
    assert "Fitted" in result.statistics
    hits = result.queries[0].hits
    assert hits.db_index[0] == 7
    assert hits.log10_evalues[0] < -20
    assert 1 <= len(hits) < 40
    first = next(describe_hits(result, 0, [0]))
    assert first.fitted_log10_evalue == pytest.approx(hits.log10_evalues[0])
    assert first.z_score > 100


def test_a_small_database_without_published_statistics_is_fitted_to_shuffles():
    odd = ScoringScheme.from_blast(load_matrix("BLOSUM62", PROTEIN), 3, 3)
    result = run(request(scheme=odd, engine="cpu", composition="none"))[-1].outcome
    assert "Fitted" in result.statistics
    fit = fit_of(result, 0).statistics
    assert fit.origin == "shuffles"
    first = next(describe_hits(result, 0, [0]))
    assert first.log10_evalue == pytest.approx(first.fitted_log10_evalue)


def test_masking_is_off_unless_asked_for_and_then_said():
    query = SequenceRecord("q", "", b"MKVLWAALLVTFLAGCQAKVEQAVE" + b"S" * 30 + b"TEPEPELRQQTEWQSGQRWELALGRFW")
    subjects = [query, SequenceRecord("poly", "", b"S" * 40)]
    given = {"queries": (query,), "database": encode_database(subjects, PROTEIN), "engine": "cpu"}
    plain = run(request(**given))[-1].outcome
    masked = run(request(**given, mask=True))[-1].outcome
    assert plain.message == ""
    assert plain.queries[0].scores[1] > 100
    assert masked.queries[0].scores[1] < 20
    assert b"XXXXXXXXXX" in masked.queries[0].query.residues
    assert "low complexity were masked with X (SEG): 26-55" in masked.information
    assert masked.message == ""
    assert next(describe_hits(masked, 0, [0])).alignment.score == masked.queries[0].scores[0]


def test_a_device_that_fails_its_self_check_is_passed_over(adapters, monkeypatch):
    adapters(first={}, second={})

    def check(name, options, cancel, prefetch=None):
        yield Stage("Checking")
        if name == "first":
            raise EngineUnavailable("first", "It gave wrong scores.", hint="Use another.")

    monkeypatch.setattr("swgui.jobs.check.device.require_exact_engine", check)
    result = run(request())[-1].outcome
    assert result.engine == "second"
    assert result.state == "complete"
    assert "It gave wrong scores. The engine 'second' was used instead." in result.message
    with pytest.raises(EngineUnavailable, match="wrong scores"):
        run(request(engine="first"))


def test_stop_keeps_what_was_scored(adapters):
    adapters(toy={"cancel_after": 2})
    result = run(request())[-1].outcome
    assert result.state == "stopped"
    assert 0 < result.cells_done < result.cells_total
    assert result.queries[0].subjects_scored == 4
    assert result.queries[1].subjects_scored == 0
    assert (result.queries[0].scores == -1).sum() == 1
    assert len(result.queries[1].hits) == 0


def test_stop_before_the_start_scores_nothing(adapters):
    adapters(toy={})
    cancel = threading.Event()
    cancel.set()
    assert not any(isinstance(event, Finished) for event in run(request(), cancel))


def test_stop_while_the_database_is_read_ends_quietly(adapters, tmp_path):
    adapters(toy={})
    path = tmp_path / "large.fasta"
    path.write_text("".join(f">s{i}\nMKVLWAALLV\n" for i in range(20_000)))
    cancel = threading.Event()
    events = []
    for event in finishing(search_steps(request(database=path), cancel)):
        events.append(event)
        cancel.set()
    assert not any(isinstance(event, Finished) for event in events)


def test_a_fault_keeps_what_was_scored_and_says_why(adapters):
    toys = adapters(toy={"fail_after": 2})
    result = run(request(engine="toy"))[-1].outcome
    assert result.state == "failed"
    assert "The toy broke." in result.message
    assert result.queries[0].subjects_scored == 4
    assert toys["toy"].engines[0].closed


def test_another_engine_finishes_what_the_first_left(adapters):
    toys = adapters(first={"fail_after": 2}, second={"per_chunk": 3})
    result = run(request(engine="auto"))[-1].outcome
    adapters(toy={})
    expected = run(request())[-1].outcome
    assert result.state == "complete"
    assert result.engine == "second"
    assert "The engine 'second' was used instead." in result.message
    for got, want in zip(result.queries, expected.queries, strict=True):
        assert np.array_equal(got.scores, want.scores)
        assert got.hits.db_index.tolist() == want.hits.db_index.tolist()
        assert got.subjects_scored == 5
    assert all(engine.closed for toy in toys.values() for engine in toy.engines)


def test_an_engine_that_is_not_there_is_explained(adapters):
    adapters(toy={"missing": True})
    with pytest.raises(EngineUnavailable, match=r"It is not there\. Get it\."):
        run(request(engine="toy"))
    with pytest.raises(InvalidParameter, match="no engine 'warp'"):
        run(request(engine="warp"))


def test_both_strands_are_searched_and_the_better_one_counts(adapters):
    adapters(toy={})
    subjects = [SequenceRecord("plus", "", b"ACCGTTGA"), SequenceRecord("minus", "", b"TCAACGGT")]
    req = request(
        queries=(SequenceRecord("q", "", b"ACCGTTGA"),),
        database=encode_database(subjects, NUCLEOTIDE),
        scheme=DNA_SCHEME,
        strand="both",
    )
    only = run(req)[-1].outcome.queries[0]
    assert only.hits.scores.tolist() == [16, 16]
    assert only.hits.strands.tolist() == [1, -1]
    assert only.scores.tolist() == [16, 16]
    assert only.strands.tolist() == [1, -1]
    assert only.subjects_scored == 2


def test_score_vectors_can_be_left_out(adapters):
    adapters(toy={})
    result = run(request(keep_scores=False))[-1].outcome
    assert result.queries[0].scores is None
    assert len(result.queries[0].hits) == 4  # the fifth has nothing in common with it


def test_vectors_that_would_not_fit_are_left_out_and_this_is_said(adapters, monkeypatch):
    monkeypatch.setattr("swgui.jobs.search.run.SCORE_BYTES_LIMIT", 10)
    adapters(toy={})
    result = run(request())[-1].outcome
    assert result.queries[0].scores is None
    assert "were not kept" in result.message


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"queries": ()}, "no query"),
        ({"queries": (SequenceRecord("x", "", b""),)}, "'x' has no residues"),
        ({"top": 0}, "list of 0 hits"),
        ({"max_evalue": 0.0}, "not above 0"),
        ({"max_evalue": float("nan")}, "not above 0"),
        ({"strand": "both"}, "Proteins have one strand"),
    ],
)
def test_requests_that_make_no_sense_are_refused(changes, sentence):
    with pytest.raises(InvalidParameter, match=sentence):
        request(**changes)


def test_kinds_of_sequence_must_agree(adapters):
    adapters(toy={})
    with pytest.raises(AlphabetMismatch):
        run(request(database=encode_database([SequenceRecord("d", "", b"ACGT")], NUCLEOTIDE)))
    with pytest.raises(InvalidParameter, match="no sequences"):
        run(request(database=encode_database([], PROTEIN, "empty")))


def test_a_sequence_file_is_read_with_stages_and_found_again(adapters, tmp_path):
    adapters(toy={})
    path = tmp_path / "small db.fasta"
    path.write_text("".join(f">{r.header}\n{r.residues.decode()}\n" for r in SUBJECTS))
    events = run(request(database=path))
    assert events[0] == Stage("Reading small db.fasta")
    again = run(request(database=path))
    assert again[-1].outcome.database.checksum == events[-1].outcome.database.checksum


def test_hits_are_described_with_alignments_that_add_up(adapters):
    adapters(cpu={})
    result = run(request(composition="none"))[-1].outcome
    hits = list(describe_hits(result, 0, [1, 3]))
    assert [hit.rank for hit in hits] == [2, 4]
    assert hits[0].subject.id == "a"
    assert hits[0].alignment.cigar == "10M"
    assert hits[0].counts.pident == 100.0
    assert hits[0].query_coverage == hits[0].subject_coverage == 100.0
    assert hits[1].subject.id == "b"
    assert hits[1].query_coverage == 70.0
    plain = next(describe_hits(result, 0, [0], align=False))
    assert plain.alignment is None
    assert np.isnan(plain.query_coverage)


def test_options_reach_the_engine(adapters, monkeypatch):
    toys = adapters(toy={})
    seen = []
    monkeypatch.setattr(toys["toy"], "create", lambda options: seen.append(options) or ToyEngine("toy"))
    options = EngineOptions(devices=("1",), threads=3, settings={"method": "band"})
    run(request(options=options))
    assert seen == [options]


# Every number of a hit explains itself, with the numbers the hit shows.


def test_the_sections_of_nucleotides_speak_of_bases():
    codes = np.random.default_rng(8).integers(0, 4, size=(3, 80)).astype(np.uint8)
    codes[1, :38], codes[1, 41:] = codes[0, :38], codes[0, 38:77]  # a relative with a gap
    records = [SequenceRecord(f"s{number}", "", NUCLEOTIDE.decode(row)) for number, row in enumerate(codes)]
    scheme = ScoringScheme.from_blast(match_mismatch(NUCLEOTIDE, 2, -3), 5, 2)
    database = encode_database(records, NUCLEOTIDE)
    result = answer(search_request(queries=(records[0],), database=database, scheme=scheme, engine="cpu"))
    hit = next(hit for hit in describe_hits(result, 0, [0, 1]) if hit.subject.id == "s1")
    sections = dict(explain_hit(result, 0, hit, load_statistics(scheme)))
    assert "Bases in gaps = 3, gaps = 1" in sections["Alignment"]
    assert "D = subject base against a gap" in sections["Alignment"]
    assert "E-value, published parameters" in sections
    assert "residue" not in " ".join(sections.values()).lower()


@pytest.mark.parametrize(("count", "costs"), [(600, (11, 1)), (600, (3, 3)), (20, (11, 1))])
def test_the_sections_hold_the_numbers_of_the_hit(count, costs):
    codes = np.random.default_rng(8).integers(0, 20, size=(count, 80)).astype(np.uint8)
    codes[1, :30], codes[1, 33:] = codes[0, :30], codes[0, 30:77]  # a relative with a gap
    codes[1, 4::6] = (codes[1, 4::6] + 1) % 20
    subjects = [SequenceRecord(f"s{i}", "", PROTEIN.decode(row)) for i, row in enumerate(codes)]
    scheme = ScoringScheme.from_blast(load_matrix("BLOSUM62", PROTEIN), *costs)
    database = encode_database(subjects, PROTEIN)
    request = search_request(queries=(subjects[0],), database=database, scheme=scheme, engine="cpu", top=3)
    result = answer(request)
    hit = next(hit for hit in describe_hits(result, 0, [0, 1]) if hit.subject.id == "s1")
    sections = dict(explain_hit(result, 0, hit, load_statistics(scheme)))
    assert f"= {hit.score}." in sections["Score"]
    corrected = sections["E-value, corrected for composition"]
    assert f"{hit.lambda_ratio:.3f}" in corrected
    assert f"{format_log10(hit.log10_evalue)} with the correction" in corrected
    assert "Residues in gaps = 3, gaps = 1" in sections["Alignment"]
    assert f"{hit.counts.pident:.1f} %" in sections["Alignment"]
    if costs == (11, 1):
        assert f" {hit.bit_score:.2f} bits belong to the E that counts." in sections["Bit score"]
        assert "E =" in sections["E-value, published parameters"]
    else:
        assert "Bit score" not in sections
    if count >= 500:
        assert f"= {hit.z_score:.1f}" in sections["Z-score and E-value, fitted to this search"]
    else:
        assert "too few" in sections["E-value, fitted to this search"]


def test_a_hit_of_rounds_says_what_its_profile_and_its_shuffles_did():
    result = answer(in_rounds(family_request(family_records()), IterationSettings(rounds=2)))
    hit = next(hit for hit in describe_hits(result, 0, range(8)) if hit.subject.id != "kin0")
    corrected = dict(explain_hit(result, 0, hit, load_statistics(BLOSUM62)))["E-value, corrected for composition"]
    assert corrected.startswith("A profile has no lambda of compositions.")
    made = "none were made" if np.isnan(hit.shuffle_z) else f"Z = {hit.shuffle_z:.1f}"
    assert f"not related: {made}." in corrected


# The whole path on real proteins: from FASTA files to ranked, aligned hits.

SELF_HITS = ("P27895", "P21177")  # queries that are in the database, too


@pytest.mark.data
@pytest.mark.slow
def test_queries_that_are_in_the_database_find_themselves_first(data_dir):
    proteins = data_dir / "proteins"
    records = {query.id: query for query in read_sequences(proteins / "cudasw_20queries.fasta")}
    queries = tuple(next(r for name, r in records.items() if accession in name) for accession in SELF_HITS)
    request = search_request(
        queries=queries,
        database=proteins / "swissprot_16species.fasta.gz",
        scheme=BLOSUM62,
        top=5,
    )
    result = answer(request)
    assert result.state == "complete"
    for index, accession in enumerate(SELF_HITS):
        first = next(describe_hits(result, index, [0]))
        assert accession in first.subject.id
        assert first.counts.pident == 100.0
        assert first.query_coverage == first.subject_coverage == 100.0
        assert first.log10_uncorrected < -300
        assert first.log10_evalue < -300


# Events that say in how many parts the time goes


def test_parts_are_told_behind_progress_and_before_the_end():
    progress = Progress(1, 2, 0.1, {}, {})
    finished = Finished(SimpleNamespace())

    def events():
        yield Stage("Scoring")
        with part("scan"):
            pass
        yield progress
        yield finished

    stage, first, told, last, end = timed(events())
    assert (stage.name, first, end) == ("Scoring", progress, finished)
    assert isinstance(told, Parted)
    assert 0 < told.seconds["scan"] <= last.seconds["scan"] < sum(last.seconds.values())
