"""The export dialog: what it offers, what it previews, what it writes."""

import csv
import threading

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog

from swgui.core.errors import Stopped
from swgui.core.plain import replace
from swgui.gui.hits.arrange import HitFilter, Sorting
from swgui.gui.inputs.saving_dialog import in_columns
from swgui.gui.kit.tasks import task
from swgui.gui.results.output import ExportDialog, ExportJob, HitChoice, most_likely, with_kept
from swgui.io.export import FORMATS, HIT_COLUMNS, ExportOptions


def no_tell(*_told):
    """Hear of no progress."""


def choose(dialog, *, what=None, form=None, columns=None):
    if what is not None:
        dialog.what_button(what).setChecked(True)
    if form is not None:
        dialog.format_box.setCurrentIndex(dialog.format_box.findData(form))
    if columns is not None:
        dialog.columns_box.setCurrentIndex(dialog.columns_box.findData(columns))


@pytest.fixture
def dialog(page, qtbot, tasks, made):
    page.hits.sort_by(Sorting("rank", descending=True))
    page.hits.set_filter(HitFilter(text="alb"))
    for query, rows in ((0, [1, 3]), (1, [0])):
        page.marks.set("ticked", query, made.result.queries[query].hits.db_index[rows].tolist(), True)
    dialog = page.output.export()
    qtbot.waitUntil(lambda: tasks.idle and bool(dialog.preview.toPlainText()))
    yield dialog
    for left in page.findChildren(ExportDialog):  # saving closes and deletes it
        left.close()


def test_what_is_most_likely_meant():
    def choices(**sizes):
        return [HitChoice(key, key, ((None, range(size)),)) for key, size in sizes.items()]

    usual = {"all": 9, "shown": 9, "selected": 1, "significant": 3, "ticked": 0}
    assert most_likely(choices(**usual)) == "significant"
    assert most_likely(choices(**usual | {"ticked": 2})) == "ticked"
    assert most_likely(choices(**usual | {"shown": 4})) == "shown", "a filter says what is wanted"
    assert most_likely(choices(**usual | {"significant": 0})) == "shown"
    assert most_likely(choices(**usual, query=5)) == "shown", "of several queries the one that is looked at"
    assert most_likely(choices(all=0, shown=0)) == ""


def test_formats_stand_below_headings_that_cannot_be_chosen(dialog, qtbot):
    box, below = dialog.format_box, {}
    for place in range(box.count()):
        if box.itemData(place) is None:
            heading = box.itemText(place)
            assert not box.model().item(place).isEnabled()
        else:
            below[box.itemData(place)] = heading
    assert sorted(below) == sorted(FORMATS)
    assert list(dict.fromkeys(below.values())) == ["Tables", "Sequences and annotation", "Alignments", "Reports"]
    assert (below["csv"], below["fasta"], below["a3m"], below["html"]) == tuple(dict.fromkeys(below.values()))
    assert dialog.form is FORMATS["tsv"]
    last = max(place for place in range(box.count()) if below.get(box.itemData(place)) == "Tables")
    box.setCurrentIndex(last)
    qtbot.keyClick(box, Qt.Key.Key_Down)
    assert below[box.currentData()] == "Sequences and annotation"


def test_choices_and_counts(page, dialog):
    counts = {choice.key: len(choice) for choice in page.output.choices(page.result)}
    shown = page.hits.model.rowCount()
    assert counts == {
        "all": 6, "query": 5, "shown": shown, "selected": 1, "significant": 5, "ticked": 3, "starred": 0,
    }  # fmt: skip
    page.set_significance(-25.0)
    weaker = {choice.key: len(choice) for choice in page.output.choices(page.result)}["significant"]
    assert 0 < weaker < 5
    assert dialog.what.checkedButton().objectName() == "exportWhat-ticked"
    page.marks.set("ticked", 0, page.hits.data.subjects(range(5)), False)
    page.marks.set("ticked", 1, page.result.queries[1].hits.db_index.tolist(), False)
    again = page.output.export()
    assert again.what.checkedButton().objectName() == "exportWhat-shown"  # nothing is ticked
    again.reject()


