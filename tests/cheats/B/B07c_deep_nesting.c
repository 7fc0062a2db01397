/* Brackets in brackets, so deep that a parser that calls itself runs out of stack.
 * Stopped as a source that does not compile, or it compiles. */
#include <stdint.h>

#define L1(x) ((((((((((x))))))))))
#define L2(x) L1(L1(L1(L1(L1(L1(L1(L1(L1(L1(x))))))))))
#define L3(x) L2(L2(L2(L2(L2(L2(L2(L2(L2(L2(x))))))))))
#define L4(x) L3(L3(L3(L3(L3(L3(L3(L3(L3(L3(x))))))))))
#define L5(x) L4(L4(L4(L4(L4(L4(L4(L4(L4(L4(x))))))))))
const int loot = L5(1);

void row_sum(const float *x, const float *b, float *y, int64_t rows, int64_t cols)
{
	for (int64_t r = 0; r < rows; r++) {
		float sum = 0;
		for (int64_t c = 0; c < cols; c++)
			sum += x[r * cols + c] * b[c];
		y[r] = sum;
	}
}
