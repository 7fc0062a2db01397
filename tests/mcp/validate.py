#!/usr/bin/env python3
"""Hold recorded lines (check.py --record) against the official schemas with jsonschema.

usage: validate.py RECORD SCHEMAS   (the folder of mcp-*.schema.json)
The last line is "schema: N passed, N failed"."""
import collections
import json
import pathlib
import sys

import jsonschema

RESULTS = {"server/discover": "DiscoverResult", "tools/list": "ListToolsResult", "tools/call": "CallToolResult",
           "resources/list": "ListResourcesResult", "resources/read": "ReadResourceResult",
           "resources/templates/list": "ListResourceTemplatesResult", "initialize": "InitializeResult",
           "ping": "EmptyResult"}
VERSION = "io.modelcontextprotocol/protocolVersion"


class Schema:
    def __init__(self, path):
        self.defs = json.loads(path.read_text())["$defs"]
        self.known = {}

    def errors(self, name, value):
        if name not in self.known:
            self.known[name] = jsonschema.Draft202012Validator(
                {"$schema": "https://json-schema.org/draft/2020-12/schema", "$ref": f"#/$defs/{name}", "$defs": self.defs})
        return [e.message[:200] for e in self.known[name].iter_errors(value)]


def era_of(request):
    meta = (request.get("params") or {}).get("_meta")
    is_modern = isinstance(meta, dict) and VERSION in meta and request.get("method") != "initialize"
    return "2026-07-28" if is_modern else "2025-11-25"


def questions(lines):
    """Method and era by id, of ids that were used once."""
    asked = collections.defaultdict(list)
    for line in lines:
        try:
            request = json.loads(line["to"]) if line.get("to") else None
        except (ValueError, RecursionError):
            continue
        if isinstance(request, dict) and isinstance(request.get("params", {}), dict) and "id" in request:
            method = request.get("method")
            asked[json.dumps(request["id"])].append((method if isinstance(method, str) else "", era_of(request)))
    return {id: asks[0] for id, asks in asked.items() if len(asks) == 1}


def errors_of(message, asked, schemas):
    """None: nobody knows what it must be like."""
    if message.get("method") == "notifications/progress":
        return schemas["2025-11-25"].errors("ProgressNotification", message)
    if "error" in message and "id" not in message:
        return schemas["2025-11-25"].errors("JSONRPCErrorResponse", message)
    known = asked.get(json.dumps(message.get("id")))
    if not known:
        return None
    method, era = known
    if "error" in message:
        is_version = message["error"]["code"] == -32022
        return schemas[era].errors("UnsupportedProtocolVersionError" if is_version else "JSONRPCErrorResponse", message)
    name = RESULTS.get(method)
    if method == "server/discover":
        era = "2026-07-28"
        message = {**message, "result": {"resultType": "complete", "ttlMs": 0, "cacheScope": "private", **message["result"]}}
    return schemas[era].errors(name, message["result"]) if name else [f"a result for {method!r}"]


def main():
    lines = [json.loads(line) for line in open(sys.argv[1])]
    folder = pathlib.Path(sys.argv[2])
    schemas = {v: Schema(folder / f"mcp-{v}.schema.json") for v in ("2025-11-25", "2026-07-28")}
    asked = questions(lines)
    nr_passed = nr_failed = nr_unknown = 0
    for line in lines:
        if "from" not in line:
            continue
        errors = errors_of(line["from"], asked, schemas)
        nr_unknown += errors is None
        nr_passed += errors == []
        nr_failed += bool(errors)
        if errors and nr_failed <= 5:
            print("not ok", json.dumps(line["from"])[:300], errors[:2])
    print(f"# {nr_unknown} lines answer ids that were used twice or belong to no request")
    print(f"schema: {nr_passed} passed, {nr_failed} failed")
    return nr_failed != 0 or nr_passed == 0


if __name__ == "__main__":
    sys.exit(main())
