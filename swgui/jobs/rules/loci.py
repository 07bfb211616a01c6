"""Columns that say where the places of a rule lie among the features of their sequences."""

from __future__ import annotations

import numpy as np

from swgui.core.loci.annotation import Annotation
from swgui.core.loci.columns import LocusReader, Where
from swgui.core.table import Table
from swgui.jobs.rules.table import PlaceRows


def where_places_lie(rows: PlaceRows) -> tuple[int, Where | None]:
    """Return the number of places, and their positions."""
    places = rows.places
    strands = places.strand if rows.request.frames else None
    return len(rows), Where(rows.database, np.arange(len(rows)), places.subject, places.start, places.end, strands)


def with_loci(
    table: Table[PlaceRows], annotation: Annotation | None
) -> tuple[LocusReader[PlaceRows], Table[PlaceRows]]:
    """Return the reader of loci, and a table of places with its columns behind its own.

    Parameters
    ----------
    annotation : Annotation or None
        Features of a file; None for those of the database.
    """
    reader = LocusReader(annotation, where_places_lie)
    more = reader.columns()
    return reader, Table([*table.available, *more], table.parts, [*table.columns, *more])
