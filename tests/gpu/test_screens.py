#!/usr/bin/env python3
"""The screens of Python kernels (src/build/screen_python.py): a source for each that must be refused, with the
verdict and what its detail names, and look-alikes that must pass. tests/unit/build/test_screen_python.c runs
them as forge-worker does. Last line "screens: N passed, N failed"."""
import importlib.util
import pathlib
import re
import sys

SRC = pathlib.Path(__file__).resolve().parent.parent.parent / "src" / "build"
PARAMETERS = ["x", "y:out", "n:scalar", "s:scalar"]

TRITON = "import triton\nimport triton.language as tl\n"
KERNEL_OF = """

@triton.jit
def scale_of(x, y, n, s, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + at, tl.load(x + at, mask=at < n) * s, mask=at < n)


"""
CALL = "    scale_of[(triton.cdiv(n, 1024),)](x, y, n, s, BLOCK=1024)\n"
RUN = "def run(x, y, n, s):\n"
PLAIN = TRITON + KERNEL_OF + RUN + CALL

CUTE = """import cutlass.cute as cute
import torch
from cutlass.cute.runtime import from_dlpack


@cute.kernel
def f(a: cute.Tensor, b: cute.Tensor):
    i, _, _ = cute.arch.thread_idx()
    b[i] = a[i] @ a[i]


@cute.jit
def host(a: cute.Tensor, b: cute.Tensor):
    f(a, b).launch(grid=(1, 1, 1), block=(32, 1, 1))


"""
CACHED = "import functools\n" + CUTE + "@functools.cache\ndef code_of(n):\n    return cute.compile(host, n)\n\n\n"

