"""Reading sequences: formats, encodings, line ends, odd letters, and what is refused with which sentence."""

import bz2
import gzip
import lzma
import os
import sys
import threading
import zipfile

import pytest

from swgui.core.alphabet import NUCLEOTIDE, PROTEIN
from swgui.core.errors import AlphabetMismatch, SequenceError
from swgui.core.records import Remark
from swgui.io import unpacking
from swgui.io.read_report import KEPT_PER_KIND, ReadReport
from swgui.io.sequences.ledger import IdLedger
from swgui.io.sequences.reader import SequenceReader, read_sequences, read_text
from swgui.io.sequences.sources import open_text

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

PACKERS = (bz2.compress, lzma.compress, zstd.compress)
PLAIN = ">one first protein\nMKVLWAALLV\nTFLAGCQ\n>two\nPPGGPPGGWH\n"
RECORDS = [("one", "first protein", b"MKVLWAALLVTFLAGCQ"), ("two", "", b"PPGGPPGGWH")]


def as_tuples(records):
    return [(record.id, record.description, record.residues) for record in records]


def read(tmp_path, data, alphabet=None, name="in.txt"):
    path = tmp_path / name
    path.write_bytes(data if isinstance(data, bytes) else data.encode())
    report = ReadReport()
    return as_tuples(read_sequences(path, alphabet, report)), report


def messages(report, kind=None):
    return [remark.message for remark in report.remarks if kind in (None, remark.kind)]


@pytest.mark.parametrize(
    "data",
    [
        PLAIN.encode(),
        PLAIN.encode().replace(b"\n", b"\r\n"),
        PLAIN.encode().replace(b"\n", b"\r"),
        b"\xef\xbb\xbf" + PLAIN.encode(),
        PLAIN.encode("utf-16"),
        b"\xff\xfe" + PLAIN.replace("\n", "\r\n").encode("utf-16-le"),
        b"\xfe\xff" + PLAIN.replace("\n", "\r").encode("utf-16-be"),
        PLAIN.encode("utf-16-le"),
        PLAIN.encode("utf-16-be"),
        PLAIN.encode("utf-32"),
        b"\n\n  \n" + PLAIN.encode(),
        PLAIN.encode().rstrip(b"\n"),
        PLAIN.encode() + b"\n\n\n",
        PLAIN.encode().replace(b"ALLV", b" A L\tLV "),
        gzip.compress(PLAIN.encode()),
        gzip.compress(PLAIN.encode()[:25]) + gzip.compress(PLAIN.encode()[25:]),
        gzip.compress(b"\xef\xbb\xbf" + PLAIN.encode().replace(b"\n", b"\r\n")),
        gzip.compress(PLAIN.encode()) + bytes(100),
        *(pack(PLAIN.encode()) for pack in PACKERS),
        *(pack(PLAIN.encode()[:25]) + pack(PLAIN.encode()[25:]) + bytes(4) for pack in PACKERS),
    ],
    ids=[
        "plain", "crlf", "cr", "utf8-bom", "utf16", "utf16le-crlf", "utf16be-cr", "utf16le-no-bom", "utf16be-no-bom",
        "utf32", "blank-lines-first", "no-last-line-end", "blank-lines-last", "blanks-inside", "gzip",
        "gzip-two-members", "gzip-bom-crlf", "gzip-padded",
        *(f"{name}-{how}" for how in ("whole", "two-members-padded") for name in ("bzip2", "xz", "zstd")),
    ],
)  # fmt: skip
def test_the_same_records_come_out_of_every_packing_and_encoding(tmp_path, data):
    records, report = read(tmp_path, data)
    assert records == RECORDS
    assert report.remarks == []
    assert (report.records, report.residues, report.alphabet) == (2, 27, PROTEIN)
    assert report.format.startswith("FASTA")


