from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import (
    QComboBox,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QPushButton,
    QScrollArea,
    QSpinBox,
    QTableView,
)

from swgui.gui.inputs import detection as search_input
from swgui.gui.inputs.database import BuildDialog, sample_database
from swgui.gui.kit.tasks.pool import Tasks
from swgui.gui.search.page import SearchPage, sample_queries
from swgui.jobs.iterate.request import IteratedSearch, IterationSettings
from swgui.settings import Settings, speed_key

PROTEINS = ">one\nMKVLWAALLVTFLAGCQAKVEQAVETEPEPELRQQTEW\n>two\nGGGGGGGGGGGGGGGGGGGGGGGGGGGGGGGGGGGGGGGG\n"
DNA = ">dna\nACGTACGTTAGCATCGATCAGCATCAGCATACGACTCGACTACGC\n"


@pytest.fixture
def settings():
    return Settings()


@pytest.fixture
def page(qtbot, theme, engines, settings):
    short = Tasks()
    page = SearchPage(settings, short)
    qtbot.addWidget(page)
    page.resize(1200, 800)
    page.show()
    yield page
    page.shutdown()
    short.shutdown()


def find(page, kind, name):
    return page.findChild(kind, name)


def plan_of(page):
    return find(page, QLabel, "plan").text()


def read(page, qtbot, text):
    page.query.set_text(text)
    qtbot.waitUntil(lambda: not page.query.busy)


def settle(page, qtbot):
    qtbot.waitUntil(lambda: not page.query.busy and not page.database.busy and "Reading" not in page.problem)


def choose(box: QComboBox, data):
    box.setCurrentIndex(box.findData(data))
    box.activated.emit(box.currentIndex())


def test_the_welcome_speaks_of_the_sample_only_where_it_is(page, qtbot):
    welcome = find(page, QLabel, "welcomeText")
    read(page, qtbot, PROTEINS)
    assert "sample" not in welcome.text()
    page.load_sample_query()
    qtbot.waitUntil(lambda: "sample is in place" in welcome.text())


def test_an_empty_page_says_what_is_missing(page):
    assert page.problem == "Add a sequence first."
    assert plan_of(page) == "Add a sequence first."
    assert not page.search_button.isEnabled()
    assert find(page, QPlainTextEdit, "queryBox").placeholderText()
    assert find(page, QLabel, "databaseName").text() == "No database yet"


def test_typing_is_understood_after_a_pause_and_off_the_windows_thread(page, qtbot):
    box = find(page, QPlainTextEdit, "queryBox")
    box.setPlainText(PROTEINS)
    assert page.query.busy
    qtbot.waitUntil(lambda: len(page.query.records) == 2)
    assert [record.id for record in page.query.records] == ["one", "two"]
    assert page.query.alphabet.name == "protein"
    assert find(page, QLabel, "querySummary").text() == "2 proteins (78 residues)"
    assert page.problem == "Choose a database first."


def test_bare_letters_will_do(page, qtbot):
    read(page, qtbot, "mkvlw aallv\n11 tflag")
    (record,) = page.query.records
    assert record.residues == b"MKVLWAALLVTFLAG"


def test_what_was_changed_is_listed_and_nothing_is_dropped_silently(page, qtbot):
    read(page, qtbot, ">a first\nMKV5LWAU\n>a again\nMKVLW\n>nothing\n")
    view = find(page, QTableView, "queryTable")
    notes = [view.model().index(row, 2).data() for row in range(2)]
    assert "digits or signs left out: 1" in notes[0]
    assert "identifier occurs twice" in notes[1]
    assert all("short" in note and note.startswith("⚠") for note in notes)
    assert "1 empty record left out" in find(page, QLabel, "querySummary").text()
    page.show_report()
    dialog = page.window().findChild(QTableView, "remarks").window()
    texts = [dialog.findChild(QTableView, "remarks").model().index(row, 3).data() for row in range(4)]
    assert any("'5'" in text for text in texts)
    dialog.close()


def test_unreadable_text_is_refused_in_one_sentence(page, qtbot):
    read(page, qtbot, "@@@@\n\n@@@ {}{}{}")
    assert page.query.records == ()
    assert len(page.problem) > 20
    assert plan_of(page) == page.problem
    read(page, qtbot, PROTEINS)
    assert page.problem == "Choose a database first."


