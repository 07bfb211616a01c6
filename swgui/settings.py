"""Settings that the program remembers between starts: a JSON file in the user's configuration folder.

Reading is tolerant: an unknown key is ignored, a value that cannot be used is replaced by its default,
an unreadable file is set aside; each with a sentence in ``problems``. Writing is complete or not at all.
The geometry of windows is not kept here (Qt keeps it in ``window.ini`` in the same folder).
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Literal

from msgspec import Meta

from swgui import paths
from swgui.core.devices import ClusterAddress, DeviceChoice, device_ids, device_text
from swgui.core.errors import reason_of
from swgui.core.plain import fill, kept_fields, plain
from swgui.io.replacing import replace_file

SCHEMA_VERSION = 3
RECENT_LIMIT = 12
Rule = Literal["blast", "first"]
Cost = Annotated[int, Meta(ge=0, le=10_000)]

# Settings of version 1 other than the scoring, by kind of sequence: their place in a search now, and the default.
_OF_VERSION_1: dict[str, tuple[str, object]] = {
    "max_evalue": ("limits.max_evalue", 10.0), "top": ("limits.top", 500), "strand": ("strand", "plus"),
    "mask": ("mask", False), "composition": ("composition", "full"), "max_hsps": ("max_hsps", 100),
    "effective_residues": ("limits.effective_residues", 0), "min_score": ("limits.minimums.score", 0),
    "min_identity": ("limits.minimums.identity", 0.0), "min_coverage": ("limits.minimums.coverage", 0.0),
    "rounds": ("iteration.rounds", 1),
}  # fmt: skip


@dataclass(slots=True)
class SchemeSettings:
    """Settings of the Search page or the Pair page for one kind of sequence.

    Parameters
    ----------
    preset : str
        Id of the preset they came from (`swgui.commands.presets`).
    matrix : str
        Name, path of a matrix file, or ``+2/-3`` for match and mismatch.
    gap_open, gap_extend : int
        Read by `rule`.
    rule : {"blast", "first"}
        A gap of length k costs ``open + k * extend`` or ``open + (k - 1) * extend``.
    search : dict
        What else differs from a `swgui.core.search.Search` as it comes (`swgui.io.saved.facts.plain_changes`).
    """

    preset: str
    matrix: str
    gap_open: Cost
    gap_extend: Cost
    rule: Rule = "blast"
    search: dict[str, Any] = field(default_factory=dict)


def _protein() -> SchemeSettings:
    return SchemeSettings("protein", "BLOSUM62", 11, 1)


def _nucleotide() -> SchemeSettings:
    return SchemeSettings("dna", "+2/-3", 5, 2, search={"strand": "both"})


@dataclass(slots=True)
class SearchSettings:
    """The Search page as it was left.

    Parameters
    ----------
    kind : str
        How queries are read: the name of an alphabet; ``auto`` tells proteins and nucleotides by their residues.
    protein, nucleotide : SchemeSettings
        Settings for either kind.
    others : dict of str to SchemeSettings
        Those of other alphabets, by name.
    engine, device : str
        As the file has them: a name of the registry, and ids of its devices separated by commas. `run_on` is the
        same as a record.
    program : {"auto", "tblastx"}
        Whether two kinds of DNA are translated; the other comparisons follow from the kinds of sequence.
    translation : dict
        How it is translated where it is: fields of `swgui.core.translation.programs.Translation`.
    """

    kind: str = "auto"
    protein: SchemeSettings = field(default_factory=_protein)
    nucleotide: SchemeSettings = field(default_factory=_nucleotide)
    others: dict[str, SchemeSettings] = field(default_factory=dict)
    engine: str = "auto"
    device: str = ""
    program: Literal["auto", "tblastx"] = "auto"
    translation: dict[str, Any] = field(default_factory=dict)

    @property
    def run_on(self) -> DeviceChoice:
        """Engine and devices of searches."""
        return DeviceChoice(self.engine, device_ids(self.device))

    @run_on.setter
    def run_on(self, choice: DeviceChoice) -> None:
        self.engine, self.device = choice.engine, device_text(choice.ids)


@dataclass(slots=True)
class PairSettings:
    """The Pair page as it was left.

    Parameters
    ----------
    protein, nucleotide : SchemeSettings
        Scoring; the limits of searches in them are not used.
    others : dict of str to SchemeSettings
        Those of other alphabets, by name.
    mode : {"local", "global", "semiglobal"}
        Which kind of alignment.
    limit : int
        Alignments at most.
    min_score : int
        Score from which further alignments are listed; 0 for all.
    score_only : bool
        Whether only scores are wanted.
    method : str
        Name of a pair method, or ``auto``.
    method_settings : dict of str to str
        ``method.setting`` to its value; the rest is automatic.
    device : str
        As the file has it: ids of GPUs separated by commas; empty for the program's choice. `gpus` has them apart.
    """

    protein: SchemeSettings = field(default_factory=_protein)
    nucleotide: SchemeSettings = field(default_factory=_nucleotide)
    others: dict[str, SchemeSettings] = field(default_factory=dict)
    mode: Literal["local", "global", "semiglobal"] = "local"
    limit: Annotated[int, Meta(ge=1, le=1_000)] = 1
    min_score: Annotated[int, Meta(ge=0, le=2**31 - 1)] = 0
    score_only: bool = False
    method: str = "auto"
    method_settings: dict[str, str] = field(default_factory=dict)
    device: str = ""

    @property
    def gpus(self) -> tuple[str, ...]:
        """Ids of the GPUs to use; empty for the program's choice."""
        return device_ids(self.device)

    @gpus.setter
    def gpus(self, ids: tuple[str, ...]) -> None:
        self.device = device_text(ids)


