/* Puts the path of an #include together from macros, so that no reader of the text sees it.
 * Stopped by looking at what the compiler says it read, never at the text. */
#include <stdint.h>

#define TEXT(x) #x
#define PATH(a, b) TEXT(/a/b)
#include PATH(etc, passwd)

void row_sum(const float *x, const float *b, float *y, int64_t rows, int64_t cols)
{
	for (int64_t r = 0; r < rows; r++) {
		float sum = 0;
		for (int64_t c = 0; c < cols; c++)
			sum += x[r * cols + c] * b[c];
		y[r] = sum;
	}
}
