"""Runs saved by version 0.2.0.dev0, finished or killed in the middle, are opened, verified and resumed.

`tests/data/saved_by_0_2/README.md` lists them. Tests come to it by commands, or by `tests.runs.doors`.
"""

import csv
import gzip
import hashlib
import json
import shutil
from pathlib import Path

import pytest

from swgui.cli import main
from swgui.core.sweep.report import as_json
from swgui.io.database.library import remember_database
from swgui.io.tuning import earlier_sweeps, load_in_use
from tests.runs import doors

pytestmark = pytest.mark.usefixtures("trusted_engines")

SAVED = Path(__file__).parent.parent / "data" / "saved_by_0_2"
MADE_BY = "0.2.0.dev0+g3ef5c0478"
RUNS = {  # by what the list shows of them: id, kind, state, name, whether it can be resumed
    "search done": ("20261128-183522-c15c487d", "search", "done", "first and 1 more", False),
    "search stopped": ("20261128-183526-c7f53db0", "search", "partial", "first and 1 more", True),
    "search killed": ("20261128-183529-d7a1c2f0", "search", "interrupted", "killed", True),
    "rounds done": ("20261128-183531-e66f07be", "search", "done", "rounds done", False),
    "rounds killed": ("20261128-183535-873d1ce0", "search", "interrupted", "rounds killed", True),
    "round kept": ("20261128-183538-09162b9c", "search", "partial", "round kept", True),
    "dna done": ("20261128-183543-192a4648", "search", "done", "dna", False),
    "pair done": ("20261128-183600-b0988e23", "pair", "done", "pair done", False),
    "score done": ("20261128-183603-d203ea9a", "pair", "done", "score", False),
    "pair stopped": ("20261128-183607-d3b4315e", "pair", "partial", "long1 × long2", True),
    "pair killed": ("20261128-183613-d82a5cb5", "pair", "interrupted", "pair killed", True),
    "rule done": ("20261128-183642-4789f260", "rule", "done", "pep0 and 7 more", False),
    "rule stopped": ("20261128-183646-44ed04e7", "rule", "partial", "pep0 and 7 more", True),
    "rule killed": ("20261128-183649-ba127371", "rule", "interrupted", "first and 1 more", True),
}
RULES = {
    "peptides": ("-q", "peptides.fa", "-d", "proteins.swdb", "--mismatches", "3"),
    "edits": ("-q", "peptides.fa", "-d", "proteins.swdb", "--edits", "2"),
    "identity": ("-q", "queries.fa", "-d", "proteins.swdb", "--identity", "60%"),
    "window": ("-q", "queries.fa", "-d", "proteins.swdb", "--length", "40", "--identity", "0.5"),
    "words": ("-q", "queries.fa", "-d", "proteins.swdb", "--length", "5"),
    "guides": ("-q", "guides.fa", "-d", "genome.swdb", "--mismatches", "4", "--dna-bulges", "1"),
    "primers": (
        *("-q", "primers.fa", "-d", "genome.swdb", "--mismatches", "6"),
        *("--exact-end", "2", "--longest", "400"),
    ),
}
SAME_PLACES = [name for name in RULES if name != "guides"]  # of guides with bulges each site is listed once by now
RULE_RUNS = {"rule done": "peptides", "rule stopped": "edits", "rule killed": "words"}
LONG = ("pair", "long1.fa", "long2.fa", "--method", "cpu", "--threads", "1", "--quiet", "--format", "json")


@pytest.fixture(autouse=True)
def saved(tmp_path, user_folders, monkeypatch):
    """Work in a folder with a copy of all files, unpacked; its runs and fits are those of the user."""
    folder = Path(shutil.copytree(SAVED, tmp_path / "saved"))
    for packed in folder.rglob("*.gz"):
        packed.with_suffix("").write_bytes(gzip.decompress(packed.read_bytes()))
        packed.unlink()
    for name, place in (("runs", "data"), ("fits", "cache")):
        user_folders[place].mkdir(parents=True)
        (folder / name).rename(user_folders[place] / name)
    for name in ("proteins", "genome"):
        remember_database(folder / f"{name}.swdb")
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture
def same_version(monkeypatch):
    """Let the program be of the version that made the files: states of rules are of one version alone."""
    monkeypatch.setattr("swgui.__version__", MADE_BY)


def run(*words):
    """Run a command with the CPU engine, unless it says how it works."""
    engine = () if {"--method", "--resume"} & {*words} or words[0] in ("show", "merge") else ("--engine", "cpu")
    return main([*words, *engine])


