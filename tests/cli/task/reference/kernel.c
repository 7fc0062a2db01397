#include <math.h>
#include <stdint.h>

/* Small functions without optimisation: slow on purpose, so that the recorded candidates are faster
 * on any machine, however busy. */
static float square(float v)
{
	return v * v;
}

static float magnitude(float a, float b)
{
	return sqrtf(square(a) + square(b));
}

static float one_plus(float v)
{
	return 1.0f + fabsf(v);
}

static float ratio(float a, float b)
{
	return magnitude(a, b) / one_plus(a);
}

void hypot_ratio(const float *x, const float *y, float *z, int64_t n)
{
	for (int64_t i = 0; i < n; i++)
		z[i] = ratio(x[i], y[i]);
}
