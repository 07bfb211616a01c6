"""The certificate of a leak: what was compared, what was found, and checksums of both, so that it can be checked."""

from __future__ import annotations

import hashlib
import platform
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

import swgui
from swgui.core.database import EncodedDatabase
from swgui.core.network.edges import BACK
from swgui.core.network.measures import IDENTITIES
from swgui.jobs.certificate import NO_SIGNATURE, sealed
from swgui.jobs.network.all_against_all import AllAgainstAll
from swgui.jobs.network.leak import Leaks, SequenceSet

FORMATS: Final = ("swgui leak certificate 2", "swgui leak certificate 1")  # the latest first, which is written
TESTS: Final = 256  # test sequences of a block
CAVEATS: Final = (
    "E is not corrected for composition. Identity is that of one alignment with the best score: another alignment may "
    "have more. Sequences without a neighbour by these limits may still be related."
)
_FIGURES: Final = ("scores", "identities", "columns", "first_span", "second_span")


def leak_certificate(
    leaks: Leaks, asked: AllAgainstAll, places: Mapping[str, str], parts: Sequence[str] = (), command: str = ""
) -> dict[str, Any]:
    """Return the certificate of a comparison, for JSON.

    Parameters
    ----------
    places : Mapping
        Files of ``training``, ``test`` and ``split``, those that were read.
    parts : sequence of str
        Names of the parts of training and of testing, where a table told them apart.
    """
    limit, scheme, nearest = leaks.limit, asked.scheme, by_test(leaks)
    blocks = [
        {"first": first, "last": last, "sha256": digest_of(leaks, nearest[first:last])}
        for first, last in blocks_of(len(leaks.test))
    ]
    facts = {
        "format": FORMATS[0],
        "sentence": " ".join(leaks.summary()),
        "training": _database_facts(leaks.train, places["training"]),
        "test": _database_facts(leaks.test, places.get("test", places["training"])),
        "split": {"path": places["split"], "parts": list(parts)} if places.get("split") else None,
        "scoring": {
            "matrix": scheme.matrix.name,
            "scores": scheme.matrix.scores.tolist(),
            "gap_first": scheme.gap_first,
            "gap_extend": scheme.gap_extend,
            "strands": asked.compared,
            **_context_facts(asked),
        },
        "limits": {
            "evalue": asked.evalue,
            "evalue_refers_to": _space_facts(*asked.search_space),
            "coverage": limit.coverage,
            "coverage_of": limit.coverage_of,
            "identity_over": limit.identity_over,
            "identity_is": IDENTITIES[limit.identity_over].meaning,
            "sure_evalue": limit.sure,
        },
        "pairs": len(leaks.test) * len(leaks.train),
        "cells": asked.cells,
        "left_out": 0,
        "pairs_within_evalue": len(leaks.edges),
        "with_neighbour": int((nearest >= 0).sum()),
        "with_identity_of_at_least": {str(step): number for step, number in leaks.counts().items()},
        "blocks": blocks,
        "program": f"swgui {swgui.__version__}",
        "computer": platform.platform(),
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "command": command,
        "not_said": CAVEATS,
        "checksum_is": NO_SIGNATURE,
    }
    return sealed(facts)


def _database_facts(database: EncodedDatabase | SequenceSet, path: str) -> dict[str, Any]:
    return {
        "name": database.name,
        "path": path,
        "checksum": database.checksum,
        "sequences": len(database),
        "residues": database.residues,
    }


def _context_facts(asked: AllAgainstAll) -> dict[str, str]:
    """Return the library of contexts, of a comparison in both directions."""
    if not asked.scoring.by_context:
        return {}
    return {"context": asked.context, "context_checksum": asked.scoring.checksum}


def _space_facts(residues: float, sequences: float) -> dict[str, int]:
    return {"residues": int(residues), "sequences": int(sequences)}


def blocks_of(tests: int) -> list[tuple[int, int]]:
    """Return first and last (exclusive) of the test sequences of each block."""
    return [(first, min(first + TESTS, tests)) for first in range(0, tests, TESTS)]


def by_test(leaks: Leaks) -> NDArray[np.int64]:
    """Return the row of the nearest one of each test sequence, in the order of the source; -1 for none."""
    nearest = np.empty(len(leaks.test), dtype=np.int64)
    nearest[leaks.order] = leaks.nearest
    return nearest


def digest_of(leaks: Leaks, rows: NDArray[np.int64]) -> str:
    """Return the SHA-256 of the nearest training sequences of some test sequences, with the alignments' figures."""
    edges, found = leaks.edges, rows >= 0
    names = "second", *_FIGURES, *((BACK,) if edges.back_scores is not None else ())
    table = np.full((len(rows), len(names)), -1, dtype="<i8")
    for column, name in enumerate(names):
        table[found, column] = getattr(edges, name)[rows[found]]
    return hashlib.sha256(table.tobytes()).hexdigest()
