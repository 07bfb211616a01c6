"""Hits that are described and written while other queries are still scored: the same bytes as at the end."""

from __future__ import annotations

import copy
import threading
import time

import numpy as np
import pytest

from swgui.cli import main
from swgui.cli.writing import HitWriter, Remarks, write_result
from swgui.core.alphabet import PROTEIN
from swgui.core.database import encode_database
from swgui.core.engines import EngineOptions
from swgui.core.plain import replace
from swgui.core.records import SequenceRecord
from swgui.io.export import FORMATS
from swgui.jobs import threads
from swgui.jobs.events import run_to_end
from swgui.jobs.search.describe import Describing
from swgui.jobs.search.early import Early
from swgui.jobs.search.events import Listed
from swgui.jobs.search.run import search_steps
from tests.asking import BLOSUM62, altered, answer, search_request
from tests.engines.conftest import random_codes, relative
from tests.fakes import DeviceAdapter

pytestmark = pytest.mark.usefixtures("user_folders", "trusted_engines")

COUNT = 8
SEVERAL = [name for name, form in FORMATS.items() if form.is_text and not form.one_query]


@pytest.fixture(scope="module")
def records():
    """Queries, and subjects: relatives of all queries but the first, two of them with the same relative twice."""
    rng = np.random.default_rng(20_261_129)
    queries = [random_codes(rng, int(rng.integers(25, 45)), 20) for _ in range(COUNT)]
    subjects = [relative(rng, one, 20) for one in queries[1:] for _ in range(2)]
    subjects += [np.concatenate([one, random_codes(rng, 40, 20), one]) for one in queries[4:5]]
    return [
        [SequenceRecord(f"{name}{at}", "of a test", PROTEIN.decode(one)) for at, one in enumerate(some)]
        for name, some in (("q", queries), ("s", subjects))
    ]


@pytest.fixture
def request_(records, install_engines):
    install_engines(toy=DeviceAdapter())
    queries, subjects = records
    database = encode_database(subjects, PROTEIN, "toy")
    return search_request(queries=tuple(queries), database=database, scheme=BLOSUM62, engine="toy", max_evalue=10.0)


@pytest.fixture
def result(request_):
    return answer(request_)


def describing(**how):
    return Describing(iter, **how)


def parts_of(result):
    return [(result.hit_list(number), range(len(query.hits))) for number, query in enumerate(result.queries)]


def lines_of(tables):
    """Return query, rank, score, E and CIGAR of each line, in order."""
    found = []
    for table in (part for some in tables for part in some.parts):
        columns = table.hit + table.ranks[0], table.scores, table.log10_evalues, table.aligned.cigars()
        found += [(table.record.id, *row) for row in zip(*columns, strict=True)]
    return found


def early_of(result, numbers, how=None, room=1 << 20):
    """Return an `Early` that was given some queries of a result, one by one."""
    early = Early(how or describing(), ready=True, room=room)
    for number in numbers:
        early.add(Listed(result, [number], seconds=9.0))
    return early


def until(condition):
    for _ in range(6_000):
        if condition():
            return
        time.sleep(0.005)
    pytest.fail("It did not come to be within half a minute.")


def no_threads():
    return not [thread for thread in threading.enumerate() if thread.name.startswith("swgui-early")]


@pytest.mark.parametrize("numbers", [[5, 2], range(COUNT), [0, 7]], ids=str)
def test_any_queries_may_be_described_early(result, numbers):
    early = early_of(result, numbers)
    until(lambda: len(early) == len(numbers))
    assert lines_of(early.in_order(result, parts_of(result))) == lines_of(describing().in_order(parts_of(result)))
    early.close()
    assert no_threads()


def test_without_room_all_is_described_at_the_end(result):
    late = lines_of(describing().in_order(parts_of(result)))
    for room, made in ((0, 0), (1, 1)):
        early = early_of(result, [3], room=room)
        until(lambda early=early, made=made: len(early) == made)
        early.add(Listed(result, [4], seconds=9.0))
        assert lines_of(early.in_order(result, parts_of(result))) == late
        early.close()
        assert len(early) == 0  # handed over, and the second one not begun


def test_nothing_begins_that_does_not_pay(result):
    for seconds in ((1.0, 9.0), (9.0, 0.0)):  # a short scan; all is scored by now
        early = Early(describing(), ready=True)
        for number, left in zip((3, 5), seconds, strict=True):
            early.add(Listed(result, [number], seconds=left))
        late = lines_of(describing().in_order(parts_of(result)))
        assert lines_of(early.in_order(result, parts_of(result))) == late
        early.close()
        assert len(early) == 0


def test_lists_that_are_others_in_the_end_are_described_again(result):
    early = early_of(result, [3, 4])
    until(lambda: len(early) == 2)
    other = replace(result.queries[4], hits=result.queries[4].hits.take(slice(0, 1)))
    changed = replace(result, queries=(*result.queries[:4], other, *result.queries[5:]))
    assert lines_of(early.in_order(changed, parts_of(changed))) == lines_of(describing().in_order(parts_of(changed)))
    early.close()


