import functools
import shlex
import threading
from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QAction, QGuiApplication, QMouseEvent, QWheelEvent
from PySide6.QtWidgets import QApplication, QComboBox, QFrame, QLabel, QLineEdit, QMenu, QPushButton, QSpinBox

from swgui.cli import build_parser
from swgui.core.alphabet import NUCLEOTIDE, PROTEIN
from swgui.core.errors import EngineFault, InvalidParameter
from swgui.core.pair import PairEnd, PairPlan
from swgui.core.pair_result import PairFinished, PairFound, PairProgressed, PairStarted
from swgui.core.records import SequenceRecord
from swgui.core.scoring import ScoringScheme
from swgui.engines.base import DeviceInfo, EngineStatus
from swgui.engines.traceback import align_local
from swgui.gui.models.pair_export import ExportStopped, PairExportJob
from swgui.gui.models.pair_run import PairRunState
from swgui.gui.pages import pair_control
from swgui.gui.pages.pair import PairPage
from swgui.gui.pages.pair_control import checkpoint_path, forget_old_checkpoints, with_checkpoint
from swgui.gui.pages.pair_sample import sample_pair
from swgui.io.matrices import load_matrix
from swgui.io.pair_export import PAIR_FORMATS, save_pair
from swgui.pairwise import PairRequest, align_pair, plan_pair
from swgui.settings import Settings

LETTERS = np.frombuffer(b"ACGT", dtype=np.uint8)


def dna(length, seed):
    return LETTERS[np.random.default_rng(seed).integers(0, 4, length)].tobytes()


def related():
    """Two sequences: substitutions, a gap, and a stretch of the other strand."""
    target = dna(700, 1)
    turned = NUCLEOTIDE.decode(NUCLEOTIDE.reverse_complement(NUCLEOTIDE.encode(target[420:640])))
    query = target[20:100] + b"T" + target[101:200] + target[206:300] + dna(60, 3) + turned
    return SequenceRecord("the_query", "made up <b>bold</b>", query), SequenceRecord("the_target", "", target)


def fasta(*records):
    return "".join(f">{record.header}\n{record.residues.decode()}\n" for record in records)


def plans(request, method="cpu", seconds=0.5):
    cells = len(request.query.residues) * len(request.subject.residues)
    plan = PairPlan(method, ("Test device",), cells, 2 * cells, {"rows": 4096, "tiles": 1 << 20}, {}, seconds, ("So.",))
    return dict.fromkeys(request.strands, plan)


@pytest.fixture
def make_page(qtbot, theme, user_folders):
    made = []

    def make(settings=None, **options):
        settings = settings or Settings()
        page = PairPage(settings, **options)
        made.append(page)
        qtbot.addWidget(page)
        page.resize(1200, 820)
        page.show()
        qtbot.waitExposed(page)
        return page

    yield make
    for page in made:
        page.shutdown()


def fill(page, qtbot, query, target):
    page.setup.query.set_text(fasta(query))
    page.setup.target.set_text(fasta(target))
    qtbot.waitUntil(lambda: page.ready, timeout=30_000)


@functools.cache
def known():
    """A result with two alignments, one on either strand."""
    scheme = ScoringScheme.from_blast(load_matrix("+2/-3", NUCLEOTIDE), 5, 2)
    request = PairRequest(*related(), scheme, strand="both", method="cpu", limit=3, min_score=60)
    return next(e for e in align_pair(request, threading.Event()) if isinstance(e, PairFinished)).result


def show(page, qtbot, limit=3):
    """Show a result on a page and wait until everything about it is there."""
    page.show_result(replace(known(), alignments=known().alignments[:limit]))
    qtbot.waitUntil(lambda: page._jobs.idle, timeout=30_000)
    return page.result_view


def text_of(page, name):
    return page.findChild(QLabel, name).text()


def choose(box, data):
    box.setCurrentIndex(box.findData(data))
    box.activated.emit(box.currentIndex())


# -- before ---------------------------------------------------------------------------------------


def test_an_empty_page_says_what_is_missing(make_page):
    page = make_page()
    assert not page.ready
    assert text_of(page, "pairPlan") == "Add a query sequence first."
    assert not page.findChild(QPushButton, "pairAlign").isEnabled()
    page.align()
    page.copy_command()
    assert page.control.phase == "idle"
    page.show_part("result")
    assert "appears here" in text_of(page, "pairEmpty")


