"""What the fakes of CLI agents share: claude, codex, acp-agent and cmd-agent play a script of
directives, and each speaks its own dialect. The script is the file that FAKE_SCRIPT names, else
NAME.script beside the fake (a fake's folder is what a box shows of it).

A line is a directive; # begins a comment line. [ROLE KIND ID] begins a section, each word may be *
and words at the end may be left out: [student], [teacher curriculum], [student round 2]. The turn in
the mailbox ($FORGE_MAILBOX/turn.json) says which section is played: the first that fits; what stands
before any section is played in front of it. [version] holds what --version prints. Without a script
the fake takes its prompt, says a word and ends its turn well.

  ask               take the next prompt (each section begins with one, unless its first line is noask)
  say TEXT          the agent says something, in its dialect
  call TOOL JSON    call a tool of forge mcp, as its configuration says how to start it; in its dialect
  post JSON         write a wire line into the mailbox and wait for the reply, without forge mcp
  end [JSON]        the turn ends well; members of JSON replace or add to those of the last line
  send JSON-or-TEXT one line, as it is; $SESSION, $REPLY (of the last call), $ID and $RESUMED (yes or no) are
                    filled in
  raw TEXT          bytes with \\n \\xHH escapes and no newline
  split N           from here on lines leave in pieces of N bytes (0: whole)
  expect TEXT       the next line of input must hold TEXT, else exit 97
  file NAME TEXT    write a file of the workspace; \\n is a line feed
  run COMMAND       /bin/sh -c; what it prints goes to stderr
  log TEXT          to stderr
  sleep S           seconds
  flood BYTES       one line of that many bytes
  close_stdout      and live on
  ignore_sigterm
  daemon            a child in a session of its own that holds the pipes and sleeps
  crash             SIGSEGV
  exit N
  unless NAME LINE  play LINE and nothing after it, unless there is a mark NAME in $HOME; make it
"""
import json
import os
import re
import signal
import subprocess
import sys
import time


def load(name):
    path = os.environ.get("FAKE_SCRIPT") or os.path.join(os.path.dirname(os.path.realpath(sys.argv[0])), name + ".script")
    try:
        with open(path, encoding="utf-8") as f:
            lines = [line.rstrip("\n") for line in f]
    except FileNotFoundError:
        lines = ["say as always", "end"]
    sections, words = [], []
    current = []
    for line in lines:
        if re.fullmatch(r"\[[a-z0-9* ]+\]", line):
            sections.append((words, current))
            words, current = line[1:-1].split(), []
        elif line.strip() and not line.startswith("#"):
            current.append(line)
    sections.append((words, current))
    return sections


def open_turn():
    try:
        with open(os.path.join(os.environ["FORGE_MAILBOX"], "turn.json"), encoding="utf-8") as f:
            return json.load(f)
    except (OSError, KeyError, ValueError):
        return {}


def pick(sections):
    turn = open_turn()
    have = [str(turn.get(k, "?")) for k in ("role", "kind", "id")]
    front = sections[0][1]
    for words, lines in sections[1:]:
        if words != ["version"] and all(w in ("*", h) for w, h in zip(words, have)):
            return front + lines
    return front


