"""The command line as a user types it: output, exit status, sentences on the standard error."""

import builtins
import json
import re
import subprocess
import sys

import numpy as np
import pytest

import swgui
from swgui.cli import COMMANDS, main
from swgui.core.errors import DatabaseError
from swgui.core.trace import OTHER, PARTS
from swgui.io.database.file import open_database
from swgui.io.export import FORMATS
from swgui.jobs.progress import ProgressLine, bar
from tests.cli import test_streams

PLAIN_IMPORT = builtins.__import__
FAMILY = f"{test_streams.FAMILY}>three a stranger\nPPGGPPGGPPGGPPGGPPGG\n"


@pytest.fixture
def files(tmp_path):
    database = tmp_path / "family.fasta"
    database.write_text(FAMILY)
    query = tmp_path / "query.fasta"
    query.write_text(FAMILY.split(">two")[0])
    return query, database


def search(files, *more):
    query, database = files
    return main(["search", "-q", str(query), "-d", str(database), "--engine", "reference", *more])


def test_a_search_prints_ranked_hits(files, capsys):
    assert search(files, "--max-hsps", "1") == 0
    out, err = capsys.readouterr()
    lines = [line.split("\t") for line in out.splitlines() if not line.startswith("#")]
    header, first, second = lines[0], lines[1], lines[2]
    row = dict(zip(header, first, strict=True))
    assert (row["rank"], row["qseqid"], row["sseqid"]) == ("1", "one", "one")
    assert float(row["pident"]) == 100.0
    assert dict(zip(header, second, strict=True))["sseqid"] == "two"
    assert err == ""  # not a terminal


@pytest.mark.sampled(9)
@pytest.mark.parametrize("name", [name for name, form in FORMATS.items() if form.is_text])
def test_every_format_is_written_alike_to_a_file_and_to_the_output(files, tmp_path, capsys, name):
    assert search(files, "--format", name) == 0
    printed = capsys.readouterr().out
    out = tmp_path / "hits.out"
    assert search(files, "--format", name, "-o", str(out)) == 0
    written = out.read_text(encoding="utf-8")
    assert "two" in written or "NO HIT HAS COORDINATES" in written  # of superposed structures
    # Times differ between two runs; everything else is the same.
    assert len(written.splitlines()) == len(printed.splitlines())


def test_scores_are_written_in_source_order(files, tmp_path):
    path = tmp_path / "scores.npz"
    assert search(files, "--scores", str(path)) == 0
    with np.load(path) as scores:
        assert scores["query_ids"].tolist() == ["one"]
        assert scores["subject_ids"].tolist() == ["one", "two", "three"]
        assert scores["scores"].shape == (1, 3)
        assert scores["scores"].dtype == np.int32
        assert scores["scores"][0, 0] > scores["scores"][0, 1] > scores["scores"][0, 2]


def test_scoring_options_decide_the_score(files, tmp_path):
    def best(*options):
        path = tmp_path / "scores.npz"
        assert search(files, "--scores", str(path), *options) == 0
        with np.load(path) as scores:
            return int(scores["scores"][0, 1])

    assert best("--gap-open", "5", "--gap-extend", "1") > best("--gap-open", "20", "--gap-extend", "2")
    assert best("--matrix", "PAM30", "--gap-open", "9", "--gap-extend", "1") != best()


def test_columns_can_be_chosen_and_hold_the_fitted_statistics(files, capsys):
    assert search(files, "--columns", "sseqid,score,zscore,evalue_fit", "--comments") == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("# program: swgui")
    table = [line.split("\t") for line in lines if not line.startswith("#")]
    assert table[0] == ["sseqid", "score", "zscore", "evalue_fit"]
    assert table[1][:2] == ["one", table[1][1]]


@pytest.mark.parametrize("form", ["tsv", "csv", "blast6"])
def test_columns_that_leave_out_the_query_are_remarked_upon_where_there_are_several(files, capsys, tmp_path, form):
    asked = ("--format", form, "--columns", "sseqid,evalue")
    assert search(files, *asked) == 0
    assert capsys.readouterr().err == ""
    query, database = files
    two = tmp_path / "two.fa"
    two.write_text(query.read_text() + ">other\nMKVLWAALLVTFLAGCQAKVEQ\n")
    assert search((two, database), *asked) == 0
    assert "No column names the query of a line, and there are several: add qseqid" in capsys.readouterr().err
    assert search((two, database), "--format", form, "--columns", "query,sseqid") == 0
    assert "No column" not in capsys.readouterr().err
    assert search((two, database), "--format", "blast7", "--columns", "sseqid,evalue") == 0  # its comments name it
    assert "No column" not in capsys.readouterr().err