def test_the_format_is_told_by_content_not_by_the_name(tmp_path):
    assert read(tmp_path, gzip.compress(PLAIN.encode()), name="reads.fastq")[0] == RECORDS
    records, report = read(tmp_path, "@r1 a read\nACGTN\n+\nIIIII\n", name="proteins.fasta.gz")
    assert records == [("r1", "a read", b"ACGTN")]
    assert report.format == "FASTQ"
    assert report.alphabet is NUCLEOTIDE


def test_line_ends_and_headers_across_block_borders(tmp_path):
    # Blocks are 1 MB: put CRLF, '\n>' and a header on the border in turn.
    for shift in range(-3, 4):
        filler = b"A" * ((1 << 20) - len(b">one\r\n") - len(b"\r\n") + shift)
        records, report = read(tmp_path, b">one\r\n" + filler + b"\r\n>two x\r\nACGT\r\n")
        assert [(r[0], len(r[2])) for r in records] == [("one", len(filler)), ("two", 4)]
        assert report.remarks == []


def test_a_record_without_letters_is_left_out_and_said(tmp_path):
    records, report = read(tmp_path, ">one\nMKV\n>nothing\n\n>two\n---\n>three\nWWW\n>last")
    assert [r[0] for r in records] == ["one", "three"]
    assert [(r.kind, r.record, r.line) for r in report.remarks if r.kind == "empty"] == [
        ("empty", 2, 3),
        ("empty", 3, 5),
        ("empty", 5, 9),
    ]
    assert "Record 2 'nothing' has no residues" in messages(report, "empty")[0]
    assert "3 empty records left out" in report.summary()


def test_every_change_of_letters_is_said_with_line_and_column(tmp_path):
    text = ">p q\nMKV5L-\n..wa*AL?\nMé1…Bz\n"
    records, report = read(tmp_path, text, PROTEIN)
    assert records == [("p", "q", b"MKVLWA*ALXMXXBZ")]
    said = "\n".join(messages(report))
    for part in (
        "'5' was left out, at line 2, column 4",
        "'-' (gap sign) was left out, at line 2, column 6",
        "2 × '.' (gap sign) were left out, first at line 3, column 1",
        "'?' was replaced by X, at line 3, column 8",
        "'é' was replaced by X, at line 4, column 2",
        "'…' was replaced by X, at line 4, column 5",
        "'*' (a stop) was kept, at line 3, column 5",
        "'B' (aspartate or asparagine) was kept",
        "'Z' (glutamate or glutamine) was kept",
        "1 record has lower-case letters",
    ):
        assert part in said
    assert report.counts["replaced"] == 3
    assert report.counts["removed"] == 5  # 5 - . . 1
    assert report.counts["odd"] == 3


def test_nucleotide_letters_outside_the_alphabet_become_n(tmp_path):
    records, report = read(tmp_path, ">d\nACGTACGTACGTACGTACGTUIXN\nRYACGTacgt*\n", NUCLEOTIDE)
    assert records[0][2] == b"ACGTACGTACGTACGTACGTUNNNRYACGTACGTN"
    assert {r.kind for r in report.remarks} == {"replaced", "odd", "note"}
    assert "'I' was replaced by N" in "".join(messages(report))


def test_comment_lines_of_old_fasta_are_left_out_and_said(tmp_path):
    records, report = read(tmp_path, "A heading\n\n>p\n;a comment\nMKV\n#another\nLLW\n")
    assert records == [("p", "", b"MKVLLW")]
    assert "2 × comment line ';a comment' were left out, first at line 4" in "".join(messages(report))
    assert "Text before the first '>' was left out" in messages(report)[0]


SIGNS = sorted(
    set(map(chr, range(33, 127)))
    - set("-.~_:|/0123456789")
    - set(map(chr, range(65, 91)))
    - set("abcdefghijklmnopqrstuvwxyz*")
)


