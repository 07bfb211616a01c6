"""Features of GenBank, EMBL and UniProt entries, from what Biopython's parsers give."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, Final

from swgui.core.entries.features import KINDS, Feature

_NAMES: Final = (
    "region_name",
    "site_type",
    "gene",
    "product",
    "locus_tag",
    "mobile_element_type",
    "rpt_family",
    "note",
)
_UNIPROT_NAMES: Final = ("note", "ligand", "description")
_LONGEST_NAME: Final = 80
_GENE: Final = "gene"
_BONDS: Final = ("DISULFID", "CROSSLNK")


def kept_only(scanner: type[Any]) -> Any:
    """Return a scanner of Biopython that reads the features that are kept, and passes over what it cannot read.

    Parameters
    ----------
    scanner : type
        ``Bio.GenBank.Scanner.GenBankScanner`` or ``EmblScanner``.
    """

    class Scanner(scanner):  # type: ignore[misc]  # Biopython has no types
        def parse_feature(self, feature_key: str, lines: list[str]) -> Any:
            if feature_key not in KINDS:
                return None
            try:
                return super().parse_feature(feature_key, lines)
            except Exception:  # whatever it raises, the sequence itself is not touched by it
                warnings.warn(f"A feature '{feature_key}' cannot be read and was left out", stacklevel=2)
                return None

        def _feed_feature_table(self, consumer: Any, features: list[Any]) -> None:
            for feature in features:
                if feature is None:
                    continue
                try:
                    super()._feed_feature_table(consumer, [feature])
                except Exception:
                    warnings.warn(f"A feature '{feature[0]}' cannot be read and was left out", stacklevel=2)

    return Scanner()


def features_of(entries: Iterable[Any], names: Sequence[str] = _NAMES) -> tuple[Feature, ...]:
    """Return those features of an entry that are kept, by their start.

    Parameters
    ----------
    entries : iterable of Bio.SeqFeature.SeqFeature
    names : sequence of str
        Qualifiers that name one, the best first.
    """
    found = [feature for entry in entries if (feature := _feature(entry, names)) is not None]
    coded = {(feature.start, feature.end, feature.strand) for feature in found if feature.kind != _GENE}
    kept = [one for one in found if one.kind != _GENE or (one.start, one.end, one.strand) not in coded]
    return tuple(sorted(kept, key=lambda feature: (feature.start, -feature.end)))


def uniprot_features(entries: Iterable[Any]) -> tuple[Feature, ...]:
    """Return those features of a UniProt entry that are kept; evidence behind old names is left out."""
    found = features_of(entries, _UNIPROT_NAMES)
    return tuple(replace(one, name=one.name.split(" {ECO:")[0].rstrip("."), spans=_spans(one)) for one in found)


def _spans(feature: Feature) -> tuple[tuple[int, int], ...]:
    """Return the two residues of a bond, which is written as a range; one where it leads to another chain."""
    first, last = feature.start, feature.end - 1
    bond = feature.kind in _BONDS and last > first
    return ((first, first + 1), (last, last + 1)) if bond else feature.spans


def _feature(entry: Any, names: Sequence[str]) -> Feature | None:
    """Return one feature; None for a kind that is not kept, or for one whose place is not known."""
    if entry.type not in KINDS or entry.location is None:
        return None
    try:
        spans = tuple(sorted((int(part.start), int(part.end)) for part in entry.location.parts))
    except (TypeError, ValueError, AttributeError):  # a place like '?'
        return None
    if not spans or any(start < 0 or end <= start for start, end in spans):
        return None
    if any(getattr(part, "ref", None) for part in entry.location.parts):  # on another entry
        return None
    return Feature(entry.type, spans, _name(entry.qualifiers, names), -1 if entry.location.strand == -1 else 1)


def _name(qualifiers: dict[str, Any], names: Sequence[str]) -> str:
    for key in names:
        value = qualifiers.get(key)
        text = " ".join(str(value[0] if isinstance(value, list) and value else value or "").split())
        if text:
            return text[:_LONGEST_NAME]
    return ""