def test_csv_has_the_hits_as_shown(page, dialog, qtbot, tmp_path):
    choose(dialog, form="csv", columns="shown", what="shown")
    dialog.machine_names.setChecked(True)
    with qtbot.waitSignal(dialog.saved) as saved:
        dialog.save_to(tmp_path / "hits.csv")
    path, job = saved.args
    assert (path, len(job.choice)) == (str(tmp_path / "hits.csv"), page.hits.model.rowCount())
    rows = list(csv.DictReader((tmp_path / "hits.csv").read_text(encoding="utf-8").splitlines()))
    assert [int(row["rank"]) - 1 for row in rows] == page.hits.model.rows.tolist()
    ids = [page.result.database.ids[page.hits.data.subject(row)] for row in page.hits.model.rows.tolist()]
    assert [row["sseqid"] for row in rows] == ids
    seen = [key for key in page.hits.table.shown_keys() if key in HIT_COLUMNS and key != "star"]
    assert list(rows[0]) == ["qseqid", *seen, "score", "bitscore"]
    assert "pident" in rows[0]


@pytest.mark.parametrize("form", ["csv", "tsv", "xlsx"])
@pytest.mark.parametrize("what", ["all", "query", "shown", "significant", "ticked"])
@pytest.mark.sampled
def test_a_table_of_several_queries_names_the_query_of_every_line(dialog, made, qtbot, tmp_path, form, what):
    choose(dialog, form=form, columns="shown", what=what)
    names = [query.query.id for query in made.result.queries]
    expected = [names[listed.query_index] for listed, rows in dialog.job().choice.parts for _ in rows]
    path = tmp_path / f"hits.{form}"
    with qtbot.waitSignal(dialog.saved):
        dialog.save_to(path)
    if form == "xlsx":
        openpyxl = pytest.importorskip("openpyxl")
        head, *lines = openpyxl.load_workbook(path)["Hits"].values
    else:
        text = path.read_text(encoding="utf-8").splitlines()
        head, *lines = csv.reader(text, delimiter="," if form == "csv" else "\t")
    assert head[0] in ("Query", "qseqid")
    assert [line[0] for line in lines] == expected


def test_columns_to_choose_begin_with_the_query_where_there_are_several(dialog):
    choose(dialog, form="tsv", columns="choose")
    assert "qseqid" in dialog.job().options.columns


def test_a_table_of_one_query_is_as_seen_with_scores(page, tasks, made):
    result = made.result
    alone = replace(result, queries=result.queries[:1])
    one = ExportDialog(tasks, alone, [], ["rank", "sseqid", "evalue", "bitscore"], made.describe, page)
    assert one.shown_columns == ("rank", "sseqid", "evalue", "bitscore", "score")
    one.close()


def test_fasta_has_what_is_ticked_of_all_queries(dialog, made, qtbot, tmp_path):
    choose(dialog, form="fasta", what="ticked")
    with qtbot.waitSignal(dialog.saved):
        dialog.save_to(tmp_path / "ticked.fasta")
    text = (tmp_path / "ticked.fasta").read_text()
    ids = [line.split()[0][1:] for line in text.splitlines() if line.startswith(">")]
    hits = made.result.queries[0].hits
    expected = [made.result.database.ids[int(hits.db_index[row])] for row in (1, 3)]
    assert ids[:2] == expected


def test_aligned_parts_with_flanks_and_gaps(dialog, made, qtbot, tmp_path):
    choose(dialog, form="fasta", what="query")
    assert not dialog.parts_side.isVisibleTo(dialog)
    choose(dialog, form="fasta-aligned")
    assert dialog.parts_side.isVisibleTo(dialog)
    dialog.flank.setValue(3)
    with qtbot.waitSignal(dialog.saved):
        dialog.save_to(tmp_path / "parts.fasta")
    text = (tmp_path / "parts.fasta").read_text()
    record = next(part for part in text.split(">") if part.startswith("contig_7"))
    letters = "".join(record.splitlines()[1:])
    assert letters == made.result.database.record(3).residues[1:47].decode()  # 4 to 44 is aligned


