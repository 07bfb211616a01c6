"""``swgui search`` with files of alignments and profiles, as a user types it."""

import gzip
import json

import pytest

from swgui.cli import main
from swgui.io.profiles.saving import file_names, format_for
from swgui.paths import resources_dir

EXAMPLES = resources_dir() / "examples"


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """Return a query, a second one, and a database large enough for fitted E-values."""
    folder = tmp_path_factory.mktemp("profiles")
    records = ["", *(EXAMPLES / "sample_proteins.fasta").read_text().split(">")[1:]]
    query, both, database = (folder / name for name in ("q.fasta", "both.fasta", "db.fasta"))
    query.write_text(f">{records[1]}")
    both.write_text(f">{records[1]}>{records[14]}")
    with gzip.open(EXAMPLES / "sample_database.fasta.gz", "rt") as file:
        database.write_text(">".join(file.read().split(">")[:1500]))
    return query, both, database


@pytest.fixture
def search(files, capsys):
    """Return a function that searches and returns its table, its messages and the status."""

    def search(*words, evalue="evalue"):
        columns = ["--columns", f"qseqid,sseqid,score,pident,{evalue}", "--evalue", "0.001", "--engine", "cpu"]
        status = main(["search", "-d", str(files[2]), *columns, *map(str, words)])
        said = capsys.readouterr()
        return said.out, said.err, status

    return search


def test_a_search_continues_where_its_saved_profile_or_alignment_left_off(files, search, tmp_path, capsys):
    saved = {name: tmp_path / name for name in ("p.json", "last.a3m")}
    words = ("--save-profile", saved["p.json"], "--save-alignment", saved["last.a3m"])
    last, _, status = search("-q", files[0], "--iterations", "3", *words, evalue="evalue,evalue_as_member")
    assert status == 0
    assert last.count("\n") > 15
    for path in saved.values():
        again, said, _ = search("--start-from", path)
        # The same set was found twice, so the next profile is the same; all its sequences are members by then.
        assert sorted(_rows(again)) == sorted((*row[:4], row[5] or row[4]) for row in _rows(last))
        assert said == ""
    search("--start-from", saved["last.a3m"], "--save", tmp_path / "again.swgui")
    assert main(["show", str(tmp_path / "again.swgui"), "--methods-text", "plain"]) == 0
    assert "as a profile" in capsys.readouterr().out
    alone, _, _ = search("-q", files[0], "--composition", "none")
    assert alone.count("\n") < last.count("\n")
    facts = json.loads(saved["p.json"].read_text())["made"]
    assert facts["recipe"]["beta"] == 20
    assert facts["rounds"][-1]["included"] > 10


def _rows(table):
    return [tuple(line.split("\t")) for line in table.splitlines()[1:]]


def test_an_alignment_of_every_round_is_written_where_the_name_asks_for_it(files, search, tmp_path):
    search("-q", files[0], "--iterations", "3", "--save-alignment", tmp_path / "r{round}.sto")
    rows = [(tmp_path / f"r{number}.sto").read_text().count("#=GS") for number in (1, 2)]
    assert rows[1] >= rows[0] > 5


def test_several_queries_have_a_file_each(files, search, tmp_path):
    _, _, status = search("-q", files[1], "--iterations", "2", "--save-profile", tmp_path / "p.hmm")
    assert status == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "p.sp_P02144_MYG_HUMAN.hmm",
        "p.sp_P69905_HBA_HUMAN.hmm",
    ]
    table, _, _ = search("--start-from", tmp_path / "p.sp_P69905_HBA_HUMAN.hmm")
    assert "MYG_HUMAN" in table


def test_an_alignment_begins_an_iterated_search(files, search, tmp_path):
    path = tmp_path / "a.a3m"
    search("-q", files[0], "--iterations", "2", "--save-alignment", path)
    table, _, status = search("--start-from", path, "--iterations", "2")
    assert status == 0
    assert "MYG_HUMAN" in table


def test_a_search_with_a_profile_is_saved_with_it(files, search, tmp_path, capsys):
    path, saved = tmp_path / "p.json", tmp_path / "s.swgui"
    search("-q", files[0], "--iterations", "2", "--save-profile", path)
    table, _, _ = search("--start-from", path, "--save", saved)
    assert main(["show", str(saved), "--columns", "qseqid,sseqid,score,pident,evalue"]) == 0
    assert capsys.readouterr().out == table


def test_results_say_that_queries_score_by_position(files, search, tmp_path):
    path = tmp_path / "p.json"
    search("-q", files[0], "--iterations", "2", "--save-profile", path)
    for words in (["--start-from", path], ["-q", files[0], "--iterations", "3"]):
        table, _, _ = search(*words, "--comments")
        assert "# profiles: 1 of 1 query has scores by position: round " in table
    assert "# profiles" not in search("-q", files[0], "--comments")[0]


ROUNDS = ["-q", "{query}", "--iterations", "2"]
REFUSED = {
    "nothing": ([], "nothing to search with"),
    "both": (["-q", "{query}", "--start-from", "{query}"], "exclude each other"),
    "no rounds": (["-q", "{query}", "--save-profile", "{folder}/p.hmm"], "writes the results of the rounds"),
    "ending": ([*ROUNDS, "--save-alignment", "{folder}/p.hmm"], "not that of a format of alignments"),
    "folder": ([*ROUNDS, "--save-alignment", "{folder}/no/p.a3m"], "does not exist"),
    "input": ([*ROUNDS, "--save-alignment", "{query}"], "the result would replace it"),
    "history": (["--start-from", "{query}", "--history", "run"], "not kept among the runs of the window"),
    "sequences": (["--start-from", "{both}"], "has 154 columns, the first row 142"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_is_refused_before_the_search(files, search, tmp_path, name):
    words, said = REFUSED[name]
    named = {"query": files[0], "both": files[1], "folder": tmp_path}
    out, err, status = search(*(word.format(**named) for word in words))
    assert (out, status > 0) == ("", True)
    assert said in err
    assert err.count("\n") == 1


def test_ids_become_names_of_files():
    assert [one[0].as_posix() for one in file_names("a/x.sto", ["q"])] == ["a/x.sto"]
    names = file_names("x{round}.a3m", ["tr|A/1", "tr|A/1", "é ü"], 2)
    assert [[path.name for path in one] for one in names] == [
        ["x1.tr_A_1.a3m", "x2.tr_A_1.a3m"],
        ["x1.tr_A_1_2.a3m", "x2.tr_A_1_2.a3m"],
        ["x1.é_ü.a3m", "x2.é_ü.a3m"],
    ]
    assert format_for("X.A3M", "alignment", "save-alignment").name == "A3M"
