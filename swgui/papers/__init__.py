"""The methods of five papers, real kernels behind the same doors as the program's own.

`methods` has the records, which `swgui.core.methods.base.MODULES` names and from which windows, commands and manuals
show them; nothing outside imports this room. `search` are ways of searching a database, `striped` and `tiled` ways
of aligning one long pair; `occupancy` is a tab of the Device page, which `swgui.gui.device.tabs` names.
"""
