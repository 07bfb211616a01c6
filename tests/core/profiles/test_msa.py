"""Rows of alignments for structure prediction: merged, filtered, and put side by side for complexes."""

import numpy as np
import pytest

from swgui.core.alphabet import PROTEIN
from swgui.core.profiles.alignment import DELETION, OUTSIDE, AlignedRow, MasterAlignment, RowTable
from swgui.core.profiles.msa import RowLimits, filtered, in_step, paired, together
from swgui.engines.native.rows import purge
from swgui.io.profiles.alignments import write_a3m
from swgui.io.profiles.complexes import COMPLEXES, alphafold3, boltz, colabfold

GAPS = {"-": DELETION, ".": OUTSIDE}


def row(name, text, e=-5.0, taxid="", **more):
    codes = np.array([GAPS.get(sign, 0) if sign in GAPS else PROTEIN.code(sign) for sign in text], dtype=np.uint8)
    return AlignedRow(name, f"OS=Some organism OX={taxid}" if taxid else "", codes, log10_evalue=e, **more)


def alignment(*rows):
    return MasterAlignment(PROTEIN, rows)


QUERY = row("q", "MKVLAWYTRE", taxid="1")


def names(made):
    return [one.id for one in made.rows]


def test_rows_of_several_databases_come_by_their_evalue_and_once_each():
    first = alignment(QUERY, row("a", "MKVLAWYTRD", -3.0), row("b", "MKVL--YTRD", -9.0))
    second = alignment(QUERY, row("again", "MKVL--YTRD", -8.0), row("c", "MKVL--YTRD", -7.0, insertions={3: b"G"}))
    assert names(together([first, second])) == ["q", "b", "c", "a"]


@pytest.mark.parametrize(
    ("limits", "left"),
    [
        (RowLimits(), ["q", "same", "near", "half", "far"]),
        (RowLimits(rows=2), ["q", "same", "near"]),
        (RowLimits(coverage=0.6), ["q", "same", "near", "far"]),
        (RowLimits(identity=0.5), ["q", "same", "near", "half"]),
        (RowLimits(similar=0.95), ["q", "near", "far"]),
        (RowLimits(similar=0.9), ["q", "far"]),
    ],
)
def test_rows_are_filtered_by_coverage_identity_and_similarity(limits, left):
    rows = [row("same", "MKVLAWYTRE"), row("near", "MKVLAWYTRD"), row("half", "MKVLA....."), row("far", "GGGGGGYTRE")]
    assert names(filtered(alignment(QUERY, *rows), limits, purge)) == left


def chains():
    """Two chains of organism 1; 2 and 3 have both, 4 the first one alone; 5 has one sequence that is like both."""
    one = alignment(
        QUERY,
        row("a2far", "GGGGAWYTRE", -9.0, "2"),
        row("a2", "MKVLAWYTRD", -8.0, "2"),
        row("a3", "MKVLAW..RD", -30.0, "3"),
        row("a4", "MKVLAWYTGG", -7.0, "4"),
        row("both5", "MKVGGWYTGG", -6.0, "5"),
        row("own1", "MKVGGWYTRE", -6.0, "1"),
        row("nobody", "MKVGGWYTRE", -6.0),
    )
    other = alignment(
        row("r", "PPLL", taxid="1"),
        row("b3", "PPL-", -5.0, "3"),
        row("b2", "PPLV", -5.0, "2"),
        row("both5", "GGLL", taxid="5"),
    )
    return one, other


def test_the_rows_of_an_organism_that_are_most_alike_to_their_queries_are_a_pair():
    found = paired(chains())
    assert found.organisms == ("3", "2")  # by E
    assert [[one.id for one in pair] for pair in found.pairs] == [["a3", "b3"], ["a2", "b2"]]
    assert [names(chain) for chain in found.chains] == [["q", "a2far", "a4", "both5", "own1", "nobody"], ["r", "both5"]]


