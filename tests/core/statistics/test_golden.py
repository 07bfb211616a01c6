"""E-values and bit scores compared with blastp and blastn (tests/data/statistics/README.md)."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest

from swgui.core.alphabet import NUCLEOTIDE, PROTEIN
from swgui.core.scoring import ScoringScheme, match_mismatch
from swgui.io.matrices import load_matrix
from swgui.io.statistics import load_statistics
from swgui.paths import resources_dir
from tests.asking import BLOSUM62

TABLES = Path(__file__).resolve().parents[2] / "data" / "statistics"


def read_table(name: str) -> list[dict[str, str]]:
    with open(TABLES / name, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t"))


def groups(rows: list[dict[str, str]], *keys: str) -> dict[tuple[str, ...], list[dict[str, str]]]:
    found: dict[tuple[str, ...], list[dict[str, str]]] = {}
    for row in rows:
        found.setdefault(tuple(row[key] for key in keys), []).append(row)
    return found


HALF_BITS = resources_dir() / "statistics" / "BLOSUM80_half_bits.txt"


def scheme_of(row: dict[str, str]) -> ScoringScheme:
    if "matrix" in row:
        name = row["matrix"]
        matrix = load_matrix(str(HALF_BITS) if name == "BLOSUM80" else name, PROTEIN)
    else:
        matrix = match_mismatch(NUCLEOTIDE, int(row["match"]), int(row["mismatch"]))
    return ScoringScheme.from_blast(matrix, int(row["gap_open"]), int(row["gap_extend"]))


PROTEIN_ROWS = groups(read_table("blastp_rows.tsv"), "matrix", "gap_open", "gap_extend")
NUCLEOTIDE_ROWS = groups(read_table("blastn_rows.tsv"), "match", "mismatch", "gap_open", "gap_extend")


def test_all_tabulated_schemes_are_compared() -> None:
    assert (len(PROTEIN_ROWS), len(NUCLEOTIDE_ROWS)) == (82, 52)


@pytest.mark.parametrize("key", [*PROTEIN_ROWS, *NUCLEOTIDE_ROWS], ids="/".join)
def test_every_row_agrees_with_blast(key: tuple[str, ...]) -> None:
    for row in PROTEIN_ROWS.get(key) or NUCLEOTIDE_ROWS[key]:
        statistics = load_statistics(scheme_of(row))
        assert statistics is not None
        size = int(row["database_residues"]), int(row["database_sequences"])
        log10_e = statistics.log10_evalues(
            [int(row["score"])], int(row["query_length"]), [int(row["subject_length"])], *size
        )
        assert 10 ** (log10_e[0] - np.log10(float(row["evalue"]))) == pytest.approx(1, rel=1e-4)
        assert statistics.bit_scores(int(row["score"])) == pytest.approx(float(row["bits"]), abs=0.01)
        assert statistics.length_adjustment(int(row["query_length"]), *size) == int(row["length_adjustment"])


def test_twenty_queries_agree_with_blastp() -> None:
    statistics = load_statistics(BLOSUM62)
    assert statistics is not None
    rows = read_table("blastp_queries.tsv")
    assert len({row["query"] for row in rows}) == 20
    for row in rows:
        log10_e = statistics.log10_evalues(
            [int(row["score"])], int(row["query_length"]), [int(row["subject_length"])], 8_400_976, 20_307
        )
        assert log10_e[0] == pytest.approx(np.log10(float(row["evalue"])), abs=1e-5)
        assert statistics.bit_scores(int(row["score"])) == pytest.approx(float(row["bits"]), abs=0.01)
        adjustment = statistics.length_adjustment(int(row["query_length"]), 8_400_976, 20_307)
        assert adjustment == int(row["length_adjustment"])
