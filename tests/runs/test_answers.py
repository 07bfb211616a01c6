"""Every kind of run opens with a computed answer; the walk fails for a kind that is not carried out here."""

from __future__ import annotations

import io
import json

import pytest

import swgui
from swgui.cli import main
from swgui.core.answer import chosen_rows
from swgui.io.export.base import ExportOptions
from swgui.io.export.html_report import write_html
from swgui.jobs.answers import answer_of
from swgui.jobs.kind import Kind, kinds
from swgui.runs.plain import PlainCodec

PROTEINS = {
    "a1": "MKWVTFISLLFLFSSAYSRGVFRRDAHKSEVAHRFKDLGEENFKALVLIAFAQYLQQCPF",
    "a2": "MKWVTFISLLFLFSSAYSRGVFRRDTHKSEIAHRFKDLGEEHFKGLVLIAFSQYLQQCPF",
    "b": "MSTNPKPQRKTKRNTNRRPQDVKFPGGGQIVGGVYLLPRRGPRLGVRATRKTSERSQPRG",
}
NETWORKS = {
    "cluster": ("p.fa",),
    "split": ("p.fa",),
    "judge": ("c.tsv", "p.fa"),
    "leak": ("p.fa", "t.fa"),
    "network": ("p.fa", "--export", "n.graphml"),
}
ANSWERED = {"search", "pair", "rule", "sweep", *NETWORKS}


@pytest.fixture
def folder(tmp_path, monkeypatch, user_folders):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "p.fa").write_text("".join(f">{name}\n{text}\n" for name, text in PROTEINS.items()))
    (tmp_path / "t.fa").write_text(f">t\n{PROTEINS['a2']}\n")
    (tmp_path / "c.tsv").write_text("a1\ta1\na1\ta2\nb\tb\n")
    return tmp_path


def test_every_kind_is_answered_here():
    assert {name for name, kind in kinds().items() if kind.answer or kind.codec} == ANSWERED


@pytest.mark.parametrize("name", sorted(NETWORKS))
def test_the_command_has_the_answer(folder, name, capsys):
    assert main([name, *NETWORKS[name], "--json", *(() if name == "network" else ("-o", "o.tsv"))]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["answer"]["sentence"].endswith(".")
    assert not facts["answer"]["sentence"].startswith("Similar:")  # which is the question


def test_a_search_says_of_each_query_its_best_hit_or_that_there_is_none(folder):
    queries = {"a": PROTEINS["a1"], "none": "WWWWWHHHHHCCCCC"}
    result = swgui.search(queries, "p.fa", evalue=1e-5).result
    answer = answer_of(kinds()["search"], result)
    assert answer.sentence == "1 of 2 queries has significant hits, 2 in all."
    assert answer.lines[0].said.startswith("best a1, E = ")
    assert answer.lines[0].said.endswith("; 2 significant (E ≤ 0.001)")
    assert answer.lines[1].said == "none of 3 sequences has E ≤ 1e-05"
    for number, line in enumerate(answer.lines):
        hits = result.queries[number].hits
        columns = {"query": hits.scores * 0 + number, "log10_evalue": hits.log10_evalues}
        for count in line.counts:
            assert len(chosen_rows(count.where, columns, len(hits.scores))) == count.number
    page = io.StringIO()
    write_html(result, (), page, ExportOptions())
    assert answer.sentence in page.getvalue()
    assert "none of 3 sequences has E ≤ 1e-05" in page.getvalue()


def test_the_library_says_the_answer_of_a_rule(folder):
    said = swgui.rule("peptides", {"here": "LLFLFSSAY", "not": "WWWWWWWWW"}, "p.fa").sentences
    assert said == [
        "1 of 2 queries stands exactly in the 3 sequences; 1 not (not).",
        "here: 2 places in 2 sequences, without a difference",
        "not: none",
    ]


def test_a_stopped_search_says_so(folder):
    result = swgui.search({"a": PROTEINS["a1"], "b": PROTEINS["b"]}, "p.fa").result
    stopped = swgui.core.plain.replace(result, state="stopped", cells_done=result.cells_total // 2)
    answer = answer_of(kinds()["search"], stopped)
    assert answer.sentence.startswith("Stopped after 50 % ")
    assert all("so far" in line.said for line in answer.lines)


def test_a_kind_from_outside_answers_with_its_sentences(monkeypatch):
    class Codec(PlainCodec):
        def sentences(self, outcome):
            return ["Two of three.", "One is odd."]

    monkeypatch.setattr("swgui.jobs.answers.load", lambda place: Codec(dict, dict))
    answer = answer_of(Kind("toy", "Toy", "toy", codec="x:Y"), {})
    assert answer.texts() == ["Two of three.", "One is odd."]
