/* Reads one byte each by 4096 different paths: the list of what was read grows above 1 MiB.
 * Stopped as the kernel's failure and not the job's. */
#include <stdint.h>

__asm__(".section .rodata\n"
	".irp a,.,./.,.//.,././.,./././.,.//./.,.///.,././././.\n"
	".irp b,.,./.,.//.,././.,./././.,.//./.,.///.,././././.\n"
	".irp c,.,./.,.//.,././.,./././.,.//./.,.///.,././././.\n"
	".irp d,.,./.,.//.,././.,./././.,.//./.,.///.,././././.\n"
	".incbin \"/usr/include/"
	"././././././././././././././././././././././././././././././././"
	"././././././././././././././././././././././././././././././././"
	"././././././././././././././././././././././././././././././././"
	"linux/../\\a/linux/../\\b/linux/../\\c/linux/../\\d/stdint.h\",0,1\n"
	".endr\n.endr\n.endr\n.endr\n.text");

void row_sum(const float *x, const float *b, float *y, int64_t rows, int64_t cols)
{
	for (int64_t r = 0; r < rows; r++) {
		float sum = 0;
		for (int64_t c = 0; c < cols; c++)
			sum += x[r * cols + c] * b[c];
		y[r] = sum;
	}
}
