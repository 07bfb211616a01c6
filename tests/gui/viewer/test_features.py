"""Features in the overview and above the alignment: drawn where they are, and told."""

import pytest
from PySide6.QtCore import QPoint
from PySide6.QtGui import QColor

from swgui.core.database import TextColumn
from swgui.core.features import Feature, as_text, from_text
from swgui.core.plain import replace
from swgui.gui.kit import theme as themes
from swgui.gui.kit.plots.features import colour_of
from swgui.gui.viewer.rows.view import RowsView
from swgui.gui.viewer.shown import ShownHit
from tests.given_hits import changed

QUERY = (Feature("DOMAIN", ((4, 40),), "Kept"), Feature("ACT_SITE", ((20, 21),)))
SUBJECT = (Feature("TRANSMEM", ((10, 30),), "Helical"), Feature("SIGNAL", ((0, 5),)))


@pytest.fixture
def annotated(page, made, qtbot, tasks):
    """The page with features of the query and of every subject."""
    result = made.result
    texts = TextColumn.from_texts([as_text(SUBJECT)] * len(result.database))
    database = replace(result.database, feature_texts=texts)
    first = replace(result.queries[0], query=replace(result.queries[0].query, features=QUERY))
    page.show_result(replace(result, database=database, queries=(first, *result.queries[1:])))

    qtbot.waitUntil(lambda: tasks.idle and page.hits.data is not None and page.hits.data.aligned.all())
    page.overview.refresh()
    return page


def colours_in(image, x, top, bottom):
    return {QColor(image.pixel(round(x), y)).name() for y in range(round(top), round(bottom))}


def test_the_query_has_its_features_below_the_axis(annotated):
    overview = annotated.overview
    assert overview.head_height() - overview.axis_height() > overview.lane_height()
    shades = themes.colours(overview)
    image = overview.viewport().grab().toImage()
    ratio = image.width() / overview.viewport().width()
    edge, track = overview.x_of(5) * ratio, (overview.axis_height() * ratio, overview.head_height() * ratio)
    seen = set().union(*(colours_in(image, edge + away, *track) for away in (-1, 0, 1)))
    assert colour_of(QUERY[0], shades).name() in seen
    x = overview.x_of(21.5)
    assert overview.features_at(-1, x).splitlines() == ["Active site, 21", "Domain Kept, 5 to 40"]


def test_a_subjects_features_lie_on_its_bar(annotated):
    overview = annotated.overview
    (bar,) = overview.bars(annotated.hits.data, 0)
    carried = overview.features.of_part(0, 0)
    assert [one.feature for one in carried] == list(SUBJECT)
    told = overview.features_at(0, overview.x_of(carried[0].drawn.start + 2))
    assert "Subject: Transmembrane Helical, 11 to 30" in told.splitlines()
    shades = themes.colours(overview)
    image = overview.viewport().grab().toImage()
    ratio = image.width() / overview.viewport().width()
    x = overview.x_of(carried[0].drawn.start + 5) * ratio
    top = overview.top_of(bar.place) * ratio
    assert colour_of(SUBJECT[0], shades).name() in colours_in(image, x, top, top + overview.row_height() * ratio)


def test_without_features_nothing_takes_room(page):
    overview = page.overview
    assert overview.head_height() == overview.axis_height() + 5
    assert overview.features.of_part(0, 0) == []
    view = page.findChild(RowsView, "rowsView")
    assert view.track_heights() == (0, 0)


def test_the_alignment_has_tracks_above_and_below(page):
    view = page.findChild(RowsView, "rowsView")
    plain = view.block_height()
    hit = page.hits.data.hit(0)
    hit = changed(
        hit, query_record=replace(hit.query_record, features=QUERY), subject=replace(hit.subject, features=SUBJECT)
    )
    view.show_hit(ShownHit.of(page.result, hit))
    above, below = view.track_heights()
    assert above > 0 < below
    assert view.block_height() == plain + above + below
    column = view.alignment_layout.column_of_query(21)
    x = round(view.residues_left() + (column % view.columns_per_line + 0.5) * view.glyphs().cell_width)
    line = column // view.columns_per_line * view.block_height()
    top = round(line + 12 + above / 2 - view.verticalScrollBar().value())
    assert view.features_at(QPoint(x, top)).splitlines() == ["Active site, 21", "Domain Kept, 5 to 40"]
    bottom = round(line + 12 + above + 4 * view.glyphs().cell_height + below / 2 - view.verticalScrollBar().value())
    assert view.features_at(QPoint(x, bottom)) == "Transmembrane Helical, 11 to 30"
    assert view.features_at(QPoint(x, round(line + 12 + above + view.glyphs().cell_height * 1.5))) == ""
    view.viewport().grab()
    assert from_text(as_text(SUBJECT)) == SUBJECT
