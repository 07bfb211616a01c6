"""Search methods on the command line: how they are listed, chosen and refused."""

from __future__ import annotations

import json

import pytest

from swgui.cli import build_parser, main
from swgui.cli.search import make_request
from swgui.commands.engine import engine_settings
from swgui.core.methods.search import SEARCH_METHODS
from swgui.engines.registry import probe


@pytest.fixture
def files(tmp_path):
    fasta = tmp_path / "few.fasta"
    fasta.write_text(">a\nMKVLAWWH\n>b\nACDEFGHIK\n")
    return ["-q", str(fasta), "-d", str(fasta)]


def parsed(*arguments):
    return build_parser().parse_args(["search", *arguments])


def test_methods_are_listed_with_papers_and_settings(capsys):
    assert main(["devices"]) == 0
    text = " ".join(capsys.readouterr().out.split())
    for method in SEARCH_METHODS.values():
        assert method.summary in text
        assert method.paper in text
        assert all(f"{setting.name} {setting.allowed}" in text for setting in method.settings)


def test_methods_are_listed_for_programs(capsys):
    assert main(["devices", "--json"]) == 0
    (cuda,) = (engine for engine in json.loads(capsys.readouterr().out) if engine["engine"] == "cuda")
    assert [method["name"] for method in cuda["methods"]] == list(SEARCH_METHODS)


def test_a_method_and_its_settings_reach_the_engine(files):
    arguments = parsed(*files, "--method", "band", "--setting", "band=16", "--set", "threads=128")
    assert engine_settings(arguments) == {"method": "band", "band": "16", "threads": "128"}
    assert make_request(arguments).search.engine == "cuda"
    assert make_request(parsed(*files)).search.engine == "auto"


def test_an_unknown_method_is_refused(files, capsys):
    with pytest.raises(SystemExit) as ended:
        main(["search", *files, "--method", "fastest"])
    assert ended.value.code == 2
    assert "invalid choice: 'fastest'" in capsys.readouterr().err


def test_without_a_gpu_a_method_is_not_replaced_in_silence(files, capsys):
    status = probe("cuda")
    if status.available:
        pytest.skip("there is a CUDA device")
    for method in SEARCH_METHODS:
        assert main(["search", *files, "--method", method]) == 1
        said = capsys.readouterr().err
        assert said.startswith(f"swgui: The method '{method}' is for NVIDIA GPUs and cannot run here. {status.reason}")
        assert said.endswith("Without --method the search runs on the CPU.\n")


@pytest.mark.parametrize("engine", ["cpu", "reference", "cluster"])
def test_engines_without_methods_say_so(files, capsys, engine):
    assert main(["search", *files, "--engine", engine, "--method", "simt"]) == 2
    assert f"the engine {engine} has no methods. Leave out --method, or --engine." in capsys.readouterr().err


@pytest.mark.parametrize("engine", ["auto", "cpu", "reference"])
def test_the_automatic_method_is_that_of_every_engine(files, capsys, engine):
    assert main(["search", *files, "--engine", engine, "--method", "auto", "--max-hsps", "1"]) == 0
    assert capsys.readouterr().out.count("\n") == 5  # the header, two hits of two queries


@pytest.mark.gpu
def test_every_method_lists_the_same_hits(files, capsys):
    listed = set()
    for name in SEARCH_METHODS:
        assert main(["search", *files, "--evalue", "1e9", "--method", name]) == 0
        listed.add(capsys.readouterr().out)
    assert len(listed) == 1


@pytest.mark.gpu
def test_a_setting_that_cannot_be_is_explained(files, capsys):
    assert main(["search", *files, "--method", "vsimd", "--setting", "vector=5"]) == 2
    assert "It takes 4, 8, 16 or 32, or auto." in capsys.readouterr().err
