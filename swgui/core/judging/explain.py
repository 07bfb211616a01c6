"""The computation of a hit's figures: the formulas, with its values put in."""

from __future__ import annotations

import math

import numpy as np

from swgui.core.alignment import OP_LETTERS, PLAIN, Alignment, Op, gap_costs
from swgui.core.alphabet import TwoTracks
from swgui.core.contexts import NO_CONTEXT
from swgui.core.hits.results import SearchResult
from swgui.core.hits.table import EQUAL, Hit
from swgui.core.judging.fitting import fit_of
from swgui.core.judging.ranking import published_for
from swgui.core.judging.surroundings import of_alignment
from swgui.core.profiles.bases import longest_summed
from swgui.core.profiles.log_odds import UNITS_PER_BIT
from swgui.core.statistics.composition import (
    NEARLY_IDENTICAL,
    REGION_PSEUDO,
    TRACKS_PSEUDO,
    WHOLE_PSEUDO,
    nearly_identical,
)
from swgui.core.statistics.evalue import KarlinAltschul, format_log10
from swgui.core.statistics.stops import uncalibrated

_OP_NAMES = (
    "pair",
    "query {letter} against a gap",
    "subject {letter} against a gap",
    "base that is skipped",
    "base that is read twice",
)


def explain_hit(
    result: SearchResult, query_index: int, hit: Hit, published: KarlinAltschul | None
) -> list[tuple[str, str]]:
    """Return sections of (title, text) that derive every number of a hit."""
    sections = [("Score", _score_text(result, hit))]
    by_context = result.asked.context != NO_CONTEXT and hit.rounds is None and hit.query.profile is not None
    if by_context and hit.alignment is not None:
        sections.append(("Score by the surroundings", _surroundings_text(result, hit, hit.alignment)))
    fit = fit_of(result, query_index)
    residues, sequences = result.search.limits.database_size(result.searched)
    sizes = (
        hit.score,
        result.searched_length(query_index),
        int(result.searched.lengths[hit.db_index]),
        residues,
        sequences,
    )
    published = published_for(published, result.queries[query_index].query, result.scheme, result.translation)
    if published is not None and not uncalibrated(result.scheme.matrix, result.translation):
        sections.append(("Bit score", published.explain_bits(hit.score) + _bits_text(hit)))
        sections.append(("E-value, published parameters", published.explain(*sizes)))
    if not math.isnan(hit.log10_uncorrected):
        sections.append(("E-value, corrected for composition", _composition_text(result, hit)))
    if hit.back_score >= 0:
        sections.append(("E-value of both directions", _directions_text(result, hit)))
    rounds = result.queries[query_index].rounds
    if rounds is not None and rounds.bases is not None:
        longest = longest_summed(len(hit.query), rounds.recipe, rounds.bases)
        if sizes[2] <= longest and result.search.query_range is None:
            sections.append(("E-value by the sum over all alignments", _sum_text(hit)))
    elif hit.rounds is not None and hit.rounds.member:
        sections.append(("E-value of a member of the profile", _member_text(hit)))
    if result.database.subject_kind.doubted and hit.log10_evalue > hit.fitted_log10_evalue + EQUAL:
        sections.append(("E-value by certain members", _doubt_text(hit)))
    if fit.statistics is not None:
        sections.append(("Z-score and E-value, fitted to this search", fit.statistics.explain(*sizes)))
    elif fit.reason:
        sections.append(("E-value, fitted to this search", fit.reason))
    if hit.alignment is not None and hit.counts is not None:
        sections.append(("Alignment", _alignment_text(hit, result.scheme.alphabet.letter)))
    return sections


def _bits_text(hit: Hit) -> str:
    """Return the effect of the correction of E on the bits; empty if there is none."""
    grown = hit.log10_evalue - hit.log10_uncorrected
    if math.isnan(grown) or not grown:
        return ""
    return (
        f"\nThe correction for composition multiplies E by {format_log10(grown)}, which takes log2 of that, "
        f"{grown / math.log10(2):.2f}, off: {hit.bit_score:.2f} bits belong to the E that counts."
    )


