"""``swgui msa``, as a user types it."""

import gzip

import pytest

from swgui.cli import main
from swgui.paths import resources_dir

EXAMPLES = resources_dir() / "examples"


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """Return one query, two of them, and two databases: the relatives, and them among strangers."""
    folder = tmp_path_factory.mktemp("msa")
    records = (EXAMPLES / "sample_proteins.fasta").read_text().split(">")[1:]
    with gzip.open(EXAMPLES / "sample_database.fasta.gz", "rt") as file:
        everybody = file.read().split(">")[1:]
    texts = {
        "one": records[:1],
        "two": [records[0], records[5]],
        "first": everybody[:600],
        "second": [*everybody[600:1200], records[13]],
    }
    for name, text in texts.items():
        (folder / f"{name}.fasta").write_text("".join(f">{record}" for record in text))
    return folder


def msa(files, query, databases, *words):
    named = [word for name in databases for word in ("-d", str(files / f"{name}.fasta"))]
    return main(["msa", "-q", str(files / f"{query}.fasta"), *named, "--engine", "cpu", *map(str, words)])


def rows(path):
    return [record.split("\n", 1) for record in path.read_text().split(">")[1:]]


def test_an_alignment_has_the_query_first_and_rows_of_its_length(files, tmp_path, capsys):
    out = tmp_path / "q.a3m"
    assert msa(files, "one", ["first", "second"], "-o", out) == 0
    made = rows(out)
    assert made[0][0].startswith("sp|P69905|HBA_HUMAN Hemoglobin")
    assert made[0][1].strip().startswith("MVLSPADKTN")
    assert {sum(sign.isupper() or sign == "-" for sign in text) for _, text in made} == {142}
    names = [name.split("/")[0] for name, _ in made]
    assert len(names) > 15
    assert "sp|P02144|MYG_HUMAN" in names  # of the second database
    assert f"{len(made) - 1} rows in addition to the query" in capsys.readouterr().err


def test_limits_leave_rows_out(files, tmp_path):
    depths = []
    for words in (
        [],
        ["--max-rows", "5"],
        ["--min-identity", "60"],
        ["--max-identity", "60"],
        ["--min-coverage", "99"],
    ):
        out = tmp_path / f"{len(depths)}.a3m"
        assert msa(files, "one", ["first"], "-o", out, *words) == 0
        depths.append(len(rows(out)) - 1)
    assert depths[1] == 5
    assert 0 < min(depths[2:]) <= max(depths[2:]) < depths[0]


def test_queries_of_one_scan_have_a_file_each(files, tmp_path):
    assert msa(files, "two", ["first"], "-o", tmp_path / "x.sto") == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "x.sp_P68871_HBB_HUMAN.sto",
        "x.sp_P69905_HBA_HUMAN.sto",
    ]


def test_chains_of_a_complex_are_paired_by_organism(files, tmp_path, capsys):
    out = tmp_path / "x.a3m"
    assert msa(files, "two", ["first"], "-o", out, "--complex", "colabfold") == 0
    assert "side by side" in capsys.readouterr().err
    made = rows(out)
    assert out.read_text().startswith("#142,147\t1,1\n>101\t102\n")
    pairs = [name.split("\t") for name, _ in made[1:] if "\t" in name]
    horse = next(pair for pair in pairs if "HORSE" in pair[0])
    assert [name.split("/")[0] for name in horse] == ["sp|P01958|HBA_HORSE", "sp|P02062|HBB_HORSE"]


REFUSED = {
    "ending": (["one", ["first"], "-o", "x.txt"], "not that of a format of alignments"),
    "one chain": (["one", ["first"], "-o", "x.a3m", "--complex", "boltz"], "two chains or more"),
    "ending of a complex": (["two", ["first"], "-o", "x.a3m", "--complex", "boltz"], "does not end in .csv"),
    "rows": (["one", ["first"], "-o", "x.a3m", "--max-rows", "0"], "no alignment"),
    "inclusion": (["one", ["first"], "-o", "x.a3m", "--inclusion-evalue", "11"], "cannot be included up to"),
    "E": (["one", ["first"], "-o", "x.a3m", "--evalue", "11"], "no alignment of relatives"),
    "rounds": (["one", ["first"], "-o", "x.a3m", "--iterations", "1"], "has 2 to 8 rounds"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_is_refused(files, tmp_path, capsys, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    words, said = REFUSED[name]
    assert msa(files, *words) > 0
    err = capsys.readouterr().err
    assert said in err
    assert err.count("\n") == 1
    assert list(tmp_path.iterdir()) == []
