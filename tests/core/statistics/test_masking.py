"""SEG and DUST: compared with segmasker and dustmasker, and DUST with its definition."""

from __future__ import annotations

import csv
import threading
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from swgui.core.alphabet import NUCLEOTIDE, PROTEIN
from swgui.core.database import encode_database
from swgui.core.errors import Stopped
from swgui.core.records import SequenceRecord
from swgui.core.statistics.masking import (
    DustSettings,
    SegSettings,
    dust,
    join_close,
    low_complexity,
    mask_codes,
    mask_database,
    mask_record,
    seg,
)

TABLE = Path(__file__).resolve().parents[2] / "data" / "statistics" / "masks.tsv"
RANDOM_PROTEIN = "MKVLHWTRNQEYCFDGSAPIKRTEWQHNVYLCMDFG"


def covered(intervals: list[tuple[int, int]], length: int) -> np.ndarray:
    mask = np.zeros(length, dtype=bool)
    for start, end in intervals:
        mask[start:end] = True
    return mask


def golden(kind: str) -> list[tuple[str, np.ndarray]]:
    with open(TABLE, encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file, delimiter="\t") if row["kind"] == kind]
    found = []
    for row in rows:
        ends = [part.split("-") for part in row["masked"].split(",") if part]
        # Both programs write positions from 0, the last one included.
        found.append((row["sequence"], covered([(int(a), int(b) + 1) for a, b in ends], len(row["sequence"]))))
    return found


def test_dust_is_dustmasker() -> None:
    for sequence, expected in golden("nucleotide"):
        found = covered(dust(NUCLEOTIDE.encode(sequence.encode())), len(sequence))
        assert np.array_equal(found, expected), sequence


def test_seg_is_segmasker_up_to_ties() -> None:
    rows = golden("protein")
    same = residues = differing = 0
    for sequence, expected in rows:
        found = covered(seg(PROTEIN.encode(sequence.encode())), len(sequence))
        same += np.array_equal(found, expected)
        residues += int(expected.sum())
        differing += int((found != expected).sum())
    assert residues > 1000
    assert same >= 0.95 * len(rows)
    assert differing <= 0.005 * residues


def dust_by_definition(sequence: str, window: int, level: int) -> np.ndarray:
    """All stretches, all parts of each: the definition of Morgulis et al. without any shortcut."""
    triplets = [sequence[i : i + 3] for i in range(len(sequence) - 2)]

    def score(first: int, last: int) -> float:
        counts = Counter(triplets[first : last + 1])
        return sum(c * (c - 1) / 2 for c in counts.values()) / (last - first) if last > first else 0.0

    mask = np.zeros(len(sequence), dtype=bool)
    for first in range(len(triplets)):
        for last in range(first + 1, min(first + window - 2, len(triplets))):
            own = score(first, last)
            if own > level / 10 and all(score(a, b) <= own for a in range(first, last + 1) for b in range(a, last + 1)):
                mask[first : last + 3] = True
    # Stretches with one base between them are joined.
    for at in range(1, len(sequence) - 1):
        if mask[at - 1] and mask[at + 1]:
            mask[at] = True
    return mask


@given(st.text("ACGT", max_size=22), st.integers(8, 16))
def test_dust_by_its_definition(sequence: str, window: int) -> None:
    found = dust(NUCLEOTIDE.encode(sequence.encode()), DustSettings(window=window, level=10))
    assert np.array_equal(covered(found, len(sequence)), dust_by_definition(sequence, window, 10))


@given(st.text("ACGTN", max_size=120))
def test_dust_is_the_same_on_both_strands(sequence: str) -> None:
    codes = NUCLEOTIDE.encode(sequence.encode())
    other = covered(dust(NUCLEOTIDE.reverse_complement(codes)), len(sequence))
    assert np.array_equal(covered(dust(codes), len(sequence)), other[::-1])


def test_dust_counts_u_as_t_and_stops_at_ambiguous_bases() -> None:
    assert dust(NUCLEOTIDE.encode(b"U" * 40)) == dust(NUCLEOTIDE.encode(b"T" * 40)) == [(0, 40)]
    assert dust(NUCLEOTIDE.encode(b"A" * 30 + b"NNNN" + b"A" * 30)) == [(0, 30), (34, 64)]


@pytest.mark.parametrize("run", [12, 40, 300])
def test_seg_finds_a_run_in_a_protein(run: int) -> None:
    (interval,) = seg(PROTEIN.encode((RANDOM_PROTEIN + "Q" * run + RANDOM_PROTEIN).encode()))
    start = len(RANDOM_PROTEIN)
    assert interval[0] <= start
    assert interval[1] >= start + run
    assert interval[1] - interval[0] <= run + 8


