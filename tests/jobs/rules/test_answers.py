"""The answer of every rule: each number is that of the rows it chooses, and a stopped search promises nothing."""

import pytest

from swgui.core.alphabet import NUCLEOTIDE, PROTEIN
from swgui.core.database import encode_database
from swgui.core.records import SequenceRecord
from swgui.core.rules.request import RuleRequest
from swgui.jobs.rules.answer import answer_to
from swgui.jobs.rules.background import fasta_identities
from swgui.jobs.rules.found import Background
from swgui.jobs.rules.known import rules
from swgui.jobs.rules.products import bases_of, drawn
from swgui.jobs.rules.run import RuleRun, certificate

PEPTIDE = "MKWVTFISLLFLFSSAYSRGVFRRDTHKSEIAHRFKDLGE"
GUIDE = "TAGCGAGAACAGAGAAATAG"
FORWARD, REVERSE = "ACGGTTCAGCATGCAATGCC", "GGTACCATTGCAGCCAATCG"
COMPLEMENT = str.maketrans("ACGT", "TGCA")
DNA = f"{FORWARD}{'GATTACA' * 8}{REVERSE.translate(COMPLEMENT)[::-1]}TTT{GUIDE}CGGTTT{GUIDE[:-1]}AAGG"
QUERIES = {
    "guides": (GUIDE, "ACGTTTAGCATCGGATCCAA"),
    "primers": (FORWARD, REVERSE, REVERSE, "TTTTTTTTTTTTTTTTTTTTTG"),
    "window": (PEPTIDE, PEPTIDE[:10]),
    "words": (PEPTIDE, "W" * 12),
}
PROTEINS = (PEPTIDE, PEPTIDE[:8] + "Y" + PEPTIDE[9:], "A" * 60)


def run_of(name, rule=None):
    nucleotides = name in ("guides", "primers")
    alphabet, texts = (NUCLEOTIDE, (DNA,)) if nucleotides else (PROTEIN, PROTEINS)
    kind = rules()[name]
    made = rule or (kind(mismatches=2) if name == "peptides" else kind())
    records = [
        SequenceRecord(f"q{n}", "", text.encode()) for n, text in enumerate(QUERIES.get(name, (PEPTIDE, "W" * 40)))
    ]
    subjects = [SequenceRecord(f"s{n}", "", text.encode()) for n, text in enumerate(texts)]
    return RuleRun(RuleRequest.given(made, records, alphabet, ""), encode_database(subjects, alphabet))


@pytest.fixture(scope="module", params=list(rules()))
def found(request):
    run = run_of(request.param)
    run.scan_all()
    return run.outcome()


def test_every_number_of_every_rule_chooses_the_rows_that_it_counts(found):
    answer = answer_to(found)
    assert answer.sentence.endswith(".")
    assert [line.name for line in answer.lines] == list(found.names)
    for number, line in enumerate(answer.lines):
        assert line.said
        for count in line.counts:
            rows = found.chosen(count.where)
            assert len(rows) == count.number
            assert set(found.places.query[rows]) <= {number}
        if number not in found.unmet:
            assert len(found.chosen(line.where)) == (found.places.query == number).sum()


def test_a_stopped_search_says_so_and_promises_nothing(found):
    stopped = type(found)(found.request, found.database, found.places, 0, complete=False)
    answer = answer_to(stopped)
    assert answer.sentence.startswith("Stopped")
    for line in answer.lines:
        assert "so far" in line.said or "cannot be met" in line.said


def test_what_is_said(found):
    answer = answer_to(found)
    said = {
        "guides": "Of 2 guides, up to 3 mismatches: 1 with other sites (q0); 1 without a perfect site (q1).",
        "primers": "1 of 2 pairs of primers give 1 product in the 1 sequence.",
        "peptides": "1 of 2 queries stands exactly in the 3 sequences; 1 not even with up to 2 mismatches (q1).",
    }
    name = found.request.rule.name
    assert answer.sentence == said.get(name, answer.sentence)
    if name == "guides":
        assert answer.lines[0].said == "1 perfect site, 1 other up to 3 mismatches; the nearest has 1 difference"
        assert [one.number for one in answer.lines[0].counts] == [1, 1, 0, 0, 0]
        assert answer.heads == ["0", "1", "2", "3", "seed intact"]


def test_the_reading_of_practice_comes_first():
    run = run_of("window")
    run.scan_all()
    fasta = fasta_identities(run.request, run.database, run.found())
    answer = answer_to(run.outcome(fasta, Background((0, 1), 3)))
    assert answer.sentence.endswith("by FAO/WHO practice of 3 sequences, 2 by the strictest reading, 0.5 by chance.")
    assert answer.heads == ["by FAO/WHO practice", "by the strictest reading"]
    assert certificate(run)["answer"]["lines"][1]["said"].startswith("cannot be met")


def test_primers_are_drawn_on_the_template_of_either_strand():
    run = run_of("primers")
    run.scan_all()
    for row, names in enumerate((("q0", "q1"),)):
        place = run.found().take(slice(row, row + 1))
        first, marks, template, below, last = drawn(run.request, run.database, place).splitlines()
        assert first.startswith(f"{names[0]}        5'-{FORWARD}-3'   Tm ")
        assert marks.strip() == "|" * len(FORWARD)
        assert template.startswith(f"template  5'-{FORWARD}...")
        assert below.strip() == "|" * len(REVERSE)
        assert last.strip().startswith(names[1])
        assert f"3'-{REVERSE[::-1]}-5'   Tm " in last
        assert bases_of(run.request, run.database, place) == [DNA[: DNA.index("TTT" + GUIDE)]]
