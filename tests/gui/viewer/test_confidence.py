"""The confidence of models above and below an alignment."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QPoint

from swgui.core.alignment import Alignment
from swgui.core.alphabet import PROTEIN
from swgui.core.entries.features import Feature
from swgui.core.records import SequenceRecord
from swgui.core.scoring import EncodedQuery
from swgui.core.structures.compact import Places, pack
from swgui.gui.viewer.pair.layout import lay_out_pair
from swgui.gui.viewer.pair.view import PairView, confidence_of
from swgui.gui.viewer.shown import ShownHit
from tests.given_hits import Line, given_hit


@pytest.fixture
def shown(made) -> ShownHit:
    """A measured query, and a model with a gap in the middle, whose last residues are uncertain."""
    residues = b"MKVLWAALLVTFLAGCQAKV"
    plddt = np.array([96.0] * 5 + [80.0] * 5 + [60.0] * 4 + [30.0] * 4, np.float32)
    model = SequenceRecord(
        "model",
        "",
        residues[:8] + residues[10:],
        (Feature("VERY_LOW_PLDDT", ((14, 18),), "pLDDT 30"), Feature("DOMAIN", ((0, 5),), "d")),
        places=pack(Places(np.zeros((18, 3), np.float32), plddt)),
    )
    query = SequenceRecord("q", "", residues, places=pack(Places(np.zeros((20, 3), np.float32))))
    alignment = Alignment.from_cigar(0, 0, "8M2I10M", 50)
    line = Line(EncodedQuery("q", PROTEIN.encode(residues)), 50, 20.0, -5.0, 1, alignment)
    hit = given_hit(query, model, [line])
    return ShownHit(made.result, hit, alignment)


def test_values_stand_in_the_columns_of_their_residues(shown):
    measured, model = confidence_of(shown.hit, lay_out_pair(shown.hit, shown.scheme))
    assert not measured
    assert np.isnan(model.values[8:10]).all()  # the gap
    assert model.values[[0, 7, 10, 19]].tolist() == [96, 80, 80, 30]
    assert [model.told_at(at) for at in (0, 8, 19)] == ["pLDDT 96: very high", "", "pLDDT 30: very low"]


def test_the_view_draws_it_in_place_of_boxes(shown, qtbot):
    view = PairView()
    qtbot.addWidget(view)
    view.resize(700, 300)
    view.show()
    view.show_hit(shown)
    assert [one.feature.kind for one in view._tracks[1].carried] == ["DOMAIN"]  # the other one is drawn as the curve
    image = view.grab().toImage()
    colours = [image.pixelColor(x, y).name() for x in range(0, 600, 2) for y in range(0, 150, 2)]
    assert all(colour in colours for colour in ("#0053d6", "#65cbf3", "#ffdb13", "#ff7d45"))
    x = int(view._left() + view.glyphs().cell_width / 2)
    told = {view.features_at(QPoint(x, y)) for y in range(150)}
    assert "pLDDT 96: very high" in told
    with_curve = view._block_height()
    view._confidence = (view._confidence[0], view._confidence[0])
    assert view._block_height() < with_curve
