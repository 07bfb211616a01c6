"""The alignment of the rounds of a search: its rows, its logo, and what the user does with them."""

import threading

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt

from swgui.core.alphabet import NUCLEOTIDE, PROTEIN
from swgui.core.database import encode_database
from swgui.core.hits.rounds import QueryRounds
from swgui.core.plain import replace
from swgui.core.profiles.alignment import DELETION, OUTSIDE, AlignedRow, MasterAlignment
from swgui.core.profiles.bases import SearchedBases
from swgui.core.profiles.iteration import IterationSettings
from swgui.core.profiles.recipe import Recipe
from swgui.core.scoring import ScoringScheme
from swgui.gui.viewer.family import (
    ORDERS,
    FamilyView,
    find_row,
    make_family,
    make_logo,
)
from swgui.gui.viewer.residues.letters import letter_shape
from swgui.io.matrices import load_matrix
from swgui.io.profiles.formats import read_start
from swgui.jobs.events import run_to_end
from swgui.jobs.iterate.request import in_rounds
from swgui.jobs.iterate.run import iteration_steps
from tests.asking import DNA_SCHEME, search_request
from tests.gui.made_results import page
from tests.jobs.iterate.family import family_records

__all__ = ["page"]


@pytest.fixture(scope="module")
def searched():
    records = family_records()
    scheme = ScoringScheme.from_blast(load_matrix("BLOSUM62", PROTEIN), 11, 1)
    query = next(one for one in records if one.id == "kin0")
    search = search_request(
        queries=(query,), database=encode_database(records, PROTEIN, "family"), scheme=scheme, engine="cpu"
    )
    return run_to_end(iteration_steps(in_rounds(search, IterationSettings(rounds=3)), threading.Event()))


def aligned(text, name="row", start=0, insertions=None):
    codes = PROTEIN.encode(text.replace("-", "A").replace(".", "A").encode())
    signs = np.frombuffer(text.encode(), dtype=np.uint8)
    codes = np.where(signs == ord("-"), DELETION, np.where(signs == ord("."), OUTSIDE, codes)).astype(np.uint8)
    return AlignedRow(name, "", codes, insertions or {}, start)


def with_alignment(searched, *rows, alphabet=PROTEIN):
    """Return the search with an alignment made by hand as that of its last round."""
    of_query = searched.queries[0]
    last = replace(of_query.rounds.last, alignment=MasterAlignment(alphabet, rows))
    rounds = QueryRounds((*of_query.rounds.rounds[:-1], last), "same")
    return replace(searched, queries=(replace(of_query, rounds=rounds),))


def test_rna_is_written_as_the_query_writes_it(searched):
    """The database has T for U: rows, logo and identities do not depend on it."""
    texts = (b"ACGUUGCAGU", b"ACGTTGCAGA", b"ACGTTGCTGT")
    rows = [AlignedRow(f"row{n}", "", NUCLEOTIDE.encode(text)) for n, text in enumerate(texts)]
    result = with_alignment(searched, *rows, alphabet=NUCLEOTIDE)
    family = make_family(result, 0)
    assert [row.symbols.tobytes() for row in family.stack.rows] == [b"ACGUUGCAGA", b"ACGUUGCUGU"]
    assert [row.identity for row in family.stack.rows] == [90, 90]
    logo = make_logo(
        family.alignment,
        DNA_SCHEME.matrix,
        IterationSettings().profile_recipe(NUCLEOTIDE.name),
        SearchedBases((0.2, 0.3, 0.3, 0.2), 10.0),
    )
    assert logo.letters == "ACGU"
    assert logo.frequencies[0].argmax() == 0


