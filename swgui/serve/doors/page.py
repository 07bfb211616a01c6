"""The page for browsers: a form, the state of a job, its result and files, under addresses that last.

All of it is made here; scripts only look again and take dropped files. The token of a user who has no password to give
stands in the path, which the browser sends to no other site.
"""

from __future__ import annotations

import json
import re
from typing import Final

from swgui.core.errors import SwguiError
from swgui.core.words import count
from swgui.paths import resources_dir
from swgui.serve.doors import Door, Route
from swgui.serve.doors.page_html import (
    OFFERED,
    POLICY,
    Place,
    document,
    done_page,
    failed_page,
    jobs_page,
    message_page,
    search_form,
    waiting_page,
)
from swgui.serve.house import House
from swgui.serve.rendering import rendered
from swgui.serve.requests import HTML, JSON, TEXT, Refused, Reply, Request, number_of
from swgui.serve.searching import KIND, Asked, asked_in, result_of, submit_search
from swgui.serve.tickets import COMPLETE, Ticket

JOBS_SHOWN: Final = 100
FIRST_SECONDS: Final = 1.0  # for which the answer to a form waits, so that a short search is a result at once
USUAL_HITS: Final = 100
_JOB: Final = r"/job/(?P<id>[A-Z0-9]{11})"
_SAFE: Final = {"Content-Security-Policy": POLICY, "Referrer-Policy": "same-origin", "X-Frame-Options": "DENY"}
# A report is one file, with its style inside.
_OF_REPORT: Final = _SAFE | {
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'"
}
_STATIC: Final = {"css": "text/css; charset=utf-8", "js": "text/javascript; charset=utf-8"}
_ENDINGS: Final = {"blast-xml1": "xml", "blast-json": "json", "blast6": "tsv", "text": "txt"}


def _page(request: Request, title: str, inside: str, code: int = 200, *, again: bool = False) -> Reply:
    return Reply(document(_place(request), title, inside, again=again), HTML, code, headers=_SAFE)


def _place(request: Request) -> Place:
    return Place(request.base, "" if request.user.name == "local" else request.user.name)


def refused(request: Request, why: Refused) -> Reply:
    """Return a refusal as a page."""
    title = {401: "Who are you?", 404: "Nothing here"}.get(why.code, "That was refused")
    return _page(request, title, message_page(_place(request), title, why.reason), max(why.code, 400))


def _moved(request: Request, path: str) -> Reply:
    return Reply(b"", TEXT, 303, headers=_SAFE | {"Location": f"{request.base}{path}"})


def _form(house: House, request: Request, match: re.Match[str]) -> Reply:
    values = request.fields(0)
    if values.get("example"):
        text = (resources_dir() / "examples" / "sample_proteins.fasta").read_text("utf-8")
        values["query"] = ">" + text.split(">")[1]
    databases = house.databases.of(request.user)
    return _page(request, "Search", search_form(_place(request), databases, values))


def _search(house: House, request: Request, match: re.Match[str]) -> Reply:
    """Take in a search; the same form comes back with the reason where that cannot be."""
    values = request.fields(house.limits.searches.body)
    try:
        ticket = submit_search(house, request.user, _asked(values), _query(values))
    except (Refused, SwguiError) as fault:
        reason = fault.reason if isinstance(fault, Refused) else str(fault)
        shown = search_form(_place(request), house.databases.of(request.user), values, reason)
        return _page(request, "Search", shown, max(getattr(fault, "code", 400), 400))
    house.wait(ticket, request.began + FIRST_SECONDS)
    return _moved(request, f"/job/{ticket.id}")


def _query(values: dict[str, str]) -> str:
    text, file = values.get("query", ""), values.get("file", "")
    if text.strip() and file.strip():
        raise Refused("The box has sequences, and a file is chosen as well. Clear one of them.")
    return file if file.strip() else text


def _asked(values: dict[str, str]) -> Asked:
    options: dict[str, object] = {"top": USUAL_HITS, "program": values.get("program") or "auto"}
    if text := values.get("evalue", "").strip():
        options["evalue"] = number_of("Largest E-value", text, float)
    if text := values.get("top", "").strip():
        options["top"] = int(number_of("Hits of a query", text, int, 1))
    if text := values.get("organism", "").strip():
        options["organism"] = [text]
    if values.get("mask"):
        options["mask"] = True
    return Asked("page", (values.get("database", ""),), options)


def _ticket(house: House, request: Request, match: re.Match[str]) -> Ticket:
    ticket = house.ticket(request.user, match["id"])
    if ticket is None or ticket.kind != KIND:
        raise Refused("There is no such job, or it was deleted after its time.", 404)
    return ticket


