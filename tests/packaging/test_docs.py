"""The documents say nothing that is not so: files exist, commands are understood, every folder says what it is for."""

from __future__ import annotations

import ast
import re
import shlex
from pathlib import Path

import pytest

from swgui.core.verdict.kinds import BORDERLINE, MEANINGS, SIGNIFICANT, THRESHOLDS, explain_kinds

REPOSITORY = Path(__file__).resolve().parents[2]
DOCUMENTS = sorted(
    path.relative_to(REPOSITORY).as_posix()
    for where in ("*.md", "docs/**/*.md", "kernels/*.md", "packaging/**/*.md", "resources/**/*.md")
    for path in REPOSITORY.glob(where)
)

# Written by a build, by an installation or by the first run.
REFERENCE = r"(settings|commands|keys|columns|formats|engines|methods|python)\.md$"
MADE_LATER = re.compile(
    rf"^(\.\./)*(\.venv|build|dist|swgui/_\w+|reference/{REFERENCE}|{REFERENCE}|(docs/)?notebooks/\w+\.md$)(/|$)"
)
EXAMPLE = re.compile(r"swgui/io/export/ranks\.py|.*\bNAME\.\w+$")  # of the page on how to add one


def commands(text: str) -> list[str]:
    """Lines of code blocks that call swgui, without comments."""
    blocks = re.findall(r"^(`{3,})(?:text)?\n(.*?)^\1", text, re.MULTILINE | re.DOTALL)
    lines = [line.split("  #")[0].strip() for _, block in blocks for line in block.splitlines()]
    return [line for line in lines if line.split(" ")[0] == "swgui"]


