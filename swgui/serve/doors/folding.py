"""The door of programs that predict structures: the protocol of ColabFold's public server."""

from __future__ import annotations

import json
import re
from typing import Final
from urllib.parse import parse_qs

from swgui.serve.doors import Door, Route
from swgui.serve.house import House
from swgui.serve.protocol import kind_of, read_chains, read_mode
from swgui.serve.requests import JSON, Refused, Reply, Request
from swgui.serve.tickets import COMPLETE, ERROR, FOLDING, ID, LOST, Ticket

# Line that sends RNA; no program that folds RNA asks a server for its alignment by itself.
RNA_LINES: Final = (("RNA", "curl --data-urlencode q@rna.fasta {url}/ticket/nuclmsa"),)
RESULT_SECONDS: Final = 4.0  # maximum wait of the answer to a new job for its result: clients wait for six


def answer(value: object, code: int = 200) -> Reply:
    """Return an answer in JSON."""
    return Reply(json.dumps(value).encode(), JSON, code)


def refused(request: Request, why: Refused) -> Reply:
    """Return a refusal in the form that clients read."""
    return answer({"id": "", "status": why.status, "reason": why.reason}, why.code)


def _submit(house: House, request: Request, match: re.Match[str]) -> Reply:
    """Take in a job; one that is done within some seconds is answered as such."""
    kind = kind_of(match["kind"] or "")
    facts = house.facts_of_bases if kind == "nuclmsa" else house.facts
    if not facts:
        option = "--nucleotide-database" if kind == "nuclmsa" else "--database"
        raise Refused(f"This server makes no such alignments: it was started without {option}.")
    allowed = house.limits.folding
    fields = request.fields(allowed.body)
    mode = fields.get("mode", "" if kind == "pair" else "env")
    read_mode(kind, mode)
    chains = read_chains(fields.get("q", ""), allowed, kind)
    query = "".join(f">{chain.id}\n{chain.residues}\n" for chain in chains)
    ticket = house.submit(request.user, kind, mode, query, [len(chain.residues) for chain in chains], facts)
    return answer(_state(house.wait(ticket, request.began + RESULT_SECONDS)))


def _several(house: House, request: Request, match: re.Match[str]) -> Reply:
    fields = parse_qs(request.read(house.limits.folding.body).decode("ascii", "replace"))
    return answer([_status(house, request, ticket_id) for ticket_id in fields.get("tickets[]", [])])


def _type(house: House, request: Request, match: re.Match[str]) -> Reply:
    ticket = _ticket(house, request, match["id"])
    return answer({"type": ticket.kind} if ticket else {"type": "", "status": ERROR, "reason": LOST})


def _one(house: House, request: Request, match: re.Match[str]) -> Reply:
    return answer(_status(house, request, match["id"]))


def _queued(house: House, request: Request, match: re.Match[str]) -> Reply:
    return answer({"queued": len(house.tickets.waiting())})


def _no_template(house: House, request: Request, match: re.Match[str]) -> Reply:
    raise Refused("This server has no templates.", 404)


def _download(house: House, request: Request, match: re.Match[str]) -> Reply:
    ticket = _ticket(house, request, match["id"])
    if ticket is None or ticket.state != COMPLETE:
        raise Refused("This ticket has no result." if ticket is None or not ticket.live else "Not done.", 400)
    program = "riboseek" if ticket.kind == "nuclmsa" else "mmseqs"
    named = {"Content-Disposition": f'attachment; filename="{program}_results_{ticket.id}.tar.gz"'}
    place = house.tickets.archive(ticket.id)
    if not place.is_file():
        raise Refused(LOST, 400)
    return Reply(place, "application/octet-stream", headers=named)


def _ticket(house: House, request: Request, ticket_id: str) -> Ticket | None:
    ticket = house.ticket(request.user, ticket_id)
    return ticket if ticket is not None and ticket.kind in FOLDING else None


def _status(house: House, request: Request, ticket_id: str) -> dict[str, str]:
    if (ticket := _ticket(house, request, ticket_id)) is not None:
        return _state(ticket)
    if ID.fullmatch(ticket_id):  # its id cannot be guessed; without this, clients wait without end
        return {"id": ticket_id, "status": ERROR, "reason": LOST}
    return {"id": "", "status": "UNKNOWN"}


def _state(ticket: Ticket) -> dict[str, str]:
    state = {"id": ticket.id, "status": ticket.state}
    return state | ({"reason": ticket.reason} if ticket.state == ERROR else {})


DOOR: Final = Door(
    "folding",
    "Alignments for structure prediction",
    (
        Route("POST", r"(?:/api)?/tickets/?", _several),
        Route("POST", r"(?:/api)?/ticket(?:/(?P<kind>msa|pair|nuclmsa))?/?", _submit),
        Route("GET", r"(?:/api)?/ticket/type/(?P<id>.*)", _type),
        Route("GET", r"(?:/api)?/ticket/(?P<id>.*)", _one),
        Route("GET", r"(?:/api)?/result/(?:nuclmsa/)?download/(?P<id>.*)", _download),
        Route("GET", r"(?:/api)?/queue/?", _queued),
        Route("GET", r"(?:/api)?/template/.*", _no_template),
    ),
    refused,
    (
        ("ColabFold", "colabfold_batch --host-url {url} input.fasta out"),
        ("Boltz", "boltz predict input.yaml --use_msa_server --msa_server_url {url}"),
        ("Chai-1", "chai-lab fold --use-msa-server --msa-server-url {url} input.fasta out"),
        ("OpenFold3", "msa_computation_settings: {{server_url: {url}}}"),
        (
            "Protenix",
            "MMSEQS_SERVICE_HOST_URL={url} protenix pred -i input.json -o out --msa_server_mode colabfold",
        ),
        ("AlphaFold 3", "run_alphafold.py --jackhmmer_binary_path=$(which swgui-jackhmmer)  # without the server"),
    ),
)
