"""The methods text of a search by rule; every number from its certificate."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from swgui.core.rules.asked import database_letter
from swgui.core.rules.rule import RULES
from swgui.core.words import count
from swgui.io.cells import clean_text
from swgui.io.methods.forms import MethodsText
from swgui.io.methods.references import program


def rule_methods(facts: Mapping[str, Any]) -> MethodsText:
    """Return the methods text of a search by rule.

    Parameters
    ----------
    facts : Mapping
        The certificate of the run (`swgui.jobs.rules.run.certificate`).
    """
    version = str(facts["program"]).removeprefix("swgui ")
    return MethodsText(" ".join(_sentences(facts, version)), (program(version, str(facts["date"])),))


def _sentences(facts: Mapping[str, Any], version: str) -> Iterator[str]:
    rule, queries, database = facts["rule"], facts["queries"], facts["database"]
    name = clean_text(database["name"])
    yield (
        f"Sequences were searched with swgui {version} by this rule: {clean_text(rule['sentence']).rstrip('.')}. "
        f"{clean_text(rule['ambiguous_residues_mean']).rstrip('.')}."
    )
    yield (
        f"{count(queries['count'], 'query', 'queries')} (SHA-256 {queries['sha256'][:16]}…) "
        f"{'was' if queries['count'] == 1 else 'were'} compared with the database '{name}' "
        f"({count(database['sequences'], 'sequence')}, {count(database['residues'], database_letter(facts))}; "
        f"content checksum {database['checksum'] or 'not known'})."
    )
    tested = f"{facts['tested']:,} of {facts['expected']:,}"
    yield (
        f"Without a heuristic filter {tested} {_unit(rule['name'])} were tested; "
        f"{count(facts['found'], 'place')} in {count(facts['subjects_found'], 'sequence')} met the rule."
    )
    yield from _checked(facts)
    if facts["left_out"]:
        yield f"{count(facts['left_out'], 'sequence')} were left out."
    if not facts["complete"]:
        yield "The search was stopped before all sequences were scanned, so that the list is not complete."
    yield f"The search ran on {clean_text(facts['device'])} and was finished on {str(facts['date'])[:10]}."


def _unit(name: str) -> str:
    """Return the tested objects of a rule; places for one of a package that is not installed here."""
    return {rule: kind.unit for rule, kind in RULES.items()}.get(name, "places")


def _checked(facts: Mapping[str, Any]) -> Iterator[str]:
    controls, checks = facts["controls"], facts["checks"]
    if controls and controls["within"] + controls["beyond"]:
        yield (
            f"Of {count(controls['within'], 'place')} planted within the limit {controls['within_found']:,} "
            f"{'was' if controls['within_found'] == 1 else 'were'} listed, and "
            f"of {controls['beyond']:,} beyond it {controls['beyond_found']:,}."
        )
    else:
        yield "No control places could be planted."
    again = max((number for name, number in (checks or {}).items() if name != "places"), default=0)
    if again:
        yield f"{again:,} of the places found were checked again by a second computation."
