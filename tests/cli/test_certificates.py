"""Certificates of every kind: whatever is changed in one is noticed by ``swgui verify``, or listed as not verified."""

from __future__ import annotations

import copy
import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from swgui.cli import main
from swgui.core.alphabet import PROTEIN
from swgui.core.errors import SwguiError
from swgui.core.records import SequenceRecord
from swgui.core.rules.asked import NO_CONTROL
from swgui.core.rules.request import RuleRequest
from swgui.core.rules.rule import Window
from swgui.io.database.any_file import open_any_database
from swgui.io.read_report import ReadReport
from swgui.jobs.certificate import NO_SIGNATURE, checksum_of
from swgui.jobs.network import certificate as network
from swgui.jobs.rules import blocks
from swgui.jobs.rules.run import RuleRun, certificate
from tests.cli.test_saved import run

DATA = Path(__file__).parents[1] / "data/certificates_1"
PROTEINS = "-q queries.fasta -d proteins.fasta"
COMMANDS = {
    "peptides": f"rule peptides {PROTEINS} --mismatches 2 --ambiguous wild",
    "edits": f"rule edits {PROTEINS} --edits 2 --gaps 1 --mismatches 2",
    "identity": f"rule identity {PROTEINS} --identity 80%",
    "window": "rule window -q long.fasta -d proteins.fasta --length 40 --identity 40%",
    "words": f"rule words {PROTEINS} --length 6 --equate-il",
    "guides": "rule guides -q guides.fasta -d genome.fasta --mismatches 2 --dna-bulges 1 --rna-bulges 1 --edits 3",
    "primers": "rule primers -q primers.fasta -d genome.fasta --mismatches 2 --shortest 60 --longest 150",
    "frames": "rule peptides -q queries.fasta -d genome.fasta --type protein --frames 1,2,-1,-2,-3 --subject-code 11",
    "leak": "leak train.fasta test.fasta --coverage 0.956 --sure-evalue 0",
    "split": "leak all.fasta --split parts.tsv --coverage 0.97 --sure-evalue 0",
    "turned": "leak genome.fasta turned.fasta",
    "circular": "rule primers -q primers.fasta -d circles.fasta --shortest 60 --longest 150 --circular",
}
WALKED = "words"  # by day, with one other value of each member
SEQUENCE = (DATA / "genome.fasta").read_text().split("\n")[1]
FORMER = tuple(name for name in COMMANDS if (DATA / f"{name}.json").exists())  # those of the first format
pytestmark = pytest.mark.usefixtures("user_folders", "trusted_engines")


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """Work in a folder with the sequences, whose databases have several blocks."""
    for file in DATA.iterdir():
        shutil.copy(file, tmp_path)
    turned = SEQUENCE.translate(str.maketrans("ACGT", "TGCA"))[::-1]
    (tmp_path / "turned.fasta").write_text(f">t1\n{turned}\n>t2\n{SEQUENCE[50:200]}\n")
    circles = "".join(f">c{at}\n{SEQUENCE[at:]}{SEQUENCE[:at]}\n" for at in (0, 240))
    (tmp_path / "circles.fasta").write_text(circles)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(blocks, "SMALLEST", 300)
    return tmp_path


def certified(command: str) -> Path:
    """Run a command; returns the file of its certificate."""
    path = Path("C.json")
    assert main([*command.split(), "--engine", "cpu", "-o", "out.tsv", "--certificate", str(path)]) == 0
    return path


def made(name: str) -> dict[str, Any]:
    facts: dict[str, Any] = json.loads(certified(COMMANDS[name]).read_text())
    return facts


def verified(facts: Any, capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str]:
    """Return the exit status of a verification, and all that it says."""
    Path("C.json").write_text(json.dumps(facts))
    capsys.readouterr()
    try:
        status = run("verify", "C.json", "--engine", "cpu", *words)
    except SwguiError as error:
        return 2, str(error)
    return status, capsys.readouterr().out