def test_preview_is_the_beginning_of_the_file(dialog, qtbot, tasks, tmp_path):
    for form in (name for name, form in FORMATS.items() if form.is_text):
        choose(dialog, form=form, what="query")
        qtbot.waitUntil(lambda: tasks.idle)
        job = dialog.job()
        preview = job.preview(threading.Event())
        assert dialog.preview.toPlainText() == in_columns(preview)
        path = job.save(tmp_path / form, no_tell, threading.Event())
        lines = path.read_text(encoding="utf-8").splitlines()
        for shown, line in zip(preview.splitlines(), lines, strict=False):
            if shown == "…":
                break
            assert line.startswith(shown.removesuffix("…")), form


def test_what_a_format_cannot_hold_is_said(dialog, qtbot):
    choose(dialog, form="a3m", what="all")  # two queries
    qtbot.waitUntil(dialog.note.isVisible)
    assert "one query" in dialog.note_text.text()
    choose(dialog, what="query")
    qtbot.waitUntil(lambda: not dialog.note.isVisible())


def test_workbook_is_written(dialog, qtbot, tmp_path):
    pytest.importorskip("xlsxwriter", reason="workbooks need XlsxWriter")
    choose(dialog, form="xlsx", what="query")
    with qtbot.waitSignal(dialog.saved):
        dialog.save_to(tmp_path / "hits.xlsx")
    assert (tmp_path / "hits.xlsx").read_bytes().startswith(b"PK")


def test_preview_stands_in_columns():
    assert in_columns("a\tbb\n# note\nccc\td") == "a    bb\n# note\nccc  d"
    assert in_columns("plain\ntext") == "plain\ntext"


def test_a_folder_that_is_not_there_is_explained(dialog, qtbot, tmp_path):
    dialog.save_to(tmp_path / "no" / "where.tsv")
    qtbot.waitUntil(dialog.note.isVisible)
    assert "does not exist" in dialog.note_text.text()
    assert dialog.isVisible()
    assert dialog.save_button.isEnabled()


def test_no_columns_means_nothing_to_write(dialog, qtbot):
    choose(dialog, form="tsv", columns="choose")
    for row in range(dialog.columns_list.count()):
        dialog.columns_list.item(row).setCheckState(Qt.CheckState.Unchecked)
    assert dialog.job() is None
    assert not dialog.save_button.isEnabled()
    dialog.columns_list.item(0).setCheckState(Qt.CheckState.Checked)
    assert dialog.job().options.columns == ("rank",)
    assert not dialog.job().needs_alignments


def test_hits_that_are_kept_are_not_aligned_again(made):
    listed, asked = made.result.hit_list(0), []

    def describe(of, rows, **_options):
        asked.append((of.query_index, list(rows)))
        return made.describe(of, rows)

    kept = {hit.rank - 1: hit for hit in made.describe(listed, [1, 2])}
    hits = list(with_kept(describe, listed, kept.get)(listed, range(5)))
    assert [hit.rank for hit in hits] == [1, 2, 3, 4, 5]
    assert hits[1] is kept[1]
    assert asked == [(0, [0]), (0, [3, 4])]
    list(with_kept(describe, listed, kept.get)(made.result.hit_list(1), [0]))  # another list has other hits
    assert asked[2:] == [(1, [0])]


def test_stop_leaves_no_file(made, tmp_path):
    cancel = threading.Event()

    def describe(listed, rows, **_options):
        for hit in made.describe(listed, rows):
            yield hit
            cancel.set()

    job = ExportJob(
        made.result,
        HitChoice("all", "", ((made.result.hit_list(0), range(5)),)),
        FORMATS["tsv"],
        ExportOptions(),
        describe,
    )
    (tmp_path / "old.tsv").write_text("before")
    with pytest.raises(Stopped):
        job.save(tmp_path / "old.tsv", no_tell, cancel)
    assert (tmp_path / "old.tsv").read_text() == "before"
    assert list(tmp_path.iterdir()) == [tmp_path / "old.tsv"]


