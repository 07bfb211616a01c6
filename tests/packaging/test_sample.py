"""The sample: real where it says real, reproducible where it says simulated, and worth looking at."""

from __future__ import annotations

import gzip
from collections import Counter

import pytest
from Bio import SeqIO
from Bio.SeqUtils.CheckSum import crc64

from tests.asking import BLOSUM62, answer, search_request
from tests.scripts import load_script

# As UniProtKB publishes them in the SQ line of the entry.
PUBLISHED_CRC64 = {"HBA_HUMAN": "15E13666573BBBAE", "INS_HUMAN": "C2C3B23B85E520E5"}


@pytest.fixture(scope="module")
def script(repository):
    return load_script(repository / "packaging" / "make_sample.py")


@pytest.fixture(scope="module")
def proteins(script):
    """Entry name -> residues of the real proteins."""
    return {header.split()[0].split("|")[2]: residues for header, residues in script.read_fasta(script.PROTEINS)}


def test_shipped_files_are_what_the_script_writes(script, capsys):
    assert script.main(["--check"]) == 0
    assert "up to date" in capsys.readouterr().out


def test_compressed_bytes_carry_no_time(script):
    data = script.compressed("ACDE")
    assert data[4:8] == b"\0\0\0\0"
    assert data == script.compressed("ACDE")


def test_database_has_the_proteins_and_a_labelled_background(script, proteins):
    records = list(script.read_fasta_text(gzip.decompress(script.DATABASE.read_bytes()).decode("ascii")))
    ids = [header.split()[0] for header, _ in records]
    assert len(ids) == len(set(ids)) == 5000
    real = [(header, residues) for header, residues in records if not header.startswith("sim|")]
    assert [header.split()[0].split("|")[2] for header, _ in real] == list(proteins)
    assert all("Simulated" in header for header, _ in records if header.startswith("sim|"))
    assert set("".join(residues for _, residues in records)) == set(script.ROBINSON)


def test_background_follows_the_published_frequencies(script):
    counts = Counter("".join(residues for _, residues in script.simulated(1000)))
    total = counts.total()
    for letter, per_100000 in script.ROBINSON.items():
        expected = total * per_100000 / sum(script.ROBINSON.values())
        assert abs(counts[letter] - expected) < 5 * expected**0.5, letter


def test_known_proteins_have_the_published_checksum(proteins):
    for name, checksum in PUBLISHED_CRC64.items():
        assert crc64(proteins[name]) == f"CRC-{checksum}"


@pytest.mark.data
def test_proteins_equal_public_records(proteins, data_dir):
    """Letter by letter, every protein whose entry is in the real data."""
    public: dict[str, str] = {}
    with gzip.open(data_dir / "proteins" / "swissprot_16species.fasta.gz", "rt") as file:
        public |= {record.id.split("|")[2]: str(record.seq) for record in SeqIO.parse(file, "fasta")}
    with open(data_dir / "messy" / "biopython" / "Fasta__protein_lib.fa", encoding="ascii") as file:
        public |= {record.id.split("|")[2]: str(record.seq) for record in SeqIO.parse(file, "fasta")}
    public["CYC_HUMAN"] = public["CYC_PANTR"]  # human and chimpanzee cytochrome c are identical
    found = proteins.keys() & public.keys()
    assert found >= {
        "HBA_HUMAN",
        "CYC_HUMAN",
        "CYC1_YEAST",
        "CYC7_YEAST",
        "CYC_SCHPO",
        "UBI4P_YEAST",
        "RUB1_YEAST",
    }
    assert {name: proteins[name] for name in found} == {name: public[name] for name in found}


def test_haemoglobin_alpha_finds_its_family_in_order(script, repository):
    from swgui.core.alphabet import PROTEIN
    from swgui.io.sequences.reader import read_sequences

    golden = (repository / "tests" / "packaging" / "sample_globins.tsv").read_text("utf-8").splitlines()
    expected = [(name, int(score)) for name, score in (row.split("\t") for row in golden if not row.startswith("#"))]

    queries = tuple(read_sequences(script.QUERIES, PROTEIN))
    request = search_request(
        queries=queries[:1],
        database=script.DATABASE,
        scheme=BLOSUM62,
        engine="cpu",
        composition="none",  # as the program that gave the order
    )
    result = answer(request)
    assert result.state == "complete"
    hits = result.queries[0].hits
    found = [(result.database.ids[int(i)], int(s)) for i, s in zip(hits.db_index, hits.scores, strict=True)]
    assert found[: len(expected)] == expected
    # Neuroglobin is the last relative above the noise; nothing simulated looks like a relative.
    evalues = 10.0**hits.log10_evalues
    assert evalues[len(expected) - 1] < 0.1
    assert all(name.startswith("sp|") or evalue > 0.1 for (name, _), evalue in zip(found, evalues, strict=True))
