"""The table of places: positions and residues stand in the direction of the query, as in BLAST."""

import pytest
from Bio.SeqUtils import MeltingTemp

import swgui
from swgui.core.alphabet import Alphabet

GUIDE = "ACGTTACCATGCATTCGATC"
TURNED = GUIDE.translate(str.maketrans("ACGT", "TGCA"))[::-1]


def test_the_minus_strand_is_read_in_the_direction_of_the_query(tmp_path):
    database = {"plus": f"TT{GUIDE}TTT", "minus": f"TTTT{TURNED[:6]}C{TURNED[6:]}T"}
    found = swgui.rule("edits", GUIDE, database, edits=1, type="nucleotide", engine="cpu")
    keys = ["sseqid", "sstart", "send", "sstrand", "qstart", "qend", "qseq", "sseq", "insertions"]
    rows = list(zip(*(values.tolist() for values in found.to_arrays(keys).values()), strict=True))
    residues = GUIDE[:14], GUIDE[14:]
    assert rows == [
        ("plus", 3, 22, "plus", 1, 20, GUIDE, GUIDE, 0),
        ("minus", 25, 5, "minus", 1, 20, "-".join(residues), "G".join(residues), 1),
    ]
    for form, line in (("bed", "minus\t4\t25"), ("gff3", "minus\tswgui\tmatch\t5\t25")):
        found.write(tmp_path / "places", form)
        assert line in (tmp_path / "places").read_text()


def test_flanks_lie_in_the_direction_of_the_query_and_end_with_a_linear_sequence():
    database = {"plus": f"TTC{GUIDE}AGG", "minus": f"CCT{TURNED}{'G' * 12}A"}
    found = swgui.rule("edits", GUIDE, database, edits=0, type="nucleotide", engine="cpu")
    flanks = found.to_arrays(["before", "behind"])
    assert [flanks["before"].tolist(), flanks["behind"].tolist()] == [["TTC", "C" * 10], ["AGG", "AGG"]]
    ring = swgui.rule("edits", GUIDE, {"s": database["plus"]}, edits=0, type="nucleotide", engine="cpu", circular=True)
    assert ring.to_arrays(["before"])["before"].tolist() == [f"{GUIDE[-4:]}AGGTTC"]


def test_primers_have_their_melting_temperatures():
    template = f"{GUIDE}{'AC' * 40}{GUIDE[::-1]}"
    reverse = GUIDE.translate(str.maketrans("ACGT", "TGCA"))
    found = swgui.rule("primers", {"f": GUIDE, "r": reverse}, {"s": template}, type="nucleotide", engine="cpu")
    expected = [MeltingTemp.Tm_NN(primer, nn_table=MeltingTemp.DNA_NN3, dnac1=250, dnac2=0, Na=50, saltcorr=5)
                for primer in (GUIDE, reverse)]  # fmt: skip
    arrays = found.to_arrays(["forward_tm", "reverse_tm"])
    assert [arrays[key][0] for key in ("forward_tm", "reverse_tm")] == pytest.approx(expected, abs=0.05)


def test_a_query_is_encoded_once_for_a_block_however_many_there_are(monkeypatch):
    queries = {f"q{number}": f"M{'ACDEFGHIKL'[number % 10]}V{'NPQRSTWY'[number // 10]}" for number in range(80)}
    found = swgui.rule("peptides", queries, {"s": "WWMAVNWW"}, type="protein", engine="cpu")
    encoded = []
    plain = Alphabet.encode
    monkeypatch.setattr(Alphabet, "encode", lambda self, text: encoded.append(text) or plain(self, text))
    assert found.to_arrays(["sseq"])["sseq"].tolist() == ["MAVN"]
    assert encoded == [b"MAVN"]


def test_all_frames_have_the_same_columns():
    found = swgui.rule("peptides", {"p": "MKV"}, {"s": "WWMKVWW"}, type="protein", engine="cpu")
    arrays = found.to_arrays()
    assert list(arrays)[:7] == ["qseqid", "sseqid", "sstart", "send", "sstrand", "differences", "identity"]
    assert "sseq" not in arrays
    for package, rows in (("pandas", "to_pandas"), ("polars", "to_polars"), ("pyarrow", "to_arrow")):
        pytest.importorskip(package)
        frame = getattr(found, rows)()
        assert list(frame.columns if package != "pyarrow" else frame.column_names) == list(arrays)