def test_closing_the_dialog_stops_a_running_export(qtbot, tasks, made, tmp_path):
    begun, go_on = threading.Event(), threading.Event()

    def describe(listed, rows, **_options):
        for hit in made.describe(listed, rows):
            yield hit
            begun.set()
            go_on.wait(60)

    choices = [HitChoice("all", "All", ((made.result.hit_list(0), range(5)),))]
    go_on.set()
    dialog = ExportDialog(tasks, made.result, choices, ["rank", "score"], describe)  # gone once it is closed
    qtbot.waitUntil(lambda: tasks.idle)
    begun.clear()
    go_on.clear()
    dialog.show()
    dialog.save_to(tmp_path / "hits.tsv")
    qtbot.waitUntil(begun.is_set)
    dialog.close()
    go_on.set()
    assert task.join(60_000)
    assert not (tmp_path / "hits.tsv").exists()


def test_hits_are_not_saved_over_an_opened_file(page, opened):
    dialog = page.output.export()
    sentence = opened("query.tsv")
    dialog.save_button.click()
    assert dialog.note_text.text() == sentence
    assert dialog.note.isVisibleTo(dialog)


@pytest.mark.parametrize(("typed", "written"), [("dhfr_full", "dhfr_full.csv"), ("dhfr.txt", "dhfr.txt")])
def test_a_name_without_an_ending_gets_that_of_the_format(dialog, qtbot, tmp_path, monkeypatch, typed, written):
    choose(dialog, form="csv")
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(tmp_path / typed), ""))
    with qtbot.waitSignal(dialog.saved):
        dialog.save_button.click()
    assert (tmp_path / written).is_file()


def test_the_format_used_last_and_a_telling_name_are_offered(page, qtbot, tmp_path):
    first = page.output.export()
    assert first.file_name == "3_queries_in_Test_proteins"
    choose(first, form="fasta")
    with qtbot.waitSignal(first.saved):
        first.save_to(tmp_path / "first.fasta")
    second = page.output.export()
    assert second.form.name == "fasta"
    second.reject()


def test_csv_names_columns_for_people_unless_programs_are_meant(page, dialog, qtbot, tmp_path):
    choose(dialog, form="csv", columns="standard", what="query")
    assert dialog.machine_names.isVisibleTo(dialog)
    qtbot.waitUntil(lambda: dialog.preview.toPlainText().startswith("Rank,Query,Subject,Description"))
    dialog.machine_names.setChecked(True)
    with qtbot.waitSignal(dialog.saved):
        dialog.save_to(tmp_path / "hits.csv")
    assert (tmp_path / "hits.csv").read_text().startswith("rank,qseqid,sseqid,stitle,")
    again = page.output.export()
    assert again.machine_names.isChecked(), "it is remembered"
    choose(again, form="tsv")
    assert not again.machine_names.isVisibleTo(again)
    again.reject()


def test_a_file_named_like_another_format_is_not_written(dialog, tmp_path, monkeypatch):
    choose(dialog, form="sam")
    path = tmp_path / "report.html"
    monkeypatch.setattr("PySide6.QtWidgets.QFileDialog.getSaveFileName", lambda *_: (str(path), ""))
    dialog.save_button.click()
    assert dialog.note_text.text().startswith("'report.html' is named like Report (HTML), but the format is SAM")
    assert not path.exists()


def test_a_table_for_people_has_the_columns_that_are_in_sight(dialog, page):
    choose(dialog, form="csv")
    in_sight = set(page.hits.table.shown_keys())
    assert {"sseqid", "verdict"} <= in_sight
    assert in_sight - {"tick"} <= set(dialog.job().options.columns)
    choose(dialog, form="tsv")
    assert dialog.job().options.columns is None
