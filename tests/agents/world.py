"""Where whole runs by scripted agents take place: a task, a model server, keys and prices of their own."""
import json
import os
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
import drivers as D
import scripted as S

KEYS = {"openai-chat": "OPENAI_API_KEY", "anthropic": "ANTHROPIC_API_KEY"}
PROVIDER = {"openai-chat": "openai", "anthropic": "anthropic"}


class World:
    """A folder with a scripted task, a model server and everything that forge reads of its user."""

    def __init__(self, kind, name, real, teacher=None, student=None, blackbox=False, change=None, generated=False):
        self.kind, self.name = kind, name
        self.dir = tempfile.mkdtemp(prefix="forge-whole-")
        self.script = S.script(generated)
        S.make_task(name, self.dir, teacher or kind, student or kind, '[agents.%s]\nmodel = "script-1"\n' % kind, blackbox, generated)
        if change:
            change(os.path.join(self.dir, "task"))
        S.save_rules(self.script, self.dir, D.KEY)
        self.bin = D.BIN if real else self.fake_bin()
        self.run_dir = os.path.join(self.dir, "run")
        prices = os.path.join(self.dir, "prices.tsv")
        with open(prices, "w", encoding="utf-8") as f:
            f.write("# date: 2026-11-30\n0000-00-00\t%s\tscript-1\t0\t3\t0.3\t3.75\t6\t15\n" % PROVIDER[kind])
        self.log = os.path.join(self.dir, "server.log")
        rules = D.SERVER.read_rules(os.path.join(self.dir, "answers", "rules.json"))
        self.server, url = D.SERVER.start(rules, self.log)
        self.env = dict(os.environ, FORGE_PRICES=prices, FORGE_KEYS=os.path.join(self.dir, "keys"), HOME=self.dir,
                        FORGE_CACHE=os.path.join(self.dir, "cache"), NO_COLOR="1", TERM="dumb",
                        FORGE_LLM_BASE_URL=url + ("/v1" if kind == "openai-chat" else ""), **{KEYS[kind]: D.KEY})
        # What is set on this machine is not the tests' business.
        for name in ("XDG_CONFIG_HOME", "HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
            self.env.pop(name, None)

    def fake_bin(self):
        folder = os.path.join(self.dir, "bin")
        shutil.copytree(D.BIN, folder)
        os.makedirs(os.path.join(self.dir, "share"), exist_ok=True)
        os.symlink(os.path.join(D.ROOT, "share"), os.path.join(self.dir, "share", "forge"))
        os.remove(os.path.join(folder, "forge-worker"))
        shutil.copy(os.path.join(D.FAKES, "fake-worker"), os.path.join(folder, "forge-worker"))
        return folder

    def forge(self, *args):
        return subprocess.run([os.path.join(self.bin, "forge"), *args], env=self.env, cwd=self.dir, timeout=900,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)

    def start(self):
        return subprocess.Popen([os.path.join(self.bin, "forge"), "run", self.run_dir], env=self.env, cwd=self.dir,
                                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def events(self):
        with open(os.path.join(self.run_dir, "events.jsonl"), encoding="utf-8") as f:
            return [json.loads(line) for line in f if line.endswith("\n")]

    def requests(self):
        with open(self.log, encoding="utf-8") as f:
            return [json.loads(line) for line in f]

    def close(self):
        self.server.shutdown()
        self.server.server_close()
        shutil.rmtree(self.dir, ignore_errors=True)