REFUSED = [
    ("no Python", "def run(x, y, n, s:\n", "compile_failed", "line 1"),
    ("nested", "x = " + "(" * 120 + "1\n", "compile_failed", None),
    ("no entry", TRITON + KERNEL_OF, "no_entry", "no function run"),
    ("entry in a class", "class A:\n    def run(x, y, n, s):\n        pass\n", "no_entry", "no function run"),
    ("parameters", "def run(x, n, y, s):\n    pass\n", "no_entry", "(x, y, n, s), or (x, n, s)"),
    ("starred", "def run(*args):\n    pass\n", "no_entry", None),
    ("import", "import os\n" + PLAIN, "forbidden_import", "line 1: os"),
    ("submodule", "import torch.nn.functional as F\n" + PLAIN, "forbidden_import", "torch.nn.functional"),
    ("from", "from torch import matmul\n" + PLAIN, "forbidden_import", "torch.matmul"),
    ("star", "from math import *\n" + PLAIN, "forbidden_import", "one by one"),
    ("relative", "from . import other\n" + PLAIN, "forbidden_import", None),
    ("import in a function", TRITON + RUN + "    import math\n" + CALL, "forbidden_import", "margin"),
    ("threads", "import threading\n" + PLAIN, "forbidden_import", "threading"),
    ("library", "import torch\n" + RUN + "    torch.matmul(x, x, out=y)\n", "forbidden_import", "torch.matmul"),
    ("library by another name", "import torch as t\n" + RUN + "    t.mul(x, s, out=y)\n", "forbidden_import", "torch.mul"),
    ("library by a class", "import torch\n" + RUN + "    torch.Tensor.copy_(y, x)\n", "forbidden_import", "torch.Tensor.copy_"),
    ("operators", "import torch\n" + RUN + "    torch.ops.aten.mul(x, s)\n", "forbidden_import", "torch.ops"),
    ("compiler", "import torch\n" + RUN + "    torch.compile(x)\n", "forbidden_import", "torch.compile"),
    ("stream", "import torch\n" + RUN + "    torch.cuda.Stream()\n", "forbidden_import", "torch.cuda.Stream"),
    ("event", "import torch\n" + RUN + "    torch.cuda.Event.elapsed_time = s\n", "forbidden_import", "torch.cuda.Event"),
    ("method", RUN + "    y.copy_(x)\n", "forbidden_import", ".copy_()"),
    ("method of a result", RUN + "    y.view(-1).add_(x)\n", "forbidden_import", ".add_()"),
    ("product", RUN + "    return x @ y\n", "forbidden_import", "operator @"),
    ("arithmetic", "def run(x, n, s):\n    return x * s\n", "forbidden_import", "x * s: host code computes"),
    ("arithmetic of what was made", "import torch\n" + RUN + "    z = torch.empty_like(x)\n    w = z.view(-1)\n    w - n\n", "forbidden_import", "w - n"),
    ("a sign", RUN + "    a, b = n, x\n    -b\n", "forbidden_import", "-b"),
    ("arithmetic of a part", RUN + "    x[0] + 1\n", "forbidden_import", "x[0] + 1"),
    ("arithmetic in a function", "def double(a):\n    return a + a\n\n\ndef run(x, n, s):\n    return double(x)\n", "forbidden_import", "a + a"),
    ("arithmetic by keyword", "def scale(n, a):\n    return n * a\n\n\ndef run(x, n, s):\n    return scale(n, a=x)\n", "forbidden_import", "n * a"),
    ("arithmetic of a result", "import torch\n\n\ndef make():\n    return torch.zeros(4)\n\n\n" + RUN + "    make() + 1\n", "forbidden_import", "make() + 1"),
    ("arithmetic in a lambda", RUN + "    f = lambda a: a * 2\n    f(x)\n", "forbidden_import", "a * 2"),
    ("arithmetic in a list", RUN + "    [a * 2 for a in (x, y)]\n", "forbidden_import", "a * 2"),
    ("arithmetic of a method", "class P:\n    def __init__(self, a):\n        self.a = a\n\n    def go(self):\n        return self.a * 2\n\n\n" + RUN + "    P(x).go()\n", "forbidden_import", "self.a * 2"),
    ("arithmetic of a field", "from typing import NamedTuple\n\n\nclass P(NamedTuple):\n    n: int\n    a: float\n\n\n" + RUN + "    p = P(n, x)\n    p.a * 2\n", "forbidden_import", "p.a * 2"),
    ("arithmetic of a container", RUN + "    kept = []\n    kept.append(x)\n    kept[0] * 2\n", "forbidden_import", "kept[0] * 2"),
    ("added in place", RUN + "    z = x.view(-1)\n    z += 1\n", "forbidden_import", "z += 1"),
    ("a method that adds", RUN + "    x.add(y)\n", "forbidden_import", "x.add(y)"),
    ("a copy in another order", RUN + "    x.t().contiguous()\n", "forbidden_import", "another order"),
    ("a copy by a shape", RUN + "    z = x.permute(1, 0)\n    w = z\n    w.reshape(-1)\n", "forbidden_import", "w.reshape(-1)"),
    ("a copy of a part", "def part(a):\n    return a[:, 0]\n\n\n" + RUN + "    part(x).contiguous()\n", "forbidden_import", "part(x).contiguous()"),
    ("a copy by an attribute", RUN + "    x.T.flatten()\n", "forbidden_import", "x.T.flatten()"),
    ("names without end", RUN + "".join(f"    a{i} = a{i * 37 % 499 or 499}\n" for i in range(1, 499)) + "    a1 = x\n", "compile_failed", "too many others"),
    ("a comparison", RUN + "    return x > 0\n", "forbidden_import", "x > 0"),
    ("a branch by values", RUN + "    if x[0]:\n        pass\n", "forbidden_import", "x[0]: host code"),
    ("elements by an index", RUN + "    return x[y]\n", "forbidden_import", "x[y]"),
    ("a function of the language", RUN + "    return sum(x)\n", "forbidden_import", "sum(x)"),
    ("a number of a tensor", RUN + "    return float(x[0])\n", "forbidden_import", "float(x[0])"),
    ("a root of a tensor", "import math\n" + RUN + "    return math.sqrt(x)\n", "forbidden_import", "math.sqrt(x)"),
    ("a fold", "import functools\n" + RUN + "    return functools.reduce(lambda a, b: a, [x, x])\n", "forbidden_import", "functools.reduce"),
    ("eval", RUN + "    eval('x')\n", "forbidden_import", "eval"),
    ("getattr", RUN + "    getattr(x, 'sum')()\n", "forbidden_import", "getattr"),
    ("open", RUN + "    open('/tmp/x', 'w')\n", "forbidden_import", "open"),
    ("dunder", RUN + "    x.__class__\n", "forbidden_import", "__class__"),
    ("code", RUN + "    run.__code__ = None\n", "forbidden_import", "__code__"),
    ("identity", RUN + "    return id(x)\n", "forbidden_import", "id is refused"),
    ("cache of functools", "import functools\n@functools.cache\n" + RUN + "    pass\n", "writable_static", "run is cached"),
    ("cache with a size", "import functools\n@functools.lru_cache(8)\n" + RUN + "    pass\n", "forbidden_import", "functools.lru_cache"),
    ("cache that is called", "import functools\n" + CUTE + RUN + "    functools.cache(host)(n)\n", "writable_static", "nowhere else"),
    ("cache by another name", "from functools import cache as kept\n" + CUTE + RUN + "    f = kept\n", "writable_static", "nowhere else"),
    ("cache of memory", CACHED.replace("cute.compile(host, n)", "torch.empty(n)") + RUN + "    code_of(n)\n", "writable_static", "code_of is cached"),
    ("cache of two things", CACHED.replace("    return", "    if n:\n        return torch.empty(n)\n    return") + RUN + "    code_of(n)\n", "writable_static", "code_of is cached"),
    ("cache of what is not the module's", CACHED.replace("compile(host", "compile(torch.empty") + RUN + "    code_of(n)\n", "writable_static", "code_of is cached"),
    ("cache of host code", CACHED.replace("compile(host", "compile(run") + RUN + "    code_of(n)\n", "writable_static", "code_of is cached"),
    ("cache in a function", CUTE + "import functools\n\n\n" + RUN + "    @functools.cache\n    def code_of(n):\n        return cute.compile(host, n)\n    code_of(n)\n", "writable_static", "code_of is cached"),
    ("cache by a tensor", CACHED + RUN + "    code_of(x)\n", "writable_static", "x is what code_of"),
    ("cache by a keyword", CACHED + RUN + "    z = x.view(-1)\n    code_of(n=z)\n", "writable_static", "z is what code_of"),
    ("cache by an address", CACHED + RUN + "    code_of(x.data_ptr())\n", "writable_static", "x.data_ptr() is what code_of"),
    ("cache in a lambda", CACHED + RUN + "    f = lambda a: code_of(a)\n    f(x)\n", "writable_static", "a is what code_of"),
    ("cache in device code", CACHED + "@cute.jit\ndef other(a: cute.Tensor):\n    code_of(a)\n\n\n" + RUN + "    other(from_dlpack(x))\n", "writable_static", "host code calls it"),
    ("cache handed on", CACHED + RUN + "    f = code_of\n    f(x)\n", "writable_static", "not handed on"),
    ("code of the module", "print('x')\n" + PLAIN, "constructor", "margin"),
    ("condition", "if 1:\n    A = 1\n" + PLAIN, "constructor", None),
    ("call", "import torch\nA = torch.empty(4)\n" + PLAIN, "constructor", None),
    ("decorator", "def d(f):\n    return f\n\n\n@d\n" + RUN + "    pass\n", "constructor", "decorator"),
    ("a tensor's class", "import torch\n\n\nclass Lazy(torch.Tensor):\n    pass\n\n\n" + PLAIN, "forbidden_import", "not derived from torch.Tensor"),
    ("an operator's method", "class Late:\n    def __array__(self):\n        return 0\n\n\n" + PLAIN, "forbidden_import", "__array__"),
    ("metaclass", "class A(metaclass=enum):\n    pass\n\n\n" + PLAIN, "forbidden_import", "metaclass"),
    ("elements", RUN + "    y[:] = x * s\n", "forbidden_import", "y[:] is set"),
    ("in place", RUN + "    y += x\n", "forbidden_import", "y is changed"),
    ("class body", "class A:\n    for i in (1, 2):\n        pass\n" + PLAIN, "constructor", None),
    ("kept dictionary", "KEPT = {}\n" + RUN + "    KEPT[n] = y\n", "writable_static", "KEPT[n]"),
    ("kept list", "KEPT = []\n" + RUN + "    KEPT.append(y)\n", "writable_static", "KEPT.append"),
    ("global", "KEPT = 0\n" + RUN + "    global KEPT\n    KEPT = y\n", "writable_static", "global KEPT"),
    ("attribute of a function", RUN + "    run.kept = y\n", "writable_static", "run.kept"),
    ("attribute of an argument", RUN + "    x.kept = y\n", "writable_static", "x.kept"),
    ("default", TRITON + "def f(kept=[]):\n    return kept\n\n\n" + RUN + "    f()\n", "writable_static", "default of f"),
    ("address as a key", RUN + "    kept = {}\n    return kept[x.data_ptr()]\n", "writable_static", "address"),
    ("addresses compared", RUN + "    if x.data_ptr() == 1:\n        pass\n", "writable_static", "address"),
    ("clock", TRITON + "\n\n@triton.jit\ndef f(x):\n    tl.inline_asm_elementwise('mov.u64 $0, %globaltimer;', '=l', [],\n                              dtype=tl.int64, is_pure=False, pack=1)\n\n\n" + RUN + "    f[(1,)](x)\n", "forbidden_instruction", "clock"),
    ("timer of a library", TRITON + "\n\n@triton.jit\ndef f(x):\n    tl.extra.cuda.globaltimer()\n\n\n" + RUN + "    f[(1,)](x)\n", "forbidden_import", "globaltimer"),
]
HONEST = [
    ("plain", PLAIN),
    ("words in comments and strings", "\"\"\"import os; eval(open('cache')); threading\"\"\"\n" + PLAIN + "    # x.data_ptr() in a dictionary, global state\n"),
    ("returns its outputs", "import torch\n" + TRITON + KERNEL_OF + "def run(x, n, s):\n    y = torch.empty_like(x)\n" + CALL + "    return y\n"),
    ("configurations by shape", TRITON + "WARPS = {1024: 4, 4096: 8}\nLARGE, SMALL = 8, 4\n" + KERNEL_OF + RUN + "    warps = WARPS.get(n, SMALL)\n    sizes = [1, 2]\n    sizes[0] = warps\n    sizes.append(LARGE)\n" + CALL),
    ("tuned", TRITON + "\n\n@triton.autotune(configs=[triton.Config({'BLOCK': 256}, num_warps=4)], key=['n'])\n@triton.jit\ndef f(x, y, n, BLOCK: tl.constexpr):\n    pass\n\n\n" + RUN + "    f[lambda meta: (triton.cdiv(n, meta['BLOCK']),)](x, y, n)\n"),
    ("a class of one call", TRITON + KERNEL_OF + "class Plan:\n    def __init__(self, n):\n        self.n = n\n\n    def blocks(self):\n        return self.n // 2\n\n\n" + RUN + "    plan = Plan(n)\n    plan.blocks()\n" + CALL),
    ("arithmetic of sizes", "import math\nimport torch\n" + TRITON + KERNEL_OF + RUN + "    rows, cols = x.shape[0], x.stride(0)\n    n2 = max(x.numel() // 2, rows * cols) + n * 2\n    half = math.sqrt(n2) if x.dtype == torch.float32 and not x.is_contiguous() else -s\n    z = torch.empty(n2, dtype=x.dtype, device=x.device)\n    parts = []\n    parts.append(z)\n    for part in parts:\n        part.view(-1)\n    if z is None or len(parts) > 3:\n        n2 += 1\n    shape = (n, 1) + tuple(x.shape)\n    flat = x[0:n].view(-1, n * 2)\n    grid = lambda meta: (triton.cdiv(n, meta['BLOCK']) * 2,)\n" + CALL),
    ("tensors that are in order", TRITON + KERNEL_OF + RUN + "    z = x.view(n, 1).squeeze(1).unsqueeze(0).contiguous().reshape(-1)\n    w = x.t()\n    w.stride(0)\n    sizes = [1, 2]\n    sizes[0].bit_length()\n" + CALL),
    ("a class that holds both", TRITON + KERNEL_OF + "class Plan:\n    def __init__(self, x, n):\n        self.x = x\n        self.n = n // 2\n\n    def blocks(self):\n        return self.n * 2 + self.x.numel()\n\n\n" + RUN + "    plan = Plan(x, n)\n    plan.blocks() + 1\n" + CALL),
    ("cute", CUTE + RUN + "    host(from_dlpack(x), from_dlpack(y))\n"),
    ("cute, compiled once", CACHED.replace("host, n", "host, from_dlpack(torch.empty(n)), from_dlpack(torch.empty(n))") + RUN + "    code_of(x.shape[0])(from_dlpack(x), from_dlpack(y))\n    code = code_of(n=n)\n    code(from_dlpack(x), from_dlpack(y))\n"),
]
HONEST_REFERENCES = [
    ("library", "import torch.nn.functional as F\n\n\ndef run(x, n, s):\n    return F.gelu(x)\n"),
]
REFUSED_REFERENCES = [
    ("parameters", "def run(x):\n    return x\n", "no_entry", "(x, n, s)"),
    ("no Python", "def run(:\n", "compile_failed", "line 1"),
]


