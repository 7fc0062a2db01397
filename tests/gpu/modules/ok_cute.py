"""A kernel in CuTe DSL: compiled at the first call of a shape, launched on the stream that is captured."""
import cutlass
import cutlass.cute as cute
import torch
from cuda.bindings.driver import CUstream
from cutlass.cute.runtime import from_dlpack

THREADS = 128


@cute.kernel
def scale_of(x: cute.Tensor, w: cute.Tensor, y: cute.Tensor, a: cutlass.Float32):
    row, _, _ = cute.arch.block_idx()
    thread, _, _ = cute.arch.thread_idx()
    by = w[row] * a
    for col in range(thread, x.shape[1], THREADS):
        y[row, col] = x[row, col] * by


@cute.jit
def scale(x: cute.Tensor, w: cute.Tensor, y: cute.Tensor, a: cutlass.Float32, stream: CUstream):
    scale_of(x, w, y, a).launch(grid=(x.shape[0], 1, 1), block=(THREADS, 1, 1), stream=stream)


def run(x, w, y, rows, cols, a):
    stream = CUstream(torch.cuda.current_stream().cuda_stream)
    scale(from_dlpack(x), from_dlpack(w), from_dlpack(y), a, stream)
