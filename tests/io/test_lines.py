"""Lines of tables by compiled code are those that Python writes, byte for byte."""

import math

import numpy as np
import pytest

from swgui.core.hits.aligned import Cigars
from swgui.core.table import Column
from swgui.core.texts import PickedTexts, TextColumn
from swgui.io import lines
from swgui.io.cells import clean_text
from swgui.io.lines import BY_COMMAS, BY_TABS, Layout, lines_of

FOR_READERS = Layout("\t", clean_text, lambda column: "N/A", frozenset({"name"}))
TEXTS = (
    "", "plain", "two words", " before", "behind ", "a,b", 'say "so"', '"', ",", "=1+2", "-", "-5", "+", "@x", "'", "é",
    "tab\there", "line\nbreak", "\u202eturned", "\x7f", "a" * 300, "N/A", "日本語", "a\x00b",
)  # fmt: skip


def columns_of(**read):
    """Return a column of each of these values; a key names kind, decimals and, behind a line, which one it is."""
    made = []
    for key, values in read.items():
        kind, _, decimals = key.partition("_")[0].partition("0")
        facts = (key if kind != "text" else "name", key, "", kind)
        made.append(Column(*facts, decimals=int(decimals or 0), read=lambda _, values=values: values))
    return made


def both(columns, layout, monkeypatch):
    """Return the lines by compiled code and by Python."""
    compiled = lines_of(columns, None, layout)
    with monkeypatch.context() as patch:
        patch.setattr(lines, "compiled_code", lambda: None)
        return compiled, lines_of(columns, None, layout)


def odd_numbers(count, chance):
    """Return numbers of every size, many of them half-way between two texts."""
    bits = chance.integers(0, 2**64, count, dtype=np.uint64).view(np.float64)
    halves = chance.integers(-(10**6), 10**6, count) / 2.0 ** chance.integers(0, 12, count)
    close = np.nextafter(chance.integers(-(10**7), 10**7, count) / 1e4, chance.choice([-np.inf, np.inf], count))
    usual = chance.normal(0, 100, count)
    edges = [0.0, -0.0, 0.05, 0.25, 0.35, -0.04, 1e9, 5e-324, math.nan]
    far = [1e15, 2.0**53, 1e18, 1e300, -1e300, math.inf, -math.inf]
    return [np.concatenate([halves, close, usual, edges]), np.concatenate([bits, edges, far])]


@pytest.mark.parametrize("decimals", [0, 1, 2, 3, 4, 6])
def test_numbers_are_written_as_python_writes_them(decimals, monkeypatch):
    for values in odd_numbers(2_000, np.random.default_rng(decimals)):
        columns = columns_of(**{f"real0{decimals}": values})
        compiled, plain = both(columns, BY_TABS, monkeypatch)
        assert compiled == plain
        assert compiled.split("\n")[:-1] == ["" if value != value else f"{value:.{decimals}f}" for value in values]


def test_expectations_are_written_as_python_writes_them(monkeypatch):
    chance = np.random.default_rng(1)
    halves = np.log10(np.arange(100.5, 1000.0)) + chance.integers(-12, 9, 900)
    edges = [math.nan, math.inf, -math.inf, 0.0, -0.0, -1e-17, 5.9999, 6.0, -3.99999, -4.0, -4.00001, -1234.5, 400.0]
    values = np.concatenate([chance.uniform(-330, 20, 3_000), halves, np.arange(-10.0, 10.0), edges])
    compiled, plain = both(columns_of(evalue=values), BY_TABS, monkeypatch)
    assert compiled == plain


def test_whole_numbers_texts_and_alignments_are_written_alike(monkeypatch):
    chance = np.random.default_rng(2)
    rows = 3 * len(TEXTS)
    picked = chance.integers(0, len(TEXTS), rows)
    sizes = chance.integers(0, 5, rows)
    runs, ops = chance.integers(1, 10**6, sizes.sum()), chance.integers(0, 5, sizes.sum()).astype(np.uint8)
    offsets = np.concatenate([[0], np.cumsum(sizes)])
    plain_texts = [f"s{at}" for at in range(rows)]
    columns = columns_of(
        integer_few=chance.integers(-9, 10, rows),
        integer_edges=np.resize(np.array([0, -(2**63), 2**63 - 1], dtype=np.int64), rows),
        integer_listed=[None, *range(rows - 1)],
        text_odd=[TEXTS[at] for at in picked],
        text_stored=PickedTexts(TextColumn.from_texts(TEXTS), picked),
        text_plain=PickedTexts(TextColumn.from_texts(plain_texts), np.arange(rows)[::-1].copy()),
        text_few=PickedTexts(list(TEXTS), picked),
        word_few=PickedTexts(["plus", "minus"], picked % 2),
        word_runs=Cigars(ops, runs, offsets, picked % 2 == 1),
    )
    for layout in (BY_TABS, BY_COMMAS, FOR_READERS):
        compiled, plain = both(columns, layout, monkeypatch)
        assert compiled == plain
        assert compiled.count("\n") == rows
        for column in columns:
            assert both([column], layout, monkeypatch)[0] == both([column], layout, monkeypatch)[1]
    assert both(columns_of(integer=np.zeros(0, dtype=np.int64)), BY_TABS, monkeypatch) == ("", "")


def test_a_row_that_is_empty_is_a_line(monkeypatch):
    assert both(columns_of(text=[""]), BY_TABS, monkeypatch) == ("\n", "\n")
    assert both(columns_of(text=[""]), BY_COMMAS, monkeypatch) == ('""\n', '""\n')
    assert both(columns_of(text=[""]), FOR_READERS, monkeypatch) == ("N/A\n", "N/A\n")
