"""The Locus page: places with their sentences, zoom and keys, positions and genes, files."""

import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import ClassVar

import numpy as np
import pytest
from Bio import SeqIO
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QImage

from swgui.core.alphabet import NUCLEOTIDE
from swgui.core.database import encode_database
from swgui.core.errors import InvalidParameter, NotFound
from swgui.core.features import Feature
from swgui.core.loci.annotation import Annotation
from swgui.core.loci.place import Marks, Place
from swgui.core.loci.table import FeatureTable
from swgui.core.records import SequenceRecord
from swgui.gui.inputs.features import FeatureChoice
from swgui.gui.locus.going import targets
from swgui.gui.locus.page import LocusPage
from swgui.gui.locus.scene import open_scene
from swgui.gui.locus.view import LocusView
from swgui.io.genome_browsers import BrowserError, jbrowse_page, show_in_igv
from swgui.settings import LocusSettings

LENGTH = 20_000
GENES = (
    Feature("CDS", ((0, 100), (19_900, LENGTH)), "oriX"),
    Feature("mRNA", ((5_000, 5_200), (5_400, 5_900)), "abcA", -1),
    Feature("gene", ((12_000, 13_000),), "xyzB"),
    Feature("gene", ((14_000, 14_500),), "xyzB"),
)


@pytest.fixture(scope="module")
def database():
    bases = np.random.default_rng(3).integers(0, 4, LENGTH).astype(np.uint8)
    first = SequenceRecord("chr1", "", NUCLEOTIDE.decode(bases), GENES, circular=True)
    second = SequenceRecord("chr2", "", NUCLEOTIDE.decode(bases[:900]))
    return encode_database([first, second], NUCLEOTIDE, name="two")


def marks():
    starts, strands = np.array([5_450, 19_990]), np.array([1, -1], np.int8)
    return (Marks("Guides", starts, starts + 20, strands, ("g1", "g2"), np.array([5_460])),)


@pytest.fixture
def place(database):
    return Place(database, 0, 5_450, 5_470, marks, "place of g1")


@pytest.fixture
def page(qtbot, tasks, place):
    shown = LocusPage(LocusSettings(), tasks, FeatureChoice(tasks))
    qtbot.addWidget(shown)
    shown.resize(1000, 700)
    shown.show_place(place)
    qtbot.waitUntil(lambda: shown.scene is not None)
    return shown


def test_a_place_is_shown_with_its_sentence(page):
    assert page.title.whole_text() == "chr1: 20,000 bases, circular · place of g1"
    assert page.sentence.text() == "5,451 to 5,470: in abcA, exon 1"
    assert page.source.text() == "Features of two."
    first, last = page.view.seen
    assert first <= 5_450 - 1_500
    assert last >= 5_470 + 1_500
    assert [track.title for track in page.scene.tracks] == ["Guides", "Features"]
    assert page.states() == {"locus-shown"}


@pytest.mark.parametrize(("theme_dark", "span"), [(False, 40), (True, 400), (False, 5_000), (True, LENGTH)])
def test_every_zoom_is_drawn(qtbot, place, theme_dark, span, monkeypatch):
    from swgui.gui.kit.theme import DARK, LIGHT
    from swgui.gui.locus import view as module

    monkeypatch.setattr(module, "colours", lambda _: DARK if theme_dark else LIGHT)
    view = LocusView()
    qtbot.addWidget(view)
    view.resize(900, 420)
    view.show_scene(open_scene(place, None))
    view.show_range(5_440, 5_440 + span)
    image = QImage(900, 420, QImage.Format.Format_RGB32)
    view.render(image, QPoint())
    colours = {image.pixelColor(x, y).name() for x in range(0, 900, 3) for y in range(0, 420, 3)}
    assert len(colours) > 8
    assert (DARK if theme_dark else LIGHT).base.lower() in colours


def test_stretches_across_the_origin_are_at_both_ends(page):
    for track, name in zip(page.scene.tracks, ("g2", "oriX"), strict=True):
        assert track.lanes.max() == 0
        across = [row for row in range(len(track)) if track.shown(row)[0].name == name]
        assert [int(track.intervals.starts[row]) < 0 for row in across] == [True, False]


def test_clicks_and_keys_move(page, qtbot):
    view = page.view
    before = view.seen
    qtbot.keyClick(view, Qt.Key.Key_Right)
    assert view.seen[0] > before[0]
    qtbot.keyClick(view, Qt.Key.Key_Plus)
    assert view.seen[1] - view.seen[0] < before[1] - before[0]
    page.step(1)
    assert view.place == (19_990, 20_010)
    page.step(1)
    assert view.place == (-10, 10)
    page.step(-1)
    assert view.place == (19_990, 20_010)
    view.show_place(5_000, 5_900)
    band = view.bands()[-1]
    features = next(band for band in view.bands() if band.track is page.scene.tracks[1])
    point = QPointF(view.axis.pixel(5_800), features.top + features.height - 8)
    assert view.describe(point).startswith("Transcript abcA, 5,001 to 5,900 in 2 parts, minus strand")
    qtbot.mouseClick(view, Qt.MouseButton.LeftButton, pos=point.toPoint())
    assert page.sentence.text() == "Transcript abcA, 5,001 to 5,900: all of abcA"
    assert "between" in view.describe(QPointF(view.axis.pixel(6_500), band.top + 1))
    qtbot.keyClick(view, Qt.Key.Key_0)
    assert view.seen == (0, LENGTH)


