"""Hits of searches with frameshifts in every format: coordinates, signs, paths and corrected proteins."""

from __future__ import annotations

import io
import json
import re

import pytest

from swgui.core.alphabet import NUCLEOTIDE, PROTEIN
from swgui.core.database import encode_database
from swgui.core.errors import InvalidParameter
from swgui.core.records import SequenceRecord
from swgui.core.translation.programs import Translation
from swgui.io.export import write_hits
from swgui.io.export.base import ExportOptions
from swgui.io.export.rows import aligned_residues
from tests.asking import BLOSUM62, answer, search_request
from tests.described import describe_hits

pytestmark = pytest.mark.usefixtures("user_folders", "trusted_engines")
PROTEIN_TEXT = b"MKWVTFISLLLLFSSAYSRGVFRRDTHKSEIAHRFKDLGEEHFKGLVLIAFSQYLQQCPFDEHVKLVNEL"
DNA_TEXT = (
    "ATGAAATGGGTTACCTTTATTAGCCTGCTGCTGCTGTTTAGCAGCGCGTATAGCCGCGGCGTGTTTCGCCGCGATACCCATAAAAGCGAAATTGCGCATCGC"
    "TTTAAAGATCTGGGCGAAGAACATTTTAAAGGCCTGGTGCTGATTGCGTTTAGCCAGTATCTGCAGCAGTGCCCGTTTGATGAACATGTGAAACTGGTGAACGAACTG"
)
SHIFTED = "GCTTA" + DNA_TEXT[:60] + "A" + DNA_TEXT[60:130] + DNA_TEXT[131:] + "CATC"  # one base more, then one less


@pytest.fixture(scope="module", params=["tblastn", "blastx"])
def found(request):
    """A result and its alignments, the gene on the minus strand of the DNA."""
    minus = NUCLEOTIDE.decode(NUCLEOTIDE.reverse_complement(NUCLEOTIDE.encode(SHIFTED.encode())))
    protein, dna = SequenceRecord("p", "a protein", PROTEIN_TEXT), SequenceRecord("d", "a strand", minus)
    query, subject, kind = (protein, dna, NUCLEOTIDE) if request.param == "tblastn" else (dna, protein, PROTEIN)
    how = Translation(request.param, shift=15)
    asked = search_request(
        queries=(query,),
        database=encode_database([subject], kind, "db"),
        scheme=BLOSUM62,
        engine="cpu",
        translation=how,
        max_evalue=1e-3,
    )
    return answer(asked)


def written(found, name, **options):
    file = io.StringIO()
    hits = describe_hits(found, 0, range(len(found.queries[0].hits)))
    write_hits(name, found, hits, file, ExportOptions(**options))
    return file.getvalue()


def table(found, keys):
    (head, row) = (line.split("\t") for line in written(found, "tsv", columns=keys).splitlines())
    return dict(zip(head, row, strict=True))


def test_tables_count_shifts_and_say_bases(found):
    query_dna = found.translation.program == "blastx"
    row = table(found, ("qstart", "qend", "sstart", "send", "frames", "frameshifts", "length", "nident", "cigar"))
    dna, protein = ("q", "s") if query_dna else ("s", "q")
    assert (row[f"{dna}start"], row[f"{dna}end"]) == (str(len(SHIFTED) - 5), "5")
    assert (row[f"{protein}start"], row[f"{protein}end"]) == ("1", "70")
    assert (row["frameshifts"], row["length"]) == ("2", "70")
    assert row["frames"].lstrip("'") == ("-3/0" if query_dna else "0/-3")
    assert re.fullmatch(r"\d+M1F\d+M1R\d+M", row["cigar"])
    assert sum(map(int, re.findall(r"(\d+)M", row["cigar"]))) == 70


