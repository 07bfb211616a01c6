"""NCBI's URL interface (``CMD=Put``, ``Get``, ``Delete``) for programs that send searches to BLAST's server.

Clients decide by bytes whether to wait, read or stop: a body that begins with ``<!DOCTYPE html>`` means wait, except in
an answer to ``CMD=Put``; a search that failed is answered with an HTTP error: Biopython would repeat any other answer.
"""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Callable, Iterator, Mapping
from html import escape
from typing import Final, NamedTuple

import swgui
from swgui.core.errors import SwguiError
from swgui.core.hits.results import SearchResult
from swgui.core.plain import replace
from swgui.core.words import count
from swgui.serve.doors import Door, Route
from swgui.serve.doors.blast_terms import read_terms
from swgui.serve.house import House
from swgui.serve.rendering import rendered, within
from swgui.serve.requests import HTML, JSON, TEXT, Refused, Reply, Request, number_of
from swgui.serve.searching import KIND, asked_in, result_of, submit_search
from swgui.serve.tickets import COMPLETE, ID, LOST, Ticket

HOLD: Final = 20.0  # seconds for which a request for a result waits for it; clients ask again after 10 to 60
_RID: Final = re.compile(r"[A-Z0-9]{11}")
_HEAD: Final = "<!DOCTYPE html>\n"
_INFO: Final = "<!--\nQBlastInfoBegin\n\t{}\nQBlastInfoEnd\n-->\n"
_XML: Final = "text/xml; charset=utf-8"
_ZIP: Final = "application/zip"


class Format(NamedTuple):
    """One value of ``FORMAT_TYPE``."""

    kind: str
    write: Callable[[SearchResult, str], bytes]  # takes the result and the RID
    cut: bool = False  # whether DESCRIPTIONS and ALIGNMENTS limit it


def _plain(form: str) -> Callable[[SearchResult, str], bytes]:
    return lambda result, rid: rendered(result, form).encode()


def _text(result: SearchResult, rid: str) -> bytes:
    return f"<p>{_INFO.format('Status=READY')[:-1]}<p>\n<PRE>\n{rendered(result, 'text')}".encode()


def _table(result: SearchResult, rid: str) -> bytes:
    """Return a table with comments; readers take the program from the first word of the first one."""
    program = asked_program(result)
    lines = rendered(result, "blast7").replace(f"# swgui {result.version} ", f"# {program} swgui-{result.version} ")
    return f"<p>{_INFO.format('Status=READY')[:-1]}<p>\n<PRE>\n{lines}".encode()


def _page(result: SearchResult, rid: str) -> bytes:
    report = rendered(result, "html")
    return f"{_HEAD}{_INFO.format('Status=READY')}{report.removeprefix('<!DOCTYPE html>')}".encode()


def _each(result: SearchResult) -> Iterator[SearchResult]:
    return (replace(result, queries=(query,)) for query in result.queries)


def _zipped(members: Mapping[str, str]) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in members.items():
            archive.writestr(name, text)
    return packed.getvalue()


def _xml_files(result: SearchResult, rid: str) -> bytes:
    """Return a file of each query, and one that includes them."""
    texts = {f"{rid}_{number}.xml": rendered(one, "blast-xml") for number, one in enumerate(_each(result), 1)}
    included = "".join(f'  <xi:include href="{name}"/>\n' for name in texts)
    index = (
        '<?xml version="1.0"?>\n<BlastXML2\n    xmlns="http://www.ncbi.nlm.nih.gov"\n'
        f'    xmlns:xi="http://www.w3.org/2003/XInclude">\n{included}</BlastXML2>\n'
    )
    return _zipped({f"{rid}.xml": index, **texts})


def _json_files(result: SearchResult, rid: str) -> bytes:
    """Return a file of each query, and a list of them."""
    texts = {}
    for number, one in enumerate(_each(result), 1):
        inside = rendered(one, "blast-json").strip().removeprefix('{"BlastOutput2":[').removesuffix("]}")
        texts[f"{rid}_{number}.json"] = f'{{"BlastOutput2":{inside.strip()}}}\n'
    files = ",".join(f'{{"File":"{name}"}}' for name in texts)
    return _zipped({f"{rid}.json": f'{{"BlastJSON":[{files}]}}\n', **texts})


