"""The Find by rule page: from pasted text to an exported file, each task once, Stop, and wrong input."""

from __future__ import annotations

import csv
import io
import json
import re
import threading

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QComboBox, QDialog, QInputDialog, QLabel, QLineEdit, QPlainTextEdit, QPushButton, QSpinBox

from swgui.core.engines import EngineOptions
from swgui.core.errors import Stopped
from swgui.gui.kit.tasks.pool import Tasks
from swgui.gui.rules.entry import COMMANDS
from swgui.gui.rules.page import RulePage
from swgui.gui.rules.work import TableJob
from swgui.gui.runs.page import RunsPage
from swgui.gui.runs.queue import RunQueue, SearchController
from swgui.io.tables.rule_page import certificate_page
from swgui.jobs.rules import blocks
from swgui.runs import Runs
from swgui.settings import Settings

PEPTIDES = ">p1\nWAALLVTFL\n>p2\nKKKKKKKKK\n"
PROTEIN = (
    "MKVLWAALLVTFLAGCQAKVEQAVETEPEPELRQQTEWQSGQRWELALGRFWDYLRWVQT"
    "LSEQVQEELLSSQVTQELRALMDETMKELKAYKSELEEQLTPVAEETRARLSKELQ"
)
GENOME = "ATGACGTTAGCCGATCGATCGGATTACAGGCTTACCGGATCTTGGAACGTTGCACTGATCCGGTTAACGGTCA"


@pytest.fixture
def files(tmp_path):
    proteins = tmp_path / "some proteins.fasta"
    proteins.write_text(f">one of two\n{PROTEIN}\n>two\nMMWAALLVTYLMM\n")
    genome = tmp_path / "genome.fna"
    genome.write_text(f">chr\n{GENOME}\n")
    return {"protein": proteins, "nucleotide": genome}


@pytest.fixture
def make_page(shown, theme, user_folders):
    return lambda history=None: shown(
        RulePage(Settings(), lambda: ("cpu", EngineOptions()), history or Runs()), 1200, 820
    )


def text_of(page, name):
    return page.findChild(QLabel, name).text().replace("\N{NO-BREAK SPACE}", " ")


def fill(page, qtbot, database, text):
    page.database.open(database)
    page.queries.set_text(text)
    qtbot.waitUntil(lambda: not page.database.busy and not page.queries.busy)


def find(page, qtbot):
    qtbot.waitUntil(lambda: page.ready)
    qtbot.mouseClick(page.findChild(QPushButton, "ruleFind"), Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: page.result is not None and not page.running)
    qtbot.waitUntil(lambda: page.tasks.idle)
    return page.result