# Other valid values that a member may have
OTHERS = {
    "rule.name": ["words", "identity", "peptides"],
    "rule.ambiguous_residues": ["strict", "sets", "wild"],
    "rule.strands": ["both", "plus", "one"],
    "scoring.strands": ["both", "plus", ""],
    "queries.alphabet": ["protein", "nucleotide"],
    "rule.parameters.gaps_in": ["insertions", "deletions", "subject"],
    "rule.parameters.over": ["query"],
    "rule.parameters.side": ["5"],
    "rule.parameters.pam": ["NAG"],
    "rule.parameters.identity": ["1/3", "0.4", "0.8", "40%"],
    "limits.coverage_of": ["query", "longer"],
    "limits.identity_over": ["query", "longer"],
    "scoring.matrix": ["PAM30", "mine"],
}
SCORES = ("0", "5")  # rows and columns of a matrix that are changed
REMOVED = "removed"  # in place of another value
Way = tuple[Any, ...]


def changes(facts: Any, way: Way = ()) -> Iterator[tuple[Way, list[Any]]]:
    """Yield the keys of each member, and of items in it, with other values."""
    for key, value in facts.items() if isinstance(facts, dict) else enumerate(facts):
        inside = (*way, key)
        if way[:2] == ("scoring", "scores") and str(key) not in SCORES:
            continue
        if inside != ("certificate_sha256",):
            others = [*OTHERS.get(named(inside), ()), *others_of(value)]
            others = [other for other in others if json.dumps(other) != json.dumps(value)]
            yield inside, [*others, *([REMOVED] if isinstance(facts, dict) else [])]
            if isinstance(value, dict | list):
                yield from changes(value, inside)


def others_of(value: Any) -> list[Any]:
    match value:
        case bool():
            return [not value, int(value)]
        case int():
            return [value + 1, max(value - 1, 0), float(value), None]
        case float():
            return [value + 0.5, value / 2, "many"]
        case str():
            return [f"{value}A", value[:-1], "", None]
        case list():
            return [value[:-1], [*value, *value[:1]], {}, None]
        case dict():
            return [{**value, "approved_by": "me"}, dict(list(value.items())[:-1]), []]
    return [0, {"approved_by": "me"}]


def named(way: Way) -> str:
    return ".".join(map(str, way))


def changed(facts: dict[str, Any], way: Way, other: Any, *, renewed: bool = True) -> dict[str, Any]:
    """Return a certificate with another value of a member, and by default with a new checksum."""
    made = copy.deepcopy(facts)
    inside = made
    for key in way[:-1]:
        inside = inside[key]
    if other == REMOVED:
        del inside[way[-1]]
    else:
        inside[way[-1]] = other
    return {**made, "certificate_sha256": checksum_of(made)} if renewed else made


def spellings(way: Way) -> list[str]:
    """Return how a member may be named: itself, one around it, all items of a list."""
    around = [way[:size] for size in range(1, len(way) + 1)]
    return [
        named("*" if starred and isinstance(key, int) else key for key in one) for one in around for starred in (0, 1)
    ]


def is_named(way: Way, output: str) -> bool:
    return any(f"'{name}" in output for name in spellings(way))


def listed(output: str, start: str) -> list[str]:
    """Return the members that lines of a report name, which begin so."""
    lines = [line.rpartition(": ")[2].rstrip(".") for line in output.splitlines() if line.startswith(start)]
    return [name for line in lines for name in line.split(", ")]


def is_listed(way: Way, output: str, start: str) -> bool:
    return bool(set(spellings(way)) & set(listed(output, start)))


