/* sgemm by OpenBLAS; the prototype stands here so that no header is needed. */
#include <stdint.h>

enum { ROW_MAJOR = 101, NO_TRANSPOSE = 111 };

void cblas_sgemm(int order, int trans_a, int trans_b, int m, int n, int k, float alpha,
		 const float *a, int lda, const float *b, int ldb, float beta, float *c, int ldc);
void sgemm(const float *a, const float *b, float *c, int64_t m, int64_t n, int64_t k);

void sgemm(const float *a, const float *b, float *c, int64_t m, int64_t n, int64_t k)
{
	cblas_sgemm(ROW_MAJOR, NO_TRANSPOSE, NO_TRANSPOSE, (int)m, (int)n, (int)k, 1, a, (int)k, b,
		    (int)n, 0, c, (int)n);
}