def test_from_pasted_text_to_files(make_page, qtbot, files, tmp_path):
    page = make_page()
    assert "Add a sequence first." in text_of(page, "rulePlan")
    fill(page, qtbot, files["protein"], PEPTIDES)
    assert text_of(page, "ruleSentence").endswith("without gaps and with no mismatches.")
    page.findChild(QSpinBox, "rule-peptides-mismatches").setValue(1)
    assert text_of(page, "ruleSentence").endswith("at most 1 mismatch.")
    find(page, qtbot)
    assert text_of(page, "ruleVerdict") == "2 places"
    assert "There are no others." in text_of(page, "ruleVerdictSentence")
    view = page.view
    assert [view.table.rows_model.index(row, 2).data() for row in range(2)] == ["one", "two"]
    lines = view.answer.table.rows_model
    heads = [column.title for column in lines.heads]
    view.answer.table.clicked.emit(lines.index(0, heads.index("1")))  # a number shows the places that it counts
    qtbot.waitUntil(lambda: view.table.rows_model.rows.tolist() == [1])
    assert text_of(page, "ruleShown").endswith(", 1: 1 of 2 places")
    qtbot.mouseClick(page.findChild(QPushButton, "ruleShowAll"), Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: len(view.table.rows_model.rows) == 2)
    view.table.selectRow(1)
    shown = page.findChild(QPlainTextEdit, "ruleAlignment")
    qtbot.waitUntil(lambda: "WAALLVTYL" in shown.toPlainText())
    assert "||||||| |" in shown.toPlainText()
    for name, begin in (("tsv", "qseqid\tsseqid\tsstart"), ("bed", "one\t4\t13\tp1"), ("gff3", "##gff-version 3"),
                        ("pepmatch", "Query ID,Query Sequence")):  # fmt: skip
        dialog = view.export()
        dialog.choose(name)
        path = tmp_path / f"places.{name}"
        with qtbot.waitSignal(dialog.saved):
            dialog.save_to(path)
        assert path.read_text().startswith(begin)
    with (tmp_path / "places.tsv").open() as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    assert [(row["sseqid"], row["sstart"], row["send"], row["differences"]) for row in rows] == [
        ("one", "5", "13", "0"), ("two", "3", "11", "1"),
    ]  # fmt: skip
    for name in ("json", "html", "pdf"):
        dialog = view.certificate()
        dialog.choose(name)
        with qtbot.waitSignal(dialog.saved):
            dialog.save_to(tmp_path / f"certificate.{name}")
    pdf = (tmp_path / "certificate.pdf").read_bytes()
    assert pdf.startswith(b"%PDF")
    assert len(re.findall(rb"/Type /Page\b", pdf)) == 1
    assert "at most 1 mismatch" in (tmp_path / "certificate.html").read_text()
    facts = json.loads((tmp_path / "certificate.json").read_text())
    assert (facts["found"], facts["left_out"], facts["tested"]) == (2, 0, facts["expected"])
    assert facts["command"].startswith("swgui rule peptides -q queries.fasta -d '")
    assert "--mismatches 1" in facts["command"]


@pytest.mark.parametrize(
    ("task", "kind", "text", "places"),
    [
        ("peptides", "protein", ">p\nWAALLVTFL\n", 1),
        ("edits", "protein", ">p\nWAALVTFL\n", 1),
        ("identity", "protein", f">p\n{PROTEIN[:60]}\n", 1),
        ("window", "protein", f">p\n{PROTEIN[5:100]}\n", 1),
        ("words", "protein", ">p\nWAALLVTFLA\n", 1),
        ("guides", "nucleotide", f">g\n{GENOME[10:20]}\n", 1),
        ("primers", "nucleotide", f">f\n{GENOME[:12]}\n>r\nTGACCGTTAACC\n", 1),
    ],
)
@pytest.mark.sampled(4)
def test_each_task(make_page, qtbot, files, tmp_path, task, kind, text, places):
    page = make_page()
    fill(page, qtbot, files[kind], text)
    qtbot.mouseClick(page.form.tasks[task], Qt.MouseButton.LeftButton)
    shown = {name for name, controls in page.form.controls.items() for c in controls.values() if not c.isHidden()}
    assert shown == {task}
    if task == "guides":
        page.form.controls["guides"]["pam"].control.setText("n")
    result = find(page, qtbot)
    assert result.request.rule.name == task
    assert len(result.places) >= places
    assert result.run.complete
    assert page.findChild(QPlainTextEdit, "ruleAlignment").toPlainText()
    with qtbot.waitSignal(page.place_wanted) as wanted:
        page.view.show_on_sequence()
    (place,) = wanted.args
    assert (place.start, place.end) in zip(result.places.start.tolist(), result.places.end.tolist(), strict=True)
    *primers, found = place.marks()
    assert len(found.names) == int((result.places.subject == place.db_index).sum())
    if task == "primers":
        assert primers[0].names[: len(found.names)] == ("f",) * len(found.names)
        assert (primers[0].ends - primers[0].starts).tolist() == [12] * (2 * len(found.names))
    if task == "window":
        assert text_of(page, "ruleBackground").startswith("By chance: with the residues of each query in 10 random")
        assert len(page.result.facts["background"]["subjects_passing"]) == 10
        assert "By chance: with the residues of each query" in certificate_page(page.result.facts)
        heads = [column.title for column in page.view.table.rows_model.heads]
        assert heads[heads.index("Identity") + 1] == "FASTA"
        dialog = page.view.export()
        with qtbot.waitSignal(dialog.saved):
            dialog.save_to(tmp_path / "windows.tsv")
        (row,) = csv.DictReader((tmp_path / "windows.tsv").read_text().splitlines(), delimiter="\t")
        assert (row["identity"], row["fasta_identity"]) == ("100.00", "100.00")


