"""Tools for agents, a record each: what a model may ask of a server, and the answer with its receipt.

Sequences come as text and databases by name; nothing names a file, and nothing is written. Answers hold at most
`ROWS_SHOWN` rows and say how many there are.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any, Final

import numpy as np

import swgui
from swgui.core.hits.results import SearchResult
from swgui.core.hits.table import HitStream
from swgui.core.verdict.answers import search_answer
from swgui.core.words import count, short_evalue
from swgui.io.export.provenance import provenance
from swgui.io.export.text import pairwise_text
from swgui.io.sequences.reader import read_text
from swgui.jobs.search.describe import describe
from swgui.serve.commanding import DATABASE, Call, Outcome, call_in, outcome_of, submit_call
from swgui.serve.commanding import KIND as COMMAND
from swgui.serve.house import House
from swgui.serve.requests import Refused, User
from swgui.serve.searching import KIND as SEARCH
from swgui.serve.searching import Asked, result_of, submit_search
from swgui.serve.tables import STATES
from swgui.serve.tickets import COMPLETE, Ticket

HOLD: Final = 20.0  # seconds for which an answer waits for its job; `job` waits again
STEP: Final = 1.0  # seconds between two reports of progress
ROWS_SHOWN: Final = 50
SAID: Final = 3  # lines of a command in the line for the model
ALIGNED_SHOWN: Final = 5  # hits whose alignments an answer has, if they are wanted
RECORDS: Final = 10_000  # sequences of a network or of one set of a comparison
TEXT: Final = {"type": "string", "minLength": 1}
FASTA: Final = {**TEXT, "description": "Sequences in FASTA, or the residues of one."}
JOB: Final = {**TEXT, "description": "The field 'job' of an earlier answer."}
NAME: Final = {**TEXT, "description": "Name of a database, as list_databases gives it."}
ALIGNED: Final = {"type": "boolean", "description": "Also the alignments of the five best hits of a search, as text."}
NUMBER: Final = {"type": "number"}
COUNT: Final = {"type": "integer", "minimum": 1}
SHARE: Final = {"type": "number", "minimum": 0, "maximum": 1}


@dataclass(frozen=True, slots=True)
class Asking:
    """Who asks, and where reports of progress are sent."""

    house: House
    user: User
    progress: Callable[[float, float | None, str], object] | None = None


@dataclass(frozen=True, slots=True)
class Answered:
    """A line for the model, and the facts."""

    line: str
    facts: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool: its arguments as a JSON schema, and the function that answers."""

    name: str
    description: str
    properties: Mapping[str, Mapping[str, Any]]
    answer: Callable[[Asking, Mapping[str, Any]], Answered]
    required: Sequence[str] = ()
    reads: bool = True  # whether it leaves jobs as they are
    output: Mapping[str, Any] = field(
        default_factory=lambda: {
            "type": "object",
            "properties": {"job": {"type": "string"}, "state": {"type": "string"}, "receipt": {"type": "object"}},
            "required": ["job", "state"],
        }
    )

    @property
    def schema(self) -> dict[str, Any]:
        """The schema of the arguments."""
        return {
            "type": "object",
            "properties": {name: dict(about) for name, about in self.properties.items()},
            "required": list(self.required),
            "additionalProperties": False,
        }


def _databases(asking: Asking, given: Mapping[str, Any]) -> Answered:
    found = [_about(asking, one.name) for one in asking.house.databases.of(asking.user)]
    names = ", ".join(f"{one['name']} ({one['kind']})" for one in found) or "none"
    return Answered(f"Databases: {names}.", {"databases": found})


def _about(asking: Asking, name: str) -> dict[str, Any]:
    (one,) = asking.house.databases.find([name], asking.user)
    database = one.database
    return {
        "name": one.name,
        "kind": database.alphabet.name,
        "sequences": len(database),
        "residues": database.residues,
        "checksum": database.checksum,
    }


def _search(asking: Asking, given: Mapping[str, Any]) -> Answered:
    options: dict[str, object] = {"program": given.get("program", "auto"), "top": given.get("max_hits", ROWS_SHOWN)}
    options |= {name: given[name] for name in ("evalue",) if name in given}
    if "organism" in given:
        options["organism"] = [given["organism"]]
    ticket = submit_search(asking.house, asking.user, Asked("agents", (given["database"],), options), given["queries"])
    return _of_job(asking, ticket, alignments=bool(given.get("alignments")))


