#!/usr/bin/env python3
"""The device process of forge-worker for sides that are Python (docs/format/gpu-runner.md).

libforge-gpu.so owns the device, the operands, the clock and nearly all requests; this process adds a
context that PyTorch shares, and the request `side`: a module whose run() is called on the library's
operands, without a copy, and captured into a graph. In a timed window the library replays that graph;
no Python runs. What can not be captured is called inside the window, and the library says "direct".

Usage: runner.py LIBRARY. Needs the standard library and PyTorch.
"""
import ctypes
import importlib.util
import inspect
import math
import mmap
import os
import sys
import time
import traceback
import urllib.parse

REPLY_BYTES = 1 << 16
SHARED_FD = 3
SLOTS = {"reference": 0, "candidate": 1, "reference_again": 2}
FAULTS = {"candidate": "refused"}  # who is at fault where a module fails: a candidate's is a verdict
ALLOW_COPIES = 1
CALL_WAITS = 1
# Libraries choose their kernels, and compilers compile, in the first calls of a shape.
FIRST_WARM_UPS = 3
# What a call of a candidate may take of the processor unmentioned; a job makes thousands.
SLOW_CALL_S = 0.005

DTYPES = {
    "f64": "float64", "f32": "float32", "f16": "float16", "bf16": "bfloat16", "f8e4m3": "float8_e4m3fn",
    "f8e5m2": "float8_e5m2", "i64": "int64", "i32": "int32", "i8": "int8", "u8": "uint8", "bool": "bool",
}
ENQUEUE = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)
WAITS_TOO = "; it waits for the device in its call, or launches more than a stream takes: nothing is held for it"
IS_FOREIGN = "; nothing is held for a candidate's host code, which is in its time"


class Refused(Exception):
    """What a reply says after "error": a kind of the protocol, and text."""

    def __init__(self, kind, text):
        super().__init__(text)
        self.kind = kind


def load_library(path):
    lib = ctypes.CDLL(path)
    pointer, text, number = ctypes.c_void_p, ctypes.c_char_p, ctypes.c_uint
    signatures = {
        "forge_gpu_new": (pointer, [pointer, ctypes.c_size_t]),
        "forge_gpu_free": (None, [pointer]),
        "forge_gpu_request": (ctypes.c_int, [pointer, text, text]),
        "forge_gpu_error": (text, [pointer]),
        "forge_gpu_stream": (pointer, [pointer]),
        "forge_gpu_nr_sets": (number, [pointer]),
        "forge_gpu_address": (ctypes.c_uint64, [pointer, number, number]),
        "forge_gpu_put_output": (ctypes.c_int, [pointer, ctypes.c_int, number, number, ctypes.c_uint64]),
        "forge_gpu_put_graph": (ctypes.c_int, [pointer, ctypes.c_int, number, number, pointer, number]),
        "forge_gpu_call_waits": (ctypes.c_int, [pointer, ENQUEUE, pointer]),
        "forge_gpu_put_call": (ctypes.c_int, [pointer, ctypes.c_int, number, number, ENQUEUE, pointer, number]),
    }
    for name, (result, arguments) in signatures.items():
        function = getattr(lib, name)
        function.restype, function.argtypes = result, arguments
    return lib


class Arg:
    """NAME:ROLE:DTYPE:EXTENTxEXTENT of a tensor, NAME:scalar:DTYPE:VALUE of a scalar."""

    def __init__(self, text):
        self.name, self.role, self.dtype, rest = text.split(":", 3)
        self.is_scalar = self.role == "scalar"
        self.is_out = self.role == "out"
        self.shape = () if self.is_scalar else tuple(int(n) for n in rest.split("x") if n)
        if self.dtype not in DTYPES:
            raise Refused("usage", f"unknown dtype {self.dtype}")
        self.value = None
        if self.is_scalar:
            self.value = float(rest) if self.dtype[0] in "fb" and self.dtype != "bool" else int(rest)


class Memory:
    """Bytes of the device that belong to the library, as others see them without a copy."""

    def __init__(self, address, size):
        self.__cuda_array_interface__ = {"shape": (size,), "typestr": "|u1", "data": (address, False), "version": 3}


