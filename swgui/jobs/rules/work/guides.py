"""Guides next to a PAM."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar, Final

import numpy as np

from swgui.core.alphabet import Alphabet
from swgui.core.answer import Count, Where
from swgui.core.rules.guides import Guides
from swgui.core.rules.matching import masks, match_table
from swgui.core.rules.naming import listed
from swgui.core.rules.places import Places, best_readings, concatenated
from swgui.core.words import count
from swgui.engines.rules.scanner import Patterns, patterns
from swgui.jobs.rules.checker import Checker
from swgui.jobs.rules.found import Found
from swgui.jobs.rules.planting import blanked, first_base
from swgui.jobs.rules.scan import RuleScan, columns_of
from swgui.jobs.rules.text import Text
from swgui.jobs.rules.work.base import Codes, RuleWork

UNIQUE: Final = "unique"
NOT_UNIQUE: Final = "with other sites"
NOT_PERFECT: Final = "without a perfect site"
SEEDS: Final = 20_000  # sites at most whose seeds an answer counts


class GuideWork(RuleWork[Guides]):
    """How `Guides` is scanned, planted and checked."""

    pace: ClassVar[float] = 1e9

    def places(self, scan: RuleScan, text: Text) -> Places:
        """Return the places of a text."""
        rule = self.rule
        reversed_text = text.backwards()
        parts = []
        for strand in scan.strands:
            own = scan.queries[: scan.count] if strand > 0 else scan.queries[scan.count :]
            pam = scan.alphabet.encode(rule.pam.upper().encode())
            pam = pam if strand > 0 else scan.alphabet.reverse_complement(pam)
            behind = rule.behind(strand)  # on the plus strand, as the text is written
            oriented, turn = (text, 1) if behind else (reversed_text, -1)
            cut = patterns([np.ascontiguousarray(query[::turn]) for query in own], scan.masks)
            places = self._beside_pam(scan, oriented, cut, np.ascontiguousarray(pam[::turn]))
            if not behind:  # positions of the text backwards
                subject = len(text.begins) - 2 - places.subject
                size = np.diff(text.begins)[subject]
                moved = {"subject": subject, "start": size - places.end, "end": size - places.start}
                places = Places.of(len(places), **{**columns_of(places), **moved})
            parts.append(Places.of(len(places), **{**columns_of(places), "strand": strand}))
        return concatenated(parts)

    def _beside_pam(self, scan: RuleScan, text: Text, queries: Patterns, pam: Codes) -> Places:
        """Return the fits of queries that end where a PAM begins, one for each site."""
        rule = self.rule
        pattern = patterns([pam], masks(match_table(scan.alphabet, scan.ambiguity, pattern=True)))
        sites, subject = scan.mismatches(text, pattern, 0)
        sites = sites.take(sites.position > text.begins[subject])
        allowed = np.zeros(len(text.codes), np.uint8)
        allowed[sites.position - 1] = 1
        hits = scan.scanner.ends(text.codes, queries, rule.limits.differences, allowed, scan.check)
        return best_readings(scan.fitted(text, queries, hits, rule.limits))

    def planted(
        self, queries: Sequence[Codes], alphabet: Alphabet, extra: int, rng: np.random.Generator
    ) -> Codes | None:
        """Return a place with so many differences more than the rule allows; None where a query has none."""
        rule = self.rule
        if extra and rule.limits.gaps:
            return None  # with bulges a blank more may be a bulge
        pam = alphabet.encode(rule.pam.upper().encode())
        plain = np.array([alphabet.letters.index(first_base(alphabet, int(code))) for code in pam], np.uint8)
        made = blanked(queries[0], min(rule.mismatches, rule.limits.differences) + extra, rng)
        if made is None:
            return None
        return np.concatenate([made, plain] if rule.side == "3" else [plain, made])

    def said(self, found: Found, number: int) -> str:
        """Return whether a guide is unique among the sites within the limits, and its nearest other site."""
        differences = found.places.differences[found.of(number)]  # ascending
        perfect, others = int((differences == 0).sum()), int((differences > 0).sum())
        up_to = f" {self.rule.up_to}" if self.rule.up_to else ""
        if perfect == 1 and not others:
            return f"unique, one perfect site and no other{up_to}"
        sites = f"{count(perfect, 'perfect site')}" if perfect else "no perfect site (is this the right strain?)"
        if not others:
            return f"{sites}{f' and no other{up_to}' if perfect else ''}"
        nearest = count(int(differences[perfect]), "difference")
        return f"{sites}, {count(others, 'other')}{up_to}; the nearest has {nearest}"

    def counts(self, found: Found, number: int) -> tuple[Count, ...]:
        """Return the sites by differences, and the others than perfect ones whose seed matches."""
        made = super().counts(found, number)
        if len(found.places) > SEEDS:
            return made
        return (*made, found.count("seed intact", number, Where.equal("seed", 0), Where("differences", 1)))

    def sentence(self, found: Found) -> str:
        """Return how many guides are unique."""
        if len(found.names) == 1:
            return super().sentence(found)
        kinds: dict[str, list[str]] = {}
        for number in range(len(found.names)):
            if number not in found.unmet:
                differences = found.places.differences[found.of(number)]
                perfect = int((differences == 0).sum())
                kind = NOT_PERFECT if not perfect else UNIQUE if len(differences) == 1 else NOT_UNIQUE
                kinds.setdefault(kind, []).append(found.names[number])
        kept = [kind for kind in (UNIQUE, NOT_UNIQUE, NOT_PERFECT) if kind in kinds]
        said = (f"{len(kinds[kind]):,} {kind} ({listed(kinds[kind])})" for kind in kept)
        up_to = f", {self.rule.up_to}" if self.rule.up_to else ""
        return f"Of {count(len(found.names), 'guide')}{up_to}: {'; '.join(said)}."

    def check(self, checker: Checker) -> Mapping[str, int]:
        """Fit guides again where they were found, and look for the PAM."""
        places, rule = checker.places, self.rule

        def has_pam(row: int, behind: bool) -> None:
            start = int(places.end[row]) if behind else int(places.start[row]) - len(rule.pam)
            checker.confirm(self._has_pam(checker, row, start), row)

        return {
            "fitted": checker.fits(rule.limits, behind=lambda row: rule.behind(places.strand[row]), confirm=has_pam)
        }

    def _has_pam(self, checker: Checker, row: int, start: int) -> bool:
        alphabet = checker.request.alphabet
        pam = alphabet.encode(self.rule.pam.upper().encode())
        pam = pam if checker.places.strand[row] > 0 else alphabet.reverse_complement(pam)
        residues = checker.part(row, start, start + len(pam))
        table = match_table(alphabet, checker.request.ambiguity, pattern=True)
        return len(residues) == len(pam) and bool(table[pam, residues].all())
