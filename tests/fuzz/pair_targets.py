"""Readers of what long pairs and sweeps leave on disk; see `targets`."""

from __future__ import annotations

import io
import json
import tempfile
import threading
import zipfile
from contextlib import closing
from functools import cache
from pathlib import Path

import numpy as np

from swgui.core.alphabet import NUCLEOTIDE
from swgui.core.pair.problem import PairCheckpoint, PairEnd, Strand
from swgui.core.pair.result import PairResult
from swgui.core.plain import plain
from swgui.core.records import SequenceRecord
from swgui.core.sweep.grid import Axis, Cell, SweepKey, SweepResult
from swgui.core.sweep.report import as_json
from swgui.io.export.pairs import write_pair
from swgui.io.frames import framed, read_frame
from swgui.io.saved.log import MAGIC, Entry, Log
from swgui.io.saved.pair import open_pair_result
from swgui.io.saved.pair_states import KIND, StrandState, packed, unpacked
from swgui.io.saved.resuming import continued
from swgui.io.tuning import earlier_sweeps, load_in_use
from swgui.jobs.events import Finished
from swgui.jobs.pair.request import PairRequest
from swgui.jobs.pair.run import align_pair
from tests.asking import DNA_SCHEME
from tests.io.saved.older_checkpoint import written_by_0_2

FACTS = {"another query": "a", "another subject": "b", "another matrix": "m"}


@cache
def _pair() -> PairResult:
    letters = NUCLEOTIDE.decode(np.random.default_rng(5).integers(0, 4, 90, dtype=np.uint8))
    query, subject = SequenceRecord("q", "größe", letters), SequenceRecord("s", "", letters[:40] + letters[44:])
    *_, last = align_pair(PairRequest(query, subject, DNA_SCHEME, method="cpu", strand="both"), threading.Event())
    assert isinstance(last, Finished)
    return last.outcome


def pair_files() -> list[bytes]:
    """A pair exported as JSON."""
    text = io.StringIO()
    write_pair("json", _pair(), text)
    return [text.getvalue().encode()]


def read_pair(data: bytes, folder: Path) -> None:
    """Open it, and write what was read."""
    path = folder / "pair.json"
    path.write_bytes(data)
    write_pair("text", open_pair_result(path), io.StringIO())


def _state() -> Entry:
    alignment = _pair().alignments[0].alignment
    resume = PairCheckpoint("scores", 50, {"row": np.arange(9, dtype=np.int32)})
    return packed(
        {
            "plus": StrandState((alignment,), alignment, PairEnd(50, 40, 40), False, resume),
            "minus": StrandState(done=True),
        }
    )


@cache
def _checkpoint() -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "state"
        log = Log(path, KIND, FACTS)
        log.replace(*_state())
        log.close()
        return path.read_bytes()


@cache
def _older() -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        return written_by_0_2(Path(folder) / "state", Entry(FACTS, {}), _state()).read_bytes()


def checkpoints() -> list[bytes]:
    """A checkpoint."""
    return [_checkpoint()]


def older_checkpoints() -> list[bytes]:
    """A checkpoint of version 0.2."""
    return [_older()]


def checkpoint_states(path: Path) -> dict[Strand, StrandState]:
    """Return the data of a checkpoint that a run continues from; empty where it holds nothing."""
    with closing(continued(path, KIND, FACTS, "name another")) as log:
        state = log.state()
        return unpacked(state, path)[0] if state is not None else {}


def read_checkpoint(data: bytes, folder: Path) -> None:
    """Read it as a run that continues from it does."""
    path = folder / "state"
    path.write_bytes(data)
    for state in checkpoint_states(path).values():
        assert state.resume is None or all(array.dtype.kind in "biuf" for array in state.resume.arrays.values())


def checkpoint_facts() -> list[bytes]:
    """The head of a checkpoint's state."""
    return [_frames()[1]]


def read_checkpoint_facts(data: bytes, folder: Path) -> None:
    """Read a checkpoint that says the given bytes of its state, under the right checksum."""
    asked, _, arrays = _frames()
    changed = framed(len(data).to_bytes(4, "little") + data + arrays)
    read_checkpoint(MAGIC + framed(asked) + changed, folder)


def _frames() -> tuple[bytes, bytes, bytes]:
    """Return the request, and the facts and the arrays of the state, of a checkpoint."""
    file = io.BytesIO(_checkpoint()[len(MAGIC) :])
    asked, state = read_frame(file), read_frame(file)
    assert asked is not None
    assert state is not None
    size = 4 + int.from_bytes(state[:4], "little")
    return asked, state[4:size], state[size:]


def older_facts() -> list[bytes]:
    """The head of a checkpoint of version 0.2."""
    with np.load(io.BytesIO(_older())) as archive:
        return [archive["facts"].tobytes()]


def read_older_facts(data: bytes, folder: Path) -> None:
    """Read a checkpoint of version 0.2 that says the given bytes about itself, under right checksums."""
    stream = io.BytesIO()
    np.lib.format.write_array(stream, np.frombuffer(data, dtype=np.uint8), allow_pickle=False)
    path = folder / "y.npz"
    with zipfile.ZipFile(io.BytesIO(_older())) as old, zipfile.ZipFile(path, "w") as new:
        for name in old.namelist():
            new.writestr(name, stream.getvalue() if name == "facts.npy" else old.read(name))
    read_checkpoint(path.read_bytes(), folder)


def read_tuned(data: bytes, folder: Path) -> None:
    """Read kept sweeps; whatever cannot be read is passed over."""
    path = folder / "tuning.json"
    path.write_bytes(data)
    for entry in load_in_use(path):
        assert entry.key is not None
    for sweep in earlier_sweeps(path):
        assert isinstance(sweep.gain, float)


def tuned() -> list[bytes]:
    """Kept sweeps, as versions before 0.2 wrote them, and settings in use."""
    cells = [
        Cell(("64",), "measured", (1.5, 2.0), (1.0, 1.5), "", 100, 0, 1980.0, 60.0, False, {"threads": 64}),
        Cell(("128",), "impossible", reason="No room."),
    ]
    key = SweepKey("cuda", "GPU-1", "580.1", "abc", 25, "256-383")
    axes = (Axis("threads", "Threads per block", "threads", ("64", "128")),)
    sweep = SweepResult(
        axes, {cell.place: cell for cell in cells}, cells[0], None, key, "GPU", 350, 1000, 10, "db", {"method": "simt"},
        True, "2026-01-01T10:00:00+00:00", False, 12.5,
    )  # fmt: skip
    entries = [{"sweep": as_json(sweep), "chosen": {"threads": "64"}}]
    in_use = [{"key": plain(key), "settings": {"threads": "64"}}]
    return [
        json.dumps({"format": 1, "entries": entries}).encode(),
        json.dumps({"format": 2, "in_use": in_use}).encode(),
    ]
