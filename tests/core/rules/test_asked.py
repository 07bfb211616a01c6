"""Queries that are repaired, that cannot be met, and the sentences on those without a place."""

from fractions import Fraction

import pytest

from swgui.core.alphabet import NUCLEOTIDE, PROTEIN
from swgui.core.errors import InvalidParameter, SequenceError
from swgui.core.records import SequenceRecord
from swgui.core.rules.asked import letter_remarks, remarks, repaired, unmet
from swgui.core.rules.request import RuleRequest
from swgui.core.rules.rule import Edits, Guides, Identity, Mismatches, Primers, Window, Words

ASKED = {"rule": {}, "queries": {"alphabet": "protein"}, "database": {"sequences": 3}}
GUIDE = "TAGCGAGAACAGAGAAATAG"


def records(*texts):
    return tuple(SequenceRecord(f"q{number}", "", text.encode()) for number, text in enumerate(texts, start=1))


def guides(rule, *texts, with_pam="auto"):
    made, notes = repaired(rule, records(*texts), NUCLEOTIDE, with_pam)
    return [record.residues.decode() for record in made], list(notes)


@pytest.mark.parametrize(
    ("rule", "given", "kept"),
    [
        (Guides(), f"{GUIDE}CGG", GUIDE),
        (Guides(), f"{GUIDE}NGG", GUIDE),
        (Guides(), f"{GUIDE}NNN", GUIDE),
        (Guides(), f"{GUIDE}CGA", f"{GUIDE}CGA"),
        (Guides(), f"{GUIDE[:17]}CGG", f"{GUIDE[:17]}CGG"),  # a guide of 20 may end with GG
        (Guides(pam="NNGRRT"), f"{GUIDE}ACAGAGT", f"{GUIDE}A"),
        (Guides(pam="TTTV", side="5"), f"TTTA{GUIDE}GT", f"TTTA{GUIDE}GT"[4:]),
        (Guides(pam="TTTV", side="5"), f"TTTT{GUIDE}GTA", f"TTTT{GUIDE}GTA"),
        (Guides(pam="NNN"), f"{GUIDE}CGG", f"{GUIDE}CGG"),  # which every end would fit
    ],
)
def test_a_pam_is_left_off_by_the_length_of_the_guide(rule, given, kept):
    if rule.side == "5" and kept != given:
        given = f"{given}ACGT"[:27]
        kept = given[4:]
    made, notes = guides(rule, given)
    assert made == [kept]
    if kept == given:
        assert notes == []
    else:
        verb, end = ("ended", given[len(kept) :]) if rule.side == "3" else ("began", given[:4])
        assert notes == [f"Query q1 {verb} with {end}, which fits the PAM {rule.pam}: it was left off."]


def test_pams_of_several_guides_are_said_once():
    made, notes = guides(Guides(), f"{GUIDE}CGG", GUIDE, f"{GUIDE}TGG")
    assert made == [GUIDE] * 3
    assert notes == ["2 queries (q1, q3) ended with CGG, TGG, which fit the PAM NGG: they were left off."]


@pytest.mark.parametrize("rule", [Guides(), Guides(pam="TTTV", side="5")], ids=["3'", "5'"])
def test_a_guide_of_a_doubtful_length_is_asked_about(rule):
    given = f"{GUIDE[:18]}CGG" if rule.side == "3" else f"TTTA{GUIDE}"
    with pytest.raises(InvalidParameter, match="which fits the PAM") as asked:
        guides(rule, given)
    assert "--with-pam yes or --with-pam no" in asked.value.hint
    assert guides(rule, given, with_pam="no") == ([given], [])
    assert guides(rule, given, with_pam="yes")[0] == [given[:-3] if rule.side == "3" else given[4:]]
    with pytest.raises(InvalidParameter, match=r"does not .* with the PAM"):
        guides(rule, "A" * 20, with_pam="yes")


def test_u_is_read_as_t():
    made, notes = repaired(Primers(), records("ACGUACGU", "ACGTACGT"), NUCLEOTIDE)
    assert [record.residues for record in made] == [b"ACGTACGT"] * 2
    assert notes == ("U was read as T in query q1.",)
    assert repaired(Mismatches(), records("ACUK"), PROTEIN)[1] == ()


