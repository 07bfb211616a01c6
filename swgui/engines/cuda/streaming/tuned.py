"""The program's own kernel with a tile the user has set; what is left open is chosen as always."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from swgui.core.scoring import EncodedQuery, ScoringScheme
from swgui.engines.cuda.card import Card
from swgui.engines.cuda.scans import Slot
from swgui.engines.cuda.streaming.launch import QueryPlan, plan_queries
from swgui.engines.cuda.streaming.layout import DatabaseLayout
from swgui.engines.cuda.streaming.search import StreamingSearch
from swgui.engines.cuda.streaming.variants import fastest_tile

TILE: Final = ("lanes", "rows", "threads")


def plan_with(
    settings: Mapping[str, str],
    indices: Sequence[int],
    queries: Sequence[EncodedQuery],
    scheme: ScoringScheme,
    card: Card,
    layout: DatabaseLayout | None,
) -> tuple[QueryPlan, tuple[str, ...]]:
    """Plan as `plan_queries` does, with the tile as far as it is set; and say what could not be done.

    Parameters
    ----------
    settings : Mapping[str, str]
        Of the method ``streaming``, checked, without those left to ``auto``.
    """
    plan = plan_queries(indices, queries, scheme, card, layout)
    wanted = {name: int(settings[name]) for name in TILE if name in settings}
    if not wanted:
        return plan, ()
    tile = fastest_tile(plan.length, plan.arithmetic, card.shared_limit, wanted=wanted)
    if tile is None:
        asked = ", ".join(f"{name} {value}" for name, value in wanted.items())
        return plan, (f"A tile with {asked} does not fit the shared memory of this GPU: the tile is chosen freely.",)
    return replace(plan, tile=tile), ()


class TunedSearch(StreamingSearch):
    """Scores chunks by the program's own kernel, with tile and streams as the user set them."""

    settings: Mapping[str, str] = {}

    def plan(
        self,
        indices: tuple[int, ...],
        queries: Sequence[EncodedQuery],
        scheme: ScoringScheme,
        layout: DatabaseLayout | None,
    ) -> QueryPlan:
        """Choose how one query, or two at once, will be scored."""
        return plan_with(self.settings, indices, queries, scheme, self.card, layout)[0]

    def slots(self) -> list[Slot]:
        """Return the slots, made when first needed."""
        wanted = int(self.settings.get("streams", 0))
        return self.some_slots(wanted) if wanted else super().slots()