@dataclass(slots=True)
class DisplaySettings:
    """Look of the window.

    Parameters
    ----------
    theme : {"system", "light", "dark"}
        ``system`` follows the desktop.
    text_scale : int
        Size of all text in percent.
    welcome : bool
        Whether the welcome is shown: until the first search, or until it is closed.
    reduced_motion : bool
        Whether nothing blinks or runs through, and running searches are drawn once a second.
    notify : bool
        Whether the desktop says that a long run has ended while the window is not looked at.
    tour_step : int
        Step of the guided tour where it was left.
    """

    theme: Literal["system", "light", "dark"] = "system"
    text_scale: Annotated[int, Meta(ge=80, le=200)] = 100
    welcome: bool = True
    reduced_motion: bool = False
    notify: bool = True
    tour_step: Annotated[int, Meta(ge=0, le=100)] = 0


@dataclass(slots=True)
class ResultsSettings:
    """Look of the results page.

    Parameters
    ----------
    columns : list of str
        Keys of the columns of the hit table, from left to right; empty for the usual ones.
    color_schemes : dict of str to str
        View ("wrapped", "stacked") to the key of its colour scheme; without an entry the usual one.
    export_format : str
        Name of the format in which hits were written last; empty before.
    machine_names : bool
        Whether the columns of CSV are named for programs.
    """

    columns: list[str] = field(default_factory=list)
    color_schemes: dict[str, str] = field(default_factory=dict)
    export_format: str = ""
    machine_names: bool = False


@dataclass(slots=True)
class DeviceSettings:
    """How devices are used, as set on the Device page.

    Parameters
    ----------
    memory_percent : int
        Share of a GPU's memory that a database may take; 0 for the engine's own choice.
    threads : int
        Threads of the CPU engine; 0 for all cores.
    method : str
        Search method on GPUs, ``auto`` for the program's own.
    values : dict of str to str
        What was set by hand: ``method.setting`` (or ``cpu.setting``) to its value.
    tuned : bool
        Whether settings that a sweep found are used for the queries they were found for.
    """

    memory_percent: Annotated[int, Meta(ge=0, le=95)] = 0
    threads: Annotated[int, Meta(ge=0, le=4096)] = 0
    method: str = "auto"
    values: dict[str, str] = field(default_factory=dict)
    tuned: bool = True


@dataclass(slots=True)
class ClusterChoice:
    """The cluster of the Device page.

    Parameters
    ----------
    scheduler : str
        Address as typed; empty for none.
    ca, certificate, key : str
        PEM files of an encrypted connection.
    plain_allowed : list of str
        Addresses for which the user has agreed to a connection without encryption.
    """

    scheduler: str = ""
    ca: str = ""
    certificate: str = ""
    key: str = ""
    plain_allowed: list[str] = field(default_factory=list)

    @property
    def address(self) -> ClusterAddress:
        """The scheduler as a record; plain connections are allowed if the user has agreed."""
        agreed = self.scheduler in self.plain_allowed
        return ClusterAddress(self.scheduler, self.ca, self.certificate, self.key, agreed)

    @address.setter
    def address(self, address: ClusterAddress) -> None:
        self.scheduler, self.ca = address.scheduler, address.ca
        self.certificate, self.key = address.certificate, address.key


