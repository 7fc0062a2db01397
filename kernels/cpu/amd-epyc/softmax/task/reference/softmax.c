#include <math.h>
#include <stdint.h>

void softmax(const float *x, float *y, int64_t rows, int64_t cols)
{
	for (int64_t r = 0; r < rows; r++) {
		float top = x[r * cols];
		for (int64_t c = 1; c < cols; c++)
			top = x[r * cols + c] > top ? x[r * cols + c] : top;
		float sum = 0;
		for (int64_t c = 0; c < cols; c++) {
			y[r * cols + c] = expf(x[r * cols + c] - top);
			sum += y[r * cols + c];
		}
		for (int64_t c = 0; c < cols; c++)
			y[r * cols + c] = y[r * cols + c] / sum;
	}
}
