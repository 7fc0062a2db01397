"""A kernel in Triton: it takes turns with PyTorch's, each in a context of its own."""
import triton
import triton.language as tl


@triton.jit
def scale_of(x, w, y, cols, a, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    by = tl.load(w + row) * a
    for begin in range(0, cols, BLOCK):
        at = begin + tl.arange(0, BLOCK)
        tl.store(y + row * cols + at, tl.load(x + row * cols + at, mask=at < cols) * by, mask=at < cols)


def run(x, w, y, rows, cols, a):
    scale_of[(rows,)](x, w, y, cols, a, BLOCK=1024)
