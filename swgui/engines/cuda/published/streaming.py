"""The program's own kernel with a tile the user has set; what is left open is chosen as always."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

from swgui.core.scoring import EncodedQuery, ScoringScheme
from swgui.engines.cuda.card import Card
from swgui.engines.cuda.streaming.launch import QueryPlan, Slot, plan_queries
from swgui.engines.cuda.streaming.layout import DatabaseLayout
from swgui.engines.cuda.streaming.variants import ALL_LANES, LANES_COST, PASS_ROWS, Arithmetic, Tile, rates
from swgui.engines.cuda.streaming.worker import Worker

TILE: Final = ("lanes", "rows", "threads")
LETTER_STRIDE: Final = 0x7FFF  # a 16-bit number in the kernel


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
    tile = wanted_tile(plan.length, plan.arithmetic, card.shared_limit, wanted)
    if tile is None:
        asked = ", ".join(f"{name} {value}" for name, value in wanted.items())
        return plan, (f"A tile with {asked} does not fit the shared memory of this card: the tile is chosen freely.",)
    return replace(plan, tile=tile), ()


def wanted_tile(length: int, arithmetic: Arithmetic, shared_limit: int, wanted: Mapping[str, int]) -> Tile | None:
    """Return the tile with the least estimated time among those that are as wanted; None if none fits.

    Parameters
    ----------
    length : int
        Residues of the query.
    arithmetic : Arithmetic
    shared_limit : int
        Bytes of shared memory a block may have.
    wanted : Mapping[str, int]
        Values for some of `TILE`.
    """
    best: tuple[float, Tile] | None = None
    for speed, tile in _tiles(arithmetic, wanted):
        if tile.shared_bytes(arithmetic) > shared_limit or tile.letter_stride() > LETTER_STRIDE:
            continue
        count = max(1, -(-length // tile.height))
        time = count * (tile.height + PASS_ROWS * (count > 1)) / speed * (1 + LANES_COST[tile.lanes])
        if best is None or time < best[0]:
            best = time, tile
    return best[1] if best else None


def _tiles(arithmetic: Arithmetic, wanted: Mapping[str, int]) -> Iterator[tuple[float, Tile]]:
    measured = rates(arithmetic)
    rows = wanted.get("rows", 0)
    if rows:  # what was measured at the next number of rows holds for this one
        nearest = min(measured, key=lambda rate: abs(rate.rows - rows))
        skew = rows if nearest.skew == nearest.rows or rows < nearest.skew else nearest.skew
        measured = (nearest._replace(rows=rows, skew=skew),)
    for rate in measured:
        for lanes in (wanted["lanes"],) if "lanes" in wanted else ALL_LANES:
            yield rate.speed, Tile(lanes, rate.rows, wanted.get("threads", rate.threads), rate.skew, rate.halves)


class TunedWorker(Worker):
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
        if not wanted:
            return super().slots()
        while len(self._slots) < wanted:
            self._slots.append(Slot(self.card))
        return self._slots[:wanted]
