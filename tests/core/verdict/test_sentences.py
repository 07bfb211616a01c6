"""Every sentence on a hit, with the numbers of real pairs.

Where they come from: queries of ``proteins/cudasw_20queries.fasta`` against ``proteins/swissprot_16species.fasta.gz``
(20,307 proteins), BLOSUM62, gap 11/1. E without correction, coverage and identity are those of ``swgui search``;
lambda ratio, Z and the larger E those of the aligned stretches (100 shuffles). Nucleotides: rrsB of E. coli K-12
(U00096.3, 4,166,659 to 4,168,200) against ``dna/GCF_000005845.2_ASM584v2_genomic.fna.gz`` and
``dna/TARA_ASE_MAG_00031.fa.gz``, 2/-3, gap 5/2.
"""

from __future__ import annotations

from dataclasses import replace
from math import nan

import pytest

from swgui.core.verdict import hits, kinds
from swgui.core.verdict.hits import Evidence, how_often, sentence

# FHP_YEAST for the leghaemoglobin LGB1_VICFA: a true globin, one domain of a larger protein.
GLOBIN = Evidence(-1.6, -2.6023, 0.923, 14.7, 34.0, 12.3, 38.8, query_length=144)
# Its sister FHP_SCHPO, a true globin as well.
SISTER = Evidence(-0.3, -0.5007, 0.976, 10.9, 93.1, 30.0, 23.0, query_length=144)
MLRR1_PLAF7 = Evidence(0.9813, query_coverage=42.4, subject_coverage=0.6, identity=26.2, query_length=144)
GST_PLAF7 = Evidence(-17.9, -21.9706, 0.98, 45.7, 86.5, 93.4, 29.2, query_length=222)  # for GSTA4_RAT
GST2_YEAST = Evidence(-2.7, -3.2768, 0.982, 13.5, 66.2, 67.8, 24.7, query_length=222)  # for GSTA4_RAT
LHS1_YEAST = Evidence(0.9, -0.0683, 0.861, 8.1, 46.4, 14.1, 23.0, query_length=222)  # for GSTA4_RAT
SEC7A_SCHPO = Evidence(0.4, 0.0715, 0.943, 7.3, 86.8, 10.0, 24.5, query_length=189)  # for IFNA6_HUMAN
KIP1_YEAST = Evidence(-35.4, -114.3134, 0.773, 70.8, 93.0, 78.6, 30.9, query_length=1000)  # for CIN8_YEAST
FABF_SYNY3 = Evidence(-20.7, -24.6358, 0.966, 44.4, 15.9, 96.6, 26.9, query_length=2504)  # for FAS_MOUSE
CG23_YEAST = Evidence(-9.5, -10.1799, 0.983, 31.6, 3.4, 39.1, 27.5, query_length=4743)  # for APOB_RAT
FADB_SALTY = Evidence(-299.7, -520.3439, 0.966, 669.8, 100.0, 100.0, 95.3, query_length=729)  # for FADB_ECOLI
FADB_ECOLI = Evidence(-299.7, -540.3075, 0.965, 921.9, 100.0, 100.0, 100.0, query_length=729)  # for itself
MUCIN = Evidence(9.1, -224.1798, 0.0, -2.2, 75.1, 99.0, 26.6, query_length=5478)  # YHU2_SCHPO for MUC12_HUMAN
MUCIN_AS_PRINTED = replace(MUCIN, log10_evalue=-224.1798, log10_uncorrected=nan, lambda_ratio=nan, shuffle_z=nan)
SMY2_YEAST = Evidence(2.1, -4.0787, 0.514, 7.2, 7.7, 20.4, 23.7, query_length=2005)  # for SCN2A_RAT
YM96_YEAST = Evidence(-0.8, -8.6454, 0.598, 8.7, 15.6, 42.2, 23.3, query_length=3005)  # for ZFH2_DROME
NDHI_NOSS1 = Evidence(0.3256, query_coverage=68.8, subject_coverage=5.7, identity=63.6, query_length=16)
# ... for residues 89 to 104 of LGB1_VICFA
RRSB = Evidence(-827.6422, query_coverage=100.0, subject_coverage=0.03, identity=100.0, alignments=7,
                query_length=1542, protein=False)  # fmt: skip
RRSB_IN_MAG = Evidence(0.4476, query_coverage=1.2, subject_coverage=0.2, identity=94.7, query_length=1542,
                       protein=False)  # fmt: skip

