"""The kinds of runs: one record for each, which window, terminal, library, history, queue and server read.

A run is requested (a frozen request), carried out in steps (a generator of events, which returns the outcome, also
after Stop), kept in a log from which later steps continue, written as one file, and shown as a line of a list. A kind
names the places of its steps and its codec once; nothing is imported before it is used.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib import import_module
from types import MappingProxyType
from typing import Any, Final

import msgspec

RESULT: Final = ".result"  # ending of the files that runs of most kinds are saved as; such a file names its kind
GROUP: Final = "swgui.kinds"  # entry points of packages that add kinds; each gives a `Kind`
_NONE: Final[Mapping[str, str]] = MappingProxyType({})

# What every kind of run can do, unless its record says why not.
ABILITIES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "queue": "waits for its turn behind other runs",
        "pause": "pauses and continues",
        "stop": "keeps its results when it is stopped",
        "resume": "continues where a killed program left it",
        "history": "is in the list of runs",
        "file": "is saved as one file",
        "open": "opens from that file, on the page that shows it",
        "verify": "is computed again and compared",
        "command": "is copied as a command of the terminal",
        "python": "is copied as a call of the library",
        "device": "runs on the device that was chosen",
        "tables": "gives tables in every format",
        "methods": "gives a paragraph for a Methods section",
        "marks": "has stars and notes on its rows",
    }
)

_COMPARISON: Final = "swgui.jobs.network.forecast:comparison_forecast"
_VALUES: Final = "swgui.commands.network:scoring_and_engine"  # of networks and what follows from them


class Kind(msgspec.Struct, frozen=True):
    """One kind of run.

    Parameters
    ----------
    name : str
        Its key in files and lists, and its first command.
    title : str
        What the user reads as a heading.
    noun : str
        What it is called in a sentence.
    steps : str
        ``module:function``. The function takes the request, what stops or pauses the run (`RunControl`), and the log;
        it yields events and returns the outcome.
    kept : str
        ``module:Class``: how its runs are kept in the folder of runs (`swgui.runs.kept.KindRuns`).
    codec : str
        ``module:OBJECT``: how request and outcome become plain values and arrays, where `kept` is that of all kinds.
    files, beside : tuple of str
        Endings of the files that make a run of this kind, and of those that are of no use without one of them.
    held : str
        Ending of the file that is locked while a program works on a run.
    file : tuple of str
        Ending of the file that a run is saved as, and how a dialog names such files. Where it is not `RESULT`, the
        class of `kept` says which files are of this kind.
    compared : bool
        Whether all its scores can be compared, with those of another run or anew.
    help : str
        What its command does, in a few words, for the help of the terminal.
    options : str
        ``module:GROUPS``: the options of the command, and so of the library's function, that every door of a kind from
        a package has. Options whose value is called ``FILE`` name files that are read.
    request : str
        ``module:function`` that makes a request of the parsed options.
    values : str
        ``module:function`` that makes of a request the values of the options that are bound to no field of it
        (`swgui.commands.option.Option.path`); kinds without it make all values by their codec.
    answer : str
        ``module:function`` that takes outcome and request, and returns the sentence and the lines that every result
        opens with (`swgui.core.answer.Answer`); kinds without it answer with the sentences of their codec.
    forecast : str
        ``module:function`` that takes what is known when the work begins, and returns how long it takes
        (`swgui.jobs.forecast.Forecast`); the steps yield it as an event where it is long.
    counts : tuple of str
        How a list says that a run found none, one and several of what it looks for.
    marks : str
        Column, by its key, with the identifiers of sequences that stars and notes of rows belong to.
    page : str
        Page of the window that shows its outcome.
    gives_way : bool
        Whether it measures or serves: it waits while a run that the user asked for holds a device.
    without : Mapping of str to str
        Abilities that it does not have, each with the reason.
    """

    name: str
    title: str
    noun: str
    steps: str = ""
    kept: str = "swgui.runs.plain:PlainRuns"
    codec: str = ""
    files: tuple[str, ...] = (".run",)
    beside: tuple[str, ...] = (".result",)
    held: str = ".run"
    file: tuple[str, str] = (RESULT, f"Results of a run (*{RESULT})")
    compared: bool = False
    help: str = ""
    options: str = ""
    request: str = ""
    values: str = ""
    answer: str = ""
    forecast: str = ""
    counts: tuple[str, str, str] = ("no result", "1 result", "{:,} results")
    marks: str = ""
    page: str = ""
    gives_way: bool = False
    without: Mapping[str, str] = _NONE

    def counted(self, number: int) -> str:
        """Return how many results a run has found, in words."""
        return self.counts[min(number, 2)].format(number)

    @property
    def opens(self) -> bool:
        """Whether a saved run opens from its file."""
        return "open" not in self.without

    @property
    def shared(self) -> bool:
        """Whether several kinds have the same endings, so that the log says of which kind a run is."""
        return self.files == (".run",)


_OWN: Final = (
    Kind(
        "search",
        "Search",
        "search",
        kept="swgui.runs.searches:SearchRuns",
        files=(".swgui", ".journal"),
        beside=(),
        held=".journal",
        file=(".swgui", "Saved searches (*.swgui)"),
        compared=True,
        answer="swgui.core.verdict.answers:search_answer",
        forecast="swgui.jobs.search.forecast:search_forecast",
        counts=("none significant", "1 significant", "{:,} significant"),
        marks="sseqid",
        page="results",
    ),
    Kind(
        "pair",
        "Pair",
        "alignment of a pair",
        kept="swgui.runs.pairs:PairRuns",
        files=(".pair",),
        beside=(".outcome", ".state"),
        held=".pair",
        file=(".json", "Pair results (*.json)"),
        answer="swgui.core.verdict.answers:pair_answer",
        forecast="swgui.jobs.pair.forecast:pair_forecast",
        counts=("no alignment", "1 alignment", "{:,} alignments"),
        page="pair",
        without={"marks": "its rows are stretches of the same two sequences; the run has a star and a note"},
    ),
    Kind(
        "rule",
        "Search by rule",
        "search by rule",
        kept="swgui.runs.rules:RuleRuns",
        answer="swgui.jobs.rules.answer:rule_answer",
        forecast="swgui.jobs.rules.forecast:rule_forecast",
        files=(".rule",),
        beside=(".certificate",),
        held=".rule",
        counts=("no place", "1 place", "{:,} places"),
        marks="sseqid",
        page="rules",
    ),
    Kind(
        "network",
        "Network",
        "network",
        steps="swgui.jobs.network.request:network_steps",
        kept="swgui.runs.networks:NetworkRuns",
        codec="swgui.runs.networks:CODEC",
        options="swgui.commands.network:network_options",
        values=_VALUES,
        forecast=_COMPARISON,
        file=(".swnet", "Networks (*.swnet)"),
        counts=("no edge", "1 edge", "{:,} edges"),
        marks="id",
        page="network",
    ),
    Kind(
        "cluster",
        "Clusters",
        "clustering",
        steps="swgui.jobs.network.grouping:cluster_steps",
        codec="swgui.runs.groupings:CLUSTER",
        answer="swgui.jobs.network.answers:cluster_answer",
        options="swgui.commands.network:cluster_options",
        values=_VALUES,
        forecast=_COMPARISON,
        counts=("no cluster", "1 cluster", "{:,} clusters"),
        marks="sequence",
        page="network",
    ),
    Kind(
        "split",
        "Split",
        "split",
        steps="swgui.jobs.network.grouping:split_steps",
        codec="swgui.runs.groupings:SPLIT",
        answer="swgui.jobs.network.answers:split_answer",
        options="swgui.commands.network:split_options",
        values=_VALUES,
        forecast=_COMPARISON,
        counts=("no sequence in a part", "1 sequence in a part", "{:,} sequences in parts"),
        marks="sequence",
        page="network",
    ),
    Kind(
        "judge",
        "Judged clusters",
        "judgement of clusters",
        steps="swgui.jobs.network.grouping:judge_steps",
        codec="swgui.runs.groupings:JUDGE",
        answer="swgui.jobs.network.answers:judge_answer",
        options="swgui.commands.network:judge_options",
        values=_VALUES,
        forecast=_COMPARISON,
        counts=("no wrong pair", "1 wrong pair", "{:,} wrong pairs"),
        marks="qseqid",
        page="network",
    ),
    Kind(
        "leak",
        "Leak",
        "comparison of two sets",
        steps="swgui.jobs.network.leak:leak_steps",
        codec="swgui.runs.groupings:LEAK",
        answer="swgui.jobs.network.answers:leak_answer",
        options="swgui.commands.network:leak_options",
        values=_VALUES,
        forecast=_COMPARISON,
        counts=("no neighbour", "1 test sequence with a neighbour", "{:,} test sequences with a neighbour"),
        marks="qseqid",
        page="network",
    ),
    Kind(
        "sweep",
        "Sweep",
        "sweep",
        steps="swgui.jobs.sweep.run:sweep_steps",
        codec="swgui.runs.sweeps:CODEC",
        forecast="swgui.jobs.sweep.forecast:sweep_forecast",
        counts=("no setting", "1 setting", "{:,} settings"),
        page="device",
        gives_way=True,
        without={
            "verify": "times differ from run to run, and each cell's scores are compared while it runs",
            "python": "the library measures nothing; a saved sweep opens there, with its table",
            "methods": "speed is no result of a search, and a paragraph would say no more than its table",
            "marks": "its rows are settings, no sequences; the run has a star and a note",
        },
    ),
)


@cache
def kinds() -> Mapping[str, Kind]:
    """Return all kinds by name, those of installed packages behind the program's own."""
    from swgui.packages import entry_points  # here: most commands know their kind

    found = {kind.name: kind for kind in _OWN}
    for entry in entry_points(GROUP):
        kind: Kind = entry.load()
        found.setdefault(kind.name, kind)
    return MappingProxyType(found)


def saved_files() -> dict[str, str]:
    """Return the endings of the files that saved runs open from, each with how a dialog names such files."""
    return dict(kind.file for kind in kinds().values() if kind.opens)


def load(place: str) -> Any:
    """Return the object that a ``module:name`` of a kind names."""
    module, _, name = place.partition(":")
    return getattr(import_module(module), name)
