"""The database on the Search page, and what a search in it will cost."""

from pathlib import Path

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QCheckBox, QComboBox, QLabel, QPushButton, QSpinBox

from swgui.core.alphabet import PROTEIN
from swgui.core.database import encode_database
from swgui.core.plain import replace
from swgui.core.profiles.pairs import quantised
from swgui.core.profiles.stored import StoredProfiles
from swgui.core.records import SequenceRecord
from swgui.core.translation.programs import Translation
from swgui.gui.inputs.build_dialog import BuildDialog
from swgui.gui.inputs.opened import Build, Opened, sample_database
from swgui.io.database.build import save_database
from swgui.io.database.file import database_facts, open_database
from swgui.io.database.packed.database import PackedDatabase
from swgui.io.database.structures import build_from_structures
from swgui.io.read_report import ReadReport
from swgui.settings import speed_key
from tests.gui.search.page_by_hand import DNA, PROTEINS, choose, find, plan_of, read, settle, work_of

TRP_CAGE = Path(__file__).parents[2] / "data" / "structures" / "1l2y.pdb"


def test_a_sequence_file_becomes_the_database(page, qtbot, database_file, settings):
    with qtbot.waitSignal(page.database.opened):
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
    assert request.search.strand == "plus"


def test_the_row_of_the_database_says_whether_it_fits_the_gpu(page, qtbot, database_file):
    with qtbot.waitSignal(page.database.opened):
        page.database.open(database_file)
    facts = find(page, QLabel, "databaseFacts")
    assert "GPU" not in facts.text()
    assert "file of 20" in facts.text()
    page.database.set_gpu_memory(1 << 30)
    assert "fits the GPU" in facts.text()
    page.database.set_gpu_memory(10)
    assert "sent in parts" in facts.text()


def test_a_database_that_cannot_be_read_says_why(page, qtbot, tmp_path):
    path = tmp_path / "broken.swdb"
    path.write_bytes(b"not a database")
    with qtbot.waitSignal(page.database.failed):
        page.database.open(path)
    assert page.database.database is None
    assert "broken.swdb" in find(page, QLabel, "databaseFacts").text()
    assert "broken.swdb" in page.database.problem


def test_opening_can_be_given_up_and_the_database_before_stays(page, qtbot, database_file):
    with qtbot.waitSignal(page.database.opened):
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
    dialog.add([database_file.with_name("other.fasta")])
    assert dialog.name.text() == "Größe 1 and 1 more"
    dialog.sources.pop()
    dialog.name.setText("a/b: my base")
    assert dialog.out == user_folders["data"] / "databases" / "a_b_ my base.swdb"
    assert any(button.text() == "Build" and button.isEnabled() for button in build)
    with qtbot.waitSignal(page.database.opened) as opened:
        dialog.packed.setChecked(True)
        page.database.build(dialog.asked)
    assert opened.args[0].path == dialog.out
    assert database_facts(dialog.out).packed is not None
    dialog.name.setText("a/b: my base ")
    assert not any(button.text() == "Build" and button.isEnabled() for button in build)


def test_several_databases_are_searched_as_one(page, qtbot, database_file, tmp_path):
    other, dna = tmp_path / "other.fasta", tmp_path / "dna.fasta"
    other.write_text(">x\nMKVLWAALLVTFLAGCQAKVEQAVETEPEPELRQQTEWQSGQ\n")
    dna.write_text(">d\n" + "ACGTTAGCATCGATCAGC" * 9 + "\n")
    name, facts = find(page, QLabel, "databaseName"), find(page, QLabel, "databaseFacts")

    def searched_too(path):
        with qtbot.waitSignal(page.database.changed):
            page.database.add(path)
        qtbot.waitUntil(lambda: not page.database.busy)

    for path in (database_file, other):
        searched_too(path)
    assert page.database.paths == (database_file, other)
    assert name.whole_text() == "Größe 1 + other"
    assert facts.text().startswith("2 databases, ranked as one · 4 sequences")
    for refused, why in ((other, "searched already"), (dna, "is nucleotide")):
        searched_too(refused)
        assert why in facts.text()
        assert len(page.database.database) == 4
    read(page, qtbot, PROTEINS)
    settle(page, qtbot)
    assert [member.name for member in page.request().database.members] == ["Größe 1", "other"]
    assert page.command_line().count(" -d ") == 2
    assert "['" in page.python_call()
    menu = page.database.choose_button.menu()
    menu.aboutToShow.emit()
    next(action for action in menu.actions() if action.text() == "Leave out Größe 1").trigger()
    assert page.database.paths == (other,)
    assert name.whole_text() == "other"


