"""Compiled code for the CPU: many subjects in one call, over all cores, with the interpreter's lock released.

The sources are in ``kernels/cpu``. `problem` says why there is no library; every function here then works in NumPy,
slower and with the same results::

    subjects = native.Subjects.of(database, db_index)            # or Subjects.packed(codes, offsets)
    found = native.scores(query.scores(scheme), subjects, scheme.gap_first, scheme.gap_extend)
    corners = native.regions(query.scores(scheme), subjects, scheme.gap_first, scheme.gap_extend)
"""

from swgui.engines.native.library import facts, levels, problem
from swgui.engines.native.scoring import Regions, regions, scores
from swgui.engines.native.subjects import Subjects

__all__ = ["Regions", "Subjects", "facts", "levels", "problem", "regions", "scores"]
