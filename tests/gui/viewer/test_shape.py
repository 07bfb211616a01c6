"""The view of two structures in space, and the files it writes."""

from __future__ import annotations

from pathlib import Path

import gemmi
import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt

from swgui.core.alignment import Alignment
from swgui.core.alphabet import PROTEIN
from swgui.core.features import Feature
from swgui.core.hits.table import Hit
from swgui.core.records import SequenceRecord
from swgui.core.scoring import EncodedQuery
from swgui.core.structures.compact import Places, pack, unpack
from swgui.core.structures.superposition import superposition_of
from swgui.gui.viewer.rows.layout import lay_out_rows
from swgui.gui.viewer.rows.view import NO_CONFIDENCE, RowsView, confidence_of
from swgui.gui.viewer.scene import scene_of, seen, turned
from swgui.gui.viewer.shape import ShapeView
from swgui.gui.viewer.shown import ShownHit
from swgui.io.export.superposed import chimerax_of, pdb_of, pymol_of
from swgui.io.sequences.reader import read_sequences
from tests.given_hits import Line, given_hit

TRP_CAGE = Path(__file__).parents[2] / "data" / "structures" / "1l2y.pdb"


@pytest.fixture
def hit() -> Hit:
    """The Trp-cage against itself, turned and shifted, with two residues in front that are not aligned."""
    (query,) = read_sequences(TRP_CAGE)
    ca = np.array([[1.0, 2, 3], [4, 2, 3]])
    places = unpack(query.places, 20)
    moved = np.concatenate([ca, places.ca @ np.array([[0, 1, 0], [-1, 0, 0], [0, 0, 1]]) + 9]).astype(np.float32)
    subject = SequenceRecord("other", "", b"MK" + query.residues, places=pack(Places(moved)))
    codes = PROTEIN.encode(query.residues)
    alignment = Alignment.from_cigar(0, 2, "20M", 100)
    return given_hit(query, subject, [Line(EncodedQuery("1l2y", codes), 100, 50.0, -10.0, 1, alignment)])


def test_the_scene_lays_the_subject_on_the_query(hit):
    scene = scene_of(hit)
    assert scene.fit.rmsd < 0.02
    drawn = seen(scene, np.eye(3))
    assert np.abs(drawn.lines).max() <= 1.01
    assert (np.diff(drawn.depth) >= 0).all()
    own = drawn.lines[(drawn.chain == 0)]
    other = drawn.lines[(drawn.chain == 1) & drawn.aligned]
    np.testing.assert_allclose(np.sort(own[:, 0])[:5], np.sort(other[:, 0])[:5], atol=0.05)
    assert set(drawn.residue[~drawn.aligned & (drawn.chain == 1)]) <= {0, 1, 2}
    around = turned(np.eye(3), np.pi / 2, 0)
    np.testing.assert_allclose(around @ around.T, np.eye(3), atol=1e-12)
    np.testing.assert_allclose(np.array([0, 0, 1.0]) @ around, [1, 0, 0], atol=1e-12)  # what was in front goes right
    assert scene_of(given_hit(SequenceRecord("x", "", b"A"), hit.subject, [Line(hit.query, 1, 1.0, 0.0)])) is None


def test_files_for_other_programs(hit, tmp_path):
    fit = superposition_of(hit)
    path = tmp_path / "both.pdb"
    path.write_text(pdb_of(hit, fit))
    model = gemmi.read_structure(str(path))[0]
    assert [chain.name for chain in model] == ["A", "B"]
    assert [len(chain) for chain in model] == [20, 22]
    ours, theirs = model["A"][4]["CA"][0].pos, model["B"][6]["CA"][0].pos
    assert ours.dist(theirs) < 0.05
    assert model["B"][0].name == "MET"
    script = chimerax_of(hit, fit, "both.pdb")
    assert 'open "both.pdb"' in script
    numbers = np.array(script.split("models #3,")[1].split(","), float).reshape(3, 4)
    first = np.array([*np.array(gemmi.read_structure(str(TRP_CAGE))[0][0][0]["CA"][0].pos.tolist())])
    turned_back = numbers[:, :3] @ (first @ np.array([[0, 1, 0], [-1, 0, 0], [0, 0, 1]]) + 9) + numbers[:, 3]
    np.testing.assert_allclose(turned_back, first, atol=0.05)
    assert "load both.pdb" in pymol_of(hit, fit, "both.pdb")


def test_the_view_turns_and_names_residues(hit, qtbot, made, tasks, tmp_path):
    view = ShapeView(tasks)
    qtbot.addWidget(view)
    view.resize(500, 400)
    view.show()
    view.show_alignments([ShownHit(made.result, hit, hit.alignment)], 0)
    qtbot.waitUntil(lambda: view.scene is not None)
    assert "RMSD 0.0" in view.caption()
    assert "20 pairs" in view.caption()
    before = view.area.rotation.copy()
    middle = view.area.rect().center()
    qtbot.mousePress(view.area, Qt.MouseButton.LeftButton, pos=middle)
    qtbot.mouseMove(view.area, middle + QPoint(60, 0))
    qtbot.mouseRelease(view.area, Qt.MouseButton.LeftButton, pos=middle + QPoint(60, 0))
    assert not np.allclose(view.area.rotation, before)
    qtbot.keyClick(view.area, Qt.Key.Key_Home)
    np.testing.assert_allclose(view.area.rotation, np.eye(3))
    across, down = range(0, view.area.width(), 7), range(0, view.area.height(), 7)
    named = {view.area.describe(QPointF(x, y)) for x in across for y in down}
    assert "" in named
    assert any(name.startswith(("Q ", "S ")) for name in named)
    assert view.figure().content(".png").startswith(b"\x89PNG")
    with qtbot.waitSignal(view.message):
        view.save(tmp_path / "shown.cxc")
    assert (tmp_path / "shown.pdb").exists()
    assert 'open "shown.pdb"' in (tmp_path / "shown.cxc").read_text()
    view.clear()
    assert view.scene is None
    assert view.caption() == ""


# The confidence of models above and below an alignment.


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
    measured, model = confidence_of(shown.hit, lay_out_rows(shown.hit, shown.scheme))
    assert not measured
    assert np.isnan(model.values[8:10]).all()  # the gap
    assert model.values[[0, 7, 10, 19]].tolist() == [96, 80, 80, 30]
    assert [model.told_at(at) for at in (0, 8, 19)] == ["pLDDT 96: very high", "", "pLDDT 30: very low"]


def test_the_view_draws_it_in_place_of_boxes(shown, qtbot, monkeypatch):
    view = RowsView()
    qtbot.addWidget(view)
    view.resize(700, 300)
    view.show()
    view.show_hit(shown)
    assert [one.feature.kind for one in view.tracks[1].carried] == ["DOMAIN"]  # the other one is drawn as the curve
    image = view.grab().toImage()
    colours = [image.pixelColor(x, y).name() for x in range(0, 600, 2) for y in range(0, 150, 2)]
    assert all(colour in colours for colour in ("#0053d6", "#65cbf3", "#ffdb13", "#ff7d45"))
    x = int(view.residues_left() + view.glyphs().cell_width / 2)
    told = {view.features_at(QPoint(x, y)) for y in range(150)}
    assert "pLDDT 96: very high" in told
    with_curve = view.block_height()
    monkeypatch.setattr("swgui.gui.viewer.rows.view.confidence_of", lambda *_: (NO_CONFIDENCE, NO_CONFIDENCE))
    view.show_hit(shown)
    assert view.block_height() < with_curve
