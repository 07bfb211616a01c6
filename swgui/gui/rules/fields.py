"""Display and parsing of the fields of rules, and the choices that all rules have."""

from __future__ import annotations

from dataclasses import MISSING, fields
from fractions import Fraction
from typing import Any, Final

from swgui.core.alphabet import Alphabet
from swgui.core.errors import InvalidParameter
from swgui.core.rules.base import Rule, percent, read_fraction
from swgui.core.rules.matching import Ambiguity, meaning

NO_LIMIT: Final = -1  # value of a box of an optional number for None
AMBIGUITY_TITLES: Final[tuple[tuple[str, Ambiguity], ...]] = (
    ("Match only themselves", "strict"),
    ("Match what they stand for", "sets"),
    ("Match what they stand for; X and N match all", "wild"),
)
PAMS_WRITTEN: Final = (
    ("Left off where a guide ends with it", "auto"),
    ("Not part of the guides", "no"),
    ("Part of each guide", "yes"),
)
STRANDS: Final = (("Both strands", "both"), ("Plus strand", "plus"))
_PROPORTION: Final = "Write 70 for 70 %."


def default_of(rule: type[Rule], name: str) -> Any:
    value = next(field.default for field in fields(rule) if field.name == name)
    assert value is not MISSING
    return value


def as_text(value: Fraction) -> str:
    """Return a percentage as its field shows it."""
    return percent(value)


def read_percent(text: str) -> Fraction:
    """Return an identity typed as a percentage, exactly (35, 66.5, 2/3); `InvalidParameter` where it is none."""
    typed = text.strip().removesuffix("%").strip()
    if "/" in typed:
        return read_fraction("identity", typed)
    try:
        value = Fraction(typed)
    except ValueError:
        value = Fraction(-1)
    if not 1 < value <= 100:
        shown = f"'{text.strip()}'" if text.strip() else "empty"
        raise InvalidParameter(
            "identity", text, f"The identity must be above 1 % and at most 100 %, not {shown}.", hint=_PROPORTION
        )
    return value / 100


def matches_said(ambiguity: Ambiguity, alphabet: Alphabet, *, pattern: bool, equate_il: bool) -> str:
    """Return a sentence on the matches of ambiguous residues."""
    text = meaning(alphabet, ambiguity, equate_il=equate_il)
    own = " Those of a primer stand for each of their bases." if pattern else ""
    return f"{text[0].upper()}{text[1:]}.{own}"