def _score_text(result: SearchResult, hit: Hit) -> str:
    scheme = result.scheme
    lines = [
        f"Exact Smith-Waterman score with {scheme.describe()}; computed by the engine '{result.engine}' "
        f"on {', '.join(result.devices)}.",
        "Every gap costs what the profile says at its positions."
        if hit.query.gaps is not None
        else f"A gap of length k costs {scheme.gap_first} + (k − 1) × {scheme.gap_extend}.",
    ]
    if hit.alignment is not None:
        gaps = gap_costs(hit.alignment, hit.query, scheme)
        if result.translation is not None and result.translation.shift and hit.counts is not None:
            shift = result.translation.shift
            lines.append(f"A frameshift of one or two bases costs {shift}, like a gap of that cost below.")
            gaps += [shift] * hit.counts.frameshifts
        cost = sum(gaps)
        costs = " + ".join(map(str, gaps[:12])) + (" + …" if len(gaps) > 12 else "")
        spelled = f" ({costs})" if len(gaps) > 1 else ""
        lines.append(
            f"S = matrix values of the aligned pairs − gap costs = {hit.score + cost} − {cost}{spelled} = {hit.score}. "
            "The alignment shown was added up again and gives this score."
        )
    return "\n".join(lines)


def _surroundings_text(result: SearchResult, hit: Hit, alignment: Alignment) -> str:
    found = of_alignment(alignment, hit.query, hit.subject_codes(result.scheme.alphabet), result.scheme)
    more, bits = found.pairs - found.matrix, UNITS_PER_BIT
    said = (
        f"The aligned pairs score {found.pairs} by the surroundings of the query's residues; the matrix "
        f"'{result.asked.scheme.matrix.name}', in the same eighths of a bit, gives these pairs {found.matrix}. So the "
        f"surroundings {'add' if more >= 0 else 'take off'} {abs(more)} ({abs(more) / bits:.1f} bits)."
    )
    if found.first >= 0:
        where = f"residues {found.first + 1} to {found.last + 1} of {'its frame' if hit.frames[0] else 'the query'}"
        said += f" They add most, {found.stretch} ({found.stretch / bits:.1f} bits), at {where}."
    return f"{said} Gaps cost the same; by the matrix alone another alignment may be the best."


def _directions_text(result: SearchResult, hit: Hit) -> str:
    each = [
        format_log10(float(column[hit.place]))
        for column in (hit.table.both_directions.forward, hit.table.both_directions.back)
    ]
    return (
        f"The profile of the query scores {hit.score} with the subject, E = {each[0]}; the subject's own profile "
        f"scores {hit.back_score} with the query, E = {each[1]}. {result.statistics}. With z for each E, "
        "z = (z1 + z2 - mean) / standard deviation, and E = N (1 - exp(-exp(-(π/√6 z + 0.5772)))): "
        f"E = {format_log10(hit.log10_evalue)}."
    )


def _sum_text(hit: Hit) -> str:
    by_best, counted = format_log10(hit.fitted_log10_evalue), format_log10(hit.log10_evalue)
    return (
        "Gaps are cheap, so that many alignments of distant relatives are about as good as the best one. The sum over "
        "all of them (Forward algorithm), compared with those of sequences read from the end, decides where E by the "
        f"best alignment is above 1e-20. E = {by_best} by the best alignment, {counted} counts. Hits that only members "
        "in doubt support have at least the smallest E with which one of these was included."
    )


def _member_text(hit: Hit) -> str:
    without = hit.log10_evalue if math.isnan(hit.log10_uncorrected) else hit.log10_uncorrected  # before shuffles
    counted, as_member = format_log10(without), format_log10(hit.fitted_log10_evalue)
    if not without > hit.fitted_log10_evalue:
        return "The profile contains this sequence, which was beyond doubt when it was included."
    return (
        "The profile was made of this sequence among others, so it scores higher than the others alone would have it: "
        f"E = {as_member} as a member. With a profile made without it, and without what resembles it and was in doubt, "
        f"E = {counted}, which counts."
    )


