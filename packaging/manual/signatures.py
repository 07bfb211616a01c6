"""Writes the typed keywords of the library's functions into `swgui/__init__.pyi`, from the tables of options.

    .venv/bin/python packaging/manual/signatures.py

To be run after an option was added or changed; `tests/library/test_package.py` compares.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
STUB = ROOT / "swgui" / "__init__.pyi"
MARK = "# What follows is written by packaging/manual/signatures.py.\n"
WIDEST = 90  # characters; longer lists of choices are a text
NUMBERS = {"int": "int | str", "float": "float | str", "percent": "float | str", "share": "float | str"}


def hint(option: object) -> str:
    """Return the type of what an option takes as a parameter; None stands for its default."""
    if option.flag is not None:
        kind = "bool"
    elif option.choices:
        kind = f"Literal[{', '.join(map(repr, option.choices))}]"
        kind = kind.replace("'", '"') if len(kind) < WIDEST else "str"
    else:
        kind = NUMBERS.get(getattr(option.read, "__name__", ""), "_Value")
    if option.many:
        kind = f"{kind} | Sequence[{kind}] | Mapping[str, object]"
    return f"{kind} | None"


def functions() -> Iterator[tuple[str, object, object]]:
    """Yield name, function and parameters of everything that takes the options of a command."""
    from swgui.library import covariation, msa, network, pair, rule, search, watch

    yield "cluster", network.cluster, network.CLUSTER
    yield "covariation", covariation.covariation, covariation.COVARIATION
    yield "deeper", search.deeper, search.DEEPER
    yield "iterate", search.iterate, search.ITERATE
    yield "judge", network.judge, network.JUDGE
    yield "leak", network.leak, network.LEAK
    yield "msa", msa.msa, msa.MSA
    yield "network", network.network, network.NETWORK
    yield "pair", pair.pair, pair._OF_PAIR
    yield "rule", rule.rule, rule.RULE_OPTIONS
    yield "search", search.search, search.SEARCH
    yield "split", network.split, network.SPLIT
    yield "watch", watch.watch, watch.WATCH


def signature(name: str, function: object, parameters: object) -> str:
    """Return the definition of a function for type checkers."""
    plain = inspect.signature(inspect.unwrap(function))
    lines, starred = [], False
    for one in plain.parameters.values():
        if one.kind is one.VAR_KEYWORD:
            continue
        if one.kind is one.KEYWORD_ONLY and not starred:
            lines.append("*")
            starred = True
        lines.append(f"{one.name}: {one.annotation}" + ("" if one.default is one.empty else " = ..."))
    lines += [] if starred else ["*"]
    lines += [f"{key}: {hint(option)} = ..." for key, option in parameters.options.items()]
    body = "".join(f"    {line},\n" for line in lines)
    return f"def {name}(\n{body}) -> {plain.return_annotation}: ...\n"


def stub(text: str) -> str:
    """Return the text of the file with the definitions of now."""
    head = text.partition(MARK)[0]
    return head + MARK + "".join(signature(*one) for one in functions())


def main() -> int:
    """Write the file."""
    sys.path.insert(0, str(ROOT))
    STUB.write_text(stub(STUB.read_text("utf-8")), "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
