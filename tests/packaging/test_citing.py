"""The paper and the citation file have the forms that JOSS and reference managers ask for, and the README's figures."""

import re
import tomllib

import pytest
import yaml


@pytest.fixture
def paper(repository):
    return (repository / "packaging" / "release" / "paper" / "paper.md").read_text("utf-8")


def test_the_paper_has_the_parts_and_the_length_that_joss_asks_for(paper):
    _, head, body = paper.split("---\n", 2)
    facts = yaml.safe_load(head)
    assert {"title", "tags", "authors", "affiliations", "date", "bibliography"} <= set(facts)
    indices = {place["index"] for place in facts["affiliations"]}
    assert {author["affiliation"] for author in facts["authors"]} <= indices
    for section in ("Summary", "Statement of need", "State of the field", "References"):
        assert f"\n# {section}\n" in body
    assert 250 <= len(body.split()) <= 1000


def test_every_reference_of_the_paper_is_cited_and_listed(repository, paper):
    entries = (repository / "packaging" / "release" / "paper" / "paper.bib").read_text("utf-8").split("\n@")
    listed = {re.match(r"@?article\{(\w+),", entry)[1] for entry in entries}
    assert listed == set(re.findall(r"@([a-z]+\d{4})", paper))
    assert all("doi = {10." in entry for entry in entries)


def test_the_figures_of_the_paper_are_those_of_the_readme(repository, paper):
    readme = (repository / "README.md").read_text("utf-8")
    for row, figure in (("GCUPS", "6,631"), ("CUDASW++ 4.0, GCUPS", "3,761")):
        (cells,) = re.findall(rf"^\| {re.escape(row)} \|(.*)\|$", readme, re.MULTILINE)
        assert cells.split("|")[-1].strip() == figure.replace(",", "")
        assert figure in paper
    assert "351,744 proteins" in readme
    assert "351,744 proteins" in paper


def test_the_citation_file_says_what_the_project_file_says(repository):
    cited = yaml.safe_load((repository / "CITATION.cff").read_text("utf-8"))
    project = tomllib.loads((repository / "pyproject.toml").read_text("utf-8"))["project"]
    assert cited["cff-version"] == "1.2.0"
    assert {"message", "title", "authors"} <= set(cited)
    assert cited["license"] == project["license"]
    assert [author["name"] for author in cited["authors"]] == [author["name"] for author in project["authors"]]
    assert all(reference["doi"].startswith("10.") for reference in cited["references"])
