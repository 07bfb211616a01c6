"""The organism that a header names: ``OS=`` and ``OX=``, or ``[Genus species]`` at its end."""

from __future__ import annotations

import re
from typing import Final

FIELD: Final = re.compile(r"(?:^| )(OS|OX|GN|PE|SV)=")
_ENDS: Final = frozenset((" OS", " OX", " GN", " PE", " SV"))  # of what stands before "=" in its form
IN_BRACKETS: Final = re.compile(r"^(.*\S) \[([^\[\]]*(?:\[[^\[\]]*\][^\[\]]*)*)\]$")
# In headers of no known layout only what can hardly be anything else is taken for an organism.
_CAPITAL: Final = re.compile(r"[A-Z]")
_BINOMIAL: Final = re.compile(r"\[?[A-Z][a-z-]{2,}\]? (?:[a-z][a-z-]{2,}\b|sp\.).*")


def is_certain(name: str) -> bool:
    """Whether what stands behind ``OS=`` is an organism whoever wrote the header."""
    return _CAPITAL.match(name) is not None


def is_binomial(name: str) -> bool:
    """Whether what stands in brackets is an organism whoever wrote the header."""
    return _BINOMIAL.fullmatch(name) is not None


def fields_of(description: str) -> tuple[str, dict[str, str]]:
    """Return the text before the fields of a UniProt header, and the fields."""
    *named, value = description.split("=")
    fields: dict[str, str] = {}
    if all(part[-3:] in _ENDS for part in named):  # as nearly always, and several times as fast as the expression
        for part in reversed(named):  # of several the first counts
            fields[part[-2:]] = value.strip()
            value = part[:-3]
        return value.strip(), fields
    title, *parts = FIELD.split(description)
    for name, value in zip(parts[::2], parts[1::2], strict=True):
        fields.setdefault(name, value.strip())
    return title.strip(), fields


def organism_named(description: str) -> tuple[str, str]:
    """Return organism and taxid that a header of no known layout names; empty texts where it does not.

    Parameters
    ----------
    description : str
        Without the identifier.
    """
    _, fields = fields_of(description)
    if is_certain(fields.get("OS", "")):
        taxid = re.match(r"\d+", fields.get("OX", ""))
        return fields["OS"], taxid[0] if taxid else ""
    found = IN_BRACKETS.match(description)
    return (found[2], "") if found and is_binomial(found[2]) else ("", "")
