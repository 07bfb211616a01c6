"""Motifs in a sequence: plain residues, IUPAC codes, PROSITE patterns or regular expressions. Pure."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable

from swgui.core.alphabet import Alphabet
from swgui.core.errors import InvalidParameter
from swgui.io.sequences.report import shown

MAX_PLACES = 10_000  # reported
MAX_LENGTH = 1_000  # characters of a motif
KINDS: tuple[tuple[str, str, str], ...] = (
    ("residues", "Residues", "Exactly these residues, for example WQS"),
    ("iupac", "IUPAC", "Codes for several residues: N, R, Y for bases; B, Z, J, X for amino acids"),
    ("prosite", "PROSITE", "A PROSITE pattern, for example N-{P}-[ST]-{P} or C-x(2,4)-C"),
    ("regex", "Expression", "A regular expression, for example K[KR].[KR]"),
    ("position", "Position", "Number of a residue of the query"),
)


def compile_motif(text: str, kind: str, alphabet: Alphabet) -> re.Pattern[bytes]:
    """Turn a motif into an expression over the residues of a sequence.

    Parameters
    ----------
    kind : {"residues", "iupac", "prosite", "regex"}

    Raises
    ------
    InvalidParameter
        If the motif cannot be read; the sentence says where.
    """
    makers: dict[str, Callable[[str, Alphabet], str]] = {
        "residues": _residues,
        "iupac": _iupac,
        "prosite": _prosite,
        "regex": lambda text, _alphabet: text,
    }
    if len(text) > MAX_LENGTH:
        raise _refused(text, f"A motif may have {MAX_LENGTH} characters at most; this one has {len(text)}.")
    wanted = makers[kind](text.strip(), alphabet)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FutureWarning)  # "[[" may mean something else in a later Python
            return re.compile(wanted.encode("ascii"), re.IGNORECASE)
    except UnicodeEncodeError:
        raise _refused(text, f"'{shown(text)}' has a character that stands in no sequence.") from None
    except (re.error, OverflowError, RecursionError) as error:
        raise _refused(text, f"The expression '{shown(text)}' cannot be read: {shown(str(error), 200)}.") from None


def find_motif(pattern: re.Pattern[bytes], residues: bytes, max_places: int = MAX_PLACES) -> list[tuple[int, int]]:
    """Return every place of a motif, overlapping ones included; at each start the longest the pattern takes.

    Parameters
    ----------
    pattern : re.Pattern
        As `compile_motif` returns it.
    residues : bytes
        ASCII.
    max_places : int
        Stop after so many places.

    Returns
    -------
    list of (int, int)
        Start and stop, half open, from 0.
    """
    places: list[tuple[int, int]] = []
    at = 0
    while len(places) < max_places and (match := pattern.search(residues, at)):
        if match.end() > match.start():
            places.append(match.span())
        at = match.start() + 1
        if at > len(residues):
            break
    return places


def _refused(text: str, message: str) -> InvalidParameter:
    return InvalidParameter("motif", text, message)


def _residues(text: str, alphabet: Alphabet) -> str:
    wanted = "".join(text.split())
    for residue in wanted:
        if residue.upper() not in alphabet.letters:
            raise _refused(text, f"'{shown(residue)}' is not a symbol of the {alphabet.name} alphabet.")
    return re.escape(wanted)


def _class(residue: str, alphabet: Alphabet) -> str:
    """Return the residues that a code matches: all it stands for, and every code for some of these."""
    plain = set(_spelled_out(residue, alphabet))
    fitting = [c for c in alphabet.letters if set(_spelled_out(c, alphabet)) <= plain]
    return "".join(sorted({*fitting, residue}))


def _spelled_out(residue: str, alphabet: Alphabet) -> str:
    expanded = alphabet.expansions.get(residue)
    if expanded is None:
        return residue
    return "".join(_spelled_out(part, alphabet) for part in expanded)


def _iupac(text: str, alphabet: Alphabet) -> str:
    parts = []
    for residue in "".join(text.split()).upper():
        if residue not in alphabet.letters:
            raise _refused(text, f"'{shown(residue)}' is not a symbol of the {alphabet.name} alphabet.")
        parts.append(f"[{re.escape(_class(residue, alphabet))}]")
    return "".join(parts)


_ELEMENT = re.compile(
    r"(?P<start><)?(?:(?P<any>x)|(?P<one>[A-Z])|\[(?P<of>[A-Z]+)(?P<or_end>>)?\]|\{(?P<not>[A-Z]+)\})"
    r"(?:\((?P<low>\d+)(?:,(?P<high>\d+))?\))?(?P<end>>)?",
    re.IGNORECASE,
)


def _prosite(text: str, alphabet: Alphabet) -> str:
    """Translate a PROSITE pattern: elements joined by hyphens, x any, [AB] one of, {AB} none of, (n,m) times."""
    parts = []
    elements = text.strip().rstrip(".").split("-")
    for at, element in enumerate(elements, start=1):
        match = _ELEMENT.fullmatch(element.strip())
        misplaced = match is not None and (
            (match["start"] and at != 1) or ((match["end"] or match["or_end"]) and at != len(elements))
        )
        if match is None or misplaced:
            raise _refused(text, f"Element {at} of the pattern, '{shown(element.strip())}', cannot be read.")
        low, high = match["low"], match["high"]
        if high is not None and int(high) < int(low):
            raise _refused(text, f"Element {at} of the pattern asks for {shown(low)} to {shown(high)} times.")
        if match["any"]:
            residues = "."
        elif match["not"]:
            residues = f"[^{match['not']}]"
        else:
            residues = f"[{match['one'] or match['of']}]"
        times = "" if low is None else f"{{{low}}}" if high is None else f"{{{low},{high}}}"
        piece = f"{residues}{times}"
        if match["or_end"]:
            piece = f"(?:{piece}|$)"
        parts.append(("^" if match["start"] else "") + piece + ("$" if match["end"] else ""))
    return "".join(parts)
