"""Users of a server: the file of tokens, with what each user may do."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from swgui.core.errors import InvalidParameter, reason_of
from swgui.core.plain import replace
from swgui.serve.requests import User

SHORTEST_TOKEN: Final = 16  # characters
# What may stand behind a token as NAME=VALUE: how its value is read.
QUOTAS: Final[Mapping[str, Callable[[str], Any]]] = MappingProxyType(
    {"databases": lambda text: frozenset(filter(None, text.split(","))), "waiting": int, "cells": float}
)


@dataclass(frozen=True, slots=True)
class Admitted:
    """A user and the token."""

    user: User
    token: str


def read_tokens(place: Path) -> tuple[Admitted, ...]:
    """Return the users of a file: lines of a name, a token and quotas such as ``databases=a,b waiting=10 cells=1e12``.

    Raises
    ------
    InvalidParameter
        If the file cannot be read, others may read it, a token is short, two users share one, or a quota is unknown.
    """
    try:
        others = stat.S_IMODE(place.stat().st_mode) & 0o077
        lines = place.read_text("utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as fault:
        raise InvalidParameter(
            "token_file", str(place), f"The tokens in '{place}' cannot be read: {reason_of(fault)}."
        ) from fault
    if others and os.name == "posix":
        what = f"Others on this computer may read the tokens in '{place}'."
        raise InvalidParameter("token_file", str(place), what, hint=f"Type: chmod 600 {place}")
    found: dict[str, Admitted] = {}
    for number, words in enumerate(map(str.split, lines), start=1):
        if not words or words[0].startswith("#"):
            continue
        known = words[0] in found or words[1:2] in [[one.token] for one in found.values()]
        if len(words) < 2 or len(words[1]) < SHORTEST_TOKEN or known:
            what = (
                f"Line {number} of '{place}' needs a new name and a new token of {SHORTEST_TOKEN} characters or more."
            )
            hint = "Type for a token: python3 -c 'import secrets; print(secrets.token_urlsafe())'"
            raise InvalidParameter("token_file", str(place), what, hint=hint)
        found[words[0]] = Admitted(_user(words[0], words[2:], f"Line {number} of '{place}'"), words[1])
    if not found:
        raise InvalidParameter("token_file", str(place), f"There is no token in '{place}'.")
    return tuple(found.values())


def _user(name: str, words: list[str], where: str) -> User:
    user = User(name)
    for word in words:
        quota, _, text = word.partition("=")
        try:
            value = QUOTAS[quota](text)
        except (KeyError, ValueError):
            what = f"{where} has '{word[:40]}', which is no quota."
            hint = "Quotas are databases=NAME,NAME, waiting=JOBS and cells=NUMBER."
            raise InvalidParameter("token_file", word, what, hint=hint) from None
        user = replace(user, **{quota: value})
    return user
