#include <stdint.h>
static const float table[4] = { 1, 2, 3, 4 };

void kern(const float *restrict a, const float *b, float *c, int64_t n, int64_t m, int64_t k)
{
	const float *row = a + 2 * m;
	float best = row[0], local[16][4] = { { 0 } };
	int where = 0;
	switch (n % 3) {
	case 0:
		where = 1;
		break;
	default:
		where = -1;
	}
	while (where < 4) {
		best += table[where & 3] * (float)sizeof(float);
		where++;
	}
	do {
		local[0][1] -= *b++;
		k--;
	} while (k > 0 && !(k & 1));
again:
	if (best < -1)
		goto again;
	for (int64_t i = 0, j = n; i < j; i++, j--)
		c[i] = -(-best) + local[i & 15][j & 3] - - -1 + (float)(where << 2 >> 1 ^ 3 | ~where);
	{
		struct { int x; } s = { .x = 3 };
		c[0] = (float)s.x;
	}
	for (;;) {
		if (m++, m > 4)
			return;
	}
}
