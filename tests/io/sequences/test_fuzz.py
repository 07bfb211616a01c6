"""Whatever bytes come in, readers answer with records or with a `SequenceError`."""

import gzip
import io

from Bio.SeqIO.FastaIO import SimpleFastaParser
from hypothesis import example, given
from hypothesis import strategies as st

from swgui.core.alphabet import NUCLEOTIDE, PROTEIN
from swgui.core.errors import SequenceError
from swgui.io.read_report import ReadReport
from swgui.io.sequences.parsers import scan_fasta
from swgui.io.sequences.reader import SequenceReader
from swgui.io.sequences.sources import TextSource

STARTS = (
    b"", b">a b\nMKV\n", b"@r\nACGT\n+\nIIII\n", b">P1;X\nname\nMKV*\n", b"\xff\xfe", b"\x1f\x8b\x08\x00",
    b"LOCUS       X 4 bp DNA linear UNA 01-JAN-2000\nDEFINITION  x\nORIGIN\n 1 acgt\n//\n",
    b"ID   X; SV 1; linear; DNA; STD; UNC; 4 BP.\nSQ   Sequence 4 BP;\n     acgt 4\n//\n",
    b"ID   X   Reviewed;   3 AA.\nAC   P1;\nSQ   SEQUENCE   3 AA;  1 MW;  1 CRC64;\n     MKV\n//\n",
)  # fmt: skip
PIECES = st.one_of(
    st.binary(max_size=40),
    st.sampled_from(
        [*STARTS, b"\n", b"\r", b">", b"@", b"//\n", b"ORIGIN\n", b"SQ   \n", b"FT   ", b"     ", b"*", b"\0"]
    ),
    st.text(max_size=20).map(str.encode),
)
BYTES = st.lists(PIECES, max_size=12).map(b"".join)


def read_bytes(data, alphabet=None, raw=False):
    report = ReadReport()
    with TextSource(io.BytesIO(data), "'fuzz'", "fuzz", len(data)) as source:
        return list(SequenceReader(source, alphabet, report, raw_allowed=raw)), report


@given(BYTES, st.sampled_from([None, PROTEIN, NUCLEOTIDE]), st.booleans(), st.booleans())
@example(b"ID   ", None, False, False)
@example(b">P1;", None, False, False)
@example(b"@\n", None, False, False)
def test_any_bytes_give_clean_records_or_a_sequence_error(data, alphabet, raw, packed):
    try:
        records, report = read_bytes(gzip.compress(data, 1) if packed else data, alphabet, raw)
    except SequenceError:
        return
    assert report.records == len(records) > 0
    assert report.residues == sum(len(record.residues) for record in records)
    for record in records:
        assert record.id
        assert record.residues
        assert report.alphabet.decode(report.alphabet.encode(record.residues)) == record.residues


@given(BYTES, st.integers(1, 50))
def test_fasta_is_cut_the_same_in_any_blocks_and_as_biopython_cuts_it(data, size):
    data = data.replace(b"\r", b"\n").replace(b"\0", b"")
    blocks = [data[start : start + size] for start in range(0, len(data), size)]
    whole, pieces = list(scan_fasta(iter([data]))), list(scan_fasta(iter(blocks)))
    assert whole == pieces
    for line, title, _ in whole[1:]:
        assert data.split(b"\n")[line - 1] == b">" + title
    text = io.StringIO(data.decode("latin-1"), newline="\n")
    theirs = [(title, "".join(body.split())) for title, body in SimpleFastaParser(text)]
    ours = [(title.decode("latin-1").rstrip(), "".join(body.decode("latin-1").split())) for _, title, body in whole[1:]]
    assert ours == theirs


@given(
    st.lists(
        st.tuples(st.from_regex(r"[A-Za-z0-9|_.]{1,10}", fullmatch=True), st.text("ACDEFGHIKLMNPQRSTVWYX", min_size=1))
    )
)
def test_what_was_written_is_read(records):
    data = "".join(f">{name}\n{letters}\n" for name, letters in records).encode()
    if not records:
        return
    found, _ = read_bytes(data, PROTEIN)
    assert [(r.id, r.residues.decode()) for r in found] == records


@given(st.binary(min_size=1, max_size=60), st.integers(0, 10_000))
def test_flipped_bits_in_a_packed_file(noise, place):
    data = bytearray(gzip.compress(b">a\n" + b"MKVLWAALLV" * 20 + b"\n"))
    for offset, byte in enumerate(noise):
        data[(place + offset) % len(data)] ^= byte
    try:
        records, _ = read_bytes(bytes(data))
    except SequenceError:
        return
    assert records
