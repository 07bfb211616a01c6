"""Searches with frameshifts: both directions, both strands, borders of pieces, several hits, and what is refused."""

from __future__ import annotations

import threading

import numpy as np
import pytest

from swgui.core.alignment import rescore, spell_out
from swgui.core.alphabet import NUCLEOTIDE, PROTEIN
from swgui.core.database import encode_database
from swgui.core.errors import InvalidParameter
from swgui.core.frameshift import best_end
from swgui.core.judging.explain import explain_hit
from swgui.core.judging.fitting import fit_of
from swgui.core.judging.places import rank_subjects
from swgui.core.limits import Minimums
from swgui.core.plain import replace
from swgui.core.query_range import QueryRange
from swgui.core.records import SequenceRecord
from swgui.core.scoring import ScoringScheme
from swgui.core.translation.frames import codons_of, translate
from swgui.core.translation.genetic_codes import BASES, genetic_code
from swgui.core.translation.programs import Translation
from swgui.core.verdict.hits import judge
from swgui.core.verdict.queries import judge_query
from swgui.engines import shift_search, shifted
from swgui.io.database.build import save_database
from swgui.io.export.rows import span
from swgui.io.saved.search import load_search, save_search
from swgui.io.statistics import load_statistics
from swgui.jobs.search.alternatives import next_hit
from swgui.runs import Runs
from swgui.runs.search_facts import RequestFacts
from tests.asking import BLOSUM62, altered, answer, search_request
from tests.described import describe_hits

pytestmark = pytest.mark.usefixtures("user_folders", "trusted_engines")

SCHEME = BLOSUM62
CODONS = {
    residue: a + b + c
    for residue, (a, b, c) in zip(
        genetic_code(11).residues, ((a, b, c) for a in BASES for b in BASES for c in BASES), strict=True
    )
}
COMPLEMENT = bytes.maketrans(b"ACGT", b"TGCA")


def letters(rng, number, among="ARNDCQEGHILKMFPSTWYV"):
    return "".join(rng.choice(list(among), size=number))


def gene(protein, changes=()):
    """Spell a protein; `changes` delete (-1) or repeat (1) a base."""
    dna = [CODONS[residue] for residue in protein]
    text = list("".join(dna))
    for at, kind in sorted(changes, reverse=True):
        text[at : at + 1] = [] if kind < 0 else [text[at]] * 2
    return "".join(text).encode()


def request(queries, alphabet, records, **others):
    other = NUCLEOTIDE if alphabet is PROTEIN else PROTEIN
    database = encode_database(records, other, "db") if isinstance(records, list) else records
    names = "shift", "frames", "query_code", "subject_code"
    how = {"query_code": 11, "subject_code": 11, "shift": 15} | {k: v for k, v in others.items() if k in names}
    translation = Translation("tblastn" if alphabet is PROTEIN else "blastx", **how)
    rest = {"max_evalue": 1e-6, "engine": "cpu"} | {k: v for k, v in others.items() if k not in names}
    return search_request(queries=tuple(queries), database=database, scheme=SCHEME, translation=translation, **rest)


def result_of(*given, **others):
    return answer(request(*given, **others))


def search(*given, **others):
    """Return the alignments of each query, best first."""
    result = result_of(*given, **others)
    hits = [list(describe_hits(result, at, range(len(query.hits)))) for at, query in enumerate(result.queries)]
    return [sorted((row for hit in of for row in hit.rows()), key=lambda row: -row.score) for of in hits]


def bases(row):
    ends = span(row)
    return (ends.query_start, ends.query_end) if row.alignment.steps[0] > 1 else (ends.subject_start, ends.subject_end)


@pytest.fixture(scope="module")
def made():
    """A protein, its gene with three shifts, and DNA that holds it on the opposite strand."""
    rng = np.random.default_rng(16)
    protein = letters(rng, 120)
    changed = gene(protein, [(60, 1), (150, -1), (270, 1)])
    dna = letters(rng, 200, "ACGT").encode() + changed.translate(COMPLEMENT)[::-1] + letters(rng, 101, "ACGT").encode()
    return SequenceRecord("p", "", protein.encode()), SequenceRecord("d", "of a test", dna), len(changed)


def test_codons_are_those_of_the_three_frames():
    bases = NUCLEOTIDE.encode(b"ACGTNACGTTAGC")
    for strand in (1, -1):
        for frame in range(3):
            found = codons_of(bases, strand, 11)[frame::3]
            assert found.tolist() == translate(bases, strand * (frame + 1), 11).tolist()
    assert codons_of(bases[:2]).tolist() == []


