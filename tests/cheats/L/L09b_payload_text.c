/* A system call written as .byte in the code.
 * Stopped by the screen of instructions, which reads the object. */
#include <stdint.h>

__asm__(".text\nhidden_call:\n.byte 0x0f, 0x05\nret\n");
void hidden_call(void) __attribute__((visibility("hidden")));

void row_sum(const float *x, const float *b, float *y, int64_t rows, int64_t cols)
{
	for (int64_t r = 0; r < rows; r++) {
		float sum = 0;
		for (int64_t c = 0; c < cols; c++)
			sum += x[r * cols + c] * b[c];
		y[r] = sum;
	}
	hidden_call();
}
