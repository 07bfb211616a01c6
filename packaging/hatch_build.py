"""Files of an installation other than the sources: compiled library, documentation, and the commit they are from."""

from __future__ import annotations

import os
import re
import runpy
import sys
import sysconfig
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

sys.path.insert(0, str(Path(__file__).resolve().parent))
import native
import plain_manual


class InstallationHook(BuildHookInterface):
    """Compiles the CPU library; adds it and `swgui/_docs` to a wheel.

    By the compiler there is, for this computer, else by zig, which pip fetches for the time of the build. The wheels
    that are given away are made by zig against an old C library: `SWGUI_TARGET` names their platform, as
    ``native.py --target`` does. Without any compiler the installation is complete, and slower.
    """

    def dependencies(self) -> list[str]:
        """Return zig where it is needed."""
        if self._target() not in native.TARGETS or (not self._portable() and native.system_compiler()):
            return []
        return [native.ZIG]

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile, and name the files; an editable installation finds all of them in the checkout."""
        if self.target_name == "wheel":
            self._add_to_wheel(version, build_data)
        else:
            self._add_reference(build_data)
        package = Path(self.root) / "swgui"
        if version == "editable" or (package / "_commit.txt").exists():  # a source distribution has it
            return
        if commit := runpy.run_path(str(package / "version.py"))["commit"]():
            told = Path(self.root) / "build" / "commit.txt"
            told.parent.mkdir(exist_ok=True)
            told.write_text(commit + "\n")
            build_data["force_include"][str(told)] = "swgui/_commit.txt"

    def _add_reference(self, build_data: dict[str, Any]) -> None:
        """Add the reference pages to a source distribution, so that wheels made of it have them."""
        made = Path(self.root) / "build" / "docs" / "reference"
        if plain_manual.write_reference(made):
            for page in made.glob("*.md"):
                build_data["force_include"][str(page)] = f"docs/reference/{page.name}"

    def _add_to_wheel(self, version: str, build_data: dict[str, Any]) -> None:
        library = self._library()
        if version == "editable":
            return
        built = Path(self.root) / "build" / "docs" / "html"
        share = built.parent / "share"
        for file in share.rglob("*"):
            if file.is_file():
                build_data["shared_data"][str(file)] = f"share/{file.relative_to(share).as_posix()}"
        if not (built / "index.html").is_file():
            built = plain_manual.write_manual(built.parent / "plain")
        build_data["force_include"][str(built)] = "swgui/_docs"
        build_data["force_include"][str(library)] = f"swgui/engines/native/_build/{library.name}"
        own = re.sub(r"[-.]", "_", sysconfig.get_platform())
        build_data["pure_python"] = False
        build_data["tag"] = f"py3-none-{native.TARGETS[self._target()].tag if self._portable() else own}"

    def _portable(self) -> bool:
        """Whether the wheel is for others than this computer."""
        return bool(os.environ.get("SWGUI_TARGET"))

    def _target(self) -> tuple[str, str]:
        cpu, _, system = os.environ.get("SWGUI_TARGET", "").partition("-")
        return (cpu, system) if cpu else native.naming().this_target()

    def _library(self) -> Path:
        """Compile the library, which everything on the CPU needs; `NoCompiler` says why it cannot be."""
        if not self._portable():
            return native.build()
        name = native.library_path(self._target()).name
        return native.build(self._target(), compiler="zig", into=Path(self.root) / "build" / "native" / name)
