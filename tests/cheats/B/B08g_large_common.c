/* Keeps state in a common symbol of the large code model, which has a number of its own.
 * Stopped by the screen of sections: the assembler makes .lbss for it. */
#include <stdint.h>

__asm__(".largecomm calls,4096,32");
extern int calls[];
int count(void);
int count(void)
{
	return calls[0]++;
}

void row_sum(const float *x, const float *b, float *y, int64_t rows, int64_t cols)
{
	for (int64_t r = 0; r < rows; r++) {
		float sum = 0;
		for (int64_t c = 0; c < cols; c++)
			sum += x[r * cols + c] * b[c];
		y[r] = sum;
	}
}
