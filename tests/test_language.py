"""One word for every idea, one place for every sentence."""

from __future__ import annotations

import ast
import itertools
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

import swgui
from swgui.core import errors
from tests.sources import nodes_of, statements_of, tree_of

ROOT = Path(swgui.__file__).parent
SHORT = 25  # letters; below it a text is a word or two, not a sentence

# Words that were given up, and what is said instead. In names of classes, functions, parameters and attributes:
RETIRED_NAMES = {
    "barred": "excluded",
    "falling": "descending",
    "foreign": "imported, or invalid",
    "further": "extend (of gap costs)",
    "likeness": "similarity",
    "processor": "cpu",
    "redone": "rescored",
    "rising": "ascending",
}
# First words of constants:
RETIRED_BOUNDS = {"LEAST": "MIN", "MOST": "MAX"}
# In texts of the window and in documents, as whole words:
RETIRED_WORDS = {
    "anew": "again",
    "barred": "excluded",
    "besides": "also, other than",
    "came in": "was included",
    "card": "GPU",
    "cards": "GPUs",
    "dealt": "distributed, shared",
    "deals out": "distributes",
    "for ever": "permanently",
    "foreign": "imported",
    "go on": "continue, resume",
    "goes on": "continues, is resumed",
    "going on": "running",
    "honest": "right, reliable",
    "honestly": "reliably",
    "in vain": "unnecessarily",
    "letter": "residue, base; symbol of an alphabet",
    "letters": "residues, bases; symbols of an alphabet",
    "likeness": "similarity",
    "nobody": "none, no subject, no other",
    "past runs": "history, saved runs",
    "processor": "CPU",
    "processors": "CPUs",
    "redone": "rescored",
    "resting": "paused",
    "rests": "is paused",
    "runs of the past": "history, saved runs",
    "sister": "orthologue, relative",
    "somebody": "a user, a sequence",
    "strung": "chained",
    "target": "subject",
    "targets": "subjects",
    "way back": "traceback",
    "whoever": "anyone who",
    "whole or not at all": "completely or not at all",
}
# Where such a word has its ordinary meaning, or cannot be changed.
NAMES_KEPT = {
    ("io/saved/scheme.py", "further"): "key in saved searches",
    ("io/saved/facts.py", "redone"): "key in saved searches",
}
WORDS_KEPT = {
    ("swgui/gui/kit/theme.py", "card"): "the look of a box",
    ("swgui/gui/results/table/view.py", "letters"): "typed on the keyboard",
    ("swgui/gui/window/pages.py", "letters"): "typed on the keyboard",
    ("swgui/gui/inputs/detection.py", "letter"): "the three-letter code of amino acids",
    ("docs/explanation/rounds.md", "target"): "target frequencies of a matrix, as Karlin and Altschul call them",
    ("docs/dev/robustness.md", "letters"): "of names of files",
    ("docs/howto/troubleshooting.md", "letters"): "a message about text that is no record of a sequence",
}