@dataclass(slots=True)
class FoldingSettings:
    """The folding server as it was set on its page.

    Parameters
    ----------
    databases : list of str
        The database of ``uniref.a3m``, and that of the environment.
    pair_database : str
        Where pairs are looked for; the first one if empty.
    nucleotide_database : str
        RNA or DNA that alignments of RNA are made of; none if empty.
    address : str
        Where it listens.
    token_file, certificate, key : str
        Who may use it, and PEM files of an encrypted connection.
    keep_days : float
        How long results are kept.
    max_waiting : int
        Jobs of one user that wait at a time.
    max_chains, max_length, max_residues : int
        Sequences of a job, residues of each of them, and of all.
    """

    databases: list[str] = field(default_factory=list)
    pair_database: str = ""
    nucleotide_database: str = ""
    address: str = "127.0.0.1:8889"
    token_file: str = ""
    certificate: str = ""
    key: str = ""
    keep_days: Annotated[float, Meta(ge=0.01, le=36_500)] = 7
    max_waiting: Annotated[int, Meta(ge=1, le=1_000_000)] = 50
    max_chains: Annotated[int, Meta(ge=1, le=10_000)] = 100
    max_length: Annotated[int, Meta(ge=1, le=1_000_000)] = 10_000
    max_residues: Annotated[int, Meta(ge=1, le=1_000_000)] = 30_000


@dataclass(slots=True)
class LocusSettings:
    """The Locus page.

    Parameters
    ----------
    jbrowse : str
        Address of the user's JBrowse, with ``{name}``, ``{first}`` and ``{last}`` in it; empty if not given yet.
    """

    jbrowse: str = ""


@dataclass(slots=True)
class RecentSettings:
    """Files used before.

    Parameters
    ----------
    database : str
        The database used last; empty for the sample.
    databases, queries, results : list of str
        Databases, query files, and files of results, newest first.
    query : str
        The query file that was in the box when the window was closed; empty for none.
    typed : str
        What was typed or pasted into it instead, unless it was long.
    run : str
        The run whose result was shown then.
    folder : str
        The folder looked into last.
    project : str
        The folder of the project that was open then; empty for none.
    projects : list of str
        Folders of projects, the one opened last first.
    """

    database: str = ""
    databases: list[str] = field(default_factory=list)
    queries: list[str] = field(default_factory=list)
    results: list[str] = field(default_factory=list)
    query: str = ""
    typed: str = ""
    run: str = ""
    project: str = ""
    projects: list[str] = field(default_factory=list)
    folder: str = ""

    def list_database(self, path: Path) -> None:
        """Put a database first in the list that every page offers."""
        self.databases = _first(str(path), self.databases)


@dataclass(slots=True)
class Settings:
    """Everything that is remembered.

    Parameters
    ----------
    schema_version : int
        Of the file; older files are brought up to date.
    shortcuts : dict of str to str
        Commands whose keys the user has changed, with their keys (`swgui.gui.window.actions`); empty text for none.
    speeds : dict of str to float
        Measured GCUPS of whole runs by engine and device (`speed_key`).
    problems : list of str
        What was wrong with the file, in sentences; not written.
    """

    schema_version: int = SCHEMA_VERSION
    search: SearchSettings = field(default_factory=SearchSettings)
    pair: PairSettings = field(default_factory=PairSettings)
    display: DisplaySettings = field(default_factory=DisplaySettings)
    results: ResultsSettings = field(default_factory=ResultsSettings)
    cluster: ClusterChoice = field(default_factory=ClusterChoice)
    folding: FoldingSettings = field(default_factory=FoldingSettings)
    locus: LocusSettings = field(default_factory=LocusSettings)
    recent: RecentSettings = field(default_factory=RecentSettings)
    devices: DeviceSettings = field(default_factory=DeviceSettings)
    shortcuts: dict[str, str] = field(default_factory=dict)
    speeds: dict[str, Annotated[float, Meta(ge=1e-9, le=1e9)]] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list, metadata={"kept": False})

    def remember_speed(self, engine: str, devices: tuple[str, ...], gcups: float) -> None:
        """Take the speed of a finished run into the memory: the newest counts half."""
        key = speed_key(engine, devices)
        before = self.speeds.get(key, gcups)
        self.speeds[key] = (before * gcups) ** 0.5

    def remember_database(self, path: Path) -> None:
        """Put a database first in the list of recent ones."""
        self.recent.database = str(path)
        self.recent.list_database(path)

    def remember_query(self, path: Path) -> None:
        """Put a query file first in the list of recent ones."""
        self.recent.queries = _first(str(path), self.recent.queries)
        self.recent.folder = str(path.parent)

    def remember_result(self, path: Path) -> None:
        """Put a file of a result first in the list of recent ones."""
        self.recent.results = _first(str(path), self.recent.results)


def speed_key(engine: str, devices: tuple[str, ...]) -> str:
    """Return the name under which a measured speed is kept."""
    return " | ".join((engine, *devices))


