"""Every kind of run says how long it takes before its work begins, if that is long: in one form, on one line."""

from __future__ import annotations

import pytest

from swgui.cli import main
from swgui.jobs import forecast
from swgui.jobs.forecast import Forecast
from swgui.jobs.kind import kinds
from swgui.jobs.network import edges
from swgui.jobs.network import forecast as comparison
from swgui.jobs.search import forecast as scan
from swgui.jobs.search import run
from swgui.jobs.search.estimate import Calibration

SLOW = Calibration("cpu", ("cpu",), "", 3600.0, 0.0, 0.0, ((90, 1e-9),))
FIRST = "MKWVTFISLLFLFSSAYSRGVFRRDAHKSEVAHRFKDLGEENFKALVLIAFAQYLQQCPF"
SECOND = FIRST[:40] + "MSTNPKPQRKTKRNTNRRPQDVKF"
COMMANDS = {
    "search": (["-q", "t.fa", "-d", "p.fa"], "1 query against 2 sequences, 7.44e-06 G cells: about 1 h."),
    "leak": (["p.fa", "t.fa"], "2 pairs of sequences, 7.44e-06 G cells: about 1 h."),
    "rule": (
        ["peptides", "-q", "t.fa", "-d", "p.fa"],
        "1 query in 2 sequences: about under 0.1 s on the CPU, or less on a GPU if there is one.",
    ),
}


@pytest.fixture
def long(tmp_path, monkeypatch, user_folders):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "p.fa").write_text(f">a\n{FIRST}\n>b\n{SECOND}\n")
    (tmp_path / "t.fa").write_text(f">t\n{FIRST}\n")
    monkeypatch.setattr(forecast, "LONG", 0.0)
    for module in (edges, run):
        monkeypatch.setattr(module, "SHORT_CELLS", 0)
    for module in (comparison, scan):
        monkeypatch.setattr(module, "remembered", lambda *_: SLOW)


def test_every_kind_of_ours_has_a_forecast():
    assert [kind.name for kind in kinds().values() if not kind.forecast] == []


@pytest.mark.parametrize("name", COMMANDS)
def test_a_long_run_is_foretold_on_one_line(long, name, capsys):
    words, sentence = COMMANDS[name]
    for quiet in ((), ("--quiet",)):
        assert main([name, *words, "-o", "o.tsv", *quiet]) == 0
        said = capsys.readouterr().err.splitlines()
        assert said.count(f"swgui: {sentence}") == (0 if quiet else 1), said


def test_a_short_run_is_not_foretold():
    assert not Forecast("1 pair", 59.0).long
    assert Forecast("1 pair", 61.0).long
    assert list(forecast.foretelling(Forecast("1 pair", 1.0))) == []
    assert Forecast("1 pair", None, 10**13).sentence == "1 pair: the speed of the device is not known."
