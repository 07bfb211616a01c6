"""The certificate of a leak: what was compared, what was found, and checksums of both, so that it can be checked."""

from __future__ import annotations

import hashlib
import platform
import threading
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

import swgui
from swgui.core.database import EncodedDatabase, encode_database
from swgui.core.network.edges import IDENTITIES, PairLimit
from swgui.core.scoring import ScoringScheme, SubstitutionMatrix
from swgui.core.words import count
from swgui.jobs.certificate import checksum_of, damaged
from swgui.jobs.events import Stage
from swgui.jobs.network.leak import Leaks, nearest_of
from swgui.jobs.network.pairs import AllPairs, edges_of

FORMAT: Final = "swgui leak certificate 2"  # of 1, E was that of the test sequence as query among those of training
TESTS: Final = 256  # test sequences of a block
SAMPLE: Final = 2  # blocks that are compared again unless all are asked for
CAVEATS: Final = (
    "E is not corrected for composition. Identity is that of one alignment with the best score: another alignment may "
    "have more. Sequences without a neighbour by these limits may still be related."
)
_FIGURES: Final = ("scores", "identities", "columns", "first_span", "second_span")


def leak_certificate(
    leaks: Leaks, asked: AllPairs, places: Mapping[str, str], parts: Sequence[str] = (), command: str = ""
) -> dict[str, Any]:
    """Return the certificate of a comparison, for JSON.

    Parameters
    ----------
    places : Mapping
        Files of ``training``, ``test`` and ``split``, those that were read.
    parts : sequence of str
        Names of the parts of training and of testing, where a table told them apart.
    """
    limit, scheme, nearest = leaks.limit, asked.scheme, _by_test(leaks)
    blocks = [
        {"first": first, "last": last, "sha256": _digest(leaks, nearest[first:last])}
        for first, last in _blocks(len(leaks.test))
    ]
    facts = {
        "format": FORMAT,
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
    }
    return {**facts, "certificate_sha256": checksum_of(facts)}


def _database_facts(database: EncodedDatabase, path: str) -> dict[str, Any]:
    return {
        "name": database.name,
        "path": path,
        "checksum": database.checksum,
        "sequences": len(database),
        "residues": database.residues,
    }


def _space_facts(residues: float, sequences: float) -> dict[str, int]:
    return {"residues": int(residues), "sequences": int(sequences)}


def _blocks(tests: int) -> list[tuple[int, int]]:
    return [(first, min(first + TESTS, tests)) for first in range(0, tests, TESTS)]


def _by_test(leaks: Leaks) -> NDArray[np.int64]:
    """Return the row of the nearest one of each test sequence, in the order of the source; -1 for none."""
    nearest = np.empty(len(leaks.test), dtype=np.int64)
    nearest[leaks.order] = leaks.nearest
    return nearest


def _digest(leaks: Leaks, rows: NDArray[np.int64]) -> str:
    """Return the SHA-256 of the nearest training sequences of some test sequences, with the alignments' figures."""
    edges, found = leaks.edges, rows >= 0
    table = np.full((len(rows), 1 + len(_FIGURES)), -1, dtype="<i8")
    for column, name in enumerate(("second", *_FIGURES)):
        table[found, column] = getattr(edges, name)[rows[found]]
    return hashlib.sha256(table.tobytes()).hexdigest()


@dataclass(slots=True)
class LeakCheck:
    """What was compared with a certificate, and what differs."""

    problems: list[str] = field(default_factory=list)  # a sentence for each difference
    again: int = 0  # test sequences that were compared again
    tests: int = 0

    @property
    def ok(self) -> bool:
        """Whether nothing differs."""
        return not self.problems

    def describe(self) -> str:
        """Say in a sentence what was compared."""
        said = "The certificate holds" if self.ok else "The certificate does not hold"
        again = f"{self.again:,} of {count(self.tests, 'test sequence')}"
        return f"{said}: counts and checksums were compared, and {again} with all training sequences again."


def verify_leaks(
    facts: Mapping[str, Any],
    test: EncodedDatabase,
    train: EncodedDatabase,
    engine: str,
    cancel: threading.Event,
    *,
    full: bool = False,
    space: tuple[float, float] | None = None,
) -> Generator[Stage, None, LeakCheck]:
    """Compare a certificate with what is counted and compared again.

    Parameters
    ----------
    full : bool
        Compare all blocks, not `SAMPLE` of them.
    space : (float, float), optional
        As of `AllPairs`: of all parts, where a table told them apart.

    Raises
    ------
    CertificateError
        If it is damaged.
    EngineUnavailable, EngineFault, Stopped
        As `edges_of`.
    """
    outcome = LeakCheck(tests=len(test))
    try:
        space = space or (train.residues + test.residues, len(train) + len(test))
        scheme, limit = _scheme(facts["scoring"], train), _limit(facts["limits"])
        evalue = float(facts["limits"]["evalue"])
        blocks = [(int(block["first"]), int(block["last"]), str(block["sha256"])) for block in facts["blocks"]]
        outcome.problems += _contradictions(facts, blocks, len(test), len(train))
        if facts["limits"]["evalue_refers_to"] != _space_facts(*space):
            outcome.problems.append(f"E refers to {count(int(space[0]), 'residue')}, not to what the certificate says.")
    except (KeyError, TypeError, ValueError, AttributeError) as fault:
        raise damaged("") from fault
    inside = [block for block in blocks if 0 <= block[0] < block[1] <= len(test)]
    chosen = np.random.default_rng().permutation(len(inside))[: len(inside) if full else SAMPLE]
    for first, last, digest in (inside[number] for number in sorted(chosen.tolist())):
        records = (test.record(index) for index in range(first, last))
        some = encode_database(records, test.alphabet, test.name)
        asked = AllPairs(some, train, scheme, evalue, engine, space=space, strand=facts["scoring"]["strands"])
        leaks = nearest_of(asked, (yield from edges_of(asked, cancel)), limit)
        outcome.again += last - first
        if _digest(leaks, _by_test(leaks)) != digest:
            where = f"test sequences {first + 1:,} to {last:,}"
            outcome.problems.append(f"The nearest training sequences of {where} are others, or their alignments are.")
    return outcome


def _scheme(said: Mapping[str, Any], train: EncodedDatabase) -> ScoringScheme:
    scores = np.array(said["scores"], dtype=np.int16)
    return ScoringScheme(
        SubstitutionMatrix(said["matrix"], train.alphabet, scores), said["gap_first"], said["gap_extend"]
    )


def _limit(said: Mapping[str, Any]) -> PairLimit:
    return PairLimit(0.0, said["coverage"], said["identity_over"], said["coverage_of"], said["sure_evalue"])


def _contradictions(
    facts: Mapping[str, Any], blocks: Sequence[tuple[int, int, str]], tests: int, trained: int
) -> list[str]:
    """Return what contradicts itself in a certificate."""
    problems = []
    if facts["certificate_sha256"] != checksum_of(facts):
        problems.append("The certificate was changed after it was written: it has another checksum than it says.")
    if [block[:2] for block in blocks] != _blocks(tests) or facts["left_out"] != 0:
        problems.append("The certificate is not complete: not all test sequences are in its blocks.")
    if facts["pairs"] != tests * trained:
        problems.append(f"There are {tests * trained:,} pairs, not {facts['pairs']:,}.")
    return problems
