"""Lists corrected for composition: the same by every engine, from the front, and ended by Stop."""

import threading

import numpy as np
import pytest

from swgui.core.alphabet import NUCLEOTIDE, PROTEIN
from swgui.core.database import encode_database
from swgui.core.errors import EngineUnavailable
from swgui.core.judging import correction
from swgui.core.judging.explain import explain_hit
from swgui.core.judging.subjects import locate
from swgui.core.limits import Limits
from swgui.core.plain import replace
from swgui.core.query_range import QueryRange
from swgui.core.records import SequenceRecord
from swgui.core.scoring import ScoringScheme
from swgui.engines import cpu, native, windows
from swgui.engines.native import library
from swgui.engines.traceback import many
from swgui.io.matrices import load_matrix
from swgui.io.saved import search as saved_search
from swgui.io.saved.search import load_search, save_search
from swgui.io.statistics import load_statistics
from swgui.jobs.events import Finished, Stage, finishing
from swgui.jobs.search.describe import describe_subject, find_subject
from swgui.jobs.search.limits import align_rows
from swgui.jobs.search.ranking import rerank
from swgui.jobs.search.run import search_steps
from tests.asking import BLOSUM62, DNA_SCHEME, answer, search_request
from tests.described import describe_hits

HELIX = b"MKQLEDKVEELLSKNYHLENEVARLKKLVGER"


def protein(seed, length, letters="ARNDCQEGHILKMFPSTWYV", weights=None):
    chosen = np.random.default_rng(seed).choice(list(letters), length, p=weights)
    return "".join(chosen).encode()


RELATIVE = protein(7, 200)
MUCH_ST = [0.4, 0.35, 0.15, 0.05, 0.05]
MUCIN = protein(8, 250, "STPAG", MUCH_ST)


def made_database():
    subjects = [SequenceRecord(f"r{at}", "", protein(100 + at, 180)) for at in range(30)]
    subjects += [
        SequenceRecord(f"m{at}", "", protein(200 + at, 220, "STPAG", [0.4, 0.35, 0.15, 0.05, 0.05])) for at in range(12)
    ]
    changed = bytearray(RELATIVE)
    changed[::3] = protein(9, len(changed[::3]))
    subjects.append(SequenceRecord("relative", "", bytes(changed)))
    subjects += [SequenceRecord(f"h{at}", "", HELIX * 4 + protein(300 + at, 30)) for at in range(2)]
    return encode_database(subjects, PROTEIN, "made")


def request(**changes):
    queries = (
        SequenceRecord("relative", "", RELATIVE),
        SequenceRecord("mucin", "", MUCIN),
        SequenceRecord("helix", "", HELIX * 5),
    )
    given = {"queries": queries, "database": made_database(), "scheme": BLOSUM62, "engine": "cpu", "max_hsps": 1}
    return search_request(**(given | changes))


def search(req, cancel=None):
    *_, last = finishing(search_steps(req, cancel or threading.Event()))
    assert isinstance(last, Finished)
    return last.outcome


def columns(result):
    return [
        (hits.db_index.tolist(), hits.log10_evalues.tolist(), hits.composition.lambda_ratio.tolist(),
         [str(z) for z in hits.composition.shuffle_z])
        for hits in (query.hits for query in result.queries)
    ]  # fmt: skip


def names(result, query):
    return [result.database.ids[at] for at in result.queries[query].hits.db_index]


@pytest.fixture(scope="module")
def result():
    return search(request())


def test_bias_falls_and_relatives_stay(result):
    plain = search(request(composition="none"))
    assert plain.queries[1].hits.log10_evalues[0] < -3
    assert plain.queries[1].hits.composition is None
    assert not (result.queries[1].hits.log10_evalues <= -3).any()
    assert names(result, 0)[0] == "relative"
    assert result.queries[0].hits.log10_evalues[0] < -20


def test_e_never_falls_and_orders_the_list(result):
    for query in result.queries:
        by = query.hits.composition
        assert (query.hits.log10_evalues >= by.log10_uncorrected).all()
        assert ((by.lambda_ratio >= 0) & (by.lambda_ratio <= 1)).all()
        assert (np.diff(query.hits.log10_evalues) >= 0).all()
        assert (query.hits.log10_evalues <= 1).all()


def test_lambda_alone_makes_no_shuffles(result):
    found = search(request(composition="lambda"))
    for query, full in zip(found.queries, result.queries, strict=True):
        assert np.isnan(query.hits.composition.shuffle_z).all()
        assert set(full.hits.db_index.tolist()) <= set(query.hits.db_index.tolist())


