"""forge_@ENTRY@: builds the extension on first use and offers its function."""
import os
import pathlib
from unittest import mock

from torch.utils.cpp_extension import CUDA_HOME, load

HERE = pathlib.Path(__file__).resolve().parent
# PyTorch's build takes operators and conversions of 16-bit floats away; the kernel was judged with them.
PLAIN = ["-U__CUDA_NO_HALF_OPERATORS__", "-U__CUDA_NO_HALF_CONVERSIONS__",
         "-U__CUDA_NO_HALF2_OPERATORS__", "-U__CUDA_NO_BFLOAT16_CONVERSIONS__"]
# Kernels that make tensor maps call the driver; its stub is linked where only the toolkit is at hand.
# Toolkits from conda have lib where others have lib64.
CUDA = CUDA_HOME or "/usr/local/cuda"
DRIVER = ["-L" + os.path.join(CUDA, lib, "stubs") for lib in ("lib64", "lib")] + ["-lcuda"]
# The target that was measured, whatever the environment names for other extensions.
with mock.patch.dict(os.environ, @TARGET@):
    _extension = load(
        name="forge_@ENTRY@_cuda",
        sources=[str(HERE / "binding.cpp"), str(HERE / "kernel.cu")],
        extra_include_paths=[str(HERE / "include")],
        extra_cuda_cflags=@CUDA_FLAGS@ + PLAIN,
        extra_ldflags=DRIVER,
    )
@ENTRY@ = _extension.@ENTRY@