def rows(path):
    text = Path(path).read_text("utf-8")
    return list(csv.DictReader(text.splitlines(), delimiter="\t"))


FORMER = {  # columns of places as 0.2.0.dev0 called them, and what BLAST calls them
    "query": "qseqid",
    "sequence": "sseqid",
    "mismatches": "mismatch",
    "query_start": "qstart",
    "query_end": "qend",
    "query_row": "qseq",
    "subject_row": "sseq",
}


FORMER_OF_EDGES = {  # columns of edges, and what 0.2.0.dev0 called them
    "coverage_both": "coverage",
    "pident": "identity",
    "length": "alignment_len",
    "bitscore": "bits",
}


def number(text):
    """Return a cell of a table, as a number if it is one."""
    try:
        return float(text)
    except ValueError:
        return text


def place(row):
    """Return a row of a table of places of this version as 0.2.0.dev0 wrote it; of a minus strand without residues."""
    former = {name: row[now] for name, now in FORMER.items()}
    begin, end = sorted((row["sstart"], row["send"]), key=int)
    minus = row["sstrand"] == "minus"
    former |= {"start": begin, "end": end, "strand": "-" if minus else "+"}
    return comparable({**row, **former})


def comparable(row):
    """Return a row of either version with what both say alike: numbers as such, and no residues of a minus strand."""
    row |= {name: float(row[name]) for name in ("identity", "fasta_identity") if name in row}
    return {name: "" if name.endswith("_row") and row["strand"] == "-" else value for name, value in row.items()}


def assert_places(path, expected):
    """Assert that a table of places has those of another, by the columns of that."""
    made, wanted = map(place, rows(path)), list(map(comparable, rows(expected)))
    assert wanted
    assert [{name: row.get(name) for name in wanted[0]} for row in made] == wanted


def assert_holds(path, expected):
    """Assert that a table has the rows of another, and all of its columns; there may be more columns by now."""
    made, wanted = rows(path), rows(expected)
    assert wanted
    assert [{name: row.get(name) for name in wanted[0]} for row in made] == wanted


def relatives(found):
    """Return the subjects of hits with E up to 0.001, of the result of a run.

    Searches in rounds find these again. Scores and E differ since E of small databases is fitted to each profile.
    """
    return {(query, subject) for query, subject, _, log10_evalue in found.values if log10_evalue <= -3}


def id_of(name):
    return RUNS[name][0]


# Searches


@pytest.mark.parametrize("name", ["proteins", "dna", "shifted", "limits"])
def test_a_saved_search_shows_its_hits_and_is_verified(name):
    assert run("show", f"{name}.swgui", "-o", "hits.tsv") == 0
    assert_holds("hits.tsv", f"{name}.tsv")
    assert run("verify", f"{name}.swgui") == 0


def test_parts_are_merged_to_what_one_search_had_found():
    assert run("merge", "1.part", "2.part", "3.part", "-d", "proteins.swdb", "-o", "hits.tsv") == 0
    assert_holds("hits.tsv", "proteins.tsv")


@pytest.mark.parametrize(
    ("name", "table"),
    [
        ("search stopped", "proteins"),
        ("search killed", "proteins"),
        ("rounds killed", "rounds"),
        ("round kept", "rounds"),
    ],
)
def test_a_search_that_ended_early_is_resumed_by_the_command(name, table):
    assert run("search", "--resume", id_of(name), "-o", "hits.tsv") == 0
    if table == "rounds":
        related = {(row["qseqid"], row["sseqid"]) for row in rows("rounds.tsv") if float(row["evalue"]) <= 1e-3}
        assert related == relatives(doors.opened(id_of(name)))
    else:
        assert_holds("hits.tsv", f"{table}.tsv")
    assert doors.records()[id_of(name)].state == "done"


@pytest.mark.parametrize(
    ("name", "table"), [("search done", "proteins"), ("rounds done", "rounds"), ("dna done", "dna")]
)
def test_a_search_of_the_history_is_shown_verified_and_run_anew(name, table):
    assert run("show", id_of(name), "-o", "hits.tsv") == 0
    assert_holds("hits.tsv", f"{table}.tsv")
    assert run("verify", id_of(name)) == 0
    again, before = doors.run_again(id_of(name)), doors.opened(id_of(name))
    assert relatives(again) == relatives(before) if table == "rounds" else again == before


