"""Before a run: sequences, scoring and settings, and what the page says of them."""

import shlex

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QComboBox, QLabel, QPushButton, QSpinBox

from swgui.cli import build_parser
from swgui.core.alphabet import NUCLEOTIDE, PROTEIN
from swgui.core.errors import InvalidParameter
from swgui.core.records import SequenceRecord
from swgui.engines.base import DeviceInfo, EngineStatus
from swgui.gui.inputs.setting_field import SettingField
from swgui.gui.pair.setup import sample_pair
from swgui.settings import Settings
from tests.gui.named import named
from tests.gui.pair.conftest import choose, dna, fasta, fill, plan, related, text_of


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
        return plan(request)

    page = make_page(plan=refuse)
    fill(page, qtbot, *related())
    text = text_of(page, "pairPlan")
    assert text.startswith("Align 554 bases with 700 bases, local, both strands, exact, on Test device")
    assert text.endswith("about 1.0 s.")
    page.setup.options.findChild(QSpinBox, "pairLimit").setValue(5)
    qtbot.waitUntil(lambda: text_of(page, "pairPlan").endswith("about 1.0 s for each of up to 5 alignments."))
    assert "So." in named(page, "pairPlan").toolTip()
    choose(page.findChild(QComboBox, "pairMethod"), "tiled")
    qtbot.waitUntil(lambda: "64,000" in text_of(page, "pairPlan"))
    assert not page.ready
    choose(page.findChild(QComboBox, "pairMethod"), "auto")
    qtbot.waitUntil(lambda: page.ready)


def test_two_kinds_do_not_go_together(make_page, qtbot):
    page = make_page(plan=plan)
    page.setup.query.set_text(">p\nMKVLWAALLVTFLAGCQAKVEQAVE\n")
    page.setup.subject.set_text(f">d\n{dna(60, 1).decode()}\n")
    qtbot.waitUntil(lambda: "The query looks like protein" in text_of(page, "pairPlan"))
    assert not page.ready


def test_unreadable_input_is_explained_beside_it(make_page, qtbot):
    page = make_page(plan=plan)
    page.setup.query.set_text("{} 1")
    qtbot.waitUntil(lambda: page.setup.query.problem.startswith("Query: "))
    assert page.findChild(QLabel, "pairQuerySummary").property("tone") == "danger"
    page.setup.query.clear()
    qtbot.waitUntil(lambda: page.setup.query.problem == "Add a query sequence first.")


def test_one_of_several_sequences_is_chosen_and_swapped(make_page, qtbot, tmp_path):
    page = make_page(plan=plan)
    file = tmp_path / "several.fasta"
    file.write_text(fasta(*(SequenceRecord(f"r{n}", "", dna(100 + n, n)) for n in range(4))))
    page.setup.query.open_file(file)
    page.setup.subject.set_text(fasta(related()[1]))
    qtbot.waitUntil(lambda: page.ready)
    box = page.findChild(QComboBox, "pairQueryRecord")
    assert box.count() == 4
    box.setCurrentIndex(2)
    box.activated.emit(2)
    assert page.setup.query.record.id == "r2"
    assert "r2: 102 bases; one of 4 sequences" in text_of(page, "pairQuerySummary")
    qtbot.waitUntil(lambda: page.ready)
    words = shlex.split(page.setup.command_line())
    assert words[:4] == ["swgui", "pair", str(file), "subject.fasta"]
    assert words[words.index("--query-id") + 1] == "r2"
    page.setup.swap()
    assert (page.setup.query.record.id, page.setup.subject.record.id) == ("the_target", "r2")
    assert page.setup.subject.source == file
    assert page.setup.query.source is None
    assert not page.setup.query.box.isReadOnly()
    assert page.setup.subject.box.isReadOnly()


def test_what_is_said_of_a_sequence_does_not_move_the_page(make_page, qtbot):
    page = make_page(plan=plan)
    before = page.setup.heightForWidth(page.setup.width())
    page.setup.query.set_text(">a\nACGT12ACGT\n")
    page.setup.subject.set_text(f">{'long name ' * 30}\nACGTACGT\n")
    qtbot.waitUntil(lambda: "digits or signs left out: 2; short" in text_of(page, "pairQuerySummary"))
    qtbot.waitUntil(lambda: page.setup.subject.record is not None)
    # Two lines are added, and not the ten that the name takes in the narrowest of columns.
    assert page.setup.heightForWidth(page.setup.width()) <= before + 4 * page.fontMetrics().lineSpacing()