def test_nothing_found_is_a_result(make_page, qtbot, files):
    page = make_page()
    fill(page, qtbot, files["protein"], ">p\nHHHHHHHHH\n")
    find(page, qtbot)
    assert text_of(page, "ruleNoneTitle") == "None"
    assert text_of(page, "ruleNoneText").startswith("No place in the 2 sequences of ")
    assert page.findChild(QLabel, "ruleNoneTitle").isVisible()
    assert not page.view.export_button.isEnabled()
    assert "rule-result" in page.states()
    assert "rule-places" not in page.states()


def test_the_table_and_the_dialogs_follow_the_text_size(make_page, qtbot, theme, files):
    page = make_page()
    fill(page, qtbot, files["protein"], PEPTIDES)
    find(page, qtbot)
    table = page.view.table
    theme.use(scale=200)
    try:
        qtbot.waitUntil(lambda: table.verticalHeader().defaultSectionSize() >= table.fontMetrics().height())
        header = table.horizontalHeader()
        fits = lambda: all(table.columnWidth(at) >= header.sectionSizeHint(at) for at in range(header.count() - 1))  # noqa: E731
        qtbot.waitUntil(fits)
        for dialog in (page.view.export(), page.view.certificate()):
            room = dialog.screen().availableSize()
            assert dialog.width() <= room.width()
            assert dialog.height() <= room.height()
            dialog.close()
    finally:
        theme.use(scale=100)


def test_stop_keeps_what_was_found_and_resume_goes_on(make_page, qtbot, files, monkeypatch):
    monkeypatch.setattr(blocks, "SMALLEST", 1)
    page = make_page()
    fill(page, qtbot, files["protein"], PEPTIDES)
    page.form.controls["peptides"]["mismatches"].control.setValue(1)
    qtbot.waitUntil(lambda: page.ready)
    reached, go_on = threading.Event(), threading.Event()
    scan = blocks.scan_block

    def held(scanned, database, block):
        if block.first:
            reached.set()
            go_on.wait(60)
            raise Stopped("Stopped.")
        return scan(scanned, database, block)

    monkeypatch.setattr("swgui.jobs.rules.run.scan_block", held)
    page.start()
    qtbot.waitUntil(reached.is_set)
    assert page.running
    assert "rule-running" in page.states()
    page.stop()
    assert not page.stop_button.isEnabled()
    go_on.set()
    qtbot.waitUntil(lambda: page.result is not None and not page.running)
    assert text_of(page, "ruleVerdict") == "1 place so far"
    assert page.database.recent.databases == [str(files["protein"])]  # which every page offers
    assert "this list is not complete" in text_of(page, "ruleVerdictSentence")
    assert page.result.facts["left_out"] == 1
    monkeypatch.setattr("swgui.jobs.rules.run.scan_block", scan)
    qtbot.mouseClick(page.findChild(QPushButton, "ruleResume"), Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: not page.running and page.result.run.complete)
    assert text_of(page, "ruleVerdict") == "2 places"
    assert page.result.facts["resumed"]


