"""Whatever users have sequences in becomes the same records."""

from __future__ import annotations

import pytest
from Bio.Seq import MutableSeq, Seq
from Bio.SeqRecord import SeqRecord

import swgui
from swgui.core.records import SequenceRecord
from swgui.library.queries import read_given

PEPTIDE = "MKVLWAALLV"


class ProteinSequence:
    """As biotite's: prints as its residues, and has no name."""

    def __init__(self, residues):
        self.residues = residues

    def __str__(self):
        return self.residues

    def __len__(self):
        return len(self.residues)

    def __getitem__(self, place):
        return self.residues[place]


class Protein(ProteinSequence):
    """As scikit-bio's: with names in its metadata."""

    def __init__(self, residues, metadata):
        super().__init__(residues)
        self.metadata = metadata


def read(given, **options):
    found = read_given(given, **options)
    return [(record.id, record.description, record.residues.decode()) for record in found.records]


@pytest.mark.parametrize(
    ("given", "names"),
    [
        (PEPTIDE, [("query", "")]),
        (f"  {PEPTIDE.lower()}\n", [("query", "")]),
        (f"{PEPTIDE[:5]}\n{PEPTIDE[5:]}", [("query", "")]),
        (f">a first\n{PEPTIDE}\n", [("a", "first")]),
        ({"x y": PEPTIDE}, [("x", "y")]),
        ([PEPTIDE, PEPTIDE], [("query_1", ""), ("query_2", "")]),
        ((PEPTIDE for _ in range(2)), [("query_1", ""), ("query_2", "")]),
        ([f">a\n{PEPTIDE}", PEPTIDE], [("a", ""), ("query_2", "")]),
        (Seq(PEPTIDE), [("query", "")]),
        (MutableSeq(PEPTIDE), [("query", "")]),
        (SeqRecord(Seq(PEPTIDE)), [("query", "")]),
        (SeqRecord(Seq(PEPTIDE), id="b", description="b second one"), [("b", "second one")]),
        ({"named": SeqRecord(Seq(PEPTIDE))}, [("named", "")]),
        ([SeqRecord(Seq(PEPTIDE), id="b"), Seq(PEPTIDE)], [("b", ""), ("query_2", "")]),
        (ProteinSequence(PEPTIDE), [("query", "")]),
        (Protein(PEPTIDE, {"id": "c", "description": "third"}), [("c", "third")]),
        (Protein(PEPTIDE, {}), [("query", "")]),
        (SequenceRecord("d", "own", PEPTIDE.encode()), [("d", "own")]),
    ],
    ids=lambda value: type(value).__name__,
)
def test_every_form_is_read(given, names):
    assert read(given) == [(*name, PEPTIDE) for name in names]


@pytest.mark.parametrize("package", ["biotite", "skbio"])
def test_the_real_objects_are_read(package):
    sequence = pytest.importorskip(f"{package}.sequence" if package == "biotite" else package)
    given = (
        sequence.ProteinSequence(PEPTIDE)
        if package == "biotite"
        else sequence.Protein(PEPTIDE, metadata={"id": "query"})
    )
    assert read(given) == [("query", "", PEPTIDE)]


def test_a_text_is_a_file_if_there_is_one(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "MKV").write_text(f">in\n{PEPTIDE}\n")
    assert read("MKV") == read(tmp_path / "MKV") == [("in", "", PEPTIDE)]
    assert read("MKVL") == [("query", "", "MKVL")]
    assert read_given(["MKV", "MKVL"]).files == (tmp_path.relative_to(tmp_path) / "MKV",)
    for name in ("none.fasta", "folder/none", "seq1"):
        with pytest.raises(swgui.SequenceError, match="There is no file"):
            read(name)
    with pytest.raises(swgui.SequenceError, match="There is no file"):
        read(tmp_path / "MKVL")


@pytest.mark.parametrize("given", [3.5, None, object(), [], {}, [[PEPTIDE]], {"a": 1}, Seq(None, length=5)])
def test_what_is_no_sequence_is_refused(given):
    with pytest.raises(swgui.InvalidParameter, match="no sequence"):
        read(given)


def test_kinds_are_guessed_and_never_mixed():
    assert read_given("ACGTACGTAC").alphabet.name == "nucleotide"
    assert read_given("ACGTACGTAC", "protein").alphabet.name == "protein"
    with pytest.raises(swgui.AlphabetMismatch, match="sequence after the first of queries"):
        read_given([f">a\n{PEPTIDE}\n", ">b\nACGTACGTAC\n"])


def test_changes_are_noted():
    found = read_given(f">a\n{PEPTIDE}\u00e4\n")
    assert found.remarks
    assert read_given(PEPTIDE).remarks == ()
