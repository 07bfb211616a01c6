"""Results of saved runs: a file of any kind of run as the result that its function returned."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from swgui.core.errors import NotFound
from swgui.jobs.kind import kinds
from swgui.library.kinds import RunResult
from swgui.runs.plain import Kept
from swgui.runs.store import Runs

if TYPE_CHECKING:
    from swgui.core.pair.result import PairResult
    from swgui.library.network import SequenceNetwork
    from swgui.library.pair import Pair
    from swgui.library.rule import RulePlaces


def open_result(name: str, path: Path) -> RunResult | RulePlaces | Pair | SequenceNetwork:
    """Open a run of a kind that was saved; a `SwguiError` says why it cannot be read."""
    kind = kinds().get(name)
    if kind is None:
        message = f"'{path.name}' is of a kind of run that is not installed: '{name}'."
        raise NotFound("kind", message, hint="Install the package that adds it.")
    runs = Runs().of(name)
    opened, inputs = runs.open_file(path), [("saved run", path)]
    inputs += [("database", Path(place)) for place in runs.inputs(opened) if place]
    return result_of(name, opened, inputs)


def result_of(
    name: str, opened: Any, inputs: list[tuple[str, Path]]
) -> RunResult | RulePlaces | Pair | SequenceNetwork:
    """Return the outcome of a run of a kind as its function returns it."""
    made = _MADE.get(name)
    return made(opened, inputs) if made is not None else RunResult(kinds()[name], opened, inputs=inputs)


def _rule(kept: Kept, inputs: list[tuple[str, Path]]) -> RulePlaces:
    from swgui.library.rule import RulePlaces  # here, as below: few saved runs are of this kind

    return RulePlaces(kept.asked, inputs)


def _pair(result: PairResult, inputs: list[tuple[str, Path]]) -> Pair:
    from swgui.library.pair import Pair

    return Pair(result, inputs=inputs)


def _network(kept: Kept, inputs: list[tuple[str, Path]]) -> SequenceNetwork:
    from swgui.library.network import SequenceNetwork

    return SequenceNetwork(kept.outcome.network, inputs)


_MADE: dict[str, Callable[[Any, list[tuple[str, Path]]], Any]] = {"rule": _rule, "pair": _pair, "network": _network}