def test_going_to_positions_genes_and_sequences(place, database):
    scene = open_scene(place, None)
    assert [(one.start, one.end) for one in targets(scene, "6,001", None)] == [(5_950, 6_051)]
    assert [(one.start, one.end) for one in targets(scene, "101-200", None)] == [(100, 200)]
    assert [(one.start, one.end) for one in targets(scene, "XYZB", None)] == [(12_000, 13_000), (14_000, 14_500)]
    assert [(one.db_index, one.start, one.end) for one in targets(scene, "chr2:11..20", None)] == [(1, 10, 20)]
    assert [(one.db_index, one.start, one.end) for one in targets(scene, "chr2", None)] == [(1, 0, 900)]
    with pytest.raises(NotFound, match="'noG' is no position, gene or sequence: no feature of chr1 has this name"):
        targets(scene, "noG", None)
    other = Annotation("genes.gff3", {"chr2": FeatureTable.of([Feature("gene", ((5, 50),), "far")])})
    assert [(one.db_index, one.start) for one in targets(scene, "far", other)] == [(1, 5)]


def test_features_of_a_file_replace_those_of_the_database(page, qtbot, tmp_path):
    (tmp_path / "g.gff3").write_text("##gff-version 3\nchr9\tx\tgene\t1\t9\t.\t+\t.\tID=a\n")
    page.choice.open(tmp_path / "g.gff3")
    qtbot.waitUntil(lambda: page.source.text().startswith("g.gff3"))
    assert page.source.text() == "g.gff3 has no features of chr1; its sequences are called chr9."
    assert page.sentence.text() == "5,451 to 5,470"
    page.choice.forget()
    qtbot.waitUntil(lambda: page.scene.table is not None)
    failures = []
    page.choice.failed.connect(failures.append)
    (tmp_path / "e.gff3").write_text("")
    page.choice.open(tmp_path / "e.gff3")
    qtbot.waitUntil(lambda: bool(failures))
    assert failures[0].message == "'e.gff3' is empty."


@pytest.mark.parametrize("ending", ["gb", "gff3", "bed", "svg", "png"])
def test_what_is_in_sight_is_written(page, qtbot, tmp_path, monkeypatch, ending):
    path = tmp_path / f"part.{ending}"
    monkeypatch.setattr("swgui.gui.locus.page.ask_save_path", lambda *_: path)
    page.view.show_range(4_900, 6_000)
    page.export()
    qtbot.waitUntil(path.exists)
    first, last = page.view.seen
    if ending == "gb":
        entry = SeqIO.read(path, "genbank")
        assert bytes(entry.seq) == page.scene.alphabet.decode(page.scene.bases(first, last))
        places = {feature.qualifiers["label"][0]: feature.location for feature in entry.features}
        assert [int(part.start) + first for part in places["abcA"].parts] == [5_400, 5_000]
        assert int(places["g1"].start) + first == 5_450
    elif ending == "gff3":
        lines = [line.split("\t") for line in path.read_text().splitlines() if not line.startswith("#")]
        assert [(line[2], line[3], line[4], line[6]) for line in lines] == [
            ("nucleotide_match", "5451", "5470", "+"), ("mRNA", "5001", "5200", "-"), ("mRNA", "5401", "5900", "-"),
        ]  # fmt: skip
    elif ending == "bed":
        lines = [line.split("\t") for line in path.read_text().splitlines()]
        assert lines[1][:6] == ["chr1", "5000", "5900", "abcA", "0", "-"]
        assert lines[1][9:] == ["2", "200,500", "0,400"]
    else:
        assert path.stat().st_size > 1000


class Igv(BaseHTTPRequestHandler):
    """Keeps the addresses that IGV receives."""

    asked: ClassVar[list[str]] = []

    def do_GET(self):
        self.asked.append(self.path)
        self.send_response(200)
        self.end_headers()

    def log_message(self, *_):
        pass


def test_other_browsers():
    server = HTTPServer(("127.0.0.1", 0), Igv)
    threading.Thread(target=server.handle_request, daemon=True).start()
    address = f"http://127.0.0.1:{server.server_port}"
    show_in_igv("chr1", 101, 200, address)
    assert Igv.asked == ["/goto?locus=chr1:101-200"]
    server.server_close()
    with pytest.raises(BrowserError, match="IGV does not answer at"):
        show_in_igv("chr1", 101, 200, address)
    template = "http://localhost:3000/?assembly=x&loc={name}:{first}..{last}"
    assert jbrowse_page(template, "a b", 1, 9) == "http://localhost:3000/?assembly=x&loc=a%20b:1..9"
    with pytest.raises(InvalidParameter, match="The address of JBrowse must begin with"):
        jbrowse_page("localhost", "a", 1, 9)
