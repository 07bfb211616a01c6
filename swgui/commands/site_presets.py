"""Defaults of the site in the window: a preset for each kind of sequence, and the settings of a user's first start."""

from __future__ import annotations

import argparse
import os
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from swgui.commands.binding import asked, replaced
from swgui.commands.option import options_of
from swgui.commands.presets import Preset, settings_of
from swgui.commands.scoring import SCORING, choose_scheme
from swgui.commands.search import bound_options, search_options
from swgui.commands.site import changed_at, command_defaults
from swgui.commands.table import COMMANDS
from swgui.core.alphabet import ALPHABETS
from swgui.core.errors import InvalidParameter, SwguiError
from swgui.core.search import Search
from swgui.io.saved.facts import plain_changes

if TYPE_CHECKING:
    from swgui.settings import Settings

ID: Final = "site"
TITLE: Final = "Default of this site"


def take_site_defaults(stored: Settings, path: Path) -> None:
    """Give the settings of a user who starts the window for the first time the site's values for searches.

    A mistake in the file of defaults becomes one of the `problems` of the settings.
    """
    try:
        given = _given(path)
    except InvalidParameter as error:
        stored.problems.append(str(error))
        return
    for preset in site_presets(path):
        preset.apply(settings_of(stored.search, preset.kind))
    stored.search.engine = given.get("engine") or stored.search.engine
    stored.search.device = given.get("device") or stored.search.device
    stored.devices.threads = given.get("threads") or stored.devices.threads
    stored.devices.method = given.get("method") or stored.devices.method
    first = next(iter(given.get("database") or ()), "")
    if os.path.exists(first):
        stored.remember_database(Path(first))


def site_presets(path: Path) -> tuple[Preset, ...]:
    """Return a preset for each kind of sequence with the scoring and limits in a file of defaults; none without any."""
    try:
        return _presets(path, changed_at(path))
    except InvalidParameter:
        return ()


@lru_cache(maxsize=2)
def _presets(path: Path, _changed: int) -> tuple[Preset, ...]:
    given = _given(path)
    return tuple(made for kind in ("protein", "nucleotide") if (made := _preset(path, kind, given)) is not None)


def _given(path: Path) -> dict[str, Any]:
    """Return the values in a file for options of a search, by `Option.key`; errors as of `command_defaults`."""
    return {option.key: value for option, value in command_defaults(path, COMMANDS["search"])}


def _preset(path: Path, kind: str, given: Mapping[str, Any]) -> Preset | None:
    scored, bound = {option.key for option in SCORING.options}, tuple(bound_options())
    if not {*given} & {*scored, *(option.key for option in bound)}:
        return None
    arguments = argparse.Namespace(**{option.key: given.get(option.key) for option in options_of(search_options())})
    alphabet = ALPHABETS[kind]
    try:
        scheme = choose_scheme(arguments, alphabet)
    except SwguiError:  # scores of the other kind of sequence: its limits hold nevertheless
        vars(arguments).update(dict.fromkeys(scored))
        scheme = choose_scheme(arguments, alphabet)
    usual = Search(scheme=scheme, strand="both" if alphabet.complements else "plus")
    search = plain_changes(replaced(usual, asked(bound, arguments)))
    first = arguments.gap_rule == "first"
    gaps = scheme.gap_first if first else scheme.gap_open, scheme.gap_extend
    note = f"The defaults of this site, from {path}."
    matrix = arguments.matrix or scheme.matrix.name
    return Preset(ID, TITLE, kind, matrix, *gaps, note, "first" if first else "blast", search)