def test_wrong_input_is_said_at_the_field(make_page, qtbot, files):
    page = make_page()
    fill(page, qtbot, files["protein"], PEPTIDES)
    page.form.choose("identity")
    line = page.findChild(QLineEdit, "rule-identity-identity")
    for typed in ("0.7", "abc", "", "170"):
        line.setText(typed)
        assert "at most 100 %" in text_of(page, "rule-identity-identity-error")
        assert not page.ready
    line.setText("2/3")
    assert text_of(page, "rule-identity-identity-error") == ""
    assert "at least 66.67 % identity" in text_of(page, "ruleSentence")
    page.form.choose("guides")
    page.findChild(QLineEdit, "rule-guides-pam").setText("NG!")
    assert "IUPAC letters" in text_of(page, "rule-guides-pam-error")
    page.findChild(QLineEdit, "rule-guides-pam").setText("NGG")
    said = lambda begin: qtbot.waitUntil(lambda: text_of(page, "rulePlan").startswith(begin))  # noqa: E731
    said("Guides are nucleotide sequences, but these are protein.")
    page.form.choose("primers")
    page.findChild(QSpinBox, "rule-primers-longest").setValue(10)
    assert "must be 50" in text_of(page, "rule-primers-longest-error")
    page.form.choose("peptides")
    page.findChild(QSpinBox, "rule-peptides-mismatches").setValue(9)
    said("Query p1 is 9 long: with 9 differences every place")
    page.findChild(QSpinBox, "rule-peptides-mismatches").setValue(0)
    page.database.open(files["nucleotide"])
    said("The queries look like protein, the database is DNA or RNA: a rule compares sequences of one kind.")
    assert page.findChild(QLabel, "rulePlan").property("tone") == "warning"


def test_the_foot_says_which_queries_are_the_same(make_page, qtbot, files):
    page = make_page()
    fill(page, qtbot, files["protein"], ">a\nWAALLVTFL\n>b\nWAALLVTFL\n")
    qtbot.waitUntil(lambda: page.ready)
    assert "same sequence (a, b)" in text_of(page, "rulePlan")
    assert not page.findChild(QLabel, "rulePlan").property("tone")  # nothing is wrong with it


def test_the_sentence_says_what_ambiguous_residues_mean(make_page):
    page = make_page()
    box = page.findChild(QComboBox, "ruleAmbiguous")
    box.setCurrentIndex(box.findData("wild"))
    assert text_of(page, "ruleAmbiguousMeaning").endswith("X matches every residue.")
    box = page.form.equate_box
    assert not box.isHidden()
    box.click()
    assert "I, L and J match each other" in text_of(page, "ruleAmbiguousMeaning")
    page.form.choose("primers")
    assert box.isHidden()
    assert "N matches every residue." in text_of(page, "ruleAmbiguousMeaning")
    assert page.form.strands_part.isHidden()


def test_a_guide_with_its_pam_is_found_and_one_without_a_place_is_named(make_page, qtbot, files):
    page = make_page()
    site = "TAGCGAGAACAGAGAAATAG"
    files["nucleotide"].write_text(f">k\nTTTACGT{site}CGGTTAC\n")
    fill(page, qtbot, files["nucleotide"], f">g1\n{site}CGG\n>g2\nTGACGATTCAGCCATTAGCA\n")
    page.form.choose("guides")
    qtbot.waitUntil(lambda: page.ready)
    note = "Query g1 ended with CGG, which fits the PAM NGG: it was left off."
    assert note in text_of(page, "rulePlan")
    assert len(find(page, qtbot).places) == 1
    assert "no place: g2." in text_of(page, "ruleVerdictSentence")
    assert note in certificate_page(page.result.facts)
    box = page.form.pam_box
    box.setCurrentIndex(box.findData("no"))
    page.view.result = None
    assert not len(find(page, qtbot).places)
    assert " --with-pam no " in f"{page.command()} "