def _first(new: str, old: list[str]) -> list[str]:
    return [new, *(entry for entry in old if entry != new)][:RECENT_LIMIT]


def default_path() -> Path:
    """Return where the settings file of this user is."""
    return paths.config_dir() / "settings.json"


def load(path: Path | None = None) -> Settings:
    """Read the settings; defaults where there are none. Never raises for the content of the file."""
    path = path or default_path()
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return Settings()
    except (OSError, UnicodeDecodeError) as error:
        reason = reason_of(error)
        return Settings(problems=[f"The settings file {path} could not be read ({reason}); defaults are used."])
    try:
        data = json.loads(text)
        if not isinstance(data, dict):
            raise ValueError("it holds no object")
    except (ValueError, RecursionError) as error:
        aside = _set_aside(path)
        return Settings(problems=[f"The settings file {path} is damaged ({error}); defaults are used.{aside}"])
    settings = Settings()
    settings.problems += fill(settings, _migrated(data, settings.problems))
    settings.schema_version = SCHEMA_VERSION
    return settings


def save(settings: Settings, path: Path | None = None) -> None:
    """Write the settings, whole or not at all.

    Raises
    ------
    OSError
        If the folder cannot be written.
    """
    path = path or default_path()
    data = {name: plain(getattr(settings, name)) for name in kept_fields(settings)}
    paths.make_folder(path.parent)
    handle, name = tempfile.mkstemp(prefix=path.name, suffix=".part", dir=path.parent)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            json.dump(data, file, indent=2)  # as ASCII: names of files need not be UTF-8
            file.write("\n")
        replace_file(name, path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def _set_aside(path: Path) -> str:
    aside = path.with_suffix(".damaged.json")
    try:
        replace_file(path, aside)
    except OSError:
        return ""
    return f" The old file is now {aside.name}."


def scheme_of_version_1(values: dict[str, Any]) -> dict[str, Any]:
    """Return the settings of version 1 for a kind of sequence, or of a preset, in the form of this version."""
    search: dict[str, Any] = {}
    for name, (path, usual) in _OF_VERSION_1.items():
        if (value := values.get(name, usual)) != usual:
            *parts, last = path.split(".")
            inner = search
            for part in parts:
                inner = inner.setdefault(part, {})
            inner[last] = value
    if "iteration" in search and "inclusion" in values:
        search["iteration"]["preset"] = values["inclusion"]
    return {"search": search, **values}


def _from_version_1(data: dict[str, Any]) -> dict[str, Any]:
    """Convert the kept values of the Search and Pair pages to version 2."""
    pages = {}
    for page in ("search", "pair"):
        if isinstance(found := data.get(page), dict):
            kinds = (name for name in ("protein", "nucleotide") if isinstance(found.get(name), dict))
            pages[page] = {**found, **{name: scheme_of_version_1(found[name]) for name in kinds}}
    if "search" in pages:
        names = {
            "query_code": "query_code",
            "subject_code": "subject_code",
            "min_orf": "min_orf",
            "frameshift": "shift",
        }
        how = {new: pages["search"][old] for old, new in names.items() if old in pages["search"]}
        pages["search"] = {"translation": how, **pages["search"]}
    return data | pages


def _from_version_2(data: dict[str, Any]) -> dict[str, Any]:
    """Rename the view of one alignment as in version 3, in colours and shortcuts."""
    renamed = dict(data)
    if isinstance(results := data.get("results"), dict) and isinstance(colours := results.get("color_schemes"), dict):
        renamed["results"] = {**results, "color_schemes": _renamed(colours, "pair", "wrapped")}
    if isinstance(keys := data.get("shortcuts"), dict):
        renamed["shortcuts"] = _renamed(keys, "view-pair", "view-wrapped")
    return renamed


def _renamed(values: dict[str, Any], before: str, now: str) -> dict[str, Any]:
    return {now if name == before else name: value for name, value in values.items()}


# Version of a file to the function that turns its data into the next version's.
MIGRATIONS: dict[int, Callable[[dict[str, Any]], dict[str, Any]]] = {1: _from_version_1, 2: _from_version_2}


def _migrated(data: dict[str, Any], problems: list[str]) -> dict[str, Any]:
    version = data.get("schema_version", SCHEMA_VERSION)
    if not isinstance(version, int) or isinstance(version, bool):
        version = SCHEMA_VERSION
    if version > SCHEMA_VERSION:
        problems.append(
            "The settings were written by a newer version of the program; this version uses the entries that it knows."
        )
    while version < SCHEMA_VERSION and version in MIGRATIONS:
        data = MIGRATIONS[version](data)
        version += 1
    return data
