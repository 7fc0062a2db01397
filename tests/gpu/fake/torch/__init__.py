"""A fake PyTorch for tests of runner/gpu/runner.py: tensors are bytes of the host, a capture is a call, a
graph is a number. It computes nothing but what the modules of the test ask of it."""
import contextlib
import ctypes
import os
import sys
import types

SIZES = {
    "float64": 8, "float32": 4, "float16": 2, "bfloat16": 2, "float8_e4m3fn": 1, "float8_e5m2": 1, "int64": 8,
    "int32": 4, "int8": 1, "uint8": 1, "bool": 1,
}


class dtype:
    def __init__(self, name):
        self.name = name

    def __repr__(self):
        return f"torch.{self.name}"


globals().update({name: dtype(name) for name in SIZES})


def count(shape):
    n = 1
    for extent in shape:
        n *= extent
    return n


class Tensor:
    def __init__(self, address, kind, shape, keep=None, contiguous=True):
        self.address, self.dtype, self.shape, self.keep, self.contiguous = address, kind, shape, keep, contiguous

    def element_size(self):
        return SIZES[self.dtype.name]

    def nbytes(self):
        return count(self.shape) * self.element_size()

    def data_ptr(self):
        return self.address

    def is_contiguous(self):
        return self.contiguous

    def view(self, what):
        if isinstance(what, dtype):
            return Tensor(self.address, what, (self.nbytes() // SIZES[what.name],), self)
        shape = (count(self.shape),) if what == -1 else tuple(what)
        assert count(shape) == count(self.shape), (shape, self.shape)
        return Tensor(self.address, self.dtype, shape, self)

    def to(self, _device):
        copy = empty(self.shape, self.dtype)
        return copy.copy_(self)

    def copy_(self, other):
        assert self.nbytes() == other.nbytes(), (self.nbytes(), other.nbytes())
        ctypes.memmove(self.address, other.address, self.nbytes())
        return self

    def bytes(self):
        return ctypes.string_at(self.address, self.nbytes())

    def put(self, data):
        ctypes.memmove(self.address, data, len(data))
        return self


def empty(shape, dtype):  # noqa: A002
    memory = ctypes.create_string_buffer(max(1, count(tuple(shape)) * SIZES[dtype.name]))
    return Tensor(ctypes.addressof(memory), dtype, tuple(shape), memory)


def frombuffer(buffer, dtype, count, offset):  # noqa: A002
    address = ctypes.addressof(ctypes.c_char.from_buffer(buffer)) + offset
    return Tensor(address, dtype, (count,), buffer)


def as_tensor(memory, device):
    assert device == "cuda"
    spec = memory.__cuda_array_interface__
    assert spec["typestr"] == "|u1" and spec["data"][1] is False
    return Tensor(spec["data"][0], uint8, spec["shape"], memory)  # noqa: F821


class Stream:
    def wait_stream(self, _other):
        pass


class ExternalStream(Stream):
    def __init__(self, pointer):
        self.pointer = pointer


class CUDAGraph:
    made = 0

    def __init__(self, keep_graph):
        assert keep_graph
        CUDAGraph.made += 1
        self.handle = 1000 + CUDAGraph.made

    def capture_begin(self, capture_error_mode, pool=None):
        assert capture_error_mode == "thread_local" and pool in (None, "pool")
        first_bad = int(os.environ.get("FAKE_NO_CAPTURE_FROM", "0"))
        last_bad = int(os.environ.get("FAKE_NO_CAPTURE_TO", "1000000"))
        if first_bad and first_bad <= CUDAGraph.made <= last_bad:
            raise RuntimeError("CUDA out of memory")
        if os.environ.get("FAKE_NO_CAPTURE"):
            raise RuntimeError("operation not permitted when stream is capturing")

    def capture_end(self):
        self.is_whole = True

    def raw_cuda_graph(self):
        assert self.is_whole
        return self.handle

    def pool(self):
        return "pool"


@contextlib.contextmanager
def on_stream(stream):
    assert isinstance(stream, Stream)
    yield


def empty_cache():
    print("emptied", file=sys.stderr, flush=True)


cuda = types.SimpleNamespace(
    empty_cache=empty_cache, init=lambda: None, Stream=Stream, ExternalStream=ExternalStream, CUDAGraph=CUDAGraph,
    stream=on_stream, current_stream=Stream, synchronize=lambda: None, Event=object)