@pytest.mark.parametrize("name", DOCUMENTS)
def test_files_that_are_named_exist(repository, name):
    document = repository / name
    text = document.read_text("utf-8")
    named = set(re.findall(r"`((?:swgui|kernels|resources|packaging|tests|\.ci)/[\w./*-]*)`", text))
    named |= set(re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", text))
    missing = [
        path
        for path in sorted(named)
        if not MADE_LATER.match(path)
        and not EXAMPLE.match(path)
        and not any((home / path).exists() for home in (repository, document.parent))
    ]
    assert missing == []


def test_every_folder_says_what_it_is_for(repository):
    folders = {path.parent for path in (repository / "swgui").rglob("*.py")}
    described = {path for path in folders if ast.get_docstring(ast.parse((path / "__init__.py").read_text("utf-8")))}
    assert sorted(str(path) for path in folders - described) == []


def test_every_test_that_the_page_on_faults_names_exists(repository):
    text = (repository / "docs" / "dev" / "robustness.md").read_text("utf-8")
    named = re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", text)
    assert len(named) > 30
    missing = [
        f"{path}::{name}"
        for path, name in named
        if not re.search(rf"^def {name}\(", (repository / path).read_text("utf-8"), re.MULTILINE)
    ]
    assert missing == []


def test_every_variable_of_the_program_is_described(repository):
    described = (repository / "docs" / "howto" / "troubleshooting.md").read_text("utf-8")
    sources = [*(repository / "swgui").rglob("*.py"), *(repository / "packaging").rglob("*.py")]
    used = {
        name for path in sources for name in re.findall(r"SWGUI_[A-Z]+(?:_[A-Z]+)*\b(?!_)", path.read_text("utf-8"))
    }
    assert sorted(name for name in used if name not in described) == ["SWGUI_FROZEN"]  # of the tests of the bundle


def test_commands_of_the_documents_are_understood(repository):
    from swgui.cli import build_parser

    parser = build_parser()
    lines = [(name, line) for name in DOCUMENTS for line in commands((repository / name).read_text("utf-8"))]
    assert {"README.md", "docs/howto/organisms.md"} < {name for name, _ in lines}
    for name, line in lines:
        if line != "swgui":
            known, rest = parser.parse_known_args(shlex.split(line)[1:])
            assert known.run, (name, line)
            assert not rest or known.command == "bench", (name, line)


def test_figures_of_the_readme_are_those_of_the_benchmarks(repository):
    benchmarks = (repository / "BENCHMARKS.md").read_text("utf-8")
    rows = cells_of(benchmarks.split("## One H200")[1].split("##")[0])
    measured = {row[1] or row[0]: dict(zip(rows[0], row, strict=True)) for row in rows[1:]}
    scans, jobs = (repository / "README.md").read_text("utf-8").split("## Speed")[1].split("\n\n| whole command")
    heads, gcups, other = (row[1:] for row in cells_of(scans))
    for length, speed, theirs in zip(heads, gcups, other, strict=True):
        row = measured[length if length.isdigit() else "geometric mean"]
        assert (speed, theirs) == (row["GCUPS, whole scan"], row["CUDASW++ 4.0"]), length
    peers = {row[0]: row for row in cells_of(benchmarks.split("**Peers on")[1].split("**Folding")[0])}
    of_peers = [
        round(float(cell.strip("*").split(";")[0].strip("*")), 1) for cell in peers["20 queries x 41 M residues"][1:6]
    ]
    assert list(map(float, cells_of(jobs)[0][1:6])) == of_peers


def cells_of(text):
    """The cells of the lines of tables, without those below the heads."""
    lines = [line for line in text.splitlines() if line.startswith("|") and "---" not in line]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def test_verdicts_and_their_thresholds_stand_in_the_manual(repository):
    text = (repository / "docs" / "howto" / "is-this-hit-real.md").read_text("utf-8")
    for line in explain_kinds().split("; "):
        kind, when = line.split(": ", 1)
        assert f"| {kind} | {when} | {MEANINGS[kind]} |" in text
    for threshold in set(THRESHOLDS) - {SIGNIFICANT, BORDERLINE}:  # those stand with the kinds
        assert f"| {threshold.name} | {threshold.text} | {threshold.meaning} |" in text


def test_issue_forms_and_checks_at_commits_are_well_formed(repository):
    yaml = pytest.importorskip("yaml")
    forms = sorted((repository / ".github" / "ISSUE_TEMPLATE").glob("*.yml"))
    assert len(forms) == 3
    for form in forms:
        asked = yaml.safe_load(form.read_text("utf-8"))
        assert set(asked) == {"name", "description", "body"}, form.name
        for field in asked["body"]:
            assert (field["type"], bool(field["attributes"]["label"])) == ("textarea", True), form.name
    (local,) = yaml.safe_load((repository / ".pre-commit-config.yaml").read_text("utf-8"))["repos"]
    entries = [hook["entry"].split() for hook in local["hooks"]]
    assert all((repository / path).exists() for entry in entries for path in entry if path.startswith("tests/"))
    programs = {entry[0].removeprefix(".venv/bin/") for entry in entries if entry[0].startswith(".venv/bin/")}
    assert programs == {"ruff", "mypy", "lint-imports", "pytest"}


def test_documents_for_contributors_stay_short(repository):
    limits = {"README.md": 83, "CONTRIBUTING.md": 200, "BENCHMARKS.md": 300, "kernels/README.md": 250}
    long = {name for name, most in limits.items() if (repository / name).read_text("utf-8").count("\n") > most}
    assert long == set()
    text = (repository / "CONTRIBUTING.md").read_text("utf-8")
    tasks = ("Set up", "Run one test", "Add a column", "Release")
    assert re.findall(r"^## (.*)$", text, re.MULTILINE)[: len(tasks)] == list(tasks)


def test_every_measurement_is_cited_or_run(repository):
    using = [name for name in DOCUMENTS if name != "packaging/README.md"]
    using += ["packaging/nightly.py", "tests/packaging/test_outputs.py"]  # the night, and the comparison of outputs
    texts = "\n".join((repository / name).read_text("utf-8") for name in using)
    folder = repository / "packaging" / "measuring"
    kept = [path.relative_to(folder) for path in folder.glob("*.py")] + [Path("folding/load.py"), Path("speed")]
    assert [str(path) for path in kept if path.name not in texts] == []
