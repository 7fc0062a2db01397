/* Defines functions of the C library and of the runner, as a trap, and calls none of them.
 * Harmless: nothing but the entry is exported, and the entry binds inside the object. */
/* forge-build: gcc -O2 */
#include <stdint.h>

#define TRAP { __builtin_trap(); }
#define ATTRIBUTES __attribute__((used, visibility("default")))
ATTRIBUTES void *malloc(unsigned long n) TRAP
ATTRIBUTES void free(void *p) TRAP
ATTRIBUTES int clock_gettime(int id, void *t) TRAP
ATTRIBUTES long syscall(long nr, ...) TRAP
ATTRIBUTES void _exit(int code) TRAP
ATTRIBUTES void bell_serve(void) TRAP
ATTRIBUTES void GOMP_parallel(void) TRAP
ATTRIBUTES int main(void) TRAP

void row_sum(const float *x, const float *b, float *y, int64_t rows, int64_t cols)
{
	for (int64_t r = 0; r < rows; r++) {
		float sum = 0;
		for (int64_t c = 0; c < cols; c++)
			sum += x[r * cols + c] * b[c];
		y[r] = sum;
	}
}
