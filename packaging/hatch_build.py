"""Puts the documentation into the wheel: as HTML if it was built, otherwise its Markdown source."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class DocumentationHook(BuildHookInterface):
    """Adds `swgui/_docs` to a wheel."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Name the folder; an editable installation finds it in the checkout."""
        if version == "editable":
            return
        built = Path(self.root) / "build" / "docs" / "html"
        source = Path(self.root) / "docs"
        build_data["force_include"][str(built if (built / "index.html").is_file() else source)] = "swgui/_docs"
