"""A rule from a package outside has all that rules have, by one module; it is the example of docs/dev/extending.md."""

from __future__ import annotations

import ast
import importlib
import json
import sys
from pathlib import Path

import pytest

import swgui
from swgui import packages
from swgui.cli import main
from swgui.core.errors import InvalidParameter
from swgui.core.rules.rule import RULES
from swgui.io.methods.rules import rule_methods
from swgui.jobs.rules import known
from swgui.library.rule import RULE_OPTIONS
from swgui.runs import Runs
from tests.outside_engine import install
from tests.sources import statements_of, tree_of

PEPTIDE = "WAALLVTFLAGCQAKVEQ"
PROTEINS = {
    "same": f"MK{PEPTIDE}HH",
    "inside": f"MK{PEPTIDE[:8]}Y{PEPTIDE[9:]}HH",
    "at_the_end": f"MK{PEPTIDE[:-1]}YHH",
    "twice": f"MK{PEPTIDE[:8]}YY{PEPTIDE[10:]}HH",
}


def forget():
    known.rules.cache_clear()
    for name in ("options", "_defaults"):  # those of `swgui.rule`
        vars(RULE_OPTIONS).pop(name, None)


@pytest.fixture
def anchored(tmp_path, monkeypatch, user_folders):
    """The module of the package, installed; the current folder has its query and its database."""
    (tmp_path / "site").mkdir()
    site = install(tmp_path / "site", "anchored", "anchored/pyproject.toml")
    monkeypatch.syspath_prepend(site)
    packages.forget()
    forget()
    monkeypatch.chdir(tmp_path)
    (tmp_path / "q.fa").write_text(f">q\n{PEPTIDE}\n")
    (tmp_path / "db.fa").write_text("".join(f">{name}\n{text}\n" for name, text in PROTEINS.items()))
    yield importlib.import_module("anchored")
    forget()
    packages.forget()
    del sys.modules["anchored"]


def rule(*words):
    return main(["rule", "anchored", "-q", "q.fa", "-d", "db.fa", *words])


def names(path):
    return [line.split("\t")[1] for line in Path(path).read_text("utf-8").splitlines()[1:]]


def test_the_terminal_has_command_certificate_and_verification(anchored, capsys):
    assert rule("-o", "places.tsv", "--certificate", "c.json", "--certificate-page", "c.html") == 0
    assert names("places.tsv") == ["same", "inside"]
    facts = json.loads(Path("c.json").read_text("utf-8"))
    assert facts["rule"]["parameters"] == {"mismatches": 1, "ends": 2}
    assert facts["controls"] == {"within": 100, "within_found": 100, "beyond": 100, "beyond_found": 0, "ok": True}
    assert facts["checks"]["recounted"] == facts["found"] == 2
    assert main(["verify", "c.json", "--full"]) == 0
    assert "Every place where the whole query stands with at most 1 mismatch" in rule_methods(facts).paragraph
    capsys.readouterr()
    with pytest.raises(SystemExit):
        main(["rule", "--help"])
    said = " ".join(capsys.readouterr().out.split())
    assert "guides 3, primers 2, anchored 1)" in said
    assert "--ends N" in said


@pytest.mark.parametrize("form", ["csv", "json", "xlsx", "bed", "gff3", "pepmatch"])
def test_all_formats_have_its_places(anchored, form):
    assert rule("-o", "places", "--format", form) == 0


def test_its_parameters_change_what_it_finds_and_are_refused_to_others(anchored, capsys):
    assert rule("-o", "places.tsv", "--mismatches", "2") == 0
    assert names("places.tsv") == ["same", "inside", "twice"]
    assert rule("--ends", "10") == 1
    assert rule("--pam", "NGG") == 2
    assert "It has --mismatches, --ends." in capsys.readouterr().err
    assert main(["rule", "peptides", "-q", "q.fa", "-d", "db.fa", "--ends", "1"]) == 2


def test_the_library_has_it(anchored):
    found = swgui.rule("anchored", "q.fa", "db.fa", mismatches=2, ends=9)
    assert found.to_arrays(["sseqid"])["sseqid"].tolist() == ["same"]
    with pytest.raises(InvalidParameter, match="ends"):
        swgui.rule("words", "q.fa", "db.fa", ends=1)


def test_the_window_has_its_task_and_its_fields(anchored, qtbot):
    from swgui.gui.rules.form import RuleForm

    form = RuleForm()
    qtbot.addWidget(form)
    assert list(form.tasks) == [*RULES, "anchored"]
    form.choose("anchored")
    form.controls["anchored"]["ends"].control.setValue(3)
    assert form.rule == anchored.Anchored(1, 3)
    assert form.sentence.text() == form.rule.sentence()


def test_it_is_kept_and_opened_again(anchored):
    from swgui.core.alphabet import PROTEIN
    from swgui.core.control import RunControl
    from swgui.core.records import SequenceRecord
    from swgui.core.rules.request import RuleRequest
    from swgui.io.database.any_file import open_any_database
    from swgui.jobs.rules.run import RuleRun

    request = RuleRequest.given(anchored.Anchored(2), [SequenceRecord("q", "", PEPTIDE.encode())], PROTEIN, "db.fa")
    runs = Runs()
    *_, finished = runs.run("rule", RuleRun(request, open_any_database("db.fa")), RunControl())
    (record,) = runs.list()
    assert (record.kind, record.found) == ("rule", 3)
    assert runs.of("rule").open(finished.outcome.run_id).asked.request.rule == anchored.Anchored(2)


def test_a_rule_is_one_module_and_ours_are_named_in_the_rooms_of_rules_alone(anchored, tmp_path, repository):
    assert [path.name for path in (tmp_path / "site").glob("*.py")] == ["anchored.py"]  # and its entry point
    users: dict[str, set[str]] = {rule.__name__: set() for rule in RULES.values()}
    for path in (repository / "swgui").rglob("*.py"):
        for node in statements_of(tree_of(path)):
            if isinstance(node, ast.ImportFrom) and str(node.module).startswith("swgui.core.rules."):
                for name in users.keys() & {alias.name for alias in node.names}:
                    users[name].add(path.relative_to(repository / "swgui").with_suffix("").as_posix())
    for rule in RULES.values():  # its module, its work and the table of rules; those that share its work
        work = rule.work.partition(":")[0].removeprefix("swgui.").replace(".", "/")
        assert users[rule.__name__] >= {"core/rules/rule", work}
        assert len(users[rule.__name__]) <= 3
        assert all(place.startswith(("core/rules/", "jobs/rules/")) for place in users[rule.__name__])