FORMATS: Final[Mapping[str, Format]] = {
    "XML": Format(_XML, _plain("blast-xml1")),
    "XML2": Format(_ZIP, _xml_files),
    "XML2_S": Format(_XML, _plain("blast-xml")),
    "JSON2": Format(_ZIP, _json_files),
    "JSON2_S": Format(JSON, _plain("blast-json")),
    "JSONSA": Format(JSON, _plain("blast-json")),
    "TEXT": Format(TEXT, _text, cut=True),
    "TABULAR": Format(TEXT, _table),
    "SAM": Format(TEXT, _plain("sam")),
    "HTML": Format(HTML, _page, cut=True),
}


def asked_program(result: SearchResult) -> str:
    """Return the program of a result as BLAST's reports have it."""
    if result.translation is not None:
        return result.translation.program.upper()
    return "BLASTP" if result.scheme.alphabet.name == "protein" else "BLASTN"


def refused(request: Request, why: Refused) -> Reply:
    """Return a refusal in the one line that clients read."""
    error = f'<ul><li><p class="error">Message ID#24 Error: {escape(why.reason, quote=False)}</p></li></ul>'
    return _html(error + "\n", why.code, why.reason)


def _html(inside: str, code: int = 200, reason: str = "") -> Reply:
    return Reply(f"{_HEAD}<html><body>\n{inside}</body></html>\n".encode(), HTML, code, reason if code >= 400 else "")


def _answer(house: House, request: Request, match: re.Match[str]) -> Reply:
    """Carry out a command."""
    fields: dict[str, str] = {}
    for name, value in request.fields(house.limits.searches.body).items():
        fields.setdefault(name.upper(), value)
    command = fields.get("CMD", "Web").strip().lower()
    if command not in _COMMANDS:
        raise Refused("CMD is Put, Get, Delete, DisplayRIDs or Info.")
    try:
        return _COMMANDS[command](house, request, fields)
    except (Refused, SwguiError) as fault:
        if command == "put":
            raise
        code = max(fault.code, 400) if isinstance(fault, Refused) else 410  # a page would have the client ask again
        raise Refused(fault.reason if isinstance(fault, Refused) else str(fault), code) from fault


def _put(house: House, request: Request, fields: Mapping[str, str]) -> Reply:
    asked, query = read_terms(fields)
    ticket = submit_search(house, request.user, asked, query)
    notes = "".join(f"<p>{escape(note)}</p>\n" for note in asked_in(ticket).notes)
    block = f"<!--QBlastInfoBegin\n    RID = {ticket.id}\n    RTOE = 1\nQBlastInfoEnd\n-->\n"
    head = f"{_HEAD}<html><head><title>swgui</title></head><body>\n"
    return Reply(f"{head}{block}{notes}</body></html>\n".encode())


def _get(house: House, request: Request, fields: Mapping[str, str]) -> Reply:
    rid, about = fields.get("RID", "").strip(), fields.get("FORMAT_OBJECT", "Alignment").strip().lower()
    if about not in ("alignment", "searchinfo", ""):
        raise Refused("FORMAT_OBJECT is Alignment or SearchInfo.", 400)
    ticket = _ticket(house, request, rid)
    if ticket is not None:
        ticket = house.wait_for(ticket, HOLD)
    state, reason, code = _state(ticket, rid)
    if about == "searchinfo":
        hits = ""
        if ticket is not None and ticket.state == COMPLETE:
            hits = _INFO.format(f"ThereAreHits={'yes' if ticket.rows else 'no'}")
        why = f"<p>{escape(reason)}</p>\n" if reason else ""
        return _html(_INFO.format(f"Status={state}") + hits + why)
    if ticket is None or ticket.state != COMPLETE:
        why = f"<p>{escape(reason)}</p>\n" if reason else ""
        return _html(_INFO.format(f"Status={state}") + why, code, reason)
    return _result(house, ticket, fields)


