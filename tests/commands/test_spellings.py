"""Shares, short names, names of earlier versions and names of BLAST on the command line."""

from argparse import ArgumentTypeError

import pytest

from swgui.cli import build_parser
from swgui.commands.percent import percent, read_as_share, share, typed
from swgui.commands.table import COMMANDS

SEARCH = ["search", "-q", "q.fa", "-d", "d.fa"]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0.9", 90),
        ("90%", 90),
        ("90", 90),
        ("0.55", 55),
        ("1", 100),
        ("1.0", 100),
        ("0", 0),
        ("0.5%", 0.5),
        ("100", 100),
    ],
)
def test_shares_and_percentages_are_read_alike(text: str, value: float) -> None:
    assert percent(text) == value
    assert share(text) == pytest.approx(value / 100, rel=1e-15)


@pytest.mark.parametrize("text", ["-0.1", "101", "1000%", "a", "", "nan", "-5", "inf"])
def test_other_shares_are_refused(text: str) -> None:
    with pytest.raises(ArgumentTypeError, match="no share from 0 to 1"):
        percent(text)


@pytest.mark.parametrize("value", [0.0, 0.25, 1.0, 32.5, 90.0, 100.0])
def test_a_written_percentage_is_read_as_itself(value: float) -> None:
    assert percent(str(typed(value))) == value


def test_a_share_that_was_a_percentage_has_a_notice(capsys: pytest.CaptureFixture[str]) -> None:
    parsed = build_parser([COMMANDS["search"]]).parse_args([*SEARCH, "--min-identity", "0.9"])
    assert parsed.min_identity == 90
    assert capsys.readouterr().err == (
        "swgui: --min-identity 0.9 is 90 %; it was 0.9 % in earlier versions, which is written 0.9% now.\n"
    )
    build_parser([COMMANDS["search"]]).parse_args([*SEARCH, "--min-identity=90%", "--min-coverage", "50"])
    assert capsys.readouterr().err == ""
    assert read_as_share("--min-identity", "x") == ""


def test_names_of_earlier_versions_have_a_notice(capsys: pytest.CaptureFixture[str]) -> None:
    parsed = build_parser([COMMANDS["pair"]]).parse_args(["pair", "a", "b", "--limit", "7"])
    assert parsed.limit == 7
    assert capsys.readouterr().err == "swgui: --limit is now --top.\n"
    assert build_parser([COMMANDS["pair"]]).parse_args(["pair", "a", "b", "--top=7"]).limit == 7
    assert capsys.readouterr().err == ""


def test_underscores_and_short_names_are_taken() -> None:
    words = [*SEARCH, "--num_threads", "3", "--max_target_seqs=9", "-e", "0.1", "-f", "json", "-p", "blastp"]
    parsed = build_parser([COMMANDS["search"]]).parse_args(words)
    assert (parsed.threads, parsed.top, parsed.evalue, parsed.format) == (3, 9, 0.1, "json")
    assert parsed.program == "blastp"
    assert build_parser([COMMANDS["search"]]).parse_args([*SEARCH, "-k", "4"]).top == 4


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["search", "-query", "q.fa", "-db", "d"], "-query is --query here"),
        ([*SEARCH, "-outfmt", "6"], "-outfmt is --format here"),
        ([*SEARCH, "-out", "x"], "-out is --out here"),
        ([*SEARCH, "-evalue", "1"], "-evalue is --evalue here"),
        (["pair", "-query", "a"], "-query is an option of BLAST, which this command does not have"),
    ],
)
def test_one_dash_of_blast_is_recognized(words: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        build_parser([COMMANDS[words[0]]]).parse_args(words)
    assert ended.value.code == 2
    assert said in capsys.readouterr().err