def test_ticks_choose_what_is_searched(page, qtbot):
    read(page, qtbot, PROTEINS)
    table = page.query.table
    assert table.setData(table.index(0, 0), Qt.CheckState.Unchecked.value, Qt.ItemDataRole.CheckStateRole)
    assert [record.id for record in page.query.records] == ["two"]
    qtbot.mouseClick(find(page, QPushButton, "queryTickNone"), Qt.MouseButton.LeftButton)
    assert page.problem == "Tick at least one sequence."
    qtbot.mouseClick(find(page, QPushButton, "queryTickAll"), Qt.MouseButton.LeftButton)
    assert len(page.query.records) == 2


def test_ticks_stay_while_letters_are_edited(page, qtbot):
    read(page, qtbot, PROTEINS)
    table = page.query.table
    table.setData(table.index(1, 0), Qt.CheckState.Unchecked.value, Qt.ItemDataRole.CheckStateRole)
    read(page, qtbot, PROTEINS.replace("MKV", "MKA"))
    assert [record.id for record in page.query.records] == ["one"]
    read(page, qtbot, PROTEINS.replace(">two", ">new"))
    assert len(page.query.records) == 2


def test_a_small_file_is_shown_as_it_is(page, qtbot, tmp_path):
    path = tmp_path / "my query.fasta"
    path.write_text(PROTEINS, encoding="utf-8")
    with qtbot.waitSignal(page.query_opened) as opened:
        page.query.open_file(path)
    settle(page, qtbot)
    assert opened.args == [path]
    box = find(page, QPlainTextEdit, "queryBox")
    assert box.toPlainText() == PROTEINS
    assert page.query.source == path
    assert find(page, QLabel, "querySource").whole_text() == "my query.fasta"
    box.insertPlainText(">zero\nMKV\n")
    assert page.query.source is None  # the text is no longer that of the file


def test_a_long_name_of_a_file_does_not_widen_the_page(page, qtbot, tmp_path):
    wide = find(page, QScrollArea, "searchScroll").widget().minimumSizeHint().width()
    path = tmp_path / f"{'a name that nobody reads to its end ' * 6}.fasta"
    path.write_text(PROTEINS, encoding="utf-8")
    with qtbot.waitSignal(page.query_opened):
        page.query.open_file(path)
    settle(page, qtbot)
    assert find(page, QLabel, "querySource").toolTip() == str(path)
    assert find(page, QScrollArea, "searchScroll").widget().minimumSizeHint().width() == wide


def test_a_large_file_is_read_without_filling_the_box(page, qtbot, tmp_path):
    path = tmp_path / "large.fasta"
    count = search_input.TEXT_LIMIT // 60
    path.write_text("".join(f">s{n}\n{'ACDEFGHIKLMNPQRSTVWY' * 5}\n" for n in range(count)), encoding="utf-8")
    page.query.open_file(path)
    qtbot.waitUntil(lambda: len(page.query.records) == count, timeout=20_000)
    box = find(page, QPlainTextEdit, "queryBox")
    assert box.isReadOnly()
    assert len(box.toPlainText()) < 50_000
    assert box.toPlainText().startswith(">s0\nACDEF")
    assert f"{count - search_input.PREVIEW_RECORDS:,} more sequences" in box.toPlainText()
    page.query.clear()
    settle(page, qtbot)
    assert not box.isReadOnly()
    assert page.problem == "Add a sequence first."


def test_a_file_that_cannot_be_read_leaves_the_box_usable(page, qtbot, tmp_path):
    path = tmp_path / "noise.gz"
    path.write_bytes(b"\x1f\x8b" + bytes(range(200)))
    page.query.open_file(path)
    qtbot.waitUntil(lambda: bool(page.query.problem) and not page.query.busy and page.query.problem[0] != "A")
    assert not find(page, QPlainTextEdit, "queryBox").isReadOnly()
    page.query.open_file(tmp_path / "absent.fasta")
    qtbot.waitUntil(lambda: "absent.fasta" in page.query.problem)


