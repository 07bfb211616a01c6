"""The questions on sets of sequences: a record for each, which gives its form, request, table and filters."""

from __future__ import annotations

import argparse
import threading
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Final, NamedTuple

from swgui.commands.network import cluster_request, judge_request, leak_request, split_request
from swgui.gui.inputs.opened import SEQUENCE_FILES
from swgui.gui.words.context import CONTEXT_LABEL
from swgui.io.network.file import SUFFIX

_CLUSTER_FILES: Final = "Clusters and tables (*.clstr *.tsv *.csv *.txt);;All files (*)"
_SIMILAR: Final = {"identity": "Identity at least", "coverage": "Covered at least"}
_BY: Final = {"context": CONTEXT_LABEL}
_OR_NETWORK: Final = f"{SEQUENCE_FILES};;Networks (*{SUFFIX})"


class GivenFile(NamedTuple):
    """A file that a question reads.

    Parameters
    ----------
    key : str
        Of its option (`swgui.commands.option.Option.key`).
    files : str
        Kinds of files, as a dialog takes them.
    sample : str
        Name of the file of the sample that may stand here.
    optional : bool
        Whether the question can do without it.
    """

    key: str
    label: str
    tip: str
    files: str
    sample: str = ""
    optional: bool = False


class Question(NamedTuple):
    """One question.

    Parameters
    ----------
    kind : str
        Name of its kind of run.
    title : str
        A few words, on the button that chooses it.
    fields : Mapping of str to str
        Labels of the options that the form shows, by `Option.key`; the others have their defaults.
    columns : tuple of str
        Columns that the table shows.
    request : callable
        Takes the values of all options, and the event that stops it.
    check : callable
        Takes the chosen files, by key; returns a sentence on what is missing or too much, empty if nothing is.
    """

    kind: str
    title: str
    purpose: str
    files: tuple[GivenFile, ...]
    fields: Mapping[str, str]
    columns: tuple[str, ...]
    request: Callable[[argparse.Namespace, threading.Event], Any]
    check: Callable[[Mapping[str, str]], str] = lambda given: ""


def _one_test(given: Mapping[str, str]) -> str:
    if not given["test"] and not given["split"]:
        return "Choose the test sequences, or a table of parts."
    return "Leave out the test sequences or the table of parts." if given["test"] and given["split"] else ""


_SEQUENCES: Final = GivenFile(
    "fasta", "Sequences", "A file of sequences, or a saved network of them", _OR_NETWORK, "proteins.fasta"
)
QUESTIONS: Final[Sequence[Question]] = (
    Question(
        "leak",
        "Leak between two sets",
        "Is a test sequence, or a relative of one, in the training set? Finds the nearest training sequence of each.",
        (
            GivenFile("train", "Training", "Sequences of training; with a table of parts, all sequences",
                      SEQUENCE_FILES, "train.fasta"),
            GivenFile("test", "Test", "Sequences of testing", SEQUENCE_FILES, "test.fasta", optional=True),
            GivenFile("split", "or table of parts", "A table of sequence and part, as Split writes, in place of Test",
                      _CLUSTER_FILES, optional=True),
        ),
        {"coverage": "Covered at least", "sure_evalue": "or E up to", "evalue": "E at most",
         "identity_over": "Identity over", **_BY},
        ("qseqid", "sseqid", "pident", "coverage", "evalue", "length", "score", "sstrand"),
        leak_request,
        _one_test,
    ),
    Question(
        "judge",
        "Judge clusters",
        "Which similar pairs did CD-HIT, MMseqs2 or another program part, and which different ones did it join?",
        (
            GivenFile("clusters", "Clusters", "CD-HIT's .clstr, MMseqs2's table, or a table with a head",
                      _CLUSTER_FILES, "clusters.tsv"),
            _SEQUENCES,
        ),
        {**_SIMILAR, "joined": "Compare in a cluster", "identity_over": "Identity over", **_BY},
        ("kind", "qseqid", "sseqid", "pident", "identity_shorter", "coverage", "sstrand"),
        judge_request,
    ),
    Question(
        "split",
        "Split into parts",
        "Puts sequences into parts, for training and testing, with no similar pair between two of them.",
        (_SEQUENCES,),
        {"bins": "Sizes of the parts", "names": "Their names", **_SIMILAR, **_BY,
         "drop": "Leave out what does not fit"},
        (),
        split_request,
    ),
    Question(
        "cluster",
        "Cluster",
        "Makes clusters by a rule, and counts how often its promise is broken.",
        (_SEQUENCES,),
        {"rule": "Rule", **_SIMILAR, "evalue": "E at most", **_BY},
        (),
        partial(cluster_request, aligned=True),
    ),
)  # fmt: skip


def question_of(kind: str) -> Question:
    """Return the question of a kind of run."""
    return next(question for question in QUESTIONS if question.kind == kind)
