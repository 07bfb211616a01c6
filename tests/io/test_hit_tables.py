"""Hits of other programs: what BLAST+ wrote, what this program wrote, and what is no table at all."""

import gzip
import io
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from swgui.io.export import write_hits
from swgui.io.tables.hits import HitTableError, read_hit_table

# blastp 2.12.0+ of two equal queries against one subject, -outfmt 7
FORMAT_7 = """# BLASTP 2.12.0+
# Query: q1
# Database: spdb
# Fields: query acc.ver, subject acc.ver, % identity, alignment length, mismatches, gap opens, q. start, q. end, \
s. start, s. end, evalue, bit score
# 1 hits found
q1\tsubject\t87.209\t86\t7\t2\t6\t88\t13\t97\t1.25e-54\t151
# BLASTP 2.12.0+
# Query: nothing
# Database: spdb
# 0 hits found
# BLASTP 2.12.0+
# Query: q2
# Database: spdb
# Fields: query acc.ver, subject acc.ver, % identity, alignment length, mismatches, gap opens, q. start, q. end, \
s. start, s. end, evalue, bit score
# 1 hits found
q2\tsubject\t87.209\t86\t7\t2\t6\t88\t13\t97\t1.25e-54\t151
# BLAST processed 3 queries
"""
FORMAT_6 = "".join(line + "\n" for line in FORMAT_7.splitlines() if not line.startswith("#"))

HSP = """<Hsp><Hsp_num>1</Hsp_num><Hsp_bit-score>216.789</Hsp_bit-score><Hsp_score>239</Hsp_score>
<Hsp_evalue>2.92449e-61</Hsp_evalue><Hsp_query-from>7</Hsp_query-from><Hsp_query-to>140</Hsp_query-to>
<Hsp_hit-from>168</Hsp_hit-from><Hsp_hit-to>34</Hsp_hit-to><Hsp_identity>131</Hsp_identity><Hsp_gaps>5</Hsp_gaps>
<Hsp_align-len>137</Hsp_align-len></Hsp>"""
XML_1 = f"""<?xml version="1.0"?>
<!DOCTYPE BlastOutput PUBLIC "-//NCBI//NCBI BlastOutput/EN" "http://www.ncbi.nlm.nih.gov/dtd/NCBI_BlastOutput.dtd">
<BlastOutput><BlastOutput_program>blastn</BlastOutput_program><BlastOutput_version>BLASTN 2.12.0+</BlastOutput_version>
<BlastOutput_iterations>
<Iteration><Iteration_query-def>first one</Iteration_query-def><Iteration_query-len>150</Iteration_query-len>
<Iteration_hits></Iteration_hits></Iteration>
<Iteration><Iteration_query-def>second one</Iteration_query-def><Iteration_query-len>150</Iteration_query-len>
<Iteration_hits><Hit><Hit_num>1</Hit_num><Hit_id>gnl|BL_ORD_ID|0</Hit_id><Hit_def>chr1 a chromosome</Hit_def>
<Hit_len>211</Hit_len><Hit_hsps>{HSP}</Hit_hsps></Hit></Iteration_hits></Iteration>
</BlastOutput_iterations></BlastOutput>
"""


def read(tmp_path, text, name="hits.txt"):
    path = tmp_path / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return read_hit_table(path)


@pytest.mark.parametrize(
    "text",
    [FORMAT_6, FORMAT_7, FORMAT_7.replace("\n", "\r\n"), gzip.compress(FORMAT_6.encode())],
    ids=["format 6", "format 7", "ends of lines of Windows", "compressed"],
)
def test_blast_tables(tmp_path, text):
    table = read(tmp_path, text)
    assert len(table) == 2
    assert (table.queries, table.subjects) == (["q1", "q2"], ["subject", "subject"])
    assert {name: float(values[0]) for name, values in table.values.items()} == {
        "pident": 87.209, "length": 86, "mismatch": 7, "gapopen": 2, "qstart": 6, "qend": 88, "sstart": 13,
        "send": 97, "evalue": 1.25e-54, "bitscore": 151,
    }  # fmt: skip
    assert all(values.dtype == np.float64 for values in table.values.values())


def test_the_program_is_named(tmp_path):
    assert read(tmp_path, FORMAT_7).program == "BLASTP 2.12.0+"
    assert read(tmp_path, FORMAT_6).program == ""
    assert len(read(tmp_path, "# BLASTP 2.12.0+\n# Query: x\n# 0 hits found\n")) == 0