@pytest.mark.parametrize("sign", [*SIGNS, "…", "é", "•", "®", "字"])
@pytest.mark.parametrize(("alphabet", "wildcard"), [(PROTEIN, "X"), (NUCLEOTIDE, "N")])
def test_any_other_sign_becomes_the_wildcard_so_that_positions_stay(tmp_path, sign, alphabet, wildcard):
    before, behind = "ACGTAC", "TTGACCA"
    records, report = read(tmp_path, f">p\n{before}{sign}{behind}\n", alphabet)
    assert records == [("p", "", f"{before}{wildcard}{behind}".encode())]
    assert messages(report, "replaced") == [f"Record 1 'p': '{sign}' was replaced by {wildcard}, at line 2, column 7."]
    assert report.altered


def test_hiv_alignments_keep_their_positions(tmp_path):
    records, report = read(tmp_path, ">p\nMKV$LW#A\n#KVLWAAL\n!!KVLWAA\n", PROTEIN)
    assert records == [("p", "", b"MKVXLWXAXKVLWAALXXKVLWAA")]
    assert report.counts["replaced"] == 5
    assert not report.counts["note"]


@pytest.mark.parametrize("comment", ["#", "# MKV", "#mkv", "#Written by X", "! by hand", ";MKV", "; a:b|c/d", "#;"])
def test_comment_lines_are_told_from_residues(tmp_path, comment):
    records, report = read(tmp_path, f">p\nMKV\n{comment}\nLLW\n", PROTEIN)
    assert records == [("p", "", b"MKVLLW")]
    assert "comment line" in messages(report)[0]


@pytest.mark.parametrize("separator", [":", "|", "/"])
@pytest.mark.parametrize(
    "text",
    [
        ">c\nMKV\nlw{}AALL\n",
        ">c\nMKV\nL*{} aall\n",
        ">c\nMKV\nLW{0}{0}AALL\n",
        ">c\nMKV\nLW{}\nAALL\n",
        ">c\nMKV\nLW{}",
    ],
)
def test_chains_written_as_one_are_refused(tmp_path, separator, text):
    with pytest.raises(SequenceError) as caught:
        read(tmp_path, ">a\nMKV\n" + text.format(separator))
    assert (caught.value.record, caught.value.line) == (2, 5)
    assert (
        f"Record 2 'c' has '{separator}' at line 5, column 3, as if chains were joined by it." in caught.value.message
    )
    assert caught.value.hint == "Write each chain as a record with a header of its own."
    with pytest.raises(SequenceError, match="The text: Record 1"):
        read_text(f"MKVLW{separator}MKVLW")


@pytest.mark.parametrize("text", [">c\nfrom the paper:\nMKV\n", ">c\n(3/4) MKV\n", ">c\nMKV |12\n"])
def test_separators_that_join_nothing_are_signs(tmp_path, text):
    _, report = read(tmp_path, text, PROTEIN)
    assert report.counts["replaced"] >= 1


def test_what_is_no_residue_is_left_out(tmp_path):
    path = tmp_path / "odd.fa"
    path.write_bytes(">p\nMK\u2013V\u2212\u0301L\u00a0W\u200bA\u0007\x1bA²L\n".encode())
    report = ReadReport()
    (record,) = read_sequences(path, PROTEIN, report)
    assert record.residues == b"MKVLWAAL"
    assert report.counts == {"removed": 6}


def test_bytes_of_latin_1_are_read_as_such(tmp_path):
    path = tmp_path / "latin.fa"
    path.write_bytes(">p\nMK\u00a0V\u00b0L\u00e9W\u00adA\n".encode("latin-1"))
    report = ReadReport()
    (record,) = read_sequences(path, PROTEIN, report)
    assert record.residues == b"MKVXLXWA"
    assert [text.partition(": ")[2].partition(",")[0] for text in messages(report)] == [
        "'°' was replaced by X", "'é' was replaced by X", "the character U+00AD was left out"
    ]  # fmt: skip