def test_pasting_replaces_the_query(page, qtbot):
    QGuiApplication.clipboard().setText(PROTEINS)
    qtbot.mouseClick(find(page, QPushButton, "queryPaste"), Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: len(page.query.records) == 2)


def test_the_kind_can_be_said(page, qtbot, settings):
    read(page, qtbot, DNA)
    assert page.query.alphabet.name == "nucleotide"
    page.query.set_kind("protein")
    qtbot.waitUntil(lambda: not page.query.busy)
    assert page.query.alphabet.name == "protein"
    assert settings.search.kind == "protein"


def test_each_kind_has_its_own_settings(page, qtbot, settings):
    read(page, qtbot, DNA)
    settle(page, qtbot)
    assert page.scoring.kind == "nucleotide"
    assert find(page, QComboBox, "strand").isVisible()
    assert find(page, QSpinBox, "gapOpen").value() == 5
    find(page, QSpinBox, "gapOpen").setValue(6)
    read(page, qtbot, PROTEINS)
    settle(page, qtbot)
    assert not find(page, QComboBox, "strand").isVisible()
    assert find(page, QSpinBox, "gapOpen").value() == 11
    assert settings.search.nucleotide.gap_open == 6


def test_gap_costs_are_shown_live_and_the_rule_is_a_switch(page, qtbot):
    costs = find(page, QLabel, "gapCosts")
    qtbot.waitUntil(lambda: "of 1 costs 12, of 2 costs 13" in costs.text())
    find(page, QSpinBox, "gapExtend").setValue(3)
    qtbot.waitUntil(lambda: "of 1 costs 14, of 2 costs 17" in costs.text())
    choose(find(page, QComboBox, "gapRule"), "first")
    qtbot.waitUntil(lambda: "of 1 costs 11, of 2 costs 14" in costs.text())
    assert page.scoring.scheme.gap_cost(2) == 14


def test_costs_that_no_algorithm_here_can_use_are_refused_with_a_reason(page, qtbot):
    choose(find(page, QComboBox, "gapRule"), "first")
    find(page, QSpinBox, "gapOpen").setValue(1)
    find(page, QSpinBox, "gapExtend").setValue(5)
    qtbot.waitUntil(lambda: page.scoring.problem.startswith("Extending a gap"))
    assert "Extending a gap" in find(page, QLabel, "gapCosts").text()


def test_a_changed_preset_is_named_so_in_italics(page, qtbot):
    box = find(page, QComboBox, "preset")
    assert box.currentText() == "Default protein"
    find(page, QSpinBox, "gapOpen").setValue(10)
    assert box.currentText() == "Default protein (changed)"
    assert box.font().italic()
    choose(box, "distant")
    assert (box.currentText(), box.font().italic()) == ("Distant relatives", False)
    qtbot.waitUntil(lambda: page.scoring.scheme is not None)
    assert page.scoring.scheme.describe() == "VTML200, gap 12/1 (BLAST rule)"
    assert find(page, QSpinBox, "gapOpen").value() == 12


def test_the_limit_of_e_is_checked(page, qtbot, settings):
    box = find(page, QLineEdit, "maxEvalue")
    box.clear()
    qtbot.keyClicks(box, "1e-5")
    assert settings.search.protein.max_evalue == 1e-5
    box.clear()
    qtbot.keyClicks(box, "3")
    qtbot.keyClick(box, Qt.Key.Key_Backspace)
    assert box.property("invalid") is True
    assert "E-value" in page.scoring.problem
    assert settings.search.protein.max_evalue == 3


def test_a_scheme_without_published_constants_is_said(page, qtbot):
    source = find(page, QLabel, "evalueSource")
    qtbot.waitUntil(lambda: source.text().startswith("E-values:"))
    find(page, QSpinBox, "gapOpen").setValue(99)
    qtbot.waitUntil(lambda: source.text().startswith("No published constants"))
    assert "11/1" in source.text()