# Phrases that docstrings and comments are to avoid, since they make an engineer read a sentence twice:
AVOIDED = {
    "person": r"\b(?:nobody|somebody|anybody|whoever)\b",
    "go on": r"\b(?:go|goes|going|gone|went) on\b(?! (?:the|a|an|one)\b)",
    "dealt": r"\bdealt\b",
    "mended": r"\bmend(?:s|ed|ing)?\b",
    "held against": r"\b(?:hold|holds|held|holding)\b[^.;,]*? against\b",
    "beside": r"(?<!`)\bbeside\b(?!`| :|$)",  # but for parameters of this name
    "told": r"\b(?:is|are|was|were|be|been) (?:said|told|asked|taken)\b(?! by\b)",
    "that of that": r"\b(?:that|those) of (?:that|those|which|whom|what)\b",
    "of which none": r"\bof which none\b",
    "of several, fronted": r"(?:^|[.;:] )Of (?:one|several|many|each|those|these|two)\b",
    "so many": r"\bof so many\b",
    "one behind the other": r"\bone behind the other\b",
    "nothing of": r"\bnothing of\b(?! the kind\b)",
    "is what": r"\b(?:is|are) what\b",
    "what ... is": r"(?:^|[.;] )[Ww]hat\b[^.;?]* (?:is|are)\b(?![^.;]*\?)",
}
CASED = ("of several, fronted", "what ... is", "Return what", "Say")  # patterns of the begin of a sentence
# The same at the head of a docstring:
AVOIDED_HEADS = {
    "Return what": r"^(?:(?:Return|Yield|Read|Write|Show|Print|List|Give) )?[Ww]hat\b",
    "Say": r"^(?:Say|Tell (?:if|what|whether|how|which))\b",
}
# How often they may occur, by the rooms that one set of numbers is for. A number here only falls.
MAX_AVOIDED = {
    (
        "swgui/core",
        "swgui/engines",
        "swgui/papers",
    ): {},
    (
        "swgui/gui",
        "swgui/serve",
    ): {},
    (
        "swgui/io",
        "swgui/jobs",
        "swgui/runs",
        "swgui/cli",
        "swgui/commands",
        "swgui/library",
        "swgui/__init__.py",
        "swgui/__main__.py",
        "swgui/app.py",
        "swgui/packages.py",
        "swgui/paths.py",
        "swgui/settings.py",
        "swgui/version.py",
    ): {},
    ("packaging",): {},
    ("tests",): {},
}
# The same for literals with a blank: messages, help, texts of the window; without the heads, which labels may have.
MAX_AVOIDED_IN_MESSAGES = {
    "cli": 0,
    "commands": 0,
    "core": 1,  # the sentence of a rule, which certificates have
    "engines": 0,
    "gui": 0,
    "io": 2,  # a word in files of alphabets
    "jobs": 0,
    "library": 0,
    "papers": 0,
    "runs": 0,
    "serve": 0,
}


def sources() -> list[tuple[Path, list[ast.AST]]]:
    """Return every module with all nodes of its tree."""
    return [(path, nodes_of(path)) for path in sorted(ROOT.rglob("*.py"))]


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
        for _, nodes in sources()
        for node in nodes
        if isinstance(node, ast.ClassDef)
    }
    found = {errors.SwguiError.__name__}
    while more := {name for name, of in bases.items() if of & found} - found:
        found |= more
    return found


@pytest.mark.slow  # so that one process has all tests of this file, and reads the sources once
def test_the_sentence_of_an_error_stands_in_one_file():
    names = error_classes()
    where: dict[str, set[str]] = defaultdict(set)
    for path, nodes in sources():
        for node in nodes:
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


