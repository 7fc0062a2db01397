#!/usr/bin/env python3
"""`forge mcp` as a process: purity of its output, calls at once, cancel, the end of its input, and
mutated lines, each of which is answered as often as it is due.

usage: check.py [--lines N] [--seed N] [--record FILE]
The last line is "mcp: N passed, N failed, N skipped"."""
import argparse
import collections
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import threading
import time
import traceback

import world
from world import Mailbox, Server, due

tests = []


class Skip(Exception):
    pass


def test(function):
    tests.append(function)
    return function


class Scene:
    """A mailbox with a forge at its other end, and a server."""

    def __init__(self, options, **more):
        self.folder = tempfile.TemporaryDirectory()
        self.mailbox = Mailbox(pathlib.Path(self.folder.name) / "student", **more)
        self.record = open(options.record, "a") if options.record else None
        self.server = Server(self.mailbox.path, record=self.record)

    def __enter__(self):
        self.mailbox.start()
        return self.server, self.mailbox

    def __exit__(self, *_):
        self.server.close()
        self.mailbox.stop()
        if self.record:
            self.record.close()
        self.folder.cleanup()


def expect(what, got, wanted):
    if got != wanted:
        raise AssertionError(f"{what}: got {got!r}, want {wanted!r}")


@test
def ids_come_back_as_they_were(options):
    ids = [0, -1, 7, 2**53 + 1, 2**63 - 1, -2**63, "", "7", "ä\u202e", "a\0b", "x" * 5000]
    with Scene(options) as (server, _):
        for id in ids:
            server.ask(id, "server/discover")
        for id in ids:
            answer = server.reply(id)
            expect(f"answer to {id!r}", bool(answer and "result" in answer), True)
        expect("dirt", server.dirt, [])


@test
def nothing_but_messages_reaches_standard_output(options):
    with Scene(options) as (server, _):
        server.ask(1, "tools/list")
        server.reply(1)
        fds = pathlib.Path(f"/proc/{server.process.pid}/fd")
        expect("standard output is stderr", os.readlink(fds / "1"), os.readlink(fds / "2"))


@test
def a_ping_is_answered_while_calls_are_under_way(options):
    with Scene(options) as (server, mailbox):
        mailbox.is_deaf = True
        server.ask("hello", "initialize", {"protocolVersion": "2025-06-18", "capabilities": {},
                                           "clientInfo": {"name": "t", "version": "1"}}, era="legacy")
        server.call("long", "build", {"source": "int x;"}, _meta={"progressToken": "p"})
        server.ask("ping", "ping", era="legacy")
        expect("ping", server.reply("ping", 5), {"jsonrpc": "2.0", "id": "ping", "result": {}})
        expect("the call", server.replies("long"), [])
        server.wait(lambda: any(m.get("method") == "notifications/progress" for m in server.lines), 10)
        told = [m["params"] for m in server.lines if m.get("method") == "notifications/progress"]
        expect("token", told[0]["progressToken"], "p")
        mailbox.is_deaf = False
        expect("the call", server.reply("long")["result"]["structuredContent"]["outcome"], "done")


@test
def a_cancelled_call_is_never_answered_and_leaves_the_mailbox(options):
    with Scene(options) as (server, mailbox):
        mailbox.is_deaf = True
        server.call(5, "build", {"source": "int x;"})
        server.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 5}})
        server.ask("after", "tools/list")
        server.reply("after")
        expect("mail", list((mailbox.path / "in").iterdir()), [])
        mailbox.is_deaf = False
        time.sleep(0.3)
        expect("answers", server.replies(5), [])
        expect("what forge took", mailbox.taken, [])


@test
def the_end_of_the_input_ends_it_while_a_call_runs(options):
    with Scene(options) as (server, mailbox):
        mailbox.is_deaf = True
        server.call(1, "build", {"source": "int x;"})
        server.call(2, "submit", {"source": "int y;"})
        server.ask(3, "tools/list")
        server.reply(3)
        began = time.monotonic()
        expect("exit code", server.close(), 0)
        expect("it ended soon", time.monotonic() - began < 5, True)
        left = [json.loads(f.read_text())["type"] for f in (mailbox.path / "in").glob("*.json")]
        expect("left in the mailbox", left, ["submit"])


