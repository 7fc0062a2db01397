/* execve of cc.
 * Stopped by the import list; there is no program in the jail. */
#include <stdint.h>

int execve(const char *path, char *const argv[], char *const env[]);

void row_sum(const float *x, const float *b, float *y, int64_t rows, int64_t cols)
{
	for (int64_t r = 0; r < rows; r++) {
		float sum = 0;
		for (int64_t c = 0; c < cols; c++)
			sum += x[r * cols + c] * b[c];
		y[r] = sum;
	}
	char *argv[] = { (char *)"cc", 0 };
	execve("/usr/bin/cc", argv, 0);
}
