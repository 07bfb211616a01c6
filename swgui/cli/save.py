"""``--save``: the whole search in one file."""

from __future__ import annotations

import argparse
from pathlib import Path

from swgui.core.database import EncodedDatabase
from swgui.core.results import SearchResult
from swgui.io.saved_search import save_search
from swgui.search import SearchRequest


def add_save_argument(group: argparse._ArgumentGroup) -> None:
    """Declare ``--save``, for commands that search."""
    group.add_argument(
        "--save", metavar="FILE.swgui", help="also write the whole search, to be opened by 'swgui show' or the window"
    )


def save_result(result: SearchResult, request: SearchRequest, path: Path) -> None:
    """Write a search to a file."""
    place = None if isinstance(request.database, EncodedDatabase) else request.database
    save_search(result, path, database_path=place)
