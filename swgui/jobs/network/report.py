"""The page of ``swgui leak``: counts, a histogram of identities and the worst alignments, as one HTML file."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from typing import Final, TextIO

import numpy as np
from numpy.typing import NDArray

from swgui.core.alignment import spell_out
from swgui.core.network.edges import STRAND_NAMES, STRANDS_SAID
from swgui.core.network.measures import COVERAGES, IDENTITIES
from swgui.core.words import count, format_evalue
from swgui.engines.traceback.best import align_local
from swgui.io.cells import clean_text
from swgui.jobs.network.aligning import turned
from swgui.jobs.network.all_against_all import AllAgainstAll
from swgui.jobs.network.leak import Leaks

WORST: Final = 50  # alignments shown
_WIDTH: Final = 60  # residues of a line
_BINS: Final = 20
_STYLE: Final = """
:root { color-scheme: light dark; }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 62em; margin: 2em auto; padding: 0 1em; }
table { border-collapse: collapse; } th, td { padding: .2em .9em .2em 0; text-align: left; }
td.n, th.n { text-align: right; font-variant-numeric: tabular-nums; }
tr + tr td { border-top: 1px solid color-mix(in srgb, currentColor 15%, transparent); }
pre { overflow-x: auto; font-size: 13px; line-height: 1.3; }
svg { width: 100%; height: auto; font: 12px system-ui, sans-serif; fill: currentColor; }
svg .bar { fill: #2a78b8; } .small { opacity: .75; }
@media (prefers-color-scheme: dark) { svg .bar { fill: #6db3e8; } }
"""


def write_report(leaks: Leaks, asked: AllAgainstAll, file: TextIO) -> None:
    """Write the page; it has no scripts and loads nothing from anywhere."""
    title = escape(clean_text(f"Leaks: {leaks.test.name} against {leaks.train.name}"))
    file.write(
        f'<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">\n<title>{title}</title>\n'
        f"<style>{_STYLE}</style>\n</head>\n<body>\n<h1>{title}</h1>\n"
    )
    first, _ = leaks.summary()
    file.write(f"<p><strong>{escape(first)}</strong></p>\n")
    file.write(
        '<table>\n<tr><th class="n">Identity at least</th><th class="n">Test sequences</th><th class="n">%</th></tr>\n'
    )
    for step, number in leaks.counts().items():
        share = 100 * number / max(len(leaks.order), 1)
        file.write(f'<tr><td class="n">{step} %</td><td class="n">{number:,}</td><td class="n">{share:.1f}</td></tr>\n')
    file.write(f"</table>\n<h2>Identity with the nearest training sequence</h2>\n{_histogram(leaks)}\n")
    for paragraph in _how(leaks, asked):
        file.write(f'<p class="small">{escape(paragraph)}</p>\n')
    file.write(f"<h2>The most identical {count(min(WORST, int((leaks.nearest >= 0).sum())), 'pair')}</h2>\n")
    tested, trained = leaks.names
    for test, row in zip(leaks.order[:WORST].tolist(), leaks.nearest[:WORST].tolist(), strict=True):
        if row >= 0:
            names = f"{tested[test]} and {trained[int(leaks.edges.second[row])]}"
            file.write(f"<h3>{escape(names)}</h3>\n{_pair(leaks, asked, test, row)}")
    file.write("</body>\n</html>\n")


def _how(leaks: Leaks, asked: AllAgainstAll) -> Iterator[str]:
    """Yield the paragraphs of a report on the comparison and its methods."""
    limit = leaks.limit
    pairs = len(leaks.test) * len(leaks.train)
    scored = "The pair was" if pairs == 1 else f"All {pairs:,} pairs were"
    yield (
        f"{scored} scored by exact Smith-Waterman alignment ({asked.said}"
        f"{STRANDS_SAID[leaks.strands]}); none was left "
        f"out by a filter. Neighbours are pairs with E up to {asked.evalue:g} among "
        f"{count(int(asked.search_space[1]), 'sequence')} (not corrected for composition) whose alignment covers at "
        f"least {100 * limit.coverage:g} %, pairs with E up to {limit.sure:g} whatever it covers, "
        "and identical sequences. An E above 0.001 may be chance."
    )
    yield (
        f"Identity is {IDENTITIES[limit.identity_over].meaning}, coverage is {COVERAGES[limit.coverage_of].meaning}, "
        "both of the alignment with the best score. The nearest is the most identical neighbour."
    )
    yield (
        f"Test: {count(len(leaks.test), 'sequence')}, checksum {leaks.test.checksum}. Training: "
        f"{count(len(leaks.train), 'sequence')}, checksum {leaks.train.checksum}."
    )


def _histogram(leaks: Leaks) -> str:
    """Return test sequences by the identity of their nearest one, drawn as SVG."""
    values = 100 * leaks.identity[leaks.nearest[leaks.nearest >= 0]]
    counts, _ = np.histogram(values, bins=_BINS, range=(0, 100))
    none, highest = int((leaks.nearest < 0).sum()), max(int(counts.max(initial=1)), 1)
    parts = ['<svg viewBox="0 0 1000 260" role="img" aria-label="Histogram of identities">']
    for number, height in enumerate(counts.tolist()):
        x, size = 40 + number * 46, 190 * height / highest
        parts.append(f'<rect class="bar" x="{x}" y="{210 - size:.1f}" width="42" height="{size:.1f}"/>')
        if height:
            parts.append(f'<text x="{x + 21}" y="{205 - size:.1f}" text-anchor="middle">{height:,}</text>')
        parts.append(f'<text x="{x - 2}" y="228" text-anchor="middle">{number * 100 // _BINS}</text>')
    parts.append('<text x="958" y="228" text-anchor="middle">100 %</text>')
    parts.append(f'<text x="40" y="252">{none:,} test sequences have no neighbour and are not drawn.</text></svg>')
    return "".join(parts)


def _pair(leaks: Leaks, asked: AllAgainstAll, test: int, row: int) -> str:
    train, edges = int(leaks.edges.second[row]), leaks.edges
    said = (
        f"identity {100 * leaks.identity[row]:.1f} %, coverage {100 * leaks.coverage[row]:.1f} %, "
        f"E {format_evalue(float(edges.log10_evalues[row]))}, score {int(edges.scores[row]):,}"
    )
    said += f", {STRAND_NAMES[int(edges.strands[row])]} strand" if leaks.strands else ""
    return f"<p>{escape(said)}</p>\n<pre>{escape(_aligned(leaks, asked, test, train, row))}</pre>\n"


def _aligned(leaks: Leaks, asked: AllAgainstAll, test: int, train: int, row: int) -> str:
    """Return the alignment as text: the residues of both, and a line of what is identical between them."""
    sets, strand, alphabet = (asked.queries, asked.subjects), int(leaks.edges.strands[row]), asked.scheme.alphabet
    is_turned = bool(turned(sets, np.array([test]), np.array([train]))[0])
    of_both = (asked.queries, test), (asked.subjects, train)
    of_query, of_subject = reversed(of_both) if is_turned else of_both
    (query,), subject = asked.scoring.encoded(of_query[0], of_query[1:], strand), of_subject[0].subject(of_subject[1])
    columns = spell_out(align_local(query, subject, asked.scoring.scheme, int(leaks.edges.scores[row])))

    def letters(codes: NDArray[np.uint8], positions: NDArray[np.int64]) -> str:
        text = alphabet.decode(np.ascontiguousarray(codes[positions.clip(0)])).decode()
        return "".join("-" if position < 0 else letter for letter, position in zip(text, positions, strict=True))

    # Each sequence with its name, and its positions as the file has them: on the minus strand they descend.
    own = columns.query if strand > 0 else np.where(columns.query < 0, -1, len(query) - 1 - columns.query)
    shown = (letters(query.codes, columns.query), own), (letters(subject, columns.subject), columns.subject)
    (upper, above), (lower, below) = reversed(shown) if is_turned else shown
    middle = "".join("|" if a == b else " " for a, b in zip(upper, lower, strict=True))
    lines = []
    for begin in range(0, len(upper), _WIDTH):
        inside = slice(begin, begin + _WIDTH)
        for name, text, positions in (
            ("test", upper, above),
            ("", middle, None),
            ("train", lower, below),
        ):
            known = positions[inside][positions[inside] >= 0] if positions is not None else np.zeros(0, np.int64)
            ends = (f"{known[0] + 1:6d}", f"{known[-1] + 1:d}") if len(known) else (" " * 6, "")
            lines.append(f"{name:5} {ends[0]} {text[inside]} {ends[1]}".rstrip())
        lines.append("")
    return "\n".join(lines)
