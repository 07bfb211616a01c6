"""Tabs of the Device page that other rooms bring: the table of their modules, and their context."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from typing import ClassVar, Final, cast

from PySide6.QtWidgets import QWidget

from swgui.core.sweep.grid import SweepResult
from swgui.engines.base import EngineStatus, KernelUse

MODULES: Final = ("swgui.papers.occupancy.panel",)  # each offers `make_tab`


class DeviceTab(QWidget):
    """A tab of the Device page."""

    title: ClassVar[str]

    def show_engines(self, statuses: Sequence[EngineStatus]) -> None:
        """Note which devices there are."""

    def show_use(self, uses: Sequence[KernelUse]) -> None:
        """Show the kernels of a search; none if they are not known."""

    def show_sweep(self, result: SweepResult | None) -> None:
        """Show the measurements of a sweep; None for no sweep."""


def make_tabs() -> tuple[DeviceTab, ...]:
    return tuple(cast(DeviceTab, importlib.import_module(name).make_tab()) for name in MODULES)
