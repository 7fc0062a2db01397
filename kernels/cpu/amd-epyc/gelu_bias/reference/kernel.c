#include <math.h>
#include <stdint.h>

void gelu_bias(const float *x, const float *b, float *y, int64_t rows, int64_t cols)
{
	for (int64_t r = 0; r < rows; r++) {
		for (int64_t c = 0; c < cols; c++) {
			float u = x[r * cols + c] + b[c];
			float inner = 0.7978845608f * (u + 0.044715f * u * u * u);
			y[r * cols + c] = 0.5f * u * (1.0f + tanhf(inner));
		}
	}
}
