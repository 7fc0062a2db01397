#include <stdint.h>

void depthwise5x5(const float *x, const float *f, float *y, int64_t channels, int64_t h, int64_t w)
{
	int64_t oh = h - 4;
	int64_t ow = w - 4;
	for (int64_t c = 0; c < channels; c++) {
		for (int64_t i = 0; i < oh; i++) {
			for (int64_t j = 0; j < ow; j++) {
				float sum = 0;
				for (int64_t a = 0; a < 5; a++)
					for (int64_t b = 0; b < 5; b++)
						sum += x[(c * h + i + a) * w + j + b] *
						       f[(c * 5 + a) * 5 + b];
				y[(c * oh + i) * ow + j] = sum;
			}
		}
	}
}