def test_an_organism_without_one_of_three_chains_leaves_a_gap():
    one, other = chains()
    third = alignment(row("s", "WWW", taxid="1"), row("c2", "WWV", -5.0, "2"))
    found = paired([one, other, third])
    assert [[one and one.id for one in pair] for pair in found.pairs] == [["a2", "b2", "c2"], ["a3", "b3", None]]
    made = in_step(found)
    assert names(made[2]) == ["s", "c2", "gap"] + ["gap"] * 6


def test_alphafold3_gets_rows_in_step():
    first, second = alphafold3(paired(chains()))
    rows = [text.split("\n")[1::2] for text in (first, second)]
    assert rows[0][:4] == ["MKVLAWYTRE", "MKVLAW--RD", "MKVLAWYTRD", "GGGGAWYTRE"]
    assert rows[1] == ["PPLL", "PPL-", "PPLV", "----", "----", "----", "----", "----", "GGLL"]
    assert {len(text) for text in rows[0]} == {10}


def test_colabfold_gets_lengths_pairs_and_then_each_chain():
    (text,) = colabfold(paired(chains()))
    lines = text.split("\n")
    assert lines[:5] == ["#10,4\t1,1", ">101\t102", "MKVLAWYTREPPLL", ">a3/1-8\tb3/1-3", "MKVLAW--RDPPL-"]
    assert lines[7:9] == [">101", "MKVLAWYTRE----"]
    assert lines[-5:-3] == [">102", "----------PPLL"]
    assert {len(line) for line in lines[2::2] if line} == {14}


def test_boltz_gets_a_key_for_each_pair():
    first, second = (text.splitlines() for text in boltz(paired(chains())))
    assert first[:5] == ["key,sequence", "0,MKVLAWYTRE", "1,MKVLAW--RD", "2,MKVLAWYTRD", "-1,GGGGAWYTRE"]
    assert second == ["key,sequence", "0,PPLL", "1,PPL-", "2,PPLV", "-1,GGLL"]
    assert COMPLEXES["boltz"].suffix == ".csv"


def made_table(rng, rows=60, columns=12):
    """Return a table with repeated rows, rows without residues, gaps, insertions and starts."""
    codes = rng.integers(0, 3, (rows, columns)).astype(np.uint8)
    for line in range(1, rows):
        first, last = sorted(rng.integers(0, columns + 1, 2))
        codes[line, :first], codes[line, last:] = OUTSIDE, OUTSIDE
        codes[line, first + 1 : last - 1][rng.random(max(last - first - 2, 0)) < 0.2] = DELETION
    codes[1::7] = codes[1]
    inside = [(line, column) for line in range(1, rows) for column in range(columns - 1) if codes[line, column] < 3]
    picked = sorted(inside[at] for at in rng.choice(len(inside), 20, replace=False))
    places = np.array([(*place, rng.integers(1, 4)) for place in picked], dtype=np.int64)
    names = [f"s{number % 9}" for number in range(rows)]
    texts = ["" if number % 4 else f"text {number}" for number in range(rows)]
    inserted = rng.integers(0, 5, places[:, 2].sum()).astype(np.uint8)
    evalues = np.array([np.nan, *np.sort(rng.integers(-9, 0, rows - 1)).astype(float)])
    return RowTable(PROTEIN, names, texts, codes, rng.integers(0, 30, rows), evalues, places, inserted)


def test_a_table_of_rows_gives_what_its_rows_give(rng):
    for _ in range(20):
        table = made_table(rng)
        whole, apart = MasterAlignment(PROTEIN, table), alignment(*table)
        limits = RowLimits(rows=30, coverage=0.2, similar=0.9)
        one, other = (filtered(together([each]), limits, purge) for each in (whole, apart))
        assert write_a3m(whole) == write_a3m(apart)
        assert write_a3m(one) == write_a3m(other)
        assert len(together([whole])) < len(whole)
        assert names(one) == names(other)
