"""The folding server as a whole: its databases, its jobs on disk, its worker, and the address where it listens."""

from __future__ import annotations

import argparse
import os
import re
import stat
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from swgui import paths
from swgui.core.devices import is_loopback
from swgui.core.errors import InvalidParameter, SwguiError, reason_of
from swgui.runs.holding import Holding
from swgui.serve.http import Access, Server
from swgui.serve.protocol import Allowed, chains_of
from swgui.serve.queue import Queue
from swgui.serve.tickets import DAY, Ticket, Tickets
from swgui.serve.work import Work

SHORTEST_TOKEN: Final = 16  # characters
_ADDRESS: Final = re.compile(r"\[?([^\[\]]+?)\]?:(\d{1,5})")


class CannotListen(SwguiError, OSError):
    """The address of the server cannot be used."""


@dataclass(frozen=True, slots=True)
class Client:
    """A client program, and the line that makes it use the server; ``{url}`` is the server's address."""

    name: str
    line: str


CLIENTS: Final = (
    Client("ColabFold", "colabfold_batch --host-url {url} input.fasta out"),
    Client("Boltz", "boltz predict input.yaml --use_msa_server --msa_server_url {url}"),
    Client("Chai-1", "chai-lab fold --use-msa-server --msa-server-url {url} input.fasta out"),
    Client("OpenFold3", "msa_computation_settings: {{server_url: {url}}}"),
    Client("Protenix", "MMSEQS_SERVICE_HOST_URL={url} protenix pred -i input.json -o out --msa_server_mode colabfold"),
    Client("AlphaFold 3", "run_alphafold.py --jackhmmer_binary_path=$(which swgui-jackhmmer)  # without the server"),
)


def client_lines(url: str) -> list[tuple[str, str]]:
    """Return each client with the line that lets it use a server."""
    return [(client.name, client.line.format(url=url)) for client in CLIENTS]


class FoldingServer:
    """A server that can be started once and stopped.

    Parameters
    ----------
    arguments : Namespace
        With the values of `swgui.commands.serve.serve_options`.
    holding : Holding, optional
        The runs that hold a device: while one of a user does, all jobs wait.

    Raises
    ------
    InvalidParameter
        If it would listen to a network without a token or without encryption, or a value is out of its range.
    """

    def __init__(self, arguments: argparse.Namespace, holding: Holding | None = None) -> None:
        self.arguments, self._holding = arguments, holding
        self._unlisten: Callable[[], None] = lambda: None
        self._address = read_address(arguments.address)
        certificate = arguments.tls
        if certificate and len(certificate) != 2:
            raise InvalidParameter("tls", certificate, "--tls takes two files: the certificate, and its key.")
        self._certificate = (str(certificate[0]), str(certificate[1])) if certificate else None
        if not is_loopback(self._address[0]) and not (arguments.token_file and certificate):
            raise InvalidParameter(
                "address",
                arguments.address,
                f"At {arguments.address} others could read sequences and use the server.",
                hint="Give --token-file and --tls, or listen at 127.0.0.1 and reach it through an SSH tunnel.",
            )
        if not arguments.keep > 0:
            raise InvalidParameter("keep", arguments.keep, "Results must be kept for some time, more than 0 days.")
        limits = ("max_waiting", "max_chains", "max_length", "max_residues")
        for name in limits:
            if getattr(arguments, name) < 1:
                raise InvalidParameter(name, getattr(arguments, name), f"--{name.replace('_', '-')} is below 1.")
        self._tokens = read_tokens(Path(arguments.token_file)) if arguments.token_file else {}
        databases = database_paths(arguments.databases)
        pairs = Path(arguments.pair_database) if arguments.pair_database else None
        self.work = Work(arguments, databases, pairs)
        self.tickets: Tickets | None = None
        self._queue: Queue | None = None
        self._http: Server | None = None
        self._serving: threading.Thread | None = None

    def start(self, cancel: threading.Event) -> None:
        """Open the databases and listen; returns once the server answers clients.

        Raises
        ------
        SwguiError
            If a database, the folder or the address cannot be used.
        """
        arguments = self.arguments
        self.work.open(cancel)
        self.tickets = Tickets(Path(arguments.folder) if arguments.folder else paths.data_dir() / "folding")
        try:
            self._queue = Queue(self.tickets, self.work, arguments.keep * DAY)
            host = self._address[0]
            names = {"localhost", "127.0.0.1", "::1", host} if is_loopback(host) else ()
            allowed = Allowed(arguments.max_chains, arguments.max_length, arguments.max_residues)
            access = Access(allowed, arguments.max_waiting, self._tokens, frozenset(names))
            self._http = Server(
                self._address, self.tickets, self._queue, self.work.fingerprint, access, self._certificate
            )
            if self._holding is not None:
                self._unlisten = self._holding.listen(self._take_turn)
                self._take_turn()
            self._queue.start()
            serve = self._http.serve_forever
            self._serving = threading.Thread(target=serve, args=(0.1,), name="swgui-http", daemon=True)
            self._serving.start()
        except (OSError, RuntimeError) as fault:  # the latter where no more threads can be started
            self.close()
            reason = getattr(fault, "strerror", None) or fault
            what = f"The folding server cannot listen at {arguments.address}: {reason}."
            raise CannotListen(
                what, hint="Choose another port, or stop the program that uses it; check the certificate."
            ) from fault
        except BaseException:
            self.close()
            raise

    @property
    def url(self) -> str:
        """Address of the server, as clients get it."""
        host, port = self.place
        shown = f"[{host}]" if ":" in host else host
        return f"http{'s' if self._certificate else ''}://{shown}:{port}"

    @property
    def place(self) -> tuple[str, int]:
        """Host and port: the given ones, and those in use while it runs."""
        host, port = self._http.server_address[:2] if self._http is not None else self._address
        return str(host), port

    @property
    def paused(self) -> bool:
        """Whether jobs wait for a run of the user."""
        return self._queue is not None and self._queue.paused

    def jobs(self, most: int = 500) -> list[Ticket]:
        """Return the newest jobs, the newest first."""
        return self.tickets.recent(most) if self.tickets is not None else []

    def stop_jobs(self, ticket_ids: Sequence[str]) -> None:
        """End some jobs, with a message to their clients."""
        if (queue := self._queue) is not None:
            for ticket_id in ticket_ids:
                queue.stop(ticket_id)

    def alignments(self, ticket_id: str) -> dict[str, bytes]:
        """Return the alignment of each chain of a job that is done, in A3M form, by the name of the chain.

        Raises
        ------
        OSError, tarfile.TarError
            If its result was deleted, or cannot be read.
        """
        return chains_of(self.tickets.archive(ticket_id).read_bytes()) if self.tickets is not None else {}

    def _take_turn(self) -> None:
        """Hold all jobs back while a user's run computes, or let them continue."""
        if self._queue is not None and self._holding is not None:
            self._queue.pause(self._holding.users is not None)

    def delete_results(self) -> int:
        """Delete all saved results, and return their number."""
        return self.tickets.expire(float("inf")) if self.tickets is not None else 0

    def close(self) -> None:
        """Stop listening and working; unfinished jobs wait for the next start."""
        self._unlisten()
        if self._http is not None:
            self._http.closing = True
            with suppress(OSError):
                if self._serving is not None and self._serving.is_alive():
                    self._http.shutdown()  # waits for a thread that serves
                self._http.server_close()
        if self._queue is not None:
            self._queue.close()
        if self.tickets is not None:
            self.tickets.close()
        self._http, self._serving, self._queue, self.tickets = None, None, None, None


