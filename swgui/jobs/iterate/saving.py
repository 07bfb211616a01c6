"""Alignments and profiles of the rounds of a search, as text of a file."""

from __future__ import annotations

from swgui.core.hits.results import QueryResult, SearchResult
from swgui.core.plain import replace
from swgui.core.profiles.bases import spelled
from swgui.core.profiles.iteration import IterationSettings
from swgui.core.records import SequenceRecord
from swgui.io.profiles.base import ProfileFormat
from swgui.io.profiles.own import write_own
from swgui.io.profiles.saving import Content
from swgui.jobs.iterate.request import profile_of


def round_text(query: QueryResult, number: int, kind: ProfileFormat, content: Content, result: SearchResult) -> str:
    """Return the text of the alignment or the profile that a round made.

    Parameters
    ----------
    query : QueryResult
        With rounds.
    number : int
        Place of the round, from 0.
    kind : ProfileFormat
        One that is written.
    """
    if content == "alignment":
        assert query.rounds is not None
        assert kind.write_alignment is not None
        return kind.write_alignment(spelled(query.rounds.rounds[number].alignment))
    record = profile_record(query, number, result)
    if kind.write is write_own:
        return write_own(record, _facts(query, number, result))
    assert kind.write is not None
    return kind.write(record)


def profile_record(query: QueryResult, number: int, result: SearchResult) -> SequenceRecord:
    """Return the query with the profile that a round made, for the next one; parameters as of `round_text`."""
    assert query.rounds is not None
    alignment, matrix = query.rounds.rounds[number].alignment, result.asked.scheme.matrix
    recipe = _asked(result).profile_recipe(alignment.alphabet.name)
    built = profile_of(alignment, matrix, recipe, f"round {number + 2}", query.rounds.bases)
    return replace(query.query, profile=built.profile)


def _asked(result: SearchResult) -> IterationSettings:
    asked = result.asked.iteration
    assert asked is not None  # or there are no rounds
    return asked


def _facts(query: QueryResult, number: int, result: SearchResult) -> dict[str, object]:
    """Return how a profile was made."""
    assert query.rounds is not None
    asked, alphabet = _asked(result), result.database.alphabet.residue_alphabet.name
    return {
        "program": f"swgui {result.version}",
        "database": query.rounds.database or result.database.name,
        "sequences": len(result.database) if not query.rounds.database else None,
        "matrix": result.asked.scheme.matrix.name,
        "preset": asked.preset,
        "inclusion_evalue": asked.inclusion(len(result.database), alphabet),
        "recipe": asked.profile_recipe(alphabet),
        "rounds": [
            {
                "round": index + 1,
                "included": len(iteration.included),
                "effective_sequences": round(iteration.effective_sequences, 3),
            }
            for index, iteration in enumerate(query.rounds.rounds[: number + 1])
        ],
        "ended": query.rounds.ended,
    }
