"""Figures of alignments."""

import pytest
from PySide6.QtCore import QRectF
from PySide6.QtGui import QAction, QGuiApplication, QImage, QPainter
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtWidgets import QWidget

from swgui.core.errors import InvalidParameter
from swgui.gui.viewer.pictures import figure as figure_module
from swgui.gui.viewer.pictures.figure import Figure
from swgui.gui.viewer.pictures.picture import NO_PICTURE, PanePictures, save_picture
from swgui.gui.viewer.residues.schemes import shipped_schemes
from swgui.gui.viewer.rows.layout import lay_out_rows


@pytest.fixture
def figure(made, qapp):
    hit = next(hit for hit in made.describe(made.result.hit_list(0), range(5)) if hit.db_index == 1)
    return Figure(hit, lay_out_rows(hit, made.result.scheme, 3), shipped_schemes()["similarity"], columns=40)


@pytest.mark.parametrize(("suffix", "start"), [(".png", b"\x89PNG"), (".svg", b"<?xml"), (".pdf", b"%PDF")])
def test_formats(figure, tmp_path, suffix, start):
    path = save_picture(figure, tmp_path / f"alignment{suffix}")
    assert path.read_bytes().startswith(start)


def test_png_is_sharp_and_has_the_fills(figure, tmp_path):
    image = QImage(str(save_picture(figure, tmp_path / "a.png")))
    assert image.width() == pytest.approx(figure.size.width() * 3, abs=2)
    assert image.dotsPerMeterX() == pytest.approx(216 / 0.0254, abs=1)
    colours = {
        image.pixelColor(x, y).name().upper() for x in range(0, image.width(), 7) for y in range(0, image.height(), 7)
    }
    assert figure.scheme.groups[0].light in colours
    assert "#FFFFFF" in colours


def test_svg_draws_the_same(figure, tmp_path):
    renderer = QSvgRenderer(str(save_picture(figure, tmp_path / "a.svg")))
    assert renderer.isValid()
    image = QImage(renderer.defaultSize() * 2, QImage.Format.Format_RGB32)
    painter = QPainter(image)
    renderer.render(painter, QRectF(image.rect()))
    painter.end()
    colours = {
        image.pixelColor(x, y).name().upper() for x in range(0, image.width(), 5) for y in range(0, image.height(), 5)
    }
    assert figure.scheme.groups[0].light in colours


def test_refusals_are_explained(figure, tmp_path, monkeypatch):
    with pytest.raises(InvalidParameter, match="not a picture format"):
        save_picture(figure, tmp_path / "a.doc")
    monkeypatch.setattr(figure_module, "MAX_COLUMNS", 10)
    with pytest.raises(InvalidParameter, match="too long for a picture"):
        save_picture(figure, tmp_path / "a.svg")
    assert not list(tmp_path.glob("*.svg"))


def test_pane_saves_in_the_background(page, qtbot, tmp_path):
    with qtbot.waitSignal(page.message) as said:
        page.alignment.pictures.save(tmp_path / "hit.pdf")
    assert said.args == [f"Figure written to {tmp_path / 'hit.pdf'}."]
    assert (tmp_path / "hit.pdf").read_bytes().startswith(b"%PDF")
    with qtbot.waitSignal(page.message) as said:
        page.alignment.pictures.save(tmp_path / "no" / "hit.svg")
    assert "does not exist" in said.args[0]


@pytest.mark.parametrize("mode", ["wrapped", "dots", "path"])
def test_pictures_go_to_the_clipboard(page, qtbot, tasks, mode):
    page.alignment.set_mode(mode)
    qtbot.waitUntil(lambda: tasks.idle)
    with qtbot.waitSignal(page.message) as said:
        page.alignment.findChild(QAction, "copyPicture").trigger()
    image = QGuiApplication.clipboard().image()
    assert image.width() > 500
    assert said.args == [f"Picture of {image.width():,} × {image.height():,} pixels copied."]


def test_too_long_alignments_are_not_copied(page, qtbot, monkeypatch):
    monkeypatch.setattr(figure_module, "MAX_COLUMNS", 10)
    with qtbot.waitSignal(page.message) as said:
        page.alignment.pictures.copy()
    assert "too long for a picture" in said.args[0]


def test_without_an_alignment_a_sentence_says_so(qtbot, tasks):
    parent = QWidget()
    qtbot.addWidget(parent)
    pictures = PanePictures(parent, tasks, lambda: None)
    for act in (pictures.save_as, pictures.copy):
        with qtbot.waitSignal(pictures.message) as said:
            act()
        assert said.args == [NO_PICTURE]


def test_size_is_chosen_before_saving(page, qtbot, tmp_path, monkeypatch):
    wanted = tmp_path / "small"
    monkeypatch.setattr("PySide6.QtWidgets.QFileDialog.getSaveFileName", lambda *_: (str(wanted), "Picture (*.png)"))
    dialog = page.alignment.pictures.save_as()
    before = dialog.size_note.text()
    dialog.columns.setValue(30)
    dialog.points.setValue(6.0)
    assert dialog.size_note.text() != before
    pixels = dialog.figure().size.width() * 3
    with qtbot.waitSignal(page.message) as said:
        dialog.save_button.click()
    assert said.args == [f"Figure written to {wanted}.png."]
    assert QImage(f"{wanted}.png").width() == pytest.approx(pixels, abs=2)


def test_plots_are_saved_where_asked(page, qtbot, tasks, tmp_path, monkeypatch):
    page.alignment.set_mode("dots")
    qtbot.waitUntil(lambda: tasks.idle)
    chosen = [("", ""), (str(tmp_path / "dots.pdf"), "PDF (*.pdf)")]
    monkeypatch.setattr("PySide6.QtWidgets.QFileDialog.getSaveFileName", lambda *_: chosen.pop(0))
    assert page.alignment.pictures.save_as() is None
    with qtbot.waitSignal(page.message):
        page.alignment.pictures.save_as()
    assert (tmp_path / "dots.pdf").read_bytes().startswith(b"%PDF")


@pytest.mark.parametrize("mode", ["wrapped", "dots"])
def test_figures_are_not_saved_over_an_opened_file(page, qtbot, tasks, opened, mode):
    page.alignment.set_mode(mode)
    qtbot.waitUntil(lambda: tasks.idle)
    said, sentence = [], opened("query.svg")
    page.message.connect(said.append)
    if (dialog := page.alignment.pictures.save_as()) is not None:
        dialog.save_button.click()
    assert said == [sentence]