def test_headers(tmp_path):
    data = ">\nMKV\n>  spaced   out text \nMKV\n>caf\xe9 latin\nMKV\n>tab\tx y\nMKV\n>ws\u00a0nbsp\nMKV\n"
    path = tmp_path / "h.fa"
    path.write_bytes(data.encode("latin-1"))
    report = ReadReport()
    records = as_tuples(read_sequences(path, report=report))
    assert [(r[0], r[1]) for r in records] == [
        ("record_1", ""),
        ("spaced", "out text"),
        ("café", "latin"),
        ("tab", "x y"),
        ("ws", "nbsp"),
    ]
    assert any("Record 1 has no identifier" in message for message in messages(report))
    assert any("Record 3 'café'" in message and "Latin-1" in message for message in messages(report))


def test_names_of_any_script_and_with_controls_are_kept(tmp_path):
    records, _ = read(tmp_path, ">שלום שלום\x07 =1+1\nMKV\n>\x1b[31mred\nWWW\n")
    assert [r[0] for r in records] == ["שלום", "\x1b[31mred"]


def test_messages_show_names_without_controls(tmp_path):
    _, report = read(tmp_path, ">\x1b[31mred\nMK5V\n")
    assert "\x1b" not in messages(report)[0]
    assert "'\N{REPLACEMENT CHARACTER}[31mred'" in messages(report)[0]


def test_duplicates_are_kept_and_said(tmp_path):
    records, report = read(tmp_path, ">a\nMKV\n>b\nMKV\n>a\nWWW\n>a\nWWW\n")
    assert [r[0] for r in records] == ["a", "b", "a", "a"]
    assert [(r.record, r.line) for r in report.remarks] == [(3, 5), (4, 7)]
    assert messages(report)[0] == "Record 3 has the same identifier as record 1: 'a'."


@pytest.mark.parametrize("largest", [1, 8, 1 << 20])
def test_duplicates_are_found_across_batches(largest):
    ledger = IdLedger(batch=4, largest=largest)
    found = []
    names = [f"id{n % 23}" for n in range(100)]
    for number, name in enumerate(names, 1):
        found += ledger.add(name, number, 0)
    found += ledger.flush()
    assert [remark.record for remark in found] == list(range(24, 101))
    for remark in found:
        first = names.index(names[remark.record - 1]) + 1
        assert f" as record {first}: " in remark.message


def test_remarks_are_bounded_and_counted(tmp_path):
    text = "".join(f">p{n}\nMK-V\n" for n in range(KEPT_PER_KIND + 50))
    _, report = read(tmp_path, text)
    assert len(report.remarks) == KEPT_PER_KIND
    assert report.counts["removed"] == KEPT_PER_KIND + 50
    assert not report.complete
    lines = list(report.listing())
    assert len(lines) == KEPT_PER_KIND + 1
    assert lines[-1] == "Not every remark is listed, only 1,000 of each kind. In all: 1,050 signs left out."
    assert list(report.brief()) == [f"{lines[0]} (1,049 more of this kind.)"]


def test_in_brief_only_remarks_about_one_thing_are_counted_together(tmp_path):
    head = "LOCUS       X{0} {0} bp DNA linear UNA 01-JAN-2000 {0} {0} {0}\nDEFINITION  x\n"
    table = "FEATURES             Location/Qualifiers\n     CDS             5..{0}..x\n"
    path = tmp_path / "odd.gb"
    path.write_text("".join((head + table + "ORIGIN\n        1 acgtacgtac\n//\n").format(n) for n in (4, 5, 6)))
    report = ReadReport()
    list(read_sequences(path, report=report))
    assert [text.partition(": ")[2] for text in report.brief()] == [
        "Malformed LOCUS line found. (2 more of this kind.)",
        "A feature 'CDS' cannot be read and was left out. (2 more of this kind.)",
        "Expected sequence length 4, found 10 (X4). (2 more of this kind.)",
    ]


def test_in_brief_gaps_do_not_hide_what_else_was_left_out(tmp_path):
    _, report = read(tmp_path, ">p\nMK--V\n>q\nM-K\x1bV\n")
    assert [text.partition(": ")[2] for text in report.brief()] == [
        "2 × '-' (gap sign) were left out, first at line 2, column 3. (1 more of this kind.)",
        "the control character 27 was left out, at line 4, column 4.",
    ]


