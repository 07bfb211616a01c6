"""Checkpoints of long pairs as version 0.2 wrote them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from swgui.io.saved.before.checkpoints import FORMAT
from swgui.io.saved.log import Entry
from swgui.io.saved.pair_states import DIFFERENCES


def written_by_0_2(path: Path, asked: Entry, state: Entry, **changes: Any) -> Path:
    """Write the request of a log, but for some facts, and a state as a checkpoint of version 0.2."""
    facts = {name: asked.facts[text] for name, text in DIFFERENCES.items() if text in asked.facts} | changes
    document = json.dumps({"format": FORMAT, "facts": facts, **state.facts}).encode("ascii")
    with open(path, "wb") as file:
        np.savez(file, allow_pickle=False, **state.arrays, facts=np.frombuffer(document, dtype=np.uint8))
    return path
