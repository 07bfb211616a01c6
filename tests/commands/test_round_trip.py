"""A request put into words and parsed again is the same request; a command added to the table is everywhere."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from swgui.cli import build_parser, main
from swgui.cli.pair import make_request as make_pair_request
from swgui.commands import scoring
from swgui.commands.option import Group, Option, command_line, options_of
from swgui.commands.pair import pair_command
from swgui.commands.presets import PRESETS
from swgui.commands.search import request_of, search_command
from swgui.commands.table import COMMANDS, Command
from swgui.core.alphabet import NUCLEOTIDE, PROTEIN
from swgui.core.engines import EngineOptions
from swgui.core.errors import InvalidParameter
from swgui.core.limits import NO_MINIMUMS, Minimums
from swgui.core.organisms.limit import OrganismLimit
from swgui.core.query_range import QueryRange
from swgui.core.records import SequenceRecord
from swgui.core.scoring import ScoringScheme
from swgui.io.matrices import load_matrix
from swgui.io.saved.facts import search_with
from swgui.jobs.pair.request import PairRequest
from swgui.jobs.search.request import SearchRequest
from swgui.settings import SchemeSettings
from tests.asking import BLOSUM62, altered, search_request

MATRICES = {"protein": ("BLOSUM62", "PAM30"), "nucleotide": ("+2/-3", "NUC.4.4", "+1/-4")}
ALPHABETS = {"protein": PROTEIN, "nucleotide": NUCLEOTIDE}
QUERIES = {"protein": (SequenceRecord("q", "", b"MKVLAW"),), "nucleotide": (SequenceRecord("q", "", b"ACGTTA"),)}


@st.composite
def searches(draw: st.DrawFn) -> tuple[SearchRequest, str]:
    kind = draw(st.sampled_from(sorted(MATRICES)))
    matrix = draw(st.sampled_from(MATRICES[kind]))
    scheme = ScoringScheme.from_blast(
        load_matrix(matrix, ALPHABETS[kind]), draw(st.integers(0, 30)), draw(st.integers(1, 9))
    )
    settings = draw(st.dictionaries(st.sampled_from(["band", "rows", "scheduler"]), st.sampled_from(["16", "a b=c"])))
    request = search_request(
        queries=QUERIES[kind],
        database=Path("my db.fasta"),
        scheme=scheme,
        strand="plus" if kind == "protein" else draw(st.sampled_from(["plus", "minus", "both"])),
        top=draw(st.sampled_from([1, 500, 12345])),
        max_evalue=draw(st.sampled_from([10.0, 1e-30, 0.1 + 0.2, 5.0])),
        engine=draw(st.sampled_from(["auto", "cpu", "cuda", "reference"])),
        options=EngineOptions(draw(st.sampled_from([(), ("0",), ("0", "3")])), draw(st.integers(0, 9)), settings),
        effective_residues=draw(st.sampled_from([0, 10**9])),
        mask=draw(st.booleans()),
        max_hsps=draw(st.sampled_from([1, 100, 12345])),
        minimums=draw(st.sampled_from([NO_MINIMUMS, Minimums(1), Minimums(0, 33.25, 80.0)])),
        query_range=draw(st.sampled_from([None, QueryRange(2, 5), QueryRange(6, 6)])),
        organisms=OrganismLimit(
            draw(st.sampled_from([(), ("9606",), ("Homo sapiens, 10090", "E. coli (strain 'K12')")])),
            draw(st.sampled_from([(), ("Bacteria",)])),
        ),
    )
    return request, matrix


@given(searches())
def test_a_search_survives_its_command(made: tuple[SearchRequest, str]) -> None:
    request, matrix = made
    line = search_command(request, Path("my query.fa"), Path("my db.fasta"), matrix)
    program, *words = shlex.split(line)
    parsed = build_parser().parse_args(words)
    again = request_of(parsed, request.queries, request.scheme.alphabet)
    assert (program, parsed.query, parsed.type) == ("swgui", ["my query.fa"], request.scheme.alphabet.name)
    same = {name: getattr(again, name) for name in SearchRequest.__struct_fields__}
    assert same == {name: getattr(request, name) for name in SearchRequest.__struct_fields__}


@pytest.mark.parametrize("mode", ["local", "global", "semiglobal"])
@pytest.mark.parametrize("strand", ["plus", "both"])
def test_a_pair_survives_its_command(tmp_path: Path, mode: str, strand: str) -> None:
    from swgui.core.pair.problem import PairMode

    files = [tmp_path / "a b.fa", tmp_path / "c.fa"]
    files[0].write_text(">x\nACGTAA\n>y\nACGGTTA\n")
    files[1].write_text(">z\nTTACGGTTAC\n")
    request = PairRequest(
        query=SequenceRecord("y", "", b"ACGGTTA"),
        subject=SequenceRecord("z", "", b"TTACGGTTAC"),
        scheme=ScoringScheme.from_blast(load_matrix("+1/-4", NUCLEOTIDE), 0, 3),
        mode=PairMode(mode),
        strand=strand,  # type: ignore[arg-type]  # one of the two
        method="cpu",
        options=EngineOptions(threads=2),
        limit=3 if mode == "local" else 1,
        min_score=7,
    )
    line = pair_command(request, (files[0], "y"), (files[1], ""), "+1/-4")
    again = make_pair_request(build_parser().parse_args(shlex.split(line)[1:]))
    same = {name: getattr(again, name) for name in PairRequest.__dataclass_fields__}
    assert same == {name: getattr(request, name) for name in PairRequest.__dataclass_fields__}


@pytest.mark.parametrize("entry", PRESETS, ids=lambda entry: entry.id)
def test_a_preset_survives_its_command(entry) -> None:
    values = SchemeSettings("", "", 0, 0)
    entry.apply(values)
    assert entry.matches(values)
    matrix = load_matrix(values.matrix, ALPHABETS[entry.kind])
    if values.rule == "blast":
        scheme = ScoringScheme.from_blast(matrix, values.gap_open, values.gap_extend)
    else:
        scheme = ScoringScheme(matrix, values.gap_open, values.gap_extend)
    request = search_request(
        queries=QUERIES[entry.kind],
        database=Path("d.fa"),
        scheme=scheme,
        max_evalue=search_with(scheme, values.search).limits.max_evalue,
    )
    parsed = build_parser().parse_args(
        shlex.split(search_command(request, Path("q.fa"), Path("d.fa"), values.matrix))[1:]
    )
    assert request_of(parsed, request.queries, scheme.alphabet).scheme == scheme
    assert parsed.evalue == request.search.limits.max_evalue
    values.gap_open += 1
    assert not entry.matches(values)


@pytest.mark.parametrize("text", ["+2/-3", "+10/-4"])
def test_match_and_mismatch_are_recognised(text: str) -> None:
    match, mismatch = scoring.match_mismatch_of(text) or (0, 0)
    assert f"+{match}/{mismatch}" == text


@pytest.mark.parametrize("text", ["BLOSUM62", "/home/x/-3", "+a/-3", "+2/3", "2/-3", ""])
def test_names_of_matrices_are_no_pairs(text: str) -> None:
    assert scoring.match_mismatch_of(text) is None


@pytest.mark.parametrize("command", COMMANDS)
def test_every_option_has_help_and_a_name_of_its_own(command: str) -> None:
    options = list(options_of(COMMANDS[command].groups()))
    assert len({option.key for option in options}) == len(options)
    names = [name for option in options for name in option.names]
    assert len(set(names)) == len(names)
    assert all(option.help and not option.help.endswith(".") for option in options)
    for option in options:  # one style: (default: 10)
        assert not re.search(r"(?i)\bdefaults?\b(?!:| for | of )", option.help), option.help


GREETING = (
    Group((Option(("name",), "who", required=True), Option(("--loud",), "say it loud", default=False, flag=True))),
)


def greet(arguments) -> int:
    print(f"Hello {arguments.name}{'!' if arguments.loud else ''}")
    return 0


def test_a_command_added_to_the_table_is_parsed_helped_and_printed(monkeypatch, capsys) -> None:
    monkeypatch.setitem(COMMANDS, "greet", Command("greet", "say hello", f"{__name__}:greet", f"{__name__}:GREETING"))
    monkeypatch.setitem(__import__("sys").modules, __name__, _this_module())
    line = command_line("greet", GREETING, {"name": "a b", "loud": True})
    assert line == "swgui greet 'a b' --loud"
    assert main(shlex.split(line)[1:]) == 0
    assert capsys.readouterr().out == "Hello a b!\n"
    with pytest.raises(SystemExit):
        main(["--help"])
    assert "say hello" in capsys.readouterr().out


def _this_module():
    import types

    module = types.ModuleType(__name__)
    module.__dict__.update(globals())
    return module


def test_an_option_that_no_command_has_is_not_printed() -> None:
    with pytest.raises(KeyError):
        command_line("greet", GREETING, {"volume": 11})


def test_defaults_are_left_unsaid() -> None:
    request = search_request(
        queries=QUERIES["protein"],
        database=Path("d"),
        scheme=BLOSUM62,
    )
    request = altered(request, max_evalue=0.3)
    line = search_command(request, Path("q"), Path("d"), "BLOSUM62")
    assert line == ("swgui search -q q -d d --type protein --matrix BLOSUM62 --gap-open 11 --gap-extend 1 --evalue 0.3")


@pytest.mark.parametrize("entry", PRESETS, ids=lambda entry: entry.id)
def test_a_preset_is_named_on_the_command_line(entry) -> None:
    words = ["search", "-q", "q", "-d", "d", "--scoring-preset", entry.id]
    made = scoring.choose_scheme(build_parser().parse_args(words), ALPHABETS[entry.kind])
    assert made.matrix.name == entry.matrix
    assert (made.gap_first if entry.rule == "first" else made.gap_open, made.gap_extend) == (
        entry.gap_open,
        entry.gap_extend,
    )


@pytest.mark.parametrize(
    ("more", "said"), [(["--gap-open", "9"], "says what --gap-open asks for, too"), ([], "no preset 'far' for protein")]
)
def test_a_preset_that_cannot_be_is_refused(more, said) -> None:
    name = "distant" if more else "far"
    words = ["search", "-q", "q", "-d", "d", "--scoring-preset", name, *more]
    with pytest.raises(InvalidParameter, match=said):
        scoring.choose_scheme(build_parser().parse_args(words), PROTEIN)


@pytest.mark.parametrize(("rule", "first"), [("blast", 12), ("first", 11)])
def test_gap_costs_follow_the_rule_that_is_named(rule, first) -> None:
    words = ["search", "-q", "q", "-d", "d", "--gap-open", "11", "--gap-extend", "1", "--gap-rule", rule]
    scheme = scoring.choose_scheme(build_parser().parse_args(words), PROTEIN)
    assert (scheme.gap_first, scheme.gap_extend) == (first, 1)
    words = ["search", "-q", "q", "-d", "d", "--scoring-preset", "distant", "--gap-rule", "first"]
    with pytest.raises(InvalidParameter, match="says what --gap-rule asks for, too"):
        scoring.choose_scheme(build_parser().parse_args(words), PROTEIN)
