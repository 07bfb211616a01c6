"""Modules that run at their first use, in a process that is this program's alone.

NumPy, argparse and others import them, and few commands use them. Functions that others take from them at their own
import stand in their place until they are called.
"""

from __future__ import annotations

import sys
import typing
from collections.abc import Callable, Mapping
from functools import partial
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any, TypeVar

from swgui.core.later import Later

NAMES = frozenset(
    (
        "ast",
        "gettext",
        "inspect",
        "ipaddress",
        "json",
        "logging",
        "msgspec.inspect",
        "numpy.linalg",
        "numpy.typing",
        "pickle",
        "textwrap",
        "typing_extensions",
        "urllib.parse",
    )
)
# Functions that others take: called, they are those of the module.
CALLED = {
    "numpy.linalg": ("eigvals", "inv", "lstsq", "matrix_power"),
    "urllib.parse": ("quote_from_bytes",),
}
OF_DOCS = {"cleandoc": "", "signature": None}  # functions of `inspect`, and their results while NumPy starts
WARNING = 30  # the level from which messages are shown where no log was set up
QUIET: Mapping[str, Callable[..., Any]] = {  # of a logger there
    "debug": lambda *given, **more: None,
    "info": lambda *given, **more: None,
    "isEnabledFor": lambda level: level >= WARNING,
}
_Scalar = TypeVar("_Scalar")


class Loader:
    """Puts a `Later` in the place of a module."""

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """Return the module, which has not run."""
        module = Later(spec.name)
        vars(module)["__path__"] = spec.submodule_search_locations  # asked for before it is set
        return module

    def exec_module(self, module: ModuleType) -> None:
        """Give it the names that others take from it at their import."""
        assert isinstance(module, Later)
        if vars(module)["__path__"] is None:
            del vars(module)["__path__"]
        vars(module).update({name: partial(_called, module, name) for name in CALLED.get(module.__name__, ())})
        vars(module).update(_given(module))


class Log:
    """A logger that is made once a command sets up its log, or a message is shown without one."""

    def __init__(self, logging: Later, name: str | None = None) -> None:
        vars(self).update(_logging=logging, _name=name)

    def __setattr__(self, name: str, value: object) -> None:
        setattr(self._logging.imported().getLogger(self._name), name, value)

    def __getattr__(self, name: str) -> Any:
        if name in QUIET and sys.modules.get("logging") is self._logging:
            return QUIET[name]
        return getattr(self._logging.imported().getLogger(self._name), name)


def _given(module: Later) -> dict[str, Any]:
    """Return names that others take from a module, and use before a command needs the module."""
    match module.__name__:
        case "gettext":  # of argparse: Python has no translations of its words
            return {"gettext": str, "ngettext": _one_or_more}
        case "inspect":
            return {"get_annotations": _annotations} | {
                name: partial(_of_docs, module, name, instead) for name, instead in OF_DOCS.items()
            }
        case "logging":
            return {"DEBUG": 10, "INFO": 20, "WARNING": WARNING, "getLogger": partial(Log, module)}
        case "numpy.typing":  # for type checkers
            import numpy as np

            array: Any = np.ndarray
            return {"ArrayLike": Any, "NDArray": array[Any, np.dtype[_Scalar]]}  # type: ignore[valid-type]
        case "typing_extensions":  # of msgspec, which takes these where it is not installed
            return {name: getattr(typing, name) for name in ("NotRequired", "Required", "get_type_hints")}
    return {}


def _called(module: Later, name: str, *given: Any, **more: Any) -> Any:
    return getattr(module.imported(), name)(*given, **more)


def _one_or_more(one: str, more: str, count: int) -> str:
    return one if count == 1 else more


def _annotations(kind: Any) -> dict[str, Any]:
    return dict(vars(kind).get("__annotations__", {}))


def _of_docs(inspect: Later, name: str, instead: object, given: Any, **more: Any) -> Any:
    """Return a text or a signature for help, which no command shows of NumPy: `instead` of it while NumPy starts."""
    starting: Any = sys.modules.get("numpy")
    if starting is not None and getattr(starting.__spec__, "_initializing", False):
        return instead
    return getattr(inspect.imported(), name)(given, **more)