def _doubt_text(hit: Hit) -> str:
    by_score, counted = format_log10(hit.fitted_log10_evalue), format_log10(hit.log10_evalue)
    return (
        "The alignments behind the two profiles have members in doubt: rounds included them with E above 0.001, or "
        f"found them by such members. By the score E = {by_score}. Profiles of the certain members alone give "
        f"E = {counted}, which counts; 0.5 is the largest that doubt alone gives."
    )


def _composition_text(result: SearchResult, hit: Hit) -> str:
    uncorrected, counted = format_log10(hit.log10_uncorrected), format_log10(hit.log10_evalue)
    if hit.rounds is not None:
        made = "none were made" if math.isnan(hit.shuffle_z) else f"Z = {hit.shuffle_z:.1f}"
        return (
            "A profile has no lambda of compositions. Shuffles of the aligned region of the subject, scored against "
            f"that of the profile, say how high sequences of such a make-up score that are not related: {made}. "
            f"E = {uncorrected} before, {counted} with them; the larger counts."
        )
    if math.isnan(hit.lambda_ratio):
        return f"The search was stopped before this E-value was corrected: E = {uncorrected}."
    length, subject = len(hit.query), int(result.searched.lengths[hit.db_index])
    if nearly_identical(np.array([hit.score]), hit.query.bound(result.scheme), length, subject).any():
        return (
            f"E = {counted} stays as it is: query and subject are nearly the same from end to end (at least "
            f"{NEARLY_IDENTICAL:.0%} of the highest score and of the longer one), whatever they are made of."
        )
    fitted = "the query and the background" if "Fitted" in result.statistics else "two sequences of the background"
    pseudo = TRACKS_PSEUDO if isinstance(result.scheme.alphabet, TwoTracks) else REGION_PSEUDO
    lines = [
        "Lambda solves sum p_i q_j exp(λ s_ij) = 1 for the compositions p and q: once for the aligned regions with "
        f"{pseudo:.0f} {result.scheme.alphabet.letter}s of background added to each, once for the whole sequences with "
        f"{WHOLE_PSEUDO:.0f}. The smaller one, over that of {fitted}, is the ratio: {hit.lambda_ratio:.3f} "
        "(1 at most). It multiplies λ in E; K and the search space stay.",
    ]
    if math.isnan(hit.shuffle_z):
        lines.append("No shuffles were made: lambda alone decided, or shuffles were not asked for.")
    else:
        lines.append(
            "Shuffles of the aligned region of the subject, scored against that of the query, keep its composition, "
            "that of each stretch, or, where it repeats itself, its repeats. They say how high sequences of such a "
            "make-up score that are not related; they do not say that these two are not. Of the kind that counts most, "
            f"Z = (S − mean) / standard deviation = {hit.shuffle_z:.1f}."
        )
    lines.append(f"E = {uncorrected} before, {counted} with the correction; the largest counts.")
    return "\n".join(lines)


def _alignment_text(hit: Hit, letter: str) -> str:
    alignment, counts = hit.alignment, hit.counts
    assert alignment is not None  # the caller looked
    assert counts is not None
    names = list(zip(OP_LETTERS, _OP_NAMES, strict=True))
    shown = names if alignment.steps != PLAIN else names[: Op.SKIP]
    runs = ", ".join(f"{code} = {name.format(letter=letter)}" for code, name in shown)
    residues = len(hit.subject.residues)
    return "\n".join(
        [
            f"Identity (BLAST pident) = identical pairs / columns = {counts.nident} / {counts.length} "
            f"= {counts.pident:.1f} %",
            f"Positives (ppos) = pairs with a matrix value above 0 / columns = {counts.positive} / {counts.length} "
            f"= {counts.ppos:.1f} %",
            f"{letter.capitalize()}s in gaps = {counts.gaps}, gaps = {counts.gapopen}, mismatches = {counts.mismatch}",
            f"Query coverage (qcovhsp) = {counts.query_span} / {len(hit.query)} = {hit.query_coverage:.1f} %",
            f"Subject coverage = {min(counts.subject_span, residues)} / {residues} = {hit.subject_coverage:.1f} %",
            f"Runs: {alignment.cigar} ({runs})",
        ]
    )
