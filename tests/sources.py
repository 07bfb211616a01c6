"""Syntax trees of modules."""

import ast
import gc
from pathlib import Path


def tree_of(path: Path) -> ast.Module:
    """Return the tree of a module, none of it garbage, to look for which takes three times as long as to parse."""
    collecting = gc.isenabled()
    gc.disable()
    tree = ast.parse(path.read_text("utf-8"))
    if collecting:
        gc.enable()
    return tree
