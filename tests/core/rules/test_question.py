"""Each repair of a question makes a request of it that can be met, or reads it as the user says."""

import pytest

from swgui.core.alphabet import NUCLEOTIDE, PROTEIN
from swgui.core.errors import SwguiError
from swgui.core.records import SequenceRecord
from swgui.core.rules.question import Question, hint_of, repairs_of
from swgui.core.rules.request import RuleRequest
from swgui.core.rules.rule import RULES, Guides, Mismatches, Primers, Window

GUIDE = "TAGCGAGAACAGAGAAATAG"
QUERIES = {"nucleotide": ("ACGTACGTACGTACGTACGT", "TTGACCGTAGGCTAACCGAT"), "protein": ("MKWVTFISLLFLFSSAYSRG" * 5,)}


def question(rule, *texts, alphabet=NUCLEOTIDE, **more):
    records = tuple(SequenceRecord(f"q{number}", "", text.encode()) for number, text in enumerate(texts, start=1))
    return Question(rule, records, alphabet, **more)


def request(asked):
    manner = {"ambiguity": asked.ambiguity, "with_pam": asked.with_pam}
    return RuleRequest.given(asked.rule, asked.queries, asked.alphabet, "d.fa", **manner)


@pytest.mark.parametrize(
    ("asked", "options"),
    [
        (question(Guides(), f"{GUIDE[:18]}CGG"), ["--with-pam yes", "--with-pam no"]),
        (question(Guides(), f"{GUIDE[:18]}CGG", GUIDE), ["--with-pam no"]),  # not all have it
        (question(Window(), "ACDEFGHIKL", alphabet=PROTEIN), ["swgui rule words --length 8"]),
        (question(Window(), "ACDEF", alphabet=PROTEIN), ["swgui rule words --length 5"]),
        (question(Mismatches(1), "ACXXXDEF", alphabet=PROTEIN), ["--ambiguous wild"]),
        (question(Mismatches(1), "ACXXXDEF", "ACDEF", alphabet=PROTEIN), ["--ambiguous wild", ""]),
        (question(Mismatches(3), "ACD", "ACDEF", alphabet=PROTEIN), [""]),  # three of three may differ
        (question(Primers(longest=100), "ACGT" * 30, "TTGACCGTAGGCTAACCGAT"), ["--longest 240"]),
    ],
)
def test_every_repair_makes_the_request_possible(asked, options):
    found = repairs_of(asked)
    assert [one.options for one in found] == options
    for one in found:
        assert request(one.change(asked)).unmet == {}


def test_a_pam_that_was_left_off_can_be_kept():
    asked = question(Guides(), f"{GUIDE}CGG")
    assert request(asked).queries[0].residues.decode() == GUIDE
    (kept,) = repairs_of(asked)
    assert request(kept.change(asked)).queries[0].residues.decode() == f"{GUIDE}CGG"


@pytest.mark.parametrize("rule", RULES.values())
def test_a_sound_question_needs_no_repair(rule):
    alphabet = NUCLEOTIDE if rule.nucleotides else PROTEIN
    asked = question(rule(), *(text[:40] for text in QUERIES[alphabet.name]), alphabet=alphabet)
    assert repairs_of(asked) == []
    assert request(asked).unmet == {}


def test_the_hint_names_only_options_that_the_error_lacks():
    asked = question(Guides(), f"{GUIDE[:18]}CGG")
    with pytest.raises(SwguiError) as fault:
        request(asked)
    assert hint_of(repairs_of(asked), str(fault.value)) == ""
    wild = question(Mismatches(1), "ACXXXDEF", alphabet=PROTEIN)
    assert hint_of(repairs_of(wild), "") == "Give --ambiguous wild (let X match any residue)."
