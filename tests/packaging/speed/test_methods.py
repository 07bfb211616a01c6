"""Search methods side by side: the table, the picture, the figures, and what is not measured."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ElementTree
from types import SimpleNamespace

import numpy as np
import pytest
from speed import methods
from speed.chart import HEIGHT, line_chart
from speed.command import main
from speed.measure import Measurement

from swgui.core.alphabet import PROTEIN
from swgui.core.hits.scores import TopHits
from swgui.core.methods.search import SEARCH_METHODS
from swgui.engines.base import DeviceInfo, EngineStatus, KernelUse
from tests.engines.conftest import database_of, query_of

SVG = "{http://www.w3.org/2000/svg}"


def row(method, query, length, gcups):
    measured = Measurement("methods", query, length, int(gcups * 1e9), 1.0, 0.5) if gcups else None
    return methods.Row(method, query, length, measured, {"threads": "64"}, () if gcups else ("It cannot.",))


ROWS = [row("simt", "long", 900, 40), row("simt", "short", 100, 10), row("shared", "short", 100, 90)]


def test_table_has_a_line_per_query_and_a_column_per_method():
    lines = methods.table([*ROWS, row("shared", "long", 900, 0)]).splitlines()
    assert lines[0] == "| query | length | simt | shared |"
    assert lines[2] == "| short | 100 | 10 | 90 |"
    assert lines[3] == "| long | 900 | 40 | - |"
    assert lines[4] == "| geometric mean | | 20 | 90 |"


def test_names_in_the_table_are_short_and_cannot_break_it():
    assert methods.accession("gi|122087146|sp|P02232.2|LGB1_VICFA") == "P02232"
    assert methods.accession("tr|Q38941|Q38941_ARATH") == "Q38941"
    assert methods.accession("a|b") == "a/b"


def test_picture_holds_every_point_and_every_name():
    root = ElementTree.fromstring(methods.picture(ROWS, "Some <GPU>", "Methods"))
    texts = [element.text for element in root.iter(f"{SVG}text")]
    assert {"simt", "shared", "Some <GPU>", "100", "900"} <= set(texts)
    drawn = [len(line.get("points").split()) for line in root.iter(f"{SVG}polyline")]
    assert sorted(drawn) == [1, 2]


def test_labels_of_lines_do_not_lie_on_each_other():
    lines = {f"line {i}": [(10, 5), (1000, 5 + i / 100)] for i in range(8)}
    root = ElementTree.fromstring(line_chart("t", "n", "x", "y", lines))
    heights = sorted(float(e.get("y")) for e in root.iter(f"{SVG}text") if e.text.startswith("line "))
    assert (np.diff(heights) >= 16).all()
    assert heights[-1] < HEIGHT


def test_nothing_cannot_be_drawn():
    with pytest.raises(ValueError, match="nothing to draw"):
        line_chart("t", "n", "x", "y", {"empty": []})


@pytest.mark.parametrize("highest", [0.3, 7, 7123, 4000])
def test_the_scale_reaches_above_the_highest_point(highest):
    root = ElementTree.fromstring(line_chart("t", "n", "x", "y", {"a": [(1, 0), (2, highest)]}))
    circles = [float(circle.get("cy")) for circle in root.iter(f"{SVG}circle")]
    assert 56 <= circles[1] < circles[0] <= HEIGHT - 54


class FakeEngine:
    """Finds the same hits by every method but the one that is wrong."""

    wrong = ""

    def __init__(self, method):
        self.method = method

    def best(self, query, database, scheme, limit):
        hits = TopHits(limit)
        hits.update(np.array([7 + (self.method == self.wrong)], dtype=np.int32), np.array([0]))
        return hits, 2.0

    def close(self):
        pass


@pytest.fixture
def faked(monkeypatch):
    device = DeviceInfo("0", "Some GPU")
    query = query_of(PROTEIN.encode(b"ACDEFGH"), "q7")
    setting = SimpleNamespace(
        devices=("0",),
        queries=[query],
        database=database_of([query.codes], PROTEIN),
        scheme=None,
        repeats=2,
        engine=lambda: FakeEngine("streaming"),
    )

    def use(name, options, queries, scheme, database=None):
        method = options.settings["method"]
        falls_back = method == "shared"
        remarks = ("X >= T x Q does not hold.",) if falls_back else ()
        used = "streaming" if falls_back else method
        return (KernelUse("0", used, used, 32, 1, 30, 0, settings={"threads": "32"}, remarks=remarks),)

    monkeypatch.setattr(methods, "kernel_use", use)
    monkeypatch.setattr(methods, "make_engine", lambda name, options: FakeEngine(options.settings["method"]))
    monkeypatch.setattr(methods, "probe", lambda name: EngineStatus("cuda", True, (device,)))
    monkeypatch.setattr(methods, "Setting", lambda *arguments: setting)
    return setting


def test_a_whole_run_writes_table_figures_and_picture(faked, tmp_path, capsys):
    figures, drawing = tmp_path / "figures.json", tmp_path / "drawing.svg"
    assert main(["--methods", "--json", str(figures), "--svg", str(drawing)]) == 0
    out = capsys.readouterr().out
    assert "shared     q7            7  falls back: " in out
    assert f"| query | length | {' | '.join(SEARCH_METHODS)} |" in out
    made = json.loads(figures.read_text())
    assert [entry["method"] for entry in made["measurements"]] == list(SEARCH_METHODS)
    assert made["measurements"][0]["settings"] == {"threads": "32"}
    assert "shared" not in drawing.read_text()


def test_other_hits_end_the_run(faked, monkeypatch, capsys):
    monkeypatch.setattr(FakeEngine, "wrong", "band")
    assert main(["--methods", "--only", "simt,band"]) == 1
    printed = capsys.readouterr()
    assert "'band' lists other hits for q7" in printed.err
    assert "| simt |" in printed.out, "what was measured is told"


def test_unknown_methods_are_refused(faked, capsys):
    assert main(["--methods", "--only", "simt,fast"]) == 2
    assert "search method 'fast'" in capsys.readouterr().err


def test_the_papers_settings_are_settings_of_the_methods():
    for name, settings in methods.AS_PUBLISHED.items():
        SEARCH_METHODS[name].check(settings)
    assert set(methods.AS_PUBLISHED) == {name for name, method in SEARCH_METHODS.items() if method.paper}