@test
def a_last_line_without_a_line_feed_is_answered(options):
    with Scene(options) as (server, _):
        server.process.stdin.write(json.dumps({"jsonrpc": "2.0", "id": 1, "method": "ping"}).encode())
        expect("exit code", server.close(), 0)
        expect("answer", server.replies(1), [{"jsonrpc": "2.0", "id": 1, "result": {}}])


@test
def a_client_that_stops_reading_ends_it(options):
    with tempfile.TemporaryDirectory() as folder:
        mailbox = Mailbox(pathlib.Path(folder) / "student")
        reader, writer = os.pipe()
        server = subprocess.Popen([world.FORGE, "mcp", "--mailbox", str(mailbox.path)],
                                  stdin=subprocess.PIPE, stdout=writer, stderr=subprocess.DEVNULL)
        os.close(writer)
        os.close(reader)
        server.stdin.write(b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n')
        server.stdin.flush()
        expect("exit code", server.wait(10), 0)
        server.stdin.close()


@test
def a_line_beyond_all_bounds_is_refused_and_the_next_is_read(options):
    with Scene(options) as (server, _):
        server.process.stdin.write(b'{"jsonrpc":"2.0","id":1,"method":"' + b"x" * (33 << 20) + b'"}\n')
        server.ask(2, "tools/list")
        expect("the next", "result" in server.reply(2), True)
        expect("errors", [m["error"]["code"] for m in server.lines if "error" in m], [-32600])


@test
def many_calls_at_once_are_each_answered_once(options):
    with Scene(options) as (server, _):
        for id in range(40):
            server.call(id, "build", {"source": f"int x{id};"})
        for id in range(40):
            answer = server.reply(id)
            expect(f"call {id}", answer["result"]["isError"], False)
        expect("answers", len([m for m in server.lines if "id" in m]), 40)


@test
def a_student_works_until_the_run_ends(options):
    with Scene(options) as (server, mailbox):
        server.call("d", "decision")
        expect("row", server.reply("d")["result"]["structuredContent"]["row"]["id"], "D0.1")
        for round_ in (1, 2, 3):
            server.call(f"s{round_}", "submit", {"source": world.SOURCE})
            told = server.reply(f"s{round_}")["result"]
            expect("accepted", told["structuredContent"]["round"], round_)
            server.call(f"w{round_}", "wait", {"max_s": 10})
            told = server.reply(f"w{round_}")["result"]["structuredContent"]
            expect("verdict", told["last"], {"round": round_, "outcome": "kept"})
        mailbox.end()
        server.call("w", "wait")
        expect("end", server.reply("w")["result"]["structuredContent"]["state"], "ended")


@test
def a_long_result_keeps_its_ends_and_names_the_file_that_has_all(options):
    base = "".join(f"int x{i};\n" for i in range(20000))
    with Scene(options, data={"base": base, "row": {"id": "D0.1"}}) as (server, _):
        server.call(1, "decision")
        result = server.reply(1)["result"]
        text, told = result["content"][0]["text"], result["structuredContent"]
        expect("short enough", len(text.encode()) <= 30000, True)
        expect("the same twice", json.loads(text), told)
        expect("ends", (told["base"][:7], told["base"][-12:]), (base[:7], base[-12:]))
        expect("the whole", json.loads(pathlib.Path(told["whole"]).read_text())["base"], base)


def flood(server, request):
    """Write the request again and again until the server takes no more; how often."""
    fd = server.stdin.fileno()
    os.set_blocking(fd, False)
    nr, rest, stalled = 0, b"", 0
    while stalled < 40:
        rest = rest or request
        try:
            rest = rest[os.write(fd, rest):]
            nr, stalled = nr + (not rest), 0
        except BlockingIOError:
            stalled += 1
            time.sleep(0.05)
    os.set_blocking(fd, True)
    return nr, rest


@test
def a_client_that_does_not_read_is_not_read_from(options):
    if options.lines < 10000:
        raise Skip("a flood of 64 MB belongs to the long form")
    with tempfile.TemporaryDirectory() as folder:
        mailbox = Mailbox(pathlib.Path(folder) / "student")
        server = subprocess.Popen([world.FORGE, "mcp", "--mailbox", str(mailbox.path)], stdin=subprocess.PIPE,
                                  stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        nr, rest = flood(server, json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/list",
                                             "params": {"_meta": world.MODERN}}).encode() + b"\n")
        writer = threading.Thread(target=lambda: (server.stdin.write(rest), server.stdin.close()))
        writer.start()
        answers = server.stdout.read().splitlines()
        writer.join()
        expect("exit code", server.wait(10), 0)
        expect("answers", len(answers), nr + bool(rest))
        print(f"# it took {nr} requests before it waited for its reader")


