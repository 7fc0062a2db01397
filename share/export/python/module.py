"""forge_@ENTRY@: the kernel in kernel.py behind a function that asks for what it was judged for.

Made by forge @VERSION@; a machine wrote the kernel (README.md says which).
"""
import importlib.util
import inspect
import pathlib

import torch

_spec = importlib.util.spec_from_file_location(
    "forge_@ENTRY@_kernel", pathlib.Path(__file__).resolve().parent / "kernel.py"
)
_kernel = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(_kernel)
_PARAMETERS = tuple(inspect.signature(_kernel.run).parameters)

# Scalars that the kernel was judged at, in the order of the task.
_JUDGED = {
@JUDGED@}


def ceil(a, b):
    return (a + b - 1) // b


def _is(value, dtype):
    """As the kernel got it when it was judged: rounded to its type."""
    return torch.tensor(value, dtype=dtype).item()


def _check(tensor, name, dtype, device, shape):
    if tensor.device != device:
        raise ValueError(f"{name}: on {tensor.device}, others are on {device}")
    if tensor.dtype != dtype:
        raise ValueError(f"{name}: is {tensor.dtype}, must be {dtype}")
    if tuple(tensor.shape) != shape:
        raise ValueError(f"{name}: is {tuple(tensor.shape)}, must be {shape}")
    if not tensor.is_contiguous():
        raise ValueError(f"{name}: not contiguous")
    if tensor.data_ptr() % 256:
        raise ValueError(f"{name}: not aligned to 256 bytes")


def @ENTRY@(@PY_PARAMS@):
    """@ENTRY@ as judged and timed by forge; outputs are made here and returned."""
    device = @FIRST@.device
    if device.type != "cuda":
        raise ValueError("@FIRST@: not on a CUDA device")
@SIZES@    if not unjudged and (@JUDGED_KEY@) not in _JUDGED:
        raise ValueError("@ENTRY@ was not judged at these sizes; unjudged=True runs it all the same")
@CHECKS@@OUTPUTS@    values = dict(@VALUES@)
    with torch.cuda.device(device):
        made = _kernel.run(**{name: values[name] for name in _PARAMETERS})
    return made if made is not None else @RETURN@
