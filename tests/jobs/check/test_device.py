"""The self-check: right engines pass, wrong ones are found, remembered and refused."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest

import swgui
from swgui.core.engines import EngineOptions
from swgui.core.errors import EngineUnavailable
from swgui.core.hits.scores import ChunkScores
from swgui.core.packing import ChunkLimits
from swgui.core.plain import replace
from swgui.engines import registry
from swgui.engines.base import DeviceEngine, DeviceInfo, EngineStatus
from swgui.jobs.check import device as selfcheck
from swgui.jobs.check.device import (
    SelfCheck,
    check_device,
    check_engine,
    last_check,
    require_exact,
    stored_checks,
)
from swgui.jobs.events import Stage
from tests.reference import gotoh_score

DEVICE = DeviceInfo("7", "Test device", facts={"driver": "1.0"})


@pytest.fixture(autouse=True)
def _own_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SWGUI_CONFIG_DIR", str(tmp_path / "config"))


class Fake:
    """An engine that knows the stored scores, and can spoil some on request."""

    name = "cuda"
    devices = (DEVICE,)

    def __init__(self, spoil: Sequence[tuple[int, int]] = (), leave_out: bool = False) -> None:
        self.spoil, self.leave_out = spoil, leave_out

    def chunk_limits(self, queries: object, database: object) -> ChunkLimits:
        return ChunkLimits(1 << 20)

    def score(self, queries, database, plans, scheme, cancel) -> Iterator[ChunkScores]:  # type: ignore[no-untyped-def]
        (check,) = (check for check in stored_checks() if check.database is database)
        for query in range(len(queries)):
            scores = check.scores[query].copy()
            for wrong_query, subject in self.spoil:
                if wrong_query == query:
                    scores[subject] += 1
            if not (self.leave_out and query == 0):
                yield ChunkScores(query, np.arange(len(database)), scores, 0)

    def close(self) -> None:
        pass


def checked(engine: Fake) -> SelfCheck:
    outcome = check_device(engine, DEVICE, threading.Event())
    assert outcome is not None
    return outcome


@pytest.mark.parametrize("name", ["cpu", "reference"])
def test_engines_of_this_computer_pass_and_it_is_remembered(name: str) -> None:
    (devices,) = (status.devices for status in registry.probe_engines() if status.name == name)
    assert [last_check(name, device) for device in devices] == [None]
    events = list(check_engine(name, threading.Event()))
    assert isinstance(events[0], Stage)
    (outcome,) = (event for event in events if isinstance(event, SelfCheck))
    assert outcome.ok, outcome.differences
    assert outcome.compared == sum(check.scores.size for check in stored_checks())
    assert None not in [last_check(name, device) for device in devices]
    assert "equalled" in outcome.describe()


@pytest.mark.gpu
def test_gpus_pass() -> None:
    outcomes = [event for event in check_engine("cuda", threading.Event()) if isinstance(event, SelfCheck)]
    assert outcomes
    assert all(outcome.ok for outcome in outcomes), [outcome.differences for outcome in outcomes]


def test_stored_scores_are_those_of_the_textbook() -> None:
    # The file is made by tests/data/selfcheck; here some pairs of every case are scored again.
    assert len({check.name for check in stored_checks()}) == len(stored_checks()) >= 6
    highest = max(int(check.scores.max()) for check in stored_checks())
    assert highest > 2**16
    for check in stored_checks():
        small = check.database.lengths.argsort(kind="stable")[:6]
        for number, query in enumerate(check.queries[:2]):
            profile = query.scores(check.scheme).tolist()
            for subject in small.tolist():
                codes = check.database.subject(subject).tolist()
                expected = gotoh_score(profile, codes, check.scheme.gap_first, check.scheme.gap_extend)
                assert check.scores[number, subject] == expected


def test_a_wrong_score_is_found_and_the_device_refused() -> None:
    outcome = checked(Fake(spoil=[(1, 1), (0, 2)]))
    assert not outcome.ok
    assert outcome.differing == 2 * len(stored_checks())
    first = stored_checks()[0]
    value = int(first.scores[0, 2])
    assert outcome.differences[0] == (f"{first.name}: query 1 against subject 3 gave {value + 1} instead of {value}.")
    assert len(outcome.differences) == 10
    selfcheck.remember(outcome)
    with pytest.raises(EngineUnavailable, match="Test device"):
        list(require_exact("cuda", DEVICE, threading.Event()))
    selfcheck.remember(checked(Fake()))
    assert list(require_exact("cuda", DEVICE, threading.Event())) == []


def test_an_unchecked_device_is_checked_before_it_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    status = EngineStatus("cuda", True, (DEVICE,))
    monkeypatch.setattr(registry, "probe", lambda name: status)
    monkeypatch.setattr(registry, "make_engine", lambda name, options: Fake(spoil=[(0, 0)]))
    with pytest.raises(EngineUnavailable, match="It is not used"):
        list(require_exact("cuda", DEVICE, threading.Event()))
    monkeypatch.setattr(registry, "make_engine", lambda name, options: Fake())
    with pytest.raises(EngineUnavailable):  # it is remembered until a check passes
        list(require_exact("cuda", DEVICE, threading.Event()))
    assert any(isinstance(event, SelfCheck) and event.ok for event in check_engine("cuda", threading.Event()))
    assert list(require_exact("cuda", DEVICE, threading.Event())) == []


def test_an_outcome_that_cannot_be_remembered_still_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(outcome: SelfCheck) -> None:
        raise PermissionError("read-only")

    monkeypatch.setattr(selfcheck, "remember", refuse)
    monkeypatch.setattr(registry, "probe", lambda name: EngineStatus("cuda", True, (DEVICE,)))
    monkeypatch.setattr(registry, "make_engine", lambda name, options: Fake(spoil=[(0, 0)]))
    with pytest.raises(EngineUnavailable, match="It is not used"):
        list(require_exact("cuda", DEVICE, threading.Event()))


def test_missing_scores_are_wrong_scores() -> None:
    outcome = checked(Fake(leave_out=True))
    assert not outcome.ok
    assert outcome.differing == sum(check.scores.shape[1] for check in stored_checks())
    assert "gave nothing" in outcome.differences[0]


def test_all_searches_are_compiled_for_before_the_first_is_made() -> None:
    asked: list[object] = []
    prefetch: list[object] = []

    class Compiling(Fake, DeviceEngine):
        def compile_ahead(self, queries: object, database: object, scheme: object) -> None:
            asked.append(database)

        def score(self, queries, database, plans, scheme, cancel) -> Iterator[ChunkScores]:  # type: ignore[no-untyped-def]
            assert {id(one) for one in asked} == {id(check.database) for check in stored_checks()}
            yield from super().score(queries, database, plans, scheme, cancel)

    outcome = check_device(
        Compiling(), DEVICE, threading.Event(), prefetch=lambda engine: prefetch.append(engine.compile_ahead)
    )
    assert outcome is not None
    assert outcome.ok
    assert len(prefetch) == 1
    assert check_device(Fake(), DEVICE, threading.Event(), prefetch=prefetch.append) is not None  # nothing to compile
    assert len(prefetch) == 1


def test_stop_leaves_no_outcome() -> None:
    cancel = threading.Event()
    cancel.set()
    assert check_device(Fake(), DEVICE, cancel) is None
    assert last_check("cuda", DEVICE) is None


def test_outcomes_expire_when_anything_changes(monkeypatch: pytest.MonkeyPatch) -> None:
    selfcheck.remember(checked(Fake()))
    outcome = last_check("cuda", DEVICE)
    assert outcome is not None
    assert outcome.ok
    assert last_check("cpu", DEVICE) is None
    assert last_check("cuda", replace(DEVICE, facts={"driver": "1.1"})) is None
    assert last_check("cuda", replace(DEVICE, name="Another device")) is None
    assert last_check("cuda", replace(DEVICE, free_memory=5)) == outcome
    monkeypatch.setattr(swgui, "__version__", "99.0")
    assert last_check("cuda", DEVICE) is None


def test_a_damaged_memory_counts_as_none(tmp_path: Path) -> None:
    selfcheck.remember(checked(Fake()))
    path = tmp_path / "config" / "self_checks.json"
    for text in ("", "[]", '{"format": 2, "checks": []}', '{"format": 1, "checks": [{"engine": "cuda"}]}'):
        path.write_text(text)
        assert last_check("cuda", DEVICE) is None
    selfcheck.remember(checked(Fake()))
    assert last_check("cuda", DEVICE) is not None


def test_every_way_of_setting_an_engine_is_checked_by_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    made = []

    def make(name: str, options: EngineOptions) -> Fake:
        made.append(dict(options.settings))
        return Fake(spoil=[(0, 0)] if options.settings.get("method") == "bad" else ())

    monkeypatch.setattr(registry, "probe", lambda name: EngineStatus("cuda", True, (DEVICE,)))
    monkeypatch.setattr(registry, "make_engine", make)
    for settings in ({}, {"method": "good", "threads": "64"}, {"threads": "64", "method": "good"}):
        list(require_exact("cuda", DEVICE, threading.Event(), settings))
    assert made == [{}, {"method": "good", "threads": "64"}]  # the order of settings does not matter
    with pytest.raises(EngineUnavailable, match="method=bad"):
        list(require_exact("cuda", DEVICE, threading.Event(), {"method": "bad"}))
    assert list(require_exact("cuda", DEVICE, threading.Event())) == []
    assert last_check("cuda", DEVICE, "method=good threads=64").settings == "method=good threads=64"


def test_what_remembers_no_settings_is_still_read() -> None:
    selfcheck.remember(checked(Fake()))
    path = selfcheck.memory_path()
    stored = json.loads(path.read_text("utf-8"))
    for entry in stored["checks"]:
        del entry["settings"]
    path.write_text(json.dumps(stored), "utf-8")
    assert last_check("cuda", DEVICE) is not None
