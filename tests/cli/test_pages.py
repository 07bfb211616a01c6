"""The pages for those who come from scripts and other programs: their commands run, their options are there."""

import csv
import re
import shlex
import shutil
from pathlib import Path

import pytest

from swgui.cli import main
from swgui.commands.option import options_of
from swgui.commands.table import COMMANDS
from swgui.io.sample_files import sample_files, write_sample

pytestmark = pytest.mark.usefixtures("user_folders")
FASTA = {
    "one.fasta": ">first of a family\nMKVLWAALLVTFLAGCQAKVEQAVETEPEPELRQQTEWQSGQRWELALGRFWDYLRWVQT\n",
    "two.fasta": ">second of a family\nMKVLWAALLVTFLAGCQARVEQAVETEPEPELRQTEWQSGQRWELALGRFWDYLRWVQTL\n",
}
SAMPLE = {file.name for file in sample_files()}
FILE = re.compile(r"[\w./~-]*/[\w.~-]+|[\w.-]+\.[A-Za-z]\w*(?:\.gz)?")  # a path, or a name with an ending
WAITS = {  # why commands of the pages are not run by tests
    "^swgui get ": "they load from the network",
    "^swgui (serve|mcp|worker) ": "they run until they are stopped",
    "--set scheduler=": "a cluster is needed",
    "--signer? ": "an SSH key is needed",
    "^swgui watch (add .* --mail|mail )": "a mail program is needed",
    "^swgui doctor$": "its status is that of the computer",
    "^swgui bench": "it measures for minutes",
    "^swgui remote ": "another computer is needed",
    "^swgui devices ": "its answer is that of the computer",
    "^swgui databases|-d uniref50 ": "the databases are those of the site",
}
BLOCK = re.compile(r"^(`{3,})(.*)\n((?:.*\n)*?)\1$", re.MULTILINE)
ROOMS = ("tutorial", "howto", "explanation", "reference")
DOCS = Path(__file__).resolve().parents[2] / "docs"
ELSEWHERE = {"howto/cluster.md"}  # its Python needs Dask and Slurm or Kubernetes
LONG = ("explanation/context-scores.md", "howto/deeper.md", "howto/translated-search.md")  # seconds to tens of seconds
NIGHTLY = dict.fromkeys(LONG, pytest.mark.nightly)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, text in FASTA.items():
        (tmp_path / name).write_text(text)
    (tmp_path / "proteins.fasta").write_text("".join(FASTA.values()))
    return tmp_path


def ran(line):
    """Run a command with the slow but simple engine, where it has one."""
    words = shlex.split(line)[1:]
    if words[0] == "search" and "--engine" not in words:
        words += ["--engine", "reference"]
    return main(words)


def blocks(page):
    """Language and text of every block of a page; commands have no language."""
    return [(found[2].strip(), found[3]) for found in BLOCK.finditer((DOCS / page).read_text("utf-8"))]


PAGES = sorted(
    page
    for page in ("../README.md", *(f"{room}/{path.name}" for room in ROOMS for path in (DOCS / room).glob("*.md")))
    if page not in ELSEWHERE and any(language in ("", "python") for language, _ in blocks(page))
)


@pytest.fixture(scope="module")
def sample(tmp_path_factory):
    folder = tmp_path_factory.mktemp("sample")
    assert all(written for _, written in write_sample(folder))
    return folder


def may_stay(line):
    """Whether a command need not run: for a reason of `WAITS`, or because it names a file that the sample lacks."""
    if re.search("|".join(WAITS), line):
        return True
    words = shlex.split(line, comments=True)
    outputs = {"swgui", *written_by(words)}
    given = [word.rpartition("=")[2] for word in words if word not in outputs]
    return any(FILE.fullmatch(word) and word not in SAMPLE for word in given)


def test_commands_that_could_run_are_in_blocks_that_run():
    pages = [f"{room}/{path.name}" for room in (*ROOMS, "dev") for path in (DOCS / room).glob("*.md")]
    lines = [
        (page, line)
        for page in ("../README.md", "index.md", *pages)
        for language, text in blocks(page)
        if language == "text"
        for line in text.splitlines()
        if line.startswith("swgui ")
    ]
    assert [(page, line) for page, line in lines if not may_stay(line)] == []
    assert [reason for reason in WAITS if not any(re.search(reason, line) for _, line in lines)] == []


def written_by(words):
    """Files that a command line names as its outputs."""
    return [words[i + 1] for i, word in enumerate(words) if word in ("-o", "--out", "--save") and words[i + 1] != "-"]


def figures_of_rna(text):
    """Compare what the page on RNA says of relatives and pairs with what its commands wrote."""
    said = re.search(
        r"(\d+) of the 39 relatives.*Now (\d+) of the 39.*none of the others.*here (\d+) pairs", text, re.DOTALL
    )
    found = []
    for name in ("one.tsv", "rounds.tsv"):
        hits = csv.DictReader(Path(name).read_text().splitlines(), delimiter="\t")
        found.append({hit["sseqid"] for hit in hits if float(hit["evalue"]) <= 0.001})
        assert all(subject.startswith("rna") for subject in found[-1])
    pairs = [line for line in Path("pairs.tsv").read_text().splitlines() if not line.startswith("#")]
    assert [*map(len, found), len(pairs) - 1] == [*map(int, said.groups())]


FIGURES = {"howto/rna.md": figures_of_rna}  # of pages that say what their commands find