def test_residues_have_signs_where_the_reading_shifts(found):
    row = table(found, ("qseq", "sseq"))
    protein, dna = row["qseq"], row["sseq"]
    if found.translation.program == "blastx":
        protein, dna = dna, protein
    assert (protein.count("-"), dna.count("\\"), dna.count("/"), dna.count("-")) == (2, 1, 1, 0)
    assert protein.replace("-", "") == PROTEIN_TEXT.decode()
    assert len(protein) == len(dna) == 72
    assert (row["qseq"], row["sseq"]) == aligned_residues(next(describe_hits(found, 0, [0])))


def test_text_numbers_bases_behind_shifts(found):
    text = written(found, "text")
    assert " Frame = -3, 2 frameshifts\n" in text
    name = "Query" if found.translation.program == "blastx" else "Sbjct"
    rows = [line.split() for line in text.splitlines() if line.startswith(f"{name}  ")]
    assert rows[0][1] == str(len(SHIFTED) - 5)
    assert rows[-1][3] == "5"
    codons = [sum(letter not in "\\/-" for letter in row[2]) for row in rows]
    for row, of_row in zip(rows, codons, strict=True):
        inside = row[2].strip("\\/")
        moved = inside.count("\\") - inside.count("/")
        assert int(row[1]) - int(row[3]) + 1 == 3 * of_row + moved


def test_gff3_has_the_path_of_the_protein_on_the_dna(found):
    line = written(found, "gff3").splitlines()[-1].split("\t")
    assert (line[0], line[2], line[3:5], line[6]) == ("d", "protein_match", ["5", str(len(SHIFTED) - 5)], "-")
    attributes = dict(one.split("=", 1) for one in line[8].split(";"))
    assert attributes["Target"].startswith("p 1 70")
    assert attributes["frameshifts"] == "2"
    assert re.fullmatch(r"M\d+ F1 M\d+ R1 M\d+", attributes["Gap"])


def test_paf_json_xml_and_blast_tables(found):
    fields = written(found, "paf").rstrip("\n").split("\t")
    assert "fs:i:2" in fields
    assert fields[4] == "-"
    assert re.fullmatch(r"cg:Z:\d+M1F\d+M1R\d+M", fields[-1])
    (hit,) = json.loads(written(found, "json"))["hits"]
    assert hit["frameshifts"] == 2
    xml = written(found, "blast-xml")
    side = "query" if found.translation.program == "blastx" else "hit"
    assert f"<{side}-frame>-3</{side}-frame>" in xml
    assert f"<{side}-from>5</{side}-from><".replace("><", ">\n<")[:-1] in xml
    assert len(written(found, "blast6").rstrip("\n").split("\t")) == 12


def test_corrected_proteins_are_the_codons_in_order(found):
    heading, *lines = written(found, "fasta-corrected").splitlines()
    assert heading.startswith(f">d/{len(SHIFTED) - 5}-5 a strand [hit=p score=")
    assert heading.endswith("frameshifts=2]")
    corrected = "".join(lines)
    same = sum(a == b for a, b in zip(corrected, PROTEIN_TEXT.decode(), strict=True))
    assert same >= 68
    if found.translation.program == "tblastn":
        aligned = written(found, "fasta-aligned").splitlines()
        assert "".join(aligned[1:]) == corrected
        heading, *lines = written(found, "fasta-aligned", flank=1).splitlines()
        assert heading.startswith(f">d/{len(SHIFTED) - 2}-2 ")
        assert "".join(lines)[1:-1] == corrected


def test_stacked_rows_have_a_residue_for_each_of_the_query(found):
    if found.translation.program == "blastx":
        with pytest.raises(InvalidParameter, match="cannot be stacked"):
            written(found, "a3m")
        return
    _, query, _, row = (line for line in written(found, "a3m").splitlines() if not line.startswith("#"))
    assert (len(query), len(row)) == (70, 70)


def test_reports_and_methods_say_frameshifts(found):
    assert "frameshifts at a cost of 15" in written(found, "text")
    assert "\\" in written(found, "html")