class Server:
    """One `forge mcp`, spoken to as a client of the legacy era."""

    def __init__(self, command, args, env=None):
        whole = dict(os.environ, **(env or {}))
        self.proc = subprocess.Popen([command] + args, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=whole)
        self.next_id = 0
        self.request("initialize", {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "fake", "version": "1"}})
        self.write({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def write(self, msg):
        self.proc.stdin.write(json.dumps(msg).encode() + b"\n")
        self.proc.stdin.flush()

    def request(self, method, params):
        self.next_id += 1
        self.write({"jsonrpc": "2.0", "id": self.next_id, "method": method, "params": params})
        while True:
            line = self.proc.stdout.readline()
            if not line:
                sys.stderr.write("fake: forge mcp is gone\n")
                sys.exit(98)
            msg = json.loads(line)
            if msg.get("id") == self.next_id and "method" not in msg:
                return msg

    def call(self, tool, args):
        msg = self.request("tools/call", {"name": tool, "arguments": args})
        if "error" in msg:
            return msg["error"].get("message", ""), True
        result = msg["result"]
        text = "".join(c.get("text", "") for c in result.get("content", []))
        return text, bool(result.get("isError"))


class Agent:
    """A dialect fills in: take_prompt, say, call_begin, call_end, end, server_of."""

    name = "fake"
    session = "fake-session"
    is_resumed = False

    def __init__(self):
        self.split = 0
        self.reply = ""
        self.server = None
        self.calls = 0
        self.sections = load(self.name)

    # output
    def write(self, data):
        out = sys.stdout.buffer
        step = self.split or len(data) or 1
        for i in range(0, len(data), step):
            out.write(data[i:i + step])
            out.flush()

    def line(self, obj):
        text = obj if isinstance(obj, str) else json.dumps(obj, ensure_ascii=False)
        self.write(text.encode("utf-8", "surrogateescape") + b"\n")

    def fill(self, text):
        quoted = json.dumps(self.reply)[1:-1]
        text = text.replace("$SESSION", self.session).replace("$REPLY", quoted).replace("$ID", str(self.calls))
        return text.replace("$RESUMED", "yes" if self.is_resumed else "no")

    # a session that is kept in a file, as the real ones do
    def keep(self, folder, state):
        with open(os.path.join(folder, "session-%s.json" % self.session), "w", encoding="utf-8") as f:
            json.dump(state, f)

    def kept(self, folder, session):
        """The state of a session of an earlier process, or None."""
        try:
            with open(os.path.join(folder, "session-%s.json" % session), encoding="utf-8") as f:
                state = json.load(f)
        except OSError:
            return None
        self.session, self.is_resumed = session, True
        return state

    # input
    def read_line(self):
        line = sys.stdin.buffer.readline()
        if not line:
            sys.exit(0)
        return line.decode("utf-8", "replace")

    def call(self, tool, args):
        self.calls += 1
        if self.server is None:
            self.server = Server(*self.server_of())
        self.call_begin(tool, args)
        self.reply, is_error = self.server.call(tool, args)
        self.call_end(tool, args, self.reply, is_error)

    def post(self, obj):
        box = os.environ["FORGE_MAILBOX"]
        name = "%s.json" % os.urandom(8).hex()
        with open(os.path.join(box, name + ".tmp"), "w", encoding="utf-8") as f:
            json.dump(obj, f)
        os.rename(os.path.join(box, name + ".tmp"), os.path.join(box, "in", name))
        path = os.path.join(box, "out", name)
        while not os.path.exists(path):
            time.sleep(0.01)
        with open(path, encoding="utf-8") as f:
            self.reply = f.read()
        os.unlink(path)

    def marked(self, name):
        path = os.path.join(os.environ.get("HOME", "."), "mark-" + name)
        if os.path.exists(path):
            return True
        with open(path, "w", encoding="utf-8"):
            return False

    def play(self):
        lines = pick(self.sections)
        if lines[:1] != ["noask"]:
            self.take_prompt()
        for line in lines:
            word, _, rest = line.partition(" ")
            is_last = False
            if word == "unless":
                name, _, line = rest.partition(" ")
                if self.marked(name):
                    continue
                word, _, rest = line.partition(" ")
                is_last = True
            if word != "noask":
                getattr(self, "do_" + word)(rest)
            if is_last:
                break
        # Whoever keeps the process may ask again.
        self.wait_for_end()

    def wait_for_end(self):
        """No further directive: a real one would wait for its input to end."""

    def do_ask(self, _):
        self.take_prompt()

    def do_say(self, text):
        self.say(self.fill(text))

    def do_call(self, rest):
        tool, _, args = rest.partition(" ")
        self.call(tool, json.loads(self.fill(args) or "{}"))

    def do_post(self, rest):
        self.post(json.loads(self.fill(rest)))

    def do_end(self, rest):
        self.end(json.loads(rest) if rest else {})

    def do_send(self, text):
        self.line(self.fill(text))

    def do_raw(self, text):
        self.write(text.encode("latin-1", "replace").decode("unicode_escape").encode("latin-1"))

    def do_split(self, number):
        self.split = int(number)

    def do_expect(self, text):
        line = self.read_line()
        if text not in line:
            sys.stderr.write("fake: expected %s, got %s" % (text, line))
            sys.exit(97)

    def do_file(self, rest):
        name, _, text = rest.partition(" ")
        with open(name, "w", encoding="utf-8") as f:
            f.write(text.replace("\\n", "\n"))

    def do_run(self, command):
        done = subprocess.run(["/bin/sh", "-c", command], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, check=False)
        sys.stderr.buffer.write(done.stdout)
        sys.stderr.flush()
        self.reply = done.stdout.decode("utf-8", "replace")

    def do_log(self, text):
        sys.stderr.write(text + "\n")
        sys.stderr.flush()

    def do_sleep(self, seconds):
        time.sleep(float(seconds))

    def do_flood(self, number):
        left = int(number)
        while left > 0:
            piece = min(left, 1 << 20)
            self.write(b"x" * piece)
            left -= piece
        self.write(b"\n")

    def do_close_stdout(self, _):
        sys.stdout.flush()
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, 1)

    def do_ignore_sigterm(self, _):
        signal.signal(signal.SIGTERM, signal.SIG_IGN)

    def do_daemon(self, _):
        if os.fork() == 0:
            os.setsid()
            time.sleep(600)
            os._exit(0)

    def do_crash(self, _):
        os.kill(os.getpid(), signal.SIGSEGV)

    def do_exit(self, number):
        sys.stdout.flush()
        os._exit(int(number or 0))

    def version(self, otherwise):
        for words, lines in self.sections:
            if words == ["version"]:
                print("\n".join(lines))
                return
        print(otherwise)


def main(agent, version):
    if "--version" in sys.argv[1:]:
        agent.version(version)
        return
    agent.play()
