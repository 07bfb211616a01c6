"""Each option of ``swgui rule`` changes what a rule finds, or is refused by its name."""

import pytest

import swgui
from swgui.core.errors import InvalidParameter
from swgui.core.rules.rule import RULES
from swgui.library.rule import RULE_OPTIONS

PEPTIDE = "WAALLVTFLAGCQAKVEQ"
PROTEINS = {
    "exact": f"MK{PEPTIDE}HH",
    "mismatches": "MKWAALLVTYLAGCQARVEQHH",
    "insertion": "MKWAALLVTFLAPGCQAKVEQHH",
    "deletion": "MKWAALLVTFLGCQAKVEQHH",
    "both": "MKWAALLVTYLAPGCQAKVEQHH",
    "end": "MKYAALLVTFLAGCQAKVEQHH",
    "half": f"MK{PEPTIDE[:9]}HH",
    "unknown": f"MK{PEPTIDE[:4]}X{PEPTIDE[5:]}HH",
    "isobaric": f"MK{PEPTIDE.replace('L', 'I')}HH",
}
GUIDE = "ACGTTACCATGCATTCGATC"
TURNED = GUIDE.translate(str.maketrans("ACGT", "TGCA"))[::-1]
BASES = {
    "guide": f"TTTTA{GUIDE}AGGTT",
    "turned": f"CCCT{TURNED}TAAAATT",
    "other PAM": f"TTCC{GUIDE}TAATT",
    "DNA bulge": f"TT{GUIDE[:9]}G{GUIDE[9:]}AGGTT",
    "RNA bulge": f"TT{GUIDE[:9]}{GUIDE[10:]}AGGTT",
    "mismatches": f"TT{GUIDE[:4]}AAA{GUIDE[7:]}AGGTT",
    "unknown": f"TT{GUIDE[:4]}N{GUIDE[5:]}AGGTT",
    "product": f"TT{GUIDE}{'A' * 40}TTGCAACTGGACTCA",
    "N_product": f"TT{GUIDE[:4]}N{GUIDE[5:]}{'A' * 40}TTGCAACTGGACTCA",
    "short product": f"TT{GUIDE}{'A' * 10}TTGCAACTGGACTCA",
    "end of a primer": f"TT{GUIDE[:-1]}G{'A' * 40}TTGCAACTGGACTCA",
}
CODONS = {"one": "CTTTGGGCTGCTCTTTTAGTTACTTTTTTAGCTGGTT"}  # WAALLVTFLAG in a frame
IN_FRAMES = {"frames": ({}, "all"), "subject_code": ({"frames": "all"}, 3)}
NUCLEOTIDES = {"strand": ({}, "plus"), "ambiguous": ({}, "wild"), "circular": ({}, True)}
# For each rule its queries, and for each option of it others to go with it and a value that changes the result.
USED = {
    "peptides": (PEPTIDE, {"mismatches": ({}, 2), **IN_FRAMES}),
    "edits": (
        PEPTIDE,
        {
            "edits": ({}, 2),
            "gaps": ({"edits": 2}, 0),
            "mismatches": ({"edits": 2}, 0),
            "gaps_in": ({"edits": 2}, "subject"),
            "matching_ends": ({"edits": 2}, True),
            "every_end": ({"edits": 2}, True),
            **IN_FRAMES,
        },
    ),
    "identity": (PEPTIDE, {"identity": ({}, "50%"), "over": ({"identity": "18/19"}, "query"), **IN_FRAMES}),
    "window": (PEPTIDE, {"identity": ({"length": 18}, "99%"), "length": ({"identity": "20%"}, 18)}),
    "words": (PEPTIDE, {"length": ({}, 18), **IN_FRAMES}),
    "guides": (
        GUIDE,
        {
            "mismatches": ({}, 0),
            "edits": ({}, 1),
            "dna_bulges": ({"mismatches": 0}, 1),
            "rna_bulges": ({"mismatches": 0}, 1),
            "pam": ({}, "NAA"),
            "pam_side": ({"pam": "TTTA"}, "5"),
        },
    ),
    "primers": (
        {"f": GUIDE, "r": "TGAGTCCAGTTGCAA"},
        {
            "mismatches": ({"exact_end": 0}, 0),
            "exact_end": ({}, 0),
            "shortest": ({"longest": 300}, 20),
            "longest": ({}, 72),
            "ambiguous": ({"mismatches": 0}, "wild"),
            "circular": ({}, True),
        },
    ),
}
REFUSED = {  # values of options that are no numbers
    "frames": "all",
    "strand": "plus",
    "pam": "NGG",
    "pam_side": "5",
    "gaps_in": "subject",
    "over": "query",
    "identity": "50%",
}
OF_ALL = {"type", "engine", "device", "threads", "checkpoint"}


