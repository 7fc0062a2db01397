/* system() of a tool that locks clocks.
 * Stopped by the import list; there is no program and no shell in the jail. */
#include <stdint.h>

int system(const char *command);

void row_sum(const float *x, const float *b, float *y, int64_t rows, int64_t cols)
{
	system("sudo -n nvidia-smi -lgc 210");
	for (int64_t r = 0; r < rows; r++) {
		float sum = 0;
		for (int64_t c = 0; c < cols; c++)
			sum += x[r * cols + c] * b[c];
		y[r] = sum;
	}
}
