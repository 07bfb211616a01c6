"""Colour schemes: their tables, their columns, and whether they can be distinguished."""

import json

import numpy as np
import pytest

from swgui.core.errors import InvalidParameter
from swgui.gui.kit.theme import contrast
from swgui.gui.viewer.residues.coloring import ColumnProfile, column_table, row_styles
from swgui.gui.viewer.residues.schemes import adopt_scheme, own_folder, own_schemes, read_scheme, shipped_schemes
from swgui.gui.viewer.residues.styling import text_on
from swgui.gui.viewer.rows.layout import Kind, lay_out_rows
from tests.gui.color_vision import DEFICIENCIES, distance, smallest_distance

SCHEMES = shipped_schemes()


def symbols(*rows):
    return np.array([list(row.encode()) for row in rows], dtype=np.uint8)


@pytest.mark.parametrize("key", SCHEMES)
@pytest.mark.parametrize("dark", [False, True])
def test_letters_read_on_every_fill(key, dark):
    for fill in SCHEMES[key].fills(dark):
        assert contrast(text_on(fill), fill) >= 4.5


@pytest.mark.parametrize("deficiency", DEFICIENCIES)
@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("key", ["safe_7", "safe_nucleotide", "similarity"])
def test_safe_schemes_stay_apart_in_every_colour_vision(key, dark, deficiency):
    assert smallest_distance(SCHEMES[key].fills(dark), deficiency) > 12


def test_distances_are_those_published_for_the_schemes():
    """Compare with figures computed elsewhere for the light variants (Machado 2009, CIELAB 1976)."""
    expected = {
        "safe_7": (26.4, 20.7, 17.0, 16.1), "safe_nucleotide": (53.6, 22.7, 17.9, 17.0),
        "zappo": (32.2, 0.1, 7.2, 11.0), "nucleotide": (57.7, 25.0, 4.4, 36.9), "taylor": (3.1, 0.3, 0.7, 0.2),
    }  # fmt: skip
    for key, distances in expected.items():
        found = [smallest_distance(SCHEMES[key].fills(False), deficiency) for deficiency in DEFICIENCIES]
        assert found == pytest.approx(distances, abs=0.06)


@pytest.mark.parametrize("dark", [False, True])
def test_similarity_fills_differ_in_grey(dark):
    identical, positive = SCHEMES["similarity"].fills(dark)
    assert contrast(identical, positive) > 1.3
    ground = "#15181D" if dark else "#FFFFFF"
    assert distance(identical, ground) > distance(positive, ground) > 5


@pytest.mark.parametrize("key", ["safe_7", "zappo", "taylor", "hydrophobicity"])
def test_residue_schemes_colour_each_amino_acid_once(key):
    scheme = SCHEMES[key]
    listed = "".join(group.residues for group in scheme.groups)
    assert sorted(listed) == sorted("ARNDCQEGHILKMFPSTWYV")
    table = scheme.table()
    assert all(table[ord(residue)] == table[ord(residue.lower())] > 0 for residue in listed)
    assert table[ord("-")] == table[ord(" ")] == table[ord("X")] == 0


def test_hydrophobicity_runs_from_blue_to_red():
    fills = {group.residues: group.light for group in SCHEMES["hydrophobicity"].groups}
    assert fills["I"] == "#FF0000"
    assert fills["K"] == fills["R"] == "#0000FF"
    assert fills["A"] == "#AD0052"


def test_row_styles_follow_the_kind_of_column(made):
    hit = next(hit for hit in made.describe(made.result.hit_list(0), range(5)) if hit.db_index == 1)
    layout = lay_out_rows(hit, made.result.scheme)
    styles = row_styles(SCHEMES["similarity"], layout)
    assert ((styles[0] == 1) == (layout.kinds == Kind.IDENTITY)).all()
    assert (styles[:, layout.kinds == Kind.GAP] == 0).all()
    safe = row_styles(SCHEMES["safe_7"], layout)
    assert safe[0, 0] == 1  # methionine is hydrophobic
    assert (safe[1, layout.kinds == Kind.GAP] == 0).all()


def test_profile_counts_letters_and_leaves_gaps_out():
    profile = ColumnProfile.of(symbols("MK-", "MR-", "M- ", "LKW"))
    assert profile.depth.tolist() == [4, 3, 1]
    consensus, percent = profile.consensus()
    assert consensus.tobytes() == b"MKW"
    assert percent.tolist() == pytest.approx([75, 200 / 3, 100])
    assert profile.shares("KR").tolist() == pytest.approx([0, 100, 0])
    many = ColumnProfile.of(np.full((1000, 2), ord("A"), dtype=np.uint8))
    assert many.counts[ord("A")].tolist() == [1000, 1000]


@pytest.mark.parametrize(
    ("column", "coloured"),
    [
        ("ILVMS", {"I": "hydrophobic column", "S": "polar"}),  # 80 % hydrophobic: S passes, too
        ("IDDDD", {"I": None, "D": "negative"}),
        ("KRKRE", {"K": "positive", "E": "negative"}),
        ("KAGDN", {"K": None, "A": None, "G": "glycine", "D": None, "N": None}),
        ("CCCCC", {"C": "cysteine"}),
        ("CILVA", {"C": "hydrophobic column"}),
        ("PDKTG", {"P": "proline", "T": None}),
        ("HILVF", {"H": "aromatic"}),
        ("QQEAK", {"Q": "polar", "E": "negative"}),
        ("NNNAK", {"N": "polar"}),
    ],
)
def test_clustal_x_looks_at_the_column(column, coloured, made):
    scheme = SCHEMES["clustal_x"]
    stack = symbols(*column)
    table = column_table(scheme, ColumnProfile.of(stack), stack[0], made.result.scheme)
    for residue, name in coloured.items():
        style = table[ord(residue), 0]
        assert (scheme.groups[style - 1].name if style else None) == name


