"""Features of the sequences of a database, for the columns that locate rows among them."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from swgui.commands.files import OWN_FEATURES
from swgui.core.table import Table

if TYPE_CHECKING:
    from swgui.core.loci.annotation import Annotation
    from swgui.io.export.columns import Column


def annotation_of(arguments: argparse.Namespace) -> Annotation | None:
    """Return the features of the file, read once; None for those of the database, errors as of `read_annotation`."""
    if arguments.features == OWN_FEATURES:
        return None
    if getattr(arguments, "annotation", None) is None:
        from swgui.io.features.reading import read_annotation  # here: few commands read features

        arguments.annotation = read_annotation(arguments.features)
    annotation: Annotation = arguments.annotation
    return annotation


def hit_columns(arguments: argparse.Namespace) -> tuple[Column, ...]:
    """Return the columns of hits that locate them."""
    from swgui.io.export.loci import locus_columns  # here: few tables have them

    arguments.loci, columns = locus_columns(annotation_of(arguments))
    return columns


def place_columns(table: Table[Any], arguments: argparse.Namespace) -> Table[Any]:
    """Return a table of places with the columns that locate them."""
    from swgui.jobs.rules.loci import with_loci  # here: few tables have them

    arguments.loci, table = with_loci(table, annotation_of(arguments))
    return table


def check(arguments: argparse.Namespace) -> None:
    """Read the features before the work begins; errors as of `annotation_of` and `check_outputs`."""
    if arguments.features != OWN_FEATURES:
        from swgui.io.outputs import check_outputs

        outputs: dict[str, Any] = {name: getattr(arguments, name, None) for name in ("out", "save", "certificate")}
        check_outputs(outputs, [("features", arguments.features)])
        annotation_of(arguments)


def summary(arguments: argparse.Namespace) -> str:
    """Return a sentence on the rows whose place was looked up; empty if there is nothing to say."""
    loci = getattr(arguments, "loci", None)
    return "" if loci is None else str(loci.summary())
