"""Long pairs as other programs align them: Biopython, EMBOSS where it is installed, and what others once said."""

from __future__ import annotations

import re
import shutil
import subprocess

import numpy as np
import pytest
from Bio.Align import PairwiseAligner, substitution_matrices

from swgui.core.alphabet import NUCLEOTIDE
from swgui.core.pair.problem import PairEnd, PairMode
from swgui.core.pair.view import score_and_count
from swgui.core.scoring import EncodedQuery, ScoringScheme
from swgui.engines.pair.cpu import CpuPairEngine
from swgui.io.sequences.reader import read_sequences
from tests.engines.conftest import random_codes, relative
from tests.engines.pair.reference import ask

MODES = tuple(PairMode)


def one(path) -> np.ndarray:
    return NUCLEOTIDE.encode(next(read_sequences(path, NUCLEOTIDE)).residues)


@pytest.fixture(scope="module")
def engine():
    return CpuPairEngine(2)


def biopython(scheme: ScoringScheme, mode: PairMode) -> PairwiseAligner:
    """Return Biopython's aligner for a scheme; it counts gap_first + (k - 1) x gap_extend, too."""
    aligner = PairwiseAligner(mode="local" if mode is PairMode.LOCAL else "global")
    aligner.substitution_matrix = substitution_matrices.Array(
        alphabet=scheme.alphabet.letters, dims=2, data=scheme.matrix.scores.astype(float)
    )
    aligner.open_gap_score, aligner.extend_gap_score = -scheme.gap_first, -scheme.gap_extend
    if mode is PairMode.SEMIGLOBAL:
        aligner.end_gap_score = 0
    return aligner


@pytest.mark.parametrize("mode", MODES)
def test_scores_are_those_of_biopython(engine, dna_scheme, protein_scheme, mode):
    rng = np.random.default_rng(4)
    for scheme, letters in ((dna_scheme, 4), (protein_scheme, 20)):
        aligner, decode = biopython(scheme, mode), scheme.alphabet.decode
        for length in (40, 700, 1_500):
            query = random_codes(rng, length, letters)
            subject = relative(rng, query, letters)
            answer = ask(engine, query, subject, scheme, mode)
            assert answer.end.score == aligner.score(decode(query).decode(), decode(subject).decode())


EMBOSS_MATRIX = """    A   C   G   T   N
A   2  -3  -3  -3  -2
C  -3   2  -3  -3  -2
G  -3  -3   2  -3  -2
T  -3  -3  -3   2  -2
N  -2  -2  -2  -2  -2
"""


@pytest.mark.data
@pytest.mark.parametrize(("program", "mode"), [("water", PairMode.LOCAL), ("stretcher", PairMode.GLOBAL)])
def test_score_identities_and_gaps_are_those_of_emboss(engine, dna_scheme, data_dir, tmp_path, program, mode):
    if shutil.which(program) is None:
        pytest.skip(f"{program} (EMBOSS) is not installed")
    query, subject = (one(data_dir / "dna" / f"MT-{name}.fa")[:6_000] for name in ("human", "chimp"))
    for name, codes in (("a", query), ("b", subject)):
        (tmp_path / name).write_text(f">{name}\n{NUCLEOTIDE.decode(codes).decode()}\n")
    (tmp_path / "matrix").write_text(EMBOSS_MATRIX)
    # The first residue of a gap costs 5 + 2.
    gaps = ["-gapopen", "7", "-gapextend", "2", "-datafile", str(tmp_path / "matrix")]
    files = ["-asequence", str(tmp_path / "a"), "-bsequence", str(tmp_path / "b"), "-outfile", str(tmp_path / "out")]
    subprocess.run([program, *files, *gaps], check=True, capture_output=True, timeout=120)
    said = (tmp_path / "out").read_text()
    score, identity, gapped = (
        float(re.search(rf"# {word}:\s+([\d.]+)", said)[1]) for word in ("Score", "Identity", "Gaps")
    )
    answer = ask(engine, query, subject, dna_scheme, mode)
    assert answer.end.score == score
    encoded = EncodedQuery("q", query)
    _, counts = score_and_count(answer.alignment, encoded, subject, dna_scheme)
    assert (counts.nident, counts.gaps) == (identity, gapped)


@pytest.mark.data
def test_mitochondria_as_stretcher_aligned_them(engine, dna_scheme, data_dir):
    # EMBOSS 6.6.0: stretcher MT-human.fa MT-chimp.fa -gapopen 7 -gapextend 2 with the matrix above
    query, subject = (one(data_dir / "dna" / f"MT-{name}.fa") for name in ("human", "chimp"))
    answer = ask(engine, query, subject, dna_scheme, PairMode.GLOBAL)
    assert answer.end == PairEnd(25_689, 16_569, 16_548)
    _, counts = score_and_count(answer.alignment, EncodedQuery("q", query), subject, dna_scheme)
    assert (counts.nident, counts.length, counts.gaps) == (15_095, 16_575, 33)


@pytest.mark.data
@pytest.mark.slow
def test_chloroplasts_as_parasail_scored_them(engine, dna_scheme, data_dir):
    # parasail 1.3.4: sw_striped_profile_sat with open 7 and extend 2; the other strand has an inverted repeat
    query, subject = (one(data_dir / "dna" / f"NC_02031{number}.1.fa.gz") for number in (6, 7))
    answer = ask(engine, query, subject, dna_scheme)
    assert answer.end == PairEnd(316_706, 160_183, 160_105)
    assert len(answer.alignment.ops) < 1_000
    assert answer.progress[-1].pruned > 0.9 * answer.progress[-1].cells_total