def read_address(text: str) -> tuple[str, int]:
    """Return host and port.

    Raises
    ------
    InvalidParameter
        If it is not both.
    """
    match = _ADDRESS.fullmatch(text)
    if match is None or int(match[2]) > 65_535:
        raise InvalidParameter("address", text, f"'{text}' is no address.", hint="127.0.0.1:8889 is the usual one.")
    return match[1], int(match[2])


def read_tokens(place: Path) -> dict[str, str]:
    """Return the token of each owner: lines of a name and a token.

    Raises
    ------
    InvalidParameter
        If the file cannot be read, others may read it, a token is short, or two owners share one.
    """
    try:
        others = stat.S_IMODE(place.stat().st_mode) & 0o077
        lines = place.read_text("utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as fault:
        raise InvalidParameter(
            "token_file", str(place), f"The tokens in '{place}' cannot be read: {reason_of(fault)}."
        ) from fault
    if others and os.name == "posix":
        what = f"Others on this computer may read the tokens in '{place}'."
        raise InvalidParameter("token_file", str(place), what, hint=f"Type: chmod 600 {place}")
    tokens: dict[str, str] = {}
    for number, words in enumerate(map(str.split, lines), start=1):
        if not words or words[0].startswith("#"):
            continue
        if len(words) != 2 or len(words[1]) < SHORTEST_TOKEN or words[0] in tokens or words[1] in tokens.values():
            what = (
                f"Line {number} of '{place}' needs a new name and a new token of {SHORTEST_TOKEN} characters or more."
            )
            hint = "Type for a token: python3 -c 'import secrets; print(secrets.token_urlsafe())'"
            raise InvalidParameter("token_file", str(place), what, hint=hint)
        tokens[words[0]] = words[1]
    if not tokens:
        raise InvalidParameter("token_file", str(place), f"There is no token in '{place}'.")
    return tokens


def database_paths(given: Sequence[str]) -> list[Path]:
    """Return the databases that ``--database`` names, also with commas between them.

    Raises
    ------
    InvalidParameter
        If there is none, or more than two.
    """
    named = [
        Path(name.strip())
        for text in given
        for name in ([text] if Path(text).exists() else text.split(","))
        if name.strip()
    ]
    if not 1 <= len(named) <= 2:
        what = f"The server takes one database or two, not {len(named)}."
        raise InvalidParameter("databases", list(given), what, hint="The second one is the environmental database.")
    return named
