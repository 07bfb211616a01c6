"""Atom feeds (RFC 4287): entries that news readers and mail programs subscribe to."""

from __future__ import annotations

import html
import re
import uuid
from collections.abc import Sequence
from typing import Final, NamedTuple

MIME: Final = "application/atom+xml; charset=utf-8"
_NO_XML: Final = re.compile(r"[^\t\n\r\x20-\uD7FF\uE000-\uFFFD\U00010000-\U0010FFFF]")


class Entry(NamedTuple):
    """One entry: the same id and content whenever the feed is written again."""

    id: str  # as `urn_of` makes it
    title: str
    updated: str  # RFC 3339, with a time zone
    content: str  # XHTML, in which foreign text went through `escaped`


def escaped(text: str) -> str:
    """Return a text for XML: signs that XML lacks become the replacement character."""
    return html.escape(_NO_XML.sub("\N{REPLACEMENT CHARACTER}", text))


def urn_of(feed: uuid.UUID, name: str = "") -> str:
    """Return the id of a feed, or, with a name, of an entry of it."""
    return (uuid.uuid5(feed, name) if name else feed).urn


def feed_bytes(feed: uuid.UUID, title: str, subtitle: str, updated: str, entries: Sequence[Entry]) -> bytes:
    """Return a feed as a file has it, in UTF-8.

    Parameters
    ----------
    updated : str
        When the feed was changed last: RFC 3339, with a time zone.
    entries : sequence of Entry
        The newest first.
    """
    lines = [
        '<?xml version="1.0" encoding="utf-8"?>',
        '<feed xmlns="http://www.w3.org/2005/Atom">',
        f"<id>{urn_of(feed)}</id>",
        f"<title>{escaped(title)}</title>",
        f"<subtitle>{escaped(subtitle)}</subtitle>",
        f"<updated>{escaped(updated)}</updated>",
        "<author><name>swgui</name></author>",
        "<generator>swgui</generator>",
    ]
    for entry in entries:
        lines += [
            "<entry>",
            f"<id>{entry.id}</id>",
            f"<title>{escaped(entry.title)}</title>",
            f"<updated>{escaped(entry.updated)}</updated>",
            f'<content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml">{entry.content}</div></content>',
            "</entry>",
        ]
    return "\n".join([*lines, "</feed>", ""]).encode()
