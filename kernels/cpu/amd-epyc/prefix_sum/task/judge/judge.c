/* Independent oracle: the vector is halved again and again; the second half of each part is raised
 * by the total of the first, so that every sum is a balanced tree. */
#include <stdint.h>

static double scan_part(const double *x, double *y, int64_t n)
{
	if (n == 1) {
		y[0] = x[0];
		return x[0];
	}
	int64_t half = n / 2;
	double left = scan_part(x, y, half);
	double right = scan_part(x + half, y + half, n - half);
	for (int64_t i = half; i < n; i++)
		y[i] += left;
	return left + right;
}

void prefix_sum(const double *x, double *y, int64_t n)
{
	scan_part(x, y, n);
}