def test_in_brief_notes_of_many_kinds_are_counted():
    report = ReadReport()
    for number, word in enumerate(["alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta"]):
        for _ in range(number + 1):
            report.add(Remark("note", f"Record {number} 'x y': {word} is odd."))
    brief = list(report.brief())
    assert len(brief) == 6
    assert brief[1] == "Record 1 'x y': beta is odd. (1 more of this kind.)"
    assert brief[-1] == "13 further remarks of other kinds."


def test_the_kind_is_guessed_for_the_whole_file(tmp_path):
    assert read(tmp_path, ">d\nACGTACGTNN\n>e\nacgtt\n")[1].alphabet is NUCLEOTIDE
    assert read(tmp_path, ">d\nACGTXXXXACGTACGT\n")[1].alphabet is NUCLEOTIDE
    # One protein among the first records decides: all letters of DNA are amino acids, too.
    records, report = read(tmp_path, ">d\nACGTACGTNN\n>e\nMKVLWE\n")
    assert report.alphabet is PROTEIN
    assert records[0][2] == b"ACGTACGTNN"
    assert "look like nucleotides, for example record 1 'd'" in messages(report, "note")[0]


def test_empty_records_at_the_start_do_not_hide_the_kind(tmp_path):
    records, report = read(tmp_path, ">e\n\n" * 200 + ">d\nACGTACGTACGT\n")
    assert report.alphabet is NUCLEOTIDE
    assert [record[0] for record in records] == ["d"]


def test_a_protein_far_down_a_nucleotide_file_is_refused(tmp_path):
    text = "".join(f">d{n}\nACGTACGTAC\n" for n in range(150)) + ">p\nMKVLWAALLVTFLAGCQEFIL\n"
    with pytest.raises(SequenceError) as caught:
        read(tmp_path, text)
    assert (caught.value.record, caught.value.line) == (151, 301)
    assert "is no nucleotide sequence" in str(caught.value)


def test_nucleotides_where_protein_is_asked_for():
    dna = ">d\nACGTACGTACGTNN\n"
    report = ReadReport()
    assert read_text(dna, PROTEIN, report)[0].residues == b"ACGTACGTACGTNN"
    assert "All records look like nucleotides" in messages(report)[0]
    with open_text(dna) as source, pytest.raises(AlphabetMismatch):
        list(SequenceReader(source, PROTEIN, refuse_other_kind=True))


def test_pasted_letters_need_no_header():
    report = ReadReport()
    assert as_tuples(read_text("1 MKVLW AALLV\n11 TFLAG\n\n", report=report)) == [("query", "", b"MKVLWAALLVTFLAG")]
    assert report.counts["removed"] == 3
    assert as_tuples(read_text("acgtacgtac"))[0][2] == b"ACGTACGTAC"
    assert as_tuples(read_text(PLAIN)) == RECORDS
    assert (
        len(read_text("LOCUS       X 4 bp DNA linear UNA 01-JAN-2000\nDEFINITION  x\nORIGIN\n        1 acgt\n//\n"))
        == 1
    )


def test_a_fault_of_pasted_text_is_told_as_one_of_the_text():
    with pytest.raises(SequenceError, match=r"^Record 1 of the text cannot be read, at line "):
        read_text("@a\nACGT\n+\n!\n@b\nACGT\n+\n!!!!\n")
    with pytest.raises(SequenceError, match=r"^The text "):
        read_text("<!DOCTYPE html>\n<html><body>no sequence</body></html>\n")


