#pragma once
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace c10 {
struct IntArrayRef {
	explicit IntArrayRef(const std::vector<int64_t> &);
	std::vector<int64_t> vec() const;
};
}
namespace at {
enum class ScalarType { Double, Float, Half, BFloat16, Float8_e4m3fn, Float8_e5m2, Long, Int, Char, Byte, Bool };
constexpr ScalarType kDouble = ScalarType::Double, kFloat = ScalarType::Float, kHalf = ScalarType::Half,
		     kBFloat16 = ScalarType::BFloat16, kLong = ScalarType::Long, kInt = ScalarType::Int,
		     kChar = ScalarType::Char, kByte = ScalarType::Byte, kBool = ScalarType::Bool;
struct Device {
	bool operator==(const Device &other) const;
};
struct TensorOptions {
	TensorOptions dtype(ScalarType) const;
	TensorOptions device(const Device &) const;
};
struct Tensor {
	bool is_cuda() const;
	Device device() const;
	ScalarType scalar_type() const;
	c10::IntArrayRef sizes() const;
	int64_t size(int64_t dim) const;
	bool is_contiguous() const;
	void *data_ptr() const;
};
}
namespace torch {
using at::Tensor;
Tensor empty(std::vector<int64_t> sizes, at::TensorOptions options);
template <class... T> void check_failed(const T &...);
}
#define TORCH_CHECK(cond, ...)                                                                     \
	do {                                                                                       \
		if (!(cond))                                                                       \
			torch::check_failed(__VA_ARGS__);                                          \
	} while (0)
#define TORCH_EXTENSION_NAME extension
namespace pybind11 {
struct arg {
	explicit arg(const char *);
	template <class T> arg &operator=(T &&);
};
struct module_ {
	template <class F, class... Extra> module_ &def(const char *, F &&, const Extra &...);
};
}
#define PYBIND11_MODULE(name, m) void pybind11_init_##name(pybind11::module_ &m)
