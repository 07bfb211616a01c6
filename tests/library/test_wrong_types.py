"""A value of a wrong type is an error with a sentence, in every function and method of the library."""

import inspect
import itertools

import pytest

import swgui
from swgui.io.remote import connections
from swgui.io.remote.wire import Unreachable

MOTHER = "MKVLAAGICCWWSIINFEKLHHPTRDEYQNMKLVFGHWCAA"
SEQUENCES = {"a": MOTHER, "b": MOTHER[:-2] + "GG", "c": MOTHER[::-1]}
WRONG = ("x", object(), -1, 1.5, [1, 2], {"a": 1}, None, b"x", float("nan"), ("x",))
FUNCTIONS = ("search", "iterate", "deeper", "msa", "pair", "rule", "network", "load", "diff")
OF_PYTHON = ("index", "count")  # of `collections.abc.Sequence`


def made(folder):
    """Return an object of every class that has methods, and what functions are called with."""
    database, queries = swgui.Database.of(SEQUENCES), {"q": MOTHER[1:]}
    hits = swgui.search(queries, database, engine="cpu", composition="none")
    saved = folder / "r.swgui"
    hits.save(saved)
    alignment = swgui.msa(queries, database, engine="cpu")
    objects = (
        database,
        hits,
        hits[0],
        swgui.rule("peptides", {"p": MOTHER[3:12]}, database, engine="cpu"),
        swgui.network(database, engine="cpu"),
        swgui.pair(MOTHER, MOTHER[:-4]),
        swgui.diff(hits, database),
        *([alignment, alignment[0]] if isinstance(alignment, swgui.MultipleAlignments) else [alignment]),
    )
    given = dict.fromkeys(FUNCTIONS, (queries, database))
    given |= {
        "rule": ("peptides", queries, database),
        "network": (database,),
        "load": (saved,),
        "diff": (hits, database),
    }
    return objects, given


def calls(folder):
    """Yield a name, a function, and the positional arguments that it needs."""
    objects, given = made(folder)
    for name, arguments in given.items():
        yield name, getattr(swgui, name), arguments
    yield "Database", swgui.Database, (folder / "r.swgui",)
    for one in objects:
        for name in dir(type(one)):
            method = inspect.getattr_static(type(one), name)
            is_method = inspect.isfunction(method) or isinstance(method, classmethod)
            if name[0] == "_" or name in OF_PYTHON or not is_method:
                continue
            bound = getattr(one, name)
            parameters = inspect.signature(bound).parameters.values()
            needed = [key.name for key in parameters if key.default is key.empty and key.kind is not key.VAR_KEYWORD]
            places = {"path": folder / "out.tsv", "sources": folder / "none.fa", "sequences": SEQUENCES}
            yield f"{type(one).__name__}.{name}", bound, tuple(places.get(key, "x") for key in needed)


def variants(function, arguments, odd):
    """Yield positional and keyword arguments with one that is wrong; half of the values for each parameter."""
    parameters = list(inspect.signature(function).parameters.values())
    usual = {"engine": "cpu"} if any(one.name == "engine" for one in parameters) else {}
    for (place, parameter), (number, wrong) in itertools.product(enumerate(parameters), enumerate(WRONG)):
        if (place + number) % 2 != odd:
            continue
        if place < len(arguments):
            yield [*arguments[:place], wrong, *arguments[place + 1 :]], usual
        elif parameter.kind not in (parameter.VAR_KEYWORD, parameter.VAR_POSITIONAL):
            yield list(arguments), usual | {parameter.name: wrong}


def unreachable(address):
    raise Unreachable(f"{address.text} is not looked for by tests.")


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("odd", [0, pytest.param(1, marks=pytest.mark.nightly)])
def test_wrong_types_are_sentences(odd, tmp_path, monkeypatch, user_folders):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(connections, "SshConnection", unreachable)
    faults, tried = [], 0
    for name, function, arguments in calls(tmp_path):
        for positional, keywords in variants(function, arguments, odd):
            tried += 1
            try:
                function(*positional, **keywords)
            except swgui.SwguiError:
                pass
            except Exception as fault:
                faults.append(f"{name}(*{positional!r:.60}, **{keywords!r:.60}): {type(fault).__name__}: {fault}")
    assert faults == []
    assert tried > 500


def test_the_sentence_says_what_is_expected():
    network = swgui.network(swgui.Database.of(SEQUENCES), engine="cpu")
    with pytest.raises(swgui.InvalidParameter, match="evalue must be a number, not 'x'"):
        network.edges(evalue="x")
    with pytest.raises(swgui.InvalidParameter, match="identity must be a number, not None"):
        network.clusters(identity=None)