REFUSED = {
    "empty": (b"", "is empty"),
    "only a byte-order mark": (b"\xef\xbb\xbf", "is empty"),
    "blank lines": (b"\n\n  \n", "nothing but blank lines"),
    "letters without header": (b"MKVLWAALLV\nTFLAG\n", "no header line"),
    "prose": (b"Dear colleague, see attachment (1).\n", "no format that is read here"),
    "only headers": (b">a\n>b\n", "all 2 records are empty"),
    "one header": (b">a", "the only record is empty"),
    "binary": (bytes(range(256)) * 20, "binary file"),
    "zeros": (bytes(5000), "binary file"),
    "gzipped binary": (gzip.compress(bytes(5000)), "binary file"),
    "truncated gzip": (gzip.compress(os.urandom(50) + PLAIN.encode() * 100)[:-30], "ends in the middle"),
    "gzip head only": (gzip.compress(PLAIN.encode())[:5], "ends in the middle"),
    "gzip with a wrong checksum": (gzip.compress(PLAIN.encode())[:-8] + bytes(8), "damaged"),
    "gzip with garbage behind": (gzip.compress(PLAIN.encode()) + b"garbage", "damaged"),
    "not even gzip": (b"\x1f\x8b" + b"garbage" * 10, "damaged"),
    "zip": (b"PK\x03\x04rest", "zip archive"),
    "truncated bzip2": (bz2.compress(os.urandom(50) + PLAIN.encode() * 100)[:-30], "ends in the middle"),
    "truncated xz": (lzma.compress(PLAIN.encode())[:-30], "ends in the middle"),
    "truncated zstd": (zstd.compress(PLAIN.encode())[:-5], "ends in the middle"),
    "bzip2 with garbage behind": (bz2.compress(PLAIN.encode()) + b"garbage", "damaged"),
    "xz with garbage behind": (lzma.compress(PLAIN.encode()) + b"garbage", "damaged"),
    "zstd with garbage behind": (zstd.compress(PLAIN.encode()) + b"garbage", "damaged"),
    "damaged bzip2": (bz2.compress(PLAIN.encode())[:20] + bytes(40), "damaged"),
    "not even xz": (b"\xfd7zXZ\x00rest" + bytes(40), "damaged"),
    "not even zstd": (b"\x28\xb5\x2f\xfd" + b"garbage" * 10, "damaged"),
    "html": (b"<!DOCTYPE html>\n<html>", "web page"),
    "xml": (b"<?xml version='1.0'?><a/>", "XML"),
    "json": (b'{"a": 1}', "JSON"),
    "pdf": (b"%PDF-1.4\n", "PDF"),
    "clustal": (b"CLUSTAL W (1.83)\n\na  MKV\n", "Clustal"),
    "stockholm": (b"# STOCKHOLM 1.0\na MKV\n//\n", "Stockholm"),
    "sam": (b"@HD\tVN:1.6\n", "SAM"),
    "qualities": (b">a\n26 26 18\n>b\n1 2\n", "numbers where letters should be"),
    "broken utf-16": (b"\xff\xfe" + ">a\nMKV".encode("utf-16-le") + b"\x00\xd8A", "not proper UTF-16-LE"),
    "fastq without quality": (b"@r\nACGT\n", "Record 1"),
    "fastq with short quality": (b"@r\nACGT\n+\nII\n", "Lengths of sequence and quality"),
    "genbank cut off": (b"LOCUS       X 4 bp DNA linear UNA 01-JAN-2000\nDEFINITION  x\n", "Record 1"),
    "embl nonsense": (b"ID   what is this\nSQ   x\n", "Record 1"),
    "swissprot nonsense": (b"ID   X   Reviewed;   4 AA.\nXY   x\n//\n", "Record 1"),
    "pir without end": (b">P1;X\nname\nMKV\n", "terminator"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_refusals_are_one_sentence_that_names_the_file(tmp_path, name):
    data, part = REFUSED[name]
    with pytest.raises(SequenceError, match=part.replace("(", r"\(")) as caught:
        read(tmp_path, data, name="my file.txt")
    error = caught.value
    assert "my file.txt" in error.message
    assert error.path.endswith("my file.txt")
    assert error.message.endswith(".")
    assert "\n" not in error.message


def test_a_real_zip_is_refused(tmp_path):
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr("a.fa", PLAIN)
    with pytest.raises(SequenceError, match="Unpack it first"):
        list(read_sequences(tmp_path / "a.zip"))
    (tmp_path / "a.zip").rename(tmp_path / "a.swgui")  # such files are zip archives, too
    with pytest.raises(SequenceError, match=r"^'a\.swgui' was saved by this program .* 'swgui show'"):
        list(read_sequences(tmp_path / "a.swgui"))


def test_missing_folder_and_impossible_names(tmp_path):
    with pytest.raises(SequenceError, match="There is no file"):
        list(read_sequences(tmp_path / "nothing.fa"))
    with pytest.raises(SequenceError, match=r"^'[^']*' is a folder, not a file"):
        list(read_sequences(tmp_path))
    with pytest.raises(SequenceError, match="cannot be opened"):
        list(read_sequences("zero\0byte"))
    # Windows says of a name that is too long that there is no such file.
    with pytest.raises(SequenceError, match="There is no file" if os.name == "nt" else "cannot be opened"):
        list(read_sequences("n" * 5000))


def test_no_permission(tmp_path, monkeypatch):
    path = tmp_path / "secret.fa"
    path.write_text(PLAIN)
    path.chmod(0)
    if os.access(path, os.R_OK):  # root may read everything: let the system call refuse

        def refuse(*arguments, **options):
            raise PermissionError(13, "Permission denied")

        monkeypatch.setattr("builtins.open", refuse)
    with pytest.raises(SequenceError, match="may not be read by you"):
        list(read_sequences(path))


def test_paths_with_blanks_and_other_scripts(tmp_path):
    folder = tmp_path / "мои данные 数据"
    folder.mkdir()
    assert read(folder, PLAIN, name="белки №1.fasta")[0] == RECORDS


def test_a_packed_file_cannot_ask_for_any_memory(tmp_path, monkeypatch):
    packed = lzma.compress(PLAIN.encode(), preset=9)
    assert read(tmp_path, packed)[0] == RECORDS
    monkeypatch.setattr(unpacking, "LARGEST_WINDOW", 32 << 20)
    with pytest.raises(SequenceError, match="limit"):
        read(tmp_path, packed)


@pytest.mark.parametrize("pack", [gzip.compress, *PACKERS])
def test_a_bomb_is_stopped(tmp_path, monkeypatch, pack):
    monkeypatch.setattr(unpacking, "ALWAYS_ALLOWED", 8 << 20)
    data = b">bomb\n" + b"A" * (16 << 20)
    with pytest.raises(SequenceError, match="250-fold"):
        read(tmp_path, pack(data))
    assert len(read(tmp_path, data)[0][0][2]) == 16 << 20  # unpacked by the user, it is read


def test_warnings_of_the_parsers_become_remarks_in_any_thread(tmp_path):
    path = tmp_path / "odd.gb"
    path.write_text("LOCUS       X 4 bp DNA linear UNA 01-JAN-2000\nDEFINITION  x\nORIGIN\n        1 acgt\n")
    reports = [ReadReport() for _ in range(4)]
    threads = [threading.Thread(target=lambda r=r: list(read_sequences(path, report=r))) for r in reports]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for report in reports:
        assert report.records == 1
        assert any("Premature end of file" in message for message in messages(report))


def test_modified_bases_are_unknown_ones_and_counted(tmp_path):
    records, report = read(tmp_path, ">t\nGCGGAUUIAGCUC(6MZ)AGUUΨGGGAGAGC(6MZ)GCCAGACUGAA\n", None)
    assert records == [("t", "", b"GCGGAUUNAGCUCNAGUUNGGGAGAGCNGCCAGACUGAA")]
    said = "".join(messages(report))
    assert "2 × '(6MZ)' were replaced by N, first at line 2, column 14" in said
    assert "'I' was replaced by N" in said
    assert "'Ψ' was replaced by N" in said
    records, _ = read(tmp_path, ">p\n(MSE)KVLWAALLVTFLAGC\n", None)
    assert records == [("p", "", b"XKVLWAALLVTFLAGC")]
