"""The door of other computers with swgui, which have their runs carried out here (``--on https://...``)."""

from __future__ import annotations

import hashlib
import io
import re
import time
from typing import Final

from swgui.io.remote.connections import SERVED
from swgui.io.remote.wire import HEAD, LARGEST, Listed, Unreachable, read_frame
from swgui.serve.doors import Door, Route
from swgui.serve.house import House
from swgui.serve.remote.agent import Agent, Offered
from swgui.serve.requests import TEXT, Refused, Reply, Request

FRAMES: Final = "application/octet-stream"


def refused(request: Request, why: Refused) -> Reply:
    """Return a refusal with its status: the other side has words of its own for it."""
    return Reply(why.reason.encode(), TEXT, why.code if why.code >= 400 else 400, why.reason)


def _answer(house: House, request: Request, match: re.Match[str]) -> Reply:
    """Answer one call."""
    try:
        content = read_frame(io.BytesIO(request.read(LARGEST + HEAD.size)).read)
    except Unreachable as fault:
        raise Refused(str(fault), 400) from None
    limits, user = house.limits, request.user
    owner = f"served-{hashlib.sha256(user.name.encode()).hexdigest()[:24]}"  # apart from runs over ssh
    agent = Agent(owner, lambda: _offered(house, request), user.waiting or limits.waiting, user.cells or limits.cells)
    return Reply(agent.answer(content or b""), FRAMES)


def _offered(house: House, request: Request) -> list[Offered]:
    """Return the databases that the user may search."""
    return [
        Offered(
            Listed(
                name=one.name,
                checksum=one.database.checksum,
                alphabet=one.database.alphabet.name,
                sequences=len(one.database),
                residues=one.database.residues,
                size=one.place.stat().st_size,
                made=time.strftime("%Y-%m-%dT%H:%M:%S", time.localtime(one.place.stat().st_mtime)),
            ),
            one.place,
        )
        for one in house.databases.of(request.user)
    ]


DOOR: Final = Door(
    "runs",
    "Runs of other computers",
    (Route("POST", SERVED, _answer),),
    refused,
    (("swgui", "swgui search --on {url} -q query.fasta -d NAME"),),
)
