"""What the tests of `forge mcp` share: the server as a child, a forge that answers its mailbox, and
the rules by which a line is answered, written down a second time in Python."""
import json
import os
import pathlib
import subprocess
import threading
import time

MODERN = {"io.modelcontextprotocol/protocolVersion": "2026-07-28",
          "io.modelcontextprotocol/clientCapabilities": {}}
BIN = pathlib.Path(os.environ.get("FORGE_BIN") or
                   pathlib.Path(__file__).resolve().parents[2] / "build" / "bin")
FORGE = str(BIN / "forge")

SOURCE = "void scale(const float *x, float *y, long n) { for (long i = 0; i < n; i++) y[i] = 2 * x[i]; }\n"
DATA = {
    "row": {"id": "D0.1", "milestone": "M0", "what": "one loop", "value": None, "range": None, "why": "a start",
            "wrong_when": "never", "mechanism": {"none": "no metric"}, "lessons": ["count-bytes"]},
    "knowledge": [{"id": "count-bytes", "title": "count the bytes", "topics": ["bandwidth"], "text": "All of it."}],
    "rows": [], "base": None, "start": None, "feedback": None,
    "task": {"name": "scale", "language": "c"}, "machine": {"cores": 2},
}


class Mailbox:
    """A folder as docs/format/mailbox.md has it, and the forge at its other end."""

    def __init__(self, path, role="student", kind="round", data=None):
        self.data = data or DATA
        self.path = pathlib.Path(path)
        for part in ("in", "out"):
            (self.path / part).mkdir(parents=True, exist_ok=True)
        self.role, self.kind, self.turn = role, kind, 1
        self.last = None
        self.taken = []
        self.is_deaf = False
        self.is_over = False
        self.accepts = True
        self.thread = None
        self.open_turn()

    def write(self, name, doc):
        temp = self.path / f".{name.replace('/', '.')}.tmp"
        temp.write_text(json.dumps(doc))
        temp.rename(self.path / name)

    def tell(self, state):
        self.write("state.json", {"run": "r", "role": self.role, "turn": self.turn, "round": self.turn,
                                  "state": state, "last": self.last})

    def open_turn(self):
        self.write("turn.json", {"id": self.turn, "role": self.role, "kind": self.kind, "prompt": "Apply one row.",
                                 "frame": "data", "deadline_s": 0, "data": self.data, "tools": []})
        self.tell("open")

    def end(self):
        (self.path / "turn.json").unlink(missing_ok=True)
        self.tell("ended")

    def reply_to(self, line):
        if line["type"] == "tool":
            return {"type": "tool_result", "outcome": "done", "text": "", "frame": "data", "left": 7}
        if not self.accepts:
            return {"type": "malformed", "text": "not this time"}
        turn = self.turn
        self.turn += 1
        self.last = {"round": turn, "outcome": "kept"}
        return {"type": "accepted", "turn": turn, "round": turn, "text": "it stands"}

    def look(self):
        for file in sorted((self.path / "in").glob("[0-9a-f]*.json")):
            try:
                line = json.loads(file.read_text())
            except FileNotFoundError:  # withdrawn
                continue
            self.taken.append(line)
            reply = self.reply_to(line)
            if reply["type"] == "accepted":
                self.open_turn()
            self.write(f"out/{file.name}", reply)
            file.unlink(missing_ok=True)

    def work(self):
        while not self.is_over:
            if not self.is_deaf:
                self.look()
            time.sleep(0.005)

    def start(self):
        self.thread = threading.Thread(target=self.work)
        self.thread.start()
        return self

    def stop(self):
        self.is_over = True
        if self.thread:
            self.thread.join()


