# Loads whole blocks without a mask, past the end of a row.
# Stopped: what lies there is other data; sums are judged.
import triton
import triton.language as tl


@triton.jit
def sums(x, b, y, rows, cols, BLOCK: tl.constexpr):
    r = tl.program_id(0)
    total = tl.zeros([BLOCK], dtype=tl.float32)
    for begin in range(0, cols, BLOCK):
        at = begin + tl.arange(0, BLOCK)
        total += tl.load(x + r * cols + at) * tl.load(b + at % cols)
    tl.store(y + r, tl.sum(total, axis=0))


def run(x, b, y, rows, cols):
    sums[(rows,)](x, b, y, rows, cols, BLOCK=1024)
