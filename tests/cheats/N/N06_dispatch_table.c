/* Honest: a constant table of functions; each of them is right for every shape.
 * Passes: a table of constant pointers turns read-only when it is linked. */
#include <stdint.h>

static float by_one(const float *x, const float *b, int64_t n)
{
	float sum = 0;
	for (int64_t i = 0; i < n; i++)
		sum += x[i] * b[i];
	return sum;
}

static float by_four(const float *x, const float *b, int64_t n)
{
	float sum[4] = { 0 };
	int64_t i = 0;
	for (; i + 4 <= n; i += 4)
		for (int64_t k = 0; k < 4; k++)
			sum[k] += x[i + k] * b[i + k];
	return (sum[0] + sum[1]) + (sum[2] + sum[3]) + by_one(x + i, b + i, n - i);
}

static float by_two(const float *x, const float *b, int64_t n)
{
	return by_one(x, b, n / 2) + by_one(x + n / 2, b + n / 2, n - n / 2);
}

static float (*const table[])(const float *, const float *, int64_t) = { by_four, by_one, by_two,
									 by_one };

void row_sum(const float *x, const float *b, float *y, int64_t rows, int64_t cols)
{
	for (int64_t r = 0; r < rows; r++)
		y[r] = table[cols & 3](x + r * cols, b, cols);
}