@pytest.mark.parametrize("engine", ["reference", "cpu"])
@pytest.mark.parametrize("keep", [True, False])
def test_every_engine_lists_the_same(result, engine, keep):
    assert columns(search(request(engine=engine, keep_scores=keep))) == columns(result)


def test_without_compiled_code_a_search_says_so_before_it_begins(monkeypatch):
    monkeypatch.setenv(library.VARIABLE, "none")
    library.forget()
    try:
        with pytest.raises(EngineUnavailable, match="E-values are corrected by the compiled library"):
            search(request(engine="reference"))
        assert search(request(engine="reference", composition="none")).state == "complete"
    finally:
        monkeypatch.undo()
        library.forget()


def test_batches_do_not_matter(result, monkeypatch):
    monkeypatch.setattr(correction, "BATCH", 3)
    monkeypatch.setattr(correction, "LARGEST_BATCH", 3)
    assert columns(search(request())) == columns(result)


def test_order_and_company_of_subjects_do_not_matter(result):
    database = made_database()
    turned = encode_database([database.record(at) for at in reversed(range(len(database)))], PROTEIN, "turned")
    other = search(replace(request(), database=turned))
    for query in range(3):
        both = [dict(zip(names(r, query), r.queries[query].hits.log10_evalues, strict=True)) for r in (result, other)]
        assert both[0] == both[1]


@pytest.mark.parametrize("limits", [Limits(3, 10.0), Limits(500, 1e-6), Limits(500, 1e4, 10**7)])
def test_moved_limits_give_what_a_new_search_gives(result, limits):
    moved = rerank(result, load_statistics(BLOSUM62), limits)
    asked = {"top": limits.top, "max_evalue": limits.max_evalue, "effective_residues": limits.effective_residues}
    assert columns(moved) == columns(search(request(**asked)))
    assert moved.search.limits == limits


def test_a_short_list_is_the_front_of_a_long_one(result):
    for top in (1, 2, 5):
        short = search(request(top=top))
        assert columns(short) == [tuple(column[:top] for column in query) for query in columns(result)]


def test_hits_say_what_was_done(result):
    hit = next(describe_hits(result, 0, [0]))
    by = result.queries[0].hits.composition
    assert (hit.log10_uncorrected, hit.lambda_ratio) == (by.log10_uncorrected[0], by.lambda_ratio[0])


def test_a_subject_that_is_not_listed_is_corrected_when_it_is_described(result):
    listed = set(result.queries[1].hits.db_index.tolist())
    beyond = next(at for at in range(30, 42) if at not in listed)
    place = locate(result, 1, beyond, load_statistics(BLOSUM62))
    assert not place.listed
    hit = describe_subject(result, 1, place)
    assert hit.log10_uncorrected == place.log10_evalue
    assert hit.log10_evalue > 1 > hit.log10_uncorrected
    assert "once it is corrected for composition" in place.reason


def test_stop_ends_the_correction_and_keeps_what_there_is():
    cancel, seen = threading.Event(), []
    for event in finishing(search_steps(request(), cancel)):
        if isinstance(event, Stage) and event.name == correction.STAGE:
            seen.append((event.done, event.total))
            cancel.set()
    found = event.outcome
    assert seen == [(0, 3)]
    assert found.state == "stopped"
    assert "E-values of 3 queries were not corrected" in found.message
    assert found.cells_done == found.cells_total
    assert all(np.isnan(query.hits.composition.lambda_ratio).all() for query in found.queries)
    assert names(found, 0)[0] == "relative"


def test_fitted_statistics_are_scaled_alike():
    odd = ScoringScheme.from_blast(load_matrix("BLOSUM62", PROTEIN), 3, 3)
    subjects = [SequenceRecord(f"r{at}", "", protein(1000 + at, 150)) for at in range(600)]
    subjects += [SequenceRecord(f"m{at}", "", protein(2000 + at, 150, "STPAG")) for at in range(5)]
    database = encode_database(subjects, PROTEIN, "fitted to")
    queries = (SequenceRecord("mucin", "", MUCIN), SequenceRecord("one", "", subjects[3].residues))
    changed = {"queries": queries, "database": database, "scheme": odd}
    plain, full = search(request(composition="none", **changed)), search(request(**changed))
    assert "Fitted" in full.statistics
    assert plain.queries[0].hits.log10_evalues[0] < full.queries[0].hits.log10_evalues.min(initial=9.0)
    assert names(full, 1)[0] == "r3"
    assert full.queries[1].hits.log10_evalues[0] < -15


