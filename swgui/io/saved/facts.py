"""What decides a search, as plain JSON values and back: scoring, queries, limits.

Reading is strict about what decides a score and tolerant of everything that is merely more.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from swgui.core.alphabet import ALPHABETS
from swgui.core.records import SequenceRecord
from swgui.core.scoring import ScoringScheme, SubstitutionMatrix
from swgui.core.statistics.fit import FittedStatistics

LINE = 60  # residues of a line of FASTA


def scheme_facts(scheme: ScoringScheme) -> dict[str, Any]:
    """Return matrix (all its values) and gap costs, with the gap rule in words."""
    return {
        "description": scheme.describe(),
        "alphabet": scheme.alphabet.name,
        "letters": scheme.alphabet.letters,
        "matrix": scheme.matrix.name,
        "scores": scheme.matrix.scores.tolist(),
        "first": scheme.gap_first,
        "further": scheme.gap_extend,
        "gap_rule": "a gap of length k costs first + (k - 1) * further",
    }


def read_scheme(facts: Mapping[str, Any]) -> ScoringScheme:
    """Make the scheme again; `ValueError`, `KeyError` or `TypeError` if that is not one."""
    alphabet = ALPHABETS[facts["alphabet"]]
    if facts["letters"] != alphabet.letters:
        raise ValueError("letters")
    scores = np.array(facts["scores"], dtype=np.int64)
    if scores.size and np.abs(scores).max() > np.iinfo(np.int16).max:
        raise ValueError("scores")
    matrix = SubstitutionMatrix(text(facts["matrix"]), alphabet, scores.astype(np.int16))
    return ScoringScheme(matrix, whole(facts["first"]), whole(facts["further"]))


def query_facts(record: SequenceRecord) -> dict[str, Any]:
    """Return the names of a query; its residues are in the FASTA part."""
    return {"id": record.id, "description": record.description, "length": len(record.residues)}


def fasta(records: Iterable[SequenceRecord]) -> bytes:
    """Return records as FASTA; names that would break a line are mended here and kept whole in their facts."""
    lines: list[bytes] = []
    for record in records:
        header = "".join(sign if sign.isprintable() else " " for sign in record.header)
        lines.append(b">" + header.encode("utf-8", "replace"))
        lines.extend(record.residues[at : at + LINE] for at in range(0, len(record.residues), LINE))
    return b"\n".join([*lines, b""])


def read_queries(facts: Sequence[Mapping[str, Any]], data: bytes) -> tuple[SequenceRecord, ...]:
    """Make the queries again from their facts and the FASTA part; `ValueError` if they do not fit together."""
    blocks = (b"\n" + data).split(b"\n>")[1:]
    records = []
    for fact, block in zip(facts, blocks, strict=True):
        residues = block.partition(b"\n")[2].replace(b"\n", b"")
        if len(residues) != whole(fact["length"]):
            raise ValueError("length of a query")
        records.append(SequenceRecord(text(fact["id"]), text(fact["description"]), residues))
    return tuple(records)


def fit_facts(fit: FittedStatistics | None) -> dict[str, Any] | None:
    """Return fitted statistics, None for none."""
    return dataclasses.asdict(fit) if fit is not None else None


def read_fit(facts: Mapping[str, Any] | None) -> FittedStatistics | None:
    """Make fitted statistics again; values this version does not know are left out."""
    if facts is None:
        return None
    known = {field.name: field.type for field in dataclasses.fields(FittedStatistics)}
    values = {name: value for name, value in facts.items() if name in known}
    for name, value in values.items():
        if not isinstance(value, {"int": int, "float": int | float, "bool": bool}.get(str(known[name]), str)):
            raise ValueError(name)
    return FittedStatistics(**values)


def text(value: object) -> str:
    """Return a text; `ValueError` if it is none."""
    if not isinstance(value, str):
        raise ValueError(value)
    return value


def whole(value: object) -> int:
    """Return a whole number from 0 on; `ValueError` if it is none."""
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise ValueError(value)
    return value


def number(value: object) -> float:
    """Return a number; `ValueError` if it is none."""
    if not isinstance(value, int | float) or isinstance(value, bool):
        raise ValueError(value)
    return float(value)
