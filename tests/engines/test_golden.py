"""Scores by independent programs; how they were made stands in tests/data/README.md."""

from __future__ import annotations

import csv
import hashlib
from pathlib import Path

import numpy as np
import pytest

from swgui.core.alphabet import PROTEIN
from swgui.core.database import encode_database
from swgui.core.scoring import EncodedQuery, ScoringScheme
from swgui.engines.traceback.best import align_local
from swgui.io.matrices import load_matrix
from swgui.io.sequences.reader import read_sequences
from tests.asking import BLOSUM62, DNA_SCHEME
from tests.engines.conftest import all_scores, make

GOLDEN = Path(__file__).resolve().parents[1] / "data" / "golden"
REAL = GOLDEN.parent / "cudasw_queries_16species_ssearch36.tsv"


def scheme_of(name: str) -> ScoringScheme:
    if name.startswith("nucleotide_2_3_5_2"):
        return DNA_SCHEME
    matrix, gap_open, gap_extend = name.removeprefix("protein_").removeprefix("odd_").split("_")[:3]
    return ScoringScheme.from_blast(load_matrix(matrix.upper(), PROTEIN), int(gap_open), int(gap_extend))


def load(name: str):
    """Return queries, subjects, the scheme and the program's scores of a golden file."""
    scheme = scheme_of(name)
    family = next(prefix for prefix in ("protein_odd", "protein", "nucleotide") if name.startswith(prefix))
    queries, subjects = (
        {record.id: record for record in read_sequences(GOLDEN / f"{family}_{part}.fasta", scheme.alphabet)}
        for part in ("queries", "subjects")
    )
    with (GOLDEN / f"{name}.tsv").open(newline="") as file:
        rows = [(row["query"], row["subject"], int(row["score"])) for row in csv.DictReader(file, delimiter="\t")]
    assert rows
    return queries, subjects, scheme, rows


NAMES = sorted(path.stem for path in GOLDEN.glob("*.tsv"))


@pytest.mark.parametrize("name", NAMES)
def test_engine_scores_as_the_program(engine, name):
    queries, subjects, scheme, rows = load(name)
    database = encode_database(subjects.values(), scheme.alphabet)
    place = {record: index for index, record in enumerate(subjects)}
    encoded = [EncodedQuery(record, scheme.alphabet.encode(queries[record].residues)) for record in queries]
    scores = all_scores(engine, encoded, database, scheme)
    got = [(query, subject, int(scores[list(queries).index(query), place[subject]])) for query, subject, _ in rows]
    assert got == rows
    if not name.endswith(("blastp", "blastn")):  # those list strong pairs only
        assert len(rows) == scores.size


@pytest.mark.parametrize("name", NAMES)
def test_alignment_reaches_the_programs_score(name):
    queries, subjects, scheme, rows = load(name)
    encode = scheme.alphabet.encode
    for query, subject, score in rows:
        encoded = EncodedQuery(query, encode(queries[query].residues))
        align_local(encoded, encode(subjects[subject].residues), scheme, score, subject_id=subject)


def digest(scores: np.ndarray) -> str:
    return hashlib.blake2b(scores.astype("<i4").tobytes(), digest_size=16).hexdigest()


def check_real(data_dir: Path, longest: int) -> None:
    """Compare the cpu engine with ssearch36's scores of the real queries up to a length."""
    with REAL.open(newline="") as file:
        stored = {row["query"]: row for row in csv.DictReader(file, delimiter="\t")}
    proteins = data_dir / "proteins"
    queries = [
        EncodedQuery(record.id, PROTEIN.encode(record.residues))
        for record in read_sequences(proteins / "cudasw_20queries.fasta", PROTEIN)
        if len(record.residues) <= longest
    ]
    assert len(queries) == sum(int(row["length"]) <= longest for row in stored.values())
    database = encode_database(read_sequences(proteins / "swissprot_16species.fasta.gz", PROTEIN), PROTEIN)
    engine = make("cpu", threads=0)
    for query, scores in zip(queries, all_scores(engine, queries, database, BLOSUM62), strict=True):
        row = stored[query.id]
        found = (len(scores), int(scores.sum()), int(scores.max()), database.ids[int(scores.argmax())])
        assert found == (int(row["subjects"]), int(row["sum"]), int(row["max"]), row["best"])
        assert digest(scores) == row["blake2b"]
    engine.close()


@pytest.mark.data
def test_short_real_queries_score_as_ssearch36(data_dir):
    check_real(data_dir, longest=250)


@pytest.mark.data
@pytest.mark.nightly
def test_all_real_queries_score_as_ssearch36(data_dir):
    check_real(data_dir, longest=10**6)