@pytest.mark.parametrize("page", [pytest.param(page, marks=NIGHTLY.get(page, ())) for page in PAGES])
def test_the_blocks_of_a_page_run(sample, tmp_path, monkeypatch, capsys, page):
    """Commands and Python, in their order, in a folder with the sample; what cannot run has another fence."""
    monkeypatch.chdir(shutil.copytree(sample, tmp_path / "here"))
    names = {}
    for language, text in blocks(page):
        if language == "python":
            pytest.importorskip("pandas")
            exec(compile(text, page, "exec"), names)
        for line in text.splitlines() if language == "" else ():
            program, *words = shlex.split(line, comments=True)
            assert program == "swgui", (line, "a block that cannot run says so: ```text")
            assert main(words) == 0, (line, capsys.readouterr().err)
            assert all(Path(name).stat().st_size > 0 for name in written_by(words)), line
    if page in FIGURES:
        FIGURES[page]((DOCS / page).read_text("utf-8"))


def test_the_worked_example_finds_what_it_says(repository, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    text = (repository / "docs" / "tutorial" / "distant-relative.md").read_text("utf-8")
    shutil.copy(repository / "resources" / "examples" / "sample_database.fasta.gz", tmp_path)
    (query,) = re.findall(r"^```text\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    Path("hba.fasta").write_text(query)
    said = {}
    for line in re.findall(r"^swgui .*$", text, re.MULTILINE):
        assert main([*shlex.split(line)[1:], *(["--engine", "cpu"] if " search " in line else [])]) == 0, line
        said[line] = capsys.readouterr().out
    first, found = (
        dict(line.split("\t", 1) for line in Path(name).read_text().splitlines())
        for name in ("first.tsv", "rounds.tsv")
    )
    assert not any("LGB" in name for name in first)
    assert 1e-9 <= float(first["sp|P02144|MYG_HUMAN"].split("\t")[1]) < 1e-8
    assert round(float(first["sp|Q9NPG2|NGB_HUMAN"].split("\t")[1]), 2) == 0.03
    missed = [line.split("\t") for line in said["swgui find first.swgui LGB"].splitlines()[1:]]
    assert sorted((row[3], f"{float(row[7]):.2g}") for row in missed) == [("28", "14"), ("358", "6.5e+02")]
    for name in ("sp|P02240|LGB2_LUPLU", "sp|P02238|LGBA_SOYBN"):
        evalue, identity, began = found[name].split("\t")
        assert float(evalue) < 1e-20
        assert (round(float(identity)), began) in ((15, "2"), (16, "2"))
    assert all(float(rest.split("\t")[0]) > 1 for name, rest in found.items() if name.startswith("sim|"))


def test_parts_have_the_e_values_of_the_whole(repository, folder, capsys):
    """The page's statement on --dbsize."""
    (folder / "both.fasta").write_text("".join(FASTA.values()))

    def evalues(database, *more):
        words = ["search", "-q", "one.fasta", "-d", database, "--engine", "reference", "--composition", "none"]
        assert main([*words, "--max-hsps", "1", "--columns", "sseqid,evalue", *more]) == 0
        return dict(line.split("\t") for line in capsys.readouterr().out.splitlines()[1:])

    whole = evalues("both.fasta")
    parts = evalues("one.fasta", "--dbsize", "120") | evalues("two.fasta", "--dbsize", "120")
    assert parts == whole


def rows(text):
    """Return theirs, ours and remarks of all tables of a page."""
    cells = [
        [cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines() if line.startswith("| ")
    ]
    return [row for row in cells if row[0] != "there"]


def test_every_option_named_beside_another_programs_is_there(repository):
    text = (repository / "docs" / "howto" / "coming-from.md").read_text("utf-8")
    known = {name for option in options_of(COMMANDS["search"].groups()) for name in option.names}
    found = rows(text)
    assert len(found) > 60
    for theirs, ours, remark in found:
        for word in re.findall(r"`([^`]+)`", ours):
            first, *rest = word.split()
            assert first in known or (first == "swgui" and rest[0] in COMMANDS), (theirs, word)
        assert ours or re.search(r"no(thing)? ", remark), theirs


def commands_of(text):
    """Return the commands of a workflow file, one a line, with its strings joined and without its shell's ends."""
    joined = re.sub(r'"\s*\n\s*"', "", text)
    return [found.rstrip('"') for found in re.findall(r"^\s*\"?(swgui (?:makedb|search) .*)$", joined, re.MULTILINE)]


VALUES = {
    "Snakefile": {"{input.query}": "one.fasta", "{input.database}": "proteins.swdb", "{input}": "proteins.fasta",
                  "{threads}": "2", "{log}": "run.log"},
    "search.nf": {"${proteins}": "proteins.fasta", "${query}": "one.fasta", "${database}": "proteins.swdb",
                  "${query.baseName}.tsv": "hits.tsv", "${task.cpus}": "2"},
}  # fmt: skip


@pytest.mark.parametrize("name", VALUES)
def test_the_commands_of_a_workflow_run(repository, folder, name, capsys):
    lines = commands_of((repository / "docs" / "workflows" / name).read_text("utf-8"))
    for line, out in zip(lines, ["proteins.swdb", "hits.tsv"], strict=True):
        for key, value in {**VALUES[name], "{output}": out}.items():
            line = line.replace(key, value)
        assert "{" not in line, line
        assert "$" not in line, line
        assert ran(line) == 0, (line, capsys.readouterr().err)
    assert len((folder / "hits.tsv").read_text().splitlines()[0].split("\t")) in (12, 13)