def _run(
    asking: Asking, call: Call, inputs: Mapping[str, str], cells: Callable[[Sequence[int], int], float]
) -> Answered:
    """Submit a command and answer with its outcome; `cells` takes the residues of each input and of the database."""
    lengths = {name: [len(record.residues) for record in read_text(text)] for name, text in inputs.items()}
    for name, numbers in lengths.items():
        if not 1 <= len(numbers) <= RECORDS:
            raise Refused(f"'{name.partition('.')[0]}' has {len(numbers):,} sequences; 1 to {RECORDS:,} are allowed.")
    every = [length for numbers in lengths.values() for length in numbers]
    if sum(every) > asking.house.limits.searches.residues:
        raise Refused(f"{sum(every):,} residues; {asking.house.limits.searches.residues:,} are allowed.", 413)
    database = _about(asking, call.database)["residues"] if call.database else 0
    work = cells([sum(numbers) for numbers in lengths.values()], database)
    return _of_job(asking, submit_call(asking.house, asking.user, call, inputs, every, work))


def _words(given: Mapping[str, Any], names: Sequence[str]) -> list[str]:
    """Return options of a command whose names are those of the arguments."""
    return [f"--{name.replace('_', '-')}={given[name]}" for name in names if name in given]


def _rule(asking: Asking, given: Mapping[str, Any]) -> Answered:
    words = [given["rule"], "-q", "queries.fasta", "-d", DATABASE, "-o", "places.json", "--format=json"]
    words += ["--certificate", "certificate.json"]
    words += _words(given, ("mismatches", "edits", "identity", "length", "strand"))
    call = Call("agents", "rule", tuple(words), ("places.json", "certificate.json"), given["database"])
    return _run(asking, call, {"queries.fasta": given["queries"]}, lambda sizes, size: float(sizes[0] * size))


def _leak(asking: Asking, given: Mapping[str, Any]) -> Answered:
    words = ["training.fasta", "test.fasta", "-o", "neighbours.json", "--format=json"]
    words += ["--certificate", "certificate.json", *_words(given, ("coverage", "evalue"))]
    call = Call("agents", "leak", tuple(words), ("neighbours.json", "certificate.json"))
    inputs = {"training.fasta": given["training"], "test.fasta": given["test"]}
    return _run(asking, call, inputs, lambda sizes, size: float(np.prod(sizes)))


def _network(asking: Asking, given: Mapping[str, Any]) -> Answered:
    words = ["sequences.fasta", "--export", "network.edges", *_words(given, ("evalue", "min_identity", "min_coverage"))]
    call = Call("agents", "network", tuple(words), ("network.edges",))
    return _run(asking, call, {"sequences.fasta": given["sequences"]}, lambda sizes, size: sizes[0] ** 2 / 2)


def _msa(asking: Asking, given: Mapping[str, Any]) -> Answered:
    words = ["-q", "queries.fasta", "-d", DATABASE, "-o", "alignment.a3m"]
    words += _words(given, ("iterations", "evalue", "max_rows"))
    call = Call("agents", "msa", tuple(words), ("alignment.a3m",), given["database"])
    rounds = given.get("iterations", 3)
    return _run(asking, call, {"queries.fasta": given["query"]}, lambda sizes, size: float(rounds * sizes[0] * size))


def _done(asking: Asking, job: str, kinds: Sequence[str]) -> Ticket:
    ticket = asking.house.ticket(asking.user, job)
    if ticket is None or ticket.kind not in kinds:
        raise Refused(f"There is no such job of yours: {job[:20]!a}.")
    if ticket.state != COMPLETE:
        raise Refused(f"The job is {STATES[ticket.state]}. {ticket.reason}".strip())
    return ticket


def _database_of(ticket: Ticket) -> str:
    """Return the database of a job, if it has one."""
    if ticket.kind == COMMAND:
        return call_in(ticket).database
    names: list[str] = json.loads(ticket.mode)["databases"]
    if len(names) != 1:
        raise Refused("The job searched several databases as one.")
    return names[0]


def _find(asking: Asking, given: Mapping[str, Any]) -> Answered:
    ticket = _done(asking, given["job"], (SEARCH,))
    if odd := next((name for name in given["names"] if name.startswith("-") or name == DATABASE), None):
        raise Refused(f"No name begins like this: {odd[:20]!a}.")
    words = ["run.swgui", *given["names"], "-d", DATABASE, "--json"]
    call = Call("agents", "find", tuple(words), (), _database_of(ticket), ticket.id)
    return _of_job(asking, submit_call(asking.house, asking.user, call, {}, [], 0.0))


def _verify(asking: Asking, given: Mapping[str, Any]) -> Answered:
    ticket = _done(asking, given["job"], (SEARCH, COMMAND))
    if ticket.kind == COMMAND and "certificate.json" not in call_in(ticket).outputs:
        raise Refused("Jobs of search, rule and leak are verified; this one has no certificate.")
    database = _database_of(ticket)
    words = ["run.swgui" if ticket.kind == SEARCH else "certificate.json"]
    words += ["-d", DATABASE] if database else []
    words += ["--full"] if given.get("full") and ticket.kind == COMMAND else []
    call = Call("agents", "verify", tuple(words), (), database, ticket.id)
    return _of_job(asking, submit_call(asking.house, asking.user, call, {}, [], 0.0))


