/*
 * forge_@ENTRY@: the binding of the kernel in kernel.cu. Made by forge @VERSION@; a machine wrote the kernel
 * (README.md says which). What the kernel was judged for is checked here: device, dtype, shape, layout,
 * alignment, and the sizes, unless the caller says `unjudged`.
 */
#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>
#include <torch/extension.h>

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

#include <cstdint>
#include <vector>

extern "C" void @ENTRY@(@PARAMS@);

namespace forge_@ENTRY@ {

/* What expressions over sizes call. */
inline int64_t min(int64_t a, int64_t b) { return a < b ? a : b; }
inline int64_t max(int64_t a, int64_t b) { return a > b ? a : b; }
inline int64_t ceil(int64_t a, int64_t b) { return (a + b - 1) / b; }

void check(const torch::Tensor &t, const char *name, at::ScalarType type, const at::Device &device,
	   const std::vector<int64_t> &sizes)
{
	TORCH_CHECK(t.is_cuda(), name, ": not on a CUDA device");
	TORCH_CHECK(t.device() == device, name, ": on ", t.device(), ", others are on ", device);
	TORCH_CHECK(t.scalar_type() == type, name, ": is ", t.scalar_type(), ", must be ", type);
	TORCH_CHECK(t.sizes().vec() == sizes, name, ": is ", t.sizes(), ", must be ",
		    c10::IntArrayRef(sizes));
	TORCH_CHECK(t.is_contiguous(), name, ": not contiguous");
	TORCH_CHECK(reinterpret_cast<std::uintptr_t>(t.data_ptr()) % 256 == 0, name,
		    ": not aligned to 256 bytes");
}

/* Sizes and scalars that the kernel was judged at. */
bool is_judged(@JUDGED_PARAMS@)
{
@JUDGED@	return false;
}

@RESULT@ run(@ARGUMENTS@)
{
	const at::Device device = @FIRST@.device();
	TORCH_CHECK(@FIRST@.is_cuda(), "@FIRST@: not on a CUDA device");
	const c10::cuda::CUDAGuard guard(device);
@ARCH_CHECK@@SIZES@	TORCH_CHECK(unjudged || is_judged(@JUDGED_NAMES@),
		    "@ENTRY@ was not judged at these sizes; unjudged=True runs it all the same");
@CHECKS@@OUTPUTS@	@ENTRY@(@VALUES@, at::cuda::getCurrentCUDAStream());
	C10_CUDA_KERNEL_LAUNCH_CHECK();
	return @RETURN@;
}

}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m)
{
	m.def("@ENTRY@", &forge_@ENTRY@::run, "@ENTRY@ as judged and timed by forge",
	      @PY_ARGUMENTS@pybind11::arg("unjudged") = false);
}