def tool_names(server, id):
    server.ask(id, "tools/list")
    return [tool["name"] for tool in server.reply(id)["result"]["tools"]]


@test
def in_a_box_the_mailbox_is_found_and_waited_for(options):
    """By the variable, or as ./.forge; it may come a moment after the agent."""
    with tempfile.TemporaryDirectory() as folder:
        place = pathlib.Path(folder) / ".forge"
        by_name = Server(None, env={**os.environ, "FORGE_MAILBOX": str(place)})
        time.sleep(0.3)
        mailbox = Mailbox(place, "teacher", "judge")
        by_place = Server(None, cwd=folder, env={k: v for k, v in os.environ.items() if k != "FORGE_MAILBOX"})
        for server in (by_name, by_place):
            expect("tools of the turn", tool_names(server, 1), ["task", "submit_judge", "give_up"])
        mailbox.start()
        by_name.call(2, "submit_judge", {"source": "double x;"})
        expect("accepted", by_name.reply(2)["result"]["structuredContent"]["outcome"], "accepted")
        mailbox.stop()
        mailbox.end()
        expect("tools after the turn", tool_names(by_name, 3), ["task", "submit_judge", "give_up"])
        for server in (by_name, by_place):
            expect("exit code", server.close(), 0)


WORDS = [b'"id"', b'"method"', b'"jsonrpc"', b'"2.0"', b"null", b"true", b"1.0", b"1e5", b"-0", b"{}", b"[]", b"{", b"}",
         b"[", b"]", b",", b":", b'"', b"\\u0000", b"\\ud800", b"\\ud83d\\ude00", b"\\", b"\xff", b"\xc3\xa9", b"\x00",
         b"9223372036854775807", b"9223372036854775808", b"NaN", b"1e999", b'"params"', b'"_meta"', b'"result":1,',
         b'"id":"z",', b'"arguments"', b'"name":"wait"', b'"requestId"', b" ", b"\t"]


def base_line(rng, number):
    id = rng.choice([number, f"n{number}"])
    tool = rng.choice(["decision", "contract", "wait", "knowledge_search", "knowledge_read"])
    if rng.random() < 0.1:
        tool = rng.choice(["build", "submit", "handback", "give_up"])
    arguments = rng.choice([{}, {"source": "int x;"}, {"query": "bytes"}, {"id": "count-bytes"}, {"max_s": 0}, {"reason": "r"}])
    method, params = rng.choice([
        ("tools/call", {"name": tool, "arguments": arguments}),
        ("tools/call", {"name": tool, "arguments": arguments, "_meta": {"progressToken": number}}),
        ("tools/list", {}), ("resources/list", {}), ("resources/read", {"uri": "forge://turn"}),
        ("server/discover", {}), ("ping", {}), ("resources/templates/list", {}), ("prompts/list", {}),
        ("notifications/cancelled", {"requestId": f"c{number}"}), ("notifications/initialized", {}),
        ("initialize", {"protocolVersion": rng.choice(["2025-11-25", "2024-11-05", "x"]), "capabilities": {}}),
    ])
    if rng.random() < 0.5:
        params = {**params, "_meta": {**world.MODERN, **params.get("_meta", {})}}
    message = {"jsonrpc": "2.0", "id": id, "method": method, "params": params}
    if method.startswith("notifications/"):
        del message["id"]
    return json.dumps(message).encode()


