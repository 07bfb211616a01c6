"""Biopython's awkward files: each is read, with the letters Biopython finds, or refused for the right reason."""

import os
from pathlib import Path

import pytest
from Bio import SeqIO
from Bio.Seq import UndefinedSequenceError

from swgui.core.errors import SequenceError
from swgui.io.read_report import ReadReport
from swgui.io.sequences.reader import read_sequences

pytestmark = pytest.mark.data

FOLDER = (
    Path(os.environ.get("SWGUI_DATA") or Path(__file__).resolve().parents[3].parent / "shared" / "data")
    / "messy"
    / "biopython"
)
FILES = sorted(path.name for path in FOLDER.iterdir()) if FOLDER.is_dir() else []

EMPTY = "the only record is empty"
# Everything that is refused, and a part of the sentence that says why. All other files are read.
REFUSED = {
    "EMBL__DS830848.embl": EMPTY,  # contigs only, no letters
    "EMBL__Human_contigs.embl": "all 2 records are empty",
    "EMBL__patents.embl": "all 4 records are empty",
    "EMBL__xx_after_co.embl": "Unexpected content after SQ or CO line",
    "GenBank__DS830848.gb": EMPTY,
    "GenBank__NT_019265.gb": EMPTY,
    "GenBank__bad_origin_wrap.gb": EMPTY,
    "GenBank__bad_origin_wrap_linear.gb": EMPTY,
    "GenBank__no_origin_no_end.gb": "Premature end of line during features table",
    "GenBank__tls_KDHP01000000.gb": EMPTY,
    "GenBank__tsa_acropora.gb": EMPTY,
    "Quality__error_diff_ids.fastq": "captions differ",
    "Quality__error_double_qual.fastq": "Record 3",
    "Quality__error_double_seq.fastq": "Record 4",
    "Quality__error_long_qual.fastq": "Record 4",
    "Quality__error_no_qual.fastq": "Record 1",
    "Quality__error_qual_null.fastq": "binary file",
    "Quality__error_short_qual.fastq": "Record 3",
    "Quality__error_spaces.fastq": "Whitespace is not allowed",
    "Quality__error_tabs.fastq": "Whitespace is not allowed",
    "Quality__error_trunc_at_plus.fastq": "without quality",
    "Quality__error_trunc_at_qual.fastq": "end of file",
    "Quality__error_trunc_at_seq.fastq": "end of file",
    "Quality__error_trunc_in_plus.fastq": "captions differ",
    "Quality__error_trunc_in_qual.fastq": "Lengths of sequence and quality",
    "Quality__error_trunc_in_seq.fastq": "without quality",
    "Quality__error_trunc_in_title.fastq": "end of file",
    "Quality__example.qual": "numbers where letters should be",
    "SwissProt__uni001": "XML",
    "SwissProt__uni002": "XML",
    "SwissProt__uni003": "XML",
}

# Biopython's name of each format, for the comparison; its parser for comments in FASTA is a separate one.
BIOPYTHON = {
    "FASTA": "fasta-pearson", "FASTQ": "fastq", "GenBank": "genbank", "EMBL": "embl", "IMGT": "imgt", "PIR": "pir",
    "Swiss-Prot": "swiss",
}  # fmt: skip


def test_the_folder_holds_what_was_judged():
    assert len(FILES) > 180
    assert set(REFUSED) <= set(FILES)


@pytest.mark.parametrize("name", FILES)
def test_each_file_is_read_or_refused_with_a_clear_sentence(name):
    report = ReadReport()
    if name in REFUSED:
        with pytest.raises(SequenceError) as caught:
            list(read_sequences(FOLDER / name, report=report))
        assert REFUSED[name] in caught.value.message
        assert name in caught.value.message
        return
    records = list(read_sequences(FOLDER / name, report=report))
    assert records
    assert all(record.id and record.residues for record in records)
    assert all(remark.message.endswith(".") for remark in report.remarks)
    assert len({(r.kind, r.message) for r in report.remarks}) == len(report.remarks)


# Biopython stumbles over the feature tables of these, which are not looked at here.
BROKEN_FEATURES = ("GenBank__invalid_product.gb",)


@pytest.mark.parametrize(
    "name", [name for name in FILES if name not in (*REFUSED, *BROKEN_FEATURES) and not name.endswith("gz")]
)
@pytest.mark.filterwarnings("ignore::Bio.BiopythonWarning")
def test_the_letters_are_those_that_biopython_reads(name):
    report = ReadReport()
    ours = list(read_sequences(FOLDER / name, report=report))
    form = BIOPYTHON[report.format.split(",")[0]]
    if name == "Fasta__aster_blast.pro":
        form = "fasta-blast"
    with open(FOLDER / name, encoding="utf-8", errors="replace") as file:
        if form == "fastq":
            from Bio.SeqIO.QualityIO import FastqGeneralIterator

            letters = [sequence for _, sequence, _ in FastqGeneralIterator(file)]
        else:
            letters = [_letters(record) for record in SeqIO.parse(file, form)]
    theirs = [text.upper().replace("-", "") for text in letters]
    assert [record.residues.decode() for record in ours] == [text for text in theirs if text]


def _letters(record):
    try:
        return str(record.seq)
    except UndefinedSequenceError:
        return ""
