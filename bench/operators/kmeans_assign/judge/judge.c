/* Independent oracle: the square is expanded to |x|^2 - 2 x.c + |c|^2, and centres are looked at
 * from the last to the first, so that the last hit is the smallest index. With whole coordinates
 * every term is exact in double precision. */
#include <math.h>
#include <stdint.h>

static double dot(const double *a, const double *b, int64_t n)
{
	double sum = 0;
	for (int64_t i = n - 1; i >= 0; i--)
		sum = fma(a[i], b[i], sum);
	return sum;
}

void kmeans_assign(const double *x, const double *centre, int32_t *index, double *distance,
		   int64_t points, int64_t centres, int64_t dim)
{
	for (int64_t p = 0; p < points; p++)
		distance[p] = INFINITY;
	for (int64_t k = centres - 1; k >= 0; k--) {
		const double *c = centre + k * dim;
		for (int64_t p = 0; p < points; p++) {
			const double *v = x + p * dim;
			double d = dot(v, v, dim) - 2 * dot(v, c, dim) + dot(c, c, dim);
			if (d <= distance[p]) {
				distance[p] = d;
				index[p] = (int32_t)k;
			}
		}
	}
}