def test_an_allergen_check_that_cannot_be_met_is_refused_or_named(make_page, qtbot, files):
    page = make_page()
    fill(page, qtbot, files["protein"], f">short\n{PROTEIN[:25]}\n")
    page.form.choose("window")
    said = lambda text: qtbot.waitUntil(lambda: text in text_of(page, "rulePlan"))  # noqa: E731
    said("Query short cannot be met by any place: at most 25 of 80 residues (31.25 %) can be identical")
    assert not page.ready
    page.queries.set_text(f">short\n{PROTEIN[:25]}\n>other\n{'W' * 80}\n")
    said("1 of 2 queries cannot be met, so the result says nothing about it: short (at most 25 of 80 residues")
    find(page, qtbot)
    assert "can be met." in text_of(page, "ruleNoneText")
    assert "cannot be met" in text_of(page, "ruleNoneText")


def test_a_tail_of_a_primer_is_hinted_at(make_page, qtbot, files):
    page = make_page()
    turned = GENOME[-20:].translate(str.maketrans("ACGT", "TGCA"))[::-1]
    fill(page, qtbot, files["nucleotide"], f">f\nTAATACGACTCACTATAGGG{GENOME[:20]}\n>r\n{turned}\n")
    page.form.choose("primers")
    find(page, qtbot)
    assert "leave off 5' tails" in text_of(page, "ruleNoneText")


def test_a_primer_on_the_wrong_strand_is_turned_with_one_button(make_page, qtbot, files):
    page = make_page()
    fill(page, qtbot, files["nucleotide"], f">f\n{GENOME[:20]}\n>r\n{GENOME[-20:]}\n")
    page.form.choose("primers")
    found = find(page, qtbot)
    assert "reverse complement of" in text_of(page, "ruleNoneText")
    first, second = page.view.repair_buttons
    assert (first.text(), second.isHidden()) == ("Turn r round", True)
    qtbot.mouseClick(first, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: page.result is not found and page.result is not None and not page.running)
    assert len(page.result.places) == 1
    assert first.isHidden()
    qtbot.waitUntil(lambda: "Tm " in page.view.alignment.toPlainText())


def test_a_table_of_the_users_own_joins_the_places(make_page, qtbot, files, tmp_path):
    page = make_page()
    fill(page, qtbot, files["protein"], f">q\n{PROTEIN[:30]}\n")
    page.form.choose("peptides")
    result = find(page, qtbot)
    name = result.database.ids[int(result.places.subject[0])]
    (tmp_path / "own.csv").write_text(f"id,group,mass\n{name},reference,20.5\n")
    said = []
    page.message.connect(said.append)
    page.view.add_table(tmp_path / "own.csv")
    table = page.view.table.rows_model
    qtbot.waitUntil(lambda: [column.key for column in table.source.columns][-2:] == ["group", "mass"])
    qtbot.waitUntil(lambda: any(text.startswith("own.csv: ") for text in said))
    assert [column.text(0) for column in table.source.columns[-2:]] == ["reference", "20.5"]
    page.view.filter.setText("reference")
    qtbot.waitUntil(lambda: len(table.rows) == len(result.places))
    page.view.filter.setText("elsewhere")
    qtbot.waitUntil(lambda: not len(table.rows))
    job = TableJob(result, "tsv", page.view.own)
    job.save(tmp_path / "places.tsv", lambda *_: None, threading.Event())
    lines = [line.split("\t") for line in (tmp_path / "places.tsv").read_text().splitlines()]
    assert (lines[0][-2:], lines[1][-2:]) == (["group", "mass"], ["reference", "20.5"])
    find(page, qtbot)  # the next result has them as well
    qtbot.waitUntil(lambda: [column.key for column in table.source.columns][-1] == "mass")