def _state(ticket: Ticket | None, rid: str) -> tuple[str, str, int]:
    """Return state, reason and HTTP status; an id that was issued and lost is one that failed."""
    if ticket is None:
        lost = _RID.fullmatch(rid) is not None
        return ("FAILED", LOST, 410) if lost else ("UNKNOWN", "The server has issued no such RID.", 404)
    if ticket.live:
        return "WAITING", "", 200
    return ("READY", "", 200) if ticket.state == COMPLETE else ("FAILED", ticket.reason, 410)


def _result(house: House, ticket: Ticket, fields: Mapping[str, str]) -> Reply:
    """Return a result in the requested format."""
    name = fields.get("FORMAT_TYPE", "").strip().upper() or "HTML"
    if name in ("TEXT", "CSV") and fields.get("ALIGNMENT_VIEW", "").strip().lower() == "tabular":
        name = "TABULAR"
    if name not in FORMATS:
        raise Refused(f"FORMAT_TYPE is one of {', '.join(FORMATS)}.", 400)
    form = FORMATS[name]
    low, high = (_limit(fields, key) for key in ("EXPECT_LOW", "EXPECT_HIGH"))
    shown = [_limit(fields, key) for key in ("DESCRIPTIONS", "ALIGNMENTS")] if form.cut else []
    most = [int(number) for number in shown if number is not None]
    result = within(result_of(house, ticket), low, high, max(most) if most else None)
    return Reply(form.write(result, ticket.id), form.kind)


def _limit(fields: Mapping[str, str], name: str) -> float | None:
    return number_of(name, fields[name], float) if fields.get(name, "").strip() else None


def _delete(house: House, request: Request, fields: Mapping[str, str]) -> Reply:
    ticket = _ticket(house, request, fields.get("RID", "").strip())
    if ticket is None or not house.owned(request.user, ticket):
        raise Refused("There is no such RID of yours.", 404)
    house.delete(ticket)
    return _html("<p>Deleted.</p>\n")


def _list(house: House, request: Request, fields: Mapping[str, str]) -> Reply:
    jobs = [job for job in house.jobs(request.user, 500) if job.kind == KIND]
    rows = "".join(f"<li>{job.id} {_state(job, job.id)[0]}</li>\n" for job in jobs)
    return _html(f"<ul>\n{rows}</ul>\n")


def _info(house: House, request: Request, fields: Mapping[str, str]) -> Reply:
    found = house.databases.of(request.user)
    rows = "".join(
        f"<li>{escape(one.name)}: {escape(one.database.alphabet.name)}, {len(one.database):,} sequences, "
        f"{count(one.database.residues, one.database.alphabet.letter)}</li>\n"
        for one in found
    )
    return _html(f"<p>swgui {swgui.__version__}. Databases:</p>\n<ul>\n{rows}</ul>\n")


def _ticket(house: House, request: Request, rid: str) -> Ticket | None:
    ticket = house.ticket(request.user, rid) if ID.fullmatch(rid) else None
    return ticket if ticket is not None and ticket.kind == KIND else None


_COMMANDS: Final[Mapping[str, Callable[[House, Request, Mapping[str, str]], Reply]]] = {
    "put": _put, "get": _get, "delete": _delete, "displayrids": _list, "info": _info, "web": _info,
}  # fmt: skip
DOOR: Final = Door(
    "blast",
    "NCBI's URL interface",
    (Route("GET POST PUT", r"(?:/blast|/cgi-bin)?/[Bb]last\.cgi", _answer),),
    refused,
    (
        ("Biopython", 'Bio.Blast.qblast("blastp", DATABASE, FASTA, url_base="{url}/Blast.cgi")'),
        ("BioPerl", "Bio::Tools::Run::RemoteBlast->new(-url_base => '{url}/Blast.cgi', ...)"),
    ),
)
