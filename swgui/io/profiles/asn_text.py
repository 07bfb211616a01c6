"""Values in the text form of ASN.1, as NCBI's tools write them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, TypeAlias

_TOKEN: Final = re.compile(r"""::=|[{},]|"(?:[^"]|"")*"|'[^']*'[HB]|[^\s{},"']+""")
_DEEPEST: Final = 60

Value: TypeAlias = "str | bytes | list[Value] | tuple[str, Value]"


def parse(text: str) -> tuple[str, Value]:
    """Return type and value of a text ``Type ::= value``.

    A value in braces becomes a list, a named one a tuple of name and value, text in double quotes and numbers
    and names `str`, and hexadecimal digits `bytes`.

    Raises
    ------
    ValueError
        If it is no such text.
    """
    tokens = _TOKEN.finditer(text)
    words = _Words(found.group() for found in tokens)
    name = words.take()
    if words.take() != "::=":
        raise ValueError("no '::='")
    return name, _item(words, 0)


def member(value: Value, *names: str) -> Value | None:
    """Return what stands under names, one inside the other; None where it is missing."""
    for name in names:
        inside = value if isinstance(value, list) else [value]
        found = [one[1] for one in inside if isinstance(one, tuple) and one[0] == name]
        if not found:
            return None
        value = found[0]
    return value


class _Words:
    def __init__(self, words: Iterator[str]) -> None:
        self._words = words
        self.next = next(words, "")

    def take(self) -> str:
        word, self.next = self.next, next(self._words, "")
        if not word:
            raise ValueError("the text is cut off")
        return word


def _item(words: _Words, depth: int) -> Value:
    word = words.take()
    if depth > _DEEPEST:
        raise ValueError("too many braces")
    if word == "{":
        items: list[Value] = []
        while words.next != "}":
            items.append(_item(words, depth + 1))
            if words.next == ",":
                words.take()
        words.take()
        return items
    if word in ("}", ",", "::="):
        raise ValueError(f"'{word}' at a wrong place")
    if word.startswith('"'):
        return word[1:-1].replace('""', '"').replace("\n", "")
    if word.startswith("'"):
        digits = "".join(word[1:-2].split())
        return bytes.fromhex(digits + "0" * (len(digits) % 2)) if word[-1] == "H" else b""
    if words.next and words.next not in ("}", ","):
        return word, _item(words, depth + 1)
    return word