def test_percent_identity_and_blosum_classes(made):
    stack = symbols(*["AAAI"] * 9, "ALWV")
    profile = ColumnProfile.of(stack)
    table = column_table(SCHEMES["percent_identity"], profile, stack[0], made.result.scheme)
    assert [table[ord("A"), c] for c in range(3)] == [1, 1, 1]
    assert table[ord("L"), 1] == 0
    half = ColumnProfile.of(symbols("A", "A", "A", "A", "A", "G", "S", "T", "D", "E"))
    assert column_table(SCHEMES["percent_identity"], half, stack[0][:1], made.result.scheme)[ord("A"), 0] == 3
    blosum = column_table(SCHEMES["blosum62"], profile, stack[0], made.result.scheme)
    assert blosum[ord("I"), 3] == 1
    assert blosum[ord("V"), 3] == 2  # BLOSUM62: I against V is 3
    assert blosum[ord("W"), 2] == 0


def test_similarity_in_a_stack_is_towards_the_query(made):
    stack = symbols("MIK", "MVR", "LIE")
    table = column_table(SCHEMES["similarity"], ColumnProfile.of(stack), stack[0], made.result.scheme)
    assert [table[ord("M"), 0], table[ord("L"), 0], table[ord("V"), 1], table[ord("E"), 2]] == [1, 2, 2, 0]


def test_a_scheme_of_ones_own_is_read_or_refused_with_a_reason(tmp_path):
    own = tmp_path / "own.json"
    content = {
        "title": "Own", "alphabet": "protein", "rule": "residue", "origin": "mine",
        "groups": [{"name": "all", "letters": "ACD", "light": "#AA0000"}],
    }  # fmt: skip
    own.write_text(json.dumps(content))
    scheme = read_scheme(own)
    assert scheme.key == "own"
    assert scheme.table()[ord("C")] == 1
    assert scheme.fills(True)[0] != scheme.fills(False)[0]
    for broken in ("{", "[]", json.dumps(content | {"rule": "magic"}), json.dumps(content | {"groups": [{"name": 1}]})):
        own.write_text(broken)
        with pytest.raises(InvalidParameter, match=r"own\.json"):
            read_scheme(own)
    own.write_text(json.dumps(content | {"groups": [{"name": "a", "letters": "A", "light": "red"}]}))
    with pytest.raises(InvalidParameter, match=r"own\.json"):
        read_scheme(own)


def test_letters_are_readable_on_any_fill():
    for shade in range(256):
        fill = f"#{shade:02X}{shade:02X}{shade:02X}"
        assert contrast(text_on(fill), fill) >= 4.5


def test_own_scheme_is_used_where_it_suits(page, qtbot, tmp_path):
    own = tmp_path / "mine.json"
    group = {"name": "acid", "letters": "DE", "light": "#AA0000"}
    content = {"title": "Mine", "alphabet": "protein", "rule": "residue", "origin": "mine", "groups": [group]}
    own.write_text(json.dumps(content))
    with qtbot.waitSignal(page.message) as said:
        page.alignment.load_scheme(own)
    assert said.args == ["“Mine” is used."]
    assert page.alignment.scheme_box.currentText() == "Mine"
    page.alignment.set_mode("stacked")
    assert page.alignment.scheme_box.currentData() == "safe_7"
    assert page.alignment.scheme_box.findData("own:mine") >= 0
    assert [scheme.key for scheme in own_schemes()[0]] == ["own:mine"]  # a copy is kept for the next start
    own.write_text("{")
    with qtbot.waitSignal(page.message) as said:
        page.alignment.load_scheme(own)
    assert "mine.json" in said.args[0]
    own.write_text(json.dumps(content | {"alphabet": "nucleotide", "title": "Bases"}))
    with qtbot.waitSignal(page.message) as said:
        page.alignment.load_scheme(own)
    assert "does not suit" in said.args[0]
    assert page.alignment.scheme_box.currentData() == "safe_7"
    qtbot.waitUntil(lambda: page.loader.stack is not None and len(page.loader.stack) == 5)


def test_a_scheme_from_a_file_is_there_the_next_time(tmp_path):
    own = tmp_path / "mine.json"
    group = {"name": "acid", "letters": "DE", "light": "#AA0000"}
    content = {"title": "Mine", "alphabet": "protein", "rule": "residue", "origin": "mine", "groups": [group]}
    own.write_text(json.dumps(content))
    assert adopt_scheme(own).title == "Mine"
    own.unlink()  # on a stick that was removed
    (kept,), problems = own_schemes()
    assert (kept.key, kept.title, problems) == ("own:mine", "Mine", [])
    assert adopt_scheme(own_folder() / "mine.json").title == "Mine"  # one's own again: nothing to copy
