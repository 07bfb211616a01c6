"""One word for every idea, one place for every sentence."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import swgui
from swgui.core import errors

ROOT = Path(swgui.__file__).parent
SHORT = 25  # letters; below it a text is a word or two, not a sentence


def sources() -> Iterator[tuple[Path, ast.Module]]:
    for path in sorted(ROOT.rglob("*.py")):
        yield path, ast.parse(path.read_text("utf-8"))


def text_of(node: ast.expr) -> str:
    """Return a text with {} for what is filled in; empty for what is no text."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(part.value if isinstance(part, ast.Constant) else "{}" for part in node.values)
    if isinstance(node, ast.BinOp):
        return text_of(node.left) + text_of(node.right)
    return ""


def error_classes() -> set[str]:
    """Return the names of all errors that users meet."""
    bases = {
        node.name: {base.id for base in node.bases if isinstance(base, ast.Name)}
        for _, tree in sources()
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef)
    }
    found = {errors.SwguiError.__name__}
    while more := {name for name, of in bases.items() if of & found} - found:
        found |= more
    return found


def test_the_sentence_of_an_error_stands_in_one_file():
    names = error_classes()
    where: dict[str, set[str]] = defaultdict(set)
    for path, tree in sources():
        for node in ast.walk(tree):
            if not isinstance(node, ast.Call):
                continue
            called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            if called in names:
                for argument in node.args:
                    text = text_of(argument)
                    if len(text) >= SHORT and " " in text:
                        where[text].add(path.relative_to(ROOT).as_posix())
    assert len(where) > 150
    assert {text: sorted(files) for text, files in where.items() if len(files) > 1} == {}
