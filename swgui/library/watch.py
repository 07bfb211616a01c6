"""``swgui.watch``: standing queries, which are repeated with each new release of their database."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator, Sequence
from os import PathLike
from pathlib import Path
from typing import Any, Final

from swgui.commands.engine import check_method
from swgui.commands.watch import watch_options
from swgui.core.database import EncodedDatabase
from swgui.core.errors import InvalidParameter
from swgui.io.database.any_file import open_any_database
from swgui.io.saved.search import load_search
from swgui.library.calls import public
from swgui.library.databases import to_search
from swgui.library.diff import ChangeRows
from swgui.library.hits import Hits
from swgui.library.options import Parameters, described
from swgui.library.queries import Sequences
from swgui.library.search import asked_for, loaded_hits
from swgui.library.session import CACHE, OnProgress, finish, warn
from swgui.library.values import path_of
from swgui.runs.watches import watch as folders
from swgui.runs.watches.passing import mail_pass, pass_steps
from swgui.runs.watches.record import PassFacts, WatchError

WATCH: Final = Parameters("watch", watch_options, ("type", "query_range"))


class WatchChanges(ChangeRows):
    """Changes that one pass of a watch found: none of the first one, with which later ones are compared.

    Parameters
    ----------
    made : PassFacts
        The record of the pass: number, time, database, release and numbers. Its form may change between versions.
    """

    def __init__(self, made: PassFacts) -> None:
        super().__init__(made.changes)
        self.made = made

    @property
    def number(self) -> int:
        """Number of the pass, from 1."""
        return self.made.number

    @property
    def release(self) -> str:
        """Release of the database in words; empty if it is not known."""
        return self.made.release

    @property
    def news(self) -> list[Any]:
        """The changes that feed and message have: hits gained, lost, with another sequence or another verdict."""
        return list(self.made.news)


class Watch:
    """A standing query that is there: ``swgui.Watch("globins").run()``.

    Parameters
    ----------
    name : str
        Its name.
    folder : path, optional
        Folder of watches; by default that of the command.

    Raises
    ------
    SwguiError
        If there is no such watch, or its record is damaged.
    """

    def __init__(self, name: str, folder: str | PathLike[str] | None = None) -> None:
        self._watch = folders.Watch(_root(folder), name)

    def __repr__(self) -> str:
        return f"<Watch '{self.name}': {self._watch.about}>"

    @property
    def name(self) -> str:
        """Its name."""
        return self._watch.name

    @property
    def feed(self) -> Path:
        """File of its Atom feed."""
        return self._watch.feed

    @property
    def passes(self) -> list[WatchChanges]:
        """The passes that found another content of the database, the newest first."""
        return [WatchChanges(made) for made in self._watch.passes()]

    @property
    def hits(self) -> Hits:
        """The hits of the last pass.

        Raises
        ------
        SwguiError
            If there was no pass, or they cannot be read.
        """
        place = self._watch.result(self._watch.made_pass(self._watch.state.last).number)
        return loaded_hits(load_search(place), place)

    @public
    def run(self, *, progress: OnProgress | bool | None = None) -> WatchChanges | None:
        """Look at the database; compare, record and tell if its content is another one.

        Parameters
        ----------
        progress : callable or bool, optional
            As of `swgui.search`.

        Returns
        -------
        WatchChanges
            None where the database has not changed. A message that was not sent is a warning; the next pass sends it.

        Raises
        ------
        SwguiError
            If the pass failed, or another one is running: the next one compares with the last that was finished.
        KeyboardInterrupt
            If Ctrl+C came before it was finished.
        """
        with folders.one_pass(self._watch.folder.parent):
            outcome, _ = finish(lambda cancel: pass_steps(self._watch, cancel, use=CACHE.engine), progress)
        for problem in outcome.problems:
            warn(problem)
        if outcome.kind == "stopped":
            raise KeyboardInterrupt
        if outcome.kind == "failed":
            raise WatchError(self._watch.folder, outcome.said)
        return WatchChanges(outcome.made) if outcome.made is not None else None

    @public
    def mail(self) -> None:
        """Send the message of the last pass again.

        Raises
        ------
        SwguiError
            If the watch has no mail command or no pass, or the command fails.
        """
        self._watch.check_mails()
        mail_pass(self._watch, self._watch.made_pass(self._watch.state.last), threading.Event())

    @public
    def remove(self) -> None:
        """Delete the watch with its passes; a feed elsewhere stays.

        Raises
        ------
        SwguiError
            If a pass is running, or it cannot be deleted.
        """
        folders.remove_watch(self._watch.folder.parent, self.name)


@described(WATCH)
def watch(
    name: str,
    queries: Sequences,
    database: str | PathLike[str] | Sequence[str | PathLike[str]],
    *,
    folder: str | PathLike[str] | None = None,
    feed: str | PathLike[str] | None = None,
    mail: str = "",
    **options: Any,
) -> Watch:
    """Add a standing query, which `Watch.run` and ``swgui watch run`` repeat with each new release of its database.

    All other parameters are the options of ``swgui watch add``, with the same names, defaults and checks.

    Parameters
    ----------
    name : str
        Of the watch and its files.
    queries : as of `swgui.search`
    database : str, Path, or list of them
        Files, or names that each pass looks up; of a list all are searched as one.
    folder : path, optional
        Folder of watches; by default that of the command.
    feed : path, optional
        File of its Atom feed; by default in its folder.
    mail : str
        Command that reads each message, as ``--mail``.

    Returns
    -------
    Watch
        Nothing is searched yet.

    Raises
    ------
    SwguiError
        If there is a watch of this name, or something cannot be read or written.
    """
    arguments = WATCH.arguments(options)
    check_method(arguments)
    places = list(_places(database))
    for one in places:
        place = to_search(one)
        given = asked_for(arguments, queries, place)
        alphabet = given[0].search.database_alphabet.residue_alphabet
        if not isinstance(place, EncodedDatabase):
            open_any_database(place, alphabet=alphabet)
    folders.Watch.add(_root(folder), name, given[0], places, feed="" if feed is None else str(path_of(feed)), mail=mail)
    return Watch(name, folder)


@public
def watches(folder: str | PathLike[str] | None = None) -> list[Watch]:
    """Return the standing queries in a folder, by default that of the command.

    Raises
    ------
    SwguiError
        If a record is damaged.
    """
    return [Watch(name, folder) for name in folders.watch_names(_root(folder))]


def _root(folder: str | PathLike[str] | None) -> Path:
    return folders.watches_folder(None if folder is None else path_of(folder))


def _places(database: str | PathLike[str] | Sequence[str | PathLike[str]]) -> Iterator[str]:
    """Yield the databases by file or name; `InvalidParameter` if there is none, or one is open."""
    given = [database] if isinstance(database, str | PathLike) else list(database)
    if not given or not all(isinstance(one, str | PathLike) for one in given):
        message = "A watch looks its database up in each pass."
        raise InvalidParameter("database", database, message, hint="Give a file or a name, or several.")
    yield from (os.fspath(one) for one in given)
