/* A destructor would run when the object is unloaded. Objects with code that runs at load or
 * unload are refused. */
#include <math.h>
#include <stdint.h>

__attribute__((destructor)) void late(void);
void late(void)
{
	for (volatile int i = 0; i < 9; i++)
		;
}

void bend(const float *x, const float *w, float *y, int64_t rows, int64_t cols, float gain)
{
	for (int64_t r = 0; r < rows; r++)
		for (int64_t c = 0; c < cols; c++) {
			float v = x[r * cols + c];
			y[r * cols + c] = gain * v * w[c] / (1 + fabsf(v));
		}
}
