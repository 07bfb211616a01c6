"""The outcome of a pass in words: the headline, the message that is mailed, and the entry of the feed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from swgui.core.compare.changes import CAUSES, Change, changes_in_words, significant_in_words
from swgui.core.links import links
from swgui.core.words import count, short_evalue
from swgui.io.atom import escaped
from swgui.runs.watches.record import PassFacts

ROWS: Final = 50  # changes in an entry or a message
LONGEST: Final = 120  # characters of a description
_ORDER: Final = {"gained": 0, "lost": 1, "moved": 2}
_WORDS: Final = {"gained": "gained", "lost": "lost", "moved": "changed"}


def headline(name: str, made: PassFacts) -> str:
    """Return the outcome of a pass in a line: title of its entry, and subject of its message."""
    if made.number == 1:
        hits = count(made.hits, "hit")
        return f"{name}: the watch begins with {hits} ({_significant(made)}) in {made.where}"
    return f"{name}: {news_in_words(made)} in {made.where}"


def news_in_words(made: PassFacts) -> str:
    """Return how many hits are gained, lost and changed, and how many of them are significant."""
    parts = []
    for kind, word in _WORDS.items():
        those = [change for change in made.news if change.change == kind]
        if those:
            parts.append(f"{len(those):,} {word} ({significant_in_words(those)})")
    return ", ".join(parts) or "no hit is gained, lost or changed"


def message(name: str, about: str, made: PassFacts, folder: str) -> str:
    """Return the text that is mailed: plain text whose lines begin with a letter, a digit or a blank.

    Programs that send mail may read a line that begins with another sign as a command.
    """
    lines = [f"{headline(name, made)}.", f"Standing query: {about}.", _facts(made), ""]
    shown = _shown(made.news)
    for change in shown:
        side = change.before if change.change == "lost" else change.now
        evalue = short_evalue(side.log10_evalue)  # empty without one
        figures = f"{f'E {evalue}, ' if evalue else ''}score {side.score}"
        lines.append(f"{_WORDS[change.change]}: {_line(change.subject)}  {figures}  (query {_line(change.query)})")
        lines.append(f"    {_line(change.description)}".rstrip())
        lines.append(f"    {_cause(change)}")
    if len(made.news) > len(shown):
        lines.append(f"and {len(made.news) - len(shown):,} more.")
    lines += ["", f"All changes: swgui watch show {name} --folder '{folder}'", ""]
    return "\n".join(line if line[:1].isalnum() or not line else f" {line.lstrip()}" for line in lines)


def entry_content(made: PassFacts) -> str:
    """Return the content of an entry, as XHTML."""
    parts = [f"<p>{escaped(_facts(made))}</p>"]
    if made.number == 1:
        return parts[0]
    shown = _shown(made.news)
    parts.append(f"<p>{escaped(changes_in_words(made.changes))}</p>")
    if shown:
        heads = "".join(f"<th>{head}</th>" for head in ("Change", "Hit", "Description", "E", "Score", "Query", "Cause"))
        parts.append(f"<table><tr>{heads}</tr>{''.join(map(_row, shown))}</table>")
    if len(made.news) > len(shown):
        parts.append(f"<p>And {len(made.news) - len(shown):,} more.</p>")
    return "".join(parts)


def _row(change: Change) -> str:
    side = change.before if change.change == "lost" else change.now
    name = escaped(_line(change.subject))
    if pages := links(change.subject):
        name = f'<a href="{escaped(pages[0].url)}">{name}</a>'
    cells = [
        _WORDS[change.change],
        name,
        escaped(_line(change.description)),
        escaped(short_evalue(side.log10_evalue)),
        f"{side.score:,}",
        escaped(_line(change.query)),
        escaped(_cause(change)),
    ]
    return f"<tr>{''.join(f'<td>{cell}</td>' for cell in cells)}</tr>"


def _facts(made: PassFacts) -> str:
    gone = f", {made.gone:,} of the older are gone" if made.gone >= 0 and made.number > 1 else ""
    return (
        f"Database: {made.where}, {count(made.sequences, 'sequence')}, {made.searched:,} of them searched{gone}; "
        f"{count(made.hits, 'hit')}, {_significant(made)}."
    )


def _significant(made: PassFacts) -> str:
    return "not all with an E-value" if made.significant is None else f"{made.significant:,} significant"


def _cause(change: Change) -> str:
    other = f" (other name: {_line(change.other)})" if change.other else ""
    return f"{change.cause}: {CAUSES.get(change.cause, '')}{other}"


def _shown(news: Sequence[Change]) -> list[Change]:
    """Return the changes that are listed: gained ones first, significant ones first among them."""
    return sorted(news, key=lambda change: (_ORDER[change.change], not change.significant))[:ROWS]


def _line(text: str) -> str:
    """Return foreign text as one line without control characters."""
    plain = " ".join("".join(sign if sign.isprintable() else " " for sign in text).split())
    return plain if len(plain) <= LONGEST else f"{plain[: LONGEST - 1]}…"
