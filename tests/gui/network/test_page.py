"""The tab of a network: a file is compared, drawn, cut, coloured, chosen from and saved."""

from __future__ import annotations

import shlex
import threading
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QGuiApplication, QImage
from PySide6.QtWidgets import QFileDialog

from swgui.cli import main
from swgui.core.alignment import rescore
from swgui.core.alphabet import NUCLEOTIDE, PROTEIN
from swgui.core.engines import EngineOptions
from swgui.core.errors import InvalidParameter
from swgui.core.plain import replace
from swgui.core.scoring import EncodedQuery, ScoringScheme, SubstitutionMatrix, match_mismatch
from swgui.engines.traceback.best import align_local
from swgui.gui.inputs.drop import Dropped
from swgui.gui.kit.layouts import Upright
from swgui.gui.kit.theme import LIGHT
from swgui.gui.network import view as views
from swgui.gui.network.lists import NOTE_AT, STAR_AT
from swgui.gui.network.output import SAVED_AS
from swgui.gui.network.requests import LongRequest, Using
from swgui.gui.network.tab import NetworkTab
from swgui.gui.network.work import Cut, LoadedNetwork, classes_by, classes_of, collapse, records_of
from swgui.gui.runs.queue import RunQueue, SearchController
from swgui.io.database.any_file import open_any_database
from swgui.io.matrices import load_matrix
from swgui.io.network.file import load_network, save_network
from swgui.jobs import forecast
from swgui.jobs.events import run_to_end
from swgui.jobs.kind import kinds
from swgui.jobs.network import edges as pairs
from swgui.jobs.network import forecast as comparison
from swgui.jobs.network.request import NetworkRequest
from swgui.jobs.search.estimate import Calibration
from swgui.runs import Runs
from swgui.settings import Settings
from tests.gui.color_vision import DEFICIENCIES, smallest_distance
from tests.gui.named import named
from tests.runs.life import stop_after

pytestmark = pytest.mark.gui
LETTERS = "ARNDCQEGHILKMFPSTWYV"
BLOSUM62 = load_matrix("BLOSUM62", PROTEIN)


@pytest.fixture
def page(qtbot, user_folders) -> NetworkTab:
    made, history = NetworkTab(Using(Settings(), lambda: ("cpu", EngineOptions()), Runs())), Runs()
    queue = RunQueue(SearchController(), history, made)  # as the window connects the two
    queue.register(made.comparison.controls["network"])
    made.queue_wanted.connect(lambda asked: [queue.add(one, "network") for one in asked])
    qtbot.addWidget(made)
    made.resize(1000, 700)
    made.show()
    yield made
    made.shutdown()


def compared(page: NetworkTab, path: Path, qtbot) -> None:
    page.use_file(path)
    qtbot.waitUntil(lambda: page.shown.cut is not None and not page.shown.cutting.busy)


def test_families_become_clusters(page: NetworkTab, fasta: Path, qtbot) -> None:
    assert page.stack.shown == 0
    compared(page, fasta, qtbot)
    assert page.states() == {"network-there", "network-drawn"}
    page.controls.threshold.setValue(page.controls.threshold.minimum())
    qtbot.waitUntil(lambda: page.shown.cut.threshold == page.controls.threshold.minimum())
    assert page.shown.cut.sizes.tolist() == [4, 4, 4, 1]
    edges, least = len(page.shown.cut.edges), page.shown.cut.threshold
    assert named(page, "networkSaid").text() == (
        f"13 sequences, {edges} edges with an alignment score of at least {least} (pairwise E ≤ 1e-{least}): 3 "
        "clusters of two or more, the largest with 4 sequences; 1 sequence is alone."
    )
    assert [row[1] for row in page.lists.clusters.rows] == [4, 4, 4, 1]
    assert page.controls.slider.value() == page.controls.threshold.value()


def test_one_is_one(page: NetworkTab, fasta: Path, qtbot) -> None:
    def made(edges: int, sizes: list[int]) -> str:
        none = np.zeros(edges, np.int64)
        return Cut(5, none, none, np.array(sizes), np.zeros((0, 2))).said()

    which = "with an alignment score of at least 5 (pairwise E ≤ 1e-5)"
    assert made(1, [2, 1]) == f"3 sequences, 1 edge {which}: 1 cluster of two or more; 1 sequence is alone."
    assert made(0, [1, 1]) == f"2 sequences, 0 edges {which}: no two sequences are joined."
    assert made(0, [1]) == "1 sequence: there is no pair to compare."
    compared(page, fasta, qtbot)
    page.controls.threshold.setValue(page.controls.threshold.minimum())
    qtbot.waitUntil(lambda: page.shown.cut.threshold == page.controls.threshold.minimum())
    assert classes_of(page.shown.loaded, page.shown.cut, "neighbours")[1] == ["0 to 2", "3"]


