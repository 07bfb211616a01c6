"""Settings with a name: those that ship and the user's own, which window and command line share."""

from __future__ import annotations

import json
from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Protocol

from swgui import paths
from swgui.core.errors import InvalidParameter

if TYPE_CHECKING:  # a command that only takes a preset that ships has no use for the settings of users
    from swgui.settings import Rule, SchemeSettings

OWN_NOTE: Final = "Your own."
MAX_NAME: Final = 60  # letters
_SETTINGS: Final = ("matrix", "gap_open", "gap_extend", "rule", "search")
_BOTH: Final = {"strand": "both"}


@dataclass(frozen=True, slots=True)
class Preset:
    """One named set of scoring, limits and whatever else decides a search."""

    # id, title: for requests, and for display; the user's own have the name for both
    id: str
    title: str
    kind: str  # name of the alphabet it is for
    # matrix, gap_open, gap_extend, rule, search: as in `swgui.settings.SchemeSettings`
    matrix: str
    gap_open: int
    gap_extend: int
    note: str  # its purpose, in one sentence
    rule: Rule = "blast"
    search: Mapping[str, Any] = field(default_factory=dict, hash=False)
    own: bool = False  # whether it is the user's

    def apply(self, settings: SchemeSettings) -> None:
        """Write the preset into settings."""
        settings.preset, settings.matrix, settings.rule = self.id, self.matrix, self.rule
        settings.gap_open, settings.gap_extend = self.gap_open, self.gap_extend
        settings.search = deepcopy(dict(self.search))

    def matches(self, settings: SchemeSettings) -> bool:
        """Whether the settings are still those of the preset."""
        return all(getattr(self, name) == getattr(settings, name) for name in _SETTINGS)


PRESETS = (
    Preset("protein", "Default protein", "protein", "BLOSUM62", 11, 1, "The usual choice for proteins."),
    Preset(
        "distant", "Distant relatives", "protein", "VTML200", 12, 1,
        "Finds a tenth more of them than the default; E is fitted to the scores of the search.",
    ),
    Preset("close", "Close relatives", "protein", "BLOSUM80-NCBI", 10, 1, "Sharper for sequences that differ little."),
    Preset(
        "peptide", "Short peptide", "protein", "PAM30", 9, 1,
        "For queries below about 35 residues; chance matches are common, so the E limit is high.",
        search={"limits": {"max_evalue": 200_000.0}},
    ),
    Preset("like-blast", "Same as BLAST", "protein", "BLASTP", 11, 1, "The defaults and the matrix file of blastp."),
    Preset("like-ssearch", "Same as SSEARCH", "protein", "BLOSUM50", 10, 2, "The defaults of ssearch36."),
    Preset(
        "like-cudasw", "Same as CUDASW++", "protein", "BLOSUM62", 11, 1,
        "The defaults of CUDASW++ 4.0, where the first residue of a gap costs the opening alone.",
        rule="first",
    ),
    Preset("dna", "DNA default", "nucleotide", "+2/-3", 5, 2, "The defaults of blastn.", search=_BOTH),
    Preset("dna-strict", "DNA strict", "nucleotide", "+1/-3", 2, 2, "For sequences of the same or a near species.",
           search=_BOTH),
)  # fmt: skip


def presets_for(kind: str) -> tuple[Preset, ...]:
    """Return the presets for an alphabet: those that ship (or its file's), the site's, and the user's own by name."""
    shipped = tuple(preset for preset in PRESETS if preset.kind == kind) or (_usual(kind),)
    return (*shipped, *(preset for preset in (*_of_the_site(), *own_presets()) if preset.kind == kind))


def _of_the_site() -> tuple[Preset, ...]:
    path = paths.site_defaults()
    if path is None:
        return ()
    from swgui.commands.site_presets import site_presets  # here: few sites have defaults

    return site_presets(path)


def _usual(kind: str) -> Preset:
    """Return the defaults of an alphabet that no preset ships for; without a matrix if it has none."""
    from swgui.io.alphabets import alphabet_record

    if (record := alphabet_record(kind)) is None:
        return Preset(kind, f"Default {kind}", kind, "", 11, 1, "No scores are usual: choose a matrix.")
    gaps = record.gap_open, record.gap_extend
    return Preset(kind, f"Default {kind}", kind, record.name, *gaps, "The defaults in the file of the alphabet.")


class Schemes(Protocol):
    """Settings for every kind of sequence."""

    protein: SchemeSettings
    nucleotide: SchemeSettings
    others: dict[str, SchemeSettings]