def test_what_will_happen_is_said_and_what_cannot_is_refused(make_page, qtbot):
    def refuse(request):
        if request.method == "tiled":
            raise InvalidParameter("method", "tiled", "Tiles take 64,000 residues at most.", hint="Choose wavefront.")
        return plans(request)

    page = make_page(plan=refuse)
    fill(page, qtbot, *related())
    text = text_of(page, "pairPlan")
    assert text.startswith("Align 554 bases with 700 bases, local, both strands: 776 k cells, exact, on Test device")
    assert text.endswith("about 1.0 s.")
    page.setup.options.findChild(QSpinBox, "pairLimit").setValue(5)
    qtbot.waitUntil(lambda: text_of(page, "pairPlan").endswith("about 1.0 s for each of up to 5 alignments."))
    assert "So." in page.strip._details.whole_text()
    choose(page.findChild(QComboBox, "pairMethod"), "tiled")
    qtbot.waitUntil(lambda: "64,000" in text_of(page, "pairPlan"))
    assert not page.ready
    choose(page.findChild(QComboBox, "pairMethod"), "auto")
    qtbot.waitUntil(lambda: page.ready)


def test_two_kinds_do_not_go_together(make_page, qtbot):
    page = make_page(plan=plans)
    page.setup.query.set_text(">p\nMKVLWAALLVTFLAGCQAKVEQAVE\n")
    page.setup.target.set_text(f">d\n{dna(60, 1).decode()}\n")
    qtbot.waitUntil(lambda: "The query looks like protein" in text_of(page, "pairPlan"))
    assert not page.ready


def test_unreadable_input_is_explained_beside_it(make_page, qtbot):
    page = make_page(plan=plans)
    page.setup.query.set_text("{} 1")
    qtbot.waitUntil(lambda: page.setup.query.problem.startswith("Query: "))
    assert page.findChild(QLabel, "pairQuerySummary").property("tone") == "danger"
    page.setup.query.clear()
    qtbot.waitUntil(lambda: page.setup.query.problem == "Add a query sequence first.")


def test_one_of_several_sequences_is_chosen_and_swapped(make_page, qtbot, tmp_path):
    page = make_page(plan=plans)
    file = tmp_path / "several.fasta"
    file.write_text(fasta(*(SequenceRecord(f"r{at}", "", dna(100 + at, at)) for at in range(4))))
    page.setup.query.open_file(file)
    page.setup.target.set_text(fasta(related()[1]))
    qtbot.waitUntil(lambda: page.ready, timeout=30_000)
    box = page.findChild(QComboBox, "pairQueryRecord")
    assert box.count() == 4
    box.setCurrentIndex(2)
    box.activated.emit(2)
    assert page.setup.query.record.id == "r2"
    assert "r2: 102 bases; one of 4 sequences" in text_of(page, "pairQuerySummary")
    qtbot.waitUntil(lambda: page.ready)
    words = shlex.split(page.setup.command_line())
    assert words[:4] == ["swgui", "pair", str(file), "target.fasta"]
    assert words[words.index("--query-id") + 1] == "r2"
    page.setup.swap()
    assert (page.setup.query.record.id, page.setup.target.record.id) == ("the_target", "r2")
    assert page.setup.target.source == file
    assert page.setup.query.source is None
    assert not page.setup.query.box.isReadOnly()
    assert page.setup.target.box.isReadOnly()


def test_the_kind_can_be_given(make_page, qtbot):
    page = make_page(plan=plans)
    page.setup.query.set_text(">a\nACGTACGATCAGCTACGACTACGATC\n")
    page.setup.target.set_text(">b\nACGTACGATCAGCTACGACTACGATC\n")
    qtbot.waitUntil(lambda: page.ready, timeout=30_000)
    assert page.setup.scoring.scheme.alphabet is NUCLEOTIDE
    for name in ("pairQueryKind", "pairTargetKind"):
        choose(page.findChild(QComboBox, name), "protein")
    qtbot.waitUntil(lambda: page.ready and page.setup.scoring.scheme.alphabet is PROTEIN, timeout=30_000)
    assert "residues" in text_of(page, "pairPlan")


def test_large_text_is_held_and_only_begun_in_the_box(make_page, qtbot, monkeypatch):
    monkeypatch.setattr("swgui.gui.pages.pair_input.TEXT_LIMIT", 500)
    page = make_page(plan=plans)
    QGuiApplication.clipboard().setText(fasta(SequenceRecord("long", "", dna(3_000, 4))))
    page.setup.query.paste()
    qtbot.waitUntil(lambda: page.setup.query.record is not None, timeout=30_000)
    assert len(page.setup.query.record.residues) == 3_000
    assert page.setup.query.box.isReadOnly()
    assert "2,400 more" in page.setup.query.box.toPlainText()
    page.setup.query.clear()
    assert not page.setup.query.box.isReadOnly()


