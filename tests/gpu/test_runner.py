#!/usr/bin/env python3
"""runner/gpu/runner.py against its protocol, with a fake PyTorch and a fake library (tests/gpu/fake): no GPU,
no package. Last line "runner: N passed, N failed"."""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
RUNNER = HERE.parent.parent / "runner" / "gpu" / "runner.py"
SHARED_BYTES = 1 << 16
ARGS = "x:in:f32:4x2,y:out:f32:4x2,n:scalar:i64:8,s:scalar:f32:1e-06"
SHAPE = "shape args=in:32,out:32,scalar:0,scalar:0 sets=2 contents=2 seed=7"
SAMPLE = "sample slot=reference first={} contents={} poison=1 key=1 cold=0 deadline_ms=100"

RETURNS = """
import torch


def run(x, n, s):
    assert n == 8 and abs(s - 1e-6) < 1e-12, (n, s)
    assert x.shape == (4, 2) and x.dtype is torch.float32
    return torch.empty((4, 2), torch.float32).put(bytes([x.bytes()[0] + 1]) * 32)
"""
WRITES = """
def run(x, y, n, s):
    y.put(bytes([x.bytes()[0] + 1]) * 32)
"""


class World:
    """A runner in a folder of its own, and what the fake library saw."""

    def __init__(self, library, source, closes=False, **env):
        self.dir = tempfile.TemporaryDirectory(prefix="forge-runner-")
        self.path = pathlib.Path(self.dir.name)
        (self.path / "kernel.py").write_text(source)
        self.memory = os.memfd_create("shared")
        os.ftruncate(self.memory, SHARED_BYTES)
        os.set_inheritable(self.memory, True)  # it may be descriptor 3 already
        os.pwrite(self.memory, bytes([41]) * 32 + bytes([51]) * 32, 0)
        where = os.environ | env | {
            "FORGE_GPU_SHARED_BYTES": str(SHARED_BYTES), "FAKE_GPU_LOG": str(self.path / "log"),
            "PYTHONPATH": str(HERE / "fake"), "FORGE_GPU_SHARED": f"/proc/{os.getpid()}/fd/{self.memory}",
        }
        # The memory becomes descriptor 3, as forge-worker hands it over.
        self.process = subprocess.Popen(
            [sys.executable, str(RUNNER), str(library)], env=where, text=True, stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            preexec_fn=lambda: os.closerange(3, 64) if closes else os.dup2(self.memory, 3), close_fds=False)

    def ask(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        return self.process.stdout.readline().rstrip("\n")

    def lay_out(self):
        assert self.ask("open device=0 kernels=none").startswith("ok")
        assert self.ask(SHAPE).startswith("ok")
        for nr in range(2):
            assert self.ask(f"content nr={nr} arg=0 from={32 * nr}").startswith("ok")

    def side(self, slot="reference", args=ARGS):
        return self.ask(f"side slot={slot} kind=python path={self.path}/kernel.py entry=run args={args}")

    def log(self, *kinds):
        text = (self.path / "log").read_text().splitlines()
        return [line for line in text if line.split()[0] in kinds]

    def close(self):
        self.process.stdin.close()
        self.process.wait(timeout=20)
        self.errors = self.process.stderr.read()
        self.process.stdout.close()
        self.process.stderr.close()
        os.close(self.memory)
        self.dir.cleanup()


def check(got, want):
    if got != want:
        raise AssertionError(f"got {got!r}, want {want!r}")


def check_like(got, pattern):
    if not re.search(pattern, got):
        raise AssertionError(f"got {got!r}, want {pattern!r}")


def a_call_is_captured_once_for_a_set(make):
    w = make(WRITES)
    w.lay_out()
    check(w.side(), "ok method=graph")
    check(w.ask(SAMPLE.format(0, "0,1")), "ok method=graph")
    check(w.ask(SAMPLE.format(0, "1,0")), "ok method=graph")
    check(w.ask(SAMPLE.format(1, "0")), "ok method=graph")
    check(w.log("graph", "output", "call"), ["graph 0 0 2 1001 1", "graph 0 1 1 1002 1"])
    check(w.ask("read slot=reference set=0 arg=1 to=0"), "ok first=42")
    return w


def outputs_that_are_returned_are_looked_at_where_they_lie(make):
    w = make(RETURNS)
    w.lay_out()
    check(w.side(), "ok method=graph")
    check(w.ask(SAMPLE.format(0, "0,1")), "ok method=graph")
    check(w.log("graph", "output"), ["output 0 0 1 elsewhere", "output 0 1 1 elsewhere", "graph 0 0 2 1001 1"])
    return w


def a_profiler_plays_what_was_captured_outside_of_its_marks(make):
    w = make(RETURNS)
    w.lay_out()
    w.side()
    check(w.ask(SAMPLE.format(0, "0").replace("sample", "play")), "ok method=graph")
    check([line.split()[0] for line in w.log("graph", "request")][-2:], ["graph", "request"])
    check(w.log("graph"), ["graph 0 0 1 1001 1"])
    return w


def memory_whose_descriptor_a_profiler_closed_is_found_by_its_path(make):
    w = make(WRITES, closes=True)
    w.lay_out()
    w.side()
    w.ask(SAMPLE.format(0, "0"))
    check(w.ask("read slot=reference set=0 arg=1 to=0"), "ok first=42")
    return w


def slots_have_sides_of_their_own(make):
    w = make(RETURNS)
    w.lay_out()
    check(w.side(), "ok method=graph")
    check(w.side("reference_again"), "ok method=graph")
    w.ask(SAMPLE.format(0, "0"))
    w.ask(SAMPLE.format(0, "0").replace("slot=reference", "slot=reference_again"))
    w.ask(SAMPLE.format(0, "0").replace("slot=reference", "slot=candidate"))
    check(w.log("graph"), ["graph 0 0 1 1001 1", "graph 2 0 1 1002 1"])
    return w


def a_new_shape_forgets_programs(make):
    w = make(WRITES)
    w.lay_out()
    w.side()
    w.ask(SAMPLE.format(0, "0"))
    check(w.ask(SHAPE), "ok method=graph")
    w.ask(SAMPLE.format(0, "0"))
    check(len(w.log("graph")), 2)
    return w


def contents_that_the_library_keeps_are_kept(make):
    w = make(WRITES)
    w.lay_out()
    w.side()
    check(w.ask(SHAPE + " store=5"), "ok method=graph")
    w.ask("content nr=0 arg=0 from=32")
    w.ask(SHAPE + " store=6")
    check(w.ask(SHAPE + " store=5 again"), "ok method=graph kept=1")
    w.ask(SAMPLE.format(0, "0"))
    check(w.ask("read slot=reference set=0 arg=1 to=0"), "ok first=52")
    return w


def other_scalars_make_other_programs(make):
    w = make("print('loaded', flush=True)\n" + WRITES.replace("+ 1", "+ n"))
    w.lay_out()
    for n, want in ((8, 49), (8, 49), (7, 48)):
        check(w.side(args=ARGS.replace("i64:8", f"i64:{n}")), "ok method=graph")
        check(w.ask(SAMPLE.format(0, "0")), "ok method=graph")
        check(w.ask("read slot=reference set=0 arg=1 to=0"), f"ok first={want}")
    check(len(w.log("graph")), 2)
    w.close()
    check(w.errors.count("loaded"), 1)
    return None


def what_can_not_be_captured_is_called_and_said_so(make):
    w = make(RETURNS, FAKE_NO_CAPTURE="1")
    w.lay_out()
    check(w.side(), "ok method=graph")
    check(w.ask(SAMPLE.format(0, "1")),
          "ok method=direct rc=0 why=RuntimeError%3A%20operation%20not%20permitted%20when%20stream%20is%20capturing")
    check(w.log("graph", "waits", "call"), ["waits 0 -", "call 0 0 1 - 0"])
    check(w.ask("read slot=reference set=0 arg=1 to=0"), "ok first=52")
    return w


def who_waits_for_the_device_in_its_call_is_found_out_once_and_said_so(make):
    w = make(RETURNS.replace("n == 8 and ", ""), FAKE_NO_CAPTURE="1", FAKE_WAITS="1")
    w.lay_out()
    w.side()
    w.side("reference_again")
    check_like(w.ask(SAMPLE.format(0, "1")), "^ok method=direct rc=0 why=RuntimeError.*capturing%3B%20it%20waits%20for%20the%20device")
    check_like(w.ask(SAMPLE.format(1, "0")), "^ok method=direct rc=0 why=.*waits")
    w.ask(SAMPLE.format(1, "0").replace("slot=reference", "slot=reference_again"))
    check(w.log("waits", "call"), ["waits 0 -", "call 0 0 1 - 1", "call 0 1 1 - 1", "call 2 1 1 - 1"])
    w.ask(SHAPE)
    w.side(args=ARGS.replace("i64:8", "i64:7"))
    w.ask(SAMPLE.format(0, "0"))
    check(len(w.log("waits")), 2)  # other arguments may not
    return w


def a_profiler_holds_nothing_so_nobody_asks_who_waits(make):
    w = make(RETURNS, FAKE_NO_CAPTURE="1", FAKE_WAITS="1")
    w.lay_out()
    w.side()
    w.ask(SAMPLE.format(0, "0").replace("sample", "play"))
    check(w.log("waits", "call"), ["call 0 0 1 - 0"])
    w.ask(SAMPLE.format(0, "0"))
    check(w.log("waits", "call")[1:], ["waits 0 -", "call 0 0 1 - 1"])
    return w


def nothing_is_held_for_host_code_of_a_candidate(make):
    """While a stream is held its host code, and what it launches elsewhere, would work in no one's time."""
    w = make(WRITES, FAKE_NO_CAPTURE="1", FAKE_WAITS="0")
    w.lay_out()
    w.side("candidate")
    check_like(w.ask(SAMPLE.format(0, "0").replace("slot=reference", "slot=candidate")),
               "^ok .*why=RuntimeError.*capturing%3B%20nothing%20is%20held%20for%20a%20candidate")
    check(w.log("waits", "call"), ["call 1 0 1 - 1"])
    return w


def a_candidate_that_is_the_reference_is_called_as_that_is(make):
    w = make(WRITES, FAKE_NO_CAPTURE="1", FAKE_WAITS="0")
    w.lay_out()
    w.side()
    w.side("candidate")
    w.ask(SAMPLE.format(0, "0").replace("slot=reference", "slot=candidate"))
    check(w.log("waits", "call"), ["waits 0 -", "call 1 0 1 - 0"])
    return w


def a_candidate_that_fails_in_its_call_is_refused(make):
    """An error of the system would be nobody's verdict, and the job would be done again."""
    w = make("calls = []\n\n\ndef run(x, y, n, s):\n    calls.append(0)\n    assert len(calls) < 4, 'enough'\n",
             FAKE_NO_CAPTURE="1")
    w.lay_out()
    w.side("candidate")
    check(w.ask(SAMPLE.format(0, "0").replace("slot=reference", "slot=candidate")),
          "error refused the module failed on the library's stream")
    return w


def a_call_too_slow_to_tell_is_an_error(make):
    w = make(WRITES, FAKE_NO_CAPTURE="1", FAKE_WAITS="-1")
    w.lay_out()
    w.side()
    check(w.ask(SAMPLE.format(0, "0")), "error system the fake refuses it")
    check(w.log("call"), [])
    return w


def a_graph_of_a_candidate_that_is_refused_is_no_call(make):
    w = make(WRITES, FAKE_REFUSES="1")
    w.lay_out()
    w.side("candidate")
    sample = SAMPLE.format(0, "0").replace("slot=reference", "slot=candidate")
    check(w.ask(sample), "error refused the fake refuses it")
    check(w.log("call"), [])
    return w


def a_reference_whose_graph_is_refused_is_called(make):
    w = make(WRITES, FAKE_REFUSES="1")
    w.lay_out()
    w.side()
    check(w.ask(SAMPLE.format(0, "0")), "ok method=direct rc=0 why=Refused%3A%20the%20fake%20refuses%20it")
    check(w.log("call"), ["call 0 0 1 - 0"])
    return w


def a_capture_that_fails_once_is_tried_again_with_its_memory_back(make):
    w = make(WRITES, FAKE_NO_CAPTURE_FROM="2", FAKE_NO_CAPTURE_TO="2")
    w.lay_out()
    w.side()
    check(w.ask(SAMPLE.format(0, "0")), "ok method=graph")
    check(w.ask(SAMPLE.format(1, "0")), "ok method=graph")
    check(w.log("call"), [])
    w.close()
    check(w.errors.count("emptied"), 2)  # for the shape, and before the second attempt
    return None


def who_was_captured_is_not_called_instead(make):
    w = make(WRITES, FAKE_NO_CAPTURE_FROM="2")
    w.lay_out()
    w.side()
    check(w.ask(SAMPLE.format(0, "0")), "ok method=graph")
    check(w.ask(SAMPLE.format(1, "0")),
          "error system the reference was captured as a graph before, and can not be now: RuntimeError: CUDA out of memory")
    check(w.log("call"), [])
    return w


def what_run_returns_is_checked(make):
    for source, want in (
            ("import torch\ndef run(x, n, s):\n    return torch.empty((8,), torch.float32)\n", r"float32\[8\] for y"),
            ("import torch\ndef run(x, n, s):\n    return torch.empty((4, 2), torch.int32)\n", r"int32\[4, 2\] for y"),
            ("def run(x, n, s):\n    return None\n", r"None\[\] for y"),
            ("def run(x, n, s):\n    return (x, x)\n", "returned 2 values"),
            ("def run(x, n, s):\n    x.contiguous = False\n    return x\n", "not contiguous")):
        w = make(source)
        w.lay_out()
        check(w.side(), "ok method=graph")
        check_like(w.ask(SAMPLE.format(0, "0")), "^error refused .*" + want)
        w.close()
    return None


def what_a_module_prints_is_no_reply(make):
    w = make("import os\nprint('ok forged')\nos.write(1, b'ok forged\\n')\n" + WRITES)
    w.lay_out()
    check(w.side(), "ok method=graph")
    check(w.ask(SAMPLE.format(0, "0")), "ok method=graph")
    return w


def a_module_that_replaces_the_clock_is_refused(make):
    for line, name in (("import time; time.perf_counter = lambda: 0", "time.perf_counter"),
                       ("import torch; torch.cuda.Event = int", "torch.cuda.Event"),
                       ("import sys, types; sys.modules['time'] = types", r"sys.modules\[time\]"),
                       ("import builtins; builtins.open = print", "builtins.open"),
                       ("import sys; sys.meta_path.insert(0, object())", "sys.meta_path")):
        w = make(line + "\n" + WRITES)
        w.lay_out()
        check_like(w.side(), "^error refused the module replaced " + name)
        w.close()
    return None


def a_run_that_replaces_the_clock_is_refused(make):
    w = make("import time\ndef run(x, y, n, s):\n    time.perf_counter_ns = lambda: 0\n")
    w.lay_out()
    check(w.side("candidate"), "ok method=graph")
    sample = SAMPLE.format(0, "0").replace("slot=reference", "slot=candidate")
    for _ in range(2):
        check(w.ask(sample), "error refused the module replaced time.perf_counter_ns")
    check([line for line in w.log("request") if line.startswith("request sample")], [])
    return w


def a_module_that_does_not_load_is_refused_with_its_words(make):
    for source, want in (("import nothing_of_the_kind\n", "ModuleNotFoundError: .*nothing_of_the_kind"),
                         ("raise SystemExit(0)\n", "SystemExit"), ("x = 1\n", "AttributeError.*run")):
        w = make(source)
        w.lay_out()
        check_like(w.side(), "^error refused " + want)
        check_like(w.ask("clock"), "^ok")
        w.close()
    return None


def a_run_that_fails_is_no_candidate_for_a_window(make):
    w = make("def run(x, y, n, s):\n    raise ValueError('no such size')\n")
    w.lay_out()
    w.side()
    check_like(w.ask(SAMPLE.format(0, "0")), "^error (system|usage) ValueError: no such size")
    return w


def a_candidate_is_told_that_its_host_code_is_slow(make):
    slow = "def run(x, y, n, s):\n    for i in range(2000000):\n        n = i\n    y.put(bytes([x.bytes()[0] + 1]) * 32)\n"
    w = make(slow)
    w.lay_out()
    check(w.side(), "ok method=graph")
    check(w.ask(SAMPLE.format(0, "0,1")), "ok method=graph")
    check(w.side(slot="candidate"), "ok method=graph")
    of_candidate = SAMPLE.replace("slot=reference", "slot=candidate")
    for _ in range(2):
        reply = w.ask(of_candidate.format(0, "0,1"))
        check_like(reply, r"^ok method=graph host_ns=\d+$")
        assert int(reply.rpartition("=")[2]) > 5000000, reply
    return w


def a_request_that_is_wrong_is_an_error_and_the_process_goes_on(make):
    w = make(WRITES)
    w.lay_out()
    check_like(w.ask("side slot=nowhere kind=python path=/x args=" + ARGS), "^error usage")
    check_like(w.ask("side slot=reference kind=python"), "^error usage")
    check_like(w.side(args="x:in:f77:4"), "^error usage .*f77")
    check_like(w.ask("bad"), "^error usage bad")
    check(w.side(), "ok method=graph")
    check(w.ask("quit"), "ok method=graph")
    check(w.process.wait(timeout=20), 0)
    return w


TESTS = [f for name, f in list(globals().items()) if callable(f) and getattr(f, "__code__", None) and
         f.__code__.co_varnames[:1] == ("make",)]


def main():
    passed = failed = 0
    with tempfile.TemporaryDirectory(prefix="forge-fake-") as scratch:
        library = pathlib.Path(scratch) / "libgpu.so"
        subprocess.run(["gcc", "-shared", "-fPIC", "-O1", "-o", str(library), str(HERE / "fake" / "libgpu.c")],
                       check=True)
        for test in TESTS:
            name = test.__name__.replace("_", " ")
            try:
                world = test(lambda source, **env: World(library, source, **env))
                if world:
                    world.close()
                passed += 1
                print(f"ok     {name}")
            except Exception as e:
                failed += 1
                print(f"not ok {name}: {type(e).__name__}: {e}")
    print(f"runner: {passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
