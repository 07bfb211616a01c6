"""Isoleucine and leucine as the same residue: places are those of sequences in which all of them are isoleucine."""

from fractions import Fraction

import numpy as np
import pytest

from swgui.core.alphabet import NUCLEOTIDE, PROTEIN
from swgui.core.errors import InvalidParameter
from swgui.core.records import SequenceRecord
from swgui.core.rules.matching import AMBIGUITIES
from swgui.core.rules.places import Places
from swgui.core.rules.request import RuleRequest
from swgui.core.rules.rule import Edits, Identity, Mismatches, Window, Words
from swgui.engines.rules.host import HostScanner
from swgui.jobs.rules.scan import RuleScan
from swgui.jobs.rules.text import Text

RULES = (Mismatches(1), Edits(1, gaps=1), Identity(Fraction(2, 3)), Window(5, Fraction(1, 2)), Words(3))
ONE = bytes.maketrans(b"JL", b"II")


def places(rule, queries, subjects, ambiguity, **equal):
    """Return the places that the program lists, with all their columns."""
    begins = np.concatenate([[0], np.cumsum([len(one) for one in subjects])]).astype(np.int64)
    codes = [PROTEIN.encode(one) for one in queries]
    scan = RuleScan(rule, codes, PROTEIN, HostScanner(2), ambiguity=ambiguity, **equal)
    found = scan.places(Text(PROTEIN.encode(b"".join(subjects)), begins))
    return sorted(zip(*(getattr(found, name).tolist() for name in Places.__dataclass_fields__), strict=True))


@pytest.mark.parametrize("ambiguity", AMBIGUITIES)
@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_places_are_those_of_one_residue(rule, ambiguity):
    rng = np.random.default_rng(23)
    differ = 0
    for _ in range(12):
        letters = list("ILJAVZX")
        queries = ["".join(rng.choice(letters, size)).encode() for size in rng.integers(4, 9, 3)]
        subjects = ["".join(rng.choice(letters, size)).encode() for size in rng.integers(0, 30, 4)]
        found = places(rule, queries, subjects, ambiguity, equate_il=True)
        renamed = ([one.translate(ONE) for one in some] for some in (queries, subjects))
        assert found == places(rule, *renamed, ambiguity)
        differ += found != places(rule, queries, subjects, ambiguity)
    assert differ > 3


def test_a_request_says_so_and_is_of_proteins():
    queries = tuple(SequenceRecord(f"p{n}", "", text) for n, text in enumerate((b"ELVISK", b"EJVLSK", b"EIVISR")))
    asked = RuleRequest.given(Mismatches(0), queries, PROTEIN, "", equate_il=True)
    assert asked.sentence().endswith("Isoleucine and leucine count as the same residue.")
    (remark,) = asked.remarks  # none on J, which matches both
    assert "(p0, p1)" in remark
    bases = (SequenceRecord("b", "", b"ACGTACGT"),)
    with pytest.raises(InvalidParameter, match="residues of proteins"):
        RuleRequest.given(Mismatches(0), bases, NUCLEOTIDE, "", equate_il=True)