def words_of(name: str) -> list[str]:
    """Return the words of a name, split at underscores and capitals, in lower case."""
    return [word.lower() for word in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", name)]


def names_of(nodes: list[ast.AST]) -> Iterator[str]:
    """Yield what a module names: classes, functions, parameters, attributes and variables of module and classes."""
    for node in nodes:
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            yield node.name
        elif isinstance(node, ast.arg):
            yield node.arg
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            yield node.attr
        if isinstance(node, ast.Module | ast.ClassDef):
            for part in node.body:
                if isinstance(part, ast.Assign | ast.AnnAssign):
                    targets = part.targets if isinstance(part, ast.Assign) else [part.target]
                    yield from (target.id for target in targets if isinstance(target, ast.Name))


def retired_in(name: str) -> dict[str, str]:
    """Return the retired words of a name, and what is said instead."""
    found = {word: RETIRED_NAMES[word] for word in words_of(name) if word in RETIRED_NAMES}
    first = name.lstrip("_").split("_")[0]
    return found | ({first: RETIRED_BOUNDS[first]} if name.isupper() and first in RETIRED_BOUNDS else {})


def texts_of_window() -> Iterator[tuple[str, str]]:
    """Yield file and text of all literals with a blank in the window's code, without docstrings."""
    for path, nodes in sources():
        if not path.is_relative_to(ROOT / "gui"):
            continue
        silent = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
        for node in nodes:
            text = node.value if isinstance(node, ast.Constant) and id(node) not in silent else None
            if isinstance(text, str) and " " in text.strip():
                yield path.relative_to(ROOT.parent).as_posix(), text


def texts_of_documents() -> Iterator[tuple[str, str]]:
    """Yield file and text of all documents, without code."""
    for where in ("*.md", "docs/**/*.md", "kernels/*.md", "packaging/*.md"):
        for path in sorted(ROOT.parent.glob(where)):
            text = re.sub(r"^```.*?^```|`[^`\n]*`", "", path.read_text("utf-8"), flags=re.MULTILINE | re.DOTALL)
            yield path.relative_to(ROOT.parent).as_posix(), text


def prose_of(path: Path) -> Iterator[tuple[bool, str]]:
    """Yield the docstrings (True) and the comments (False) of a module, the latter without their marks."""
    for node in statements_of(tree_of(path)):
        if isinstance(node, ast.Expr) and (text := text_of(node.value)):
            yield True, " ".join(text.split())
    lines = [re.search(r"(?:^|  |\t)#:? (.*)", line) for line in path.read_text("utf-8").split("\n")]
    for found, several in itertools.groupby(lines, bool):
        if found:
            yield False, " ".join(line[1].strip() for line in several if line)


def messages_of(path: Path) -> Iterator[str]:
    """Yield the literals of a module that are sentences or parts of them, without docstrings."""
    nodes = nodes_of(path)
    texts = [node for node in nodes if isinstance(node, ast.JoinedStr | ast.BinOp)]
    inner = {id(part) for node in texts for part in ast.walk(node) if part is not node}
    silent = inner | {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
    for node in nodes:
        if isinstance(node, ast.Constant | ast.JoinedStr | ast.BinOp) and id(node) not in silent:
            text = " ".join(text_of(node).split())
            if " " in text:
                yield text


def avoided_in(text: str, *, docstring: bool) -> list[str]:
    """Return the names of the avoided phrases in a docstring or comment, once for every occurrence."""
    patterns = AVOIDED | AVOIDED_HEADS if docstring else AVOIDED
    return [
        name
        for name, pattern in patterns.items()
        for _ in re.finditer(pattern, text, 0 if name in CASED else re.IGNORECASE)
    ]


def avoided_below(places: Iterable[str]) -> list[tuple[str, str, str]]:
    """Return pattern, file and text of all avoided phrases in files and folders of the project."""
    top = ROOT.parent
    paths = [path for place in places for path in (sorted((top / place).rglob("*.py")) or [top / place])]
    assert paths
    assert [path for path in paths if not path.is_file()] == []
    return [
        (name, path.relative_to(top).as_posix(), text)
        for path in paths
        if path != Path(__file__)  # names them all
        for docstring, text in prose_of(path)
        for name in avoided_in(text, docstring=docstring)
    ]


ANY_RETIRED = re.compile(rf"\b(?:{'|'.join(RETIRED_WORDS)})\b")


def words_found(text: str) -> set[str]:
    """Return the retired words of a text."""
    text = " ".join(text.lower().split())
    if not ANY_RETIRED.search(text):  # 20 searches only where they find something
        return set()
    return {word for word in RETIRED_WORDS if re.search(rf"\b{word}\b", text)}


@pytest.mark.parametrize(
    ("name", "retired"),
    [
        ("_FOREIGN_SHARE", ["foreign"]),
        ("gapFurther", ["further"]),
        ("MOST_CELLS", ["MOST"]),
        ("almost", []),
        ("most_cells", []),
        ("multiprocessors", []),
    ],
)
def test_retired_words_are_recognized_in_names(name, retired):
    assert list(retired_in(name)) == retired


def test_retired_words_are_recognized_in_texts():
    assert words_found("Two Cards\ngo\non; multiprocessors, targeted.") == {"cards", "go on"}


def test_retired_words_do_not_come_back_in_names():
    named = {(path.relative_to(ROOT).as_posix(), name) for path, nodes in sources() for name in names_of(nodes)}
    assert len(named) > 5000
    found = {one: retired for one in named if (retired := retired_in(one[1]))}
    assert {one: retired for one, retired in sorted(found.items()) if one not in NAMES_KEPT} == {}
    assert sorted(NAMES_KEPT.keys() - found) == []  # exceptions that are not needed any more


@pytest.mark.parametrize("texts", [texts_of_window, texts_of_documents])
def test_retired_words_do_not_come_back_in_texts(texts):
    read = list(texts())
    found = {(file, word): RETIRED_WORDS[word] for file, text in read for word in words_found(text)}
    files = {file for file, _ in read}
    assert len(files) > 10
    assert {one: instead for one, instead in sorted(found.items()) if one not in WORDS_KEPT} == {}
    assert (
        sorted({one for one in WORDS_KEPT if one[0] in files} - found.keys()) == []
    )  # exceptions that are not needed any more


def test_every_exception_is_of_a_file_that_exists():
    files = [f"swgui/{file}" for file, _ in NAMES_KEPT] + [file for file, _ in WORDS_KEPT]
    assert [file for file in files if not (ROOT.parent / file).is_file()] == []


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Return what a search needs.", ["Return what"]),
        (
            "What is left of it is told, and somebody goes on.",
            ["person", "go on", "told", "what ... is", "Return what"],
        ),
        ("Scores of a query. Of several, the first.", ["of several, fronted"]),
        ("Scores are asked by the window; what is this?", []),
    ],
)
def test_avoided_phrases_are_recognized(text, found):
    assert avoided_in(text, docstring=True) == found


