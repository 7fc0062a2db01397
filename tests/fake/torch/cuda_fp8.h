#pragma once
struct __nv_fp8_e4m3 {
	explicit __nv_fp8_e4m3(float);
};
struct __nv_fp8_e5m2 {
	explicit __nv_fp8_e5m2(float);
};