SENTENCES = {
    "covers both": (
        GST_PLAF7,
        "Significant: chance gives this once in 10¹⁸ searches of this database; covers 86 % of the query and 93 % of "
        "the subject; shuffles agree (Z = 46).",
    ),
    "covers both alike": (
        FADB_SALTY,
        "Significant: chance gives this once in 10³⁰⁰ searches of this database; covers 100 % of both; shuffles agree "
        "(Z = 670).",
    ),
    "the same sequence": (
        FADB_ECOLI,
        "Significant: chance gives this once in 10³⁰⁰ searches of this database; the same sequence; shuffles agree "
        "(Z = 922).",
    ),
    "the subject is a part": (
        FABF_SYNY3,
        "Significant: chance gives this once in 10²¹ searches of this database; covers 16 % of the query and 97 % of "
        "the subject: the subject resembles a part of the query; shuffles agree (Z = 44).",
    ),
    "one domain": (
        CG23_YEAST,
        "Significant: chance gives this once in 10¹⁰ searches of this database; covers 3 % of the query and 39 % of "
        "the subject, perhaps one domain; shuffles agree (Z = 32).",
    ),
    "composition mattered": (
        KIP1_YEAST,
        "Significant: chance gives this once in 10³⁵ searches of this database; covers 93 % of the query and 79 % of "
        "the subject; shuffles agree (Z = 71); without the correction for composition E would be 4.9e-115.",
    ),
    "several alignments": (
        RRSB,
        "Significant: chance gives this once in 10⁸²⁸ searches of this database; covers 100 % of the query and less "
        "than 1 % of the subject; 7 alignments.",
    ),
    "composition not looked at": (
        MUCIN_AS_PRINTED,
        "Significant: chance gives this once in 10²²⁴ searches of this database; covers 75 % of the query and 99 % of "
        "the subject; composition was not taken into account. Shuffle it before you rely on it.",
    ),
    "bias, shuffles as high": (
        MUCIN,
        "Probably a bias of composition: shuffled copies score as high (Z = −2); without the correction for "
        "composition E would be 6.6e-225. Next: mask low complexity, or search with a stretch that has none.",
    ),
    "bias, shuffles close": (
        SMY2_YEAST,
        "Probably a bias of composition: shuffled copies come close (Z = 7); without the correction for composition E "
        "would be 8.3e-05. Next: mask low complexity, or search with a stretch that has none.",
    ),
    "bias, by lambda": (
        YM96_YEAST,
        "Probably a bias of composition: the aligned stretches are rich in the same residues (lambda ratio 0.60); "
        "without the correction for composition E would be 2.3e-09. Next: mask low complexity, or search with a "
        "stretch that has none.",
    ),
    "borderline, one domain": (
        GLOBIN,
        "Borderline: chance gives this once in 40 searches of this database; covers 34 % of the query and 12 % of the "
        "subject, perhaps one domain; shuffled copies stay well below (Z = 15). Next: search with the aligned stretch "
        "alone, or see whether its nearest relatives are listed too.",
    ),
    "borderline, not shuffled": (
        replace(GLOBIN, log10_evalue=-2.6023, log10_uncorrected=nan, lambda_ratio=nan, shuffle_z=nan),
        "Borderline: chance gives this once in 400 searches of this database; covers 34 % of the query and 12 % of the "
        "subject, perhaps one domain; composition was not taken into account. Next: shuffle it, search with the "
        "aligned stretch alone, or see whether its nearest relatives are listed too.",
    ),
    "borderline, distant": (
        GST2_YEAST,
        "Borderline: chance gives this once in 500 searches of this database; covers 66 % of the query and 68 % of the "
        "subject; shuffled copies stay well below (Z = 14). Next: see whether its nearest relatives are listed too, or "
        "try a matrix for distant relatives, such as BLOSUM45.",
    ),
    "chance, well above its shuffles": (
        SISTER,
        "Not distinguishable from chance: chance gives this once in 2 searches of this database. If you expected it: "
        "see whether its nearest relatives are listed too, or try a matrix for distant relatives, such as BLOSUM45.",
    ),
    "chance, close to its shuffles": (
        SEC7A_SCHPO,
        "Not distinguishable from chance: a search of this database gives about 3 subjects as good by chance; shuffled "
        "copies come close (Z = 7). If you expected it: see whether its nearest relatives are listed too, or try a "
        "matrix for distant relatives, such as BLOSUM45.",
    ),
    "chance, not shuffled": (
        MLRR1_PLAF7,
        "Not distinguishable from chance: a search of this database gives about 10 subjects as good by chance. If you "
        "expected it: shuffle it, search with the aligned stretch alone, see whether its nearest relatives are listed "
        "too, or try a matrix for distant relatives, such as BLOSUM45.",
    ),
    "chance, a short query": (
        NDHI_NOSS1,
        "Not distinguishable from chance: a search of this database gives about 2 subjects as good by chance. If you "
        "expected it: shuffle it, try a matrix for short queries, such as PAM30, or see whether its nearest relatives "
        "are listed too.",
    ),
    "chance, nucleotides": (
        RRSB_IN_MAG,
        "Not distinguishable from chance: a search of this database gives about 3 subjects as good by chance. If you "
        "expected it: shuffle it, search with the aligned stretch alone, or search with the protein it encodes, which "
        "shows more distant relatives.",
    ),
    "no E-value": (
        replace(GST_PLAF7, log10_evalue=nan, log10_uncorrected=nan, lambda_ratio=nan, shuffle_z=nan),
        "No verdict: there are no E-values for this scoring, and a score alone does not tell relatives from chance; "
        "covers 86 % of the query and 93 % of the subject. Next: shuffle it.",
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
        (-11.0, "chance gives this once in 10¹¹ searches of this database"),
        (-4.99, "chance gives this once in 98,000 searches of this database"),
        (-3.0, "chance gives this once in 1,000 searches of this database"),
        (-0.5, "chance gives this once in 3 searches of this database"),
        (-0.19, "chance gives this once in 2 searches of this database"),
        (-0.1, "a search of this database gives about 1 subject as good by chance"),
        (1.0, "a search of this database gives about 10 subjects as good by chance"),
    ],
)
def test_an_e_value_is_said_as_what_chance_does(log10_evalue, said):
    assert how_often(log10_evalue) == said


def test_several_alignments_may_be_significant_together():
    weak = replace(RRSB_IN_MAG, alignments=3, sum_log10_evalue=-4.0)
    assert "its 3 alignments together are significant (E = 0.00010)" in sentence(weak)
    assert "; 3 alignments; " in sentence(replace(GST_PLAF7, alignments=3, sum_log10_evalue=-30.0))
