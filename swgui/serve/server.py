"""The folding server as a whole: its databases, its jobs on disk, its worker, and the address where it listens."""

from __future__ import annotations

import argparse
import re
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

from swgui import paths
from swgui.core.database import EncodedDatabase
from swgui.core.devices import is_loopback
from swgui.core.errors import InvalidParameter, SwguiError
from swgui.runs.holding import Holding
from swgui.runs.watches.watch import watches_folder
from swgui.serve.commanding import Commanding
from swgui.serve.databases import Databases
from swgui.serve.doors import Doors, folding
from swgui.serve.house import House, Limits
from swgui.serve.http import Access, Server
from swgui.serve.makers import Makers
from swgui.serve.nucleotides import NucleotideWork
from swgui.serve.protocol import chains_of
from swgui.serve.queue import Queue
from swgui.serve.requests import Allowed
from swgui.serve.searching import Searching
from swgui.serve.tickets import DAY, Ticket, Tickets
from swgui.serve.users import read_tokens
from swgui.serve.work import Work

LETTERS: Final = 1_000_000  # of one search; its cells are limited, too
BODY: Final = 4 << 20  # bytes of a request for a search
_ADDRESS: Final = re.compile(r"\[?([^\[\]]+?)\]?:(\d{1,5})")


class CannotListen(SwguiError, OSError):
    """The address of the server cannot be used."""


def client_lines(url: str, *, proteins: bool = True, rna: bool = True) -> list[tuple[str, str]]:
    """Return each client with the line that lets it use a server that aligns proteins, RNA or both."""
    lines = (*(folding.DOOR.lines if proteins else ()), *(folding.RNA_LINES if rna else ()))
    return [(name, line.format(url=url)) for name, line in lines]


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
        limits = ("max_waiting", "max_chains", "max_length", "max_residues", "max_cells")
        for name in limits:
            if getattr(arguments, name) < 1:
                raise InvalidParameter(name, getattr(arguments, name), f"--{name.replace('_', '-')} is below 1.")
        self._users = read_tokens(Path(arguments.token_file)) if arguments.token_file else ()
        self._makers = Makers(arguments)
        self._work = self._folding_work()
        self._bases = self._work_on_bases()
        self._databases = Databases([*map(str, self._folding_paths()), *arguments.search_database])
        self._makers.add(Searching(arguments, self._databases, self._makers.engines))
        self._doors = Doors(arguments.door)
        self.tickets: Tickets | None = None
        self._queue: Queue | None = None
        self._house: House | None = None
        self._http: Server | None = None
        self._serving: threading.Thread | None = None

    def start(self, cancel: threading.Event, *, listen: bool = True) -> None:
        """Open the databases and listen; returns once the server answers clients.

        Parameters
        ----------
        listen : bool
            False for jobs without an address: `house` takes them.

        Raises
        ------
        SwguiError
            If a database, the folder or the address cannot be used.
        """
        arguments = self.arguments
        opened: dict[Path, EncodedDatabase] = {}
        if self._work is not None:
            self._work.open(cancel)
            opened = self._work.opened
        if self._bases is not None:
            self._bases.open(cancel)
        self._databases.open(cancel, opened)
        self.tickets = Tickets(Path(arguments.folder) if arguments.folder else paths.data_dir() / "folding")
        try:
            self._queue = Queue(self.tickets, self._makers, arguments.keep * DAY)
            host = self._address[0]
            names = {"localhost", "127.0.0.1", "::1", host} if is_loopback(host) else ()
            access = Access(self._users, frozenset(names), frozenset(arguments.allow_origin))
            self._makers.add(Commanding(arguments, self._databases, self._makers.engines, self.tickets.archive))
            self._house = self._new_house(self.tickets, self._queue)
            if listen:
                self._http = Server(self._address, self._house, self._doors, access, self._certificate)
            if self._holding is not None:
                self._unlisten = self._holding.listen(self._take_turn)
                self._take_turn()
            self._queue.start()
            if self._http is not None:
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

    def _new_house(self, tickets: Tickets, queue: Queue) -> House:
        arguments = self.arguments
        limits = Limits(
            folding=Allowed(arguments.max_chains, arguments.max_length, arguments.max_residues),
            searches=Allowed(arguments.max_chains, LETTERS, LETTERS, BODY),
            waiting=arguments.max_waiting,
            cells=arguments.max_cells,
            shared=arguments.see == "all",
        )
        facts = self._work.fingerprint if self._work is not None else ""
        watches = watches_folder(arguments.watches) if arguments.watches else None
        of_bases = self._bases.fingerprint if self._bases is not None else ""
        users = bool(self._users)
        return House(tickets, queue, self._databases, limits, facts, users, watches, facts_of_bases=of_bases)

    def _folding_paths(self) -> list[Path]:
        return database_paths(self.arguments.databases) if self.arguments.databases else []

    def _work_on_bases(self) -> NucleotideWork | None:
        """Return the maker of alignments of RNA; None without a database for them."""
        if not (place := self.arguments.nucleotide_database):
            return None
        work = NucleotideWork(self.arguments, [Path(place)], None, self._makers.engines)
        self._makers.add(work)
        return work

    def _folding_work(self) -> Work | None:
        """Return the maker of alignments; None without a database for them."""
        arguments, places = self.arguments, self._folding_paths()
        pairs = Path(arguments.pair_database) if arguments.pair_database else None
        if not places:
            if pairs is None and (arguments.search_database or arguments.nucleotide_database):
                return None
            raise InvalidParameter(
                "databases",
                None,
                "The server has no database.",
                hint="Give --database for structure prediction and searches, or --search-database for searches alone.",
            )
        work = Work(arguments, places, pairs, self._makers.engines)
        self._makers.add(work)
        return work

    @property
    def url(self) -> str:
        """Address of the server, as clients get it."""
        host, port = self.place
        shown = f"[{host}]" if ":" in host else host
        return f"http{'s' if self._certificate else ''}://{shown}:{port}"

    @property
    def lines(self) -> list[tuple[str, str]]:
        """Each client of the open doors with the line that lets it use the server."""
        made = client_lines(self.url, proteins=self._work is not None, rna=self._bases is not None)
        others = [line for door in self._doors.open if door is not folding.DOOR for line in door.lines]
        return [
            *(made if folding.DOOR in self._doors.open else ()),
            *((name, line.format(url=self.url)) for name, line in others),
        ]

    @property
    def place(self) -> tuple[str, int]:
        """Host and port: the given ones, and those in use while it runs."""
        host, port = self._http.server_address[:2] if self._http is not None else self._address
        return str(host), port

    @property
    def house(self) -> House:
        """Jobs, queue and databases of the server; it must have been started."""
        assert self._house is not None
        return self._house

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
        if self._house is not None:
            self._house.closing = True
        if self._http is not None:
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