def test_rows_stand_in_the_columns_of_the_query(searched):
    rows = (aligned("MKWLMKWLMK", "q"), aligned(".KW-MKW...", "kin1", 4, {3: b"CC"}), aligned("MKWLMKWLMA", "else"))
    family = make_family(with_alignment(searched, *rows), 0)
    first, second = family.stack.rows
    assert first.symbols.tobytes() == b" KW-MKW   "
    assert first.insertions == {4: "CC"}
    assert first.position(1) == 5
    assert first.position(4) == 9  # two residues of the insertion lie before
    assert first.identity == pytest.approx(100 * 5 / 8)
    assert second.identity == pytest.approx(90)
    assert family.coverage.tolist() == [1, 2, 2, 1, 2, 2, 2, 1, 1, 1]
    ids = searched.database.ids
    assert ids[int(searched.queries[0].hits.db_index[family.hits[1]])] == "kin1"
    assert family.hits[2] == -1


def test_rows_of_one_subject_are_named_by_their_place(searched):
    """As segments of a genome are; a row that is the only one of its subject has its name alone."""
    minus = replace(aligned("..WLMKW...", "genome", 99), strand=-1)
    rows = (aligned("MKWLMKWLMK", "q"), aligned("MKWLMKWLMA", "genome", 4), minus, aligned("MKWLMKWLMA", "one", 7))
    family = make_family(with_alignment(searched, *rows), 0)
    names = [row.name(family.header(row.row).name) for row in family.stack.rows]
    assert names == ["genome/5-14", "genome/100-96", "one"]


@pytest.mark.parametrize(("order", "names"), [(0, "bca"), (1, "acb"), (2, "acb"), (3, "abc"), (4, "abc")])
def test_orders(searched, order, names):
    rows = (
        aligned("MKWLMKWLMK", "q"),
        aligned("...AAAAAAA", "b"),
        aligned("..WLMKWA..", "c"),
        aligned("MKWLMKWLMK", "a"),
    )
    family = make_family(with_alignment(searched, *rows), 0, order)
    assert "".join(family.header(one.row).name for one in family.stack.rows) == names
    assert ORDERS[order].title
    assert find_row(family.stack, family, "C", -1) == names.index("c")
    assert find_row(family.stack, family, "nowhere", 1) == -1


def test_a_logo_has_the_information_and_the_gap_costs_of_the_profile():
    rows = [aligned("MKWLMKWLMKMKWLMKWLMKMKWL", "q")]
    rows += [aligned("MKWLMKW-MKMKWLMKWLMKMKWL", f"r{at}", insertions={11: b"G"}) for at in range(3)]
    rows += [aligned("MRWAARWMMRMSWLMSWVMSMTWV", f"s{at}") for at in range(1)]
    recipe = Recipe(max_identity=1.01, mask=False)
    logo = make_logo(MasterAlignment(PROTEIN, tuple(rows)), load_matrix("BLOSUM62", PROTEIN), recipe)
    assert logo.frequencies.sum(axis=1) == pytest.approx(np.ones(24))
    best = "".join(logo.letters[at] for at in logo.order[:, -1])
    assert best[2] == "W"
    assert logo.information.argmax() in (2, 6, 12, 16, 22)  # tryptophan tells most
    assert logo.deletion.argmin() == 7
    assert logo.insertion.argmin() == 11
    assert "W" in logo.describe(2)


def test_letters_fill_their_place():
    box = letter_shape("W").boundingRect()
    assert (box.top(), box.bottom()) == pytest.approx((0, 1), abs=0.01)
    assert letter_shape("I").boundingRect().width() < box.width()


@pytest.fixture
def shown(page, searched, qtbot):
    page.resize(1200, 1000)
    page.show_result(searched)
    page.alignment.set_mode("family")
    view = page.alignment.view(FamilyView)
    qtbot.waitUntil(lambda: view.family is not None and view.logo.logo is not None)
    return view


def test_only_searches_in_rounds_have_the_view(page, searched, qtbot):
    plain = replace(searched, queries=(replace(searched.queries[0], rounds=None),))
    page.show_result(plain)
    button = page.alignment.findChild(object, "mode-family")
    assert button.isHidden()
    page.show_result(searched)
    assert not button.isHidden()
    page.alignment.set_mode("family")
    qtbot.waitUntil(lambda: page.alignment.view(FamilyView).family is not None)
    page.show_result(plain)
    assert page.alignment.mode == "wrapped"


