"""Letters kept in page-locked memory while a database is streamed."""

from __future__ import annotations

import numpy as np
import pytest

from swgui.core.alphabet import NUCLEOTIDE, PROTEIN
from swgui.core.database import encode_database
from swgui.core.plain import replace
from swgui.core.records import SequenceRecord
from swgui.engines.cuda.streaming.buffers import HostResidues
from swgui.engines.cuda.streaming.layout import DatabaseLayout

LENGTHS = [400, 390, 120, 119, 80, 40, 39, 12, 9, 4, 1]  # twins of 101, 31, 21, 10, 3 and 1 blocks


@pytest.fixture
def layout():
    return DatabaseLayout.of(np.concatenate([[0], np.cumsum(LENGTHS)]).astype(np.int64))


def words(count):
    return np.zeros(count, dtype=np.uint32)


def stream(letters, layout, source, parts):
    """Bring parts as the device would; returns the words that came from the host and how many were kept there."""
    brought = np.zeros_like(source)
    sent = 0
    for first_twin, last_twin in parts:
        for first, last in letters.pieces(first_twin, last_twin):
            where = slice(2 * int(layout.block_of[first]), 2 * int(layout.block_of[last]))
            kept = letters.kept(first, last)
            if kept is not None:
                brought[where] = kept
                sent += len(kept)
                continue
            brought[where] = source[where]
            place = letters.place_for(first, last)
            if place is not None:
                place[:] = source[where]
    return brought, sent


@pytest.mark.parametrize("slab_blocks", [1, 25, 40, 130, 10_000])
@pytest.mark.parametrize("parts", [[(0, 6)], [(0, 1), (1, 3), (3, 6)], [(2, 5), (0, 2), (5, 6)]])
def test_what_is_kept_is_what_was_streamed(layout, slab_blocks, parts):
    source = np.random.default_rng(1).integers(0, 1 << 32, 2 * layout.blocks(0, 6), dtype=np.uint32)
    letters = HostResidues(layout, 1 << 20, words, slab_blocks)
    shares = []
    for _ in range(4):
        brought, sent = stream(letters, layout, source, parts)
        assert np.array_equal(brought, source)
        shares.append(sent)
    assert shares == [0, 0, len(source), len(source)]  # read, read and kept, sent as kept
    assert letters.nbytes == source.nbytes


def test_other_parts_than_those_kept_are_cut_where_needed(layout):
    source = np.arange(2 * layout.blocks(0, 6), dtype=np.uint32)
    letters = HostResidues(layout, 1 << 20, words, 25)
    for parts in ([(1, 4)], [(0, 4)], [(0, 3)], [(2, 6)], [(0, 6)], [(0, 6)], [(0, 6)]):
        brought, sent = stream(letters, layout, source, parts)
        for first, last in parts:
            where = slice(2 * int(layout.block_of[first]), 2 * int(layout.block_of[last]))
            assert np.array_equal(brought[where], source[where])
    assert sent == len(source)


def test_no_more_is_kept_than_allowed(layout):
    source = np.arange(2 * layout.blocks(0, 6), dtype=np.uint32)
    asked = []
    limit = 8 * (101 + 31)
    letters = HostResidues(layout, limit, lambda count: asked.append(count) or words(count), 1)
    for _ in range(3):
        brought, sent = stream(letters, layout, source, [(0, 6)])
        assert np.array_equal(brought, source)
    assert letters.nbytes == limit
    assert sent == limit // 4
    assert len(asked) == 2


@pytest.mark.parametrize("limit", [0, 1 << 20])
def test_without_room_nothing_is_kept(layout, limit):
    source = np.arange(2 * layout.blocks(0, 6), dtype=np.uint32)
    letters = HostResidues(layout, limit, lambda count: None)
    for _ in range(3):
        brought, sent = stream(letters, layout, source, [(0, 6)])
        assert np.array_equal(brought, source)
        assert sent == 0
    assert letters.nbytes == 0


def test_a_device_holds_a_database_of_the_same_content_only():
    proteins = encode_database([SequenceRecord("a", "", b"MKVLA"), SequenceRecord("b", "", b"WW")], PROTEIN, "d")
    assert proteins.same_content(replace(proteins, name="the same, opened again"))
    assert not proteins.same_content(replace(proteins, alphabet=NUCLEOTIDE))
    unnamed = replace(proteins, checksum="")
    assert unnamed.same_content(unnamed)
    assert not unnamed.same_content(replace(unnamed))