def found(rule, queries, database, **options):
    """Return all facts of places, and how many were tested."""
    places = swgui.rule(rule, queries, database, engine="cpu", **options)
    columns = places.to_arrays()
    return [values.tolist() for values in columns.values()], places.certificate()["tested"]


def database_for(rule, option, beside):
    if option == "frames" or "frames" in beside:
        return CODONS
    return BASES if rule in ("guides", "primers") else PROTEINS


CASES = [(rule, option) for rule in RULES for option in sorted(set(RULE_OPTIONS.options) - OF_ALL)]


@pytest.mark.filterwarnings("ignore:.*has no product, but:swgui.SwguiWarning")  # of primers with 5' tails
@pytest.mark.parametrize(("rule", "option"), CASES, ids=lambda one: one)
def test_an_option_changes_something_or_is_refused(rule, option):
    queries, used = USED[rule]
    nucleotides = rule in ("guides", "primers")
    beside = {"length": 18} if rule == "window" else {}
    used = {"ambiguous": (beside, "wild"), **({} if nucleotides else {"equate_il": (beside, True)}), **used}
    if rule == "guides":
        used = {**NUCLEOTIDES, **used}
    options = {"type": "nucleotide" if nucleotides else "protein"}
    if option not in used:
        value = REFUSED.get(option, 1)
        with pytest.raises(InvalidParameter) as refused:
            swgui.rule(rule, queries, BASES if nucleotides else PROTEINS, **options, **{option: value})
        assert option in refused.value.message or refused.value.name == "strands"
        return
    beside, value = used[option]
    database = database_for(rule, option, beside)
    if option == "frames":  # without frames a database of bases is refused
        assert found(rule, queries[:11], database, **options, frames="1") != found(
            rule, queries[:11], database, **options, frames="all"
        )
        return
    queries = queries[:11] if "frames" in beside else queries
    before, after = (found(rule, queries, database, **options, **beside, **more) for more in ({}, {option: value}))
    assert before != after


@pytest.mark.parametrize("rule", ["peptides", "edits", "identity", "window", "words"])
def test_the_strand_counts_where_queries_are_nucleotides(rule):
    query = TURNED if rule != "window" else TURNED * 4
    options = {"type": "nucleotide"} | ({"length": 20} if rule == "window" else {})
    plus, both = (found(rule, query, BASES, **options, strand=strand) for strand in ("plus", "both"))
    assert plus != both


def test_background_is_of_the_window_rule_alone(capsys, tmp_path):
    from tests.cli.test_saved import run

    query = tmp_path / "q.fa"
    query.write_text(f">q\n{PEPTIDE}\n")
    with pytest.raises(InvalidParameter, match="--no-background is no option of 'swgui rule peptides'"):
        run("rule", "peptides", "-q", query, "-d", query, "--no-background")


def test_guides_of_the_plus_strand_alone():
    options = {"type": "nucleotide", "engine": "cpu"}
    places = swgui.rule("guides", GUIDE, BASES, strand="plus", **options)
    assert set(places.to_arrays(["sstrand"])["sstrand"]) == {"plus"}
    facts = places.certificate()["rule"]
    assert (facts["strands"], facts["sentence"].endswith("Only the plus strand is searched.")) == ("plus", True)
    assert "minus" in swgui.rule("guides", GUIDE, BASES, **options).to_arrays(["sstrand"])["sstrand"]


def test_a_genetic_code_without_frames_is_refused():
    with pytest.raises(InvalidParameter, match="subject_code changes nothing without frames"):
        swgui.rule("peptides", PEPTIDE, PROTEINS, type="protein", subject_code=2)


@pytest.mark.filterwarnings("ignore:.*has no product, but:swgui.SwguiWarning")  # a primer turned round has one
@pytest.mark.parametrize("shortest", [1, 5, 6])
def test_both_primers_lie_whole_in_a_product(shortest):
    """Primers that overlap with their 5' ends inside one another have no product of 2 bases."""
    queries, database = {"f": "GATCC", "r": "CATGA"}, {"s": "TTTCATGATCCTT"}  # r turned is TCATG
    options = {"type": "nucleotide", "mismatches": 0, "exact_end": 0, "shortest": shortest, "longest": 20}
    sizes = swgui.rule("primers", queries, database, engine="cpu", **options).to_arrays(["sstart", "send"])
    assert (abs(sizes["send"] - sizes["sstart"]) + 1 >= 5).all()


def test_a_gpu_is_refused_where_the_cpu_is_asked_for():
    with pytest.raises(InvalidParameter, match="engine cpu has no device '0'"):
        found("peptides", PEPTIDE, PROTEINS, device="0")
    assert found("peptides", PEPTIDE, PROTEINS, threads=1) == found("peptides", PEPTIDE, PROTEINS, device="cpu")