def mutate(rng, line, other):
    line = bytearray(line)
    for _ in range(rng.choice([0, 1, 1, 1, 2, 3, 6])):
        at = rng.randrange(len(line) + 1)
        end = min(len(line), at + rng.choice([0, 0, 1, 2, 8, 40]))
        way = rng.randrange(5)
        if way == 0:
            line[at:end] = bytes(rng.randrange(256) for _ in range(rng.randrange(3)))
        elif way in (1, 2):
            line[at:end] = rng.choice(WORDS)
        elif way == 3:
            start = rng.randrange(len(other))
            line[at:at] = other[start:start + rng.randrange(60)]
        else:
            del line[at:end]
    return bytes(line).replace(b"\n", b" ")


def key_of(id):
    return json.dumps(id)


def cancelled_id(line):
    """A notification among the mutants may name a call that is under way."""
    try:
        message = world.parse(line)
    except world.NotJson:
        return None
    if isinstance(message, dict) and message.get("method") == "notifications/cancelled" and "id" not in message:
        params = message.get("params", {})
        return params.get("requestId") if isinstance(params, dict) else None
    return None


@test
def each_mutated_line_is_answered_as_often_as_it_is_due(options):
    rng = random.Random(options.seed)
    want, maybe_cancelled = collections.Counter(), set()
    nr_no_id = nr_due = 0
    other = base_line(rng, 0)
    with Scene(options) as (server, mailbox):
        for number in range(1, options.lines + 1):
            base = base_line(rng, number)
            line = mutate(rng, base, other)
            other = base
            answer = due(line)
            if answer is world.NO_ID:
                nr_no_id += 1
            elif answer is not world.NOTHING:
                want[key_of(answer)] += 1
            gone = cancelled_id(line)
            if gone is not None:
                maybe_cancelled.add(key_of(gone))
            server.send_raw(line)
        nr_due = sum(want.values()) + nr_no_id
        server.ask("the end", "tools/list")
        want[key_of("the end")] += 1
        server.reply("the end", 120)
        mailbox.end()  # waits end by that
        server.wait(lambda: sum("method" not in m for m in server.lines) >= nr_due + 1, 60)
        time.sleep(0.2)
        expect("dirt", server.dirt, [])
        expect("exit code", server.close(), 0)
        replies = [m for m in server.lines if "method" not in m]
        got = collections.Counter(key_of(m["id"]) for m in replies if "id" in m)
        off = {id: (want[id], got[id]) for id in want | got
               if got[id] > want[id] or (got[id] < want[id] and id not in maybe_cancelled)}
        expect("ids that got another number of answers (want, got)", dict(list(off.items())[:5]), {})
        expect("answers without an id", sum("id" not in m for m in replies), nr_no_id)
    print(f"# {options.lines} lines, seed {options.seed}: {nr_due} answers were due")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--lines", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--record")
    options = parser.parse_args()
    nr_failed = nr_skipped = 0
    for function in tests:
        try:
            function(options)
            print(f"ok {function.__name__}")
        except Skip as why:
            nr_skipped += 1
            print(f"skipped {function.__name__}: {why}")
        except Exception:
            nr_failed += 1
            traceback.print_exc(file=sys.stdout)
            print(f"not ok {function.__name__}")
        sys.stdout.flush()
    print(f"mcp: {len(tests) - nr_failed - nr_skipped} passed, {nr_failed} failed, {nr_skipped} skipped")
    return nr_failed != 0


if __name__ == "__main__":
    sys.exit(main())