def test_what_fails_early_fails_in_its_turn(result):
    def form(tables):
        for table in tables:
            if any(number == 4 for number, _ in table.counts):
                raise OSError("a fault")
            yield table

    early = early_of(result, [2, 4, 6], Describing(form))
    until(lambda: len(early) == 2)
    found = []
    with pytest.raises(OSError, match="a fault"):
        found.extend(early.in_order(result, parts_of(result)))
    assert max(int(record[1:]) for record, *_ in lines_of(found)) == 3
    early.close()
    assert no_threads()


def test_after_stop_what_is_described_stays_and_nothing_else_begins(result):
    cancel, whole = threading.Event(), lines_of(describing().in_order(parts_of(result)))
    early = early_of(result, [4, 7], describing(cancel=cancel))
    until(lambda: len(early) == 2)
    cancel.set()
    early.add(Listed(result, [5], seconds=9.0))
    found = lines_of(early.in_order(result, parts_of(result)))
    early.close()
    for name in ("q4", "q7"):
        assert [line for line in found if line[0] == name] == [line for line in whole if line[0] == name]
    # Those that were not described have their best alignment alone, or none.
    assert {line[:4] for line in found} <= {line[:4] for line in whole}
    assert no_threads()


def listed_by(request):
    """Return the result of a search, and the events of lists that were made."""
    told = []
    steps = search_steps(request, threading.Event(), as_listed=True)
    result = run_to_end(steps, lambda event: told.append(event) if isinstance(event, Listed) else None)
    return result, told


def test_lists_are_told_while_others_are_scored(request_, install_engines, monkeypatch):
    monkeypatch.setattr(threads, "TUNING", replace(threads.TUNING, groups=2))  # four queries
    told, ended = [], time.monotonic() + 30.0
    install_engines(toy=DeviceAdapter(ready=lambda: told or time.monotonic() > ended))
    steps = search_steps(altered(request_, options=EngineOptions(threads=1)), threading.Event(), as_listed=True)
    run_to_end(steps, lambda event: told.append(event) if isinstance(event, Listed) else None)
    assert told[0].seconds > 0.0
    assert 0 not in told[0].numbers


def test_each_query_is_told_once_with_the_list_that_it_has_in_the_end(request_):
    result, told = listed_by(request_)
    assert sorted(number for event in told for number in event.numbers) == list(range(COUNT))
    for event in told:
        assert event.result.database is result.database
        assert event.result.search is result.search
        for number in event.numbers:
            assert event.result.queries[number] is result.queries[number]


def test_lists_that_may_change_are_not_told(request_, install_engines):
    assert not listed_by(altered(request_, minimums=replace(request_.search.limits.minimums, identity=50.0)))[1]
    install_engines(toy=DeviceAdapter("cpu"))  # all cores score
    assert not listed_by(request_)[1]


def test_after_a_fault_of_the_device_the_next_engine_keeps_what_was_told(request_, install_engines):
    install_engines(toy=DeviceAdapter(fail_after=5), other=DeviceAdapter("cpu"))
    result, told = listed_by(altered(request_, engine="auto"))
    assert result.state == "complete"
    assert "The toy broke." in result.message
    assert told
    for event in told:
        assert all(event.result.queries[number] is result.queries[number] for number in event.numbers)


@pytest.fixture
def files(records, tmp_path):
    places = []
    for name, some in zip(("queries", "subjects"), records, strict=True):
        places.append(tmp_path / f"{name}.fasta")
        places[-1].write_text("".join(f">{one.id} {one.description}\n{one.residues.decode()}\n" for one in some))
    return places


class Twice(HitWriter):
    """Writes a result once more into another file, all of it described at the end."""

    told = ()

    def __init__(self, arguments, line, cancel):
        super().__init__(arguments, line, cancel)
        self.given = arguments, line

    def hear(self, event):
        self.told = (*self.told, *event.numbers)
        super().hear(replace(event, seconds=9.0))

    def write(self, result):
        arguments, line = self.given
        assert sorted(self.told) == list(range(COUNT))
        late = copy.copy(arguments)
        late.out = f"{arguments.out}.late"
        assert write_result(result, late, line) == super().write(result)
        return 0


@pytest.mark.sampled(8)
@pytest.mark.parametrize("name", SEVERAL)
def test_every_format_has_the_same_bytes(files, tmp_path, install_engines, monkeypatch, name):
    in_order = Early.in_order

    def patient(self, result, parts):
        until(lambda: len(self) == COUNT)
        return in_order(self, result, parts)

    monkeypatch.setattr(Early, "in_order", patient)
    monkeypatch.setattr("swgui.cli.search.HitWriter", Twice)
    install_engines(toy=DeviceAdapter())
    out = tmp_path / "hits"
    words = "search", "-q", str(files[0]), "-d", str(files[1]), "--engine", "toy", "--format", name, "-o", str(out)
    assert main([*words]) == 0
    early = out.read_bytes()
    assert early == (tmp_path / "hits.late").read_bytes()
    assert b"s1" in early


def test_the_remark_on_shifts_is_that_of_the_first_hit_of_a_query():
    remarks = Remarks()
    for number, said in ((3, "third"), (2, "first"), (2, "second")):  # a list of two tables, and a name that two have
        remarks.add(Remarks(shifts={"q": (number, said)}))
    assert remarks.sentences == ["first"]
