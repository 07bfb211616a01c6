"""The methods text of a search; every number from the result itself."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from math import isnan
from pathlib import PurePath
from typing import Final, cast

from swgui.core.contexts import NO_CONTEXT, OWN_CONTEXT
from swgui.core.hits.results import SearchResult
from swgui.core.hits.rounds import QueryRounds
from swgui.core.judging.ranking import FITTED_AMONG_RELATIVES, FITTED_TO_ITSELF
from swgui.core.judging.sums import summed_lengths
from swgui.core.profiles.evidence import Evidence
from swgui.core.query_range import searched_length
from swgui.core.scoring import TwoTrackMatrix
from swgui.core.translation.frames import FRAMES, write_frames
from swgui.core.translation.programs import shifting
from swgui.core.words import agree, count
from swgui.io.cells import clean_text
from swgui.io.database.dated import release_searched
from swgui.io.methods.forms import KindMethods, MethodsText
from swgui.io.methods.references import (
    ALTSCHUL,
    COILS,
    CONTEXTS,
    FOLDSEEK,
    GOTOH,
    GUAN,
    HENIKOFF,
    HENIKOFF_WEIGHTS,
    HMMER,
    KARLIN_ALTSCHUL,
    PARK,
    PARK_PATHS,
    PEARSON,
    PSI_BLAST,
    SCHAFFER,
    SEG,
    SMITH_WATERMAN,
    SODING,
    ZHANG,
    Reference,
    program,
)

FOLDSEEK_LETTERS: Final = "3Di"

_SHUFFLED: Final = (
    "E-values of the hits listed were compared with those against shuffles of the aligned regions; the larger counts."
)
_COMPOSITION: Final = {
    "none": "",
    "lambda": f"E-values were corrected for composition by lambda of the aligned regions ({SCHAFFER.short}). ",
    "full": f"E-values were corrected for composition by lambda of the aligned regions ({SCHAFFER.short}), and by "
    "shuffles of these regions where that left doubt; the largest E-value counts. ",
}
_DOUBT: Final = (
    "The E-value of a member of the profile that was included with E > 0.001 is that of a profile made without it."
)
_DOUBT_OF_BASES: Final = (
    "Hits that members of the profile with E > 0.001 support alone have no smaller E-value than the surest of these "
    "members had."
)
_SUMS: Final = (
    "E-values above 1e-20 of hits that are at most {times:g} times as long as their query, where this has up to "
    "{columns:,} bases, are those of the sum over all alignments (the Forward algorithm), compared with sums of "
    "sequences of the database that were read from the end or shuffled."
)
_SHUFFLED_SUMS: Final = (
    "For these sums the whole sequences were shuffled, and E grew where the sums of the shuffles were beyond those of "
    "sequences of their length."
)
_STRANDS: Final = {"plus": "", "minus": " Only the minus strand of the queries was searched.",
                   "both": " Both strands of the queries were searched."}  # fmt: skip


def references(result: SearchResult) -> tuple[Reference, ...]:
    """Return the references of a search, the program first."""
    cited = [program(result.version, result.finished_at), SMITH_WATERMAN, GOTOH]
    matrix, kind = result.scheme.matrix, result.database.subject_kind
    if isinstance(matrix, TwoTrackMatrix) and matrix.matrices[1].name == FOLDSEEK_LETTERS:
        cited.append(FOLDSEEK)
    if shifting(result.translation):
        cited += [GUAN, ZHANG]
    cited += _of_kind(result).cited(result)
    if "finite-size" in result.statistics:
        cited += [KARLIN_ALTSCHUL, ALTSCHUL, PARK]
    elif result.search.both_directions or result.statistics in (FITTED_TO_ITSELF, FITTED_AMONG_RELATIVES, kind.fitted):
        cited.append(PEARSON)
    elif result.statistics:
        cited += [KARLIN_ALTSCHUL, ALTSCHUL]
    if result.statistics and result.search.composition != "none":
        cited.append(SCHAFFER)
    return (*cited, *_of_rounds(_rounds(result)))


def _of_rounds(rounds: list[QueryRounds]) -> list[Reference]:
    """Return the references of rounds, and of the searches after them."""
    if not rounds:
        return []
    recipe, evidence = rounds[0].recipe, _evidence(rounds)
    asked = {
        PSI_BLAST: True,
        HENIKOFF_WEIGHTS: True,
        SEG: recipe.mask and rounds[0].bases is None,  # rows of bases are not masked
        COILS: recipe.mask_coils and rounds[0].bases is None,
        SODING: any(not isnan(item.profile_bits) for item in evidence),
        PARK_PATHS: any(item.path is not None for item in evidence),
        HMMER: any(not isnan(item.forward_bits) for item in evidence),
    }
    return [reference for reference, wanted in asked.items() if wanted]


def _rounds(result: SearchResult) -> list[QueryRounds]:
    return [query.rounds for query in result.queries if query.rounds is not None]


def _evidence(rounds: list[QueryRounds]) -> list[Evidence]:
    return [item for of_query in rounds for item in of_query.evidence.values()]


def paragraph(result: SearchResult) -> str:
    """Return the methods text, as one paragraph."""
    unit = _unit(result)
    rounds = _rounds(result)
    size = (
        f" E-values refer to a database of {result.search.limits.effective_residues:,} {unit}."
        if result.search.limits.effective_residues
        else ""
    )
    sentences = [
        *_of_kind(result).sentences(result),
        *_said_of_rounds(rounds, _judged(result)),
        _significance(result) + size,
        f"{result.cells_done:,} cells of the dynamic-programming matrices were computed in {result.seconds:.2f} s "
        f"({result.gcups:,.1f} GCUPS) by the engine '{result.engine}'{_on(result)}"
        f"{f', finished on {result.finished_at[:10]}' if result.finished_at else ''}.",
        "Alignments were traced back for reported hits, and their scores agree with those of the search.",
    ]
    if result.state != "complete":
        share = 100 * result.cells_done // result.cells_total if result.cells_total else 0
        ended = {"stopped": "was stopped", "failed": "failed"}[result.state]
        sentences.append(f"The search {ended} after {share} % of the work: sequences not reached are missing.")
    if result.remarks:
        sentences.append(f"Remarks of the program: {clean_text(result.remarks)}")
    return " ".join(sentences)


def _unit(result: SearchResult) -> str:
    return f"{result.database.alphabet.letter}s"


def _of_kind(result: SearchResult) -> KindMethods:
    """Return the sentences on the kind of subjects that a search compared."""
    module, _, name = result.database.subject_kind.methods.partition(":")
    return cast("KindMethods", getattr(import_module(module), name))


def _sequences_compared(result: SearchResult) -> tuple[str, ...]:
    """Return sentences on the comparison of residues, or of scores by position with residues, and on its scores."""
    scheme, database, unit = result.scheme, result.database, _unit(result)
    matrix, scored = clean_text(scheme.matrix.name), f"{scheme.alphabet.letter}s"
    blosum = f" ({HENIKOFF.short})" if HENIKOFF in references(result) else ""
    return (
        f"Sequences were compared with swgui {result.version}, which computes the exact Smith-Waterman score "
        f"({SMITH_WATERMAN.short}; affine gaps as in {GOTOH.short}) of every query with every sequence of the "
        "database; no heuristic filter is applied.",
        f"{queries_in_words(result)} searched against the database {named(database.name)} "
        f"({count(len(database), 'sequence')}, {database.residues:,} {unit}{_release(result)}; content checksum "
        f"{database.checksum or 'not known'}){_begun(_rounds(result))} with the scores {matrix}{blosum} and gap costs "
        f"of {scheme.gap_open} + {scheme.gap_extend} × k for a gap of k {scored} ({scheme.gap_open}/"
        f"{scheme.gap_extend} in the notation of BLAST).{_tracks(result)}{_profiles(result)}{_read(result)}",
    )


def _release(result: SearchResult) -> str:
    """Return the release of the database behind a comma, if it is known."""
    said = release_searched(result.database)
    return f", {clean_text(said)}" if said else ""


def queries_in_words(result: SearchResult) -> str:
    """Return how many queries there were of which size, as the subject of a sentence, with its verb."""
    kind, number = result.search.query_alphabet.residue_alphabet, len(result.queries)
    residues = sum(searched_length(query.query, result.search.query_range) for query in result.queries)
    part = f", {kind.letter}s {result.search.query_range} of each" if result.search.query_range else ""
    return (
        f"{count(number, f'{kind.name} query', f'{kind.name} queries')} "
        f"({residues:,} {kind.letter}s{part}) {agree(number, 'was', 'were')}"
    )


def _read(result: SearchResult) -> str:
    """Return a sentence on strands or frames; empty where there is nothing to say."""
    how = result.translation
    if how is None:
        return _STRANDS[result.search.strand]
    frames = "all six frames" if how.frames == FRAMES else f"frames {write_frames(how.frames)}"
    sides = [("queries", how.query_code)] * how.of.translates_query
    sides += [("database", how.subject_code)] * how.of.translates_database
    named = " and ".join(f"of the {side} by NCBI's genetic code {code}" for side, code in sides)
    shifts = (
        f" The reading could shift by one or two bases anywhere, at a cost of {how.shift} each time "
        f"({GUAN.short}; {ZHANG.short})."
    ) * bool(how.shift)
    regions = f" Regions between two stops of less than {how.min_orf:,} codons were masked." * bool(how.min_orf)
    return f" For that, {frames} were translated, {named} ({how.program}).{shifts}{regions}"


def _tracks(result: SearchResult) -> str:
    """Return a sentence on a second track; empty without one."""
    matrix = result.scheme.matrix
    if not isinstance(matrix, TwoTrackMatrix):
        return ""
    letters, (of_residues, of_letters) = clean_text(matrix.matrices[1].name), matrix.weights
    source = f" ({FOLDSEEK.short})" if letters == FOLDSEEK_LETTERS else ""
    return (
        f" Residues and the symbols {letters}{source} were scored together: both scores were added in every cell, "
        f"those of residues times {of_residues} and those of symbols times {of_letters}."
    )


def _profiles(result: SearchResult) -> str:
    """Return a sentence on profiles that a search began with; empty where it began with residues alone."""
    rounds = _rounds(result)
    if (context := result.asked.context) != NO_CONTEXT:
        library = "its own context library" if context == OWN_CONTEXT else f"the context library '{_name(context)}'"
        where = "In the first round" if rounds else "At every position of a query"
        return (
            f" {where} the scores were log-odds, in eighths of a bit, of the residues that {library} expects there, "
            f"given the residues around it ({CONTEXTS.short}); "
            f"symbols other than the 20 residues had the scores of the matrix.{_both(result)}"
        )
    if rounds:
        begun = sum(of_query.from_profile for of_query in rounds)
    else:
        begun = sum(query.query.profile is not None for query in result.queries)
    if not begun:
        return ""
    whose = "The query was" if len(result.queries) == 1 else f"{begun:,} of the queries were"
    return (
        f" {whose} given as a profile, or as an alignment of which one was made: scores by position, and gap costs "
        "where it has some, in place of those of the matrix."
    )


def _both(result: SearchResult) -> str:
    """Return a sentence on the other direction of hits; empty where it was not scored."""
    if not result.search.both_directions:
        return ""
    return (
        " The best subjects were scored in the other direction as well, by such a profile of their own against the "
        "query; E is that of both directions."
    )


def _name(path: str) -> str:
    return clean_text(PurePath(path).name)


def _judged(result: SearchResult) -> list[str]:
    """Return how E of the hits of rounds was computed: by sums over all alignments, and by shuffles."""
    shuffled = any(query.hits.composition for query in result.queries)
    summed = summed_lengths(result)
    by_sums = [_SUMS.format(times=summed[max(summed)] / max(summed), columns=max(summed))] if summed else []
    return by_sums + [_SHUFFLED] * shuffled + [_SHUFFLED_SUMS] * (shuffled and bool(summed))


def _said_of_rounds(rounds: list[QueryRounds], judged: Sequence[str] = ()) -> list[str]:
    """Return how profiles were made and whom they include, and what was looked for behind the last round."""
    if not rounds:
        return []
    first, numbers = rounds[0], sorted({len(of_query) for of_query in rounds})
    recipe, included = first.recipe, [len(of_query.last.included) for of_query in rounds]
    limit = "" if isnan(first.inclusion) else f" with E ≤ {first.inclusion:g}"
    most = f", at most {first.max_rows:,} per query" if first.max_rows else ""
    masked = [
        name
        for name, is_so in (
            (f"regions of low complexity ({SEG.short})", recipe.mask),
            (f"coiled coils ({COILS.short})", recipe.mask_coils),
        )
        if is_so and first.bases is None
    ]
    of_bases = " of bases of which half are the same" if first.bases is not None else ""
    sentences = [
        f"Every later round searched with a profile (scores and gap costs by position, as in PSI-BLAST, "
        f"{PSI_BLAST.short}) of the sequences that the round before included: those{limit}{most}, but for "
        f"copies of the query.{_chosen(first)}",
        f"Their rows were weighted by position ({HENIKOFF_WEIGHTS.short}), with a weight of {recipe.beta:g} for what "
        f"the matrix expects{of_bases}{f'; {_and(masked)} counted as unknown' if masked else ''}.",
        _DOUBT_OF_BASES if first.bases is not None else _DOUBT,
        *judged,
    ]
    done = f"{numbers[0]}" if len(numbers) == 1 else f"{numbers[0]} to {numbers[-1]}"
    if len(rounds) == 1:
        ended = f"{count(len(first), 'round was', 'rounds were')} done ({first.ending}); the last included"
        sentences.append(f"{ended} {count(included[0], 'sequence')}.")
    else:
        sentences.append(
            f"{done} rounds were done per query; the last included {count(sum(included), 'sequence')} in all."
        )
    return [*sentences, *_looked_deeper(_evidence(rounds))]


def _begun(rounds: list[QueryRounds]) -> str:
    """Return a sentence on the round that the scores are of; empty for searches without rounds."""
    if not rounds:
        return ""
    if of_other := rounds[0].database:
        return f", with profiles that rounds in the database {named(of_other)} made. The first round searched"
    return " in rounds, the first"


def _chosen(rounds: QueryRounds) -> str:
    """Return a sentence on the subjects that the user included or excluded whatever E; empty without any."""
    said = [
        f"{count(len(ids), 'sequence was', 'sequences were')} {how} by hand ({', '.join(map(clean_text, ids))})"
        for how, ids in (("included", rounds.include_ids), ("left out", rounds.exclude_ids))
        if ids
    ]
    return f" {_and(said)}." if said else ""


def _looked_deeper(evidence: list[Evidence]) -> list[str]:
    """Return the further searches after the rounds."""
    compared = sum(not isnan(item.profile_bits) for item in evidence)
    paths = sum(item.path is not None for item in evidence)
    others = sum(item.path is not None and item.path.other_domain for item in evidence)
    elsewhere = f", {others:,} of them through another domain of the hit" if others else ""
    scored = sum(not isnan(item.forward_bits) for item in evidence)
    return [
        text
        for number, text in (
            (
                compared,
                f"The profiles of {count(compared, 'hit')} were compared with that of the query ({SODING.short}).",
            ),
            (
                paths,
                f"{count(paths, 'sequence was', 'sequences were')} reached through hits, which were searched with as "
                f"queries (both steps with E ≤ 0.001; {PARK_PATHS.short}){elsewhere}.",
            ),
            (scored, f"Forward scores of {count(scored, 'hit')} were computed with HMMER ({HMMER.short})."),
        )
        if number
    ]


def _and(items: list[str]) -> str:
    return " and ".join(items)


def named(name: str) -> str:
    """Return the name of a database in quotation marks."""
    return f"'{clean_text(name)}'" if name else "without a name"


def _on(result: SearchResult) -> str:
    return f" on {', '.join(clean_text(device) for device in result.devices)}" if result.devices else ""


def _significance(result: SearchResult) -> str:
    if not result.statistics:
        return (
            "No statistics are known for these scores and costs; hits are ranked by score, at most "
            f"{result.search.limits.top:,} per query{_alignments(result)}{_minimums(result)}."
        )
    sources = [r.short for r in references(result) if r in (KARLIN_ALTSCHUL, ALTSCHUL, PARK, PEARSON)]
    return (
        f"Bit scores and E-values: {clean_text(result.statistics)} ({'; '.join(sources)}). "
        f"{_COMPOSITION[result.search.composition]}Hits with E ≤ {result.search.limits.max_evalue:g} were kept, at "
        f"most {result.search.limits.top:,} per "
        f"query{_alignments(result)}{_minimums(result)}."
    )


def _alignments(result: SearchResult) -> str:
    return f", each with at most {count(result.search.max_hsps, 'alignment')}" if result.search.max_hsps > 1 else ""


def _minimums(result: SearchResult) -> str:
    return (
        f", and of these the hits with {result.search.limits.minimums.describe()}"
        if result.search.limits.minimums
        else ""
    )


def search_methods(result: SearchResult) -> MethodsText:
    """Return the methods text of a search, in rounds or not."""
    return MethodsText(paragraph(result), references(result))


def _cited_of_sequences(result: SearchResult) -> list[Reference]:
    blosum = result.scheme.matrix.name.upper().startswith("BLOSUM")
    return [CONTEXTS] * (result.asked.context != NO_CONTEXT) + [HENIKOFF] * blosum


SEQUENCES: Final = KindMethods(_sequences_compared, _cited_of_sequences)
