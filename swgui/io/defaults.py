"""Defaults of a site: a TOML file with values for the options of commands."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from swgui.core.errors import InvalidParameter, reason_of


def read_defaults(path: Path) -> tuple[dict[str, Any], dict[str, dict[str, Any]]]:
    """Values for all commands, and those for one command by its name; options are named without dashes before them.

    Raises
    ------
    InvalidParameter
        If the file cannot be read, or is no TOML of this kind.
    """
    import tomllib  # here: few have such a file

    try:
        with open(path, "rb") as file:
            values = tomllib.load(file)
    except OSError as fault:
        message = f"The file of defaults '{path}' cannot be read: {reason_of(fault)}."
        raise InvalidParameter("config", str(path), message) from fault
    except ValueError as fault:
        message = f"The file of defaults '{path}' is no TOML: {fault}."
        raise InvalidParameter("config", str(path), message) from fault
    everywhere = {name: value for name, value in values.items() if not isinstance(value, dict)}
    return everywhere, {name: value for name, value in values.items() if isinstance(value, dict)}