def test_statistics_hold_fit_histogram_and_shuffles(files, tmp_path):
    path = tmp_path / "statistics.json"
    assert search(files, "--statistics", str(path), "--shuffles", "100", "--seed", "7") == 0
    document = json.loads(path.read_text())
    (query,) = document["queries"]
    assert query["query"] == "one"
    assert sum(query["histogram"]["counts"]) == 3
    assert query["fit"] is None
    assert "too few" in query["why_no_fit"]
    first = query["shuffles"][0]
    assert (first["subject"], first["rank"], first["reached"]) == ("one", 1, 0)
    assert first["z"] > 10
    assert "seed 7" in document["shuffles"]


def test_a_workbook_needs_a_file(files, capsys):
    assert search(files, "--format", "xlsx") == 2
    assert "Name a file with --out" in capsys.readouterr().err


def test_masking_is_said_on_the_standard_error(tmp_path, capsys):
    fasta = tmp_path / "low.fasta"
    fasta.write_text(">low\nMKVLWAALLVTFLAGCQAKVEQAVE" + "S" * 30 + "TEPEPELRQQTEWQSGQRWELALGRFW\n")
    assert search((fasta, fasta), "--mask") == 0
    assert "30 of 82 residues" in capsys.readouterr().err


def test_nucleotides_get_their_own_defaults(tmp_path, capsys):
    database = tmp_path / "dna.fasta"
    database.write_text(">plus\nACCGTTGACCATGCATTTAGGCA\n>minus\nTGCCTAAATGCATGGTCAACGGT\n")
    query = tmp_path / "q.fasta"
    query.write_text(">q\nACCGTTGACCATGCATTTAGGCA\n")
    assert search((query, database), "--format", "json", "--evalue", "1000") == 0
    text = capsys.readouterr().out
    assert '"minus"' in text
    document = json.loads(text)
    assert "+2/-3" in json.dumps(document)


def test_database_files(files, tmp_path, capsys):
    _, fasta = files
    out = tmp_path / "family.swdb"
    assert main(["makedb", str(fasta), "-o", str(out)]) == 0
    assert "3 protein sequences, 140 residues" in capsys.readouterr().out
    assert main(["info", str(out), "--check"]) == 0
    shown = capsys.readouterr().out
    assert "sequences  3" in shown
    assert "all checksums are right" in shown
    assert search((files[0], out)) == 0


def test_dna_has_bases(tmp_path, capsys):
    fasta, out = tmp_path / "low.fasta", tmp_path / "low.swdb"
    fasta.write_text(">low\nACCGTTGACCATGCATTTAGGCA" + "A" * 30 + "GGCTAACGTCATGCCATACGGTA\n")
    assert main(["makedb", str(fasta), "-o", str(out), "--mask"]) == 0
    said = capsys.readouterr()
    assert "1 nucleotide sequence, 76 bases" in said.out
    assert "31 bases of low complexity were masked" in said.err
    assert search((fasta, out), "--evalue", "1000", "--format", "json") == 0
    assert "residue" not in json.loads(capsys.readouterr().out)["search"]["gap_rule"]


def test_a_database_can_be_masked(tmp_path, capsys):
    fasta, out = tmp_path / "low.fasta", tmp_path / "low.swdb"
    fasta.write_text(">low\nMKVLWAALLVTFLAGCQAKVEQAVE" + "S" * 30 + "TEPEPELRQQTEWQSGQRWELALGRFW\n")
    assert main(["makedb", str(fasta), "-o", str(out), "--mask"]) == 0
    assert " 30 residues" in capsys.readouterr().err
    database = open_database(out)
    assert database.name == "low"
    assert b"X" * 30 in database.record(0).residues
    assert main(["info", str(out), "--check"]) == 0
    fasta.write_text(fasta.read_text() + fasta.read_text().replace("low", "again"))
    assert main(["makedb", str(fasta), "-o", str(out), "--mask", "--packed", "--merge-identical"]) == 0
    said = capsys.readouterr().err
    assert "60 residues" in said
    assert "1 sequence merged" in said
    packed = open_database(out)
    assert (packed.name, len(packed), packed.record(0).residues) == ("low", 1, database.record(0).residues)
    assert main(["info", str(out), "--check"]) == 0


@pytest.mark.parametrize("step", ["mask_database", "merge_identical"])
def test_a_database_that_is_changed_after_building_is_whole_or_not_there(tmp_path, capsys, monkeypatch, step):
    fasta, out = tmp_path / "low.fasta", tmp_path / "low.swdb"
    fasta.write_text(">low\nMKVLWAALLVTFLAGCQAKVEQAVE\n")

    def fail(*_):
        raise DatabaseError("", "It ended.")

    monkeypatch.setattr(f"swgui.cli.databases.{step}", fail)
    assert main(["makedb", str(fasta), "-o", str(out), "--mask", "--packed", "--merge-identical"]) == 1
    assert "It ended." in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == [fasta]
    assert main(["makedb", str(fasta), "-o", str(fasta), "--mask"]) == 2


