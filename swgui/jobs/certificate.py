"""The common part of all certificates: their checksum, how to read them, and the places of their inputs."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from swgui.core.database import EncodedDatabase
from swgui.core.errors import DatabaseError, RunFileError

NO_SIGNATURE: Final = (
    "The checksum of a certificate is no signature: it shows damage, but anyone who changes the certificate can make "
    "it again."
)


def checksum_of(facts: Mapping[str, Any]) -> str:
    """Return the SHA-256 of all that a certificate says but its own checksum."""
    import hashlib  # here: for certificates that are written

    said = {name: value for name, value in facts.items() if name != "certificate_sha256"}
    return hashlib.sha256(json.dumps(said, sort_keys=True).encode()).hexdigest()


def sealed(facts: Mapping[str, Any]) -> dict[str, Any]:
    """Return the members of a certificate with its checksum."""
    return {**facts, "certificate_sha256": checksum_of(facts)}


def read_certificate(path: str | os.PathLike[str], *formats: str) -> dict[str, Any] | None:
    """Return a certificate of one of some formats; None if a file is something else, told by its content.

    Raises
    ------
    RunFileError
        If it is one that is damaged, or of another version.
    """
    if not os.path.isfile(path):
        return None  # a pipe would wait for who writes into it
    try:
        with open(path, "rb") as file:
            if not file.read(64).lstrip().startswith(b"{"):
                return None
            file.seek(0)
            facts = json.loads(file.read(), object_pairs_hook=_members)
    except OSError:
        return None
    except (ValueError, RecursionError) as fault:
        raise damaged(path) from fault
    said = str(facts.get("format", "")) if isinstance(facts, dict) else ""
    if not said.startswith(tuple(form.rpartition(" ")[0] for form in formats)):
        return None
    if said not in formats:
        raise RunFileError(
            path,
            f"'{Path(path).name}' is a certificate of another version of this program ({said}).",
            hint="Check it with the version that it names.",
        )
    return dict(facts)


def place_of(facts: Mapping[str, Any], what: str, certificate_path: str | os.PathLike[str]) -> str:
    """Return the path of a file that a certificate names under `what`: as named, or in the folder of the certificate.

    Raises
    ------
    DatabaseError
        If it is at neither.
    """
    name = str(facts[what].get("path", "")) if isinstance(facts.get(what), dict) else ""
    for place in (Path(name), Path(certificate_path).parent / name, Path(certificate_path).parent / Path(name).name):
        if name and place.exists():
            return str(place)
    raise DatabaseError(
        name, f"The file of '{what}.path' of the certificate is not there: '{name}'.", hint="Name it with -d."
    )


def check_content(facts: Mapping[str, Any], what: str, database: EncodedDatabase, place: str) -> None:
    """Raise `DatabaseError` unless sequences have the content that a certificate states under `what`."""
    if facts[what].get("checksum") != database.checksum:
        raise DatabaseError(
            place,
            f"The {what} '{Path(place).name}' is not the one of the certificate: its content has another checksum "
            f"than '{what}.checksum'.",
            hint="Name the one that was searched with -d.",
        )


def _members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object of JSON; `ValueError` if it has a name twice, of which readers take either."""
    made = dict(pairs)
    if len(made) < len(pairs):
        raise ValueError("a name that occurs twice")
    return made


def damaged(path: str | os.PathLike[str], why: str = "") -> RunFileError:
    """Return the error for a certificate that cannot be read."""
    name = f"'{Path(path).name}'" if path else "This file"
    said = f"{name} is a damaged certificate{f': {why}' if why else ''}."
    return RunFileError(path, said, hint="Take the file as this program wrote it.")
