"""How the contract's table plays each driver: one set of steps, translated into what the fake of that
driver understands. A step is a tuple:

  ("say", TEXT)          the agent says something
  ("tool", NAME, ARGS)   it calls a tool that is no answer
  ("answer", TYPE, ARGS) it answers, by the tool of its driver
  ("end",)               its turn ends well
  ("own", TEXT)          a directive of its fake as it stands (tests/fake/fake_script.py, or a rule of
                         llm-server as JSON)
"""
import ctypes
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from importlib.machinery import SourceFileLoader

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
FAKES = os.path.join(HERE, "..", "fake")
ROOT = os.path.dirname(os.path.dirname(HERE))
BIN = os.environ.get("FORGE_BIN", os.path.join(ROOT, "build", "bin"))
ASK = os.environ.get("FORGE_ASK", os.path.join(ROOT, "build", "gcc", "agents", "ask"))
SERVER = SourceFileLoader("llm_server", os.path.join(FAKES, "llm-server")).load_module()
# Given to what is dying: a box of many processes is taken down one by one.
DYING_S = 15
KEY = "sk-canary-7be1f0a94c"
SOURCE = "int x;\n"
# Whatever a case does, an agent may not hold forge up for longer; its own grace periods are in it.
BOUND_S = 90


class Skip(Exception):
    """The clause or fault can not apply to this driver: why."""


class Wrong(Exception):
    """The contract is broken: how."""


def adopt_orphans():
    """What an agent leaves behind becomes our child, whatever it calls itself."""
    ctypes.CDLL(None, use_errno=True).prctl(36, 1, 0, 0, 0)  # PR_SET_CHILD_SUBREAPER


def living_below():
    """Processes below this one that are no zombies: (pid, arguments)."""
    above, found = {}, []
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open("/proc/%s/stat" % name, encoding="utf-8", errors="replace") as f:
                state, parent = f.read().rpartition(")")[2].split()[:2]
            with open("/proc/%s/cmdline" % name, "rb") as f:
                line = f.read().replace(b"\0", b" ").decode("utf-8", "replace")
        except OSError:
            continue
        above[int(name)] = (int(parent), state, line)
    family = {os.getpid()}
    while True:
        more = {p for p, (parent, _, _) in above.items() if parent in family} - family
        if not more:
            break
        family |= more
    for pid in sorted(family - {os.getpid()}):
        if above[pid][1] != "Z":
            found.append((pid, above[pid][2]))
    return found


def reap():
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        pass


class Result:
    def __init__(self, said, folder, seconds, left):
        self.said, self.folder, self.seconds, self.left = said, folder, seconds, left
        self.kind = said.get("kind")
        self.text = said.get("text", "")
        self.logs = "\n".join(said.get("logs", []))
        self.failed = said.get("failed")
        self.lines = self.read("t.jsonl")
        self.requests = 0  # that a model server saw

    def read(self, name):
        """Lines of a transcript as (direction, text)."""
        try:
            with open(os.path.join(self.folder, name), encoding="utf-8") as f:
                rows = [json.loads(line) for line in f]
        except FileNotFoundError:
            return []
        return [(r["dir"], r["line"] if isinstance(r["line"], str) else json.dumps(r["line"])) for r in rows]

    def has_begun(self):
        """Were its first words heard? (SAY of the table)"""
        own = [text for direction, text in self.read("t.cli.jsonl") if direction == "from"]
        return "looking at the row" in self.logs + "".join(own)

    def all_objects(self):
        for direction, text in self.lines:
            try:
                obj = json.loads(text) if text.startswith("{") else None
            except (ValueError, RecursionError):
                continue
            if isinstance(obj, dict):
                yield direction, obj

    def objects(self, direction):
        return (obj for d, obj in self.all_objects() if d == direction)

    def everything(self):
        """All bytes that forge kept or was told, by name."""
        out = {"answer": json.dumps(self.said)}
        for name in os.listdir(self.folder):
            if name.endswith(".jsonl"):
                with open(os.path.join(self.folder, name), "rb") as f:
                    out[name] = f.read().decode("utf-8", "replace")
        return out


