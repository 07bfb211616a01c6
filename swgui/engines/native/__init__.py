"""Compiled code for the CPU, called through ctypes with the interpreter's lock released.

`problem` says why there is none; every function here then works in NumPy, slower and with the same results.
"""

from swgui.engines.native.library import facts, levels, problem

__all__ = ["facts", "levels", "problem"]
