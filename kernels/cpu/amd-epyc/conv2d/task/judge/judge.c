/* Independent oracle: every input pixel is spread over the outputs whose windows contain it. */
#include <stdint.h>

static void spread(const double *x, const double *f, double *y, const int64_t size[6])
{
	int64_t h = size[1], w = size[2], kh = size[4], kw = size[5];
	int64_t oh = h - kh + 1, ow = w - kw + 1;
	for (int64_t r = 0; r < h; r++)
		for (int64_t s = 0; s < w; s++)
			for (int64_t a = 0; a < kh; a++)
				for (int64_t b = 0; b < kw; b++)
					if (r - a >= 0 && r - a < oh && s - b >= 0 && s - b < ow)
						y[(r - a) * ow + s - b] += x[r * w + s] * f[a * kw + b];
}

void conv2d(const double *x, const double *f, double *y, int64_t cin, int64_t h, int64_t w,
	    int64_t cout, int64_t kh, int64_t kw)
{
	const int64_t size[6] = { cin, h, w, cout, kh, kw };
	int64_t plane = (h - kh + 1) * (w - kw + 1);
	for (int64_t i = 0; i < cout * plane; i++)
		y[i] = 0;
	for (int64_t c = cin - 1; c >= 0; c--)
		for (int64_t o = 0; o < cout; o++)
			spread(x + c * h * w, f + (o * cin + c) * kh * kw, y + o * plane, size);
}
