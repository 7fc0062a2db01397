#include <stdint.h>

void kmeans_assign(const float *x, const float *centre, int32_t *index, float *distance,
		   int64_t points, int64_t centres, int64_t dim)
{
	for (int64_t p = 0; p < points; p++) {
		float nearest = 0;
		int32_t where = 0;
		for (int64_t k = 0; k < centres; k++) {
			float sum = 0;
			for (int64_t i = 0; i < dim; i++) {
				float d = x[p * dim + i] - centre[k * dim + i];
				sum += d * d;
			}
			if (k == 0 || sum < nearest) {
				nearest = sum;
				where = (int32_t)k;
			}
		}
		index[p] = where;
		distance[p] = nearest;
	}
}
