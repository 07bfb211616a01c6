import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication

from swgui.core.alignment import Alignment, count_columns, rescore
from swgui.core.alphabet import NUCLEOTIDE
from swgui.core.pair.problem import PairEnd
from swgui.core.pair.result import PairAlignment, PairResult
from swgui.core.pair.view import differences
from swgui.core.records import SequenceRecord
from swgui.core.scoring import ScoringScheme
from swgui.gui.kit.tables.column_table import ColumnSource, ColumnTableModel, ColumnView, TableColumn
from swgui.gui.pair.differences import differences_source, mask_of, query_positions, summary
from swgui.gui.viewer.residues.schemes import shipped_schemes
from swgui.gui.viewer.rows import columns as pair_columns
from swgui.gui.viewer.rows import columns as pair_columns_view
from swgui.gui.viewer.rows.columns import PairColumns, line_of
from swgui.gui.viewer.rows.layout import lay_out_rows
from swgui.io.matrices import load_matrix
from tests.asking import BLOSUM62
from tests.given_hits import Line, given_hit

SCHEMES = {
    "nucleotide": ScoringScheme.from_blast(load_matrix("+2/-3", NUCLEOTIDE), 5, 2),
    "protein": BLOSUM62,
}


def result_of(scheme, query, subject, alignment, strand):
    """A result with one alignment."""
    letters = scheme.alphabet.decode
    records = SequenceRecord("q", "", letters(query)), SequenceRecord("s", "", letters(subject))
    empty = PairResult(
        *records, scheme, "finished", "", PairEnd(alignment.score, alignment.query_end, alignment.subject_end), strand,
        (), 1, 0, {}, "cpu", (), {}, 0, "", (), "0", "now", "", "", len(query), len(subject),
        strand="both" if scheme.alphabet.complements else "plus",
    )  # fmt: skip
    encoded = empty.encoded_query(strand)
    counts = count_columns(alignment, encoded, subject, scheme)
    found = PairAlignment(1, strand, alignment, counts)
    return empty, found


def made_up(kind, strand, seed, runs=400):
    """A result whose alignment has many runs, some of them next to a gap of the other kind."""
    chance, scheme = np.random.default_rng(seed), SCHEMES[kind]
    steps = [(0, int(chance.integers(1, 40)))]
    for _ in range(runs):
        steps.append((int(chance.integers(1, 3)), int(chance.integers(1, 12))))
        if chance.random() < 0.8:
            steps.append((0, int(chance.integers(1, 40))))
    alignment = Alignment.from_runs(7, 3, steps, 0)
    basic = 4 if kind == "nucleotide" else 20
    query = chance.integers(0, basic, alignment.query_end + 5).astype(np.uint8)
    subject = chance.integers(0, basic, alignment.subject_end + 9).astype(np.uint8)
    q, s = 7, 3
    for op, length in zip(alignment.ops.tolist(), alignment.lengths.tolist(), strict=True):
        if op == 0:  # mostly the same
            same = chance.random(length) < 0.8
            subject[s : s + length][same] = query[q : q + length][same]
        q += length if op != 2 else 0
        s += length if op != 1 else 0
    if strand == "minus":  # the user's text is the other strand
        query = scheme.alphabet.reverse_complement(query)
    result, _ = result_of(scheme, query, subject, alignment, strand)
    score = rescore(alignment, result.encoded_query(strand), subject, scheme)
    alignment = Alignment.from_runs(7, 3, steps, score)
    return result_of(scheme, query, subject, alignment, strand)


def whole_layout(result, found):
    """The same alignment, laid out as the results page does it."""
    strand = 1 if found.strand == "plus" else -1
    query = result.encoded_query(found.strand)
    line = Line(query, found.score, 0.0, 0.0, strand, found.alignment, found.counts)
    hit = given_hit(result.query, result.subject, [line])
    return lay_out_rows(hit, result.scheme)


CASES = [("nucleotide", "plus", 1), ("nucleotide", "minus", 2), ("protein", "plus", 3)]


@pytest.mark.parametrize(("kind", "strand", "seed"), CASES)
def test_a_window_is_a_part_of_the_whole(kind, strand, seed, monkeypatch):
    monkeypatch.setattr(pair_columns, "BLOCK", 1024)  # running scores are kept in several blocks
    monkeypatch.setattr(pair_columns, "EVERY", 64)
    result, found = made_up(kind, strand, seed)
    columns, whole = PairColumns(result, found), whole_layout(result, found)
    assert len(columns) == len(whole)
    chance = np.random.default_rng(seed)
    for start in [0, len(columns) - 100, *chance.integers(0, len(columns) - 100, 40).tolist()]:
        part = columns.window(start, start + 100)
        where = slice(start, start + 100)
        for name in ("query", "match", "subject", "query_positions", "subject_positions", "scores", "running", "kinds"):
            assert getattr(part, name).tolist() == getattr(whole, name)[where].tolist(), (name, start)
        assert part.strand == whole.strand
    assert int(columns.window(0, len(columns)).running[-1]) == found.score