def test_an_own_matrix_file_is_used(page, qtbot, tmp_path):
    path = tmp_path / "mine.mat"
    letters = "ARNDCQEGHILKMFPSTWYV"
    rows = [" ".join(letters)]
    rows += [f"{a} " + " ".join("7" if a == b else "-1" for b in letters) for a in letters]
    path.write_text("\n".join(rows), encoding="utf-8")
    page.scoring._set_matrix(str(path))
    qtbot.waitUntil(lambda: page.scoring.scheme is not None)
    assert page.scoring.scheme.matrix.score("A", "A") == 7
    assert find(page, QComboBox, "matrix").currentText() == "mine.mat"
    page.scoring._set_matrix(str(tmp_path / "none.mat"))
    qtbot.waitUntil(lambda: bool(page.scoring.problem) and "Reading" not in page.scoring.problem)


def test_a_sequence_file_becomes_the_database(page, qtbot, database_file, settings):
    with qtbot.waitSignal(page.database.opened, timeout=20_000):
        page.database.open(database_file)
    assert len(page.database.database) == 3
    assert "3 sequences" in find(page, QLabel, "databaseFacts").text()
    assert settings.recent.databases == [str(database_file)]
    read(page, qtbot, PROTEINS)
    settle(page, qtbot)
    assert page.ready
    request = page.request()
    assert [query.id for query in request.queries] == ["one", "two"]
    assert request.database is page.database.database
    assert request.strand == "plus"


def test_the_row_of_the_database_says_whether_it_fits_the_gpu(page, qtbot, database_file):
    with qtbot.waitSignal(page.database.opened, timeout=20_000):
        page.database.open(database_file)
    facts = find(page, QLabel, "databaseFacts")
    assert "GPU" not in facts.text()
    assert "file of 20" in facts.text()
    page.database.set_gpu_memory(1 << 30)
    assert "fits the GPU" in facts.text()
    page.database.set_gpu_memory(10)
    assert "sent in parts" in facts.text()


def test_narrow_pages_put_things_below_each_other(page, qtbot):
    page.resize(600, 700)
    table, box = find(page, QTableView, "queryTable"), find(page, QPlainTextEdit, "queryBox")
    qtbot.waitUntil(lambda: table.mapTo(page, QPoint(0, 0)).y() > box.mapTo(page, QPoint(0, 0)).y() + box.height() - 1)
    page.resize(1300, 800)
    qtbot.waitUntil(lambda: table.mapTo(page, QPoint(0, 0)).x() > box.mapTo(page, QPoint(0, 0)).x() + box.width() - 1)


def test_a_database_that_cannot_be_read_says_why(page, qtbot, tmp_path):
    path = tmp_path / "broken.swdb"
    path.write_bytes(b"not a database")
    with qtbot.waitSignal(page.database.failed, timeout=20_000):
        page.database.open(path)
    assert page.database.database is None
    assert "broken.swdb" in find(page, QLabel, "databaseFacts").text()
    assert "broken.swdb" in page.database.problem


def test_opening_can_be_given_up_and_the_database_before_stays(page, qtbot, database_file):
    with qtbot.waitSignal(page.database.opened, timeout=20_000):
        page.database.open(database_file)
    before = page.database.database
    page.database.open(sample_database())
    assert page.database.busy
    qtbot.mouseClick(find(page, QPushButton, "databaseCancel"), Qt.MouseButton.LeftButton)
    assert not page.database.busy
    assert page.database.database is before
    assert page.database.problem == ""


def test_a_database_is_built_with_a_name(page, qtbot, database_file, user_folders, theme):
    dialog = BuildDialog("")
    qtbot.addWidget(dialog)
    build = dialog.findChildren(QPushButton)
    dialog.add([database_file])
    assert dialog.name.text() == "Größe 1"
    dialog.name.setText("a/b: my base")
    assert dialog.out == user_folders["data"] / "databases" / "a_b_ my base.swdb"
    assert any(button.text() == "Build" and button.isEnabled() for button in build)
    with qtbot.waitSignal(page.database.opened, timeout=20_000) as opened:
        page.database.build(dialog.sources, dialog.out, dialog.name.text())
    assert opened.args[0].path == dialog.out
    assert dialog.out.exists()
    dialog.name.setText("a/b: my base ")
    assert not any(button.text() == "Build" and button.isEnabled() for button in build)