def test_a_database_that_is_read_in_blocks_says_what_a_search_waits_for(page, qtbot, database_file, tmp_path):
    packed, waits = tmp_path / "packed.swdb", find(page, QLabel, "databaseWaits")
    with qtbot.waitSignal(page.database.opened):
        page.database.build(Build((database_file,), packed, "packed", packed=True))
    assert not isinstance(page.database.database, PackedDatabase)  # there is memory for it
    assert waits.isHidden()
    with qtbot.waitSignal(page.database.opened):
        page.database.open(packed)
    assert waits.isHidden()  # it is in memory
    page.database.take(Opened(packed, open_database(packed, in_blocks=True), ReadReport()))
    qtbot.waitUntil(lambda: not waits.isHidden())
    assert waits.text().startswith("9.2 kB, ")
    assert "the drive at" in waits.text()


def test_a_dna_query_is_translated_for_a_protein_database(page, qtbot, database_file, settings):
    page.database.open(database_file)
    read(page, qtbot, DNA)
    settle(page, qtbot)
    qtbot.waitUntil(lambda: page.ready)
    assert page.job == "genes"
    said = page.findChild(QLabel, "translationSaid")
    assert said.text() == "The query is translated in six frames, genetic code 1 (blastx)."
    assert page.request().translation == Translation("blastx")
    assert page.request().scheme.alphabet is PROTEIN
    code, frames = (page.findChild(QComboBox, name) for name in ("queryCode", "frames"))
    for box, text in ((code, "11  "), (frames, "of the plus strand")):
        box.setCurrentIndex(box.findText(text, Qt.MatchFlag.MatchStartsWith))
        box.activated.emit(box.currentIndex())
    qtbot.waitUntil(lambda: page.ready)
    assert page.request().translation == Translation("blastx", 11, frames=(1, 2, 3))
    assert settings.search.translation["query_code"] == 11
    assert "--program blastx --query-code 11 --frames plus" in page.command_line()
    shifts = page.findChild(QSpinBox, "frameshift")
    shifts.setValue(1)
    qtbot.waitUntil(lambda: "There are no E-values: they were calibrated for frameshifts that cost 10" in plan_of(page))
    shifts.setValue(0)
    shifts.stepUp()
    assert shifts.value() == 15
    qtbot.waitUntil(lambda: page.ready)
    assert page.request().translation == Translation("blastx", 11, frames=(1, 2, 3), shift=15)
    assert "cost of 15" in find(page, QLabel, "settingsLine").text()
    assert find(page, QCheckBox, "allowShifts").isChecked()
    assert page.job == "reads"
    assert settings.search.translation["shift"] == 15
    assert "--frameshift 15" in page.command_line()
    read(page, qtbot, PROTEINS)
    settle(page, qtbot)
    qtbot.waitUntil(lambda: page.ready)
    assert not said.isVisible()
    assert page.request().translation is None


def test_dna_against_dna_is_translated_where_that_is_chosen(page, qtbot, tmp_path):
    (tmp_path / "dna.fasta").write_text(">d\nACGTTGCATGCCGATTACGATCGACTAGCTAGCATCGACTAGCATCAGCAGCGACTACG\n")
    page.database.open(tmp_path / "dna.fasta")
    read(page, qtbot, DNA)
    settle(page, qtbot)
    qtbot.waitUntil(lambda: page.ready)
    assert page.request().translation is None
    choose(page.findChild(QComboBox, "job"), "genes")
    qtbot.waitUntil(lambda: page.ready and page.request().scheme.alphabet is PROTEIN)
    assert page.request().translation == Translation("tblastx")


