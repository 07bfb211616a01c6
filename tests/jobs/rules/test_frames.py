"""Rules asked of a translated database, against the definitions on frames translated codon by codon by Biopython."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from Bio.Data import CodonTable

from swgui.core.alphabet import NUCLEOTIDE, PROTEIN
from swgui.core.database import encode_database
from swgui.core.errors import AlphabetMismatch, InvalidParameter
from swgui.core.records import SequenceRecord
from swgui.core.rules.matching import match_table
from swgui.core.rules.reference import best_identity, edit_fits, mismatch_fits, words
from swgui.core.rules.request import RuleRequest
from swgui.core.rules.rule import Edits, Guides, Identity, Mismatches, Primers, Window, Words
from swgui.core.translation.frames import FRAMES
from swgui.jobs.rules.run import RuleRun, certificate
from swgui.jobs.rules.table import places_table

BASES = "ACGT"
OPPOSITE = str.maketrans("ACGT", "TGCA")


def protein_of(dna: str, code: int) -> str:
    table = CodonTable.unambiguous_dna_by_id[code]
    triplets = (dna[at : at + 3] for at in range(0, len(dna) - 2, 3))
    return "".join("*" if one in table.stop_codons else table.forward_table[one] for one in triplets)


def frame_of(dna: str, frame: int, code: int) -> str:
    strand = dna if frame > 0 else dna.translate(OPPOSITE)[::-1]
    return protein_of(strand[abs(frame) - 1 :], code)


def bases(frame: int, start: int, end: int, length: int) -> tuple[int, int]:
    """Return the first and the last base, from 1, of residues of a frame."""
    first, last = abs(frame) + 3 * start, abs(frame) + 3 * end - 1
    return (first, last) if frame > 0 else (length + 1 - last, length + 1 - first)


def asked(rng, rule, code, frames):
    subjects = ["".join(rng.choice(list(BASES), size)) for size in rng.integers(0, 70, 6)]
    cut = [frame_of(subject, int(rng.choice(FRAMES)), code) for subject in subjects[:3]]
    queries = [text[1:8] for text in cut if len(text) > 8] + ["MKWL*RC"]
    records = [SequenceRecord(f"s{number}", "", text.encode()) for number, text in enumerate(subjects)]
    given = tuple(SequenceRecord(f"q{number}", "", text.encode()) for number, text in enumerate(queries))
    database = encode_database(records, NUCLEOTIDE, "d")
    run = RuleRun(RuleRequest(rule, given, PROTEIN, "", engine="cpu", frames=frames, code=code), database)
    run.scan_all()
    return run, subjects, queries


def fits_of(rule, query, subject, table):
    match rule:
        case Mismatches():
            return list(mismatch_fits(query, subject, table, rule.mismatches))
        case Edits():
            return list(edit_fits(query, subject, table, rule.limits))
        case Words():
            return [fit for _, fit in words(query, subject, table, rule.length)]
    best = best_identity(query, subject, table)
    return [best[1]] if best and best[0] >= rule.identity else []


RULES = Mismatches(2), Edits(2, every_end=True), Identity(Fraction(1, 2)), Words(3)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
@pytest.mark.sampled(4)
def test_places_of_frames(rule, seed):
    rng = np.random.default_rng(seed)
    code, frames = (1, 2, 4)[seed % 3], (FRAMES, (2, -1))[seed % 2]
    run, subjects, queries = asked(rng, rule, code, frames)
    table = match_table(PROTEIN)
    expected = []
    for number, query in enumerate(queries):
        for k, dna in enumerate(subjects):
            for frame in frames:
                text = frame_of(dna, frame, code)
                for fit in fits_of(rule, PROTEIN.encode(query.encode()), PROTEIN.encode(text.encode()), table):
                    place = bases(frame, fit.start, fit.end, len(dna))
                    expected.append((f"q{number}", f"s{k}", *place, "plus" if frame > 0 else "minus", frame))
    table = places_table(run.request, run.database, run.found())
    names = "qseqid", "sseqid", "sstart", "send", "sstrand", "sframe", "sseq"
    listed = list(table.choose(names).rows())
    forward = [(*row[:2], *sorted(row[2:4]), *row[4:6]) for row in listed]
    assert sorted(forward) == sorted(expected)
    assert all((start < end) == (strand == "plus") for _, _, start, end, strand, *_ in listed)
    for (_, name, start, end, sstrand, _), row in zip(forward, listed, strict=True):
        strand = subjects[int(name[1:])][start - 1 : end]
        strand = strand if sstrand == "plus" else strand.translate(OPPOSITE)[::-1]
        assert row[-1].replace("-", "") == protein_of(strand, code)
    facts = certificate(run)
    sizes = [len(frame_of(dna, frame, code)) for dna in subjects for frame in frames]
    counted = {
        Mismatches: sum(max(0, size - len(query) + 1) for query in queries for size in sizes),
        Edits: len(queries) * sum(sizes),
        Identity: sum(len(query) * size for query in queries for size in sizes),
        Words: sum(max(0, len(query) - 2) * max(0, size - 2) for query in queries for size in sizes),
    }
    assert facts["expected"] == facts["tested"] == counted[type(rule)]
    assert facts["rule"]["frames"] == list(frames)
    assert facts["rule"]["genetic_code"] == code
    assert facts["complete"]


def test_what_is_not_translated_is_said():
    query = (SequenceRecord("q", "", b"ACGTACGT"),)
    for rule, alphabet in ((Window(), PROTEIN), (Guides(), NUCLEOTIDE), (Primers(), NUCLEOTIDE)):
        with pytest.raises(InvalidParameter, match="does not take a translated"):
            RuleRequest(rule, query * 2, alphabet, "", frames=FRAMES)
    with pytest.raises(InvalidParameter, match="for queries of proteins"):
        RuleRequest(Mismatches(), query, NUCLEOTIDE, "", frames=FRAMES)
    with pytest.raises(InvalidParameter, match="no genetic code 7"):
        RuleRequest(Mismatches(), query, PROTEIN, "", frames=FRAMES, code=7)
    run = RuleRun(
        RuleRequest(Mismatches(), query, PROTEIN, "", frames=FRAMES, engine="cpu"),
        encode_database([SequenceRecord("s", "", b"ACGTACGT")], PROTEIN, "d"),
    )
    with pytest.raises(AlphabetMismatch):
        run.scan_all()
