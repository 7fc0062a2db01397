#pragma once
typedef struct CUstream_st *cudaStream_t;
struct cudaDeviceProp {
	int major, minor;
};
namespace at::cuda {
struct CUDAStream {
	operator cudaStream_t() const;
};
CUDAStream getCurrentCUDAStream();
cudaDeviceProp *getCurrentDeviceProperties();
}