@pytest.mark.styled
@pytest.mark.sampled(1)
@pytest.mark.parametrize("scale", [100, 200])
def test_a_network_fits_a_small_screen(scale: int, page: NetworkTab, theme, fasta: Path, qtbot) -> None:
    compared(page, fasta, qtbot)
    theme.use(scale=scale)
    page.restyle()
    qtbot.waitUntil(lambda: page.minimumSizeHint().width() <= 1104)
    page.view.chosen.emit([0])
    assert "neighbour" in named(page, "networkChosen").text()
    qtbot.waitUntil(lambda: page.minimumSizeHint().width() <= 1104 and page.minimumSizeHint().height() <= 640)
    page.resize(1104, 640)  # next to the rail
    side = page.findChild(Upright)
    qtbot.waitUntil(lambda: side.widget().minimumSizeHint().width() <= side.viewport().width())


def test_all_of_a_network_stays_in_sight_where_the_room_changes(page: NetworkTab, fasta: Path, qtbot) -> None:
    compared(page, fasta, qtbot)

    def whole() -> bool:
        points, room = page.view.pixels(), (page.view.width(), page.view.height())
        return bool((points >= 0).all() and (points <= room).all())

    qtbot.waitUntil(whole)
    page.resize(800, 500)
    qtbot.waitUntil(lambda: page.view.width() < 700 and whole())
    page.view.zoom(4.0)
    assert not whole()
    page.resize(1000, 700)
    qtbot.wait(50)
    assert not whole()  # what the user looked at stays


def test_the_copied_command_and_python_make_the_same_network(page: NetworkTab, fasta: Path, tmp_path, qtbot) -> None:
    said: list[str] = []
    page.message.connect(said.append)
    compared(page, fasta, qtbot)
    made = page.shown.whole.network
    page.output.copy_command()
    words = shlex.split(QGuiApplication.clipboard().text())
    assert words[:3] == ["swgui", "network", str(fasta)]
    assert words[words.index("-o") + 1] == "families.swnet"
    words[words.index("-o") + 1] = str(tmp_path / "families.swnet")
    assert main(words[1:]) == 0
    page.output.copy_python()
    found: dict[str, Any] = {}
    exec(QGuiApplication.clipboard().text(), found)
    for other in (load_network(tmp_path / "families.swnet"), found["found"].network):
        assert (other.evalue, other.scheme) == (made.evalue, made.scheme)
        assert np.array_equal(other.edges.scores, made.edges.scores)
    assert said == ["The command was copied.", "The lines of Python were copied."]


def test_sequences_without_a_file_are_to_be_saved_first(page: NetworkTab, fasta: Path, qtbot) -> None:
    said: list[str] = []
    page.message.connect(said.append)
    page.use_sequences(lambda: open_any_database(fasta), "Hits")
    qtbot.waitUntil(lambda: page.shown.cut is not None, timeout=20_000)
    page.output.copy_command()
    assert shlex.split(QGuiApplication.clipboard().text())[2] == "sequences.fasta"
    assert [one.endswith("as sequences.fasta first.") for one in said] == [True]


def test_a_higher_threshold_has_fewer_edges(page: NetworkTab, fasta: Path, qtbot) -> None:
    compared(page, fasta, qtbot)
    page.controls.slider.setValue(page.controls.slider.maximum())
    qtbot.waitUntil(lambda: page.shown.cut.threshold == page.controls.slider.maximum())
    assert 0 < len(page.shown.cut.edges) < len(page.shown.loaded.network.edges)
    assert page.controls.threshold.value() == page.controls.slider.maximum()