def test_places_have_the_stars_and_notes_of_their_sequences(make_page, qtbot, files, tmp_path):
    page = make_page()
    fill(page, qtbot, files["protein"], PEPTIDES)
    page.findChild(QSpinBox, "rule-peptides-mismatches").setValue(1)
    result, view = find(page, qtbot), page.view
    table, name = view.table, result.database.ids[int(result.places.subject[0])]
    others = [place for place in result.places.subject.tolist() if result.database.ids[place] != name]
    qtbot.waitUntil(lambda: len(table.rows_model.rows) == 2)
    assert table.rows_model.index(0, 0).data() == "☆"
    table.clicked.emit(table.rows_model.index(0, 0))
    assert table.rows_model.index(0, 0).data() == "★"
    view.marks.write(name, "first\nchoice")
    keys = [column.key for column in table.source.columns]
    assert keys[:4] == ["star", "qseqid", "sseqid", "note"]
    assert table.rows_model.index(0, 3).data() == "first choice"
    view.starred.click()
    qtbot.waitUntil(lambda: len(table.rows_model.rows) == 2 - len(others))
    view.starred.click()
    table.sort_by("star")
    qtbot.waitUntil(lambda: table.rows_model.rows[0] == 0)
    TableJob(result, "csv", marks=view.marks.as_table()).save(
        tmp_path / "places.csv", lambda *_: None, threading.Event()
    )
    rows = list(csv.DictReader(io.StringIO((tmp_path / "places.csv").read_text())))
    assert [row["project_star"] for row in rows if row["sseqid"] == name] == ["★"] * (2 - len(others))
    assert rows[0]["project_note"] == "first choice"
    table.selectRow(0)
    qtbot.keyClick(table, Qt.Key.Key_S)  # takes it back
    assert not view.marks.of(name).star
    qtbot.keyClick(table, Qt.Key.Key_N)
    dialog = table.findChild(QInputDialog, "noteDialog")
    assert dialog.textValue() == "first\nchoice"
    dialog.setTextValue("")
    dialog.accept()
    assert not view.marks.book


def test_a_record_is_read_across_its_origin(make_page, qtbot, files):
    page = make_page()
    fill(page, qtbot, files["nucleotide"], f">q\n{GENOME[-9:] + GENOME[:9]}\n")
    assert not page.form.circular_box.isHidden()
    find(page, qtbot)
    assert "read as linear" in text_of(page, "ruleNoneText")
    page.form.circular_box.setChecked(True)
    page.view.result = None
    result = find(page, qtbot)
    assert len(result.places) == 1
    assert "read as circular" in text_of(page, "ruleVerdictSentence")
    table = page.view.table.rows_model
    keys = [column.key for column in table.heads]
    ends = [table.index(0, keys.index(key)).data().strip() for key in ("sstart", "send")]
    assert ends == [str(len(GENOME) - 8), "9"]
    assert " --circular " in f"{page.command()} "
    page.form.choose("peptides")
    page.queries.set_text(">p\nWAALLVTFL\n")
    qtbot.waitUntil(lambda: page.form.circular_box.isHidden())
    assert not page.form.circular


def test_no_control_is_no_success(make_page, qtbot, files):
    page = make_page()
    fill(page, qtbot, files["nucleotide"], ">f\nACGTTGCATTAC\n>r\nTTGACCATGGCA\n")
    page.form.choose("primers")
    page.findChild(QSpinBox, "rule-primers-shortest").setValue(12)
    page.findChild(QSpinBox, "rule-primers-longest").setValue(20)
    find(page, qtbot)
    assert "No control" in text_of(page, "ruleNoneText")
    assert "no control planted" in text_of(page, "ruleChecks")


def test_guides_may_be_looked_for_on_the_plus_strand_alone(make_page, qtbot, files):
    page = make_page()
    turned = GENOME[40:55].translate(str.maketrans("ACGT", "TGCA"))[::-1]
    fill(page, qtbot, files["nucleotide"], f">g\n{turned}\n")
    page.form.choose("guides")
    page.form.controls["guides"]["pam"].control.setText("n")
    page.form.controls["guides"]["mismatches"].control.setValue(0)
    assert not page.form.strands_part.isHidden()
    assert set(find(page, qtbot).places.strand) == {-1}
    page.form.strands_box.setCurrentIndex(page.form.strands_box.findData("plus"))
    page.view.result = None
    assert not len(find(page, qtbot).places)
    assert " --strand plus " in f"{page.command()} "
    assert text_of(page, "ruleAsked").endswith("strand is searched.")