def settings_of(schemes: Schemes, kind: str) -> SchemeSettings:
    """Return the settings of a kind of sequence; those of another alphabet are the usual ones when first asked for."""
    if kind in ("protein", "nucleotide"):
        return schemes.nucleotide if kind == "nucleotide" else schemes.protein
    if kind not in schemes.others:
        from swgui.settings import SchemeSettings

        usual = presets_for(kind)[0]
        schemes.others[kind] = SchemeSettings(usual.id, usual.matrix, usual.gap_open, usual.gap_extend)
    return schemes.others[kind]


def preset(identifier: str, kind: str) -> Preset:
    """Return a preset by its id; the first of the kind if there is none."""
    of_kind = presets_for(kind)
    return next((candidate for candidate in of_kind if candidate.id == identifier), of_kind[0])


def chosen_preset(identifier: str, kind: str) -> Preset:
    """Return a preset by its id.

    Raises
    ------
    InvalidParameter
        If there is none for this kind of sequence.
    """
    offered = {preset.id: preset for preset in presets_for(kind)}
    if identifier not in offered:
        raise InvalidParameter(
            "scoring-preset",
            identifier,
            f"There is no preset '{identifier}' for {kind} sequences.",
            hint=f"There are {', '.join(offered)}.",
        )
    return offered[identifier]


# The user's own


def own_path() -> Path:
    """Return the file of the user's presets."""
    return paths.config_dir() / "presets.json"


def own_presets(path: Path | None = None) -> tuple[Preset, ...]:
    """Return the user's presets by name; unusable entries of the file are left out."""
    path = path or own_path()
    try:
        changed = path.stat().st_mtime_ns
    except OSError:
        return ()
    return _read(path, changed)


@lru_cache(maxsize=2)
def _read(path: Path, _changed: int) -> tuple[Preset, ...]:
    try:
        entries = list(json.loads(path.read_text("utf-8"))["presets"])
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return ()
    presets = [made for entry in entries if isinstance(entry, dict) and (made := _made(entry)) is not None]
    return tuple(sorted(presets, key=lambda preset: (preset.kind, preset.title.lower())))


def _made(entry: dict[str, Any]) -> Preset | None:
    """Make a preset of what the file has; None if that is none."""
    from swgui.core.plain import from_plain
    from swgui.settings import SchemeSettings, scheme_of_version_1

    try:
        name, kind = str(entry["name"]), entry["kind"]
        values = from_plain(SchemeSettings, {**scheme_of_version_1(entry["settings"]), "preset": name})
    except (ValueError, KeyError, TypeError):
        return None
    return _own(name, kind, values) if isinstance(kind, str) and kind and name else None


def _own(name: str, kind: str, settings: SchemeSettings) -> Preset:
    return Preset(
        name, name, kind, settings.matrix, settings.gap_open, settings.gap_extend, OWN_NOTE,
        rule=settings.rule, search=deepcopy(settings.search), own=True,
    )  # fmt: skip


def keep_preset(name: str, kind: str, settings: SchemeSettings, path: Path | None = None) -> Preset:
    """Keep settings under a name, in place of an own preset of that name.

    Parameters
    ----------
    kind : str
        Name of the alphabet it is for.

    Raises
    ------
    InvalidParameter
        If that cannot be a name.
    FileNotWritten, OSError
        If it cannot be written.
    """
    name = " ".join(name.split())
    if not name or len(name) > MAX_NAME:
        raise InvalidParameter("name", name, f"A preset needs a name of at most {MAX_NAME} characters.")
    if any(name.lower() in (shipped.id, shipped.title.lower()) for shipped in PRESETS):
        raise InvalidParameter("name", name, f"'{name}' is a preset of the program.", hint="Choose another name.")
    preset = _own(name, kind, settings)
    _write((*_others(preset.id, kind, path), preset), path)
    return preset


def delete_preset(identifier: str, kind: str, path: Path | None = None) -> None:
    """Delete one of the user's presets; nothing happens if there is none of that name."""
    _write(_others(identifier, kind, path), path)


def _others(identifier: str, kind: str, path: Path | None) -> tuple[Preset, ...]:
    return tuple(preset for preset in own_presets(path) if (preset.id, preset.kind) != (identifier, kind))


def _write(presets: tuple[Preset, ...], path: Path | None) -> None:
    from swgui.io.whole_file import whole_file

    path = path or own_path()
    paths.make_folder(path.parent)
    settings = ({key: getattr(preset, key) for key in _SETTINGS} for preset in presets)
    entries = [
        {"name": one.title, "kind": one.kind, "settings": kept} for one, kept in zip(presets, settings, strict=True)
    ]
    with whole_file(path) as file:
        file.write(json.dumps({"presets": entries}, indent=1).encode("ascii") + b"\n")
    _read.cache_clear()
