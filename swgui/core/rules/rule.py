"""The rules of the program by name; `swgui.jobs.rules.known` has those of installed packages, too."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from swgui.core.rules.base import Rule
from swgui.core.rules.edits import Edits
from swgui.core.rules.guides import Guides
from swgui.core.rules.identity import Identity
from swgui.core.rules.peptides import Mismatches
from swgui.core.rules.primers import Primers
from swgui.core.rules.window import Window
from swgui.core.rules.words import Words

RULES: Final[Mapping[str, type[Rule]]] = {
    rule.name: rule for rule in (Mismatches, Edits, Identity, Window, Words, Guides, Primers)
}
