/* The same for the control word of the x87 unit, which the modes of the vector unit say nothing
 * about. The runner looks at both after every call. */
#include <math.h>
#include <stdint.h>

/* The constant holds d9 2f c3 90: fldcw (%rdi); ret; nop. */
static void set_word(const unsigned short *word)
{
	__asm__ volatile("jmp 2f\n1:\tmovl $0x90c32fd9, %%eax\n2:\tlea 1b+1(%%rip), %%rdx\n\tsub $128, %%rsp\n\tcall *%%rdx\n\tadd $128, %%rsp"
			 :
			 : "D"(word)
			 : "rax", "rdx", "memory");
}

void bend(const float *x, const float *w, float *y, int64_t rows, int64_t cols, float gain)
{
	for (int64_t r = 0; r < rows; r++)
		for (int64_t c = 0; c < cols; c++) {
			float v = x[r * cols + c];
			y[r * cols + c] = gain * v * w[c] / (1 + fabsf(v));
		}
	unsigned short word = 0x0c7f;
	set_word(&word);
}
