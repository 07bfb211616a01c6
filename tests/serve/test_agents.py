"""Tools for agents over HTTP and over standard input and output, with the messages that the official client sends."""

import json
import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

import swgui
from swgui.serve import commanding
from swgui.serve.doors import agent_tools
from swgui.serve.doors.agents import answered
from swgui.serve.requests import User
from tests.robustness.command import begin
from tests.serve.conftest import Client

# As version 2.3.0 of the package `mcp` sends them.
DISCOVER = {"method": "server/discover", "params": {"_meta": {"io.modelcontextprotocol/protocolVersion": "2026-07-28"}}}
INITIALIZE = {
    "method": "initialize",
    "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "mcp", "version": "0.1.0"}},
}
INITIALIZED = {"jsonrpc": "2.0", "method": "notifications/initialized"}
TOOLS = ["list_databases", "search", "rule", "leak", "network", "msa", "find", "verify", "job", "stop"]
PEPTIDES = ">p\nVLSPADKTNV\n"


class Agent(Client):
    """Sends messages as an agent does."""

    def say(self, message):
        status, body = self.ask("/mcp", json.dumps(message).encode(), **{"Content-Type": "application/json"})
        return status, json.loads(body) if body else None

    def result(self, method, number=1, **params):
        status, message = self.say({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
        assert (status, message["id"]) == (200, number), message
        return message["result"]

    def call(self, tool, **arguments):
        return self.result("tools/call", name=tool, arguments=arguments)

    def facts(self, tool, **arguments):
        """Return the facts of a tool, once its job has ended."""
        made = self.call(tool, **arguments)
        assert not made["isError"], made
        facts = made["structuredContent"]
        assert json.loads(made["content"][1]["text"]) == facts
        while facts.get("state") in ("waiting", "running"):
            facts = self.call("job", job=facts["job"])["structuredContent"]
        return facts


@pytest.fixture
def agent(server):
    return Agent(server.url)


def test_an_agent_begins_as_the_official_client_does(agent):
    assert agent.say({"jsonrpc": "2.0", "id": 1, **DISCOVER})[1]["error"]["code"] == -32601
    begun = agent.say({"jsonrpc": "2.0", "id": 2, **INITIALIZE})[1]["result"]
    assert begun["protocolVersion"] == "2025-11-25"
    assert agent.say(INITIALIZED) == (202, None)
    assert agent.result("ping") == {}
    tools = agent.result("tools/list")["tools"]
    assert [tool["name"] for tool in tools] == TOOLS
    assert [tool["name"] for tool in tools if not tool["annotations"]["readOnlyHint"]] == ["stop"]
    for tool in tools:
        assert tool["inputSchema"]["type"] == tool["outputSchema"]["type"] == "object"
        assert set(tool["inputSchema"]["required"]) <= set(tool["inputSchema"]["properties"])
    assert agent.ask("/mcp")[0] == 405
    for headers in ({"Origin": "https://evil.example"}, {"Host": "evil.example"}):
        assert (
            agent.ask("/mcp", json.dumps({"jsonrpc": "2.0", "id": 1, "method": "ping"}).encode(), **headers)[0] == 403
        )


def test_a_search_has_hits_alignments_and_a_receipt(agent, databases, proteins):
    listed = agent.facts("list_databases")["databases"]
    assert [one["name"] for one in listed] == ["first", "second", "hg38"]
    facts = agent.facts("search", queries=proteins["alpha"], database="first", max_hits=3, alignments=True)
    hits = swgui.search(f">query\n{proteins['alpha']}\n", databases[0], engine="cpu", top=3).result
    best = facts["queries"][0]["best"]
    assert [one["score"] for one in best] == hits.queries[0].hits.scores.tolist()
    assert [one["id"] for one in best] == [hits.database.ids[index] for index in hits.queries[0].hits.db_index]
    assert facts["receipt"]["database_checksum"] == listed[0]["checksum"]
    assert facts["receipt"]["state"] == "complete: every subject was scored"
    assert len(facts["alignments"]) == 3
    again = agent.facts("search", queries=proteins["alpha"], database="first", max_hits=3)
    assert (again["job"], "alignments" in again) == (facts["job"], False)
    found = agent.facts("find", job=facts["job"], names=["HBB_HUMAN"])
    assert [row["listed"] for row in found["rows"]] == ["no"]
    assert agent.call("stop", job=facts["job"])["content"][0]["text"] == "The job is done."


def test_a_rule_has_a_certificate(agent, server):
    facts = agent.facts("rule", rule="peptides", queries=PEPTIDES, database="first", mismatches=1)
    assert facts["total_rows"] == len(facts["rows"]) > 0
    assert facts["rows"][0]["sseq"] == "VLSPADKTNV"
    assert facts["receipt"]["certificate"]["complete"] is True
    assert [job.kind for job in server.jobs(1)] == ["command"]


@pytest.mark.nightly
def test_verify_checks_searches_and_certificates(agent):
    for tool, more in (("rule", {"rule": "peptides", "mismatches": 1}), ("search", {})):
        job = agent.facts(tool, queries=PEPTIDES, database="first", **more)["job"]
        checked = agent.facts("verify", job=job)
        assert checked["receipt"]["exit_status"] == 0
        assert checked["rows"][0].startswith(
            "The certificate holds" if tool == "rule" else "All 400 scores are the same"
        )


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("tool", "arguments", "rows"),
    [
        ("leak", {"training": ["alpha", "beta"], "test": ["beta"]}, 1),
        ("network", {"sequences": ["alpha", "beta"], "evalue": 1e-5}, 1),
        ("msa", {"query": ["alpha"], "database": "first", "iterations": 2}, None),
    ],
)
def test_other_tools_are_the_commands(agent, proteins, tool, arguments, rows):
    given = {
        name: "".join(f">{one}\n{proteins[one]}\n" for one in value) if isinstance(value, list) else value
        for name, value in arguments.items()
    }
    facts = agent.facts(tool, **given)
    assert facts["total_rows"] == rows or (rows is None and facts["total_rows"] > 3)
    assert set(facts["receipt"]["sha256_of_inputs"])
    if tool == "leak":
        assert agent.facts("verify", job=facts["job"])["rows"][0].startswith("The certificate holds")


@pytest.mark.parametrize(
    ("sent", "code", "said"),
    [
        (b"{", -32700, "JSON"), (b"[]", -32600, "no request"), (b'{"id":1,"method":"x"}', -32601, "method"),
        (b'{"id":1,"method":"ping","params":[1]}', -32602, "no object"),
    ],
)  # fmt: skip
def test_messages_that_are_wrong_have_an_error(server, sent, code, said):
    error = answered(server.house, User("local"), sent)["error"]
    assert error["code"] == code
    assert said in error["message"]


@pytest.mark.parametrize(
    ("tool", "arguments", "said"),
    [
        ("nothing", {}, "no such tool"), ("search", {"queries": "MKV"}, "'database' is missing"),
        ("search", {"queries": "MKV", "database": "first", "out": "/etc/passwd"}, "no argument is 'out'"),
        ("search", {"queries": 7, "database": "first"}, "is no string"),
        ("search", {"queries": "MKV", "database": "first", "max_hits": 0}, "out of its range"),
        ("search", {"queries": "MKV", "database": "first", "max_hits": True}, "is no integer"),
        ("search", {"queries": "", "database": "first"}, "is empty"),
        ("rule", {"rule": "-q", "queries": "MKV", "database": "first"}, "is none of"),
        ("find", {"job": "A", "names": []}, "too few"), ("find", {"job": "A", "names": [1]}, "is no string"),
        ("list_databases", [], "no object"),
    ],
)  # fmt: skip
def test_arguments_that_are_wrong_have_an_error(server, tool, arguments, said):
    params = {"name": tool, "arguments": arguments or {"x": 1} if tool == "nothing" else arguments}
    if arguments == []:
        params["arguments"] = [1]
    message = answered(server.house, User("local"), json.dumps({"id": 1, "method": "tools/call", "params": params}))
    assert message["error"]["code"] == -32602
    assert said in message["error"]["message"]


@pytest.mark.parametrize(
    ("tool", "arguments", "said"),
    [
        ("search", {"queries": "MKV", "database": "../first"}, "no database"),
        ("rule", {"rule": "peptides", "queries": "MKV", "database": "nr"}, "no database"),
        ("leak", {"training": ">a\nMKV\n", "test": ">a\n"}, ""), ("job", {"job": "A" * 11}, "no such job"),
        ("find", {"job": "../../secret", "names": ["x"]}, "no such job"), ("verify", {"job": "A"}, "no such job"),
        ("network", {"sequences": ">a\nMKV\n" * 10_001}, "10,001 sequences"), ("stop", {"job": "A"}, "no such job"),
    ],
)  # fmt: skip
def test_faults_are_results_that_a_model_reads(agent, tool, arguments, said):
    made = agent.call(tool, **arguments)
    assert made["isError"]
    assert said in made["content"][0]["text"]


@pytest.mark.skipif(os.name != "posix", reason="a script stands for the program")
def test_a_job_that_is_stopped_ends_its_process(agent, server, tmp_path, monkeypatch):
    script, mark = tmp_path / "program", tmp_path / "pid"
    script.write_text(f"#!/bin/sh\necho $$ > {mark}\nexec sleep 600\n")
    script.chmod(0o700)
    monkeypatch.setattr(commanding.sys, "executable", str(script))
    monkeypatch.setattr(agent_tools, "HOLD", 0.0)
    facts = agent.call("network", sequences=">a\nMKVLAW\n>b\nMKVLAWC\n")["structuredContent"]
    end = time.monotonic() + 60
    while not (mark.is_file() and mark.read_text().strip()):
        assert time.monotonic() < end
        time.sleep(0.02)
    assert "failed" in agent.call("stop", job=facts["job"])["content"][0]["text"]
    while server.house.queue.searching:
        assert time.monotonic() < end
        time.sleep(0.02)
    with pytest.raises(ProcessLookupError):
        os.kill(int(mark.read_text()), 0)


def test_standard_input_and_output(databases, proteins, tmp_path):
    process = begin(tmp_path, "mcp", "-d", f"globins={databases[0]}", "--engine", "cpu", stdin=subprocess.PIPE)
    search = {"queries": proteins["alpha"], "database": "globins"}
    params = {"name": "search", "arguments": search, "_meta": {"progressToken": 4}}
    calls = [
        {"id": 1, **DISCOVER}, {"id": 2, **INITIALIZE}, INITIALIZED, {"id": 3, "method": "tools/list"},
        {"id": 4, "method": "tools/call", "params": params},
    ]  # fmt: skip
    sent = "".join(json.dumps({"jsonrpc": "2.0", **call}) + "\n" for call in calls)
    out, said = process.communicate(sent.encode() + b"\nnot json\n", timeout=60)
    assert process.returncode == 0, said
    messages = [json.loads(line) for line in out.splitlines()]
    replies = {message["id"]: message for message in messages if "id" in message}
    assert set(replies) == {1, 2, 3, 4, None}
    assert "HBA_HUMAN" in replies[4]["result"]["structuredContent"]["queries"][0]["best"][0]["id"]
    assert all(one["method"] == "notifications/progress" for one in messages if "id" not in one)
    assert proteins["alpha"][:20] not in said.decode()
    assert list(Path(tmp_path).rglob("swgui-mcp-*")) == []


@pytest.mark.nightly
@pytest.mark.skipif(os.name != "posix", reason="a signal of POSIX")
def test_an_interrupt_ends_the_program(databases, tmp_path):
    process = begin(tmp_path, "mcp", "-d", databases[0], "--engine", "cpu", stdin=subprocess.PIPE)
    process.stdin.write(b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n')
    process.stdin.flush()
    assert json.loads(process.stdout.readline()) == {"jsonrpc": "2.0", "id": 1, "result": {}}
    process.send_signal(signal.SIGTERM)
    said = process.communicate(timeout=60)[1]
    assert b"Traceback" not in said


@pytest.mark.nightly
def test_the_official_client_lists_and_calls(server, proteins):
    anyio = pytest.importorskip("anyio")
    client = pytest.importorskip("mcp.client.client")

    async def use():
        async with client.Client(f"{server.url}/mcp") as session:
            names = [tool.name for tool in (await session.list_tools()).tools]
            made = await session.call_tool("search", {"queries": proteins["alpha"], "database": "first"})
            return names, made

    names, made = anyio.run(use)
    assert names == TOOLS
    assert made.structured_content["queries"][0]["best"]
