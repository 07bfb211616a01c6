"""Certificates of any kind, read and verified: those of searches by rule and of leaks."""

from __future__ import annotations

import os
import threading
from collections.abc import Generator
from typing import Any

from swgui.engines.registry import AUTO
from swgui.io.database.any_file import open_any_database
from swgui.io.read_report import ReadReport
from swgui.jobs.certificate import check_content, place_of, read_certificate
from swgui.jobs.events import Event
from swgui.jobs.members import CertificateCheck, check_form, members_of
from swgui.jobs.network.certificate import FORMATS as LEAKS
from swgui.jobs.network.leak import parts_of
from swgui.jobs.network.verify import MEMBERS as LEAK_MEMBERS
from swgui.jobs.network.verify import verify_leaks
from swgui.jobs.rules.run import FORMATS as RULES
from swgui.jobs.rules.verify import MEMBERS as RULE_MEMBERS
from swgui.jobs.rules.verify import request_of, verify_certificate

Path = str | os.PathLike[str]
Steps = Generator[Event, None, CertificateCheck]


def read_any_certificate(path: Path) -> dict[str, Any] | None:
    """Return the members of a certificate; None if a file is something else; errors as of `read_certificate`."""
    return read_certificate(path, *RULES, *LEAKS)


def certificate_steps(
    facts: dict[str, Any],
    path: Path,
    cancel: threading.Event,
    *,
    database: str = "",
    engine: str = AUTO,
    full: bool = False,
) -> Steps:
    """Compare a certificate with what is counted and computed again.

    Parameters
    ----------
    facts : dict
        As `read_any_certificate` returns them.
    path : path
        Where they were read from; its folder is searched for the sequences that they name.
    database : str
        The database of a search by rule, or the sequences of training of a leak; as the certificate names it if empty.
    full : bool
        Compute all again, not a sample.

    Raises
    ------
    RunFileError
        If the certificate is damaged.
    DatabaseError
        If sequences are not there, or are others.
    SwguiError
        As `verify_certificate` and `verify_leaks`.
    """
    steps = _rule if facts["format"] in RULES else _leak
    return (yield from steps(facts, path, cancel, database, engine, full))


def _rule(facts: dict[str, Any], path: Path, cancel: threading.Event, database: str, engine: str, full: bool) -> Steps:
    check_form(facts, members_of(RULE_MEMBERS, facts, RULES), path)
    place, reading = database or place_of(facts, "database", path), ReadReport()
    request = request_of(facts, place, engine)
    opened = open_any_database(place, alphabet=request.database_alphabet, report=reading, cancel=cancel, in_blocks=True)
    check_content(facts, "database", opened, place)
    read = reading if reading.records else None
    return (yield from verify_certificate(facts, request, opened, cancel, reading=read, full=full))


def _leak(facts: dict[str, Any], path: Path, cancel: threading.Event, database: str, engine: str, full: bool) -> Steps:
    check_form(facts, members_of(LEAK_MEMBERS, facts, LEAKS), path)
    place, space = database or place_of(facts, "training", path), None
    if facts["split"]:
        table, parts = place_of(facts, "split", path), facts["split"]["parts"]
        train, test, space = parts_of(place, table, parts, cancel)
    else:
        train = open_any_database(place, cancel=cancel)
        test = open_any_database(place_of(facts, "test", path), alphabet=train.alphabet, cancel=cancel)
    check_content(facts, "training", train, place)
    check_content(facts, "test", test, str(facts["test"]["path"]))
    return (yield from verify_leaks(facts, test, train, engine, cancel, full=full, space=space))
