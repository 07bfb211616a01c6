"""The Search page: scores, limits, rounds and how it is laid out."""

import msgspec
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractSpinBox,
    QCheckBox,
    QComboBox,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QPushButton,
    QSpinBox,
    QTableView,
)

from swgui.core.contexts import NO_CONTEXT, OWN_CONTEXT
from swgui.core.profiles.iteration import IterationSettings
from swgui.core.search import Search
from swgui.gui.inputs.opened import sample_database
from swgui.gui.search import fields
from swgui.gui.search.page import SearchPage, sample_queries
from swgui.io.saved import facts
from tests.gui.search.page_by_hand import DNA, PROTEINS, choose, find, plan_of, read, settle, work_of


def test_the_welcome_speaks_of_the_sample_only_where_it_is(page, qtbot):
    welcome = find(page, QLabel, "welcomeText")
    read(page, qtbot, PROTEINS)
    assert "sample" not in welcome.text()
    page.load_sample_query()
    qtbot.waitUntil(lambda: "sample is in place" in welcome.text())


def test_an_empty_page_says_what_is_missing(page):
    assert page.problem.startswith("Add a sequence")
    assert plan_of(page) == page.problem
    assert not page.search_button.isEnabled()
    assert find(page, QPlainTextEdit, "queryBox").placeholderText()
    assert find(page, QLabel, "databaseName").text() == "No database yet"


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
    assert not find(page, QComboBox, "strand").isHidden()
    assert find(page, QSpinBox, "gapOpen").value() == 5
    find(page, QSpinBox, "gapOpen").setValue(6)
    read(page, qtbot, PROTEINS)
    settle(page, qtbot)
    assert find(page, QComboBox, "strand").isHidden()
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
    assert settings.search.protein.search == {"limits": {"max_evalue": 1e-5}}
    box.clear()
    qtbot.keyClicks(box, "3")
    qtbot.keyClick(box, Qt.Key.Key_Backspace)
    assert box.property("invalid") is True
    assert "E-value" in page.scoring.problem
    assert settings.search.protein.search == {"limits": {"max_evalue": 3.0}}


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
    page.scoring.set_matrix(str(path))
    qtbot.waitUntil(lambda: page.scoring.scheme is not None)
    assert page.scoring.scheme.matrix.score("A", "A") == 7
    assert find(page, QComboBox, "matrix").currentText() == "mine.mat"
    page.scoring.set_matrix(str(tmp_path / "none.mat"))
    qtbot.waitUntil(lambda: bool(page.scoring.problem) and "Reading" not in page.scoring.problem)


def test_narrow_pages_put_things_below_each_other(page, qtbot):
    page.resize(600, 700)
    table, box = find(page, QTableView, "queryTable"), find(page, QPlainTextEdit, "queryBox")
    qtbot.waitUntil(lambda: table.mapTo(page, QPoint(0, 0)).y() > box.mapTo(page, QPoint(0, 0)).y() + box.height() - 1)
    page.resize(1300, 800)
    qtbot.waitUntil(lambda: table.mapTo(page, QPoint(0, 0)).x() > box.mapTo(page, QPoint(0, 0)).x() + box.width() - 1)


def test_the_sample_is_one_click(page, qtbot):
    page.load_sample_query()
    page.load_sample_database()
    qtbot.waitUntil(lambda: page.ready)
    assert page.query.source == sample_queries()
    assert page.database.database.name == "Sample database"
    assert "HBA_HUMAN" in page.query.records[0].id
    assert str(sample_database()) in page.command_line()
    assert page.settings.recent.databases == []


def test_every_control_can_be_named_by_a_screen_reader(page):
    for kind in (QComboBox, QLineEdit, QSpinBox, QPlainTextEdit, QTableView):
        for widget in page.findChildren(kind):
            inner = widget.objectName() == "qt_spinbox_lineedit"
            labelled = any(label.buddy() is widget for label in page.findChildren(QLabel))
            assert inner or labelled or widget.accessibleName() or widget.toolTip(), widget.objectName()
    for button in page.findChildren(QPushButton):
        assert button.text()
        assert button.objectName()


def test_masking_and_the_size_e_refers_to_reach_the_search(make_window, qtbot):
    window = make_window()
    window.begin()
    page = window.search_page
    qtbot.waitUntil(lambda: page.ready)
    page.sheet.open()
    find(page, QCheckBox, "maskQuery").click()
    find(page, QSpinBox, "maxHsps").setValue(7)
    qtbot.keyClicks(find(page, QLineEdit, "effectiveResidues"), "123456789")
    qtbot.waitUntil(lambda: page.ready)
    request = page.request()
    assert request.search.mask
    assert request.search.limits.effective_residues == 123_456_789
    assert request.search.max_hsps == 7
    assert "--dbsize 123456789 --mask --max-hsps 7" in page.command_line()


