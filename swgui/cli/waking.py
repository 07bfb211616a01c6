"""The start of a GPU's driver before the program: it takes a third of a second, as long as all imports together.

This module decides by the words of a command, as none is parsed yet, and imports next to nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise, takewhile

QUERIES = ("-q", "--query")
DATABASES = ("-d", "--database")
USUAL_LENGTH = 300  # residues of a query
# Commands that take a GPU where there is one, and values of --engine with which they do; "" stands for none.
USING_DEVICES = ("search", "pair", "serve", "network", "cluster", "split", "judge", "leak")
ENGINES = ("", "auto", "cuda")


def wake(words: Sequence[str]) -> None:
    """Have the driver of the GPU that a command is likely to use start, in a process of its own; returns at once."""
    if not words or words[0] not in USING_DEVICES or {"-h", "--help"} & {*words}:
        return
    engine, device = _value(words, "--engine"), _value(words, "--device")
    if engine not in ENGINES or _value(words, "--on") or _reads_network(words):
        return
    if words[0] == "search" and not device and engine in ("", "auto") and _cores_end_first(words):
        return
    from swgui.engines.cuda import opening  # here: not where the cores compute

    opening.alone = True
    opening.begin(opening.number_of(device.split(",")[0]))


def _cores_end_first(words: Sequence[str]) -> bool:
    """Return whether cores end a search first, by the sizes of its files: each query counts as one of usual length."""
    from swgui.engines import choice  # here: the text of --help needs no estimate

    queries, subjects = (sum(map(choice.likely_residues, _values(words, names))) for names in (QUERIES, DATABASES))
    work = choice.Work(queries * subjects or float("inf"), queries * subjects / USUAL_LENGTH)
    return choice.cores_end_first(work.on_cores(), work.on_gpu)


def _values(words: Sequence[str], options: Sequence[str]) -> Iterator[str]:
    """Yield the values of an option that may have several, by its names."""
    for at, word in enumerate(words):
        option, _, value = word.partition("=")
        if option in options:
            yield from (value,) if value else takewhile(lambda word: word[:1] != "-", words[at + 1 :])


def _reads_network(words: Sequence[str]) -> bool:
    """Return whether a command reads a network, whose sequences are compared already."""
    read = (word for before, word in pairwise(words) if before not in ("-o", "--out") and word[:1] != "-")
    return any(word.endswith(".swnet") for word in read)


def _value(words: Sequence[str], option: str) -> str:
    """Return the value of an option, empty without it; its parser checks it later."""
    said = (word[len(option) + 1 :] for word in words if word.startswith(f"{option}="))
    behind = (value for word, value in pairwise(words) if word == option)
    return next(said, "") or next(behind, "")