def test_the_command_is_one_that_the_command_line_takes(make_page, qtbot):
    page = make_page(plan=plans)
    page.setup.options.findChild(QSpinBox, "pairLimit").setValue(4)
    page.setup.options.findChild(QSpinBox, "pairMinScore").setValue(90)
    choose(page.findChild(QComboBox, "pairMethod"), "striped-align")
    page.setup.options.findChild(QLineEdit, "pairSetting-strip").setText("256")
    page.setup.options.findChild(QLineEdit, "pairSetting-strip").textEdited.emit("256")
    fill(page, qtbot, *related())
    with qtbot.waitSignal(page.said):
        page.copy_command()
    words = shlex.split(QGuiApplication.clipboard().text())
    arguments = build_parser().parse_args(words[1:])
    request = page.setup.request()
    assert (arguments.mode, arguments.strand, arguments.limit, arguments.min_score) == ("local", "both", 4, 90)
    assert (arguments.method, arguments.settings) == ("striped-align", ["strip=256"])
    assert (arguments.gap_open, arguments.gap_extend) == (request.scheme.gap_open, request.scheme.gap_extend)
    assert (arguments.match, arguments.mismatch) == (2, -3)


def test_settings_of_a_method_are_checked_and_kept(make_page, qtbot):
    settings = Settings()
    page = make_page(settings, plan=plans)
    fill(page, qtbot, *related())
    choose(page.findChild(QComboBox, "pairMethod"), "chunked-align-1")
    field = page.setup.options.findChild(QLineEdit, "pairSetting-chunk")
    field.setText("nonsense")
    field.textEdited.emit("nonsense")
    assert "Chunk height h cannot be 'nonsense'" in text_of(page, "pairPlan")
    field.setText("1024")
    field.textEdited.emit("1024")
    qtbot.waitUntil(lambda: page.ready)
    assert page.setup.request().options.settings == {"chunk": "1024"}
    assert settings.pair.method == "chunked-align-1"
    other = make_page(settings, plan=plans)
    assert other.setup.options.method == "chunked-align-1"
    assert other.setup.options.findChild(QLineEdit, "pairSetting-chunk").text() == "1024"


def test_methods_that_cannot_run_are_greyed_out_with_the_reason(make_page, qtbot):
    page = make_page(plan=plans)
    missing = EngineStatus("cuda", False, reason="No CUDA GPU was found.", hint="Install a driver.")
    page.setup.options.show_status({"wavefront": missing, "cpu": EngineStatus("cpu", True)})
    box = page.findChild(QComboBox, "pairMethod")
    row = box.findData("wavefront")
    assert not box.model().item(row).isEnabled()
    assert "No CUDA GPU" in box.itemData(row, Qt.ItemDataRole.ToolTipRole)
    gpus = EngineStatus("cuda", True, (DeviceInfo("0", "One"), DeviceInfo("1", "Two")))
    page.setup.options.show_engines((gpus,))
    devices = page.findChild(QComboBox, "pairDevice")
    assert [devices.itemData(at) for at in range(devices.count())] == ["", "0,1", "0", "1"]
    choose(devices, "1")
    assert page.setup.options.options.devices == ("1",)


# -- a whole run ----------------------------------------------------------------------------------


def test_a_pair_is_aligned_and_shown(make_page, qtbot):
    page = make_page()
    page.setup.options.findChild(QSpinBox, "pairLimit").setValue(3)
    page.setup.options.findChild(QSpinBox, "pairMinScore").setValue(60)
    fill(page, qtbot, *related())
    with qtbot.waitSignal(page.finished, timeout=60_000):
        page.align()
    qtbot.waitUntil(lambda: page._jobs.idle, timeout=30_000)
    view, result = page.result_view, page.result
    assert result.state == "finished"
    assert len(result.alignments) == 2
    best = result.alignments[0]
    expected = [align_local(result.encoded_query(s), result.subject_codes, result.scheme) for s in ("plus", "minus")]
    assert best.score == max(one.score for one in expected)
    assert {one.strand for one in result.alignments} == {"plus", "minus"}
    assert text_of(page, "pairOutcome").startswith(f"Score {best.score:,}, ")
    assert "2 alignments" in text_of(page, "pairOutcome")
    start, stop = best.query_range(554)
    assert f"Query {start + 1:,} to {stop:,} " in text_of(page, "pairPlaces")
    assert "GCUPS" in text_of(page, "pairHow")
    assert len(view.map.data.lines) == 2
    assert view.alignments.rows_model.rowCount() == 2
    assert view.columns.found is best
    # The list of results of this session.
    assert page.findChild(QComboBox, "pairResults").count() == 1
    # What the letters say and what the map says are the same place.
    view.go_to_column(30)
    assert view.map.cursor_place == view.columns.place(30)
    assert "Column 31 of" in text_of(page, "pairColumn")
    view.copy_cigar()
    assert QGuiApplication.clipboard().text() == best.alignment.cigar
    # The other alignment.
    view.show_alignment(2)
    qtbot.waitUntil(lambda: view.columns is not None)
    assert view.columns.found is result.alignments[1]
    assert view.differences.found is not None


