"""``swgui.connect``: another computer that carries out searches and other runs."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial
from typing import Any, Final

import swgui
from swgui.io.remote.computers import Computer as Known
from swgui.io.remote.computers import link_to, use_computer
from swgui.io.remote.connections import Link
from swgui.io.remote.database import databases_on
from swgui.io.remote.wire import Listed, Standing
from swgui.jobs.kind import kinds
from swgui.library.calls import public
from swgui.library.databases import DatabaseLike
from swgui.library.hits import Hits
from swgui.library.queries import Sequences
from swgui.runs import Runs

_SEARCHES: Final = ("iterate",)  # functions that are no kind of run of their own


class Computer:
    """Another computer, as `swgui.connect` returns it.

    Besides `search` it has every function of the library that another computer can carry out: `iterate`, `network`,
    `cluster`, `split`, `judge` and `leak`, with the parameters that they have in `swgui`.

    Parameters
    ----------
    link : Link
        The connection, which is made when it is needed.
    """

    def __init__(self, link: Link) -> None:
        self._link = link
        self.address = link.address.text

    @public
    def databases(self) -> list[Listed]:
        """Return the databases there: `name`, `alphabet`, `sequences`, `residues`, `size` (bytes), `made` (ISO 8601).

        Raises
        ------
        SwguiError
            If the computer cannot be reached, or refuses.
        """
        return databases_on(self._link)

    @public
    def runs(self) -> dict[str, str]:
        """Return the state of your runs there by their ids: waiting, running, paused, done, partial, failed, lost.

        Raises
        ------
        SwguiError
            As `databases`.
        """
        return {run: one.state for run, one in self._link.call("runs", dict[str, Standing]).items()}

    @public
    def search(self, queries: Sequences | None, database: DatabaseLike, **options: Any) -> Hits:
        """Search a database of that computer, there; the result comes here, alignments included.

        Parameters
        ----------
        queries : as of `swgui.search`
        database : str
            Name of a database there.
        options
            As of `swgui.search`.

        Raises
        ------
        SwguiError
            If it cannot be carried out. If only the connection is lost for long, the search continues; the same
            call takes it up again.
        """
        return swgui.search(queries, database, on=self.address, **options)

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if name in _SEARCHES or (name in kinds() and Runs().of(name).travels and hasattr(swgui, name)):
            return partial(getattr(swgui, name), on=self.address)
        raise AttributeError(f"no '{name}' is carried out on another computer")

    def __repr__(self) -> str:
        return f"swgui.connect({self.address!r})"


@public
def connect(address: str, token: str = "", ca: str | os.PathLike[str] = "") -> Computer:
    """Connect to another computer, whose databases and devices then carry out searches.

    Parameters
    ----------
    address : str
        ``HOST`` or ``ssh://USER@HOST:PORT``, which the system's ssh must reach without asking and which must have
        swgui; or ``https://HOST:PORT`` of a ``swgui serve``.
    token : str
        Yours at that server; kept in memory alone. Without it that of ``swgui remote``, or of ``SWGUI_TOKEN``.
    ca : path
        PEM file of the authority that signed its certificate; those that the system trusts if not given.

    Raises
    ------
    InvalidParameter
        If the address is none.
    SwguiError
        If the computer cannot be reached, refuses, or has a version that does not fit.
    """
    link = link_to(address)
    if token or ca:
        use_computer(Known(link.address.text, token, os.fspath(ca)))
        link = link_to(address)
    computer = Computer(link)
    computer.databases()
    return computer