def test_rows_and_hits_are_one_selection(page, shown, searched, qtbot):
    stack = shown.area.stack
    assert len(stack) == len(searched.queries[0].rounds.last.alignment) - 1
    at = len(stack) // 2
    shown.area.row_chosen.emit(stack.rows[at].row, stack.rows[at].part)
    hit = page.hits.table.current_hit_row()
    assert hit == shown.family.hits[stack.rows[at].row]
    other = int(shown.family.hits[stack.rows[0].row])
    page.hits.table.select_row(other)
    assert shown.family.hits[shown.area.current[0]] == other
    shown.order_box.setCurrentIndex(4)
    shown.order_box.activated.emit(4)
    qtbot.waitUntil(lambda: shown.area.stack is not stack)
    assert shown.family.hits[shown.area.current[0]] == other
    names = [shown.family.header(one.row).name for one in shown.area.stack.rows]
    assert names == sorted(names)
    shown.find_edit.setText(names[-1])
    shown.find_next()
    assert shown.area.place() == len(names) - 1


def test_the_coverage_stands_above_the_columns(shown):
    sight, place = shown.area.sight(), shown.coverage.curve_rect()
    assert len(sight.columns) == len(shown.area.stack.columns)
    assert (place.left(), place.width()) == (sight.left, len(sight.columns) * sight.width)


def test_a_click_on_the_coverage_goes_there(shown, qtbot):
    shown.set_zoom(4.0)
    place = shown.coverage.curve_rect()
    assert shown.coverage.residue_at(place.left() - 5) == -1
    end = QPointF(place.right() - 2, place.center().y())
    wanted = shown.coverage.residue_at(end.x())
    qtbot.mouseClick(shown.coverage, Qt.MouseButton.LeftButton, pos=QPoint(int(end.x()), int(end.y())))
    assert wanted in shown.area.sight().columns
    assert 0 not in shown.area.sight().columns


def test_insertions_are_unfolded_on_request(page, searched, shown, qtbot):
    columns = len(shown.area.stack.columns)
    rows = (aligned("MKWLMKWLMK", "q"), aligned("MKW-MKWLMK", "kin1", 4, {4: b"CCC", 7: b"D"}))
    page.show_result(with_alignment(searched, *rows))
    qtbot.waitUntil(lambda: shown.area.stack is not None and len(shown.area.stack.columns) == 10)
    shown.unfold_box.setChecked(True)
    assert len(shown.area.stack.columns) == 14
    assert (shown.area.sight().columns < 0).sum() == 4
    assert not shown.logo.grab().isNull()
    shown.unfold_box.setChecked(False)
    assert len(shown.area.stack.columns) == 10 != columns


@pytest.mark.parametrize("ending", [".a3m", ".sto", ".fasta"])
def test_the_alignment_is_saved(shown, searched, tmp_path, qtbot, ending):
    path = tmp_path / f"family{ending}"
    with qtbot.waitSignal(shown.message) as said:
        shown.save_to(path)
    assert "written" in said.args[0]
    back = read_start(path, searched.scheme).alignment
    assert np.array_equal(back.codes, searched.queries[0].rounds.last.alignment.codes)


def test_a_figure_is_of_the_rows(page, shown, searched):
    figure = page.alignment.drawn()
    assert len(figure.names) == len(searched.queries[0].rounds.last.alignment) - 1
    assert "kin0" in figure.header


def test_the_page_is_given_to_the_alignment_and_back(page, shown):
    page.alignment.whole_button.setChecked(True)
    assert page.hits.isHidden()
    assert shown.logo.isVisible()
    page.alignment.set_mode("wrapped")
    assert page.hits.isHidden()  # every view has the room
    page.alignment.rows.left.emit()
    assert not page.hits.isHidden()
    assert not page.alignment.whole_button.isChecked()
