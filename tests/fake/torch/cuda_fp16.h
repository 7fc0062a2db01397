#pragma once
struct __half {
	explicit __half(float);
};
