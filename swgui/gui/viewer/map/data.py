"""What a map of two sequences shows, and how it shows where they agree: residues, words or stretches, by the zoom."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PySide6.QtGui import QPainter

from swgui.core.scoring import ScoringScheme
from swgui.gui.kit.theme import Colours
from swgui.gui.viewer.map import dots, paint
from swgui.gui.viewer.map.geometry import diagonal_cells
from swgui.gui.viewer.map.paint import Frame, MapLine, MapLines

RESIDUE_PIXELS = 2  # from so many for a residue on, residues are compared one by one


@dataclass(frozen=True, slots=True, eq=False)
class MapData:
    """What a map shows.

    Parameters
    ----------
    query_name, subject_name : str
    query, subject : ndarray, dtype=uint8
        Codes of the residues, the query as the user wrote it.
    scheme : ScoringScheme
    lines : MapLines
        In positions of the sequences as they were written; numbered from 1.
    """

    query_name: str
    subject_name: str
    query: NDArray[np.uint8]
    subject: NDArray[np.uint8]
    scheme: ScoringScheme
    lines: MapLines

    def line(self, number: int) -> MapLine | None:
        """Return the path of an alignment; None if there is none of this number."""
        return next((line for line in self.lines if line.number == number), None)


class Similarity:
    """Paints where the sequences of a map agree.

    Attributes
    ----------
    stretches : Stretches or None
        Of all of both sequences; None while they are not known.
    """

    def __init__(self, data: MapData) -> None:
        self._data = data
        self._tables: dict[int, NDArray[np.uint8]] = {}
        self.stretches: dots.Stretches | None = None

    def paint(self, painter: QPainter, frame: Frame, shades: Colours, strand: int) -> None:
        """Draw agreeing residues (of one strand), words or stretches (of both), whichever suits the zoom."""
        data, alphabet = self._data, self._data.scheme.alphabet
        query, subject = data.query[slice(*frame.across.residues())], data.subject[slice(*frame.down.residues())]
        cells = len(query) * len(subject)
        if cells <= dots.RESIDUE_CELLS and min(frame.across.cell, frame.down.cell) >= RESIDUE_PIXELS:
            found = dots.residue_cells(query, subject, self._table(strand))
            paint.paint_cells(painter, frame, found, paint.cell_colours(shades, strand))
        elif cells <= dots.WORD_CELLS:
            for of_strand in (1, -1) if alphabet.complements else (1,):
                agree = dots.word_cells(query, subject, alphabet, complement=of_strand < 0)
                shown = np.where(agree, np.uint8(dots.SAME), np.uint8(dots.NOTHING))
                paint.paint_cells(painter, frame, shown, paint.cell_colours(shades, of_strand, strong=True))
        elif self.stretches is not None:
            paint.paint_stretches(painter, frame, self.stretches, shades)

    def paint_paths(self, painter: QPainter, frame: Frame, shades: Colours) -> None:
        """Fill the cells of aligned residues; meant for a part where single residues can be seen."""
        data = self._data
        for line in data.lines.sort_out(frame.across, frame.down)[0]:
            query, subject = diagonal_cells(line.line, frame.across, frame.down)
            kinds = self._table(line.strand)[data.query[query], data.subject[subject]]
            paint.paint_path_cells(painter, frame, shades, line, (query, subject, kinds))

    def _table(self, strand: int) -> NDArray[np.uint8]:
        """Return how similar pairs of residues are on a strand, as `dots.similarity`."""
        if strand not in self._tables:
            self._tables[strand] = dots.similarity(self._data.scheme, complement=strand < 0)
        return self._tables[strand]
