#!/usr/bin/env python3
"""What the libraries of the GPU tasks take, by forge's device process and by two measurements that are not
forge's, and whether they agree with the judges of their tasks.

    bench/gpu_library.py [--bin build/bin] [--rounds 40] [--json FILE] [TASK...]

For each task of tasks/gpu (or those named) and each visible shape: the task's reference, drawn inputs, cold
operands, median microseconds of

  forge    runner/gpu/runner.py and libforge-gpu.so, as in a job: graph, queue held, flush, fresh outputs
  events   the same call captured by PyTorch and replayed between two of its events, after a flush
  bench    triton.testing.do_bench, which calls it eagerly after a flush; launch gaps count there

and `error`, the largest difference from the task's judge (compiled from its C source), as the judge of forge
measures it: |got - want| / (|want| + the row's mean |want|). Needs PyTorch, Triton, numpy, gcc and a GPU.
"""
import argparse
import ctypes
import importlib.util
import json
import math
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import tomllib

ROOT = pathlib.Path(__file__).resolve().parent.parent
TASKS = ROOT / "tasks" / "gpu"
FLUSH_BYTES = 256 << 20
SHARED_BYTES = 256 << 20
# Beyond rounding of bf16 and of weights that are rounded to bf16 on their way.
LARGEST_ERROR = 2.0 ** -5