def test_rounds_reach_the_search_and_its_command(page, qtbot):
    page.load_sample_query()
    page.load_sample_database()
    qtbot.waitUntil(lambda: page.ready)
    assert page.request().search.iteration is None
    assert find(page, QComboBox, "roundsPreset").isHidden()
    choose(find(page, QComboBox, "job"), "distant")
    assert page.request().search.iteration == IterationSettings()
    find(page, QSpinBox, "rounds").setValue(4)
    choose(find(page, QComboBox, "roundsPreset"), "careful")
    find(page, QLineEdit, "inclusion").setText("0.002")
    find(page, QLineEdit, "inclusion").textEdited.emit("0.002")
    qtbot.waitUntil(lambda: page.ready)
    request = page.request()
    assert request.search.iteration == IterationSettings(4, "careful", 0.002)
    assert "--iterations 4 --preset careful --inclusion-evalue 0.002" in page.command_line()
    assert "up to 4 rounds, including E up to 0.002" in find(page, QLabel, "settingsLine").text()
    choose(find(page, QComboBox, "context"), OWN_CONTEXT)
    qtbot.waitUntil(lambda: page.ready)
    assert page.request().search.context == OWN_CONTEXT
    assert "--context own" in page.command_line()
    source, costs = find(page, QLabel, "evalueSource"), find(page, QLabel, "gapCosts")
    assert source.text().startswith("Rounds have gap costs of their own: 5 bits for the first residue, 0.35 for each")
    assert costs.isHidden()
    choose(find(page, QComboBox, "job"), "relatives")
    assert source.text().startswith("Context scores have gap costs of their own")
    find(page, QCheckBox, "bothDirections").click()
    qtbot.waitUntil(lambda: page.ready and page.request().search.both_directions)
    assert "--both-directions" in page.command_line()
    choose(find(page, QComboBox, "context"), NO_CONTEXT)
    qtbot.waitUntil(lambda: source.text().startswith("E-values:"))
    assert not costs.isHidden()
    choose(find(page, QComboBox, "job"), "distant")
    page.query.set_text(">dna\n" + "ACGTTGCA" * 8)
    qtbot.waitUntil(lambda: find(page, QSpinBox, "rounds").isHidden())
    qtbot.waitUntil(lambda: page.ready)
    assert page.request().search.iteration is None
    assert page.request().search.context == NO_CONTEXT
    assert not page.request().search.both_directions


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
    assert page.request().search.organisms.only == ("Homo sapiens",)
    assert "2 sequences, exact" in plan_of(page)
    assert work_of(page).startswith("624 cells")
    assert "--organism 'Homo sapiens'" in page.command_line()
    page.database.organisms.only.setText("Homo erectus")
    qtbot.waitUntil(lambda: "is of the organism 'Homo erectus'" in page.problem)
    assert not page.search_button.isEnabled()


def test_a_parameter_gets_its_control_from_one_line(page, qtbot, monkeypatch, settings, tasks):
    """Record, option, manual and `FIELDS`: nothing else of the window names it."""
    wider = msgspec.defstruct("Wider", [("pace", int, 7)], bases=(Search,), frozen=True, kw_only=True)
    monkeypatch.setattr(facts, "Search", wider)
    monkeypatch.setattr("swgui.gui.search.settings.Search", wider)
    monkeypatch.setattr("swgui.gui.search.fields.Search", wider)
    line = fields.Field("pace", "pace", fields.STATISTICS, "Pace", fields.Whole(1, 9), "How fast.", said="pace {}")
    monkeypatch.setattr(fields, "FIELDS", (*fields.FIELDS, line))
    other = SearchPage(settings, tasks)
    qtbot.addWidget(other)
    other.load_sample_query()
    other.load_sample_database()
    qtbot.waitUntil(lambda: other.ready)
    assert find(other, QSpinBox, "pace").value() == 7
    find(other, QSpinBox, "pace").setValue(3)
    search = other.request().search
    assert search.pace == 3
    assert settings.search.protein.search == {"pace": 3}
    assert find(other, QLabel, "settingsLine").text().endswith("500 hits, pace 3.")
    other.scoring.use_preset("protein")
    qtbot.waitUntil(lambda: other.ready)
    assert other.request().search.pace == 7
    other.scoring.use(search)
    assert find(other, QSpinBox, "pace").value() == 3
    other.shutdown()


def test_few_controls_are_in_sight_at_the_first_start(page, qtbot):
    """Query, database, what is looked for, Search, and what opens the rest."""
    page.load_sample_query()
    page.load_sample_database()
    qtbot.waitUntil(lambda: page.ready)
    qtbot.waitUntil(find(page, QPushButton, "organismAsk").isVisible)
    qtbot.waitUntil(find(page, QPushButton, "welcomeProteome").isVisible)
    kinds = (QAbstractButton, QComboBox, QLineEdit, QAbstractSpinBox, QPlainTextEdit)
    shown = {each.objectName() for kind in kinds for each in page.findChildren(kind) if each.isVisible()}
    assert shown == {"welcomeTour", "welcomeSwissProt", "welcomeProteome", "welcomeStructures", "queryBox",
                     "queryPaste", "queryOpen", "queryMore", "databaseChoose", "organismAsk", "job", "changeSettings",
                     "copyMenu", "searchButton"}  # fmt: skip


def test_jobs_that_query_and_database_do_not_allow_say_why(page, qtbot):
    read(page, qtbot, PROTEINS)
    page.load_sample_database()
    settle(page, qtbot)
    box = find(page, QComboBox, "job")
    enabled = [bool(box.model().item(row).isEnabled()) for row in range(box.count())]
    assert enabled == [True, True, True, False, False]
    assert "give DNA" in box.itemData(3, Qt.ItemDataRole.ToolTipRole)
    choose(box, "shape")
    assert page.problem.startswith("Similar structures are found in a database of structures")
    choose(box, "relatives")
    qtbot.waitUntil(lambda: page.ready)
