"""Logos of both profiles of a hit: on the screen, in words and in pictures; none where sequences were compared."""

import threading
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QRectF
from PySide6.QtGui import QImage, QPainter

from swgui.core.plain import replace
from swgui.core.records import SequenceRecord
from swgui.core.search import Search
from swgui.gui.kit.theme import DARK, LIGHT
from swgui.gui.viewer.pictures.figure import Figure
from swgui.gui.viewer.pictures.picture import save_picture
from swgui.gui.viewer.residues.schemes import shipped_schemes
from swgui.gui.viewer.rows.logos import NO_LOGO, SideLogo, logos_of
from swgui.gui.viewer.rows.view import RowsView
from swgui.gui.viewer.shown import ShownHit
from swgui.io.database.any_file import open_any_database
from swgui.jobs.events import run_to_end
from swgui.jobs.profiles.building import build_steps, profile_build
from swgui.jobs.search.request import SearchRequest
from swgui.jobs.search.run import search_steps
from tests.asking import BLOSUM62
from tests.described import describe_hits

ROWS = (
    "MKVLWAALLVTFLAGCQAKVEQAVETEPEPELRQQ",
    "MKVLWAALLVTFLAGCRAKVEQAVQTEPEPELHQQ",
    "MRLLWAGLLATFLTGCQADVEEAVKTEPQPELRQK",
)
QUERY = ROWS[0][:20] + ROWS[0][23:]


def shown_of(database: Path) -> ShownHit:
    request = SearchRequest(
        (SequenceRecord("query", "", QUERY.encode()),), database, Search(scheme=BLOSUM62, engine="cpu")
    )
    result = run_to_end(search_steps(request, threading.Event()))
    assert result is not None
    (hit,) = describe_hits(result, 0, [0])
    return ShownHit.of(result, hit)


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> ShownHit:
    folder = tmp_path_factory.mktemp("logos")
    alignment, out = folder / "family.a3m", folder / "family.swdb"
    alignment.write_text("".join(f">row{number}\n{row}\n" for number, row in enumerate(ROWS)))
    run_to_end(build_steps(profile_build([alignment], out, "family"), 1, [], threading.Event()))
    return shown_of(out)


def test_both_profiles_stand_above_and_below_the_alignment(shown: ShownHit, qtbot, tmp_path: Path) -> None:
    view = RowsView()
    qtbot.addWidget(view)
    view.resize(900, 300)
    view.show_hit(shown)
    query, subject = view.logos
    layout = view.alignment_layout
    assert len(query.information) == len(subject.information) == len(layout)
    gap = int(np.flatnonzero(layout.query_positions == 0)[0])
    assert not query.information[gap]
    assert query.told_at(gap) == ""
    assert subject.information[gap] > 0
    column = int(np.flatnonzero(layout.query == ord("W"))[0])
    assert subject.told_at(column).split(", ")[1].startswith("W ")
    assert query.top == subject.top >= max(query.information.max(), subject.information.max())
    left = round(view.residues_left() + (column + 0.5) * view.glyphs().cell_width)
    assert view.features_at(QPoint(left, 20)) == query.told_at(column)
    figure = Figure(shown.hit, layout, shipped_schemes()["similarity"], logos=view.logos)
    assert figure.size.height() > replace(figure, logos=(NO_LOGO, NO_LOGO)).size.height()
    save_picture(figure, tmp_path / "with.svg")
    save_picture(replace(figure, logos=(NO_LOGO, NO_LOGO)), tmp_path / "without.svg")
    paths = [(tmp_path / f"{name}.svg").read_text().count("<path") for name in ("with", "without")]
    assert paths[0] > paths[1] + len(layout)
    assert "Logo" in (tmp_path / "with.svg").read_text()


@pytest.mark.parametrize("shades", [LIGHT, DARK], ids=["light", "dark"])
def test_letters_are_as_high_as_their_share(shades, qtbot) -> None:
    shares = np.zeros((1, 20))
    shares[0, [0, 17]] = 0.25, 0.75  # A, and W on top
    logo = SideLogo(shares, np.array([2.0]), 2.0)
    image = QImage(40, 100, QImage.Format.Format_RGB32)
    image.fill(shades.base)
    painter = QPainter(image)
    logo.paint(painter, slice(0, 1), 40, QRectF(0, 0, 40, 100), shades)
    painter.end()
    drawn = [image.pixelColor(20, row).name() != image.pixelColor(39, 0).name() for row in range(100)]
    assert any(drawn[:70])
    inks = {image.pixelColor(x, y).name() for x in range(40) for y in (40, 50, 60)} | {
        image.pixelColor(x, 92).name() for x in range(40)
    }
    assert len(inks) > 2


def test_sequences_have_no_logos(tmp_path: Path) -> None:
    fasta = tmp_path / "one.fasta"
    fasta.write_text(f">row\n{ROWS[0]}\n" * 1 + "".join(f">other{n}\n{ROWS[1][n:]}\n" for n in range(3)))
    open_any_database(fasta, cancel=threading.Event())
    shown = shown_of(fasta)
    assert logos_of(shown, RowsView().alignment_layout) == (NO_LOGO, NO_LOGO)
