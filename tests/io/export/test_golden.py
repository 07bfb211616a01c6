"""The same alignment as BLAST+ 2.12.0 prints it: every column, and the residues, on the plus and the minus strand.

Made with (sequences below, one per file; for proteins blastp prints N/A as the strand)::

    blastn -query q.fa -subject s.fa -task blastn -reward 2 -penalty -3 -gapopen 5 -gapextend 2 -dust no -outfmt "6 ..."
    blastp -query qp.fa -subject sp.fa -comp_based_stats 0 -seg no -outfmt "6 ..."
"""

import io
from itertools import groupby

import pytest

from swgui.core.alphabet import NUCLEOTIDE, PROTEIN
from swgui.core.records import SequenceRecord
from swgui.io.export import ExportOptions, write_hits
from tests.io.sequences.by_hand import make_hit, make_result, make_scheme

COLUMNS = (
    "qseqid", "sseqid", "pident", "length", "mismatch", "gapopen", "qstart", "qend", "sstart", "send", "qlen",
    "slen", "score", "nident", "positive", "gaps", "ppos", "sstrand", "qseq", "sseq",
)  # fmt: skip

DNA_QUERY = (
    b"CAGAGCAGACAACTAAGTGCTATCAACTAGGCGAAAGCCGCCTGAGGTGCTACTACAGTGTCGGGCTTCGAGGTTCCGACAAATAACTACGTTTCCCTTAAAA"
    b"CGCACCGTGGGGATTTTCCAGAAAACAAAACATGACCCATTCCAACC"
)
DNA_SUBJECT = (
    b"TAATGAGAGTTGCCATGTCATTTTTGAGCAACCGGTCATGTTTTGTTTTCTGGAAAATCCCCACGTCGGTGCGTTTTAAGGGAAACGTAGTTATTTGTCGGAA"
    b"CCGAAGCCCGACACTGTAGTAGCACCTCAGGCGGCTTTCGACTAGTTGATAGCACTTAGTTGTCTTTCAAAAGTTCGTAGTTTCATCTTCCTGAAATTATTGC"
    b"GAATG"
)
PROTEIN_QUERY = b"LYHWTCQQCKQHNYGIKYHYLLLAHDASDIPKELKSNKCQSLKSYHMLLFILIYFWYQKYTNNHRCRFSWDPFNWVCVGIVTDHLEDEPA"
PROTEIN_SUBJECT = (
    b"KHAEMLRVSVNQCQQCKQHNYGWRYHYLLLAHDASDIPKELKKRKCQSLKSYGSGHMLLFILIYFWYQKYTNNHRRFSWDPFNWVCVGIVTDHLASQNHYTQN"
)
BLASTN = (
    "query subject 95.620 137 1 2 7 140 168 34 150 211 239 131 131 5 95.62 minus "
    "AGACAACTAAGTGCTATCAACTAGGCGAAAGCCGCCTGAGGTGCTACTACAGTGTCGGGCTTCGAGGTTCCGACAAATAACTACGTTTCCCTTAAAACGCAC"
    "---CGTGGGGATTTTCCAGAAAACAAAACATGACC "
    "AGACAACTAAGTGCTATCAACTAGTCGAAAGCCGCCTGAGGTGCTACTACAGTGTCGGGCTTC--GGTTCCGACAAATAACTACGTTTCCCTTAAAACGCACC"
    "GACGTGGGGATTTTCCAGAAAACAAAACATGACC"
)
BLASTP = (
    "query subject 87.209 86 7 2 6 88 13 97 90 103 411 75 77 4 89.53 plus "
    "CQQCKQHNYGIKYHYLLLAHDASDIPKELKSNKCQSLKSY---HMLLFILIYFWYQKYTNNHRCRFSWDPFNWVCVGIVTDHLEDE "
    "CQQCKQHNYGWRYHYLLLAHDASDIPKELKKRKCQSLKSYGSGHMLLFILIYFWYQKYTNNHR-RFSWDPFNWVCVGIVTDHLASQ"
)


def cigar_of(query_row, subject_row):
    ops = ["D" if q == "-" else "I" if s == "-" else "M" for q, s in zip(query_row, subject_row, strict=True)]
    return [(op, len(list(group))) for op, group in groupby(ops)]


@pytest.mark.parametrize(
    ("alphabet", "query", "subject", "blast"),
    [(NUCLEOTIDE, DNA_QUERY, DNA_SUBJECT, BLASTN), (PROTEIN, PROTEIN_QUERY, PROTEIN_SUBJECT, BLASTP)],
    ids=["blastn-minus", "blastp"],
)
def test_every_column_is_what_blast_prints(alphabet, query, subject, blast):
    expected = dict(zip(COLUMNS, blast.split(), strict=True))
    minus = expected["sstrand"] == "minus"
    runs = cigar_of(expected["qseq"], expected["sseq"])
    cigar = "".join(f"{n}{op}" for op, n in (reversed(runs) if minus else runs))
    # As the engine sees it: the query is reverse-complemented, the subject is not.
    query_start = len(query) - int(expected["qend"]) if minus else int(expected["qstart"]) - 1
    subject_start = int(expected["send" if minus else "sstart"]) - 1
    scheme = make_scheme(alphabet)
    records = SequenceRecord("query", "", query), SequenceRecord("subject", "", subject)
    hit = make_hit(scheme, *records, 0, 1, query_start, subject_start, cigar, -1 if minus else 1)
    file = io.StringIO()
    write_hits("blast6", make_result(scheme, records[:1], records[1:], (1,)), [hit], file, ExportOptions(COLUMNS))
    assert dict(zip(COLUMNS, file.getvalue().rstrip("\n").split("\t"), strict=True)) == expected
