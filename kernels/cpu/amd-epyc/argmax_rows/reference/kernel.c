#include <stdint.h>

void argmax_rows(const float *x, int32_t *index, int64_t rows, int64_t cols)
{
	for (int64_t r = 0; r < rows; r++) {
		float best = x[r * cols];
		int32_t where = 0;
		for (int64_t c = 1; c < cols; c++) {
			if (x[r * cols + c] > best) {
				best = x[r * cols + c];
				where = (int32_t)c;
			}
		}
		index[r] = where;
	}
}