def test_both_strands_of_nucleotides_are_corrected():
    rich = [protein(at, 3000, "ACGT", [0.45, 0.05, 0.05, 0.45]) for at in range(6)]
    gene = protein(50, 400, "ACGT")
    other = NUCLEOTIDE.decode(NUCLEOTIDE.reverse_complement(NUCLEOTIDE.encode(gene)))
    subjects = [SequenceRecord(f"s{at}", "", text) for at, text in enumerate([*rich[:5], gene, rich[0][:99] + other])]
    made = {"database": encode_database(subjects, NUCLEOTIDE, "dna"), "scheme": DNA_SCHEME, "strand": "both"}
    queries = (SequenceRecord("rich", "", rich[5]), SequenceRecord("gene", "", gene))
    found, plain = (search(request(queries=queries, composition=how, **made)) for how in ("full", "none"))
    assert set(names(found, 1)[:2]) == {"s5", "s6"}
    assert set(found.queries[1].hits.strands[:2].tolist()) == {1, -1}
    assert found.queries[1].hits.log10_evalues[1] < -100
    assert len(found.queries[0].hits) <= len(plain.queries[0].hits)
    assert (found.queries[0].hits.composition.lambda_ratio < 0.85).all()


CSGB_ECOLI = (
    b"MKNKLLFMMLTILGAPGIAAAAGYDLANSEYNFAVNELSKSSFNQAAIIGQAGTNNSAQLRQGGSKLLAVVAQEGSSNRAKIDQTGDYNLAYIDQAGSANDASISQGAYGNTAMIIQKGS"
    b"GNKANITQYGTQKTAIVVQRQSQMAIRVTQR"
)


def test_what_repeats_itself_is_no_chance_where_it_is_found_whole():
    changed = bytearray(CSGB_ECOLI)
    changed[5::20] = protein(5, len(changed[5::20]))
    half = CSGB_ECOLI[40:110]
    subjects = [SequenceRecord("whole", "", CSGB_ECOLI), SequenceRecord("nearly", "", bytes(changed))]
    subjects += [SequenceRecord("part", "", half)] + [
        SequenceRecord(f"r{at}", "", protein(at, 150)) for at in range(60)
    ]
    database = encode_database(subjects, PROTEIN)
    result = search(request(queries=(SequenceRecord("q", "", CSGB_ECOLI),), database=database))
    found, by = result.queries[0].hits, result.queries[0].hits.composition
    assert names(result, 0)[:2] == ["whole", "nearly"]
    assert (found.log10_evalues[:2] < -60).all()
    assert np.array_equal(found.log10_evalues[:2], by.log10_uncorrected[:2])
    assert found.log10_evalues[2] > by.log10_uncorrected[2]  # a part is compared with its shuffles as before
    whole, part = describe_hits(result, 0, [0, 2])
    texts = [dict(explain_hit(result, 0, hit, None))["E-value, corrected for composition"] for hit in (whole, part)]
    assert "nearly the same from end to end" in texts[0]
    assert "repeats" in texts[1]


def test_bits_belong_to_the_e_that_is_shown(result):
    for query in result.queries:
        hits = query.hits
        grown = (hits.log10_evalues - hits.composition.log10_uncorrected) / np.log10(2)
        assert hits.bit_scores + grown == pytest.approx(load_statistics(BLOSUM62).bit_scores(hits.scores))
    hits = result.queries[0].hits
    row = int((hits.log10_evalues - hits.composition.log10_uncorrected).argmax())
    hit = next(describe_hits(result, 0, [row]))
    sections = dict(explain_hit(result, 0, hit, load_statistics(BLOSUM62)))
    assert f"{hit.bit_score:.2f} bits belong to the E that counts" in sections["Bit score"]


def test_further_alignments_have_bits_that_belong_to_their_e():
    found = search(request(max_hsps=4))
    hits = [hit for hit in describe_hits(found, 2, range(2)) if len(hit.hsps) > 1]
    ordered = sorted((hsp.log10_evalue, -hsp.bit_score) for hit in hits for hsp in hit.hsps)
    assert [bits for _, bits in ordered] == sorted(bits for _, bits in ordered)
    for hit in hits:
        assert (hit.hsps[0].bit_score, hit.hsps[0].log10_evalue) == (hit.bit_score, hit.log10_evalue)


def test_find_says_the_e_that_the_subject_has_when_it_is_shown(result):
    listed = set(result.queries[1].hits.db_index.tolist())
    beyond = next(at for at in range(30, 42) if at not in listed)
    place = find_subject(result, 1, beyond)
    hit = describe_subject(result, 1, place)
    assert (place.log10_evalue, place.bit_score, place.rank) == (hit.log10_evalue, hit.bit_score, hit.rank)
    assert "once it is corrected for composition" in place.reason
    moved = rerank(result, load_statistics(BLOSUM62), Limits(500, 1e9))
    row = moved.queries[1].hits.db_index.tolist().index(beyond)
    assert moved.queries[1].hits.log10_evalues[row] == place.log10_evalue