def test_other_columns_by_their_header(tmp_path):
    table = read(tmp_path, 'query,target,fident,evalue,note\nq1,t1,0.95,1e-5,hm\n"q,2",t2,0.5,,x\n')
    assert (table.queries, table.subjects) == (["q1", "q,2"], ["t1", "t2"])
    assert table.values["pident"].tolist() == [95.0, 50.0]
    assert math.isnan(table.values["evalue"][1])
    assert set(table.values) == {"pident", "evalue"}
    assert read(tmp_path, "bitscore\tsseqid\tqseqid\n5\ts\tq\n").values["bitscore"].tolist() == [5.0]


def test_a_column_that_is_there_twice_is_read_once(tmp_path):
    table = read(tmp_path, "qseqid\tqaccver\tsseqid\tbits\tbitscore\na\tb\tc\t1\t2\n")
    assert (table.queries, table.subjects) == (["a"], ["c"])
    assert table.values["bitscore"].tolist() == [1.0]


def test_names_that_look_like_a_header(tmp_path):
    table = read(tmp_path, FORMAT_6.replace("q1", "query").replace("q2", "target"))
    assert table.queries == ["query", "target"]


def test_xml_of_the_older_kind(tmp_path):
    table = read(tmp_path, XML_1)
    assert table.program == "BLASTN 2.12.0+"
    assert (table.queries, table.subjects) == (["second"], ["chr1"])
    numbers = {name: float(values[0]) for name, values in table.values.items()}
    assert (numbers["sstart"], numbers["send"], numbers["score"], numbers["slen"]) == (168, 34, 239, 211)
    assert numbers["pident"] == pytest.approx(100 * 131 / 137)
    assert math.isnan(numbers["positive"])


@pytest.mark.parametrize("name", ["tsv", "csv", "blast6", "blast7", "blast-xml", "blast-xml1"])
def test_what_this_program_writes(proteins, tmp_path, name):
    result, hits = proteins
    aligned = [hit for hit in hits if hit.alignment is not None]
    file = io.StringIO()
    write_hits(name, result, aligned, file)
    table = read(tmp_path, file.getvalue())
    assert table.subjects == {"tsv": ["s1", "'=cmd()", "'-s3"], "csv": ["s1", "'=cmd()", "'-s3"]}.get(
        name, ["s1", "=cmd()", "-s3"]
    )
    assert table.values["evalue"][1] == pytest.approx(10**-0.42, rel=0.005)
    assert table.values["bitscore"].tolist() == pytest.approx([hit.bit_score for hit in aligned], abs=0.05)
    assert table.values["qend"].tolist() == [63, 15, 3]
    assert table.values["sstart"].tolist() == [1, 3, 3]


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("", "is empty"),
        ("\n\n", "has no hits"),
        (">a\nMKV\n", "Line 1 of 'hits.txt' has 1 fields instead of 12"),
        (FORMAT_6 + "q\ts\t1\n", "Line 3 of 'hits.txt' has 3 fields"),
        (FORMAT_6.replace("86", "many", 1), "Line 1 of 'hits.txt': 'many' in the column length is not a number"),
        ("# Fields: evalue, bit score\n1\t2\n", "no columns for query and subject"),
        (FORMAT_7.replace("subject acc.ver", "bits", 1), "no columns for query and subject"),
        (FORMAT_7 + "# Fields: query id, subject id\n", "Line 18 of 'hits.txt' changes the columns"),
        ("<html></html>", "XML, but not of BLAST"),
        ("<BlastOutput><Iteration>", "broken XML"),
        (XML_1.replace("239", "lots"), "'lots' in the column score"),
        (bytes(1000), "binary"),
        (b"PK\x03\x04xxxx", "zip"),
    ],
)
def test_refusals(tmp_path, text, part):
    with pytest.raises(HitTableError) as caught:
        read(tmp_path, text)
    assert part in caught.value.message
    assert "hits.txt" in caught.value.message


def test_missing_files(tmp_path):
    with pytest.raises(HitTableError, match="There is no file"):
        read_hit_table(tmp_path / "nothing")
    with pytest.raises(HitTableError, match="is a folder"):
        read_hit_table(tmp_path)


@given(st.integers(0, len(XML_1)), st.binary(max_size=20), st.sampled_from([FORMAT_6, FORMAT_7, XML_1]))
def test_any_edit_gives_a_table_or_an_error(tmp_path_factory, place, insert, text):
    path = tmp_path_factory.getbasetemp() / "edited.hits"
    data = text.encode()
    at = place % len(data)
    path.write_bytes(data[:at] + insert + data[at + len(insert) // 2 :])
    try:
        table = read_hit_table(path)
    except HitTableError:
        return
    assert len(table.subjects) == len(table)
    assert all(len(values) == len(table) for values in table.values.values())
