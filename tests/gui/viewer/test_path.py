"""The scoring matrix around an alignment, against a plain double loop, and the view of it."""

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QColor, QImage
from PySide6.QtSvg import QSvgRenderer

from swgui.core.alignment import Alignment
from swgui.core.database import encode_database
from swgui.core.errors import Stopped
from swgui.core.plain import replace
from swgui.core.scoring import EncodedQuery
from swgui.engines.traceback.alternatives import cooptimal_cells
from swgui.engines.traceback.best import align_local
from swgui.gui.kit.theme import colours
from swgui.gui.viewer.matrix import path as path_matrix
from swgui.gui.viewer.matrix.path import Tile, chains, path_cells, path_map, steps_of
from swgui.gui.viewer.matrix.path_view import PathView
from swgui.gui.viewer.shown import ShownHit
from tests.engines.conftest import random_gaps
from tests.given_hits import changed
from tests.reference import gotoh_by_position

QUERY = b"MKWVTFISLLFLFSSAYSRGVFRRDAHKSEVAHRFKDLGEENFKALVLIAFAQYLQQCPF"


def plain(query, subject, scheme):
    """Fill the matrix cell by cell; rows are subject residues."""
    profile = query.scores(scheme).astype(int)
    m, n, never = len(query), len(subject), -(10**9)
    best = np.zeros((n + 1, m + 1), dtype=int)
    down, along = np.full((n + 1, m + 1), never), np.full((n + 1, m + 1), never)
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            down[i, j] = max(best[i - 1, j] - scheme.gap_first, down[i - 1, j] - scheme.gap_extend)
            along[i, j] = max(best[i, j - 1] - scheme.gap_first, along[i, j - 1] - scheme.gap_extend)
            pair = best[i - 1, j - 1] + profile[j - 1, subject[i - 1]]
            best[i, j] = max(0, pair, down[i, j], along[i, j])
    return best[1:, 1:]


@pytest.fixture
def pair(made):
    """Two related sequences, so that alignments with gaps run through the matrix."""
    rng = np.random.default_rng(5)
    codes = rng.integers(0, 20, 60).astype(np.uint8)
    subject = np.concatenate([rng.integers(0, 20, 12), codes[:25], codes[29:50], rng.integers(0, 20, 15)])
    return EncodedQuery("q", codes), subject.astype(np.uint8), made.result.scheme


def test_scores_are_those_of_the_matrix(pair):
    query, subject, scheme = pair
    exact = plain(query, subject, scheme)
    whole = path_map(query, subject, scheme, Tile(0, len(query), 0, len(subject)))
    assert (whole.scores == exact).all()
    assert whole.scores.max() == align_local(query, subject, scheme).score
    part = path_map(query, subject, scheme, Tile(7, 41, 20, 55))
    assert (part.scores == exact[20:55, 7:41]).all()
    assert part.score(7, 20) == exact[20, 7]
    assert part.score(40, 54) == exact[54, 40]
    assert part.score(6, 20) is part.score(41, 54) is part.score(7, 55) is None


def test_gap_costs_by_position_are_those_of_the_search(pair, rng):
    query, subject, scheme = pair
    gaps = random_gaps(rng, len(query))
    by_position = EncodedQuery("p", query.codes, query.scores(scheme), gaps=gaps)
    whole = path_map(by_position, subject, scheme, Tile(0, len(query), 0, len(subject)))
    assert whole.scores.max() == align_local(by_position, subject, scheme).score
    costs = np.stack(gaps.columns, axis=1).tolist()
    for columns in (20, 33, 51):
        want = gotoh_by_position(by_position.profile.tolist(), subject[:columns].tolist(), costs)
        assert whole.scores[:columns].max() == want


def test_large_tiles_keep_the_best_of_each_square(pair, monkeypatch):
    monkeypatch.setattr(path_matrix, "MAX_SIDE", 16)
    query, subject, scheme = pair
    exact = plain(query, subject, scheme)[3:, 2:]
    made = path_map(query, subject, scheme, Tile(2, len(query), 3, len(subject)))
    assert made.step == 5
    for i in range(made.scores.shape[0]):
        for j in range(made.scores.shape[1]):
            assert made.scores[i, j] == exact[5 * i : 5 * i + 5, 5 * j : 5 * j + 5].max()


