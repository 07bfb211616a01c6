"""The backbones of a hit in space, and their projection. Without Qt."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from swgui.core.alignment import Alignment, spell_out
from swgui.core.hits.table import Hit
from swgui.core.structures.compact import unpack
from swgui.core.structures.superposition import Superposition, superposition_of

_LONGEST_STEP: Final = 4.5  # ångström between neighbours of a chain; beyond it the trace is broken
_SMOOTH: Final = 4  # pieces of each step from residue to residue
_MANY: Final = 1500  # residues in all, above which steps are drawn without subdivision


@dataclass(frozen=True, slots=True, eq=False)
class BackboneTrace:
    """One chain as pieces of a smooth line."""

    starts: NDArray[np.float64]  # and ends: of the pieces, in ångström from the middle of the scene
    ends: NDArray[np.float64]
    aligned: NDArray[np.bool_]  # whether they are between aligned residues
    residues: NDArray[np.int64]  # number of the residue each belongs to, from 0


@dataclass(frozen=True, slots=True, eq=False)
class Scene:
    """A query and a subject laid on it."""

    hit: Hit
    fit: Superposition
    traces: tuple[BackboneTrace, BackboneTrace]  # of query and subject
    radius: float  # of the ball around the middle that holds both, in ångström


@dataclass(frozen=True, slots=True, eq=False)
class Drawn:
    """Pieces of both traces in drawing order, the farthest first."""

    lines: NDArray[np.float64]  # from x, y to x, y; 1 is the radius of the scene, y upwards
    depth: NDArray[np.float64]  # 0 for the farthest point of the ball, 1 for the nearest
    # chain, residue: shape (k,)
    chain: NDArray[np.int64]
    residue: NDArray[np.int64]
    aligned: NDArray[np.bool_]  # shape (k,)


def scene_of(hit: Hit) -> Scene | None:
    """Return the scene of a hit; None without coordinates on both sides."""
    fit = superposition_of(hit)
    query = unpack(hit.query_record.places, len(hit.query_record.residues))
    subject = unpack(hit.subject.places, len(hit.subject.residues))
    if fit is None or query is None or subject is None or hit.alignment is None:
        return None
    own, other = query.ca.astype(np.float64), fit.motion.moved(subject.ca)
    both = np.concatenate([own, other])
    middle = (np.nanmin(both, axis=0) + np.nanmax(both, axis=0)) / 2
    radius = float(np.sqrt(np.nanmax(((both - middle) ** 2).sum(axis=1))))
    of_query, of_subject = _aligned(hit.alignment, len(own), len(other))
    pieces = _SMOOTH if len(both) <= _MANY else 1
    traces = _trace(own - middle, of_query, pieces), _trace(other - middle, of_subject, pieces)
    return Scene(hit, fit, traces, max(radius, 1.0))


def seen(scene: Scene, rotation: NDArray[np.float64]) -> Drawn:
    """Return the pieces of a scene in drawing order after a rotation, shape (3, 3) for points in rows."""
    starts = np.concatenate([trace.starts for trace in scene.traces]) @ rotation / scene.radius
    ends = np.concatenate([trace.ends for trace in scene.traces]) @ rotation / scene.radius
    depth = (starts[:, 2] + ends[:, 2] + 2) / 4
    order = np.argsort(depth, kind="stable")
    chain = np.repeat([0, 1], [len(trace.starts) for trace in scene.traces])
    return Drawn(
        np.concatenate([starts[:, :2], ends[:, :2]], axis=1)[order],
        np.clip(depth[order], 0, 1),
        chain[order],
        np.concatenate([trace.residues for trace in scene.traces])[order],
        np.concatenate([trace.aligned for trace in scene.traces])[order],
    )


def turned(rotation: NDArray[np.float64], right: float, up: float) -> NDArray[np.float64]:
    """Return a rotation followed by turns about the upright and the level axis, in radians."""
    about_y = np.array([[np.cos(right), 0, -np.sin(right)], [0, 1, 0], [np.sin(right), 0, np.cos(right)]])
    about_x = np.array([[1, 0, 0], [0, np.cos(up), -np.sin(up)], [0, np.sin(up), np.cos(up)]])
    product: NDArray[np.float64] = rotation @ about_y @ about_x
    return product


def _aligned(alignment: Alignment, query: int, subject: int) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    columns = spell_out(alignment)
    pairs = (columns.query >= 0) & (columns.subject >= 0)
    one, other = np.zeros(query, np.bool_), np.zeros(subject, np.bool_)
    one[columns.query[pairs]] = True
    other[columns.subject[pairs]] = True
    return one, other


def _trace(points: NDArray[np.float64], aligned: NDArray[np.bool_], pieces: int) -> BackboneTrace:
    """Return a chain as a line through its residues (Catmull-Rom), broken where residues are missing."""
    before = np.concatenate([points[:1], points[:-1]])[:-1]
    after = np.concatenate([points[1:], points[-1:]])[1:]
    one, two = points[:-1], points[1:]
    step = np.linalg.norm(two - one, axis=1)
    kept = np.flatnonzero(step < _LONGEST_STEP)  # none where a place is not known
    before = np.where(np.isnan(before), one, before)[kept]
    after = np.where(np.isnan(after), two, after)[kept]
    one, two = one[kept], two[kept]
    at = np.linspace(0, 1, pieces + 1)[:, None, None]
    line = 0.5 * (
        2 * one
        + (two - before) * at
        + (2 * before - 5 * one + 4 * two - after) * at**2
        + (3 * one - before - 3 * two + after) * at**3
    )
    return BackboneTrace(
        line[:-1].reshape(-1, 3),
        line[1:].reshape(-1, 3),
        np.tile((aligned[:-1] & aligned[1:])[kept], pieces),
        np.tile(kept, pieces) + np.repeat(np.arange(pieces) * 2 >= pieces, len(kept)),
    )
