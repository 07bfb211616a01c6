"""Readers of what long pairs and sweeps leave on disk; see `targets`."""

from __future__ import annotations

import io
import tempfile
import threading
import zipfile
from functools import cache
from pathlib import Path

import numpy as np

from swgui.core.alphabet import NUCLEOTIDE
from swgui.core.pair.problem import PairCheckpoint, PairEnd
from swgui.core.pair.result import PairResult
from swgui.core.records import SequenceRecord
from swgui.core.sweep.grid import Axis, Cell, SweepKey, SweepResult
from swgui.io.export.pairs import write_pair
from swgui.io.saved.pair import open_pair_result
from swgui.io.saved.pair_checkpoint import CheckpointFile, StrandState, settle
from swgui.io.tuning import keep_sweep, load_tuned, use_settings
from swgui.jobs.events import Finished
from swgui.jobs.pair.request import PairRequest
from swgui.jobs.pair.run import align_pair
from tests.asking import DNA_SCHEME

FACTS = {"query": "a", "subject": "b", "matrix": "m"}


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


@cache
def _checkpoint() -> bytes:
    alignment = _pair().alignments[0].alignment
    resume = PairCheckpoint("scores", 50, {"row": np.arange(9, dtype=np.int32)})
    states = {
        "plus": StrandState((alignment,), alignment, PairEnd(50, 40, 40), False, resume),
        "minus": StrandState(done=True),
    }
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "x.npz"
        CheckpointFile(path, FACTS).write(states)
        settle(path)
        return path.read_bytes()


def checkpoints() -> list[bytes]:
    """A checkpoint."""
    return [_checkpoint()]


def read_checkpoint(data: bytes, folder: Path) -> None:
    """Read it as a run that goes on from it does."""
    path = folder / "x.npz"
    path.write_bytes(data)
    states = CheckpointFile(path, FACTS).read()
    assert states is not None
    for state in states.values():
        assert state.resume is None or all(array.dtype.kind in "biuf" for array in state.resume.arrays.values())


def checkpoint_facts() -> list[bytes]:
    """What a checkpoint says about itself."""
    with np.load(io.BytesIO(_checkpoint())) as archive:
        return [archive["facts"].tobytes()]


def read_checkpoint_facts(data: bytes, folder: Path) -> None:
    """Read a checkpoint that says the given bytes about itself, under right checksums."""
    stream = io.BytesIO()
    np.lib.format.write_array(stream, np.frombuffer(data, dtype=np.uint8), allow_pickle=False)
    path = folder / "y.npz"
    with zipfile.ZipFile(io.BytesIO(_checkpoint())) as old, zipfile.ZipFile(path, "w") as new:
        for name in old.namelist():
            new.writestr(name, stream.getvalue() if name == "facts.npy" else old.read(name))
    read_checkpoint(path.read_bytes(), folder)


def read_tuned(data: bytes, folder: Path) -> None:
    """Read kept sweeps; whatever cannot be read is passed over."""
    path = folder / "tuning.json"
    path.write_bytes(data)
    for kept in load_tuned(path):
        assert kept.result.key is not None
        assert isinstance(kept.result.gain, float)


def tuned() -> list[bytes]:
    """Kept sweeps, as the program writes them."""
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
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "tuning.json"
        keep_sweep(sweep, path)
        use_settings(sweep, {"threads": "64"}, path)
        return [path.read_bytes()]
