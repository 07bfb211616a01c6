"""Limits that move after the run, and targets found in the whole ranking: the same as a new search gives."""

import numpy as np
import pytest

from swgui.core.alphabet import NUCLEOTIDE, PROTEIN
from swgui.core.database import TextColumn, encode_database
from swgui.core.errors import InvalidParameter
from swgui.core.judging.subjects import find_headers, locate
from swgui.core.limits import Limits
from swgui.core.records import SequenceRecord
from swgui.core.scoring import ScoringScheme
from swgui.io.matrices import load_matrix
from swgui.io.statistics import load_statistics
from swgui.jobs.search.ranking import rerank
from tests.asking import DNA_SCHEME, answer, search_request

RANDOM = np.random.default_rng(11)


def _records(alphabet, count, low, high, letters):
    lengths = RANDOM.integers(low, high, count)
    return [
        SequenceRecord(f"s{i}", f"subject {i}", alphabet.decode(RANDOM.integers(0, letters, n).astype(np.uint8)))
        for i, n in enumerate(lengths)
    ]


PROTEINS = _records(PROTEIN, 600, 20, 120, 20)
DNAS = _records(NUCLEOTIDE, 120, 20, 90, 4)
BLOSUM62 = load_matrix("BLOSUM62", PROTEIN)
CASES = {
    "published": (PROTEINS, PROTEIN, ScoringScheme.from_blast(BLOSUM62, 11, 1), "plus"),
    "fitted": (PROTEINS, PROTEIN, ScoringScheme.from_blast(BLOSUM62, 3, 3), "plus"),
    "two strands": (DNAS, NUCLEOTIDE, DNA_SCHEME, "both"),
    "minus strand": (DNAS, NUCLEOTIDE, DNA_SCHEME, "minus"),
}


def search(case, limits, **changes):
    records, alphabet, scheme, strand = CASES[case]
    request = search_request(
        queries=(records[3], records[40]),
        database=encode_database(records, alphabet, "random"),
        scheme=scheme,
        strand=strand,
        top=limits.top,
        max_evalue=limits.max_evalue,
        effective_residues=limits.effective_residues,
        engine="cpu",
        **changes,
    )
    return answer(request)


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize(
    "limits", [Limits(5, 1e6), Limits(500, 0.5), Limits(30, 10.0, 10**9), Limits(100, 1e-3, 50), Limits(1, 1e-300)]
)
def test_moved_limits_give_what_a_new_search_gives(case, limits):
    moved = rerank(search(case, Limits(50, 1.0)), load_statistics(CASES[case][2]), limits)
    again = search(case, limits)
    assert moved.search == again.search
    assert moved.asked.limits == limits
    for one, other in zip(moved.queries, again.queries, strict=True):
        assert one.hits.db_index.tolist() == other.hits.db_index.tolist()
        assert one.hits.scores.tolist() == other.hits.scores.tolist()
        assert one.hits.strands.tolist() == other.hits.strands.tolist()
        np.testing.assert_array_equal(one.hits.log10_evalues, other.hits.log10_evalues)
        np.testing.assert_array_equal(one.hits.bit_scores, other.hits.bit_scores)


def test_a_larger_database_raises_every_evalue_by_its_factor():
    own = search("published", Limits(20, 1e9))
    residues = own.database.residues
    larger = rerank(own, load_statistics(own.scheme), Limits(20, 1e9, residues * 100))
    difference = larger.queries[0].hits.log10_evalues - own.queries[0].hits.log10_evalues
    np.testing.assert_allclose(difference, 2.0, atol=1e-9)


def test_without_scores_limits_cannot_move():
    result = search("published", Limits(), keep_scores=False)
    with pytest.raises(InvalidParameter, match="Search again"):
        rerank(result, load_statistics(result.scheme), Limits(10))


@pytest.mark.parametrize("case", CASES)
def test_every_target_can_be_located(case):
    result = search(case, Limits(10, 1e-2))
    published = load_statistics(result.scheme)
    vector = result.queries[0].scores
    order = np.lexsort((np.arange(len(vector)), -vector))
    listed = set(result.queries[0].hits.db_index.tolist())
    for rank in (0, 1, 9, 10, len(order) - 1):
        target = locate(result, 0, int(order[rank]), published)
        assert target.rank == rank + 1
        assert target.score == vector[order[rank]]
        assert target.listed == (int(order[rank]) in listed)
        assert bool(target.reason) != target.listed
    assert "beyond the 10 hits" in locate(result, 0, int(order[-1]), published).reason
    assert "above the limit of 0.01" in locate(result, 0, int(order[-1]), published).reason


def test_headers_are_found_in_ids_first_and_never_across_two_of_them():
    ids = TextColumn.from_texts(["sp|P1|ALPHA", "xx", "alph", "tr|Q9|beta"])
    descriptions = TextColumn.from_texts(["globin", "like alpha", "bin", "glo"])
    assert find_headers(ids, descriptions, "alpha") == [0, 1]
    assert find_headers(ids, descriptions, "ALPH") == [0, 2, 1]
    assert find_headers(ids, descriptions, "beta") == [3]
    assert find_headers(ids, descriptions, "globin") == [0]  # not "glo" + "bin"
    assert find_headers(ids, descriptions, "binglo") == []
    assert find_headers(ids, descriptions, "xxal") == []
    assert find_headers(ids, descriptions, "  ") == []
    assert find_headers(ids, descriptions, "a", limit=2) == [0, 2]
