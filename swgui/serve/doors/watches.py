"""The door of watches: their Atom feeds, for news readers; a user sees those whose databases they may search."""

from __future__ import annotations

import re
from pathlib import Path

from swgui.core.errors import SwguiError
from swgui.io.atom import MIME
from swgui.io.unpacking import plain_name
from swgui.runs.watches.watch import Watch, watch_names
from swgui.serve.doors import Door, Route
from swgui.serve.house import House
from swgui.serve.requests import TEXT, Refused, Reply, Request, User


def _listed(house: House, request: Request, match: re.Match[str]) -> Reply:
    """Return the addresses of the feeds, a line each."""
    lines = [f"{request.base}/watch/{name}.atom\n" for name in _seen_by(house, request.user)]
    return Reply("".join(lines).encode(), TEXT)


def _feed(house: House, request: Request, match: re.Match[str]) -> Reply:
    """Return a feed; one that a user may not see does not exist for them."""
    root, name = house.watches, match[1]
    if root is None or name not in _seen_by(house, request.user):
        raise Refused("There is no feed of this name.", 404)
    try:
        return Reply(Watch(root, name).feed.read_bytes(), MIME)
    except (OSError, SwguiError):
        raise Refused("This feed has not been written yet.", 404) from None


def _seen_by(house: House, user: User) -> list[str]:
    if house.watches is None:
        return []
    return [name for name in watch_names(house.watches) if _may_see(house.watches, name, user)]


def _may_see(root: Path, name: str, user: User) -> bool:
    if user.databases is None:
        return True
    try:
        databases = Watch(root, name).facts.databases
    except SwguiError:
        return False
    return all(plain_name(Path(one).name) in user.databases for one in databases)


def _refused(request: Request, why: Refused) -> Reply:
    """Return a refusal as text."""
    return Reply(f"{why.reason}\n".encode(), TEXT, max(why.code, 400), why.reason)


DOOR = Door(
    "watches",
    "Feeds of standing queries",
    (
        Route("GET", r"/watch/?", _listed, linked=True),
        Route("GET", r"/watch/([A-Za-z0-9][A-Za-z0-9._-]*)\.atom", _feed, linked=True),
    ),
    _refused,
    (("News readers", "{url}/watch/NAME.atom, with --watches FOLDER"),),
)