def test_marks_of_a_search_come_back():
    marks = {"starred": {"0": [1, 2]}, "notes": {"1": {"3": "Größe?"}}}
    for name in ("search done", "search stopped"):
        assert doors.layout(id_of(name)) == {"columns": ["score"], "marks": marks}


# The history


def test_the_history_lists_its_runs():
    listed = {key: (one.kind, one.state, one.name, one.resumable) for key, one in doors.records().items()}
    assert listed == {run_id: tuple(facts) for run_id, *facts in RUNS.values()}


def test_a_list_does_without_its_notes(user_folders):
    before = {key: (one.kind, one.state, one.fraction) for key, one in doors.records().items()}
    for note in (user_folders["data"] / "runs").glob("*.json"):
        note.unlink()
    assert {key: (one.kind, one.state, one.fraction) for key, one in doors.records().items()} == before


def test_listing_and_opening_changes_no_file(user_folders):
    def digests():
        files = sorted(path for path in (user_folders["data"] / "runs").iterdir() if path.suffix != ".json")
        return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in files}

    before = digests()
    for run_id, record in doors.records().items():
        if record.state == "done" or record.kind == "rule":
            doors.opened(run_id)
    assert digests() == before


@pytest.mark.parametrize("name", [name for name, (_, _, state, *_) in RUNS.items() if state != "done"])
def test_a_run_that_ended_early_is_resumed_to_what_a_whole_one_finds(name, same_version):
    record = doors.records()[id_of(name)]
    assert 0 < record.fraction < 1 or record.rounds == 2
    found = doors.resumed(id_of(name))
    assert found.complete
    assert found == doors.opened(id_of(name))
    again = doors.run_again(id_of(name))
    assert relatives(again) == relatives(found) if name == "round kept" else again == found
    assert doors.records()[id_of(name)].state == "done"
    if name in RULE_RUNS:
        facts = json.loads(Path(f"{RULE_RUNS[name]}.json").read_text())
        assert found.values == [facts["result_sha256"], facts["found"]]


def test_a_rule_of_the_history_has_its_places(same_version):
    facts = json.loads(Path("peptides.json").read_text())
    found = doors.opened(id_of("rule done"))
    assert found == doors.run_again(id_of("rule done"))
    assert found.values == [facts["result_sha256"], facts["found"]]


# Pairs


def test_pairs_of_the_history_and_of_files_are_the_same():
    assert doors.opened(id_of("pair done")) == doors.exported(Path("pair.json")) == doors.run_again(id_of("pair done"))
    assert len(doors.opened(id_of("pair done")).values) > 4
    score = doors.opened(id_of("score done"))
    assert score == doors.run_again(id_of("score done"))
    assert score.values[0] == json.loads(Path("score.json").read_text())["score"]


def test_a_pair_is_resumed_from_its_checkpoint():
    assert run(*LONG, "--mode", "semiglobal", "--checkpoint", "pair.checkpoint", "-o", "resumed.json") == 0
    assert doors.exported(Path("resumed.json")) == doors.exported(Path("semiglobal.json"))
    assert not Path("pair.checkpoint").exists()


def test_a_checkpoint_of_another_mode_is_refused(capsys):
    before = Path("pair.checkpoint").read_bytes()
    assert run(*LONG, "--mode", "global", "--checkpoint", "pair.checkpoint", "-o", "resumed.json") == 1
    assert "another mode" in capsys.readouterr().err
    assert Path("pair.checkpoint").read_bytes() == before


def test_the_same_command_resumes_a_pair_of_the_history():
    assert run(*LONG, "--mode", "semiglobal", "--history", "again", "-o", "resumed.json") == 0
    assert doors.exported(Path("resumed.json")) == doors.exported(Path("semiglobal.json"))
    assert doors.records().keys() == {run_id for run_id, *_ in RUNS.values()}, "no other run"
    assert doors.records()[id_of("pair killed")].state == "done"


# Rules


@pytest.mark.parametrize("name", SAME_PLACES)
def test_a_certificate_holds_and_its_table_has_all_places(name):
    assert run("verify", f"{name}.json", "--full") == 0
    assert run("audit", "--rule", f"{name}.json", "--table", f"{name}.tsv", "-o", "audit.tsv") == 0
    assert run("rule", name, *RULES[name], "-o", "places.tsv") == 0
    assert_places("places.tsv", f"{name}.tsv")