def test_bits_of_searches_saved_before_they_belonged_to_e_are_corrected_when_read(result, tmp_path, monkeypatch):
    def before(hits):
        plain = load_statistics(BLOSUM62).bit_scores(hits.scores)
        return replace(hits, bit_scores=plain)

    old = replace(result, queries=tuple(replace(query, hits=before(query.hits)) for query in result.queries))
    monkeypatch.setattr(saved_search, "FORMAT", (2, 0))
    saved_search.save_search(old, tmp_path / "old.swgui")
    monkeypatch.undo()
    read = saved_search.load_search(tmp_path / "old.swgui", database=result.database).result
    for mine, theirs in zip(result.queries, read.queries, strict=True):
        assert mine.hits.bit_scores == pytest.approx(theirs.hits.bit_scores)


# Best alignments from the correction for composition are not computed again, and equal those computed.

KINDS = {
    "protein": (PROTEIN, BLOSUM62, b"ARNDCQEGHILKMFPSTWYV"),
    "nucleotide": (NUCLEOTIDE, DNA_SCHEME, b"ACGT"),
}


def made(kind, part=None, long=0):
    """Search with relatives on all strands, in subjects with so many more residues."""
    alphabet, scheme, letters = KINDS[kind]
    chance = np.random.default_rng(11)

    def some(length):
        return bytes(chance.choice(list(letters), length).astype(np.uint8))

    whole = some(120)
    back = alphabet.decode(alphabet.reverse_complement(alphabet.encode(whole))) if alphabet is NUCLEOTIDE else whole
    subjects = [some(40 + at) + (whole, back)[at % 2][at : 119 - at] + some(30 + long) for at in range(12)]
    database = encode_database([SequenceRecord(str(at), "", one) for at, one in enumerate(subjects)], alphabet)
    strand = "both" if alphabet is NUCLEOTIDE else "plus"
    query = SequenceRecord("q", "", whole)
    return answer(
        search_request(
            queries=(query,),
            database=database,
            scheme=scheme,
            strand=strand,
            query_range=part,
            engine="cpu",
            max_hsps=1,
        )
    )


def aligned(result):
    parts = align_rows(result.hit_list(0), np.arange(len(result.queries[0].hits)))
    pairs = [part.pair(line) for part in parts for line in range(len(part))]
    return [(*alignment.path, alignment.score, counts) for alignment, counts in pairs]


def without_regions(result):
    query = result.queries[0]
    return replace(result, queries=(replace(query, hits=replace(query.hits, regions=None)),))


@pytest.mark.parametrize("part", [None, QueryRange(21, 100)], ids=["whole", "part"])
@pytest.mark.parametrize(("kind", "long"), [("protein", 0), ("nucleotide", 0), ("nucleotide", 3_000)])
def test_alignments_are_made_in_the_regions_that_are_known(kind, part, long, monkeypatch):
    monkeypatch.setattr(cpu, "LANE_CELLS", 120_000)
    monkeypatch.setattr(windows, "WINDOW", 300)
    monkeypatch.setattr(windows, "SPANS", 1)
    result = made(kind, part, long)
    hits = result.queries[0].hits
    assert len(hits) >= 10
    assert (hits.regions.scores == hits.scores).all()
    assert set(hits.strands.tolist()) == ({1, -1} if kind == "nucleotide" else {1})
    assert bool(result.queries[0].windows) == bool(long)
    expected = aligned(without_regions(result))
    monkeypatch.setattr(many.native, "regions", None)
    assert aligned(result) == expected


def test_what_has_no_region_is_looked_for():
    result = made("protein")
    query = result.queries[0]
    regions = query.hits.regions.take(np.arange(len(query.hits)))
    regions.put(np.arange(3), native.Regions.unknown(3))
    some = replace(result, queries=(replace(query, hits=replace(query.hits, regions=regions)),))
    assert aligned(some) == aligned(result)


def test_saved_and_ranked_anew_alignments_are_the_same(tmp_path):
    result = made("protein")
    expected = aligned(result)
    moved = rerank(result, load_statistics(result.scheme), replace(result.search.limits, top=5))
    assert aligned(moved) == expected[:5]
    save_search(result, tmp_path / "run.swgui")
    loaded = load_search(tmp_path / "run.swgui").result
    assert loaded.queries[0].hits.regions is None
    assert aligned(loaded) == expected