@pytest.mark.parametrize("engine", ["cpu", "reference"])
def test_a_gene_with_shifts_is_one_hit_either_way_round(made, engine):
    protein, dna, size = made
    ((there,),) = search([protein], PROTEIN, [dna], engine=engine)
    ((back,),) = search([dna], NUCLEOTIDE, [protein], engine=engine)
    assert bases(there) == bases(back) == (200 + size, 201)
    assert there.alignment.cigar == back.alignment.cigar.translate(str.maketrans("ID", "DI"))
    own, other = there.alignment, back.alignment
    assert (own.query_start, own.query_end, there.counts.frameshifts) == (0, 120, 3)
    assert (other.subject_start, other.subject_end, back.counts.frameshifts) == (0, 120, 3)
    assert (there.frames, back.frames) == ((0, -3), (-3, 0))
    columns = spell_out(own)
    for column, true in zip(np.flatnonzero((columns.query < 0) & (columns.subject < 0)), (60, 150, 270), strict=True):
        assert abs(columns.subject[column - 1] + 3 - 101 - true) <= 4
    assert there.log10_evalue == pytest.approx(back.log10_evalue, abs=0.3)
    assert 99 <= there.subject_coverage * len(dna.residues) / size <= 101


def test_genes_across_every_border_are_found(made, monkeypatch):
    protein, _, _ = made
    short = SequenceRecord("s", "", protein.residues[:30])
    spelled = gene(short.residues.decode(), [(45, 1)])
    monkeypatch.setattr(shift_search, "NUMBERED", 10)  # pieces as small as may be: twice what an alignment can span
    span = shifted.ShiftScheme.of(SCHEME, 15, protein_query=True).span(
        shifted.Subjects.packed(PROTEIN.encode(short.residues), np.array([0, 30]))
    )
    rng = np.random.default_rng(5)
    beside = letters(rng, 6 * span, "ACGT").encode()
    places = [*range(span - 100, span + 100, 23), 2 * span - 40, 3 * span - 50, 4 * span]
    records = [SequenceRecord(f"at{at}", "", beside[:at] + spelled + beside[at:]) for at in places]
    (hits,) = search([short], PROTEIN, records, frames=(1, 2, 3), max_evalue=1e-9)
    found = {hit.subject.id: bases(hit) for hit in hits}
    assert len(hits) == len(places)
    for at, record in zip(places, records, strict=True):
        first, last = found[record.id]
        assert abs(first - at - 1) <= 3
        assert abs(last - at - len(spelled)) <= 3


def test_several_places_of_a_protein_share_no_base(made):
    protein, dna, size = made
    twice = SequenceRecord("two", "", dna.residues + gene(protein.residues.decode()))
    ((first, second),) = search([protein], PROTEIN, [twice])
    assert bases(first) == (len(dna.residues) + 1, len(twice.residues))
    assert bases(second) == (200 + size, 201)
    ((one, other),) = search([twice], NUCLEOTIDE, [protein])
    assert (bases(one), bases(other)) == (bases(first), bases(second))
    assert [row.sum_log10_evalue < first.log10_evalue for row in (first, second)] == [True, True]
    ((best,),) = search([twice], NUCLEOTIDE, [protein], max_hsps=1)
    assert bases(best) == bases(first)


def test_the_next_best_of_part_of_a_query_keeps_its_positions(made):
    protein, dna, _ = made
    spelled = gene(protein.residues.decode())
    twice = SequenceRecord("two", "", dna.residues[:57] + spelled + spelled)
    result = result_of([twice], NUCLEOTIDE, [protein], query_range=QueryRange(31, len(twice.residues)), max_hsps=1)
    (best,) = describe_hits(result, 0, [0])
    other = next_hit(result, 0, best, [best.alignment], threading.Event())
    found = sorted(one.alignment.query_start for one in (best, other))
    assert found == [57, 57 + len(spelled)]
    assert other.score == best.score


