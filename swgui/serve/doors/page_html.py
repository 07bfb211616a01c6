"""Pages of the server for people: forms, states and results as HTML, without a script that they need."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from html import escape
from itertools import islice
from typing import Final

import swgui
from swgui.core.headers import header_of
from swgui.core.hits.results import SearchResult
from swgui.core.translation.programs import PROGRAMS
from swgui.core.verdict.answers import search_answer
from swgui.core.words import count, short_evalue
from swgui.io.cells import clean_text
from swgui.io.export import FORMATS
from swgui.serve.databases import Served
from swgui.serve.tables import STATES
from swgui.serve.tickets import Ticket

# Nothing from elsewhere, no script or style inside a page, and no other site that shows it in a frame.
POLICY: Final = (
    "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; form-action 'self'; "
    "frame-ancestors 'none'; base-uri 'none'"
)
OFFERED: Final = ("tsv", "csv", "json", "fasta", "text", "blast6", "blast-xml1", "blast-json", "gff3")
QUERIES_SHOWN: Final = 20
HITS_SHOWN: Final = 25  # of each query
SECONDS: Final = 5  # between two looks of a browser without scripts
_PROGRAMS: Final[Mapping[str, str]] = {
    "auto": "By the kinds of sequence",
    **{one.name: f"{one.name}: {one.describe()}" for one in PROGRAMS.values()},
}


@dataclass(frozen=True, slots=True)
class Place:
    """Where a page is: the beginning of its links, and the user to show."""

    base: str
    user: str = ""

    def link(self, path: str, text: str) -> str:
        """Return a link."""
        return f'<a href="{escape(self.base)}{path}">{text}</a>'


def document(place: Place, title: str, inside: str, *, again: bool = False) -> bytes:
    """Return a whole page; `again` has browsers without scripts load it again after some seconds."""
    base = escape(place.base)
    refresh = f'<noscript><meta http-equiv="refresh" content="{SECONDS}"></noscript>\n' if again else ""
    user = f'<span class="user">{_text(place.user)}</span>' if place.user else ""
    return (
        f'<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">\n{refresh}'
        f"<title>{_text(title)} - swgui</title>\n"
        f'<link rel="stylesheet" href="{base}/page.css">\n<script src="{base}/page.js" defer></script>\n'
        "</head>\n<body>\n"
        f'<a class="skip" href="#main">Skip to the content</a>\n'
        f'<header><nav aria-label="Pages">{place.link("/", "swgui").replace("<a ", "<a class=name ", 1)}'
        f"{place.link('/', 'Search')}{place.link('/jobs', 'Jobs')}{user}</nav></header>\n"
        f'<main id="main">\n{inside}</main>\n'
        f"<footer>swgui {escape(swgui.__version__)}: exact Smith-Waterman search. Every sequence of the database is "
        "scored in full.</footer>\n</body>\n</html>\n"
    ).encode()


def search_form(place: Place, databases: Sequence[Served], values: Mapping[str, str], problem: str = "") -> str:
    """Return the form of a search, with earlier values and the reason why they were refused."""
    error = f'<p class="error" role="alert">{_text(problem)}</p>\n' if problem else ""
    chosen = values.get("database", "")
    offered = "".join(_option(one.name, _described(one), chosen) for one in databases)
    programs = "".join(_option(name, text, values.get("program", "auto")) for name, text in _PROGRAMS.items())
    masked = " checked" if values.get("mask") else ""
    opened = " open" if any(values.get(name) for name in ("evalue", "top", "organism", "mask")) else ""
    return (
        f"<h1>Search for similar sequences</h1>\n{error}"
        f'<form class="card" method="post" action="{escape(place.base)}/search" enctype="multipart/form-data">\n'
        '<label for="query">Sequences</label>\n'
        '<p class="hint" id="about-query">FASTA of one or more proteins or nucleotides, or the residues of one. '
        f"A file can be dropped on the box. {place.link('/?example=1', 'Fill in an example')}.</p>\n"
        '<textarea id="query" name="query" aria-describedby="about-query" spellcheck="false" autocomplete="off" '
        f"autofocus>{escape(values.get('query', ''))}</textarea>\n"
        '<p><label for="file">or a file</label> <input id="file" name="file" type="file"></p>\n'
        '<div class="fields">\n'
        f'<div><label for="database">Database</label><select id="database" name="database">{offered}</select></div>\n'
        f'<div><label for="program">Comparison</label><select id="program" name="program">{programs}</select></div>\n'
        f"</div>\n<details{opened}><summary>More settings</summary>\n"
        '<div class="fields">\n'
        f"{_input('evalue', 'Largest E-value', '10', values)}{_input('top', 'Hits of a query at most', '100', values)}"
        f"{_input('organism', 'Only this organism', '', values, 'A name or number of NCBI&#x27;s taxonomy')}</div>\n"
        f'<p class="check"><input id="mask" name="mask" type="checkbox" value="1"{masked}>'
        '<label for="mask">Mask stretches of low complexity in the queries</label></p>\n</details>\n'
        '<div class="actions"><button class="primary" type="submit">Search</button></div>\n</form>\n'
    )


def _input(name: str, label: str, usual: str, values: Mapping[str, str], hint: str = "") -> str:
    value = escape(values.get(name, ""))
    about = f' aria-describedby="about-{name}"' if hint else ""
    said = f'<p class="hint" id="about-{name}">{hint}</p>' if hint else ""
    return (
        f'<div><label for="{name}">{label}</label><input id="{name}" name="{name}" type="text" value="{value}" '
        f'placeholder="{usual}"{about}>{said}</div>\n'
    )


def _option(value: str, text: str, chosen: str) -> str:
    selected = " selected" if value == chosen else ""
    return f'<option value="{escape(value)}"{selected}>{escape(text)}</option>'


def _described(one: Served) -> str:
    sizes = f"{count(len(one.database), 'sequence')}, {count(one.database.residues, one.database.alphabet.letter)}"
    return f"{one.name} ({one.database.alphabet.name}, {sizes})"


def waiting_page(place: Place, ticket: Ticket, text: str, value: float | None, owned: bool) -> str:
    """Return the page of a job that is not done."""
    bar = "" if value is None else f' value="{value:.4f}"'
    stop = _button(place, f"/job/{ticket.id}/stop", "Stop") if owned else ""
    return (
        f"<h1>Search of {_size(ticket)}</h1>\n"
        f'<div class="card" data-state="{escape(place.base)}/job/{ticket.id}/state">\n'
        f'<p id="said" role="status">{_text(text)}</p>\n'
        f'<progress id="bar" max="1"{bar} aria-label="Share of the work that is done"></progress>\n'
        '<p class="hint">You may close this page: its address stays, and the search continues.</p>\n'
        f'<div class="actions">{stop}</div>\n</div>\n'
    )


def failed_page(place: Place, ticket: Ticket) -> str:
    """Return the page of a job without a result."""
    return (
        f'<h1>Search of {_size(ticket)}</h1>\n<p class="error" role="alert">{_text(ticket.reason)}</p>\n'
        f"<p>{place.link('/', 'Search again')}</p>\n"
    )


def done_page(place: Place, ticket: Ticket, result: SearchResult, database: str, owned: bool) -> str:
    """Return the page of a result: the answer, the best hits of each query, and links to all of it."""
    answer = search_answer(result)
    job = f"/job/{ticket.id}"
    name = _size(ticket) if len(result.queries) > 1 else _text(header_of(result.queries[0].query).name)
    files = " ".join(
        f"<li>{place.link(f'{job}/as/{name}', escape(FORMATS[name].title))}</li>"
        for name in OFFERED
        if name != "gff3" or result.scheme.alphabet.complements or result.translation is not None
    )
    delete = _button(place, f"{job}/delete", "Delete") if owned else ""
    tables, number = [], 0
    for query in islice(result.queries, QUERIES_SHOWN):
        tables.append(_hits(place, job, result, result.queries.index(query), number))
        number += len(query.hits)
    left = len(result.queries) - QUERIES_SHOWN
    more = f"<p>{count(left, 'further query is', 'further queries are')} in the report.</p>\n" if left > 0 else ""
    return (
        f"<h1>{name} against {_text(database)}</h1>\n"
        f'<p class="answer" role="status">{_text(answer.sentence)}</p>\n'
        f'<div class="actions"><a class="button" href="{escape(place.base)}{job}/report">Report with alignments</a>'
        f"{delete}</div>\n"
        f'{"".join(tables)}{more}<h2>Files</h2>\n<ul class="plain">{files}'
        f"<li>{place.link(f'{job}/as/swgui', 'Saved search (opens in swgui)')}</li></ul>\n"
        f'<p class="hint">{_text(result.remarks)}</p>\n'
    )


def _hits(place: Place, job: str, result: SearchResult, index: int, number: int) -> str:
    query = result.queries[index]
    name = _text(query.query.id)
    length = count(len(query.query.residues), result.search.query_alphabet.letter)
    head = f"<h2>{name} <span class=muted>{length}</span></h2>\n"
    if not len(query.hits):
        return f"{head}<p>No sequence of the database reaches the largest E-value.</p>\n"
    rows = []
    database = result.database
    shown = query.hits.take(slice(HITS_SHOWN))
    columns = zip(shown.db_index.tolist(), shown.scores.tolist(), shown.log10_evalues.tolist(), strict=True)
    for offset, (subject, score, log10_evalue) in enumerate(columns):
        header = header_of(database.record(subject))
        link = place.link(f"{job}/report#hit{number + offset}", _text(header.name))
        evalue = escape(short_evalue(log10_evalue))
        organism = f" <i>{_text(header.organism)}</i>" if header.source and header.organism else ""
        rows.append(
            f'<tr><td class="id">{link}</td><td class="title">{_text(header.title)}{organism}</td>'
            f'<td class="n">{score:,}</td>'
            f'<td class="n">{evalue}</td></tr>\n'
        )
    all_of_them = f"<p>The best {HITS_SHOWN} of {len(query.hits):,}.</p>\n" if len(query.hits) > HITS_SHOWN else ""
    return (
        f'{head}<div class="wide card"><table>\n<caption class="skip">Best hits of {name}</caption>\n'
        '<thead><tr><th scope="col">Sequence</th><th scope="col">Description</th><th scope="col" class="n">Score</th>'
        f'<th scope="col" class="n">E-value</th></tr></thead>\n<tbody>\n{"".join(rows)}'
        f"</tbody></table></div>\n{all_of_them}"
    )


def jobs_page(place: Place, jobs: Sequence[tuple[Ticket, str]], shared: bool) -> str:
    """Return the list of jobs, each with the names of its databases."""
    if not jobs:
        return f"<h1>Jobs</h1>\n<p>There are no jobs. {place.link('/', 'Search')} first.</p>\n"
    rows = []
    for ticket, databases in jobs:
        when = datetime.fromtimestamp(ticket.created).astimezone()
        owner = f"<td>{_text(ticket.owner)}</td>" if shared else ""
        hits = f"{ticket.rows:,}" if ticket.state == "COMPLETE" else ""
        rows.append(
            f"<tr><td>{place.link(f'/job/{ticket.id}', _size(ticket))}</td><td>{_text(databases)}</td>{owner}"
            f'<td><time datetime="{when.isoformat(timespec="seconds")}">{when:%Y-%m-%d %H:%M}</time></td>'
            f'<td>{STATES.get(ticket.state, "")}</td><td class="n">{hits}</td></tr>\n'
        )
    owner = '<th scope="col">User</th>' if shared else ""
    return (
        f'<h1>Jobs</h1>\n<div class="wide card"><table>\n<thead><tr><th scope="col">Search of</th>'
        f'<th scope="col">Database</th>{owner}<th scope="col">Since</th><th scope="col">State</th>'
        f'<th scope="col" class="n">Hits</th></tr></thead>\n<tbody>\n{"".join(rows)}</tbody></table></div>\n'
    )


def message_page(place: Place, title: str, reason: str) -> str:
    """Return a page that says why there is no other."""
    said = f'<h1>{_text(title)}</h1>\n<p class="error" role="alert">{_text(reason)}</p>\n'
    return f"{said}<p>{place.link('/', 'Search')}</p>\n"


def _button(place: Place, path: str, text: str) -> str:
    return f'<form method="post" action="{escape(place.base)}{path}"><button type="submit">{text}</button></form>'


def _size(ticket: Ticket) -> str:
    lengths = [int(length) for length in ticket.lengths.split(",") if length]
    return f"{count(len(lengths), 'query', 'queries')}, {count(sum(lengths), 'residue')}"


def _text(text: str) -> str:
    return escape(clean_text(text))
