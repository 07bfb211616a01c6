"""What is installed, told without importing it: an import costs as much as a small search."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path


def installed_version(package: str) -> str:
    """Return the version that stands in a package's record beside it; empty without the package or a record."""
    for folder in package_folders(package):
        if (notes := next(folder.parent.glob(f"{package}-*.dist-info"), None)) is not None:
            return notes.stem.removeprefix(f"{package}-")
    return ""


def package_folders(package: str) -> list[Path]:
    """Return where a package lies; nowhere if it is not installed."""
    spec = find_spec(package)
    return [Path(folder) for folder in spec.submodule_search_locations or ()] if spec is not None else []
