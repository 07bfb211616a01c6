"""A watch in its folder: adding it, its passes and its feed, removing it.

::

    FOLDER/NAME/watch.json      queries and settings (`swgui.runs.watches.record`)
                state.json      which pass is the last; written last
                pass-N.json     database, numbers and changes of pass N
                hits-N.swgui    the saved search of the last pass
                contents-N.npy  hashes of the sequences that it searched
                NAME.atom       the feed, unless it is elsewhere
    FOLDER/.lock                held by the one pass that runs
"""

from __future__ import annotations

import re
import shutil
import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Final

from swgui import paths
from swgui.core.errors import InvalidParameter, explaining
from swgui.core.plain import plain, replace
from swgui.core.words import count
from swgui.io.atom import Entry, feed_bytes, urn_of
from swgui.io.database.named import file_of
from swgui.io.locking import lock
from swgui.io.outputs import keep_inputs
from swgui.io.whole_file import check_place, save_bytes
from swgui.runs.watches.mail import check_mail
from swgui.runs.watches.record import (
    FORMAT,
    STATE,
    WATCH,
    PassFacts,
    WatchError,
    WatchFacts,
    WatchState,
    read_facts,
    write_facts,
)
from swgui.runs.watches.telling import entry_content, headline

if TYPE_CHECKING:
    from swgui.jobs.search.request import SearchRequest

ENTRIES: Final = 50  # of a feed: the newest passes with something to tell
FEED: Final = ".atom"
HITS: Final = ".swgui"  # `swgui.io.saved.search`, which most passes do not need
_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,62}")


def watches_folder(given: str | Path | None = None) -> Path:
    """Return the folder of watches: the given one, or the user's."""
    return Path(given).absolute() if given else paths.data_dir() / "watches"


def watch_names(root: Path) -> list[str]:
    """Return the names of the watches in a folder, in order."""
    return sorted(path.parent.name for path in root.glob(f"*/{WATCH}") if _NAME.fullmatch(path.parent.name))


def stamp() -> str:
    """Return the time, with the time zone, as feeds have it."""
    return datetime.now().astimezone().isoformat(timespec="seconds")


@contextmanager
def one_pass(root: Path) -> Iterator[None]:
    """Hold the watches of a folder: one pass runs at a time.

    Raises
    ------
    WatchError
        If another program holds them.
    FileFault
        If the folder cannot be written.
    """
    with explaining():
        paths.make_folder(root)
        with open(root / ".lock", "a+b") as file:
            if not lock(file):
                hint = "It ends by itself; nothing was changed. Try again then."
                raise WatchError(root, f"Another pass over the watches in '{root}' is running.", hint=hint)
            yield


def remove_watch(root: Path, name: str) -> str:
    """Delete a watch with its passes, also a damaged one; return the file of its feed if that stays elsewhere.

    Raises
    ------
    WatchError
        If there is none of this name, or a pass is running.
    FileFault
        If it cannot be deleted.
    """
    folder, feed = _folder_of(root, name), ""
    with suppress(WatchError):  # of a damaged one the place is not known
        feed = Watch(root, name).facts.feed
    with one_pass(root), explaining():
        (folder / WATCH).unlink()  # without it the folder is no watch
        shutil.rmtree(folder)
    return feed


def _folder_of(root: Path, name: str) -> Path:
    """Return the folder of a watch; `WatchError` if there is none of this name."""
    folder = root / name
    if not _NAME.fullmatch(name) or not (folder / WATCH).is_file():
        known = ", ".join(f"'{one}'" for one in watch_names(root)[:8])
        hint = f"There are {known}." if known else "'swgui watch add NAME -q FILE -d DATABASE' adds one."
        raise WatchError(folder, f"There is no watch '{name}' in '{root}'.", hint=hint)
    return folder


