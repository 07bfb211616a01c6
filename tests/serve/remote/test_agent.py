"""The side that answers another computer: hostile calls get a sentence and nothing else."""

import hashlib
import io
from pathlib import Path

import msgspec
import pytest

from swgui import paths
from swgui.io.remote.wire import MAGIC, Call, Greeting, Reply, Standing, decoded, frame, read_frame
from swgui.serve.remote.agent import METHODS, Agent, over_streams
from swgui.serve.remote.folder import RunPlace, folder_of

RUN = "20261129-070000-0123abcd"


@pytest.fixture(autouse=True)
def own_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("SWGUI_DATA_DIR", str(tmp_path / "data"))


def asked(method, agent=None, **arguments):
    """Return the reply to a call."""
    content = frame(Call(method, arguments))
    answer = (agent or Agent()).answer(read_frame(io.BytesIO(content).read))
    return decoded(read_frame(io.BytesIO(answer).read), Reply)


def refused(method, **arguments):
    fault = asked(method, **arguments).fault
    assert fault is not None
    return fault


@pytest.mark.parametrize("run", ["", "..", "../../etc", "20261129-070000-0123abcd/..", RUN + "\n", "x" * 300])
@pytest.mark.parametrize("method", ["standing", "put", "start", "events", "stop", "pause", "read", "forget"])
def test_an_id_that_is_none_reaches_no_file(method, run):
    more = {"offset": 0, "data": b"", "size": 1, "on": True}
    assert refused(method, run=run, **more).kind == "run"
    assert not paths.data_dir().exists() or not any(paths.data_dir().rglob("*"))


@pytest.mark.parametrize("method", ["answer", "_check", "__init__", "__class__", "shutdown", ""])
def test_only_listed_methods_are_called(method):
    assert method not in METHODS
    assert refused(method).kind == "version"


def test_unknown_arguments_are_left_out_and_missing_ones_are_a_fault():
    assert asked("standing", run=RUN, later="x").value == msgspec.to_builtins(Standing("none"))
    assert refused("standing").kind == "TypeError"


@pytest.mark.parametrize("content", [b"", b"\x00", b"GET / HTTP/1.1", msgspec.msgpack.encode({"method": 3})])
def test_bytes_of_no_call_are_answered(content):
    assert decoded(read_frame(io.BytesIO(Agent().answer(content)).read), Reply).fault is not None


@pytest.mark.parametrize("data", [b"", b"garbage", msgspec.msgpack.encode({"kind": "search", "facts": {}})])
def test_a_request_that_is_none_begins_nothing(data):
    assert asked("put", run=RUN, offset=0, data=data).value is True
    assert refused("start", run=RUN, size=len(data), sha256=hashlib.sha256(data).hexdigest()).message
    assert asked("standing", run=RUN).value["state"] == "none"


def test_arrays_of_another_size_or_of_objects_are_refused():
    for form, shape, data in (("<i8", [3], b"12345678"), ("|O", [1], b"12345678"), ("<i8", [-1], b"")):
        content = msgspec.msgpack.encode({"kind": "network", "facts": {}, "arrays": {"x": [form, shape, data]}})
        asked("put", run=RUN, offset=0, data=content)
        assert refused("start", run=RUN, size=len(content), sha256="0" * 64).kind == "InvalidParameter"


@pytest.mark.parametrize(
    ("kind", "facts"),
    [
        ("network", {"sequences": {"file": "/etc/passwd"}}),
        ("cluster", {"network": {"sequences": {"file": "/etc/passwd"}}}),
        ("leak", {"train": {"file": "/etc/passwd"}, "test": {"name": "x"}}),
        ("leak", {"train": {"name": "x"}, "split": "/etc/passwd"}),
    ],
)
def test_no_file_that_a_request_names_is_looked_for(kind, facts, monkeypatch):
    def look(*_what, **_more):
        raise AssertionError("it was")

    for place in ("swgui.runs.packing.moved", "swgui.runs.networks.open_any_database", "swgui.runs.groupings.parts_of"):
        monkeypatch.setattr(place, look)
    content = msgspec.msgpack.encode({"kind": kind, "facts": facts})
    asked("put", run=RUN, offset=0, data=content)
    fault = refused("start", run=RUN, size=len(content), sha256=hashlib.sha256(content).hexdigest())
    assert (fault.kind, "other computer" in fault.message) == ("RunError", True)
    assert asked("standing", run=RUN).value["state"] == "none"


def test_parts_must_come_in_order():
    asked("put", run=RUN, offset=0, data=b"abc")
    assert refused("put", run=RUN, offset=5, data=b"x").kind == "order"
    assert refused("put", run=RUN, offset=1 << 40, data=b"x").message
    asked("put", run=RUN, offset=3, data=b"def")
    assert refused("put", run=RUN, offset=3, data=b"x").kind == "order"


def test_the_run_of_another_owner_does_not_exist():
    other = Agent("served-other")
    place = RunPlace("served-other", RUN)
    place.path.mkdir(parents=True)
    place.file("result").write_bytes(b"secret")
    assert asked("read", other, run=RUN, offset=0, size=10).value == b"secret"
    assert refused("read", run=RUN, offset=0, size=10).kind == "run"
    assert asked("runs").value == {}
    asked("forget", run=RUN)
    assert place.file("result").exists()


def test_streams_begin_with_the_magic_line_and_end_with_the_caller():
    calls = b"".join(frame(Call(*call)) for call in (("hello", {"protocol": 1, "version": "x"}), ("runs", {})))
    sink = io.BytesIO()
    over_streams(io.BytesIO(calls + b"\x07\x00"), sink, Agent())
    said = io.BytesIO(sink.getvalue())
    assert said.readline() == MAGIC
    greeting = msgspec.convert(decoded(read_frame(said.read), Reply).value, Greeting)
    assert greeting.protocol == 1
    assert decoded(read_frame(said.read), Reply).value == {}
    assert read_frame(said.read) is None


def test_a_database_that_was_named_from_the_current_folder_is_found_from_any(tmp_path, monkeypatch):
    place = RunPlace("local", RUN)
    place.path.mkdir(parents=True)
    (tmp_path / "some.swdb").write_bytes(b"")
    monkeypatch.chdir(tmp_path)
    place.note_database(Path("some.swdb"))
    monkeypatch.chdir("/")
    assert place.database() == tmp_path / "some.swdb"


def test_runs_that_did_not_change_for_long_are_deleted(monkeypatch):
    place = RunPlace("local", RUN)
    place.path.mkdir(parents=True)
    asked("hello", protocol=1, version="x")
    assert place.path.exists()
    monkeypatch.setattr("swgui.serve.remote.folder.time.time", lambda: 1e11)
    asked("hello", protocol=1, version="x")
    assert not any(folder_of("local").iterdir())
