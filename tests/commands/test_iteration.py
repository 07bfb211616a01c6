"""The options of iterated searches: there and back, and what is refused."""

import shlex
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from swgui.cli import build_parser, main
from swgui.commands.iteration import with_rounds
from swgui.commands.search import request_of, search_command
from swgui.core.alphabet import PROTEIN
from swgui.core.errors import InvalidParameter
from swgui.core.plain import replace
from swgui.core.profiles.iteration import IterationSettings
from swgui.core.profiles.recipe import PRESETS, Recipe
from swgui.core.records import SequenceRecord
from swgui.jobs.iterate.request import in_rounds
from swgui.jobs.search.request import SearchRequest
from tests.asking import BLOSUM62, search_request

QUERY = SequenceRecord("q", "", b"MKVLAW")


@st.composite
def iterations(draw: st.DrawFn) -> SearchRequest:
    preset = draw(st.sampled_from(sorted(PRESETS)))
    settings = IterationSettings(
        rounds=draw(st.integers(2, 8)),
        preset=preset,
        inclusion_evalue=draw(st.sampled_from([None, 0.1 + 0.2, 10.0])),
        max_rows=draw(st.sampled_from([600, 17])),
        include_ids=draw(st.sampled_from([(), ("a", "b|c")])),
        exclude_ids=draw(st.sampled_from([(), ("d e",)])),
        recipe=draw(
            st.sampled_from(
                [None, Recipe(beta=7.0, gap_prior=3.5, gap_chance=0.02, min_coverage=0.5, mask=False, mask_coils=False)]
            )
        ),
    )
    search = search_request(queries=(QUERY,), database=Path("db.fasta"), scheme=BLOSUM62)
    build = draw(st.sampled_from([None, Path("other db.fasta")]))
    return replace(in_rounds(search, settings), build_database=build)


@given(iterations())
def test_an_iterated_search_survives_its_command(request: SearchRequest) -> None:
    line = search_command(request, Path("q.fa"), Path("db.fasta"), "BLOSUM62")
    _, *words = shlex.split(line)
    parsed = build_parser().parse_args(words)
    again = with_rounds(parsed, request_of(parsed, [QUERY], PROTEIN))
    assert again.search.iteration == request.search.iteration
    assert again.build_database == request.build_database


def parsed(*words: str) -> IterationSettings | None:
    arguments = build_parser().parse_args(["search", "-q", "q.fa", "-d", "db.fa", *words])
    return with_rounds(arguments, request_of(arguments, [QUERY], PROTEIN)).search.iteration


def test_a_search_of_one_round_has_no_options_of_rounds() -> None:
    assert parsed() is None
    with pytest.raises(InvalidParameter, match="--preset"):
        parsed("--preset", "wide")
    with pytest.raises(InvalidParameter, match="--exclude-ids"):
        parsed("--exclude-ids", "a")


def test_ids_come_with_commas_or_by_repeating() -> None:
    request = parsed("--iterations", "3", "--include-ids", "a, b", "--include-ids", "c")
    assert request is not None
    assert request.include_ids == ("a", "b", "c")


@pytest.fixture
def family(tmp_path: Path) -> Path:
    from tests.jobs.iterate.family import family_records

    path = tmp_path / "db.fasta"
    path.write_text("".join(f">{one.id}\n{one.residues.decode()}\n" for one in family_records()))
    return path


def test_tables_say_in_which_round_a_hit_was_included(family: Path, capsys: pytest.CaptureFixture[str]) -> None:
    query = family.with_name("q.fasta")
    query.write_text(next(f">{part}" for part in family.read_text().split(">") if part.startswith("kin0\n")))
    words = ["search", "-q", str(query), "-d", str(family), "--iterations", "4", "--engine", "cpu"]
    assert main([*words, "--columns", "sseqid,evalue,first_round,round_status,round_evalues"]) == 0
    head, *lines = (line.split("\t") for line in capsys.readouterr().out.splitlines())
    assert head[2:] == ["first_round", "round_status", "round_evalues"]
    found = {line[0]: line[1:] for line in lines}
    assert found["kin0"][1:3] == ["", "query"]  # the query itself
    rounds = {len(line[4].split(";")) for line in lines}
    assert len(rounds) == 1
    later = [line for line in lines if line[2] and int(line[2]) > 1]
    assert later
    for line in later:
        evalues = line[4].split(";")
        assert line[3] in {"new", "kept"}
        assert evalues[0] == "." or float(evalues[0]) > 0.03
        assert evalues[-1] == line[1]
    assert main(words) == 0
    assert {"first_round", "round_status", "round_evalues"} <= set(capsys.readouterr().out.split("\n")[0].split("\t"))
    assert main(words[:-4]) == 0
    assert "first_round" not in capsys.readouterr().out.split("\n")[0]
