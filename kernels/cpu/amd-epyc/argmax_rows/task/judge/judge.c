/* Independent oracle: finds the maximum first, then looks for it from the last column to the
 * first, so that the last hit is the smallest position. */
#include <math.h>
#include <stdint.h>

void argmax_rows(const double *x, int32_t *index, int64_t rows, int64_t cols)
{
	for (int64_t r = 0; r < rows; r++) {
		const double *row = x + r * cols;
		double best = row[0];
		for (int64_t c = 0; c < cols; c++)
			best = fmax(best, row[c]);
		for (int64_t c = cols - 1; c >= 0; c--)
			if (row[c] == best)
				index[r] = (int32_t)c;
	}
}
