"""Circular records: where a circle is cut changes no place but its numbers."""

import threading
from fractions import Fraction

import numpy as np
import pytest

from swgui.core.alphabet import NUCLEOTIDE, PROTEIN
from swgui.core.database import encode_database
from swgui.core.errors import InvalidParameter
from swgui.core.records import SequenceRecord
from swgui.core.rules.asked import remarks
from swgui.core.rules.request import RuleRequest
from swgui.core.rules.rule import Edits, Guides, Identity, Mismatches, Primers, Window, Words
from swgui.core.translation.frames import FRAMES
from swgui.jobs.events import run_to_end
from swgui.jobs.rules.resume import asked
from swgui.jobs.rules.run import RuleRun, certificate
from swgui.jobs.rules.table import places_table
from swgui.jobs.rules.verify import request_of, verify_certificate

SIZE = 90
RULES = (
    Mismatches(1),
    Edits(2),
    Edits(2, every_end=True),
    Edits(1, matching_ends=True),
    Identity(Fraction(3, 4)),
    Window(6, Fraction(3, 5)),
    Words(5),
    Guides("NG", "3", 1, 1, 1),
    Guides("TV", "5", 1, 1, 0),
    Primers(1, 2, 10, 60),
    Primers(1, 2, 10, 1 << 30),
)


def record(name, text, circular):
    return SequenceRecord(name, "", text, circular=circular)


def texts(seed):
    """Return a circle and queries: a pair of primers of it, of which one is a guide between two PAMs, and others."""
    rng = np.random.default_rng(seed)
    letters = np.frombuffer(b"ACGT", np.uint8)
    circle, *others = (letters[rng.integers(0, 4, size)].tobytes() for size in (SIZE, 8, 8))
    circle = circle[:68] + b"TA" + circle[70:78] + b"CG" + circle[80:]
    turned = NUCLEOTIDE.reverse_complement(NUCLEOTIDE.encode(circle[5:13]))
    return [circle, circle[70:78], NUCLEOTIDE.decode(turned), *others]


def run_of(rule, queries, subjects, *, alphabet=NUCLEOTIDE, **manner):
    given = tuple(record(f"q{number}", text, False) for number, text in enumerate(queries))
    request = RuleRequest(rule, given, alphabet, "", engine="cpu", **manner)
    run = RuleRun(request, encode_database(subjects, request.database_alphabet, "d"))
    run.scan_all()
    return run


def listed(run, shift=0):
    """Return the places of the first subject, each as numbers that do not depend on where its circle is cut."""
    places = run.found()
    places = places.take(places.subject == 0)
    starts = (places.start + shift) % SIZE
    sizes = places.end - places.start
    names = "query", "strand", "mismatches", "insertions", "deletions", "query_start", "query_end", "other_readings"
    return sorted(
        zip(starts.tolist(), sizes.tolist(), *(getattr(places, name).tolist() for name in names), strict=True)
    )


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("rule", RULES, ids=lambda rule: f"{type(rule).__name__}")
@pytest.mark.sampled(7)
def test_where_a_circle_is_cut_changes_nothing(rule, seed):
    circle, *queries = texts(seed)
    others = [record("linear", circle[40:] + circle[:40], False), record("small", b"ACGTTGCA", True)]
    whole, crossing = None, 0
    one = isinstance(rule, Identity | Window)  # lists one place of equally good ones, the leftmost
    for cut in (0, 31, 60, 74):
        turned = circle[cut:] + circle[:cut]
        run = run_of(rule, queries, [record("c", turned, True), *others])
        found = listed(run, cut)
        if one:
            found = [(*row[2:3], row[4]) for row in found]
        whole = found if whole is None else whole
        assert sorted(found) == sorted(whole)
        places = run.found()
        crossing += int(((places.end > SIZE) & (places.subject == 0)).sum())
        facts = certificate(run)
        assert facts["expected"] == facts["tested"]
        assert facts["database"]["circular"]["records"] == 2
        if not one:
            linear = listed(run_of(rule, queries, [record("c", turned, False)]), cut)
            if not isinstance(rule, Edits | Words | Guides):  # of which others may be listed at an end
                assert set(linear) <= set(found)
    assert crossing
    check = run_to_end(verify_certificate(facts, request_of(facts, ""), run.database, threading.Event(), full=True))
    assert check.problems == []


@pytest.mark.parametrize("frames", [FRAMES, (1,), (-2, 3)])
def test_frames_are_read_across_the_origin(frames):
    rng = np.random.default_rng(4)
    circle = np.frombuffer(b"ACGT", np.uint8)[rng.integers(0, 4, SIZE)].tobytes()
    rule = Mismatches(1)
    whole = None
    for cut in (0, 3, 30, 63, 87):  # by codons, so that frames keep their numbers
        turned = circle[cut:] + circle[:cut]
        run = run_of(rule, [b"ARN", b"LSV", b"GPT"], [record("c", turned, True)], alphabet=PROTEIN, frames=frames)
        found = listed(run, cut)
        whole = found if whole is None else whole
        assert found == whole
        for (residues,) in places_table(run.request, run.database, run.found()).choose(["sseq"]).rows():
            assert len(residues) == 3
    assert whole


def test_positions_are_those_of_the_record():
    circle = b"CCCTTT" + b"G" * 30 + b"AAAGGG"
    run = run_of(Mismatches(0), [b"AAAGGGCCCTTT"], [record("c", circle, True)], strands="plus")
    table = places_table(run.request, run.database, run.found()).choose(["sstart", "send", "join", "sseq"])
    assert list(table.rows()) == [(37, 6, "join(37..42,1..6)", "AAAGGGCCCTTT")]
    assert remarks(run.facts()) == ["The record was read as circular, across the origin."]
    assert remarks(run_of(Mismatches(0), [b"AAA"], [record("c", circle, False)]).facts()) == [
        "All records were read as linear, from end to end."
    ]


def test_a_linear_record_has_no_place_across_its_ends():
    circle = b"CCCTTT" + b"G" * 30 + b"AAAGGG"
    given = {"rule": Mismatches(0), "queries": [b"AAAGGGCCCTTT"], "subjects": [record("c", circle, False)]}
    assert not len(run_of(**given).found())
    assert len(run_of(**given, circular=True).found()) == 2
    before, after = (asked(run_of(**given, circular=circular)) for circular in (False, True))
    assert [name for name in before if before[name] != after[name]] == ["another database"]


def test_what_is_read_from_end_to_end_is_not_asked_as_circular():
    with pytest.raises(InvalidParameter, match="does not read the records"):
        run_of(Mismatches(0), [b"ARN"], [record("c", b"ARN", False)], alphabet=PROTEIN, circular=True)
    with pytest.raises(InvalidParameter, match="does not read the records"):
        run_of(Identity(over="query"), [b"ACG"], [record("c", b"ACG", False)], circular=True)
