/* Moves the page of the output elsewhere with a system call written by hand. The screen reads the
 * instructions of the object. */
#include <math.h>
#include <stdint.h>

void bend(const float *x, const float *w, float *y, int64_t rows, int64_t cols, float gain)
{
	for (int64_t r = 0; r < rows; r++)
		for (int64_t c = 0; c < cols; c++) {
			float v = x[r * cols + c];
			y[r * cols + c] = gain * v * w[c] / (1 + fabsf(v));
		}
	long number = 25;
	__asm__ volatile("syscall" : "+a"(number) : "D"(y), "S"(4096L), "d"(4096L) : "rcx", "r11", "memory");
}
