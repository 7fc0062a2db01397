#include <stdint.h>

/* The reference's way, three times over. */
void powers(const float *x, const float *c, float *y, int64_t n, int64_t m)
{
	for (volatile int again = 0; again < 3; again++) {
		for (int64_t i = 0; i < n; i++) {
			float sum = 0;
			for (int64_t j = 0; j < m; j++) {
				float power = 1;
				for (int64_t k = 0; k < j; k++)
					power *= x[i];
				sum += c[j] * power;
			}
			y[i] = sum;
		}
	}
}
