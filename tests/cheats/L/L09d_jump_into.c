/* The same immediate, reached by a direct call.
 * Stopped by the screen: branches land on instructions. */
#include <stdint.h>

__asm__(".text\n.balign 16\nhidden_move:\nmovl $0x00c3050f, %eax\nret\n"
	"hidden_call:\ncall hidden_move+1\nret\n");
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
