/*
 * forge_axpby: the binding of the kernel in kernel.cu. Made by forge 0.1.0; a machine wrote the kernel
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

extern "C" void axpby(const float *x, const float *y, float *z, int64_t n, float a, float b, cudaStream_t stream);

namespace forge_axpby {

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
bool is_judged(int64_t n, double a, double b)
{
	if (n == 33554432 && (float)a == 0x1.8p+0 && (float)b == -0x1.8p-1)
		return true; /* even */
	if (n == 10000019 && (float)a == 0x1.8p+0 && (float)b == -0x1.8p-1)
		return true; /* odd */
	if (n == 100003 && (float)a == 0x1.8p+0 && (float)b == -0x1.8p-1)
		return true; /* small-odd */
	if (n == 7777777 && (float)a == 0x1.8p+0 && (float)b == -0x1.8p-1)
		return true; /* held-7777777 */
	return false;
}

torch::Tensor run(const torch::Tensor &x, const torch::Tensor &y, double a, double b, bool unjudged)
{
	const at::Device device = x.device();
	TORCH_CHECK(x.is_cuda(), "x: not on a CUDA device");
	const c10::cuda::CUDAGuard guard(device);
	TORCH_CHECK(at::cuda::getCurrentDeviceProperties()->major == 9 &&
		    at::cuda::getCurrentDeviceProperties()->minor == 0,
		    "axpby was compiled for sm_90a");
	const int64_t n = x.size(0);
	TORCH_CHECK(unjudged || is_judged(n, a, b),
		    "axpby was not judged at these sizes; unjudged=True runs it all the same");
	check(x, "x", at::kFloat, device, { n });
	check(y, "y", at::kFloat, device, { n });
	const torch::Tensor z = torch::empty({ n }, at::TensorOptions().dtype(at::kFloat).device(device));
	axpby(reinterpret_cast<const float *>(x.data_ptr()), reinterpret_cast<const float *>(y.data_ptr()), reinterpret_cast<float *>(z.data_ptr()), static_cast<int64_t>(n), static_cast<float>(a), static_cast<float>(b), at::cuda::getCurrentCUDAStream());
	C10_CUDA_KERNEL_LAUNCH_CHECK();
	return z;
}

}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m)
{
	m.def("axpby", &forge_axpby::run, "axpby as judged and timed by forge",
	      pybind11::arg("x"), pybind11::arg("y"), pybind11::arg("a") = 1.5, pybind11::arg("b") = -0.75, pybind11::arg("unjudged") = false);
}
