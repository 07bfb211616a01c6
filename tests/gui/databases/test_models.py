"""Rows, facts and lengths of databases."""

import threading
from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest

from swgui.gui.databases.details_panel import LengthPlot, describe_database, length_figure
from swgui.gui.databases.jobs import update
from swgui.gui.databases.list import STATES, list_rows
from swgui.gui.kit.theme import Colours
from swgui.gui.words.formatting import file_size
from swgui.io.database.build import build_database
from swgui.io.database.library import user_folder
from swgui.io.database.structures import build_from_structures

TRP_CAGE = Path(__file__).parents[2] / "data" / "structures" / "1l2y.pdb"


@pytest.mark.parametrize(
    ("size", "text"),
    [(0, "0 bytes"), (1, "1 byte"), (999, "999 bytes"), (1000, "1.0 kB"), (92_640_000, "92.6 MB"),
     (99_960_000, "100 MB"), (999_499_999, "999 MB"), (999_500_000, "1.0 GB"), (31_700_000_000_000_000, "31,700 TB")],
)  # fmt: skip
def test_sizes_in_words(size, text):
    assert file_size(size) == text


@pytest.mark.parametrize("low", [1, 13, 5000])
@pytest.mark.parametrize("factor", [1.01, 3, 1000])
def test_every_length_is_in_one_bin(low, factor):
    high = max(low + 1, int(low * factor))
    lengths = np.sort(np.random.default_rng(1).integers(low, high + 1, 5000))[::-1]
    figure = length_figure(lengths, "residue")
    assert figure.counts.sum() == 5000
    assert len(figure.edges) == len(figure.counts) + 1
    assert (np.diff(figure.edges) >= 1).all()
    assert figure.edges[0] == lengths.min()
    assert figure.edges[-1] == lengths.max() + 1 == figure.longest + 1
    assert figure.median == int(np.median(lengths))


@pytest.mark.parametrize("lengths", [[], [0, 0], [7], [90] * 50])
def test_without_two_lengths_there_is_nothing_to_draw(lengths):
    assert length_figure(np.array(lengths, dtype=np.int64), "base") is None


def test_bars_are_described(qtbot, theme):
    plot = LengthPlot()
    qtbot.addWidget(plot)
    plot.show_figure(length_figure(np.array([900, 100, 100, 10, 10, 10]), "base"))
    assert plot.describe_bin(100.5).endswith("bases: 2 sequences")
    assert "10" in plot.describe_bin(10.2)
    assert plot.describe_bin(10.2).endswith("3 sequences")
    assert plot.describe_bin(9.9) == plot.describe_bin(901.5) == ""
    plot.show_figure(None)
    assert plot.describe_bin(100) == ""
    assert plot.accessibleDescription() == ""


def test_states_have_colours_and_a_sign_each():
    names = {field.name for field in fields(Colours)}
    assert all(state.tone in names for state in STATES.values())
    assert len({state.text for state in STATES.values()}) == len(STATES)
    assert all(state.meaning.endswith(".") for state in STATES.values())


def told(path):
    (row,) = (row for row in list_rows(lambda _: None) if row.path == path)
    return dict(describe_database(row, 0, 2).facts)


def test_facts_of_few_sequences(tmp_path):
    user_folder().mkdir(parents=True)
    one, same = tmp_path / "one.fa", tmp_path / "same.fa"
    one.write_text(">a\n" + "ACGT" * 300 + "\n")
    same.write_text(">a\nMKVLW\n>b\nMKVLY\n")
    for source in (one, same):
        build_database([source], user_folder() / f"{source.stem}.swdb")
    facts = told(user_folder() / "one.swdb")
    assert facts["Content"] == "1 DNA or RNA sequence, 1,200 bases"
    assert facts["Lengths"] == "1,200 bases"
    assert "Longest" not in facts
    assert told(user_folder() / "same.swdb")["Lengths"] == "all of 5 residues"


def test_half_of_all_residues(tmp_path):
    user_folder().mkdir(parents=True)
    source = tmp_path / "x.fa"
    source.write_text("".join(f">s{n}\n{'MKVLW' * n}\n" for n in (1, 2, 3, 10)))
    build_database([source], user_folder() / "x.swdb")
    lengths = told(user_folder() / "x.swdb")["Lengths"]
    assert lengths == "5 to 50 residues, median 12; half of all residues are in sequences of 50 or longer"


def test_a_folder_of_structures_is_read_again(user_folders, tmp_path):
    folder = tmp_path / "models"
    folder.mkdir()
    (folder / "one.pdb").write_bytes(TRP_CAGE.read_bytes())
    user_folder().mkdir(parents=True, exist_ok=True)
    build_from_structures([folder], user_folder() / "models.swdb")
    (row,) = list_rows(lambda path: None)
    assert (row.state, row.updatable) == ("current", True)
    assert dict(describe_database(row, 0, 2).facts)["Source"] == str(folder)
    (folder / "two.pdb").write_bytes(TRP_CAGE.read_bytes())
    (row,) = list_rows(lambda path: None)
    assert row.state == "changed"
    outcome = update(row, lambda *said: None, threading.Event())
    assert ": 2 protein" in outcome.text
    (row,) = list_rows(lambda path: None)
    assert row.state == "current"