def test_a_certificate_of_guides_with_bulges_is_refused_as_one_of_another_version(capsys):
    assert run("verify", "guides.json", "--full") == 1
    assert "another version" in capsys.readouterr().err
    assert run("rule", "guides", *RULES["guides"], "-o", "places.tsv") == 0
    names = ("query", "sequence", "start", "end", "strand", "differences")
    tables = map(place, rows("places.tsv")), rows("guides.tsv")
    made, before = ([tuple(row[name] for name in names) for row in table] for table in tables)
    assert 0 < len(made) < len(before)
    assert set(made) < set(before)


@pytest.mark.parametrize("name", SAME_PLACES)
def test_a_rule_that_was_killed_is_resumed(name, same_version):
    written = ("-o", "places.tsv", "--certificate", "resumed.json")
    assert run("rule", name, *RULES[name], *written, "--state", f"{name}.state") == 0
    assert_places("places.tsv", f"{name}.tsv")
    made, whole = (json.loads(Path(f"{one}.json").read_text()) for one in ("resumed", name))
    assert made["resumed"]
    assert not whole["resumed"]
    assert made["blocks"][0] == whole["blocks"][0], "the first block was not scanned again in another size"
    for fact in ("queries", "expected", "tested", "found", "found_by_differences", "result_sha256"):
        assert made[fact] == whole[fact], fact
    assert made["rule"]["parameters"] == whole["rule"]["parameters"]
    assert not Path(f"{name}.state").exists()
    assert run("verify", "resumed.json", "--full") == 0


@pytest.mark.parametrize("name", RULES)
def test_a_state_of_another_version_is_refused_and_stays(name, capsys):
    before = Path(f"{name}.state").read_bytes()
    assert run("rule", name, *RULES[name], "-o", "places.tsv", "--state", f"{name}.state") == 1
    assert "another version" in capsys.readouterr().err
    assert Path(f"{name}.state").read_bytes() == before


def test_a_run_of_another_version_stays_when_it_cannot_be_resumed(user_folders):
    run_id = id_of("rule killed")
    kept = user_folders["data"] / "runs" / f"{run_id}.rule"
    before = kept.read_bytes()
    with pytest.raises(AssertionError, match="another version of this program"):
        doors.resumed(run_id)
    assert kept.read_bytes() == before
    assert doors.records()[run_id].state == "interrupted"


# Networks


def test_a_network_is_exported_and_clustered():
    assert run("network", "many.swnet", "--export", "edges.edges") == 0
    made, before = rows("edges.edges"), rows("many.edges")
    # Coverage means another now, and identity is that of BLAST's name; both were written with as few digits as do.
    for name, former in FORMER_OF_EDGES.items():
        assert [float(row[name]) for row in made] == [float(row.pop(former)) for row in before]
    assert [{name: number(row[name]) for name in before[0]} for row in made] == [
        {name: number(text) for name, text in row.items()} for row in before
    ]
    assert run("cluster", "many.swnet", "--identity", "0.6", "-o", "made.tsv") == 0
    assert Path("made.tsv").read_text() == Path("clusters.tsv").read_text()


@pytest.mark.parametrize(
    ("state", "words"),
    [
        ("killed.swnet.part", ("network", "many.fa", "-o", "killed.swnet")),
        ("killed.tsv.part", ("leak", "train.fa", "many.fa", "--evalue", "0.01", "-o", "killed.tsv")),
    ],
)
def test_pairs_that_were_compared_by_another_version_are_refused_until_they_are_deleted(state, words, capsys):
    """One E and one alignment of a pair came after these states: blocks of both ways must not lie in one network."""
    before = Path(state).read_bytes()
    assert run(*words) == 1
    assert "another version" in capsys.readouterr().err
    assert Path(state).read_bytes() == before
    Path(state).unlink()
    assert run(*words) == 0
    assert not Path(state).exists()


def test_a_certificate_of_a_leak_holds_or_is_refused_as_one_of_another_version(capsys):
    """E of a pair referred to the sequences of training alone when this one was made."""
    refused = run("verify", "leak.json", "--full")
    said = capsys.readouterr()
    assert ("another version" in said.err) if refused else ("The certificate holds" in said.out)


# Sweeps


def test_a_sweep_comes_back_with_the_settings_that_were_chosen():
    (stored,) = json.loads(Path("tuning.json").read_text())["entries"]
    (sweep,) = earlier_sweeps(Path("tuning.json"))
    assert json.loads(json.dumps(as_json(sweep))) == stored["sweep"]
    assert [entry.settings for entry in load_in_use(Path("tuning.json"))] == [stored["chosen"]]