def _job(asking: Asking, given: Mapping[str, Any]) -> Answered:
    ticket = asking.house.ticket(asking.user, given["job"])
    if ticket is None or ticket.kind not in (SEARCH, COMMAND):
        raise Refused(f"There is no such job of yours: {given['job'][:20]!a}.")
    return _of_job(asking, ticket, alignments=bool(given.get("alignments")))


def _stop(asking: Asking, given: Mapping[str, Any]) -> Answered:
    ticket = asking.house.ticket(asking.user, given["job"])
    if ticket is None or not asking.house.owned(asking.user, ticket):
        raise Refused(f"There is no such job of yours: {given['job'][:20]!a}.")
    if ticket.live:
        asking.house.queue.stop(ticket.id, "The job was stopped.")
    state = STATES[(asking.house.tickets.get(ticket.id) or ticket).state]
    return Answered(f"The job is {state}.", {"job": ticket.id, "state": state})


def _of_job(asking: Asking, ticket: Ticket, *, alignments: bool = False) -> Answered:
    """Wait for a job for a while, and answer with its result, or with its state."""
    house, waited = asking.house, 0.0
    while ticket.live and waited < HOLD:
        ticket = house.wait_for(ticket, STEP)
        waited += STEP
        if ticket.live and asking.progress is not None:
            part = house.queue.part(ticket.id)
            asking.progress(float(part.done or waited), float(part.total) if part.total else None, part.stage)
    about: dict[str, Any] = {"job": ticket.id, "state": STATES[ticket.state]}
    if ticket.live:
        part = house.queue.part(ticket.id)
        about |= {"done": part.done / part.total if part.total else 0.0, "place_in_queue": part.place}
        return Answered("The job has not ended yet. Ask for it with the tool 'job'.", about)
    if ticket.state != COMPLETE:
        raise Refused(ticket.reason)
    made = _of_search(house, ticket, alignments) if ticket.kind == SEARCH else _of_command(asking, ticket)
    return Answered(made.line, about | made.facts)


def _of_search(house: House, ticket: Ticket, alignments: bool) -> Answered:
    result = result_of(house, ticket)
    shown, queries = 0, []
    for query in result.queries:
        hits = query.hits.take(slice(max(ROWS_SHOWN - shown, 0)))
        shown += len(hits)
        columns = (hits.db_index, hits.scores, hits.bit_scores, hits.log10_evalues)
        rows = zip(*(column.tolist() for column in columns), strict=True)
        queries.append({"query": query.query.id, "hits": len(query.hits), "best": [_hit(result, *row) for row in rows]})
    facts: dict[str, Any] = {"hits": ticket.rows, "queries": queries, "receipt": provenance(result)}
    if alignments:
        facts["alignments"] = _aligned(result)
    return Answered(search_answer(result).sentence, facts)


def _hit(result: SearchResult, index: int, score: int, bits: float, log10_evalue: float) -> dict[str, Any]:
    database = result.database
    return {
        "id": database.ids[index],
        "description": database.descriptions[index],
        "score": score,
        "bits": None if np.isnan(bits) else round(bits, 1),
        "evalue": short_evalue(log10_evalue),
        "length": int(database.lengths[index]),
    }


def _aligned(result: SearchResult) -> list[str]:
    """Return the alignments of the best hits of the first query, as text."""
    if not result.queries:
        return []
    rows = range(min(len(result.queries[0].hits), ALIGNED_SHOWN))
    stream = HitStream(describe([(result.hit_list(0), rows)], fit=False).tables)
    return [pairwise_text(hit, result.scheme).strip() for hit in stream]


def _of_command(asking: Asking, ticket: Ticket) -> Answered:
    call, outcome = call_in(ticket), outcome_of(asking.house, ticket)
    said = [line.removeprefix("swgui: ") for line in outcome.said.splitlines()]
    inputs = {name: sha256(text.encode()).hexdigest() for name, text in outcome.inputs.items()}
    receipt: dict[str, Any] = {
        "program": f"swgui {swgui.__version__}",
        "command": " ".join([call.command, *call.words]),
        "exit_status": outcome.status,
        "sha256_of_inputs": inputs,
    }
    if call.database:
        receipt["database"] = _about(asking, call.database)
    if certificate := outcome.outputs.get("certificate.json"):
        facts = json.loads(certificate)
        receipt["certificate"] = {name: value for name, value in facts.items() if not isinstance(value, list | dict)}
    rows = _rows(outcome)
    line = " ".join(said[:SAID] or outcome.printed.splitlines()[:1])
    if not said and outcome.printed.startswith("{"):
        line = f"{count(rows['total_rows'], 'sequence')} found."
    return Answered(line or "Done.", {"said": said, **rows, "receipt": receipt})


