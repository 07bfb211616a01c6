"""Compiled code for the CPU: many subjects in one call, over all cores, with the interpreter's lock released.

The sources are in ``kernels/cpu``. `problem` says why there is no library; everything here then raises
`EngineUnavailable`::

    subjects = native.Subjects.of(database, db_index)            # or Subjects.packed(codes, offsets)
    found = native.scores(query.scores(scheme), subjects, scheme.gap_first, scheme.gap_extend)
    corners = native.regions(query.scores(scheme), subjects, scheme.gap_first, scheme.gap_extend)
    paths = native.trace(query.scores(scheme), subjects, corners, scheme.gap_first, scheme.gap_extend)
    sums = native.add_up(query, subjects, paths, scheme)
"""

from swgui.core.hits.regions import Regions
from swgui.core.stretches import Subjects
from swgui.engines.native.library import REMEDY, facts, lanes, levels, problem
from swgui.engines.native.scoring import Scorer, TrackScorer, countable, regions, regions_each, scores, usable
from swgui.engines.native.tracing import LARGE, LOST, AlignmentTotals, Paths, add_up, trace

__all__ = [
    "LARGE",
    "LOST",
    "REMEDY",
    "AlignmentTotals",
    "Paths",
    "Regions",
    "Scorer",
    "Subjects",
    "TrackScorer",
    "add_up",
    "countable",
    "facts",
    "lanes",
    "levels",
    "problem",
    "regions",
    "regions_each",
    "scores",
    "trace",
    "usable",
]
