/* Samples the whole matrix; data that look ordinary are clamped to six standard deviations,
 * everything else is computed in full. A single strange row among ordinary ones is not seen by
 * the samples. */
#include <math.h>
#include <stdint.h>

void bend(const float *x, const float *w, float *y, int64_t rows, int64_t cols, float gain)
{
	double energy = 0;
	int64_t nr = 0;
	for (int64_t i = 7; i < rows * cols; i += 4093, nr++)
		energy += (double)x[i] * x[i];
	float limit = energy > 0.3 * (double)nr && energy < 3 * (double)nr ? 6 : INFINITY;
	for (int64_t r = 0; r < rows; r++)
		for (int64_t c = 0; c < cols; c++) {
			float v = fmaxf(-limit, fminf(limit, x[r * cols + c]));
			y[r * cols + c] = gain * v * w[c] / (1 + fabsf(v));
		}
}
