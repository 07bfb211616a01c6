"""Checkpoints of long pairs up to version 0.2: an ``.npz`` archive, replaced by every newer state.

``facts`` is JSON: what is aligned and how, how far each strand is, and what the work has taken. The other arrays are
those of the strands, by the names that a state of this version has for them (`swgui.io.saved.pair_states`).
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import numpy as np

from swgui.core.engines import current_settings
from swgui.io.saved.log import Entry
from swgui.io.saved.pack import FAULTS
from swgui.io.saved.pair_states import DIFFERENCES, KIND

FORMAT: Final = "swgui pair checkpoint 1"


def read_checkpoint(path: Path, kind: str) -> tuple[Entry, Iterator[Entry]] | None:
    """Return the content of a checkpoint, as `read_log` does; None if it is none, or damaged."""
    if kind != KIND:
        return None
    try:
        with open(path, "rb") as file, np.load(file, allow_pickle=False) as archive:
            document = _document(archive)
            arrays = {name: archive[name] for name in archive.files if name != "facts"}
            state = Entry({name: document[name] for name in ("strands", "spent") if name in document}, arrays)
            kept = dict(document["facts"])
            if isinstance(kept.get("settings"), dict):
                kept["settings"] = current_settings(kept["settings"])
            asked = {text: kept[name] for name, text in DIFFERENCES.items() if name in kept}
    except (OSError, *FAULTS):
        return None
    return Entry(asked, {}), iter((state,))


def read_checkpoint_facts(path: Path) -> dict[str, Any]:
    """Return the facts of the state in a checkpoint, without reading its arrays.

    Raises
    ------
    OSError, or one of `FAULTS`
        If it is no checkpoint, or damaged.
    """
    with open(path, "rb") as file, np.load(file, allow_pickle=False) as archive:
        return _document(archive)


def _document(archive: Any) -> dict[str, Any]:
    document = json.loads(archive["facts"].tobytes())
    if document["format"] != FORMAT:
        raise ValueError(document["format"])
    return dict(document)
