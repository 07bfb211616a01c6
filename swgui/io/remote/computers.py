"""The other computers that the user knows: addresses, tokens and authorities, in a file that only the user may read."""

from __future__ import annotations

import json
import os
from contextlib import suppress
from pathlib import Path
from typing import Final

import msgspec

from swgui import paths
from swgui.core.plain import from_plain, plain
from swgui.io.remote.addresses import read_address
from swgui.io.remote.connections import Link
from swgui.io.whole_file import whole_file

TOKEN: Final = "SWGUI_TOKEN"  # variables of the environment: for scripts
AUTHORITY: Final = "SWGUI_CA"
_given: Final[dict[str, Computer]] = {}  # those that this program was given, and keeps in memory alone


class Computer(msgspec.Struct, frozen=True):
    """Another computer.

    Parameters
    ----------
    address : str
        In its shortest form (`Address.text`).
    token : str
        Secret of the user at its server; empty for none.
    authority : str
        PEM file of the authority that signed its certificate; empty for those that the system trusts.
    """

    address: str
    token: str = ""
    authority: str = ""


def known_computers() -> list[Computer]:
    """Return the computers of the user's list, the last used one first; empty if the file cannot be read."""
    with suppress(OSError, ValueError, RecursionError):
        return from_plain(list[Computer], json.loads(_file().read_text("utf-8")))
    return []


def remember_computer(computer: Computer) -> None:
    """Put a computer at the head of the list; `FileNotWritten` if that fails."""
    _write([computer, *(one for one in known_computers() if one.address != computer.address)])


def forget_computer(address: str) -> None:
    """Take a computer off the list; `FileNotWritten` if that fails."""
    _write([one for one in known_computers() if one.address != address])


def use_computer(computer: Computer) -> None:
    """Use a token or an authority in this program, without writing it anywhere."""
    _given[computer.address] = computer


def link_to(computer: str | Computer) -> Link:
    """Return the link to a computer, of an address with the token that is known; `InvalidParameter` if it is none."""
    at = read_address(computer if isinstance(computer, str) else computer.address)
    known = {one.address: one for one in known_computers()} | _given
    found = known.get(at.text, Computer(at.text)) if isinstance(computer, str) else computer
    token = found.token or os.environ.get(TOKEN, "")
    return Link(at, token, found.authority or os.environ.get(AUTHORITY, ""))


def _file() -> Path:
    return paths.config_dir() / "computers.json"


def _write(computers: list[Computer]) -> None:
    place = _file()
    paths.make_folder(place.parent)
    with whole_file(place, private=True) as file:
        file.write(json.dumps(plain(computers), indent=1).encode("ascii"))