def test_steps_and_clicks_lead_through_the_differences(make_page, qtbot):
    page = make_page()
    view = show(page, qtbot, limit=1)
    panel = view.differences
    places = view.columns.columns_of(panel.found).tolist()
    view.go_to_column(0)
    seen = []
    for _ in range(len(places) + 3):
        panel.step(1)
        seen.append(view.letters.chosen_column)
    assert seen[: len(places)] == places
    assert seen[-1] == places[-1]
    panel.step(-1)
    assert view.letters.chosen_column == places[-2]
    panel.table.chosen.emit(0)
    assert view.letters.chosen_column == places[0]
    assert panel.table.rows_model.rowCount() == len(places)
    choose(page.findChild(QComboBox, "pairDifferenceKind"), "deletion")
    deleted = int((panel.found.kind == 2).sum())
    qtbot.waitUntil(lambda: panel.table.rows_model.rowCount() == deleted)
    qtbot.waitUntil(lambda: text_of(page, "pairDifferenceCount").startswith(f"{deleted:,} row"))


def test_a_typed_position_is_gone_to(make_page, qtbot):
    page = make_page()
    view = show(page, qtbot, limit=1)
    field, side = page.findChild(QLineEdit, "pairGoTo"), page.findChild(QComboBox, "pairGoSide")
    for name, position, expected in (
        ("query", "50", view.columns.column_of_query(49)),
        ("subject", "1 20", view.columns.column_of_subject(119)),
        ("column", "3", 2),
    ):
        side.setCurrentIndex(side.findData(name))
        field.setText(position)
        field.returnPressed.emit()
        assert view.letters.chosen_column == expected, name
    said = []
    page.message.connect(said.append)
    for text in ("99999", "no number"):
        field.setText(text)
        field.returnPressed.emit()
    assert said == ["Column 99,999 is not in this alignment.", "Type a number, for example 16,024."]
    assert field.property("invalid")


def test_score_only_says_where_it_ends(make_page, qtbot):
    page = make_page()
    page.setup.options._score_only.setChecked(True)
    fill(page, qtbot, *related())
    with qtbot.waitSignal(page.finished, timeout=60_000):
        page.align()
    assert "ends at query" in text_of(page, "pairOutcome")
    assert "Only the score was asked for" in text_of(page, "pairEmpty")
    # The sequences can be looked at all the same.
    view = page.result_view
    assert view.map.isVisible()
    assert not view.letters.isVisible()
    qtbot.waitUntil(lambda: page._jobs.idle, timeout=30_000)
    qtbot.mouseClick(view.map, Qt.MouseButton.LeftButton, pos=view.map.rect().center())
    assert view.map.cursor_place is not None
    view.map_panel.show_letters()
    assert view.map.axes[0].cell > 8
    assert not view.map.grab().isNull()
    job = PairExportJob(page.result, "csv")
    assert "only the score is known" in job.problem
    assert PairExportJob(page.result, "json").problem == ""


def test_nothing_in_common_is_an_answer(make_page, qtbot):
    page = make_page()
    fill(page, qtbot, SequenceRecord("a", "", b"A" * 60), SequenceRecord("c", "", b"C" * 60))
    choose(page.setup.scoring.findChild(QComboBox, "pairStrand"), "plus")
    qtbot.waitUntil(lambda: page.ready, timeout=30_000)
    with qtbot.waitSignal(page.finished, timeout=60_000):
        page.align()
    assert text_of(page, "pairOutcome").startswith("Score 0: no stretch")
    assert "no alignment" in text_of(page, "pairEmpty")


# -- the map --------------------------------------------------------------------------------------


def turn_wheel(view, point, notches, modifiers=Qt.KeyboardModifier.NoModifier):
    event = QWheelEvent(
        point, view.mapToGlobal(point), QPoint(), QPoint(0, 120 * notches), Qt.MouseButton.NoButton, modifiers,
        Qt.ScrollPhase.NoScrollPhase, False,
    )  # fmt: skip
    QApplication.sendEvent(view, event)


