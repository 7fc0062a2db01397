"""A claim of a GPU kernel goes the way of a claim: measured again here and through a spool, released, drawn from the
released ones, taken to PyTorch's sources and to a bundle for review. Part of `make check-gpu-fake`, which makes the run."""
import json
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


class Steps:
    """forge in the folder of the run; `why` is the first thing that was not as it should be."""

    def __init__(self, forge, work, env):
        self.forge, self.work, self.env = forge, work, env | {"FORGE_SHARE": str(ROOT / "share")}
        self.why = None

    def run(self, argv, **more):
        return subprocess.run([str(a) for a in argv], cwd=self.work, env=self.env | more, capture_output=True, text=True)

    def expect(self, is_so, what):
        self.why = self.why or (None if is_so else what)

    def verify(self, claim, **more):
        done = self.run([self.forge, "verify", "-k", "8", "--json", claim], **more)
        try:
            return json.loads(done.stdout) | {"exit": done.returncode}
        except ValueError:
            return {"exit": done.returncode, "outcome": done.stderr[-300:]}

    def export(self, *words):
        done = self.run([self.forge, "export", *words])
        self.expect(done.returncode == 0, f"export {' '.join(map(str, words))}: {done.stderr[-300:]}")


def through_spool(steps, claim):
    """A worker serves a folder meanwhile."""
    spool = steps.work / "spool"
    spool.mkdir()
    worker = subprocess.Popen([str(pathlib.Path(steps.forge).parent / "forge-worker"), "spool", str(spool)], cwd=steps.work,
                              env=steps.env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        return steps.verify(claim, FK_DELIVERY="spool", SPOOL_DIR=str(spool))
    finally:
        worker.terminate()
        worker.wait(timeout=60)


# Whether two intervals meet is the machine's business where timing is a fake's; that it was judged and timed is not.
MEASURED = ("reproduced", "not reproduced")


def check(forge, work, env):
    """On work/run, which has ended with a confirmed kernel; what is wrong, or None."""
    steps = Steps(forge, work, env)
    answer = through_spool(steps, "run/best")
    steps.expect(answer["outcome"] in MEASURED and (answer.get("verdict") or {}).get("reason") == "ok",
                 f"verify: {answer['outcome']}: {answer.get('why')}")
    steps.expect((answer.get("measured") or {}).get("replicates") == 8, "verify: nothing was timed")
    steps.export("--form", "kernels", "--to", "kernels", "run")
    row = next(work.glob("kernels/*/*/chain.json")).parent
    drawn = steps.run([ROOT / "bench/verify", "-k", work / "kernels", "-w", "gpu", "-n", "1", "-K", "8"],
                      FORGE_BIN=str(pathlib.Path(steps.forge).parent))
    steps.expect("1 of 1 rows (gpu)" in drawn.stdout and "measured" in drawn.stdout, f"bench/verify: {drawn.stdout[-300:]}")
    page = (work / "kernels/README.md").read_text()
    steps.expect(f"`forge verify kernels/{row.relative_to(work / 'kernels')}`" in page, "kernels/README.md has no such row")
    steps.export("--to", "torch", row)
    steps.expect((work / "torch/kernel.cu").read_bytes() == (row / "kernel.c").read_bytes(), "torch/kernel.cu is another kernel")
    steps.export("--form", "review", "--to", "review", "run")
    steps.expect((work / "review/kernel.cu").exists() and (work / "review.tar").exists(), "the bundle for review lacks the kernel")
    return steps.why
