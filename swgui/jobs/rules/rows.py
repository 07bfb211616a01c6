"""Places as rows of a table, with the two rows of their alignments."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from swgui.core.database import EncodedDatabase
from swgui.core.rules.matching import masks, match_table
from swgui.core.rules.places import Places, denominators
from swgui.core.rules.request import RuleRequest
from swgui.core.rules.rule import Identity, Primers, Rule, percent
from swgui.core.translation.frames import translate
from swgui.engines.rules.host import fit_columns
from swgui.io.cells import listed_names, sequence_names
from swgui.jobs.rules.circles import ends_of, joins_of, residues_of
from swgui.jobs.rules.frames import frames_of

# The two rows of an alignment by rule.

GAP = "-"


def as_rows(query: str, part: str, columns: str) -> tuple[str, str]:
    """Return the residues of query and subject in so many columns, gaps as dashes."""
    residues, others = iter(query), iter(part)
    upper = "".join(GAP if column == "I" else next(residues) for column in columns)
    lower = "".join(GAP if column == "D" else next(others) for column in columns)
    return upper, lower


class PlaceNames(NamedTuple):
    """Names of queries and subjects in files, no two equal on either side."""

    queries: Sequence[str]
    subjects: Mapping[int, str]  # by source index; of those with a place


def place_names(request: RuleRequest, database: EncodedDatabase, places: Places) -> PlaceNames:
    """Return the names that tables of some places have: equal ones have their number in their file behind them."""
    return PlaceNames(sequence_names(request.names), listed_names(database.ids, places.subject.tolist()))


def best_weights(rule: Rule, matches: int, columns: int) -> tuple[int, int] | None:
    """Return by what gain of a match and cost of another column a place of a rule is a best alignment of its residues.

    None where the rule does not look for the largest identity of the whole query.
    """
    if not isinstance(rule, Identity):
        return None
    return (1, 0) if rule.over == "query" else (columns - matches, matches)


def rows(request: RuleRequest, database: EncodedDatabase, places: Places) -> Iterator[dict[str, object]]:
    """Yield one place after the other by the names of `COLUMNS` and `MORE`, counted from 1, ends inclusive."""
    names, alphabet = place_names(request, database, places), request.alphabet
    codes = [alphabet.encode(record.residues) for record in request.queries]
    matching = np.zeros(32, np.uint32)
    matching[: len(alphabet)] = masks(match_table(alphabet, request.ambiguity))
    frames = frames_of(places, database.lengths_of(places.subject))
    over = denominators(request.rule, places)
    ends, joins = ends_of(places, database), joins_of(places, database)
    for row in range(len(places)):
        number, subject = int(places.query[row]), int(places.subject[row])
        start, end, plus = int(places.start[row]), int(places.end[row]), places.strand[row] > 0
        begin, stop = int(places.query_start[row]), int(places.query_end[row])
        upper = lower = ""
        if not isinstance(request.rule, Primers):
            part = residues_of(database, subject, start, end)
            part = translate(part, 1 if plus else -1, request.code) if request.frames else part
            query = codes[number][begin:stop]
            query = query if plus or request.frames else alphabet.reverse_complement(query)
            counts = int(places.insertions[row]), int(places.deletions[row])
            same, total = int(places.matches[row]), int(places.columns[row])
            columns = fit_columns(query, part, matching, *counts, best_weights(request.rule, same, total))
            upper, lower = as_rows(alphabet.decode(query).decode(), alphabet.decode(part).decode(), columns)
        identity = Fraction(int(places.matches[row]), int(over[row]))
        yield {
            "query": names.queries[number],
            "sequence": names.subjects[subject],
            "start": start + 1,
            "end": int(ends[row]),
            "strand": "+" if plus else "-",
            "differences": int(places.differences[row]),
            "identity": percent(identity),
            "mismatches": int(places.mismatches[row]),
            "insertions": int(places.insertions[row]),
            "deletions": int(places.deletions[row]),
            "query_start": begin + 1,
            "query_end": stop,
            "windows": int(places.windows[row]),
            "other_readings": int(places.other_readings[row]),
            "join": joins[row],
            "query_row": upper,
            "subject_row": lower,
            **({"frame": int(frames[row])} if request.frames else {}),
        }
