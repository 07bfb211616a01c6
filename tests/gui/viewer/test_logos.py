"""Logos of both profiles of a hit: on the screen, in words and in pictures; none where sequences were compared."""

import re
import threading
import zlib
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QRectF
from PySide6.QtGui import QImage, QPainter
from PySide6.QtPrintSupport import QPrinter

from swgui.core.plain import replace
from swgui.core.profiles.logo import Logo
from swgui.core.records import SequenceRecord
from swgui.core.search import Search
from swgui.gui.kit.theme import DARK, LIGHT
from swgui.gui.results.printing import paint
from swgui.gui.viewer.pictures.figure import Figure
from swgui.gui.viewer.pictures.picture import save_picture
from swgui.gui.viewer.residues.schemes import shipped_schemes
from swgui.gui.viewer.rows.logos import NO_LOGO, SideLogo, logos_of
from swgui.gui.viewer.rows.view import RowsView
from swgui.gui.viewer.shown import ShownHit
from swgui.io.database.any_file import open_any_database
from swgui.io.paper.flow import FIXED_SIZE
from swgui.io.paper.letters import FIXED_WIDTH
from swgui.io.paper.marks import MARGIN, Letter, Words
from swgui.io.paper.pdf import write_pdf
from swgui.io.paper.search import report_pages
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
    assert len(query.of.information) == len(subject.of.information) == len(layout)
    gap = int(np.flatnonzero(layout.query_positions == 0)[0])
    assert not query.of.information[gap]
    assert query.told_at(gap) == ""
    assert subject.of.information[gap] > 0
    column = int(np.flatnonzero(layout.query == ord("W"))[0])
    assert subject.told_at(column).split(", ")[1].startswith("W ")
    assert query.of.top == subject.of.top >= max(query.of.information.max(), subject.of.information.max())
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
    logo = SideLogo(Logo(shares, np.array([2.0]), 2.0))
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


def test_the_report_on_paper_has_both_logos(shown: ShownHit, qtbot, tmp_path: Path) -> None:
    pages = list(report_pages(shown.result, [shown.hit]))
    marks = [mark for page in pages for mark in page.marks]
    letters, words = ([mark for mark in marks if isinstance(mark, kind)] for kind in (Letter, Words))
    (query,) = [mark for mark in words if mark.text.startswith("Query  ")]
    above, below = ([mark for mark in letters if (mark.y < query.y) == is_above] for is_above in (True, False))
    gap = query.text.index("-")
    columns = [
        {round((mark.x - MARGIN) / (FIXED_WIDTH * FIXED_SIZE) - 0.04) for mark in side} for side in (above, below)
    ]
    assert columns[1] - columns[0] == set(range(gap, gap + 3))
    assert len(columns[1]) == len(ROWS[0])
    with (tmp_path / "report.pdf").open("wb") as file:
        write_pdf(pages, file, "", "", lambda *_: [])
    streams = re.findall(rb"stream\n(.*?)\nendstream", (tmp_path / "report.pdf").read_bytes(), re.DOTALL)
    assert b"".join(map(zlib.decompress, streams)).count(b"/bold 1 Tf") == len(letters)
    printer = QPrinter()
    printer.setOutputFileName(str(tmp_path / "printed.pdf"))
    paint(pages, "", printer)
    assert (tmp_path / "printed.pdf").stat().st_size > 1000


def test_sequences_have_no_logos(tmp_path: Path) -> None:
    fasta = tmp_path / "one.fasta"
    fasta.write_text(f">row\n{ROWS[0]}\n" * 1 + "".join(f">other{n}\n{ROWS[1][n:]}\n" for n in range(3)))
    open_any_database(fasta, cancel=threading.Event())
    shown = shown_of(fasta)
    assert logos_of(shown, RowsView().alignment_layout) == (NO_LOGO, NO_LOGO)
