"""As much of PyTorch as an exported module asks of a tensor; nothing is computed and no device needed."""
import contextlib
import struct
import types

float32, bfloat16, int64 = "float32", "bfloat16", "int64"


class Tensor:
    def __init__(self, shape, dtype, device, value=None):
        self.shape, self.dtype, self.value = shape, dtype, value
        self.device = types.SimpleNamespace(type=device) if isinstance(device, str) else device
        self.contiguous, self.at = True, 512

    def size(self, dim):
        return self.shape[dim]

    def is_contiguous(self):
        return self.contiguous

    def data_ptr(self):
        return self.at

    def item(self):
        return struct.unpack("f", struct.pack("f", self.value))[0]


def tensor(value, dtype):
    return Tensor((), dtype, "cpu", value)


def empty(shape, dtype, device):
    return Tensor(tuple(shape), dtype, device)


def zeros(*shape, dtype, device):
    return Tensor(shape, dtype, device)


cuda = types.SimpleNamespace(device=lambda device: contextlib.nullcontext(), synchronize=lambda: None)
