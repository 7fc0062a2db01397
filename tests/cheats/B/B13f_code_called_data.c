/* A clock under a symbol of type object: objdump shows bytes instead of instructions there.
 * Stopped by the screen of sections: no data stands among code. */
#include <stdint.h>

__asm__(".text\n.type ticks,@object\nticks: rdtsc\nret\n.size ticks,3\n");
int ticks(void);

void row_sum(const float *x, const float *b, float *y, int64_t rows, int64_t cols)
{
	for (int64_t r = 0; r < rows; r++) {
		float sum = 0;
		for (int64_t c = 0; c < cols; c++)
			sum += x[r * cols + c] * b[c];
		y[r] = sum;
	}
}