def _rows(outcome: Outcome) -> dict[str, Any]:
    """Return the first rows of what a command has written, and how many there are."""
    if alignment := outcome.outputs.get("alignment.a3m"):
        records = alignment.split(">")[1:]
        return {"rows": [f">{record}" for record in records[:ROWS_SHOWN]], "total_rows": len(records)}
    if edges := outcome.outputs.get("network.edges"):
        names, *lines = (line.split("\t") for line in edges.splitlines())
        return {"rows": [dict(zip(names, line, strict=False)) for line in lines[:ROWS_SHOWN]], "total_rows": len(lines)}
    for text in (*outcome.outputs.values(), outcome.printed):
        if text.startswith(("[", "{")):
            found = json.loads(text)
            rows = found if isinstance(found, list) else found.get("rows")
            if rows is not None:
                return {"rows": rows[:ROWS_SHOWN], "total_rows": len(rows)}
    return {"rows": outcome.printed.splitlines()[:ROWS_SHOWN], "total_rows": outcome.printed.count("\n")}


TOOLS: Final = (
    Tool(
        "list_databases",
        "List the databases that can be searched, with their kind, size and checksum.",
        {},
        _databases,
        output={"type": "object", "properties": {"databases": {"type": "array"}}, "required": ["databases"]},
    ),
    Tool(
        "search",
        "Search sequences in a database with the exact Smith-Waterman algorithm: every sequence is scored in full. "
        "Returns the best hits of each query with score and E-value, and a receipt.",
        {
            "queries": FASTA,
            "database": NAME,
            "program": {"type": "string", "enum": ["auto", "blastp", "blastn", "blastx", "tblastn", "tblastx"]},
            "evalue": {**NUMBER, "description": "Largest E-value (10)."},
            "max_hits": {**COUNT, "maximum": 5000, "description": "Hits of a query at most (50)."},
            "organism": {**TEXT, "description": "Only this organism or clade, by name or number in NCBI's taxonomy."},
            "alignments": ALIGNED,
        },
        _search,
        ("queries", "database"),
    ),
    Tool(
        "rule",
        "List every place of a database that meets a rule, with a certificate: peptides (mismatches), edits, identity, "
        "window (allergens), words, guides (CRISPR) or primers.",
        {
            "rule": {
                "type": "string",
                "enum": ["peptides", "edits", "identity", "window", "words", "guides", "primers"],
            },
            "queries": FASTA,
            "database": NAME,
            "mismatches": {"type": "integer", "minimum": 0},
            "edits": {"type": "integer", "minimum": 0},
            "identity": SHARE,
            "length": COUNT,
            "strand": {"type": "string", "enum": ["both", "plus"]},
        },
        _rule,
        ("rule", "queries", "database"),
    ),
    Tool(
        "leak",
        "Find the nearest training sequence of every test sequence, for the audit of a data set; with a certificate.",
        {"training": FASTA, "test": FASTA, "coverage": SHARE, "evalue": NUMBER},
        _leak,
        ("training", "test"),
    ),
    Tool(
        "network",
        "Compare sequences all against all and list the edges of their similarity network.",
        {"sequences": FASTA, "evalue": NUMBER, "min_identity": SHARE, "min_coverage": SHARE},
        _network,
        ("sequences",),
    ),
    Tool(
        "msa",
        "Make a deep alignment of a protein by rounds of exact search, in A3M form.",
        {
            "query": FASTA,
            "database": NAME,
            "iterations": {"type": "integer", "minimum": 2, "maximum": 8},
            "evalue": NUMBER,
            "max_rows": COUNT,
        },
        _msa,
        ("query", "database"),
    ),
    Tool(
        "find",
        "Find sequences by parts of their names in a search that was made: their rank, score and E-value, and why one "
        "is not listed.",
        {"job": JOB, "names": {"type": "array", "items": TEXT, "minItems": 1, "maxItems": 20}},
        _find,
        ("job", "names"),
    ),
    Tool(
        "verify",
        "Compute a search again and compare every score, or check the certificate of a rule or a leak.",
        {"job": JOB, "full": {"type": "boolean", "description": "Scan the whole database again, not a sample."}},
        _verify,
        ("job",),
    ),
    Tool("job", "Wait for a job, and get its result.", {"job": JOB, "alignments": ALIGNED}, _job, ("job",)),
    Tool("stop", "Stop a job.", {"job": JOB}, _stop, ("job",), reads=False),
)
