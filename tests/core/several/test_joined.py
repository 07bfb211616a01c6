"""Several databases as one: they answer as one database of all their sequences."""

import threading
from itertools import pairwise

import numpy as np
import pytest

from swgui.core.alphabet import NUCLEOTIDE, PROTEIN
from swgui.core.database import encode_database
from swgui.core.errors import AlphabetMismatch, InvalidParameter
from swgui.core.organisms.limit import OrganismLimit
from swgui.core.records import SequenceRecord
from swgui.core.scoring import ScoringScheme
from swgui.core.search import Search
from swgui.core.several.joined import JoinedDatabase, joined
from swgui.core.several.part import restricted
from swgui.core.translation.programs import Translation
from swgui.io.matrices import load_matrix
from swgui.jobs.events import run_to_end
from swgui.jobs.search.request import SearchRequest
from swgui.jobs.search.run import search_steps
from tests.asking import BLOSUM62, DNA_SCHEME

ODD = ScoringScheme.from_blast(load_matrix("BLOSUM62", PROTEIN), 7, 3)
DNA = DNA_SCHEME
ORGANISMS = ("Homo sapiens", "Mus musculus", "Escherichia coli")


def records(chance, count, letters, longest=200, organism=False):
    made = []
    for number in range(count):
        residues = bytes(chance.choice(list(letters.encode()), int(chance.integers(0, longest))).tolist())
        named = f" OS={ORGANISMS[number % 3]} OX={(9606, 10090, 562)[number % 3]}" if organism else ""
        made.append(SequenceRecord(f"s{number}", f"number {number}{named}", residues))
    return made


