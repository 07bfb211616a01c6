"""The members of certificates, a record each: the source to compute one again, or why it is only stated.

A verification makes the certificate again and compares member by member. Only members that were computed again count as
verified; the others are listed as stated.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import Any, Final, Literal

from swgui.core.plain import from_plain
from swgui.core.words import count
from swgui.jobs.certificate import NO_SIGNATURE, checksum_of, damaged

ITEM: Final = "*"  # in names of members: any item of a list
SHOWN: Final = 80  # characters of a value in a sentence
FULL_HINT: Final = "--full computes this"
OTHER_QUESTION: Final = (
    "No figure differs, so the change is under 'Asked' or 'Stated': the request may differ from the recorded one."
)
_MISSING: Final = object()
Place = tuple[str, ...]
When = Literal["always", "full", "asked", "stated"]


@dataclass(frozen=True, slots=True)
class Member:
    """A member of a certificate.

    Parameters
    ----------
    name : str
        Names of the members around it and its own with dots between, `ITEM` for items of a list.
    kind : type
        Of its value, as `from_plain` checks it.
    when : str
        ``"always"`` or ``"full"`` (all was scanned again): it is computed and compared; ``"asked"``: a part of the
        question, from which the others are computed; ``"stated"``: nothing can be computed.
    why : str
        From what it is computed, or why it is not.
    optional : bool
        Whether certificates may lack it.
    earlier : str
        Why another value in a certificate of an earlier format is no contradiction; empty where it is one.
    doubt : bool
        Whether such another value leaves the certificate unconfirmed.
    since : int
        The first version of the format that has it.
    """

    name: str
    kind: Any
    when: When
    why: str
    optional: bool = False
    earlier: str = ""
    doubt: bool = False
    since: int = 1


def each(prefix: str, kind: Any, when: When, why: str, *names: str, **more: Any) -> Iterator[Member]:
    """Yield a member for each name behind a prefix; parameters as of `Member`."""
    return (Member(f"{prefix}{name}", kind, when, why, **more) for name in names)


@dataclass(slots=True)
class CertificateCheck:
    """Members that were compared with a certificate, and the differences."""

    problems: list[str] = field(default_factory=list)  # a sentence for each difference, which names the member
    verified: list[str] = field(default_factory=list)  # members that were computed again
    asked: list[str] = field(default_factory=list)  # members that the others were computed from
    stated: dict[str, str] = field(default_factory=dict)  # members that were not computed, and why
    work: str = ""  # what was scanned or compared again, in words
    remarks: list[str] = field(default_factory=list)  # more of what was done again, a sentence each
    warnings: list[str] = field(default_factory=list)  # why nothing is confirmed, a sentence each

    @property
    def ok(self) -> bool:
        """Whether nothing differs, and nothing warns."""
        return not self.problems and not self.warnings

    def describe(self, most: int = 1000) -> Iterator[str]:
        """Return sentences on the members compared, the differences (at most so many) and the members not compared."""
        if self.problems:
            said = "The certificate does not hold"
        else:
            holds = "The certificate holds" + " as far as a sample tells" * (FULL_HINT in self.stated.values())
            said = "The certificate is not confirmed" if self.warnings else holds
        agree = count(len(self.verified), "member", "members")
        yield f"{said}: {agree} computed again without a difference; {self.work}."
        yield from (*self.warnings, *self.remarks)
        yield from self.problems[:most]
        if len(self.problems) > most:
            yield f"and {len(self.problems) - most:,} more"
        yield f"Asked, taken from the certificate: {_listed(self.asked)}."
        for why in dict.fromkeys(self.stated.values()):
            names = _listed(name for name, reason in self.stated.items() if reason == why)
            yield f"Stated, not verified ({why}): {names}."
        yield NO_SIGNATURE


def _listed(names: Iterable[str]) -> str:
    """Return names of members, those of all items of a list as one."""
    plain = (".".join(ITEM if part.isdecimal() else part for part in name.split(".")) for name in names)
    return ", ".join(dict.fromkeys(plain)) or "none"


def members_of(members: Sequence[Member], facts: Mapping[str, Any], formats: Sequence[str]) -> list[Member]:
    """Return the members that certificates of the same format have, given all formats, the latest first."""
    version = len(formats) - formats.index(facts["format"])
    return [member for member in members if member.since <= version]


def check_form(facts: Mapping[str, Any], members: Sequence[Member], path: str | os.PathLike[str] = "") -> None:
    """Check that a certificate has the members of its format, no others, and values of their types.

    Raises
    ------
    RunFileError
        If not, naming the member.
    """
    for place, pattern, value, member in _walk(facts, members):
        name = ".".join(place)
        if member is None and not any(one.name.startswith(f"{'.'.join(pattern)}.") for one in members):
            raise damaged(path, f"its format has no member '{name}'")
        try:
            if member is None:
                raise ValueError("a value where members are")
            from_plain(member.kind, value)
        except ValueError as fault:
            raise damaged(path, f"'{name}' cannot be {_short(value)}") from fault
    for member in members:
        if not member.optional and (name := _lacking(facts, member.name)):
            raise damaged(path, f"it lacks '{name}'")


def _lacking(facts: Any, name: str, place: str = "") -> str:
    """Return which member is missing on the way to one; empty if none is, or what should have it has no members."""
    part, _, rest = name.partition(".")
    inside: Iterable[tuple[str, Any]] = ()
    if part == ITEM and isinstance(facts, list):
        inside = ((str(number), item) for number, item in enumerate(facts))
    elif part != ITEM and isinstance(facts, Mapping):
        if part not in facts:
            return f"{place}{part}"
        inside = ((part, facts[part]),)
    found = (_lacking(value, rest, f"{place}{key}.") for key, value in inside if rest)
    return next(filter(None, found), "")


def compare(
    facts: Mapping[str, Any],
    again: Mapping[str, Any],
    members: Sequence[Member],
    outcome: CertificateCheck,
    *,
    full: bool,
    earlier: bool = False,
    unknown: Mapping[str, str] | None = None,
) -> None:
    """Compare all members of a certificate with those of one that was made again.

    Parameters
    ----------
    again : Mapping
        Made of what was computed.
    outcome : CertificateCheck
        Takes the names of members that are verified and stated, and a sentence for each that differs.
    full : bool
        Whether everything was computed, not a sample.
    earlier : bool
        Whether the certificate is of an earlier format.
    unknown : Mapping, optional
        Places of members that cannot be computed this time, and why.
    """
    changed = checksum_problems(facts)
    outcome.problems += changed
    outcome.verified += [] if changed else ["certificate_sha256"]
    own, made = (
        {place: (value, member) for place, _, value, member in _walk(side, members)}
        for side in (facts, json.loads(json.dumps(again)))
    )
    doubts: list[str] = []
    for place in dict.fromkeys((*own, *made)):
        member = (own.get(place) or made[place])[1]
        if member is None or place == ("certificate_sha256",):
            continue
        name, stated = ".".join(place), own.get(place, (_MISSING,))[0]
        computed = made.get(place, (_MISSING,))[0]
        same = _text(stated) == _text(computed)
        if earlier and member.optional and stated is _MISSING:
            continue  # a version between lacked it
        if why := _not_computed(member, name, full, unknown or {}):
            if stated is not _MISSING:
                outcome.stated[name] = why
        elif same or (member.when == "asked" and computed is _MISSING):
            (outcome.asked if member.when == "asked" else outcome.verified).append(name)
        elif earlier and member.earlier:
            outcome.stated[name] = f"{member.earlier}; now {_short(computed)}"
            doubts += [name] if member.doubt else []
        else:
            outcome.problems.append(_problem(member, *_first_difference(name, stated, computed)))
    if changed and outcome.problems == changed:
        outcome.problems.append(OTHER_QUESTION)
    if doubts:
        outcome.warnings.append(
            f"Computed again, other values come out for {_listed(doubts)}. The earlier version may have counted so, "
            "or the certificate was changed: make it again with this version."
        )


def checksum_problems(facts: Mapping[str, Any]) -> list[str]:
    """Return a sentence if a certificate has another checksum than it states."""
    if facts["certificate_sha256"] == checksum_of(facts):
        return []
    changed = "The certificate was changed after it was written"
    return [f"{changed}: its members have another checksum than 'certificate_sha256' states."]


def _not_computed(member: Member, name: str, full: bool, unknown: Mapping[str, str]) -> str:
    """Return why a member was not computed; empty if it was."""
    if member.when == "stated":
        return member.why
    return unknown.get(name, "") or ("" if full or member.when != "full" else FULL_HINT)


def _problem(member: Member, name: str, stated: Any, computed: Any) -> str:
    given = "is missing" if stated is _MISSING else f"is stated as {_short(stated)}"
    right = "there is none" if computed is _MISSING else f"{_short(computed)} is right"
    return f"'{name}' {given}; {right}, computed from {member.why}."


def _first_difference(name: str, stated: Any, computed: Any) -> tuple[str, Any, Any]:
    """Return the first part in which two values differ: its name, and both of its values."""
    parts: Iterable[tuple[str, Any, Any]] = ()
    if isinstance(stated, dict) and isinstance(computed, dict):
        parts = ((key, stated.get(key, _MISSING), computed.get(key, _MISSING)) for key in sorted({*stated, *computed}))
    elif isinstance(stated, list) and isinstance(computed, list):
        parts = ((str(at), *both) for at, both in enumerate(zip_longest(stated, computed, fillvalue=_MISSING)))
    for key, one, other in parts:
        if _text(one) != _text(other):
            return _first_difference(f"{name}.{key}", one, other)
    return name, stated, computed


def _walk(value: Any, members: Sequence[Member]) -> Iterator[tuple[Place, Place, Any, Member | None]]:
    """Yield place, the same with `ITEM` for numbers, value and record of each member; None where it has no record."""
    table = {tuple(member.name.split(".")): member for member in members}
    groups = {name[:size] for name in table for size in range(len(name))}

    def parts(value: Any, place: Place, pattern: Place) -> Iterator[tuple[Place, Place, Any, Member | None]]:
        listed = (*pattern, ITEM) in groups
        if pattern in groups and listed and isinstance(value, list) and value:
            for number, part in enumerate(value):
                yield from parts(part, (*place, str(number)), (*pattern, ITEM))
        elif pattern in groups and not listed and isinstance(value, Mapping) and value:
            for key, part in value.items():
                yield from parts(part, (*place, key), (*pattern, key))
        else:
            yield place, pattern, value, table.get(pattern)

    yield from parts(value, (), ())


def _text(value: Any) -> str:
    """Return a value so that only the same one of the same type has the same text."""
    return "" if value is _MISSING else json.dumps(value, sort_keys=True)


def _short(value: Any) -> str:
    text = value if isinstance(value, str) else _text(value)
    text = text if len(text) <= SHOWN else f"{text[: SHOWN - 1]}…"
    return f"'{text}'" if isinstance(value, str) else text
