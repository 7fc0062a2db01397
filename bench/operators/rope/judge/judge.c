/* Independent oracle: a pair is a complex number in polar form, to whose argument the angle is
 * added. */
#include <math.h>
#include <stdint.h>

static double angle_of(int32_t pos, double freq)
{
	return (double)((float)pos * (float)freq); /* rounded as the description says */
}

void rope(const double *x, const int32_t *pos, const double *freq, double *y, int64_t seq,
	  int64_t heads, int64_t dim)
{
	for (int64_t i = 0; i < dim / 2; i++) {
		for (int64_t s = 0; s < seq; s++) {
			for (int64_t h = 0; h < heads; h++) {
				const double *from = x + (s * heads + h) * dim + 2 * i;
				double *to = y + (s * heads + h) * dim + 2 * i;
				double radius = hypot(from[0], from[1]);
				double turn = atan2(from[1], from[0]) + angle_of(pos[s], freq[i]);
				to[0] = radius * cos(turn);
				to[1] = radius * sin(turn);
			}
		}
	}
}
