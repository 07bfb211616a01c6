"""Help: groups, one screen on a command, examples that work as they stand, lists of formats and columns."""

import json
import shlex
import shutil

import pytest

import swgui
from swgui.cli import build_parser, main
from swgui.commands.helping import IN_SAMPLE, WIDTH
from swgui.commands.option import options_of
from swgui.commands.table import COMMANDS, GROUPS
from swgui.io.sample_files import sample_files
from swgui.paths import documentation

SCREEN = 40  # lines
# Examples that would wait for a connection, or load something from the network: they are only parsed.
WAITING = ("swgui serve ", "swgui mcp ", "swgui worker ", "swgui get swissprot", "swgui fetch-query P01308 --online")


def printed(words, capsys):
    """Return the output of a command line that ends by itself."""
    try:
        status = main(words)
    except SystemExit as end:
        status = end.code
    assert status == 0
    return capsys.readouterr().out


@pytest.mark.parametrize(
    "name", ["search", "msa", "deeper", "diff", "pair", "network", "cluster", "split", "leak", "judge"]
)
def test_commands_that_compute_scores_say_where_their_time_went(name):
    assert "timings" in {option.key for option in options_of(COMMANDS[name].groups())}


def test_commands_are_listed_by_groups(capsys):
    out = printed(["--help"], capsys)
    assert out == printed(["help"], capsys) == printed(["-h"], capsys)
    places = [out.index(f"\n{group}:\n") for group in GROUPS]
    assert places == sorted(places)
    for place, group in zip(places, GROUPS, strict=True):
        block = out[place:].split("\n\n")[0]
        named = [line.split()[0] for line in block.splitlines()[2:] if line[2:3].strip()]
        assert named == [command.name for command in COMMANDS.values() if command.group == group]
    assert out.endswith(f"\nManual: {documentation()}\n")
    assert {command.group for command in COMMANDS.values()} == {*GROUPS}


@pytest.mark.parametrize("command", [*COMMANDS])
def test_the_short_help_is_one_screen(command, capsys):
    out, record = printed([command, "-h"], capsys), COMMANDS[command]
    lines = out.splitlines()
    assert len(lines) <= SCREEN
    assert [line for line in lines if len(line) > WIDTH and not line.startswith("Manual: ")] == []
    assert lines[0].startswith(f"usage: swgui {command}")
    said = record.help[:1].upper() + record.help[1:] + "."
    assert " ".join(lines[2 : lines.index("", 2)]) == said
    assert 1 <= len(record.examples) <= 4
    assert [*lines[lines.index(IN_SAMPLE) + 1 :]][: len(record.examples)] == [f"  {line}" for line in record.examples]
    assert lines[-1] == f"Manual: {documentation()}"
    known = {name: option for option in options_of(record.groups()) for name in option.names}
    for name in record.first:
        assert name in known, "an option of the first page is none of the command's"
        assert f" {name} " in f"{out} ".replace("\n", " "), name
    if record.first:
        needed = [one for one in options_of(record.groups()) if (one.required or one.usual) and not one.positional]
        assert all({*option.names} & {*record.first} for option in needed)


@pytest.mark.parametrize("command", [*COMMANDS])
def test_the_long_help_has_every_option(command, capsys):
    out = printed([command, "--help"], capsys)
    assert out == printed(["help", command], capsys)
    for option in options_of(COMMANDS[command].groups()):
        assert option.positional or all(name in out for name in option.names)
    assert out.endswith(f"\nManual: {documentation()}\n")
    assert all(f"\n  {line}\n" in out for line in COMMANDS[command].examples)


@pytest.fixture(scope="module")
def sample(tmp_path_factory):
    folder = tmp_path_factory.mktemp("sample") / "files"
    assert main(["sample", str(folder)]) == 0
    return folder


@pytest.mark.parametrize(
    "command", [pytest.param(name, marks=[pytest.mark.nightly] * (name in ("deeper", "doctor"))) for name in COMMANDS]
)  # a page of the manual looks deeper by day, and `tests/jobs/test_doctor.py` has the work of the doctor
def test_examples_work_as_they_stand(command, sample, tmp_path, monkeypatch, capsys):
    folder = shutil.copytree(sample, tmp_path / "copy")
    monkeypatch.chdir(folder)
    for line in COMMANDS[command].examples:
        program, *words = shlex.split(line)
        assert program == "swgui"
        if line.startswith(WAITING):
            assert build_parser().parse_args(words).command == words[0]
        elif words[0] == "doctor":  # its status is that of the computer
            assert main(words) in (0, 1)
        else:
            printed(words, capsys)


def test_the_sample_is_written_once(sample, tmp_path, capsys):
    assert {file.name for file in sample.iterdir()} == {file.name for file in sample_files()}
    (tmp_path / "hba.fasta").write_text(">mine\nMKV\n")
    out = printed(["sample", str(tmp_path)], capsys)
    assert (tmp_path / "hba.fasta").read_text() == ">mine\nMKV\n"
    assert out.count("was there, left as it is") == 1
    for file in sample_files():
        assert (tmp_path / file.name).read_bytes() == (sample / file.name).read_bytes() or file.name in (
            "hba.fasta", "db.swdb",
        )  # fmt: skip
    assert main(["sample", str(tmp_path / "hba.fasta" / "folder")]) == 1
    assert "hba.fasta' is not a folder" in capsys.readouterr().err


def test_reads_of_the_sample_come_from_its_genes(sample, capsys):
    out = printed(
        ["search", "-q", str(sample / "reads.fq"), "-d", str(sample / "db.swdb"), "--top", "1", "--max-hsps", "1",
         "--columns", "qseqid,sseqid,log10_evalue", "--engine", "cpu"], capsys,
    )  # fmt: skip
    rows = [line.split("\t") for line in out.splitlines()[1:]]
    best = {row[0]: row[1].split("|")[-1] for row in rows}
    assert len(best) == 24
    assert {*best.values()} == {"HBA_HUMAN", "MYG_HUMAN", "LYSC_HUMAN", "CYC_HUMAN"}
    assert all(float(row[2]) < -10 for row in rows)


def test_versions_and_unknown_commands(capsys):
    assert printed(["version"], capsys) == printed(["-V"], capsys) == f"swgui {swgui.__version__}\n"
    assert main(["help", "serach"]) == 2
    assert "There is no command 'serach'. Did you mean search?" in capsys.readouterr().err


def test_lists_for_people_and_programs(capsys):
    out = printed(["formats"], capsys)
    listed = json.loads(printed(["formats", "--json"], capsys))
    assert [line.split("  ")[0] for line in out.splitlines()[1:] if line[0] != " "] == [r["commands"] for r in listed]
    out = printed(["columns"], capsys)
    listed = json.loads(printed(["columns", "--json"], capsys))
    assert [line.split()[0] for line in out.splitlines()[1:] if line[0] != " "] == [row["name"] for row in listed]
