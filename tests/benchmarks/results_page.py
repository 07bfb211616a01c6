"""Measure what the results page may take: sorting and filtering, pauses of the window, scrolling a stack.

    python -m tests.benchmarks.results_page [--hits 1000000] [--rows 5000] [--columns 10000]

The hits are made up; alignments are not made. For every step it prints how long the call kept the window,
when the outcome was shown, the processor time of all threads (which other programs do not change), and the longest
time the window did not answer meanwhile. Then it scrolls a stack
of random letters and prints the time for one picture. Budgets: 150 ms to sort or filter, pauses under
50 ms, 16 ms for a picture (60 a second).
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable, Iterator

import numpy as np

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import QCoreApplication, Qt, QTimer
from PySide6.QtWidgets import QApplication

from swgui.core.alphabet import PROTEIN
from swgui.core.database import ArrayDatabase, TextColumn
from swgui.core.errors import SequenceError
from swgui.core.hits.results import HitColumns, HitList, QueryResult, SearchResult
from swgui.core.hits.table import Hit
from swgui.core.records import SequenceRecord
from swgui.core.scoring import EncodedQuery
from swgui.engines.traceback.best import align_local
from swgui.gui.hits.arrange import HitFilter, Range, Sorting
from swgui.gui.hits.data import HitData
from swgui.gui.kit.tasks.pool import Tasks
from swgui.gui.kit.theme import Theme
from swgui.gui.results.page import ResultsPage
from swgui.gui.viewer.matrix.dot_view import dot_plot
from swgui.gui.viewer.matrix.path import Tile, path_map
from swgui.gui.viewer.residues.schemes import shipped_schemes
from swgui.gui.viewer.stacked.layout import Stack, StackRow
from swgui.gui.viewer.stacked.view import StackedView
from tests.asking import BLOSUM62, search_result


def made_up_result(hits: int) -> SearchResult:
    """Return a result with that many hits of one query."""
    chance = np.random.default_rng(1)
    lengths = chance.integers(50, 900, hits)
    order = np.argsort(-lengths, kind="stable")
    organisms = ("Homo sapiens", "Mus musculus", "Escherichia coli (strain K12)")
    database = ArrayDatabase(
        name="made up",
        alphabet=PROTEIN,
        codes=np.zeros(0, dtype=np.uint8),
        offsets=np.concatenate([[0], np.cumsum(lengths[order])]),
        order=order,
        ids=TextColumn.from_texts(f"sp|Q{at % 90000:05d}|N{at}_HUMAN" for at in range(hits)),
        descriptions=TextColumn.from_texts(
            f"Protein number {at} of many OS={organisms[at % 3]} OX=1 PE=1 SV=1" for at in range(hits)
        ),
    )
    scores = np.sort(chance.integers(30, 3000, hits).astype(np.int32))[::-1].copy()
    columns = HitColumns(
        db_index=chance.permutation(hits),
        scores=scores,
        strands=np.ones(hits, dtype=np.int8),
        bit_scores=scores * 0.385,
        log10_evalues=3 - scores * 0.116 + chance.random(hits),
    )
    query = QueryResult(SequenceRecord("query", "", b"MKVLWAALLVTFLAGC" * 20), columns, hits)
    return search_result(
        queries=(query,), database=database, scheme=BLOSUM62, strand="plus", max_evalue=10.0, top=hits, engine="none",
        devices=(), state="complete", cells_done=1, cells_total=1, seconds=1.0, rescored=0, statistics="made up",
        message="", version="", finished_at="",
    )  # fmt: skip


def no_alignment(_listed: HitList, rows: object, **_options: object) -> Iterator[Hit]:
    """Report that there is none, so that only the page itself is measured."""
    raise SequenceError("Alignments are not measured here.")
    yield


class Watch:
    """Notes the longest time between two turns of the event loop."""

    def __init__(self) -> None:
        self.longest = 0.0
        self._last = time.perf_counter()
        self._timer = QTimer()
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self._turn)
        self._timer.start(1)

    def _turn(self) -> None:
        now = time.perf_counter()
        self.longest = max(self.longest, now - self._last)
        self._last = now

    def reset(self) -> None:
        """Begin anew."""
        self._last, self.longest = time.perf_counter(), 0.0


def run(seconds: float) -> None:
    """Let the window work."""
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        QCoreApplication.processEvents()
        time.sleep(0.0005)


def measure_page(hits: int) -> None:
    """Print how the page does with a long list."""
    tasks = Tasks()
    page = ResultsPage(tasks, describe=no_alignment)
    page.resize(1280, 900)
    page.show()
    page.activateWindow()
    run(0.3)
    result, model, watch = made_up_result(hits), page.hits.model, Watch()
    arranged = lambda: not tasks.pending("results-arrange")  # noqa: E731
    limit = HitFilter(ranges=(Range("evalue", high=-3.0),))
    steps: list[tuple[str, Callable[[], object], Callable[[], bool]]] = [
        ("show the result", lambda: page.show_result(result), lambda: model.rowCount() == hits),
        ("sort by E", lambda: page.hits.sort_by(Sorting("evalue", True)), lambda: model.sorting.key == "evalue"),
        ("sort by length", lambda: page.hits.sort_by(Sorting("slen", True)), lambda: model.sorting.key == "slen"),
        ("filter by E", lambda: page.hits.set_filter(limit), lambda: model.rowCount() < hits),
        ("clear the filter", page.hits.clear_filter, lambda: model.rowCount() == hits),
        ("headers are read", page.hits.search.setFocus, lambda: not tasks.pending("results-headers")),
        ("first word", lambda: page.hits.set_filter(HitFilter("coli")), lambda: model.rowCount() < hits),
        ("another word", lambda: page.hits.set_filter(HitFilter("number 77")), arranged),
        *[
            (f"typed “{text}”", lambda text=text: page.hits.set_filter(HitFilter(text)), arranged)
            for text in ("h", "ho", "hom", "homo", "homo s", "homo sa")
        ],
        ("no word", page.hits.clear_filter, lambda: model.rowCount() == hits),
        ("select all", page.hits.table.selectAll, lambda: True),
        ("sort all selected", lambda: page.hits.sort_by(Sorting()), lambda: model.sorting.key == "rank"),
    ]  # fmt: skip
    print(f"{hits:,} hits: milliseconds in the call, until shown, of processor time, longest pause")
    for name, do, done in steps:
        run(0.3)
        watch.reset()
        worked, began = time.process_time(), time.perf_counter()
        do()
        called = time.perf_counter()
        while not done():
            run(0.002)
        shown, worked = time.perf_counter(), time.process_time() - worked
        run(0.2)
        times = (called - began, shown - began, worked, watch.longest)
        print(f"  {name:<20}" + "".join(f"{1e3 * seconds:8.0f}" for seconds in times))
    page.close()
    tasks.shutdown()


def measure_stack(rows: int, columns: int) -> None:
    """Print how long one picture of a large stack takes while it scrolls."""
    chance = np.random.default_rng(2)
    letters = np.frombuffer(b"ARNDCQEGHILKMFPSTWYV-", dtype=np.uint8)
    stack = Stack(letters[chance.integers(0, 20, columns)])
    for first in range(0, rows, 500):
        part = letters[chance.integers(0, 21, (min(500, rows - first), columns))]
        places = chance.integers(1, columns, (len(part), 20)).tolist()
        stack.add(
            [
                StackRow(first + at, 0, -9.0, 50.0, part[at], dict.fromkeys(places[at], "PPP"), 1, 1)
                for at in range(len(part))
            ]
        )
    result = made_up_result(rows)
    view = StackedView()
    view.resize(1200, 600)
    view.set_scheme(shipped_schemes()["safe_7"])
    view.show_stack(stack, HitData(result.hit_list(0)))
    view.show()
    run(0.3)
    times = []
    for step in range(120):
        view.verticalScrollBar().setValue(step * 37)
        view.horizontalScrollBar().setValue(step * 53)
        began = time.perf_counter()
        view.viewport().repaint()
        times.append(1e3 * (time.perf_counter() - began))
    print(f"stack of {rows:,} x {columns:,}: median {np.median(times):.1f} ms a picture, slowest {max(times):.1f} ms")
    view.close()


def measure_pair(length: int) -> None:
    """Print how long the alignment of a pair and its part of the scoring matrix take."""
    chance = np.random.default_rng(3)
    codes = chance.integers(0, 20, length).astype(np.uint8)
    subject = np.where(chance.random(length) < 0.6, codes, chance.integers(0, 20, length)).astype(np.uint8)
    query = EncodedQuery("query", codes)
    alignment = align_local(query, subject, BLOSUM62)
    steps: dict[str, Callable[[], object]] = {
        "alignment": lambda: align_local(query, subject, BLOSUM62),
        "scoring matrix": lambda: path_map(query, subject, BLOSUM62, Tile.around(alignment, length, length)),
        "dot plot": lambda: dot_plot(query, subject, BLOSUM62, 11),
    }
    for name, step in steps.items():
        times = []
        for _ in range(5):
            began = time.perf_counter()
            step()
            times.append(1e3 * (time.perf_counter() - began))
        print(f"{name} of {length:,} x {length:,}: {min(times):.1f} ms")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hits", type=int, default=1_000_000)
    parser.add_argument("--rows", type=int, default=5_000)
    parser.add_argument("--columns", type=int, default=10_000)
    wanted = parser.parse_args()
    app = QApplication([])
    theme = Theme(app)
    theme.use("light")
    measure_page(wanted.hits)
    measure_stack(wanted.rows, wanted.columns)
    for length in (400, 1500):
        measure_pair(length)
    theme.detach()


if __name__ == "__main__":
    main()
