"""The methods paragraph: every number is the result's own, and the references can be read by others."""

import re

import numpy as np
import pytest

from swgui.core.errors import InvalidParameter
from swgui.core.hits.rounds import QueryRounds, Round
from swgui.core.judging.ranking import FITTED_AMONG_RELATIVES, FITTED_TO_ITSELF
from swgui.core.plain import replace
from swgui.core.profiles.alignment import MasterAlignment
from swgui.core.profiles.bases import SearchedBases
from swgui.core.profiles.evidence import Evidence, TwoStepPath
from swgui.core.profiles.recipe import NUCLEOTIDE_PRESETS
from swgui.io.export.provenance import provenance
from swgui.io.methods.forms import FORMS, written
from swgui.io.methods.searches import paragraph, references, search_methods
from tests.asking import altered, answer
from tests.io.saved.saved_searches import nucleotide_request, protein_request

NOBODY = np.empty(0, dtype=np.int64)


@pytest.fixture(scope="module")
def result():
    made = answer(protein_request())
    return replace(made, database=replace(made.database, name="Swiss-Prot {2026}_02 *"), seconds=0.5)


def test_every_number_is_that_of_the_result(result):
    text = paragraph(result)
    database = result.database
    letters = sum(len(query.query.residues) for query in result.queries)
    for expected in (
        f"swgui {result.version}",
        f"{len(result.queries)} protein queries ({letters:,} residues) were searched",
        f"({len(database):,} sequences, {database.residues:,} residues; content checksum {database.checksum})",
        f"{result.scheme.gap_open} + {result.scheme.gap_extend} × k",
        f"E ≤ {result.search.limits.max_evalue:g} were kept, at most {result.search.limits.top:,} per query",
        f"{result.cells_done:,} cells",
        f"in 0.50 s ({result.cells_done / 0.5e9:,.1f} GCUPS) by the engine '{result.engine}'",
        result.statistics,
        f"finished on {result.finished_at[:10]}",
    ):
        assert expected in text
    assert "missing" not in text
    assert "Remarks" not in text


def test_what_was_special_is_said(result):
    special = altered(
        result, state="stopped", cells_done=1, cells_total=4, message="2 stretches were masked.",
        effective_residues=10**9,
    )  # fmt: skip
    text = paragraph(special)
    assert "was stopped after 25 % of the work" in text
    assert "Remarks of the program: 2 stretches were masked." in text
    assert "1,000,000,000 residues" in text
    assert "No statistics are known" in paragraph(replace(result, statistics=""))
    assert "1 protein query" in paragraph(replace(result, queries=result.queries[:1]))


def test_rounds_say_what_was_chosen_by_hand_and_looked_for_behind_them(result):
    found = Evidence(profile_bits=40.0, profile_log10_evalue=-5.0, forward_bits=30.0, forward_log10_evalue=-4.0)
    alone = MasterAlignment.of_query(result.queries[0].query, result.scheme.alphabet)
    rounds = QueryRounds(
        (Round(NOBODY, np.empty(0), NOBODY, None, alone, 1.0),),
        "none", "the other one", inclusion=0.02,
        evidence={3: found, 4: Evidence(path=TwoStepPath("a", "b", -5.0, -4.0))},
        max_rows=50, include_ids=("sp|P1",), exclude_ids=("sp|P2", "sp|P3"), from_profile=True,
    )  # fmt: skip
    told = replace(result, queries=(replace(result.queries[0], rounds=rounds),))
    text = paragraph(told)
    for expected in (
        ", with profiles that rounds in the database 'the other one' made. The first round searched with the scores",
        "The query was given as a profile, or as an alignment",
        "those with E ≤ 0.02, at most 50 per query",
        "1 sequence was included by hand (sp|P1) and 2 sequences were left out by hand (sp|P2, sp|P3).",
        "1 round was done (no sequence has an E-value that is small enough to be included); the last included 0",
        "The profiles of 1 hit were compared with that of the query (Söding 2005).",
        "1 sequence was reached through hits",
        "Forward scores of 1 hit were computed with HMMER (Eddy 2011).",
    ):
        assert expected in text
    of_bases = replace(rounds, bases=SearchedBases((0.2, 0.3, 0.3, 0.2), 100.0))
    bases = replace(told, queries=(replace(told.queries[0], rounds=of_bases),))
    assert "members of the profile with E > 0.001 support alone" in paragraph(bases)
    assert "the sum over all alignments" not in paragraph(bases)  # the recipe is that of proteins
    of_rna = replace(of_bases, recipe=NUCLEOTIDE_PRESETS["standard"].recipe)
    short = replace(told.queries[0].query, residues=b"A" * 100)
    rna = replace(told, queries=(replace(told.queries[0], query=short, rounds=of_rna),))
    expected = "at most 4 times as long as their query, where this has up to 100 bases, are those of the sum over all"
    assert expected in paragraph(rna)
    assert provenance(rna)["evalues_by_sums_of_hits_up_to"] == "400 bases"
    assert "evalues_by_sums_of_hits_up_to" not in provenance(told)
    assert "low complexity" in text
    assert "low complexity" not in paragraph(bases)  # rows of bases are not masked
    assert "WoottonFederhen1993" not in {reference.key for reference in references(bases)}
    assert {"Soding2005", "Park1997", "Eddy2011"} <= {reference.key for reference in references(told)}
    facts = provenance(told)
    assert (facts["rounds"], facts["inclusion_evalue"], facts["excluded_by_name"]) == (1, 0.02, ["sp|P2", "sp|P3"])
    assert "rounds" not in provenance(result)


