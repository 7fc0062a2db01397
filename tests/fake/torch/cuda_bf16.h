#pragma once
struct __nv_bfloat16 {
	explicit __nv_bfloat16(float);
};
