"""Other genome browsers: IGV on this computer, which takes a place, and JBrowse, whose page has one."""

from __future__ import annotations

import urllib.error
import urllib.request
from typing import Final
from urllib.parse import quote

from swgui.core.errors import InvalidParameter, SwguiError

IGV: Final = "http://localhost:60151"
SECONDS: Final = 5.0
_FIELDS: Final = ("{name}", "{first}", "{last}")


class BrowserError(SwguiError):
    """A genome browser that does not show a place."""


def show_in_igv(name: str, first: int, last: int, address: str = IGV) -> None:
    """Let IGV show a stretch; it must run on this computer with the genome loaded.

    Parameters
    ----------
    first, last : int
        Positions from 1, both included.

    Raises
    ------
    BrowserError
        If it does not answer.
    """
    locus = f"{quote(name, safe='')}:{first}-{last}"
    local = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with local.open(f"{address}/goto?locus={locus}", timeout=SECONDS) as answer:
            answer.read(1000)
    except (OSError, ValueError) as fault:
        raise BrowserError(
            f"IGV does not answer at {address}.",
            hint="Start IGV, load the genome, and allow port 60151 under View, Preferences, Advanced.",
        ) from fault


def jbrowse_page(template: str, name: str, first: int, last: int) -> str:
    """Return the address of a JBrowse page that shows a stretch.

    Parameters
    ----------
    template : str
        Address with ``{name}``, ``{first}`` and ``{last}`` in it.
    first, last : int
        Positions from 1, both included.

    Raises
    ------
    InvalidParameter
        If it is no address of a page, or has none of these fields.
    """
    if not template.startswith(("http://", "https://")) or not all(field in template for field in _FIELDS):
        raise InvalidParameter(
            "jbrowse",
            template,
            "The address of JBrowse must begin with http:// or https:// and have {name}, {first} and {last} in it.",
            hint="For example http://localhost:3000/?assembly=ecoli&loc={name}:{first}..{last}",
        )
    filled = quote(name, safe=""), str(first), str(last)
    for field, value in zip(_FIELDS, filled, strict=True):
        template = template.replace(field, value)
    return template
