#!/usr/bin/env python3
"""Released kernels of GPUs as what `forge export` makes of them for PyTorch: built by PyTorch, called by a script of
ten lines, and held against the judge of the claim. With --first at the first shape only.

    tests/export/torch_judged.py [--forge build/bin/forge] [--kernels kernels] [--first] [CLAIM...]

Each claim (those of --kernels without) is exported; the script gets drawn operands for every visible shape and every
group, at the sizes that were judged; its outputs must be within the frozen tolerances of the claim's judge,
which is compiled here from its C source. A size that was not judged must be refused. Needs PyTorch, gcc and an NVIDIA
device, for CUDA kernels nvcc; skipped without. The last line is "N passed, N failed, N skipped".
"""
import argparse
import ctypes
import json
import math
import pathlib
import shutil
import subprocess
import sys
import tempfile
import tomllib

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "bench"))
import gpu_library  # noqa: E402

# What somebody else writes.
CALL = """import torch
from forge_{entry} import {entry}
cases = torch.load("cases.pt")
made = []
for case in cases:
    out = {entry}(**{{k: v.cuda() if torch.is_tensor(v) else v for k, v in case.items()}})
    made.append([t.cpu() for t in (out if isinstance(out, (tuple, list)) else [out])])
torch.save(made, "made.pt")
"""
REFUSED = """import sys, torch
from forge_{entry} import {entry}
case = torch.load("unjudged.pt")
try:
    {entry}(**{{k: v.cuda() if torch.is_tensor(v) else v for k, v in case.items()}})
except (RuntimeError, ValueError) as e:
    sys.exit("was not judged" not in str(e))
sys.exit(1)
"""
DTYPES = {"f64": "float64", "f32": "float32", "f16": "float16", "bf16": "bfloat16", "f8e4m3": "float8_e4m3fn",
          "f8e5m2": "float8_e5m2", "i64": "int64", "i32": "int32", "i8": "int8", "u8": "uint8", "bool": "bool"}
TILE = 256  # elements of a slice of a vector (docs/format/tolerances.md)


class Tally:
    def __init__(self):
        self.passed = self.failed = self.skipped = 0

    def tell(self, is_right, what):
        self.passed += is_right
        self.failed += not is_right
        print(f"{'ok    ' if is_right else 'not ok'} {what}", flush=True)

    def skip(self, what):
        self.skipped += 1
        print(f"skipped: {what}", flush=True)

    def end(self):
        print(f"{self.passed} passed, {self.failed} failed, {self.skipped} skipped")
        return 1 if self.failed else 0


def draw(torch, how, shape, dtype, dims, generator):
    """As gpu_library draws, and the kinds that it has no use for; None: not known here."""
    n, kind = math.prod(shape), how["kind"]
    if kind in ("normal", "uniform", "integers", "permutation"):
        return gpu_library.draw(torch, {"low": 0, "high": 1} | how, shape, dtype, dims, generator)
    normal = torch.randn(n, generator=generator) * how.get("std", 1)
    if kind == "constant":
        value = how["value"]
        flat = torch.full((n,), float(gpu_library.evaluate(value, dims) if isinstance(value, str) else value))
    elif kind == "choice":
        values = torch.tensor(how["values"], dtype=torch.float64)
        flat = values[torch.randint(0, len(values), (n,), generator=generator)]
    elif kind == "sparse":
        flat = normal * (torch.rand(n, generator=generator) < how.get("density", 0.1))
    elif kind == "extremes":
        low, high = how.get("low_exp", -20), how.get("high_exp", 20)
        flat = torch.sign(normal) * 2.0 ** (torch.rand(n, generator=generator) * (high - low) + low)
    elif kind == "outlier_rows":
        rows = normal.reshape(-1, shape[-1])
        at = torch.randint(0, shape[-1], (rows.shape[0],), generator=generator)
        rows[torch.arange(rows.shape[0]), at] = float(how.get("magnitude", 1000))
        flat = rows
    else:
        return None
    return flat.reshape(shape).to(dtype)


def is_given(arg):
    return arg["role"] in ("in", "inout")


def told_dims(args):
    """Sizes that a tensor's shape names alone."""
    return {e for a in args if is_given(a) for e in a["shape"]}


def call_of(operator, tensors):
    """What the exported function is given: tensors that go in, and sizes that none of them tells."""
    told = told_dims(operator.args)
    given = {a["name"]: t for a, t in zip(operator.args, tensors) if is_given(a)}
    return given | {name: value for name, value in operator.dims.items() if name not in told}


def operands(torch, operator, group, generator):
    tensors = []
    for arg in operator.args:
        if arg["role"] == "scalar":
            tensors.append(operator.scalar(arg))
            continue
        dtype, shape = getattr(torch, DTYPES[arg["dtype"]]), operator.extent(arg)
        made = torch.zeros(shape, dtype=dtype)
        if is_given(arg):
            made = draw(torch, group["inputs"][arg["name"]], shape, dtype, operator.dims, generator)
        if made is None:
            return None
        tensors.append(made)
    return tensors


def judge_of(claim, operator, scratch):
    path = pathlib.Path(scratch) / "judge.so"
    subprocess.run(["gcc", "-O3", "-march=native", "-fopenmp", "-shared", "-fPIC", "-o", path,
                    claim / "check" / "judge.c", "-lm"], check=True)
    judge = gpu_library.Judge.__new__(gpu_library.Judge)
    judge.function = getattr(ctypes.CDLL(str(path)), operator.entry)
    return judge


