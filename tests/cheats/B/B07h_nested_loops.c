/* Code that is never run, whose analysis costs memory by the square of its size.
 * Harmless: deep nesting in large code is left without facts about loops. */
#include <stdint.h>

__asm__(".text\n.type maze,@function\nmaze:\n.altmacro\n"
	".macro head n\n.Lhead\\n: nop\n.endm\n"
	".macro tail n\njne .Lhead\\n\n.endm\n"
	".set i,0\n.rept 1500\nhead %i\n.set i,i+1\n.endr\n"
	".fill 100000,1,0x90\n"
	".rept 1500\n.set i,i-1\ntail %i\n.endr\nret\n.noaltmacro");

void row_sum(const float *x, const float *b, float *y, int64_t rows, int64_t cols)
{
	for (int64_t r = 0; r < rows; r++) {
		float sum = 0;
		for (int64_t c = 0; c < cols; c++)
			sum += x[r * cols + c] * b[c];
		y[r] = sum;
	}
}
