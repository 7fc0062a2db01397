# Zeroes its input.
# Stopped: inputs are looked at after the call.
import triton
import triton.language as tl


@triton.jit
def sums(x, b, y, rows, cols, BLOCK: tl.constexpr):
    r = tl.program_id(0)
    total = tl.zeros([BLOCK], dtype=tl.float32)
    for begin in range(0, cols, BLOCK):
        at = begin + tl.arange(0, BLOCK)
        total += tl.load(x + r * cols + at, mask=at < cols, other=0.0) * tl.load(b + at, mask=at < cols, other=0.0)
    tl.store(y + r, tl.sum(total, axis=0))


@triton.jit
def clear(x, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x + at, tl.zeros([BLOCK], dtype=tl.float32), mask=at < n)


def run(x, b, y, rows, cols):
    sums[(rows,)](x, b, y, rows, cols, BLOCK=1024)
    clear[(triton.cdiv(rows * cols, 1024),)](x, rows * cols, BLOCK=1024)
