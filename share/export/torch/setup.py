"""Builds forge_@ENTRY@_cuda once and installs it: pip install --no-build-isolation ."""
import os
import pathlib

from setuptools import setup
from torch.utils.cpp_extension import BuildExtension, CUDAExtension

HERE = pathlib.Path(__file__).resolve().parent
@ARCH_LIST@setup(
    name="forge_@ENTRY@_cuda",
    version="@VERSION@",
    ext_modules=[
        CUDAExtension(
            "forge_@ENTRY@_cuda",
            ["binding.cpp", "kernel.cu"],
            include_dirs=[str(HERE / "include")],
            extra_compile_args={"cxx": ["-O2"], "nvcc": @CUDA_FLAGS@},
        )
    ],
    cmdclass={"build_ext": BuildExtension},
)
