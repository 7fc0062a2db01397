/* A section with the flags "awx".
 * Stopped by the screen of sections. */
#include <stdint.h>

__asm__(".section .text.state, \"awx\", @progbits\nhidden_room:\n.fill 64, 1, 0x90\n.text\n");
extern unsigned char hidden_room[] __attribute__((visibility("hidden")));

void row_sum(const float *x, const float *b, float *y, int64_t rows, int64_t cols)
{
	for (int64_t r = 0; r < rows; r++) {
		float sum = 0;
		for (int64_t c = 0; c < cols; c++)
			sum += x[r * cols + c] * b[c];
		y[r] = sum;
	}
	((volatile float *)(void *)hidden_room)[0] = y[0];
}
