"""The methods text of the alignment of one pair; every number from its result."""

from __future__ import annotations

from collections.abc import Iterator

from swgui.core.pair.problem import PairMode
from swgui.core.pair.result import PairResult
from swgui.core.words import count
from swgui.io.cells import clean_text
from swgui.io.methods.forms import MethodsText
from swgui.io.methods.references import GOTOH, HENIKOFF, SMITH_WATERMAN, Reference, program


def pair_methods(result: PairResult) -> MethodsText:
    """Return the methods text of a pair that was aligned, wholly or in part."""
    return MethodsText(" ".join(_sentences(result)), _references(result))


def _references(result: PairResult) -> tuple[Reference, ...]:
    cited = [program(result.version, result.finished_at)]
    cited += [SMITH_WATERMAN] if result.mode is PairMode.LOCAL else []
    cited.append(GOTOH)
    return (*cited, HENIKOFF) if _is_blosum(result) else tuple(cited)


def _is_blosum(result: PairResult) -> bool:
    return result.scheme.matrix.name.upper().startswith("BLOSUM")


def _sentences(result: PairResult) -> Iterator[str]:
    scheme = result.scheme
    kind = "local alignment" if result.mode is PairMode.LOCAL else f"{result.mode.value} alignment"
    source = f" ({SMITH_WATERMAN.short}; affine gaps as in {GOTOH.short})" if result.mode is PairMode.LOCAL else ""
    source = source or f" (affine gaps as in {GOTOH.short})"
    strands = {"both": " on both strands", "minus": " on the minus strand"}.get(result.strand, "")
    query = f"({count(result.query_length, scheme.alphabet.letter)}, SHA-256 {result.query_checksum[:16]}…)"
    subject = f"({count(result.subject_length, scheme.alphabet.letter)}, SHA-256 {result.subject_checksum[:16]}…)"
    yield (
        f"'{clean_text(result.query.id)}' {query} and '{clean_text(result.subject.id)}' {subject} were compared with "
        f"swgui {result.version}{strands}, which computes the score of the optimal {kind}{source}; no heuristic filter "
        "and no band is applied."
    )
    blosum = f" ({HENIKOFF.short})" if _is_blosum(result) else ""
    yield (
        f"Scores were those of {clean_text(scheme.matrix.name)}{blosum}, and a gap of length k cost "
        f"{scheme.gap_open} + {scheme.gap_extend} × k ({scheme.gap_open}/{scheme.gap_extend} in the notation of BLAST)."
    )
    if result.score is not None:
        number = count(len(result.alignments), "alignment")
        listed = "" if result.score_only else f"; {number} listed, at most {result.limit:,}"
        yield f"The best score was {result.score:,}{listed}."
    if result.statistics:
        yield f"Bit scores and E-values: {clean_text(result.statistics)}."
    if result.state != "finished":
        yield f"The work ended early: {clean_text(result.reason)}"
    devices = f" on {', '.join(map(clean_text, result.devices))}" if result.devices else ""
    yield (
        f"{result.cells:,} cells of the matrices were computed in {result.total_seconds:.2f} s by the method "
        f"'{result.method}'{devices}{f', finished on {result.finished_at[:10]}' if result.finished_at else ''}."
    )