class Watch:
    """What a module may not replace: it is looked at before and after the module runs."""

    NAMES = ("perf_counter", "perf_counter_ns", "monotonic", "monotonic_ns", "time", "time_ns", "sleep")

    def __init__(self, torch):
        self.torch = torch
        self.seen = self.look()

    def look(self):
        cuda = self.torch.cuda
        things = {f"time.{n}": getattr(time, n, None) for n in self.NAMES}
        for name in ("Event", "Stream", "CUDAGraph", "stream", "synchronize", "current_stream"):
            things[f"torch.cuda.{name}"] = getattr(cuda, name, None)
        for name in ("torch", "time", "ctypes", "sys", "builtins"):
            things[f"sys.modules[{name}]"] = sys.modules.get(name)
        for name in ("print", "open", "__import__"):
            things[f"builtins.{name}"] = getattr(sys.modules["builtins"], name, None)
        for name in ("meta_path", "path_hooks"):
            things[f"sys.{name}"] = tuple(id(x) for x in getattr(sys, name))
        things["sys.settrace"] = sys.gettrace()
        things["sys.setprofile"] = sys.getprofile()
        return things

    def changed(self):
        now = self.look()
        return next((name for name, thing in self.seen.items() if now[name] != thing), None)


class Side:
    """A module as one slot."""

    def __init__(self, path, entry):
        self.path, self.entry = path, entry
        spec = importlib.util.spec_from_file_location(f"forge_side_{abs(hash(path))}", path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        self.run = getattr(module, entry)
        self.nr_parameters = len(inspect.signature(self.run).parameters)

    def set_args(self, text, args):
        self.text, self.args = text, args
        self.returns = self.nr_parameters != len(args)

    def call(self, tensors):
        """Run on the operands of a set; the outputs that lie elsewhere, by argument."""
        given = [t for a, t in zip(self.args, tensors) if not (self.returns and a.is_out)]
        result = self.run(*given)
        if not self.returns:
            return {}
        outs = [i for i, a in enumerate(self.args) if a.is_out]
        results = result if isinstance(result, (tuple, list)) else (result,)
        if len(results) != len(outs):
            raise Refused("refused", f"run returned {len(results)} values, the task has {len(outs)} outputs")
        found = dict(zip(outs, results))
        for i, tensor in found.items():
            self.check(self.args[i], tensor)
        return found

    def check(self, arg, tensor):
        dtype = str(getattr(tensor, "dtype", None)).rpartition(".")[2]
        shape = tuple(getattr(tensor, "shape", ()))
        if dtype != DTYPES[arg.dtype] or shape != arg.shape:
            raise Refused("refused", f"run returned {dtype}{list(shape)} for {arg.name}, "
                          f"which is {DTYPES[arg.dtype]}{list(arg.shape)}")
        if not tensor.is_contiguous():
            raise Refused("refused", f"what run returned for {arg.name} is not contiguous")


class Runner:
    def __init__(self, lib, shared):
        self.lib = lib
        self.shared = shared
        at = ctypes.addressof(ctypes.c_char.from_buffer(shared)) if shared else None
        self.gpu = lib.forge_gpu_new(at, len(shared) if shared else 0)
        self.torch = None
        self.sides = {}
        self.watch = None
        self.stores = {}
        self.captured = set()  # parties and their arguments of which a graph was made
        self.reasons = {}  # of what can not be captured, by slot
        self.waits = {}  # of parties and their arguments that can not be captured: why nothing is held for them, or ""
        self.forget()

    def forget(self):
        """What belonged to the operands that were laid out before."""
        self.tensors = {}
        self.contents = {}
        self.programs = {}
        self.kept = []
        self.is_warm = set()
        self.host_s = {}  # of one call, by slot
        self.pool = None

    # Requests that concern Python; all of them but `side` go on to the library.

    def after_open(self, _words):
        import torch  # it shares the context that the library has made current

        self.torch = torch
        torch.cuda.init()
        self.stream = torch.cuda.Stream()
        self.watch = Watch(torch)

    def before_shape(self, _words):
        if self.torch:
            self.torch.cuda.synchronize()
        self.forget()
        self.give_memory_back()

    def give_memory_back(self):
        """PyTorch keeps what graphs had, each capture takes more, and one without memory is no capture."""
        if self.torch:
            self.torch.cuda.empty_cache()

    def after_shape(self, words, is_kept):
        """Contents that the library still has from an earlier time are still here, too."""
        store = words.get("store", "0")
        if is_kept:
            self.contents = self.stores.get(store, {})
        elif store != "0":
            self.stores[store] = self.contents

    def keep_content(self, words, size):
        """The library has taken it; sides are warmed up on the same bytes."""
        nr, arg, at = int(words["nr"]), int(words["arg"]), int(words["from"])
        host = self.torch.frombuffer(self.shared, dtype=self.torch.uint8, count=size, offset=at)
        self.contents[nr, arg] = host.to("cuda")

    def side(self, words):
        if words.get("kind") != "python" or words.get("slot") not in SLOTS:
            raise Refused("usage", "side: kind=python and a known slot")
        slot = words["slot"]
        args = [Arg(a) for a in words["args"].split(",")]
        known = self.sides.get(slot)
        if known and (known.path, known.entry) == (words["path"], words.get("entry", "run")):
            if known.text != words["args"]:
                known.set_args(words["args"], args)
                self.drop(slot)
            return "ok method=graph"
        self.drop(slot)
        try:
            side = Side(words["path"], words.get("entry", "run"))
            side.set_args(words["args"], args)
            self.sides[slot] = side
        except Refused:
            raise
        except BaseException as e:
            raise Refused("refused", describe(e)) from e
        self.look_for_changes()
        return "ok method=graph"

    def look_for_changes(self):
        changed = self.watch.changed()
        if changed:
            raise Refused("refused", f"the module replaced {changed}")

    def drop(self, slot):
        self.programs = {key: how for key, how in self.programs.items() if key[0] != slot}

    # Programs of a side: one for each first set and number of calls.

    def tensor(self, side, nr_set, i):
        arg = side.args[i]
        key = nr_set, i, arg.dtype, arg.shape
        if arg.is_scalar:
            return arg.value
        if key not in self.tensors:
            dtype = getattr(self.torch, DTYPES[arg.dtype])
            size = math.prod(arg.shape, start=self.torch.empty((), dtype=dtype).element_size())
            at = self.lib.forge_gpu_address(self.gpu, nr_set, i)
            flat = self.torch.as_tensor(Memory(at, size), device="cuda")
            self.tensors[key] = flat.view(dtype).view(arg.shape)
        return self.tensors[key]

    def set_of(self, side, nr_set):
        return [self.tensor(side, nr_set, i) for i in range(len(side.args))]

    def place(self, side, nr_set, content):
        for i, arg in enumerate(side.args):
            source = self.contents.get((content, i))
            if source is not None and not arg.is_scalar:
                flat = self.tensor(side, nr_set, i).view(-1).view(self.torch.uint8)
                flat.copy_(source)

    def warm_up(self, slot, side, sets, contents):
        for nr_set, content in zip(sets, contents):
            self.place(side, nr_set, content)
        times = 1 if slot in self.is_warm else FIRST_WARM_UPS
        self.stream.wait_stream(self.torch.cuda.current_stream())
        with self.torch.cuda.stream(self.stream):
            for _ in range(times):
                began = time.perf_counter()
                for nr_set in sets:
                    side.call(self.set_of(side, nr_set))
                self.host_s[slot] = (time.perf_counter() - began) / len(sets)
        self.torch.cuda.synchronize()
        self.is_warm.add(slot)

    def capture(self, side, sets):
        """Not by torch.cuda.graph: it collects garbage and empties caches each time."""
        graph = self.torch.cuda.CUDAGraph(keep_graph=True)
        pool = {"pool": self.pool} if self.pool else {}
        found = []
        with self.torch.cuda.stream(self.stream):
            graph.capture_begin(capture_error_mode="thread_local", **pool)
            try:
                for nr_set in sets:
                    found.append(side.call(self.set_of(side, nr_set)))
            except BaseException:
                self.abandon(graph)
                raise
            graph.capture_end()
        self.pool = self.pool or graph.pool()
        self.kept.append((graph, found))
        return graph.raw_cuda_graph(), found

    @staticmethod
    def abandon(graph):
        """The capture is broken already; what ends it may say so once more."""
        try:
            graph.capture_end()
        except Exception as e:
            print(f"runner: {describe(e)}", file=sys.stderr, flush=True)

    def put_graph(self, slot, side, sets):
        graph, found = self.capture(side, sets)
        for nr_set, outputs in zip(sets, found):
            for i, tensor in outputs.items():
                self.must(self.lib.forge_gpu_put_output(self.gpu, SLOTS[slot], nr_set, i, tensor.data_ptr()))
        self.must(self.lib.forge_gpu_put_graph(self.gpu, SLOTS[slot], sets[0], len(sets), graph, ALLOW_COPIES))

    def why_unheld(self, slot, side, callback):
        """Of a candidate: what its host code did while a stream is held, and kernels on another stream, would be in no
        one's time. Of others it is found out once for a party and its arguments, for a hold has to give up first."""
        if "reference" not in self.sides:
            return IS_FOREIGN
        key = party_of(slot), side.text
        if key not in self.waits:
            waits = self.lib.forge_gpu_call_waits(self.gpu, callback, None)
            if waits < 0:
                raise Refused("system", self.lib.forge_gpu_error(self.gpu).decode(errors="replace"))
            self.waits[key] = WAITS_TOO if waits == 1 else ""
        return self.waits[key]

    def put_call(self, slot, side, sets, is_timed):
        """Why nothing is held for it; nobody asks where nothing is timed. Outputs that run() returns are copied to
        their places, inside the window: where they lie differs from call to call."""

        def enqueue(_ctx, stream):
            try:
                with self.torch.cuda.stream(self.torch.cuda.ExternalStream(stream)):
                    for nr_set in sets:
                        operands = self.set_of(side, nr_set)
                        for i, tensor in side.call(operands).items():
                            operands[i].copy_(tensor)
                return 0
            except BaseException:
                traceback.print_exc()
                return 1

        callback = ENQUEUE(enqueue)
        self.kept.append(callback)
        # Once outside of a window, on the stream that it will run on: memory is at hand from then on.
        if callback(None, self.lib.forge_gpu_stream(self.gpu)) != 0:
            raise Refused(FAULTS.get(slot, "system"), "the module failed on the library's stream")
        self.torch.cuda.synchronize()
        why = self.why_unheld(slot, side, callback) if is_timed else ""
        how = CALL_WAITS if why else 0
        self.must(self.lib.forge_gpu_put_call(self.gpu, SLOTS[slot], sets[0], len(sets), callback, None, how))
        return why

    def must(self, rc):
        if rc != 0:
            raise Refused("refused", self.lib.forge_gpu_error(self.gpu).decode(errors="replace"))

    def try_graph(self, slot, side, sets):
        """None, or why there is no graph. Who had one of these sizes before must have one again: times of both
        kinds are not to be mixed."""
        key = party_of(slot), side.text
        for _ in range(2 if key in self.captured else 1):
            try:
                self.put_graph(slot, side, sets)
                self.captured.add(key)
                return None
            except Exception as e:
                if isinstance(e, Refused) and slot == "candidate":
                    raise
                reason = describe(e)
                print(f"runner: {slot} can not be captured: {reason}", file=sys.stderr, flush=True)
                self.torch.cuda.synchronize()
                self.give_memory_back()
        if key in self.captured:
            text = f"the {party_of(slot)} was captured as a graph before, and can not be now: {reason}"
            raise Refused(FAULTS.get(slot, "system"), text)
        return reason

    def why_direct(self, words):
        """A word of the reply to a sample that was launched inside of its window."""
        key = words["slot"], int(words["first"]), len(words["contents"].split(","))
        if self.programs.get(key) != "direct":
            return ""
        return " why=" + urllib.parse.quote(self.reasons[words["slot"]][:300], safe="", errors="replace")

    def slow_host(self, words):
        """A word of the reply to a sample of a candidate whose host code is slow: what a call of it took."""
        took = self.host_s.get(words["slot"], 0) if words["slot"] == "candidate" else 0
        return f" host_ns={took * 1e9:.0f}" if took > SLOW_CALL_S else ""

    def before_sample(self, words, is_timed):
        slot = words.get("slot")
        side = self.sides.get(slot)
        if not side:
            return
        first, contents = int(words["first"]), [int(c) for c in words["contents"].split(",")]
        key = slot, first, len(contents)
        if key in self.programs:
            return
        sets = range(first, first + len(contents))
        self.warm_up(slot, side, sets, contents)
        reason = self.try_graph(slot, side, sets)
        if reason:
            self.reasons[slot] = reason[:200] + self.put_call(slot, side, sets, is_timed)
        if is_timed or not reason:
            self.programs[key] = "direct" if reason else "graph"
        # A reference's libraries load parts of themselves late, and it is trusted.
        if slot == "candidate" and self.watch.changed():
            self.drop(slot)
            self.look_for_changes()

    def forward(self, line):
        reply = ctypes.create_string_buffer(REPLY_BYTES)
        more = self.lib.forge_gpu_request(self.gpu, line.encode(), reply)
        return reply.value.decode(errors="replace"), more

    def answer(self, line):
        verb, words = parse(line)
        if verb == "side":
            return self.side(words), 1
        if verb == "shape":
            self.before_shape(words)
            self.sizes = [int(a.partition(":")[2]) for a in words["args"].split(",")]
        if verb in ("sample", "play"):
            self.before_sample(words, verb == "sample")
        reply, more = self.forward(line)
        if reply.startswith("ok") and verb == "sample":
            reply += self.why_direct(words) + self.slow_host(words)
        if reply.startswith("ok") and verb == "shape":
            self.after_shape(words, " kept=1" in reply)
        if reply.startswith("ok") and verb == "open":
            self.after_open(words)
        if reply.startswith("ok") and verb == "content":
            self.keep_content(words, self.sizes[int(words["arg"])])
        return reply, more


def party_of(slot):
    return "candidate" if slot == "candidate" else "reference"


def parse(line):
    verb, *rest = line.split(" ")
    pairs = (word.partition("=") for word in rest)
    return verb, {name: urllib.parse.unquote(value) for name, _, value in pairs}


def describe(e):
    text = f"{type(e).__name__}: {e}".replace("\n", " ")
    return text[:400].encode("utf-8", "replace").decode("utf-8")


def serve(runner, requests, replies):
    for line in requests:
        try:
            reply, more = runner.answer(line.rstrip("\n"))
        except Refused as e:
            reply, more = f"error {e.kind} {e}", 1
        except (KeyError, ValueError) as e:
            reply, more = f"error usage {describe(e)}", 1
        except Exception as e:
            traceback.print_exc()
            reply, more = f"error system {describe(e)}", 1
        replies.write(reply + "\n")
        replies.flush()
        if more != 1:
            return


def map_shared(size):
    """A profiler that starts us may have closed the descriptor; then it is found where the worker has it."""
    try:
        if os.fstat(SHARED_FD).st_size >= size:
            return mmap.mmap(SHARED_FD, size)
    except OSError:
        pass
    fd = os.open(os.environ["FORGE_GPU_SHARED"], os.O_RDWR | os.O_CLOEXEC)
    try:
        return mmap.mmap(fd, size)
    finally:
        os.close(fd)


def main():
    sys.dont_write_bytecode = True
    # What a module prints is no reply.
    replies = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    size = int(os.environ.get("FORGE_GPU_SHARED_BYTES", "0"))
    shared = map_shared(size) if size else None
    runner = Runner(load_library(sys.argv[1]), shared)
    serve(runner, sys.stdin, replies)
    replies.flush()
    os._exit(0)  # nothing of a module runs at exit


if __name__ == "__main__":
    main()
