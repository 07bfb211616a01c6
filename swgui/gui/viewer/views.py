"""The views of an alignment, in the order of their buttons. To add one, write its class and name it here."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from swgui.gui.kit.tasks.pool import Tasks
from swgui.gui.viewer.covariation.view import CovariationView
from swgui.gui.viewer.family import FamilyView
from swgui.gui.viewer.frames import FramesView
from swgui.gui.viewer.matrix.dot_view import DotView
from swgui.gui.viewer.matrix.path_view import PathView
from swgui.gui.viewer.rows.wrapped import TextView, WrappedView
from swgui.gui.viewer.shape import ShapeView
from swgui.gui.viewer.stacked.view import StackView
from swgui.gui.viewer.view import View

VIEWS: Final[tuple[Callable[[Tasks], View], ...]] = (
    WrappedView, StackView, DotView, PathView, TextView, ShapeView, FamilyView, FramesView, CovariationView,
)  # fmt: skip
