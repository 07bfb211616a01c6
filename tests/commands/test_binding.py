"""Options that are bound to fields: of every command, each path is one, and its value comes back as it was given."""

import argparse

import pytest

from swgui.commands.binding import asked, replaced, shown
from swgui.commands.network import cluster_options, judge_options, leak_options, network_options, split_options
from swgui.commands.option import Option, options_of
from swgui.commands.pair import PAIR
from swgui.commands.rule import rule_options
from swgui.commands.search import search_options
from swgui.core.limits import Limits, Minimums
from swgui.core.network.measures import EdgeLimit
from swgui.core.rules.request import RuleRequest
from swgui.core.rules.rule import RULES
from swgui.core.search import Search
from swgui.core.translation.programs import Translation
from swgui.jobs.network.grouping import ClusterRequest, JudgeRequest, SplitRequest
from swgui.jobs.network.leak import LeakRequest
from swgui.jobs.network.request import NetworkRequest
from swgui.jobs.pair.request import PairRequest
from tests.asking import BLOSUM62

ONE_SET = {"limit": [EdgeLimit], "network": [NetworkRequest]}
TYPES = {
    "search": (search_options(), [Search], {"translation": [Translation], "limits": [Limits]}),
    "pair": (PAIR, [PairRequest], {}),
    "rule": (rule_options(), [RuleRequest], {"rule": list(RULES.values())}),
    "network": (network_options(), [NetworkRequest], {}),
    "cluster": (cluster_options(), [ClusterRequest], ONE_SET),
    "split": (split_options(), [SplitRequest], ONE_SET),
    "judge": (judge_options(), [JudgeRequest], ONE_SET),
    "leak": (leak_options(), [LeakRequest], {"limit": [EdgeLimit]}),
}


@pytest.mark.parametrize("command", TYPES)
def test_every_path_is_a_field(command):
    groups, records, inside = TYPES[command]
    paths = [option.path for option in options_of(groups) if option.path]
    assert paths
    assert len(paths) == len(set(paths))
    for path in paths:
        head, _, rest = path.partition(".")
        assert any(head in one.__annotations__ or hasattr(one, head) for one in records), path
        if head in inside:
            name = rest.split(".")[0]
            assert any(name in getattr(one, "__annotations__", {}) or hasattr(one, name) for one in inside[head]), path


def test_values_go_there_and_come_back():
    options = [
        Option(("--evalue",), "", path="limits.max_evalue"),
        Option(("--score",), "", path="limits.minimums.score", make=int, show=str),
        Option(("--mask",), "", path="mask"),
        Option(("--orf",), "", path="translation.min_orf"),
        Option(("--free",), ""),
    ]
    search = Search(scheme=BLOSUM62)
    given = argparse.Namespace(evalue=1.0, score="7", mask=None, orf=30, free=3)
    fields = asked(options, given)
    assert fields == {"limits": {"max_evalue": 1.0, "minimums": {"score": 7}}, "translation": {"min_orf": 30}}
    made = replaced(search, fields)
    assert made.limits == Limits(max_evalue=1.0, minimums=Minimums(7))
    assert made.translation is None  # a missing object has no parts
    assert shown(options, made) == {"evalue": 1.0, "score": "7", "mask": False}
    assert replaced(search, {}) == search
