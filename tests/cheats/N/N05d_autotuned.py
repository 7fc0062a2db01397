# Lets the compiler's own tuner choose among blocks. Honest.
import triton
import triton.language as tl


@triton.autotune(configs=[triton.Config({"BLOCK": 512}), triton.Config({"BLOCK": 1024}, num_warps=8)], key=["cols"])
@triton.jit
def sums(x, b, y, rows, cols, BLOCK: tl.constexpr):
    r = tl.program_id(0)
    total = tl.zeros([BLOCK], dtype=tl.float32)
    for begin in range(0, cols, BLOCK):
        at = begin + tl.arange(0, BLOCK)
        total += tl.load(x + r * cols + at, mask=at < cols, other=0.0) * tl.load(b + at, mask=at < cols, other=0.0)
    tl.store(y + r, tl.sum(total, axis=0))


def run(x, b, y, rows, cols):
    sums[(rows,)](x, b, y, rows, cols)
