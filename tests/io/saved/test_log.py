"""The log of a run: what is kept, what a crash leaves, and who may continue from it."""

import json
import os
import threading

import numpy as np
import pytest

from swgui.core.errors import LogError
from swgui.io.saved import log as logs
from swgui.io.saved.log import Log, compare, in_use, read_log, read_state_facts, settle
from swgui.io.saved.resuming import log_at
from swgui.io.whole_file import FileNotWritten

ASKED = {"queries": ["one"], "limit": 0.5}


def same(entry, facts, arrays):
    assert entry.facts == facts
    assert list(entry.arrays) == list(arrays)
    for name, array in arrays.items():
        assert entry.arrays[name].dtype == np.asarray(array).dtype
        np.testing.assert_array_equal(entry.arrays[name], array)


def pieces(rng, number=5):
    for index in range(number):
        count = int(rng.integers(0, 40))
        yield (
            {"index": index, "text": "Größe"},
            {
                "scores": rng.integers(0, 9999, count).astype(np.int32),
                "evalues": rng.random((2, count)),
                "nothing": np.zeros((0, 3), np.uint8),
            },
        )


def made(path, entries, asked=ASKED):
    log = Log(path, "rule", asked, {"residues": np.frombuffer(b"MKV", np.uint8)})
    for facts, arrays in entries:
        log.add(facts, arrays)
    log.close()


def test_what_is_added_is_read_again(tmp_path, rng):
    entries = list(pieces(rng))
    made(tmp_path / "a.log", entries)
    asked, found = read_log(tmp_path / "a.log", "rule")
    same(asked, ASKED, {"residues": np.frombuffer(b"MKV", np.uint8)})
    for entry, (facts, arrays) in zip(found, entries, strict=True):
        same(entry, facts, arrays)


@pytest.mark.parametrize("lost", [1, 3, 17, 200])
def test_reading_ends_at_the_first_entry_that_is_not_whole_and_writing_continues_there(tmp_path, rng, lost):
    path, entries = tmp_path / "a.log", list(pieces(rng))
    made(path, entries)
    os.truncate(path, path.stat().st_size - lost)
    whole = len(list(read_log(path, "rule")[1]))
    assert whole < len(entries)
    log = Log(path, "rule")
    assert len(list(log.entries())) == whole
    log.add({"index": "last"})
    log.close()
    found = list(read_log(path, "rule")[1])
    assert [entry.facts["index"] for entry in found] == [*range(whole), "last"]


def test_a_changed_byte_ends_the_log_before_its_entry(tmp_path, rng):
    path, entries = tmp_path / "a.log", list(pieces(rng))
    made(path, entries)
    content = bytearray(path.read_bytes())
    content[-30] ^= 1
    path.write_bytes(content)
    assert len(list(read_log(path, "rule")[1])) == len(entries) - 1


def test_an_entry_may_be_larger_than_a_frame(tmp_path, rng, monkeypatch):
    monkeypatch.setattr(logs, "FRAME", 1000)
    arrays = {"large": rng.integers(0, 99, 5000), "small": np.arange(3)}
    made(tmp_path / "a.log", [({"n": 1}, arrays), ({"n": 2}, {})])
    first, second = read_log(tmp_path / "a.log", "rule")[1]
    same(first, {"n": 1}, arrays)
    same(second, {"n": 2}, {})
    os.truncate(tmp_path / "a.log", 2500)
    assert list(read_log(tmp_path / "a.log", "rule")[1]) == []


def test_a_state_replaces_what_was_there_and_the_newest_wins(tmp_path, rng):
    path = tmp_path / "a.log"
    log = Log(path, "pair", ASKED)
    for number in range(20):
        log.replace({"number": number}, {"rows": np.arange(number)})
    log.settle()
    same(next(read_log(path, "pair")[1]), {"number": 19}, {"rows": np.arange(19)})
    assert in_use(path)
    log.add({"number": "behind"})
    log.close()
    asked, found = read_log(path, "pair")
    assert (asked.facts, [entry.facts["number"] for entry in found]) == (ASKED, [19, "behind"])
    assert [file.name for file in tmp_path.iterdir()] == ["a.log"]
    assert not in_use(path)


def test_a_state_that_cannot_be_written_leaves_the_one_before(tmp_path, monkeypatch):
    path = tmp_path / "a.log"
    log = Log(path, "pair", ASKED)
    log.replace({"number": 1})
    log.settle()

    def full(source, target):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(logs, "replace_file", full)
    log.replace({"number": 2})
    log.settle()
    assert "no space left" in log.problem
    monkeypatch.undo()
    assert [entry.facts["number"] for entry in read_log(path, "pair")[1]] == [1]
    log.replace({"number": 3})
    log.close()
    assert log.problem == ""
    assert [entry.facts["number"] for entry in read_log(path, "pair")[1]] == [3]


