"""The walk over many entries at once, compared with a slow one over one; titles made by hand."""

import numpy as np
import pytest

from swgui.io.imported.ber import DEEPEST, Damaged, walk
from swgui.io.imported.deflines import read_deflines


def length(size, rng):
    if size < 128 and rng.random() < 0.8:
        return bytes([size])
    count = int(rng.integers(max(1, (size.bit_length() + 7) // 8), 5))
    return bytes([0x80 | count]) + size.to_bytes(count, "big")


def tree(rng, depth):
    """Random tags: a primitive, or something that holds others, with a definite length or without."""
    if depth == 0 or rng.random() < 0.4:
        size = int(rng.integers(0, 300 if rng.random() < 0.1 else 6))
        body = rng.integers(0, 256, size).astype(np.uint8).tobytes()
        tag = bytes([rng.choice([0x1A, 0x02, 0x81])])
        return tag + length(len(body), rng) + body
    body = b"".join(tree(rng, depth - 1) for _ in range(rng.integers(0, 4)))
    tag = bytes([0x20 | int(rng.choice([0x10, 0x80, 0x81, 0x8B]))])
    return tag + (b"\x80" + body + b"\0\0" if rng.random() < 0.5 else length(len(body), rng) + body)


def slow(data, at, end, path, found):
    """Read the entries between two places; return where it ended. `end` is None where a closing tag marks it."""
    while True:
        if end is not None and at == end:
            return at
        if end is None and data[at : at + 2] == b"\0\0":
            return at + 2
        tag, first, at = data[at], data[at + 1], at + 2
        if first == 0x80:
            at = slow(data, at, None, [*path, tag], found)
            continue
        if first > 0x80:
            count = first & 0x7F
            first, at = int.from_bytes(data[at : at + count], "big"), at + count
        if tag & 0x20:
            slow(data, at, at + first, [*path, tag], found)
        else:
            found.append((int.from_bytes(bytes(path[2:][-8:]), "big"), at, first))
        at += first


def arrays(entries):
    ends = np.cumsum([len(entry) for entry in entries])
    return np.frombuffer(b"".join(entries), np.uint8), np.append(0, ends[:-1]), ends


@pytest.mark.parametrize("seed", range(8))
def test_the_values_of_random_entries_are_those_of_a_slow_walk(seed):
    rng = np.random.default_rng(seed)
    entries = [b"0\x80" + b"".join(tree(rng, 5) for _ in range(rng.integers(0, 4))) + b"\0\0" for _ in range(40)]
    data, starts, ends = arrays(entries)
    values = walk(data, starts, ends)
    for index, (start, end) in enumerate(zip(starts.tolist(), ends.tolist(), strict=True)):
        expected = []
        slow(data.tobytes(), start, end, [], expected)
        rows = values.entries == index
        columns = (values.paths[rows], values.starts[rows], values.sizes[rows])
        assert list(zip(*(column.tolist() for column in columns), strict=True)) == expected


def test_every_truncation_is_damaged():
    rng = np.random.default_rng(3)
    entry = b"0\x80" + tree(rng, 4) + tree(rng, 4) + b"\0\0"
    good = b"0\x80\x1a\1a\0\0"
    for size in range(1, len(entry)):
        with pytest.raises(Damaged) as caught:
            walk(*arrays([good, entry[:size], good]))
        assert caught.value.entry == 1


@pytest.mark.parametrize(
    "entry",
    [
        b"0\x80" * (DEEPEST + 1),
        b"\0\0",
        b"0\x05\0\0\x1a\1a",
        b"0\x80\x1a\x80aa\0\0",
        b"0\x80\x1a\x85\0\0\0\0\1a\0\0",
        b"0\x80\x1f\1a\0\0",
        b"0\x04\x1a\x09a\0",
    ],
)
def test_what_breaks_the_rules_is_damaged(entry):
    with pytest.raises(Damaged):
        walk(*arrays([entry]))


def defline(title, name, taxid=b"\1"):
    heading = b"0\x80\xa0\x80\x1a" + bytes([len(title)]) + title
    identifier = b"\0\0\xa1\x800\x80\xa0\x80\xa1\x80\x1a" + bytes([len(name)]) + name
    return heading + identifier + b"\0\0\0\0\0\0\0\0\xa2\x80\2" + bytes([len(taxid)]) + taxid + b"\0\0\0\0"


def entry(*deflines):
    return b"0\x80" + b"".join(deflines) + b"\0\0"


def texts(entries):
    ids, id_sizes, titles, title_sizes, taxids = read_deflines(*arrays(entries)).texts(len(entries))
    cut = [np.split(np.frombuffer(text, np.uint8), np.cumsum(sizes)[:-1])
           for text, sizes in ((ids, id_sizes), (titles, title_sizes))]  # fmt: skip
    return [(a.tobytes(), b.tobytes(), c) for a, b, c in zip(*cut, taxids.tolist(), strict=True)]


def test_many_deflines_and_titles_that_look_like_the_end_of_one():
    odd = b"a\0\x000\x80\xa0\x80\x1a\1b"
    entries = [
        entry(defline(b"one", b"a")),
        entry(*(defline(b"t%d" % n, b"n%d" % n) for n in range(400))),
        entry(defline(odd, b"b"), defline(b"", b"c", b"\0\x01\0")),
        entry(),
        entry(defline(b"x", b"y")),
    ]
    many = b"t0" + b"".join(b"\x01n%d t%d" % (n, n) for n in range(1, 400))
    assert texts(entries) == [
        (b"a", b"one", 1), (b"n0", many, 1), (b"b", odd + b"\x01c", 1), (b"", b"", 0), (b"y", b"x", 1)
    ]  # fmt: skip
    del entries[2]  # which made a cut fail, so that whole entries were walked
    assert texts(entries) == [(b"a", b"one", 1), (b"n0", many, 1), (b"", b"", 0), (b"y", b"x", 1)]


def test_numbers_of_taxa_that_are_none():
    entries = [
        entry(defline(b"", b"a", taxid)) for taxid in (b"", b"\xff", b"\x7f" * 4, b"\x7f" * 9, b"\0\xff", b"\0" * 30)
    ]
    assert [taxid for *_, taxid in texts(entries)] == [0, 0, 0x7F7F7F7F, 0, 255, 0]
