"""Alignments of bases as files have them: one reading of all formats, pairs of a structure, and faults."""

import gzip

import pytest

from swgui.core.covariation.alignment import ABSENT
from swgui.core.errors import AlphabetMismatch, ProfileError, SequenceError
from swgui.io.profiles.base_alignments import read_bases

TEXTS = {
    "a.sto": "# STOCKHOLM 1.0\n#=GF ID fam\nr1 GGCA\nr2 g-ta\n\nr1 AAGCC\nr2 A.NUU\n"
    "#=GC SS_cons <<..\n#=GC SS_cons ..>>.\n//\n",
    "a.afa": ">r1\nGGCAAAGCC\n>r2 x\ng-ta\nA.NUU\n",
    "a.a3m": ">r1\nGGCAAAGCC\n>r2 x\nG-uTA\nA-NcUU\n",
    "a.aln": "CLUSTAL W\n\nr1 GGCAAAGCC\nr2 G-TAA-NUU\n",
}


def written(folder, name, text):
    path = folder / name
    path.write_text(text)
    return path


@pytest.mark.parametrize("name", TEXTS)
def test_all_formats_are_read_alike(tmp_path, name):
    found, remarks = read_bases(written(tmp_path, name, TEXTS[name]))
    a, c, g, u, no = 0, 1, 2, 3, ABSENT
    assert found.codes.tolist() == [[g, g, c, a, a, a, g, c, c], [g, no, u, a, a, no, no, u, u]]
    assert (list(found.ids), remarks) == (["r1", "r2"], ())
    assert found.name == ("fam" if name == "a.sto" else "a")
    assert found.pairs.tolist() == ([[0, 7], [1, 6]] if name == "a.sto" else [])
    assert (found.partners is None) == (name != "a.sto")


def test_compressed_files_and_pseudoknots_are_read(tmp_path):
    text = "# STOCKHOLM 1.0\nr1 GGCCGGCC\nr2 GGCCGGCC\n#=GC SS_cons <A[(>a])\n//\n# STOCKHOLM 1.0\nr1 A\n//\n"
    path = tmp_path / "a.sto.gz"
    path.write_bytes(gzip.compress(text.encode()))
    found, remarks = read_bases(path)
    assert found.pairs.tolist() == [[0, 4], [1, 5], [2, 6], [3, 7]]
    assert len(remarks) == 1


@pytest.mark.parametrize(
    ("text", "error", "said"),
    [
        ("", SequenceError, "empty"),
        ("hello", ProfileError, "no format"),
        (">a\nMKVLAWQEF\n>b\nMKVLAWQEF\n", AlphabetMismatch, "protein"),
        (">a\n----\n>b\n----\n", ProfileError, "first 2 rows have no bases"),
        (">a\nACGU\n>b\nACG\n", ProfileError, "'b' has 3 columns"),
        (">a\nACGU\n>b\nAC%U\n", ProfileError, "line 4: '%' in column 3 of 'b'"),
        ("# STOCKHOLM 1.0\nr1 ACGU\n#=GC SS_cons <<.>\n//\n", ProfileError, "'<' in column 1 of the line SS_cons"),
        ("# STOCKHOLM 1.0\nr1 ACGU\n#=GC SS_cons ..)>\n//\n", ProfileError, "')' in column 3 of the line SS_cons"),
        ("# STOCKHOLM 1.0\nr1 ACGU\n#=GC SS_cons <>\n//\n", ProfileError, "SS_cons has 2 columns"),
        ("# STOCKHOLM 1.0\n//\n", ProfileError, "alignment is empty"),
        ("HMMER3/f [3.3]\nNAME x\n", ProfileError, "HMMER3"),
    ],
)
def test_faults_are_named(tmp_path, text, error, said):
    with pytest.raises(error) as caught:
        read_bases(written(tmp_path, "x.sto", text))
    assert said in str(caught.value)


def test_missing_files_are_named(tmp_path):
    with pytest.raises(SequenceError, match="none"):
        read_bases(tmp_path / "none.sto")
