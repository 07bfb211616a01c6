"""Settings of the cluster engine: where the scheduler is, and whether the way there is safe.

A person who can reach a Dask scheduler can run any program on its workers. So a plain connection is refused
unless it stays on this computer or the user allows it, and TLS always checks both sides. A worker listens too,
where `Connection.own_address` says and nowhere else.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

from swgui.core.devices import ALLOW_PLAIN, SCHEDULER, TLS_SETTINGS, ClusterAddress, is_loopback
from swgui.core.errors import EngineUnavailable, InvalidParameter, sentence_of
from swgui.engines.facts import CLUSTER

if TYPE_CHECKING:
    from distributed import Security

NAME: Final = CLUSTER.name
SCHEDULER_VARIABLE: Final = "SWGUI_SCHEDULER"
_NO_SCHEDULER_HINT: Final = (
    "Check the address, and the certificates if there are any; 'dask scheduler --host 127.0.0.1 --no-dashboard "
    "--dashboard-address 127.0.0.1:0' starts one for this computer."
)
NUMBERS: Final = {  # setting: its default
    "unit-seconds": 2.0,  # how long a worker computes before it reports
    "stall-seconds": 60.0,  # how long a worker may be silent, or all of them absent
    "shard-residues": float(1 << 24),
}
SETTINGS: Final = (SCHEDULER, *TLS_SETTINGS, ALLOW_PLAIN, *NUMBERS)
_YES: Final = {"on": True, "yes": True, "true": True, "1": True, "off": False, "no": False, "false": False, "0": False}


@dataclass(frozen=True, slots=True)
class Connection:
    """A scheduler, and how to talk to it."""

    address: str  # with protocol: ``tcp://host:port`` or ``tls://host:port``
    # ca, cert, key: PEM files; empty for a plain connection
    ca: str = ""
    cert: str = ""
    key: str = ""

    @property
    def encrypted(self) -> bool:
        """Whether it is TLS."""
        return self.address.startswith("tls://")

    def own_address(self) -> str:
        """Return the address of this computer that the scheduler sees, as ``tcp://host`` or ``tls://host``.

        It is the only one a worker should listen on: the loopback for a scheduler on this computer's loopback,
        otherwise that of the interface that reaches the scheduler.

        Raises
        ------
        OSError
            If the name of the scheduler's computer is not known.
        """
        from distributed.comm.addressing import get_local_address_for

        find: Any = get_local_address_for
        address: str = find(self.address)
        return address

    def security(self) -> Security | None:
        """Return Dask's form of it, for client and worker alike; None for a plain connection."""
        if not self.encrypted:
            return None
        from distributed import Security

        make: Any = Security
        security: Security = make(
            tls_ca_file=self.ca,
            tls_client_cert=self.cert,
            tls_client_key=self.key,
            tls_worker_cert=self.cert,
            tls_worker_key=self.key,
            require_encryption=True,
        )
        return security


@dataclass(frozen=True, slots=True)
class ClusterSettings:
    """The user's settings of the cluster, checked."""

    connection: Connection
    unit_seconds: float = NUMBERS["unit-seconds"]
    stall_seconds: float = NUMBERS["stall-seconds"]
    shard_residues: int = int(NUMBERS["shard-residues"])


def read_settings(settings: Mapping[str, str]) -> ClusterSettings:
    """Check the settings of the engine; missing ones come from the environment.

    Raises
    ------
    InvalidParameter
        If a setting is unknown or cannot be used.
    EngineUnavailable
        If the connection would be neither encrypted nor local and was not allowed.
    """
    for name, value in settings.items():
        if name not in SETTINGS:
            names = ", ".join(SETTINGS)
            raise InvalidParameter(name, value, f"The cluster engine has no setting '{name}'.", hint=f"It has {names}.")
    numbers = {name: _number(name, settings[name]) if name in settings else NUMBERS[name] for name in NUMBERS}
    ca, certificate, key = (settings.get(name, "") for name in TLS_SETTINGS)
    scheduler = settings.get(SCHEDULER, "") or os.environ.get(SCHEDULER_VARIABLE, "")
    allowed = _switch(ALLOW_PLAIN, settings.get(ALLOW_PLAIN, "off"))
    return ClusterSettings(
        make_connection(ClusterAddress(scheduler, ca, certificate, key, allowed)),
        numbers["unit-seconds"],
        numbers["stall-seconds"],
        max(1, int(numbers["shard-residues"])),
    )


