"""Figures shown with the window rule: the customary figure of FASTA, and how many subjects pass by chance."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from swgui.core.control import Check
from swgui.core.database import EncodedDatabase
from swgui.core.plain import replace
from swgui.core.records import SequenceRecord
from swgui.core.rules.places import Places
from swgui.core.rules.request import RuleRequest
from swgui.core.scoring import EncodedQuery, ScoringScheme
from swgui.engines.native import Subjects
from swgui.engines.traceback.many import align_each
from swgui.io.matrices import load_matrix
from swgui.jobs.certificate import sealed
from swgui.jobs.rules.blocks import open_block, residues_until
from swgui.jobs.rules.found import SEED, Background
from swgui.jobs.rules.run import RuleRun, expected

FASTA_MATRIX: Final = "BLOSUM50"
FASTA_GAPS: Final = 10, 2  # a gap of k residues costs 10 + 2 k: the default of FASTA36 for proteins
BATCH: Final = 4096  # windows that are aligned at a time
MAX_SHUFFLES: Final = 10
CELLS: Final = 20_000_000_000  # of all shuffles together, unless one has more


def fasta_identities(
    request: RuleRequest, database: EncodedDatabase, places: Places, check: Check = lambda: None
) -> NDArray[np.float64]:
    """Return the identity of the local alignment with the best score of each place's window with its subject.

    Identities are counted over all columns, or over the length of the window where the alignment is shorter, as
    AllerMatch does. The largest attainable identity is over the whole window, and mostly higher.

    Parameters
    ----------
    places : Places
        Of an allergen check (`RuleRequest.is_allergen_check`), k of them.

    Returns
    -------
    ndarray, shape=(k,), dtype=float64
    """
    rule, alphabet = request.rule, request.alphabet
    scheme = ScoringScheme.from_blast(load_matrix(FASTA_MATRIX, alphabet), *FASTA_GAPS)
    codes = [alphabet.encode(record.residues) for record in request.queries]
    values = np.zeros(len(places), np.float64)
    for begin in range(0, len(places), BATCH):
        some = places.take(slice(begin, begin + BATCH))
        windows = [
            EncodedQuery(str(begin + row), codes[int(query)][int(some.query_start[row]) : int(some.query_end[row])])
            for row, query in enumerate(some.query)
        ]
        subjects = Subjects(*database.placed(some.subject))
        sums = align_each(windows, np.arange(len(some)), subjects, scheme, check=check).totals
        values[begin : begin + BATCH] = sums.nident / np.maximum(sums.length, rule.least_columns)
    return values


def measure_background(
    request: RuleRequest,
    database: EncodedDatabase,
    check: Check = lambda: None,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> Background:
    """Search with shuffled queries and count the subjects that pass.

    Raises
    ------
    Stopped
        By `check`.
    """
    asked = RuleRun(request, database)
    shuffles = int(np.clip(CELLS // max(1, expected(asked)), 1, MAX_SHUFFLES))
    rng = np.random.default_rng(SEED)
    scanner = asked.scanner()
    passing = [0] * shuffles
    for number in range(shuffles):
        run = RuleRun(replace(request, queries=shuffled(request.queries, rng)), database)
        scan = run.scan(scanner, check)
        for block in run.blocks_left(scan):
            passing[number] += len(scan.passing(open_block(run.database, block)[0]))
            done = number * database.residues + residues_until(run.database, block.last)
            progress(done, shuffles * database.residues)
    return Background(tuple(passing), len(database))


def shuffled(records: Sequence[SequenceRecord], rng: np.random.Generator) -> tuple[SequenceRecord, ...]:
    """Return records with their residues in random order."""
    return tuple(
        SequenceRecord(record.id, "", rng.permutation(np.frombuffer(record.residues, np.uint8)).tobytes())
        for record in records
    )


def with_background(facts: dict[str, Any], background: Background) -> dict[str, Any]:
    """Return a certificate that says the background, too."""
    said = {
        "shuffles": len(background.passing),
        "seed": background.seed,
        "subjects_passing": list(background.passing),
        "sentence": background.sentence(),
    }
    return sealed({**facts, "background": said})
