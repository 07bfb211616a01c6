"""Saved searches and journals of format 1, whose parameters lie on one level, in the nested keys of format 2."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Final

from swgui.core.alphabet import ALPHABETS
from swgui.core.errors import SwguiError
from swgui.core.profiles.log_odds import IN_UNITS, UNITS_PER_BIT, plain_letters
from swgui.core.statistics.background import background, ungapped_lambda
from swgui.io.matrices import load_matrix

_LIMITS: Final = ("top", "max_evalue", "effective_residues", "minimums")
_SAME: Final = ("strand", "translation", "query_range", "mask", "beside", "iteration", "engine", "keep_scores")
_WITHOUT: Final = {"composition": "none", "max_hsps": 1}  # where a file of that time says nothing


def search_values(flat: Mapping[str, Any], scheme: Mapping[str, Any]) -> dict[str, Any]:
    """Return a search as format 2 has it, of keys of one level."""
    values = {name: flat[name] for name in _SAME if name in flat}
    return values | {
        "scheme": scheme,
        "limits": {name: flat[name] for name in _LIMITS if name in flat},
        "organisms": {"only": flat.get("organisms", ()), "without": flat.get("exclude_organisms", ())},
        "options": {
            "devices": flat.get("engine_devices", ()),
            "threads": flat.get("threads", 0),
            "settings": flat.get("settings", {}),
        },
        **{name: flat.get(name, usual) for name, usual in _WITHOUT.items()},
    }


def new_manifest(manifest: Mapping[str, Any]) -> dict[str, Any]:
    """Return the manifest of a saved search of format 1 as one of format 2."""
    scheme, result = manifest["scheme"], manifest["result"]
    asked = {**(manifest["database"].get("part") or {}), **result, **(manifest.get("request") or {}), "mask": False}
    named = _asked_scheme(scheme) if asked.get("iteration") else scheme
    return {**manifest, "search": search_values(result, scheme), "asked": search_values(asked, named)}


def new_journal(facts: Mapping[str, Any]) -> dict[str, Any]:
    """Return the facts at the beginning of a journal of either format in the keys of format 2."""
    return {**facts, "search": search_values(facts, facts["scheme"])} if "search" not in facts else dict(facts)


def _asked_scheme(scheme: Mapping[str, Any]) -> dict[str, Any]:
    """Return the scheme of rounds, saved in the units of profiles, with the requested matrix and costs in its units.

    The requested costs are not in the file: rounds take those of their recipe.
    """
    name, of_profiles, _ = scheme["matrix"].partition(IN_UNITS)
    try:
        matrix = load_matrix(name, ALPHABETS[scheme["alphabet"]]) if of_profiles else None
    except (SwguiError, OSError):
        matrix = None
    if matrix is None:
        return dict(scheme)
    letters, chance = plain_letters(matrix.alphabet), background(matrix.alphabet)
    scale = ungapped_lambda(matrix.scores[:letters, :letters], chance[:letters]) or 1.0
    unit = math.log(2) / UNITS_PER_BIT / scale
    costs = {key: round(scheme[key] * unit) for key in ("first", "further")}
    return {**scheme, "matrix": name, "scores": matrix.scores.tolist(), **costs}
