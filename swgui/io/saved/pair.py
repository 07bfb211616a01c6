"""Opening a long pair that was exported as JSON: the same result again, without computing the matrix."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, cast

import numpy as np

from swgui.core.alignment import Alignment
from swgui.core.alphabet import ALPHABETS
from swgui.core.errors import RunFileError, SwguiError
from swgui.core.pair.problem import STRANDS, PairEnd, PairMode, Strand, StrandChoice
from swgui.core.pair.result import PairAlignment, PairResult, PairState
from swgui.core.pair.view import score_and_count
from swgui.core.plain import replace
from swgui.core.records import SequenceRecord
from swgui.core.scoring import ScoringScheme, SubstitutionMatrix

FORMAT: Final = "swgui pair"
VERSION: Final = 1
_STATES = ("finished", "stopped", "failed")


def is_pair_file(path: Path) -> bool:
    """Tell from its first bytes whether a file is an exported pair."""
    if not path.is_file():  # to open a pipe would mean to wait for its writer
        return False
    try:
        with open(path, "rb") as file:
            return json.dumps(FORMAT).encode() in file.read(200)
    except OSError:
        return False


def open_pair_result(path: Path, known: tuple[SequenceRecord, SequenceRecord] | None = None) -> PairResult:
    """Read a result that `swgui.io.export.pairs` wrote as ``json``.

    Every alignment is added up again from the letters.

    Parameters
    ----------
    known : tuple of SequenceRecord, optional
        Query and subject, for a file that does not hold them.

    Raises
    ------
    RunFileError
        If the file cannot be read, is none of these, is of a newer version, or does not add up.
    """
    try:
        document = json.loads(path.read_bytes())
    except OSError as fault:
        reason = fault.strerror or str(fault)
        raise RunFileError(str(path), f"'{path.name}' cannot be read: {reason}.") from fault
    except (ValueError, RecursionError) as fault:
        raise RunFileError(str(path), f"'{path.name}' is no exported pair, or damaged.") from fault
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise RunFileError(str(path), f"'{path.name}' is no exported pair.", hint="Choose a file written as JSON.")
    if document.get("format_version") != VERSION:
        raise RunFileError(
            str(path), f"'{path.name}' was written by a newer version of this program.", hint="Update the program."
        )
    try:
        return _result(document, known)
    except SwguiError as fault:
        raise RunFileError(str(path), f"'{path.name}' is damaged: {fault.message}") from fault
    except (KeyError, TypeError, ValueError, IndexError, AttributeError, OverflowError) as fault:
        raise RunFileError(str(path), f"'{path.name}' is damaged: a part is missing or wrong ({fault}).") from fault


def _result(document: Mapping[str, Any], known: tuple[SequenceRecord, SequenceRecord] | None) -> PairResult:
    run, matrix = document["run"], document["matrix"]
    alphabet = ALPHABETS[run["alphabet"]]
    if matrix["letters"] != alphabet.letters:
        raise ValueError("letters of the matrix")
    scores = np.array([[int(score) for score in row.split()] for row in matrix["scores"]], dtype=np.int16)
    scheme = ScoringScheme.from_blast(
        SubstitutionMatrix(str(matrix["name"]), alphabet, scores), int(run["gap_open"]), int(run["gap_extend"])
    )
    score_only = bool(document["score_only"])
    query, subject = known or (
        _record(document[name], run, name, letters=not score_only) for name in ("query", "subject")
    )
    best = None
    if document["score"] is not None:
        best = PairEnd(int(document["score"]), *(int(number) for number in document["end"]))
        if not (0 <= best.query_end <= run["query_length"] and 0 <= best.subject_end <= run["subject_length"]):
            raise ValueError("the end of the best alignment is outside the sequences")
    state, strand = document["state"], run["strand"]
    if state not in _STATES or strand not in ("both", *STRANDS):
        raise ValueError("state or strand")
    for name, record in zip(("query", "subject"), known or (), strict=False):
        if hashlib.sha256(record.residues).hexdigest() != run[f"{name}_sha256"]:
            raise ValueError(f"it is of another {name}")
    result = PairResult(
        query=query,
        subject=subject,
        scheme=scheme,
        mode=PairMode(run["mode"]),
        strand=cast(StrandChoice, strand),
        score_only=score_only,
        limit=int(run["limit"]),
        min_score=int(run["min_score"]),
        state=cast(PairState, state),
        reason=str(document["reason"]),
        best=best,
        best_strand=_strand(document["strand"] or "plus"),
        alignments=(),
        cells=int(run["cells"]),
        pruned=int(run["cells_left_out"]),
        seconds={str(stage): float(seconds) for stage, seconds in run["seconds"].items()},
        method=str(run["engine"]),
        devices=tuple(map(str, run["devices"])),
        settings={str(name): str(value) for name, value in run["settings"].items()},
        memory_bytes=int(run["memory_bytes"]),
        statistics="" if run["statistics"] == "none" else str(run["statistics"]),
        remarks=tuple(map(str, run.get("remarks", ()))),
        version=str(run["program"]).removeprefix("swgui "),
        finished_at=str(run["finished"]),
        query_checksum=str(run["query_sha256"]),
        subject_checksum=str(run["subject_sha256"]),
        query_length=int(run["query_length"]),
        subject_length=int(run["subject_length"]),
    )
    return replace(result, alignments=tuple(_alignment(result, entry) for entry in document["alignments"]))


def _record(entry: Mapping[str, Any], run: Mapping[str, Any], name: str, *, letters: bool) -> SequenceRecord:
    """Return a sequence; without its residues if only the score was requested."""
    residues = str(entry["residues"]).encode("ascii") if letters else b""
    if letters and hashlib.sha256(residues).hexdigest() != run[f"{name}_sha256"]:
        raise ValueError("the letters do not match their checksums")
    length = run[f"{name}_length"]
    if not isinstance(length, int) or length < 1 or (letters and length != len(residues)):
        raise ValueError(f"the length of the {name}")
    return SequenceRecord(str(entry["id"]), str(entry["description"]), residues)


def _strand(name: object) -> Strand:
    if name not in STRANDS:
        raise ValueError("strand")
    return name


def _alignment(result: PairResult, entry: Mapping[str, Any]) -> PairAlignment:
    strand = _strand(entry["strand"])
    query = result.encoded_query(strand)
    start = int(entry["query_start"]) - 1 if strand == "plus" else len(query) - int(entry["query_end"])
    subject_start = int(entry["subject_start"]) - 1
    found = Alignment.from_cigar(start, subject_start, str(entry["cigar"]), int(entry["score"]))
    inside = 0 <= start <= found.query_end <= len(query) and 0 <= subject_start <= found.subject_end
    if not inside or found.subject_end > len(result.subject_codes):
        raise ValueError(f"alignment {entry['index']} leaves the sequences")
    score, counts = score_and_count(found, query, result.subject_codes, result.scheme)
    if score != found.score:
        raise ValueError(f"alignment {entry['index']} adds up to {score}, not {found.score}")
    bits, log10_evalue = (
        math.nan if entry[name] is None else float(entry[name]) for name in ("bit_score", "log10_evalue")
    )
    return PairAlignment(int(entry["index"]), strand, found, counts, bits, log10_evalue)
