"""``swgui covariation`` and ``swgui.covariation``: the table, the picture, the report, and refusals."""

import json
from xml.etree import ElementTree

import pytest

import swgui
from swgui.cli import main
from swgui.core.errors import InvalidParameter
from swgui.io.sample_files import write_sample
from swgui.library.multiple import MultipleAlignment

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    folder = tmp_path_factory.mktemp("rna")
    list(write_sample(folder, ["rna.sto"]))
    return folder / "rna.sto"


@pytest.fixture(scope="module")
def found(file):
    return swgui.covariation(file, copies=5)


def test_the_command_lists_and_draws(file, tmp_path, capsys):
    table, picture = tmp_path / "pairs.tsv", tmp_path / "arcs.svg"
    words = ["covariation", str(file), "-o", str(table), "--picture", str(picture), "--copies", "5"]
    assert main(words) == 0
    said = capsys.readouterr().err
    assert "cloverleaf: 21 of" in said
    lines = [line.split("\t") for line in table.read_text().splitlines() if line[0] != "#"]
    assert lines[0][:5] == ["in_structure", "left_pos", "right_pos", "score", "evalue"]
    assert {tuple(line[:1] + line[-1:]) for line in lines[1:]} == {("*", "supported")}
    assert len(lines) == 22
    drawn = ElementTree.parse(picture).getroot()
    assert len(drawn.findall(f"{SVG}path")) == 21
    assert main([*words[:2], "--json", "--copies", "5"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert (report["states"]["supported"], report["enough_rows"], len(report["rows"])) == (21, True, 21)


def test_the_library_has_the_pairs_of_a_file(found, tmp_path):
    best = found[0]
    assert (len(found), best.state, found.states["supported"]) == (21, "supported", 21)
    assert best.evalue < 1e-3
    assert best.left < best.right
    assert found[:2] == [found[0], found[1]]
    assert found.to_arrays()["left_pos"].tolist() == [pair.left for pair in found]
    assert found.effective_rows > 20
    assert "21 supported" in repr(found)
    found.write(tmp_path / "a.svg")
    found.write(tmp_path / "a.csv")
    assert ElementTree.parse(tmp_path / "a.svg").getroot().tag == f"{SVG}svg"


def test_the_library_takes_rows_of_a_search(file, found):
    from swgui.core.alphabet import NUCLEOTIDE
    from swgui.core.scoring import ScoringScheme
    from swgui.io.matrices import load_matrix
    from swgui.io.profiles.formats import read_start

    scheme = ScoringScheme.from_blast(load_matrix("+2/-3", NUCLEOTIDE), 5, 2)
    rows = swgui.covariation(MultipleAlignment(read_start(file, scheme).alignment), copies=5)
    assert {(one.left, one.right) for one in rows} >= {(one.left, one.right) for one in found[:15]}


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--picture", "a.png"], ".svg"),
        (["--evalue", "0"], "E-values are above 0"),
        (["-o", "{file}"], "alignment"),
        (["--format", "xlsx"], "no text"),
    ],
)
def test_refusals_are_one_sentence(file, words, said, capsys):
    assert main(["covariation", str(file), *(word.format(file=file) for word in words)]) == 2
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 1
    assert said in lines[0]
    assert "SS_cons" in file.read_text()


def test_the_library_refuses_outputs_that_were_read(found, file):
    with pytest.raises(InvalidParameter):
        found.write(file, "tsv")
