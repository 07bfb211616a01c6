"""Files of features: what is read of each format, and the sentences on what is not."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from swgui.core.features import Feature
from swgui.io.features.reading import AnnotationError, read_annotation

GFF3 = """##gff-version 3
##sequence-region chr1 1 5000
chr1\tx\tregion\t1\t5000\t.\t+\t.\tID=chr1;Is_circular=true
chr1\tx\tgene\t101\t900\t.\t-\t.\tID=g1;Name=lacZ%3B1
chr1\tx\tmRNA\t101\t900\t.\t-\t.\tID=t1;Parent=g1;Name=lacZ-201
chr1\tx\texon\t101\t300\t.\t-\t.\tParent=t1
chr1\tx\texon\t501\t900\t.\t-\t.\tParent=t1
chr1\tx\tCDS\t201\t300\t.\t-\t0\tID=c1;Parent=t1
chr1\tx\tCDS\t501\t700\t.\t-\t0\tID=c1;Parent=t1
chr1\tx\tgene\t4900\t5100\t.\t+\t.\tID=g2;gene=ori
chr1\tx\tfive_prime_UTR\t701\t900\t.\t-\t.\tParent=t1
chr1\tx\todd_thing\t1\t2\t.\t+\t.\tID=o
chr2\tx\ttRNA\t5\t9\t.\t+\t.\tID=r;product=tRNA-Ala
chr2\tx\tgene\t9\t5\t.\t+\t.\tID=backwards
chr2\tx\tgene
##FASTA
>chr1
ACGT
"""
GENBANK = """LOCUS       PLASMID                  300 bp    DNA     circular BCT 01-JAN-2020
DEFINITION  A plasmid.
ACCESSION   PLASMID
VERSION     PLASMID.1
FEATURES             Location/Qualifiers
     source          1..300
     gene            complement(join(281..300,1..40))
                     /gene="repA"
     CDS             100..160
                     /locus_tag="P_01"
                     /product="hypothetical protein"
ORIGIN
"""


def written(tmp_path: Path, text: str, name: str = "genes.gff3") -> Path:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return path


def test_gff3(tmp_path: Path) -> None:
    packed = tmp_path / "genes.gff3.gz"
    packed.write_bytes(gzip.compress(GFF3.encode()))
    annotation = read_annotation(packed)
    chromosome = annotation.tables["chr1"]
    assert list(chromosome.features()) == [
        Feature("mRNA", ((100, 300), (500, 900)), "lacZ;1", -1),
        Feature("CDS", ((200, 300), (500, 700)), "lacZ;1", -1),
        Feature("gene", ((4899, 5100),), "ori", 1),
    ]
    assert (chromosome.length, chromosome.circular) == (5000, True)
    assert list(annotation.tables["chr2"].features()) == [Feature("tRNA", ((4, 9),), "tRNA-Ala")]
    assert annotation.remarks == (
        "2 lines are left out: line 14 has no range of positions (9 to 5)",
        "1 feature of other types is left out (odd_thing)",
    )
    assert annotation.find("chr3") is None
    assert annotation.find("chr2.1") is annotation.tables["chr2"]


def test_genbank_and_embl(tmp_path: Path) -> None:
    bases = "acgtacgtac" * 6
    lines = "".join(f"{60 * n + 1:>9} {' '.join(bases[at : at + 10] for at in range(0, 60, 10))}\n" for n in range(5))
    annotation = read_annotation(written(tmp_path, f"{GENBANK}{lines}//\n", "p.gb"))
    table = annotation.tables["PLASMID.1"]
    assert [(table.name(row), table.spans(row)) for row in range(len(table))] == [
        ("P_01", [(99, 160)]), ("repA", [(280, 340)]),
    ]  # fmt: skip
    assert table.circular
    assert table.strands.tolist() == [1, -1]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "'genes.gff3' is empty."),
        (">a\nACGT\n", "genes.gff3 is FASTA, which has no features."),
        ("##gff-version 3\n", "genes.gff3 has no features that are read here."),
        (
            "##gff-version 3\nchr1\tx\tgene\n",
            "genes.gff3 has no features that are read here: line 2 has 3 fields, not 9, and is left out.",
        ),
        ('1\tx\texon\t1\t9\t.\t+\t.\tgene_id "a"; transcript_id "b";\n', "genes.gff3 is GTF, which is not read."),
        ("\0\1\2", "'genes.gff3' is a binary file, not text."),
    ],
)
def test_what_has_no_features_is_refused_in_a_sentence(tmp_path: Path, text: str, sentence: str) -> None:
    with pytest.raises(AnnotationError) as caught:
        read_annotation(written(tmp_path, text))
    assert caught.value.message == sentence