@pytest.mark.parametrize(("kind", "strand", "seed"), CASES)
def test_places_and_columns_lead_to_each_other(kind, strand, seed):
    result, found = made_up(kind, strand, seed, runs=60)
    columns, whole = PairColumns(result, found), whole_layout(result, found)
    for column in range(0, len(columns), 7):
        query, subject = int(whole.query_positions[column]), int(whole.subject_positions[column])
        if query and subject:
            assert columns.place(column) == (query - 1, subject - 1)
            assert columns.nearest(query - 1, subject - 1) == column
        if query:
            assert columns.column_of_query(query - 1) == column
        if subject:
            assert columns.column_of_subject(subject - 1) == column
    assert columns.column_of_query(len(result.query.residues)) is None
    assert columns.column_of_subject(0) is None
    if strand == "plus":
        assert columns.nearest(0, 0) == 0
        assert columns.nearest(10**6, 10**6) == len(columns) - 1


def test_the_nearest_column_of_a_place_beside_the_path_lies_across_from_it():
    scheme = SCHEMES["nucleotide"]
    letters = np.zeros(100, dtype=np.uint8)
    result, found = result_of(scheme, letters, letters, Alignment.from_runs(0, 0, [(0, 100)], 200), "plus")
    columns = PairColumns(result, found)
    assert columns.nearest(60, 40) == 50
    assert columns.nearest(0, 0) == 0
    assert columns.nearest(99, 99) == 99


@pytest.mark.parametrize(("kind", "strand", "seed"), CASES)
def test_differences_stand_where_the_letters_differ(kind, strand, seed):
    result, found = made_up(kind, strand, seed, runs=60)
    columns, whole = PairColumns(result, found), whole_layout(result, found)
    listed = differences(found.alignment, columns.query, columns.subject, result.scheme)
    places = columns.columns_of(listed)
    positions = query_positions(listed, len(result.query.residues), backwards=strand == "minus")
    seen = np.zeros(len(columns), dtype=bool)
    for row, column in enumerate(places.tolist()):
        length = int(listed.length[row])
        seen[column : column + length] = True
        stands = whole.query_positions[column : column + length]
        match int(listed.kind[row]):
            case 0 | 1:
                assert positions[row] == stands[0]
            case 2:
                behind = whole.query_positions[column + length :]
                assert positions[row] == behind[behind > 0][0]
    assert seen.tolist() == (whole.query != whole.subject).tolist()


def test_the_path_runs_through_the_aligned_residues():
    result, found = made_up("nucleotide", "minus", 4, runs=20)
    line, columns = line_of(result, found), PairColumns(result, found)
    first, last = columns.place(0), columns.place(len(columns) - 1)
    assert first[0] == int(line.x[-1])  # the query as written begins where the path ends
    assert last == (int(line.x[0]) - 1, int(line.y[0]))
    assert not line.ascending


def test_the_table_of_differences_sorts_and_filters_by_columns():
    result, found = made_up("nucleotide", "plus", 5, runs=80)
    columns = PairColumns(result, found)
    listed = differences(found.alignment, columns.query, columns.subject, result.scheme)
    source = differences_source(listed, len(result.query.residues), backwards=False)
    model = ColumnTableModel()
    model.show(source, source.arrange("length", descending=True))
    lengths = [int(model.index(row, 4).data().strip()) for row in range(20)]
    assert lengths == sorted(lengths, reverse=True)
    model.show(source, source.arrange("change"))
    changes = [model.index(row, 3).data() for row in range(model.rowCount())]
    substitutions = [text for text in changes if "→" in text]
    assert substitutions == sorted(substitutions)
    assert changes.index(next(text for text in changes if text.startswith("+"))) == len(substitutions)
    assert mask_of(listed, "all") is None
    only = source.arrange(mask=mask_of(listed, "deletion", 3))
    assert len(only)
    assert all(listed.kind[row] == 2 and listed.length[row] >= 3 for row in only)
    assert summary(listed) == (
        f"{len(substitutions)} substitutions, {sum(t.startswith('+') for t in changes)} insertions, "
        f"{sum(t.startswith(chr(0x2212)) for t in changes)} deletions"
    )


