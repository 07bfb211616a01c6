"""pyqtgraph, which takes a quarter of a second to import, in the colours of the window: every plot has it from here."""

import pyqtgraph as pg
from PySide6.QtWidgets import QApplication

from swgui.gui.kit.theme import colours, prepare_plots

__all__ = ["pg"]

if isinstance(_app := QApplication.instance(), QApplication):
    prepare_plots(colours(_app.palette()))
