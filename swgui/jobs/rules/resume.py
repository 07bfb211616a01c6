"""Keep the scanned blocks of a search by rule, and continue from them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

import swgui
from swgui.core.plain import from_plain
from swgui.core.rules.places import Places
from swgui.io.saved.log import Arrays, Log
from swgui.io.saved.resuming import log_at
from swgui.jobs.rules.blocks import Block
from swgui.jobs.rules.run import RuleRun, query_facts, rule_facts, topology_facts

REMEDY: Final = "name another file with --checkpoint"


@contextmanager
def kept_state(path: str | None, run: RuleRun) -> Iterator[Callable[[RuleRun], None]]:
    """Give a run what a file holds of it, and what keeps its blocks there (`RuleRun.scan_all`); nothing without a path.

    Raises
    ------
    LogError, FileNotWritten
        As `log_at`.
    """
    if not path:
        yield lambda run: None
        return
    with closing(log_at(Path(path), "rule", asked(run), REMEDY)) as state:
        for facts, columns in state.entries():
            take_block(run, facts, columns)
        yield lambda run: add_block(state, run)


def add_block(state: Log, run: RuleRun) -> None:
    """Keep the block that a run scanned last."""
    state.add(*kept_block(run, -1))


def kept_block(run: RuleRun, number: int) -> tuple[dict[str, Any], Arrays]:
    """Return the record of a block: its facts, and the columns of its places."""
    places = run.places[number]
    columns = {name: getattr(places, name) for name in Places.__dataclass_fields__}
    return {"block": asdict(run.blocks[number]), "seconds": run.seconds}, columns


def take_block(run: RuleRun, facts: Mapping[str, Any], columns: Arrays) -> None:
    """Give a run a block that was kept, with the columns of its places."""
    block = from_plain(Block, facts["block"])
    run.blocks.append(block)
    run.places.append(Places.of(block.found, **columns))
    run.seconds = facts["seconds"]


def asked(run: RuleRun) -> dict[str, Any]:
    """Return the request, by the names that messages give a difference."""
    rule = rule_facts(run.request)
    content, circular = run.database.checksum, topology_facts(run.request, run.database)  # which the checksum lacks
    return {
        "another rule": [rule["name"], rule["parameters"]],
        "other queries": query_facts(run.request)["sha256"],
        "another database": [content, circular] if circular else content,
        "another reading of ambiguous residues": f"{rule['ambiguous_residues']}{', I = L' * ('equate_il' in rule)}",
        "other strands": rule["strands"],
        "other frames": [run.request.frames, run.request.code],
        "another version of this program": swgui.__version__,
    }
