"""Forward scores of HMMER for hits, by pyhmmer where it is installed.

The Forward score is the sum over all alignments, where the score of a search is that of the best one (Durbin, Eddy,
Krogh and Mitchison 1998); it ranks distant relatives better.
"""

from __future__ import annotations

import importlib
import importlib.util
import io
import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

from swgui.core.errors import MissingPackage
from swgui.core.hits.results import SearchResult
from swgui.core.plain import replace
from swgui.core.profiles.evidence import Evidence
from swgui.core.score_profile import ScoreProfile
from swgui.io.profiles.hmmer import write_hmm

if TYPE_CHECKING:
    from types import ModuleType

EXTRA: Final = "hmmer"
_MIN_EVALUE: Final = 1e-300  # lowest E that is not 0
_ALL: Final = 1e12  # E up to which HMMER reports


def is_installed() -> bool:
    """Return whether pyhmmer is there, without loading it."""
    return importlib.util.find_spec("pyhmmer") is not None


def load() -> ModuleType:
    """Return pyhmmer.

    Raises
    ------
    MissingPackage
        If it is not installed.
    """
    try:
        return importlib.import_module("pyhmmer")
    except ImportError as missing:
        raise MissingPackage("pyhmmer", EXTRA) from missing


def with_forward(
    before: Mapping[int, Evidence], result: SearchResult, query_index: int, profile: ScoreProfile
) -> dict[int, Evidence]:
    """Add Forward scores and their E, which refers to the sequences of the database.

    The gap costs of a profile become transitions of the model (`implied_model`), which is calibrated as by
    `hmmbuild`. No filter of HMMER is used, so every subject has a score.

    Raises
    ------
    MissingPackage
        If pyhmmer is not installed.
    """
    pyhmmer = load()
    record = replace(result.queries[query_index].query, profile=profile)
    alphabet = pyhmmer.easel.Alphabet.amino()
    with pyhmmer.plan7.HMMFile(io.BytesIO(write_hmm(record).encode("ascii"))) as models:
        model = models.read()
    wanted = list(before)
    subjects = _sequences(pyhmmer, alphabet, [result.database.record(db_index).residues for db_index in wanted])
    pipeline = pyhmmer.plan7.Pipeline(
        alphabet, bias_filter=False, F1=1.0, F2=1.0, F3=1.0, E=_ALL, domE=_ALL, Z=len(result.database)
    )
    evidence = dict(before)
    for hit in pipeline.search_hmm(model, subjects):
        name = hit.name.decode() if isinstance(hit.name, bytes) else hit.name
        db_index = wanted[int(name)]
        evalue = math.log10(max(hit.evalue, _MIN_EVALUE))
        evidence[db_index] = replace(evidence[db_index], forward_bits=float(hit.score), forward_log10_evalue=evalue)
    return evidence


def _sequences(pyhmmer: ModuleType, alphabet: object, residues: Sequence[bytes]) -> object:
    """Return sequences as HMMER has them, each named by its place."""
    made = [
        pyhmmer.easel.TextSequence(name=str(sequence).encode(), sequence=index.decode().upper().replace("*", "X"))
        for sequence, index in enumerate(residues)
    ]
    return pyhmmer.easel.DigitalSequenceBlock(alphabet, [sequence.digitize(alphabet) for sequence in made])