def test_dots_and_clusters_are_chosen(page: NetworkTab, fasta: Path, qtbot) -> None:
    compared(page, fasta, qtbot)
    x, y = page.view.pixels()[0].tolist()
    assert page.view.nearest(QPointF(x, y)) == 0
    assert page.view.nearest(QPointF(-50, -50)) is None
    qtbot.mouseClick(page.view, Qt.MouseButton.LeftButton, pos=QPointF(x, y).toPoint())
    assert page.view.selected.tolist() == [0]
    assert [row[1] for row in page.lists.sequences.rows][:1] == ["sp|P000000|F0_X"]
    near = {int(end) for row in page.shown.cut.edges for end in ends_of(page, row) if 0 in ends_of(page, row)} - {0}
    assert {row[0] for row in page.lists.sequences.rows[1:]} == near
    assert "neighbour" in named(page, "networkChosen").text()
    page.lists.cluster_table.selectRow(0)
    assert len(page.lists.sequences.rows) == page.shown.cut.sizes[0]
    assert "network-chosen" in page.states()
    page.show_chosen()
    page.show_all()
    qtbot.mouseDClick(page.view, Qt.MouseButton.LeftButton, pos=QPointF(*page.view.pixels()[0].tolist()).toPoint())
    assert set(page.view.selected.tolist()) == set(
        np.flatnonzero(page.shown.cut.clusters == page.shown.cut.clusters[0]).tolist()
    )


def ends_of(page: NetworkTab, row: int) -> tuple[int, int]:
    edges = page.shown.loaded.network.edges
    return int(edges.first[row]), int(edges.second[row])


def test_an_edge_and_a_neighbour_open_the_alignment_of_two(
    page: NetworkTab, fasta: Path, tmp_path: Path, qtbot
) -> None:
    compared(page, fasta, qtbot)
    first, second = ends_of(page, page.shown.cut.edges[0])
    middle = QPointF(*page.view.pixels()[[first, second]].mean(axis=0).tolist())
    assert page.view.nearest_edge(QPointF(-50, -50)) is None
    page.view.zoom(8.0, middle)  # no dot is near
    a, b = page.view.pixels()[[first, second]]
    with qtbot.waitSignal(page.pair_wanted) as asked:
        qtbot.mouseDClick(page.view, Qt.MouseButton.LeftButton, pos=QPointF(*((a + b) / 2).tolist()).toPoint())
    ids = sorted(page.shown.loaded.network.ids.index(record.id) for record in asked.args[:2])
    assert ids in [sorted(ends_of(page, row)) for row in page.shown.cut.edges]
    page.view.chosen.emit([first])
    with qtbot.waitSignal(page.pair_wanted) as asked:
        page.lists.open_row(1)
    assert {record.id for record in asked.args[:2]} == {page.lists.sequences.rows[at][1] for at in (0, 1)}
    assert asked.args[3] == "plus"
    assert asked.args[2] == page.shown.whole.network.scheme

    saved = tmp_path / "n.swnet"
    save_network(page.shown.whole.network, saved)
    page.shown.cut = None
    compared(page, saved, qtbot)
    page.view.chosen.emit([first])
    with qtbot.waitSignal(page.pair_wanted):  # from the file of the sequences
        page.lists.open_row(1)
    fasta.write_text(">other\nMKVLAAGIV\n")
    page.lists.open_row(1)
    qtbot.waitUntil(lambda: "holds other sequences now" in named(page, "networkNote").text())


def saved_network(folder: Path, matrix: str) -> tuple[LoadedNetwork, Path]:
    """Save a network of sequences with odd letters that was made with a matrix, or with BLOSUM62 but for X."""
    rng, protein = np.random.default_rng(3), matrix[0] != "+"
    letters, odd = (LETTERS, "X") if protein else ("ACGT", "N")
    mother = rng.choice(list(letters), 100)
    with open(folder / "some.fa", "w", encoding="ascii") as file:
        for member in range(5):
            own = np.where(rng.random(100) < 0.02 * member, odd, mother).tolist()
            own[40 : 40 + 2 * member] = []
            file.write(f">s{member}\n{''.join(own)}\n")
    alphabet = PROTEIN if protein else NUCLEOTIDE
    loaded = load_matrix("BLOSUM62" if matrix == "mine" else matrix, alphabet)
    if matrix == "mine":
        scores = loaded.scores.copy()
        scores[alphabet.code("X")] = scores[:, alphabet.code("X")] = 4
        loaded = SubstitutionMatrix("mine", alphabet, scores)
    costs = {"PAM30": (7, 2), "mine": (9, 2), "+1/-2": (2, 2)}[matrix]
    database = open_any_database(folder / "some.fa")
    asked = pairs.AllAgainstAll(database, database, ScoringScheme.from_blast(loaded, *costs), 1e-5, "cpu")
    path = folder / "some.swnet"
    save_network(run_to_end(pairs.network_of(asked, threading.Event(), source=folder / "some.fa")), path)
    return LoadedNetwork(load_network(path), path), path