# What refuses a certificate without naming the member
REFUSED = {
    ("background",): "'answer",  # whose sentences have its figures
    ("format",): "another version|not a saved search",
    ("queries", "alphabet"): "is needed here",
    ("rule", "frames"): "is needed here",
    ("split", "parts", 0): "is in the part",
    ("split", "parts", 1): "is in the part",
}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "values"),
    [(WALKED, 1), *(pytest.param(name, None, marks=pytest.mark.nightly) for name in COMMANDS)],
)
def test_every_change_of_every_member_is_noticed_or_the_member_is_listed(name, values, capsys):
    facts, wrong, consequences = made(name), [], set()
    asked, stated = (listed(verified(facts, capsys, "--full")[1], start) for start in ("Asked", "Stated"))
    for way, every in changes(facts):
        others = every[:values]
        for number, other in enumerate(others):
            for words in [("--full",)] if number or values else [("--full",), ()]:
                status, output = verified(changed(facts, way, other), capsys, *words)
                if status:
                    good = is_named(way, output) or re.search(REFUSED.get(way, "$^"), output)
                    consequences |= {named(way)} if status == 1 else set()
                elif way == ("background",):
                    good = other == REMOVED  # which is left out on demand
                else:
                    good = is_listed(way, output, "Stated") or is_listed(way, output, "Asked")
                if not good:
                    wrong.append((way, other, words, output))
        status, output = verified(changed(facts, way, others[0], renewed=False), capsys)
        if not status or (status == 1 and "'certificate_sha256'" not in output):
            wrong.append((way, others[0], "the former checksum", output))
    assert wrong == []
    assert set(asked) & set(stated) == set()
    without = {one for one in asked if not any(f"{way}.".startswith(f"{one}.") for way in consequences)}
    assert without <= ONLY_REFUSED | WITHOUT.get(name, set())


# Parts of the question of which every change is refused, and those that change nothing else in a certificate
ONLY_REFUSED = {"format", "rule.name", "queries.alphabet", "split.parts", "scoring.scores"}
WITHOUT = {
    "leak": {"split", "scoring.strands"},
    "split": {"limits.coverage_of", "scoring.strands"},
    "turned": {
        *("split", "scoring.gap_first", "scoring.gap_extend"),
        *("limits.evalue", "limits.coverage", "limits.coverage_of", "limits.sure_evalue"),
    },
    "words": {"rule.equate_il"},
    "primers": {"rule.strands"},
    "circular": {"rule.strands", "rule.circular"},
}


# Rules whose places were others in the first format
OTHER_MEANING = {
    "edits": "limits insertions and deletions one by one",
    "guides": "lists a site of a guide in each of its readings",
}


@pytest.mark.parametrize("name", FORMER)
@pytest.mark.sampled(5)
def test_a_certificate_of_the_first_format_is_verified(name, capsys):
    facts = json.loads(Path(f"{name}.json").read_text())
    assert facts["format"].endswith(" 1")
    status, output = verified(facts, capsys, "--full")
    if name in OTHER_MEANING:
        assert f"{OTHER_MEANING[name]}, as another version of this program did" in output
        return
    assert status == 0
    assert set(listed(output, "Stated, not verified (an earlier version")) <= {"rule.sentence"}
    for member in {"found", "subjects_found", "with_neighbour", "pairs_within_evalue", "pairs"} & set(facts):
        status, output = verified(changed(facts, (member,), facts[member] + 1), capsys, "--full")
        assert (status, member in output) == (1, True)
    if "sentence" in facts:
        status, output = verified(changed(facts, ("sentence",), "0 of 5 have a neighbour."), capsys, "--full")
        assert (status, "'sentence' is stated as '0 of 5" in output) == (1, True)


def test_a_certificate_of_strand_plus_of_the_first_format_is_verified(capsys):
    command = "rule peptides -q guides.fasta -d genome.fasta --mismatches 2 --strand plus"
    facts = json.loads(certified(command).read_text())
    earlier = {name: value for name, value in facts.items() if name != "checksum_is"}
    earlier |= {"format": "swgui rule certificate 1", "rule": {**facts["rule"], "strands": "one"}}
    status, output = verified(changed(earlier, ("resumed",), False), capsys, "--full")
    assert status == 0
    assert "(an earlier version words it so; now 'plus'): rule.strands" in output


def test_a_certificate_of_the_first_format_with_other_figures_is_not_confirmed(capsys):
    facts = json.loads(Path("leak.json").read_text())
    status, output = verified(changed(facts, ("with_neighbour",), 0), capsys, "--full")
    assert status == 1
    assert output.startswith("The certificate is not confirmed")
    assert "other values come out for with_neighbour." in output


def test_wording_of_an_earlier_version_is_stated_and_not_verified(capsys):
    facts = json.loads(Path("peptides.json").read_text())
    status, output = verified(changed(facts, ("rule", "sentence"), "Every place."), capsys, "--full")
    assert status == 0
    assert "Stated, not verified (an earlier version words it so; now 'Every place where" in output


