"""The methods of five papers, real kernels behind the same doors as the program's own.

`methods` has the records, which `swgui.core.methods.base.MODULES` names and from which windows, commands and manuals
show them; nothing else outside knows this room. `search` are ways of searching a database, `striped` and `tiled` ways
of aligning one long pair.
"""
