"""Every sentence on a hit, with the numbers of real pairs.

Where they come from: queries of ``proteins/cudasw_20queries.fasta`` against ``proteins/swissprot_16species.fasta.gz``
(20,307 proteins), BLOSUM62, gap 11/1, from ``swgui search --save``; where there is no lambda ratio with ``--composition
none``. Nucleotides: rrsB of E. coli K-12
(U00096.3, 4,166,659 to 4,168,200) against ``dna/GCF_000005845.2_ASM584v2_genomic.fna.gz`` and
``dna/TARA_ASE_MAG_00031.fa.gz``, 2/-3, gap 5/2.
"""

from __future__ import annotations

from math import nan

import pytest

from swgui.core.alphabet import PROTEIN
from swgui.core.plain import replace
from swgui.core.records import SequenceRecord
from swgui.core.verdict import hits, kinds
from swgui.core.verdict.hits import Evidence, evidence_of, how_often, sentence
from tests.given_hits import changed, line_of
from tests.io.sequences.by_hand import make_hit, make_result, make_scheme

# FHP_YEAST for the leghaemoglobin LGB1_VICFA: a true globin, one domain of a larger protein.
GLOBIN = Evidence(-2.0840, -2.6023, 0.945, 14.0, 34.0, 12.3, 38.8, query_length=144)
# Its sister FHP_SCHPO, a true globin as well.
SISTER = Evidence(-0.3472, -0.5007, 0.980, 9.6, 93.1, 30.0, 23.0, query_length=144)
MLRR1_PLAF7 = Evidence(0.9813, query_coverage=42.4, subject_coverage=0.6, identity=26.2, query_length=144)
DUSC_ECOLI = Evidence(0.1866, 0.0975, 0.988, 6.3, 39.2, 20.6, 31.1, query_length=189)  # for IFNA6_HUMAN
GST_PLAF7 = Evidence(-21.5491, -21.9706, 0.984, nan, 86.5, 93.4, 29.2, query_length=222)  # for GSTA4_RAT
GST2_YEAST = Evidence(-3.1356, -3.2768, 0.986, 14.6, 66.2, 67.8, 24.7, query_length=222)  # for GSTA4_RAT
AHR_ECOLI = Evidence(-2.8731, -3.3641, 0.955, 14.1, 59.5, 60.2, 21.1, query_length=375)  # for ADH1A_HUMAN
KIP1_YEAST = Evidence(-22.0201, -114.3134, 0.780, 38.7, 93.0, 78.6, 30.9, query_length=1000)  # for CIN8_YEAST
FABF_SYNY3 = Evidence(-23.6047, -24.6358, 0.968, nan, 15.9, 96.6, 26.9, query_length=2504)  # for FAS_MOUSE
CG23_YEAST = Evidence(-9.6721, -10.1799, 0.973, nan, 3.4, 39.1, 27.5, query_length=4743)  # for APOB_RAT
FADB_SALTY = Evidence(-506.8477, -520.3439, 0.968, nan, 100.0, 100.0, 95.3, query_length=729)  # for FADB_ECOLI
FADB_ECOLI = Evidence(-525.5986, -540.3075, 0.966, nan, 100.0, 100.0, 100.0, query_length=729)  # for itself
# ACCC_ECOLI for CPSM_RAT and CCH1_SCHPO for SCN2A_RAT: several alignments.
ACCC_ECOLI = Evidence(-2.1737, -2.4092, 0.978, 19.9, 11.5, 39.2, 21.8, 2, -6.699, query_length=1500)
CCH1_SCHPO = Evidence(-45.6227, -48.0521, 0.957, nan, 52.1, 55.0, 21.7, 7, -120.78, query_length=2005)
YM96_YEAST = Evidence(-1.8141, -8.6454, 0.621, 8.7, 15.6, 42.2, 23.3, 3, -7.157, query_length=3005)  # for ZFH2_DROME
NSK1_SCHPO = Evidence(-0.2669, -4.3066, 0.697, 6.8, 6.0, 72.9, 23.3, 3, -5.025, query_length=5478)  # for MUC12_HUMAN
# YHU2_SCHPO for MUC12_HUMAN, which the correction leaves out of the list: all its shuffles score as high.
MUCIN = Evidence(9.1, -224.1798, 0.0, -2.2, 75.1, 99.0, 26.6, query_length=5478)
MUCIN_AS_PRINTED = replace(MUCIN, log10_evalue=-224.1798, log10_uncorrected=nan, lambda_ratio=nan, shuffle_z=nan)
NDHI_NOSS1 = Evidence(0.3256, query_coverage=68.8, subject_coverage=5.7, identity=63.6, query_length=16)
# ... for residues 89 to 104 of LGB1_VICFA
RRSB = Evidence(-807.0742, -827.6422, query_coverage=100.0, subject_coverage=0.03, identity=100.0, alignments=7,
                query_length=1542, protein=False)  # fmt: skip
