/* A hundred thousand names, all for one place.
 * Harmless: each is looked at once. */
#include <stdint.h>

__asm__(".text\n.altmacro\n.macro name n\nplace\\n:\n.endm\n"
	".set i,0\n.rept 100000\nname %i\n.set i,i+1\n.endr\nret\n.noaltmacro");

void row_sum(const float *x, const float *b, float *y, int64_t rows, int64_t cols)
{
	for (int64_t r = 0; r < rows; r++) {
		float sum = 0;
		for (int64_t c = 0; c < cols; c++)
			sum += x[r * cols + c] * b[c];
		y[r] = sum;
	}
}
