"""A search without frameshifts says where the reading probably shifts, and what to do."""

from __future__ import annotations

import re

import numpy as np
import pytest

from swgui.cli import main
from swgui.core.alphabet import NUCLEOTIDE, PROTEIN
from swgui.core.engines import EngineOptions
from swgui.core.errors import InvalidParameter
from swgui.core.hits.joined import join
from swgui.core.records import SequenceRecord
from swgui.core.verdict.hits import judge
from swgui.core.verdict.shifts import frameshifts_near, may_shift, probable_shifts
from swgui.io.saved.search import load_search, save_search
from swgui.jobs.iterate.again import across_shifts
from tests.described import describe_hits
from tests.jobs.search.shifts.test_search import COMPLEMENT, SCHEME, gene, letters, result_of

pytestmark = pytest.mark.usefixtures("user_folders", "trusted_engines")

PROTEIN_OF = letters(np.random.default_rng(4), 300)
LOST, TWICE = 400, 640  # bases of the gene
NEAR = 12  # bases by which chance may make an alignment run on


def without_shifts(dna, *, of_query=True):
    protein, record = SequenceRecord("p", "", PROTEIN_OF.encode()), SequenceRecord("d", "", dna)
    given = ([record], NUCLEOTIDE, [protein]) if of_query else ([protein], PROTEIN, [record])
    result = result_of(*given, shift=0)
    return result, next(iter(describe_hits(result, 0, [0])))


@pytest.mark.parametrize("of_query", [True, False], ids=["blastx", "tblastn"])
@pytest.mark.parametrize("changes", [[(LOST, -1)], [(LOST, 1)], [(LOST, -1), (TWICE, 1)], [(LOST, 1), (TWICE, 1)]])
@pytest.mark.parametrize("strand", [1, -1])
def test_it_names_the_bases(of_query, changes, strand):
    dna = gene(PROTEIN_OF, changes)
    expected = [at + 1 for at, _ in changes]
    if strand < 0:
        dna, expected = dna.translate(COMPLEMENT)[::-1], [len(dna) - at for at, _ in reversed(changes)]
    result, hit = without_shifts(dna, of_query=of_query)
    near = frameshifts_near(hit, SCHEME)
    assert len(near) == len(expected)
    assert all(abs(one - other) <= NEAR for one, other in zip(near, expected, strict=True))
    said = probable_shifts(hit, SCHEME)
    assert said.startswith("Probably a frameshift near base" if len(near) == 1 else "Probably frameshifts near bases")
    assert f"of the {'query' if of_query else 'subject'}: search across frameshifts (cost 15)." in said
    assert judge(hit, result).endswith(said)


def test_it_says_nothing_where_nothing_shifts():
    rng = np.random.default_rng(5)
    whole = gene(PROTEIN_OF)
    intron = whole[:450] + letters(rng, 91, "ACGT").encode() + whole[450:]
    substituted = whole[:450] + letters(rng, 60, "ACGT").encode() + whole[510:]
    for dna in (whole, intron, substituted):
        result, hit = without_shifts(dna)
        assert frameshifts_near(hit, SCHEME) == []
        assert "frameshift" not in judge(hit, result)
    shifted = result_of([SequenceRecord("d", "", gene(PROTEIN_OF, [(LOST, -1)]))], NUCLEOTIDE,
                        [SequenceRecord("p", "", PROTEIN_OF.encode())])  # fmt: skip
    assert frameshifts_near(next(iter(describe_hits(shifted, 0, [0]))), SCHEME) == []


def test_hits_of_several_tables_are_looked_at_together():
    changes, tables = ([], [(LOST, -1)], [(LOST, 1), (TWICE, 1)], []), []
    for changed in changes:
        _, hit = without_shifts(gene(PROTEIN_OF, changed))
        tables.append(hit.alone)
    assert [may_shift(table, 20) for table in tables] == [[], [0], [0], []]
    together = join(tables)
    assert may_shift(together, 20) == [1, 2]
    assert [together.at(place).query_record for place in (1, 2)] == [table.record for table in tables[1:3]]
    assert may_shift(together, 0) == []


def test_the_search_that_it_proposes_finds_one_alignment(tmp_path):
    result, hit = without_shifts(gene(PROTEIN_OF, [(LOST, -1), (TWICE, 1)]))
    assert len(hit.hsps) > 1
    proposed = across_shifts(result, 0, "cpu", EngineOptions())
    assert proposed.translation.shift == 15
    again = result_of(proposed.queries, NUCLEOTIDE, result.database)
    (found,) = describe_hits(again, 0, [0])
    assert (len(found.hsps), found.counts.frameshifts) == (1, 2)
    save_search(result, tmp_path / "run.swgui")
    elsewhere = load_search(tmp_path / "run.swgui").result
    with pytest.raises(InvalidParameter, match="was not found: put it back"):
        across_shifts(elsewhere, 0, "cpu", EngineOptions())


def test_the_terminal_says_it_once_a_query(tmp_path, capsys):
    query, database = tmp_path / "read.fasta", tmp_path / "p.fasta"
    query.write_text(f">read\n{gene(PROTEIN_OF, [(LOST, -1)]).decode()}\n")
    database.write_text(f">p\n{PROTEIN_OF}\n>q\n{PROTEIN_OF[50:]}\n")
    assert main(["search", "-q", str(query), "-d", str(database), "--engine", "cpu"]) == 0
    said = capsys.readouterr().err
    assert said.count("search across frameshifts (cost 15).") == 1
    assert re.search(r"^swgui: 'read' and '[pq]': Probably a frameshift near base 4\d\d of the query", said)
    assert main(["search", "-q", str(query), "-d", str(database), "--engine", "cpu", "--frameshift", "15"]) == 0
    assert "frameshift near" not in capsys.readouterr().err
