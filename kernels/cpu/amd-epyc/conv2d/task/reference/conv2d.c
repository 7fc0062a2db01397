#include <stdint.h>

void conv2d(const float *x, const float *f, float *y, int64_t cin, int64_t h, int64_t w, int64_t cout,
	    int64_t kh, int64_t kw)
{
	int64_t oh = h - kh + 1;
	int64_t ow = w - kw + 1;
	for (int64_t o = 0; o < cout; o++) {
		for (int64_t i = 0; i < oh; i++) {
			for (int64_t j = 0; j < ow; j++) {
				float sum = 0;
				for (int64_t c = 0; c < cin; c++)
					for (int64_t a = 0; a < kh; a++)
						for (int64_t b = 0; b < kw; b++)
							sum += x[(c * h + i + a) * w + j + b] *
							       f[((o * cin + c) * kh + a) * kw + b];
				y[(o * oh + i) * ow + j] = sum;
			}
		}
	}
}
