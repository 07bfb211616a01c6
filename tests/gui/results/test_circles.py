"""Alignments across the origin of a circular record in the window: table, views and texts."""

import numpy as np
import pytest
from PySide6.QtCore import Qt

from swgui.core.alphabet import NUCLEOTIDE
from swgui.core.database import encode_database
from swgui.core.entries.projection import along_query, carry
from swgui.core.features import Feature
from swgui.core.records import SequenceRecord
from swgui.gui.results.page import ResultsPage
from swgui.gui.viewer.rows.layout import lay_out_rows
from swgui.gui.viewer.rows.text_form import ends, wrapped_text
from swgui.gui.viewer.stacked.layout import stack_row
from swgui.jobs.search.describe import describe_list
from tests.asking import DNA_SCHEME, answer, search_request

GENE = Feature("CDS", ((0, 8), (90, 100)), "across", 1)


@pytest.fixture(scope="module")
def result():
    record = np.frombuffer(b"ACGT", np.uint8)[np.random.default_rng(12).integers(0, 4, 100)].tobytes()
    part = record[-20:] + record[:15]
    turned = part[::-1].translate(bytes.maketrans(b"ACGT", b"TGCA"))
    queries = SequenceRecord("q", "", part), SequenceRecord("m", "", turned)
    circle = SequenceRecord("circle", "a plasmid", record, (GENE,), circular=True)
    given = {"database": encode_database([circle], NUCLEOTIDE, "one"), "scheme": DNA_SCHEME, "strand": "both"}
    return answer(search_request(**given, queries=queries, max_evalue=1e-3, engine="cpu"))


def hit_of(result, query):
    return next(describe_list(result.hit_list(query), [0]))


@pytest.mark.parametrize(("query", "first", "last"), [(0, 81, 15), (1, 15, 81)])
def test_numbers_go_round(result, query, first, last):
    hit = hit_of(result, query)
    layout = lay_out_rows(hit, result.scheme)
    assert (layout.subject_positions[0], layout.subject_positions[-1]) == (first, last)
    assert sorted(layout.subject_positions.tolist()) == [*range(1, 16), *range(81, 101)]
    row = stack_row(hit, result.scheme)
    assert [row.position(column) for column in (0, 34)] == [first, last]
    assert ends(hit) == f"Query 1 to 35, subject {first} to {last}"
    assert f"  {last}" in wrapped_text(layout)


def test_features_on_both_sides_of_the_origin_are_drawn(result):
    hit = hit_of(result, 0)
    (carried,) = carry([GENE], lay_out_rows(hit, result.scheme).subject_positions)
    assert carried.drawn.spans == ((10, 20), (20, 28))
    assert [one.drawn.spans for one in along_query(hit)] == [((10, 20), (20, 28))]
    assert [one.drawn.spans for one in along_query(hit_of(result, 1))] == [((7, 15), (15, 25))]


def test_the_page_shows_where_it_lies_in_every_view(result, qtbot, tasks):
    page = ResultsPage(tasks)
    qtbot.addWidget(page)
    page.resize(1100, 760)
    page.show_result(result)
    page.show()
    qtbot.waitUntil(lambda: tasks.idle and page.alignment.hit is not None)
    model = page.hits.model

    def cell(key):
        return model.data(model.index(0, model.column_index(key)), Qt.ItemDataRole.DisplayRole)

    assert [cell(key) for key in ("sstart", "send", "join")] == ["81", "15", "join(81..100,1..15)"]
    for view in page.alignment.all_views:
        if view.possible:
            page.alignment.set_mode(view.name)
            qtbot.waitUntil(lambda: tasks.idle)
            assert not page.alignment.grab().isNull()