def errors_of(torch, got, want):
    """Largest errors by the slice's mean and by the tensor's (docs/format/tolerances.md)."""
    got = got.reshape(want.shape)
    if not want.is_floating_point():
        return (0.0, 0.0) if bool((got == want).all()) else (math.inf, math.inf)
    got = got.to(torch.float64)
    is_same = (got == want) | (got.isnan() & want.isnan())
    off = torch.where(is_same, 0.0, (got - want).abs())
    width = want.shape[-1] if want.dim() >= 2 else TILE
    size = want.abs()
    if want.dim() >= 2:
        mean = size.reshape(-1, width).mean(dim=1, keepdim=True).expand(-1, width).reshape(want.shape)
    else:
        mean = torch.cat([part.mean().expand(len(part)) for part in size.split(width)])
    worst = []
    for beside in (mean, size.mean()):
        error = torch.where(is_same, 0.0, off / (size + beside))
        worst.append(float(error.nan_to_num(nan=math.inf).max()))
    return tuple(worst)


def tolerance_of(claim, group, output):
    for row in json.loads((claim / "check" / "tolerances.json").read_text())["outputs"]:
        if row["group"] == group and row["output"] == output:
            return row["tol_slice"], row["tol_tensor"]
    raise SystemExit(f"{claim}: no tolerance of {group}, {output}")


def cases_of(torch, claim, tally, name, is_first):
    """(operator, group's name, operands) at every visible shape, for every group that can be drawn here."""
    spec = json.loads((claim / "task" / "shapes.json").read_text())
    generator = torch.Generator().manual_seed(20261130)
    cases = []
    visible = [s for s in spec["shapes"] if not s.get("held_out")]
    for shape in visible[:1 if is_first else None]:
        operator = gpu_library.Operator(claim / "task", shape)
        for group in spec["groups"]:
            tensors = operands(torch, operator, group, generator)
            if tensors is None:
                tally.skip(f"{name} {shape['name']}, {group['name']}: no such inputs are drawn here")
            else:
                cases.append((operator, group["name"], tensors))
    return cases


def smaller(torch, operator, tensors):
    """A call at a size that nobody judged: one less along a size that a tensor tells."""
    first = next(a for a in operator.args if is_given(a))
    dim = next(e for e in first["shape"] if e in operator.dims)
    call = call_of(operator, tensors)
    for arg in [a for a in operator.args if is_given(a)]:
        for axis, extent in enumerate(arg["shape"]):
            if extent == dim:
                tensor = call[arg["name"]]
                call[arg["name"]] = tensor.narrow(axis, 0, tensor.shape[axis] - 1).contiguous()
    return call


def run_script(folder, name, text):
    (folder / name).write_text(text)
    return subprocess.run([sys.executable, name], cwd=folder, capture_output=True, text=True)


def hold(torch, claim, options, tally, scratch):
    name = str(claim.relative_to(options.kernels)) if claim.is_relative_to(options.kernels) else claim.name
    folder = pathlib.Path(scratch) / "export"
    made = subprocess.run([options.forge, "export", "--to", folder, claim], capture_output=True, text=True)
    if made.returncode:
        tally.tell(False, f"{name}: {made.stderr.strip()}")
        return
    cases = cases_of(torch, claim, tally, name, options.first)
    torch.save([call_of(o, t) for o, _, t in cases], folder / "cases.pt")
    said = run_script(folder, "call.py", CALL.format(entry=cases[0][0].entry))
    if said.returncode:
        tally.tell(False, f"{name}: {said.stderr.strip()[-2000:]}")
        return
    judge = judge_of(claim, cases[0][0], scratch)
    for (operator, group, tensors), outputs in zip(cases, torch.load(folder / "made.pt")):
        expected = judge.expected(torch, operator, tensors)
        names = [a["name"] for a in operator.args if a["role"] == "out"]
        for output, got, want in zip(names, outputs, expected, strict=True):
            errors, allowed = errors_of(torch, got, want), tolerance_of(claim, group, output)
            tally.tell(errors[0] <= allowed[0] and errors[1] <= allowed[1],
                       f"{name} {operator.shape['name']}, {group}: {output} is off by {errors[0]:.2e} of {allowed[0]:.2e}")
    torch.save(smaller(torch, cases[0][0], cases[0][2]), folder / "unjudged.pt")
    said = run_script(folder, "refused.py", REFUSED.format(entry=cases[0][0].entry))
    tally.tell(said.returncode == 0, f"{name}: a size that was not judged is refused")


def claims_of(options):
    """Folders of claims whose kernels run on a GPU."""
    found = [pathlib.Path(c).resolve() for c in options.claims] or \
        sorted(p.parent for p in options.kernels.rglob("chain.json"))
    return [c for c in found
            if tomllib.loads((c / "task" / "task.toml").read_text())["task"]["language"] in ("cuda", "python")]


def lack():
    """Why nothing can be called here, or None."""
    try:
        import torch
    except ImportError:
        return "no PyTorch here"
    if not torch.cuda.is_available():
        return "no NVIDIA device that PyTorch sees"
    return None if shutil.which("gcc") else "no gcc here"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--forge", type=pathlib.Path, default=ROOT / "build" / "bin" / "forge")
    parser.add_argument("--kernels", type=pathlib.Path, default=ROOT / "kernels")
    parser.add_argument("--first", action="store_true")
    parser.add_argument("claims", nargs="*", metavar="CLAIM")
    options = parser.parse_args()
    options.forge, options.kernels = options.forge.resolve(), options.kernels.resolve()
    tally, why = Tally(), lack()
    claims = claims_of(options)
    if why or not claims:
        tally.skip(why or "no released kernel of a GPU")
        return tally.end()
    import torch

    print(f"{torch.cuda.get_device_name()}, torch {torch.__version__}")
    for claim in claims:
        with tempfile.TemporaryDirectory() as scratch:
            hold(torch, claim, options, tally, scratch)
    return tally.end()


if __name__ == "__main__":
    sys.exit(main())
