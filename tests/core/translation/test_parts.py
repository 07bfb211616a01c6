"""Parts of frames: translated first, and as codons that what scores them reads itself."""

import numpy as np
import pytest

from swgui.core.alphabet import NUCLEOTIDE
from swgui.core.database import encode_database
from swgui.core.packing import ChunkPlan
from swgui.core.records import SequenceRecord
from swgui.core.translation.frames import FRAMES
from swgui.core.translation.genetic_codes import CODON
from swgui.core.translation.parts import codon_parts, parts_of, translated_parts
from swgui.core.translation.programs import Translation
from swgui.engines.windows import cut


@pytest.fixture
def dna(rng):
    texts = [bytes(rng.choice(list(b"ACGT"), n).astype(np.uint8)) for n in (90, 31, 47, 5, 0)]
    return encode_database([SequenceRecord(f"s{n}", "", text) for n, text in enumerate(texts)], NUCLEOTIDE, "dna")


@pytest.mark.parametrize("code", [1, 4])
def test_codons_of_both_strands_are_those_of_the_translation(dna, code):
    how = Translation("tblastn", subject_code=code)
    parts = parts_of(dna, ChunkPlan(0, len(dna), dna.residues), FRAMES, 60, lambda length: cut(length, 8, 12))
    proteins, codons = translated_parts(dna, how, parts), codon_parts(dna, how, parts)
    assert len(proteins) > len(FRAMES) * 4
    for number in range(len(proteins)):
        first, count = int(codons.firsts[number]), int(np.diff(codons.offsets)[number])
        lowest, step, table = (first, CODON, 0) if first >= 0 else (~first, -CODON, 1)
        starts = lowest + step * np.arange(count)
        a, b, c = (codons.bases[starts + place].astype(np.int64) for place in range(CODON))
        assert codons.tables[table][(a * 16 + b) * 16 + c].tolist() == proteins.subject(number).tolist()