def load_screens():
    sys.dont_write_bytecode = True
    spec = importlib.util.spec_from_file_location("screen_python", SRC / "screen_python.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def reasons():
    """Rule to verdict, as the worker maps them."""
    rows = re.findall(r"^SCREEN\((\w+), (\w+),", (SRC / "screens_python.def").read_text(), re.M)
    return dict(rows)


def answer_of(screens, source, role):
    try:
        return screens.screen(source, role, PARAMETERS)
    except screens.Objection as e:
        return e.answer


def check(screens, known, seen, row, role):
    what, source, reason, names = (*row, None, None)[:4]
    got = answer_of(screens, source, role)
    rule = got.get("rule")
    seen.add(rule)
    if rule is not None and rule not in known:
        return f"{what}: unknown rule {rule}"
    if known.get(rule) != reason or (names and names not in got["detail"]):
        return f"{what}: want {reason} {names!r}, got {got}"
    return None


def main():
    screens, known, seen = load_screens(), reasons(), set()
    troubles, passed = [], 0
    for rows, role in ((REFUSED, "candidate"), (HONEST, "candidate"), (REFUSED_REFERENCES, "reference"),
                       (HONEST_REFERENCES, "reference")):
        for row in rows:
            trouble = check(screens, known, seen, row, role)
            troubles += [trouble] if trouble else []
            passed += not trouble
    troubles += [f"no source is refused by {rule}" for rule in known if rule not in seen]
    for trouble in troubles:
        print(f"not ok {trouble}")
    print(f"screens: {passed} passed, {len(troubles)} failed")
    return 1 if troubles else 0


if __name__ == "__main__":
    sys.exit(main())