@pytest.mark.slow  # as above
@pytest.mark.parametrize("places", MAX_AVOIDED)
def test_avoided_phrases_become_fewer(places):
    found = avoided_below(places)
    assert {name for name, _, _ in found} <= set(AVOIDED | AVOIDED_HEADS)
    counts = Counter(name for name, _, _ in found)
    more = {name for name, number in counts.items() if number > MAX_AVOIDED[places].get(name, 0)}
    assert [f"{name}: {file}: {text[:200]}" for name, file, text in found if name in more] == []


def test_avoided_phrases_do_not_come_back_in_documents():
    paragraphs = [
        (file, " ".join(part.split()))
        for file, text in texts_of_documents()
        for part in re.split(r"\n\s*\n|\n(?=[*|#]|\d+\. )", text)
    ]
    assert len(paragraphs) > 1500
    found = [(avoided_in(text, docstring=False), file, text[:200]) for file, text in paragraphs]
    assert [one for one in found if one[0]] == []


@pytest.mark.slow  # as above
@pytest.mark.parametrize("room", MAX_AVOIDED_IN_MESSAGES)
def test_avoided_phrases_become_fewer_in_messages(room):
    paths = sorted((ROOT / room).rglob("*.py"))
    assert paths
    found = [
        f"{', '.join(names)}: {path.relative_to(ROOT)}: {text[:200]}"
        for path in paths
        for text in messages_of(path)
        if (names := avoided_in(text, docstring=False))
    ]
    assert len(found) <= MAX_AVOIDED_IN_MESSAGES[room], "\n".join(found)


def test_every_module_has_its_limits_of_avoided_phrases():
    limited = {place for places in MAX_AVOIDED for place in places}
    assert {
        path.relative_to(ROOT.parent).as_posix() for path in ROOT.iterdir() if path.is_dir() and any(path.glob("*.py"))
    } <= limited


# Where the words of the field come from, as the glossary names it; "own" is for what has no word there.
PROGRAMS = {"CUDASW++", "EMBOSS", "FASTA", "Foldseek", "HMMER", "parasail"}
FIELD = {"CUDA", "Dask", "IUPAC", "NCBI", "Qt", "UniProt", "own"} | PROGRAMS


def test_every_word_of_the_glossary_has_its_source():
    text = (ROOT.parent / "docs" / "reference" / "glossary.md").read_text("utf-8")
    lines = [line for line in text.splitlines() if line.startswith("| ") and not line.startswith("| term ")]
    terms = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    assert len(terms) > 60
    assert [row for row in terms if len(row) != 4 or not all(row) or row[3] not in FIELD] == []
    assert sum(row[3] == "own" for row in terms) < len(terms) / 8
    assert len({row[0] for row in terms}) == len(terms)