@pytest.mark.parametrize("matrix", ["PAM30", "mine", "+1/-2"])
def test_the_alignment_of_a_saved_edge_has_its_score(matrix: str, tmp_path: Path) -> None:
    loaded, path = saved_network(tmp_path, matrix)
    edges, others = loaded.network.edges, set()
    assert len(edges) == 10
    for row in range(len(edges)):
        pair = int(edges.first[row]), int(edges.second[row])
        first, second, scheme, strand = records_of(loaded, pair, threading.Event())
        codes = scheme.alphabet.encode(first.residues), scheme.alphabet.encode(second.residues)
        turned = scheme.alphabet.reverse_complement(codes[0]) if strand == "minus" else codes[0]
        query, score = EncodedQuery("", turned), int(edges.scores[row])
        alignment = align_local(query, codes[1], scheme)
        assert rescore(alignment, query, codes[1], scheme) == alignment.score == score
        usual = ScoringScheme.from_blast(match_mismatch(NUCLEOTIDE, 2, -3) if matrix[0] == "+" else BLOSUM62, 11, 1)
        others.add(align_local(query, codes[1], usual).score == score)
    assert False in others, "the usual scheme would not have done"

    # A file of before has the scheme in words alone: known ones are used where they give the score of the edge.
    def of_before(words: str) -> LoadedNetwork:
        save_network(replace(loaded.network, scheme=None, checksum="", scoring=words), path)
        return LoadedNetwork(load_network(path), path)

    words = scheme.describe()
    if matrix != "mine":
        assert records_of(of_before(words), (1, 0), threading.Event())[2] == scheme
    for said in ("mine, gap 9/2 (BLAST rule)", "BLOSUM62, gap 9/2 (BLAST rule)"):  # of a file that was called so
        with pytest.raises(InvalidParameter, match=f"made with {said.partition('(')[0]}"):
            records_of(of_before(said), (0, 4), threading.Event())
    with pytest.raises(InvalidParameter, match="made with an unstated scoring"):
        records_of(of_before(""), (0, 4), threading.Event())


def test_strands_and_scores_are_chosen(page: NetworkTab, fasta: Path, tmp_path: Path, qtbot) -> None:
    rng, bases = np.random.default_rng(1), tmp_path / "bases.fa"
    one, two = ("".join(rng.choice(list("ACGT"), 80)) for _ in range(2))
    turned = one[::-1].translate(str.maketrans("ACGT", "TGCA"))
    bases.write_text(f">one\n{one}\n>two\n{two}\n>turned\n{turned}\n")
    compared(page, bases, qtbot)
    assert named(page, "networkTitle").text().endswith("1e-05, both strands")
    assert page.controls.strands.isVisible()
    page.controls.strand.setCurrentIndex(page.controls.strand.findData("plus"))
    page.controls.strand.activated.emit(page.controls.strand.currentIndex())
    qtbot.waitUntil(lambda: page.shown.whole.network.strand == "plus" and not page.shown.cutting.busy)
    assert named(page, "networkTitle").text().endswith("plus strand alone")
    save_network(page.shown.whole.network, tmp_path / "n.swnet")
    compared(page, tmp_path / "n.swnet", qtbot)
    qtbot.waitUntil(lambda: not page.controls.strands.isVisible())
    compared(page, fasta, qtbot)
    qtbot.waitUntil(lambda: len(page.shown.whole.network.ids) == 13)
    assert "strand" not in named(page, "networkTitle").text()
    assert not page.controls.strands.isVisible()
    assert page.controls.scores.isVisible()
    page.controls.context.setCurrentIndex(page.controls.context.findData("own"))
    page.controls.context.activated.emit(page.controls.context.currentIndex())
    qtbot.waitUntil(lambda: page.shown.whole.network.context == "own" and not page.shown.cutting.busy)
    assert "context scores in both directions" in named(page, "networkTitle").text()
    compared(page, bases, qtbot)
    qtbot.waitUntil(lambda: page.shown.whole.network.strand == "plus")
    assert page.shown.whole.network.context == "none"  # nucleotides have none


