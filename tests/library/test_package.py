"""The promises of ``import swgui``: the names, and their types."""

from __future__ import annotations

import ast
import inspect
import re

import pytest

import swgui
from tests.scripts import load_script


def stub(repository):
    return ast.parse((repository / "swgui" / "__init__.pyi").read_text("utf-8"))


def test_type_checkers_are_told_the_same_names(repository):
    parsed = stub(repository)
    imported = {
        alias.name: node.module
        for node in ast.walk(parsed)
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
        if alias.name in swgui.__all__
    }
    defined = {node.name for node in parsed.body if isinstance(node, ast.FunctionDef)}
    assert imported == {name: home for name, home in swgui._HOMES.items() if name not in defined}
    assert imported.keys() | defined == swgui._HOMES.keys()
    listed = next(
        ast.literal_eval(node.value)
        for node in ast.walk(stub(repository))
        if isinstance(node, ast.Assign) and node.targets[0].id == "__all__"
    )
    assert sorted(listed) == sorted(swgui.__all__)
    assert (repository / "swgui" / "py.typed").is_file()


@pytest.mark.parametrize("name", sorted(swgui._HOMES))
def test_every_name_is_there_and_described(name):
    found = getattr(swgui, name)
    assert found.__name__ == name
    assert inspect.getdoc(found)
    assert name in dir(swgui)


def test_every_public_method_is_described():
    missing = [
        f"{name}.{method}"
        for name in swgui._HOMES
        if inspect.isclass(getattr(swgui, name))
        for method, function in vars(getattr(swgui, name)).items()
        if not method.startswith("_") and callable(function) and not inspect.getdoc(function)
    ]
    assert missing == []


def test_errors_are_of_one_class():
    errors = [
        name
        for name in swgui._HOMES
        if inspect.isclass(getattr(swgui, name)) and issubclass(getattr(swgui, name), Exception)
    ]
    assert len(errors) > 10
    assert [name for name in errors if not issubclass(getattr(swgui, name), (swgui.SwguiError, Warning))] == []


def test_what_is_not_there_is_said():
    with pytest.raises(AttributeError, match="no attribute 'serch'"):
        _ = swgui.serch


def test_type_checkers_know_every_keyword(repository):
    """If this fails: packaging/manual/signatures.py writes the file anew."""
    script = load_script(repository / "packaging" / "manual" / "signatures.py")
    text = (repository / "swgui" / "__init__.pyi").read_text("utf-8")
    assert text == script.stub(text)
    assert 'strand: Literal["' in text
    assert re.search(r"def msa\((?:\n    .*)*\n    complex: Literal", text)


def test_the_page_on_stability_lists_every_name(repository):
    page = (repository / "docs" / "reference" / "stability.md").read_text("utf-8")
    functions, classes, errors = re.findall(r"^\* the ((?:.+\n)(?:  .+\n)*)", page, re.MULTILINE)
    found = {name: getattr(swgui, name) for name in swgui._HOMES}
    wrong = {name for name, one in found.items() if inspect.isclass(one) and issubclass(one, Exception)}
    plain = {name for name, one in found.items() if not inspect.isclass(one)}
    listed = [re.findall(r"`(\w+)`", text) for text in (functions, classes, errors)]
    assert listed[0] == sorted(plain)
    assert listed[1] == sorted(found.keys() - wrong - plain)
    assert sorted(listed[2]) == sorted(wrong)
