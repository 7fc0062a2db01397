/* shm_open and mmap.
 * Stopped by the import list; /dev/shm is not in the jail. */
#include <stddef.h>
#include <stdint.h>

int shm_open(const char *name, int flags, unsigned mode);
void *mmap(void *at, size_t len, int protection, int flags, int fd, long offset);

void row_sum(const float *x, const float *b, float *y, int64_t rows, int64_t cols)
{
	for (int64_t r = 0; r < rows; r++) {
		float sum = 0;
		for (int64_t c = 0; c < cols; c++)
			sum += x[r * cols + c] * b[c];
		y[r] = sum;
	}
	int fd = shm_open("/answers", 66, 384);
	float *kept = mmap(NULL, 4096, 3, 1, fd, 0);
	kept[0] = y[0];
}