def test_kinds_that_differ_are_explained(page, qtbot, database_file):
    page.database.open(database_file)
    read(page, qtbot, DNA)
    settle(page, qtbot)
    assert page.problem.startswith("The query looks like DNA or RNA, the database is protein.")
    assert not page.search_button.isEnabled()


def test_the_plan_counts_cells_and_uses_the_remembered_speed(page, qtbot, database_file, settings):
    page.engine.probe()
    qtbot.waitUntil(lambda: page.engine.choice.runs_on[0] == "cpu")
    page.database.open(database_file)
    read(page, qtbot, PROTEINS)
    settle(page, qtbot)
    residues = page.database.database.residues
    assert f"{78 * residues / 1000:.2f} k cells" in plan_of(page)
    assert "after the first run" in plan_of(page)
    settings.speeds[speed_key("cpu", ("Test CPU",))] = 1e-6
    page.refresh()
    assert "on the CPU: about 6.5 s." in plan_of(page) or "about 6.6 s." in plan_of(page)


def test_both_strands_are_twice_the_work(page, qtbot, tmp_path):
    path = tmp_path / "dna.fasta"
    path.write_text(">x\n" + "ACGT" * 250 + "\n", encoding="utf-8")
    page.database.open(path)
    read(page, qtbot, DNA)
    settle(page, qtbot)
    both = 2 * 45 * 1000
    assert f"{both / 1000:.1f} k cells" in plan_of(page)
    assert page.request().strand == "both"
    choose(find(page, QComboBox, "strand"), "minus")
    settle(page, qtbot)
    assert f"{both / 2000:.1f} k cells" in plan_of(page)
    assert "--strand minus" in page.command_line()


def test_without_a_gpu_the_reason_and_the_way_out_are_on_the_page(page, qtbot):
    page.engine.probe()
    note = find(page, QLabel, "engineNote")
    qtbot.waitUntil(lambda: "No CUDA GPU was found." in note.text())
    assert "same results" in note.text()
    box = find(page, QComboBox, "engine")
    row = box.findText("GPU: not available")
    assert not box.model().item(row).isEnabled()
    assert find(page, QPushButton, "engineAgain").isVisible()


def test_engines_that_cannot_be_listed_leave_a_sentence(page, qtbot, monkeypatch):
    def broken(refresh=False):
        raise RuntimeError("no such adapter")

    monkeypatch.setattr("swgui.gui.inputs.engine.probe_engines", broken)
    page.engine.probe(refresh=True)
    qtbot.waitUntil(lambda: "no such adapter" in find(page, QLabel, "engineNote").text())
    assert page.engine.choice.engine == "auto"


def test_a_short_query_gets_the_advice_and_one_click_follows_it(page, qtbot, database_file):
    page.database.open(database_file)
    read(page, qtbot, ">p\nMKVLWAALL\n")
    settle(page, qtbot)
    assert "9 residues" in find(page, QLabel, "advice").text()
    qtbot.mouseClick(find(page, QPushButton, "useShortPeptide"), Qt.MouseButton.LeftButton)
    settle(page, qtbot)
    assert page.scoring.scheme.describe() == "PAM30, gap 9/1 (BLAST rule)"
    assert not find(page, QLabel, "advice").isVisible()


def test_the_sample_is_one_click(page, qtbot):
    page.load_sample_query()
    page.load_sample_database()
    qtbot.waitUntil(lambda: page.ready, timeout=20_000)
    assert page.query.source == sample_queries()
    assert page.database.database.name == "Sample database"
    assert "HBA_HUMAN" in page.query.records[0].id
    assert str(sample_database()) in page.command_line()
    assert page._settings.recent.databases == []


def test_the_menu_lists_databases_used_before(page, qtbot, database_file, tmp_path):
    with qtbot.waitSignal(page.database.opened, timeout=20_000):
        page.database.open(database_file)
    page._settings.recent.databases.append(str(tmp_path / "older.swdb"))
    menu = find(page, QPushButton, "databaseChoose").menu()
    qtbot.waitUntil(lambda: bool(page.database._known))
    menu.aboutToShow.emit()
    texts = [action.text() for action in menu.actions() if not action.isSeparator()]
    assert texts[0] == "Größe 1   3 sequences, protein"
    assert texts[1:] == ["older.swdb", "Choose a file…", "Build a database…", "Sample database"]
    page.database.open(sample_database())
    qtbot.waitUntil(lambda: not page.database.busy, timeout=20_000)
    menu.actions()[0].trigger()
    qtbot.waitUntil(lambda: page.database.path == database_file, timeout=20_000)


