"""Residues of 2, 5 and 8 bits: unpacked residues are those that were packed, compiled or not."""

import zlib
from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from swgui.engines.native import library, packing
from swgui.io.database.packed import codec

LETTERS = {2: 16, 5: 32, 8: 256}


def sequences(rng, bits, lengths):
    codes = rng.integers(0, LETTERS[bits], sum(lengths)).astype(np.uint8)
    if bits == codec.FEW:  # mostly bases, with runs of others
        codes[rng.random(len(codes)) < 0.9] &= 3
        for start in rng.integers(0, len(codes) + 1, 3).tolist():
            codes[start : start + int(rng.integers(0, 300))] = 15
    offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    return codes, offsets, rng.permutation(len(lengths)).astype(np.int64)


def joined(codes, offsets, order):
    return np.concatenate([np.zeros(0, np.uint8), *(codes[offsets[i] : offsets[i + 1]] for i in order)])


def unpacked(unpack, packed, edges, bits, runs, size):
    """Unpack stretches, the last one first."""
    lengths = np.diff(edges)
    places = size - np.cumsum(lengths)
    out = np.full(size, 77, np.uint8)
    unpack(packed, edges, places, bits, out)
    if runs is not None:
        runs.lay(edges, places, out)
    return [out[place : place + length] for place, length in zip(places, lengths, strict=True)]


@settings(deadline=None, max_examples=60)
@given(
    seed=st.integers(0, 1 << 30),
    bits=st.sampled_from([2, 5, 8]),
    lengths=st.lists(st.integers(0, 400), max_size=12),
    cuts=st.lists(st.integers(0, 5000), max_size=6),
)
def test_what_is_packed_is_unpacked(seed, bits, lengths, cuts):
    codes, offsets, order = sequences(np.random.default_rng(seed), bits, lengths)
    packed, wanted = codec.pack(codes, offsets, order, bits), joined(codes, offsets, order)
    assert len(packed) == codec.packed_size(len(codes), bits)
    runs = codec.Runs.of(codes, offsets, order) if bits == codec.FEW else None
    edges = np.unique([0, len(codes), *(cut for cut in cuts if cut < len(codes))]).astype(np.int64)
    forms = [codec.unpack]
    if bits != codec.PLAIN:
        plainly = np.empty_like(packed)
        codec.pack_plainly(codes, offsets, order, bits, plainly)
        assert np.array_equal(plainly, packed)
        forms.append(codec.unpack_plainly)
    for form in forms:
        parts = unpacked(form, packed, edges, bits, runs, len(codes))
        for part, begin, end in zip(parts, edges[:-1], edges[1:], strict=True):
            assert np.array_equal(part, wanted[begin:end])


@pytest.mark.parametrize("length", [0, 1, 63, 64, 65, 4095, 4096, 4097, 200_000])
def test_every_code_survives_at_every_length(length):
    codes = (np.arange(length) * 7 % 32).astype(np.uint8)
    edges, start = np.array([0, length], np.int64), np.zeros(1, np.int64)
    out = np.empty(length, np.uint8)
    codec.unpack(codec.pack(codes, edges, start, 5), edges, start, 5, out)
    assert np.array_equal(out, codes)


def test_all_instruction_sets_agree(monkeypatch):
    rng = np.random.default_rng(4)
    codes, offsets, order = sequences(rng, 5, [130, 0, 7, 900])
    made = []
    for level in library.levels():
        with monkeypatch.context() as patched:
            patched.setattr(packing, "function", partial(library.function, level=level))
            packed, out = codec.pack(codes, offsets, order, 5), np.empty(len(codes), np.uint8)
            codec.unpack(packed, np.array([0, len(codes)]), np.zeros(1, np.int64), 5, out)
        made.append((packed.tobytes(), out.tobytes()))
    assert len(set(made)) == 1
    assert made[0][1] == joined(codes, offsets, order).tobytes()


@pytest.mark.parametrize("level", [*library.levels(), "plain"])
def test_checksums_are_those_of_zlib(monkeypatch, level):
    data = np.random.default_rng(5).integers(0, 256, 5_000).astype(np.uint8)
    if level == "plain":
        monkeypatch.setattr(packing, "problem", lambda: "nothing is compiled")
        monkeypatch.setattr(codec, "best_codec", codec.best_codec.__wrapped__)
    else:
        monkeypatch.setattr(packing, "function", partial(library.function, level=level))
    for size in (*range(0, 300, 3), 4_096, 4_999):
        for crc in (0, 1, 0xFFFFFFFF):
            assert codec.checksum(data[1 : 1 + size], crc) == zlib.crc32(data[1 : 1 + size], crc)