def test_other_residues_of_the_same_names_and_lengths_are_told(tmp_path: Path) -> None:
    loaded, _ = saved_network(tmp_path, "PAM30")
    fasta = tmp_path / "some.fa"
    fasta.write_text(fasta.read_text().replace("X", "G"))
    with pytest.raises(InvalidParameter, match="holds other sequences now"):
        records_of(loaded, (0, 1), threading.Event())


def test_representatives_stand_for_others_and_show_them(page: NetworkTab, fasta: Path, qtbot) -> None:
    compared(page, fasta, qtbot)

    def shown(places: int) -> None:
        qtbot.waitUntil(lambda: page.shown.cut is not None and len(page.shown.cut.places) == places)

    page.controls.represented.setCurrentIndex(page.controls.represented.findData(0.4))
    page.controls.represented.activated.emit(page.controls.represented.currentIndex())
    shown(4)
    assert sorted(page.shown.loaded.members.tolist()) == [1, 4, 4, 4]
    at = int(np.argmax(page.shown.loaded.members))
    x, y = page.view.pixels()[at].tolist()
    qtbot.mouseDClick(page.view, Qt.MouseButton.LeftButton, pos=QPointF(x, y).toPoint())
    shown(7)
    assert named(page, "networkSaid").text().startswith("7 representatives, ")
    assert sorted(page.shown.loaded.members.tolist()) == [1, 1, 1, 1, 1, 4, 4]
    assert page.shown.part().columns["members"] == page.shown.loaded.members.tolist()
    page.controls.represented.setCurrentIndex(0)
    page.controls.represented.activated.emit(0)
    shown(13)
    assert page.shown.loaded is page.shown.whole


def test_sequences_that_are_alone_are_hidden_first(page: NetworkTab, fasta: Path, qtbot) -> None:
    compared(page, fasta, qtbot)
    alone = page.shown.cut.alone
    assert 0 < alone.sum() < len(alone)
    assert page.controls.alone.text() == f"Sequences that are alone ({alone.sum()})"
    assert np.array_equal(page.view.drawn, ~alone)
    at = QPointF(*page.view.pixels()[np.flatnonzero(alone)[0]].tolist())
    assert page.view.nearest(at) is None
    page.lists.cluster_table.selectRow(len(page.lists.clusters.rows) - 1)  # a cluster of one, which is shown then
    assert page.view.drawn.sum() == (~alone).sum() + 1
    page.controls.alone.click()
    assert page.view.drawn.all()
    assert page.view.nearest(QPointF(*page.view.pixels()[np.flatnonzero(alone)[0]].tolist())) is not None


def test_lists_follow_the_choice(page: NetworkTab, fasta: Path, qtbot) -> None:
    compared(page, fasta, qtbot)
    lists, chosen = page.lists, named(page, "networkChosen")
    page.view.chosen.emit([0])
    name = lists.sequences.rows[0][1].split("|")[-1]
    assert chosen.text().startswith(f"{name}, with ")
    number = int(page.shown.cut.clusters[0])
    assert [index.row() for index in lists.cluster_table.selectionModel().selectedRows()] == [number]
    lists.sequence_table.selectRow(1)
    lists.sequence_table.clicked.emit(lists.sequences.index(1, 1))
    assert page.view.selected.tolist() == [0, lists.sequences.rows[1][0]]  # both have a ring
    assert chosen.text().startswith(f"{name}, with ")
    lists.cluster_table.clicked.emit(lists.clusters.index(number, 0))  # which is marked already
    assert "; identity with " in chosen.text()
    assert sum(bool(row[5]) for row in lists.sequences.rows) == len(lists.sequences.rows) - 1
    first = lists.sequences.rows[0][1]
    lists.sequence_table.clicked.emit(lists.sequences.index(0, 0))
    page.marks.write(first, "look\nhere")
    assert [lists.sequences.index(0, at).data() for at in (STAR_AT, NOTE_AT)] == ["★", "look here"]


def test_clusters_have_colours_that_differ() -> None:
    for dark in (0, 1):
        shades = [shade[dark] for shade in views.SHADES]
        assert smallest_distance(shades) > 35
        assert min(smallest_distance(shades, deficiency) for deficiency in DEFICIENCIES) > 15


