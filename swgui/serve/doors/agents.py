"""The door of agents: the Model Context Protocol, one JSON-RPC message for each request, without sessions."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Any, Final

import swgui
from swgui.core.errors import SwguiError
from swgui.serve.doors import Door, Route
from swgui.serve.doors.agent_tools import TOOLS, Asking, Tool
from swgui.serve.house import House
from swgui.serve.requests import JSON, TEXT, Refused, Reply, Request, User

VERSIONS: Final = ("2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05")  # of the protocol, with `initialize`
USUAL: Final = "2025-06-18"
PARSE, INVALID, UNKNOWN, ARGUMENTS = -32700, -32600, -32601, -32602  # errors of JSON-RPC
INSTRUCTIONS: Final = (
    "Exact sequence search on this computer. Begin with list_databases. Long work returns a job: ask for it with the "
    "tool 'job'. Every result has a receipt with program, database checksum and settings."
)
_TYPES: Final[Mapping[str, tuple[type, ...]]] = {
    "string": (str,), "integer": (int,), "number": (int, float), "boolean": (bool,), "array": (list,),
}  # fmt: skip
Message = Mapping[str, Any]
Notify = Callable[[dict[str, Any]], object]


class WrongMessage(Exception):
    """A message that cannot be answered, with its code of JSON-RPC."""

    def __init__(self, code: int, reason: str) -> None:
        super().__init__(reason)
        self.code = code


def answered(house: House, user: User, text: bytes | str, notify: Notify | None = None) -> dict[str, Any] | None:
    """Return the answer to a message; None to a notification, which has none.

    Parameters
    ----------
    notify : callable, optional
        Sends a message of progress to the client.
    """
    asked: object = None
    try:
        try:
            message = json.loads(text)
        except (ValueError, RecursionError):
            raise WrongMessage(PARSE, "The message is no JSON.") from None
        if not isinstance(message, dict) or not isinstance(message.get("method"), str):
            raise WrongMessage(INVALID, "The message is no request of JSON-RPC.")
        if "id" not in message:
            return None
        asked = message["id"]
        params = message.get("params") or {}
        if not isinstance(params, dict):
            raise WrongMessage(ARGUMENTS, "The parameters are no object.")
        return {"jsonrpc": "2.0", "id": asked, "result": _result(house, user, message["method"], params, notify)}
    except WrongMessage as wrong:
        return {"jsonrpc": "2.0", "id": asked, "error": {"code": wrong.code, "message": str(wrong)}}


def _result(house: House, user: User, method: str, params: Message, notify: Notify | None) -> dict[str, Any]:
    match method:
        case "initialize":
            version = params.get("protocolVersion")
            return {
                "protocolVersion": version if version in VERSIONS else USUAL,
                "capabilities": {"tools": {"listChanged": False}},
                "serverInfo": {"name": "swgui", "title": "swgui", "version": swgui.__version__},
                "instructions": INSTRUCTIONS,
            }
        case "ping":
            return {}
        case "tools/list":
            return {"tools": [_listed(tool) for tool in TOOLS]}
        case "tools/call":
            return _called(house, user, params, notify)
    raise WrongMessage(UNKNOWN, "The server does not know this method.")


def _listed(tool: Tool) -> dict[str, Any]:
    return {
        "name": tool.name,
        "description": tool.description,
        "inputSchema": tool.schema,
        "outputSchema": dict(tool.output),
        "annotations": {"readOnlyHint": tool.reads, "destructiveHint": not tool.reads, "openWorldHint": False},
    }


def _called(house: House, user: User, params: Message, notify: Notify | None) -> dict[str, Any]:
    """Call a tool; its faults are results, which a model reads."""
    tool = next((one for one in TOOLS if one.name == params.get("name")), None)
    if tool is None:
        raise WrongMessage(ARGUMENTS, f"There is no such tool. Tools are {', '.join(one.name for one in TOOLS)}.")
    given = params.get("arguments") or {}
    _check(tool, given)
    meta = params.get("_meta")
    token = meta.get("progressToken") if isinstance(meta, dict) else None

    def progress(done: float, total: float | None, said: str) -> None:
        if notify is not None:
            share = {"total": total} if total is not None else {}
            values = {"progressToken": token, "progress": done, **share, "message": said}
            notify({"jsonrpc": "2.0", "method": "notifications/progress", "params": values})

    try:
        made = tool.answer(Asking(house, user, progress if token is not None and notify is not None else None), given)
    except (Refused, SwguiError) as fault:
        reason = fault.reason if isinstance(fault, Refused) else str(fault)
        return {"content": [{"type": "text", "text": reason}], "isError": True}
    texts = (made.line, json.dumps(made.facts))  # the facts as text as well: not every client shows the others
    content = [{"type": "text", "text": text} for text in texts]
    return {"content": content, "structuredContent": made.facts, "isError": False}


def _check(tool: Tool, given: object) -> None:
    """Raise `WrongMessage` if arguments are not those of a tool's schema."""
    if not isinstance(given, dict):
        raise WrongMessage(ARGUMENTS, "The arguments are no object.")
    unknown = sorted(set(given) - set(tool.properties))
    missing = sorted(set(tool.required) - set(given))
    if unknown or missing:
        said = f"no argument is '{unknown[0][:40]}'" if unknown else f"the argument '{missing[0]}' is missing"
        raise WrongMessage(ARGUMENTS, f"{tool.name}: {said}.")
    for name, value in given.items():
        if reason := _unfit(tool.properties[name], value):
            raise WrongMessage(ARGUMENTS, f"{tool.name}: '{name}' {reason}.")


def _unfit(schema: Mapping[str, Any], value: object) -> str:
    """Return why a value does not keep to a schema; empty if it does."""
    kind = schema["type"]
    if not isinstance(value, _TYPES[kind]) or (isinstance(value, bool) and kind != "boolean"):
        return f"is no {kind}"
    if "enum" in schema and value not in schema["enum"]:
        return f"is none of {', '.join(schema['enum'])}"
    if isinstance(value, str) and (len(value) < schema.get("minLength", 0) or "\0" in value):
        return "is empty or has a zero character"
    if isinstance(value, int | float) and not schema.get("minimum", value) <= value <= schema.get("maximum", value):
        return "is out of its range"
    if isinstance(value, list):
        if not schema.get("minItems", 0) <= len(value) <= schema.get("maxItems", len(value)):
            return "has too few or too many items"
        return next((reason for one in value if (reason := _unfit(schema["items"], one))), "")
    return ""


def _post(house: House, request: Request, match: re.Match[str]) -> Reply:
    made = answered(house, request.user, request.read(house.limits.searches.body))
    return Reply(b"", TEXT, 202) if made is None else Reply(json.dumps(made).encode(), JSON)


def _not_here(house: House, request: Request, match: re.Match[str]) -> Reply:
    return Reply(b"", TEXT, 405, headers={"Allow": "POST"})


def refused(request: Request, why: Refused) -> Reply:
    """Return a refusal that belongs to no message."""
    error = {"jsonrpc": "2.0", "id": None, "error": {"code": INVALID, "message": why.reason}}
    return Reply(json.dumps(error).encode(), JSON, max(why.code, 400))


DOOR: Final = Door(
    "agents",
    "Tools for agents (MCP)",
    (Route("POST", r"/mcp", _post), Route("GET", r"/mcp", _not_here)),
    refused,
    (("Agents", "{url}/mcp"),),
)