def with_relatives(chance, made, queries, letters):
    """Return records of which some hold a query with changes."""
    for number, query in enumerate(queries * 4):
        residues = bytearray(query.residues)
        for place in chance.integers(0, len(residues), len(residues) // (4 + number % 5)):
            residues[place] = int(chance.choice(list(letters.encode())))
        at = int(chance.integers(len(made)))
        made[at] = SequenceRecord(made[at].id, made[at].description, made[at].residues + bytes(residues))
    return made


def split(made, chance, parts):
    edges = [0, *sorted(chance.integers(0, len(made) + 1, parts - 1).tolist()), len(made)]
    return [made[a:b] for a, b in pairwise(edges)]


def search(database, queries, **how):
    request = SearchRequest(tuple(queries), database, Search(**({"engine": "cpu"} | how)))
    return run_to_end(search_steps(request, threading.Event()))


def same(one, other):
    """Compare two results, to the last bit."""
    assert one.state == other.state == "complete"
    assert (one.statistics, one.message, one.cells_done) == (other.statistics, other.message, other.cells_done)
    for mine, theirs in zip(one.queries, other.queries, strict=True):
        for name in ("db_index", "scores", "strands", "bit_scores", "log10_evalues"):
            assert np.array_equal(getattr(mine.hits, name), getattr(theirs.hits, name), equal_nan=True), name
        assert (mine.hits.composition is None) == (theirs.hits.composition is None)
        if mine.hits.composition is not None:
            for name in ("log10_uncorrected", "lambda_ratio", "shuffle_z"):
                pair = (getattr(part.hits.composition, name) for part in (mine, theirs))
                assert np.array_equal(*pair, equal_nan=True), name
        assert np.array_equal(mine.scores, theirs.scores)


CASES = {
    "protein": ("ACDEFGHIKLMNPQRSTVWY", PROTEIN, {"scheme": BLOSUM62}, 700),
    "corrected by lambda": ("ACDEFGHIKLMNPQRSTVWY", PROTEIN, {"scheme": BLOSUM62, "composition": "lambda"}, 60),
    "fitted to the scores": ("ACDEFGHIKLMNPQRSTVWY", PROTEIN, {"scheme": ODD, "composition": "none"}, 700),
    "fitted to shuffles": ("ACDEFGHIKLMNPQRSTVWY", PROTEIN, {"scheme": ODD, "composition": "none"}, 60),
    "both strands": ("ACGT", NUCLEOTIDE, {"scheme": DNA, "strand": "both"}, 600),
}


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("seed", [1, 2])
def test_joined_is_as_one_database(case, seed):
    letters, alphabet, how, count = CASES[case]
    chance = np.random.default_rng(seed)
    queries = [SequenceRecord(f"q{n}", "", bytes(chance.choice(list(letters.encode()), 60).tolist())) for n in range(3)]
    made = with_relatives(chance, records(chance, count, letters), queries, letters)
    whole = encode_database(made, alphabet, "whole")
    several = [encode_database(some, alphabet, f"part {n}") for n, some in enumerate(split(made, chance, 3)) if some]
    same(search(joined(several), queries, **how), search(whole, queries, **how))


def test_without_score_vectors_the_best_are_those_of_one_database():
    chance = np.random.default_rng(8)
    letters, how = "ACDEFGHIKLMNPQRSTVWY", {"scheme": BLOSUM62, "composition": "none", "keep_scores": False}
    queries = [SequenceRecord("q", "", bytes(chance.choice(list(letters.encode()), 60).tolist()))]
    made = with_relatives(chance, records(chance, 300, letters), queries, letters)
    several = [encode_database(some, PROTEIN, f"part {n}") for n, some in enumerate((made[:90], made[90:]))]
    same(search(joined(several), queries, **how), search(encode_database(made, PROTEIN), queries, **how))


def protein_and_genes(behind):
    """Return a protein, and DNA whose eighth sequence codes for it, with something made of that one behind."""
    made = records(np.random.default_rng(5), 40, "ACGT", 900)
    coded = b"ATGAAAGTGCTGTGGGCGGCGCTGCTGGTGACCTTTCTGGCGGGCTGCCAGGCGAAAGTGGAACAGGCGGTG"
    made[7] = SequenceRecord("s7", "", made[7].residues + coded + behind(made[7].residues, coded))
    return SequenceRecord("q", "", b"MKVLWAALLVTFLAGCQAKVEQAVETEPEPELRQQTEWQSG"), made


def test_translated_joined_is_as_one_database():
    protein, made = protein_and_genes(lambda genome, coded: genome)
    how = {"scheme": BLOSUM62, "translation": Translation("tblastn")}
    several = [encode_database(some, NUCLEOTIDE, f"part {n}") for n, some in enumerate((made[:5], made[5:]))]
    found, wanted = (
        search(joined(several), [protein], **how),
        search(encode_database(made, NUCLEOTIDE), [protein], **how),
    )
    same(found, wanted)
    assert found.queries[0].hits.db_index[0] == 7


def test_subjects_are_those_of_the_members():
    chance = np.random.default_rng(3)
    made = records(chance, 30, "ACDEFGHIK", organism=True)
    several = [encode_database(made[:11], PROTEIN, "a"), encode_database(made[11:], PROTEIN, "b")]
    both, whole = joined(several), encode_database(made, PROTEIN)
    rows = chance.permutation(30)
    assert [both.record(int(row)) for row in rows] == [whole.record(int(row)) for row in rows]
    assert both.names_of(rows) == ["a" if row < 11 else "b" for row in rows.tolist()]
    assert both.ids.decoded(rows) == whole.ids.decoded(rows)
    assert list(both.descriptions) == list(whole.descriptions)
    assert both.ids.raw(-1) == b"s29"
    assert bytes(both.ids.take(rows).data) == bytes(whole.ids.take(rows).data)
    assert np.array_equal(both.lengths, whole.lengths)
    assert (len(both), both.residues, both.search_space) == (len(whole), whole.residues, whole.search_space)
    halves = both.lengths[rows].astype(np.int64) // 2
    codes, starts, lengths = both.placed(rows, None, (halves, np.full(30, -1)))
    for row, start, length in zip(rows.tolist(), starts.tolist(), lengths.tolist(), strict=True):
        assert np.array_equal(codes[start : start + length], whole.subject(row)[len(whole.subject(row)) // 2 :])
    arrays = both.arrays()
    assert both.arrays() is arrays
    assert np.array_equal(arrays.position, both.position)
    assert np.array_equal(both.stored_offsets(), arrays.offsets)
    assert [arrays.record(row) for row in range(30)] == [whole.record(row) for row in range(30)]
    assert [both.organism(row) for row in range(30)] == [whole.organism(row) for row in range(30)]


@pytest.mark.parametrize("limit", [OrganismLimit(("Homo sapiens",)), OrganismLimit((), ("562", "Mus musculus"))])
def test_organisms_of_joined_are_those_of_one(limit):
    chance = np.random.default_rng(4)
    made = records(chance, 40, "ACDEFGHIK", organism=True)
    only_coli = [record for record in made if "coli" in record.description]
    others = [record for record in made if "coli" not in record.description]
    both = restricted(
        joined([encode_database(some, PROTEIN, n) for n, some in zip("ab", (only_coli, others), strict=True)]), limit
    )
    whole = restricted(encode_database(only_coli + others, PROTEIN), limit)
    assert list(both.ids) == list(whole.ids)
    assert both.checksum
    assert set(both.names_of(np.arange(len(both)))) <= {"a", "b"}
    with pytest.raises(InvalidParameter, match="Saccharomyces"):
        restricted(both, OrganismLimit(("Saccharomyces cerevisiae",)))


def test_kinds_that_differ_and_one_given_twice_are_refused():
    protein = encode_database([SequenceRecord("a", "", b"MKV")], PROTEIN, "proteins")
    dna = encode_database([SequenceRecord("a", "", b"ACGT")], NUCLEOTIDE, "dna")
    with pytest.raises(AlphabetMismatch):
        joined([protein, dna])
    with pytest.raises(InvalidParameter, match="same sequences"):
        joined([protein, protein.renamed("again")])
    other = encode_database([SequenceRecord("b", "", b"MKV")], PROTEIN, "proteins")
    assert [member.name for member in joined([protein, other]).members] == ["proteins", "proteins (2)"]
    assert joined([protein]) is protein
    assert isinstance(joined([protein, other]), JoinedDatabase)
