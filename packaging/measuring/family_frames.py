"""How long a frame of the view Family takes: rows scrolled by a row, and columns by a column.

    QT_QPA_PLATFORM=offscreen python packaging/measuring/family_frames.py [--rows 5000] [--columns 1000]
        [--size 1880x700] [--scale 1]

The alignment is made up: rows that keep half of the residues of a query, with a gap and an insertion now and then. A
frame is what a step of a scroll bar leads to: rows, names, logo and coverage. Printed are
the time until the rows are shown, the time until the logo is, and the median and 95th percentile of 200 frames, in
processor time of the thread that paints, so that what else runs on the computer does not count.
"""

from __future__ import annotations

import argparse
import os
import threading
import time

import numpy as np

from swgui.core.alphabet import PROTEIN
from swgui.core.database import encode_database
from swgui.core.hits.results import SearchResult
from swgui.core.plain import replace
from swgui.core.profiles.alignment import DELETION, OUTSIDE, AlignedRow, MasterAlignment
from swgui.core.profiles.rounds import QueryRounds, Round
from swgui.core.records import SequenceRecord
from swgui.core.scoring import ScoringScheme
from swgui.core.search import Search
from swgui.io.matrices import load_matrix
from swgui.jobs.events import Finished
from swgui.jobs.search.request import SearchRequest
from swgui.jobs.search.run import run_search

FRAMES = 200


def made_up(rows: int, columns: int) -> MasterAlignment:
    """Return an alignment of a random query with rows that keep half of it."""
    rng = np.random.default_rng(1)
    query = rng.integers(0, 20, columns).astype(np.uint8)
    made = [AlignedRow("query", "", query)]
    for number in range(rows):
        codes = np.where(rng.random(columns) < 0.5, query, rng.integers(0, 20, columns)).astype(np.uint8)
        first, last = sorted(rng.integers(0, columns, 2).tolist())
        gap = int(rng.integers(columns))
        codes[gap : gap + 4] = DELETION
        codes[: min(first, columns // 3)] = OUTSIDE
        codes[max(last, 2 * columns // 3) :] = OUTSIDE
        insertions = {int(at): b"AKL" for at in rng.integers(columns // 3, columns // 2, 3)}
        made.append(AlignedRow(f"row{number}", f"made up, number {number}", codes, insertions, 0, -float(number % 90)))
    return MasterAlignment(PROTEIN, tuple(made))


def searched(alignment: MasterAlignment) -> SearchResult:
    """Return a search whose only round ended with an alignment."""
    record = SequenceRecord("query", "", PROTEIN.decode(alignment.query.codes))
    scheme = ScoringScheme.from_blast(load_matrix("BLOSUM62", PROTEIN), 11, 1)
    search = Search(scheme=scheme, engine="reference")
    request = SearchRequest((record,), encode_database([record], PROTEIN, "made up"), search)
    *_, last = run_search(request, threading.Event())
    assert isinstance(last, Finished)
    nobody = np.zeros(0, dtype=np.int64)
    rounds = QueryRounds((Round(nobody, nobody.astype(float), nobody, None, alignment, 1.0),), "rounds")
    return replace(last.outcome, queries=(replace(last.outcome.queries[0], rounds=rounds),))


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=5000)
    parser.add_argument("--columns", type=int, default=1000)
    parser.add_argument("--size", default="1880x700")
    parser.add_argument("--scale", default="1", help="of the screen, QT_SCALE_FACTOR")
    options = parser.parse_args()
    os.environ["QT_SCALE_FACTOR"] = options.scale
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    from PySide6.QtWidgets import QApplication

    from swgui.gui.kit.tasks.pool import Tasks
    from swgui.gui.kit.theme import Theme
    from swgui.gui.viewer.family import FamilyView
    from swgui.gui.viewer.residues.schemes import shipped_schemes

    app = QApplication([])
    theme = Theme(app)
    theme.use("light", 100)
    result = searched(made_up(options.rows, options.columns))
    view = FamilyView(Tasks())
    view.set_scheme(shipped_schemes()["clustal_x"])
    view.resize(*map(int, options.size.split("x")))
    view.show()
    begin = time.perf_counter()
    view.use_query(result, 0)
    for what, there in (("rows", lambda: view.family), ("logo", lambda: view.logo.logo)):
        while there() is None:
            app.processEvents()
        print(f"{what} after {time.perf_counter() - begin:.2f} s")
    height = int(view.area.glyphs().cell_height)
    for name, bar, step in (
        ("down", view.area.verticalScrollBar(), height),
        ("across", view.area.horizontalScrollBar(), int(view.area.glyphs().cell_width)),
    ):
        times = []
        for frame in range(FRAMES):
            start = time.thread_time()
            bar.setValue(frame * step)
            app.processEvents()  # paints what the scroll bar has changed
            times.append(1000 * (time.thread_time() - start))
        print(f"{name}: {np.median(times):.1f} ms a frame, 95 % within {np.percentile(times, 95):.1f} ms")
    view.close()


if __name__ == "__main__":
    main()