def test_the_map_zooms_moves_and_chooses(make_page, qtbot):
    page = make_page()
    view = show(page, qtbot).map
    left = Qt.MouseButton.LeftButton
    whole = view.axes
    assert view._overview_rect() is None
    place = page.result_view.columns.place(100)
    point = view._point_of(place)
    qtbot.mouseClick(view, left, pos=point.toPoint())
    assert page.result_view.letters.chosen_column == pytest.approx(100, abs=3)
    turn_wheel(view, point, 8)
    assert view.axes[0].step < whole[0].step / 4
    assert abs(view.place_at(point)[0] - place[0]) <= 2
    assert view._overview_rect() is not None
    before = view.axes
    qtbot.mousePress(view, left, pos=point.toPoint())
    qtbot.mouseMove(view, point.toPoint() + QPoint(30, 10))
    qtbot.mouseMove(view, point.toPoint() + QPoint(60, 20))
    qtbot.mouseRelease(view, left, pos=point.toPoint() + QPoint(60, 20))
    assert view.axes[0].start < before[0].start
    corner = view._overview_rect().center()
    qtbot.mouseClick(view, left, pos=corner.toPoint())
    assert abs((view.axes[0].start + view.axes[0].end) / 2 - 554 / 2) < 25
    qtbot.keyClick(view, Qt.Key.Key_0)
    assert view.axes == whole
    rect = view.frame().rect
    shift = Qt.KeyboardModifier.ShiftModifier
    qtbot.mousePress(view, left, shift, rect.center().toPoint())
    qtbot.mouseMove(view, rect.center().toPoint() + QPoint(80, 60))
    qtbot.mouseRelease(view, left, shift, rect.center().toPoint() + QPoint(80, 60))
    assert view.axes[0].step == pytest.approx(whole[0].step * 80 / rect.width(), rel=0.05)
    turn_wheel(view, rect.center(), -3, shift)
    qtbot.mouseDClick(view, left, pos=rect.center().toPoint())
    turn_wheel(view, rect.center(), -60)
    assert view.axes == whole


def test_the_map_is_used_without_a_mouse(make_page, qtbot):
    page = make_page()
    result = show(page, qtbot)
    view = result.map
    view.setFocus()
    result.go_to_column(60)
    place = view.cursor_place
    for _ in range(30):
        qtbot.keyClick(view, Qt.Key.Key_Plus)
    assert view.axes[0].step == pytest.approx(view._finest)
    qtbot.keyClick(view, Qt.Key.Key_Right)
    qtbot.keyClick(view, Qt.Key.Key_Down, Qt.KeyboardModifier.ShiftModifier)
    assert view.cursor_place == (place[0] + 1, place[1] + 10)
    qtbot.keyClick(view, Qt.Key.Key_Return)
    assert view.cursor_place == result.columns.place(result.letters.chosen_column)
    column = result.letters.chosen_column
    qtbot.keyClick(view, Qt.Key.Key_PageDown)
    assert result.letters.chosen_column > column
    qtbot.keyClick(view, Qt.Key.Key_PageUp)
    assert result.letters.chosen_column == column
    qtbot.keyClick(view, Qt.Key.Key_Minus)
    assert view.axes[0].step > view._finest
    left = []
    view.left.connect(lambda: left.append(True))
    qtbot.keyClick(view, Qt.Key.Key_Escape)
    assert left


def test_a_click_near_another_path_shows_that_alignment(make_page, qtbot):
    page = make_page()
    result = show(page, qtbot)
    other = result.map.data.lines[1].line
    point = result.map.frame().point(float(other.x.mean()), float(other.y.mean()))
    qtbot.mouseClick(result.map, Qt.MouseButton.LeftButton, pos=point.toPoint())
    qtbot.waitUntil(lambda: result.columns is not None and result.current.index == 2)
    qtbot.waitUntil(lambda: page._jobs.idle)
    assert abs(result.map.cursor_place[0] - other.x.mean()) < 15


