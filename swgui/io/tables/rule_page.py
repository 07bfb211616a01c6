"""The certificate of a search by rule as one printed page of HTML, which loads nothing from anywhere."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from swgui.core.alphabet import PROTEIN
from swgui.core.answer import LINES
from swgui.core.rules.asked import NO_CONTROL, database_letter, none_of, remarks, topology_note
from swgui.core.words import agree, count, duration
from swgui.io.cells import clean_text

NAMED: Final = 8  # queries
COUNTED: Final = 12  # numbers of differences whose places are counted on the page
_STYLE: Final = """
@page { size: A4; margin: 14mm; }
:root { color-scheme: light; }
body { font: 10.5pt/1.35 system-ui, sans-serif; color: #1a1a1a; background: #fff; max-width: 46em; margin: 1.5em auto; }
h1 { font-size: 17pt; margin: 0 0 .2em; }
h2 { font-size: 11pt; margin: 1em 0 .2em; border-bottom: 1px solid #999; }
.answer { font-size: 15pt; font-weight: 600; margin: .4em 0; }
.rule { font-size: 12pt; }
table { border-collapse: collapse; width: 100%; }
td { padding: .1em .8em .1em 0; vertical-align: top; }
td:first-child { color: #555; }
code { font-size: 8.2pt; overflow-wrap: anywhere; }
p { margin: .3em 0; }
@media print { body { margin: 0; max-width: none; } }
"""


def _escape(text: str) -> str:
    """Return a text of one line for HTML, without signs that turn the direction of writing."""
    return html.escape(clean_text(text))


def answer(facts: Mapping[str, Any]) -> str:
    """Return sentences on the results in a certificate, and on their queries if it is not of an older version."""
    unscanned = facts["left_out"] - facts.get("dropped_by_reader", 0)
    where = f"{count(facts['database']['sequences'] - unscanned, 'sequence')} of {facts['database']['name']}"
    number = facts["found"]
    subjects = count(facts["subjects_found"], "sequence")
    found = f"{count(number, 'place')} in {subjects} {agree(number, 'meets', 'meet')} the rule, among {where}."
    return " ".join([found if number else f"None. {none_of(where, facts)}", *remarks(facts)])


def certificate_page(facts: Mapping[str, Any], size: float = 1.0) -> str:
    """Return a certificate (`swgui.jobs.rules.run.certificate`) as a page of HTML, its text so many times as large."""
    rule = facts["rule"]
    style = re.sub(r"([\d.]+)pt", lambda points: f"{float(points[1]) * size:.3g}pt", _STYLE)
    head = [
        "<!DOCTYPE html>",
        '<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">',
        f"<title>Search by rule: {_escape(facts['database']['name'])}</title><style>{style}</style></head><body>",
        "<h1>Search by rule: certificate</h1>",
        f'<p class="rule">{_escape(rule["sentence"])}</p>',
        *([f'<p class="answer">{_escape(facts["answer"]["sentence"])}</p>'] if "answer" in facts else []),
        f'<p class="{"" if "answer" in facts else "answer"}">{_escape(answer(facts))}</p>',
    ]
    if not facts["complete"]:
        left = count(facts["left_out"], "sequence")
        head.append(f"<p><b>This search is not complete:</b> {left} were left out, or what was found is unchecked.</p>")
    body = []
    for title, lines in _sections(facts):
        shown = "".join(f'<tr><td width="28%">{_escape(name)}</td><td>{value}</td></tr>' for name, value in lines)
        body.append(f'<h2>{_escape(title)}</h2><table width="100%" cellspacing="0" cellpadding="0">{shown}</table>')
    below = f"<h2>What this does not say</h2><p>{_escape(facts['not_said'])}</p></body></html>\n"
    return "\n".join([*head, *body, below])


def _sections(facts: Mapping[str, Any]) -> Iterator[tuple[str, list[tuple[str, str]]]]:
    """Yield titles with lines of names and HTML."""
    rule, queries, database = facts["rule"], facts["queries"], facts["database"]
    names = [name for name, _ in queries["sequences"]]
    more = f" and {len(names) - NAMED:,} more" if len(names) > NAMED else ""
    yield (
        "Request",
        [
            ("Ambiguous residues", _escape(rule["ambiguous_residues_mean"])),
            *(
                [("Genetic code", str(rule["genetic_code"]))]
                if "frames" in rule
                else [("Strands", _escape(rule["strands"]))] * (queries["alphabet"] != PROTEIN.name)
            ),
            ("Queries", f"{queries['count']:,} ({_escape(', '.join(names[:NAMED]))}{more})"),
            *([("Changed in them", _escape(" ".join(queries["repairs"])))] if "repairs" in queries else []),
            ("SHA-256 of the queries", _code(queries["sha256"])),
        ],
    )
    lengths = count(database["residues"], database_letter(facts))
    if database["shortest"] < database["longest"]:
        lengths += f"; {database['shortest']:,} to {database['longest']:,} each"
    yield (
        "Database",
        [
            ("Name", _escape(database["name"])),
            ("Sequences", f"{database['sequences']:,} ({lengths})"),
            (f"Ambiguous {database_letter(facts)}s", f"{database['ambiguous_residues']:,}"),
            *[("Topology", _escape(said)) for said in topology_note(facts)],
            ("Checksum of the content", _code(database["checksum"])),
        ],
    )
    yield "Work", list(_work(facts))
    yield "Found", list(_found(facts))
    yield "How it was made, and how to check it", list(_origin(facts))


def _origin(facts: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    seconds = f"{duration(facts['seconds'])} on {facts['device']}"
    yield "Program", _escape(f"{facts['program']}, {facts['date']}, {seconds}")
    if facts["command"]:
        yield "Command", _code(facts["command"])
    if facts["code"]:
        yield "Code", _code(", ".join(map(" ".join, facts["code"].items())))
    yield (
        "To check it",
        "<code>swgui verify</code> with the JSON file of this certificate; <code>--full</code> scans everything again",
    )
    yield "SHA-256 of the certificate", _code(facts["certificate_sha256"])
    if "checksum_is" in facts:
        yield "Meaning of the checksum", _escape(facts["checksum_is"])


def _work(facts: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    yield "To be tested, by all lengths", f"{facts['expected']:,}"
    yield "Tested", f"{facts['tested']:,}"
    yield "Sequences left out", f"{facts['left_out']:,}"
    if "dropped_by_reader" in facts:
        reasons = facts["dropped_by_reader_reasons"]
        more = f" and {len(reasons) - NAMED:,} more" if len(reasons) > NAMED else ""
        yield "Left out by the reader", _escape(f"{facts['dropped_by_reader']:,}: {' '.join(reasons[:NAMED])}{more}")
    if (controls := facts["controls"]) is not None:
        within, beyond = (f"{controls[f'{kind}_found']:,} of {controls[kind]:,}" for kind in ("within", "beyond"))
        planted = f"{within} within the limit, {beyond} beyond it" if controls["within"] else f"<b>{NO_CONTROL}</b>"
        yield "Planted controls listed", planted
    if (checks := facts["checks"]) is not None:
        kinds = {"recounted": "counted again", "fitted": "fitted again by the definition"}
        kinds["aligned"] = "aligned again by Biopython"
        done = ", ".join(f"{checks[kind]:,} {words}" for kind, words in kinds.items() if checks[kind])
        yield "Places checked again", f"{done or 'none to check'}; no difference"
    if "background" in facts:
        yield "Background", _escape(facts["background"]["sentence"])
    if facts["resumed"]:
        yield "Resumed", "stopped and resumed; the counts are those of all parts"


def _found(facts: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    counts = facts["found_by_differences"]
    yield "Places", f"{facts['found']:,}" if facts["found"] else "<b>None</b>"
    if len(counts) > COUNTED:
        ends = list(counts)
        yield "By differences", f"{ends[0]} to {ends[-1]}; the JSON file has how many with each"
    elif counts:
        yield "By differences", ", ".join(f"{places:,} with {number}" for number, places in counts.items())
    if "answer" in facts:
        yield from _answered(facts["answer"]["lines"])
    elif len(facts.get("found_by_query", ())) > 1:
        yield "By query", _escape(_by_query(facts))
    yield "SHA-256 of the places", _code(facts["result_sha256"])


def _answered(lines: Sequence[Mapping[str, Any]]) -> Iterator[tuple[str, str]]:
    """Yield the answer for each of the first queries."""
    for line in lines[:LINES]:
        yield line["name"], _escape(line["said"])
    if len(lines) > LINES:
        yield "", f"and {len(lines) - LINES:,} more queries, in the JSON file"


def _by_query(facts: Mapping[str, Any]) -> str:
    """Return how many places each of the first queries has, those with the fewest differences first."""
    rows = facts["found_by_query"]
    said = []
    for row in rows[:NAMED]:
        each = ", ".join(
            f"{places:,} with {number}" for number, places in list(row["by_differences"].items())[:COUNTED]
        )
        places = "cannot be met" if "cannot_be_met" in row else f"{row['places']:,} ({each})" if each else "none"
        said.append(f"{row['query']}: {places}")
    more = f"; the JSON file has those of {len(rows) - NAMED:,} more" if len(rows) > NAMED else ""
    return "; ".join(said) + more


def _code(text: str) -> str:
    return f"<code>{_escape(text)}</code>"