def test_every_control_can_be_named_by_a_screen_reader(page):
    for kind in (QComboBox, QLineEdit, QSpinBox, QPlainTextEdit, QTableView):
        for widget in page.findChildren(kind):
            inner = widget.objectName() == "qt_spinbox_lineedit"
            labelled = any(label.buddy() is widget for label in page.findChildren(QLabel))
            assert inner or labelled or widget.accessibleName() or widget.toolTip(), widget.objectName()
    for button in page.findChildren(QPushButton):
        assert button.text()
        assert button.objectName()


def test_texts_of_other_encodings_and_packed_files_are_left_to_the_reader(tmp_path):
    plain, packed, wide = (Path(tmp_path / name) for name in ("a.fa", "b.gz", "c.fa"))
    plain.write_text("\ufeff>a\nMKV\n", encoding="utf-8")
    packed.write_bytes(b"\x1f\x8b123")
    wide.write_text(">a\nMKV\n", encoding="utf-16")
    assert search_input.text_of(plain) == ">a\nMKV\n"
    assert search_input.text_of(packed) is None
    assert search_input.text_of(wide) is None


def test_masking_and_the_size_e_refers_to_reach_the_search(make_window, qtbot):
    window = make_window()
    window.begin()
    page = window.search_page
    qtbot.waitUntil(lambda: page.ready, timeout=20_000)
    scoring = page.scoring
    assert scoring._extra.isHidden()
    scoring._more.click()
    scoring._mask.click()
    scoring._max_hsps.setValue(7)
    qtbot.keyClicks(scoring._size, "123456789")
    qtbot.waitUntil(lambda: page.ready)
    request = page.request()
    assert request.mask
    assert request.effective_residues == 123_456_789
    assert request.max_hsps == 7
    assert "--dbsize 123456789 --mask --max-hsps 7" in page.command_line()


def test_rounds_reach_the_search_and_its_command(page, qtbot):
    page.load_sample_query()
    page.load_sample_database()
    qtbot.waitUntil(lambda: page.ready, timeout=20_000)
    scoring = page.scoring
    assert not isinstance(page.request(), IteratedSearch)
    assert not scoring._inclusion.isEnabled()
    scoring._more.click()
    scoring._rounds.setValue(4)
    scoring._inclusion.setCurrentIndex(scoring._inclusion.findData("careful"))
    scoring._edited()
    qtbot.waitUntil(lambda: page.ready)
    request = page.request()
    assert request.settings == IterationSettings(4, "careful")
    assert "--iterations 4 --preset careful" in page.command_line()
    assert "Up to 4 rounds" in plan_of(page)
    page.query.set_text(">dna\n" + "ACGTTGCA" * 8)
    qtbot.waitUntil(lambda: scoring.kind == "nucleotide", timeout=20_000)
    assert scoring._rounds.parentWidget().isHidden()


def test_some_organisms_are_searched(page, qtbot, tmp_path):
    path = tmp_path / "three.fasta"
    path.write_text(
        ">a OS=Homo sapiens OX=9606\nMKVLAW\n>b OS=Mus musculus OX=10090\nMKV\n>c OS=Homo sapiens OX=9606\nMK\n"
    )
    read(page, qtbot, PROTEINS)
    page.database.open(path)
    settle(page, qtbot)
    page.database.organisms.only.setText("Homo sapiens")
    assert not page.ready
    qtbot.waitUntil(lambda: page.ready)
    assert page.request().organisms.only == ("Homo sapiens",)
    assert "2 sequences: 624 cells" in plan_of(page)
    assert "--organism 'Homo sapiens'" in page.command_line()
    page.database.organisms.only.setText("Homo erectus")
    qtbot.waitUntil(lambda: "is of the organism 'Homo erectus'" in page.problem)
    assert not page.search_button.isEnabled()
