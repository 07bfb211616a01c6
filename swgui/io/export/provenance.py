"""Where a result comes from: what every export says about the search, or about the pair."""

from __future__ import annotations

from collections.abc import Mapping
from math import isnan
from pathlib import PurePath
from typing import Final

from swgui.core.contexts import NO_CONTEXT
from swgui.core.database import EncodedDatabase
from swgui.core.hits.results import SearchResult
from swgui.core.scoring import ScoringScheme
from swgui.core.words import agree, count
from swgui.io.cells import clean_text, fact_text

PROFILES_NAMED: Final = 5

_STATES = {
    "complete": "complete: every subject was scored",
    "stopped": "stopped by the user before every subject was scored",
    "failed": "failed before every subject was scored",
}


def provenance(result: SearchResult) -> dict[str, object]:
    """Return program, parameters, database and run as plain values."""
    scheme, database = result.scheme, result.database
    return {
        "program": f"swgui {result.version}",
        "method": "Smith-Waterman, exact, affine gaps",
        "finished": result.finished_at,
        "state": _STATES[result.state],
        **({"message": clean_text(result.remarks)} if result.remarks else {}),
        "database": clean_text(database.name),
        "database_checksum": database.checksum,
        **({"database_content": "agrees with its checksums"} if result.content_checked else {}),
        **_members(database),
        **_part(database),
        "database_sequences": len(database),
        "database_residues": database.residues,
        **(
            {"effective_residues": result.search.limits.effective_residues}
            if result.search.limits.effective_residues
            else {}
        ),
        "queries": len(result.queries),
        **({"query_range": str(result.search.query_range)} if result.search.query_range else {}),
        **scoring_facts(scheme),
        **({"context": clean_text(PurePath(result.asked.context).name)} if result.asked.context != NO_CONTEXT else {}),
        **({"directions": "both"} if result.search.both_directions else {}),
        **_profiles(result),
        **_rounds(result),
        **_read(result),
        "composition": result.search.composition,
        "max_evalue": result.search.limits.max_evalue,
        **(
            {"minimums": result.search.limits.minimums.describe(), "left_out": result.left_out}
            if result.search.limits.minimums
            else {}
        ),
        "max_hits_per_query": result.search.limits.top,
        **({"max_alignments_per_subject": result.search.max_hsps} if result.search.max_hsps > 1 else {}),
        "statistics": clean_text(result.statistics) or "none for this matrix and these gap costs",
        "engine": result.engine,
        "devices": list(result.devices),
        "cells": result.cells_done,
        "seconds": round(result.seconds, 3),
    }


def _read(result: SearchResult) -> dict[str, object]:
    """Return how the sequences were read: strands, circular records, or frames by genetic codes."""
    if result.translation is None:
        circles = result.search.circles
        circular = {"circular": circles.which, "read_on": circles.behind} if circles.behind else {}
        return {"strand": result.search.strand, **circular}
    return {"translation": result.translation.describe()}


def _profiles(result: SearchResult) -> dict[str, object]:
    """Return which queries were searched with by position, and how their profiles are called."""
    names = [query.query.profile.name for query in result.queries if query.query.profile is not None]
    if not names:
        return {}
    said = ", ".join(dict.fromkeys(clean_text(name) for name in names[:PROFILES_NAMED]))
    more = ", ..." if len(names) > PROFILES_NAMED else ""
    number = f"{len(names)} of {count(len(result.queries), 'query', 'queries')} {agree(len(names), 'has', 'have')}"
    return {"profiles": f"{number} scores by position: {said}{more}"}


def _rounds(result: SearchResult) -> dict[str, object]:
    """Return how many rounds there were, in which database, and whom they included."""
    rounds = [query.rounds for query in result.queries if query.rounds is not None]
    if not rounds:
        return {}
    from swgui.core.judging.sums import summed_lengths  # here: most searches are no rounds

    first = rounds[0]
    ended = {of_query.ending: None for of_query in rounds}
    summed = summed_lengths(result)
    named = {"included_by_name": list(first.include_ids), "excluded_by_name": list(first.exclude_ids)}
    return {
        "rounds": max(map(len, rounds)),
        "rounds_ended": ", or ".join(ended),
        **({"rounds_database": clean_text(first.database)} if first.database else {}),
        **({} if isnan(first.inclusion) else {"inclusion_evalue": first.inclusion}),
        **({"evalues_by_sums_of_hits_up_to": f"{max(summed.values()):g} bases"} if summed else {}),
        **{key: list(map(clean_text, ids)) for key, ids in named.items() if ids},
    }


def _members(database: EncodedDatabase) -> dict[str, object]:
    """Return the names of the databases that were searched as one; nothing if it was one."""
    return {"databases": list(map(clean_text, database.names))} if len(database.names) > 1 else {}


def _part(database: EncodedDatabase) -> dict[str, object]:
    """Return of which database only some organisms were searched."""
    part = database.part
    if part is None:
        return {}
    return {
        "organisms": part.limit.describe(),
        "whole_database": clean_text(part.name),
        "whole_database_checksum": part.checksum,
        "whole_database_sequences": part.sequences,
    }


def provenance_lines(result: SearchResult) -> list[str]:
    """Return the same as lines ``key: value``."""
    return as_lines(provenance(result))


def scoring_facts(scheme: ScoringScheme) -> dict[str, object]:
    """Return how alignments are scored as plain values."""
    return {
        "alphabet": scheme.alphabet.name,
        "matrix": clean_text(scheme.matrix.name),
        "gap_open": scheme.gap_open,
        "gap_extend": scheme.gap_extend,
        "gap_rule": f"a gap of length k costs {scheme.gap_open} + {scheme.gap_extend} x k",
    }


def as_lines(facts: Mapping[str, object]) -> list[str]:
    """Return facts as lines ``key: value``, fit for one line each."""
    return [f"{key}: {clean_text(fact_text(value))}" for key, value in facts.items()]
