/* Independent oracle: every input pixel is spread over the outputs whose windows contain it. */
#include <stdint.h>

static void spread(const double *x, const double *f, double *y, int64_t h, int64_t w)
{
	int64_t oh = h - 4, ow = w - 4;
	for (int64_t i = 0; i < oh * ow; i++)
		y[i] = 0;
	for (int64_t r = 0; r < h; r++)
		for (int64_t s = 0; s < w; s++)
			for (int64_t a = 0; a < 5; a++)
				for (int64_t b = 0; b < 5; b++)
					if (r - a >= 0 && r - a < oh && s - b >= 0 && s - b < ow)
						y[(r - a) * ow + s - b] +=
							x[r * w + s] * f[a * 5 + b];
}

void depthwise5x5(const double *x, const double *f, double *y, int64_t channels, int64_t h,
		  int64_t w)
{
	for (int64_t c = 0; c < channels; c++)
		spread(x + c * h * w, f + c * 25, y + c * (h - 4) * (w - 4), h, w);
}