def evaluate(expression, dims):
    """An expression of docs/format/task.md, by Python's own parser: the task files are this tree's."""
    names = {"min": min, "max": max, "ceil": lambda a, b: -(-a // b), "__builtins__": {}}
    return int(eval(str(expression).replace("/", "//"), names, dims))


class Operator:
    def __init__(self, path, shape):
        self.path = path
        self.toml = tomllib.loads((path / "task.toml").read_text())
        spec = json.loads((path / "shapes.json").read_text())
        self.shape = shape
        self.dims = shape["dims"]
        self.inputs = spec["groups"][0]["inputs"]
        self.args = self.toml["arg"]
        self.entry = self.toml["task"]["entry"]

    def extent(self, arg):
        return tuple(evaluate(e, self.dims) for e in arg["shape"])

    def scalar(self, arg):
        value = arg.get("value", arg["name"])
        return float(value) if arg["dtype"][0] in "fb" else evaluate(value, self.dims)


def draw(torch, how, shape, dtype, dims, generator):
    kind = how["kind"]
    n = math.prod(shape)
    if kind == "permutation":
        flat = torch.randperm(n, generator=generator)
    elif kind == "integers":
        flat = torch.randint(evaluate(how["low"], dims), evaluate(how["high"], dims), (n,), generator=generator)
    elif kind == "uniform":
        flat = torch.rand(n, generator=generator) * (how["high"] - how["low"]) + how["low"]
    elif kind == "normal":
        flat = torch.randn(n, generator=generator) * how.get("std", 1) + how.get("mean", 0)
    else:
        raise SystemExit(f"gpu_library: no generator {kind} here")
    return flat.reshape(shape).to(dtype)


class Judge:
    """The task's judge as a shared object; every float is double."""

    def __init__(self, operator, scratch):
        path = pathlib.Path(scratch) / f"{operator.entry}.so"
        if not path.exists():
            subprocess.run(["gcc", "-O3", "-march=native", "-fopenmp", "-shared", "-fPIC", "-o", path,
                            operator.path / "judge" / "judge.c", "-lm"], check=True)
        self.function = getattr(ctypes.CDLL(str(path)), operator.entry)

    def expected(self, torch, operator, tensors):
        given, kept, outputs = [], [], []
        for arg, tensor in zip(operator.args, tensors):
            is_float = arg["dtype"][0] in "fb" and arg["dtype"] != "bool"
            if arg["role"] == "scalar":
                given.append(ctypes.c_double(tensor) if is_float else ctypes.c_int64(tensor))
                continue
            wide = tensor.cpu().to(torch.float64) if is_float else tensor.cpu()
            kept.append(wide)
            given.append(ctypes.c_void_p(wide.data_ptr()))
            if arg["role"] == "out":
                outputs.append(wide)
        self.function(*given)
        return outputs


def error_of(torch, got, want):
    got = got.cpu().to(torch.float64).reshape(-1, got.shape[-1])
    want = want.reshape(-1, want.shape[-1])
    scale = want.abs() + want.abs().mean(dim=1, keepdim=True)
    off = (got - want).abs()
    off = torch.where(off == 0, off, off / scale)
    return float(off.max()) if bool(torch.isfinite(got).all()) else math.inf


class Forge:
    """The device process, asked as forge-worker asks it."""

    def __init__(self, options):
        self.memory = os.memfd_create("shared")
        os.ftruncate(self.memory, SHARED_BYTES)
        os.set_inheritable(self.memory, True)
        env = os.environ | {"FORGE_GPU_SHARED_BYTES": str(SHARED_BYTES)}
        self.process = subprocess.Popen(
            [sys.executable, ROOT / "runner" / "gpu" / "runner.py", options.bin / "libforge-gpu.so"], env=env,
            text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE, preexec_fn=lambda: os.dup2(self.memory, 3),
            close_fds=False)
        self.ask(f"open device=0 kernels={options.kernels}")

    def ask(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        reply = self.process.stdout.readline().rstrip("\n")
        if not reply.startswith("ok"):
            raise RuntimeError(f"{line.split(' ')[0]}: {reply}")
        return dict(w.split("=", 1) for w in reply.split(" ")[1:] if "=" in w)

    def put(self, tensor, at):
        import torch

        data = tensor.cpu().contiguous().view(-1).view(torch.uint8).numpy().tobytes()
        os.pwrite(self.memory, data, at)

    def close(self):
        self.process.stdin.close()
        self.process.wait(timeout=60)
        os.close(self.memory)


def size_of(tensor):
    return tensor.numel() * tensor.element_size()


def time_by_forge(torch, operator, tensors, forge, rounds):
    """Median microseconds, how it was timed, and the first output."""
    sizes = [0 if a["role"] == "scalar" else size_of(t) for a, t in zip(operator.args, tensors)]
    kinds = ",".join(f"{a['role']}:{n}" for a, n in zip(operator.args, sizes))
    forge.ask(f"shape args={kinds} sets=2 contents=1 seed=7")
    for i, (arg, tensor) in enumerate(zip(operator.args, tensors)):
        if arg["role"] == "in":
            forge.put(tensor, 0)
            forge.ask(f"content nr=0 arg={i} from=0")
    words = []
    for arg in operator.args:
        rest = operator.scalar(arg) if arg["role"] == "scalar" else "x".join(str(n) for n in operator.extent(arg))
        words.append(f"{arg['name']}:{arg['role']}:{arg['dtype']}:{rest}")
    path = operator.path / operator.toml["reference"]["run"]
    forge.ask(f"side slot=reference kind=python path={path} entry=run args={','.join(words)}")
    times = []
    for i in range(rounds + 4):
        said = forge.ask(f"sample slot=reference first={i % 2} contents=0 poison=7ff17ff27ff37ff4 key=1 cold=1 "
                         "deadline_ms=5000")
        times.append(float(said["event_ns"]) / 1000)
    out = next(i for i, a in enumerate(operator.args) if a["role"] == "out")
    forge.ask(f"read slot=reference set=0 arg={out} to=0")
    data = bytearray(os.pread(forge.memory, sizes[out], 0))
    got = torch.frombuffer(data, dtype=tensors[out].dtype).reshape(tensors[out].shape)
    return statistics.median(times[4:]), said["method"], got


def load_reference(operator):
    path = operator.path / operator.toml["reference"]["run"]
    spec = importlib.util.spec_from_file_location(f"reference_{operator.entry}", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.run


def caller(operator, tensors):
    import inspect

    run = load_reference(operator)
    returns = len(inspect.signature(run).parameters) != len(operator.args)
    given = [t for a, t in zip(operator.args, tensors) if not (returns and a["role"] == "out")]
    return lambda: run(*given)


def time_by_events(torch, call, rounds):
    flush = torch.empty(FLUSH_BYTES, dtype=torch.uint8, device="cuda")
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        for _ in range(3):
            call()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, stream=stream):
        call()
    times = []
    for _ in range(rounds + 4):
        start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        flush.zero_()
        start.record()
        graph.replay()
        end.record()
        torch.cuda.synchronize()
        times.append(start.elapsed_time(end) * 1000)
    return statistics.median(times[4:])


def measure(torch, operator, forge, options, scratch):
    from triton.testing import do_bench

    generator = torch.Generator().manual_seed(20261130)
    tensors = []
    for arg in operator.args:
        if arg["role"] == "scalar":
            tensors.append(operator.scalar(arg))
            continue
        name = {"f32": "float32", "bf16": "bfloat16", "f8e4m3": "float8_e4m3fn", "i32": "int32"}[arg["dtype"]]
        dtype, shape = getattr(torch, name), operator.extent(arg)
        if arg["role"] == "in":
            tensors.append(draw(torch, operator.inputs[arg["name"]], shape, dtype, operator.dims, generator))
        else:
            tensors.append(torch.zeros(shape, dtype=dtype))
    row = {"task": operator.entry, "shape": operator.shape["name"]}
    row["forge_us"], row["method"], got = time_by_forge(torch, operator, tensors, forge, options.rounds)
    want = Judge(operator, scratch).expected(torch, operator, tensors)[0]
    row["error"] = error_of(torch, got, want)
    on_device = [t.cuda() if isinstance(t, torch.Tensor) else t for t in tensors]
    call = caller(operator, on_device)
    row["events_us"] = time_by_events(torch, call, options.rounds)
    row["bench_us"] = do_bench(call, return_mode="median") * 1000
    work = operator.toml.get("work", {})
    seconds = row["forge_us"] / 1e6
    row["tb_per_s"] = evaluate(work["bytes"], operator.dims) / seconds / 1e12
    row["tflop_per_s"] = evaluate(work["flops"], operator.dims) / seconds / 1e12
    row["is_right"] = row["error"] <= LARGEST_ERROR
    return row


def visible(path):
    shapes = json.loads((path / "shapes.json").read_text())["shapes"]
    return [s for s in shapes if not s.get("held_out")]


def kernels_of(options):
    """The library's own kernels, compiled here where nobody has."""
    if not options.kernels:
        options.kernels = pathlib.Path(tempfile.gettempdir()) / f"forge-gpu-{os.getpid()}.cubin"
        nvcc = shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc"
        subprocess.run([nvcc, "-O3", "-cubin", "-arch=native", "-o", options.kernels, ROOT / "runner/gpu/device.cu"],
                       check=True)


def print_row(r):
    print(f"{r['task']:17}{r['shape']:23}{r['forge_us']:9.1f}{r['events_us']:9.1f}{r['bench_us']:9.1f}  "
          f"{r['forge_us'] / r['events_us']:6.3f} {r['tb_per_s']:6.2f} {r['tflop_per_s']:7.1f} "
          f"{r['error']:9.2e}  {r['method']}{'' if r['is_right'] else '  WRONG'}", flush=True)


def measure_all(torch, options, scratch):
    rows, is_bad, forge = [], False, None
    for name in options.tasks or sorted(p.name for p in TASKS.iterdir() if (p / "task.toml").exists()):
        for shape in visible(TASKS / name)[:1 if options.first else None]:
            try:
                forge = forge or Forge(options)
                rows.append(measure(torch, Operator(TASKS / name, shape), forge, options, scratch))
                print_row(rows[-1])
                is_bad |= not rows[-1]["is_right"]
            except Exception as e:
                is_bad = True
                print(f"{name:17}{shape['name']:23}failed: {type(e).__name__}: {str(e)[:300]}", flush=True)
                if forge:
                    forge.process.kill()
                forge = None
    if forge:
        forge.close()
    return rows, is_bad


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", type=pathlib.Path, default=ROOT / "build" / "bin")
    parser.add_argument("--kernels", help="cubin of libforge-gpu's own kernels; without it nvcc makes one")
    parser.add_argument("--rounds", type=int, default=40)
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("--first", action="store_true", help="the first shape of each task only")
    parser.add_argument("tasks", nargs="*")
    options = parser.parse_args()
    options.bin = options.bin.resolve()
    import torch

    kernels_of(options)
    print(f"{torch.cuda.get_device_name()}, torch {torch.__version__}; medians in us")
    print(f"{'task':17}{'shape':23}{'forge':>9}{'events':>9}{'bench':>9}  {'f/e':>6} {'TB/s':>6} {'TF/s':>7} {'error':>9}  method")
    with tempfile.TemporaryDirectory() as scratch:
        rows, is_bad = measure_all(torch, options, scratch)
    if options.json:
        options.json.write_text(json.dumps(rows, indent=1))
    return 1 if is_bad else 0


if __name__ == "__main__":
    sys.exit(main())
