"""The doors of a server: a protocol each, as one module with one record.

A door has routes (which requests it answers, with a function of `House`, `Request` and the match of the path) and says
how it refuses. All doors hand their jobs to the one queue. Packages add doors by entry points of the group
``swgui.doors``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Final

from swgui.core.errors import InvalidParameter
from swgui.io.plugins import add_installed
from swgui.serve.house import House
from swgui.serve.requests import Refused, Reply, Request

GROUP: Final = "swgui.doors"
Answer = Callable[[House, Request, re.Match[str]], Reply]
_OURS: Final = ("folding", "blast", "page", "blat", "agents", "runs", "watches")


@dataclass(frozen=True, slots=True)
class Route:
    """Requests of some methods whose whole path matches a pattern, and their answer.

    Parameters
    ----------
    linked : bool
        Whether pages of other sites may link there: it reads, and changes nothing.
    """

    methods: str  # with blanks between them
    pattern: str
    answer: Answer
    linked: bool = False


@dataclass(frozen=True, slots=True)
class Door:
    """One protocol.

    Parameters
    ----------
    name, title : str
        Its key, and what users read.
    lines : sequence of (str, str)
        Client programs, each with the line that makes it use the server; ``{url}`` is its address.
    refused : callable
        Makes the answer to a request that is refused.
    """

    name: str
    title: str
    routes: Sequence[Route]
    refused: Callable[[Request, Refused], Reply]
    lines: Sequence[tuple[str, str]] = ()


@dataclass(frozen=True, slots=True)
class Found:
    """The route of a request."""

    door: Door
    route: Route
    match: re.Match[str]


class Doors:
    """The doors that a server opens, in their order.

    Parameters
    ----------
    chosen : sequence of str
        Their names; all if empty.

    Raises
    ------
    InvalidParameter
        If there is no such door.
    """

    def __init__(self, chosen: Sequence[str] = ()) -> None:
        every = all_doors()
        if unknown := [name for name in chosen if name not in every]:
            what = f"There is no door '{unknown[0]}'."
            raise InvalidParameter("door", unknown[0], what, hint=f"Doors are {', '.join(every)}.")
        self.open = tuple(door for name, door in every.items() if not chosen or name in chosen)

    def of_path(self, path: str) -> Door | None:
        """Return the door of a path, whatever the method."""
        return next((door for door in self.open for route in door.routes if re.fullmatch(route.pattern, path)), None)

    def find(self, method: str, path: str) -> Found:
        """Return the route of a request.

        Raises
        ------
        Refused
            If there is none.
        """
        for door in self.open:
            for route in door.routes:
                match = re.fullmatch(route.pattern, path)
                if match is not None and method in route.methods.split():
                    return Found(door, route, match)
        known = self.of_path(path) is not None
        raise Refused(f"This path takes no {method} requests." if known else "There is nothing at this path.", 404)


def all_doors() -> Mapping[str, Door]:
    """Return every door by name, those of installed packages behind the program's own."""
    found: dict[str, Door] = {name: import_module(f"swgui.serve.doors.{name}").DOOR for name in _OURS}
    add_installed(found, GROUP, Door, lambda door: door.name)
    return found
