"""Results as a notebook shows them."""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Final

from swgui.core.words import format_evalue

if TYPE_CHECKING:
    from swgui.library.hits import Hits

_SHOWN: Final = 20  # hits


def hits_as_html(hits: Hits, notes: Sequence[str]) -> str:
    """Return a summary, and the first hits as a table."""
    shown = hits[:_SHOWN]
    rows = [
        (
            hit.query_id,
            str(hit.rank),
            hit.id,
            hit.description,
            f"{hit.score:,}",
            "" if hit.bit_score != hit.bit_score else f"{hit.bit_score:.1f}",
            format_evalue(hit.log10_evalue) or "",
        )
        for hit in shown
    ]
    heads = ("query", "rank", "subject", "description", "score", "bits", "E")
    more = [f"{len(hits) - len(shown):,} more hits are not shown."] if len(hits) > len(shown) else []
    return as_html(repr(hits).strip("<>"), heads, rows, [*more, *notes])


def as_html(title: str, heads: Sequence[str], rows: Iterable[Sequence[str]], notes: Iterable[str]) -> str:
    """Return a title, a table and notes below it; all texts are escaped."""
    head = "".join(f"<th>{html.escape(text)}</th>" for text in heads)
    body = "".join("<tr>" + "".join(f"<td>{html.escape(text)}</td>" for text in row) + "</tr>" for row in rows)
    below = "".join(f"<p>{html.escape(note)}</p>" for note in notes)
    table = f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
    return f"<div><p><b>{html.escape(title)}</b></p>{table}{below}</div>"
