"""Elements of BLAST's reports, as XML and JSON name them: program, parameters and alignments of a search."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from typing import Final

from swgui.core.hits.results import SearchResult
from swgui.core.hits.table import Hit
from swgui.core.scoring import ScoringScheme
from swgui.core.words import format_evalue
from swgui.io.cells import clean_text
from swgui.io.export.rows import aligned_rows, span

NO_TITLE: Final = "No definition line"  # as BLAST says it
# What the form wants and is not said, as E is not of effective lengths; with BLAST's figures for that.
NOT_SAID: Final = (("hsp-len", 0), ("eff-space", 0), ("kappa", -1), ("lambda", -1), ("entropy", -1))
HSP_ORDER: Final = (
    "num", "bit-score", "score", "evalue", "identity", "positive", "query-from", "query-to", "query-frame",
    "query-strand", "hit-from", "hit-to", "hit-frame", "hit-strand", "align-len", "gaps", "qseq", "hseq", "midline",
)  # fmt: skip
_SIMPLE_MATRIX: Final = re.compile(r"\+(\d+)/(-\d+)")


def aligned_ones(group: Iterable[Hit]) -> list[Hit]:
    """Return the hits that have an alignment; the others have no place in these reports."""
    return [hit for hit in group if hit.alignment is not None]


def blast_program(result: SearchResult) -> str:
    """Return the BLAST program for such sequences, which readers go by."""
    if result.translation is not None:
        return result.translation.program
    return "blastp" if result.scheme.alphabet.name == "protein" else "blastn"


def blast_parameters(result: SearchResult) -> list[tuple[str, object]]:
    """Return the parameters of a search, by BLAST's names, in order."""
    scheme = result.scheme
    simple = _SIMPLE_MATRIX.fullmatch(scheme.matrix.name)
    return [
        *([] if simple else [("matrix", clean_text(scheme.matrix.name))]),
        ("expect", f"{result.search.limits.max_evalue:g}"),
        *([("sc-match", simple[1]), ("sc-mismatch", simple[2])] if simple else []),
        ("gap-open", scheme.gap_open),
        ("gap-extend", scheme.gap_extend),
        ("filter", "F"),
    ]


def genetic_codes(result: SearchResult) -> list[tuple[str, object]]:
    """Return the genetic codes of what is translated, by BLAST's names."""
    how = result.translation
    if how is None:
        return []
    query = [("query-gencode", how.query_code)] if how.of.translates_query else []
    return [*query, *([("db-gencode", how.subject_code)] if how.of.translates_database else [])]


def hsp_fields(hit: Hit, scheme: ScoringScheme) -> dict[str, object] | None:
    """Return the elements of an alignment that both forms of XML have, by name; None without an alignment."""
    ends, counts = span(hit), hit.counts
    if ends is None or counts is None:
        return None
    nucleotide = bool(scheme.alphabet.complements)
    rows = aligned_rows(hit, scheme)
    return {
        "num": hit.hsp + 1,
        "bit-score": "NaN" if math.isnan(hit.bit_score) else f"{hit.bit_score:.3f}",
        "score": hit.score,
        "evalue": format_evalue(hit.log10_evalue, 6) or "NaN",
        "identity": counts.nident,
        **({} if nucleotide else {"positive": counts.positive}),
        **_ends("query", (ends.query_start, ends.query_end), hit.frames[0]),
        **({"query-strand": "Plus"} if nucleotide else {}),
        **_ends("hit", (ends.subject_start, ends.subject_end), hit.frames[1]),
        **({"hit-strand": "Plus" if hit.strand > 0 else "Minus"} if nucleotide else {}),
        "align-len": counts.length,
        "gaps": counts.gaps,
        "qseq": rows.query,
        "hseq": rows.subject,
        "midline": rows.match,
    }


def _ends(side: str, ends: tuple[int, int], frame: int) -> dict[str, object]:
    """Return the ends on one side; of what is translated ascending, with the frame, as BLAST writes them."""
    first, last = sorted(ends) if frame else ends
    return {f"{side}-from": first, f"{side}-to": last, **({f"{side}-frame": frame} if frame else {})}