class Driver:
    """One row of the table. `lacks`: clause or fault -> why it can not apply."""

    name = "?"
    lacks = {}
    stays = False  # its process outlives a prompt

    def __init__(self):
        self.folder = None

    # what a subclass fills in
    def prepare(self, steps, spec, env):
        raise NotImplementedError

    def cleanup(self):
        pass

    def play(self, steps, **more):
        """Ask one turn. `more` goes over the spec; `env` is added to the environment."""
        self.forget()
        self.folder = tempfile.mkdtemp(prefix="forge-contract-")
        env = dict(os.environ, PATH=BIN + ":" + os.environ["PATH"], **more.pop("env", {}))
        spec = {"driver": self.name, "role": "student", "kind": "round", "prompt": "Apply the row.", "data": {},
                "workspace": os.path.join(self.folder, "work"), "transcript": os.path.join(self.folder, "t.jsonl"),
                "deadline_s": 90, "forge": os.path.join(BIN, "forge")}
        os.mkdir(spec["workspace"])
        self.prepare(steps, spec, env)
        spec.update(more)
        try:
            return self.ask(spec, env)
        finally:
            self.cleanup()

    def ask(self, spec, env):
        start = time.monotonic()
        proc = subprocess.Popen([ASK, json.dumps(spec)], cwd=self.folder, env=env, stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.asked = proc
        try:
            out, err = proc.communicate(timeout=spec["deadline_s"] + BOUND_S)
        except subprocess.TimeoutExpired:
            proc.send_signal(signal.SIGKILL)
            proc.communicate()
            raise Wrong("it did not come back within %d s after the deadline" % BOUND_S) from None
        seconds = time.monotonic() - start
        if proc.returncode:
            raise Wrong("ask ended with %d: %s" % (proc.returncode, err.decode("utf-8", "replace")[-300:]))
        said = json.loads(out)
        if "absent" in said:
            raise Skip("there is no driver %s in this build" % self.name)
        r = Result(said, self.folder, seconds, self.left_over())
        r.requests = len(self.requests()) if isinstance(self, Llm) else 0
        return r

    def left_over(self):
        """What lives on below us; a moment is given to those that are dying."""
        until = time.monotonic() + DYING_S
        left = living_below()
        while left and time.monotonic() < until:
            reap()
            time.sleep(0.02)
            left = living_below()
        for pid, _ in left:
            os.kill(pid, signal.SIGKILL)
        reap()
        return left

    def forget(self):
        if self.folder:
            shutil.rmtree(self.folder, ignore_errors=True)
        self.folder = None


def script_of(steps, answer):
    lines = []
    for step in steps:
        if step[0] == "say":
            lines.append("say " + step[1])
        elif step[0] == "tool":
            lines.append("post " + json.dumps(dict(step[2], type="tool", tool=step[1])))
        elif step[0] == "answer":
            lines.append("post " + json.dumps(answer(step[1], step[2])))
        else:
            lines.append(step[1] if step[0] == "own" else "end")
    return "\n".join(lines) + "\n"


class Cli(Driver):
    """A CLI agent's fake: a script, and a launch file that names the fake in the place of the program."""

    fake = None
    launch = None  # the file of share/agents that is adapted
    key_name = "FAKE_KEY"

    def prepare(self, steps, spec, env):
        script = script_of(steps, lambda kind, args: dict(args, type=kind))
        with open(os.path.join(self.folder, "script"), "w", encoding="utf-8") as f:
            f.write(script)
        with open(os.path.join(ROOT, "share", "agents", self.launch + ".toml"), encoding="utf-8") as f:
            text = f.read()
        out = ['folders = ["%s"]' % self.folder]
        for line in text.split("\n"):
            if line.startswith("program = "):
                line = 'program = "%s"' % os.path.join(os.path.realpath(FAKES), self.fake)
            elif line.startswith("env = ["):
                line = 'env = ["FAKE_SCRIPT", "FAKE_KEY", ' + line[len("env = ["):]
            out.append(line)
        with open(os.path.join(self.folder, self.name + ".toml"), "w", encoding="utf-8") as f:
            f.write("\n".join(out))
        spec["home"] = os.path.join(self.folder, "home")
        env.update(FORGE_AGENTS=self.folder, FAKE_SCRIPT=os.path.join(self.folder, "script"), FAKE_KEY=KEY)


class Claude(Cli):
    name = fake = launch = "claude"
    stays = True


class Codex(Cli):
    name = fake = launch = "codex"


class Acp(Cli):
    name, fake, launch = "acp", "acp-agent", "gemini"
    stays = True


class Cmd(Cli):
    name, fake, launch = "cmd", "cmd-agent", "cmd"


class Wire(Driver):
    """The embedded agent's driver, with a scripted agent of the wire in the place of forge-tuner."""

    name = "tuner"

    def prepare(self, steps, spec, env):
        # Its box shows the one file of its program, and the workspace.
        with open(os.path.join(spec["workspace"], "script"), "w", encoding="utf-8") as f:
            f.write(script_of(steps, lambda kind, args: dict(args, type=kind)))
        spec["program"] = os.path.join(self.folder, "wire-agent")
        parts = ["#!/usr/bin/env python3"]
        for name in ("fake_script.py", "wire-agent"):
            with open(os.path.join(FAKES, name), encoding="utf-8") as f:
                parts += [line for line in f.read().split("\n") if not line.startswith("from fake_script")]
            parts.append('os.environ["FAKE_SCRIPT"] = "script"')
        with open(spec["program"], "w", encoding="utf-8") as f:
            f.write("\n".join(parts[:-1]) + "\n")
        os.chmod(spec["program"], 0o755)


class Replay(Driver):
    name = "replay"

    def prepare(self, steps, spec, env):
        items = []
        for step in steps:
            if step[0] == "say":
                items.append({"type": "log", "text": step[1]})
            elif step[0] == "tool":
                items.append(dict(step[2], type="tool", tool=step[1], id=len(items)))
            elif step[0] == "answer":
                items.append(dict(step[2], type=step[1]))
            elif step[0] == "end":
                items.append({"type": "done", "usage": {}})
            else:
                items.append(json.loads(step[1]))
        with open(os.path.join(self.folder, "student.jsonl"), "w", encoding="utf-8") as f:
            f.write(json.dumps({"lines": items}) + "\n")
        spec["record_dir"] = self.folder


class Llm(Driver):
    """forge-llm against the model server: each step that is more than words is one request."""

    model = "fake-model"
    key_name = None
    path = ""

    def rules(self, steps):
        rules, said = [], ""
        for step in steps:
            if step[0] == "say":
                said += step[1]
            elif step[0] in ("tool", "answer"):
                name = step[1] if step[0] == "tool" else ANSWER_TOOLS.get(step[1], step[1])
                rules.append({"reply": {"text": said, "calls": [{"name": name, "arguments": step[2]}]}})
                said = ""
            elif step[0] == "own":
                rules.append(json.loads(step[1]))
        if said:
            rules.append({"times": 0, "reply": {"text": said}})
        return rules

    def prepare(self, steps, spec, env):
        self.log = os.path.join(self.folder, "server.log")
        doc = {"rules": self.rules(steps), "key": KEY}
        self.server, url = SERVER.start(SERVER.Rules(doc, self.folder), self.log)
        env.update({"FORGE_LLM_BASE_URL": url + self.path, self.key_name: KEY})
        spec["program"] = os.path.join(BIN, "forge-llm")
        spec["settings"] = {"model": self.model}

    def cleanup(self):
        self.server.shutdown()
        self.server.server_close()

    def requests(self):
        try:
            with open(self.log, encoding="utf-8") as f:
                return [json.loads(line) for line in f]
        except FileNotFoundError:
            return []


ANSWER_TOOLS = {"curriculum": "publish_curriculum", "judge": "submit_judge", "findings": "report_findings"}


class OpenAi(Llm):
    name, key_name, path = "openai-chat", "OPENAI_API_KEY", "/v1"


class Anthropic(Llm):
    name, key_name = "anthropic", "ANTHROPIC_API_KEY"


class Manual(Driver):
    """A person at the mailbox: a thread here."""

    name = "manual"

    def prepare(self, steps, spec, env):
        self.box = spec["mailbox"] = os.path.join(self.folder, "box")
        self.replies, self.trouble = [], None
        self.is_over = threading.Event()
        self.thread = threading.Thread(target=self.serve, args=(steps,), daemon=True)
        self.thread.start()

    def cleanup(self):
        self.is_over.set()
        self.thread.join()

    def wait_for(self, path):
        while not os.path.exists(path) and not self.is_over.is_set():
            time.sleep(0.005)
        return os.path.exists(path)

    def post(self, text):
        name = os.urandom(8).hex() + ".json"
        with open(os.path.join(self.box, name + ".tmp"), "w", encoding="utf-8") as f:
            f.write(text)
        os.rename(os.path.join(self.box, name + ".tmp"), os.path.join(self.box, "in", name))
        path = os.path.join(self.box, "out", name)
        if self.wait_for(path):
            with open(path, encoding="utf-8") as f:
                self.replies.append(json.load(f))

    def serve(self, steps):
        if not self.wait_for(os.path.join(self.box, "turn.json")):
            return
        for step in steps:
            if step[0] == "tool":
                self.post(json.dumps(dict(step[2], type="tool", tool=step[1])))
            elif step[0] == "answer":
                self.post(json.dumps(dict(step[2], type=step[1])))
            elif step[0] == "own":
                self.post(step[1])


ALL = [Claude, Codex, Acp, Cmd, OpenAi, Anthropic, Manual, Replay, Wire]