def test_colours_say_what_they_stand_for(page: NetworkTab, fasta: Path, qtbot) -> None:
    compared(page, fasta, qtbot)
    classes, names = classes_of(page.shown.loaded, page.shown.cut, "organism")
    assert names == ["Homo sapiens (6)", "Mus musculus (6)"]
    assert np.bincount(classes + 1).tolist() == [1, 6, 6]
    for index in range(page.controls.colour.count()):
        page.controls.colour.setCurrentIndex(index)
        page.controls.colour.activated.emit(index)
        assert page.controls.legend
        assert len(page.view.classes) == 13
    assert "&nbsp;" in named(page, "networkLegend").text()


def test_columns_of_the_users_own_table_are_colours_and_are_saved(
    page: NetworkTab, fasta: Path, tmp_path: Path, qtbot
) -> None:
    compared(page, fasta, qtbot)
    ids = list(page.shown.whole.network.ids)
    rows = [f"{name},{'enzyme' if number % 3 else 'carrier'},{number}" for number, name in enumerate(ids[:-1])]
    (tmp_path / "own.csv").write_text("\n".join(["id,role,mass", *rows]))
    said = []
    page.message.connect(said.append)
    page.add_table(tmp_path / "own.csv")
    qtbot.waitUntil(lambda: any(text.startswith("own.csv: ") for text in said))
    assert page.controls.kind == "own:role"  # its first column
    shares = [name.partition(" (")[0] for name in page.controls.legend]
    assert shares == ["enzyme", "carrier"]
    columns = page.shown.part().columns
    assert list(columns["role"])[-1] == ""  # the last sequence has no row
    assert columns["mass"][0] == "0"
    qtbot.waitUntil(lambda: len(page.groups.groups.rows) == 3)
    groups, first = page.groups.groups.rows, page.groups.by.currentText()
    assert (first, [(row.value, row.sequences) for row in groups]) == (
        "role",
        [("enzyme", 8), ("carrier", 4), ("", 1)],
    )
    assert sum(row.inside for row in groups) + sum(row.between for row in groups) // 2 == len(page.shown.cut.edges)
    page.groups.table.selectRow(1)
    assert page.view.selected.tolist() == [0, 3, 6, 9]
    page.groups.only.setCurrentIndex(page.groups.only.findData("carrier"))
    page.groups.only.activated.emit(page.groups.only.currentIndex())
    qtbot.waitUntil(lambda: page.shown.cut is not None and len(page.shown.cut.clusters) == 4)
    assert list(page.shown.part().columns["role"]) == ["carrier"] * 4
    assert page.shown.loaded.network.ids == [ids[at] for at in (0, 3, 6, 9)]
    assert named(page, "networkTitle").text().endswith("Only sequences with role: carrier")
    qtbot.waitUntil(lambda: not page.groups.counting.busy)
    assert (page.groups.groups.rows, page.groups.only.currentData()) == (groups, "carrier")  # of the whole
    made = collapse(page.shown.whole, 0.5, frozenset({0}), np.arange(13) < 7, threading.Event())
    assert (made.sequences.tolist(), made.members.tolist()) == ([0, 1, 2, 3, 4], [1, 1, 1, 1, 3])
    page.groups.by.setCurrentIndex(1)
    page.groups.by.activated.emit(1)
    qtbot.waitUntil(lambda: page.shown.cut is not None and len(page.shown.cut.clusters) == 13)
    assert "Only" not in named(page, "networkTitle").text()
    classes, names = classes_by([1.5, None, 2.5, 3.5, 9.25])
    assert classes.tolist() == [0, -1, 1, 2, 3]
    assert names[0] == "1.5 to 2.25"


def test_it_is_moved_and_zoomed_by_keys(page: NetworkTab, fasta: Path, qtbot) -> None:
    compared(page, fasta, qtbot)
    before = page.view.scale, QPointF(page.view.offset)
    qtbot.keyClicks(page.view, "+")
    assert page.view.scale > before[0]
    qtbot.keyClick(page.view, Qt.Key.Key_Left)
    qtbot.keyClicks(page.view, "0")
    assert page.view.scale == pytest.approx(before[0])
    assert page.view.offset.x() == pytest.approx(before[1].x())


def test_large_networks_are_drawn_by_a_worker(page: NetworkTab, fasta: Path, qtbot, monkeypatch) -> None:
    monkeypatch.setattr(views, "MANY", 3)
    compared(page, fasta, qtbot)
    qtbot.waitUntil(lambda: page.view.picture is not None)
    image = page.view.grab().toImage()
    shown = {image.pixelColor(x, y).name() for x in range(0, image.width(), 3) for y in range(0, image.height(), 3)}
    assert len(shown) > 2