def test_only_what_was_used_is_cited(result):
    def keys(changed):
        return [reference.key for reference in references(changed)]

    always = ["swgui", "SmithWaterman1981", "Gotoh1982"]
    assert keys(result)[:4] == [*always, "Henikoff1992"]
    assert "Park2012" in keys(result)
    assert keys(replace(result, statistics="")) == [*always, "Henikoff1992"]
    for fitted in (FITTED_TO_ITSELF, FITTED_AMONG_RELATIVES):
        assert keys(replace(result, statistics=fitted))[4:] == ["Pearson1998", "Schaffer2001"]
    nucleotide = answer(nucleotide_request())
    assert "Henikoff1992" not in keys(nucleotide)
    for changed in (result, nucleotide):  # the references of the text are in the list
        for reference in references(changed)[1:]:
            assert reference.short in paragraph(changed)


def test_plain_text_and_markdown(result):
    plain = written(search_methods(result))
    assert plain.startswith("Sequences were compared with")
    assert len(re.findall(r"^\d+\. ", plain, re.MULTILINE)) == len(references(result))
    markdown = written(search_methods(result), "markdown")
    assert "## References" in markdown
    assert r"'Swiss-Prot {2026}\_02 \*'" in markdown  # no sign of a name becomes a mark


def test_bibtex_is_balanced_and_complete(result):
    text = written(search_methods(result), "bibtex")
    body = "\n".join(line for line in text.splitlines() if not line.startswith("%"))
    assert body.count("{") == body.count("}")
    entries = re.findall(r"^@(\w+)\{(\w+),$", body, re.MULTILINE)
    assert entries[0] == ("misc", "swgui")
    assert [key for _, key in entries] == [reference.key for reference in references(result)]
    for entry in body.split("\n@")[2:]:  # behind the program itself
        for field in ("author", "title", "year", "journal", "doi"):
            assert re.search(rf"^  {field} = \{{.+\}}", entry, re.MULTILINE), (field, entry)


def test_ris_has_the_tags_that_readers_need(result):
    records = [record.splitlines() for record in written(search_methods(result), "ris").split("ER  - \n")[:-1]]
    assert len(records) == len(references(result))
    for record in records:
        lines = [line for line in record if line]
        assert lines[0] in ("TY  - JOUR", "TY  - COMP")
        assert all(re.fullmatch(r"[A-Z][A-Z0-9]  - .+", line) for line in lines)
        assert {"AU", "TI", "PY"} <= {line[:2] for line in lines}


def test_forms_are_named(result):
    assert set(FORMS) == {"plain", "markdown", "bibtex", "ris"}
    with pytest.raises(InvalidParameter, match="no form 'word'"):
        written(search_methods(result), "word")