class Watch:
    """A watch that is there.

    Parameters
    ----------
    root : Path
        Folder of watches.
    name : str

    Raises
    ------
    WatchError
        If there is none of this name, or its record is damaged.
    """

    def __init__(self, root: Path, name: str) -> None:
        self.folder = _folder_of(root, name)
        self.facts = read_facts(WatchFacts, self.folder / WATCH)
        if self.facts.format != FORMAT:
            message = f"The watch '{name}' has the form '{self.facts.format[:40]}', which this version does not know."
            raise WatchError(self.folder, message, hint="Update swgui.")

    @classmethod
    def add(
        cls, root: Path, name: str, request: SearchRequest, databases: Sequence[str], *, feed: str = "", mail: str = ""
    ) -> Watch:
        """Add a watch; nothing is searched yet.

        Parameters
        ----------
        request : SearchRequest
            Queries and settings; its database stands for those of `databases`.
        databases : sequence of str
            Files, or names that are looked up in each pass.
        feed, mail : str
            As of `WatchFacts`.

        Raises
        ------
        InvalidParameter
            If the name is none for a file, the mail command is none, the feed would replace a database or another feed,
            or the search has rounds or is elsewhere.
        WatchError
            If there is a watch of this name.
        FileNotWritten, FileFault
            If it cannot be written, or its feed cannot.
        """
        from swgui.runs.search_facts import RequestFacts  # here: most passes do not need them

        _check_name(name)
        _check_request(request)
        check_mail(mail)
        folder = root / name
        if (folder / WATCH).exists():
            hint = f"Choose another name, or remove it: swgui watch remove {name}"
            raise WatchError(folder, f"There is a watch '{name}' in '{root}' already.", hint=hint)
        place = str(Path(feed).absolute()) if feed else ""
        if place:
            check_place(place)
            inputs = [("database", file_of(name)) for name in databases]
            keep_inputs(place, inputs, parameter="feed", hint="Name another file.")
            _check_feed(root, place)
        with explaining():
            paths.make_folder(folder)
            facts = WatchFacts(
                id=str(uuid.uuid4()),
                name=name,
                made=stamp(),
                asked=plain(RequestFacts.begun(replace(request, name=name))),
                databases=tuple(map(_lasting, databases)),
                feed=place,
                mail=mail,
            )
            write_facts(folder / WATCH, facts)
        return cls(root, name)

    @property
    def name(self) -> str:
        """The name."""
        return self.folder.name

    @property
    def feed(self) -> Path:
        """File of the feed."""
        return Path(self.facts.feed) if self.facts.feed else self.folder / f"{self.name}{FEED}"

    @property
    def state(self) -> WatchState:
        """The state; `WatchError` if it is damaged."""
        path = self.folder / STATE
        return read_facts(WatchState, path) if path.exists() else WatchState()

    def keep(self, state: WatchState) -> None:
        """Write the state; `FileNotWritten` if that fails."""
        write_facts(self.folder / STATE, state)

    def result(self, number: int) -> Path:
        """Return the saved search of a pass; only the last one is kept."""
        return self.folder / f"hits-{number}{HITS}"

    def pass_file(self, number: int) -> Path:
        """Return the record of a pass."""
        return self.folder / f"pass-{number}.json"

    def made_pass(self, number: int) -> PassFacts:
        """Return a pass that was finished; `WatchError` if there is none, or its record is damaged."""
        last = self.state.last
        if not 1 <= number <= last:
            known = f"Its passes are 1 to {last}." if last else "'swgui watch run' makes the first."
            raise WatchError(self.folder, f"The watch '{self.name}' has no pass {number}.", hint=known)
        return read_facts(PassFacts, self.pass_file(number))

    def passes(self) -> Iterator[PassFacts]:
        """Yield the passes that were finished, the newest first."""
        for number in range(self.state.last, 0, -1):
            yield self.made_pass(number)

    def places(self) -> list[Path]:
        """Return the files of the database, as they are found now."""
        return [Path(file_of(name)) for name in self.facts.databases]

    @property
    def about(self) -> str:
        """The standing query in words: number of queries, and the databases."""
        queries = count(len(self.facts.asked.get("queries", ())), "query", "queries")
        return f"{queries} in {', '.join(Path(name).name for name in self.facts.databases)}"

    def check_mails(self) -> None:
        """Refuse a watch without a mail command; `InvalidParameter` then."""
        if not self.facts.mail:
            message = f"The watch '{self.name}' has no mail command."
            raise InvalidParameter("mail", self.name, message, hint="Remove it, and add it again with --mail.")

    def write_feed(self, newest: PassFacts | None = None) -> None:
        """Write the feed, whole or not at all, of the passes with something to tell.

        Parameters
        ----------
        newest : PassFacts, optional
            A pass that the state does not have yet.

        Raises
        ------
        FileNotWritten
            If it cannot be written.
        """
        feed, entries = uuid.UUID(self.facts.id), list[Entry]()
        for one in self._with(newest):
            if one.number == 1 or one.news:
                title = headline(self.name, one)
                entries.append(Entry(urn_of(feed, f"pass {one.number}"), title, one.when, entry_content(one)))
            if len(entries) == ENTRIES:
                break
        updated = entries[0].updated if entries else self.facts.made
        content = feed_bytes(feed, f"swgui watch {self.name}", self.about, updated, entries)
        save_bytes(self.feed, lambda file: file.write(content))

    def _with(self, newest: PassFacts | None) -> Iterator[PassFacts]:
        if newest is not None:
            yield newest
        yield from self.passes()

    def drop_unfinished(self, last: int) -> None:
        """Delete the results of other passes than the last one, and records of passes that were not finished."""
        for path in (*self.folder.glob(f"hits-*{HITS}"), *self.folder.glob("contents-*.npy")):
            if path.stem.rpartition("-")[2] != str(last):
                with suppress(OSError):
                    path.unlink()


def _check_name(name: str) -> None:
    if not _NAME.fullmatch(name) or name.endswith("."):
        message = f"'{name}' is no name of a watch: its files are called so."
        raise InvalidParameter("name", name, message, hint="Use letters, digits, '-', '_' and '.', at most 63.")


def _check_request(request: SearchRequest) -> None:
    if request.search.iteration is not None or request.starts or request.build_database is not None:
        message = "A watch has one scan: profiles of rounds depend on the database."
        raise InvalidParameter("iterations", None, message, hint="Leave the rounds out.")
    if request.search.options.on:
        message = "A watch searches on the computer where it runs."
        raise InvalidParameter("on", request.search.options.on, message, hint="Add it on that computer.")


def _check_feed(root: Path, place: str) -> None:
    """Refuse a feed that another watch writes; `InvalidParameter` then."""
    for name in watch_names(root):
        with suppress(WatchError):
            if Path(place) == Watch(root, name).feed:
                message = f"'{place}' is the feed of the watch '{name}'."
                raise InvalidParameter("feed", place, message, hint="Name another file.")


def _lasting(name: str) -> str:
    """Return a database as a watch keeps it: a name that is looked up, or a file with its folder."""
    return name if file_of(name) != name else str(Path(name).absolute())
