"""One sentence for a hit: its kind, the evidence for and against it, and the next step."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from math import isnan, nan
from typing import Final

import msgspec
import numpy as np

from swgui.core.alphabet import PROTEIN
from swgui.core.hits.results import SearchResult
from swgui.core.hits.table import EQUAL, Hit, HitTable
from swgui.core.query_range import searched_length
from swgui.core.subject_kind import SEQUENCES, SubjectKind
from swgui.core.verdict.kinds import (
    BIASED,
    COVERED,
    DISTANT,
    PART,
    SHORT,
    SIGNIFICANT,
    Z_AGREES,
    Z_REACHED,
    Kind,
    Numbers,
    kind_of,
    kinds_by,
)
from swgui.core.verdict.shifts import probable_shifts
from swgui.core.words import agree, count, equal_evalue, short_evalue

IN_FIGURES: Final = 5  # decimal places up to which a number is written out: 400, 25,000
RAREST: Final = 20.0  # log10 of the largest number of searches in the sentence
_RAISED: Final = str.maketrans("0123456789-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻")


class Evidence(msgspec.Struct, frozen=True, dict=True):
    """The numbers that a verdict needs; NaN for unknown ones."""

    log10_evalue: float
    log10_uncorrected: float = nan  # of E without a correction for composition; NaN where none was made
    lambda_ratio: float = nan
    shuffle_z: float = nan
    # query_coverage, subject_coverage, identity: in percent
    query_coverage: float = nan
    subject_coverage: float = nan
    identity: float = nan
    alignments: int = 1  # of the query with this subject: the significant ones if there are any, otherwise all
    sum_log10_evalue: float = nan  # of the E of all of them together
    query_length: int = 0
    protein: bool = True  # whether the sequences are proteins
    best: bool = True  # True for the best alignment of its subject; only it has the effect of composition on E
    subjects: SubjectKind = SEQUENCES
    # E by the profile, if the sequence is a part of it and E without that part is larger; of profiles the E by all of
    # their members, if that by the certain ones is larger.
    log10_as_member: float = nan

    @cached_property
    def kind(self) -> Kind:
        """The kind of verdict."""
        return kind_of(self.log10_evalue, self.log10_uncorrected, self.lambda_ratio, self.shuffle_z)

    @property
    def corrected(self) -> bool:
        """Whether E was corrected for composition."""
        return not isnan(self.log10_uncorrected)


def kinds_in(table: HitTable) -> list[Kind]:
    """Return the kind of verdict on each line of a table."""
    best = table.hsp == 0
    by = (np.where(best, values[table.hit], nan) for values in (table.lambda_ratio, table.shuffle_z))
    return kinds_by(Numbers(table.log10_evalues, np.where(best, table.log10_uncorrected, nan), *by))


def evidence_of(hit: Hit, result: SearchResult) -> Evidence:
    """Return the numbers of a hit; coverage and identity only if it has been aligned."""
    best = not hit.hsp  # of which alone the next three are known
    return Evidence(
        log10_evalue=hit.log10_evalue,
        log10_uncorrected=hit.log10_uncorrected if best else nan,
        lambda_ratio=hit.lambda_ratio if best else nan,
        shuffle_z=hit.shuffle_z if best else nan,
        query_coverage=hit.query_coverage,
        subject_coverage=hit.subject_coverage,
        identity=hit.counts.pident if hit.counts else nan,
        alignments=sum(hsp.log10_evalue <= SIGNIFICANT.value for hsp in hit.hsps) or max(len(hit.hsps), 1),
        sum_log10_evalue=hit.sum_log10_evalue,
        query_length=searched_length(hit.query_record, result.search.query_range, result.translation),
        protein=result.scheme.alphabet.name == PROTEIN.name,
        best=not hit.hsp,
        subjects=result.database.subject_kind,
        log10_as_member=hit.fitted_log10_evalue if _in_doubt(hit, result.database.subject_kind) else nan,
    )


def _in_doubt(hit: Hit, kind: SubjectKind) -> bool:
    """Whether a hit is judged by a profile that is made without it, or by certain members of profiles alone."""
    before = hit.log10_evalue if isnan(hit.log10_uncorrected) else hit.log10_uncorrected
    member = bool(kind.doubted) or (hit.rounds is not None and hit.rounds.member)
    return not hit.hsp and member and before > hit.fitted_log10_evalue + EQUAL


def judge(hit: Hit, result: SearchResult) -> str:
    """Return the verdict on a hit: one sentence, and the next step if there is doubt, or the reading shifts."""
    return " ".join(filter(None, (sentence(evidence_of(hit, result)), probable_shifts(hit, result.scheme))))


def sentence(of: Evidence) -> str:
    """Return the verdict that follows from some numbers."""
    claim = _CLAIMS[of.kind](of)
    clauses = [text for rule in _CLAUSES[of.kind] if (text := rule(of))]
    return f"{'; '.join([claim, *clauses])}.{_advice(of)}"


def how_often(log10_evalue: float) -> str:
    """Return an E-value in words: ``expected by chance once in 400 searches of this database``."""
    if log10_evalue > -0.18:  # two in three
        number = max(round(10 ** min(log10_evalue, 15.0)), 1)
        return f"about {count(number, 'subject')} as good {agree(number, 'is', 'are')} expected by chance"
    rarer = "less than " if -log10_evalue > RAREST else ""
    return f"expected by chance {rarer}once in {_large(min(-log10_evalue, RAREST))} searches of this database"


def _large(log10_number: float) -> str:
    """Write a number in figures, rounded to one or two digits, or as a power of ten."""
    if log10_number >= IN_FIGURES:
        return f"10{str(round(log10_number)).translate(_RAISED)}"
    number = round(10**log10_number)
    return f"{round(number, 2 - len(str(number))):,}"


# The claims: the beginning of each kind of verdict.
def _bias(of: Evidence) -> str:
    if of.shuffle_z < Z_AGREES.value:
        return f"Probably a bias of composition: {_close(of)}"
    return (
        "Probably a bias of composition: the aligned regions are rich in the same residues "
        f"(lambda ratio {of.lambda_ratio:.2f})"
    )


_CLAIMS: Final[dict[Kind, Callable[[Evidence], str]]] = {
    "significant": lambda of: f"Significant: {how_often(of.log10_evalue)}",
    "borderline": lambda of: f"Borderline: {how_often(of.log10_evalue)}",
    "bias": _bias,
    "chance": lambda of: f"Not distinguishable from chance: {how_often(of.log10_evalue)}",
    "unknown": lambda of: "No verdict: there are no E-values for this scoring, and a score alone does not tell "
    "relatives from chance",
}  # fmt: skip


# The clauses: evidence for and against. Each returns an empty text if it does not apply.
def _coverage(of: Evidence) -> str:
    query, subject = of.query_coverage, of.subject_coverage
    if isnan(query) or isnan(subject):
        return ""
    whole = [coverage >= COVERED.value for coverage in (query, subject)]
    part = [coverage < PART.value for coverage in (query, subject)]
    if all(whole):
        if of.identity == query == subject == 100:
            return "the same sequence"
        return _both(query, subject)
    tails = {(True, True): ", perhaps one domain", (True, False): ": the subject resembles a part of the query",
             (False, True): ": the query resembles a part of the subject"}  # fmt: skip
    return _both(query, subject) + (tails.get((part[0], part[1]), "") if of.protein else "")


def _both(query: float, subject: float) -> str:
    if _percent(query) == _percent(subject):
        return f"covers {_percent(query)} of both"
    return f"covers {_percent(query)} of the query and {_percent(subject)} of the subject"


def _percent(value: float) -> str:
    return "less than 1 %" if value < 0.5 else f"{value:.0f} %"


def _shuffles(of: Evidence) -> str:
    if isnan(of.shuffle_z):
        return ""
    if of.kind == "significant":  # its E has passed them
        return f"shuffles agree (Z of shuffles = {_z(of)})"
    if of.shuffle_z >= Z_AGREES.value:  # so do stretches that chance has chosen among many
        return f"shuffled copies stay well below (Z of shuffles = {_z(of)})" if of.kind == "borderline" else ""
    return _close(of)


def _close(of: Evidence) -> str:
    near = f"come within {Z_AGREES.text} standard deviations"
    close = "score as high" if of.shuffle_z < Z_REACHED.value else near
    return f"shuffled copies {close} (Z of shuffles = {_z(of)})"


def _member(of: Evidence) -> str:
    if isnan(of.log10_as_member):
        return ""
    if clause := of.subjects.doubted:
        return clause.format(score=equal_evalue(of.log10_as_member), counted=equal_evalue(of.log10_evalue))
    return (
        f"the profile contains it, and gives it {equal_evalue(of.log10_as_member)}; a profile without it gives "
        f"{equal_evalue(of.log10_evalue)}, which counts"
    )


def _corrected(of: Evidence) -> str:
    if of.kind == "bias" or of.lambda_ratio < BIASED.value:
        before = short_evalue(of.log10_uncorrected)
        return f"without the correction for composition E would be {before}" if before else ""
    return ""


def _uncorrected(of: Evidence) -> str:
    silent = of.corrected or not of.protein or not of.best
    return "" if silent else "composition was not taken into account"


def _alignments(of: Evidence) -> str:
    if of.alignments < 2:
        return ""
    if of.sum_log10_evalue <= SIGNIFICANT.value < of.log10_evalue and not of.lambda_ratio < BIASED.value:
        together = equal_evalue(of.sum_log10_evalue)
        return f"its {of.alignments:,} alignments together are significant ({together})"
    return f"{of.alignments:,} {'significant ' if of.kind == 'significant' else ''}alignments"


def _z(of: Evidence) -> str:
    return f"{of.shuffle_z:.0f}".replace("-0", "0").replace("-", "\N{MINUS SIGN}")


_CLAUSES: Final[dict[Kind, tuple[Callable[[Evidence], str], ...]]] = {
    "significant": (_member, _coverage, _alignments, _shuffles, _corrected, _uncorrected),
    "borderline": (_member, _coverage, _alignments, _shuffles, _corrected, _uncorrected),
    "bias": (_member, _corrected),
    "chance": (_member, _alignments, _shuffles, _corrected),
    "unknown": (_coverage, _alignments, _shuffles),
}


class Advice(msgspec.Struct, frozen=True):
    """The next step."""

    text: str  # fits behind a colon
    applies: Callable[[Evidence], bool]  # whether it is of use, from the evidence


_NEXT: Final = (
    Advice("shuffle it", lambda of: isnan(of.shuffle_z) and of.subjects.can("shuffles")),
    Advice("try a matrix for short queries, such as PAM30", lambda of: _has_matrix(of) and _is_short(of)),
    Advice("search with the aligned region alone", lambda of: of.query_coverage < PART.value and not _is_short(of)),
    Advice("see whether its nearest relatives are listed too", lambda of: of.protein),
    Advice(
        "try a matrix for distant relatives, such as VTML200",
        lambda of: _has_matrix(of) and of.identity < DISTANT.value and not _is_short(of),
    ),
    Advice("search with the protein it encodes, which shows more distant relatives", lambda of: not of.protein),
)


def _has_matrix(of: Evidence) -> bool:
    return of.protein and of.subjects.matrix


def _is_short(of: Evidence) -> bool:
    return 0 < of.query_length < SHORT.value


def _advice(of: Evidence) -> str:
    """Return the next step as a sentence behind the verdict; empty without doubt."""
    match of.kind:
        case "significant":
            if of.subjects.caution:
                return f" {of.subjects.caution}"
            return "" if of.corrected or not of.protein else " Shuffle it before you rely on it."
        case "bias":
            return " Next: mask low complexity, or search with a region that has none."
        case "unknown":
            return " Next: shuffle it." if isnan(of.shuffle_z) and of.subjects.can("shuffles") else ""
    items = [advice.text for advice in _NEXT if advice.applies(of)]
    listed = items[0] if len(items) == 1 else f"{', '.join(items[:-1])}, or {items[-1]}"
    return f" {'Next' if of.kind == 'borderline' else 'If you expected it'}: {listed}."
