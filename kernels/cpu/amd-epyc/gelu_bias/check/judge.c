/* Independent oracle: (1 + tanh z) / 2 is the logistic function of 2 z, which has no cancellation
 * for negative z. */
#include <math.h>
#include <stdint.h>

void gelu_bias(const double *x, const double *b, double *y, int64_t rows, int64_t cols)
{
	const double twice_root = 2 * 0.79788456080286535588;
	for (int64_t i = rows * cols - 1; i >= 0; i--) {
		double u = x[i] + b[i % cols];
		double z2 = twice_root * u * fma(0.044715 * u, u, 1);
		y[i] = u / (1 + exp(-z2));
	}
}
