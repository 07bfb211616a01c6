"""Ways of searching on a GPU: the user's choice of a method, and the settings of the method.

A method that is not the engine's own is computed by a module of its own, which its record names (`MethodModule`).
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Protocol, cast

from swgui.core.database import EncodedDatabase
from swgui.core.errors import InvalidParameter
from swgui.core.methods.base import AUTO, Method
from swgui.core.methods.search import SEARCH_METHODS, search_method
from swgui.core.plain import replace
from swgui.core.scoring import EncodedQuery, ScoringScheme
from swgui.engines.base import KernelUse
from swgui.engines.cuda.gpu import Gpu
from swgui.engines.cuda.scans import Slot
from swgui.engines.cuda.streaming.launch import QueryPlan, plan_queries
from swgui.engines.cuda.streaming.layout import DatabaseLayout
from swgui.engines.cuda.streaming.search import StreamingSearch
from swgui.engines.cuda.streaming.variants import fastest_tile

TILE: Final = ("lanes", "rows", "threads")
METHOD: Final = "method"
_NAMES: Final = frozenset(setting.name for method in SEARCH_METHODS.values() for setting in method.settings)


def plan_with(
    settings: Mapping[str, str],
    indices: Sequence[int],
    queries: Sequence[EncodedQuery],
    scheme: ScoringScheme,
    gpu: Gpu,
    layout: DatabaseLayout | None,
) -> tuple[QueryPlan, tuple[str, ...]]:
    """Plan as `plan_queries` does, with the tile as far as it is set; and return notes on impossible settings.

    Parameters
    ----------
    settings : Mapping[str, str]
        Settings of the method ``streaming``, checked, without those left to ``auto``.
    """
    plan = plan_queries(indices, queries, scheme, gpu, layout)
    wanted = {name: int(settings[name]) for name in TILE if name in settings}
    if not wanted:
        return plan, ()
    tile = fastest_tile(plan.length, plan.arithmetic, gpu.shared_limit, wanted=wanted, tables=gpu.tables)
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
        return plan_with(self.settings, indices, queries, scheme, self.gpu, layout)[0]

    def slots(self) -> list[Slot]:
        wanted = int(self.settings.get("streams", 0))
        return self.some_slots(wanted) if wanted else super().slots()


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


@dataclass(frozen=True, slots=True)
class UseTask:
    """One query on one GPU."""

    gpu: Gpu
    query: EncodedQuery
    scheme: ScoringScheme
    chosen: dict[str, str]
    database: EncodedDatabase | None
    layout: DatabaseLayout | None  # if it decides the tile

    @property
    def residues(self) -> int:
        """Residues of the database; 0 if unknown."""
        return self.database.residues if self.database is not None else 0


class MethodModule(Protocol):
    """Contents of the module of a method (`Method.module`)."""

    def make_search(
        self,
        gpu: Gpu,
        memory: int,
        host_memory: int = 0,
        *,
        twin_queries: bool,
        method: str,
        settings: Mapping[str, str],
    ) -> StreamingSearch:
        """Return the search on one GPU; as `make_search`."""

    def kernel_uses(self, task: UseTask, method: str) -> Iterator[KernelUse]:
        """Return the resources of a GPU in the launches for one query; compiles kernels if needed."""


def method_module(method: Method) -> MethodModule:
    """Import the module of a method that is not the engine's own."""
    return cast(MethodModule, importlib.import_module(method.module))


def make_search(
    gpu: Gpu,
    memory: int,
    host_memory: int,
    method: Method,
    *,
    twin_queries: bool,
    settings: Mapping[str, str],
) -> StreamingSearch:
    """Return the search on one GPU by a method.

    Parameters
    ----------
    settings : Mapping[str, str]
        Settings of the method, checked, without those left to ``auto``.
    """
    if method.module:
        make = method_module(method).make_search
        return make(gpu, memory, host_memory, twin_queries=twin_queries, method=method.name, settings=settings)
    if not settings:
        return StreamingSearch(gpu, memory, host_memory, twin_queries=twin_queries)
    tuned = TunedSearch(gpu, memory, host_memory, twin_queries=twin_queries)
    tuned.settings = dict(settings)
    return tuned
