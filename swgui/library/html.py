"""Results as a notebook shows them."""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Final

from swgui.core.words import format_evalue

if TYPE_CHECKING:
    from swgui.library.hits import Hits

_SHOWN: Final = 20  # hits
_DESCRIPTION: Final = "description"


def hits_as_html(hits: Hits, notes: Sequence[str]) -> str:
    """Return a summary, and the first hits as a table; the query is named where there are several."""
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
    heads = ("query", "rank", "subject", _DESCRIPTION, "score", "bits", "E")
    first = 0 if len(hits.result.queries) > 1 else 1
    left = len(hits) - len(shown)
    more = [f"{left:,} more {'hit is' if left == 1 else 'hits are'} not shown."] if left else []
    return as_html(repr(hits).strip("<>"), heads[first:], [row[first:] for row in rows], [*more, *notes])


def as_html(title: str, heads: Sequence[str], rows: Iterable[Sequence[str]], notes: Iterable[str]) -> str:
    """Return a title, a table and notes below it; all texts are escaped, and only descriptions break into lines."""
    head = "".join(f"<th>{html.escape(text)}</th>" for text in heads)
    opening = ["<td>" if text == _DESCRIPTION else '<td style="white-space: nowrap">' for text in heads]
    body = "".join(
        "<tr>" + "".join(f"{td}{html.escape(text)}</td>" for td, text in zip(opening, row, strict=True)) + "</tr>"
        for row in rows
    )
    below = "".join(f"<p>{html.escape(note)}</p>" for note in notes)
    table = f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
    return f"<div><p><b>{html.escape(title)}</b></p>{table}{below}</div>"