def make_connection(address: ClusterAddress) -> Connection:
    """Return the parameters of a connection to a scheduler, after a check that the address is valid and safe.

    Raises
    ------
    InvalidParameter, EngineUnavailable
        As `read_settings`.
    """
    scheme, host, port = _split(address)
    if scheme == "tcp":
        if address.encrypted:
            raise InvalidParameter(
                SCHEDULER,
                address.scheduler,
                f"Certificates were given, but {address.scheduler} is a plain connection.",
                hint="Write tls:// instead of tcp://, or leave the certificates out.",
            )
        if not address.allow_plain and not is_loopback(host):
            raise EngineUnavailable(
                NAME,
                f"The connection to {host} would be plain: others on the network could read the sequences and "
                "run programs on the workers.",
                hint="Use TLS certificates (tls-ca, tls-cert, tls-key), or set allow-plain=on in a network you trust.",
            )
        return Connection(f"tcp://{_bracketed(host)}:{port}")
    for name, file in address.files.items():
        if not file:
            raise InvalidParameter(
                name,
                "",
                f"A TLS connection needs '{name}'.",
                hint="Give PEM files: the authority (tls-ca), the certificate (tls-cert) and its key (tls-key).",
            )
        if not Path(file).is_file():
            raise InvalidParameter(name, file, f"The file '{file}' ({name}) does not exist.")
    return Connection(f"tls://{_bracketed(host)}:{port}", address.ca, address.certificate, address.key)


def no_scheduler(address: str, error: Exception) -> EngineUnavailable:
    """Make the error for a scheduler that does not answer."""
    return EngineUnavailable(
        NAME, f"There is no Dask scheduler at {address}: {sentence_of(error)}", hint=_NO_SCHEDULER_HINT
    )


def is_exposed(address: ClusterAddress) -> bool:
    """Return True if a connection would leave this computer without encryption; False for an invalid address."""
    try:
        scheme, host, _ = _split(address)
    except InvalidParameter:
        return False
    return scheme == "tcp" and not is_loopback(host)


def _split(address: ClusterAddress) -> tuple[str, str, int]:
    """Return scheme, host and port."""
    typed = address.scheduler
    if not typed:
        raise InvalidParameter(
            SCHEDULER,
            typed,
            "The cluster engine needs the address of a Dask scheduler.",
            hint=f"Give scheduler=HOST:PORT, or set {SCHEDULER_VARIABLE}.",
        )
    wrong = InvalidParameter(
        SCHEDULER,
        typed,
        f"'{typed}' is not the address of a Dask scheduler.",
        hint="Write HOST:PORT, tcp://HOST:PORT or tls://HOST:PORT, for example tls://head-node:8786.",
    )
    parts = urlsplit(typed if "://" in typed else f"{'tls' if address.encrypted else 'tcp'}://{typed}")
    try:
        port = parts.port
    except ValueError:
        raise wrong from None
    if parts.scheme not in ("tcp", "tls") or not parts.hostname or not port:
        raise wrong
    if parts.path or parts.query or parts.username:
        raise wrong
    return parts.scheme, parts.hostname, port


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host else host


def _number(name: str, value: str) -> float:
    try:
        number = float(value)
    except ValueError:
        number = 0.0
    if not 0 < number < 1e15:
        raise InvalidParameter(name, value, f"The setting '{name}' takes a number above 0, not '{value}'.")
    return number


def _switch(name: str, value: str) -> bool:
    if value.lower() not in _YES:
        raise InvalidParameter(name, value, f"The setting '{name}' is on or off, not '{value}'.")
    return _YES[value.lower()]
