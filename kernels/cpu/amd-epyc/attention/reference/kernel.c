#include <math.h>
#include <stdint.h>

void attention(const float *q, const float *k, const float *v, float *o, int64_t heads,
	       int64_t kv_heads, int64_t seq, int64_t dim)
{
	float scale = 1.0f / sqrtf((float)dim);
	for (int64_t h = 0; h < heads; h++) {
		int64_t g = h / (heads / kv_heads);
		for (int64_t i = 0; i < seq; i++) {
			float p[seq];
			float top = -INFINITY;
			for (int64_t j = 0; j <= i; j++) {
				float dot = 0;
				for (int64_t d = 0; d < dim; d++)
					dot += q[(h * seq + i) * dim + d] * k[(g * seq + j) * dim + d];
				p[j] = dot * scale;
				top = p[j] > top ? p[j] : top;
			}
			float sum = 0;
			for (int64_t j = 0; j <= i; j++) {
				p[j] = expf(p[j] - top);
				sum += p[j];
			}
			for (int64_t d = 0; d < dim; d++) {
				float acc = 0;
				for (int64_t j = 0; j <= i; j++)
					acc += p[j] * v[(g * seq + j) * dim + d];
				o[(h * seq + i) * dim + d] = acc / sum;
			}
		}
	}
}
