#!/usr/bin/env python3
"""Validate the JSON-RPC lines of transcripts of a CLI agent against the schema of the Agent Client
Protocol, version 1: usage: validate.py SCHEMA TRANSCRIPT..."""
import json
import sys

from jsonschema import Draft202012Validator

REQUESTS = {
    "initialize": "Initialize", "authenticate": "Authenticate", "session/new": "NewSession",
    "session/prompt": "Prompt", "session/set_config_option": "SetSessionConfigOption",
    "session/request_permission": "RequestPermission", "fs/read_text_file": "ReadTextFile",
}
NOTIFICATIONS = {"session/update": "SessionNotification", "session/cancel": "CancelNotification"}

with open(sys.argv[1], encoding="utf-8") as f:
    schema = json.load(f)
counts = {"passed": 0, "failed": 0}
seen = set()


def check(name, obj, where):
    whole = {"$schema": "https://json-schema.org/draft/2020-12/schema", "$ref": "#/$defs/" + name, "$defs": schema["$defs"]}
    errors = [e.message for e in Draft202012Validator(whole).iter_errors(obj)]
    counts["failed" if errors else "passed"] += 1
    for error in errors[:3]:
        print("not ok %s %s: %s" % (where, name, error[:200]))


def check_envelope(msg, where):
    good = msg.get("jsonrpc") == "2.0" and ("method" in msg) != ("result" in msg or "error" in msg)
    counts["passed" if good else "failed"] += 1
    if not good:
        print("not ok %s: no message of JSON-RPC 2.0" % where)


for path in sys.argv[2:]:
    open_requests = {}
    with open(path, encoding="utf-8") as f:
        rows = [json.loads(line) for line in f]
    for number, row in enumerate(rows, 1):
        where = "%s:%d" % (path, number)
        msg = json.loads(row["line"])
        check_envelope(msg, where)
        other = "from" if row["dir"] == "to" else "to"
        if "method" in msg and "id" in msg:
            seen.add(msg["method"])
            open_requests[row["dir"], msg["id"]] = msg["method"]
            check(REQUESTS[msg["method"]] + "Request", msg["params"], where)
        elif "method" in msg:
            seen.add(msg["method"])
            check(NOTIFICATIONS[msg["method"]], msg["params"], where)
        elif "error" in msg:
            open_requests.pop((other, msg["id"]), None)
            check("Error", msg["error"], where)
        else:
            check(REQUESTS[open_requests.pop((other, msg["id"]))] + "Response", msg["result"], where)
missing = (set(REQUESTS) | {"session/update"}) - seen
if missing:
    counts["failed"] += 1
    print("not ok: no line of " + ", ".join(sorted(missing)))
print("%d passed, %d failed, 0 skipped" % (counts["passed"], counts["failed"]))
sys.exit(counts["failed"] != 0)
