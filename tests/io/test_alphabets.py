import logging

import pytest

from swgui.core.alphabet import ALPHABETS, Alphabets
from swgui.core.errors import MatrixError
from swgui.core.scoring import TrackSettings
from swgui.io.alphabets import alphabet_record, alphabet_records, read_alphabet, user_folder
from swgui.io.matrices import load_matrix, matrix_names
from swgui.io.sequences.reader import read_text

MATRIX = "   H  e  h\nH  4 -3 -2\ne -3  5 -1\nh -2 -1  4\n"


def written(folder, text, name="states.txt"):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(text)
    return folder / name


def test_every_shipped_file_is_complete():
    records = alphabet_records()
    assert "3Di" in records
    for name, record in records.items():
        assert ALPHABETS[name].letters == record.alphabet.letters
        assert set(record.colours) >= set(record.alphabet.plain)
        assert record.title
        assert sum(record.alphabet.background.values()) == pytest.approx(1)
        assert load_matrix(name, record.alphabet) == record.matrix
        assert matrix_names(record.alphabet) == (name,)


def test_a_file_of_the_user_is_an_alphabet(tmp_path, monkeypatch):
    monkeypatch.setenv("SWGUI_CONFIG_DIR", str(tmp_path))
    written(
        user_folder(),
        "# helix or not\n# background: H 1 e 2 h 1\n# colours: H #ff0000 e #00ff00 h #0000ff\n# gaps: 7 2\n"
        "# beside residues: weights 3 1 gaps 9 2\n" + MATRIX,
    )
    record = alphabet_record("states")
    assert record.alphabet.letters == "HehX"
    assert record.alphabet.case_matters
    assert record.alphabet.background == {"H": 0.25, "e": 0.5, "h": 0.25}
    assert (record.gap_open, record.gap_extend, record.beside) == (7, 2, TrackSettings(3, 1, 9, 2))
    assert record.matrix.score("e", "h") == -1
    assert record.matrix.score("H", "X") == -1  # the mean of 4, -3 and -2, rounded down
    table = Alphabets()
    table.more = lambda known: known.update((name, one.alphabet) for name, one in alphabet_records().items())
    assert table["states"].encode(b"HehX").tolist() == [0, 1, 2, 3]


def test_case_is_kept_where_it_matters(tmp_path):
    alphabet = read_alphabet(written(tmp_path, MATRIX)).alphabet
    (record,) = read_text(">one\nHehE?\n", alphabet)
    assert record.residues == b"HehXX"
    ignored = read_alphabet(written(tmp_path, MATRIX.replace("h", "C"))).alphabet
    assert read_text(">one\nHeCc\n", ignored)[0].residues == b"HECC"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "has no matrix"),
        ("# name: no good\n" + MATRIX, "cannot be called 'no good'"),
        ("# name: protein\n" + MATRIX, "cannot be called 'protein'"),
        ("# colours: H red\n" + MATRIX, "'colours: H red' is not a list of letters"),
        ("# background: H 1\n" + MATRIX, "'background: H 1' lacks letters"),
        ("# gaps: dear\n" + MATRIX, "'gaps: dear' cannot be read"),
        ("# case: ignored\n" + MATRIX, "'case: ignored' is neither"),
        ("# wildcard: unknown\n" + MATRIX, "'wildcard: unknown' is no single letter"),
        (MATRIX.replace("e", "HE"), "line 1: 'HE' is not a letter"),
        (MATRIX.replace("e", "H"), "line 1: a letter occurs twice"),
        ("H\nH 1\n", "has 1 letters, not 2 to 64"),
        (MATRIX[:-3], "the row h has 2 scores for 3 letters"),
    ],
)
def test_a_file_that_breaks_the_layout_is_told_apart(tmp_path, text, said):
    with pytest.raises(MatrixError, match=said):
        read_alphabet(written(tmp_path, text))


def test_a_broken_file_does_not_hide_the_others(tmp_path, monkeypatch, caplog):
    monkeypatch.setenv("SWGUI_CONFIG_DIR", str(tmp_path))
    written(user_folder(), "nothing of the kind\n", "broken.txt")
    written(user_folder(), "# name: 3Di\n" + MATRIX, "mine.txt")
    with caplog.at_level(logging.WARNING):
        assert alphabet_record("3Di").matrix.score("A", "A") == 6
    assert "broken.txt is left out" in caplog.text
    assert "there already" in caplog.text
