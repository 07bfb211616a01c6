"""The choices of scores of a residue, as the window calls them."""

from __future__ import annotations

from typing import Final

from swgui.core.contexts import NO_CONTEXT, OWN_CONTEXT

CONTEXT_LABEL: Final = "Scores of a residue"
CONTEXT_CHOICES: Final = (("by itself", NO_CONTEXT), ("by its surroundings, too", OWN_CONTEXT))
PAIRS_BY_CONTEXT: Final = (
    "By its surroundings more distant relatives are joined: each pair is scored in both directions and has one E. It "
    "takes about four times as long."
)
