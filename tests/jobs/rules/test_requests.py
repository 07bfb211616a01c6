"""Impossible requests give a sentence; a request without a place gives a result."""

from fractions import Fraction

import pytest

from swgui.core.alphabet import NUCLEOTIDE, PROTEIN
from swgui.core.database import encode_database
from swgui.core.errors import AlphabetMismatch, SwguiError
from swgui.core.records import SequenceRecord
from swgui.core.rules.base import read_fraction
from swgui.core.rules.request import RuleRequest
from swgui.core.rules.rule import Edits, Guides, Identity, Mismatches, Primers, Window, Words
from swgui.jobs.rules.run import RuleRun, certificate


def records(*texts):
    return tuple(SequenceRecord(f"r{number}", "", text) for number, text in enumerate(texts, start=1))


def request(rule, *texts, alphabet=PROTEIN, ambiguity="strict"):
    return RuleRequest(rule, records(*texts), alphabet, "", ambiguity, engine="cpu")


def facts_of(asked, *subjects):
    run = RuleRun(asked, encode_database(records(*subjects), asked.alphabet, "d"))
    run.scan_all()
    return certificate(run)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: request(Mismatches(9), b"ARNDCQEGH"), "every place would be listed"),
        (lambda: request(Edits(4), b"ARND"), "every place would be listed"),
        (lambda: request(Edits(1), b"A" * 65), "takes 64 at most"),
        (lambda: request(Mismatches(0), b""), "is empty"),
        (lambda: request(Mismatches(0)), "There is no query"),
        (lambda: request(Words(8), b"ARNDC"), "shorter than a word of 8"),
        (lambda: Words(1), "length must be 2 to"),
        (lambda: Mismatches(-1), "mismatches must be 0 to 250, not -1"),
        (lambda: Identity(Fraction(0)), "above 0 and at most 100 %"),
        (lambda: Identity(Fraction(3, 2)), "above 0 and at most 100 %"),
        (lambda: Window(80, Fraction(-1)), "above 0 and at most 100 %"),
        (lambda: Identity(read_fraction("identity", "0.1234567")), "denominator of at most 10,000"),
        (lambda: Window(10_001), "length must be 1 to 10000"),
        (lambda: read_fraction("identity", "101"), "no share above 0"),
        (lambda: read_fraction("identity", "101%"), "no share above 0"),
        (lambda: read_fraction("identity", "3/2"), "no share above 0"),
        (lambda: read_fraction("identity", "1/0"), "no share above 0"),
        (lambda: read_fraction("identity", "much"), "no share above 0"),
        (lambda: Guides(pam=""), "1 to 16 bases, not 0"),
        (lambda: Guides(pam="N" * 17), "1 to 16 bases, not 17"),
        (lambda: Guides(pam="NQG"), "Q is none"),
        (lambda: request(Guides(), b"ACG", alphabet=NUCLEOTIDE), "Guide r1 has 3 bases"),
        (lambda: request(Guides(), b"A" * 49, alphabet=NUCLEOTIDE), "Guide r1 has 49 bases"),
        (lambda: request(Guides(), b"ACGTACGTACGT"), "are nucleotide sequences"),
        (lambda: request(Primers(), b"ACGTACGT", alphabet=NUCLEOTIDE), "come in pairs, but 1 was given"),
        (lambda: request(Primers(exact_end=8), b"ACGTACGT", b"ACGTACGT", alphabet=NUCLEOTIDE), "every place"),
        (lambda: Primers(shortest=500, longest=100), "longest must be 500 to"),
    ],
)
def test_a_mistake_is_a_sentence(make, message):
    with pytest.raises(SwguiError, match=message):
        make()


def test_a_database_of_another_kind_is_refused():
    asked = request(Mismatches(0), b"ARNDC")
    with pytest.raises(AlphabetMismatch, match="The database is nucleotide"):
        RuleRun(asked, encode_database(records(b"ACGTACGT"), NUCLEOTIDE, "d")).scan_all()


def test_queries_that_are_one_sequence_are_said_and_listed_each():
    asked = request(Mismatches(0), b"ARNDC", b"ARNDC", b"XXXXX")
    assert [remark.split(" (")[0] for remark in asked.remarks] == [
        "X in query r3 matches nothing and is a difference everywhere.",
        "2 queries are the same sequence",
    ]
    assert list(asked.unmet) == [2]
    assert facts_of(asked, b"ARNDC")["found"] == 2
    assert request(Mismatches(0), b"ARNDC", b"XXXXX", ambiguity="wild").remarks == []


@pytest.mark.parametrize("rule", [Mismatches(1), Edits(1), Identity(), Window(4), Words(3)], ids=lambda rule: rule.name)
def test_nothing_is_a_result(rule):
    asked = request(rule, b"ARNDC")
    for subjects in ((), (b"XXXXXXXX",), (b"A", b"G")):
        facts = facts_of(asked, *subjects)
        assert (facts["found"], facts["left_out"], facts["complete"]) == (0, 0, True)
        assert facts["expected"] == facts["tested"]
        assert facts["database"]["sequences"] == len(subjects)
    assert facts_of(request(rule, b"ARNDC", ambiguity="wild"), b"XXXXXXXX")["found"] > 0


@pytest.mark.parametrize("rule", [Mismatches(1), Edits(1), Words(4)], ids=lambda rule: rule.name)
def test_a_place_never_lies_in_two_sequences(rule):
    assert facts_of(request(rule, b"ARNDCQ"), b"GGGARN", b"DCQGGG")["found"] == 0
    assert facts_of(request(rule, b"ARNDCQ"), b"GGGARNDCQGGG")["found"] == 1
