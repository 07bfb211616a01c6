"""``--json``, ``--fail-on`` and the exit status, by one declaration for all commands."""

from __future__ import annotations

import json

import pytest

from swgui.cli import build_parser, main
from swgui.commands.common import FAILS
from swgui.commands.option import options_of
from swgui.commands.table import COMMANDS
from tests.library.conftest import GLOBIN, PROTEINS

CPU = ["--engine", "cpu"]
REPORTS = {
    "makedb": (["makedb", "d.fasta", "-o", "new.swdb"], "sequences", len(PROTEINS)),
    "info": (["info", "d.swdb", "--check"], "checked", True),
    "update": (["update", "d.swdb", "--from", "d.fasta", "-o", "newer.swdb"], "changed", 0),
    "get": (["get"], "sets", None),
    "find": (["find", "a.swgui", "NEAR"], "not_found", []),
    "compare": (["compare", "a.swgui", "b.swgui"], "counts", None),
    "diff": (["diff", "a.swgui", "d.swdb", *CPU], "counts", {"gained": 0, "lost": 0, "moved": 0}),
    "verify": (["verify", "a.swgui", *CPU], "ok", True),
    "audit": (["audit", "-q", "q.fasta", "-d", "d.swdb", "--table", "a.b6", *CPU], "counts", {"missed": 0, "extra": 0}),
    "leak": (["leak", "d.fasta", "q.fasta", *CPU], "neighbours", 1),
    "judge": (["judge", "one.tsv", "d.fasta", *CPU], "counts", None),
    "cluster": (["cluster", "d.fasta", *CPU], "sentences", None),
    "split": (["split", "d.fasta", "--drop", *CPU], "sentences", None),
    "network": (["network", "d.fasta", "-o", "n.swnet", *CPU], "sequences", len(PROTEINS)),
    "rule": (["rule", "edits", "-q", "q.fasta", "-d", "d.fasta", "--edits", "5", *CPU], "places", None),
}
WITH_ROWS = {"find", "compare", "diff", "audit", "leak", "judge", "cluster", "split", "rule"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with queries, a database, two saved searches, clusters and a table of another program."""
    place = tmp_path_factory.mktemp("reports")
    (place / "q.fasta").write_text(f">q\n{GLOBIN}\n")
    (place / "d.fasta").write_text("".join(f">{name}\n{residues}\n" for name, residues in PROTEINS.items()))
    assert main(["makedb", str(place / "d.fasta"), "-o", str(place / "d.swdb")]) == 0
    search = ["search", "-q", str(place / "q.fasta"), "-d", str(place / "d.swdb"), *CPU]
    assert main([*search, "--save", str(place / "a.swgui"), "--format", "blast6", "-o", str(place / "a.b6")]) == 0
    more = ["--top", "2", "--save", str(place / "b.swgui"), "-o", str(place / "b.tsv")]
    assert main([*search, *more]) == 0
    names = list(PROTEINS)
    (place / "one.tsv").write_text("".join(f"{names[0]}\t{name}\n" for name in names))
    return place


def reported(words, capsys):
    """Return the exit status of a command, and the JSON that it printed, next to no sentence."""
    capsys.readouterr()
    status = main([*words, "--json"])
    out, err = capsys.readouterr()
    assert err == "", err
    return status, json.loads(out)


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_is_quiet_logs_and_reports(command):
    known = {name for option in options_of(COMMANDS[command].groups()) for name in option.names}
    assert {"--quiet", "--verbose", "--log"} <= known
    assert ("--json" in known) == (COMMANDS[command].reports or command == "bench")
    assert ("--fail-on" in known) == (command in FAILS)


def test_a_command_without_options_of_its_own_writes_a_log(tmp_path, capsys):
    assert main(["version", "--quiet", "--log", str(tmp_path / "x.log")]) == 0
    assert "swgui version" in (tmp_path / "x.log").read_text()
    assert build_parser().parse_args(["doctor", "--json"]).json


@pytest.mark.parametrize("command", REPORTS)
def test_a_report_is_one_json_object(command, folder, monkeypatch, capsys):
    monkeypatch.chdir(folder)
    words, fact, value = REPORTS[command]
    status, report = reported(words, capsys)
    assert status == 0
    assert (report["command"], report["complete"]) == (command, True)
    assert report[fact] == value or value is None
    assert ("rows" in report) == (command in WITH_ROWS)
    if command in WITH_ROWS:
        out = f"{command}.json"
        again = reported([*words, "-o", out], capsys)[1]
        assert "rows" not in again
        assert (again["out"], json.loads((folder / out).read_text())) == (out, report["rows"])


@pytest.mark.parametrize(
    ("words", "wanted", "status"),
    [
        (["compare", "a.swgui", "b.swgui"], "lost", 4),
        (["compare", "a.swgui", "b.swgui"], "new", 0),
        (["compare", "a.swgui", "a.swgui"], "any", 0),
        (["diff", "a.swgui", "d.swdb", *CPU], "any", 0),
        (["judge", "one.tsv", "d.fasta", *CPU], "joined", 4),
        (["judge", "one.tsv", "d.fasta", *CPU], "parted", 0),
        (["leak", "d.fasta", "q.fasta", *CPU], "90%", 4),
        (["leak", "d.fasta", "d.fasta", *CPU], "100", 4),
        (["audit", "-q", "q.fasta", "-d", "d.swdb", "--table", "a.b6", *CPU], "any", 0),
        (["audit", "-q", "q.fasta", "-d", "d.swdb", "--table", "a.b6", "--top", "1", *CPU], "extra", 4),
    ],
)
def test_fail_on_gives_a_status_of_its_own(words, wanted, status, folder, monkeypatch, capsys):
    monkeypatch.chdir(folder)
    assert main([*words, "--fail-on", wanted]) == status
    assert ("the exit status is 4" in capsys.readouterr().err) == (status == 4)
    assert main(words) == 0
