"""The reader of networks; see `targets`."""

from __future__ import annotations

import io
import tempfile
import zipfile
from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np

from swgui.core.network.edges import Edges
from swgui.io.network.file import load_network, save_network
from swgui.io.network.graphs import Network
from tests.core.several.test_joined import BLOSUM62
from tests.fuzz.share_targets import with_part


def _column(*values: int) -> np.ndarray:
    return np.array(values, np.int32)


@cache
def _file() -> bytes:
    counts = [_column(9, 8), _column(10, 90), _column(10, 90), _column(10, 80), np.ones(2, np.int8)]
    edges = Edges(_column(0, 1), _column(1, 2), _column(50, 70_000), np.array([-9.0, -500.0]), *counts)
    names, lengths, bits = ["a", "b", "c"], _column(10, 90, 80), np.array([24.0, 9000.0])
    made = Network("few", names, ["", "b OS=Homo sapiens", ""], lengths, edges, bits, 1e-5, scheme=BLOSUM62)
    with tempfile.TemporaryDirectory() as folder:
        save_network(made, Path(folder) / "n.swnet")
        return (Path(folder) / "n.swnet").read_bytes()


def network_files() -> list[bytes]:
    """Return a file."""
    return [_file()]


@cache
def _parts() -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(_file())) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def network_part(name: str) -> list[bytes]:
    """Return a part of it."""
    return [_parts()[name]]


def read_network(data: bytes, folder: Path) -> None:
    """Read it, and what it says of its scoring."""
    (folder / "n.swnet").write_bytes(data)
    assert load_network(folder / "n.swnet").said is not None


def read_network_part(name: str) -> Callable[[bytes, Path], None]:
    """Make a reader of a file one part of which is the given bytes."""
    return lambda data, folder: read_network(with_part(_parts(), name, data), folder)