@pytest.mark.parametrize("name", ["saved.swnet", "shown.graphml", "shown.png", "shown.svg", "shown.PDF"])
@pytest.mark.sampled(3)
def test_it_is_saved(name: str, page: NetworkTab, theme, fasta: Path, tmp_path: Path, qtbot, monkeypatch) -> None:
    theme.use("dark")
    compared(page, fasta, qtbot)
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(tmp_path / name), ""))
    with qtbot.waitSignal(page.message):
        page.output.export()
    if name.endswith("swnet"):
        assert len(load_network(tmp_path / name).edges) == len(page.shown.loaded.network.edges)
        compared(page, tmp_path / name, qtbot)
    elif name in ("shown.png", "shown.svg"):
        picture = QImage(str(tmp_path / name))
        assert picture.width() > 0.9 * page.view.width()  # an SVG file is read at 90 dots per inch
        edge = Counter(picture.pixelColor(x, 0).name() for x in range(picture.width()))  # a node may touch a corner
        assert edge.most_common(1)[0][0] == LIGHT.base.lower()  # whatever the window is in
    elif name.endswith("PDF"):
        assert (tmp_path / name).read_bytes().startswith(b"%PDF")
    else:
        assert 'attr.name="cluster_size"' in (tmp_path / name).read_text()


def test_the_kind_chosen_is_what_is_written(page: NetworkTab, fasta: Path, tmp_path: Path, qtbot, monkeypatch) -> None:
    compared(page, fasta, qtbot)
    chosen = [("plain", "graphml"), ("NP_1.2", "swnet"), ("shown", "sif")]
    kinds = {ending: next(kind for kind in SAVED_AS.split(";;") if f".{ending}" in kind) for _, ending in chosen}
    for name, ending in chosen:
        answer = str(tmp_path / name), kinds[ending]
        monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_, answer=answer: answer)
        with qtbot.waitSignal(page.message) as said:
            page.output.export()
        assert said.args == [f"Saved as {name}.{ending}."]
        assert (tmp_path / f"{name}.{ending}").is_file()


def test_a_file_is_dropped(page: NetworkTab, fasta: Path, qtbot) -> None:
    (target,) = named(page, "dropLayer").targets
    assert target.accepts(Dropped((fasta,)))
    assert not target.accepts(Dropped((fasta, fasta)))
    assert not target.accepts(Dropped((fasta.with_name("result.swgui"),)))
    target.use(Dropped((fasta,)))
    qtbot.waitUntil(lambda: page.shown.cut is not None and not page.shown.cutting.busy)


def test_a_file_that_cannot_be_read_is_said(page: NetworkTab, tmp_path: Path, qtbot) -> None:
    wrong = tmp_path / "wrong.swnet"
    wrong.write_text("nothing")
    page.use_file(wrong)
    qtbot.waitUntil(lambda: not page.comparison.preparing.busy)
    assert "wrong.swnet" in named(page, "networkNote").text()
    assert page.stack.shown == 0


@pytest.fixture
def stopped(page: NetworkTab, fasta: Path, qtbot, monkeypatch) -> LoadedNetwork:
    """Stop a comparison once two blocks of it are done; returns what is shown."""
    monkeypatch.setattr(pairs, "BLOCK", 4)
    with monkeypatch.context() as patch:
        stop_after(patch, lambda: page.comparison.controls["network"].task.stop(), 2)
        compared(page, fasta, qtbot)
    return page.shown.loaded


def test_stop_shows_and_keeps_what_was_compared(page: NetworkTab, stopped: LoadedNetwork, qtbot) -> None:
    assert not stopped.network.complete
    assert named(page, "networkNote").text() == f"{stopped.network.partly} It is kept among Runs."
    assert page.comparison.resume_button.isVisible()
    assert "network-resumable" in page.states()
    (record,) = Runs().list()
    assert (record.id, record.state, record.kind) == (stopped.run_id, "partial", "network")


def test_representatives_of_a_partial_network_are_refused(page: NetworkTab, stopped, qtbot) -> None:
    page.controls.represented.setCurrentIndex(1)
    page.controls.represented.activated.emit(1)
    qtbot.waitUntil(lambda: "Only" in named(page, "networkNote").text())
    assert page.shown.loaded is stopped