def test_the_command_and_the_files_of_a_drop(make_page, qtbot, files, tmp_path):
    page = make_page()
    queries = tmp_path / "guides.fa"
    queries.write_text(f">g\n{GENOME[10:20]}\n")
    page.use_queries((queries,))
    page.use_database(files["nucleotide"])
    page.form.choose("guides")
    page.form.controls["guides"]["dna_bulges"].control.setValue(1)
    page.form.controls["guides"]["side"].control.setCurrentIndex(1)
    qtbot.waitUntil(lambda: page.ready)
    database = files["nucleotide"]
    assert page.command() == (
        f"swgui rule guides -q {queries} -d {database} --type nucleotide --engine cpu --pam-side 5 --dna-bulges 1"
    )
    page.copy_python()
    assert QGuiApplication.clipboard().text() == (
        "import swgui\n\nfound = swgui.rule(\n"
        f"    'guides',\n    '{queries}',\n    '{database}',\n    type='nucleotide',\n"
        "    engine='cpu',\n    pam_side='5',\n    dna_bulges=1,\n)\n"
    )


def test_the_window_finds_by_rule(make_window, qtbot, files, monkeypatch):
    window = make_window()
    window.show_page("rules")
    page = window.pages["rules"]
    fill(page, qtbot, files["protein"], PEPTIDES)
    qtbot.waitUntil(lambda: page.ready)
    assert window.actions_table["run"].text() == "&Find"
    window.actions_table["run"].trigger()
    qtbot.waitUntil(lambda: page.result is not None)
    monkeypatch.setattr("swgui.gui.rules.page.QFileDialog.getOpenFileNames", lambda *args: ([], ""))
    monkeypatch.setattr("swgui.gui.rules.page.QFileDialog.getOpenFileName", lambda *args: ("", ""))
    names = [command.id for command in COMMANDS]
    for name in names:
        assert window.actions_table[name].isEnabled() == (name != "rule-stop"), name
        window.actions_table[name].trigger()
        qtbot.waitUntil(lambda: not page.running)
        for dialog in page.findChildren(QDialog):
            dialog.close()
    assert QGuiApplication.clipboard().text().startswith("swgui rule peptides")
    assert [message for message in window.notifications.messages if message.level == "danger"] == []


@pytest.fixture
def runs_page(qtbot, theme, tmp_path, make_page):
    """Return the page with a history, and a Runs page that opens its runs there."""
    history, tasks = Runs(tmp_path / "runs"), Tasks()
    page = make_page(history)
    controller = SearchController()
    queue = RunQueue(controller, history)
    queue.register(page.control)
    runs = RunsPage(queue, history, tasks)
    qtbot.addWidget(runs)
    runs.opened.connect(lambda _kind, kept: page.take_outcome(kept))
    yield page, runs
    runs.shutdown()
    controller.shutdown()
    tasks.shutdown()


def chosen(runs, qtbot, row, count):
    """Choose a row of the list of runs, once it has so many."""
    qtbot.waitUntil(lambda: len(runs.records) == count)
    runs.table.selectRow(row)
    return runs.records[row]


def test_a_search_waits_in_the_queue_pauses_and_is_kept(runs_page, qtbot, files):
    page, runs = runs_page
    page.queue_wanted.connect(lambda asked: [runs.queue.add(run, page.control.kind) for run in asked])
    fill(page, qtbot, files["protein"], PEPTIDES)
    qtbot.waitUntil(lambda: page.findChild(QPushButton, "ruleQueue").isEnabled())
    page.findChild(QPushButton, "ruleQueue").click()
    assert page.control.phase == "running"
    page.findChild(QPushButton, "ruleQueueNext").click()
    assert [(run.kind, run.state, run.about.about) for run in runs.queue.runs] == [
        ("rule", "preparing", "Peptides"), ("rule", "waiting", "Peptides"),
    ]  # fmt: skip
    page.pause_button.click()
    assert runs.queue.runs[0].paused
    page.pause_button.click()
    qtbot.waitUntil(lambda: [record.state for record in runs.records] == ["done"] * 2)
    qtbot.waitUntil(lambda: runs.queue.runs == ())


