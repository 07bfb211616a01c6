"""Writes the reference page of ``import swgui`` from the docstrings of what it lists."""

from __future__ import annotations

import inspect
from collections.abc import Iterable

INTRODUCTION = """# Python

Everything that `import swgui` offers. [From Python](../howto/python.md) has examples;
[what stays stable](stability.md) lists what later versions keep.
"""


def python_page() -> str:
    """Return the page."""
    import swgui

    found = {name: getattr(swgui, name) for name in swgui.__all__ if name != "__version__"}
    classes = {name: one for name, one in found.items() if inspect.isclass(one)}
    errors = [name for name, one in classes.items() if issubclass(one, Exception)]
    parts = (
        ("Functions", "autofunction", [name for name in found if name not in classes], ""),
        ("Results and databases", "autoclass", [name for name in classes if name not in errors], "   :members:\n"),
        ("Errors", "autoexception", errors, "   :show-inheritance:\n"),
    )
    return "\n".join([INTRODUCTION, *(section(*part) for part in parts)])


def section(title: str, directive: str, names: Iterable[str], options: str) -> str:
    """Return a section with the documentation of some names."""
    blocks = "\n".join(f".. {directive}:: swgui.{name}\n{options}" for name in names)
    return f"## {title}\n\n```{{eval-rst}}\n{blocks}\n```\n"
