"""Results as a notebook shows them: a table or a text in HTML."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

_DESCRIPTION: Final = "description"


def as_html(title: str, heads: Sequence[str], rows: Iterable[Sequence[str]], remarks: Iterable[str]) -> str:
    """Return a title, a table and remarks below it; all texts are escaped, and only descriptions break into lines."""
    import html  # here: for notebooks

    head = "".join(f"<th>{html.escape(text)}</th>" for text in heads)
    opening = ["<td>" if text == _DESCRIPTION else '<td style="white-space: nowrap">' for text in heads]
    body = "".join(
        "<tr>" + "".join(f"{td}{html.escape(text)}</td>" for td, text in zip(opening, row, strict=True)) + "</tr>"
        for row in rows
    )
    below = "".join(f"<p>{html.escape(remark)}</p>" for remark in remarks)
    table = f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
    return f"<div><p><b>{html.escape(title)}</b></p>{table}{below}</div>"


def in_html(text: str) -> str:
    """Return a text whose lines and columns stay as they are."""
    import html  # here: for notebooks

    return f"<pre>{html.escape(text)}</pre>"
