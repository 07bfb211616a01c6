"""Pictures of the stacked view."""

import numpy as np
import pytest
from PySide6.QtCore import QRectF
from PySide6.QtGui import QImage, QPainter
from PySide6.QtSvg import QSvgRenderer

from swgui.core.errors import InvalidParameter
from swgui.gui.hits.data import HitData
from swgui.gui.viewer.pictures.picture import image_of, save_picture
from swgui.gui.viewer.residues.schemes import shipped_schemes
from swgui.gui.viewer.stacked import figure as stack_figure
from swgui.gui.viewer.stacked.figure import StackFigure
from swgui.gui.viewer.stacked.layout import Stack, build_rows


@pytest.fixture
def stack(made):
    hits = list(made.describe(made.result.hit_list(0), range(5)))
    data = HitData(made.result.hit_list(0))
    data.add(hits)
    built = Stack(np.frombuffer(hits[0].query_record.residues, dtype=np.uint8))
    built.add(build_rows(hits, made.result.scheme))
    return built, data


@pytest.fixture
def figure(stack, made, qapp):
    return StackFigure.of(*stack, shipped_schemes()["safe_7"])


def colours(image, step=5):
    return {
        image.pixelColor(x, y).name().upper()
        for x in range(0, image.width(), step)
        for y in range(0, image.height(), step)
    }


def test_it_has_the_rows_of_the_stack(figure, stack):
    built, _ = stack
    assert figure.names == ("ALBU_HUMAN", "ALBU_MOUSE", "NP_000468.1", "ALBU_RAT", "contig_7")
    assert figure.identities[0] == "100.0"
    assert figure.symbols.shape == (5, len(built.query))
    assert (figure.symbols[0] == figure.query).all()
    assert figure.consensus.tobytes().decode().upper() == figure.query.tobytes().decode()
    assert not figure.styles[figure.symbols == ord(" ")].any()
    assert figure.insertions[1] == {20}  # three residues behind residue 20
    assert "5 subjects on sp|P02768|ALBU_HUMAN" in figure.title


def test_what_is_drawn_stays_as_it_was_when_the_stack_goes_on(figure, stack, made):
    built, data = stack
    before = figure.symbols.copy()
    built.add(build_rows(made.describe(made.result.hit_list(0), [0]), made.result.scheme))
    built.toggle(20)
    assert (figure.symbols == before).all()
    unfolded = StackFigure.of(built, data, figure.scheme)
    assert len(unfolded.shown) == len(figure.shown) + 3
    assert unfolded.insertions[1] == frozenset()
    image_of(unfolded)


@pytest.mark.parametrize(("suffix", "start"), [(".png", b"\x89PNG"), (".svg", b"<?xml"), (".pdf", b"%PDF")])
def test_formats(figure, tmp_path, suffix, start):
    assert save_picture(figure, tmp_path / f"stack{suffix}").read_bytes().startswith(start)


def test_png_has_the_fills_and_the_size_promised(figure, tmp_path):
    image = QImage(str(save_picture(figure, tmp_path / "a.png")))
    assert image.width() == pytest.approx(figure.size.width() * 3, abs=2)
    assert image.height() == pytest.approx(figure.size.height() * 3, abs=2)
    used = {figure.scheme.groups[style - 1].light for style in set(figure.styles.ravel().tolist()) if style}
    assert len(used) > 3
    assert used <= colours(image, 4)


def test_svg_draws_the_same(figure, tmp_path):
    renderer = QSvgRenderer(str(save_picture(figure, tmp_path / "a.svg")))
    image = QImage(renderer.defaultSize() * 2, QImage.Format.Format_RGB32)
    painter = QPainter(image)
    renderer.render(painter, QRectF(image.rect()))
    painter.end()
    assert figure.scheme.groups[0].light in colours(image)


def test_too_large_stacks_are_refused_with_a_hint(stack, made, monkeypatch):
    monkeypatch.setattr(stack_figure, "MAX_SYMBOLS", 100)
    with pytest.raises(InvalidParameter, match="6 × 60 residues is too large") as refused:
        StackFigure.of(*stack, shipped_schemes()["safe_7"])
    assert "stack fewer hits" in refused.value.hint


def test_the_pane_saves_the_stack_and_not_the_pair(page, qtbot, tasks, tmp_path, monkeypatch):
    page.alignment.set_mode("stacked")
    qtbot.waitUntil(lambda: page.loader.stack is not None and len(page.loader.stack) == 5)
    monkeypatch.setattr(
        "PySide6.QtWidgets.QFileDialog.getSaveFileName",
        lambda _parent, _title, name, _kinds: (str(tmp_path / name), "Vector graphics (*.svg)"),
    )
    dialog = page.alignment.pictures.save_as()
    assert dialog.windowTitle() == "Figure of the stack"
    dialog.columns.setValue(30)
    assert isinstance(dialog.figure(), StackFigure)
    assert dialog.figure().columns == 30
    with qtbot.waitSignal(page.message) as said:
        dialog.save_button.click()
    assert said.args == [f"Figure written to {tmp_path / 'stack.svg'}."]
    with qtbot.waitSignal(page.message) as said:
        page.alignment.pictures.copy()
    assert said.args[0].startswith("Picture of ")
    monkeypatch.setattr(stack_figure, "MAX_SYMBOLS", 100)
    with qtbot.waitSignal(page.message) as said:
        page.alignment.pictures.copy()
    assert "too large for a picture" in said.args[0]
    qtbot.waitUntil(lambda: tasks.idle)