def test_scores_are_those_of_the_reference(made):
    protein, dna, _ = made
    ((hit,),) = search([protein], PROTEIN, [dna])
    profile = SCHEME.matrix.scores[PROTEIN.encode(protein.residues)]
    codons = codons_of(NUCLEOTIDE.encode(dna.residues), -1, 11)
    assert hit.score == best_end(profile, codons, 12, 1, 15).score
    assert rescore(hit.alignment, hit.query, codons, SCHEME, 15) == hit.score


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"query_code": 99}, "no genetic code 99"),
        ({"shift": -1}, "cannot cost -1"),
        ({"frames": (1, 2)}, "three frames of a strand are read together"),
        ({"engine": "another"}, "cannot search with frameshifts"),
    ],
)
def test_what_cannot_be_searched_is_refused(made, change, words):
    protein, dna, _ = made
    with pytest.raises(InvalidParameter, match=words):
        search([protein], PROTEIN, [dna], **change)


def test_two_of_a_kind_are_refused(made):
    with pytest.raises(InvalidParameter, match="between proteins and DNA"):
        Translation("tblastx", shift=15)


@pytest.mark.parametrize("costs", [(11, 1), (15, 3)], ids=["published", "fitted"])
def test_costs_without_a_calibration_have_no_e_and_no_verdict(made, costs, tmp_path):
    protein, _, _ = made
    rng = np.random.default_rng(3)
    records = [SequenceRecord(f"r{n}", "", letters(rng, 900, "ACGT").encode()) for n in range(300)]
    scheme = ScoringScheme.from_blast(SCHEME.matrix, *costs)
    for cost in (1, 2, 9):
        asked = altered(request([protein], PROTEIN, records, shift=cost), scheme=scheme, top=50)
        result = answer(asked)
        assert "cost 10 and more" in result.message
        assert result.statistics == ""
        assert judge_query(result.queries[0]) == (
            "50 hits, but no E-values for this scoring, so none can be called significant."
        )
        save_search(result, tmp_path / "run.swgui")
        for told in (result, load_search(tmp_path / "run.swgui").result):
            hits = list(describe_hits(told, 0, range(3)))
            assert all(np.isnan([hit.log10_evalue, hit.bit_score, hit.fitted_log10_evalue]).all() for hit in hits)
            assert judge(hits[0], told).startswith("No verdict")
            assert fit_of(told, 0).statistics is None
            assert np.isnan(rank_subjects(told, 0, np.array([7]), load_statistics(scheme)).log10_evalues).all()
            assert "E-value, published parameters" not in dict(explain_hit(told, 0, hits[0], load_statistics(scheme)))
    assert [result_of([protein], PROTEIN, records, shift=cost).message for cost in (10, 15)] == ["", ""]


def test_subjects_without_a_codon_have_no_hits(made):
    assert search([made[0]], PROTEIN, [SequenceRecord("x", "", b"AC"), SequenceRecord("y", "", b"ACG")]) == [[]]


@pytest.mark.parametrize("alphabet", [PROTEIN, NUCLEOTIDE], ids=["tblastn", "blastx"])
def test_a_gene_of_the_whole_protein_keeps_its_e(alphabet):
    # Composition says much of a protein of few letters, but not that its own gene is there by chance.
    rng = np.random.default_rng(29)
    protein = letters(rng, 150, "EEEEKKKKQLAR")
    texts = {"whole": protein, "half": protein[:75] + letters(rng, 75), "other": letters(rng, 150)}
    if alphabet is PROTEIN:
        queries = [SequenceRecord("q", "", protein.encode())]
        records = [SequenceRecord(name, "", gene(text, [(200, 1)])) for name, text in texts.items()]
    else:
        queries = [SequenceRecord("q", "", gene(protein, [(200, 1)]))]
        records = [SequenceRecord(name, "", text.encode()) for name, text in texts.items()]
    result = result_of(queries, alphabet, records, max_evalue=10.0)
    hits = {result.database.ids[at]: row for row, at in enumerate(result.queries[0].hits.db_index.tolist())}
    found, by = result.queries[0].hits, result.queries[0].hits.composition
    assert found.log10_evalues[hits["whole"]] == by.log10_uncorrected[hits["whole"]]
    assert by.lambda_ratio[hits["whole"]] == 1.0
    assert found.log10_evalues[hits["half"]] > by.log10_uncorrected[hits["half"]]


def test_several_queries_are_scored_as_each_alone(made):
    protein, dna, _ = made
    rng = np.random.default_rng(7)
    others = [SequenceRecord(f"o{n}", "", letters(rng, n).encode()) for n in (3, 40, 130, 200)]
    records = [dna, *(SequenceRecord(f"r{n}", "", letters(rng, n, "ACGT").encode()) for n in (1, 9, 400))]
    together = result_of([*others, protein], PROTEIN, records, max_evalue=1e3)
    for at, query in enumerate([*others, protein]):
        alone = result_of([query], PROTEIN, records, max_evalue=1e3)
        assert together.queries[at].scores.tolist() == alone.queries[0].scores.tolist()
        assert together.queries[at].hits.log10_evalues.tolist() == alone.queries[0].hits.log10_evalues.tolist()
    assert together.cells_done == together.cells_total > 0


