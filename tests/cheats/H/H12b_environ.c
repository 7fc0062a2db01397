/* Reads and changes the list of the environment without a function. The variable is an import
 * like any other. */
#include <math.h>
#include <stdint.h>

extern char **environ;

void bend(const float *x, const float *w, float *y, int64_t rows, int64_t cols, float gain)
{
	if (environ)
		environ[0] = 0;
	for (int64_t r = 0; r < rows; r++)
		for (int64_t c = 0; c < cols; c++) {
			float v = x[r * cols + c];
			y[r * cols + c] = gain * v * w[c] / (1 + fabsf(v));
		}
}