@pytest.mark.parametrize(
    ("arguments", "status", "sentence"),
    [
        (["search", "-q", "missing.fasta", "-d", "family.fasta"], 1, "missing.fasta"),
        (["search", "-q", "query.fasta", "-d", "missing.fasta"], 1, "missing.fasta"),
        (["search", "-q", "query.fasta", "-d", "family.fasta", "--gap-open", "-3"], 2, "positive"),
        (["search", "-q", "query.fasta", "-d", "family.fasta", "--matrix", "BLOSUM61"], 1, "BLOSUM61"),
        (["search", "-q", "query.fasta", "-d", "family.fasta", "--match", "2"], 2, "nucleotides"),
        (["search", "-q", "query.fasta", "-d", "family.fasta", "--top", "0"], 2, "list of 0 hits"),
        (["search", "-q", "query.fasta", "-d", "family.fasta", "--set", "oops"], 2, "NAME=VALUE"),
        (["search", "-q", "query.fasta", "-d", "family.fasta", "--shuffles", "500"], 2, "--statistics"),
        (["search", "-q", "query.fasta", "-d", "family.fasta", "--columns", "nonsense"], 2, "nonsense"),
        (["info", "query.fasta"], 1, "query.fasta"),
        (["makedb", "family.fasta", "-o", "family.db"], 2, ".swdb"),
        (["serach"], 2, "neither a command nor a file"),
    ],
)
def test_mistakes_get_a_sentence_and_a_status(files, monkeypatch, capsys, arguments, status, sentence):
    monkeypatch.chdir(files[0].parent)
    assert main(arguments) == status
    error = capsys.readouterr().err
    assert sentence in error
    assert "Traceback" not in error


def test_wrong_usage_is_status_2(capsys):
    with pytest.raises(SystemExit) as exit_:
        main(["makedb"])
    assert exit_.value.code == 2
    assert "required" in capsys.readouterr().err
    with pytest.raises(SystemExit) as exit_:
        main(["devices", "--nonsense"])
    assert exit_.value.code == 2
    assert "--nonsense" in capsys.readouterr().err


def test_devices_are_listed_for_people_and_programs(capsys):
    assert main(["devices"]) == 0
    assert "reference" in capsys.readouterr().out
    assert main(["devices", "--json"]) == 0
    engines = json.loads(capsys.readouterr().out)
    assert [engine["engine"] for engine in engines] == ["cuda", "webgpu", "cpu", "reference"]
    for engine in engines:
        assert engine["available"] or engine["reason"]


@pytest.mark.parametrize("command", [None, *COMMANDS])
def test_help_is_there_for_every_command(command, capsys):
    with pytest.raises(SystemExit) as exit_:
        main([command, "--help"] if command else ["--help"])
    assert exit_.value.code == 0
    assert "usage: swgui" in capsys.readouterr().out