def test_part_of_a_query_keeps_its_positions(made):
    protein, dna, size = made
    ((there,),) = search([protein], PROTEIN, [dna], query_range=QueryRange(11, 120))
    assert (span(there).query_start, span(there).query_end, bases(there)) == (11, 120, (170 + size, 201))
    ((back,),) = search([dna], NUCLEOTIDE, [protein], query_range=QueryRange(201, 170 + size))
    assert (bases(back), span(back).subject_start) == ((170 + size, 201), 11)


def test_least_coverage_counts_what_alignments_span(made):
    protein, dna, size = made
    share = 100 * size / len(dna.residues)
    for minimum, hits in ((share - 1, 1), (share + 1, 0)):
        (found,) = search([dna], NUCLEOTIDE, [protein], minimums=Minimums(coverage=minimum))
        assert len(found) == hits


def test_a_stopped_search_goes_on_where_it_was(made, tmp_path, monkeypatch):
    protein, dna, _ = made
    save_database(encode_database([dna], NUCLEOTIDE, "db"), tmp_path / "dna.swdb")
    asked = request([protein, replace(protein, id="again")], PROTEIN, tmp_path / "dna.swdb")
    whole = answer(asked)
    monkeypatch.setattr(shifted, "CPU_CELLS", 1)  # a call for each query and strand
    cancel, called, score = threading.Event(), [], shift_search.ShiftSearch.score

    def counted(self, *given):
        for chunk in score(self, *given):
            called.append(chunk.query_index)
            yield chunk
            cancel.set()

    monkeypatch.setattr(shift_search.ShiftSearch, "score", counted)
    history = Runs(tmp_path / "history")
    first = list(history.run("search", asked, cancel))[-1].outcome
    assert (first.state, len(called), 4 * first.cells_done) == ("stopped", 1, first.cells_total)
    (record,) = history.list()
    again = list(history.run("search", history.resume(record.id), threading.Event()))[-1].outcome
    assert (again.state, again.cells_done, len(called)) == ("complete", again.cells_total, 4)
    assert again.translation == whole.translation
    for at in (0, 1):
        rows = [next(describe_hits(one, at, [0])) for one in (whole, again)]
        assert rows[0].alignment == rows[1].alignment


def test_saved_searches_keep_their_frameshifts(made, tmp_path):
    protein, dna, _ = made
    for number, whole in enumerate((result_of([protein], PROTEIN, [dna]), result_of([dna], NUCLEOTIDE, [protein]))):
        save_search(whole, tmp_path / f"{number}.swgui")
        again = load_search(tmp_path / f"{number}.swgui").result
        assert again.translation == whole.translation
        rows = [next(describe_hits(one, 0, [0])) for one in (whole, again)]
        assert rows[0].alignment == rows[1].alignment
        assert rows[1].counts.frameshifts == 3


def test_the_span_of_some_proteins_is_that_of_them_alone():
    rng = np.random.default_rng(8)
    scheme = shifted.ShiftScheme.of(SCHEME, 15, protein_query=True)
    every = shifted.Subjects.packed(rng.integers(0, 20, 600).astype(np.uint8), np.array([0, 9, 40, 300, 600]))
    for numbers in ([1], [1, 0, 1], [3], [0, 1, 2, 3]):
        some = every.take(np.array(numbers))
        parts = [every[number] for number in numbers]
        alone = shifted.Subjects.packed(np.concatenate(parts), np.concatenate([[0], np.cumsum(list(map(len, parts)))]))
        assert scheme.span(some) == scheme.span(alone) > 0


def test_the_history_knows_how_much_a_search_has_to_do(made):
    protein, dna, _ = made
    for query, subject, kind in ((protein, dna, PROTEIN), (dna, protein, NUCLEOTIDE)):
        asked = request([query], kind, [subject])
        facts = RequestFacts.begun(asked)
        whole = answer(asked)
        facts = replace(facts, opened=replace(facts.opened, residues=len(subject.residues)))
        assert facts.cells == pytest.approx(whole.cells_total, rel=0.02)