def test_the_plan_counts_cells_and_uses_the_remembered_speed(page, qtbot, database_file, settings):
    page.engine.probe()
    qtbot.waitUntil(lambda: page.engine.choice.runs_on[0] == "cpu")
    page.database.open(database_file)
    read(page, qtbot, PROTEINS)
    settle(page, qtbot)
    residues = page.database.database.residues
    assert work_of(page).startswith(f"{78 * residues / 1000:.2f} k cells")
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
    assert work_of(page).startswith(f"{both / 1000:.1f} k cells")
    assert page.request().search.strand == "both"
    choose(find(page, QComboBox, "strand"), "minus")
    settle(page, qtbot)
    assert work_of(page).startswith(f"{both / 2000:.1f} k cells")
    assert "--strand minus" in page.command_line()


def test_without_a_gpu_the_reason_and_the_way_out_are_on_the_page(page, qtbot):
    page.engine.probe()
    note = find(page, QLabel, "engineNote")
    qtbot.waitUntil(lambda: "No CUDA GPU was found." in note.text())
    assert "same results" in note.text()
    box = find(page, QComboBox, "engine")
    row = box.findText("GPU: not available")
    assert not box.model().item(row).isEnabled()
    assert not find(page, QPushButton, "engineAgain").isHidden()


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


def test_the_menu_lists_databases_used_before(page, qtbot, database_file, tmp_path):
    with qtbot.waitSignal(page.database.opened):
        page.database.open(database_file)
    page.settings.recent.databases.append(str(tmp_path / "older.swdb"))
    menu = find(page, QPushButton, "databaseChoose").menu()
    qtbot.waitUntil(lambda: bool(page.database.known))
    menu.aboutToShow.emit()
    texts = [action.text() for action in menu.actions() if not action.isSeparator()]
    assert texts[0] == "Größe 1   3 sequences, protein"
    others = ["Choose a file…", "Search another one, too", "Build a database…", "Sample database",
              "Of another computer…"]  # fmt: skip
    assert texts[1:] == ["older.swdb", *others]
    page.database.open(sample_database())
    qtbot.waitUntil(lambda: not page.database.busy)
    menu.actions()[0].trigger()
    qtbot.waitUntil(lambda: page.database.path == database_file)


def test_symbols_of_models_are_masked_on_request(qtbot, database_file, tmp_path, user_folders, theme):
    dialog = BuildDialog("")
    qtbot.addWidget(dialog)
    mask = find(dialog, QSpinBox, "buildMask")
    dialog.show()
    assert not mask.isVisible()
    dialog.add([tmp_path])  # a folder is one of structures
    assert mask.isVisible()
    mask.setValue(50)
    assert dialog.asked.min_plddt == 50
    dialog.add([database_file])
    assert not mask.isVisible()
    assert dialog.asked.min_plddt == 0


def test_it_says_beforehand_whether_symbols_count(page, qtbot, database_file, tmp_path):
    models = tmp_path / "models.swdb"
    build_from_structures([TRP_CAGE], models)
    with qtbot.waitSignal(page.database.opened):
        page.database.open(models)
    assert "with 3Di symbols" in find(page, QLabel, "databaseFacts").text()
    page.query.open_file(TRP_CAGE)
    qtbot.waitUntil(lambda: page.ready)
    assert page.query.reading.detected.rows[0].remarks.startswith("with 3Di symbols")
    assert "Residues and 3Di symbols are scored together" in plan_of(page)
    read(page, qtbot, PROTEINS)
    settle(page, qtbot)
    alone = "Residues alone are scored: the queries have no structure symbols (searches in rounds take none)."
    assert alone in plan_of(page)
    with qtbot.waitSignal(page.database.opened):
        page.database.open(database_file)
    settle(page, qtbot)
    assert "count" not in plan_of(page)


def test_a_database_of_profiles_says_what_a_search_does(page, qtbot, tmp_path):
    columns, background = np.full((4, 20), 0.05, dtype=np.float32), np.full(20, 0.05)
    database = encode_database([SequenceRecord("family", "", b"MKVL")], PROTEIN, "profiles")
    pairs = quantised([columns], background)
    profiles = StoredProfiles(pairs, np.full(4, 10, dtype=np.uint8), background, "by hand")
    save_database(replace(database, profiles=profiles), tmp_path / "profiles.swdb")
    with qtbot.waitSignal(page.database.opened):
        page.database.open(tmp_path / "profiles.swdb")
    assert "a profile of each" in find(page, QLabel, "databaseFacts").text()
    assert page.database.database.subject_kind.line in {label.text() for label in page.findChildren(QLabel)}