def _own(house: House, request: Request, match: re.Match[str]) -> Ticket:
    ticket = _ticket(house, request, match)
    if not house.owned(request.user, ticket):
        raise Refused("The job belongs to another user.", 403)
    return ticket


def _done(house: House, request: Request, match: re.Match[str]) -> Ticket:
    ticket = _ticket(house, request, match)
    if ticket.state != COMPLETE:
        raise Refused("The search is not done." if ticket.live else ticket.reason, 409 if ticket.live else 410)
    return ticket


def state_of(house: House, ticket: Ticket) -> tuple[str, float | None]:
    """Return how far a job is: in words, and as a share of the work if it is known."""
    part = house.queue.part(ticket.id)
    if part.place:
        before = count(part.place - 1, "job comes", "jobs come") + " before it" if part.place > 1 else "it is the next"
        held = " The computer is busy with a run of its owner." if house.queue.paused else ""
        return f"Waiting in the queue; {before}.{held}", None
    if part.total:
        share = part.done / part.total
        return f"{part.stage}: {share:.0%}", share
    return (f"{part.stage}…" if part.stage else "Beginning…"), None


def _job(house: House, request: Request, match: re.Match[str]) -> Reply:
    ticket, place = _ticket(house, request, match), _place(request)
    owned = house.owned(request.user, ticket)
    if ticket.live:
        text, value = state_of(house, ticket)
        return _page(request, "Searching", waiting_page(place, ticket, text, value, owned), again=True)
    if ticket.state != COMPLETE:
        return _page(request, "Failed", failed_page(place, ticket), 410)
    shown = done_page(place, ticket, result_of(house, ticket), ", ".join(asked_in(ticket).databases), owned)
    return _page(request, "Hits", shown)


def _state(house: House, request: Request, match: re.Match[str]) -> Reply:
    ticket = _ticket(house, request, match)
    text, value = state_of(house, ticket) if ticket.live else ("Done. The result follows.", 1.0)
    return Reply(json.dumps({"text": text, "value": value, "done": not ticket.live}).encode(), JSON, headers=_SAFE)


def _stop(house: House, request: Request, match: re.Match[str]) -> Reply:
    ticket = _own(house, request, match)
    if ticket.live:
        house.queue.stop(ticket.id, "The search was stopped.")
    return _moved(request, f"/job/{ticket.id}")


def _delete(house: House, request: Request, match: re.Match[str]) -> Reply:
    house.delete(_own(house, request, match))
    return _moved(request, "/jobs")


def _report(house: House, request: Request, match: re.Match[str]) -> Reply:
    result = result_of(house, _done(house, request, match))
    return Reply(rendered(result, "html").encode(), HTML, headers=_OF_REPORT)


def _file(house: House, request: Request, match: re.Match[str]) -> Reply:
    ticket, form = _done(house, request, match), match["form"]
    ending = "swgui" if form == "swgui" else _ENDINGS.get(form, form)
    named = _SAFE | {"Content-Disposition": f'attachment; filename="{ticket.id}.{ending}"'}
    if form == "swgui":
        return Reply(house.tickets.archive(ticket.id), "application/octet-stream", headers=named)
    if form not in OFFERED:
        raise Refused("There is no such format.", 404)
    return Reply(rendered(result_of(house, ticket), form).encode(), TEXT, headers=named)


def _jobs(house: House, request: Request, match: re.Match[str]) -> Reply:
    found = [ticket for ticket in house.jobs(request.user, JOBS_SHOWN) if ticket.kind == KIND]
    listed = [(ticket, ", ".join(asked_in(ticket).databases)) for ticket in found]
    return _page(request, "Jobs", jobs_page(_place(request), listed, house.limits.shared and house.with_tokens))


def _static(house: House, request: Request, match: re.Match[str]) -> Reply:
    return Reply(resources_dir() / "page" / f"page.{match['kind']}", _STATIC[match["kind"]], headers=_SAFE)


DOOR: Final = Door(
    "page",
    "Page for browsers",
    (
        Route("GET", r"/", _form, linked=True),
        Route("POST", r"/search", _search),
        Route("GET", r"/jobs", _jobs, linked=True),
        Route("GET", _JOB, _job, linked=True),
        Route("GET", _JOB + r"/report", _report, linked=True),
        Route("GET", _JOB + r"/as/(?P<form>[a-z0-9-]+)", _file, linked=True),
        Route("GET", _JOB + r"/state", _state),
        Route("POST", _JOB + r"/stop", _stop),
        Route("POST", _JOB + r"/delete", _delete),
        Route("GET", r"/page\.(?P<kind>css|js)", _static),
    ),
    refused,
    (("Browser", "{url}/"),),
)
