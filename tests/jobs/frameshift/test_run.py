"""Searches with frameshifts: both directions, both strands, borders of pieces, several hits, and what is refused."""

from __future__ import annotations

import threading

import numpy as np
import pytest

from swgui.cli import main
from swgui.core.alphabet import NUCLEOTIDE, PROTEIN
from swgui.core.database import encode_database
from swgui.core.errors import InvalidParameter, Stopped
from swgui.core.frameshift import best_end
from swgui.core.frameshift.codons import codons_of
from swgui.core.records import SequenceRecord
from swgui.core.scoring import ScoringScheme
from swgui.core.translation.frames import translate
from swgui.core.translation.genetic_codes import BASES, genetic_code
from swgui.engines import shifted
from swgui.io.matrices import load_matrix
from swgui.jobs.frameshift import ShiftedRequest, run, search_shifted

SCHEME = ScoringScheme.from_blast(load_matrix("BLOSUM62", PROTEIN), 11, 1)
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


def search(queries, alphabet, records, **others):
    other = NUCLEOTIDE if alphabet is PROTEIN else PROTEIN
    database = encode_database(records, other, "db")
    request = ShiftedRequest(tuple(queries), alphabet, database, SCHEME, **{"code": 11, "max_evalue": 1e-6, **others})
    return [one.hits for one in search_shifted(request, threading.Event())]


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
    assert there.bases == back.bases == (200 + size, 201)
    assert there.alignment.cigar == back.alignment.cigar
    assert (there.alignment.protein_start, there.alignment.protein_end, there.alignment.shifts) == (0, 120, 3)
    assert (there.query, there.subject, back.query, back.subject) == ("p", "d", "d", "p")
    for base, true in zip((base for base, _ in there.alignment.shift_places()), (60, 150, 270), strict=True):
        assert abs(base - 101 - true) <= 4
    assert there.evalue == pytest.approx(back.evalue, rel=0.5)


def test_genes_across_every_border_are_found(made, monkeypatch):
    protein, _, _ = made
    short = SequenceRecord("s", "", protein.residues[:30])
    spelled = gene(short.residues.decode(), [(45, 1)])
    monkeypatch.setattr(run, "NUMBERED", 10)  # pieces as small as may be: twice what an alignment can span
    span = shifted.ShiftScheme.of(SCHEME, 15, protein_query=True).span(
        shifted.Subjects.packed(PROTEIN.encode(short.residues), np.array([0, 30]))
    )
    rng = np.random.default_rng(5)
    beside = letters(rng, 6 * span, "ACGT").encode()
    places = [*range(span - 100, span + 100, 23), 2 * span - 40, 3 * span - 50, 4 * span]
    records = [SequenceRecord(f"at{at}", "", beside[:at] + spelled + beside[at:]) for at in places]
    (hits,) = search([short], PROTEIN, records, strand="plus", max_evalue=1e-9)
    found = {hit.subject: hit.bases for hit in hits}
    assert len(hits) == len(places)
    for at, record in zip(places, records, strict=True):
        first, last = found[record.id]
        assert abs(first - at - 1) <= 3
        assert abs(last - at - len(spelled)) <= 3


def test_several_places_of_a_protein_share_no_base(made):
    protein, dna, size = made
    twice = SequenceRecord("two", "", dna.residues + gene(protein.residues.decode()))
    ((first, second),) = search([protein], PROTEIN, [twice])
    assert first.bases == (len(dna.residues) + 1, len(twice.residues))
    assert second.bases == (200 + size, 201)
    ((one, other),) = search([twice], NUCLEOTIDE, [protein])
    assert (one.bases, other.bases) == (first.bases, second.bases)


def test_scores_are_those_of_the_reference(made):
    protein, dna, _ = made
    ((hit,),) = search([protein], PROTEIN, [dna])
    profile = SCHEME.matrix.scores[PROTEIN.encode(protein.residues)]
    codons = codons_of(NUCLEOTIDE.encode(dna.residues), -1, 11)
    assert hit.alignment.score == best_end(profile, codons, 12, 1, 15).score


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"code": 99}, "no genetic code 99"),
        ({"shift": 0}, "cannot cost 0"),
        ({"max_evalue": 0.0}, "an E of 0 or less"),
        ({"top": 0}, "would be none"),
    ],
)
def test_what_cannot_be_searched_is_refused(made, change, words):
    protein, dna, _ = made
    with pytest.raises(InvalidParameter, match=words):
        search([protein], PROTEIN, [dna], **change)


def test_two_of_a_kind_are_refused(made):
    database = encode_database([made[0]], PROTEIN, "db")
    with pytest.raises(InvalidParameter, match="between proteins and DNA"):
        ShiftedRequest((made[0],), PROTEIN, database, SCHEME)


def test_sequences_without_a_codon_have_no_hits(made):
    protein = made[0]
    assert search([protein], PROTEIN, [SequenceRecord("x", "", b"AC")]) == [()]
    assert search([SequenceRecord("x", "", b"AC")], NUCLEOTIDE, [protein]) == [()]


def test_a_search_can_be_stopped(made):
    protein, dna, _ = made
    stopped = threading.Event()
    stopped.set()
    request = ShiftedRequest((protein,), PROTEIN, encode_database([dna], NUCLEOTIDE, "db"), SCHEME)
    with pytest.raises(Stopped):
        list(search_shifted(request, stopped))


def test_the_command_writes_every_format(made, tmp_path, capsys):
    protein, dna, size = made
    for record in (protein, dna):
        (tmp_path / f"{record.id}.fasta").write_bytes(b">" + record.header.encode() + b"\n" + record.residues + b"\n")
    words = ["frameshift", str(tmp_path / "p.fasta"), str(tmp_path / "d.fasta"), "--code", "11", "-e", "1e-6"]
    said = {}
    for form in ("text", "tsv", "gff3", "fasta"):
        assert main([*words, "--format", form]) == 0
        said[form] = capsys.readouterr().out
    rows = [line.split("\t") for line in said["tsv"].splitlines()]
    hit = dict(zip(*rows, strict=True))
    assert (hit["frameshifts"], hit["sstart"], hit["send"], hit["frame"]) == ("3", str(200 + size), "201", "-3")
    assert "3 frameshifts" in said["text"]
    written = "".join(line[21:].split("  ")[0] for line in said["text"].splitlines() if line.startswith("Subject  "))
    assert (written.count("\\") + written.count("/"), len(written.strip())) == (3, 123)
    feature = said["gff3"].splitlines()[1].split("\t")
    assert (feature[3:5], feature[6]) == (["201", str(200 + size)], "-")
    assert feature[8].endswith("frameshifts=3")
    heading, *lines = said["fasta"].splitlines()
    assert heading == f">d:{200 + size}-201 like p, 3 frameshifts"
    assert len("".join(lines)) == 120
    assert main([*words, "-o", str(tmp_path / "p.fasta")]) == 2