RRSB_IN_MAG = Evidence(0.4476, query_coverage=1.2, subject_coverage=0.2, identity=94.7, query_length=1542,
                       protein=False)  # fmt: skip

SENTENCES = {
    "a member of the profile": (
        replace(GST_PLAF7, log10_as_member=-80.0),
        "Significant: expected by chance less than once in 10²⁰ searches of this database; the profile contains "
        "it, and gives it E = 1.0e-80; a profile without it gives E = 2.8e-22, which counts; covers 86 % of the query "
        "and 93 % of the subject.",
    ),
    "covers both": (
        GST_PLAF7,
        "Significant: expected by chance less than once in 10²⁰ searches of this database; covers 86 % of the query "
        "and 93 %"
        " of the subject.",
    ),
    "covers both alike": (
        FADB_SALTY,
        "Significant: expected by chance less than once in 10²⁰ searches of this database; covers 100 % of both.",
    ),
    "the same sequence": (
        FADB_ECOLI,
        "Significant: expected by chance less than once in 10²⁰ searches of this database; the same sequence.",
    ),
    "the subject is a part": (
        FABF_SYNY3,
        "Significant: expected by chance less than once in 10²⁰ searches of this database; covers 16 % of the query "
        "and 97 %"
        " of the subject: the subject resembles a part of the query.",
    ),
    "one domain": (
        CG23_YEAST,
        "Significant: expected by chance once in 10¹⁰ searches of this database; covers 3 % of the query and 39 % "
        "of the subject, perhaps one domain.",
    ),
    "composition mattered": (
        KIP1_YEAST,
        "Significant: expected by chance less than once in 10²⁰ searches of this database; covers 93 % of the query "
        "and 79 %"
        " of the subject; shuffles agree (Z of shuffles = 39); without the correction for composition E would be "
        "4.9e-115.",
    ),
    "several alignments": (
        RRSB,
        "Significant: expected by chance less than once in 10²⁰ searches of this database; covers 100 % of the query "
        "and "
        "less than 1 % of the subject; 7 significant alignments.",
    ),
    "shuffles agree": (
        GST2_YEAST,
        "Significant: expected by chance once in 1,400 searches of this database; covers 66 % of the query and 68 "
        "% of the subject; shuffles agree (Z of shuffles = 15).",
    ),
    "significant together": (
        ACCC_ECOLI,
        "Borderline: expected by chance once in 150 searches of this database; covers 12 % of the query and 39 % "
        "of the subject, perhaps one domain; its 2 alignments together are significant (E = 2.0e-07); shuffled "
        "copies stay well below (Z of shuffles = 20). Next: search with the aligned region alone, see whether its "
        "nearest "
        "relatives are listed too, or try a matrix for distant relatives, such as VTML200.",
    ),
    "many alignments of a protein": (
        CCH1_SCHPO,
        "Significant: expected by chance less than once in 10²⁰ searches of this database; covers 52 % of the query "
        "and 55 %"
        " of the subject; 7 significant alignments.",
    ),
    "composition not looked at": (
        MUCIN_AS_PRINTED,
        "Significant: expected by chance less than once in 10²⁰ searches of this database; covers 75 % of the query "
        "and 99 "
        "% of the subject; composition was not taken into account. Shuffle it before you rely on it.",
    ),
    "bias, shuffles as high": (
        MUCIN,
        "Probably a bias of composition: shuffled copies score as high (Z of shuffles = −2); without the correction "
        "for "
        "composition E would be 6.6e-225. Next: mask low complexity, or search with a region that has none.",
    ),
    "bias, shuffles close": (
        NSK1_SCHPO,
        "Probably a bias of composition: shuffled copies come within 8 standard deviations (Z of shuffles = 7); "
        "without the correction for composition E would be 4.9e-05. Next: mask low complexity, or search with a region "
        "that has none.",
    ),
    "bias, by lambda": (
        YM96_YEAST,
        "Probably a bias of composition: the aligned regions are rich in the same residues (lambda ratio 0.62);"
        " without the correction for composition E would be 2.3e-09. Next: mask low complexity, or search with a "
        "region that has none.",
    ),
    "borderline, one domain": (
        GLOBIN,
        "Borderline: expected by chance once in 120 searches of this database; covers 34 % of the query and 12 % "
        "of the subject, perhaps one domain; shuffled copies stay well below (Z of shuffles = 14). Next: search with "
        "the "
        "aligned region alone, or see whether its nearest relatives are listed too.",
    ),
    "borderline, not shuffled": (
        replace(GLOBIN, log10_evalue=-2.6023, log10_uncorrected=nan, lambda_ratio=nan, shuffle_z=nan),
        "Borderline: expected by chance once in 400 searches of this database; covers 34 % of the query and 12 % "
        "of the subject, perhaps one domain; composition was not taken into account. Next: shuffle it, search "
        "with the aligned region alone, or see whether its nearest relatives are listed too.",
    ),
    "borderline, distant": (
        AHR_ECOLI,
        "Borderline: expected by chance once in 750 searches of this database; covers 60 % of both; shuffled "
        "copies stay well below (Z of shuffles = 14). Next: see whether its nearest relatives are listed too, or try "
        "a matrix"
        " for distant relatives, such as VTML200.",
    ),
    "chance, well above its shuffles": (
        SISTER,
        "Not distinguishable from chance: expected by chance once in 2 searches of this database. If you expected "
        "it: see whether its nearest relatives are listed too, or try a matrix for distant relatives, such as "
        "VTML200.",
    ),
    "chance, close to its shuffles": (
        DUSC_ECOLI,
        "Not distinguishable from chance: about 2 subjects as good are expected by chance; "
        "shuffled copies come within 8 standard deviations (Z of shuffles = 6). If you expected it: search "
        "with the aligned region alone, or see whether its nearest relatives are listed too.",
    ),
    "chance, not shuffled": (
        MLRR1_PLAF7,
        "Not distinguishable from chance: about 10 subjects as good are expected by chance. If"
        " you expected it: shuffle it, search with the aligned region alone, see whether its nearest relatives "
        "are listed too, or try a matrix for distant relatives, such as VTML200.",
    ),
    "chance, a short query": (
        NDHI_NOSS1,
        "Not distinguishable from chance: about 2 subjects as good are expected by chance. If "
        "you expected it: shuffle it, try a matrix for short queries, such as PAM30, or see whether its nearest "
        "relatives are listed too.",
    ),
    "chance, nucleotides": (
        RRSB_IN_MAG,
        "Not distinguishable from chance: about 3 subjects as good are expected by chance. If "
        "you expected it: shuffle it, search with the aligned region alone, or search with the protein it "
        "encodes, which shows more distant relatives.",
    ),
    "no E-value": (
        replace(GST_PLAF7, log10_evalue=nan, log10_uncorrected=nan, lambda_ratio=nan, shuffle_z=nan),
        "No verdict: there are no E-values for this scoring, and a score alone does not tell relatives from "
        "chance; covers 86 % of the query and 93 % of the subject. Next: shuffle it.",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", SENTENCES)
def test_the_sentence_of_a_real_pair(name):
    evidence, expected = SENTENCES[name]
    assert sentence(evidence) == expected


def test_every_kind_every_clause_and_every_advice_has_a_real_pair():
    pairs = [evidence for evidence, _ in SENTENCES.values()]
    assert {evidence.kind for evidence in pairs} == set(kinds.KINDS)
    clauses = {rule for rules in hits._CLAUSES.values() for rule in rules}
    speaks = {rule for one in pairs for rule in hits._CLAUSES[one.kind] if rule(one)}
    doubtful = [one for one in pairs if one.kind in ("borderline", "chance")]
    assert [rule.__name__ for rule in clauses - speaks] == []
    assert [advice.text for advice in hits._NEXT if not any(map(advice.applies, doubtful))] == []


@pytest.mark.parametrize(
    ("log10_evalue", "said"),
    [
        (-11.0, "expected by chance once in 10¹¹ searches of this database"),
        (-4.99, "expected by chance once in 98,000 searches of this database"),
        (-3.0, "expected by chance once in 1,000 searches of this database"),
        (-0.5, "expected by chance once in 3 searches of this database"),
        (-0.19, "expected by chance once in 2 searches of this database"),
        (-0.1, "about 1 subject as good is expected by chance"),
        (1.0, "about 10 subjects as good are expected by chance"),
    ],
)
def test_an_e_value_is_said_as_what_chance_does(log10_evalue, said):
    assert how_often(log10_evalue) == said


def test_alignments_together_are_no_evidence_where_composition_is_the_reason():
    weak = replace(ACCC_ECOLI, lambda_ratio=0.7)
    assert "together are significant" in sentence(ACCC_ECOLI)
    assert "together" not in sentence(weak)
    assert "; 2 alignments; " in sentence(weak)


def test_of_several_alignments_the_significant_ones_are_counted():
    scheme, query = make_scheme(PROTEIN), SequenceRecord("q", "", b"MKTAYIAKQR")
    hit = make_hit(scheme, query, SequenceRecord("s", "", b"MKTAYIAKQR" * 3), 0, 1, 0, 0, "10M", log10_evalue=-9.0)
    lines = [replace(line_of(hit), log10_evalue=log10) for log10 in (-9.0, -4.0, 0.5)]
    result = make_result(scheme, [query], [hit.subject], [1])
    assert evidence_of(changed(hit, lines=lines), result).alignments == 2
    assert evidence_of(changed(hit, lines=lines[2:] * 3), result).alignments == 3
    assert evidence_of(hit, result).alignments == 1


def test_of_the_other_alignments_composition_is_not_said_to_be_left_out():
    for evidence, said in SENTENCES.values():
        if "not taken into account" in said:
            assert "composition" not in sentence(replace(evidence, best=False))