def test_tiles_follow_the_alignment():
    alignment = Alignment.from_cigar(2000, 100, "400M", 0)
    assert Tile.around(alignment, 1400, 1500) == Tile(0, 1400, 0, 1500)
    assert Tile.around(alignment, 9000, 520) == Tile(1940, 2460, 40, 520)


def test_scoring_can_be_given_up(pair):
    def check():
        raise Stopped("enough")

    with pytest.raises(Stopped):
        path_map(*pair, Tile(0, 60, 0, 60), check=check)


def test_cells_of_a_path():
    cells = path_cells(Alignment.from_cigar(2, 5, "2M1I1M2D", 0))
    assert cells.tolist() == [[2, 5], [3, 6], [4, 7], [5, 7], [6, 8], [6, 9], [6, 10]]
    assert len(steps_of(cells)) == 6


def test_chains_hold_every_step_once(pair):
    steps = [tuple(step) for step in cooptimal_cells(*pair).tolist()] + [(1, 1, 2, 2), (0, 0, 1, 1), (1, 1, 2, 1)]
    lines = chains(steps)
    joined = [step for line in lines for step in steps_of(line)]
    assert sorted(joined) == sorted(set(steps))
    assert len(joined) == len(set(joined))
    assert [0, 0] in [line[0].tolist() for line in lines]


def test_the_shown_path_is_one_of_the_best(pair):
    steps = {tuple(step) for step in cooptimal_cells(*pair).tolist()}
    assert steps_of(path_cells(align_local(*pair))) <= steps


@pytest.fixture
def view(page, qtbot, tasks):
    page.alignment.set_mode("path")
    view = page.alignment.view(PathView)
    qtbot.waitUntil(lambda: view.scored is not None and tasks.idle)
    return view


def test_view_follows_the_hit_and_leads_back(page, view, qtbot, tasks):
    first = view.scored
    assert first.tile == Tile(0, 60, 0, 60)
    assert first.score(59, 59) == page.alignment.hit.score
    assert view.describe(3, 3) == "Q 3 W : S 3 W, +5; best score that ends here: 15"
    page.hits.table.step(1)
    qtbot.waitUntil(lambda: page.alignment.hit.rank == 2 and view.scored is not None and view.scored is not first)
    qtbot.waitUntil(lambda: tasks.idle)
    qtbot.mouseMove(view.map, view.map.frame().point(11.5, 11.5).toPoint())
    assert page.alignment.status.text() == view.describe(12, 12)
    view.place_chosen.emit(12)
    assert page.alignment.mode == "wrapped"
    assert page.alignment.status.text().startswith("Q 12 ")


def test_other_alignments_are_thin_lines(page, view, qtbot):
    assert len(view.map.data.lines) == 1
    assert "thin lines" not in view.note.whole_text()
    pane = page.alignment
    pane.alignments.weaker_action.trigger()
    qtbot.waitUntil(lambda: len(view.map.data.lines) == 2)
    assert "thin lines: the other alignments" in view.note.whole_text()
    view.stepped.emit(0)
    assert pane.hit is pane.alignments.found[0].hit
    pane.alignments.choice.setCurrentIndex(1)
    pane.alignments.choice.activated.emit(1)
    assert pane.hit is pane.alignments.found[1].hit
    page.clear()
    assert view.scored is None
    assert view.map.data is None


def test_without_equals_it_is_said(view):
    assert view.equal_lines == []
    assert "no other is as good" in view.note.whole_text()