def test_letters_and_map_are_copied(make_page, qtbot):
    page = make_page()
    view = show(page, qtbot)
    with qtbot.waitSignal(page.message) as said:
        view.findChild(QAction, "pairCopy-fasta").trigger()
    total = len(view.columns)
    assert said.args == [f"Columns 1 to {total} of {total} were copied."]
    assert QGuiApplication.clipboard().text().startswith(">the_query/")
    view.letters.setFocus()
    view.letters.select(4, 14)
    qtbot.keyClick(view.letters, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QGuiApplication.clipboard().text().startswith("Query")
    view.map_panel.show_menu(view.map.rect().center())
    menu = view.map.findChild(QMenu, "pairMapMenu")
    actions = {action.text(): action for action in menu.actions()}
    actions["Copy the two positions"].trigger()
    assert QGuiApplication.clipboard().text() == "\t".join(
        str(at + 1) for at in view.map.place_at(QPointF(view.map.rect().center()))
    )
    actions["Copy the map as a picture"].trigger()
    assert not QGuiApplication.clipboard().image().isNull()
    actions["Letters here"].trigger()
    assert view.map.axes[0].cell > 8
    menu.close()
    other = view.map.data.lines[1].line
    view.map.show_whole()
    point = view.map.frame().point(float(other.x.mean()), float(other.y.mean()))
    none = Qt.MouseButton.NoButton
    move = QMouseEvent(
        QEvent.Type.MouseMove, point, view.map.mapToGlobal(point), none, none, Qt.KeyboardModifier.NoModifier
    )
    QApplication.sendEvent(view.map, move)
    assert text_of(page, "pairPointed").endswith("alignment 2")


@pytest.mark.parametrize("mode", ["light", "dark"])
def test_every_zoom_is_painted_in_both_themes(make_page, qtbot, theme, mode):
    theme.use(mode, 100)
    page = make_page()
    result = show(page, qtbot)
    view = result.map
    result.go_to_column(40)
    view.show_letters(view.cursor_place)
    colours = set()
    for _ in range(24):
        picture = view.grab().toImage()
        colours.add(picture.pixelColor(picture.width() // 2, picture.height() // 2).name())
        view.zoom(1 / 1.25)
    assert len(colours) > 1
    moved = QEvent(QEvent.Type.Leave)
    QApplication.sendEvent(view, moved)
    view.set_dots(False)
    assert not view.grab().isNull()


def test_the_map_is_written_as_a_figure(make_page, qtbot, tmp_path):
    page = make_page()
    view = show(page, qtbot)
    for suffix, begins in ((".svg", b"<?xml"), (".png", b"\x89PNG"), (".pdf", b"%PDF")):
        path = tmp_path / f"map{suffix}"
        with qtbot.waitSignal(page.message, timeout=20_000):
            view.map_panel.save_figure(path)
        assert path.read_bytes().startswith(begins)
    content = (tmp_path / "map.svg").read_bytes()
    assert b"the_query" in content
    assert b"<path" in content
    with qtbot.waitSignal(page.message) as said:
        view.map_panel.save_figure(tmp_path / "map.xyz")
    assert ".xyz" in said.args[0]


# -- out and in -----------------------------------------------------------------------------------


def test_exports_hold_what_the_command_line_writes(make_page, qtbot, tmp_path):
    page = make_page()
    show(page, qtbot)
    for name in PAIR_FORMATS:
        dialog = page.export()
        dialog.choose(name)
        qtbot.waitUntil(lambda shown=dialog: shown.preview.toPlainText() != "", timeout=20_000)
        path, expected = tmp_path / name, tmp_path / f"{name}.expected"
        with qtbot.waitSignal(dialog.saved, timeout=20_000):
            dialog.save_to(path)
        save_pair(expected, name, page.result)
        assert path.read_bytes() == expected.read_bytes()
        assert path.stat().st_size > 100


def test_a_stopped_export_leaves_no_file(make_page, qtbot, tmp_path):
    page = make_page()
    show(page, qtbot)
    job = PairExportJob(page.result, "text")
    job.stopped.set()
    with pytest.raises(ExportStopped):
        job.save(tmp_path / "out")
    assert list(tmp_path.glob("out*")) == []
    assert PairExportJob(page.result, "text").preview().count("\n") <= 61


def test_a_result_is_opened_again(make_page, qtbot, tmp_path):
    page = make_page()
    show(page, qtbot)
    path = tmp_path / "pair.json"
    PairExportJob(page.result, "json").save(path)
    other = make_page()
    other.open_result_file(path)
    qtbot.waitUntil(lambda: other.result is not None, timeout=20_000)
    assert [one.alignment for one in other.result.alignments] == [one.alignment for one in page.result.alignments]
    path.write_text("{}")
    with qtbot.waitSignal(other.failed, timeout=20_000) as failed:
        other.open_result_file(path)
    assert "no exported pair" in str(failed.args[0])


# -- meanwhile ------------------------------------------------------------------------------------


class Slow:
    """Goes on until it is stopped, with an alignment found on the way."""

    def __init__(self):
        self.going = threading.Event()

    def __call__(self, request, cancel):
        short = replace(request, limit=1)
        whole = next(event for event in align_pair(short, threading.Event()) if isinstance(event, PairFinished)).result
        yield PairStarted(plans(request))
        yield PairFound(whole.alignments[0])
        for step in range(1, 10**6):
            if cancel.wait(0.01):
                break
            done = min(step * 1000, 600_000)
            yield PairProgressed("Scoring", "plus", 2, done, 10**6, done // 4, step * 0.01, 12.0, PairEnd(77, 5, 6))
            self.going.set()
        yield PairFinished(replace(whole, state="stopped", reason="Stopped by the user."))


def test_a_stopped_pair_keeps_what_it_has(make_page, qtbot):
    slow = Slow()
    page = make_page(align=slow, plan=plans)
    fill(page, qtbot, *related())
    page.align()
    qtbot.waitUntil(slow.going.is_set, timeout=20_000)
    qtbot.waitUntil(lambda: "best score so far 77" in text_of(page, "pairProgress"))
    assert text_of(page, "pairStage") == "Scoring, plus strand, alignment 2"
    assert text_of(page, "pairTimeLeft") == "12 s left"
    assert "20 % of them skipped" in text_of(page, "pairProgress")
    assert "1 alignment found" in text_of(page, "pairProgress")
    assert not page.ready  # one at a time
    said = []
    page.said.connect(lambda *words: said.append(words))
    with qtbot.waitSignal(page.finished, timeout=20_000):
        qtbot.mouseClick(page.findChild(QPushButton, "pairStop"), Qt.MouseButton.LeftButton)
    assert page.result.state == "stopped"
    assert page.findChild(QFrame, "pairPartial").isVisible()
    assert said[0][:2] == ("info", "The alignment was stopped.")
    assert page.findChild(QComboBox, "pairResults").itemText(0).endswith(", partial")
    qtbot.waitUntil(lambda: page.ready)


def test_a_pair_can_rest(make_page, qtbot):
    def rests(request, cancel):
        whole = next(e for e in align_pair(replace(request, limit=1), threading.Event()) if isinstance(e, PairFinished))
        yield PairStarted(plans(request))
        for step in range(10**6):
            if cancel.held:
                cancel.rest()
            if cancel.wait(0.005):
                break
            yield PairProgressed("Scoring", "plus", 1, step, 10**6, 0, step * 0.01, 9.0, None)
        yield PairFinished(replace(whole.result, state="stopped", reason="Stopped by the user."))

    page = make_page(align=rests, plan=plans)
    fill(page, qtbot, *related())
    page.align()
    qtbot.waitUntil(lambda: text_of(page, "pairTimeLeft") == "9.0 s left", timeout=20_000)
    button = page.findChild(QPushButton, "pairPause")
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    assert button.text() == "Go on"
    assert text_of(page, "pairTimeLeft") == "Paused"
    qtbot.wait(150)
    done = page.control.state.progress.cells_done
    qtbot.wait(150)
    assert page.control.state.progress.cells_done == done
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: page.control.state.progress.cells_done > done, timeout=20_000)
    page.control.pause(True)
    with qtbot.waitSignal(page.finished, timeout=20_000):
        page.stop()
    assert button.text() == "Pause"
    assert not page.control.paused


def test_faults_are_told_and_the_page_goes_on(make_page, qtbot):
    def broken(request, cancel):
        yield PairStarted(plans(request))
        raise EngineFault("The GPU stopped answering.")

    page = make_page(align=broken, plan=plans)
    fill(page, qtbot, *related())
    with qtbot.waitSignal(page.failed, timeout=20_000) as failed:
        page.align()
    assert "stopped answering" in str(failed.args[0])
    assert page.control.phase == "idle"
    qtbot.waitUntil(lambda: page.ready)

    def partly(request, cancel):
        whole = next(e for e in align_pair(replace(request, limit=1), cancel) if isinstance(e, PairFinished)).result
        yield PairFinished(replace(whole, state="failed", reason="The device was lost."))

    other = make_page(align=partly, plan=plans)
    fill(other, qtbot, *related())
    with qtbot.waitSignal(other.said, timeout=20_000) as said:
        other.align()
    assert said.args[:2] == ["danger", "The alignment ended early."]
    assert "The device was lost. What was known by then is kept: 1 alignment." in said.args[2]


def test_a_pair_for_the_gpu_waits_for_a_search_there(make_page, qtbot):
    page = make_page(plan=lambda request: plans(request, "wavefront"))
    fill(page, qtbot, *related())
    page.set_searching(True)
    page.align()
    assert page.control.phase == "waiting"
    assert "a search uses the GPU" in text_of(page, "pairStage")
    page.stop()
    assert page.control.phase == "idle"
    page.align()
    with qtbot.waitSignal(page.finished, timeout=60_000):
        page.set_searching(False)
    on_cpu = make_page(plan=plans)
    fill(on_cpu, qtbot, *related())
    on_cpu.set_searching(True)
    with qtbot.waitSignal(on_cpu.finished, timeout=60_000):
        on_cpu.align()


def test_a_search_that_starts_beside_a_pair_is_told_of(make_page, qtbot):
    slow = Slow()
    page = make_page(align=slow, plan=lambda request: plans(request, "wavefront"))
    fill(page, qtbot, *related())
    page.align()
    qtbot.waitUntil(slow.going.is_set, timeout=20_000)
    shared = page.findChild(QLabel, "pairShared")
    assert shared.isHidden()
    page.control.state.started = PairStarted(plans(page.setup.request(), "wavefront"))
    page.set_searching(True)
    assert not shared.isHidden()
    with qtbot.waitSignal(page.finished, timeout=20_000):
        page.stop()
    assert shared.isHidden()


def test_work_that_was_begun_goes_on(make_page, qtbot, tmp_path):
    page = make_page()
    fill(page, qtbot, *related())
    request = page.setup.request()
    kept = checkpoint_path(request)
    kept.parent.mkdir(parents=True)
    cancel = threading.Event()
    for event in align_pair(replace(request, checkpoint=kept), cancel):
        if isinstance(event, PairFound | PairProgressed):
            cancel.set()
    if not kept.exists():
        pytest.skip("the pair was aligned before it could be stopped")
    page.refresh()
    qtbot.waitUntil(lambda: page.strip._details.whole_text().startswith("An earlier run"))
    with qtbot.waitSignal(page.finished, timeout=60_000):
        page.align()
    assert page.result.score == known().score
    assert not kept.exists()


def test_a_kept_state_that_does_not_fit_is_no_obstacle(make_page, qtbot):
    page = make_page()
    fill(page, qtbot, *related())
    kept = checkpoint_path(page.setup.request())
    kept.parent.mkdir(parents=True)
    kept.write_bytes(b"not a state at all")
    with qtbot.waitSignal(page.finished, timeout=60_000):
        page.align()
    assert page.result.state == "finished"
    assert page.result.score == known().score
    assert not kept.exists()


def test_a_page_that_closes_stops_its_work(make_page, qtbot):
    slow = Slow()
    page = make_page(align=slow, plan=plans)
    fill(page, qtbot, *related())
    page.align()
    qtbot.waitUntil(slow.going.is_set, timeout=20_000)
    page.shutdown()
    assert page.result is None


def test_only_long_work_keeps_its_state_and_each_work_its_own(make_page, qtbot, user_folders):
    page = make_page(plan=plans)
    fill(page, qtbot, *related())
    request = page.setup.request()
    assert with_checkpoint(request, 1.0).checkpoint is None
    assert with_checkpoint(request, None).checkpoint is None
    kept = with_checkpoint(request, 100.0).checkpoint
    assert kept.parent.is_dir()
    assert kept.is_relative_to(user_folders["data"])
    assert checkpoint_path(request) == kept
    assert checkpoint_path(replace(request, strand="plus")) != kept
    assert checkpoint_path(replace(request, subject=request.query)) != kept
    assert checkpoint_path(replace(request, limit=2)) != kept
    kept.write_bytes(b"old")
    forget_old_checkpoints()
    assert kept.exists()


def test_old_states_are_deleted(monkeypatch, user_folders):
    folder = user_folders["data"] / "pairs"
    folder.mkdir(parents=True)
    (folder / "x.pair").write_bytes(b"old")
    monkeypatch.setattr(pair_control.time, "time", lambda: 4e9)
    forget_old_checkpoints()
    assert not (folder / "x.pair").exists()


def test_progress_is_told_in_words_and_speed_comes_from_the_last_seconds():
    state = PairRunState()
    assert (state.title, state.line, state.fraction, state.time_left) == ("Preparing", "", None, "")
    for second in range(1, 30):
        cells = second * 10**9 if second <= 20 else 20 * 10**9 + (second - 20) * 5 * 10**9
        state.feed(PairProgressed("Scoring", "plus", 1, cells, 100 * 10**9, 0, second, None, PairEnd(second, 1, 1)))
    assert state.gcups == pytest.approx(5.0)
    assert state.best == 29
    assert state.fraction == pytest.approx(0.65)
    assert state.line == "65 %, 65.0 G of 100 G cells   5.0 GCUPS   best score so far 29"
    state.feed(PairProgressed("Scoring", "minus", 1, 0, 0, 0, 30.0, None, None))
    assert state.fraction is None
    assert state.gcups == 0.0
    assert state.best == 29


def test_the_sample_is_the_same_every_time_and_has_both_strands(make_page, qtbot):
    sample = sample_pair()
    assert sample == sample_pair()
    page = make_page()
    page.setup.load_sample()
    qtbot.waitUntil(lambda: page.ready, timeout=30_000)
    assert page.setup.query.record == sample.query
    assert len(plan_pair(page.setup.request())) == 2
    assert set(sample.query.residues) == set(b"ACGT")