def test_a_stopped_comparison_is_resumed(page: NetworkTab, stopped: LoadedNetwork, fasta: Path, qtbot) -> None:
    page.comparison.resume()
    qtbot.waitUntil(lambda: page.shown.loaded is not stopped and page.shown.cut is not None)
    assert page.shown.loaded.network.complete
    assert page.shown.loaded.run_id == stopped.run_id
    assert not page.comparison.resume_button.isVisible()
    assert named(page, "networkNote").isHidden()
    edges = len(page.shown.loaded.network.edges)
    assert edges > len(stopped.network.edges)
    before = page.shown.loaded
    page.use_file(fasta)
    qtbot.waitUntil(lambda: page.shown.loaded is not before and page.shown.cut is not None)
    assert len(page.shown.loaded.network.edges) == edges


def test_a_run_is_shown_resumed_and_compared_again(page: NetworkTab, stopped: LoadedNetwork, qtbot) -> None:
    history = Runs()
    for take, run, complete in (
        (page.take_outcome, history.open(stopped.run_id), False),
        (page.comparison.enqueue, history.again(stopped.run_id), True),
        (page.comparison.enqueue, history.resume(stopped.run_id), True),
    ):
        before = page.shown.loaded
        take(run)
        qtbot.waitUntil(lambda before=before: page.shown.loaded is not before and page.shown.cut is not None)
        assert page.shown.loaded.network.complete == complete
    assert {record.state for record in Runs().list()} == {"done"}


def test_runs_of_the_queue_are_shown_here(page: NetworkTab, stopped: LoadedNetwork, qtbot) -> None:
    history = Runs()
    queue = RunQueue(SearchController(), history)
    queue.register(page.comparison.controls["network"])
    before = page.shown.loaded
    queue.add(history.again(stopped.run_id), "network")
    queue.add(history.resume(stopped.run_id), "network")
    assert [(run.kind, run.state) for run in queue.runs] == [("network", "preparing"), ("network", "waiting")]
    assert page.running
    assert page.comparison.stop_button.isEnabled()
    qtbot.waitUntil(lambda: not queue.runs and not page.running)
    qtbot.waitUntil(lambda: page.shown.cut is not None)
    assert page.shown.loaded is not before
    assert {record.state for record in history.list()} == {"done"}
    queue.controller.shutdown()


def test_stop_ends_the_comparison(page: NetworkTab, fasta: Path, qtbot) -> None:
    page.use_file(fasta)
    page.comparison.stop()
    qtbot.waitUntil(lambda: not page.comparison.preparing.busy)
    assert (
        page.shown.loaded is not None or named(page, "networkNote").text() == "Stopped before any pairs were compared."
    )


def test_a_long_comparison_is_forecast_and_begins_when_the_user_agrees(
    page: NetworkTab, fasta: Path, qtbot, monkeypatch
) -> None:
    monkeypatch.setattr(forecast, "MANY_CELLS", 1000)
    page.use_file(fasta)
    qtbot.waitUntil(lambda: page.comparison.begin_button.isVisible())
    said = named(page, "networkNote").text()
    assert said.startswith("78 pairs of sequences, ")
    assert said.endswith("Compare them?")
    assert page.shown.loaded is None
    assert Runs().list() == []
    page.comparison.begin_button.click()
    qtbot.waitUntil(lambda: page.shown.cut is not None)
    assert not page.comparison.begin_button.isVisible()
    assert named(page, "networkNote").isHidden()
    (record,) = Runs().list()
    assert (record.name, record.queries) == (fasta.name, 13)
    assert Runs().again(record.id).sequences == fasta


def test_a_forecast_takes_what_was_measured(fasta: Path, user_folders, monkeypatch) -> None:
    known = Calibration("cpu", ("cpu",), "", 1.0, 0.5, 0.0, ((90, 1e-3),))
    monkeypatch.setattr(comparison, "remembered", lambda *_: known)
    database = open_any_database(fasta)
    asked = NetworkRequest(fasta, engine="cpu")
    expected = forecast.forecast_of(kinds()["network"], asked.opened(threading.Event()))
    assert expected.seconds == pytest.approx(known.seconds(database.lengths.tolist(), database.residues) / 2)
    assert not expected.long
    slow = replace(expected, seconds=600.0)
    assert slow.long
    assert LongRequest(asked, slow).sentence.endswith(" G cells: about 10 min. Compare them?")