def test_equally_good_paths_are_dashed(page, view, qtbot, tasks):
    scheme = page.result.scheme
    doubled = QUERY[:21] + QUERY[20:]  # either of two R may stand against the gap
    subject = scheme.alphabet.encode(doubled)
    best = page.alignment.hit
    alignment = align_local(best.query, subject, scheme)
    record = replace(best.subject, residues=doubled)
    hit = changed(best, scheme, subject=record, alignment=alignment, score=alignment.score)
    database = encode_database([record], scheme.alphabet, "one")
    best = ShownHit.of(replace(page.result, database=database), changed(hit, db_index=0))
    view.show_alignments([best], 0)
    qtbot.waitUntil(lambda: tasks.idle and len(view.equal_lines) == 1)
    joined = steps_of(view.equal_lines[0]) | steps_of(path_cells(alignment))
    assert joined >= {(20, 20, 20, 21), (21, 21, 21, 22)} or joined >= {(20, 20, 20, 21), (20, 21, 21, 22)}
    view.map.show_residues((21, 21))
    image, frame = view.map.grab().toImage(), view.map.frame()
    dashes = QColor(colours(view).series[2])
    x, y = (3 * view.equal_lines[0][0] + view.equal_lines[0][1]) / 4
    near = [frame.point(x, y).toPoint() + QPoint(right, down) for right in range(-3, 4) for down in range(-3, 4)]
    assert any(image.pixelColor(at * image.devicePixelRatio()) == dashes for at in near)
    assert "dashes: equally good" in view.note.whole_text()


@pytest.mark.parametrize("mode", ["dots", "path"])
@pytest.mark.parametrize(("suffix", "start"), [(".png", b"\x89PNG"), (".svg", b"<?xml"), (".pdf", b"%PDF")])
@pytest.mark.sampled
def test_pictures_of_plots(page, qtbot, tasks, tmp_path, mode, suffix, start):
    page.alignment.set_mode(mode)
    qtbot.waitUntil(lambda: tasks.idle)
    path = tmp_path / f"plot{suffix}"
    with qtbot.waitSignal(page.message) as said:
        page.alignment.pictures.save(path)
    assert said.args == [f"Figure written to {path}."]
    assert path.read_bytes().startswith(start)
    if suffix == ".png":
        image = QImage(str(path))
        view = page.alignment.views.currentWidget()
        assert image.width() == 3 * view.map.width()
        assert len({image.pixelColor(x, y).rgb() for x in range(0, image.width(), 9) for y in range(90, 900, 9)}) > 3
    if suffix == ".svg":
        assert QSvgRenderer(str(path)).isValid()
        assert b"ALBU_HUMAN" in path.read_bytes()


@pytest.mark.parametrize("mode", ["dots", "path"])
def test_the_crosshair_follows_keys(page, qtbot, tasks, mode):
    page.alignment.set_mode(mode)
    qtbot.waitUntil(lambda: tasks.idle)
    view = page.alignment.views.currentWidget()
    page.alignment.focus_view()
    plot = view.map
    assert plot.hasFocus()
    plot.show_residues((30, 30))  # where a key moves by a residue

    def place():
        return tuple(at + 1 for at in plot.cursor_place)

    qtbot.keyClick(plot, Qt.Key.Key_Left)
    x, y = place()
    assert page.alignment.status.text() == view.describe(x, y)
    qtbot.keyClick(plot, Qt.Key.Key_Down, Qt.KeyboardModifier.ShiftModifier)
    assert place() == (x, y + 10)
    for _ in range(8):
        qtbot.keyClick(plot, Qt.Key.Key_Right, Qt.KeyboardModifier.ShiftModifier)
    assert place() == (60, y + 10)
    qtbot.keyClick(plot, Qt.Key.Key_Up)
    qtbot.keyClick(plot, Qt.Key.Key_Return)
    assert page.alignment.mode == "wrapped"
    assert page.alignment.status.text().startswith("Q 60 ")
    page.alignment.set_mode(mode)
    qtbot.keyClick(plot, Qt.Key.Key_Escape)
    assert page.hits.table.hasFocus()


def test_refused_pictures_are_explained(page, view, qtbot, tmp_path):
    with qtbot.waitSignal(page.message) as said:
        page.alignment.pictures.save(tmp_path / "plot.doc")
    assert "picture format" in said.args[0]
    with qtbot.waitSignal(page.message) as said:
        page.alignment.pictures.save(tmp_path / "no" / "plot.svg")
    assert "does not exist" in said.args[0]
