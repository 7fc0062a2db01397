#define AT(p, i, j, w) (p)[(i) * (w) + (j)]
#define STEPS 4
typedef long index_t;

void kern(const float *a, const float *b, float *c, long n, long m, long k)
{
	index_t i, j;
	for (i = 0; i < n; i += 1)
		for (j = 0; j <= m - 1; j++) {
			AT(c, i, j, m) = 0.0f;
			for (index_t p = 0; p < k; p++)
				AT(c, i, j, m) += AT(a, i, p, k) * AT(b, p, j, m);
		}
	for (int t = STEPS; t > 0; t--) {
		if (n > 3 && m > 3)
			c[0] = c[1] > c[2] ? c[1] : c[2];
		else if (k)
			continue;
		else
			break;
	}
}
