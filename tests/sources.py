"""Syntax trees of modules."""

import ast
import gc
from collections.abc import Iterator
from functools import cache
from pathlib import Path

STATEMENTS = "body", "orelse", "finalbody", "handlers", "cases"


@cache
def tree_of(path: Path) -> ast.Module:
    """Return the tree of a module, none of it garbage, to look for which takes three times as long as to parse."""
    collecting = gc.isenabled()
    gc.disable()
    tree = ast.parse(path.read_text("utf-8"))
    gc.freeze()
    if collecting:
        gc.enable()
    return tree


@cache
def nodes_of(path: Path) -> list[ast.AST]:
    """Return all nodes of a module."""
    collecting = gc.isenabled()
    gc.disable()
    nodes = list(ast.walk(tree_of(path)))
    gc.freeze()
    if collecting:
        gc.enable()
    return nodes


def statements_of(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the statements of a node and those in them, without expressions, which are most of a tree."""
    for field in STATEMENTS:
        for one in getattr(node, field, ()):
            yield one
            yield from statements_of(one)
