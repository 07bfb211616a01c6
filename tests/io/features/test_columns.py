"""Where hits and places lie: columns of commands and of the library."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest

import swgui
from swgui.cli import main
from swgui.core.alphabet import NUCLEOTIDE
from swgui.core.errors import InvalidParameter

GENES = "##gff-version 3\nchr1\tx\tgene\t101\t200\t.\t-\t.\tID=g;Name=abcA\nchr1\tx\tgene\t501\t600\t.\t+\t.\tID=h\n"
EXPECTED = {
    ("inside", "chr1"): ("in abcA", "abcA", "0"),
    ("before", "chr1"): ("between abcA and h, 36 bp before h", "", "36"),
    ("other", "chr1"): ("between abcA and h, 111 bp before abcA", "", "111"),
    ("other", "chr2"): ("", "", ""),
}


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("loci")
    rng = np.random.default_rng(5)
    bases = "".join(rng.choice(list("ACGT"), 900))
    turned = NUCLEOTIDE.decode(NUCLEOTIDE.reverse_complement(NUCLEOTIDE.encode(bases[150:190].encode()))).decode()
    (folder / "db.fa").write_text(f">chr1\n{bases}\n>chr2\n{bases[300:420]}\n")
    (folder / "q.fa").write_text(f">inside\n{turned}\n>before\n{bases[440:465]}\n>other\n{bases[310:350]}\n")
    (folder / "genes.gff3").write_text(GENES)
    return folder


def rows(path: Path) -> dict[tuple[str, str], tuple[str, str, str]]:
    with open(path, newline="") as file:
        return {
            (row["qseqid"], row["sseqid"]): (row["locus"], row["locus_gene"], row["locus_distance"])
            for row in csv.DictReader(file)
        }


def test_commands_and_library_say_where_rows_lie(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    given = f"-q {files / 'q.fa'} -d {files / 'db.fa'} --features {files / 'genes.gff3'}"
    search = f"search {given} --engine reference --strand both --evalue 1e-5 --columns qseqid,sseqid"
    rule = f"rule edits {given} --mismatches 0"
    for command, out in ((search, "hits.csv"), (rule, "places.csv")):
        assert main([*command.split(), "-o", str(files / out)]) == 0
        assert rows(files / out) == EXPECTED
        said = "genes.gff3: no features of 1 of 2 sequences of the result (chr2)."
        assert said in capsys.readouterr().err
    assert main([*rule.split(), "-o", str(files / "places.bed")]) == 2
    assert "no place for the columns of --features" in capsys.readouterr().err
    places = swgui.rule("edits", files / "q.fa", files / "db.fa", mismatches=0).locate(files / "genes.gff3")
    assert places.to_arrays(["qseqid", "locus"])["locus"].tolist().count("in abcA") == 1
    assert said in places.remarks
    hits = swgui.search(files / "q.fa", files / "db.fa", evalue=1e-5, strand="both").locate(files / "genes.gff3")
    hits.write(files / "hits.csv", columns="qseqid,sseqid")
    assert rows(files / "hits.csv") == EXPECTED
    with pytest.raises(InvalidParameter, match=r"The database .* has no features of its own"):
        hits.locate()


def test_features_of_the_database_and_those_of_other_names(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bases = (files / "db.fa").read_text().split("\n")[1].lower()
    lines = "".join(f"{at + 1:>9} {bases[at : at + 60]}\n" for at in range(0, len(bases), 60))
    head = "LOCUS       chr1   900 bp    DNA     linear BCT 01-JAN-2020\nACCESSION   chr1\n"
    head += "FEATURES             Location/Qualifiers\n"
    gene = '     gene            complement(101..200)\n                     /gene="abcA"\n'
    (files / "db.gb").write_text(f"{head}{gene}ORIGIN\n{lines}//\n")
    given = f"rule edits -q {files / 'q.fa'} -d {files / 'db.gb'} --mismatches 0 -o {files / 'own.csv'} --features"
    assert main(given.split()) == 0
    assert rows(files / "own.csv")["inside", "chr1"] == ("in abcA", "abcA", "0")
    assert rows(files / "own.csv")["before", "chr1"] == ("241 bp before abcA", "", "241")
    (files / "odd.gff3").write_text(GENES.replace("chr1", "NC_1").replace("501\t600", "501\t6000"))
    assert main([*given.split(), str(files / "odd.gff3")]) == 0
    said = "odd.gff3: no features of any sequence of the result (chr1); it has features of NC_1."
    assert said in capsys.readouterr().err
    (files / "long.gff3").write_text(GENES.replace("501\t600", "501\t6000"))
    assert main([*given.split(), str(files / "long.gff3")]) == 0
    said = "long.gff3: 1 feature of chr1 lies behind its end: another version of the sequence?"
    assert said in capsys.readouterr().err
    assert main([*given.split(), str(files / "absent.gff3")]) == 1