def test_sequences_of_bases_can_be_given_as_proteins(make_page, qtbot):
    page = make_page(plan=plan)
    page.setup.query.set_text(">a\nACGTACGATCAGCTACGACTACGATC\n")
    page.setup.subject.set_text(">b\nACGTACGATCAGCTACGACTACGATC\n")
    qtbot.waitUntil(lambda: page.ready)
    assert page.setup.scoring.scheme.alphabet is NUCLEOTIDE
    for name in ("pairQueryKind", "pairSubjectKind"):
        choose(page.findChild(QComboBox, name), "protein")
    qtbot.waitUntil(lambda: page.ready and page.setup.scoring.scheme.alphabet is PROTEIN)
    assert "residues" in text_of(page, "pairPlan")


def test_large_text_is_held_and_only_begun_in_the_box(make_page, qtbot, monkeypatch):
    monkeypatch.setattr("swgui.gui.pair.input.TEXT_LIMIT", 500)
    page = make_page(plan=plan)
    QGuiApplication.clipboard().setText(fasta(SequenceRecord("long", "", dna(3_000, 4))))
    page.setup.query.paste()
    qtbot.waitUntil(lambda: page.setup.query.record is not None)
    assert len(page.setup.query.record.residues) == 3_000
    assert page.setup.query.box.isReadOnly()
    assert "2,400 more" in page.setup.query.box.toPlainText()
    page.setup.query.clear()
    assert not page.setup.query.box.isReadOnly()


def type_value(field, text):
    field.setEditText(text)
    field.lineEdit().textEdited.emit(text)


def test_the_command_is_one_that_the_command_line_takes(make_page, qtbot):
    page = make_page(plan=plan)
    page.setup.options.findChild(QSpinBox, "pairLimit").setValue(4)
    page.setup.options.findChild(QSpinBox, "pairMinScore").setValue(90)
    choose(page.findChild(QComboBox, "pairMethod"), "striped-align")
    type_value(page.setup.options.findChild(SettingField, "pairSetting-strip"), "256")
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
    page = make_page(settings, plan=plan)
    fill(page, qtbot, *related())
    choose(page.findChild(QComboBox, "pairMethod"), "chunked-align-1")
    field = page.setup.options.findChild(SettingField, "pairSetting-chunk")
    type_value(field, "nonsense")
    assert "Chunk height h cannot be 'nonsense'" in text_of(page, "pairPlan")
    type_value(field, "1024")
    qtbot.waitUntil(lambda: page.ready)
    assert page.setup.request().options.settings == {"chunk": "1024"}
    assert settings.pair.method == "chunked-align-1"
    other = make_page(settings, plan=plan)
    assert other.setup.options.method == "chunked-align-1"
    assert other.setup.options.findChild(SettingField, "pairSetting-chunk").value == "1024"


def test_methods_that_cannot_run_are_greyed_out_with_the_reason(make_page, qtbot):
    page = make_page(plan=plan)
    missing = EngineStatus("cuda", False, reason="No CUDA GPU was found.", hint="Install a driver.")
    page.setup.options.show_status({"wavefront": missing, "cpu": EngineStatus("cpu", True)})
    box = page.findChild(QComboBox, "pairMethod")
    row = box.findData("wavefront")
    assert not box.model().item(row).isEnabled()
    assert "No CUDA GPU" in box.itemData(row, Qt.ItemDataRole.ToolTipRole)
    gpus = EngineStatus("cuda", True, (DeviceInfo("0", "One"), DeviceInfo("1", "Two")))
    page.setup.options.show_engines((gpus,))
    devices = page.findChild(QComboBox, "pairDevice")
    assert [devices.itemData(row) for row in range(devices.count())] == ["", "0,1", "0", "1"]
    choose(devices, "1")
    assert page.setup.options.options.devices == ("1",)


def test_the_sample_is_the_same_every_time_and_has_both_strands(make_page, qtbot):
    sample = sample_pair()
    assert sample == sample_pair()
    page = make_page()
    page.setup.load_sample()
    qtbot.waitUntil(lambda: page.ready)
    assert page.setup.query.record == sample.query
    assert page.setup.request().strands == ("plus", "minus")
    assert set(sample.query.residues) == set(b"ACGT")
