"""Databases that a server offers by name, open, and which of them a user may search."""

from __future__ import annotations

import re
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from swgui.commands.files import database_name
from swgui.core.database import EncodedDatabase
from swgui.core.errors import InvalidParameter
from swgui.io.database.any_file import open_any_database
from swgui.io.unpacking import plain_name
from swgui.serve.requests import Refused, User

_NAME: Final = re.compile(r"[A-Za-z0-9_.+-]+")
_NOT_IN_NAME: Final = re.compile(r"[^A-Za-z0-9_.+-]+")


@dataclass(frozen=True, slots=True)
class Served:
    """One database under its name."""

    name: str
    database: EncodedDatabase
    place: Path  # its file


class Databases:
    """The databases of a server, in the order in which they were named.

    Parameters
    ----------
    given : sequence of str
        Files, or names and files as ``NAME=FILE``; a file without a name has the name that it has without its endings.

    Raises
    ------
    InvalidParameter
        If two have one name.
    """

    def __init__(self, given: Sequence[str]) -> None:
        self._places: dict[str, Path] = {}
        for text in given:
            name, place = _named(text)
            if self._places.setdefault(name, place) != place:
                raise InvalidParameter(
                    "search_database",
                    text,
                    f"Two databases have the name '{name}'.",
                    hint="Name one of them otherwise: --search-database NAME=FILE.",
                )
        self._open: dict[str, Served] = {}

    def open(self, cancel: threading.Event, opened: Mapping[Path, EncodedDatabase]) -> None:
        """Open them all, but for those that are open already.

        Raises
        ------
        SwguiError
            If one is no database.
        """
        for name, place in self._places.items():
            database = opened.get(place) or open_any_database(place, cancel=cancel)
            self._open[name] = Served(name, database, place)

    def of(self, user: User) -> list[Served]:
        """Return the databases that a user may search."""
        allowed = user.databases
        return [one for one in self._open.values() if allowed is None or one.name in allowed]

    def find(self, names: Sequence[str], user: User) -> list[Served]:
        """Return databases by name; case matters only where two differ in nothing else.

        Raises
        ------
        Refused
            If there is none, one is unknown to the user, or they are of two kinds.
        """
        offered = self.of(user)
        listed = ", ".join(one.name for one in offered) or "none"
        found: list[Served] = []
        for name in names:
            same = [one for one in offered if one.name == name] or [
                one for one in offered if one.name.lower() == name.lower()
            ]
            if len(same) != 1:
                shown = _NOT_IN_NAME.sub("_", name)[:40]
                raise Refused(f"There is no database '{shown}' here. Databases: {listed}.")
            found += same if same[0] not in found else []
        if not found:
            raise Refused(f"The request names no database. Databases: {listed}.")
        if len({one.database.alphabet.name for one in found}) > 1:
            raise Refused("The databases are of two kinds of sequences. Search them one after the other.")
        return found


def _named(text: str) -> tuple[str, Path]:
    name, sign, file = text.partition("=")
    if not sign or Path(text).exists():
        place = Path(database_name(text))
        return _NOT_IN_NAME.sub("_", plain_name(place.name)), place
    if not _NAME.fullmatch(name):
        raise InvalidParameter(
            "search_database", text, f"'{name}' is no name of a database.", hint="Use letters, digits and . _ + -"
        )
    return name, Path(database_name(file))
