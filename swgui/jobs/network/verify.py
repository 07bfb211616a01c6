"""Check the certificate of a leak: compare test sequences with those of training again, and count anew."""

from __future__ import annotations

import threading
from collections.abc import Generator, Mapping
from typing import Annotated, Any, Final, Literal

import msgspec
import numpy as np

from swgui.core.contexts import NO_CONTEXT
from swgui.core.database import EncodedDatabase, encode_database
from swgui.core.errors import MatrixError
from swgui.core.network.edges import STRANDS_SAID, Edges
from swgui.core.network.measures import EdgeLimit
from swgui.core.plain import Count, replace
from swgui.core.scoring import ScoringScheme, SubstitutionMatrix
from swgui.core.words import count
from swgui.io.database.checked import check_content
from swgui.io.matrices import load_matrix, matrix_names
from swgui.io.statistics import load_statistics
from swgui.jobs.certificate import damaged
from swgui.jobs.events import Event
from swgui.jobs.members import FULL_HINT, CertificateCheck, Member, compare, members_of
from swgui.jobs.network.all_against_all import AllAgainstAll
from swgui.jobs.network.certificate import FORMATS, blocks_of, by_test, digest_of, leak_certificate
from swgui.jobs.network.edges import edges_of
from swgui.jobs.network.leak import Leaks, nearest_of

SAMPLE: Final = 2  # blocks that are compared again unless the request is for all
_COMPARED: Final = "'scoring', 'limits' and a comparison of all test sequences with all training sequences"
_RAN: Final = "nothing tells afterwards when, where and by what it ran"
_NAMED: Final = "a file may be renamed; the checksum identifies its content"
_OWN_MATRIX: Final = "no matrix of this program has this name; only its scores were compared"
_BLOCK: Final = "'scoring', 'limits' and a comparison of these test sequences"
_TURNED: Final = "an earlier version aligned each pair with the test sequence as query"
_SETS: Final = "the sequences"
Share = Annotated[float, msgspec.Meta(ge=0, le=1)]
MEMBERS: Final = (
    Member("format", str, "asked", ""),
    Member("sentence", str, "full", _COMPARED),
    *(
        member
        for part in ("training", "test")
        for member in (
            Member(f"{part}.name", str, "stated", _NAMED),
            Member(f"{part}.path", str, "stated", _NAMED),
            Member(f"{part}.checksum", str, "full", _SETS),
            Member(f"{part}.sequences", Count, "always", _SETS),
            Member(f"{part}.residues", Count, "always", _SETS),
        )
    ),
    Member("split", None, "asked", "", optional=True),
    Member("split.path", str, "stated", _NAMED),
    Member("split.parts", tuple[str, str], "asked", ""),
    Member("scoring.matrix", str, "always", "'scoring.scores'"),
    Member("scoring.scores", list[list[int]], "asked", "'scoring.scores' as this version writes them"),
    Member("scoring.gap_first", Count, "asked", ""),
    Member("scoring.gap_extend", Count, "asked", ""),
    Member("scoring.strands", Literal["", "both", "plus"], "asked", "the kind of sequences", since=2),
    Member("scoring.context", str, "asked", "", optional=True),
    Member("scoring.context_checksum", str, "always", "the library of contexts", optional=True),
    Member("limits.evalue", float, "asked", "'limits.evalue' as this version writes it"),
    Member("limits.evalue_refers_to.residues", Count, "always", _SETS, since=2),
    Member("limits.evalue_refers_to.sequences", Count, "always", _SETS, since=2),
    Member("limits.coverage", Share, "asked", "'limits.coverage' as this version writes it"),
    Member("limits.coverage_of", str, "asked", ""),
    Member("limits.identity_over", str, "asked", ""),
    Member("limits.identity_is", str, "always", "'limits.identity_over'"),
    Member("limits.sure_evalue", float, "asked", "'limits.sure_evalue' as this version writes it"),
    Member("pairs", Count, "always", _SETS),
    Member("cells", Count, "always", _SETS),
    Member("left_out", Count, "always", "'blocks'"),
    Member("pairs_within_evalue", Count, "full", _COMPARED, earlier=_TURNED, doubt=True),
    Member("with_neighbour", Count, "full", _COMPARED, earlier=_TURNED, doubt=True),
    Member("with_identity_of_at_least", dict[str, Count], "full", _COMPARED, earlier=_TURNED, doubt=True),
    Member("blocks", list[None], "always", _SETS, optional=True),
    Member("blocks.*.first", Count, "always", _SETS),
    Member("blocks.*.last", Count, "always", _SETS),
    Member("blocks.*.sha256", str, "always", _BLOCK, earlier=_TURNED, doubt=True),
    Member("program", str, "stated", _RAN),
    Member("computer", str, "stated", _RAN),
    Member("date", str, "stated", _RAN),
    Member("command", str, "stated", _RAN),
    Member("not_said", str, "always", "the records of this version"),
    Member("checksum_is", str, "always", "the records of this version", since=2),
    Member("certificate_sha256", str, "always", "all other members"),
)


