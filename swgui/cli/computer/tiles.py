"""``swgui bench --tune``: the tiles of the program's own kernel, measured on the GPU at hand."""

from __future__ import annotations

import argparse
import json
import sys
from typing import Final

from swgui.cli.running import say
from swgui.commands.common import PARTIAL
from swgui.core.errors import InvalidParameter, Stopped
from swgui.core.plain import plain
from swgui.core.signals import stop_on_interrupt
from swgui.core.sweep.tile_rates import TITLES, TileRates, sentence
from swgui.core.words import count
from swgui.engines.facts import GPU
from swgui.engines.registry import resolve
from swgui.io.outputs import check_outputs
from swgui.io.sequences.sources import STANDARD
from swgui.io.tile_rates import forget_rates
from swgui.io.whole_file import save_text
from swgui.jobs.events import Foretold, Stage, run_to_end
from swgui.jobs.tiles.run import TileDone, TileRequest, tile_steps

OF_SWEEPS: Final = ("sweep", "settings", "database", "watts", "csv", "keep", "use")
SHOWN_EVERY: Final = 50  # variants between two lines of progress


def run(given: argparse.Namespace) -> int:
    """Measure the tiles of a GPU and use them from now on, or forget what was measured; returns the exit status."""
    _refuse_others(given)
    if given.forget_tune:
        gpus = forget_rates()
        print(
            f"Measured tiles of {count(gpus, 'GPU')} are forgotten; those that came with the program are used."
            if gpus
            else "No tiles were measured here."
        )
        return 0
    document = None if given.json == STANDARD else given.json
    check_outputs({"json": document}, ())
    engine = next((name for name in resolve(given.engine) if name == GPU.name), given.engine)
    request = TileRequest(
        GPU.name if engine == "auto" else engine, given.device, given.budget, given.repeats, given.residues
    )
    found = _measured(request)
    if found is None:
        say("stopped: nothing is kept.")
        return PARTIAL
    if given.json == STANDARD:
        print(json.dumps(plain(found), indent=1))
    else:
        print(table(found))
        print(f"{sentence(found)} Searches on this GPU use them from now on.")
    if document:
        save_text(document, lambda file: json.dump(plain(found), file, indent=1))
    return 0


def _refuse_others(given: argparse.Namespace) -> None:
    """Refuse the options of a sweep.

    Raises
    ------
    InvalidParameter
    """
    if given.tune and given.forget_tune:
        raise InvalidParameter("forget-tune", "", "--tune and --forget-tune exclude each other.")
    for name, value in ((name, getattr(given, name)) for name in OF_SWEEPS):
        if value not in (None, False, 0.0, "", []):
            option = f"--{'set' if name == 'settings' else name}"
            raise InvalidParameter(name, value, f"{option} belongs to a sweep; the tiles are measured without it.")


def _measured(request: TileRequest) -> TileRates | None:
    def hear(event: object) -> None:
        if isinstance(event, Foretold):
            say(event.sentence)
        elif isinstance(event, Stage) and not event.done:
            print(f"{event.name} ...", file=sys.stderr, flush=True)
        elif isinstance(event, TileDone) and event.done % SHOWN_EVERY == 0:
            print(f"{event.done:6} of {event.total}", file=sys.stderr, flush=True)

    with stop_on_interrupt() as cancel:
        try:
            return run_to_end(tile_steps(request, cancel), hear)
        except Stopped:
            return None


def table(found: TileRates) -> str:
    """Return the fastest height of each family as a table."""
    lines = [f"{'tiles of':<40}{'heights':>8}{'fastest rows':>14}{'threads':>9}{'GCUPS':>9}"]
    for family, rates in found.rates.items():
        best = max(rates, key=lambda rate: rate.speed)
        lines.append(f"{TITLES[family]:<40}{len(rates):>8}{best.rows:>14}{best.threads:>9}{1000 * best.speed:>9,.0f}")
    return "\n".join(lines)
