"""The rules by name: those of the program, and those of installed packages."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from types import MappingProxyType
from typing import Final

from swgui.core.rules.base import Rule
from swgui.core.rules.rule import RULES

GROUP: Final = "swgui.rules"  # of entry points: classes of rules


@cache
def rules() -> Mapping[str, type[Rule]]:
    """Return all rules by name, those of installed packages behind the program's own."""
    from swgui.packages import entry_points  # here: most programs that know rules offer none

    found = dict(RULES)
    for entry in entry_points(GROUP):
        rule: type[Rule] = entry.load()
        found.setdefault(rule.name, rule)
    return MappingProxyType(found)
