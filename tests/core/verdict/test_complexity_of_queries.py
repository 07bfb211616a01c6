"""How much of the queries is of low complexity, before a search."""

from __future__ import annotations

import threading

import numpy as np
import pytest

from swgui.core.alphabet import NUCLEOTIDE, PROTEIN
from swgui.core.records import SequenceRecord
from swgui.core.verdict import complexity
from swgui.core.verdict.complexity import in_words, measure

PLAIN = b"MKWVTFISLLFLFSSAYSRGVFRRDAHKSEVAHRFKDLGEENFKALVLIAFAQYLQQCPFEDHVKLVNEVTEFAKTCVADESAENCDKS"
HALF = SequenceRecord("half", "", PLAIN + b"Q" * len(PLAIN))
NONE = SequenceRecord("none", "", PLAIN)


def looked_at(*records, alphabet=PROTEIN):
    return measure(records, alphabet, threading.Event())


def test_the_share_and_the_stretches_are_those_of_seg():
    (found,) = looked_at(HALF)
    assert found.whole
    assert found.share == pytest.approx(0.5, abs=0.03)
    ((start, end),) = found.stretches
    assert abs(start - len(PLAIN)) < 6
    assert end == 2 * len(PLAIN)
    assert looked_at(NONE)[0].share == 0


def test_the_words_say_which_query_has_most():
    assert in_words(looked_at(HALF), 1) == "50 % of the query is low-complexity"
    assert in_words(looked_at(NONE), 1) == ""
    assert in_words([], 0) == ""
    assert in_words(looked_at(NONE, HALF, NONE), 3) == "Low-complexity: 50 % of half"
    assert in_words(looked_at(HALF, HALF, NONE), 3) == "Low-complexity: 50 % of half; 1 more"


def test_the_mucin_of_the_manual_is_low_complexity_to_28_percent(data_dir):
    text = (data_dir / "proteins" / "cudasw_20queries.fasta").read_text("ascii").split(">")[-1]
    head, *lines = text.splitlines()
    assert "MUC12_HUMAN" in head
    mucin = SequenceRecord("m", "", "".join(lines).encode())
    assert in_words(looked_at(mucin), 1) == "28 % of the query is low-complexity"


def test_long_queries_are_looked_at_in_pieces_and_not_for_ever(monkeypatch):
    genome = bytes(np.random.default_rng(1).choice(np.frombuffer(b"ACGT", np.uint8), 3000)) + b"AT" * 500
    monkeypatch.setattr(complexity, "PIECE", 1000)
    (found,) = looked_at(SequenceRecord("g", "", genome), alphabet=NUCLEOTIDE)
    assert found.stretches[-1] == (3000, 4000)
    monkeypatch.setattr(complexity, "MAX_RESIDUES", 3500)
    found = looked_at(SequenceRecord("g", "", genome), NONE, alphabet=NUCLEOTIDE)
    assert [(one.length, one.whole) for one in found] == [(3500, False)]
    said = in_words(found, 2)
    assert said.endswith(" % of the first 3,500 residues of g (1 of 2 queries looked at)")
    stop = threading.Event()
    stop.set()
    assert measure([HALF], PROTEIN, stop) == []
