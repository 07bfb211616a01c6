"""Dot plots against a plain double loop; the hit that views show."""

import numpy as np
import pytest
from PySide6.QtGui import QColor

from swgui.core.alphabet import PROTEIN
from swgui.core.scoring import EncodedQuery, ScoringScheme, two_track_scheme
from swgui.gui.kit import theme
from swgui.gui.viewer.map.geometry import MapLines
from swgui.gui.viewer.matrix import dot_view as dot_matrix
from swgui.gui.viewer.matrix.dot_view import DotView, dot_plot, usual_threshold
from swgui.gui.viewer.matrix.on_map import of_track, seen_by
from swgui.gui.viewer.shown import ShownHit
from swgui.io.alphabets import alphabet_record
from swgui.io.matrices import load_matrix
from tests.given_hits import changed


def plain(query, subject, scheme, window):
    m, n, half = len(query), len(subject), window // 2
    profile = query.scores(scheme)
    scores = np.zeros((n, m), dtype=int)
    for i in range(n):
        for j in range(m):
            for k in range(-half, half + 1):
                if 0 <= i + k < n and 0 <= j + k < m:
                    scores[i, j] += profile[j + k, subject[i + k]]
    return scores


@pytest.mark.parametrize(("m", "n", "window"), [(1, 1, 1), (5, 7, 3), (20, 13, 9), (4, 30, 11), (33, 300, 5)])
def test_scores_are_sums_along_diagonals(made, m, n, window):
    rng = np.random.default_rng(m * n)
    query = EncodedQuery("q", rng.integers(0, 20, m).astype(np.uint8))
    subject = rng.integers(0, 20, n).astype(np.uint8)
    plot = dot_plot(query, subject, made.result.scheme, window)
    assert plot.step == 1
    assert (plot.scores == plain(query, subject, made.result.scheme, window)).all()


def test_large_plots_keep_the_best_of_each_square(made, monkeypatch):
    monkeypatch.setattr(dot_matrix, "MAX_CELLS", 200)
    rng = np.random.default_rng(3)
    query = EncodedQuery("q", rng.integers(0, 20, 41).astype(np.uint8))
    subject = rng.integers(0, 20, 55).astype(np.uint8)
    plot = dot_plot(query, subject, made.result.scheme, 5)
    exact = plain(query, subject, made.result.scheme, 5)
    assert plot.step == 4
    for i in range(plot.scores.shape[0]):
        for j in range(plot.scores.shape[1]):
            assert plot.scores[i, j] == exact[4 * i : 4 * i + 4, 4 * j : 4 * j + 4].max()


def test_threshold_leaves_few_dots_and_the_diagonal(made):
    rng = np.random.default_rng(4)
    query = EncodedQuery("q", rng.integers(0, 20, 200).astype(np.uint8))
    plot = dot_plot(query, query.codes, made.result.scheme, 11)
    dots = plot.dots(usual_threshold(plot))
    assert dots.mean() < 0.02
    assert dots.diagonal()[10:-10].all()


def test_view_follows_the_hit_and_leads_back(page, qtbot):
    page.alignment.set_mode("dots")
    view = page.alignment.view(DotView)
    qtbot.waitUntil(lambda: view.dots is not None)
    assert (view.dots.query_length, view.dots.subject_length, view.dots.window) == (60, 60, 11)
    assert view.describe(3, 3).startswith("Q 3 W : S 3 W, +5; window of 11: ")
    first = view.dots
    view.window_box.setValue(5)
    qtbot.waitUntil(lambda: view.dots is not first)
    assert view.dots.window == 5
    view.threshold.setValue(view.threshold.maximum())
    assert view.threshold_value.text() == f"≥ {view.threshold.maximum()}"
    page.hits.table.step(1)
    qtbot.waitUntil(lambda: page.alignment.hit.rank == 2)
    qtbot.waitUntil(
        lambda: view.dots is not None and view.dots.subject_length == len(page.alignment.hit.subject.residues)
    )
    view.place_chosen.emit(12)
    assert page.alignment.mode == "wrapped"
    assert page.alignment.status.text().startswith("Q 12 ")


@pytest.mark.parametrize("zoom", [1 / 8, 1, 4])
def test_every_stretch_from_the_threshold_on_is_seen(page, qtbot, zoom):
    """Also where several share a pixel: the best of them is drawn."""
    page.alignment.set_mode("dots")
    view = page.alignment.view(DotView)
    qtbot.waitUntil(lambda: view.dots is not None)
    view.map.show_lines(MapLines([]))
    view.map.zoom(zoom)
    image, frame = view.map.grab().toImage(), view.map.frame()
    ground, ratio = QColor(theme.colours(view).base), image.devicePixelRatio()
    rows, columns = np.nonzero(view.dots.dots(view.threshold.value()))
    points = [frame.point(column + 0.5, row + 0.5) for row, column in zip(rows.tolist(), columns.tolist(), strict=True)]
    seen = [point for point in points if frame.rect.adjusted(5, 30, -5, -5).contains(point)]
    assert seen
    assert all(image.pixelColor(int(at.x() * ratio), int(at.y() * ratio)) != ground for at in seen)


def test_each_track_is_compared_alone_or_both_together():
    rng = np.random.default_rng(5)
    residues, record = load_matrix("BLOSUM62", PROTEIN), alphabet_record("3Di")
    scheme = two_track_scheme(ScoringScheme.from_blast(residues, 11, 1), record.matrix, record.beside)
    letters = "ACDEFGHIKLMNPQRSTVWY"
    texts = ["".join(rng.choice(list(letters), 30)).encode() for _ in range(4)]
    query = EncodedQuery("q", scheme.alphabet.encode_tracks(*texts[:2]))
    subject = scheme.alphabet.encode_tracks(*texts[2:])
    whole, by_residues, by_letters = (
        dot_plot(*seen_by(query, subject, scheme, track), 5).scores for track in ("both", "residues", "letters")
    )
    weights = record.beside.residues_weight, record.beside.letters_weight
    assert (whole == weights[0] * by_residues + weights[1] * by_letters).all()
    alone = EncodedQuery("q", PROTEIN.encode(texts[0]))
    one_track = ScoringScheme.from_blast(residues, 11, 1)
    assert (by_residues == plain(alone, PROTEIN.encode(texts[2]), one_track, 5)).all()
    assert by_letters.any()
    assert of_track(alone.codes, one_track, "letters") is alone.codes  # there is one track


def test_a_hit_knows_its_pair(made):
    hit = next(iter(made.describe(made.result.hit_list(0), [0])))
    shown = ShownHit.of(made.result, hit)
    assert shown.alignment is hit.alignment
    assert shown.lengths == (60, 60)
    assert shown.query_index == 0
    assert shown.query_number(3) == 3
    assert shown.describe_residues(3, 3) == "Q 3 W : S 3 W, +5"


def test_residues_of_the_minus_strand_have_the_numbers_of_the_query_as_written(minus_hit):
    result, hit = minus_hit
    shown = ShownHit.of(result, hit)
    assert shown.query_number(1) == len(hit.query)
    assert shown.describe_residues(1, 1).startswith(f"Q {len(hit.query)} ")


def test_a_hit_without_an_alignment_cannot_be_shown(made):
    hit = next(iter(made.describe(made.result.hit_list(0), [0])))
    with pytest.raises(ValueError, match="no alignment"):
        ShownHit.of(made.result, changed(hit, alignment=None))
