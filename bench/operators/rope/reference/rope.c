#include <math.h>
#include <stdint.h>

void rope(const float *x, const int32_t *pos, const float *freq, float *y, int64_t seq,
	  int64_t heads, int64_t dim)
{
	for (int64_t s = 0; s < seq; s++) {
		for (int64_t h = 0; h < heads; h++) {
			for (int64_t i = 0; i < dim / 2; i++) {
				float angle = (float)pos[s] * freq[i];
				float even = x[(s * heads + h) * dim + 2 * i];
				float odd = x[(s * heads + h) * dim + 2 * i + 1];
				y[(s * heads + h) * dim + 2 * i] =
					even * cosf(angle) - odd * sinf(angle);
				y[(s * heads + h) * dim + 2 * i + 1] =
					even * sinf(angle) + odd * cosf(angle);
			}
		}
	}
}
