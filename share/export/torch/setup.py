"""Builds forge_@ENTRY@_cuda once and installs it: pip install --no-build-isolation ."""
import os
import pathlib

from setuptools import setup
from torch.utils.cpp_extension import CUDA_HOME, BuildExtension, CUDAExtension

HERE = pathlib.Path(__file__).resolve().parent
# PyTorch's build takes operators and conversions of 16-bit floats away; the kernel was judged with them.
PLAIN = ["-U__CUDA_NO_HALF_OPERATORS__", "-U__CUDA_NO_HALF_CONVERSIONS__",
         "-U__CUDA_NO_HALF2_OPERATORS__", "-U__CUDA_NO_BFLOAT16_CONVERSIONS__"]
# Kernels that make tensor maps call the driver; its stub is linked where only the toolkit is at hand.
# Toolkits from conda have lib where others have lib64.
CUDA = CUDA_HOME or "/usr/local/cuda"
DRIVER = ["-L" + os.path.join(CUDA, lib, "stubs") for lib in ("lib64", "lib")] + ["-lcuda"]
# The target that was measured, whatever the environment names for other extensions.
os.environ.update(@TARGET@)
setup(
    name="forge_@ENTRY@_cuda",
    version="@VERSION@",
    ext_modules=[
        CUDAExtension(
            "forge_@ENTRY@_cuda",
            ["binding.cpp", "kernel.cu"],
            include_dirs=[str(HERE / "include")],
            extra_compile_args={"cxx": ["-O2"], "nvcc": @CUDA_FLAGS@ + PLAIN},
            extra_link_args=DRIVER,
        )
    ],
    cmdclass={"build_ext": BuildExtension},
)
