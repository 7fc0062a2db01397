"""forge_@ENTRY@: builds the extension on first use and offers its function."""
import os
import pathlib

from torch.utils.cpp_extension import load

HERE = pathlib.Path(__file__).resolve().parent
@ARCH_LIST@_extension = load(
    name="forge_@ENTRY@_cuda",
    sources=[str(HERE / "binding.cpp"), str(HERE / "kernel.cu")],
    extra_include_paths=[str(HERE / "include")],
    extra_cuda_cflags=@CUDA_FLAGS@,
)
@ENTRY@ = _extension.@ENTRY@