def verify_leaks(
    facts: Mapping[str, Any],
    test: EncodedDatabase,
    train: EncodedDatabase,
    engine: str,
    cancel: threading.Event,
    *,
    full: bool = False,
    space: tuple[float, float] | None = None,
) -> Generator[Event, None, CertificateCheck]:
    """Compare a certificate with what is counted and compared again.

    Parameters
    ----------
    facts : Mapping
        Of the form that `check_form` demands.
    full : bool
        Compare all blocks, not `SAMPLE` of them.
    space : (float, float), optional
        As of `AllAgainstAll`: of all parts, where a table told them apart.

    Raises
    ------
    RunFileError
        If it is damaged.
    DatabaseError
        If a file of sequences is damaged.
    EngineUnavailable, EngineFault, Stopped
        As `edges_of`.
    """
    earlier = facts["format"] != FORMATS[0]
    if earlier:  # E referred to the training set
        space = train.search_space
    asked, limit = _asked(facts, test, train, engine, space)
    blocks = blocks_of(len(test))
    chosen = sorted(np.random.default_rng().permutation(len(blocks))[: len(blocks) if full else SAMPLE].tolist())
    whole = len(chosen) == len(blocks)
    if whole:
        for database in (test, train):
            check_content(database, cancel)
        edges = yield from edges_of(asked, cancel)
        again = _certificate(facts, nearest_of(asked, edges, limit), asked)
    else:
        again = _certificate(facts, nearest_of(asked, Edges.join([]), limit), asked)
        for number in chosen:
            block = blocks[number]
            again["blocks"][number]["sha256"] = yield from _digest(asked, limit, block, cancel)
    left = set(range(len(blocks))) - set(chosen)
    unknown = dict.fromkeys((f"blocks.{number}.sha256" for number in sorted(left)), FULL_HINT)
    if earlier:
        again["sentence"] = again["sentence"].replace(f"{STRANDS_SAID[asked.compared]}; ", ", ", 1)
    again["scoring"]["matrix"] = name = _matrix_name(asked)
    unknown |= {} if name else {"scoring.matrix": _OWN_MATRIX}
    compared = sum(blocks[number][1] - blocks[number][0] for number in chosen)
    said = f"{compared:,} of {count(len(test), 'test sequence')} compared with all training sequences again"
    outcome = CertificateCheck(work=said)
    members = members_of(MEMBERS, facts, FORMATS)
    compare(facts, again, members, outcome, full=whole, earlier=earlier, unknown=unknown)
    return outcome


def _digest(
    asked: AllAgainstAll, limit: EdgeLimit, block: tuple[int, int], cancel: threading.Event
) -> Generator[Event, None, str]:
    """Compare a block of test sequences; returns the checksum of their nearest ones."""
    test = asked.queries
    some = encode_database((test.record(index) for index in range(*block)), test.alphabet, test.name)
    part = replace(asked, queries=some, space=asked.search_space)
    leaks = nearest_of(part, (yield from edges_of(part, cancel)), limit)
    return digest_of(leaks, by_test(leaks))


def _certificate(facts: Mapping[str, Any], leaks: Leaks, asked: AllAgainstAll) -> dict[str, Any]:
    """Return the certificate of what was compared, of the same files and format as another one."""
    split = facts["split"] or {"path": "", "parts": ()}
    places = {"training": "", "test": "", "split": split["path"]}
    return {**leak_certificate(leaks, asked, places, split["parts"]), "format": facts["format"]}


def _matrix_name(asked: AllAgainstAll) -> str:
    """Return which matrix of this program has the scores; empty if the name is that of none."""
    matrix = asked.scheme.matrix
    try:
        if matrix.name not in matrix_names(matrix.alphabet) and not matrix.name.startswith("+"):
            return ""
        plain = matrix.alphabet.encode(matrix.alphabet.plain.encode())
        known, own = (one.scores[np.ix_(plain, plain)] for one in (load_matrix(matrix.name, matrix.alphabet), matrix))
        published = load_statistics(asked.scheme)
        return matrix.name if np.array_equal(known, own) else "" if published is None else published.matrix
    except MatrixError:
        return ""


def _asked(
    facts: Mapping[str, Any],
    test: EncodedDatabase,
    train: EncodedDatabase,
    engine: str,
    space: tuple[float, float] | None,
) -> tuple[AllAgainstAll, EdgeLimit]:
    """Return the comparison of a certificate and which pairs are neighbours; `RunFileError` if that is none."""
    said = facts["scoring"]
    try:
        scores = np.array(said["scores"], dtype=np.int16)
        matrix = SubstitutionMatrix(said["matrix"], train.alphabet, scores)
        scheme = ScoringScheme(matrix, said["gap_first"], said["gap_extend"])
        earlier = "plus" if train.alphabet.complements else ""  # which certificates of format 1 do not state
        strand, context, said = said.get("strands", earlier), said.get("context", NO_CONTEXT), facts["limits"]
        limit = EdgeLimit(0.0, said["coverage"], said["identity_over"], said["coverage_of"], said["sure_evalue"])
        sets, how = (test.arrays(), train.arrays()), {"strand": strand, "context": context}
        return AllAgainstAll(*sets, scheme, said["evalue"], engine, space=space, **how), limit
    except (ValueError, OverflowError) as fault:
        raise damaged("", "'scoring' and 'limits' ask no comparison that can be done") from fault
