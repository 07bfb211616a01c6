"""Motifs in a sequence: plain letters, IUPAC codes, PROSITE patterns or regular expressions. Pure."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable

from swgui.core.alphabet import Alphabet
from swgui.core.errors import InvalidParameter
from swgui.io.sequences.report import shown

MOST = 10_000  # places reported at most
LONGEST = 1_000  # letters of a motif
KINDS: tuple[tuple[str, str, str], ...] = (
    ("letters", "Letters", "Exactly these letters, for example WQS"),
    ("iupac", "IUPAC", "Codes for several letters: N, R, Y for bases; B, Z, J, X for amino acids"),
    ("prosite", "PROSITE", "A PROSITE pattern, for example N-{P}-[ST]-{P} or C-x(2,4)-C"),
    ("regex", "Expression", "A regular expression, for example K[KR].[KR]"),
    ("position", "Position", "Number of a residue of the query"),
)


def compile_motif(text: str, kind: str, alphabet: Alphabet) -> re.Pattern[bytes]:
    """Turn a motif into an expression over the letters of a sequence.

    Parameters
    ----------
    kind : {"letters", "iupac", "prosite", "regex"}

    Raises
    ------
    InvalidParameter
        If the motif cannot be read; the sentence says where.
    """
    makers: dict[str, Callable[[str, Alphabet], str]] = {
        "letters": _letters,
        "iupac": _iupac,
        "prosite": _prosite,
        "regex": lambda text, _alphabet: text,
    }
    if len(text) > LONGEST:
        raise _refused(text, f"A motif may have {LONGEST} letters at most; this one has {len(text)}.")
    wanted = makers[kind](text.strip(), alphabet)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FutureWarning)  # "[[" may mean something else in a later Python
            return re.compile(wanted.encode("ascii"), re.IGNORECASE)
    except UnicodeEncodeError:
        raise _refused(text, f"'{shown(text)}' has a letter that stands in no sequence.") from None
    except (re.error, OverflowError, RecursionError) as error:
        raise _refused(text, f"The expression '{shown(text)}' cannot be read: {shown(str(error), 200)}.") from None


def find_motif(pattern: re.Pattern[bytes], residues: bytes, most: int = MOST) -> list[tuple[int, int]]:
    """Return (start, stop) of every place, overlapping ones included; at each start the longest the pattern takes.

    Parameters
    ----------
    residues : bytes
    most : int
        Stop after so many places.
    """
    places: list[tuple[int, int]] = []
    at = 0
    while len(places) < most and (match := pattern.search(residues, at)):
        if match.end() > match.start():
            places.append(match.span())
        at = match.start() + 1
        if at > len(residues):
            break
    return places


def _refused(text: str, message: str) -> InvalidParameter:
    return InvalidParameter("motif", text, message)


def _letters(text: str, alphabet: Alphabet) -> str:
    wanted = "".join(text.split())
    for letter in wanted:
        if letter.upper() not in alphabet.letters:
            raise _refused(text, f"'{shown(letter)}' is not a {alphabet.name} letter.")
    return re.escape(wanted)


def _class(letter: str, alphabet: Alphabet) -> str:
    """Return the letters that a code matches: all it stands for, and every code for some of these."""
    plain = set(_spelled_out(letter, alphabet))
    fitting = [c for c in alphabet.letters if set(_spelled_out(c, alphabet)) <= plain]
    return "".join(sorted({*fitting, letter}))


def _spelled_out(letter: str, alphabet: Alphabet) -> str:
    expanded = alphabet.expansions.get(letter)
    if expanded is None:
        return letter
    return "".join(_spelled_out(part, alphabet) for part in expanded)


def _iupac(text: str, alphabet: Alphabet) -> str:
    parts = []
    for letter in "".join(text.split()).upper():
        if letter not in alphabet.letters:
            raise _refused(text, f"'{shown(letter)}' is not a {alphabet.name} letter.")
        parts.append(f"[{re.escape(_class(letter, alphabet))}]")
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
            letters = "."
        elif match["not"]:
            letters = f"[^{match['not']}]"
        else:
            letters = f"[{match['one'] or match['of']}]"
        times = "" if low is None else f"{{{low}}}" if high is None else f"{{{low},{high}}}"
        piece = f"{letters}{times}"
        if match["or_end"]:
            piece = f"(?:{piece}|$)"
        parts.append(("^" if match["start"] else "") + piece + ("$" if match["end"] else ""))
    return "".join(parts)