def test_seg_leaves_ordinary_and_short_proteins_alone() -> None:
    assert seg(PROTEIN.encode(RANDOM_PROTEIN.encode())) == []
    assert seg(PROTEIN.encode(b"QQQQQQQQQQQ")) == []  # shorter than the window
    assert seg(PROTEIN.encode(b"")) == []


def test_seg_ignores_windows_of_unknown_residues() -> None:
    assert seg(PROTEIN.encode((RANDOM_PROTEIN + "X" * 50 + RANDOM_PROTEIN).encode())) == []


@given(st.text("ACDEFGHIKLMNPQRSTVWYXBZUO*", max_size=150), st.integers(6, 20))
def test_intervals_are_in_order_apart_and_inside(sequence: str, window: int) -> None:
    found = seg(PROTEIN.encode(sequence.encode()), SegSettings(window=window, low=2.0, high=2.4))
    ends = [end for interval in found for end in interval]
    assert ends == sorted(set(ends))
    assert all(0 <= end <= len(sequence) for end in ends)


def test_masking_a_record_says_what_was_masked() -> None:
    residues = (RANDOM_PROTEIN + "Q" * 30 + RANDOM_PROTEIN).encode()
    record = SequenceRecord("query", "with a run", residues)
    masked, intervals, remarks = mask_record(record, PROTEIN, number=3)
    assert len(masked.residues) == len(residues)
    mask = covered(intervals, len(residues))
    assert all(chr(new) == "X" for new, hidden in zip(masked.residues, mask, strict=True) if hidden)
    assert all(new == old for new, old, hidden in zip(masked.residues, residues, mask, strict=True) if not hidden)
    (remark,) = remarks
    assert (remark.kind, remark.record, remark.count) == ("replaced", 3, int(mask.sum()))
    assert f"{intervals[0][0] + 1}-{intervals[0][1]}" in remark.message
    assert "SEG" in remark.message


def test_nothing_to_mask_changes_nothing() -> None:
    record = SequenceRecord("query", "", RANDOM_PROTEIN.encode())
    masked, intervals, remarks = mask_record(record, PROTEIN)
    assert masked is record
    assert intervals == []
    assert remarks == []


def test_alphabet_chooses_the_method() -> None:
    assert low_complexity(NUCLEOTIDE.encode(b"CA" * 40), NUCLEOTIDE) == [(0, 80)]
    assert low_complexity(PROTEIN.encode(b"CA" * 40), PROTEIN) == [(0, 80)]
    codes = NUCLEOTIDE.encode(b"ACGT")
    assert NUCLEOTIDE.decode(mask_codes(codes, NUCLEOTIDE, [(1, 3)])) == b"ANNT"
    assert NUCLEOTIDE.decode(codes) == b"ACGT"


def test_a_masked_database_is_its_masked_records() -> None:
    run = RANDOM_PROTEIN + "Q" * 30
    records = [SequenceRecord(f"s{i}", "", (RANDOM_PROTEIN * i + run).encode()) for i in range(4)]
    records.append(SequenceRecord("plain", "", RANDOM_PROTEIN.encode()))
    database = encode_database(records, PROTEIN, "five")
    seen: list[tuple[int, int]] = []
    masked, count = mask_database(database, lambda done, total: seen.append((done, total)))
    assert seen == [(0, 5)]
    expected = [mask_record(record, PROTEIN)[0] for record in records]
    assert [masked.record(i).residues for i in range(5)] == [record.residues for record in expected]
    assert count == sum(record.residues.count(b"X") for record in expected) > 0
    assert masked.checksum == "" != database.checksum
    assert [database.record(i) for i in range(5)] == records
    stop = threading.Event()
    stop.set()
    with pytest.raises(Stopped):
        mask_database(database, cancel=stop)


@pytest.mark.parametrize(
    ("gap", "joined"), [(0, [(1, 4), (5, 8), (9, 12)]), (1, [(1, 12)]), (2, [(1, 12)])], ids=["touch", "one", "two"]
)
def test_intervals_that_overlap_touch_or_are_near_become_one(gap, joined):
    assert join_close([(9, 12), (5, 8), (1, 3), (2, 4), (6, 7)], gap) == joined
    assert join_close([(3, 5), (1, 3)], gap) == [(1, 5)]
