"""The user's settings of the cuda engine, divided: the method, what is the method's, what is the engine's."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from swgui.core.errors import InvalidParameter
from swgui.core.methods.base import AUTO, Method
from swgui.core.methods.search import SEARCH_METHODS, search_method

METHOD: Final = "method"
_NAMES: Final = frozenset(setting.name for method in SEARCH_METHODS.values() for setting in method.settings)


def divide(settings: Mapping[str, str]) -> tuple[Method, dict[str, str], dict[str, str]]:
    """Return the method, its settings (checked; without those left to ``auto``), and all others.

    Raises
    ------
    InvalidParameter
        If there is no such method, or one of its settings is given a value it cannot take.
    """
    method = search_method(settings.get(METHOD, AUTO))
    own = {name: value for name, value in settings.items() if name in _NAMES}
    method.check(own)
    chosen = {name: value for name, value in own.items() if value != AUTO}
    if "blocks" in chosen and "grid" in chosen:
        raise InvalidParameter(
            "grid",
            chosen["grid"],
            "Blocks are given per multiprocessor ('blocks') and in all ('grid').",
            hint="Leave one of them to auto.",
        )
    others = {name: value for name, value in settings.items() if name not in _NAMES and name != METHOD}
    return method, chosen, others