def test_long_gaps_are_cut_in_the_table_and_whole_in_the_tool_tip():
    scheme = SCHEMES["nucleotide"]
    letters = np.zeros(200, dtype=np.uint8)
    alignment = Alignment.from_runs(0, 0, [(0, 10), (1, 100), (0, 20)], 0)
    result, _ = result_of(scheme, letters, letters, alignment, "plus")
    listed = differences(alignment, result.encoded_query("plus"), letters, scheme)
    source = differences_source(listed, 200, backwards=False)
    change = next(column for column in source.columns if column.key == "change")
    assert change.text(0) == f"+ {'A' * 12}… 88 more"
    assert change.whole(0) == f"- → {'A' * 100}"


@pytest.mark.parametrize(("kind", "strand", "seed"), CASES)
def test_scrolling_and_keys_lead_through_a_long_alignment(kind, strand, seed, qtbot, theme, monkeypatch):
    monkeypatch.setattr(pair_columns_view, "WINDOW", 2_000)
    result, found = made_up(kind, strand, seed)
    columns = PairColumns(result, found)
    view = pair_columns_view.PairColumnsView()
    qtbot.addWidget(view)
    view.resize(700, 200)
    view.set_scheme(shipped_schemes()["similarity"])
    view.show()
    chosen = []
    view.column_chosen.connect(chosen.append)
    view.show_columns(columns, result.query, result.subject)
    total, bar = len(columns), view.verticalScrollBar()
    assert total > 6_000
    assert len(view.alignment_layout) == 2_000

    def top_line():
        """First column of the line at the upper edge."""
        return view.first_column + int(bar.value() // view.block_height()) * view.columns_per_line

    tops = [top_line()]
    while view.first_column + len(view.alignment_layout) < total:
        bar.setValue(min(bar.maximum(), bar.value() + 1_000))
        tops.append(top_line())
    assert tops == sorted(tops)  # it never jumps back
    assert max(np.diff(tops)) < 2_000
    bar.setValue(bar.maximum())
    while view.first_column > 0:
        bar.setValue(max(bar.minimum(), bar.value() - 1_000))
    view.go_to(total - 3)
    assert view.chosen_column == total - 3
    assert chosen == []  # only the user's moves are reported
    view.setFocus()
    qtbot.keyClick(view, Qt.Key.Key_Left)
    assert chosen == [total - 4]
    before = view.chosen_column
    for _ in range(400):
        qtbot.keyClick(view, Qt.Key.Key_PageUp)
    assert view.chosen_column < before
    assert view.chosen_column == 0
    assert view.grab().width() == 700
    view.go_to(total // 2)
    assert view.copied_columns == (view.first_column, view.first_column + 2_000)
    assert len(view.selected_text("bare").split("\n")[0]) == 2_000
    assert view.chosen_column == total // 2
    at = view.chosen_column - view.first_column
    view.select(at, at + 9)
    text = view.selected_text("bare").split("\n")
    assert text[0] == columns.window(total // 2, total // 2 + 9).query.tobytes().decode()
    assert view.copied_columns == (total // 2, total // 2 + 9)
    assert view.selected_text("fasta").startswith(">q")
    view.show_columns(None, result.query, result.subject)
    assert view.chosen_column is None
    view.go_to(5)


def test_selecting_all_rows_does_not_ask_for_every_one(qtbot, theme, monkeypatch, tasks):
    """The header would, for each of its columns, to paint whether all of it is selected."""
    asked, count = [], ColumnTableModel.rowCount

    def counted(self, *parent):
        asked.append(1)
        return count(self, *parent)

    monkeypatch.setattr(ColumnTableModel, "rowCount", counted)
    view = ColumnView(tasks, "many", "Many rows")
    qtbot.addWidget(view)
    columns = [TableColumn(name, name, "a number", str, numbers=np.arange(50_000)) for name in "abc"]
    view.show_source(ColumnSource(columns, 50_000))
    view.show()
    qtbot.waitUntil(lambda: tasks.idle)
    asked.clear()
    view.selectAll()
    QApplication.processEvents()
    assert not view.grab().isNull()
    assert len(asked) < 1_000
    assert view.selectionModel().selection().size() == 1


def test_a_last_column_of_numbers_stays_beside_the_others(qtbot, theme, tasks):
    """Stretched to the edge of a wide table, its numbers would stand far from those that they belong to."""
    view = ColumnView(tasks, "few", "Few rows")
    qtbot.addWidget(view)
    view.resize(1200, 200)
    name = TableColumn("name", "Name", "", str)
    for last, right in ((TableColumn("seed", "Seed", "", str, figures=True), True), (name, False)):
        view.show_source(ColumnSource([name, last], 3))
        view.show()
        assert (view.columnWidth(1) < view.viewport().width() / 2) == right
        assert (
            bool(
                view.model().headerData(1, Qt.Orientation.Horizontal, Qt.ItemDataRole.TextAlignmentRole)
                & Qt.AlignmentFlag.AlignRight
            )
            == right
        )
    qtbot.waitUntil(lambda: tasks.idle)