@pytest.mark.parametrize("size", [3, logs.FACTS_ALONE])
def test_the_facts_of_a_state_are_read_without_its_arrays(tmp_path, size):
    path, arrays = tmp_path / "a.log", {"rows": np.arange(size), "one": np.array(3)}
    log = Log(path, "pair", ASKED)
    assert log.state() is None
    assert read_state_facts(path, "pair") == {}
    log.replace({"number": 1}, arrays)
    log.settle()
    same(log.state(), {"number": 1}, arrays)
    assert read_state_facts(path, "pair") == {"number": 1}
    log.close()


@pytest.mark.parametrize("lost", [1, 9, 60])
def test_a_state_that_is_not_whole_is_damage_and_stays(tmp_path, lost):
    path = tmp_path / "a.log"
    log = Log(path, "pair", ASKED)
    log.replace({"number": 1}, {"rows": np.arange(9)})
    log.close()
    os.truncate(path, path.stat().st_size - lost)
    kept, log = path.read_bytes(), Log(path, "pair")
    with pytest.raises(LogError, match="damaged"):
        log.state()
    log.leave()
    assert path.read_bytes() == kept


def test_a_log_is_left_while_a_state_is_written(tmp_path, monkeypatch):
    path, enough, real = tmp_path / "a.log", threading.Event(), Log.replace_now

    def slow(log, facts, arrays):
        assert enough.wait(60)
        real(log, facts, arrays)

    monkeypatch.setattr(Log, "replace_now", slow)
    log = Log(path, "pair", ASKED)
    log.replace({"number": 1})
    log.leave()
    settle(path, 0.0)
    assert in_use(path)
    threading.Timer(0.05, enough.set).start()
    resumed = Log(path, "pair")  # waits until the program has left it
    same(resumed.state(), {"number": 1}, {})
    resumed.leave()
    assert not in_use(path)


def test_a_log_that_is_left_without_a_state_is_deleted(tmp_path, monkeypatch):
    def full(source, target):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(logs, "replace_file", full)
    log = Log(tmp_path / "a.log", "pair", ASKED)
    log.replace({"number": 1})
    log.leave()
    settle(tmp_path / "a.log")
    assert list(tmp_path.iterdir()) == []


def test_a_full_disk_ends_the_log_and_not_the_run(tmp_path, monkeypatch):
    log = Log(tmp_path / "a.log", "rule", ASKED)
    log.add({"n": 1})

    def full(frames):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(log, "write_frames", full)
    log.add({"n": 2})
    log.add({"n": 3})
    assert "No space left" in log.problem
    log.close()
    assert [entry.facts["n"] for entry in read_log(tmp_path / "a.log", "rule")[1]] == [1]


def test_one_program_at_a_time_works_on_a_run(tmp_path):
    path = tmp_path / "a.log"
    log = Log(path, "rule", ASKED)
    with pytest.raises(LogError, match="in use"):
        Log(path, "rule")
    with pytest.raises(FileNotWritten):
        Log(path, "rule", ASKED)  # a new log replaces none
    log.close()
    Log(path, "rule").close()


@pytest.mark.parametrize("content", [b"", b"\x93SWLOG1\n", b"\x93SWLOG1\nxxxxxxxxxxxxxxxxxxxxxxxx", b"MKVLAA"])
def test_what_is_no_log_is_refused(tmp_path, content):
    (tmp_path / "a.log").write_bytes(content)
    with pytest.raises(LogError, match=r"'a\.log' is no state"):
        read_log(tmp_path / "a.log", "rule")
    with pytest.raises(LogError, match=r"'a\.log' is no state"):
        Log(tmp_path / "a.log", "rule")
    assert (tmp_path / "a.log").read_bytes() == content


def test_a_log_of_another_kind_or_request_is_refused(tmp_path):
    made(tmp_path / "a.log", [])
    with pytest.raises(LogError, match=r"another kind of run \(rule\)"):
        Log(tmp_path / "a.log", "pair")
    compare({"another rule": [1, "x"]}, {"another rule": (1, "x")}, tmp_path / "a.log", "name another")
    with pytest.raises(LogError, match="is of another rule"):
        compare({"another rule": 1}, {"another rule": 2}, tmp_path / "a.log", "name another")


@pytest.mark.usefixtures("links")
def test_what_is_no_ordinary_file_is_refused_and_stays(tmp_path):
    link = tmp_path / "a.log"
    link.symlink_to(os.devnull)
    with pytest.raises(LogError, match="no state"):
        log_at(link, "rule", ASKED, "name another")
    assert link.is_symlink()


def test_a_log_that_nothing_was_added_to_is_not_worth_keeping(tmp_path):
    log = Log(tmp_path / "a.log", "rule", ASKED)
    assert not log.worth_keeping
    log.add({})
    assert log.worth_keeping
    log.delete()
    assert not list(tmp_path.iterdir())


def test_facts_are_json(tmp_path):
    made(tmp_path / "a.log", [({"list": [1, "two", None, True]}, {})])
    (entry,) = read_log(tmp_path / "a.log", "rule")[1]
    assert json.dumps(entry.facts) == '{"list": [1, "two", null, true]}'
