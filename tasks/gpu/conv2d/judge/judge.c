/* forge-build: gcc -O3 -march=native -fopenmp */
/* Independent oracle: every element of the output is gathered by itself, from the last to the first. */
#include <stdint.h>

static double tap(const double *x, const double *w, int64_t n)
{
	double sum[4] = { 0 };
	int64_t i = 0;
	for (; i + 4 <= n; i += 4)
		for (int j = 0; j < 4; j++)
			sum[j] += x[i + j] * w[i + j];
	for (; i < n; i++)
		sum[0] += x[i] * w[i];
	return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

void conv2d(const double *x, const double *w, double *y, int64_t batch, int64_t height, int64_t width,
	    int64_t inputs, int64_t outputs)
{
#pragma omp parallel for schedule(dynamic)
	for (int64_t at = 0; at < batch * height * width; at++) {
		const int64_t row = at / width % height, column = at % width;
		for (int64_t o = 0; o < outputs; o++) {
			double sum = 0;
			for (int64_t t = 8; t >= 0; t--) {
				const int64_t dy = t / 3 - 1, dx = t % 3 - 1;
				if (row + dy < 0 || row + dy >= height || column + dx < 0 ||
				    column + dx >= width)
					continue;
				sum += tap(x + (at + dy * width + dx) * inputs,
					   w + (o * 9 + t) * inputs, inputs);
			}
			y[at * outputs + o] = sum;
		}
	}
}
