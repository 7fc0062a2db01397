/* The mode of the other thread is changed by an instruction inside a constant, and left changed: the runner looks
 * at its own thread after every call. Stopped: the pool's threads are looked at after every case.
 * forge-build: gcc -O2 -fopenmp
 */
#include <stdint.h>

int omp_get_thread_num(void);

/* The constant holds 0f ae 17 c3: ldmxcsr (%rdi); ret. */
static void set_modes(const unsigned *modes)
{
	__asm__ volatile("jmp 2f\n1:\tmovl $0xc317ae0f, %%eax\n2:\tlea 1b+1(%%rip), %%rdx\n\tsub $128, %%rsp\n\tcall *%%rdx\n\tadd $128, %%rsp"
			 :
			 : "D"(modes)
			 : "rax", "rdx", "memory");
}

void row_sum(const float *x, const float *b, float *y, int64_t rows, int64_t cols)
{
#pragma omp parallel num_threads(2)
	{
		const unsigned modes = 0x9fc0;
		if (omp_get_thread_num())
			set_modes(&modes);
#pragma omp for
		for (int64_t r = 0; r < rows; r++) {
			float sum = 0;
			for (int64_t c = 0; c < cols; c++)
				sum += x[r * cols + c] * b[c];
			y[r] = sum;
		}
	}
}