@pytest.mark.parametrize(
    ("rule", "text", "why"),
    [
        (Window(), "A" * 28, "at most 28 of 80 residues (35 %) can be identical, and the rule needs more than 35 %"),
        (Window(), "A" * 29, ""),
        (Window(), "AX" * 28, "at most 28 of 80 residues (35 %) can be identical, and the rule needs more than 35 %"),
        (Window(4, Fraction(1, 2)), "AXXXAAXXXA", "at most 2 of 4 residues (50 %) can be identical"),
        (Window(4, Fraction(1, 2)), "AXXXAAAXXXA", ""),
        (Mismatches(1), "AXCX", "2 of its 4 positions are X, which matches nothing, and 1 may differ"),
        (Mismatches(2), "AXCX", ""),
        (Edits(1), "AXCX", "2 of its 4 positions are X"),
        (Edits(2, mismatches=0), "AXCX", ""),  # deletions
        (Edits(2, mismatches=1, gaps_in="insertions"), "AXCX", "and 1 may differ"),
        (Edits(2, matching_ends=True), "AACX", "its first or last residue is X"),
        (Identity(Fraction(9, 10)), "X" + "A" * 8, "1 of its 9 positions is X"),
        (Identity(Fraction(9, 10)), "X" + "A" * 9, ""),
        (Words(4), "AAAXAAA", "and no 4 others stand side by side"),
        (Words(4), "AAAXAAAA", ""),
    ],
)
def test_what_no_place_could_meet_has_a_reason(rule, text, why):
    fine = "A" * 60
    reasons = unmet(rule, records(fine, text), PROTEIN)
    assert list(reasons) == ([1] if why else [])
    assert why in reasons.get(1, "")
    if not isinstance(rule, Window):
        assert unmet(rule, records(text), PROTEIN, "wild") == {}
    assert RuleRequest.given(rule, records(fine, text), PROTEIN, "").unmet == reasons
    if why:
        with pytest.raises(SequenceError, match="Query q2 cannot be met by any place"):
            RuleRequest.given(rule, records(fine, text)[1:], PROTEIN, "")


def test_guides_and_primers_that_no_place_could_meet():
    assert "3 may differ" in unmet(Guides(), records("ACGTNNNNACGT"), NUCLEOTIDE)[0]
    assert unmet(Guides(rna_bulges=1), records("ACGTNNNNACGT"), NUCLEOTIDE) == {}
    rule = Primers(shortest=1, longest=11)
    assert unmet(rule, records("ACGT", "ACGT", "ACGTACGTACGT", "ACGT"), NUCLEOTIDE) == {
        1: "a primer of 12 bases has no product of at most 11"
    }
    assert unmet(rule, records("ACNT", "NNNN"), NUCLEOTIDE) == {}


def test_the_hint_of_a_window_names_contiguous_matches():
    with pytest.raises(SequenceError) as refused:
        RuleRequest.given(Window(), records("A" * 25, "A" * 9), PROTEIN, "")
    assert "None of the 2 queries, such as q1, can be met by any place" in refused.value.message
    assert "contiguous matches" in refused.value.hint


def test_letters_that_match_little_are_named():
    given = records("AXC", "ABZ", "A*C", "ACD")
    assert letter_remarks(Mismatches(), given, PROTEIN, "strict") == [
        "X in query q1 matches nothing and is a difference everywhere.",
        "B, Z in query q2 match only themselves, unless ambiguous residues match what they stand for.",
        "* in query q3 matches only a stop.",
    ]
    assert letter_remarks(Mismatches(), given, PROTEIN, "sets")[1].startswith("* in query q3")
    assert letter_remarks(Mismatches(), given, PROTEIN, "wild") == []
    assert letter_remarks(Primers(), records("ACN"), NUCLEOTIDE, "strict") == []


def test_queries_without_a_place_are_named_and_those_that_cannot_be_met_are_not_counted():
    rows = [{"query": f"q{number}", "places": number % 2} for number in range(30)]
    rows[2]["cannot_be_met"] = "why"
    facts = {**ASKED, "found_by_query": rows, "controls": {"within": 5}, "complete": True}
    said = remarks(facts)
    assert said == [
        "14 of 30 queries have no place: q0, q4, q6, q8, q10, q12, q14, q16, q18, q20 and 4 more.",
        "1 of 30 queries cannot be met, so the result says nothing about it: q2 (why).",
    ]
    assert remarks({**facts, "complete": False}) == said[1:]
    assert remarks({**facts, "found_by_query": rows[:1], "controls": {"within": 0}}) == [
        "No control could be planted: nothing is known of whether the scan lists what it must."
    ]


@pytest.mark.parametrize(
    ("sequences", "circular", "said"),
    [
        (3, 0, ["All records were read as linear, from end to end."]),
        (3, 1, ["1 record is circular and was read across the origin, all others as linear."]),
        (3, 3, ["All records were read as circular, across the origin."]),
        (1, 1, ["The record was read as circular, across the origin."]),
        (0, 0, []),
    ],
)
def test_how_records_were_read_is_said(sequences, circular, said):
    database = {"sequences": sequences, **({"circular": {"records": circular}} if circular else {})}
    facts = {**ASKED, "database": database, "found_by_query": [], "controls": None, "complete": True}
    assert remarks(facts) == []
    assert remarks({**facts, "queries": {"alphabet": "nucleotide"}}) == said
    assert remarks({**facts, "rule": {"frames": [1]}}) == said
