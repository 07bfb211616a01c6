"""Modules that run when something in them is first used."""

from __future__ import annotations

import sys
import threading
from importlib import import_module
from types import ModuleType
from typing import Any

_ASKED = ("__all__", "__version__")  # of names that Python looks for in every module it imports, the module's own
_leaving = threading.RLock()


class Later(ModuleType):
    """A module that is imported once something in it is used."""

    def __getattr__(self, name: str) -> Any:
        if name[:2] == "__" and name not in _ASKED and (name != "__path__" or self.__spec__ is not None):
            raise AttributeError(f"module '{self.__name__}' has no attribute '{name}'")
        return getattr(self.imported(), name)

    def imported(self) -> ModuleType:
        """Return the module itself, which stands in its place from then on."""
        with _leaving:  # another thread may have put the module itself there
            if sys.modules.get(self.__name__) is self:
                del sys.modules[self.__name__]
        return import_module(self.__name__)
