"""The reader of what was scored of a share, and the search that is made of it; see `targets`."""

from __future__ import annotations

import hashlib
import io
import json
import tempfile
import threading
import zipfile
from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np

from swgui.core.alphabet import PROTEIN
from swgui.core.database import EncodedDatabase, encode_database
from swgui.core.errors import SwguiError
from swgui.core.records import SequenceRecord
from swgui.core.search import Search
from swgui.core.several.shares import Share
from swgui.io.saved.share import check_together, open_whole, read_share, save_share
from swgui.jobs.events import run_to_end
from swgui.jobs.search.request import SearchRequest
from swgui.jobs.several.shares import SharedSearch, merge_steps, share_steps
from tests.asking import BLOSUM62


@cache
def _database() -> EncodedDatabase:
    rng = np.random.default_rng(3)
    letters = [PROTEIN.decode(rng.integers(0, 20, int(rng.integers(20, 60)), dtype=np.uint8)) for _ in range(12)]
    return encode_database([SequenceRecord(f"s{n}", "", text) for n, text in enumerate(letters)], PROTEIN, "few")


@cache
def _file() -> bytes:
    query = _database().record(3)
    search = Search(scheme=BLOSUM62, engine="cpu", composition="lambda")
    request = SearchRequest((query,), _database(), search)
    shared = run_to_end(share_steps(request, Share(1, 1), threading.Event()))
    assert shared is not None
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "1.part"
        save_share(shared.shares[0], (query,), search, _database(), path)
        return path.read_bytes()


@cache
def _parts() -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(_file())) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def share_files() -> list[bytes]:
    """Return a file."""
    return [_file()]


def share_parts(name: str) -> list[bytes]:
    """Return a part of it."""
    return [_parts()[name]]


def read_whole_share(data: bytes, folder: Path) -> None:
    """Read it, and make of it what one search would have found."""
    path = folder / "1.part"
    path.write_bytes(data)
    parts = check_together([read_share(path)])
    search, database, _ = open_whole(parts, _database(), threading.Event())
    shared = SharedSearch(SearchRequest(parts[0].queries, database, search), (parts[0].scores,))
    result = run_to_end(merge_steps(shared, threading.Event()))
    if result is None:
        raise SwguiError("Nothing came of it.")


def with_part(parts: dict[str, bytes], name: str, data: bytes) -> bytes:
    """Return a packed file one part of which is the given bytes, under its right checksum."""
    parts = parts | {name: data}
    if name != "manifest.json":
        manifest = json.loads(parts["manifest.json"])
        manifest["parts"][name] = hashlib.blake2b(data, digest_size=16).hexdigest()
        parts["manifest.json"] = json.dumps(manifest).encode()
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for part, content in parts.items():
            archive.writestr(part, content)
    return stream.getvalue()


def read_share_part(name: str) -> Callable[[bytes, Path], None]:
    """Make a reader of a file one part of which is the given bytes."""
    return lambda data, folder: read_whole_share(with_part(_parts(), name, data), folder)
