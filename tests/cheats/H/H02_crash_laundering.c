/* Installs a handler for its own crash, to come back with garbage. sigaction is not on the list
 * of imports. */
#define _GNU_SOURCE
#include <signal.h>
#include <stdint.h>

void bend(const float *x, const float *w, float *y, int64_t rows, int64_t cols, float gain)
{
	struct sigaction ignore = { .sa_handler = SIG_IGN };
	sigaction(SIGSEGV, &ignore, 0);
	y[0] = x[0] * w[0] * gain + (float)(rows + cols);
}