@pytest.mark.parametrize("name", ["words", "leak"])
def test_a_report_says_what_a_checksum_is_not_and_what_a_sample_leaves_out(name, capsys, monkeypatch):
    monkeypatch.setattr(network, "TESTS", 2)
    facts = made(name)
    status, output = verified(facts, capsys)
    assert (status, facts["checksum_is"]) == (0, NO_SIGNATURE)
    assert output.startswith("The certificate holds as far as a sample tells: ")
    assert output.rstrip().endswith(NO_SIGNATURE)
    left = listed(output, "Stated, not verified (--full computes this)")
    assert {"found" if name == "words" else "with_neighbour"} < set(left)
    assert "The certificate holds: " in verified(facts, capsys, "--full")[1]


def test_without_a_positive_control_nothing_is_confirmed(capsys):
    reading = ReadReport()
    database = open_any_database("proteins.fasta", report=reading)
    query = SequenceRecord("q1", "", b"ACDEFGHIK")  # a command refuses it: no place can meet the rule
    rule_run = RuleRun(RuleRequest(Window(), (query,), PROTEIN, "proteins.fasta"), database, reading=reading)
    rule_run.scan_all()
    facts = certificate(rule_run)
    assert facts["controls"]["within"] == 0
    status, output = verified(facts, capsys, "--full")
    assert status == 1
    assert output.startswith("The certificate is not confirmed")
    assert NO_CONTROL in output
    assert "holds" not in output


def test_a_name_that_stands_twice_is_refused(capsys):
    text = json.dumps(made("words")).replace('"found": ', '"found": 0, "found": ', 1)
    Path("C.json").write_text(text)
    with pytest.raises(SwguiError, match="damaged certificate"):
        run("verify", "C.json", "--engine", "cpu")


def test_what_a_reader_drops_is_compared_where_the_file_tells_it(capsys):
    assert main(["makedb", "proteins.fasta", "-o", "p.swdb"]) == 0
    facts = made("words")
    assert (facts["left_out"], facts["dropped_by_reader"]) == (1, 1)
    for wrong in (0, 2):
        status, output = verified(changed(facts, ("dropped_by_reader",), wrong), capsys)
        assert status == 1
        assert "'dropped_by_reader'" in output
    assert verified(facts, capsys, "-d", "p.swdb", "--full")[0] == 0


def test_a_database_file_that_was_changed_since_is_noticed(capsys):
    assert main(["makedb", "proteins.fasta", "-o", "p.swdb"]) == 0
    command = f"rule words {PROTEINS.replace('proteins.fasta', 'p.swdb')} --length 6"
    facts = json.loads(certified(command).read_text())
    data = bytearray(Path("p.swdb").read_bytes())
    at = data.rindex(bytes([7, 7])) if bytes([7, 7]) in data else len(data) // 2
    data[at] ^= 1
    Path("p.swdb").write_bytes(data)
    status, output = verified(facts, capsys, "--full")
    assert status, output


@pytest.mark.skipif(shutil.which("ssh-keygen") is None, reason="ssh-keygen is not installed")
@pytest.mark.parametrize("name", ["words", "leak"])
def test_a_certificate_is_signed_and_its_signature_checked(name, capsys):
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", "key"], check=True)
    facts = json.loads(certified(f"{COMMANDS[name]} --sign key").read_text())
    capsys.readouterr()
    assert run("verify", "C.json", "--engine", "cpu", "--signer", "key.pub") == 0
    first, second, *_ = capsys.readouterr().out.splitlines()
    assert first.startswith("The signature is right: key.pub, ED25519 key SHA256:")
    assert second.startswith("The certificate holds")
    other = facts if name == "words" else {**facts, "with_neighbour": 0}
    status, output = verified(changed(other, ("date",), "2020-01-01T00:00:00+00:00"), capsys, "--signer", "key.pub")
    assert status == 2
    assert "it was signed" in output
    command = [*COMMANDS[name].split(), "--engine", "cpu", "--sign", "key", "-o"]
    assert main([*command, "out.tsv"]) == 2
    assert "none is written" in capsys.readouterr().err
    assert main([*command, "key", "--certificate", "C.json"]) == 2
    assert "'key' is the file of the key; the result would replace it" in capsys.readouterr().err.replace("\n", " ")
