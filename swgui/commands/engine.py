"""Engine, devices and method on the command line, for every command that computes."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from swgui.commands.option import Group, Option
from swgui.core.devices import TLS_SETTINGS, ClusterAddress, device_ids, device_text
from swgui.core.engines import EngineOptions
from swgui.core.errors import EngineUnavailable, InvalidParameter
from swgui.core.methods.base import AUTO
from swgui.core.methods.search import SEARCH_METHODS
from swgui.core.plain import replace
from swgui.engines.facts import GPU
from swgui.engines.registry import engine_names, facts, probe
from swgui.paths import tuning_file

if TYPE_CHECKING:
    from swgui.jobs.search.request import SearchRequest

_ENCRYPTED: Final = "of the cluster's encrypted connections"


def on_computer(text: str) -> str:
    """Return the address of another computer in its shortest form; `ArgumentTypeError` if it is none."""
    if not text:
        return ""
    from swgui.io.remote.addresses import read_address  # here: few runs are elsewhere

    try:
        return read_address(text).text
    except InvalidParameter as fault:
        raise argparse.ArgumentTypeError(str(fault)) from None


ON: Final = Option(
    ("--on",),
    "carry the run out on another computer: a host that ssh reaches and that has swgui, or the https address of a "
    "'swgui serve'; it has the databases, which 'swgui remote HOST' lists, and the devices",
    "HOST",
    on_computer,
    "",
)


def engine_group(*, away: bool = False) -> Group:
    """Return the options of every command that computes; with the engines that plugins bring.

    Parameters
    ----------
    away : bool
        Whether another computer can carry the command out.
    """
    return Group(
        (
            *((ON,) if away else ()),
            Option(("--engine",), "engine (default: the fastest)", default=AUTO, choices=engine_names()),
            Option(("--device",), "devices as 'swgui devices' lists them", "ID[,ID]", default=""),
            Option(("-t", "--threads", "--num-threads"), "threads of the CPU engine (default: all)", "N", int, 0),
            Option(("--scheduler",), "address of a cluster's scheduler, for --engine cluster", "ADDRESS"),
            Option(("--tls-ca",), f"certificate authority {_ENCRYPTED}", "FILE"),
            Option(("--tls-cert",), f"certificate {_ENCRYPTED}", "FILE"),
            Option(("--tls-key",), f"key {_ENCRYPTED}", "FILE"),
            Option(("--allow-plain",), "connect to another machine without encryption", default=False, flag=True),
            Option(
                ("--method",),
                "how a GPU computes the scores, all of them exact: 'swgui devices' describes them",
                choices=(AUTO, *SEARCH_METHODS),
            ),
            Option(
                ("--set", "--setting"),
                "a setting of the engine or of the method",
                "NAME=VALUE",
                default=[],
                many=True,
                dest="settings",
            ),
        ),
        "engine",
    )


def engine_name(arguments: argparse.Namespace) -> str:
    """Return the requested engine: methods are those of GPUs."""
    return GPU.name if arguments.method not in (None, AUTO) and arguments.engine == AUTO else str(arguments.engine)


def check_method(arguments: argparse.Namespace) -> None:
    """Refuse a method that cannot run here, with the reason, before anything is read.

    Raises
    ------
    InvalidParameter
        If the requested engine has no methods.
    EngineUnavailable
        If there is no GPU to run it on.
    """
    method, engine = arguments.method, engine_name(arguments)
    if method in (None, AUTO):
        return
    if not facts(engine).methods:
        raise InvalidParameter(
            "method",
            method,
            f"The method '{method}' is one of the engine {GPU.name}, for NVIDIA GPUs; "
            f"the engine {engine} has no methods.",
            hint="Leave out --method, or --engine.",
        )
    status = probe(GPU.name)
    if not status.available:
        raise EngineUnavailable(
            GPU.name,
            f"The method '{method}' is for NVIDIA GPUs and cannot run here. {status.reason}",
            hint=f"{status.hint} Without --method the search runs on the CPU.".strip(),
        )


def engine_options(arguments: argparse.Namespace) -> EngineOptions:
    """Return the arguments of the engine."""
    on = getattr(arguments, "on", "")
    return EngineOptions(device_ids(arguments.device), arguments.threads, engine_settings(arguments), on)


def engine_settings(arguments: argparse.Namespace) -> dict[str, str]:
    """Return the engine's own settings; those of a cluster have options of their own."""
    given = read_settings(arguments.settings)
    given |= cluster_address(arguments, arguments.scheduler).settings
    if arguments.method not in (None, AUTO):  # the automatic choice is that of every engine
        given["method"] = arguments.method
    return given


def cluster_address(arguments: argparse.Namespace, scheduler: str | None) -> ClusterAddress:
    """Return a scheduler with the PEM files and the consent of the options."""
    ca, certificate, key = (str(getattr(arguments, name.replace("-", "_")) or "") for name in TLS_SETTINGS)
    return ClusterAddress(scheduler or "", ca, certificate, key, allow_plain=arguments.allow_plain)


def engine_values(engine: str, options: EngineOptions) -> dict[str, object]:
    """Return the values that `engine_name` and `engine_options` make an engine of."""
    return {
        "engine": engine,
        "device": device_text(options.devices),
        "threads": options.threads,
        "settings": written_settings(options.settings),
        **({"on": options.on} if options.on else {}),
    }


def tuned(request: SearchRequest) -> tuple[SearchRequest, str]:
    """Return a search with the settings that a sweep found for such queries, if it has none, and these settings.

    If the user has switched that off, or there are none, the search stays as it is, without a message.
    """
    with suppress(RuntimeError):  # without a home there are no settings either
        if not tuning_file().is_file():
            return request, ""
    from swgui import settings  # here: most users have no sweeps
    from swgui.jobs.sweep.in_use import for_search

    if not settings.load().devices.tuned:
        return request, ""
    symbols = len(request.scheme.alphabet)
    options, kept = for_search(request.search.engine, request.search.options, set(request.lengths), symbols)
    if kept is None:
        return request, ""
    values = ", ".join(f"{name} {value}" for name, value in kept.settings.items())
    low, high = kept.key.query_class.split("-")
    said = f"settings of a sweep for queries of {low} to {high} residues are used: {values}"
    return replace(request, search=replace(request.search, options=options)), said


def read_settings(texts: Iterable[str]) -> dict[str, str]:
    """Return settings of texts; errors as of `parse_setting`."""
    return dict(parse_setting(text) for text in texts)


def written_settings(settings: Mapping[str, str]) -> list[str]:
    """Return settings as `read_settings` takes them."""
    return [f"{name}={value}" for name, value in settings.items()]


def parse_setting(text: str) -> tuple[str, str]:
    """Split NAME=VALUE.

    Raises
    ------
    InvalidParameter
        If it is anything else.
    """
    name, equals, value = text.partition("=")
    if not equals or not name:
        raise InvalidParameter("set", text, f"'{text}' is not NAME=VALUE.")
    return name.strip(), value.strip()
