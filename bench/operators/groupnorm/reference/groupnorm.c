#include <math.h>
#include <stdint.h>

void groupnorm(const float *x, const float *gamma, const float *beta, float *y, int64_t batch,
	       int64_t channels, int64_t pixels, int64_t groups, float eps)
{
	int64_t width = channels / groups;
	float count = (float)(width * pixels);
	for (int64_t b = 0; b < batch; b++) {
		for (int64_t g = 0; g < groups; g++) {
			float sum = 0;
			for (int64_t c = g * width; c < (g + 1) * width; c++)
				for (int64_t p = 0; p < pixels; p++)
					sum += x[(b * channels + c) * pixels + p];
			float mean = sum / count;
			float squares = 0;
			for (int64_t c = g * width; c < (g + 1) * width; c++) {
				for (int64_t p = 0; p < pixels; p++) {
					float d = x[(b * channels + c) * pixels + p] - mean;
					squares += d * d;
				}
			}
			float scale = 1.0f / sqrtf(squares / count + eps);
			for (int64_t c = g * width; c < (g + 1) * width; c++)
				for (int64_t p = 0; p < pixels; p++)
					y[(b * channels + c) * pixels + p] =
						(x[(b * channels + c) * pixels + p] - mean) *
							scale * gamma[c] +
						beta[c];
		}
	}
}