class Server:
    """`forge mcp` as a child. Every line of its standard output is kept; one that is no JSON object
    is kept in `dirt`."""

    def __init__(self, mailbox, *args, record=None, **more):
        self.record = record
        place = ["--mailbox", str(mailbox)] if mailbox else []
        self.process = subprocess.Popen([FORGE, "mcp", *place, *args],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                        **more)
        self.lines, self.dirt = [], []
        self.change = threading.Condition()
        self.reader = threading.Thread(target=self.read)
        self.reader.start()
        self.grumbler = threading.Thread(target=self.process.stderr.read)
        self.grumbler.start()

    def note(self, direction, line):
        if self.record:
            self.record.write(json.dumps({direction: line}) + "\n")

    def read(self):
        for raw in self.process.stdout:
            try:
                message = json.loads(raw)
            except ValueError:
                message = None
            with self.change:
                if isinstance(message, dict):
                    self.lines.append(message)
                    self.note("from", message)
                else:
                    self.dirt.append(raw)
                self.change.notify_all()

    def send_raw(self, line):
        with self.change:
            try:
                self.note("to", line.decode())
            except UnicodeDecodeError:
                self.note("to", None)
        self.process.stdin.write(line + b"\n")
        self.process.stdin.flush()

    def send(self, message):
        self.send_raw(json.dumps(message).encode())

    def ask(self, id, method, params=None, era="modern"):
        params = dict(params or {})
        if era == "modern":
            params["_meta"] = {**MODERN, **params.get("_meta", {})}
        self.send({"jsonrpc": "2.0", "id": id, "method": method, "params": params})

    def call(self, id, tool, arguments=None, **more):
        self.ask(id, "tools/call", {"name": tool, "arguments": arguments or {}, **more})

    def wait(self, condition, seconds=30):
        with self.change:
            return self.change.wait_for(condition, seconds)

    def replies(self, id):
        return [m for m in self.lines if m.get("id") == id and type(m.get("id")) is type(id) and "method" not in m]

    def reply(self, id, seconds=30):
        """The answer to that id, or None when none came in time."""
        self.wait(lambda: self.replies(id), seconds)
        return (self.replies(id) or [None])[0]

    def close(self, seconds=10):
        """Its exit code after the end of its input; None: it did not end."""
        if not self.process.stdin.closed:
            try:
                self.process.stdin.close()
            except BrokenPipeError:
                pass
        try:
            code = self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            code = None
        self.reader.join()
        self.grumbler.join()
        return code


class NotJson(Exception):
    pass


def refuse(_):
    raise NotJson


def check_text(value):
    if isinstance(value, str) and any(0xD800 <= ord(c) <= 0xDFFF for c in value):
        raise NotJson
    return value


def check_int(text):
    value = int(text)
    if not -2**63 <= value < 2**63:
        raise NotJson
    return value


def check_float(text):
    value = float(text)
    if value in (float("inf"), float("-inf")):
        raise NotJson
    return value


def check_strings(value):
    if isinstance(value, list):
        for item in value:
            check_strings(item)
    elif isinstance(value, str):
        check_text(value)


def make_object(pairs):
    for key, value in pairs:
        if "\0" in check_text(key):
            raise NotJson
        check_strings(value)
    return dict(pairs)


def parse(line):
    """The value, by what the server takes for JSON: no NaN, whole numbers of 64 bits, no halves of
    surrogate pairs."""
    try:
        value = json.loads(line.decode("utf-8"), parse_constant=refuse, parse_int=check_int,
                           parse_float=check_float, object_pairs_hook=make_object)
        check_strings(value)
        return value
    except (UnicodeDecodeError, ValueError, RecursionError) as error:
        raise NotJson from error


NOTHING, NO_ID = object(), object()


def due(line):
    """What a line must be answered by: NOTHING, NO_ID (an error without an id), or its id."""
    if not line.strip(b" \t\r"):
        return NOTHING
    try:
        message = parse(line)
    except NotJson:
        return NO_ID
    if not isinstance(message, dict):
        return NO_ID
    if "method" not in message and ("result" in message or "error" in message):
        return NOTHING
    id = message.get("id")
    has_id = isinstance(id, str) or (isinstance(id, int) and not isinstance(id, bool))
    if "id" in message and not has_id:
        return NO_ID
    method = message.get("method")
    is_wrong = (message.get("jsonrpc") != "2.0" or not isinstance(method, str) or "\0" in method
                or not isinstance(message.get("params", {}), dict))
    if is_wrong:
        return id if has_id else NO_ID
    return id if has_id else NOTHING