def test_a_search_is_listed_among_runs_and_opened_there(runs_page, qtbot, files, tmp_path):
    page, runs = runs_page
    files["protein"].write_text(f">one of two\n{PROTEIN}\n>none\n\n>two\nMMWAALLVTYLMM\n")
    fill(page, qtbot, files["protein"], PEPTIDES)
    result = find(page, qtbot)
    assert (result.facts["left_out"], result.facts["dropped_by_reader"]) == (1, 1)
    assert "Kept among Runs." in text_of(page, "ruleChecks")
    record = chosen(runs, qtbot, 0, 1)
    assert (record.kind, record.state, record.name, record.about) == ("rule", "done", "p1 and 1 more", "Peptides")
    page.view.result = None
    runs.open_selected()
    qtbot.waitUntil(lambda: page.result is not None and not page.running)
    assert page.result.facts == result.facts
    assert page.result.run.complete
    runs.save_run(record.id, tmp_path / "kept.result")
    qtbot.waitUntil((tmp_path / "kept.result").exists)
    page.view.result = None
    runs.open_file(tmp_path / "kept.result")
    qtbot.waitUntil(lambda: page.result is not None and not page.running)
    assert page.result.facts == result.facts
    runs.table.selectRow(0)
    runs.again_selected()
    chosen(runs, qtbot, 0, 2)
    assert page.result.facts["result_sha256"] == result.facts["result_sha256"]


def test_a_stopped_search_is_resumed_from_the_list_of_runs(runs_page, qtbot, files, monkeypatch):
    monkeypatch.setattr(blocks, "SMALLEST", 1)
    page, runs = runs_page
    fill(page, qtbot, files["protein"], PEPTIDES)
    qtbot.waitUntil(lambda: page.ready)
    scan = blocks.RuleScan.places
    halted = threading.Event()

    def places(scanned, text):
        if len(text.begins) == 2 and page.searching and not halted.is_set() and halted.in_database:
            halted.set()
            raise Stopped
        halted.in_database = len(text.begins) == 2
        return scan(scanned, text)

    halted.in_database = False
    monkeypatch.setattr(blocks.RuleScan, "places", places)
    page.start()
    record = chosen(runs, qtbot, 0, 1)
    assert (record.state, record.resumable) == ("partial", True)
    runs.resume_selected()
    qtbot.waitUntil(lambda: [record.state for record in runs.records] == ["done"])
    assert page.result.facts["resumed"]
    assert page.result.facts["tested"] == page.result.facts["expected"]


def test_a_button_repairs_a_question_that_no_place_can_meet(make_page, qtbot, files):
    page = make_page()
    page.form.choose("window")
    fill(page, qtbot, files["protein"], ">short\nWAALLVTFL\n")
    button = page.findChild(QPushButton, "ruleRepair0")
    qtbot.waitUntil(lambda: not button.isHidden())
    assert button.text() == "Look for 8 identical residues in a row"
    assert not page.ready
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: page.ready)
    assert page.form.task == "words"
    assert button.isHidden()


def test_a_pam_that_was_left_off_is_kept_by_a_button(make_page, qtbot, files):
    page = make_page()
    page.form.choose("guides")
    fill(page, qtbot, files["nucleotide"], f">g1\n{GENOME[4:24]}CGG\n")
    button = page.findChild(QPushButton, "ruleRepair0")
    qtbot.waitUntil(lambda: page.ready and not button.isHidden())
    assert "was left off" in text_of(page, "rulePlan")
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: page.ready and page.form.with_pam == "no")
    assert "left off" not in text_of(page, "rulePlan")
