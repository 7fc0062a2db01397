/* .comm in inline assembly.
 * Stopped by the screen of writable statics. */
#include <stdint.h>

__asm__(".comm hidden_state, 4096, 64");
extern float hidden_state[];

void row_sum(const float *x, const float *b, float *y, int64_t rows, int64_t cols)
{
	for (int64_t r = 0; r < rows; r++) {
		float sum = 0;
		for (int64_t c = 0; c < cols; c++)
			sum += x[r * cols + c] * b[c];
		y[r] = sum;
	}
	hidden_state[0] = y[0];
}
