"""UCSC's address of BLAT (``hgBlat``), which genome browsers ask where a stretch of DNA lies: IGV and JBrowse.

They wait for the one answer, and show the text of a page of HTML as the reason why there is none.
"""

from __future__ import annotations

import json
import re
from html import escape
from typing import Final

from swgui.core.hits.results import SearchResult
from swgui.core.hits.table import HitStream
from swgui.io.export.grouping import by_alignment
from swgui.io.export.psl import PslRow, psl_rows
from swgui.jobs.search.describe import describe
from swgui.serve.doors import Door, Route
from swgui.serve.house import House
from swgui.serve.requests import HTML, JSON, TEXT, Refused, Reply, Request
from swgui.serve.searching import Asked, result_of, submit_search
from swgui.serve.tickets import COMPLETE

SHORTEST, LONGEST = 20, 25_000  # bases of a query, as at UCSC
RECORDS: Final = 25  # likewise
ROWS: Final = 200  # of an answer
HOLD: Final = 60.0  # seconds for which an answer waits for its result
UNNAMED: Final = "YourSeq"  # as UCSC calls a sequence without a header
OPTIONS: Final = {"program": "blastn", "scoring_preset": "dna-strict", "evalue": 1e-3, "top": ROWS}
_OUTPUTS: Final = ("json", "psl")


def refused(request: Request, why: Refused) -> Reply:
    """Return a refusal as a page whose text is the reason, or as JSON where HTTP itself says that it is one."""
    if why.code >= 400:
        return Reply(json.dumps({"error": why.reason}).encode(), JSON, why.code, why.reason)
    return Reply(f"<html><body><pre>{escape(why.reason, quote=False)}</pre></body></html>\n".encode(), HTML)


def _answer(house: House, request: Request, match: re.Match[str]) -> Reply:
    fields = request.fields(house.limits.searches.body)
    output, kind = fields.get("output", "json").lower(), fields.get("type", "DNA")
    if output not in _OUTPUTS:
        raise Refused("This server answers with output=json or output=psl.")
    if kind.lower() not in ("dna", "blat's guess", ""):
        raise Refused(f"This server looks for DNA in DNA: type={kind[:30]!a} is not offered.")
    query = _query(fields.get("userSeq", ""))
    genome = fields.get("db", "")
    ticket = house.wait_for(submit_search(house, request.user, Asked("blat", (genome,), OPTIONS), query), HOLD)
    if ticket.live:
        raise Refused("The search has not ended yet: the server is busy. Send the same again in a minute.")
    if ticket.state != COMPLETE:
        raise Refused(ticket.reason)
    rows = _rows(result_of(house, ticket))
    if output == "psl":
        return Reply("".join("\t".join(map(str, row)) + "\n" for row in rows).encode(), TEXT)
    answer = {"track": "blat", "genome": genome, "fields": PslRow._fields, "blat": rows}
    return Reply(json.dumps(answer).encode(), JSON)


def _query(text: str) -> str:
    """Return the queries as FASTA.

    Raises
    ------
    Refused
        If there are too many, or one is too short or too long.
    """
    text = text.replace("\r", "").strip()
    named = text if text.startswith(">") else f">{UNNAMED}\n{text}"
    records = [record.partition("\n") for record in f"\n{named}".split("\n>")[1:]]
    if len(records) > RECORDS:
        raise Refused(f"{len(records)} sequences are more than the {RECORDS} of one request.")
    for number, (_, _, residues) in enumerate(records, 1):
        length = len("".join(residues.split()))
        if not SHORTEST <= length <= LONGEST:
            raise Refused(f"Sequence {number} has {length:,} bases; {SHORTEST} to {LONGEST:,} are allowed.")
    return "".join(f">{head or UNNAMED}\n{residues}\n" for head, _, residues in records)


def _rows(result: SearchResult) -> list[PslRow]:
    """Return the rows of all alignments, those with the most matches first."""
    parts = [(result.hit_list(index), range(len(query.hits))) for index, query in enumerate(result.queries)]
    hits = by_alignment(HitStream(describe(parts, fit=False).tables))
    rows = [row for hit in hits for row in psl_rows(hit, result.scheme)]
    return sorted(rows, key=lambda row: row.misMatches + row.qNumInsert + row.tNumInsert - row.matches)[:ROWS]


DOOR: Final = Door(
    "blat",
    "BLAT address of genome browsers",
    (Route("GET POST", r"(?:/cgi-bin)?/hgBlat", _answer),),
    refused,
    (
        ("IGV", "BLAT URL (View, Preferences, Advanced): {url}/cgi-bin/hgBlat"),
        ("JBrowse", "server of the BLAT dialog: {url}/cgi-bin/hgBlat"),
    ),
)