def test_the_program_runs_as_a_module_without_loading_qt_or_cupy():
    code = (
        "import sys, swgui.cli\n"
        "try: swgui.cli.main(['--version'])\n"
        "except SystemExit as done: assert not done.code\n"
        "assert not {'PySide6', 'cupy', 'pyqtgraph'} & set(sys.modules), 'loaded too early'\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == f"swgui {swgui.__version__}"


def test_the_progress_line_is_silent_in_a_pipe_and_cleans_up_on_a_terminal(capsys):
    import io

    class Terminal(io.StringIO):
        def isatty(self):
            return True

    pipe, terminal = io.StringIO(), Terminal()
    ProgressLine(pipe).show("x", force=True)
    assert pipe.getvalue() == ""
    line = ProgressLine(terminal)
    line.show("Scoring", force=True)
    line.clear()
    assert terminal.getvalue().endswith("\r")
    assert bar(1, 2) == "[############............]  50 %"


def test_a_terminal_hears_of_low_complexity_and_of_significant_hits(files, capsys, monkeypatch):
    query, _ = files
    query.write_text(f"{query.read_text()}{'Q' * 60}\n")
    assert search(files) == 0
    quiet = capsys.readouterr()
    assert quiet.err == ""
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    assert search(files) == 0
    said = capsys.readouterr()
    assert said.out == quiet.out
    assert "swgui: 50 %" in said.err
    assert "are significant.\n" in said.err


def refuse_to_search(request, cancel):
    raise AssertionError("the search began")


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["-o", "{folder}/none/hits.tsv"], "does not exist"),
        (["--scores", "{folder}/none/scores.npz"], "does not exist"),
        (["--save", "{folder}/none/run.swgui"], "does not exist"),
        (["--statistics", "{folder}"], "is a folder"),
        (["-o", "{folder}/both", "--scores", "{folder}/both"], "--out and --scores both name"),
        (["--columns", "sseqid,nonsense"], "There is no column 'nonsense'"),
        (["--format", "sam", "--columns", "sseqid"], "no columns to choose"),
        (["--format", "fasta-aligned", "--flank", "-1"], "A flank of -1"),
        (["--format", "tsv", "--gaps"], "writes no flanking residues"),
        (["--format", "xlsx"], "Name a file with --out"),
        (["--format", "a3m"], "holds the hits of one query"),
        (["--format", "clustal"], "holds the hits of one query"),
    ],
)
def test_what_cannot_be_written_is_said_before_the_search(files, tmp_path, monkeypatch, capsys, options, sentence):
    monkeypatch.setattr("swgui.cli.search.search_steps", refuse_to_search)
    files[0].write_text(FAMILY)  # three queries
    given = [word.format(folder=tmp_path) for word in options]
    before = sorted(tmp_path.iterdir())
    assert search(files, *given) in (1, 2)
    assert sentence in capsys.readouterr().err
    assert sorted(tmp_path.iterdir()) == before


def test_a_workbook_without_its_library_is_said_before_the_search(files, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr("swgui.cli.search.search_steps", refuse_to_search)
    monkeypatch.setitem(sys.modules, "xlsxwriter", None)
    assert search(files, "--format", "xlsx", "-o", str(tmp_path / "hits.xlsx")) == 2
    assert "pip install XlsxWriter" in capsys.readouterr().err


def test_files_that_are_there_stay_until_the_search_has_ended(files, tmp_path, monkeypatch):
    monkeypatch.setattr("swgui.cli.search.search_steps", lambda *_, **how: iter(()))  # stopped at once
    out = tmp_path / "hits.tsv"
    out.write_text("older hits")
    assert search(files, "-o", str(out)) == 1
    assert out.read_text() == "older hits"


def test_what_was_changed_in_a_database_is_said_each_time(files, tmp_path, capsys):
    query, database = files
    database.write_text(FAMILY.replace("MKVLW", "MK-?W") + ">four has nothing\n\n")
    built = tmp_path / "family.swdb"
    for _ in range(2):  # converted, then found again
        assert search(files) == 0
        err = capsys.readouterr().err
        assert err.startswith(
            "swgui: family.fasta: 3 protein sequences, 138 residues (FASTA). 2 letters or signs replaced"
        )
        assert "2 signs left out, 1 empty record left out. 'swgui makedb --remarks FILE' lists it.\n" in err
    assert main(["makedb", str(database), "-o", str(built)]) == 0
    assert "Record 4 'four'" in capsys.readouterr().err
    assert search((query, built)) == 0
    assert capsys.readouterr().err.startswith("swgui: family.swdb: 3 protein sequences")


def test_timings_say_where_the_time_went_and_leave_the_output_as_it_is(files, capsys):
    assert search(files) == 0
    plain = capsys.readouterr().out
    assert search(files, "--timings") == 0
    printed, said = capsys.readouterr()
    assert printed == plain
    parts, whole = re.fullmatch(r"swgui: time in seconds: (.*); ([\d.]+) in all\.\n", said).groups()
    seconds = dict(part.split() for part in parts.split(", "))
    assert set(seconds) <= {*PARTS, OTHER}
    assert "scan" in seconds
    assert sum(map(float, seconds.values())) == pytest.approx(float(whole), abs=0.01)
    assert builtins.__import__ is PLAIN_IMPORT


def test_without_qt_the_window_is_missed_in_one_sentence(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "PySide6", None)
    monkeypatch.setitem(sys.modules, "pyqtgraph", None)
    assert main([]) == 1
    said = capsys.readouterr()
    assert not said.out
    assert said.err.count("\n") == 1
    assert "The window needs PySide6-Essentials and pyqtgraph: install it with 'pip install swgui'" in said.err


def test_qt_that_does_not_load_is_one_sentence(monkeypatch, capsys):
    def fails(name):
        raise ImportError("libEGL.so.1: cannot open shared object file")

    monkeypatch.setattr("importlib.import_module", fails)
    assert main([]) == 1
    assert (
        "Qt does not load (libEGL.so.1: cannot open shared object file): 'swgui doctor' names"
        in capsys.readouterr().err
    )
